/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Draws noisy pictures of known targets, of any size, for the tests and the benchmark of the snake.
 *
 * A target is a shape around a centre; a pixel belongs to it where its own centre lies inside. In units of the radius,
 * with r and the angle a (clockwise on the screen from the right) measured from the target's centre:
 *   ellipse  semi-axes 1 and 0.65, the longer one turned by 0.5
 *   blob     r <= (1 + 0.18 cos 2a + 0.12 cos 3a + 0.08 cos 5a) / 1.38
 *   star     r <= (1 + 0.35 cos 5a) / 1.35
 *   C        0.55 <= r <= 1, and not within 0.6 of the right on either side
 *
 * Samples are independent, one distribution inside the targets and another outside. Each is drawn by 16 random bits
 * from a table of quantiles: probabilities are multiples of 2^-16, what lies beyond the samples' range counts at its
 * ends. A pixel's sample depends on the seed, its row and its column only. */
#ifndef CTR_TESTS_SNAKE_SCENES_H
#define CTR_TESTS_SNAKE_SCENES_H

#include <contours/contours.h>

typedef enum { SNAKE_ELLIPSE, SNAKE_BLOB, SNAKE_STAR, SNAKE_C, SNAKE_SHAPES } SnakeShape;
extern const char *const snake_shape_names[SNAKE_SHAPES];

typedef enum {
  SNAKE_GAUSSIAN, /* mean, deviation */
  SNAKE_SPECKLE,  /* mean, order: a whole number of looks; gamma distributed */
  SNAKE_POISSON,  /* mean; its scale is 1 sample unit */
  SNAKE_BERNOULLI /* mean: the probability of the largest sample, 0 else */
} SnakeNoise;

typedef struct {
  SnakeShape shape;
  double x, y; /* centre, in pixels from the picture's upper left corner */
  double radius;
  double angle; /* by which the shape is turned around its centre, clockwise on the screen */
} SnakeTarget;

typedef struct {
  double mean; /* sample units, but for Bernoulli */
  double spread;
} SnakeLevel;

typedef struct {
  const SnakeTarget *targets;
  uint32_t target_count;
  SnakeNoise noise;
  SnakeLevel inside;
  SnakeLevel outside;
  uint64_t seed;
} SnakeScene;

/* Draws width * height samples of IMAGE's format, GRAY8 or GRAY16; its data must be writable. */
void snake_scene_draw (const SnakeScene *scene, const CtrImage *image);

/* The truth of row Y: 1 where a pixel belongs to a target, else 0. */
void snake_scene_row (const SnakeScene *scene, uint32_t y, uint32_t width, uint8_t *mask);

/* Common pixels of TARGET and the polygon over the pixels in either: 1 where they are the same. */
double snake_target_iou (
    const SnakeTarget *target, uint32_t width, uint32_t height, const CtrPoint *points, uint32_t count);

#endif

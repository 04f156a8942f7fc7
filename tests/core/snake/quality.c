/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests how well snakes find targets under noise: the intersection over union of target and polygon must reach a bar.
 */
#include "tests/core/snake/polygons_reference.h"
#include "tests/core/snake/scenes.h"
#include "tests/core/snake/testing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static Setup setup;
static CtrSnake *snake;

typedef struct {
  const char *name;
  SnakeShape shape;
  CtrSnakeModel model; /* and noise */
  SnakeLevel inside;
  SnakeLevel outside;
  uint32_t side;
  double radius;    /* of the side */
  double least_iou; /* at the window's whole, from AUTO */
  bool wide;        /* 16 bits: 256 times the levels */
} Scene;

static const Scene scenes[] = {
    {"clear ellipse", SNAKE_ELLIPSE, CTR_SNAKE_GAUSSIAN, {120, 20}, {100, 20}, 512, 0.35, 0.98, false},
    {"noisy blob", SNAKE_BLOB, CTR_SNAKE_GAUSSIAN, {130, 40}, {100, 40}, 512, 0.38, 0.98, false},
    {"star", SNAKE_STAR, CTR_SNAKE_GAUSSIAN, {120, 20}, {100, 20}, 512, 0.4, 0.98, false},
    {"C", SNAKE_C, CTR_SNAKE_GAUSSIAN, {120, 25}, {100, 25}, 512, 0.38, 0.98, false},
    {"equal means", SNAKE_BLOB, CTR_SNAKE_GAUSSIAN, {110, 10}, {110, 30}, 512, 0.38, 0.98, false},
    {"speckle, 1 look", SNAKE_BLOB, CTR_SNAKE_SPECKLE, {80, 1}, {40, 1}, 512, 0.38, 0.98, false},
    {"speckle, 4 looks", SNAKE_BLOB, CTR_SNAKE_SPECKLE, {80, 4}, {40, 4}, 512, 0.38, 0.98, false},
    {"photons", SNAKE_STAR, CTR_SNAKE_POISSON, {12, 0}, {8, 0}, 512, 0.4, 0.98, false},
    {"two values", SNAKE_BLOB, CTR_SNAKE_BERNOULLI, {0.6, 0}, {0.4, 0}, 512, 0.38, 0.96, false},
    {"16 bits", SNAKE_BLOB, CTR_SNAKE_GAUSSIAN, {130, 40}, {100, 40}, 512, 0.38, 0.98, true},
    {"16 bits, speckle", SNAKE_BLOB, CTR_SNAKE_SPECKLE, {80, 4}, {40, 4}, 512, 0.38, 0.98, true},
    {"small target", SNAKE_ELLIPSE, CTR_SNAKE_GAUSSIAN, {140, 20}, {100, 20}, 512, 0.025, 0.88, false},
    {"large blob", SNAKE_BLOB, CTR_SNAKE_GAUSSIAN, {125, 25}, {100, 25}, 2048, 0.38, 0.99, false},
    {"large star", SNAKE_STAR, CTR_SNAKE_SPECKLE, {80, 2}, {40, 2}, 2048, 0.4, 0.98, false},
};

/* The sums of what was found are those of its pixels. */
static void
check_sums (const SnakeResult *result, const CtrImage *image)
{
  const bool wide = image->format == CTR_FORMAT_GRAY16;
  const size_t pixels = (size_t) image->width * image->height;
  uint32_t *samples = malloc (pixels * sizeof *samples);
  for (size_t i = 0; i < pixels; i++)
    samples[i] = wide ? ((const uint16_t *) image->data)[i] : ((const uint8_t *) image->data)[i];
  Polygon line = {0};
  for (uint32_t i = 0; i < result->contours.table->count; i++)
    polygon_insert (&line, i, (Node){result->contours.points[i].x, result->contours.points[i].y});
  const Sums sums = polygon_sums (&(Field){samples, (int32_t) image->width, (int32_t) image->height}, &line);
  CHECK (polygon_is_simple (&line) && result->regions->inside_count == sums.n);
  CHECK (result->regions->inside_sum == sums.s1 && result->regions->inside_sum2 == (uint64_t) sums.s2);
  CHECK (result->regions->outside_count == (int64_t) pixels - sums.n);
  polygon_free (&line);
  free (samples);
}

/* Common pixels over those in either; prints what was found. */
static double
find (const Scene *s, bool prune, uint64_t seed)
{
  const SnakeTarget target = {
      .shape = s->shape, .x = 0.51 * s->side, .y = 0.49 * s->side, .radius = s->radius * s->side};
  SnakeScene scene = {.targets = &target,
      .target_count = 1,
      .noise = (SnakeNoise) s->model,
      .inside = s->inside,
      .outside = s->outside,
      .seed = seed};
  const size_t size = s->wide ? 2 : 1;
  const CtrImage image = {.data = malloc (size * s->side * s->side),
      .stride = size * s->side,
      .width = s->side,
      .height = s->side,
      .format = s->wide ? CTR_FORMAT_GRAY16 : CTR_FORMAT_GRAY8};
  if (s->wide) {
    scene.inside.mean *= 256;
    scene.outside.mean *= 256;
    if (s->model == CTR_SNAKE_GAUSSIAN) {
      scene.inside.spread *= 256;
      scene.outside.spread *= 256;
    }
  }
  snake_scene_draw (&scene, &image);
  CtrSnakeParams params;
  ctr_snake_params_init (&params);
  params.model = s->model;
  params.prune = prune;
  if (s->model == CTR_SNAKE_SPECKLE)
    params.looks = s->inside.spread;
  const CtrSnakeObject object = {.start = CTR_SNAKE_START_AUTO};
  describe_snake (s->name, &image, &params, &object, 1);
  struct timespec start, end;
  clock_gettime (CLOCK_MONOTONIC, &start);
  CtrContours *contours = run_snake (snake, &setup, &image, &params, &object, 1);
  clock_gettime (CLOCK_MONOTONIC, &end);
  const SnakeResult result = snake_result_of (contours);
  CHECK (contours->count == 1 && result.regions->flags == CTR_SNAKE_CONVERGED);
  check_sums (&result, &image);
  const uint32_t count = result.contours.table->count;
  const double iou = snake_target_iou (&target, s->side, s->side, result.contours.points, count);
  printf ("%-18s %4u%s  %.4f  %4u points  %4u iterations  %7.2f ms\n", s->name, s->side, prune ? " pruned" : "       ",
      iou, count, result.regions->iterations,
      1e3 * (double) (end.tv_sec - start.tv_sec) + 1e-6 * (double) (end.tv_nsec - start.tv_nsec));
  fflush (stdout);
  ctr_contours_unref (contours);
  free ((void *) image.data);
  return iou;
}

typedef struct {
  double n, mean, variance;
} Moments;

static Moments
moments_of (const CtrImage *image, const SnakeScene *scene, bool inside)
{
  uint8_t *mask = malloc (image->width);
  double n = 0, sum = 0, sum2 = 0;
  for (uint32_t y = 0; y < image->height; y++) {
    snake_scene_row (scene, y, image->width, mask);
    for (uint32_t x = 0; x < image->width; x++)
      if (mask[x] == inside) {
        const size_t i = (size_t) y * image->width + x;
        const double z = image->format == CTR_FORMAT_GRAY16 ? ((const uint16_t *) image->data)[i]
                                                            : ((const uint8_t *) image->data)[i];
        n++;
        sum += z;
        sum2 += z * z;
      }
  }
  free (mask);
  return (Moments){n, sum / n, sum2 / n - sum / n * (sum / n)};
}

/* The pictures are what they claim: areas, means and variances, these without what the range of samples cuts off. */
static void
test_scenes (void)
{
  enum { SIDE = 300, RADIUS = 120 };
  static uint16_t samples[SIDE * SIDE];
  static const SnakeLevel levels[][2] = {
      {{140, 15}, {90, 25}}, {{40, 4}, {25, 2}}, {{12, 0}, {8, 0}}, {{0.7, 0}, {0.25, 0}}};
  const double pi = 3.14159265358979323846, turn = RADIUS * RADIUS * pi;
  const double areas[SNAKE_SHAPES] = {0.65 * turn,
      (1 + (0.18 * 0.18 + 0.12 * 0.12 + 0.08 * 0.08) / 2) / (1.38 * 1.38) * turn,
      (1 + 0.35 * 0.35 / 2) / (1.35 * 1.35) * turn, (1 - 0.55 * 0.55) * (1 - 0.6 / pi) * turn};
  for (uint32_t noise = 0; noise <= SNAKE_BERNOULLI; noise++)
    for (uint32_t shape = 0; shape < SNAKE_SHAPES; shape++)
      for (uint32_t wide = 0; wide <= 1; wide++) {
        const SnakeTarget target = {.shape = shape, .x = 150, .y = 150.5, .radius = RADIUS};
        const SnakeScene scene = {.targets = &target,
            .target_count = 1,
            .noise = noise,
            .inside = levels[noise][0],
            .outside = levels[noise][1],
            .seed = shape};
        const CtrImage image = {.data = samples,
            .stride = SIDE * (1 + wide),
            .width = SIDE,
            .height = SIDE,
            .format = wide ? CTR_FORMAT_GRAY16 : CTR_FORMAT_GRAY8};
        snake_scene_draw (&scene, &image);
        for (int inside = 0; inside <= 1; inside++) {
          const SnakeLevel level = inside ? scene.inside : scene.outside;
          const double largest = wide ? 65535 : 255;
          double mean = level.mean, variance = level.spread * level.spread;
          if (noise == SNAKE_SPECKLE)
            variance = mean * mean / level.spread;
          else if (noise == SNAKE_POISSON)
            variance = mean;
          else if (noise == SNAKE_BERNOULLI)
            variance = largest * largest * mean * (1 - mean), mean *= largest;
          const Moments moments = moments_of (&image, &scene, inside);
          describe ("noise %u in a %s, %s: %g pixels of mean %g, variance %g", noise, snake_shape_names[shape],
              inside ? "inside" : "outside", moments.n, moments.mean, moments.variance);
          CHECK (fabs (moments.n - (inside ? areas[shape] : SIDE * SIDE - areas[shape])) < 0.005 * turn);
          CHECK (fabs (moments.mean - mean) < 4 * sqrt (variance / moments.n) + 0.02);
          CHECK (fabs (moments.variance - variance) < 0.06 * variance);
        }
      }
}

/* Sizes that are left to the snake are those of its window's longer side. */
static void
test_sizes (void)
{
  enum { WIDTH = 2100, HEIGHT = 700 };
  static const struct {
    int32_t width, height;
    uint32_t min_segment, max_step;
  } sizes[] = {{2048, 690, 8, 64}, {2047, 500, 8, 32}, {1920, 690, 8, 32}, {1919, 500, 4, 32}, {500, 511, 4, 8}};
  const SnakeTarget targets[] = {{.shape = SNAKE_BLOB, .x = 900, .y = 350, .radius = 300},
      {.shape = SNAKE_STAR, .x = 250, .y = 255, .radius = 180}};
  const SnakeScene scene = {
      .targets = targets, .target_count = 2, .inside = {125, 25}, .outside = {100, 25}, .seed = 4};
  uint8_t *samples = malloc (WIDTH * HEIGHT);
  const CtrImage image = {
      .data = samples, .stride = WIDTH, .width = WIDTH, .height = HEIGHT, .format = CTR_FORMAT_GRAY8};
  snake_scene_draw (&scene, &image);
  for (uint32_t i = 0; i < LENGTH (sizes); i++) {
    const CtrSnakeObject object = {.window = {0, 0, sizes[i].width, sizes[i].height}};
    CtrSnakeParams params;
    ctr_snake_params_init (&params);
    params.prune = false;
    describe_snake ("sizes", &image, &params, &object, 1);
    CtrContours *automatic = run_snake (snake, &setup, &image, &params, &object, 1);
    params.min_segment = sizes[i].min_segment;
    params.max_step = sizes[i].max_step;
    CtrContours *given = run_snake (snake, &setup, &image, &params, &object, 1);
    const SnakeResult a = snake_result_of (automatic), b = snake_result_of (given);
    CHECK (automatic->count == 1);
    check_snakes_equal (&a, &b);
    ctr_contours_unref (automatic);
    ctr_contours_unref (given);
  }
  free (samples);
}

int
main (int argc, char **argv)
{
  setup = setup_open (argv[1], false);
  test_scenes ();
  snake = snake_new (&setup);
  for (uint32_t i = 0; i < LENGTH (scenes); i++)
    for (uint32_t seed = 0; seed < (setup.quick || scenes[i].side > 512 ? 1 : 3); seed++)
      for (int prune = 0; prune <= 1; prune++) {
        const double iou = find (scenes + i, prune, 100 * i + seed);
        CHECK (iou >= scenes[i].least_iou);
      }
  test_sizes ();
  ctr_snake_free (snake);
  return 0;
}

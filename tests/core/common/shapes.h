/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Draws test pictures: masks of shapes on which analyses tend to fail, and images that show them. */
#ifndef CTR_TESTS_SHAPES_H
#define CTR_TESTS_SHAPES_H

#include <contours/contours.h>

CTR_BEGIN_DECLS

/* Deterministic random numbers (SplitMix64): a test is repeated by its seed. */
typedef struct {
  uint64_t state;
} Random;
uint64_t random_next (Random *random);
/* 0 .. bound - 1 */
uint32_t random_below (Random *random, uint32_t bound);

typedef enum {
  SHAPE_ZEROS,
  SHAPE_ONES,
  SHAPE_CHEQUERBOARD,
  SHAPE_CHEQUERBOARD_SHIFTED,
  SHAPE_DOTS, /* every second pixel of every second row: the most 8-connected components */
  SHAPE_COLUMNS,
  SHAPE_ROWS,
  SHAPE_COMB,      /* teeth that meet in the last row */
  SHAPE_COMB_DOWN, /* teeth that hang from the first row */
  SHAPE_SPIRAL,
  SHAPE_SERPENTINE,
  SHAPE_SERPENTINE_UPRIGHT,
  SHAPE_RINGS,
  SHAPE_DIAGONALS,
  SHAPE_LATTICE,  /* both diagonals: 8-connected only through corners */
  SHAPE_ARCHES,   /* nested U turned down: every row joins what were two labels */
  SHAPE_CUPS,     /* nested U: all joins in the last rows */
  SHAPE_STAIRS,   /* runs that meet the row above right of their start */
  SHAPE_DOMINOES, /* 1 x 2, apart: the most components of more than one row */
  SHAPE_COUNT
} Shape;
extern const char *const shape_names[SHAPE_COUNT];

/* One byte a pixel, 0 or 1, width * height, transfer full (free). */
uint8_t *shape_new (Shape shape, uint32_t width, uint32_t height);

/* Squares of GRAIN pixels, each set with a probability of DENSITY percent. */
uint8_t *noise_new (Random *random, uint32_t width, uint32_t height, uint32_t density, uint32_t grain);

/* Grey levels of a random kind: noise, smooth noise, two-level shapes, ramps, plateaus. Transfer full (free). */
uint8_t *grey_new (Random *random, uint32_t width, uint32_t height);

/* An image in host memory. Its block ends with its last pixel, so a reader beyond it is caught by the address
 * sanitizer. */
typedef struct {
  CtrImage view;
  void *memory;
  size_t bytes;
} Picture;

/* How a picture lies in memory. */
typedef struct {
  CtrFormat format;
  uint32_t offset;  /* bytes before the first pixel */
  uint32_t padding; /* bytes after each row but the last, filled at random */
} Layout;

/* Any format, offset and padding that the format's alignment allows. */
Layout random_layout (Random *random);

/* Random samples: at or above THRESHOLD where MASK is set, below elsewhere; with INVERT the other way round. THRESHOLD
 * is 1 .. the format's largest sample. */
Picture picture_of_mask (Random *random, const uint8_t *mask, uint32_t width, uint32_t height, Layout layout,
    uint32_t threshold, bool invert);

/* An image whose 8-bit samples are GREY. The lower half of 16-bit samples and padding are random. */
Picture picture_of_grey (Random *random, const uint8_t *grey, uint32_t width, uint32_t height, Layout layout);

/* Random bytes everywhere. */
Picture picture_random (Random *random, uint32_t width, uint32_t height, Layout layout);

void picture_free (Picture *picture);

CTR_END_DECLS

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Contents of pictures: usual ones, and those that cost most. */
#ifndef CTR_TESTS_RELIABILITY_CONTENTS_H
#define CTR_TESTS_RELIABILITY_CONTENTS_H

#include "tests/core/common/testing.h"

#include <stdlib.h>

typedef struct {
  const char *name;
  Shape shape;      /* SHAPE_COUNT: noise */
  uint32_t density; /* of the noise, percent; 0: of grey levels */
  uint32_t grain;   /* pixels, side of its squares */
} Content;

static const Content contents[] = {
    {"zeros", SHAPE_ZEROS, 0, 0},
    {"ones", SHAPE_ONES, 0, 0},
    {"blobs", SHAPE_COUNT, 40, 16},
    {"columns", SHAPE_COLUMNS, 0, 0},
    {"chequerboard", SHAPE_CHEQUERBOARD, 0, 0},
    {"dots", SHAPE_DOTS, 0, 0},
    {"comb", SHAPE_COMB, 0, 0},
    {"spiral", SHAPE_SPIRAL, 0, 0},
    {"serpentine", SHAPE_SERPENTINE, 0, 0},
    {"rings", SHAPE_RINGS, 0, 0},
    {"noise of 1 %", SHAPE_COUNT, 1, 1},
    {"noise of 25 %", SHAPE_COUNT, 25, 1},
    {"noise of 50 %", SHAPE_COUNT, 50, 1},
    {"noise of 75 %", SHAPE_COUNT, 75, 1},
    {"noise of 99 %", SHAPE_COUNT, 99, 1},
    {"grey noise", SHAPE_COUNT, 0, 1},
};

/* A grey picture of WIDTH x HEIGHT pixels without padding, the foreground bright. Transfer full (free). */
static inline uint8_t *
content_new (const Content *content, uint32_t width, uint32_t height)
{
  const size_t size = (size_t) width * height;
  Random random = {content->density + 1};
  uint8_t *pixels;
  if (content->shape != SHAPE_COUNT)
    pixels = shape_new (content->shape, width, height);
  else if (content->density > 0)
    pixels = noise_new (&random, width, height, content->density, content->grain);
  else
    pixels = malloc (size);
  for (size_t i = 0; i < size; i++)
    pixels[i] = (uint8_t) (content->shape == SHAPE_COUNT && content->density == 0 ? random_next (&random)
                           : pixels[i]                                            ? 220
                                                                                  : 30);
  return pixels;
}

#endif

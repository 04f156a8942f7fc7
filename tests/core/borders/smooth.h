/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pictures in which subpixels are found. */
#ifndef CTR_TESTS_BORDERS_SMOOTH_H
#define CTR_TESTS_BORDERS_SMOOTH_H

#include "tests/core/common/testing.h"

#include <math.h>
#include <stdlib.h>

static inline CtrImage
grey_image (const uint8_t *samples, uint32_t width, uint32_t height)
{
  return (CtrImage){.data = samples, .stride = width, .width = width, .height = height, .format = CTR_FORMAT_GRAY8};
}

/* Blobs that are smooth over some pixels, so that no decision of the reference is a close one. */
static inline double *
smooth_new (Random *rng, int width, int height, double most, bool noise)
{
  double *samples = malloc (sizeof *samples * width * height);
  double blobs[6][4];
  for (int b = 0; b < 6; b++) {
    blobs[b][0] = random_below (rng, width * 16) / 16.0;
    blobs[b][1] = random_below (rng, height * 16) / 16.0;
    blobs[b][2] = 2 + random_below (rng, 64) / 8.0;
    blobs[b][3] = 0.4 + random_below (rng, 100) / 100.0;
  }
  for (int i = 0; i < width * height; i++) {
    double sum = 0;
    for (int b = 0; b < 6; b++)
      sum += blobs[b][3] / (1 + exp ((hypot (i % width - blobs[b][0], i / width - blobs[b][1]) - blobs[b][2]) * 1.5));
    if (noise)
      sum += random_below (rng, 100) / 4000.0;
    samples[i] = floor (fmin (sum / 2, 1) * most + 0.5);
  }
  return samples;
}

/* The angle between two directions. */
static inline double
turn (double radians, double reference)
{
  return fabs (remainder (radians - reference, 2 * acos (-1)));
}

#endif

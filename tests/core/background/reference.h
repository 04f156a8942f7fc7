/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The removal of a background by its definition: every sample by itself, medians by sorting, quotients exact. */
#ifndef CTR_TESTS_BACKGROUND_REFERENCE_H
#define CTR_TESTS_BACKGROUND_REFERENCE_H

#include "tests/core/common/testing.h"

/* The model; zeroed before the first image. */
typedef struct {
  bool begun;
  uint32_t width, height;
  CtrFormat format;
  CtrBackgroundModel model;
  uint32_t frames;
  float *average;
  uint16_t *background;
  uint16_t *history[CTR_BACKGROUND_MAX_FRAMES]; /* the newest first; NULL: none */
  uint32_t since; /* images that were offered for learning since the last one that was learned */
  uint16_t *picture;
} ReferenceBackground;

void reference_background_release (ReferenceBackground *reference);
void reference_background_set_picture (ReferenceBackground *reference, const CtrImage *picture);

/* The corrected samples of IMAGE, in host memory. Transfer full (free). */
uint16_t *reference_background (
    ReferenceBackground *reference, const CtrImage *image, const CtrBackgroundParams *params);

/* Ends the test where PIXELS, rows of STRIDE bytes in the format of IMAGE, are not SAMPLES. */
void check_corrected_rows (const CtrImage *image, const uint16_t *samples, const uint8_t *pixels, size_t stride);

/* Anything that is allowed. */
CtrBackgroundParams random_background_params (Random *random);

void describe_background (const char *name, const CtrImage *image, const CtrBackgroundParams *params);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From the samples of an image to the candidates, row by row. Internal. */
#ifndef CTR_CPU_CANNY_ROWS_H
#define CTR_CPU_CANNY_ROWS_H

#include "cpu/canny/kernels.h"

#define CTR_CANNY_MAX_TAPS (2 * CTR_CANNY_MAX_RADIUS + 1)
#define CTR_CANNY_MAX_APERTURE 7
/* The rows that a pixel of the most subsampled plane covers. */
#define CTR_CANNY_STRIP 4

/* The working memory of a thread, zeroed before first use. */
typedef struct {
  const CtrCannyKernels *kernels;
  CtrBlur blur;
  void *memory; /* of all rows below, for this width, radius and aperture */
  size_t bytes;
  size_t now, used; /* bytes of the rows, and the most since the period began (core/common/room.h) */
  uint32_t width, radius, aperture;

  uint8_t *luma;
  int16_t *samples[CTR_CANNY_MAX_TAPS];     /* row y of the image is samples[y % taps] */
  int16_t *sums;                            /* of the vertical pass of the blur */
  int16_t *blurred[CTR_CANNY_MAX_APERTURE]; /* row y of the image is blurred[y % aperture] */
  int16_t *scratch[2];
  CtrGradientRow gradient[3], no_gradient; /* row y of the image is gradient[y % 3] */
  uint8_t *mask;                           /* CTR_CANNY_STRIP rows */
  uint32_t histogram[4][256];

  uint32_t next_sample, next_blurred, next_gradient; /* the rows that are computed next */
} CtrCannyRows;

/* False if there is no memory. */
bool ctr_canny_rows_prepare (CtrCannyRows *rows, const CtrCannyPlan *plan, uint32_t width);
void ctr_canny_rows_release (CtrCannyRows *rows);

/* Gives back memory at the end of a period: see ctr_hysteresis_give_back(). */
bool ctr_canny_rows_give_back (CtrCannyRows *rows);

/* The 8-bit samples of row Y: those of an 8-bit image, or converted ones. */
const uint8_t *ctr_canny_row_samples (CtrCannyRows *rows, const CtrImage *image, const CtrCannyPlan *plan, uint32_t y);

/* From here on, candidates are asked for from row Y on, each row once. */
void ctr_canny_rows_start (CtrCannyRows *rows, const CtrCannyPlan *plan, uint32_t y);

/* The candidates of row Y, the one after the last one or the first one, as ctr_maxima_row() finds them. */
void ctr_canny_row_candidates (CtrCannyRows *rows, const CtrImage *image, const CtrCannyPlan *plan, uint32_t y,
    int32_t low, int32_t high, uint64_t *candidates, uint64_t *strong);

/* The greatest magnitude of row Y, likewise. */
int64_t ctr_canny_row_greatest (CtrCannyRows *rows, const CtrImage *image, const CtrCannyPlan *plan, uint32_t y);

/* The values of row Y for CTR_CANNY_GRADIENT or CTR_CANNY_DIRECTION, likewise. */
void ctr_canny_row_values (
    CtrCannyRows *rows, const CtrImage *image, const CtrCannyPlan *plan, uint32_t y, int32_t low, uint16_t *values);

#endif

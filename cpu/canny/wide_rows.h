/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From 16-bit samples that are analysed as they are to the candidates, row by row: the counterpart of rows.h. Internal. */
#ifndef CTR_CPU_CANNY_WIDE_ROWS_H
#define CTR_CPU_CANNY_WIDE_ROWS_H

#include "cpu/canny/rows.h"
#include "cpu/canny/wide.h"

/* The working memory of a thread, zeroed before first use. */
typedef struct {
  const CtrWideKernels *kernels;
  void *memory; /* of all rows below, for this width and aperture */
  size_t bytes;
  size_t now, used; /* bytes of the rows, and the most since the period began (core/common/room.h) */
  uint32_t width, aperture;

  uint32_t *upper, *lower;                  /* halves of the sums of the vertical pass of the blur */
  int32_t *blurred[CTR_CANNY_MAX_APERTURE]; /* row y of the image is blurred[y % aperture] */
  int32_t *scratch[2];
  CtrWideGradientRow gradient[3], no_gradient; /* row y of the image is gradient[y % 3] */

  uint32_t next_blurred, next_gradient; /* the rows that are computed next */
} CtrWideRows;

/* False if there is no memory. */
bool ctr_wide_rows_prepare (CtrWideRows *rows, const CtrCannyPlan *plan, uint32_t width);
void ctr_wide_rows_release (CtrWideRows *rows);

/* Gives back memory at the end of a period: see ctr_hysteresis_give_back(). */
bool ctr_wide_rows_give_back (CtrWideRows *rows);

/* These are as those of rows.h. */
void ctr_wide_rows_start (CtrWideRows *rows, const CtrCannyPlan *plan, uint32_t y);
void ctr_wide_row_candidates (CtrWideRows *rows, const CtrImage *image, const CtrCannyPlan *plan, uint32_t y,
    int64_t low, int64_t high, uint64_t *candidates, uint64_t *strong);
int64_t ctr_wide_row_greatest (CtrWideRows *rows, const CtrImage *image, const CtrCannyPlan *plan, uint32_t y);
void ctr_wide_row_values (
    CtrWideRows *rows, const CtrImage *image, const CtrCannyPlan *plan, uint32_t y, int64_t low, uint16_t *values);

#endif

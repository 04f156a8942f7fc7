/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The gradient and its maxima, row by row. Rows have the margins of cpu/canny/blur.h. Internal. */
#ifndef CTR_CPU_CANNY_GRADIENT_H
#define CTR_CPU_CANNY_GRADIENT_H

#include "core/canny/canny.h"

/* The maximum radius of the Sobel operator. */
#define CTR_SOBEL_MARGIN 3

/* The gradient of a row. */
typedef struct {
  int16_t *dx, *dy;
  void *magnitudes; /* int16_t, or int32_t for L2; 0 left and right of the image */
} CtrGradientRow;

/* ROWS are as many rows as the aperture, extended by CTR_SOBEL_MARGIN samples. SCRATCH has two rows. */
void ctr_gradient_row (uint32_t aperture, bool l2_gradient, const int16_t *const *rows, uint32_t width,
    int16_t *const *scratch, const CtrGradientRow *gradient);

/* Finds the candidates of the middle of three rows, and the strong candidates, whose magnitude exceeds HIGH, as bits,
 * lowest first. Bits beyond WIDTH are 0. */
void ctr_maxima_row (const CtrGradientRow *above, const CtrGradientRow *here, const CtrGradientRow *below,
    bool l2_gradient, uint32_t width, int32_t low, int32_t high, uint64_t *candidates, uint64_t *strong);

#endif

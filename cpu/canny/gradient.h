/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The gradient of the edge detection and its maxima, row by row; rows as in cpu/canny/blur.h. Internal. */
#ifndef CTR_CPU_CANNY_GRADIENT_H
#define CTR_CPU_CANNY_GRADIENT_H

#include "core/canny/canny.h"

/* What the Sobel operator sees beside a pixel, at most. */
#define CTR_SOBEL_MARGIN 3

/* A row's gradient. */
typedef struct {
  int16_t *dx, *dy;
  void *magnitudes; /* int16_t, or int32_t for L2; 0 left and right of the picture */
} CtrGradientRow;

/* ROWS: as many as the aperture, continued by CTR_SOBEL_MARGIN samples. SCRATCH: two rows. */
void ctr_gradient_row (uint32_t aperture, bool l2_gradient, const int16_t *const *rows, uint32_t width,
    int16_t *const *scratch, const CtrGradientRow *gradient);

/* The gradients of three rows -> bits, lowest first, of the middle one's candidates and of those of them that are
 * > HIGH. Bits beyond WIDTH are 0. */
void ctr_maxima_row (const CtrGradientRow *above, const CtrGradientRow *here, const CtrGradientRow *below,
    bool l2_gradient, uint32_t width, int32_t low, int32_t high, uint64_t *candidates, uint64_t *strong);

#endif

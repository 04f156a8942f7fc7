/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The gradient of the edge detection and its maxima, row by row. Internal. */
#ifndef CTR_CPU_GRADIENT_H
#define CTR_CPU_GRADIENT_H

#include "core/canny.h"

/* Samples each row of ctr_sobel_row() needs left and right of the picture. */
#define CTR_SOBEL_MARGIN 3

/* ROWS: as many as the aperture. */
void ctr_sobel_row (uint32_t aperture, const uint8_t *const *rows, uint32_t width, int16_t *dx, int16_t *dy);

void ctr_magnitude_row (bool l2_gradient, const int16_t *dx, const int16_t *dy, uint32_t width, int32_t *magnitudes);

/* A row's gradient, and the magnitudes of it and its neighbours, each with one more at either end -> bits, lowest
 * first, of the candidates and of those of them that are > HIGH. Bits beyond WIDTH are 0. */
typedef struct {
  const int16_t *dx, *dy;
  const int32_t *above, *here, *below;
} CtrGradientRow;

void ctr_maxima_row (
    const CtrGradientRow *row, uint32_t width, int32_t low, int32_t high, uint64_t *candidates, uint64_t *strong);

#endif

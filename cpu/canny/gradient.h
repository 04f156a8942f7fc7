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

#endif

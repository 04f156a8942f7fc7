/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Blur and gradient of 16-bit samples, row by row, in 32 and 64 bits. They are compiled for vectors of 128 bits and, with
 * CTR_AVX2, of 256 bits (cpu/meson.build). Internal.
 *
 * A row has a margin of CTR_WIDE_MARGIN numbers before its first pixel and behind its last one, which all functions may
 * read and write. */
#ifndef CTR_CPU_CANNY_WIDE_H
#define CTR_CPU_CANNY_WIDE_H

#include "core/canny/canny.h"

#define CTR_WIDE_MARGIN 128

/* The gradient of a row. */
typedef struct {
  int32_t *dx, *dy;
  int64_t *magnitudes; /* 0 left and right of the image */
} CtrWideGradientRow;

/* The vertical pass of the blur: from 2 radius + 1 rows of samples, without margins, to the upper and the lower 16 bits
 * of their weighted sums. */
typedef void CtrWideBlurDown (const uint16_t *weights, uint32_t radius, const uint16_t *const *rows, uint32_t width,
    uint32_t *upper, uint32_t *lower);

/* The horizontal pass: from these halves to samples. Extends the halves to the left and to the right. */
typedef void CtrWideBlurAcross (
    const uint16_t *weights, uint32_t radius, uint32_t *upper, uint32_t *lower, uint32_t width, int32_t *samples);

/* ROWS are as many rows as the aperture, extended by three samples. SCRATCH has two rows. */
typedef void CtrWideGradientOfRow (uint32_t aperture, bool l2_gradient, const int32_t *const *rows, uint32_t width,
    int32_t *const *scratch, const CtrWideGradientRow *gradient);

typedef struct {
  CtrWideBlurDown *blur_down;
  CtrWideBlurAcross *blur_across;
  CtrWideGradientOfRow *gradient_row;
} CtrWideKernels;

extern const CtrWideKernels ctr_wide_kernels;
extern const CtrWideKernels ctr_wide_kernels_avx2; /* only where CTR_HAVE_AVX2 */

#endif

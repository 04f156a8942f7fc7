/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The functions that compute rows. They are compiled for vectors of 128 bits and, with CTR_AVX2, of 256 bits
 * (cpu/meson.build). Internal. */
#ifndef CTR_CPU_CANNY_KERNELS_H
#define CTR_CPU_CANNY_KERNELS_H

#include "cpu/canny/blur.h"
#include "cpu/canny/gradient.h"

/* Converts samples from 8 to 16 bits. */
typedef void CtrWidenRow (const uint8_t *samples, uint32_t width, int16_t *row);

/* The vertical pass of the blur: from 2 radius + 1 rows of samples to their weighted sums - 2^15. */
typedef void CtrBlurDown (const CtrBlur *blur, const int16_t *const *rows, uint32_t width, int16_t *sums);

/* The horizontal pass: from these sums to samples. Extends the sums to the left and to the right. */
typedef void CtrBlurAcross (const CtrBlur *blur, int16_t *sums, uint32_t width, int16_t *samples);

/* ROWS are as many rows as the aperture, extended by CTR_SOBEL_MARGIN samples. SCRATCH has two rows. */
typedef void CtrGradientOfRow (uint32_t aperture, bool l2_gradient, const int16_t *const *rows, uint32_t width,
    int16_t *const *scratch, const CtrGradientRow *gradient);

/* Finds the candidates of the middle of three rows, and the strong candidates, whose magnitude exceeds HIGH, as bits,
 * lowest first. Bits beyond WIDTH are 0. */
typedef void CtrMaximaOfRow (const CtrGradientRow *above, const CtrGradientRow *here, const CtrGradientRow *below,
    bool l2_gradient, uint32_t width, int32_t low, int32_t high, uint64_t *candidates, uint64_t *strong);

typedef struct {
  CtrWidenRow *widen_row;
  CtrBlurDown *blur_down;
  CtrBlurAcross *blur_across;
  CtrGradientOfRow *gradient_row;
  CtrMaximaOfRow *maxima_row;
} CtrCannyKernels;

extern const CtrCannyKernels ctr_canny_kernels;
extern const CtrCannyKernels ctr_canny_kernels_avx2; /* only where CTR_HAVE_AVX2 */

/* Those of the tables KERNELS and KERNELS_avx2 that the processor runs faster. */
#ifdef CTR_HAVE_AVX2
#define CTR_WIDEST_KERNELS(kernels) (__builtin_cpu_supports ("avx2") ? &kernels##_avx2 : &kernels)
#else
#define CTR_WIDEST_KERNELS(kernels) (&kernels)
#endif

CtrWidenRow ctr_widen_row, ctr_widen_row_avx2;
CtrBlurDown ctr_blur_down, ctr_blur_down_avx2;
CtrBlurAcross ctr_blur_across, ctr_blur_across_avx2;
CtrGradientOfRow ctr_gradient_row, ctr_gradient_row_avx2;
CtrMaximaOfRow ctr_maxima_row, ctr_maxima_row_avx2;

#endif

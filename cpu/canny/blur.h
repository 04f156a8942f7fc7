/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The Gaussian blur, row by row. Internal.
 *
 * A row has a margin of CTR_ROW_MARGIN numbers before its first pixel. After its last pixel it is padded to a multiple
 * of CTR_ROW_MARGIN, and has another margin. All functions may read and write the margins and the padding. */
#ifndef CTR_CPU_CANNY_BLUR_H
#define CTR_CPU_CANNY_BLUR_H

#include "core/canny/canny.h"
#include "cpu/common/simd.h"

#define CTR_ROW_MARGIN 64

typedef struct {
  uint32_t radius;
  UInt16x8 down[CTR_CANNY_MAX_RADIUS + 1];  /* one weight each, from the first one to the centre */
  Int16x8 across[CTR_CANNY_MAX_RADIUS + 1]; /* weights 2 i and 2 i + 1 alternately; 0 after the last one */
} CtrBlur;

void ctr_blur_init (CtrBlur *blur, const CtrCannyPlan *plan);

/* The coordinate I reflected by BORDER_REFLECT_101. */
static inline uint32_t
ctr_reflect (int64_t i, uint32_t size)
{
  const int64_t last = (int64_t) size - 1;
  if (last == 0)
    return 0;
  while (i < 0 || i > last)
    i = i < 0 ? -i : 2 * last - i;
  return (uint32_t) i;
}

/* Converts samples from 8 to 16 bits. */
void ctr_widen_row (const uint8_t *samples, uint32_t width, int16_t *row);

/* The vertical pass: from 2 radius + 1 rows of samples to their weighted sums - 2^15. */
void ctr_blur_down (const CtrBlur *blur, const int16_t *const *rows, uint32_t width, int16_t *sums);

/* The horizontal pass: from these sums to samples. Extends the sums to the left and to the right. */
void ctr_blur_across (const CtrBlur *blur, int16_t *sums, uint32_t width, int16_t *samples);

#endif

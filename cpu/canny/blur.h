/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The Gaussian blur of the edge detection, row by row. Rows have CTR_ROW_MARGIN numbers before the first pixel and,
 * rounded up to as many, after the last; all of it may be read and written. Internal. */
#ifndef CTR_CPU_CANNY_BLUR_H
#define CTR_CPU_CANNY_BLUR_H

#include "core/canny/canny.h"
#include "cpu/common/simd.h"

#define CTR_ROW_MARGIN 64

typedef struct {
  uint32_t radius;
  UInt16x8 down[CTR_CANNY_MAX_RADIUS + 1];  /* a weight each, from the first to the centre's */
  Int16x8 across[CTR_CANNY_MAX_RADIUS + 1]; /* weights 2 i and 2 i + 1 in turn; a 0 behind the last */
} CtrBlur;

void ctr_blur_init (CtrBlur *blur, const CtrCannyPlan *plan);

/* Where coordinate I lies by BORDER_REFLECT_101. */
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

void ctr_widen_row (const uint8_t *samples, uint32_t width, int16_t *row);

/* 2 radius + 1 rows of samples -> their weighted sums - 2^15. */
void ctr_blur_down (const CtrBlur *blur, const int16_t *const *rows, uint32_t width, int16_t *sums);

/* The sums -> samples. Continues the sums to the left and to the right. */
void ctr_blur_across (const CtrBlur *blur, int16_t *sums, uint32_t width, int16_t *samples);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The Gaussian blur of the edge detection, row by row. Internal. */
#ifndef CTR_CPU_BLUR_H
#define CTR_CPU_BLUR_H

#include "core/canny.h"

/* Where coordinate I, at most a few SIZE off, lies by BORDER_REFLECT_101. */
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

/* LINE: samples, with the plan's radius of them more to the left and to the right, which this continues. */
void ctr_blur_continue (uint8_t *line, uint32_t width, uint32_t radius);

/* LINE continued -> its weighted sums. */
void ctr_blur_across (const CtrCannyPlan *plan, const uint8_t *line, uint32_t width, uint16_t *sums);

/* As many rows of sums as there are weights -> samples. */
void ctr_blur_down (const CtrCannyPlan *plan, const uint16_t *const *rows, uint32_t width, uint8_t *samples);

#endif

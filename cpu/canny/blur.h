/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The Gaussian blur, row by row. Internal.
 *
 * A row has a margin of CTR_ROW_MARGIN numbers before its first pixel. After its last pixel it is padded to a multiple
 * of CTR_ROW_MARGIN, and has another margin. All functions may read and write the margins and the padding. */
#ifndef CTR_CPU_CANNY_BLUR_H
#define CTR_CPU_CANNY_BLUR_H

#include "core/canny/canny.h"

#define CTR_ROW_MARGIN 64

/* The weights, repeated for vectors of up to 256 bits. */
enum { CTR_BLUR_REPEAT = 16 };

typedef struct {
  uint32_t radius;
  int16_t down[CTR_CANNY_MAX_RADIUS + 1][CTR_BLUR_REPEAT];   /* one each, from the first one to the centre */
  int16_t across[CTR_CANNY_MAX_RADIUS + 1][CTR_BLUR_REPEAT]; /* 2 i and 2 i + 1 alternately; 0 after the last one */
} CtrBlur;

static inline void
ctr_blur_init (CtrBlur *blur, const CtrCannyPlan *plan)
{
  const uint32_t taps = 2 * plan->radius + 1;
  blur->radius = plan->radius;
  for (uint32_t i = 0; i <= plan->radius; i++)
    for (uint32_t k = 0; k < CTR_BLUR_REPEAT; k++) {
      blur->down[i][k] = plan->weights[i];
      blur->across[i][k] = 2 * i + k % 2 < taps ? plan->weights[2 * i + k % 2] : 0;
    }
}

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

#endif

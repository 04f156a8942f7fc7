/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cpu/blur.h"

void
ctr_blur_continue (uint8_t *line, uint32_t width, uint32_t radius)
{
  for (int64_t i = 1; i <= radius; i++) {
    line[-i] = line[ctr_reflect (-i, width)];
    line[width - 1 + i] = line[ctr_reflect (width - 1 + i, width)];
  }
}

void
ctr_blur_across (const CtrCannyPlan *plan, const uint8_t *line, uint32_t width, uint16_t *sums)
{
  const uint32_t taps = 2 * plan->radius + 1;
  line -= plan->radius;
  for (uint32_t x = 0; x < width; x++) {
    uint32_t sum = 0;
    for (uint32_t i = 0; i < taps; i++)
      sum += (uint32_t) plan->weights[i] * line[x + i];
    sums[x] = (uint16_t) sum;
  }
}

void
ctr_blur_down (const CtrCannyPlan *plan, const uint16_t *const *rows, uint32_t width, uint8_t *samples)
{
  const uint32_t taps = 2 * plan->radius + 1;
  for (uint32_t x = 0; x < width; x++) {
    uint32_t sum = 1 << 15;
    for (uint32_t i = 0; i < taps; i++)
      sum += (uint32_t) plan->weights[i] * rows[i][x];
    samples[x] = (uint8_t) (sum >> 16);
  }
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cpu/blur.h"

void
ctr_blur_init (CtrBlur *blur, const CtrCannyPlan *plan)
{
  const uint32_t taps = 2 * plan->radius + 1;
  blur->radius = plan->radius;
  for (uint32_t i = 0; i <= plan->radius; i++) {
    blur->down[i] = (ULanes){0} + plan->weights[i];
    for (uint32_t k = 0; k < 8; k++)
      blur->across[i][k] = 2 * i + k % 2 < taps ? plan->weights[2 * i + k % 2] : 0;
  }
}

void
ctr_widen_row (const uint8_t *samples, uint32_t width, int16_t *row)
{
  uint32_t x = 0;
#ifdef __SSE2__
  const __m128i zero = _mm_setzero_si128 ();
  for (; x + 16 <= width; x += 16) {
    const __m128i bytes = _mm_loadu_si128 ((const __m128i *) (samples + x));
    _mm_storeu_si128 ((__m128i *) (row + x), _mm_unpacklo_epi8 (bytes, zero));
    _mm_storeu_si128 ((__m128i *) (row + x + 8), _mm_unpackhi_epi8 (bytes, zero));
  }
#endif
  for (; x < width; x++)
    row[x] = samples[x];
}

/* The sums stay below 2^16: all weights together are 256. */
void
ctr_blur_down (const CtrBlur *blur, const int16_t *const *rows, uint32_t width, int16_t *sums)
{
  const uint32_t radius = blur->radius;
  for (uint32_t x = 0; x < width; x += 32) {
    ULanes sum[4];
    for (int k = 0; k < 4; k++)
      sum[k] = (ULanes) lanes_load (rows[radius] + x + 8 * k) * blur->down[radius];
    for (uint32_t i = 0; i < radius; i++) {
      const int16_t *above = rows[i] + x, *below = rows[2 * radius - i] + x;
      for (int k = 0; k < 4; k++)
        sum[k] += (ULanes) (lanes_load (above + 8 * k) + lanes_load (below + 8 * k)) * blur->down[i];
    }
    for (int k = 0; k < 4; k++)
      lanes_store (sums + x + 8 * k, (Lanes) (sum[k] ^ 0x8000));
  }
}

void
ctr_blur_across (const CtrBlur *blur, int16_t *sums, uint32_t width, int16_t *samples)
{
  const uint32_t radius = blur->radius;
  /* Half of the result's unit, and the 2^15 missing in each sum. */
  const Wide start = (Wide){0} + ((1 << 15) + (1 << 23));
  for (int64_t i = 1; i <= radius; i++) {
    sums[-i] = sums[ctr_reflect (-i, width)];
    sums[width - 1 + i] = sums[ctr_reflect (width - 1 + i, width)];
  }
  for (uint32_t x = 0; x < width; x += 16) {
    const int16_t *from = sums + x - radius;
    Wide even[2] = {start, start}, odd[2] = {start, start};
    for (uint32_t i = 0; i <= radius; i++, from += 2)
      for (int k = 0; k < 2; k++) {
        even[k] += pair_sums (lanes_load (from + 8 * k), blur->across[i]);
        odd[k] += pair_sums (lanes_load (from + 8 * k + 1), blur->across[i]);
      }
    for (int k = 0; k < 2; k++)
      lanes_store (samples + x + 8 * k, zip (even[k] >> 16, odd[k] >> 16));
  }
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cpu/canny/blur.h"

void
ctr_blur_init (CtrBlur *blur, const CtrCannyPlan *plan)
{
  const uint32_t taps = 2 * plan->radius + 1;
  blur->radius = plan->radius;
  for (uint32_t i = 0; i <= plan->radius; i++) {
    blur->down[i] = (UInt16x8){0} + plan->weights[i];
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

ALWAYS_INLINE UInt16x8
weighted (const int16_t *row, UInt16x8 weight)
{
  return (UInt16x8) load_int16x8 (row) * weight;
}

ALWAYS_INLINE UInt16x8
weighted_pair (const int16_t *above, const int16_t *below, UInt16x8 weight)
{
  return (UInt16x8) (load_int16x8 (above) + load_int16x8 (below)) * weight;
}

ALWAYS_INLINE void
store_sums (int16_t *sums, UInt16x8 sum)
{
  store_int16x8 (sums, (Int16x8) (sum ^ 0x8000));
}

/* The sums stay below 2^16, because the weights add up to 256. */
void
ctr_blur_down (const CtrBlur *blur, const int16_t *const *rows, uint32_t width, int16_t *sums)
{
  const uint32_t radius = blur->radius;
  for (uint32_t x = 0; x < width; x += 32) {
    const int16_t *centre = rows[radius] + x;
    /* An array of these would not be kept in registers. */
    UInt16x8 a = weighted (centre, blur->down[radius]), b = weighted (centre + 8, blur->down[radius]),
             c = weighted (centre + 16, blur->down[radius]), d = weighted (centre + 24, blur->down[radius]);
    for (uint32_t i = 0; i < radius; i++) {
      const int16_t *above = rows[i] + x, *below = rows[2 * radius - i] + x;
      const UInt16x8 weight = blur->down[i];
      a += weighted_pair (above, below, weight);
      b += weighted_pair (above + 8, below + 8, weight);
      c += weighted_pair (above + 16, below + 16, weight);
      d += weighted_pair (above + 24, below + 24, weight);
    }
    store_sums (sums + x, a);
    store_sums (sums + x + 8, b);
    store_sums (sums + x + 16, c);
    store_sums (sums + x + 24, d);
  }
}

void
ctr_blur_across (const CtrBlur *blur, int16_t *sums, uint32_t width, int16_t *samples)
{
  const uint32_t radius = blur->radius;
  /* Rounding, and the 2^15 that was subtracted from each sum. */
  const Int32x4 start = (Int32x4){0} + ((1 << 15) + (1 << 23));
  for (int64_t i = 1; i <= radius; i++) {
    sums[-i] = sums[ctr_reflect (-i, width)];
    sums[width - 1 + i] = sums[ctr_reflect (width - 1 + i, width)];
  }
  for (uint32_t x = 0; x < width; x += 16) {
    const int16_t *from = sums + x - radius;
    Int32x4 even = start, odd = start, even_8 = start, odd_8 = start;
    for (uint32_t i = 0; i <= radius; i++, from += 2) {
      const Int16x8 weights = blur->across[i];
      even += pair_sums (load_int16x8 (from), weights);
      odd += pair_sums (load_int16x8 (from + 1), weights);
      even_8 += pair_sums (load_int16x8 (from + 8), weights);
      odd_8 += pair_sums (load_int16x8 (from + 9), weights);
    }
    store_int16x8 (samples + x, zip (even >> 16, odd >> 16));
    store_int16x8 (samples + x + 8, zip (even_8 >> 16, odd_8 >> 16));
  }
}

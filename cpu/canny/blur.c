/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cpu/canny/blur.h"

#include "cpu/canny/kernels.h"
#include "cpu/common/simd.h"

void
CTR_KERNEL (ctr_widen_row) (const uint8_t *samples, uint32_t width, int16_t *row)
{
  uint32_t x = 0;
#if defined(CTR_AVX2)
  for (; x + 16 <= width; x += 16)
    _mm256_storeu_si256 (
        (__m256i *) (row + x), _mm256_cvtepu8_epi16 (_mm_loadu_si128 ((const __m128i *) (samples + x))));
#elif defined(__SSE2__)
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

ALWAYS_INLINE UInt16s
weighted (const int16_t *row, UInt16s weight)
{
  return (UInt16s) load_int16s (row) * weight;
}

ALWAYS_INLINE UInt16s
weighted_pair (const int16_t *above, const int16_t *below, UInt16s weight)
{
  return (UInt16s) (load_int16s (above) + load_int16s (below)) * weight;
}

ALWAYS_INLINE void
store_sums (int16_t *sums, UInt16s sum)
{
  store_int16s (sums, (Int16s) (sum ^ 0x8000));
}

/* The sums stay below 2^16, because the weights add up to 256. */
void
CTR_KERNEL (ctr_blur_down) (const CtrBlur *blur, const int16_t *const *rows, uint32_t width, int16_t *sums)
{
  const uint32_t radius = blur->radius;
  const UInt16s middle = (UInt16s) load_int16s (blur->down[radius]);
  for (uint32_t x = 0; x < width; x += 4 * LANES) {
    const int16_t *centre = rows[radius] + x;
    /* An array of these would not be kept in registers. */
    UInt16s a = weighted (centre, middle), b = weighted (centre + LANES, middle),
            c = weighted (centre + 2 * LANES, middle), d = weighted (centre + 3 * LANES, middle);
    for (uint32_t i = 0; i < radius; i++) {
      const int16_t *above = rows[i] + x, *below = rows[2 * radius - i] + x;
      const UInt16s weight = (UInt16s) load_int16s (blur->down[i]);
      a += weighted_pair (above, below, weight);
      b += weighted_pair (above + LANES, below + LANES, weight);
      c += weighted_pair (above + 2 * LANES, below + 2 * LANES, weight);
      d += weighted_pair (above + 3 * LANES, below + 3 * LANES, weight);
    }
    store_sums (sums + x, a);
    store_sums (sums + x + LANES, b);
    store_sums (sums + x + 2 * LANES, c);
    store_sums (sums + x + 3 * LANES, d);
  }
}

void
CTR_KERNEL (ctr_blur_across) (const CtrBlur *blur, int16_t *sums, uint32_t width, int16_t *samples)
{
  const uint32_t radius = blur->radius;
  /* Rounding, and the 2^15 that was subtracted from each sum. */
  const Int32s start = (Int32s){0} + ((1 << 15) + (1 << 23));
  for (int64_t i = 1; i <= radius; i++) {
    sums[-i] = sums[ctr_reflect (-i, width)];
    sums[width - 1 + i] = sums[ctr_reflect (width - 1 + i, width)];
  }
  for (uint32_t x = 0; x < width; x += 2 * LANES) {
    const int16_t *from = sums + x - radius;
    Int32s even = start, odd = start, even_2 = start, odd_2 = start;
    for (uint32_t i = 0; i <= radius; i++, from += 2) {
      const Int16s weights = load_int16s (blur->across[i]);
      even += pair_sums (load_int16s (from), weights);
      odd += pair_sums (load_int16s (from + 1), weights);
      even_2 += pair_sums (load_int16s (from + LANES), weights);
      odd_2 += pair_sums (load_int16s (from + LANES + 1), weights);
    }
    store_int16s (samples + x, zip (even >> 16, odd >> 16));
    store_int16s (samples + x + LANES, zip (even_2 >> 16, odd_2 >> 16));
  }
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cpu/foreground/kernels.h"

#include "core/foreground/adaptive.h"
#include "cpu/foreground/lanes.h"

/* The signs of 32-bit numbers as bits. */
ALWAYS_INLINE uint64_t
signs (Int32s numbers)
{
#if defined(CTR_AVX2)
  return (uint32_t) _mm256_movemask_ps (_mm256_castsi256_ps ((__m256i) numbers));
#elif defined(__SSE2__)
  return (uint32_t) _mm_movemask_ps (_mm_castsi128_ps ((__m128i) numbers));
#else
  uint64_t bits = 0;
  for (int i = 0; i < HALF_LANES; i++)
    bits |= (uint64_t) (numbers[i] < 0) << i;
  return bits;
#endif
}

static void
move_down (const uint8_t *enters, const uint8_t *leaves, uint32_t width, uint16_t *columns)
{
  uint32_t x = 0;
  for (; x + LANES <= width; x += LANES) {
    const UInt16s sums = (UInt16s) load_int16s ((const int16_t *) columns + x);
    store_int16s ((int16_t *) columns + x, (Int16s) (sums + load_samples (enters + x) - load_samples (leaves + x)));
  }
  for (; x < width; x++)
    columns[x] = (uint16_t) (columns[x] + enters[x] - leaves[x]);
}

typedef uint32_t UInt32s __attribute__ ((vector_size (VECTOR_BYTES))); /* wraps around */

ALWAYS_INLINE UInt32s
load_words (const uint32_t *from)
{
  UInt32s words;
  memcpy (&words, from, sizeof words);
  return words;
}

/* ctr_mean_is_below() of LANES pixels. With 8 bits its numbers are below 2^24. */
ALWAYS_INLINE uint64_t
compare_means_of (const uint8_t *samples, const uint32_t *sums, uint32_t pixels, int16_t offset)
{
  Int16s levels = (Int16s) load_samples (samples) + offset;
  const Int16s above = levels > 256;
  levels &= levels > 0;
  levels = (levels & ~above) | (256 & above);
  const Halves wanted = widen ((UInt16s) levels);
  /* Behind the row, sums may be anything. */
  const UInt32s half = (UInt32s){0} + (pixels + 1) / 2 - 1;
  const Int32s first = (Int32s) (load_words (sums) + half - (UInt32s) wanted.first * pixels);
  const Int32s last = (Int32s) (load_words (sums + HALF_LANES) + half - (UInt32s) wanted.last * pixels);
  return signs (first) | signs (last) << HALF_LANES;
}

static void
compare_means (
    const uint8_t *samples, const uint32_t *sums, uint32_t width, uint32_t pixels, int32_t offset, uint64_t *bits)
{
  const int16_t shift = (int16_t) (offset < -256 ? -256 : offset > 256 ? 256 : offset);
  for (uint32_t x = 0; x < width; x += 64) {
    const uint32_t count = width - x < 64 ? width - x : 64;
    uint8_t last[64] = {0};
    const uint8_t *from = samples + x;
    uint64_t word = 0;
    if (count < 64)
      from = memcpy (last, from, count);
    for (uint32_t i = 0; i < count; i += LANES)
      word |= compare_means_of (from + i, sums + x + i, pixels, shift) << i;
    bits[x / 64] = count < 64 ? word & ((UINT64_C (1) << count) - 1) : word;
  }
}

static void
filter_columns (const uint8_t *const *rows, const uint32_t *weights, uint32_t radius, uint32_t width, uint32_t *columns)
{
  uint32_t x = 0;
  for (; x + LANES <= width; x += LANES) {
    const Halves centre = widen (load_samples (rows[radius] + x));
    Int32s first = centre.first * (int32_t) weights[radius], last = centre.last * (int32_t) weights[radius];
    for (uint32_t i = 0; i < radius; i++) {
      const Halves both = widen (load_samples (rows[i] + x) + load_samples (rows[2 * radius - i] + x));
      first += both.first * (int32_t) weights[i];
      last += both.last * (int32_t) weights[i];
    }
    store_int32s ((int32_t *) columns + x, first);
    store_int32s ((int32_t *) columns + x + HALF_LANES, last);
  }
  for (; x < width; x++) {
    columns[x] = weights[radius] * rows[radius][x];
    for (uint32_t i = 0; i < radius; i++)
      columns[x] += weights[i] * ((uint32_t) rows[i][x] + rows[2 * radius - i][x]);
  }
}

enum { PART = LANES }; /* pixels that are filtered together: four vectors of 64-bit sums */

typedef int64_t Int64s __attribute__ ((vector_size (VECTOR_BYTES)));

/* 32-bit numbers, times WEIGHT, added to SUMS, whose first one has the first half. */
ALWAYS_INLINE void
add_products (UInt32s numbers, uint32_t weight, Int64s sums[2])
{
#if defined(CTR_AVX2)
  const __m256i weights = _mm256_set1_epi64x (weight);
  const __m256i first = _mm256_cvtepu32_epi64 (_mm256_castsi256_si128 ((__m256i) numbers));
  const __m256i last = _mm256_cvtepu32_epi64 (_mm256_extracti128_si256 ((__m256i) numbers, 1));
  sums[0] += (Int64s) _mm256_mul_epu32 (first, weights);
  sums[1] += (Int64s) _mm256_mul_epu32 (last, weights);
#elif defined(__SSE2__)
  const __m128i weights = _mm_set1_epi64x (weight), zero = _mm_setzero_si128 ();
  sums[0] += (Int64s) _mm_mul_epu32 (_mm_unpacklo_epi32 ((__m128i) numbers, zero), weights);
  sums[1] += (Int64s) _mm_mul_epu32 (_mm_unpackhi_epi32 ((__m128i) numbers, zero), weights);
#else
  for (int i = 0; i < HALF_LANES; i++)
    sums[i / (HALF_LANES / 2)][i % (HALF_LANES / 2)] += (int64_t) ((uint64_t) numbers[i] * weight);
#endif
}

/* Two columns are below 2^32 together. */
static void
filter_row (const uint32_t *columns, const uint32_t *weights, uint32_t radius, uint32_t width, int64_t *sums)
{
  for (uint32_t x = 0; x < width; x += PART) {
    const uint32_t *left = columns + x - radius, *right = columns + x + radius;
    Int64s parts[4] = {{0}, {0}, {0}, {0}};
    for (uint32_t i = 0; i < radius; i++, left++, right--) {
      add_products (load_words (left) + load_words (right), weights[i], parts);
      add_products (load_words (left + HALF_LANES) + load_words (right + HALF_LANES), weights[i], parts + 2);
    }
    add_products (load_words (left), weights[radius], parts);
    add_products (load_words (left + HALF_LANES), weights[radius], parts + 2);
    memcpy (sums + x, parts, sizeof parts);
  }
}

const CtrForegroundKernels CTR_KERNEL (ctr_foreground_kernels) = {
    .move_down = move_down,
    .compare_means = compare_means,
    .filter_columns = filter_columns,
    .filter_row = filter_row,
    .convert_colours = CTR_KERNEL (ctr_convert_colours),
    .select_colours = CTR_KERNEL (ctr_select_colours),
    .split_colours = CTR_KERNEL (ctr_split_colours),
};

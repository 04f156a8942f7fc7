/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* 8-bit samples as vectors of 16- and 32-bit numbers, beside cpu/common/simd.h. Internal. */
#ifndef CTR_CPU_FOREGROUND_LANES_H
#define CTR_CPU_FOREGROUND_LANES_H

#include "cpu/common/simd.h"

/* LANES samples as 16-bit numbers. */
ALWAYS_INLINE UInt16s
load_samples (const uint8_t *from)
{
#if defined(CTR_AVX2)
  return (UInt16s) _mm256_cvtepu8_epi16 (_mm_loadu_si128 ((const __m128i *) from));
#elif defined(__SSE2__)
  return (UInt16s) _mm_unpacklo_epi8 (_mm_loadl_epi64 ((const __m128i *) from), _mm_setzero_si128 ());
#else
  UInt16s samples;
  for (int i = 0; i < LANES; i++)
    samples[i] = from[i];
  return samples;
#endif
}

/* 16-bit numbers in two vectors, in order. */
typedef struct {
  Int32s first, last;
} Halves;

ALWAYS_INLINE Halves
widen (UInt16s numbers)
{
#if defined(CTR_AVX2)
  return (Halves){(Int32s) _mm256_cvtepu16_epi32 (_mm256_castsi256_si128 ((__m256i) numbers)),
      (Int32s) _mm256_cvtepu16_epi32 (_mm256_extracti128_si256 ((__m256i) numbers, 1))};
#elif defined(__SSE2__)
  return (Halves){(Int32s) _mm_unpacklo_epi16 ((__m128i) numbers, _mm_setzero_si128 ()),
      (Int32s) _mm_unpackhi_epi16 ((__m128i) numbers, _mm_setzero_si128 ())};
#else
  Halves halves;
  for (int i = 0; i < HALF_LANES; i++) {
    halves.first[i] = numbers[i];
    halves.last[i] = numbers[HALF_LANES + i];
  }
  return halves;
#endif
}

/* The same with signs. */
ALWAYS_INLINE Halves
widen_signed (Int16s numbers)
{
#if defined(CTR_AVX2)
  return (Halves){(Int32s) _mm256_cvtepi16_epi32 (_mm256_castsi256_si128 ((__m256i) numbers)),
      (Int32s) _mm256_cvtepi16_epi32 (_mm256_extracti128_si256 ((__m256i) numbers, 1))};
#elif defined(__SSE2__)
  const __m128i same = (__m128i) numbers;
  return (Halves){(Int32s) _mm_srai_epi32 (_mm_unpacklo_epi16 (same, same), 16),
      (Int32s) _mm_srai_epi32 (_mm_unpackhi_epi16 (same, same), 16)};
#else
  Halves halves;
  for (int i = 0; i < HALF_LANES; i++) {
    halves.first[i] = numbers[i];
    halves.last[i] = numbers[HALF_LANES + i];
  }
  return halves;
#endif
}

/* And back, of numbers that fit 16 bits. */
ALWAYS_INLINE Int16s
narrow (Halves numbers)
{
#if defined(CTR_AVX2)
  const __m256i both = _mm256_packs_epi32 ((__m256i) numbers.first, (__m256i) numbers.last);
  return (Int16s) _mm256_permute4x64_epi64 (both, 0xd8);
#elif defined(__SSE2__)
  return (Int16s) _mm_packs_epi32 ((__m128i) numbers.first, (__m128i) numbers.last);
#else
  Int16s both;
  for (int i = 0; i < HALF_LANES; i++) {
    both[i] = (int16_t) numbers.first[i];
    both[HALF_LANES + i] = (int16_t) numbers.last[i];
  }
  return both;
#endif
}

ALWAYS_INLINE Int16s
greatest_int16s (Int16s a, Int16s b)
{
#if defined(CTR_AVX2)
  return (Int16s) _mm256_max_epi16 ((__m256i) a, (__m256i) b);
#elif defined(__SSE2__)
  return (Int16s) _mm_max_epi16 ((__m128i) a, (__m128i) b);
#else
  return (a & (a > b)) | (b & (a <= b));
#endif
}

ALWAYS_INLINE Int16s
least_int16s (Int16s a, Int16s b)
{
#if defined(CTR_AVX2)
  return (Int16s) _mm256_min_epi16 ((__m256i) a, (__m256i) b);
#elif defined(__SSE2__)
  return (Int16s) _mm_min_epi16 ((__m128i) a, (__m128i) b);
#else
  return (a & (a < b)) | (b & (a >= b));
#endif
}

/* Writes LANES numbers from 0 to 255 as samples. */
ALWAYS_INLINE void
store_samples (uint8_t *to, Int16s numbers)
{
#if defined(CTR_AVX2)
  const __m256i both = (__m256i) numbers;
  _mm_storeu_si128 (
      (__m128i *) to, _mm_packus_epi16 (_mm256_castsi256_si128 (both), _mm256_extracti128_si256 (both, 1)));
#elif defined(__SSE2__)
  _mm_storel_epi64 ((__m128i *) to, _mm_packus_epi16 ((__m128i) numbers, (__m128i) numbers));
#else
  for (int i = 0; i < LANES; i++)
    to[i] = (uint8_t) numbers[i];
#endif
}

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Vectors of 16- and 32-bit integers: of 256 bits in files that are compiled with CTR_AVX2, else of 128 bits. They are
 * vector types of the compiler, which also compile for processors without SIMD. Operations that these types cannot
 * express are implemented for AVX2, for SSE2 and in plain C. Internal. */
#ifndef CTR_CPU_COMMON_SIMD_H
#define CTR_CPU_COMMON_SIMD_H

#include "core/common/widest.h"

#include <stdint.h>
#include <string.h>

#if defined(CTR_AVX2)
#include <immintrin.h>
#elif defined(__SSE2__)
#include <emmintrin.h>
#endif

/* The name of a function that is compiled for each size of vectors. */
#ifdef CTR_AVX2
#define CTR_KERNEL(name) name##_avx2
enum { VECTOR_BYTES = 32 };
#else
#define CTR_KERNEL(name) name
enum { VECTOR_BYTES = 16 };
#endif

/* Of a vector of 16-bit numbers. Halves have 32-bit numbers. */
enum { LANES = VECTOR_BYTES / 2, HALF_LANES = LANES / 2 };

typedef int16_t Int16s __attribute__ ((vector_size (VECTOR_BYTES)));
typedef uint16_t UInt16s __attribute__ ((vector_size (VECTOR_BYTES))); /* wraps around */
typedef int32_t Int32s __attribute__ ((vector_size (VECTOR_BYTES)));

#define ALWAYS_INLINE static inline __attribute__ ((always_inline))

ALWAYS_INLINE Int16s
load_int16s (const int16_t *from)
{
  Int16s vector;
  memcpy (&vector, from, sizeof vector);
  return vector;
}

ALWAYS_INLINE void
store_int16s (int16_t *to, Int16s vector)
{
  memcpy (to, &vector, sizeof vector);
}

ALWAYS_INLINE Int32s
load_int32s (const int32_t *from)
{
  Int32s vector;
  memcpy (&vector, from, sizeof vector);
  return vector;
}

ALWAYS_INLINE void
store_int32s (int32_t *to, Int32s vector)
{
  memcpy (to, &vector, sizeof vector);
}

ALWAYS_INLINE Int16s
abs_int16s (Int16s a)
{
#if defined(CTR_AVX2)
  return (Int16s) _mm256_abs_epi16 ((__m256i) a);
#else
  return (a ^ (a >> 15)) - (a >> 15);
#endif
}

/* a, b, a, b, ... */
ALWAYS_INLINE Int16s
repeat_pair (int16_t a, int16_t b)
{
  const int16_t pair[2] = {a, b};
  int32_t both;
  memcpy (&both, pair, sizeof both);
  return (Int16s) ((Int32s){0} + both);
}

/* a[0] b[0] + a[1] b[1], a[2] b[2] + a[3] b[3], ... */
ALWAYS_INLINE Int32s
pair_sums (Int16s a, Int16s b)
{
#if defined(CTR_AVX2)
  return (Int32s) _mm256_madd_epi16 ((__m256i) a, (__m256i) b);
#elif defined(__SSE2__)
  return (Int32s) _mm_madd_epi16 ((__m128i) a, (__m128i) b);
#else
  Int32s sums;
  for (int i = 0; i < HALF_LANES; i++)
    sums[i] = a[2 * i] * b[2 * i] + a[2 * i + 1] * b[2 * i + 1];
  return sums;
#endif
}

/* a[0], b[0], a[1], b[1], ... in two vectors. With 256 bits the first one has the elements 0 to 3 and 8 to 11. */
typedef struct {
  Int16s first, last;
} Interleaved;

ALWAYS_INLINE Interleaved
interleave (Int16s a, Int16s b)
{
#if defined(CTR_AVX2)
  return (Interleaved){(Int16s) _mm256_unpacklo_epi16 ((__m256i) a, (__m256i) b),
      (Int16s) _mm256_unpackhi_epi16 ((__m256i) a, (__m256i) b)};
#elif defined(__SSE2__)
  return (Interleaved){
      (Int16s) _mm_unpacklo_epi16 ((__m128i) a, (__m128i) b), (Int16s) _mm_unpackhi_epi16 ((__m128i) a, (__m128i) b)};
#else
  return (Interleaved){(Int16s){a[0], b[0], a[1], b[1], a[2], b[2], a[3], b[3]},
      (Int16s){a[4], b[4], a[5], b[5], a[6], b[6], a[7], b[7]}};
#endif
}

/* Stores 32-bit numbers in the order of pixels, of which FIRST and LAST have those of interleave(). */
ALWAYS_INLINE void
store_interleaved (int32_t *to, Int32s first, Int32s last)
{
#if defined(CTR_AVX2)
  const Int32s lower = (Int32s) _mm256_permute2x128_si256 ((__m256i) first, (__m256i) last, 0x20);
  last = (Int32s) _mm256_permute2x128_si256 ((__m256i) first, (__m256i) last, 0x31);
  first = lower;
#endif
  store_int32s (to, first);
  store_int32s (to + HALF_LANES, last);
}

/* even[0], odd[0], even[1], odd[1], ..., which all fit 16 bits. */
ALWAYS_INLINE Int16s
zip (Int32s even, Int32s odd)
{
#ifdef __SSE2__
  return (Int16s) ((even & 0xffff) | (odd << 16));
#else
  Int16s vector;
  for (int i = 0; i < LANES; i++)
    vector[i] = (int16_t) (i % 2 ? odd : even)[i / 2];
  return vector;
#endif
}

/* -1 for elements < 0, else 0, of numbers in the order of interleave(). */
ALWAYS_INLINE Int16s
negative (Int32s first, Int32s last)
{
#if defined(CTR_AVX2)
  return (Int16s) _mm256_packs_epi32 ((__m256i) first, (__m256i) last) < 0;
#elif defined(__SSE2__)
  return (Int16s) _mm_packs_epi32 ((__m128i) first, (__m128i) last) < 0;
#else
  Int16s vector;
  for (int i = 0; i < LANES; i++)
    vector[i] = (i < HALF_LANES ? first : last)[i % HALF_LANES] < 0 ? -1 : 0;
  return vector;
#endif
}

/* LANES numbers in the order of pixels. */
typedef struct {
  Int32s first, last;
} Int32Pair;

ALWAYS_INLINE Int32Pair
load_pair (const int32_t *from)
{
  return (Int32Pair){load_int32s (from), load_int32s (from + HALF_LANES)};
}

/* Is a > b? -1 or 0. */
ALWAYS_INLINE Int16s
greater_int32s (Int32Pair a, Int32Pair b)
{
  const Int32s first = a.first > b.first, last = a.last > b.last;
#if defined(CTR_AVX2)
  return (Int16s) _mm256_permute4x64_epi64 (_mm256_packs_epi32 ((__m256i) first, (__m256i) last), 0xd8);
#else
  return negative (first, last);
#endif
}

/* One bit for each element, 0 or -1, of two vectors. */
ALWAYS_INLINE uint32_t
mask_to_bits (Int16s first, Int16s last)
{
#if defined(CTR_AVX2)
  const __m256i bytes = _mm256_packs_epi16 ((__m256i) first, (__m256i) last);
  return (uint32_t) _mm256_movemask_epi8 (_mm256_permute4x64_epi64 (bytes, 0xd8));
#elif defined(__SSE2__)
  return (uint32_t) _mm_movemask_epi8 (_mm_packs_epi16 ((__m128i) first, (__m128i) last));
#else
  uint32_t bits = 0;
  for (int i = 0; i < 2 * LANES; i++)
    bits |= (uint32_t) ((i < LANES ? first : last)[i % LANES] & 1) << i;
  return bits;
#endif
}

#endif

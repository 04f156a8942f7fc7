/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SIMD vectors of 128 bits, in the vector types of the compiler, which also compile for processors without SIMD.
 * Operations that these types cannot express are implemented for SSE2 and in plain C. Internal. */
#ifndef CTR_CPU_COMMON_SIMD_H
#define CTR_CPU_COMMON_SIMD_H

#include <stdint.h>
#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

typedef int16_t Int16x8 __attribute__ ((vector_size (16)));
typedef uint16_t UInt16x8 __attribute__ ((vector_size (16))); /* wraps around */
typedef int32_t Int32x4 __attribute__ ((vector_size (16)));

/* Marks a function with wider vectors. It is compiled for AVX2, too, and that version runs on processors with AVX2. */
#ifdef CTR_TARGET_CLONES
#define WIDEST __attribute__ ((target_clones ("avx2", "default")))
#else
#define WIDEST
#endif

#define ALWAYS_INLINE static inline __attribute__ ((always_inline))

ALWAYS_INLINE Int16x8
load_int16x8 (const int16_t *from)
{
  Int16x8 vector;
  memcpy (&vector, from, sizeof vector);
  return vector;
}

ALWAYS_INLINE void
store_int16x8 (int16_t *to, Int16x8 vector)
{
  memcpy (to, &vector, sizeof vector);
}

ALWAYS_INLINE Int32x4
load_int32x4 (const int32_t *from)
{
  Int32x4 vector;
  memcpy (&vector, from, sizeof vector);
  return vector;
}

ALWAYS_INLINE void
store_int32x4 (int32_t *to, Int32x4 vector)
{
  memcpy (to, &vector, sizeof vector);
}

ALWAYS_INLINE Int16x8
abs_int16x8 (Int16x8 a)
{
  return (a ^ (a >> 15)) - (a >> 15);
}

/* a[0] b[0] + a[1] b[1], a[2] b[2] + a[3] b[3], ... */
ALWAYS_INLINE Int32x4
pair_sums (Int16x8 a, Int16x8 b)
{
#ifdef __SSE2__
  return (Int32x4) _mm_madd_epi16 ((__m128i) a, (__m128i) b);
#else
  Int32x4 sums;
  for (int i = 0; i < 4; i++)
    sums[i] = a[2 * i] * b[2 * i] + a[2 * i + 1] * b[2 * i + 1];
  return sums;
#endif
}

/* a[0], b[0], a[1], b[1], ... of the first four elements, or of the last four. */
ALWAYS_INLINE Int16x8
interleave_first (Int16x8 a, Int16x8 b)
{
#ifdef __SSE2__
  return (Int16x8) _mm_unpacklo_epi16 ((__m128i) a, (__m128i) b);
#else
  return (Int16x8){a[0], b[0], a[1], b[1], a[2], b[2], a[3], b[3]};
#endif
}

ALWAYS_INLINE Int16x8
interleave_last (Int16x8 a, Int16x8 b)
{
#ifdef __SSE2__
  return (Int16x8) _mm_unpackhi_epi16 ((__m128i) a, (__m128i) b);
#else
  return (Int16x8){a[4], b[4], a[5], b[5], a[6], b[6], a[7], b[7]};
#endif
}

/* even[0], odd[0], even[1], odd[1], ..., which all fit 16 bits. */
ALWAYS_INLINE Int16x8
zip (Int32x4 even, Int32x4 odd)
{
#ifdef __SSE2__
  return (Int16x8) ((even & 0xffff) | (odd << 16));
#else
  Int16x8 vector;
  for (int i = 0; i < 8; i++)
    vector[i] = (int16_t) (i % 2 ? odd : even)[i / 2];
  return vector;
#endif
}

/* -1 for elements < 0, else 0. */
ALWAYS_INLINE Int16x8
negative (Int32x4 first, Int32x4 last)
{
#ifdef __SSE2__
  return (Int16x8) _mm_packs_epi32 ((__m128i) first, (__m128i) last) < 0;
#else
  Int16x8 vector;
  for (int i = 0; i < 8; i++)
    vector[i] = (i < 4 ? first : last)[i % 4] < 0 ? -1 : 0;
  return vector;
#endif
}

/* One bit for each of the 16 elements, 0 or -1, of two vectors. */
ALWAYS_INLINE uint32_t
mask_to_bits (Int16x8 first, Int16x8 last)
{
#ifdef __SSE2__
  return (uint32_t) _mm_movemask_epi8 (_mm_packs_epi16 ((__m128i) first, (__m128i) last));
#else
  uint32_t bits = 0;
  for (int i = 0; i < 16; i++)
    bits |= (uint32_t) ((i < 8 ? first : last)[i % 8] & 1) << i;
  return bits;
#endif
}

#endif

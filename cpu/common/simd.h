/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Eight 16-bit numbers at once, in the compiler's vector types: these make plain code where there are no vectors. What
 * the types cannot express is here for SSE2 and for everything else. Internal. */
#ifndef CTR_CPU_COMMON_SIMD_H
#define CTR_CPU_COMMON_SIMD_H

#include <stdint.h>
#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

typedef int16_t Lanes __attribute__ ((vector_size (16)));
typedef uint16_t ULanes __attribute__ ((vector_size (16))); /* where sums wrap */
typedef int32_t Wide __attribute__ ((vector_size (16)));

/* Before a function in wider vectors: it is compiled for AVX2, too, and that one runs where the processor has it. */
#ifdef CTR_TARGET_CLONES
#define WIDEST __attribute__ ((target_clones ("avx2", "default")))
#else
#define WIDEST
#endif

#define ALWAYS_INLINE static inline __attribute__ ((always_inline))

ALWAYS_INLINE Lanes
lanes_load (const int16_t *from)
{
  Lanes lanes;
  memcpy (&lanes, from, sizeof lanes);
  return lanes;
}

ALWAYS_INLINE void
lanes_store (int16_t *to, Lanes lanes)
{
  memcpy (to, &lanes, sizeof lanes);
}

ALWAYS_INLINE Wide
wide_load (const int32_t *from)
{
  Wide wide;
  memcpy (&wide, from, sizeof wide);
  return wide;
}

ALWAYS_INLINE void
wide_store (int32_t *to, Wide wide)
{
  memcpy (to, &wide, sizeof wide);
}

ALWAYS_INLINE Lanes
lanes_of (int value)
{
  return (Lanes){0} + (int16_t) value;
}

ALWAYS_INLINE Lanes
lanes_abs (Lanes a)
{
  return (a ^ (a >> 15)) - (a >> 15);
}

/* a[0] b[0] + a[1] b[1], a[2] b[2] + a[3] b[3], ... */
ALWAYS_INLINE Wide
pair_sums (Lanes a, Lanes b)
{
#ifdef __SSE2__
  return (Wide) _mm_madd_epi16 ((__m128i) a, (__m128i) b);
#else
  Wide sums;
  for (int i = 0; i < 4; i++)
    sums[i] = a[2 * i] * b[2 * i] + a[2 * i + 1] * b[2 * i + 1];
  return sums;
#endif
}

/* a[0], b[0], a[1], b[1], ... of the first four, and of the last four. */
ALWAYS_INLINE Lanes
interleave_first (Lanes a, Lanes b)
{
#ifdef __SSE2__
  return (Lanes) _mm_unpacklo_epi16 ((__m128i) a, (__m128i) b);
#else
  return (Lanes){a[0], b[0], a[1], b[1], a[2], b[2], a[3], b[3]};
#endif
}

ALWAYS_INLINE Lanes
interleave_last (Lanes a, Lanes b)
{
#ifdef __SSE2__
  return (Lanes) _mm_unpackhi_epi16 ((__m128i) a, (__m128i) b);
#else
  return (Lanes){a[4], b[4], a[5], b[5], a[6], b[6], a[7], b[7]};
#endif
}

/* even[0], odd[0], even[1], odd[1], ..., all of which fit 16 bits. */
ALWAYS_INLINE Lanes
zip (Wide even, Wide odd)
{
#ifdef __SSE2__
  return (Lanes) ((even & 0xffff) | (odd << 16));
#else
  Lanes lanes;
  for (int i = 0; i < 8; i++)
    lanes[i] = (int16_t) (i % 2 ? odd : even)[i / 2];
  return lanes;
#endif
}

/* -1 where a number is < 0, else 0. */
ALWAYS_INLINE Lanes
negative (Wide first, Wide last)
{
#ifdef __SSE2__
  return (Lanes) _mm_packs_epi32 ((__m128i) first, (__m128i) last) < 0;
#else
  Lanes lanes;
  for (int i = 0; i < 8; i++)
    lanes[i] = (i < 4 ? first : last)[i % 4] < 0 ? -1 : 0;
  return lanes;
#endif
}

/* One bit for each of 16 lanes of 0 or -1. */
ALWAYS_INLINE uint32_t
lanes_bits (Lanes first, Lanes last)
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

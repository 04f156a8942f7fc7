/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cpu/common/runs.h"

#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>

typedef __m128i Level;

static inline Level
level_8 (uint32_t threshold)
{
  return _mm_set1_epi8 ((char) threshold);
}

static inline Level
level_16 (uint32_t threshold)
{
  return _mm_set1_epi16 ((short) threshold);
}

/* The saturating difference threshold - sample is zero if and only if sample >= threshold. */
static inline uint64_t
pack_64_8 (const uint8_t *samples, Level level)
{
  const __m128i *in = (const __m128i *) samples;
  const __m128i zero = _mm_setzero_si128 ();
  uint64_t bits = 0;
  for (int i = 3; i >= 0; i--) {
    __m128i above = _mm_cmpeq_epi8 (_mm_subs_epu8 (level, _mm_loadu_si128 (in + i)), zero);
    bits = bits << 16 | (uint32_t) _mm_movemask_epi8 (above);
  }
  return bits;
}

static inline uint64_t
pack_64_16 (const uint16_t *samples, Level level)
{
  const __m128i *in = (const __m128i *) samples;
  const __m128i zero = _mm_setzero_si128 ();
  uint64_t bits = 0;
  for (int i = 3; i >= 0; i--) {
    __m128i low = _mm_cmpeq_epi16 (_mm_subs_epu16 (level, _mm_loadu_si128 (in + 2 * i)), zero);
    __m128i high = _mm_cmpeq_epi16 (_mm_subs_epu16 (level, _mm_loadu_si128 (in + 2 * i + 1)), zero);
    bits = bits << 16 | (uint32_t) _mm_movemask_epi8 (_mm_packs_epi16 (low, high));
  }
  return bits;
}

#else

typedef uint32_t Level;

static inline Level
level_8 (uint32_t threshold)
{
  return threshold;
}

static inline Level
level_16 (uint32_t threshold)
{
  return threshold;
}

static inline uint64_t
pack_64_8 (const uint8_t *samples, Level level)
{
  uint64_t bits = 0;
  for (int i = 0; i < 64; i++)
    bits |= (uint64_t) (samples[i] >= level) << i;
  return bits;
}

static inline uint64_t
pack_64_16 (const uint16_t *samples, Level level)
{
  uint64_t bits = 0;
  for (int i = 0; i < 64; i++)
    bits |= (uint64_t) (samples[i] >= level) << i;
  return bits;
}

#endif

/* The samples of the last word are copied, so that nothing beyond the row is read. */
#define PACK_ROW(WIDTH_BITS, MAX_SAMPLE)                                                                    \
  void ctr_pack_row_##WIDTH_BITS (                                                                          \
      const uint##WIDTH_BITS##_t *samples, uint32_t width, uint32_t threshold, bool invert, uint64_t *bits) \
  {                                                                                                         \
    const uint32_t whole = width / 64, rest = width % 64;                                                   \
    const uint64_t tail = ((uint64_t) 1 << rest) - 1;                                                       \
    const uint64_t flip = invert ? ~(uint64_t) 0 : 0;                                                       \
    if (threshold > MAX_SAMPLE) {                                                                           \
      for (uint32_t i = 0; i < whole; i++)                                                                  \
        bits[i] = flip;                                                                                     \
      if (rest)                                                                                             \
        bits[whole] = flip & tail;                                                                          \
      return;                                                                                               \
    }                                                                                                       \
    const Level level = level_##WIDTH_BITS (threshold);                                                     \
    for (uint32_t i = 0; i < whole; i++)                                                                    \
      bits[i] = pack_64_##WIDTH_BITS (samples + 64 * (size_t) i, level) ^ flip;                             \
    if (rest) {                                                                                             \
      uint##WIDTH_BITS##_t last[64] = {0};                                                                  \
      memcpy (last, samples + 64 * (size_t) whole, rest * sizeof *samples);                                 \
      bits[whole] = (pack_64_##WIDTH_BITS (last, level) ^ flip) & tail;                                     \
    }                                                                                                       \
  }

PACK_ROW (8, 255)
PACK_ROW (16, 65535)

uint32_t
ctr_find_runs (const uint64_t *bits, uint32_t width, uint32_t *edges)
{
  const uint32_t words = CTR_ROW_WORDS (width);
  uint32_t *edge = edges;
  uint64_t carry = 0;
  for (uint32_t i = 0; i < words; i++) {
    uint64_t changes = bits[i] ^ (bits[i] << 1 | carry);
    carry = bits[i] >> 63;
    for (; changes; changes &= changes - 1)
      *edge++ = 64 * i + (uint32_t) __builtin_ctzll (changes);
  }
  if (carry)
    *edge++ = width;
  return (uint32_t) (edge - edges) / 2;
}

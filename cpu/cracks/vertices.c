/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cpu/cracks/vertices.h"

#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

/* How to compute level indices of one byte. Their levels are at least 1. */
typedef enum { BY_TABLE, BY_SHIFT, BY_SUM } Rule;

enum { MOST_SUMMANDS = 4 };

static Rule
find_rule (const CtrCracksPlan *plan)
{
  const uint32_t count = plan->level_count;
  if (count == 0 || plan->levels[0] == 0)
    return BY_TABLE;
  if (plan->levels[count - 1] - plan->levels[0] + 1u == count)
    return BY_SHIFT;
  return plan->mode == CTR_LEVELS_AT_LEAST && count <= MOST_SUMMANDS ? BY_SUM : BY_TABLE;
}

#ifdef __SSE2__

static inline __m128i
load_16 (const void *from)
{
  return _mm_loadu_si128 (from);
}

/* Consecutive levels. */
static inline __m128i
shift_16 (__m128i samples, __m128i below_first, __m128i last, bool equal)
{
  const __m128i lower = _mm_min_epu8 (samples, last), indices = _mm_subs_epu8 (lower, below_first);
  return equal ? _mm_and_si128 (indices, _mm_cmpeq_epi8 (lower, samples)) : indices;
}

/* These write the level indices of as many samples as they can, and return their number. */
static uint32_t
index_by_shift (const CtrCracksPlan *plan, const uint8_t *samples, uint32_t count, uint8_t *level_indices)
{
  const __m128i below_first = _mm_set1_epi8 ((char) (plan->levels[0] - 1));
  const __m128i last = _mm_set1_epi8 ((char) plan->levels[plan->level_count - 1]);
  const bool equal = plan->mode == CTR_LEVELS_EQUAL;
  uint32_t x = 0;
  for (; x + 16 <= count; x += 16)
    _mm_storeu_si128 ((__m128i *) (level_indices + x), shift_16 (load_16 (samples + x), below_first, last, equal));
  return x;
}

static uint32_t
index_by_sum (const CtrCracksPlan *plan, const uint8_t *samples, uint32_t count, uint8_t *level_indices)
{
  __m128i levels[MOST_SUMMANDS];
  uint32_t x = 0;
  for (uint32_t i = 0; i < plan->level_count; i++)
    levels[i] = _mm_set1_epi8 ((char) plan->levels[i]);
  for (; x + 16 <= count; x += 16) {
    const __m128i block = load_16 (samples + x);
    __m128i sum = _mm_setzero_si128 ();
    for (uint32_t i = 0; i < plan->level_count; i++)
      sum = _mm_sub_epi8 (sum, _mm_cmpeq_epi8 (_mm_max_epu8 (block, levels[i]), block));
    _mm_storeu_si128 ((__m128i *) (level_indices + x), sum);
  }
  return x;
}

/* One bit for each of 16 vertices. */
static inline uint32_t
vertices_8 (const uint8_t *above, const uint8_t *below)
{
  const __m128i zero = _mm_setzero_si128 ();
  const __m128i a = load_16 (above), b = load_16 (above + 1), c = load_16 (below), d = load_16 (below + 1);
  const __m128i columns = _mm_or_si128 (_mm_xor_si128 (a, c), _mm_xor_si128 (b, d));
  const __m128i rows = _mm_or_si128 (_mm_xor_si128 (a, b), _mm_xor_si128 (c, d));
  const __m128i same = _mm_or_si128 (_mm_cmpeq_epi8 (columns, zero), _mm_cmpeq_epi8 (rows, zero));
  return (uint32_t) _mm_movemask_epi8 (same) ^ 0xffff;
}

static inline __m128i
same_8_of_16_bits (const uint16_t *above, const uint16_t *below)
{
  const __m128i zero = _mm_setzero_si128 ();
  const __m128i a = load_16 (above), b = load_16 (above + 1), c = load_16 (below), d = load_16 (below + 1);
  const __m128i columns = _mm_or_si128 (_mm_xor_si128 (a, c), _mm_xor_si128 (b, d));
  const __m128i rows = _mm_or_si128 (_mm_xor_si128 (a, b), _mm_xor_si128 (c, d));
  return _mm_or_si128 (_mm_cmpeq_epi16 (columns, zero), _mm_cmpeq_epi16 (rows, zero));
}

static inline uint32_t
vertices_16 (const uint16_t *above, const uint16_t *below)
{
  const __m128i same = _mm_packs_epi16 (same_8_of_16_bits (above, below), same_8_of_16_bits (above + 8, below + 8));
  return (uint32_t) _mm_movemask_epi8 (same) ^ 0xffff;
}

#else

static uint32_t
index_by_shift (const CtrCracksPlan *plan, const uint8_t *samples, uint32_t count, uint8_t *level_indices)
{
  return 0;
}

static uint32_t
index_by_sum (const CtrCracksPlan *plan, const uint8_t *samples, uint32_t count, uint8_t *level_indices)
{
  return 0;
}

#define VERTICES(BITS)                                                                              \
  static inline uint32_t vertices_##BITS (const uint##BITS##_t *above, const uint##BITS##_t *below) \
  {                                                                                                 \
    uint32_t bits = 0;                                                                              \
    for (uint32_t x = 0; x < CTR_VERTEX_GROUP; x++) {                                               \
      const uint32_t a = above[x], b = above[x + 1], c = below[x], d = below[x + 1];                \
      bits |= (uint32_t) (((a ^ c) | (b ^ d)) != 0 && ((a ^ b) | (c ^ d)) != 0) << x;               \
    }                                                                                               \
    return bits;                                                                                    \
  }

VERTICES (8)
VERTICES (16)

#endif

static void
load_narrow (const CtrCracksPlan *plan, const uint8_t *samples, uint32_t width, uint8_t *level_indices)
{
  const uint16_t *level_index_of = plan->level_indices;
  const Rule rule = find_rule (plan);
  uint32_t x = 0;
  if (rule == BY_SHIFT)
    x = index_by_shift (plan, samples, width, level_indices);
  else if (rule == BY_SUM)
    x = index_by_sum (plan, samples, width, level_indices);
  for (; x < width; x++)
    level_indices[x] = (uint8_t) level_index_of[samples[x]];
}

void
ctr_load_level_row (CtrSamples *samples, const CtrImage *image, const CtrCracksPlan *plan, uint32_t y, void *level_row)
{
  const bool zero = plan->frame == CTR_IMAGE_BORDER_ZERO, narrow = ctr_level_index_size (plan) == 1;
  const uint16_t *level_index_of = plan->level_indices;
  const uint32_t width = image->width;
  uint8_t *row_8 = (uint8_t *) level_row + 1;
  uint16_t *row_16 = (uint16_t *) level_row + 1;
  if (y == image->height || (zero && (y == 0 || y == image->height - 1))) {
    memset (level_row, 0, ctr_level_row_bytes (plan, width));
    return;
  }
  const void *row = ctr_samples_row (samples, image, y);
  if (narrow)
    load_narrow (plan, row, width, row_8);
  else if (image->format == CTR_FORMAT_GRAY16)
    for (uint32_t x = 0; x < width; x++)
      row_16[x] = level_index_of[((const uint16_t *) row)[x]];
  else
    for (uint32_t x = 0; x < width; x++)
      row_16[x] = level_index_of[((const uint8_t *) row)[x]];
  if (zero && narrow)
    row_8[0] = row_8[width - 1] = 0;
  else if (zero)
    row_16[0] = row_16[width - 1] = 0;
}

#define FIND_VERTICES(BITS)                                                                                   \
  static size_t find_vertices_##BITS (                                                                        \
      const uint##BITS##_t *above, const uint##BITS##_t *below, uint32_t width, CtrCrackVertex *vertices)     \
  {                                                                                                           \
    size_t found = 0;                                                                                         \
    for (uint32_t start = 0; start <= width; start += CTR_VERTEX_GROUP)                                       \
      for (uint32_t bits = vertices_##BITS (above + start, below + start); bits; bits &= bits - 1) {          \
        const uint32_t x = start + (uint32_t) __builtin_ctz (bits);                                           \
        vertices[found++] = (CtrCrackVertex){(uint16_t) x, {above[x], above[x + 1], below[x], below[x + 1]}}; \
      }                                                                                                       \
    return found;                                                                                             \
  }

FIND_VERTICES (8)
FIND_VERTICES (16)

size_t
ctr_find_vertices (
    const CtrCracksPlan *plan, const void *above, const void *below, uint32_t width, CtrCrackVertex *vertices)
{
  return ctr_level_index_size (plan) == 1 ? find_vertices_8 (above, below, width, vertices)
                                          : find_vertices_16 (above, below, width, vertices);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cpu/cracks/vertices.h"

#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

/* How to compute level indices. Levels are at least 1, except with the table. */
typedef enum { BY_TABLE, BY_SHIFT, BY_SUM } Rule;

enum { MOST_SUMMANDS = 8 };

static Rule
find_rule (const CtrCracksPlan *plan)
{
  const uint32_t count = plan->level_count;
  if (count == 0 || plan->levels[0] == 0)
    return BY_TABLE;
  if (plan->levels[count - 1] - plan->levels[0] + 1u == count)
    return BY_SHIFT;
  return count <= MOST_SUMMANDS ? BY_SUM : BY_TABLE;
}

#ifdef __SSE2__

static inline __m128i
load_16 (const void *from)
{
  return _mm_loadu_si128 (from);
}

static inline __m128i
min_epu16 (__m128i a, __m128i b)
{
  return _mm_sub_epi16 (a, _mm_subs_epu16 (a, b));
}

/* These write the level indices of as many samples as they can, and return their number: of consecutive levels, and of
 * a few levels. BITS is the width of samples and level indices. */
#define INDEX_ROWS(BITS, EPI, EPU, MIN)                                                                                \
  static uint32_t index_by_shift_##BITS (                                                                              \
      const CtrCracksPlan *plan, const uint##BITS##_t *samples, uint32_t count, uint##BITS##_t *level_indices)         \
  {                                                                                                                    \
    const __m128i below_first = _mm_set1_##EPI ((int##BITS##_t) (plan->levels[0] - 1));                                \
    const __m128i last = _mm_set1_##EPI ((int##BITS##_t) plan->levels[plan->level_count - 1]);                         \
    const __m128i all = _mm_set1_epi8 (plan->mode == CTR_LEVELS_EQUAL ? 0 : -1);                                       \
    uint32_t x = 0;                                                                                                    \
    for (; x + 128 / BITS <= count; x += 128 / BITS) {                                                                 \
      const __m128i block = load_16 (samples + x), lower = MIN (block, last);                                          \
      const __m128i wanted = _mm_or_si128 (_mm_cmpeq_##EPI (lower, block), all);                                       \
      _mm_storeu_si128 ((__m128i *) (level_indices + x), _mm_and_si128 (_mm_subs_##EPU (lower, below_first), wanted)); \
    }                                                                                                                  \
    return x;                                                                                                          \
  }                                                                                                                    \
                                                                                                                       \
  static uint32_t index_by_sum_##BITS (                                                                                \
      const CtrCracksPlan *plan, const uint##BITS##_t *samples, uint32_t count, uint##BITS##_t *level_indices)         \
  {                                                                                                                    \
    const bool equal = plan->mode == CTR_LEVELS_EQUAL;                                                                 \
    __m128i levels[MOST_SUMMANDS], summands[MOST_SUMMANDS];                                                            \
    uint32_t x = 0;                                                                                                    \
    for (uint32_t i = 0; i < plan->level_count; i++) {                                                                 \
      levels[i] = _mm_set1_##EPI ((int##BITS##_t) plan->levels[i]);                                                    \
      summands[i] = _mm_set1_##EPI ((int##BITS##_t) (equal ? i + 1 : 1));                                              \
    }                                                                                                                  \
    for (; x + 128 / BITS <= count; x += 128 / BITS) {                                                                 \
      const __m128i block = load_16 (samples + x);                                                                     \
      __m128i sum = _mm_setzero_si128 ();                                                                              \
      for (uint32_t i = 0; i < plan->level_count; i++) {                                                               \
        const __m128i compared = equal ? block : MIN (block, levels[i]);                                               \
        sum = _mm_add_##EPI (sum, _mm_and_si128 (_mm_cmpeq_##EPI (compared, levels[i]), summands[i]));                 \
      }                                                                                                                \
      _mm_storeu_si128 ((__m128i *) (level_indices + x), sum);                                                         \
    }                                                                                                                  \
    return x;                                                                                                          \
  }

INDEX_ROWS (8, epi8, epu8, _mm_min_epu8)
INDEX_ROWS (16, epi16, epu16, min_epu16)

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

static inline __m128i
same_4_of_32_bits (const uint32_t *above, const uint32_t *below)
{
  const __m128i zero = _mm_setzero_si128 ();
  const __m128i a = load_16 (above), b = load_16 (above + 1), c = load_16 (below), d = load_16 (below + 1);
  const __m128i columns = _mm_or_si128 (_mm_xor_si128 (a, c), _mm_xor_si128 (b, d));
  const __m128i rows = _mm_or_si128 (_mm_xor_si128 (a, b), _mm_xor_si128 (c, d));
  return _mm_or_si128 (_mm_cmpeq_epi32 (columns, zero), _mm_cmpeq_epi32 (rows, zero));
}

static inline uint32_t
vertices_32 (const uint32_t *above, const uint32_t *below)
{
  const __m128i left = _mm_packs_epi32 (same_4_of_32_bits (above, below), same_4_of_32_bits (above + 4, below + 4));
  const __m128i right =
      _mm_packs_epi32 (same_4_of_32_bits (above + 8, below + 8), same_4_of_32_bits (above + 12, below + 12));
  return (uint32_t) _mm_movemask_epi8 (_mm_packs_epi16 (left, right)) ^ 0xffff;
}

#else

#define INDEX_ROWS(BITS)                                                                                       \
  static uint32_t index_by_shift_##BITS (                                                                      \
      const CtrCracksPlan *plan, const uint##BITS##_t *samples, uint32_t count, uint##BITS##_t *level_indices) \
  {                                                                                                            \
    return 0;                                                                                                  \
  }                                                                                                            \
  static uint32_t index_by_sum_##BITS (                                                                        \
      const CtrCracksPlan *plan, const uint##BITS##_t *samples, uint32_t count, uint##BITS##_t *level_indices) \
  {                                                                                                            \
    return 0;                                                                                                  \
  }

INDEX_ROWS (8)
INDEX_ROWS (16)

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
VERTICES (32)

#endif

#define LOAD_ROW(BITS)                                                                                         \
  static void load_row_##BITS (                                                                                \
      const CtrCracksPlan *plan, const uint##BITS##_t *samples, uint32_t width, uint##BITS##_t *level_indices) \
  {                                                                                                            \
    const uint16_t *level_index_of = plan->level_indices;                                                      \
    const Rule rule = find_rule (plan);                                                                        \
    uint32_t x = rule == BY_SHIFT ? index_by_shift_##BITS (plan, samples, width, level_indices)                \
                 : rule == BY_SUM ? index_by_sum_##BITS (plan, samples, width, level_indices)                  \
                                  : 0;                                                                         \
    for (; x < width; x++)                                                                                     \
      level_indices[x] = (uint##BITS##_t) level_index_of[samples[x]];                                          \
  }

LOAD_ROW (8)
LOAD_ROW (16)

static void
load_label_row (const CtrImage *labels, const CtrCracksPlan *plan, uint32_t y, uint32_t *row)
{
  const uint32_t width = labels->width;
  memcpy (row, (const uint8_t *) labels->data + y * labels->stride, width * sizeof *row);
  if (plan->frame == CTR_IMAGE_BORDER_ZERO)
    row[0] = row[width - 1] = 0;
}

void
ctr_load_level_row (CtrSamples *samples, const CtrImage *image, const CtrCracksPlan *plan, uint32_t y, void *level_row)
{
  const bool zero = plan->frame == CTR_IMAGE_BORDER_ZERO, narrow = ctr_level_index_size (plan) == 1;
  const uint32_t width = image->width;
  uint8_t *row_8 = (uint8_t *) level_row + 1;
  uint16_t *row_16 = (uint16_t *) level_row + 1;
  if (y == image->height || (zero && (y == 0 || y == image->height - 1))) {
    memset (level_row, 0, ctr_level_row_bytes (plan, width));
    return;
  }
  if (plan->labels) {
    load_label_row (image, plan, y, (uint32_t *) level_row + 1);
    return;
  }
  const void *row = ctr_samples_row (samples, image, y);
  if (narrow)
    load_row_8 (plan, row, width, row_8);
  else if (image->format == CTR_FORMAT_GRAY16)
    load_row_16 (plan, row, width, row_16);
  else
    for (uint32_t x = 0; x < width; x++)
      row_16[x] = plan->level_indices[((const uint8_t *) row)[x]];
  if (zero && narrow)
    row_8[0] = row_8[width - 1] = 0;
  else if (zero)
    row_16[0] = row_16[width - 1] = 0;
}

#define FIND_VERTICES(BITS, VERTEX)                                                                   \
  static size_t find_vertices_##BITS (                                                                \
      const uint##BITS##_t *above, const uint##BITS##_t *below, uint32_t width, VERTEX *vertices)     \
  {                                                                                                   \
    size_t found = 0;                                                                                 \
    for (uint32_t start = 0; start <= width; start += CTR_VERTEX_GROUP)                               \
      for (uint32_t bits = vertices_##BITS (above + start, below + start); bits; bits &= bits - 1) {  \
        const uint32_t x = start + (uint32_t) __builtin_ctz (bits);                                   \
        vertices[found++] = (VERTEX){(uint16_t) x, {above[x], above[x + 1], below[x], below[x + 1]}}; \
      }                                                                                               \
    return found;                                                                                     \
  }

FIND_VERTICES (8, CtrCrackVertex)
FIND_VERTICES (16, CtrCrackVertex)
FIND_VERTICES (32, CtrLabelVertex)

size_t
ctr_find_vertices (const CtrCracksPlan *plan, const void *above, const void *below, uint32_t width, void *vertices)
{
  switch (ctr_level_index_size (plan)) {
    case 1:
      return find_vertices_8 (above, below, width, vertices);
    case 2:
      return find_vertices_16 (above, below, width, vertices);
    default:
      return find_vertices_32 (above, below, width, vertices);
  }
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cpu/canny/hysteresis.h"

#include "core/common/memory.h"
#include "core/common/poll.h"
#include "core/common/room.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

bool
ctr_hysteresis_begin (CtrHysteresis *hysteresis, uint32_t width, uint32_t height)
{
  const uint32_t row_words = (width + 63) / 64, stride = row_words + 1;
  const size_t words = ((size_t) height + 2) * stride + 1;
  const size_t bytes = words * (2 * sizeof (uint64_t) + sizeof (uint32_t) + 1);

  if (hysteresis->used < bytes)
    hysteresis->used = bytes;
  if (hysteresis->memory && hysteresis->width == width && hysteresis->height == height)
    return true;
  if (hysteresis->bytes < bytes) {
    free (hysteresis->memory);
    hysteresis->bytes = 0;
    hysteresis->memory = malloc (bytes);
    if (!hysteresis->memory)
      return false;
    hysteresis->bytes = bytes;
  }
  hysteresis->width = 0;
  if (!ctr_clear (hysteresis->memory, bytes))
    return false;
  hysteresis->width = width;
  hysteresis->height = height;
  hysteresis->row_words = row_words;
  hysteresis->stride = stride;
  hysteresis->candidates = hysteresis->memory;
  hysteresis->edges = hysteresis->candidates + words;
  hysteresis->stack = (uint32_t *) (hysteresis->edges + words);
  hysteresis->waiting = (uint8_t *) (hysteresis->stack + words);
  return true;
}

void
ctr_hysteresis_release (CtrHysteresis *hysteresis)
{
  free (hysteresis->memory);
  *hysteresis = (CtrHysteresis){0};
}

bool
ctr_hysteresis_give_back (CtrHysteresis *hysteresis)
{
  const bool some = ctr_room_is_excess (hysteresis->bytes, hysteresis->used);
  if (some)
    ctr_hysteresis_release (hysteresis);
  hysteresis->used = 0;
  return some;
}

/* Grows SEEDS, a subset of CANDIDATES, along the runs of candidates. */
static inline uint64_t
grow_word (uint64_t seeds, uint64_t candidates)
{
  /* The carry propagates to the end of each run with a seed. */
  seeds |= ((candidates + seeds) ^ candidates) & candidates;
  /* Most runs are short. */
  for (int shift = 1; shift < 64 && (candidates & (seeds >> shift) & ~seeds); shift *= 2) {
    seeds |= candidates & (seeds >> shift);
    candidates &= candidates >> shift;
  }
  return seeds;
}

/* The neighbours of the pixels of WORD, themselves included, in the words to the left, here and to the right. */
static inline void
widen (uint64_t word, uint64_t *left, uint64_t *here, uint64_t *right)
{
  *left = word << 63;
  *here = word | word << 1 | word >> 1;
  *right = word >> 63;
}

CtrGrowth
ctr_growth_begin (CtrHysteresis *hysteresis, uint32_t first_row, uint32_t end_row)
{
  const size_t first = ctr_hysteresis_row (hysteresis, first_row) - 1;
  return (CtrGrowth){
      .hysteresis = hysteresis,
      .first_row = first_row,
      .first_word = first,
      .word_count = ctr_hysteresis_row (hysteresis, end_row) - 1 - first,
      .stack = hysteresis->stack + first,
  };
}

static inline void
reach (CtrGrowth *growth, size_t i, uint64_t pixels)
{
  const CtrHysteresis *hysteresis = growth->hysteresis;
  if (i - growth->first_word >= growth->word_count)
    return;
  const uint64_t more = pixels & hysteresis->candidates[i] & ~hysteresis->edges[i];
  if (!more)
    return;
  hysteresis->edges[i] |= more;
  if (hysteresis->waiting[i])
    return;
  hysteresis->waiting[i] = 1;
  growth->stack[growth->depth++] = (uint32_t) i;
}

/* The neighbours of the pixels of WORD reach into word I and those beside it. */
static inline void
reach_three (CtrGrowth *growth, size_t i, uint64_t word)
{
  uint64_t left, here, right;
  widen (word, &left, &here, &right);
  reach (growth, i - 1, left);
  reach (growth, i, here);
  reach (growth, i + 1, right);
}

void
ctr_growth_row (CtrGrowth *growth, uint32_t y)
{
  const CtrHysteresis *hysteresis = growth->hysteresis;
  const size_t first = ctr_hysteresis_row (hysteresis, y), stride = hysteresis->stride;
  /* Above the band, the empty row above the image stands for what is not known yet. */
  const size_t up = y > growth->first_row ? stride : first - 1;
  uint64_t *edges = hysteresis->edges;
  for (size_t i = first; i < first + hysteresis->row_words; i++) {
    const uint64_t candidates = hysteresis->candidates[i], *above = edges + i - up;
    if (!candidates)
      continue;
    const uint64_t reached = *above | *above << 1 | *above >> 1 | above[-1] >> 63 | above[1] << 63 | edges[i - 1] >> 63;
    const uint64_t seeds = edges[i] | (reached & candidates);
    if (!seeds)
      continue;
    edges[i] = grow_word (seeds, candidates);
    reach_three (growth, i - stride, edges[i]);
    reach (growth, i - 1, edges[i] << 63);
  }
}

void
ctr_growth_seam (CtrGrowth *growth, uint32_t y)
{
  const CtrHysteresis *hysteresis = growth->hysteresis;
  const size_t first = ctr_hysteresis_row (hysteresis, y), stride = hysteresis->stride;
  for (size_t i = first; i < first + hysteresis->row_words; i++) {
    reach_three (growth, i, hysteresis->edges[i - stride]);
    reach_three (growth, i - stride, hysteresis->edges[i]);
  }
}

bool
ctr_growth_finish (CtrGrowth *growth)
{
  const CtrHysteresis *hysteresis = growth->hysteresis;
  const size_t stride = hysteresis->stride;
  uint64_t work = 0;
  while (growth->depth > 0) {
    if (ctr_poll (&work, 16))
      return false;
    const size_t i = growth->stack[--growth->depth];
    hysteresis->waiting[i] = 0;
    const uint64_t edges = hysteresis->edges[i] = grow_word (hysteresis->edges[i], hysteresis->candidates[i]);
    reach_three (growth, i - stride, edges);
    reach (growth, i - 1, edges << 63);
    reach (growth, i + 1, edges >> 63);
    reach_three (growth, i + stride, edges);
  }
  return true;
}

/* Eight bits as bytes of 0 and 255, the lowest bit in the first byte. */
static inline uint64_t
spread_bits (uint64_t bits)
{
  const uint64_t ones = UINT64_C (0x0101010101010101);
  const uint64_t one_in_each = ones * (bits & 255) & UINT64_C (0x8040201008040201);
  return htole64 (((one_in_each + 127 * ones) >> 7 & ones) * 255);
}

void
ctr_hysteresis_write_row (const CtrHysteresis *hysteresis, uint32_t y, uint8_t *mask)
{
  const uint64_t *edges = hysteresis->edges + ctr_hysteresis_row (hysteresis, y);
  uint32_t x = 0;
  for (; x + 64 <= hysteresis->width; x += 64) {
    const uint64_t word = *edges++;
    if (!word) {
      memset (mask + x, 0, 64);
      continue;
    }
    for (uint32_t i = 0; i < 64; i += 8) {
      const uint64_t bytes = spread_bits (word >> i);
      memcpy (mask + x + i, &bytes, 8);
    }
  }
  for (uint32_t i = 0; x + i < hysteresis->width; i++)
    mask[x + i] = *edges >> i & 1 ? 255 : 0;
}

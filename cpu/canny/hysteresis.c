/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cpu/canny/hysteresis.h"

#include "core/common/memory.h"
#include "core/common/poll.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

bool
ctr_edge_bits_begin (CtrEdgeBits *bits, uint32_t width, uint32_t height)
{
  const uint32_t row_words = (width + 63) / 64, stride = row_words + 1;
  const size_t words = ((size_t) height + 2) * stride + 1;
  const size_t bytes = words * (2 * sizeof (uint64_t) + sizeof (uint32_t) + 1);

  if (bits->memory && bits->width == width && bits->height == height)
    return true;
  if (bits->bytes < bytes) {
    ctr_edge_bits_release (bits);
    bits->memory = malloc (bytes);
    if (!bits->memory)
      return false;
    bits->bytes = bytes;
  }
  bits->width = 0;
  if (!ctr_clear (bits->memory, bytes))
    return false;
  bits->width = width;
  bits->height = height;
  bits->row_words = row_words;
  bits->stride = stride;
  bits->candidates = bits->memory;
  bits->edges = bits->candidates + words;
  bits->stack = (uint32_t *) (bits->edges + words);
  bits->waiting = (uint8_t *) (bits->stack + words);
  return true;
}

void
ctr_edge_bits_release (CtrEdgeBits *bits)
{
  free (bits->memory);
  *bits = (CtrEdgeBits){0};
}

/* SEEDS, all of them candidates, grown along the runs of candidates. */
static inline uint64_t
grow_word (uint64_t seeds, uint64_t candidates)
{
  /* The carry runs up to the end of each run that has a seed. */
  seeds |= ((candidates + seeds) ^ candidates) & candidates;
  for (int shift = 1; shift < 64; shift *= 2) {
    seeds |= candidates & (seeds >> shift);
    candidates &= candidates >> shift;
  }
  return seeds;
}

/* The pixels beside those of WORD[0], in the words left, here and right. */
static inline void
widen (uint64_t word, uint64_t *left, uint64_t *here, uint64_t *right)
{
  *left = word << 63;
  *here = word | word << 1 | word >> 1;
  *right = word >> 63;
}

static inline void
reach (CtrEdgeBits *bits, size_t i, uint64_t pixels)
{
  const uint64_t more = pixels & bits->candidates[i] & ~bits->edges[i];
  if (!more)
    return;
  bits->edges[i] |= more;
  if (bits->waiting[i])
    return;
  bits->waiting[i] = 1;
  bits->stack[bits->depth++] = (uint32_t) i;
}

void
ctr_edge_bits_grow_row (CtrEdgeBits *bits, uint32_t y)
{
  const size_t first = ctr_edge_bits_row (bits, y), stride = bits->stride;
  uint64_t *edges = bits->edges;
  for (size_t i = first; i < first + bits->row_words; i++) {
    const uint64_t candidates = bits->candidates[i], *above = edges + i - stride;
    if (!candidates)
      continue;
    const uint64_t reached = *above | *above << 1 | *above >> 1 | above[-1] >> 63 | above[1] << 63 | edges[i - 1] >> 63;
    const uint64_t seeds = edges[i] | (reached & candidates);
    if (!seeds)
      continue;
    uint64_t left, here, right;
    edges[i] = grow_word (seeds, candidates);
    widen (edges[i], &left, &here, &right);
    reach (bits, i - stride - 1, left);
    reach (bits, i - stride, here);
    reach (bits, i - stride + 1, right);
    reach (bits, i - 1, left);
  }
}

bool
ctr_edge_bits_finish (CtrEdgeBits *bits)
{
  const size_t stride = bits->stride;
  uint64_t work = 0;
  while (bits->depth > 0) {
    if (ctr_poll (&work, 16))
      return false;
    const size_t i = bits->stack[--bits->depth];
    uint64_t left, here, right;
    bits->waiting[i] = 0;
    bits->edges[i] = grow_word (bits->edges[i], bits->candidates[i]);
    widen (bits->edges[i], &left, &here, &right);
    reach (bits, i - stride - 1, left);
    reach (bits, i - stride, here);
    reach (bits, i - stride + 1, right);
    reach (bits, i - 1, left);
    reach (bits, i + 1, right);
    reach (bits, i + stride - 1, left);
    reach (bits, i + stride, here);
    reach (bits, i + stride + 1, right);
  }
  return true;
}

/* Eight bits as bytes of 0 and 255, the lowest in the first. */
static inline uint64_t
spread_bits (uint64_t bits)
{
  const uint64_t ones = UINT64_C (0x0101010101010101);
  const uint64_t one_in_each = ones * (bits & 255) & UINT64_C (0x8040201008040201);
  return htole64 (((one_in_each + 127 * ones) >> 7 & ones) * 255);
}

void
ctr_edge_bits_write_row (const CtrEdgeBits *bits, uint32_t y, uint8_t *mask)
{
  const uint64_t *edges = bits->edges + ctr_edge_bits_row (bits, y);
  uint32_t x = 0;
  for (; x + 64 <= bits->width; x += 64) {
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
  for (uint32_t i = 0; x + i < bits->width; i++)
    mask[x + i] = *edges >> i & 1 ? 255 : 0;
}

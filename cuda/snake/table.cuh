/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sums of the samples left of a column in a row. device_state.cuh has the design. */
#ifndef CTR_CUDA_SNAKE_TABLE_CUH
#define CTR_CUDA_SNAKE_TABLE_CUH

#include "cuda/snake/device_state.cuh"

template <bool WIDE> struct SnakeDepth {
  typedef SnakeSums8 Sums;
  typedef uint8_t Sample;
  typedef uint32_t Squares; /* of a row: 65535 samples have less than 2^32 */
  static constexpr int BLOCK = SNAKE_BLOCK_8;
};
template <> struct SnakeDepth<true> {
  typedef SnakeSums16 Sums;
  typedef uint16_t Sample;
  typedef uint64_t Squares;
  static constexpr int BLOCK = SNAKE_BLOCK_16;
};

/* Adds the first COUNT samples of WORD. */
template <bool WIDE>
__device__ inline void
add_word (uint32_t word, int count, uint32_t *s1, uint64_t *s2)
{
  if (WIDE) {
    const uint32_t low = count > 0 ? word & 0xffff : 0, high = count > 1 ? word >> 16 : 0;
    *s1 += low + high;
    *s2 += (uint64_t) low * low + (uint64_t) high * high;
  } else {
    const uint32_t kept =
        word & __funnelshift_lc (~0u, 0, (uint32_t) max (8 * count, 0)); /* shifts of more than 32 are clamped */
    *s1 = __dp4a (kept, 0x01010101u, *s1);
    *s2 = __dp4a (kept, kept, (uint32_t) *s2); /* the sum over a block is far below 2^32 */
  }
}

/* Sums COUNT samples one by one. Returns the sum of their squares. */
template <bool WIDE>
__device__ __noinline__ uint64_t
sum_samples (const typename SnakeDepth<WIDE>::Sample *samples, int count, uint32_t *s1)
{
  uint64_t s2 = 0;
  *s1 = 0;
#pragma unroll 1
  for (int i = 0; i < count; i++) {
    const uint32_t sample = samples[i];
    *s1 += sample;
    s2 += (uint64_t) sample * sample;
  }
  return s2;
}

/* Sums the first COUNT samples of a block. */
template <bool WIDE>
__device__ inline void
sum_words (uint4 block, int count, uint32_t *s1, uint64_t *s2)
{
  constexpr int EACH = WIDE ? 2 : 4; /* samples in a word */
  *s1 = 0;
  *s2 = 0;
  add_word<WIDE> (block.x, count, s1, s2);
  add_word<WIDE> (block.y, count - EACH, s1, s2);
  add_word<WIDE> (block.z, count - 2 * EACH, s1, s2);
  add_word<WIDE> (block.w, count - 3 * EACH, s1, s2);
}

/* The distance of column X of row Y from t.pixels, in bytes. */
template <bool WIDE>
__device__ inline uint64_t
offset_of (const SnakeTable &t, int32_t x, int32_t y)
{
  return t.shift + (uint64_t) y * t.stride + (uint32_t) x * (uint32_t) sizeof (typename SnakeDepth<WIDE>::Sample);
}

/* Does the image have all samples of the block at OFFSET? */
__device__ inline bool
is_loadable (const SnakeTable &t, uint64_t offset)
{
  return offset - t.loadable_from < t.loadable;
}

/* What the sums left of a column consist of: those before a block, and the samples of the block from SKIP to REST. */
template <bool WIDE> struct SnakeLoads {
  typename SnakeDepth<WIDE>::Sums before;
  uint4 block;
  uint64_t offset; /* of the block */
  int32_t column;
  int skip, rest;
};

/* Loads what the sums left of COLUMN in row Y take, or nothing unless NEEDED. */
template <bool WIDE>
__device__ inline SnakeLoads<WIDE>
load_sums (const SnakeTable &t, int32_t column, int32_t y, bool needed)
{
  typedef SnakeDepth<WIDE> Depth;
  constexpr int SIZE = sizeof (typename Depth::Sample);
  const uint64_t begin = offset_of<WIDE> (t, t.left, y), at = offset_of<WIDE> (t, column, y);
  const uint32_t number = (uint32_t) (at / 16) - (uint32_t) (begin / 16);
  SnakeLoads<WIDE> loads = {};
  loads.offset = at / 16 * 16;
  loads.skip = number == 0 ? (int) (begin % 16) / SIZE : 0;
  loads.rest = needed ? (int) (at % 16) / SIZE : loads.skip;
  if (needed) {
    loads.column = column;
    loads.before = ((const typename Depth::Sums *) t.sums)[(size_t) (y - t.top) * t.blocks + number];
  }
  if (loads.rest > loads.skip && is_loadable (t, loads.offset))
    loads.block = *(const uint4 *) (t.pixels + loads.offset);
  return loads;
}

/* (c, S, Q) of core/snake/geometry.h. S and Q begin at the table's left. */
template <bool WIDE>
__device__ inline CtrSnakeSums
sums_of (const SnakeTable &t, const SnakeLoads<WIDE> &loads)
{
  typedef typename SnakeDepth<WIDE>::Sample Sample;
  uint32_t s1, skipped1;
  uint64_t s2, skipped2;
  sum_words<WIDE> (loads.block, loads.rest, &s1, &s2);
  if (loads.skip > 0) { /* few columns */
    sum_words<WIDE> (loads.block, loads.skip, &skipped1, &skipped2);
    s1 -= skipped1;
    s2 -= skipped2;
  }
  if (loads.rest > loads.skip && !is_loadable (t, loads.offset))
    s2 = sum_samples<WIDE> ((const Sample *) (t.pixels + loads.offset) + loads.skip, loads.rest - loads.skip, &s1);
  return {loads.column, (int64_t) loads.before.s1 + s1, loads.before.s2 + s2};
}

/* ctr_snake_column() without an integer division: products are below 2^32, and the error of the quotient in single
 * precision is far below 1. */
__device__ inline int32_t
column_of (CtrPoint a, CtrPoint b, uint32_t rows)
{
  const uint32_t rise = b.y - a.y;
  const uint32_t product = rows * (uint32_t) (b.x > a.x ? b.x - a.x : a.x - b.x);
  int32_t quotient = (int32_t) __fdividef ((float) product, (float) rise);
  int32_t rest = (int32_t) (product - (uint32_t) quotient * rise);
  if (rest < 0) {
    quotient--;
    rest += (int32_t) rise;
  } else if (rest >= (int32_t) rise) {
    quotient++;
    rest -= (int32_t) rise;
  }
  return b.x > a.x ? a.x + quotient + (rest > 0) : a.x - quotient;
}

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sums of the samples left of a column in a row. device_state.cuh has the design. */
#ifndef CTR_CUDA_SNAKE_TABLE_CUH
#define CTR_CUDA_SNAKE_TABLE_CUH

#include "cuda/common/ptx.cuh"
#include "cuda/snake/device_state.cuh"

template <bool WIDE> struct SnakeDepth {
  typedef SnakeSums8 Sums;
  typedef uint8_t Sample;
  typedef uint32_t Squares; /* of a row: 65535 samples have less than 2^32 */
  typedef SnakeSums8 RowSums;
  static constexpr int BLOCK = SNAKE_BLOCK_8;
};
template <> struct SnakeDepth<true> {
  typedef SnakeSums16 Sums;
  typedef uint16_t Sample;
  typedef uint64_t Squares;
  struct RowSums {
    uint32_t s1;
    uint64_t s2;
  };
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

/* The distance of the table's first sample of row Y from t.pixels, in bytes. */
__device__ inline uint64_t
offset_of_row (const SnakeTable &t, int32_t y)
{
  return t.begin + (uint32_t) (y - t.top) * (uint64_t) t.stride;
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
  bool loaded;     /* is the block loadable? */
  int skip, rest;
};

/* Loads what the sums left of COLUMN in row Y take. */
template <bool WIDE>
__device__ inline SnakeLoads<WIDE>
load_sums (const SnakeTable &t, int32_t column, int32_t y)
{
  typedef SnakeDepth<WIDE> Depth;
  constexpr uint32_t SIZE = sizeof (typename Depth::Sample);
  const uint64_t begin = offset_of_row (t, y);
  const uint32_t length = (uint32_t) (column - t.left) * SIZE, before = (uint32_t) begin % 16, end = before + length;
  SnakeLoads<WIDE> loads = {};
  loads.offset = (begin + length) / 16 * 16;
  loads.loaded = is_loadable (t, loads.offset);
  loads.skip = (int) (end < 16 ? before / SIZE : 0);
  loads.rest = (int) (end % 16 / SIZE);
  /* There are fewer than 2^32 entries. */
  loads.before = ((const typename Depth::Sums *) t.sums)[(uint32_t) (y - t.top) * t.blocks + end / 16];
  if (loads.loaded)
    loads.block = *(const uint4 *) (t.pixels + loads.offset);
  return loads;
}

/* S and Q of core/snake/geometry.h. They begin at the table's left. */
template <bool WIDE>
__device__ inline typename SnakeDepth<WIDE>::RowSums
sums_of (const SnakeTable &t, const SnakeLoads<WIDE> &loads)
{
  typedef SnakeDepth<WIDE> Depth;
  uint32_t s1;
  uint64_t s2;
  sum_words<WIDE> (loads.block, loads.rest, &s1, &s2);
  if (loads.skip > 0) { /* few columns */
    uint32_t skipped1;
    uint64_t skipped2;
    sum_words<WIDE> (loads.block, loads.skip, &skipped1, &skipped2);
    s1 -= skipped1;
    s2 -= skipped2;
  }
  if (!loads.loaded && loads.rest > loads.skip) {
    uint32_t one_by_one;
    s2 = sum_samples<WIDE> (
        (const typename Depth::Sample *) (t.pixels + loads.offset) + loads.skip, loads.rest - loads.skip, &one_by_one);
    s1 = one_by_one;
  }
  return {loads.before.s1 + s1, (typename Depth::Squares) (loads.before.s2 + s2)};
}

/* ctr_snake_column() without an integer division: products and their sums with RISE are below 2^32. The estimate of the quotient is
 * too low by less than 0.1: the factor outweighs that its operands are rounded. */
__device__ inline int32_t
column_of (CtrPoint a, CtrPoint b, uint32_t rows)
{
  const bool right = b.x > a.x;
  const uint32_t rise = b.y - a.y, width = right ? b.x - a.x : a.x - b.x;
  const uint32_t product = rows * width + (right ? rise - 1 : 0);
  const float estimate = __fmul_rn ((float) product, __fmul_rn (rough_inverse ((float) rise), 1 - 0x1p-20f));
  uint32_t quotient = (uint32_t) estimate;
  quotient += product - quotient * rise >= rise;
  return right ? a.x + (int32_t) quotient : a.x - (int32_t) quotient;
}

#endif

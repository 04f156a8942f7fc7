/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sums of the samples left of a column in a row. device_state.cuh has the design. */
#ifndef CTR_CUDA_SNAKE_TABLE_CUH
#define CTR_CUDA_SNAKE_TABLE_CUH

#include "cuda/snake/device_state.cuh"

template <bool WIDE> struct SnakeDepth {
  typedef SnakeSums8 Sums;
  typedef uint8_t Sample;
  static constexpr int BLOCK = SNAKE_BLOCK_8;
};
template <> struct SnakeDepth<true> {
  typedef SnakeSums16 Sums;
  typedef uint16_t Sample;
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

/* Sums the first COUNT samples of the block at column X of row Y. */
template <bool WIDE>
__device__ inline void
sum_block (const SnakeTable &t, int32_t x, int32_t y, int count, uint32_t *s1, uint64_t *s2)
{
  typedef SnakeDepth<WIDE> Depth;
  const typename Depth::Sample *samples = (const typename Depth::Sample *) (t.pixels + (size_t) y * t.stride) + x;
  constexpr int EACH = WIDE ? 2 : 4; /* samples in a word */
  if (x + Depth::BLOCK + (t.aligned ? 0 : EACH) <= (int32_t) t.width) {
    uint32_t words[5];
    const uintptr_t address = (uintptr_t) samples;
    if (t.aligned) {
      const uint4 four = *(const uint4 *) samples;
      words[0] = four.x;
      words[1] = four.y;
      words[2] = four.z;
      words[3] = four.w;
    } else {
      const uint32_t *from = (const uint32_t *) (address & ~(uintptr_t) 3);
#pragma unroll
      for (int i = 0; i < 5; i++)
        words[i] = from[i];
#pragma unroll
      for (int i = 0; i < 4; i++)
        words[i] = __funnelshift_r (words[i], words[i + 1], 8 * (uint32_t) (address & 3));
    }
    *s1 = 0;
    *s2 = 0;
#pragma unroll
    for (int i = 0; i < 4; i++)
      add_word<WIDE> (words[i], count - i * EACH, s1, s2);
  } else {
    uint32_t sum;
    *s2 = sum_samples<WIDE> (samples, count, &sum);
    *s1 = sum;
  }
}

/* (c, S, Q) of core/snake/geometry.h. S and Q begin at the table's left. */
template <bool WIDE>
__device__ inline CtrSnakeSums
sums_left_of (const SnakeTable &t, int32_t column, int32_t y)
{
  typedef SnakeDepth<WIDE> Depth;
  const uint32_t from_left = (uint32_t) (column - t.left), block = from_left / Depth::BLOCK;
  const int rest = from_left % Depth::BLOCK;
  const typename Depth::Sums before = ((const typename Depth::Sums *) t.sums)[(size_t) (y - t.top) * t.blocks + block];
  uint32_t s1 = 0;
  uint64_t s2 = 0;
  if (rest)
    sum_block<WIDE> (t, column - rest, y, rest, &s1, &s2);
  CtrSnakeSums sums;
  sums.n = column;
  sums.s1 = (int64_t) before.s1 + s1;
  sums.s2 = before.s2 + s2;
  return sums;
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

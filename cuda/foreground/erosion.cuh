/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Erosion of rows of a packed mask in shared memory, by a warp: the AND of the pixels under the element. A row has 32 words, one for
 * each lane. Elements are unions of slabs, see morphology.cu. */
#ifndef CTR_CUDA_FOREGROUND_EROSION_CUH
#define CTR_CUDA_FOREGROUND_EROSION_CUH

#include <stdint.h>

namespace
{

constexpr uint32_t ROW_WORDS = 32;
constexpr int STRIP = 4;             /* rows that a warp makes at a time */
constexpr uint32_t DIRECT_REACH = 8; /* pixels of a row that are combined one by one */
constexpr uint32_t MOST_SQUARE = 8;  /* reach of the squares that have code of their own */

/* Pixels that a rectangle reaches from the anchor. LEFT is at least RIGHT, and at most 31. */
struct Slab {
  uint8_t left, right, above, below;
};

struct Pass {
  uint32_t flip;         /* ~0: the result is complemented */
  uint16_t first, count; /* slabs */
  uint8_t above, below;  /* of the element */
  uint8_t square;        /* the element is a square with this reach; 0: another one */
};

/* SIDE is the word before or, FORWARD, behind WORD. Returns the AND of each pixel of WORD with the REACH < 32 ones before or
 * behind it. Runs of pixels double. */
template <bool FORWARD>
__device__ inline uint32_t
and_run (uint32_t word, uint32_t side, uint32_t reach)
{
  uint32_t run = 1;
#pragma unroll 1
  for (; 2 * run <= reach + 1; run *= 2) {
    word &= FORWARD ? __funnelshift_r (word, side, run) : __funnelshift_l (side, word, run);
    side &= FORWARD ? side >> run : side << run;
  }
  const uint32_t rest = reach + 1 - run;
  return word & (FORWARD ? __funnelshift_r (word, side, rest) : __funnelshift_l (side, word, rest));
}

/* The AND of each pixel with the LEFT ones before it and the RIGHT ones behind it in the row. */
template <int ROWS>
__device__ inline void
and_along_rows (uint32_t rows[ROWS], uint32_t left, uint32_t right)
{
  if (left == 0)
    return;
  uint32_t before[ROWS], behind[ROWS], result[ROWS];
#pragma unroll
  for (int j = 0; j < ROWS; j++) {
    before[j] = __shfl_up_sync (~0u, rows[j], 1); /* Where there is no such lane, the result is in the margin. */
    behind[j] = __shfl_down_sync (~0u, rows[j], 1);
    result[j] = rows[j];
  }
  if (left <= DIRECT_REACH) {
    uint32_t k = 1;
#pragma unroll 1
    for (; k <= right; k++)
#pragma unroll
      for (int j = 0; j < ROWS; j++)
        result[j] &= __funnelshift_r (rows[j], behind[j], k) & __funnelshift_l (before[j], rows[j], k);
#pragma unroll 1
    for (; k <= left; k++)
#pragma unroll
      for (int j = 0; j < ROWS; j++)
        result[j] &= __funnelshift_l (before[j], rows[j], k);
  } else {
#pragma unroll
    for (int j = 0; j < ROWS; j++)
      result[j] = and_run<true> (rows[j], behind[j], right) & and_run<false> (rows[j], before[j], left);
  }
#pragma unroll
  for (int j = 0; j < ROWS; j++)
    rows[j] = result[j];
}

/* RESULT: ROWS successive rows of the erosion by SLABS[COUNT]. FROM: the lane's word of the first row that the first of them
 * depends on. All rows depend on the pixels that they share, CORE, and on some above and below. ROWS - 1 <= the height of
 * each slab. */
template <int ROWS>
__device__ inline void
erode_rows (const uint32_t *from, const Slab *slabs, uint32_t count, uint32_t result[ROWS])
{
  const int above = slabs[count - 1].above; /* the highest */
  const auto row = [&] (int y) { return from[(above + y) * (int) ROW_WORDS]; };
  uint32_t core = ~0u;
  int first = ROWS - 1 - slabs[0].above, last = first - 1; /* of the core */
#pragma unroll
  for (int j = 0; j < ROWS; j++)
    result[j] = ~0u;
#pragma unroll 1
  for (uint32_t i = 0; i < count; i++) {
    const Slab slab = slabs[i];
#pragma unroll 1
    while (first > ROWS - 1 - slab.above)
      core &= row (--first);
#pragma unroll 4
    while (last < slab.below)
      core &= row (++last);
    uint32_t upper = core, lower = ~0u, under[ROWS];
    under[ROWS - 1] = core;
#pragma unroll
    for (int j = ROWS - 2; j >= 0; j--)
      under[j] = upper &= row (j - slab.above);
#pragma unroll
    for (int j = 1; j < ROWS; j++)
      under[j] &= lower &= row (slab.below + j);
    and_along_rows<ROWS> (under, slab.left, slab.right);
#pragma unroll
    for (int j = 0; j < ROWS; j++)
      result[j] &= under[j];
  }
}

/* The same for a square that reaches REACH pixels on all sides. */
template <int REACH>
__device__ inline void
erode_rows_by_square (const uint32_t *from, uint32_t result[STRIP])
{
  constexpr int size = 2 * REACH + 1;
  uint32_t rows[size + STRIP - 1], core = ~0u, lower = ~0u;
#pragma unroll
  for (int i = 0; i < size + STRIP - 1; i++)
    rows[i] = from[i * (int) ROW_WORDS];
#pragma unroll
  for (int i = STRIP - 1; i < size; i++)
    core &= rows[i];
  result[STRIP - 1] = core;
#pragma unroll
  for (int j = STRIP - 2; j >= 0; j--)
    result[j] = core &= rows[j];
#pragma unroll
  for (int j = 1; j < STRIP; j++)
    result[j] &= lower &= rows[size + j - 1];
#pragma unroll
  for (int j = 0; j < STRIP; j++) {
    const uint32_t own = result[j], before = __shfl_up_sync (~0u, own, 1), behind = __shfl_down_sync (~0u, own, 1);
#pragma unroll
    for (int k = 1; k <= REACH; k++)
      result[j] &= __funnelshift_r (own, behind, k) & __funnelshift_l (before, own, k);
  }
}

/* STRIP rows of a pass. */
__device__ inline void
erode_strip (const uint32_t *from, const Pass &pass, const Slab *slabs, uint32_t result[STRIP])
{
  static_assert (MOST_SQUARE == 8, "each square has a case");
  switch (pass.square) {
    case 1:
      return erode_rows_by_square<1> (from, result);
    case 2:
      return erode_rows_by_square<2> (from, result);
    case 3:
      return erode_rows_by_square<3> (from, result);
    case 4:
      return erode_rows_by_square<4> (from, result);
    case 5:
      return erode_rows_by_square<5> (from, result);
    case 6:
      return erode_rows_by_square<6> (from, result);
    case 7:
      return erode_rows_by_square<7> (from, result);
    case 8:
      return erode_rows_by_square<8> (from, result);
  }
  if (pass.count == 1 && pass.above + pass.below >= STRIP - 2) {
    erode_rows<STRIP> (from, slabs, 1, result);
  } else {
    erode_rows<STRIP / 2> (from, slabs, pass.count, result);
    erode_rows<STRIP / 2> (from + STRIP / 2 * ROW_WORDS, slabs, pass.count, result + STRIP / 2);
  }
}

} // namespace

#endif

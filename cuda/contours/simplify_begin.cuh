/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The beginning of simplification, for the first kernel of a kind of contours. */
#ifndef CTR_CUDA_CONTOURS_SIMPLIFY_BEGIN_CUH
#define CTR_CUDA_CONTOURS_SIMPLIFY_BEGIN_CUH

#include "cuda/contours/simplify.cuh"

namespace
{

/* Pieces that a contour of COUNT points has. Its closing position is in one of them, too. */
__device__ inline uint32_t
simplify_pieces (uint32_t count)
{
  return count / SIMPLIFY_SHARE + 1;
}

/* Makes room for a long contour. */
__device__ inline void
simplify_begin_long (const SimplifyArgs &s, uint32_t row, uint32_t first, uint32_t count)
{
  const uint32_t pieces = simplify_pieces (count);
  const unsigned long long before = atomicAdd (&s.counters->longs, 1ull << 32 | pieces);
  const uint32_t own = (uint32_t) (before >> 32), piece = (uint32_t) before;
  s.longs[own] = {row, first, count, piece, pieces, 0, 0, 0, 0};
  for (uint32_t i = 0; i < pieces; i++)
    s.by_piece.owner[piece + i] = own;
  atomicAdd (&s.counters->unfinished, 1);
}

/* By all threads of a kernel, of which this one has number I, of ALL. TABLE has ROWS contours of POINTS points, which are complete. */
__device__ inline void
simplify_begin (
    const SimplifyArgs &s, const CtrContour *table, uint32_t rows, uint32_t points, uint32_t i, uint32_t all)
{
  const uint32_t tiles = simplify_tiles (rows, points);
  if (i == 0) {
    s.counters->rows = rows;
    s.counters->points = points;
  }
  for (uint32_t k = i; k < s.queue_capacity; k += all)
    s.queue[k] = 0;
  for (uint32_t k = i; k < tiles; k += all)
    s.tile_states[k] = 0;
  for (uint32_t row = i; row < rows; row += all) {
    const uint32_t first = (uint32_t) table[row].first, count = table[row].count;
    s.by_row.first[row] = first;
    s.by_row.count[row] = count;
    if (count > SIMPLIFY_SHARE)
      simplify_begin_long (s, row, first, count);
    /* From the row before, whose points end here, to this one; and from the last row to the end. */
    const uint32_t before = row > 0 ? ((uint32_t) table[row - 1].first + row - 1) / SIMPLIFY_SHARE + 1 : 0;
    for (uint32_t tile = before; tile <= (first + row) / SIMPLIFY_SHARE; tile++)
      s.tile_rows[tile] = row;
    if (row + 1 == rows)
      for (uint32_t tile = (first + row) / SIMPLIFY_SHARE + 1; tile <= tiles; tile++)
        s.tile_rows[tile] = rows;
  }
}

} // namespace

#endif

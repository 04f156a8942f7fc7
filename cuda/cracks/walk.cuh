/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The next line of a level to the west of a pixel. */
#ifndef CTR_CUDA_CRACKS_WALK_CUH
#define CTR_CUDA_CRACKS_WALK_CUH

#include "cuda/cracks/vertex.cuh"

namespace
{

/* The sum of what the lanes before LANE have. Called by a whole warp. */
__device__ inline uint32_t
sum_before (uint32_t own, uint32_t lane)
{
  uint32_t sum = threadIdx.x % 32 < lane ? own : 0;
  for (int d = 16; d; d /= 2)
    sum += __shfl_xor_sync (~0u, sum, d);
  return sum;
}

/* The contour of the line of LEVEL_INDEX that runs between vertices (X, Y) and (X, Y + 1), which must be there. It is
 * followed up to its next corner in the tile, or to where it enters or leaves the tile. Called by a whole warp. */
template <bool LABELS>
__device__ inline uint32_t
contour_at_crack (const CracksKernelArgs &f, const ListView *views, uint32_t level_index, uint32_t x, uint32_t y)
{
  const bool equal = by_equal<LABELS> (f);
  const uint32_t lane = threadIdx.x % 32, tile_x = x / VERTEX_TILE, tile = y / VERTEX_TILE * f.tiles_x + tile_x,
                 own_x = tile_x * VERTEX_TILE + lane, within = x % VERTEX_TILE;
  const Around own = Around::vertex<LABELS> (f, x, (int) y - (int) lane);
  const uint32_t mask = own.mask (level_index, equal);
  const uint32_t lanes = __ballot_sync (~0u, lane <= y % VERTEX_TILE && turns_at (mask));
  if (lanes) {
    /* Where two lines turn, the one with the southern arm may be the second. */
    const bool second = mask == MASK_ACROSS ? !f.four_connected : mask == MASK_ALONG && f.four_connected;
    const uint32_t up = __ffs (lanes) - 1, n = __shfl_sync (~0u, own.corners_before (level_index, equal) + second, up);
    y -= up;
    const uint32_t corners = own_x <= f.width ? Around::vertex<LABELS> (f, own_x, y).count_corners (equal) : 0;
    const uint32_t corner = f.row_sums[y * f.tiles_x + tile_x] + sum_before (corners, within) + n;
    return f.contour_by_start[start_of_ring (f, views, corner)];
  }
  y = y / VERTEX_TILE * VERTEX_TILE;
  const uint32_t left = index_at<LABELS> (f, (int) own_x - 1, (int) y - 1),
                 right = index_at<LABELS> (f, own_x, (int) y - 1);
  const uint32_t n = __shfl_sync (~0u, crossings_before (left, right, level_index, equal), within);
  const uint32_t segment = f.by_tile.top[tile] + sum_before (crossings_between (left, right, equal), within) + n;
  return f.contour_by_start[views[segment].key];
}

/* The first pixel from (X, Y) on to the west that is in the level, or with HOLE that is not; -1: none. Called by a
 * whole warp. */
template <bool LABELS>
__device__ inline int
walk_west (const CracksKernelArgs &f, uint32_t level_index, int x, uint32_t y, bool hole)
{
  constexpr int EACH = LABELS ? 4 : 8; /* pixels of a lane, in one load */
  const size_t from = (size_t) y * f.by_pixel.stride;
  const uint4 *row =
      LABELS ? (const uint4 *) (f.label_by_pixel + from) : (const uint4 *) (f.by_pixel.level_index + from);
  const int lane = threadIdx.x % 32;
  for (int last = x / EACH; x >= 0 && last >= 0; last -= 32) {
    const int chunk = last - lane;
    int found = -1;
    if (chunk >= 0) {
      const uint4 four = row[chunk];
      const uint32_t words[4] = {four.x, four.y, four.z, four.w};
#pragma unroll
      for (int i = 0; i < EACH; i++) {
        const uint32_t r = LABELS ? words[i % 4] : words[i / 2] >> 16 * (i % 2) & 0xffff;
        if ((LABELS || f.equal ? r == level_index : r >= level_index) != hole && chunk * EACH + i <= x)
          found = chunk * EACH + i;
      }
    }
    const uint32_t lanes = __ballot_sync (~0u, found >= 0);
    if (lanes)
      return __shfl_sync (~0u, found, __ffs (lanes) - 1);
  }
  return -1;
}

} // namespace

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The next line of a level to the west of a pixel. Some lanes of a warp look for it together: most of what a contour needs is near, and
 * most contours are small and many. */
#ifndef CTR_CUDA_CRACKS_WALK_CUH
#define CTR_CUDA_CRACKS_WALK_CUH

#include "cuda/cracks/vertex.cuh"

namespace
{

/* Few contours do not fill the GPU, and have a warp each: then the time of one walk decides. */
constexpr uint32_t MANY_WALK_LANES = 8, MOST_WALKS_BY_WARPS = 4096;

/* LANES work on one contour. The functions are called by whole warps, each group of lanes with arguments of its own. */
template <uint32_t LANES> struct Walk {
  static __device__ uint32_t
  lane ()
  {
    return threadIdx.x % LANES;
  }

  /* Which lanes of the group have CONDITION. */
  static __device__ uint32_t
  ballot (bool condition)
  {
    return __ballot_sync (~0u, condition) >> (threadIdx.x % 32 - lane ()) & ~0u >> (32 - LANES);
  }

  /* VALUE of a lane of the group. */
  static __device__ uint32_t
  value_of (uint32_t value, uint32_t lane)
  {
    return __shfl_sync (~0u, value, lane, LANES);
  }

  /* The sum of OF (i) for all i below END. */
  template <typename Of>
  static __device__ uint32_t
  sum (uint32_t end, Of of)
  {
    uint32_t n = 0;
    for (uint32_t i = lane (); i < end; i += LANES)
      n += of (i);
    for (uint32_t d = LANES / 2; d; d /= 2)
      n += __shfl_xor_sync (~0u, n, d);
    return n;
  }

  /* The contour of the line of LEVEL_INDEX that runs between vertices (X, Y) and (X, Y + 1), which must be there if it is
   * SOUGHT. It is followed up to its next corner in the tile, or to where it enters or leaves the tile. */
  template <bool LABELS>
  static __device__ uint32_t
  line_at (const CracksKernelArgs &f, const ListView *views, bool sought, uint32_t level_index, uint32_t x, uint32_t y)
  {
    const bool equal = by_equal<LABELS> (f);
    const uint32_t tile_x = x / VERTEX_TILE, left = tile_x * VERTEX_TILE, tile = y / VERTEX_TILE * f.tiles_x + tile_x,
                   within = x % VERTEX_TILE;
    uint32_t n = 0; /* the corner's number among those of its vertex, or the passage's among those of its crack */
    bool found = false, searching = sought;
    for (uint32_t above = 0; __any_sync (~0u, searching); above += LANES) {
      const uint32_t own = above + lane ();
      const Around around = Around::vertex<LABELS> (f, x, (int) y - (int) own);
      const uint32_t mask = around.mask (level_index, equal);
      const uint32_t lanes = ballot (searching && own <= y % VERTEX_TILE && turns_at (mask));
      /* Where two lines turn, the one with the southern arm may be the second. */
      const bool second = mask == MASK_ACROSS ? !f.four_connected : mask == MASK_ALONG && f.four_connected;
      const uint32_t up = lanes ? __ffs (lanes) - 1 : 0;
      const uint32_t corner = value_of (around.corners_before (level_index, equal) + second, up);
      if (lanes) {
        found = true;
        n = corner;
        y -= above + up;
      }
      searching = searching && !lanes && above + LANES <= y % VERTEX_TILE;
    }
    if (sought && !found) {
      y = y / VERTEX_TILE * VERTEX_TILE;
      n = crossings_before (
          index_at<LABELS> (f, (int) x - 1, (int) y - 1), index_at<LABELS> (f, x, (int) y - 1), level_index, equal);
    }
    n += sum (sought ? within : 0, [&] (uint32_t i) {
      const uint32_t own_x = left + i;
      return found ? Around::vertex<LABELS> (f, own_x, y).count_corners (equal)
                   : crossings_between (index_at<LABELS> (f, (int) own_x - 1, (int) y - 1),
                       index_at<LABELS> (f, own_x, (int) y - 1), equal);
    });
    if (!sought)
      return NO_CONTOUR;
    return f.contour_by_start[found ? start_of_ring (f, views, f.row_sums[y * f.tiles_x + tile_x] + n)
                                    : views[f.by_tile.top[tile] + n].key];
  }

  /* The first pixel from (X, Y) on to the west that is in the level, or with HOLE that is not; -1: none, as if X is below 0. */
  template <bool LABELS>
  static __device__ int
  west (const CracksKernelArgs &f, uint32_t level_index, int x, uint32_t y, bool hole)
  {
    constexpr int EACH = LABELS ? 4 : 8; /* pixels of a lane, in one load */
    const size_t from = (size_t) y * f.by_pixel.stride;
    const uint4 *row =
        LABELS ? (const uint4 *) (f.label_by_pixel + from) : (const uint4 *) (f.by_pixel.level_index + from);
    int next = -1, last = x < 0 ? -1 : x / EACH;
    while (__any_sync (~0u, last >= 0)) {
      const int chunk = last - (int) lane ();
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
      const uint32_t lanes = ballot (found >= 0);
      found = (int) value_of ((uint32_t) found, lanes ? __ffs (lanes) - 1 : 0);
      last -= LANES;
      if (lanes) {
        next = found;
        last = -1;
      }
    }
    return next;
  }
};

/* Calls WORK (walk, contour, there) for all contours, by all threads of CTAS. THERE: false for lanes that have no contour left; CONTOUR is
 * one of others then. */
template <uint32_t LANES, typename Work>
__device__ inline void
for_all_walks_by (const CracksKernelArgs &f, const Ctas &ctas, Work work)
{
  constexpr uint32_t groups = 32 / LANES;
  const uint32_t contours = f.counters->header.all_contours, group = threadIdx.x % 32 / LANES;
  for (uint32_t base = ctas.first_index () / 32 * groups; base < contours; base += ctas.index_step () / 32 * groups) {
    const bool there = base + group < contours;
    work (Walk<LANES> (), there ? base + group : base, there);
  }
}

template <typename Work>
__device__ inline void
for_all_walks (const CracksKernelArgs &f, const Ctas &ctas, Work work)
{
  if (f.counters->header.all_contours <= MOST_WALKS_BY_WARPS)
    for_all_walks_by<32> (f, ctas, work);
  else
    for_all_walks_by<MANY_WALK_LANES> (f, ctas, work);
}

/* Threads for the walks from CONTOURS contours. */
inline uint64_t
walk_threads (uint32_t contours)
{
  return (uint64_t) contours * (contours <= MOST_WALKS_BY_WARPS ? 32 : MANY_WALK_LANES);
}

} // namespace

#endif

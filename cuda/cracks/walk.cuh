/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The next line of a level to the west of a pixel. */
#ifndef CTR_CUDA_CRACKS_WALK_CUH
#define CTR_CUDA_CRACKS_WALK_CUH

#include "cuda/cracks/device_state.cuh"

namespace
{

/* The Ith corner by columns: is it of a level before LEVEL_INDEX, or of that one and not behind place WANTED? */
template <bool LABELS>
__device__ inline bool
is_until (const CracksKernelArgs &f, uint32_t i, uint32_t level_index, uint32_t wanted)
{
  const uint32_t place = f.by_corner.place[f.corners_by_column[i]], key = LABELS ? f.sorting.keys[1][1][i] + 1 : 0;
  if (LABELS && key != level_index)
    return key < level_index;
  return (place << 16 | place >> 16) <= wanted;
}

/* The corner at the upper end of the crack between vertices (X, Y) and (X, Y + 1), which must be there: the last corner
 * of its level by columns that does not come after it. With LABELS, all levels are searched. Called by a whole warp, which
 * looks at 32 corners at a time. */
template <bool LABELS>
__device__ inline uint32_t
find_crack (const CracksKernelArgs &f, uint32_t level_index, uint32_t x, uint32_t y)
{
  const uint32_t wanted = x << 16 | y, lane = threadIdx.x % 32;
  uint32_t first = LABELS ? 0 : f.by_level.first_corner[level_index - 1];
  uint32_t end = LABELS ? (uint32_t) f.counters->header.corners : f.by_level.end_corner[level_index - 1];
  while (end - first > 1) { /* The first corner never comes after it. */
    const uint32_t step = (end - first + 31) / 32, i = first + lane * step;
    const uint32_t before = __popc (__ballot_sync (~0u, i < end && is_until<LABELS> (f, i, level_index, wanted)));
    first += (before - 1) * step;
    end = min (end, first + step);
  }
  return f.corners_by_column[first];
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

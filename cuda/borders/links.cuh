/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Segments linked from tile to tile, and contours found by their keys. */
#ifndef CTR_CUDA_BORDERS_LINKS_CUH
#define CTR_CUDA_BORDERS_LINKS_CUH

#include "cuda/borders/device_state.cuh"

namespace
{

/* Segment I, also before it is known whether there are so many: what there is in its place is of no use then. */
__device__ inline ListSegment
load_segment (const BordersKernelArgs &f, uint32_t i)
{
  return i < f.ranking.capacity ? f.ranking.segments[i] : ListSegment ();
}

/* Segment S with the one behind it. The ring goes on in another tile: its segment there is found now that all have numbers. */
template <bool FOUR_CONNECTED>
__device__ inline ListSegment
linked (const BordersKernelArgs &f, ListSegment s)
{
  if (s.maker_data & SEGMENT_UNLINKED) {
    const uint32_t row = f.by_word.per_row * 32, slot = s.maker_data >> SEGMENT_SLOT & 3;
    s.next = f.by_passage.segment[find_passage<FOUR_CONNECTED> (f, s.next % row, s.next / row, slot)];
  }
  s.maker_data &= (1u << SEGMENT_SLOT) - 1;
  return s;
}

__device__ inline ListView
first_view (const ListSegment &s)
{
  return {s.next, s.length, s.key, s.maker_data};
}

/* The number of the contour with KEY. KEYS: those of all COUNT, which descend. */
__device__ inline uint32_t
number_of_key (const uint32_t *keys, uint32_t count, uint32_t key)
{
  uint32_t low = 0, high = count - 1;
  while (low < high) {
    const uint32_t middle = (low + high) / 2;
    if (keys[middle] > key)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

} // namespace

#endif

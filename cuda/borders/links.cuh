/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Segments linked from tile to tile, found at pixels, and contours found by their keys. */
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

__device__ inline uint32_t
neighbours_at (const BordersKernelArgs &f, uint32_t x, uint32_t y)
{
  uint32_t rows[3];
#pragma unroll
  for (int j = 0; j < 3; j++) {
    const int at = (int) x - 1, row = (int) y + j - 1; /* bits X - 1 .. X + 1 */
    const int word = at < 0 ? -1 : at / 32;
    rows[j] = __funnelshift_r (word_at (f, word, row), word_at (f, word + 1, row), at & 31);
  }
  return eight_neighbours (rows[0], rows[1], rows[2]);
}

/* Of a segment, as by_passage has it: its contour; points from its first one to the start of the ring. */
__device__ inline uint2
place_of_segment (const BordersKernelArgs &f, uint32_t segment)
{
  return (
      segment & SEGMENT_CLOSED ? f.by_segment.closed_contour : f.by_segment.open_contour)[segment & ~SEGMENT_CLOSED];
}

/* The segment of the passage at a pixel of foreground whose run has the neighbour in cross direction D, which is background. */
template <bool FOUR_CONNECTED>
__device__ inline uint32_t
segment_facing (const BordersKernelArgs &f, uint32_t x, uint32_t y, uint32_t d)
{
  const uint32_t slot = slot_facing<FOUR_CONNECTED> (neighbours_at (f, x, y), d);
  return f.by_passage.segment[find_passage<FOUR_CONNECTED> (f, x, y, slot)];
}

} // namespace

#endif

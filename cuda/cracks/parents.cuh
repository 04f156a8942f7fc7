/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The hierarchy of the contours of each level.
 *
 * To the west of an outer contour's start, across the background of its level, lies its parent, or an outer contour
 * with the same parent. To the west of a hole's start, across the foreground, likewise. */
#ifndef CTR_CUDA_CRACKS_PARENTS_CUH
#define CTR_CUDA_CRACKS_PARENTS_CUH

#include "cuda/cracks/siblings.cuh"
#include "cuda/cracks/walk.cuh"

namespace
{

/* See contour_kernels.cuh. */
struct CracksPolicy : NumberedPolicy {
  static __device__ bool
  keeps (const Args &f, uint32_t contour)
  {
    return within_limits (f, f.by_row.accumulators[contour]);
  }

  /* Top-level contours are siblings of those of their level. */
  static __device__ uint32_t
  first_parent_key (const Args &f)
  {
    return f.level_count;
  }

  static __device__ uint32_t
  top_level_key (const Args &f, uint32_t contour)
  {
    return f.levels.keys[radix_sorted (f.levels)][contour];
  }
};

/* The first contour of the level of CONTOUR. */
__device__ inline uint32_t
first_of_level (const CracksKernelArgs &f, uint32_t contour)
{
  const uint32_t *levels = f.levels.keys[radix_sorted (f.levels)], own = levels[contour];
  uint32_t first = 0, end = contour;
  while (first < end) {
    const uint32_t middle = first + (end - first) / 2;
    if (levels[middle] < own)
      first = middle + 1;
    else
      end = middle;
  }
  return first;
}

/* Labels may be as large as a word, so the first contour stands for its label. */
struct LabelsPolicy : CracksPolicy {
  static __device__ uint32_t
  first_parent_key (const Args &f)
  {
    return f.contour_capacity;
  }

  static __device__ uint32_t
  top_level_key (const Args &f, uint32_t contour)
  {
    return first_of_level (f, contour);
  }
};

/* Finds each contour's neighbour to the west of its start, which is its parent or has the same parent, by all threads
 * of CTAS. They have contours in the order of their first corners, so that the lanes of a warp look at near places. The arrays are those
 * that the first pass of the sort by levels reads. */
template <bool LABELS>
__device__ inline void
find_west_neighbours (const CracksKernelArgs &f, const Ctas &ctas)
{
  const uint32_t contours = f.counters->header.all_contours;
  for (uint32_t i = ctas.first_index (); i < contours; i += ctas.index_step ()) {
    const uint32_t start = f.levels.values[0][i], level_index = f.levels.keys[0][i] + 1,
                   place = f.by_corner.place[start], y = place >> 16;
    const bool hole = is_hole (f, start);
    const int x = walk_west<LABELS> (f, level_index, (int) (place & 0xffff) - 1, y, hole);
    uint32_t neighbour = NO_PARENT;
    if (hole || x >= 0) {
      neighbour = start_of_line_at<LABELS> (f, level_index, x + 1, y);
      neighbour |= is_hole (f, neighbour) == hole ? SAME_PARENT_AS : 0;
    }
    f.neighbour_by_start[start] = neighbour;
  }
}

/* After the sort by levels: the parent of a contour. Others may look for theirs at the same time. */
__device__ inline uint32_t
find_parent (const CracksKernelArgs &f, uint32_t contour)
{
  const uint32_t start = resolve_parent (f.neighbour_by_start, f.by_contour.starts[contour]);
  return start == NO_PARENT ? NO_PARENT : f.contour_by_start[start];
}

} // namespace

#endif

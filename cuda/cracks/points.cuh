/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Stages at the end: points of contours, and the table. All functions are called by all threads of CTAS. */
#ifndef CTR_CUDA_CRACKS_POINTS_CUH
#define CTR_CUDA_CRACKS_POINTS_CUH

#include "cuda/contours/contour_measures.cuh"
#include "cuda/cracks/device_state.cuh"

namespace
{

/* The points of the contour that starts at corner START; first is NO_CONTOUR if there are none. */
template <bool UNLIMITED>
__device__ inline ContourPoints
points_from (const CracksKernelArgs &f, uint32_t start)
{
  if (UNLIMITED)
    return f.points_by_start[start];
  const uint32_t contour = f.contour_by_start[start], row = f.by_contour.rows ? f.by_contour.rows[contour] : contour;
  return {row == NO_CONTOUR ? NO_CONTOUR : f.by_row.firsts[row], f.by_contour.lengths[contour]};
}

/* UNLIMITED: points_by_start is there. */
template <bool UNLIMITED>
__device__ inline void
write_points (const CracksKernelArgs &f, const Ctas &ctas)
{
  CtrPoint *const points = points_of (f);
  const uint32_t corners = (uint32_t) f.counters->header.corners;
  for (uint32_t i = ctas.first_index (); i < corners; i += ctas.index_step ()) {
    uint32_t start = f.by_corner.exit[i], distance = f.by_corner.steps[i]; /* from here to the start */
    if (distance & STEPS_CLOSED) {
      distance &= ~STEPS_CLOSED;
      start = distance ? start : i;
    } else {
      const ListView view = f.ranking.views[start];
      start = view.key;
      distance += view.distance;
    }
    const ContourPoints own = points_from<UNLIMITED> (f, start);
    /* Where the start is nearer than the end of the segment, DISTANCE is one round too long. */
    const uint32_t rounds = distance > own.count ? 2 : distance ? 1 : 0, position = rounds * own.count - distance;
    if (own.first != NO_CONTOUR) /* x comes first */
      *(uint32_t *) &points[own.first + position] = f.by_corner.place[i];
  }
}

__device__ inline int32_t
parent_row (const CracksKernelArgs &f, uint32_t row)
{
  const uint32_t parent = f.hierarchy.parents[f.by_contour.rows ? f.by_row.contours[row] : row];
  return parent == NO_PARENT ? -1 : (int32_t) (f.by_contour.rows ? f.by_contour.rows[parent] : parent);
}

/* But for siblings and children. */
__device__ inline void
write_table (const CracksKernelArgs &f, const Ctas &ctas)
{
  CtrContour *const table = f.output->table;
  const uint32_t rows = f.counters->header.contours;
  for (uint32_t i = ctas.first_index (); i < rows; i += ctas.index_step ()) {
    const uint32_t contour = f.by_contour.rows ? f.by_row.contours[i] : i, start = f.by_contour.starts[contour];
    const ContourAccumulator a = f.by_row.accumulators[f.limited ? contour : i];
    CtrContour c;
    c.first = f.by_row.firsts[i];
    c.area2 = a.area2;
    c.length = a.length;
    c.count = f.by_row.lengths[i];
    c.next = c.previous = c.child = -1; /* until they are linked */
    c.parent = parent_row (f, i);
    c.flags = is_hole (f, start) ? CTR_CONTOUR_HOLE : 0;
    const uint32_t level_index = f.by_corner.level_index[start];
    c.level = f.labels ? level_index : f.level_by_index[level_index - 1];
    c.left = a.min_x;
    c.top = a.min_y;
    c.width = a.max_x - a.min_x;
    c.height = a.max_y - a.min_y;
    c.region = 0;
    table[i] = c;
  }
}

} // namespace

#endif

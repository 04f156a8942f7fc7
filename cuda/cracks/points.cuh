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
  constexpr uint32_t AT_ONCE = 4; /* A corner takes a chain of loads: those of some corners overlap. */
  CtrPoint *const points = points_of (f);
  const uint32_t corners = (uint32_t) f.counters->header.corners, step = ctas.index_step ();
  for (uint32_t first = ctas.first_index (); first < corners; first += AT_ONCE * step) {
    uint32_t starts[AT_ONCE], distances[AT_ONCE], places[AT_ONCE]; /* DISTANCES from a corner to the start */
#pragma unroll
    for (uint32_t k = 0; k < AT_ONCE; k++) {
      const uint32_t i = first + k * step;
      starts[k] = i < corners ? f.by_corner.exit[i] : 0;
      distances[k] = i < corners ? f.by_corner.steps[i] : STEPS_CLOSED;
      places[k] = i < corners ? f.by_corner.place[i] : 0;
    }
#pragma unroll
    for (uint32_t k = 0; k < AT_ONCE; k++) {
      if (distances[k] & STEPS_CLOSED) {
        distances[k] &= ~STEPS_CLOSED;
        starts[k] = distances[k] ? starts[k] : first + k * step;
      } else {
        const ListView view = f.ranking.views[starts[k]];
        starts[k] = view.key;
        distances[k] += view.distance;
      }
    }
    ContourPoints own[AT_ONCE];
#pragma unroll
    for (uint32_t k = 0; k < AT_ONCE; k++) {
      own[k] = {NO_CONTOUR, 0};
      if (first + k * step < corners)
        own[k] = points_from<UNLIMITED> (f, starts[k]);
    }
#pragma unroll
    for (uint32_t k = 0; k < AT_ONCE; k++) {
      if (own[k].first == NO_CONTOUR)
        continue;
      /* Where the start is nearer than the end of the segment, the distance is one round too long. */
      const uint32_t rounds = distances[k] > own[k].count ? 2
                              : distances[k]              ? 1
                                                          : 0,
                     position = rounds * own[k].count - distances[k];
      *(uint32_t *) &points[own[k].first + position] = places[k]; /* x comes first */
    }
  }
}

__device__ inline int32_t
parent_row (const CracksKernelArgs &f, uint32_t row)
{
  const uint32_t parent = f.hierarchy.parents[f.by_contour.rows ? f.by_row.contours[row] : row];
  return parent == NO_PARENT ? -1 : (int32_t) (f.by_contour.rows ? f.by_contour.rows[parent] : parent);
}

/* A row of the table, but for its measures, siblings and children. */
__device__ inline CtrContour
begin_row (const CracksKernelArgs &f, uint32_t row)
{
  const uint32_t contour = f.by_contour.rows ? f.by_row.contours[row] : row;
  const uint32_t level = f.levels.keys[radix_sorted (f.levels)][contour];
  CtrContour c;
  c.first = f.by_row.firsts[row];
  c.count = f.by_row.lengths[row];
  c.next = c.previous = c.child = -1; /* until they are linked */
  c.parent = parent_row (f, row);
  c.flags = is_hole (f, f.by_contour.starts[contour]) ? CTR_CONTOUR_HOLE : 0;
  c.level = f.labels ? level + 1 : f.level_by_index[level];
  c.region = 0;
  return c;
}

__device__ inline void
set_measures (CtrContour *c, const ContourAccumulator &a)
{
  c->area2 = a.area2;
  c->length = a.length;
  c->left = a.min_x;
  c->top = a.min_y;
  c->width = a.max_x - a.min_x;
  c->height = a.max_y - a.min_y;
}

/* But for siblings and children. */
__device__ inline void
write_table (const CracksKernelArgs &f, const Ctas &ctas)
{
  CtrContour *const table = f.output->table;
  const uint32_t rows = f.counters->header.contours;
  for (uint32_t i = ctas.first_index (); i < rows; i += ctas.index_step ()) {
    CtrContour c = begin_row (f, i);
    set_measures (&c, f.by_row.accumulators[f.limited ? f.by_row.contours[i] : i]);
    table[i] = c;
  }
}

} // namespace

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The search for an edge beside a point (core/results/subpixel_axis.h), with four lanes a point: there are few points for a GPU,
 * and each takes long. The lanes share the lines across the axis; then each has the sums at two places and looks between them. What
 * needs one lane a point is left to one warp for all points of its CTA.
 *
 * A warp calls search_derive() and search_edge() with all of its lanes, also those that have no point. */
#ifndef CTR_CUDA_CONTOURS_EDGE_SEARCH_CUH
#define CTR_CUDA_CONTOURS_EDGE_SEARCH_CUH

#include "cuda/contours/contour_subpixel.cuh"

#include "core/results/subpixel_axis.h"

constexpr int SEARCH_LANES = CTR_SUBPIXEL_PLACES - 1, SEARCH_POINTS = 32, SEARCH_THREADS = SEARCH_POINTS * SEARCH_LANES;
constexpr int SEARCH_USUAL_RADIUS = 4; /* of CTR_SUBPIXEL_SIGMA */
constexpr int SEARCH_LINES = 36;       /* room for 33; so that the lanes of a warp use all banks */
static_assert (2 * (CTR_SUBPIXEL_RADIUS + CTR_SUBPIXEL_REACH) + 1 <= SEARCH_LINES && 32 % SEARCH_LANES == 0, "room");

/* The lines of a CTA's points. */
struct SearchLines {
  int32_t smooth[SEARCH_POINTS][SEARCH_LINES], slope[SEARCH_POINTS][SEARCH_LINES], bend[SEARCH_POINTS][SEARCH_LINES];
};

/* A lane of a point. */
struct SearchLane {
  SearchLines &lines;
  uint32_t point, lane; /* the number of the point in the CTA, of the lane in its four */

  __device__ explicit SearchLane (SearchLines &lines)
      : lines (lines), point (threadIdx.x / SEARCH_LANES), lane (threadIdx.x % SEARCH_LANES)
  {
  }

  /* Pixels of the first of the lane's two places from the point. */
  __device__ int32_t
  place () const
  {
    return (int32_t) lane - CTR_SUBPIXEL_REACH;
  }
};

/* RADIUS 0: that of the rule. DEPTH 0: that of the plane. */
template <int RADIUS, int DEPTH, bool INSIDE>
__device__ inline void
search_write_lines (const SearchLane &own, const CtrSubpixelRule *rule, const CtrSubpixelPlane *plane, CtrPoint point,
    CtrSubpixelAxis axis)
{
  CtrSubpixelPlane samples = *plane;
  if (DEPTH)
    samples.depth = DEPTH;
  const int32_t radius = RADIUS ? RADIUS : (int32_t) rule->radius, reach = radius + CTR_SUBPIXEL_REACH;
#pragma unroll
  for (int32_t i = 0; i <= 2 * reach; i += SEARCH_LANES) {
    const int32_t at = i + (int32_t) own.lane;
    if (at > 2 * reach)
      break;
    const CtrSubpixelLine line = ctr_subpixel_line (rule, radius, &samples, point, axis, at - reach, INSIDE);
    own.lines.smooth[own.point][at] = line.smooth;
    own.lines.slope[own.point][at] = line.slope;
    own.lines.bend[own.point][at] = line.bend;
  }
}

/* The sums at the lane's two places. */
template <int RADIUS>
__device__ inline void
search_add_lines (const SearchLane &own, const CtrSubpixelRule *rule, CtrSubpixelSums sums[2])
{
  const int32_t radius = RADIUS ? RADIUS : (int32_t) rule->radius;
  sums[0] = sums[1] = {};
#pragma unroll
  for (int32_t i = 0; i <= 2 * radius + 1; i++) {
    const uint32_t at = own.lane + i;
    const CtrSubpixelLine line = {
        own.lines.smooth[own.point][at], own.lines.slope[own.point][at], own.lines.bend[own.point][at]};
    if (i <= 2 * radius)
      ctr_subpixel_add (rule, i - radius, &line, &sums[0]);
    if (i > 0)
      ctr_subpixel_add (rule, i - 1 - radius, &line, &sums[1]);
  }
}

/* The sums at the lane's two places on AXIS, where SEARCHES. */
__device__ inline void
search_derive (const SearchLane &own, bool searches, const CtrSubpixelRule *rule, const CtrSubpixelPlane *plane,
    CtrPoint point, CtrSubpixelAxis axis, CtrSubpixelSums sums[2])
{
  const bool inside = searches && ctr_subpixel_inside (rule, plane, point), usual = rule->radius == SEARCH_USUAL_RADIUS;
  /* What is constant lets the compiler unroll the loops. */
  if (inside && usual && plane->depth == 8)
    search_write_lines<SEARCH_USUAL_RADIUS, 8, true> (own, rule, plane, point, axis);
  else if (inside && usual)
    search_write_lines<SEARCH_USUAL_RADIUS, 16, true> (own, rule, plane, point, axis);
  else if (inside)
    search_write_lines<0, 0, true> (own, rule, plane, point, axis);
  else if (searches)
    search_write_lines<0, 0, false> (own, rule, plane, point, axis);
  __syncwarp ();
  if (searches && usual)
    search_add_lines<SEARCH_USUAL_RADIUS> (own, rule, sums);
  else if (searches)
    search_add_lines<0> (own, rule, sums);
  __syncwarp ();
}

/* Writes the edge nearest to MIDDLE, in 1/256 pixel along the axis, and the first one of two equally near ones, TO shared memory. */
__device__ inline void
search_edge (const SearchLane &own, bool searches, const CtrSubpixelRule *rule, const CtrSubpixelSums sums[2],
    CtrSubpixelRoom room, int32_t middle, CtrSubpixelEdge *to)
{
  CtrSubpixelChange first = {}, second = {};
  int32_t t = -1;
  if (searches) {
    first = ctr_subpixel_change (&sums[0]);
    second = ctr_subpixel_change (&sums[1]);
    t = ctr_subpixel_edge_between (rule, own.place (), &first, &second, room);
  }
  const uint32_t key = t < 0 ? UINT32_MAX : (uint32_t) abs (own.place () * 256 + t - middle) * SEARCH_LANES + own.lane;
  uint32_t nearest = key;
#pragma unroll
  for (int lanes = 1; lanes < SEARCH_LANES; lanes *= 2)
    nearest = min (nearest, __shfl_xor_sync (~0u, nearest, lanes));
  if (nearest == UINT32_MAX ? own.lane == 0 : key == nearest)
    *to = nearest == UINT32_MAX ? CtrSubpixelEdge{}
                                : ctr_subpixel_edge_at (rule, own.place (), t, first.sign, &sums[0], &sums[1]);
}

#endif

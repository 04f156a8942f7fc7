/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/results/simplify.h"

#include "core/common/poll.h"
#include "core/results/simplify_rule.h"

/* The first of the points farthest from point START, counted from START. This and the functions below return false if
 * the work is cancelled. */
static bool
farthest_from_point (const CtrPoint *points, uint32_t count, uint32_t start, uint32_t *farthest, int64_t *distance)
{
  uint64_t work = 0;
  *farthest = 0;
  *distance = 0;
  for (uint32_t i = 1, at = start; i < count; i++) {
    if (ctr_poll (&work, 1))
      return false;
    at = at + 1 < count ? at + 1 : 0;
    const int64_t d = ctr_simplify_distance2 (points[start], points[at]);
    if (d > *distance) {
      *distance = d;
      *farthest = i;
    }
  }
  return true;
}

/* Are the points between FIRST and LAST within epsilon of the segment that connects these? If not, SPLIT is the first
 * of the farthest points. Indices are counted from START. */
static bool
find_split (const CtrPoint *points, uint32_t count, uint32_t start, uint32_t first, uint32_t last,
    double epsilon_squared, bool *straight, uint32_t *split, uint64_t *work)
{
  *straight = true;
  if (last - first == 1)
    return true;
  uint32_t at = (uint32_t) (((uint64_t) start + first) % count);
  const CtrPoint from = points[at];
  const CtrSimplifyVector line = ctr_simplify_from_to (from, points[((uint64_t) start + last) % count]);
  const int64_t whole = ctr_simplify_dot (line, line);
  double most = 0;
  for (uint32_t i = first + 1; i < last; i++) {
    if (ctr_poll (work, 1))
      return false;
    at = at + 1 < count ? at + 1 : 0;
    const double distance = ctr_simplify_scaled_distance (line, whole, ctr_simplify_from_to (from, points[at]));
    if (distance > most) {
      most = distance;
      *split = i;
    }
  }
  *straight = ctr_simplify_is_straight (most, whole, epsilon_squared);
  return true;
}

/* Pending pieces are consecutive, so a stack of their ends is enough. Returns the number of points kept; 0 if the work
 * is cancelled. */
static uint32_t
split_line (const CtrPoint *points, uint32_t count, uint32_t start, uint32_t farthest, double epsilon_squared,
    CtrPoint *to, uint32_t *indices, uint32_t *ends)
{
  uint32_t kept = 0, pending = 0, first = 0, split = 0;
  uint64_t work = 0;
  ends[pending++] = count;
  ends[pending++] = farthest;
  while (pending > 0) {
    const uint32_t last = ends[pending - 1];
    bool straight;
    if (!find_split (points, count, start, first, last, epsilon_squared, &straight, &split, &work))
      return 0;
    if (straight) {
      const uint32_t at = (uint32_t) (((uint64_t) start + first) % count);
      if (indices)
        indices[kept] = at;
      to[kept++] = points[at];
      first = last;
      pending--;
    } else {
      ends[pending++] = split;
    }
  }
  return kept;
}

/* Drops points that nearly lie on the segment from the last point kept to the next one, unless that segment is
 * horizontal or vertical. The successor of a dropped point is kept. The successor of the last point is the first point,
 * which may have changed by then. Returns the number of points that remain; 0 if the work is cancelled. */
static uint32_t
drop_straight (CtrPoint *points, uint32_t *indices, uint32_t count, double epsilon_squared)
{
  uint32_t remaining = count, kept = 0, next = 1 % count;
  CtrPoint before = points[count - 1], point = points[0];
  uint32_t index = indices ? indices[0] : 0;
  uint64_t work = 0;
  for (uint32_t i = 0; i < count && remaining > 2; i++) {
    const CtrPoint after = points[next];
    const uint32_t after_index = indices ? indices[next] : 0;
    if (ctr_poll (&work, 1))
      return 0;
    next = next + 1 < count ? next + 1 : 0;
    if (ctr_simplify_is_needless (before, point, after, epsilon_squared)) {
      remaining--;
      if (indices)
        indices[kept] = after_index;
      points[kept++] = before = after;
      point = points[next];
      index = indices ? indices[next] : 0;
      next = next + 1 < count ? next + 1 : 0;
      i++;
    } else {
      if (indices)
        indices[kept] = index;
      points[kept++] = before = point;
      point = after;
      index = after_index;
    }
  }
  return remaining;
}

uint32_t
ctr_simplify (const CtrPoint *points, uint32_t count, double epsilon, CtrPoint *to, uint32_t *indices, uint32_t *work)
{
  const double epsilon_squared = epsilon * epsilon;
  /* Finds two points far apart: three times, the farthest point from the current one. */
  uint32_t start = 0, farthest = 0;
  int64_t distance = 0;
  for (int i = 0; i < 3; i++) {
    start = (uint32_t) (((uint64_t) start + farthest) % count);
    if (!farthest_from_point (points, count, start, &farthest, &distance))
      return 0;
  }
  if (ctr_simplify_is_point (distance, epsilon_squared)) {
    to[0] = points[start];
    if (indices)
      indices[0] = start;
    return 1;
  }
  const uint32_t kept = split_line (points, count, start, farthest, epsilon_squared, to, indices, work);
  return kept > 0 ? drop_straight (to, indices, kept, epsilon_squared) : 0;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The decisions of simplification, equal on both backends. For host and CUDA device code. Internal.
 *
 * All values are whole numbers, but for products of two of them, which are doubles that are rounded where OpenCV rounds them. No
 * product is added to anything, so there is nothing that a compiler could contract. */
#ifndef CTR_CORE_RESULTS_SIMPLIFY_RULE_H
#define CTR_CORE_RESULTS_SIMPLIFY_RULE_H

#include "core/results/exact.h"

#include <contours/contourlist.h>

CTR_BEGIN_DECLS

typedef struct {
  int32_t x;
  int32_t y;
} CtrSimplifyVector;

CTR_SHAPE_RULE CtrSimplifyVector
ctr_simplify_from_to (CtrPoint a, CtrPoint b)
{
  const CtrSimplifyVector v = {(int32_t) b.x - a.x, (int32_t) b.y - a.y};
  return v;
}

CTR_SHAPE_RULE int64_t
ctr_simplify_dot (CtrSimplifyVector a, CtrSimplifyVector b)
{
  return (int64_t) a.x * b.x + (int64_t) a.y * b.y;
}

/* The dot product in 32 bits, as in OpenCV: it wraps around for vectors longer than 46340. */
CTR_SHAPE_RULE double
ctr_simplify_narrow_dot (CtrSimplifyVector a, CtrSimplifyVector b)
{
  return (int32_t) (uint32_t) ctr_simplify_dot (a, b);
}

CTR_SHAPE_RULE double
ctr_simplify_cross (CtrSimplifyVector a, CtrSimplifyVector b)
{
  return (double) ((int64_t) a.x * b.y - (int64_t) a.y * b.x);
}

/* Below 2^33. */
CTR_SHAPE_RULE int64_t
ctr_simplify_distance2 (CtrPoint a, CtrPoint b)
{
  const CtrSimplifyVector v = ctr_simplify_from_to (a, b);
  return ctr_simplify_dot (v, v);
}

/* The squared distance of the point at V from the segment LINE, times the squared length of LINE, which is WHOLE. V and LINE start at
 * the same point. It is negative where OpenCV's is. */
CTR_SHAPE_RULE double
ctr_simplify_scaled_distance (CtrSimplifyVector line, int64_t whole, CtrSimplifyVector v)
{
  const int64_t along = ctr_simplify_dot (line, v);
  if (along < 0)
    return ctr_simplify_narrow_dot (v, v) * (double) whole;
  if (along > whole) {
    const CtrSimplifyVector from_end = {v.x - line.x, v.y - line.y};
    return ctr_simplify_narrow_dot (from_end, from_end) * (double) whole;
  }
  const double area = ctr_simplify_cross (line, v);
  return area * area;
}

/* Is the contour as small as EPSILON? DISTANCE2: of two points that are far apart. */
CTR_SHAPE_RULE bool
ctr_simplify_is_point (int64_t distance2, double epsilon_squared)
{
  return (double) distance2 <= epsilon_squared;
}

/* Does a segment whose squared length is WHOLE do for all points before its end? MOST: the greatest of their scaled distances, or 0. */
CTR_SHAPE_RULE bool
ctr_simplify_is_straight (double most, int64_t whole, double epsilon_squared)
{
  return most <= epsilon_squared * (double) whole;
}

/* Is POINT, which remained, nearly on the way from BEFORE to AFTER, which is neither horizontal nor vertical? */
CTR_SHAPE_RULE bool
ctr_simplify_is_needless (CtrPoint before, CtrPoint point, CtrPoint after, double epsilon_squared)
{
  const CtrSimplifyVector line = ctr_simplify_from_to (before, after), in = ctr_simplify_from_to (before, point),
                          out = ctr_simplify_from_to (point, after);
  const double distance = ctr_simplify_cross (line, in);
  return distance * distance <= 0.5 * epsilon_squared * (double) ctr_simplify_dot (line, line) && line.x != 0
         && line.y != 0 && ctr_simplify_narrow_dot (in, out) >= 0;
}

CTR_END_DECLS

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cpu/borders/measures.h"

#include "core/common/poll.h"

#include <math.h>

/* The length in CTR_LENGTH_UNIT, rounded as in cv::arcLength(). */
static inline uint64_t
segment_length (int32_t dx, int32_t dy)
{
  const float x = (float) dx, y = (float) dy;
  return (uint64_t) (sqrtf (x * x + y * y) * (1 << 23));
}

static inline __attribute__ ((always_inline)) bool
measure (const CtrPoint *points, uint64_t count, bool closed, bool unit, CtrLineMeasures *measures)
{
  const uint64_t straight = segment_length (1, 0), diagonal = segment_length (1, 1);
  const CtrPoint first = points[0];
  uint16_t left = first.x, top = first.y, right = first.x, bottom = first.y;
  int64_t area2 = 0;
  uint64_t length = 0;
  CtrPoint from = closed ? points[count - 1] : first;
  for (uint64_t i = closed ? 0 : 1, end = i; i < count; i++) {
    if (i == end) {
      end = ctr_poll_end (i, count);
      if (i > 1 && ctr_cancelled ())
        return false;
    }
    const CtrPoint to = points[i];
    const int32_t dx = to.x - from.x, dy = to.y - from.y;
    area2 += (int64_t) from.x * dy - (int64_t) from.y * dx;
    if (unit)
      length += dx && dy ? diagonal : straight;
    else
      length += segment_length (dx, dy);
    left = to.x < left ? to.x : left;
    right = to.x > right ? to.x : right;
    top = to.y < top ? to.y : top;
    bottom = to.y > bottom ? to.y : bottom;
    from = to;
  }
  *measures = (CtrLineMeasures){area2, length, left, top, right, bottom};
  return true;
}

bool
ctr_measure_line (const CtrPoint *points, uint64_t count, bool closed, bool unit, CtrLineMeasures *measures)
{
  if (closed)
    return unit ? measure (points, count, true, true, measures) : measure (points, count, true, false, measures);
  return unit ? measure (points, count, false, true, measures) : measure (points, count, false, false, measures);
}

void
ctr_measures_close (CtrLineMeasures *measures, CtrPoint from, CtrPoint to)
{
  const int32_t dx = to.x - from.x, dy = to.y - from.y;
  measures->area2 += (int64_t) from.x * dy - (int64_t) from.y * dx;
  measures->length += segment_length (dx, dy);
}

void
ctr_measures_join (CtrLineMeasures *measures, CtrPoint from, CtrPoint to, const CtrLineMeasures *more)
{
  ctr_measures_close (measures, from, to);
  measures->area2 += more->area2;
  measures->length += more->length;
  measures->left = more->left < measures->left ? more->left : measures->left;
  measures->right = more->right > measures->right ? more->right : measures->right;
  measures->top = more->top < measures->top ? more->top : measures->top;
  measures->bottom = more->bottom > measures->bottom ? more->bottom : measures->bottom;
}

CtrContour
ctr_measures_row (const CtrLineMeasures *measures, uint32_t count)
{
  return (CtrContour){
      .count = count,
      .area2 = measures->area2,
      .length = count > 1 ? measures->length : 0,
      .left = measures->left,
      .top = measures->top,
      .width = (uint16_t) (measures->right - measures->left + 1),
      .height = (uint16_t) (measures->bottom - measures->top + 1),
  };
}

bool
ctr_measures_kept (const CtrContour *row, const CtrBordersPlan *plan)
{
  const uint64_t area2 = (uint64_t) (row->area2 < 0 ? -row->area2 : row->area2);
  return area2 >= plan->min_area2 && area2 <= plan->max_area2 && row->length >= plan->min_length
         && row->width >= plan->min_width && row->height >= plan->min_height;
}

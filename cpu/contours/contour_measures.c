/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cpu/contours/contour_measures.h"

#include "core/common/poll.h"

/* Beginning with the segment FROM a point. False if the work is cancelled. */
static bool
sum_segments (CtrPoint from, const CtrPoint *points, uint64_t count, CtrContourSums *sums)
{
  __int128 sum[10] = {0};
  int64_t x0 = from.x, y0 = from.y;
  for (uint64_t i = 0, end = 0; i < count; i++) {
    if (i == end) {
      end = ctr_poll_end (i, count);
      if (i > 0 && ctr_cancelled ())
        return false;
    }
    const int64_t x1 = points[i].x, y1 = points[i].y, x = x0 + x1, y = y0 + y1;
    const int64_t xx0 = x0 * x0, xx1 = x1 * x1, yy0 = y0 * y0, yy1 = y1 * y1;
    const __int128 c = x0 * y1 - x1 * y0;
    sum[0] += c;
    sum[1] += c * x;
    sum[2] += c * y;
    sum[3] += c * (x0 * x + xx1);
    sum[4] += c * (x0 * (y + y0) + x1 * (y + y1));
    sum[5] += c * (y0 * y + yy1);
    sum[6] += c * (x * (xx0 + xx1));
    sum[7] += c * (xx0 * (3 * y0 + y1) + 2 * x0 * x1 * y + xx1 * (y0 + 3 * y1));
    sum[8] += c * (yy0 * (3 * x0 + x1) + 2 * y0 * y1 * x + yy1 * (x0 + 3 * x1));
    sum[9] += c * (y * (yy0 + yy1));
    x0 = x1;
    y0 = y1;
  }
  for (int i = 0; i < 10; i++) {
    sums->words[i][0] = (uint64_t) sum[i];
    sums->words[i][1] = (uint64_t) (sum[i] >> 64);
  }
  return true;
}

bool
ctr_contour_sums (const CtrPoint *points, uint32_t count, CtrContourSums *sums)
{
  return sum_segments (points[count - 1], points, count, sums);
}

/* A segment from a point to itself adds nothing. */
bool
ctr_contour_part_sums (const CtrPoint *points, uint64_t count, CtrContourSums *sums)
{
  return sum_segments (points[0], points, count, sums);
}

void
ctr_contour_sums_add (CtrContourSums *sums, const CtrContourSums *more)
{
  for (int i = 0; i < 10; i++) {
    const uint64_t low = sums->words[i][0] + more->words[i][0];
    sums->words[i][1] += more->words[i][1] + (low < more->words[i][0]);
    sums->words[i][0] = low;
  }
}

void
ctr_contour_sums_add_segment (CtrContourSums *sums, CtrPoint from, CtrPoint to)
{
  CtrContourSums segment;
  sum_segments (from, &to, 1, &segment);
  ctr_contour_sums_add (sums, &segment);
}

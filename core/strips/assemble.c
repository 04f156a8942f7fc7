/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The result of a strip. */
#include "core/common/error.h"
#include "core/common/poll.h"
#include "core/results/contourlist.h"
#include "core/strips/contourstrips.h"
#include "cpu/borders/measures.h"
#include "cpu/contours/contour_measures.h"

#include <string.h>

typedef struct {
  const CtrStrips *strips;
  const CtrStripLane *lane;
  const CtrContours *inside; /* NULL: no window */
  const CtrWindow *window;
  const CtrContourSums *sums; /* of the window */
  const CtrJoined *joined;
  uint32_t next_inside, next_joined; /* rows not yet seen */
} Merge;

/* A contour of the result: in the window, or joined. */
typedef struct {
  const CtrContour *row;
  const CtrPoint *points;
  const CtrContourSums *sums; /* NULL: to be computed */
  uint32_t shift;             /* from its rows to those of the result */
} Entry;

/* Of a border in the window, which is not a hole, in the web: the first point is where it starts. */
static uint64_t
key_of (const Merge *merge, const CtrContour *inside)
{
  const CtrPoint *start = merge->window->points + inside->first;
  return ctr_start_key (CTR_COORDINATES_PIXELS, merge->lane->row + start->y, start->x, false);
}

/* Does a joined contour come next? They began above those of the window, INSIDE, if any is left. But a hole begins at its
 * first background pixel, which may be in the row of the window where an outer border begins. */
static bool
joined_comes_next (const Merge *merge, const CtrContour *inside)
{
  if (merge->next_joined >= merge->strips->stitcher.joined_count)
    return false;
  const CtrContour *joined = &merge->joined[merge->next_joined].row;
  if (merge->strips->kind->coordinates == CTR_COORDINATES_PIXELS)
    return !inside
           || (!(inside->flags & CTR_CONTOUR_HOLE) && !(joined->flags & CTR_CONTOUR_OPEN)
               && merge->joined[merge->next_joined].key > key_of (merge, inside));
  return !inside || joined->level < inside->level
         || (joined->level == inside->level && !(joined->flags & CTR_CONTOUR_OPEN));
}

static const CtrContour *
peek_inside (Merge *merge)
{
  const CtrWindow *window = merge->window;
  for (; merge->inside && merge->next_inside < window->count; merge->next_inside++) {
    const CtrContour *row = window->table + merge->next_inside;
    if (ctr_window_owns (window, merge->strips->kind->coordinates, row)
        && (!merge->lane->plan.limited || ctr_measures_kept (row, &merge->lane->plan)))
      return row;
  }
  return NULL;
}

/* The next contour of the result that is within the limits. False: there is none. */
static bool
next_entry (Merge *merge, Entry *entry)
{
  const CtrStitcher *stitcher = &merge->strips->stitcher;
  const CtrContour *inside = peek_inside (merge);
  while (joined_comes_next (merge, inside)) {
    const CtrJoined *joined = merge->joined + merge->next_joined++;
    if (joined->row.flags & CTR_CONTOUR_OPEN || ctr_measures_kept (&joined->row, &merge->lane->plan)) {
      *entry = (Entry){&joined->row, (const CtrPoint *) stitcher->points.data + joined->row.first, NULL,
          (uint32_t) (joined->top - merge->lane->origin_row)};
      return true;
    }
  }
  if (!inside)
    return false;
  *entry = (Entry){inside, merge->window->points + inside->first, merge->sums ? merge->sums + merge->next_inside : NULL,
      (uint32_t) (merge->lane->row - merge->lane->origin_row)};
  merge->next_inside++;
  return true;
}

static inline __int128
sum_at (const CtrContourSums *sums, int i)
{
  return (__int128) ((unsigned __int128) sums->words[i][1] << 64 | sums->words[i][0]);
}

/* Moves a contour's sums down by D rows. As the sums are multiples of its moments, these are binomials. */
static void
shift_sums (CtrContourSums *sums, int64_t d)
{
  __int128 a[10];
  for (int i = 0; i < 10; i++)
    a[i] = sum_at (sums, i);
  a[9] += 5 * d * a[5] + 10 * d * d * a[2] + 10 * d * d * d * a[0];
  a[8] += 5 * d * a[4] + 10 * d * d * a[1];
  a[7] += 5 * d * a[3];
  a[5] += 4 * d * a[2] + 6 * d * d * a[0];
  a[4] += 4 * d * a[1];
  a[2] += 3 * d * a[0];
  for (int i = 0; i < 10; i++) {
    sums->words[i][0] = (uint64_t) a[i];
    sums->words[i][1] = (uint64_t) (a[i] >> 64);
  }
}

static bool
write_sums (const Entry *entry, CtrContourSums *to)
{
  if (entry->row->flags & CTR_CONTOUR_OPEN) {
    *to = (CtrContourSums){0};
    return true;
  }
  if (entry->sums)
    *to = *entry->sums;
  else if (!ctr_contour_sums (entry->points, entry->row->count, to))
    return false;
  shift_sums (to, entry->shift);
  return true;
}

/* Points of contours that follow one another in both lists, not written yet: many contours have few points. */
typedef struct {
  const CtrPoint *from;
  CtrPoint *to;
  uint64_t count;
  uint32_t shift;
} Points;

static void
write_points (Points *points)
{
  const uint16_t shift = (uint16_t) points->shift;
  const CtrPoint *restrict from = points->from;
  CtrPoint *restrict to = points->to;
  for (uint64_t i = 0; i < points->count; i++)
    to[i] = (CtrPoint){from[i].x, (uint16_t) (from[i].y + shift)};
  points->to += points->count;
  points->count = 0;
}

static void
add_points (Points *points, const Entry *entry)
{
  if (entry->points != points->from + points->count || entry->shift != points->shift) {
    write_points (points);
    points->from = entry->points;
    points->shift = entry->shift;
  }
  points->count += entry->row->count;
}

static void
write_row (const CtrStrips *strips, const Entry *entry, uint32_t index, uint32_t count, uint64_t first, CtrContour *to)
{
  *to = *entry->row;
  to->first = first;
  to->top = (uint16_t) (to->top + entry->shift);
  to->next = to->previous = to->child = to->parent = -1;
  if (strips->kind->coordinates == CTR_COORDINATES_CORNERS)
    return;
  to->next = index + 1 < count ? (int32_t) index + 1 : -1;
  to->previous = (int32_t) index - 1;
}

static bool
count_entries (Merge merge, CtrContours *info)
{
  Entry entry;
  uint64_t work = 0;
  while (next_entry (&merge, &entry)) {
    info->count++;
    info->point_count += entry.row->count;
    info->unfinished += (entry.row->flags & CTR_CONTOUR_OPEN) != 0;
    if (info->count > INT32_MAX || ctr_poll (&work, 4))
      return false;
  }
  return true;
}

static bool
write_entries (Merge merge, const CtrContours *info, const CtrContourArrays *arrays)
{
  Entry entry;
  Points points = {.to = arrays->points};
  uint64_t first = 0, work = 0;
  for (uint32_t i = 0; next_entry (&merge, &entry); i++) {
    write_row (merge.strips, &entry, i, info->count, first, arrays->table + i);
    add_points (&points, &entry);
    first += entry.row->count;
    if ((arrays->sums && !write_sums (&entry, arrays->sums + i)) || ctr_poll (&work, 4 + entry.row->count / 4))
      return false;
  }
  write_points (&points);
  return true;
}

CtrContours *
ctr_strips_assemble (CtrStrips *strips, const CtrStripLane *lane, const CtrContours *inside, const CtrWindow *window,
    const CtrContourSums *sums, const CtrContours *info, CtrError *error)
{
  ctr_stitcher_sort (&strips->stitcher);
  const Merge merge = {strips, lane, inside, window, sums, strips->stitcher.joined.data, 0, 0};
  CtrContours numbers = *info;
  if (!count_entries (merge, &numbers)) {
    ctr_strips_fail (strips, error);
    return NULL;
  }
  CtrContourArrays arrays;
  CtrContours *result = ctr_contours_alloc (&numbers, &arrays, error);
  if (!result || write_entries (merge, &numbers, &arrays))
    return result;
  ctr_contours_unref (result);
  ctr_fail_cancelled (error);
  return NULL;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Level contours: for each level, from the list of its corners to contours. Horizontal lines connect the two corners of
 * a pair. Vertical lines connect each corner with a northern arm to the previous corner in its column. A contour is
 * followed from its first corner. The previous vertical line in that row of pixels determines its parent, so the
 * hierarchy costs nothing more. */
#include "core/cracks/cracks.h"

#include "core/common/memory.h"
#include "core/common/poll.h"
#include "core/results/contourlist.h"
#include "cpu/contours/contour_measures.h"
#include "cpu/cracks/corners.h"

#include <stdlib.h>
#include <string.h>

/* A contour of the level, numbered from 1 in the order of discovery. Number 0 is the border around the image, as a
 * hole.
 */
typedef struct {
  uint32_t parent : 31; /* before contours are dropped; a lower number */
  uint32_t hole : 1;
  int32_t row; /* in the table: of the contour or of its nearest ancestor that is kept; -1: none */
} Contour;

typedef struct {
  CtrSamples samples;
  CtrCrackCorners corners;
  CtrHostBuffer columns;  /* uint32_t, by column: the corner, later the contour, of its last vertical line */
  CtrHostBuffer lines;    /* uint64_t: the bits of columns that a vertical line passes */
  CtrHostBuffer owners;   /* uint32_t, by pair of corners of the level: its contour, or 0 */
  CtrHostBuffer contours; /* Contour, of the level */
  CtrHostBuffer rows;     /* CtrContour, of all levels: the table */
  CtrHostBuffer points;   /* CtrPoint */
  CtrHostBuffer sums;     /* CtrContourSums, by row */
  uint32_t row_count;
  uint64_t point_count;
  uint64_t work;       /* operations since the last poll */
  CtrContours *result; /* until finish() takes it */
} State;

static void *
create (CtrError *error)
{
  State *state = calloc (1, sizeof *state);
  if (!state)
    ctr_fail (error, CTR_ERROR_OUT_OF_MEMORY, "no host memory for a new contour tracer");
  return state;
}

static void
release_buffers (State *state)
{
  ctr_crack_corners_release (&state->corners);
  ctr_host_buffer_release (&state->columns);
  ctr_host_buffer_release (&state->lines);
  ctr_host_buffer_release (&state->owners);
  ctr_host_buffer_release (&state->contours);
  ctr_host_buffer_release (&state->rows);
  ctr_host_buffer_release (&state->points);
  ctr_host_buffer_release (&state->sums);
}

static void
destroy (void *data)
{
  State *state = data;
  release_buffers (state);
  ctr_samples_release (&state->samples);
  ctr_contours_unref (state->result);
  free (state);
}

/* Without a branch, which would be mispredicted half of the time. */
static inline void
link_corner (CtrCrackCorner *corners, uint32_t i, uint32_t *columns)
{
  uint32_t *column = columns + corners[i].point.x;
  const uint32_t other = *column, north = (corners[i].link & CTR_CORNER_KIND) == CTR_CORNER_NORTH ? UINT32_MAX : 0;
  *column = i;
  corners[i].link |= other & north;
  corners[north ? other : i].link |= i & north;
}

/* Links each corner to the other end of its vertical line. False if the work is cancelled. */
static bool
link_level (CtrCrackCorner *corners, uint32_t count, uint32_t *columns)
{
  for (uint64_t i = 0; i < count;) {
    if (ctr_cancelled ())
      return false;
    for (const uint64_t end = ctr_poll_end (i, count); i < end; i++)
      if ((corners[i].link & CTR_CORNER_KIND) == CTR_CORNER_SOUTH_CROSSED) {
        link_corner (corners, (uint32_t) i + 1, columns);
        link_corner (corners, (uint32_t) i, columns);
        i++;
      } else {
        link_corner (corners, (uint32_t) i, columns);
      }
  }
  return true;
}

/* The column of the last vertical line before column X; false if there is none. */
static inline bool
find_line (const uint64_t *lines, uint32_t x, uint32_t *column)
{
  uint32_t word = x / 64;
  uint64_t bits = lines[word] & (((uint64_t) 1 << x % 64) - 1);
  while (bits == 0) {
    if (word == 0)
      return false;
    bits = lines[--word];
  }
  *column = 64 * word + 63 - (uint32_t) __builtin_clzll (bits);
  return true;
}

/* Writes the contour that begins at corner START to POINTS, enters CONTOUR as the owner of its pairs, and measures it.
 * A step leads along a pair and on to the pair at the end of its vertical line. POINTS has room for one point more than
 * the contour has. False if the work is cancelled. */
static bool
follow (const CtrCrackCorner *corners, uint32_t start, bool hole, uint32_t contour, uint32_t *owners, CtrPoint *points,
    CtrContour *row, uint64_t *work)
{
  /* The contour of a hole begins with its vertical line, an outer contour with its horizontal line. */
  CtrPoint *const list = hole ? points : points + 1, *end = list;
  const uint32_t first = hole ? start : start ^ 1;
  const CtrPoint corner = corners[start].point;
  int64_t area = 0;
  uint64_t length = 0;
  uint16_t left = corner.x, right = corner.x, bottom = corner.y;
  points[0] = corner;
  uint32_t from = first;
  do {
    const uint32_t to = corners[from].link & ~CTR_CORNER_KIND;
    const CtrPoint p = corners[from].point, q = corners[to].point, next = corners[to ^ 1].point;
    end[0] = p;
    end[1] = q;
    end += 2;
    owners[to / 2] = contour;
    area += (int64_t) p.x * (q.y - p.y);
    length += (uint64_t) (abs (q.y - p.y) + abs (next.x - q.x));
    left = p.x < left ? p.x : left;
    right = p.x > right ? p.x : right;
    bottom = q.y > bottom ? q.y : bottom;
    from = to ^ 1;
    if (ctr_poll (work, 1))
      return false;
  } while (from != first);
  row->count = (uint32_t) (end - list);
  row->area2 = 2 * area;
  row->length = length << 23;
  row->left = left;
  row->top = corner.y;
  row->width = (uint16_t) (right - left);
  row->height = (uint16_t) (bottom - corner.y);
  return true;
}

static inline bool
is_kept (const CtrContour *row, const CtrCracksPlan *plan)
{
  const uint64_t area2 = (uint64_t) (row->area2 < 0 ? -row->area2 : row->area2);
  return area2 >= plan->min_area2 && area2 <= plan->max_area2 && row->length >= plan->min_length;
}

/* Links a new row to its parent, or without a parent to the LAST such row of the level. */
static void
join_family (CtrContour *rows, int32_t row, int32_t parent, int32_t *last)
{
  int32_t *child = parent < 0 ? last : &rows[parent].child;
  rows[row].parent = parent;
  rows[row].child = rows[row].previous = -1;
  rows[row].next = *child;
  if (*child >= 0)
    rows[*child].previous = row;
  *child = row;
}

/* Adds the contour that begins at corner START. AROUND is the contour of the previous vertical line. */
static bool
add_contour (State *state, const CtrCrackCorner *corners, uint32_t start, uint32_t contour, uint32_t around,
    uint32_t level, int32_t *last, const CtrCracksPlan *plan)
{
  Contour *contours = state->contours.data;
  const bool hole = (corners[start].link & CTR_CORNER_KIND) == CTR_CORNER_SOUTH_HOLE;
  if (state->row_count == INT32_MAX
      || !ctr_host_buffer_reserve (&state->rows, (size_t) state->row_count + 1, sizeof (CtrContour)))
    return false;
  CtrContour *rows = state->rows.data, *row = rows + state->row_count;
  CtrPoint *points = (CtrPoint *) state->points.data + state->point_count;
  *row = (CtrContour){.first = state->point_count, .flags = hole ? CTR_CONTOUR_HOLE : 0, .level = level};
  if (!follow (corners, start, hole, contour, state->owners.data, points, row, &state->work))
    return false;

  const uint32_t parent = contours[around].hole == hole ? contours[around].parent : around;
  const int32_t parent_row = contours[parent].row;
  contours[contour] = (Contour){.parent = parent, .hole = hole, .row = parent_row};
  if (!is_kept (row, plan))
    return true;
  if (plan->features & CTR_CONTOUR_FEATURE_MOMENTS) {
    if (!ctr_host_buffer_reserve (&state->sums, (size_t) state->row_count + 1, sizeof (CtrContourSums))
        || !ctr_contour_sums (points, row->count, (CtrContourSums *) state->sums.data + state->row_count))
      return false;
  }
  contours[contour].row = (int32_t) state->row_count;
  join_family (rows, (int32_t) state->row_count, parent_row, last);
  state->row_count++;
  state->point_count += row->count;
  return true;
}

/* Updates the vertical line in the column of a corner, for the row of pixels below. */
static inline void
pass_corner (const CtrCrackCorner *corner, uint32_t contour, uint64_t *lines, uint32_t *columns)
{
  const uint32_t x = corner->point.x;
  lines[x / 64] ^= (uint64_t) 1 << x % 64;
  if ((corner->link & CTR_CORNER_KIND) != CTR_CORNER_NORTH)
    columns[x] = contour;
}

/* Follows the contours of a level with COUNT corners, in the order of their first corners. */
static bool
trace_level (State *state, const CtrCrackCorner *corners, uint32_t count, uint32_t level, const CtrCracksPlan *plan)
{
  uint32_t *owners = state->owners.data, *columns = state->columns.data, contour_count = 1;
  uint64_t *lines = state->lines.data;
  int32_t last = -1;
  if (!ctr_clear (owners, count / 2 * sizeof *owners))
    return false;
  for (uint32_t i = 0; i < count;) {
    if (ctr_cancelled ())
      return false;
    for (const uint64_t end = ctr_poll_end (i, count); i < end; i += 2) {
      if (owners[i / 2] == 0) {
        uint32_t column, around = 0;
        if (find_line (lines, corners[i].point.x, &column))
          around = columns[column];
        if (!add_contour (state, corners, i, contour_count, around, level, &last, plan))
          return false;
        contour_count++;
      }
      pass_corner (corners + i, owners[i / 2], lines, columns);
      pass_corner (corners + i + 1, owners[i / 2], lines, columns);
    }
  }
  return true;
}

/* Makes room for levels of up to MOST corners. */
static bool
begin_tracing (State *state, uint32_t width, size_t most)
{
  const size_t words = (size_t) width / 64 + 1;
  state->row_count = 0;
  state->point_count = 0;
  state->work = 0;
  /* A contour has four corners or more. */
  if (!ctr_host_buffer_reserve (&state->columns, (size_t) width + 1, sizeof (uint32_t))
      || !ctr_host_buffer_reserve (&state->lines, words, sizeof (uint64_t))
      || !ctr_host_buffer_reserve (&state->owners, most / 2, sizeof (uint32_t))
      || !ctr_host_buffer_reserve (&state->contours, most / 4 + 1, sizeof (Contour))
      || !ctr_host_buffer_reserve (&state->points, state->corners.corner_count + 1, sizeof (CtrPoint)))
    return false;
  memset (state->lines.data, 0, words * sizeof (uint64_t));
  *(Contour *) state->contours.data = (Contour){.hole = true, .row = -1};
  return true;
}

static bool
trace_levels (State *state, const CtrImage *image, const CtrCracksPlan *plan)
{
  if (!ctr_crack_corners_find (&state->corners, &state->samples, image, plan))
    return false;
  const size_t *ends = state->corners.ends.data;
  size_t most = 0;
  for (uint32_t level_index = 1; level_index <= plan->level_count; level_index++)
    most = ends[level_index] - ends[level_index - 1] > most ? ends[level_index] - ends[level_index - 1] : most;
  if (!begin_tracing (state, image->width, most))
    return false;
  for (uint32_t level_index = 1; level_index <= plan->level_count; level_index++) {
    CtrCrackCorner *corners = (CtrCrackCorner *) state->corners.corners.data + ends[level_index - 1];
    const uint32_t count = (uint32_t) (ends[level_index] - ends[level_index - 1]);
    if (count == 0)
      continue;
    if (!link_level (corners, count, state->columns.data)
        || !trace_level (state, corners, count, plan->levels[level_index - 1], plan))
      return false;
  }
  return true;
}

/* POINTS is the number of points needed; 0 if they have not been counted yet. */
static void
fail_without_memory (const CtrImage *image, uint64_t points, CtrError *error)
{
  if (points > 0)
    ctr_fail (error, CTR_ERROR_OUT_OF_MEMORY,
        "no host memory for contours of %llu points in a %u x %u image: use fewer levels", (unsigned long long) points,
        image->width, image->height);
  else
    ctr_fail (error, CTR_ERROR_OUT_OF_MEMORY, "no host memory to find the contours of a %u x %u image", image->width,
        image->height);
}

static CtrContours *
trace (State *state, const CtrImage *image, const CtrCracksPlan *plan, CtrError *error)
{
  CtrContours info = {.width = image->width,
      .height = image->height,
      .coordinates = CTR_COORDINATES_CORNERS,
      .features = plan->features};
  if (!trace_levels (state, image, plan)) {
    if (!ctr_go_on (error))
      return NULL;
    if (state->corners.corner_count > plan->max_points)
      return ctr_contours_refuse (&info, CTR_LIMIT_POINTS, state->corners.corner_count, error);
    fail_without_memory (image, state->corners.corner_count, error);
    return NULL;
  }
  info.count = state->row_count;
  info.point_count = state->point_count;
  CtrContourArrays arrays;
  CtrContours *result = ctr_contours_alloc (&info, &arrays, error);
  if (!result || info.count == 0)
    return result;
  if (ctr_copy (arrays.table, state->rows.data, info.count * sizeof *arrays.table)
      && ctr_copy (arrays.points, state->points.data, info.point_count * sizeof *arrays.points)
      && (!arrays.sums || ctr_copy (arrays.sums, state->sums.data, info.count * sizeof *arrays.sums)))
    return result;
  ctr_contours_unref (result);
  ctr_fail_cancelled (error);
  return NULL;
}

static bool
enqueue (void *data, const CtrImage *image, const CtrCracksPlan *plan, void *stream, CtrError *error)
{
  State *state = data;
  ctr_contours_unref (state->result);
  state->result = trace (state, image, plan, error);
  /* A smaller image may need the memory that a too large one has taken. */
  if (!state->result && !ctr_cancelled ())
    release_buffers (state);
  return state->result;
}

static CtrContours *
finish (void *data, CtrError *error)
{
  State *state = data;
  CtrContours *result = state->result;
  state->result = NULL;
  return result;
}

const CtrCracksOps ctr_cracks_ops_cpu = {
    .base = {.create = create, .destroy = destroy},
    .enqueue = enqueue,
    .finish = finish,
};

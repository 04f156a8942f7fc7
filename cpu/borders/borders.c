/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Border following: from the edges of the image, in raster order, to borders, each followed from the first edge that it
 * owns. The previous edge in that row determines the parent of a border, so the hierarchy costs nothing more. */
#include "core/borders/borders.h"

#include "core/common/memory.h"
#include "core/common/poll.h"
#include "core/results/contourlist.h"
#include "cpu/borders/lines.h"
#include "cpu/common/samples.h"
#include "cpu/contours/contour_measures.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NO_ROW UINT32_MAX

/* A border, numbered from 1 in the order of discovery. Number 0 is the border around the image, as a hole. */
typedef struct {
  uint32_t parent : 31; /* in the requested hierarchy, before contours are dropped; a lower number */
  uint32_t hole : 1;
  uint32_t row; /* index among the contours that are kept, or NO_ROW */
} Border;

/* The contours of a border and of its descendants that are kept are consecutive in the table, its own first. */
typedef struct {
  uint32_t kept; /* the number of these contours */
  uint32_t end;  /* one after those that have no row yet */
  uint32_t row;  /* in the table: of the border or of its nearest ancestor that is kept, or NO_ROW */
} Place;

typedef struct {
  CtrBorderLines lines;
  CtrSamples samples;
  uint32_t border_count; /* including number 0 */
  uint32_t row_count;
  CtrHostBuffer borders; /* Border */
  CtrHostBuffer rows;    /* CtrContour of the contours that are kept, in the order of discovery */
  CtrHostBuffer sums;    /* CtrContourSums, by row */
  CtrHostBuffer places;  /* Place, by border */
  CtrContours *result;   /* until finish() takes it */
} State;

static void *
create (CtrError *error)
{
  State *state = calloc (1, sizeof *state);
  if (!state) {
    ctr_fail (error, CTR_ERROR_OUT_OF_MEMORY, "no host memory for a new border follower");
    return NULL;
  }
  ctr_border_lines_init (&state->lines);
  return state;
}

static void
release_buffers (State *state)
{
  ctr_border_lines_release (&state->lines);
  ctr_host_buffer_release (&state->borders);
  ctr_host_buffer_release (&state->rows);
  ctr_host_buffer_release (&state->sums);
  ctr_host_buffer_release (&state->places);
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

/* The length in CTR_LENGTH_UNIT, rounded as in cv::arcLength(). */
static inline uint64_t
segment_length (int32_t dx, int32_t dy)
{
  const float x = (float) dx, y = (float) dy;
  return (uint64_t) (sqrtf (x * x + y * y) * (1 << 23));
}

/* Measures area, length and bounding box of the contour with COUNT points. UNIT: consecutive points are neighbouring
 * pixels. False if the work is cancelled. */
static inline __attribute__ ((always_inline)) bool
measure_line (const CtrPoint *points, uint32_t count, bool unit, CtrContour *row)
{
  const uint64_t straight = segment_length (1, 0), diagonal = segment_length (1, 1);
  uint16_t left = UINT16_MAX, top = UINT16_MAX, right = 0, bottom = 0;
  int64_t area2 = 0;
  uint64_t length = 0;
  CtrPoint from = points[count - 1];
  for (uint64_t i = 0, end = 0; i < count; i++) {
    if (i == end) {
      end = ctr_poll_end (i, count);
      if (i > 0 && ctr_cancelled ())
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
  row->area2 = area2;
  row->length = count > 1 ? length : 0;
  row->left = left;
  row->top = top;
  row->width = (uint16_t) (right - left + 1);
  row->height = (uint16_t) (bottom - top + 1);
  return true;
}

static inline bool
is_kept (const CtrContour *row, const CtrBordersPlan *plan)
{
  const uint64_t area2 = (uint64_t) (row->area2 < 0 ? -row->area2 : row->area2);
  return area2 >= plan->min_area2 && area2 <= plan->max_area2 && row->length >= plan->min_length
         && row->width >= plan->min_width && row->height >= plan->min_height;
}

/* The parent of a new border in the hierarchy of MODE. AROUND owns the edge before its first edge. */
static uint32_t
parent_of (const Border *borders, bool hole, uint32_t around, CtrRetrieval mode)
{
  if (mode < CTR_RETRIEVE_CCOMP || (mode == CTR_RETRIEVE_CCOMP && !hole))
    return 0;
  return borders[around].hole == hole ? borders[around].parent : around;
}

/* Follows the border with the first pixel (X, Y), and adds it. */
static bool
add_border (State *state, uint32_t x, uint32_t y, bool hole, uint32_t around, const CtrBordersPlan *plan)
{
  CtrBorderLines *lines = &state->lines;
  const uint32_t border = state->border_count;
  const uint64_t first = lines->point_count;
  if (border > INT32_MAX || !ctr_host_buffer_reserve (&state->borders, (size_t) border + 1, sizeof (Border))
      || !ctr_host_buffer_reserve (&state->rows, (size_t) state->row_count + 1, sizeof (CtrContour))
      || !ctr_border_lines_follow (lines, x, y, hole, plan->approximation == CTR_APPROXIMATION_SIMPLE, border))
    return false;
  const uint64_t count = lines->point_count - first;
  if (count > UINT32_MAX)
    return false;
  const CtrPoint *points = (const CtrPoint *) lines->points.data + first;
  CtrContour *row = (CtrContour *) state->rows.data + state->row_count;
  *row = (CtrContour){.first = first, .count = (uint32_t) count, .flags = hole ? CTR_CONTOUR_HOLE : 0};
  if (!(plan->approximation == CTR_APPROXIMATION_NONE ? measure_line (points, row->count, true, row)
                                                      : measure_line (points, row->count, false, row)))
    return false;

  Border *borders = state->borders.data;
  borders[border] = (Border){.parent = parent_of (borders, hole, around, plan->mode), .hole = hole, .row = NO_ROW};
  state->border_count++;
  if (!is_kept (row, plan)) {
    lines->point_count = first;
    return true;
  }
  if (plan->features & CTR_CONTOUR_FEATURE_MOMENTS) {
    if (!ctr_host_buffer_reserve (&state->sums, (size_t) state->row_count + 1, sizeof (CtrContourSums))
        || !ctr_contour_sums (points, row->count, (CtrContourSums *) state->sums.data + state->row_count))
      return false;
  }
  borders[border].row = state->row_count++;
  return true;
}

/* Follows all borders, or with CTR_RETRIEVE_EXTERNAL the outermost ones only. In that case only outermost borders own
 * edges. An edge without owner then begins another outermost border if the previous edge of its row, if any, has an
 * owner. */
static bool
find_borders (State *state, const CtrBordersPlan *plan)
{
  const bool external = plan->mode == CTR_RETRIEVE_EXTERNAL;
  const CtrBorderLines *lines = &state->lines;
  const CtrEdgeWord *words = lines->edges.data;
  const uint16_t *busy = lines->busy.data, *busy_counts = lines->busy_counts.data;
  const uint32_t *owner = lines->borders.data;
  state->row_count = 0;
  state->border_count = 1;
  if (!ctr_host_buffer_reserve (&state->borders, 1, sizeof (Border)))
    return false;
  *(Border *) state->borders.data = (Border){.hole = true, .row = NO_ROW};
  for (uint32_t y = 0; y < lines->height; y++, words += lines->words, busy += lines->words) {
    bool inside = false, outermost = true;
    uint32_t around = 0;
    if (ctr_cancelled ())
      return false;
    for (uint32_t i = 0; i < busy_counts[y]; i++)
      for (uint64_t edges = words[busy[i]].edges; edges; edges &= edges - 1, owner++, inside = !inside) {
        if (*owner == 0 && (!external || (!inside && outermost))) {
          const uint32_t x = 64u * busy[i] + (uint32_t) __builtin_ctzll (edges);
          if (!add_border (state, inside ? x - 1 : x, y, inside, around, plan))
            return false;
        }
        around = *owner;
        outermost = around != 0;
      }
  }
  return true;
}

/* Orders the contours depth-first, siblings in reverse order of discovery. This and the functions below return false if
 * the work is cancelled. */
static bool
find_places (State *state)
{
  const Border *borders = state->borders.data;
  Place *places = state->places.data;
  uint64_t work = 0;
  for (uint32_t i = 0; i < state->border_count; i++) {
    if (ctr_poll (&work, 1))
      return false;
    places[i].kept = borders[i].row != NO_ROW;
  }
  for (uint32_t i = state->border_count - 1; i > 0; i--) {
    if (ctr_poll (&work, 1))
      return false;
    places[borders[i].parent].kept += places[i].kept;
  }
  places[0].end = places[0].kept;
  places[0].row = NO_ROW;
  for (uint32_t i = 1; i < state->border_count; i++) {
    if (ctr_poll (&work, 1))
      return false;
    Place *around = places + borders[i].parent;
    places[i].end = around->end;
    around->end -= places[i].kept;
    places[i].row = borders[i].row != NO_ROW ? around->end : around->row;
  }
  return true;
}

/* Fills the table except for siblings and children. `first` is still an index into the points of the lines. */
static bool
fill_table (const State *state, const CtrContourArrays *arrays)
{
  const Border *borders = state->borders.data;
  const Place *places = state->places.data;
  const CtrContour *rows = state->rows.data;
  const CtrContourSums *sums = state->sums.data;
  uint64_t work = 0;
  for (uint32_t i = 1; i < state->border_count; i++) {
    if (ctr_poll (&work, 4))
      return false;
    if (borders[i].row == NO_ROW)
      continue;
    CtrContour *row = arrays->table + places[i].row;
    *row = rows[borders[i].row];
    row->next = row->previous = row->child = -1;
    row->parent = (int32_t) places[borders[i].parent].row;
    if (arrays->sums)
      arrays->sums[places[i].row] = sums[borders[i].row];
  }
  return true;
}

/* Links siblings and children from the last row to the first, so that the first child of its parent is the next sibling
 * of a row. Moves the points to their places. */
static bool
link_rows (const State *state, const CtrContourArrays *arrays, uint64_t end)
{
  const CtrPoint *points = state->lines.points.data;
  int32_t top = -1;
  uint64_t work = 0;
  for (uint32_t i = state->row_count; i-- > 0;) {
    CtrContour *row = arrays->table + i;
    if (ctr_poll (&work, 4 + row->count / 16))
      return false;
    int32_t *first_child = row->parent < 0 ? &top : &arrays->table[row->parent].child;
    row->next = *first_child;
    if (row->next >= 0)
      arrays->table[row->next].previous = (int32_t) i;
    *first_child = (int32_t) i;
    end -= row->count;
    if (!ctr_copy (arrays->points + end, points + row->first, row->count * sizeof *points))
      return false;
    row->first = end;
  }
  return true;
}

static CtrContours *
follow_borders (State *state, const CtrImage *image, const CtrBordersPlan *plan, CtrError *error)
{
  CtrBorderLines *lines = &state->lines;
  uint32_t threshold;
  if (!ctr_samples_threshold (&state->samples, image, &plan->foreground, &threshold, error))
    return NULL;
  bool ok = ctr_border_lines_begin (lines, image->width, image->height);
  for (uint32_t y = 0; ok && y < image->height; y++) {
    ok = !ctr_cancelled ();
    ctr_samples_pack (image, ctr_samples_row (&state->samples, image, y), threshold, plan->foreground.invert,
        ctr_border_lines_row (lines, y));
    ctr_border_lines_end_row (lines, y);
  }
  ok = ok && ctr_border_lines_end (lines) && find_borders (state, plan)
       && ctr_host_buffer_reserve (&state->places, state->border_count, sizeof (Place)) && find_places (state);
  if (!ok) {
    if (ctr_go_on (error))
      ctr_fail (error, CTR_ERROR_OUT_OF_MEMORY, "no host memory for the borders of a %u x %u image", image->width,
          image->height);
    return NULL;
  }
  const CtrContours info = {.width = image->width,
      .height = image->height,
      .count = state->row_count,
      .threshold = threshold,
      .point_count = lines->point_count,
      .coordinates = CTR_COORDINATES_PIXELS,
      .features = plan->features};
  CtrContourArrays arrays;
  CtrContours *result = ctr_contours_alloc (&info, &arrays, error);
  if (!result)
    return NULL;
  if (fill_table (state, &arrays) && link_rows (state, &arrays, lines->point_count))
    return result;
  ctr_contours_unref (result);
  ctr_fail_cancelled (error);
  return NULL;
}

static bool
enqueue (void *data, const CtrImage *image, const CtrBordersPlan *plan, void *stream, CtrError *error)
{
  State *state = data;
  ctr_contours_unref (state->result);
  state->result = follow_borders (state, image, plan, error);
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

const CtrBordersOps ctr_borders_ops_cpu = {
    .base = {.create = create, .destroy = destroy},
    .enqueue = enqueue,
    .finish = finish,
};

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Level contours: for each level, from the list of its corners to contours; different threads take different levels. Horizontal lines connect the two corners of
 * a pair. Vertical lines connect each corner with a northern arm to the previous corner in its column. A contour is
 * followed from its first corner. The previous vertical line in that row of pixels determines its parent, so the
 * hierarchy costs nothing more. */
#include "core/cracks/cracks.h"

#include "core/common/memory.h"
#include "core/common/poll.h"
#include "core/results/contourlist.h"
#include "cpu/common/parallel.h"
#include "cpu/common/samples.h"
#include "cpu/contours/contour_measures.h"
#include "cpu/cracks/tracer.h"

#include <stdlib.h>
#include <string.h>

static void *
create (CtrError *error)
{
  State *state = calloc (1, sizeof *state);
  if (!state)
    ctr_fail (error, CTR_ERROR_OUT_OF_MEMORY, "no host memory for a new contour tracer");
  return state;
}

static void
release_tracer (Tracer *tracer)
{
  ctr_host_buffer_release (&tracer->columns);
  ctr_host_buffer_release (&tracer->lines);
  ctr_host_buffer_release (&tracer->owners);
  ctr_host_buffer_release (&tracer->contours);
  ctr_host_buffer_release (&tracer->rows);
  ctr_host_buffer_release (&tracer->sums);
}

static bool
give_back_of_tracer (Tracer *tracer)
{
  CtrHostBuffer *const buffers[] = {
      &tracer->columns, &tracer->lines, &tracer->owners, &tracer->contours, &tracer->rows, &tracer->sums};
  return ctr_host_buffers_give_back (buffers, sizeof buffers / sizeof *buffers);
}

/* At the end of a period: gives back what an intricate image took. */
static void
give_back (State *state)
{
  bool some = ctr_crack_corners_give_back (&state->corners);
  for (uint32_t i = 0; i < state->tracer_room; i++)
    some |= give_back_of_tracer (state->tracers + i);
  some |= ctr_host_buffer_give_back (&state->levels);
  some |= ctr_host_buffer_give_back (&state->points);
  some |= ctr_host_buffer_give_back (&state->owners);
  some |= ctr_host_buffer_give_back (&state->nodes);
  if (some)
    ctr_room_period_double (&state->period);
}

static void
release_buffers (State *state)
{
  for (uint32_t i = 0; i < state->tracer_room; i++)
    release_tracer (state->tracers + i);
  free (state->tracers);
  state->tracers = NULL;
  state->tracer_room = 0;
  ctr_crack_corners_release (&state->corners);
  ctr_host_buffer_release (&state->levels);
  ctr_host_buffer_release (&state->points);
  ctr_host_buffer_release (&state->owners);
  ctr_host_buffer_release (&state->nodes);
}

static void
destroy (void *data)
{
  State *state = data;
  release_buffers (state);
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

/* Adds the contour that begins at corner START, whose points follow POINTS. AROUND is the contour of the previous vertical
 * line. */
static bool
add_contour (Tracer *tracer, Level *of_level, CtrPoint *points, const CtrCrackCorner *corners, uint32_t start,
    uint32_t *owners, uint32_t contour, uint32_t around, uint32_t level, int32_t *last, const CtrCracksPlan *plan)
{
  Contour *contours = tracer->contours.data;
  const bool hole = (corners[start].link & CTR_CORNER_KIND) == CTR_CORNER_SOUTH_HOLE;
  if (tracer->row_count == INT32_MAX
      || !ctr_host_buffer_reserve (&tracer->rows, (size_t) tracer->row_count + 1, sizeof (CtrContour)))
    return false;
  CtrContour *rows = (CtrContour *) tracer->rows.data + of_level->tracer_row, *row = rows + of_level->row_count;
  points += of_level->point_count;
  *row = (CtrContour){.first = of_level->point_count, .flags = hole ? CTR_CONTOUR_HOLE : 0, .level = level};
  if (!follow (corners, start, hole, contour, owners, points, row, &tracer->work))
    return false;

  const uint32_t parent = contours[around].hole == hole ? contours[around].parent : around;
  const int32_t parent_row = contours[parent].row;
  contours[contour] = (Contour){.parent = parent, .hole = hole, .row = parent_row};
  if (!is_kept (row, plan))
    return true;
  if (plan->features & CTR_CONTOUR_FEATURE_MOMENTS) {
    if (!ctr_host_buffer_reserve (&tracer->sums, (size_t) tracer->row_count + 1, sizeof (CtrContourSums))
        || !ctr_contour_sums (points, row->count, (CtrContourSums *) tracer->sums.data + tracer->row_count))
      return false;
  }
  contours[contour].row = (int32_t) of_level->row_count;
  join_family (rows, (int32_t) of_level->row_count, parent_row, last);
  tracer->row_count++;
  of_level->row_count++;
  of_level->point_count += row->count;
  return true;
}

/* Makes room for a level with COUNT corners. */
static bool
begin_level (const Work *work, Tracer *tracer, Level *level, uint32_t level_index, uint32_t count)
{
  const uint32_t width = work->image->width;
  const size_t words = (size_t) width / 64 + 1;
  *level = (Level){.tracer = tracer, .tracer_row = tracer->row_count};
  tracer->work = 0;
  /* A contour has four corners or more. */
  if (!ctr_host_buffer_reserve (&tracer->columns, (size_t) width + 1, sizeof (uint32_t))
      || !ctr_host_buffer_reserve (&tracer->lines, words, sizeof (uint64_t))
      || (!work->plan->nested && !ctr_host_buffer_reserve (&tracer->owners, count / 2, sizeof (uint32_t)))
      || !ctr_host_buffer_reserve (&tracer->contours, count / 4 + 1, sizeof (Contour)))
    return false;
  memset (tracer->lines.data, 0, words * sizeof (uint64_t));
  *(Contour *) tracer->contours.data = (Contour){.hole = true, .row = -1};
  return ctr_clear (owners_of (work, tracer, level_index), count / 2 * sizeof (uint32_t));
}

/* Follows the contours of a level with COUNT corners, in the order of their first corners. */
static bool
trace_level (const Work *work, Tracer *tracer, uint32_t level_index)
{
  const State *state = work->state;
  const size_t *ends = state->corners.ends.data;
  CtrCrackCorner *corners = (CtrCrackCorner *) state->corners.corners.data + ends[level_index - 1];
  CtrPoint *points = (CtrPoint *) state->points.data + first_point_of (state, level_index);
  Level *level = (Level *) state->levels.data + level_index - 1;
  const uint32_t count = (uint32_t) (ends[level_index] - ends[level_index - 1]);
  if (!begin_level (work, tracer, level, level_index, count) || !link_level (corners, count, tracer->columns.data))
    return false;
  uint32_t *owners = owners_of (work, tracer, level_index), *columns = tracer->columns.data, contour_count = 1;
  uint64_t *lines = tracer->lines.data;
  int32_t last = -1;
  for (uint32_t i = 0; i < count;) {
    if (ctr_cancelled ())
      return false;
    for (const uint64_t end = ctr_poll_end (i, count); i < end; i += 2) {
      if (owners[i / 2] == 0) {
        uint32_t column, around = 0;
        if (find_line (lines, corners[i].point.x, &column))
          around = columns[column];
        if (!add_contour (tracer, level, points, corners, i, owners, contour_count, around,
                ctr_cracks_level (work->plan, level_index), &last, work->plan))
          return false;
        contour_count++;
      }
      pass_corner (corners + i, owners[i / 2], lines, columns);
      pass_corner (corners + i + 1, owners[i / 2], lines, columns);
    }
  }
  return true;
}

/* Takes levels until none is left. */
static void
trace_some_levels (void *context, uint32_t index)
{
  Work *work = context;
  Tracer *tracer = work->state->tracers + index;
  tracer->row_count = 0;
  while (!__atomic_load_n (&work->failed, __ATOMIC_RELAXED)) {
    const uint32_t level_index = 1 + __atomic_fetch_add (&work->next_level, 1, __ATOMIC_RELAXED);
    if (level_index > work->plan->level_count)
      return;
    if (!trace_level (work, tracer, level_index))
      __atomic_store_n (&work->failed, true, __ATOMIC_RELAXED);
  }
}

static bool
make_tracers (State *state, uint32_t level_count, unsigned threads)
{
  const uint32_t count = threads < level_count ? threads : level_count;
  if (count > state->tracer_room) {
    Tracer *more = realloc (state->tracers, count * sizeof *more);
    if (!more)
      return false;
    memset (more + state->tracer_room, 0, (count - state->tracer_room) * sizeof *more);
    state->tracers = more;
    state->tracer_room = count;
  }
  state->tracer_count = count;
  return true;
}

static bool
trace_levels (Work *work, unsigned threads)
{
  State *state = work->state;
  const uint32_t level_count = work->plan->level_count;
  if (!ctr_crack_corners_find (&state->corners, work->image, work->plan, threads)
      || !make_tracers (state, level_count, threads)
      || !ctr_host_buffer_reserve (&state->levels, level_count, sizeof (Level))
      || !ctr_host_buffer_reserve (&state->points, state->corners.corner_count + level_count, sizeof (CtrPoint))
      || (work->plan->nested
          && !ctr_host_buffer_reserve (&state->owners, state->corners.corner_count / 2, sizeof (uint32_t))))
    return false;
  ctr_parallel_for (threads, state->tracer_count, trace_some_levels, work);
  return !work->failed;
}

/* The places of the levels in the result. False if there are too many contours. */
static bool
count_contours (const Work *work, CtrContours *info)
{
  Level *levels = work->state->levels.data;
  uint64_t row_count = 0;
  for (uint32_t i = 0; i < work->plan->level_count; i++) {
    levels[i].first_row = (uint32_t) row_count;
    levels[i].first_point = info->point_count;
    row_count += levels[i].row_count;
    info->point_count += levels[i].point_count;
    if (row_count > INT32_MAX)
      return false;
  }
  info->count = (uint32_t) row_count;
  return true;
}

static inline int32_t
add_index (int32_t index, uint32_t first)
{
  return index < 0 ? index : index + (int32_t) first;
}

/* Copies a level into the result. False if the work is cancelled. */
static bool
copy_level (const Work *work, const Level *level, uint32_t level_index)
{
  const CtrContour *rows = (const CtrContour *) level->tracer->rows.data + level->tracer_row;
  const CtrPoint *points = (const CtrPoint *) work->state->points.data + first_point_of (work->state, level_index);
  const CtrContourSums *sums = (const CtrContourSums *) level->tracer->sums.data + level->tracer_row;
  CtrContour *table = work->arrays.table + level->first_row;
  uint64_t operations = 0;
  for (uint32_t i = 0; i < level->row_count; i++) {
    if (ctr_poll (&operations, 4))
      return false;
    table[i] = rows[i];
    table[i].first += level->first_point;
    table[i].next = add_index (rows[i].next, level->first_row);
    table[i].previous = add_index (rows[i].previous, level->first_row);
    table[i].child = add_index (rows[i].child, level->first_row);
    table[i].parent = add_index (rows[i].parent, level->first_row);
  }
  return ctr_copy (work->arrays.points + level->first_point, points, level->point_count * sizeof *points)
         && (!work->arrays.sums
             || ctr_copy (work->arrays.sums + level->first_row, sums, level->row_count * sizeof *sums));
}

static void
copy_some_levels (void *context, uint32_t index)
{
  Work *work = context;
  Level *levels = work->state->levels.data;
  while (!__atomic_load_n (&work->failed, __ATOMIC_RELAXED)) {
    const uint32_t i = __atomic_fetch_add (&work->next_level, 1, __ATOMIC_RELAXED);
    if (i >= work->plan->level_count)
      return;
    if (levels[i].row_count > 0 && !copy_level (work, levels + i, i + 1))
      __atomic_store_n (&work->failed, true, __ATOMIC_RELAXED);
  }
}

static bool
copy_levels (Work *work, unsigned threads)
{
  work->next_level = 0;
  ctr_parallel_for (threads, work->state->tracer_count, copy_some_levels, work);
  return !work->failed;
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
  const unsigned threads = ctr_threads_current ();
  CtrCracksPlan every = *plan;
  Work work = {.state = state, .image = image, .plan = plan->nested ? &every : plan, .asked = plan};
  CtrContours info = {.width = image->width,
      .height = image->height,
      .coordinates = CTR_COORDINATES_CORNERS,
      .features = plan->features};
  /* The tree needs all contours, and only those in the result need sums. */
  every.min_area2 = every.min_length = 0;
  every.max_area2 = UINT64_MAX;
  every.features = 0;
  if (!trace_levels (&work, threads)
      || !(plan->nested ? ctr_cracks_nest (&work, threads, &info) : count_contours (&work, &info))) {
    if (!ctr_go_on (error))
      return NULL;
    if (state->corners.corner_count > plan->max_points)
      return ctr_contours_refuse (&info, CTR_LIMIT_POINTS, state->corners.corner_count, error);
    fail_without_memory (image, state->corners.corner_count, error);
    return NULL;
  }
  CtrContours *result = ctr_contours_alloc (&info, &work.arrays, error);
  if (!result || info.count == 0)
    return result;
  if (plan->nested ? ctr_cracks_write_nested (&work, threads, info.count) : copy_levels (&work, threads))
    return result;
  ctr_contours_unref (result);
  ctr_fail_cancelled (error);
  return NULL;
}

/* IMAGE has samples, or the labels of a label image. */
static bool
keep_result (State *state, const CtrImage *image, const CtrCracksPlan *plan, CtrError *error)
{
  ctr_contours_unref (state->result);
  state->result = trace (state, image, plan, error);
  /* A smaller image may need the memory that a too large one has taken. */
  if (!state->result && !ctr_cancelled ())
    release_buffers (state);
  if (state->result && ctr_room_period_ends (&state->period))
    give_back (state);
  return state->result;
}

static bool
enqueue (void *data, const CtrImage *image, const CtrCracksPlan *plan, void *stream, CtrError *error)
{
  CtrImage luma;
  return keep_result (data, ctr_samples_share (image, &luma), plan, error);
}

static bool
enqueue_labels (void *data, CtrComponents *components, const CtrCracksPlan *plan, void *stream, CtrError *error)
{
  const CtrImage image = {.data = ctr_components_map_labels (components, error),
      .stride = components->width * sizeof (uint32_t),
      .width = components->width,
      .height = components->height};
  return image.data && keep_result (data, &image, plan, error);
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
    .enqueue_labels = enqueue_labels,
    .finish = finish,
};

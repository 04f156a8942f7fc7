/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/core/snake/reference.h"

#include "core/snake/criterion.h"
#include "core/snake/geometry.h"
#include "tests/core/borders/reference.h"
#include "tests/core/common/reference.h"
#include "tests/core/snake/outline_reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static Sums
add_sums (Sums a, Sums b)
{
  return (Sums){a.n + b.n, a.s1 + b.s1, a.s2 + b.s2};
}

static Polygon
rectangle_line (int32_t left, int32_t top, int32_t right, int32_t bottom)
{
  const Node corners[4] = {{left, top}, {right, top}, {right, bottom}, {left, bottom}};
  Polygon line = {0};
  for (uint32_t i = 0; i < 4; i++)
    polygon_insert (&line, i, corners[i]);
  return line;
}

enum { CELLS = 32 };

typedef struct {
  int32_t x[CELLS + 1], y[CELLS + 1];
  Sums sums[CELLS][CELLS]; /* row, column */
  int32_t columns, rows;
} Cells;

static Cells *
cells_of (const Work *work)
{
  Cells *cells = malloc (sizeof *cells);
  const int32_t width = work->high.x - work->low.x, height = work->high.y - work->low.y;
  cells->columns = width < CELLS ? width : CELLS;
  cells->rows = height < CELLS ? height : CELLS;
  for (int32_t i = 0; i <= cells->columns; i++)
    cells->x[i] = work->low.x + (int32_t) ((int64_t) i * width / cells->columns);
  for (int32_t i = 0; i <= cells->rows; i++)
    cells->y[i] = work->low.y + (int32_t) ((int64_t) i * height / cells->rows);
  for (int32_t r = 0; r < cells->rows; r++)
    for (int32_t c = 0; c < cells->columns; c++)
      cells->sums[r][c] =
          field_sums (&work->field, (Node){cells->x[c], cells->y[r]}, (Node){cells->x[c + 1], cells->y[r + 1]});
  return cells;
}

/* Numbers of lines between cells, and the sums and the criterion of the rectangle between them. */
typedef struct {
  int32_t top, bottom, left, right;
  Sums sums;
  double criterion;
} Rectangle;

static void
measure (const Work *work, const Cells *cells, Rectangle *r)
{
  r->sums = (Sums){0, 0, 0};
  for (int32_t row = r->top; row < r->bottom; row++)
    for (int32_t column = r->left; column < r->right; column++)
      r->sums = add_sums (r->sums, cells->sums[row][column]);
  r->criterion = split_cost (work, r->sums);
}

/* Takes part in the search for coarse rectangles: every other line of many, and the last one. */
static bool
is_coarse (int32_t line, int32_t count)
{
  return count <= CELLS / 2 || line % 2 == 0 || line == count;
}

/* The best rectangle with sides from LOW to HIGH; of criterion INFINITY where there is none. */
static Rectangle
best_of (const Work *work, const Cells *cells, bool coarse, Rectangle low, Rectangle high)
{
  Rectangle best = {.criterion = INFINITY}, r;
  for (r.top = low.top; r.top <= high.top; r.top++)
    for (r.bottom = low.bottom; r.bottom <= high.bottom; r.bottom++)
      for (r.left = low.left; r.left <= high.left; r.left++)
        for (r.right = low.right; r.right <= high.right; r.right++) {
          if (r.top < 0 || r.left < 0 || r.bottom > cells->rows || r.right > cells->columns || r.top >= r.bottom
              || r.left >= r.right)
            continue;
          if (coarse
              && !(is_coarse (r.top, cells->rows) && is_coarse (r.bottom, cells->rows)
                   && is_coarse (r.left, cells->columns) && is_coarse (r.right, cells->columns)))
            continue;
          measure (work, cells, &r);
          if (r.criterion < best.criterion)
            best = r;
        }
  return best;
}

/* The automatic start: an outline, which lowers *STEP, or the best rectangle of whole cells; without nodes where there
 * is none. */
static Polygon
automatic_start (Work *work, int32_t *step)
{
  Cells *cells = cells_of (work);
  const Rectangle all = {.top = cells->rows, .bottom = cells->rows, .left = cells->columns, .right = cells->columns};
  Rectangle best = best_of (work, cells, true, (Rectangle){.top = 0}, all);
  Polygon line = {0};
  if (best.criterion < INFINITY) {
    const Rectangle low = {
        .top = best.top - 1, .bottom = best.bottom - 1, .left = best.left - 1, .right = best.right - 1};
    const Rectangle high = {
        .top = best.top + 1, .bottom = best.bottom + 1, .left = best.left + 1, .right = best.right + 1};
    int32_t side;
    best = best_of (work, cells, false, low, high);
    line = reference_outline (work, best.sums, &side);
    work->from_outline = line.count > 0;
    if (line.count > 0)
      *step = side < *step ? side : *step;
    else
      line = rectangle_line (cells->x[best.left], cells->y[best.top], cells->x[best.right], cells->y[best.bottom]);
  }
  free (cells);
  return line;
}

/* The given start; without nodes where none of it is in the window. */
static Polygon
start_line (Work *work, const CtrSnakeObject *object, int32_t *step)
{
  Polygon line = {0};
  if (object->start == CTR_SNAKE_START_AUTO)
    return automatic_start (work, step);
  if (object->start == CTR_SNAKE_START_RECTANGLE) {
    const CtrSnakeRect *r = &object->rectangle;
    const int64_t left = r->x > work->low.x ? r->x : work->low.x, top = r->y > work->low.y ? r->y : work->low.y;
    int64_t right = (int64_t) r->x + r->width, bottom = (int64_t) r->y + r->height;
    right = right < work->high.x ? right : work->high.x;
    bottom = bottom < work->high.y ? bottom : work->high.y;
    if (left < right && top < bottom)
      line = rectangle_line ((int32_t) left, (int32_t) top, (int32_t) right, (int32_t) bottom);
    return line;
  }
  for (uint32_t i = 0; i < object->point_count; i++)
    polygon_insert (&line, i, (Node){object->points[i].x, object->points[i].y});
  if (polygon_area2 (&line) < 0)
    for (uint32_t i = 1, j = line.count - 1; i < j; i++, j--) {
      const Node swap = line.nodes[i];
      line.nodes[i] = line.nodes[j];
      line.nodes[j] = swap;
    }
  return line;
}

/* Is there a target? Its line and GAIN then. */
static bool
look_for (Work *work, Polygon start, int32_t step, double *gain)
{
  if (start.count == 0)
    return false;
  evolve (work, start, step);
  *gain = region_cost (work, work->all) + ctr_snake_log ((double) work->all.n) - line_length (work);
  return *gain > 0;
}

/* The part of the window in the image; false where there is none. */
static bool
set_window (Work *work, CtrSnakeRect window)
{
  if (window.x == 0 && window.y == 0 && window.width == 0 && window.height == 0)
    window = (CtrSnakeRect){0, 0, work->field.width, work->field.height};
  const int64_t right = (int64_t) window.x + window.width, bottom = (int64_t) window.y + window.height;
  work->low = (Node){window.x > 0 ? window.x : 0, window.y > 0 ? window.y : 0};
  work->high.x = (int32_t) (right < work->field.width ? right : work->field.width);
  work->high.y = (int32_t) (bottom < work->field.height ? bottom : work->field.height);
  return work->low.x < work->high.x && work->low.y < work->high.y;
}

/* The power of two at or below SIZE, at least LEAST. */
static int32_t
power_of_two (int32_t size, int32_t least)
{
  int32_t power = least;
  while (2 * power <= size)
    power *= 2;
  return power;
}

static void
set_sizes (Work *work)
{
  const int32_t width = work->high.x - work->low.x, height = work->high.y - work->low.y;
  const int32_t side = width > height ? width : height;
  work->all = field_sums (&work->field, work->low, work->high);
  work->min_segment = work->params->min_segment ? (int32_t) work->params->min_segment : power_of_two (side / 240, 4);
  work->max_step = work->params->max_step ? (int32_t) work->params->max_step : power_of_two (side / 32, 1);
}

typedef struct {
  CtrContour *table;
  CtrSnakeRegion *regions;
  CtrPoint *points;
  uint32_t count;
  uint64_t point_count;
} Rows;

/* Adds the line to ROWS, from its upmost point, of these the leftmost, on. */
static void
add_row (Rows *rows, const Work *work, CtrSnakeRegion region)
{
  const Polygon *line = &work->line;
  const uint32_t n = line->count;
  uint32_t first = 0;
  for (uint32_t i = 1; i < n; i++) {
    const Node p = line->nodes[i], q = line->nodes[first];
    first = p.y < q.y || (p.y == q.y && p.x < q.x) ? i : first;
  }
  rows->points = realloc (rows->points, (rows->point_count + n) * sizeof *rows->points);
  for (uint32_t i = 0; i < n; i++) {
    const Node node = line->nodes[(first + i) % n];
    rows->points[rows->point_count + i] = (CtrPoint){(uint16_t) node.x, (uint16_t) node.y};
  }
  CtrContour row = {.first = rows->point_count, .count = n, .next = -1, .previous = (int32_t) rows->count - 1};
  CtrContourSums sums;
  row.child = row.parent = -1;
  reference_measure (rows->points + rows->point_count, &row, &sums);
  row.width--;
  row.height--;
  if (rows->count > 0)
    rows->table[rows->count - 1].next = (int32_t) rows->count;
  rows->table[rows->count] = row;

  const Sums inside = polygon_sums (&work->field, line);
  region.inside_count = inside.n;
  region.inside_sum = inside.s1;
  region.inside_sum2 = (uint64_t) inside.s2;
  region.outside_count = work->all.n - inside.n;
  region.outside_sum = work->all.s1 - inside.s1;
  region.outside_sum2 = (uint64_t) (work->all.s2 - inside.s2);
  region.criterion = work->criterion;
  rows->regions[rows->count++] = region;
  rows->point_count += n;
}

SnakeResult
reference_snake (
    const CtrImage *image, const CtrSnakeParams *params, const CtrSnakeObject *objects, uint32_t object_count)
{
  uint32_t *samples = malloc ((size_t) image->width * image->height * sizeof *samples);
  for (uint32_t y = 0; y < image->height; y++)
    for (uint32_t x = 0; x < image->width; x++)
      samples[(size_t) y * image->width + x] = reference_sample (image, x, y);
  Rows rows = {.table = calloc (object_count + 1, sizeof *rows.table),
      .regions = calloc (object_count + 1, sizeof *rows.regions),
      .points = malloc (sizeof *rows.points)};
  Way way = {.states = NULL};
  for (uint32_t i = 0; i < object_count; i++) {
    const CtrSnakeObject *object = objects + i;
    const Way before = way;
    Work work = {.params = params,
        .way = params->history ? &way : NULL,
        .field = {samples, (int32_t) image->width, (int32_t) image->height},
        .largest = image->format == CTR_FORMAT_GRAY16 ? exp2 (params->significant_bits) - 1 : 255};
    if (!set_window (&work, object->window))
      continue;
    set_sizes (&work);
    way.row = rows.count;
    CtrSnakeRegion region = {.object = i};
    int32_t step = object->first_step ? (int32_t) object->first_step : work.max_step;
    const Polygon start = start_line (&work, object, &step);
    bool found = look_for (&work, start, step, &region.gain);
    if (!found && object->retry && object->start != CTR_SNAKE_START_AUTO) {
      region.flags = CTR_SNAKE_RESTARTED;
      step = work.max_step;
      const Polygon restart = automatic_start (&work, &step);
      found = look_for (&work, restart, step, &region.gain);
    }
    region.iterations = work.iterations;
    region.flags |= work.stopped ? 0 : CTR_SNAKE_CONVERGED;
    if (found) {
      add_row (&rows, &work, region);
    } else { /* no row, no history */
      way.state_count = before.state_count;
      way.point_count = before.point_count;
    }
    polygon_free (&work.line);
  }
  free (samples);
  return (SnakeResult){
      .contours = {.info = {.width = image->width,
                       .height = image->height,
                       .count = rows.count,
                       .point_count = rows.point_count,
                       .coordinates = CTR_COORDINATES_CORNERS,
                       .features = CTR_CONTOUR_FEATURE_REGIONS | (params->history ? CTR_CONTOUR_FEATURE_HISTORY : 0)},
          .table = rows.table,
          .points = rows.points},
      .regions = rows.regions,
      .history = {way.states, way.state_count, way.points, way.point_count}};
}

void
reference_snake_free (SnakeResult *result)
{
  free ((void *) result->regions);
  free ((void *) result->history.states);
  free ((void *) result->history.points);
  reference_contours_free (&result->contours);
}

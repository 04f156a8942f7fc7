/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The reference makes a mask of each level. A line goes from one side of a pixel to the next. The components of
 * foreground and background, filled pixel by pixel, say what surrounds a contour. */
#include "tests/core/cracks/reference.h"

#include "tests/core/borders/reference.h"
#include "tests/core/cracks/nested_reference.h"
#include "tests/core/common/reference.h"

#include <stdlib.h>
#include <string.h>

/* With a pixel of background all around: pixel (x, y) of the image is at (x + 1, y + 1). */
typedef struct {
  int width, height; /* with that */
  bool *foreground;
  int *labels; /* of components, from 1 on; 1 is the background around the image */
  int label_count;
  bool joined; /* 8-connected foreground */
} Mask;

/* Sides of a pixel, clockwise; a line runs along them so, its pixel on the right. */
enum { TOP, RIGHT, BOTTOM, LEFT };
static const int along_x[4] = {1, 0, -1, 0}, along_y[4] = {0, 1, 0, -1};

typedef struct {
  CtrContour row;
  int label; /* of the component that it is the outside or the hole of */
  int other; /* of the one around */
  int parent;
  int place;
  CtrContourSums sums;
  CtrPoint start;
} Line;

typedef struct {
  Line *lines; /* of the level */
  int line_count;
  CtrContour *table; /* of all levels */
  CtrContourSums *sums;
  CtrPoint *points;
  size_t table_room, points_room;
  uint32_t count;
  uint64_t point_count;
} Work;

static void
fill (Mask *mask, int start, int label, int *stack)
{
  const bool foreground = mask->foreground[start], diagonal = foreground == mask->joined;
  int depth = 0;
  mask->labels[start] = label;
  stack[depth++] = start;
  while (depth) {
    const int at = stack[--depth], x = at % mask->width, y = at / mask->width;
    for (int dy = -1; dy <= 1; dy++)
      for (int dx = -1; dx <= 1; dx++) {
        const int to = at + dy * mask->width + dx;
        if ((!diagonal && dx && dy) || x + dx < 0 || x + dx >= mask->width || y + dy < 0 || y + dy >= mask->height
            || mask->labels[to] || mask->foreground[to] != foreground)
          continue;
        mask->labels[to] = label;
        stack[depth++] = to;
      }
  }
}

static void
label_components (Mask *mask)
{
  const int pixels = mask->width * mask->height;
  int *stack = malloc (pixels * sizeof *stack);
  memset (mask->labels, 0, pixels * sizeof *mask->labels);
  mask->label_count = 0;
  for (int i = 0; i < pixels; i++)
    if (!mask->labels[i])
      fill (mask, i, ++mask->label_count, stack);
  free (stack);
}

/* The side that a line takes after SIDE of the pixel *AT. */
static int
next_side (const Mask *mask, int *at, int side)
{
  const int forward = along_y[side] * mask->width + along_x[side], left = (side + 3) % 4;
  const int right = *at + forward, beyond = right + along_y[left] * mask->width + along_x[left];
  if (mask->foreground[beyond] && (mask->foreground[right] || mask->joined)) {
    *at = beyond;
    return left;
  }
  if (mask->foreground[right]) {
    *at = right;
    return side;
  }
  return (side + 1) % 4;
}

/* Where a side begins. */
static CtrPoint
corner_of (const Mask *mask, int at, int side)
{
  const int x = at % mask->width - 1, y = at / mask->width - 1;
  return (CtrPoint){(uint16_t) (x + (side == RIGHT || side == BOTTOM)), (uint16_t) (y + (side >= BOTTOM))};
}

static bool
is_before (CtrPoint a, CtrPoint b)
{
  return a.y != b.y ? a.y < b.y : a.x < b.x;
}

/* The line along SIDE of pixel AT, its corners to POINTS, the first one first. */
static void
trace (const Mask *mask, int at, int side, bool *seen, CtrPoint *points, Line *line)
{
  const int first_at = at, first_side = side;
  uint32_t count = 0, first = 0;
  do {
    const int before = side;
    seen[at * 4 + side] = true;
    side = next_side (mask, &at, side);
    if (side == before)
      continue;
    points[count] = corner_of (mask, at, side);
    if (is_before (points[count], points[first]))
      first = count;
    count++;
  } while (at != first_at || side != first_side);
  CtrPoint *turned = malloc (count * sizeof *turned);
  for (uint32_t i = 0; i < count; i++)
    turned[i] = points[(first + i) % count];
  memcpy (points, turned, count * sizeof *turned);
  free (turned);

  *line = (Line){.row = {.count = count}, .start = points[0]};
  reference_measure (points, &line->row, &line->sums);
  line->row.width--;
  line->row.height--;
  line->row.flags = line->row.area2 < 0 ? CTR_CONTOUR_HOLE : 0;
  const int inner = (points[0].y + 1) * mask->width + points[0].x + 1;
  line->label = mask->labels[inner];
  line->other = mask->labels[inner - mask->width];
}

static int
compare_starts (const void *a, const void *b)
{
  const CtrPoint p = ((const Line *) a)->start, q = ((const Line *) b)->start;
  return is_before (q, p) - is_before (p, q);
}

static bool
is_kept (const CtrContour *row, const CtrCracksParams *params)
{
  const double area = ctr_contour_area (row, false);
  return area >= params->min_area && (params->max_area == 0 || area <= params->max_area)
         && ctr_contour_perimeter (row) >= params->min_length;
}

/* Places the level's kept lines behind the table's rows. */
static void
place_lines (Work *work, const Mask *mask, uint32_t level, const CtrPoint *points, const CtrCracksParams *params)
{
  int *of_label = malloc ((mask->label_count + 1) * sizeof *of_label);
  const uint32_t before = work->count;
  qsort (work->lines, work->line_count, sizeof *work->lines, compare_starts);
  for (int i = 0; i <= mask->label_count; i++)
    of_label[i] = -1;
  for (int i = 0; i < work->line_count; i++)
    of_label[work->lines[i].label] = i;
  for (int i = 0; i < work->line_count; i++) {
    Line *line = work->lines + i;
    line->parent = of_label[line->other];
    line->place = -1;
    if (!is_kept (&line->row, params))
      continue;
    line->place = (int) work->count++;
    if (work->count > work->table_room) {
      work->table_room = 2 * (size_t) work->count;
      work->table = realloc (work->table, work->table_room * sizeof *work->table);
      work->sums = realloc (work->sums, work->table_room * sizeof *work->sums);
    }
    if (work->point_count + line->row.count > work->points_room) {
      work->points_room = 2 * (work->point_count + line->row.count);
      work->points = realloc (work->points, work->points_room * sizeof *work->points);
    }
    memcpy (work->points + work->point_count, points + line->row.first, line->row.count * sizeof *points);
    CtrContour *row = work->table + line->place;
    *row = line->row;
    row->first = work->point_count;
    row->level = level;
    row->next = row->previous = row->child = row->parent = -1;
    work->sums[line->place] = line->sums;
    work->point_count += row->count;
  }
  for (int i = 0; i < work->line_count; i++) {
    const Line *line = work->lines + i;
    if (line->place < 0)
      continue;
    int parent = line->parent;
    while (parent >= 0 && work->lines[parent].place < 0)
      parent = work->lines[parent].parent;
    work->table[line->place].parent = parent < 0 ? -1 : work->lines[parent].place;
  }
  for (uint32_t i = before; i < work->count; i++)
    for (uint32_t k = before; k < work->count; k++) {
      CtrContour *row = work->table + i;
      const CtrContour *other = work->table + k;
      if (other->parent == (int32_t) i)
        row->child = (int32_t) k;
      if (other->parent == row->parent && k < i)
        row->next = (int32_t) k;
      if (other->parent == row->parent && k > i && row->previous < 0)
        row->previous = (int32_t) k;
    }
  free (of_label);
}

static void
add_level (Work *work, Mask *mask, uint32_t level, const CtrCracksParams *params)
{
  const int pixels = mask->width * mask->height;
  bool *seen = calloc ((size_t) pixels * 4, sizeof *seen);
  CtrPoint *points = malloc ((size_t) pixels * 4 * sizeof *points);
  uint64_t point_count = 0;
  label_components (mask);
  work->lines = malloc ((mask->label_count + 1) * sizeof *work->lines);
  work->line_count = 0;
  for (int at = 0; at < pixels; at++)
    for (int side = 0; mask->foreground[at] && side < 4; side++) {
      const int left = (side + 3) % 4, beside = at + along_y[left] * mask->width + along_x[left];
      if (mask->foreground[beside] || seen[at * 4 + side])
        continue;
      Line *line = work->lines + work->line_count++;
      trace (mask, at, side, seen, points + point_count, line);
      line->row.first = point_count;
      point_count += line->row.count;
    }
  place_lines (work, mask, level, points, params);
  free (work->lines);
  free (points);
  free (seen);
}

static bool
is_level (uint32_t level, const CtrCracksParams *params)
{
  if (!params->levels)
    return level >= params->minimum && level <= params->maximum && (level - params->minimum) % params->step == 0;
  for (uint32_t i = 0; i < params->level_count; i++)
    if (params->levels[i] == level)
      return true;
  return false;
}

Contours
reference_cracks (const CtrImage *image, const CtrCracksParams *params)
{
  if (params->hierarchy == CTR_HIERARCHY_LEVELS)
    return reference_nested_cracks (image, params);
  const uint32_t largest = image->format == CTR_FORMAT_GRAY16 ? 65535 : 255;
  Mask mask = {.width = (int) image->width + 2,
      .height = (int) image->height + 2,
      .joined = params->connectivity == CTR_CONNECTIVITY_8};
  const size_t pixels = (size_t) mask.width * mask.height;
  uint32_t *samples = calloc (pixels, sizeof *samples);
  bool *present = calloc (65537, sizeof *present);
  mask.foreground = malloc (pixels * sizeof *mask.foreground);
  mask.labels = malloc (pixels * sizeof *mask.labels);
  for (uint32_t y = 0; y < image->height; y++)
    for (uint32_t x = 0; x < image->width; x++) {
      const bool outermost = x == 0 || y == 0 || x == image->width - 1 || y == image->height - 1;
      if (params->frame == CTR_IMAGE_BORDER_PAD || !outermost)
        samples[(y + 1) * mask.width + x + 1] = reference_sample (image, x, y);
    }
  uint32_t highest = 0;
  for (size_t i = 0; i < pixels; i++) {
    present[samples[i]] = true;
    highest = samples[i] > highest ? samples[i] : highest;
  }

  Work work = {.table = malloc (sizeof (CtrContour)),
      .sums = malloc (sizeof (CtrContourSums)),
      .points = malloc (sizeof (CtrPoint)),
      .table_room = 1,
      .points_room = 1};
  for (uint32_t level = 1; level <= largest && level <= highest; level++) {
    if (!is_level (level, params) || (params->mode == CTR_LEVELS_EQUAL && !present[level]))
      continue;
    for (size_t i = 0; i < pixels; i++)
      mask.foreground[i] = params->mode == CTR_LEVELS_EQUAL ? samples[i] == level : samples[i] >= level;
    add_level (&work, &mask, level, params);
  }
  Contours result = {.info = {.width = image->width,
                         .height = image->height,
                         .count = work.count,
                         .point_count = work.point_count,
                         .coordinates = CTR_COORDINATES_CORNERS,
                         .connectivity = params->connectivity,
                         .features = params->features},
      .table = work.table,
      .points = work.points};
  if (params->features & CTR_CONTOUR_FEATURE_MOMENTS)
    result.sums = work.sums;
  else
    free (work.sums);
  free (samples);
  free (present);
  free (mask.foreground);
  free (mask.labels);
  return result;
}

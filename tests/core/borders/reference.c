/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The reference links every pixel's passages to cycles first. The passages of a cycle then make it a border. It scans
 * and follows nothing in the order of an algorithm. Those of 4-connected foreground are found in another way:
 * reference_cracks.c. */
#include "tests/core/borders/reference.h"

#include "tests/core/borders/reference_rule.h"
#include "tests/core/borders/reference_shapes.h"
#include "tests/core/common/reference.h"
#include "tests/core/results/simplify_reference.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The passages of 8-connected foreground are numbers: pixel * 4 + the slot of the passage, which is the first of the
 * directions east, north, west, south, counted anticlockwise, in a run of background around the pixel. */
typedef struct {
  size_t start; /* the passage that begins the list */
  uint64_t key; /* raster number of the first pixel, or of the hole's */
  bool hole;
  int parent; /* border, or -1 */
  CtrContour row;
} Border;

typedef struct {
  const Rule *rule;
  Mask mask;
  int *owner; /* of each passage: its border */
  Border *borders;
  int count;
  CtrPoint *points; /* of all borders, in their order here */
  CtrContourSums *sums;
} Work;

static bool
is_background_at (const Mask *mask, int x, int y, int direction)
{
  return !reference_is_foreground (mask, x + reference_step_x[direction & 7], y + reference_step_y[direction & 7]);
}

static bool
is_isolated (const Mask *mask, int x, int y)
{
  for (int d = 0; d < 8; d++)
    if (!is_background_at (mask, x, y, d))
      return false;
  return true;
}

static bool
is_passage (const Mask *mask, size_t passage)
{
  const int slot = passage % 4, x = passage / 4 % mask->width, y = (int) (passage / 4 / mask->width);
  if (!reference_is_foreground (mask, x, y))
    return false;
  if (is_isolated (mask, x, y))
    return slot == 2;
  return is_background_at (mask, x, y, 2 * slot)
         && !(is_background_at (mask, x, y, 2 * slot + 7) && is_background_at (mask, x, y, 2 * slot + 6));
}

/* First foreground anticlockwise, or clockwise, from the passage. */
static int
way (const Mask *mask, int x, int y, int slot, int turn)
{
  int d = 2 * slot;
  do
    d = (d + turn) & 7;
  while (is_background_at (mask, x, y, d));
  return d;
}

static bool
contains (const Mask *mask, size_t passage, int direction)
{
  const int slot = passage % 4, x = passage / 4 % mask->width, y = (int) (passage / 4 / mask->width);
  if (is_isolated (mask, x, y))
    return true;
  for (int d = (way (mask, x, y, slot, -1) + 1) & 7; is_background_at (mask, x, y, d); d = (d + 1) & 7)
    if (d == direction)
      return true;
  return false;
}

/* The passage of (X, Y) whose run contains DIRECTION. */
static size_t
passage_at (const Mask *mask, int x, int y, int direction)
{
  const size_t first = ((size_t) y * mask->width + x) * 4;
  for (size_t passage = first; passage < first + 4; passage++)
    if (is_passage (mask, passage) && contains (mask, passage, direction))
      return passage;
  abort ();
}

static size_t
next_passage (const Mask *mask, size_t passage)
{
  const int slot = passage % 4, x = passage / 4 % mask->width, y = (int) (passage / 4 / mask->width);
  if (is_isolated (mask, x, y))
    return passage;
  const int d = way (mask, x, y, slot, 1), qx = x + reference_step_x[d], qy = y + reference_step_y[d];
  /* There, the background comes right after the pixel the line comes from. */
  int cross = (d + 5) & 7;
  while (cross % 2)
    cross = (cross + 1) & 7;
  return ((size_t) qy * mask->width + qx) * 4 + cross / 2;
}

static uint32_t
list_passages (const Mask *mask, size_t start, CtrApproximation approximation, CtrPoint *points)
{
  uint32_t count = 0;
  size_t at = start;
  do {
    const int slot = at % 4, x = at / 4 % mask->width, y = (int) (at / 4 / mask->width);
    const bool straight =
        !is_isolated (mask, x, y) && way (mask, x, y, slot, 1) == ((way (mask, x, y, slot, -1) + 4) & 7);
    if (approximation == CTR_APPROXIMATION_NONE || !straight)
      points[count++] = (CtrPoint){(uint16_t) x, (uint16_t) y};
    at = next_passage (mask, at);
  } while (at != start);
  return count;
}

static const Rule rule_of_passages = {is_passage, contains, passage_at, next_passage, list_passages};

/* Enters the border through PASSAGE at its passages and finds its first one. */
static void
collect (Work *work, size_t passage)
{
  const Mask *mask = &work->mask;
  Border *border = work->borders + work->count;
  *border = (Border){.key = UINT64_MAX};
  size_t at = passage;
  do {
    const int x = at / 4 % mask->width, y = (int) (at / 4 / mask->width);
    for (int east = 0; east <= 1; east++) {
      /* A column more, as a hole's number may be one behind the row's last pixel. */
      const uint64_t key = (uint64_t) y * (mask->width + 1) + x + east;
      if (work->rule->contains (mask, at, east ? 0 : 4) && key < border->key)
        *border = (Border){.start = at, .key = key, .hole = east};
    }
    work->owner[at] = work->count;
    at = work->rule->next (mask, at);
  } while (at != passage);
  work->count++;
}

static int
compare_keys (const void *a, const void *b)
{
  const uint64_t x = ((const Border *) a)->key, y = ((const Border *) b)->key;
  return (x > y) - (x < y);
}

/* West of a border's first pixel, or of the run of foreground that ends before a hole, something else's line passes. */
static int
find_parent (const Work *work, const Border *border)
{
  const Mask *mask = &work->mask;
  int x = border->start / 4 % mask->width;
  const int y = (int) (border->start / 4 / mask->width);
  size_t passage;
  if (border->hole) {
    while (reference_is_foreground (mask, x - 1, y))
      x--;
    passage = work->rule->at (mask, x, y, 4);
  } else {
    do
      x--;
    while (x >= 0 && !reference_is_foreground (mask, x, y));
    if (x < 0)
      return -1;
    passage = work->rule->at (mask, x, y, 0);
  }
  const int other = work->owner[passage];
  return work->borders[other].hole != border->hole ? other : work->borders[other].parent;
}

static void
add_sum (uint64_t words[2], __int128 c, __int128 factor)
{
  const unsigned __int128 sum = ((unsigned __int128) words[1] << 64 | words[0]) + (unsigned __int128) (c * factor);
  words[0] = (uint64_t) sum;
  words[1] = (uint64_t) (sum >> 64);
}

void
reference_measure (const CtrPoint *points, CtrContour *row, CtrContourSums *sums)
{
  uint32_t left = UINT16_MAX, top = UINT16_MAX, right = 0, bottom = 0;
  *sums = (CtrContourSums){{{0}}};
  for (uint32_t i = 0; i < row->count; i++) {
    const CtrPoint p = points[i], q = points[(i + 1) % row->count];
    const int64_t x0 = p.x, y0 = p.y, x1 = q.x, y1 = q.y, c = x0 * y1 - x1 * y0;
    const float dx = (float) (x1 - x0), dy = (float) (y1 - y0);
    row->area2 += c;
    row->length += (uint64_t) ((double) sqrtf (dx * dx + dy * dy) / CTR_LENGTH_UNIT);
    add_sum (sums->words[0], c, 1);
    add_sum (sums->words[1], c, x0 + x1);
    add_sum (sums->words[2], c, y0 + y1);
    add_sum (sums->words[3], c, x0 * x0 + x0 * x1 + x1 * x1);
    add_sum (sums->words[4], c, x0 * (2 * y0 + y1) + x1 * (y0 + 2 * y1));
    add_sum (sums->words[5], c, y0 * y0 + y0 * y1 + y1 * y1);
    add_sum (sums->words[6], c, (x0 + x1) * (x0 * x0 + x1 * x1));
    add_sum (sums->words[7], c, x0 * x0 * (3 * y0 + y1) + 2 * x0 * x1 * (y0 + y1) + x1 * x1 * (y0 + 3 * y1));
    add_sum (sums->words[8], c, y0 * y0 * (3 * x0 + x1) + 2 * y0 * y1 * (x0 + x1) + y1 * y1 * (x0 + 3 * x1));
    add_sum (sums->words[9], c, (y0 + y1) * (y0 * y0 + y1 * y1));
    left = p.x < left ? p.x : left;
    top = p.y < top ? p.y : top;
    right = p.x > right ? p.x : right;
    bottom = p.y > bottom ? p.y : bottom;
  }
  row->left = (uint16_t) left;
  row->top = (uint16_t) top;
  row->width = (uint16_t) (right - left + 1);
  row->height = (uint16_t) (bottom - top + 1);
}

static bool
is_kept (const CtrContour *row, const CtrBordersParams *params)
{
  const double area = ctr_contour_area (row, false);
  return area >= params->min_area && (params->max_area == 0 || area <= params->max_area)
         && ctr_contour_perimeter (row) >= params->min_length && row->width >= params->min_width
         && row->height >= params->min_height;
}

/* Appends the borders within PARENT, each followed by what is within it. */
static void
list_children (const Work *work, const int *parents, int parent, int *list, int *length)
{
  /* The last border that has this one as its parent comes first. */
  for (int i = work->count; i-- > parent + 1;)
    if (parents[i] == parent) {
      list[(*length)++] = i;
      list_children (work, parents, i, list, length);
    }
}

/* The borders that MODE wants in its order; PARENTS as it sees them. Returns how many. */
static int
list_borders (const Work *work, CtrRetrieval mode, int *parents, int *list)
{
  int length = 0;
  if (mode == CTR_RETRIEVE_EXTERNAL || mode == CTR_RETRIEVE_LIST) {
    for (int i = work->count; i-- > 0;) {
      parents[i] = -1;
      if (mode == CTR_RETRIEVE_LIST || work->borders[i].parent < 0)
        list[length++] = i;
    }
    return length;
  }
  for (int i = 0; i < work->count; i++)
    parents[i] = mode == CTR_RETRIEVE_TREE || work->borders[i].hole ? work->borders[i].parent : -1;
  list_children (work, parents, -1, list, &length);
  return length;
}

/* PARENTS in the list of rows; -1: none. */
static void
link_rows (CtrContour *table, uint32_t count)
{
  for (uint32_t i = 0; i < count; i++) {
    CtrContour *row = table + i;
    row->next = row->previous = row->child = -1;
    for (uint32_t k = i + 1; k < count && row->next < 0; k++)
      if (table[k].parent == row->parent)
        row->next = (int32_t) k;
    for (uint32_t k = i; k-- > 0 && row->previous < 0;)
      if (table[k].parent == row->parent)
        row->previous = (int32_t) k;
    for (uint32_t k = i + 1; k < count && row->child < 0; k++)
      if (table[k].parent == (int32_t) i)
        row->child = (int32_t) k;
  }
}

static CtrContourShape *
list_shapes (const Work *work, uint32_t features, double feret_angle, const CtrContour *table, uint32_t count)
{
  CtrContourShape *shapes = malloc (((size_t) count + 1) * sizeof *shapes);
  for (uint32_t i = 0; i < count; i++)
    shapes[i] = reference_shape (work->points + table[i].first, table + i, features, feret_angle);
  if (features & CTR_CONTOUR_FEATURE_HOLES)
    reference_holes (table, count, shapes);
  return shapes;
}

static CtrContourFits *
list_fits (const Work *work, const CtrContour *table, uint32_t count)
{
  CtrContourFits *fits = malloc (((size_t) count + 1) * sizeof *fits);
  for (uint32_t i = 0; i < count; i++)
    fits[i] = reference_fits (work->points + table[i].first, table + i);
  return fits;
}

static Contours
choose (Work *work, const CtrBordersParams *params)
{
  const size_t room = (size_t) work->count + 1;
  int *parents = malloc (room * sizeof *parents), *list = malloc (room * sizeof *list);
  int *place = malloc (room * sizeof *place);
  CtrContour *table = malloc (room * sizeof *table);
  CtrContourSums *sums = malloc (room * sizeof *sums);
  Contours result = {.table = table};
  const int length = list_borders (work, params->mode, parents, list);
  for (int i = 0; i < work->count; i++)
    place[i] = -1;
  for (int i = 0; i < length; i++) {
    const Border *border = work->borders + list[i];
    if (!is_kept (&border->row, params))
      continue;
    const uint32_t at = result.info.count++;
    int parent = parents[list[i]];
    while (parent >= 0 && place[parent] < 0)
      parent = parents[parent];
    place[list[i]] = (int) at;
    table[at] = border->row;
    table[at].parent = parent < 0 ? -1 : place[parent];
    sums[at] = work->sums[list[i]];
    result.info.point_count += border->row.count;
  }
  link_rows (table, result.info.count);
  if (params->features & CTR_CONTOUR_FEATURE_FITS)
    result.fits = list_fits (work, table, result.info.count);
  if (params->features & CTR_CONTOUR_SHAPE_FEATURES)
    result.shapes = list_shapes (work, params->features, params->feret_angle, table, result.info.count);
  CtrPoint *points = malloc ((result.info.point_count + 1) * sizeof *points);
  uint64_t first = 0;
  for (uint32_t i = 0; i < result.info.count; i++) {
    const CtrPoint *from = work->points + table[i].first;
    if (params->epsilon > 0)
      table[i].count = reference_simplify (from, table[i].count, params->epsilon, REFERENCE_SEGMENT, points + first);
    else
      memcpy (points + first, from, table[i].count * sizeof *points);
    table[i].first = first;
    first += table[i].count;
  }
  result.info.point_count = first;
  result.points = points;
  if (params->features & CTR_CONTOUR_FEATURE_MOMENTS)
    result.sums = sums;
  else
    free (sums);
  free (parents);
  free (list);
  free (place);
  return result;
}

Contours
reference_borders (const CtrImage *image, const CtrBordersParams *params)
{
  const size_t pixels = (size_t) image->width * image->height;
  const uint32_t threshold =
      params->foreground.mode == CTR_THRESHOLD_OTSU ? reference_otsu (image) : params->foreground.threshold;
  const bool four = params->connectivity == CTR_CONNECTIVITY_4;
  Work work = {.rule = four ? &reference_rule_of_cracks : &rule_of_passages,
      .mask = {(int) image->width, (int) image->height, malloc (pixels * sizeof (bool))}};
  for (uint32_t y = 0; y < image->height; y++)
    for (uint32_t x = 0; x < image->width; x++)
      work.mask.foreground[(size_t) y * image->width + x] =
          (reference_sample (image, x, y) >= threshold) != params->foreground.invert;

  size_t passages = 0;
  work.owner = malloc (4 * pixels * sizeof *work.owner);
  for (size_t i = 0; i < 4 * pixels; i++) {
    work.owner[i] = -1;
    passages += work.rule->exists (&work.mask, i);
  }
  work.borders = malloc ((passages + 1) * sizeof *work.borders);
  work.points = malloc ((2 * passages + 1) * sizeof *work.points);
  for (size_t i = 0; i < 4 * pixels; i++)
    if (work.owner[i] < 0 && work.rule->exists (&work.mask, i))
      collect (&work, i);
  qsort (work.borders, work.count, sizeof *work.borders, compare_keys);
  work.sums = malloc (((size_t) work.count + 1) * sizeof *work.sums);
  uint64_t first = 0;
  for (int i = 0; i < work.count; i++) {
    Border *border = work.borders + i;
    size_t at = border->start;
    do {
      work.owner[at] = i;
      at = work.rule->next (&work.mask, at);
    } while (at != border->start);
    border->parent = find_parent (&work, border);
    border->row.first = first;
    border->row.flags = border->hole ? CTR_CONTOUR_HOLE : 0;
    border->row.count = work.rule->list (&work.mask, border->start, params->approximation, work.points + first);
    reference_measure (work.points + first, &border->row, work.sums + i);
    first += border->row.count;
  }
  Contours result = choose (&work, params);
  result.info.width = image->width;
  result.info.height = image->height;
  result.info.threshold = threshold;
  result.info.coordinates = CTR_COORDINATES_PIXELS;
  result.info.features = params->features;
  result.info.connectivity = params->connectivity;
  free (work.mask.foreground);
  free (work.owner);
  free (work.borders);
  free (work.points);
  free (work.sums);
  return result;
}

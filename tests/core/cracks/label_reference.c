/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The contours of a label image, label by label: the mask of a label, cut to its box, goes to the reference of level
 * contours. */
#include "tests/core/borders/reference.h"
#include "tests/core/cracks/reference.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
  uint32_t left, top, right, bottom; /* RIGHT and BOTTOM are behind it; empty: 0 */
} Box;

typedef struct {
  CtrContour *table;
  CtrContourSums *sums;
  CtrPoint *points;
  size_t table_room, points_room;
  uint32_t count;
  uint64_t point_count;
} List;

/* Which labels count: none on the outermost pixels with ZERO. */
static uint32_t
label_at (const uint32_t *labels, uint32_t width, uint32_t height, uint32_t x, uint32_t y, bool zero)
{
  const bool outermost = x == 0 || y == 0 || x + 1 == width || y + 1 == height;
  return zero && outermost ? 0 : labels[(size_t) y * width + x];
}

static Box *
find_boxes (const uint32_t *labels, uint32_t width, uint32_t height, uint32_t count, bool zero)
{
  Box *boxes = calloc ((size_t) count + 1, sizeof *boxes);
  for (uint32_t y = 0; y < height; y++)
    for (uint32_t x = 0; x < width; x++) {
      Box *box = boxes + label_at (labels, width, height, x, y, zero);
      if (box->bottom == 0)
        *box = (Box){x, y, x + 1, y + 1};
      box->left = x < box->left ? x : box->left;
      box->right = x >= box->right ? x + 1 : box->right;
      box->bottom = y + 1;
    }
  return boxes;
}

static void
make_room (List *list, const Contours *more)
{
  const size_t rows = (size_t) list->count + more->info.count, points = list->point_count + more->info.point_count;
  if (rows > list->table_room) {
    list->table_room = 2 * rows;
    list->table = realloc (list->table, list->table_room * sizeof *list->table);
    list->sums = realloc (list->sums, list->table_room * sizeof *list->sums);
  }
  if (points > list->points_room) {
    list->points_room = 2 * points;
    list->points = realloc (list->points, list->points_room * sizeof *list->points);
  }
}

static int32_t
moved (int32_t row, uint32_t by)
{
  return row < 0 ? row : row + (int32_t) by;
}

/* Appends the contours of the mask of LABEL, whose box begins at (X, Y). */
static void
append (List *list, const Contours *of_mask, uint32_t label, uint32_t x, uint32_t y)
{
  make_room (list, of_mask);
  CtrPoint *points = list->points + list->point_count;
  for (uint64_t i = 0; i < of_mask->info.point_count; i++)
    points[i] = (CtrPoint){(uint16_t) (of_mask->points[i].x + x), (uint16_t) (of_mask->points[i].y + y)};
  for (uint32_t i = 0; i < of_mask->info.count; i++) {
    CtrContour *row = list->table + list->count + i;
    CtrContour measured = {.count = of_mask->table[i].count};
    *row = of_mask->table[i];
    list->sums[list->count + i] = (CtrContourSums){0};
    reference_measure (points + row->first, &measured, list->sums + list->count + i);
    row->left += x;
    row->top += y;
    row->level = label;
    row->first += list->point_count;
    row->next = moved (row->next, list->count);
    row->previous = moved (row->previous, list->count);
    row->child = moved (row->child, list->count);
    row->parent = moved (row->parent, list->count);
  }
  list->count += of_mask->info.count;
  list->point_count += of_mask->info.point_count;
}

Contours
reference_label_cracks (
    const uint32_t *labels, uint32_t width, uint32_t height, uint32_t count, const CtrCracksParams *params)
{
  const bool zero = params->frame == CTR_IMAGE_BORDER_ZERO;
  Box *boxes = find_boxes (labels, width, height, count, zero);
  List list = {
      .table = malloc (sizeof *list.table), .sums = malloc (sizeof *list.sums), .points = malloc (sizeof *list.points)};
  CtrCracksParams of_mask = *params;
  of_mask.mode = CTR_LEVELS_EQUAL;
  of_mask.frame = CTR_IMAGE_BORDER_PAD;
  of_mask.minimum = of_mask.maximum = of_mask.step = 1;
  of_mask.levels = NULL;
  of_mask.features = 0;
  for (uint32_t label = 1; label <= count; label++) {
    const Box box = boxes[label];
    const uint32_t w = box.right - box.left, h = box.bottom - box.top;
    if (box.bottom == 0)
      continue;
    uint8_t *mask = malloc ((size_t) w * h);
    for (uint32_t y = 0; y < h; y++)
      for (uint32_t x = 0; x < w; x++)
        mask[(size_t) y * w + x] = label_at (labels, width, height, box.left + x, box.top + y, zero) == label;
    const CtrImage image = {.data = mask, .stride = w, .width = w, .height = h};
    Contours contours = reference_cracks (&image, &of_mask);
    append (&list, &contours, label, box.left, box.top);
    reference_contours_free (&contours);
    free (mask);
  }
  free (boxes);
  Contours result = {.info = {.width = width,
                         .height = height,
                         .count = list.count,
                         .point_count = list.point_count,
                         .coordinates = CTR_COORDINATES_CORNERS,
                         .connectivity = params->connectivity,
                         .features = params->features},
      .table = list.table,
      .points = list.points};
  if (params->features & CTR_CONTOUR_FEATURE_MOMENTS)
    result.sums = list.sums;
  else
    free (list.sums);
  return result;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/core/snake/outline_reference.h"

#include "core/snake/criterion.h"
#include "core/snake/geometry.h"

#include <stdlib.h>
#include <string.h>

/* Blocks of the window; those beyond it have no label. */
typedef struct {
  int32_t side, columns, rows;
  Node low, high; /* of the window */
  int32_t *label; /* 0: outside */
} Blocks;

static int32_t
at (const Blocks *b, int32_t column, int32_t row)
{
  if (column < 0 || row < 0 || column >= b->columns || row >= b->rows)
    return 0;
  return b->label[row * b->columns + column];
}

static Node
corner_of (const Blocks *b, int32_t column, int32_t row)
{
  const Node node = {b->low.x + column * b->side, b->low.y + row * b->side};
  return (Node){node.x < b->high.x ? node.x : b->high.x, node.y < b->high.y ? node.y : b->high.y};
}

static CtrSnakeSums
core_sums (Sums sums)
{
  return (CtrSnakeSums){sums.n, sums.s1, (uint64_t) sums.s2};
}

/* Judges all blocks by the sums INSIDE. Returns those of the blocks found. */
static Sums
judge (const Work *work, Blocks *b, Sums inside, CtrSnakeLikelihood *contrast)
{
  const CtrSnakeCost cost = {work->params->model, work->params->looks, work->largest};
  *contrast = ctr_snake_contrast (&cost, core_sums (inside), core_sums (work->all));
  Sums found = {0, 0, 0};
  for (int32_t row = 0; row < b->rows; row++)
    for (int32_t column = 0; column < b->columns; column++) {
      const Sums sums = field_sums (&work->field, corner_of (b, column, row), corner_of (b, column + 1, row + 1));
      const bool in = ctr_snake_evidence (contrast, core_sums (sums)) < 0;
      b->label[row * b->columns + column] = in;
      if (in)
        found = (Sums){found.n + sums.n, found.s1 + sums.s1, found.s2 + sums.s2};
    }
  return found;
}

static void
take_majority (Blocks *b)
{
  int32_t *majority = malloc ((size_t) (b->columns * b->rows) * sizeof *majority);
  for (int32_t row = 0; row < b->rows; row++)
    for (int32_t column = 0; column < b->columns; column++) {
      int32_t sum = 0;
      for (int32_t y = row - 1; y <= row + 1; y++)
        for (int32_t x = column - 1; x <= column + 1; x++)
          sum += at (b, x, y);
      majority[row * b->columns + column] = sum >= 5;
    }
  free (b->label);
  b->label = majority;
}

/* Gives all connected blocks with a label the lowest one of them. */
static void
spread (Blocks *b)
{
  for (bool changed = true; changed;) {
    changed = false;
    for (int32_t row = 0; row < b->rows; row++)
      for (int32_t column = 0; column < b->columns; column++) {
        const int32_t near[4] = {
            at (b, column - 1, row), at (b, column + 1, row), at (b, column, row - 1), at (b, column, row + 1)};
        int32_t *label = &b->label[row * b->columns + column];
        for (int k = 0; k < 4; k++)
          if (*label && near[k] && near[k] < *label) {
            *label = near[k];
            changed = true;
          }
      }
  }
}

/* Labels blocks in raster order where they are INSIDE, or where they are not. */
static void
number (Blocks *b, bool inside)
{
  for (int32_t i = 0; i < b->columns * b->rows; i++)
    b->label[i] = (b->label[i] != 0) == inside ? i + 2 : 0;
}

/* Leaves the largest component, without its holes. */
static bool
take_largest (Blocks *b)
{
  const int32_t count = b->columns * b->rows;
  int32_t most = 0, largest = 0;
  number (b, true);
  spread (b);
  for (int32_t label = 2; label < count + 2; label++) {
    int32_t own = 0;
    for (int32_t i = 0; b->label[label - 2] == label && i < count; i++)
      own += b->label[i] == label;
    if (own > most) {
      most = own;
      largest = label;
    }
  }
  for (int32_t i = 0; i < count; i++)
    b->label[i] = b->label[i] == largest;
  if (most == 0)
    return false;
  number (b, false);
  for (int32_t row = 0; row < b->rows; row++)
    for (int32_t column = 0; column < b->columns; column++) {
      const bool at_rim = row == 0 || column == 0 || row == b->rows - 1 || column == b->columns - 1;
      if (at_rim && at (b, column, row))
        b->label[row * b->columns + column] = 1;
    }
  spread (b);
  for (int32_t i = 0; i < count; i++)
    b->label[i] = b->label[i] != 1;
  return true;
}

static Sums
inside_sums (const Work *work, const Blocks *b)
{
  Sums all = {0, 0, 0};
  for (int32_t row = 0; row < b->rows; row++)
    for (int32_t column = 0; column < b->columns; column++)
      if (at (b, column, row)) {
        const Sums sums = field_sums (&work->field, corner_of (b, column, row), corner_of (b, column + 1, row + 1));
        all = (Sums){all.n + sums.n, all.s1 + sums.s1, all.s2 + sums.s2};
      }
  return all;
}

/* All corners of the outline, in blocks. */
static Polygon
trace (const Blocks *b)
{
  static const Node steps[4] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
  static const Node rights[4] = {{0, 0}, {-1, 0}, {-1, -1}, {0, -1}}; /* the block on the right of each step */
  Polygon corners = {0};
  Node start = {0, 0};
  while (!at (b, start.x, start.y))
    start = start.x + 1 < b->columns ? (Node){start.x + 1, start.y} : (Node){0, start.y + 1};
  Node node = start;
  int heading = 0;
  polygon_insert (&corners, 0, start);
  for (;;) {
    node = (Node){node.x + steps[heading].x, node.y + steps[heading].y};
    if (node.x == start.x && node.y == start.y)
      return corners;
    const int left = (heading + 3) % 4, right = (heading + 1) % 4;
    const Node ahead_left = {node.x + rights[left].x, node.y + rights[left].y};
    const Node ahead = {node.x + rights[heading].x, node.y + rights[heading].y};
    const int next = at (b, ahead_left.x, ahead_left.y) ? left : at (b, ahead.x, ahead.y) ? heading : right;
    if (next != heading)
      polygon_insert (&corners, corners.count, node);
    heading = next;
  }
}

/* The distance of node I from the line through FIRST and END, times the distance of these. */
static int64_t
area (const Polygon *corners, uint32_t first, uint32_t end, uint32_t i)
{
  const Node a = corners->nodes[first], b = corners->nodes[end % corners->count], c = corners->nodes[i];
  return llabs ((int64_t) (b.x - a.x) * (c.y - a.y) - (int64_t) (b.y - a.y) * (c.x - a.x));
}

static int64_t
square (const Polygon *corners, uint32_t i, uint32_t j)
{
  const Node a = corners->nodes[i % corners->count], b = corners->nodes[j % corners->count];
  return (int64_t) (b.x - a.x) * (b.x - a.x) + (int64_t) (b.y - a.y) * (b.y - a.y);
}

/* Keeps what LEVELS levels find between corners FIRST and END. */
static void
simplify (const Polygon *corners, uint32_t first, uint32_t end, int levels, bool *kept)
{
  uint32_t best = first;
  for (uint32_t i = first + 1; i < end; i++)
    if (best == first || area (corners, first, end, i) > area (corners, first, end, best))
      best = i;
  if (levels == 0 || best == first)
    return;
  const int64_t most = area (corners, first, end, best);
  if (most * most <= square (corners, first, end))
    return;
  kept[best] = true;
  simplify (corners, first, best, levels - 1, kept);
  simplify (corners, best, end, levels - 1, kept);
}

static Polygon
simplified (const Blocks *b, const Polygon *corners)
{
  bool *kept = calloc (corners->count, 1);
  uint32_t farthest = 1;
  Polygon line = {0};
  for (uint32_t i = 2; i < corners->count; i++)
    if (square (corners, 0, i) > square (corners, 0, farthest))
      farthest = i;
  kept[0] = kept[farthest] = true;
  simplify (corners, 0, farthest, 256, kept);
  simplify (corners, farthest, corners->count, 256, kept);
  for (uint32_t i = 0; i < corners->count; i++)
    if (kept[i])
      polygon_insert (&line, line.count, corner_of (b, corners->nodes[i].x, corners->nodes[i].y));
  free (kept);
  return line;
}

Polygon
reference_outline (const Work *work, Sums rectangle, int32_t *side)
{
  enum { MOST_BLOCKS = 384, MOST_CORNERS = 2048 };
  const int32_t width = work->high.x - work->low.x, height = work->high.y - work->low.y;
  const int32_t longer = width > height ? width : height;
  Blocks b = {.side = longer > 256 ? 8 : 4, .low = work->low, .high = work->high};
  while (b.side * MOST_BLOCKS < longer)
    b.side *= 2;
  b.columns = (width - 1) / b.side + 1;
  b.rows = (height - 1) / b.side + 1;
  b.label = calloc ((size_t) (b.columns * b.rows), sizeof *b.label);
  *side = b.side;
  Polygon line = {0};
  Sums inside = rectangle;
  CtrSnakeLikelihood contrast;
  bool ok = true;
  for (int round = 0; ok && round < 3; round++) {
    ok = inside.n > 0 && inside.n < work->all.n;
    if (ok)
      inside = judge (work, &b, inside, &contrast);
  }
  if (ok) {
    take_majority (&b);
    ok = take_largest (&b)
         && ctr_snake_evidence (&contrast, core_sums (inside_sums (work, &b)))
                < ctr_snake_evidence (&contrast, core_sums (rectangle));
  }
  if (ok) {
    Polygon corners = trace (&b);
    if (corners.count <= MOST_CORNERS)
      line = simplified (&b, &corners);
    polygon_free (&corners);
  }
  free (b.label);
  if (line.count >= 3 && polygon_is_simple (&line))
    return line;
  polygon_free (&line);
  return (Polygon){0};
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The hierarchy over all levels, from its definition in include/contours/cracks.h: regions are compared pixel by pixel,
 * and components and holes are filled pixel by pixel. */
#include "tests/core/cracks/nested_reference.h"

#include "tests/core/cracks/reference.h"
#include "tests/core/common/reference.h"

#include <stdlib.h>
#include <string.h>

/* The pixels that a contour encloses, in its bounding box. */
typedef struct {
  const CtrContour *row;
  uint8_t *inside;
  uint32_t area;
} Region;

typedef struct {
  const CtrImage *image;
  const CtrCracksParams *params;
  Contours all; /* of all levels, each level by itself */
  Region *regions;
  uint32_t *parents, *links, *best; /* by contour; NONE: none */
  uint32_t *lowest, *highest;       /* levels of a branch, by its best contour */
  uint32_t *depths;                 /* NONE: not known yet */
  CtrContourNesting *nesting;
} Work;

enum { NONE = -1 };

static bool
is_hole (const CtrContour *row)
{
  return row->flags & CTR_CONTOUR_HOLE;
}

/* Each vertical side of the line changes what is right of it. */
static void
fill_region (Work *work, uint32_t index)
{
  const CtrContour *row = work->all.table + index;
  const CtrPoint *points = work->all.points + row->first;
  Region *region = work->regions + index;
  *region = (Region){.row = row, .inside = calloc ((size_t) row->width * row->height, 1)};
  for (uint32_t i = 0; i < row->count; i++) {
    const CtrPoint p = points[i], q = points[(i + 1) % row->count];
    for (int y = p.y < q.y ? p.y : q.y; y < (p.y < q.y ? q.y : p.y); y++)
      for (int x = p.x; x < row->left + row->width; x++)
        region->inside[(y - row->top) * row->width + x - row->left] ^= 1;
  }
  for (uint32_t i = 0; i < (uint32_t) row->width * row->height; i++)
    region->area += region->inside[i];
}

static bool
contains (const Region *outer, const Region *inner)
{
  const CtrContour *o = outer->row, *i = inner->row;
  if (outer->area < inner->area || i->left < o->left || i->top < o->top || i->left + i->width > o->left + o->width
      || i->top + i->height > o->top + o->height)
    return false;
  for (uint32_t y = 0; y < i->height; y++)
    for (uint32_t x = 0; x < i->width; x++)
      if (inner->inside[y * i->width + x] && !outer->inside[(y + i->top - o->top) * o->width + x + i->left - o->left])
        return false;
  return true;
}

static bool
is_around (const Region *q, const Region *c)
{
  const bool may_be_equal = !is_hole (q->row) && !is_hole (c->row) && q->row->level < c->row->level;
  return q != c && (q->area > c->area || (q->area == c->area && may_be_equal)) && contains (q, c);
}

/* The smallest contour around contour INDEX of those from FIRST to before END, which are of its level from OWN on. */
static uint32_t
find_parent (const Work *work, uint32_t index, uint32_t first, uint32_t own, uint32_t end)
{
  uint32_t found = (uint32_t) NONE;
  for (uint32_t i = first; i < end; i++) {
    if (!is_around (work->regions + i, work->regions + index))
      continue;
    const bool nearer = found == (uint32_t) NONE || work->regions[i].area < work->regions[found].area
                        || (work->regions[i].area == work->regions[found].area && i >= own);
    found = nearer ? i : found;
  }
  return found;
}

static bool
is_foreground (const Work *work, int x, int y, uint32_t level)
{
  const int width = (int) work->image->width, height = (int) work->image->height;
  if (x < 0 || y < 0 || x >= width || y >= height)
    return false;
  const bool outermost = x == 0 || y == 0 || x == width - 1 || y == height - 1;
  return !(work->params->frame == CTR_IMAGE_BORDER_ZERO && outermost) && reference_sample (work->image, x, y) >= level;
}

/* The pixels of the component or hole of contour INDEX get its label. Holes do not reach the frame. */
static void
fill (const Work *work, uint32_t index, uint32_t *labels, uint32_t *stack)
{
  const CtrContour *row = work->all.table + index;
  const CtrPoint start = work->all.points[row->first];
  const bool foreground = !is_hole (row), diagonal = foreground == (work->params->connectivity == CTR_CONNECTIVITY_8);
  const int width = (int) work->image->width, height = (int) work->image->height;
  uint32_t depth = 0;
  labels[start.y * width + start.x] = index;
  stack[depth++] = (uint32_t) (start.y * width + start.x);
  while (depth) {
    const int at = (int) stack[--depth], x = at % width, y = at / width;
    for (int dy = -1; dy <= 1; dy++)
      for (int dx = -1; dx <= 1; dx++) {
        const int to_x = x + dx, to_y = y + dy, to = at + dy * width + dx;
        if ((!diagonal && dx && dy) || to_x < 0 || to_y < 0 || to_x >= width || to_y >= height
            || labels[to] != (uint32_t) NONE || is_foreground (work, to_x, to_y, row->level) != foreground)
          continue;
        labels[to] = index;
        stack[depth++] = (uint32_t) to;
      }
  }
}

/* Links those of HOLES, or the others, from FIRST to before END to those of another level that contain them. */
static void
find_links (Work *work, bool holes, uint32_t other_first, uint32_t other_end, uint32_t first, uint32_t end)
{
  const size_t pixels = (size_t) work->image->width * work->image->height;
  uint32_t *labels = malloc (pixels * sizeof *labels), *stack = malloc (pixels * sizeof *stack);
  memset (labels, 0xff, pixels * sizeof *labels);
  for (uint32_t i = other_first; i < other_end; i++)
    if (is_hole (work->all.table + i) == holes)
      fill (work, i, labels, stack);
  for (uint32_t i = first; i < end; i++) {
    const CtrPoint start = work->all.points[work->all.table[i].first];
    if (is_hole (work->all.table + i) == holes)
      work->links[i] = labels[start.y * work->image->width + start.x];
  }
  free (labels);
  free (stack);
}

static uint32_t
end_of_level (const Work *work, uint32_t first)
{
  uint32_t end = first;
  while (end < work->all.info.count && work->all.table[end].level == work->all.table[first].level)
    end++;
  return end;
}

static void
relate_levels (Work *work)
{
  uint32_t below = 0, own = 0;
  for (uint32_t end; own < work->all.info.count; below = own, own = end) {
    end = end_of_level (work, own);
    for (uint32_t i = own; i < end; i++)
      work->parents[i] = find_parent (work, i, below, own, end);
    if (own > below) {
      find_links (work, false, below, own, own, end);
      find_links (work, true, own, end, below, own);
    }
  }
}

/* What contour INDEX reaches furthest through its links becomes known, up to where a contour that reaches further came by. */
static void
follow_links (Work *work, uint32_t index)
{
  for (uint32_t at = index; at != (uint32_t) NONE && work->best[at] == (uint32_t) NONE; at = work->links[at])
    work->best[at] = index;
}

static uint32_t
find_depth (Work *work, uint32_t index)
{
  uint32_t unknown = 0, at = index;
  for (; at != (uint32_t) NONE && work->depths[at] == (uint32_t) NONE; at = work->parents[at])
    unknown++;
  uint32_t depth = at == (uint32_t) NONE ? unknown : work->depths[at] + unknown + 1;
  for (at = index; unknown; at = work->parents[at], unknown--)
    work->depths[at] = --depth;
  return work->depths[index];
}

/* Of components, the one of the highest level reaches furthest; of holes, the one of the lowest. In the table, levels rise. */
static void
find_branches (Work *work)
{
  const uint32_t count = work->all.info.count;
  for (uint32_t i = 0; i < count; i++)
    if (is_hole (work->all.table + i))
      follow_links (work, i);
  for (uint32_t i = count; i-- > 0;)
    if (!is_hole (work->all.table + i))
      follow_links (work, i);
  for (uint32_t i = 0; i < count; i++) {
    work->lowest[i] = UINT32_MAX;
    work->highest[i] = 0;
  }
  for (uint32_t i = 0; i < count; i++) {
    uint32_t *lowest = work->lowest + work->best[i], *highest = work->highest + work->best[i];
    const uint32_t level = work->all.table[i].level;
    *lowest = level < *lowest ? level : *lowest;
    *highest = level > *highest ? level : *highest;
  }
  for (uint32_t i = 0; i < count; i++)
    work->nesting[i] =
        (CtrContourNesting){find_depth (work, i), work->lowest[work->best[i]], work->highest[work->best[i]]};
}

static bool
is_kept (const Work *work, uint32_t index)
{
  const CtrCracksParams *params = work->params;
  const CtrContour *row = work->all.table + index;
  const CtrContourNesting *nesting = work->nesting + index;
  const double area = ctr_contour_area (row, false);
  return area >= params->min_area && (params->max_area == 0 || area <= params->max_area)
         && ctr_contour_perimeter (row) >= params->min_length
         && nesting->death >= nesting->birth + params->min_persistence && nesting->depth <= params->max_depth;
}

/* The rows that are kept, with their points, and who is whose parent among them. */
static Contours
keep_rows (const Work *work)
{
  const Contours *all = &work->all;
  const uint32_t count = all->info.count;
  CtrContour *table = malloc ((count + 1) * sizeof *table);
  CtrPoint *points = malloc ((all->info.point_count + 1) * sizeof *points);
  CtrContourSums *sums = malloc ((count + 1) * sizeof *sums);
  CtrContourNesting *nesting = malloc ((count + 1) * sizeof *nesting);
  int32_t *rows = malloc ((count + 1) * sizeof *rows), *children = malloc ((count + 1) * sizeof *children);
  Contours kept = {.info = all->info, .table = table, .points = points, .sums = sums, .nesting = nesting};
  kept.info.features = work->params->features | CTR_CONTOUR_FEATURE_NESTING;
  kept.info.count = 0;
  kept.info.point_count = 0;
  children[0] = -1; /* by parent's row + 1 */
  for (uint32_t i = 0; i < count; i++) {
    uint32_t parent = work->parents[i];
    rows[i] = -1;
    if (!is_kept (work, i))
      continue;
    while (parent != (uint32_t) NONE && rows[parent] < 0)
      parent = work->parents[parent];
    const int32_t row = rows[i] = (int32_t) kept.info.count++;
    table[row] = all->table[i];
    table[row].first = kept.info.point_count;
    table[row].parent = parent == (uint32_t) NONE ? -1 : rows[parent];
    table[row].child = table[row].previous = -1;
    table[row].next = children[table[row].parent + 1];
    if (table[row].next >= 0)
      table[table[row].next].previous = row;
    if (table[row].parent >= 0)
      table[table[row].parent].child = row;
    children[table[row].parent + 1] = row;
    children[row + 1] = -1;
    memcpy (points + kept.info.point_count, all->points + all->table[i].first, table[row].count * sizeof *points);
    kept.info.point_count += table[row].count;
    sums[row] = all->sums[i];
    nesting[row] = work->nesting[i];
  }
  if (!(work->params->features & CTR_CONTOUR_FEATURE_MOMENTS)) {
    free (sums);
    kept.sums = NULL;
  }
  free (rows);
  free (children);
  return kept;
}

Contours
reference_nested_cracks (const CtrImage *image, const CtrCracksParams *params)
{
  CtrCracksParams alone = *params;
  alone.hierarchy = CTR_HIERARCHY_PER_LEVEL;
  alone.min_area = alone.max_area = alone.min_length = 0;
  alone.min_persistence = 0;
  alone.max_depth = CTR_CRACKS_ANY_DEPTH;
  alone.features = CTR_CONTOUR_FEATURE_MOMENTS;
  Work work = {.image = image, .params = params, .all = reference_cracks (image, &alone)};
  const size_t room = work.all.info.count + 1;
  uint32_t *numbers = malloc (6 * room * sizeof *numbers);
  memset (numbers, 0xff, 6 * room * sizeof *numbers);
  work.parents = numbers;
  work.links = numbers + room;
  work.best = numbers + 2 * room;
  work.lowest = numbers + 3 * room;
  work.highest = numbers + 4 * room;
  work.depths = numbers + 5 * room;
  work.regions = malloc (room * sizeof *work.regions);
  work.nesting = malloc (room * sizeof *work.nesting);
  for (uint32_t i = 0; i < work.all.info.count; i++)
    fill_region (&work, i);
  relate_levels (&work);
  find_branches (&work);
  const Contours kept = keep_rows (&work);
  for (uint32_t i = 0; i < work.all.info.count; i++)
    free (work.regions[i].inside);
  free (work.regions);
  free (work.nesting);
  free (numbers);
  reference_contours_free (&work.all);
  return kept;
}

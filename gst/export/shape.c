/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/export/shape.h"

#include <math.h>

#define NONE G_MAXUINT32

struct ExportShapes {
  GstContoursContourMeta *meta;
  gboolean cut, chains;
  const GstContoursMapping *mapping;
  gdouble determinant; /* of the mapping: the factor of areas */
  CtrCoordinates coordinates;
  const CtrContour *table;
  const CtrPoint *points;
  guint count;
  guint next;       /* row */
  guint32 *child;   /* first hole of each row */
  guint32 *sibling; /* next hole of the same row */
  ExportShape shape;
};

static gboolean
is_hole (const CtrContour *row)
{
  return (row->flags & CTR_CONTOUR_HOLE) != 0;
}

/* A contour that is not closed encloses nothing. */
static void
append_ring (ExportShapes *shapes, guint row)
{
  ExportShape *shape = &shapes->shape;
  const CtrContour *contour = &shapes->table[row];
  if (contour->flags & CTR_CONTOUR_OPEN)
    return;
  OutlineRing ring = {shape->points->len, 0, is_hole (contour)};
  if (!outline_append (shape->points, contour, shapes->points + contour->first, shapes->coordinates))
    shape->exact = FALSE;
  ring.count = shape->points->len - ring.first;
  if (ring.count > 0)
    g_array_append_val (shape->rings, ring);
}

static void
clear_shape (ExportShape *shape)
{
  g_array_set_size (shape->points, 0);
  g_array_set_size (shape->rings, 0);
  shape->exact = TRUE;
}

/* The line of a chain, through the centres of its pixels. */
static void
append_chain (ExportShapes *shapes, guint row)
{
  ExportShape *shape = &shapes->shape;
  const CtrContour *contour = &shapes->table[row];
  const OutlineRing ring = {shape->points->len, contour->count, FALSE};
  for (guint i = 0; i < contour->count; i++) {
    const CtrPoint *point = &shapes->points[contour->first + i];
    const HalfPoint centre = {2 * point->x + 1, 2 * point->y + 1};
    g_array_append_val (shape->points, centre);
  }
  g_array_append_val (shape->rings, ring);
  shape->exact = FALSE;
}

/* Indexes the lines of a frame without hierarchy, for finding the outer contour of each hole. */
static CrackIndex *
index_lines (ExportShapes *shapes)
{
  CrackIndex *index = crack_index_new ();
  const GArray *points = shapes->shape.points;
  for (guint row = 0; row < shapes->count; row++) {
    clear_shape (&shapes->shape);
    append_ring (shapes, row);
    for (guint i = 0; i < points->len; i++)
      crack_index_add (index, shapes->table[row].level, g_array_index (points, HalfPoint, i),
          g_array_index (points, HalfPoint, i + 1 < points->len ? i + 1 : 0), row);
  }
  crack_index_sort (index);
  return index;
}

/* The nearest line above the hole's topmost side that has foreground below: its outer contour, or another hole of it.
 */
static guint32
look_above (ExportShapes *shapes, const CrackIndex *index, guint row)
{
  const GArray *points = shapes->shape.points;
  guint32 owner;
  gboolean foreground;
  clear_shape (&shapes->shape);
  append_ring (shapes, row);
  if (points->len == 0)
    return NONE;
  const HalfPoint *top = &g_array_index (points, HalfPoint, outline_top_left ((HalfPoint *) points->data, points->len));
  return crack_index_find_above (index, shapes->table[row].level, top->x / 2, top->y, &owner, &foreground) && foreground
             ? owner
             : NONE;
}

/* For each hole of a frame without hierarchy, its outer contour, NONE if there is none. */
static guint32 *
find_outer_contours (ExportShapes *shapes)
{
  CrackIndex *index = index_lines (shapes);
  guint32 *above = g_new (guint32, shapes->count);
  for (guint row = 0; row < shapes->count; row++)
    above[row] = is_hole (&shapes->table[row]) ? look_above (shapes, index, row) : row;
  crack_index_free (index);
  /* A hole above starts higher, so this ends. */
  for (guint row = 0; row < shapes->count; row++) {
    guint32 end = row;
    while (end != NONE && above[end] != end)
      end = above[end];
    for (guint32 at = row, next; at != end; at = next) {
      next = above[at];
      above[at] = end;
    }
  }
  return above;
}

/* Lists the holes of each outer contour. */
static void
sort_holes (ExportShapes *shapes)
{
  gboolean orphans = FALSE;
  for (guint row = 0; row < shapes->count; row++) {
    shapes->child[row] = shapes->sibling[row] = NONE;
    orphans |= is_hole (&shapes->table[row]) && shapes->table[row].parent < 0;
  }
  /* In the hierarchy over all levels, the parent of a hole whose outline was dropped may have a lower level. */
  gboolean nested = gst_contours_contour_meta_has_nesting (shapes->meta);
  guint32 *outlines = orphans ? find_outer_contours (shapes) : NULL;
  for (guint row = shapes->count; row-- > 0;) {
    const CtrContour *contour = &shapes->table[row];
    guint32 parent = contour->parent >= 0 ? (guint32) contour->parent : outlines ? outlines[row] : NONE;
    if (!is_hole (contour))
      continue;
    if (parent == NONE || is_hole (&shapes->table[parent])
        || (nested && shapes->table[parent].level != contour->level)) {
      shapes->sibling[row] = row; /* an area of its own */
      continue;
    }
    shapes->sibling[row] = shapes->child[parent];
    shapes->child[parent] = row;
  }
  g_free (outlines);
}

ExportShapes *
export_shapes_new (GstContoursContourMeta *meta, gboolean cut)
{
  CtrContours *contours = gst_contours_contour_meta_peek_contours (meta);
  ExportShapes *shapes = g_new0 (ExportShapes, 1);
  const GstContoursMapping *m = shapes->mapping = gst_contours_contour_meta_get_mapping (meta);
  shapes->meta = meta;
  shapes->cut = cut;
  shapes->chains = shapes->shape.chain = gst_contours_contour_meta_has_edge_chains (meta);
  shapes->determinant = m->xx * m->yy - m->xy * m->yx;
  shapes->coordinates = contours->coordinates;
  shapes->table = ctr_contours_map_table (contours, NULL);
  shapes->points = ctr_contours_map_points (contours, NULL);
  shapes->count = contours->count;
  shapes->child = g_new (guint32, shapes->count);
  shapes->sibling = g_new (guint32, shapes->count);
  shapes->shape.points = g_array_new (FALSE, FALSE, sizeof (HalfPoint));
  shapes->shape.rings = g_array_new (FALSE, FALSE, sizeof (OutlineRing));
  sort_holes (shapes);
  return shapes;
}

void
export_shapes_free (ExportShapes *shapes)
{
  g_array_free (shapes->shape.points, TRUE);
  g_array_free (shapes->shape.rings, TRUE);
  g_free (shapes->child);
  g_free (shapes->sibling);
  g_free (shapes);
}

/* Reverses a hole that is an area of its own. */
static void
reverse (ExportShape *shape)
{
  HalfPoint *points = (HalfPoint *) shape->points->data;
  for (guint i = 0, j = shape->points->len; i + 1 < j; i++) {
    HalfPoint kept = points[--j];
    points[j] = points[i];
    points[i] = kept;
  }
  for (guint r = 0; r < shape->rings->len; r++)
    g_array_index (shape->rings, OutlineRing, r).hole = FALSE;
}

static void
measure (const ExportShapes *shapes, ExportShape *shape)
{
  gdouble area2 = 0;
  shape->holes = 0;
  for (guint r = 0; r < shape->rings->len; r++) {
    const OutlineRing *ring = &g_array_index (shape->rings, OutlineRing, r);
    area2 += outline_area2 (&g_array_index (shape->points, HalfPoint, ring->first), ring->count);
    shape->holes += ring->hole;
  }
  shape->area = fabs (area2 / 2 * shapes->determinant);
}

const ExportShape *
export_shapes_next (ExportShapes *shapes)
{
  ExportShape *shape = &shapes->shape;
  while (shapes->next < shapes->count) {
    guint row = shapes->next++;
    gboolean hole = is_hole (&shapes->table[row]);
    if (hole && shapes->sibling[row] != row)
      continue;
    clear_shape (shape);
    if (shapes->chains)
      append_chain (shapes, row);
    else
      append_ring (shapes, row);
    if (hole)
      reverse (shape);
    for (guint32 child = shapes->child[row]; shape->points->len > 0 && child != NONE; child = shapes->sibling[child])
      append_ring (shapes, child);
    if (shape->rings->len > 0 && shape->exact)
      outline_separate (shape->points, shape->rings, shapes->cut);
    if (shape->rings->len == 0)
      continue; /* The contour encloses nothing, or has its inside on the wrong side, as other programs may write it. */
    measure (shapes, shape);
    gst_contours_contour_meta_get_contour (shapes->meta, row, &shape->contour);
    return shape;
  }
  return NULL;
}

void
export_shapes_map (const ExportShapes *shapes, HalfPoint point, gdouble *x, gdouble *y)
{
  const GstContoursMapping *m = shapes->mapping;
  gdouble px = point.x / 2.0, py = point.y / 2.0;
  *x = m->xx * px + m->xy * py + m->x0;
  *y = m->yx * px + m->yy * py + m->y0;
}

gboolean
export_shapes_are_mirrored (const ExportShapes *shapes)
{
  return shapes->determinant < 0;
}

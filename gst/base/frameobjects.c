/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/base/frameobjects.h"

#include <contours/cancel.h>
#include <math.h>

/* A row of a result that is an object. */
typedef struct {
  guint64 area;
  guint row;
} Candidate;

/* The largest of the rows so far. */
typedef struct {
  GArray *list; /* of Candidate: up to twice the limit, of which only the largest stay */
  guint limit, found;
  gboolean full; /* LIMIT rows of an area of at least LEAST are known: a later one has to be larger. */
  guint64 least;
} Selection;

static gint
compare_areas (gconstpointer a, gconstpointer b)
{
  const Candidate *one = a, *other = b;

  if (one->area != other->area)
    return one->area > other->area ? -1 : 1;
  return one->row < other->row ? -1 : 1;
}

static gint
compare_rows (gconstpointer a, gconstpointer b)
{
  return ((const Candidate *) a)->row < ((const Candidate *) b)->row ? -1 : 1;
}

static void
drop_smallest (Selection *self)
{
  if (self->list->len <= self->limit)
    return;
  g_array_sort (self->list, compare_areas);
  g_array_set_size (self->list, self->limit);
  self->full = TRUE;
  self->least = g_array_index (self->list, Candidate, self->limit - 1).area;
}

static void
select_row (Selection *self, guint row, guint64 area)
{
  const Candidate candidate = {area, row};

  self->found++;
  if (self->limit == 0)
    return;
  if (self->full && area <= self->least)
    return;
  g_array_append_val (self->list, candidate);
  if (self->list->len == 2 * self->limit)
    drop_smallest (self);
}

static Selection
selection_begin (guint limit)
{
  return (Selection){.list = g_array_new (FALSE, FALSE, sizeof (Candidate)), .limit = limit};
}

/* The rows that are left, in their order. */
static GArray *
selection_end (Selection *self)
{
  drop_smallest (self);
  g_array_sort (self->list, compare_rows);
  return self->list;
}

/* To be called for each INDEX of a long loop. */
static gboolean
check_cancelled (guint index, CtrError *error)
{
  if (index % 1024 > 0 || !ctr_cancelled ())
    return TRUE;
  error->status = CTR_ERROR_CANCELLED;
  g_strlcpy (error->message, "the conversion of the result was cancelled", sizeof error->message);
  return FALSE;
}

/* Places OBJECT, which is in pixels of a mask, in the frame. */
static void
place (FrameObject *object, const GstContoursMapping *mapping)
{
  gdouble x, y, w, h;

  gst_contours_mapping_map_box (mapping, object->x, object->y, object->width, object->height, &x, &y, &w, &h);
  object->x = (guint) CLAMP (floor (x), 0, mapping->width);
  object->y = (guint) CLAMP (floor (y), 0, mapping->height);
  object->width = (guint) CLAMP (ceil (x + w), 0, mapping->width) - object->x;
  object->height = (guint) CLAMP (ceil (y + h), 0, mapping->height) - object->y;
  object->area *= fabs (mapping->xx * mapping->yy - mapping->xy * mapping->yx);
  if (!isnan (object->cx))
    gst_contours_mapping_map_point (mapping, object->cx, object->cy, &object->cx, &object->cy);
}

gboolean
frame_objects_of_components (FrameObjects *objects, GstContoursComponentMeta *meta, guint limit, CtrError *error)
{
  CtrComponents *components = gst_contours_component_meta_peek_pending_components (meta);
  const GstContoursMapping *mapping = gst_contours_component_meta_get_mapping (meta);
  Selection selection;
  GArray *rows;

  if (!ctr_components_wait (components, error))
    return FALSE;
  selection = selection_begin (limit);
  for (guint i = 0; i < components->count; i++) {
    if (!check_cancelled (i, error)) {
      g_array_unref (selection.list);
      return FALSE;
    }
    select_row (&selection, i, components->table[i].area);
  }
  rows = selection_end (&selection);
  *objects = (FrameObjects){"component", mapping->width, mapping->height, selection.found,
      g_array_sized_new (FALSE, FALSE, sizeof (FrameObject), rows->len)};
  for (guint i = 0; i < rows->len; i++) {
    const guint row = g_array_index (rows, Candidate, i).row;
    const CtrComponent *c = &components->table[row];
    FrameObject object = {.id = row + 1,
        .label_id = components->features & CTR_FEATURE_VALUES ? c->value : 0,
        .x = c->left,
        .y = c->top,
        .width = c->width,
        .height = c->height,
        .area = c->area};

    ctr_component_centroid (c, &object.cx, &object.cy);
    object.class_name = gst_contours_component_meta_get_class_name (meta, object.label_id);
    if (!gst_contours_mapping_is_identity (mapping))
      place (&object, mapping);
    g_array_append_val (objects->list, object);
  }
  g_array_unref (rows);
  return TRUE;
}

/* The id of the nearest contour of ROWS around the contour ROW of TABLE, 0 if there is none. */
static guint
find_parent (const CtrContour *table, guint row, GArray *rows)
{
  for (gint32 around = table[row].parent; around >= 0; around = table[around].parent) {
    guint first = 0, end = rows->len;

    while (first < end) {
      const guint middle = first + (end - first) / 2;

      if (g_array_index (rows, Candidate, middle).row < (guint) around)
        first = middle + 1;
      else
        end = middle;
    }
    if (first < rows->len && g_array_index (rows, Candidate, first).row == (guint) around)
      return (guint) around + 1;
  }
  return 0;
}

/* The rectangle of least area goes through the centres of pixels: as that of whole pixels it is one pixel longer and wider. */
static void
add_rectangle (FrameObject *object, GstContoursContourMeta *meta, guint row)
{
  GstContoursShape shape;

  if (!(gst_contours_contour_meta_get_features (meta) & GST_CONTOURS_CONTOUR_FEATURE_RECTANGLE)
      || !gst_contours_contour_meta_get_shape (meta, row, &shape) || isnan (shape.rectangle_angle))
    return;
  object->has_rectangle = TRUE;
  object->wide = shape.rectangle_width + 1;
  object->high = shape.rectangle_height + 1;
  object->left = shape.rectangle_x + 0.5 - object->wide / 2;
  object->top = shape.rectangle_y + 0.5 - object->high / 2;
  object->angle = shape.rectangle_angle * G_PI / 180;
}

gboolean
frame_objects_of_contours (FrameObjects *objects, GstContoursContourMeta *meta, guint limit, CtrError *error)
{
  CtrContours *contours = gst_contours_contour_meta_peek_pending_contours (meta);
  const GstContoursMapping *mapping = gst_contours_contour_meta_get_mapping (meta);
  const CtrContour *table = NULL;
  Selection selection;
  GArray *rows;

  if (!ctr_contours_wait (contours, error)
      || (contours->count > 0 && !(table = ctr_contours_map_table (contours, error)))
      || ((contours->features & CTR_CONTOUR_FEATURE_MOMENTS) && contours->count > 0
          && !ctr_contours_map_sums (contours, error)))
    return FALSE;
  selection = selection_begin (limit);
  for (guint i = 0; i < contours->count; i++) {
    if (!check_cancelled (i, error)) {
      g_array_unref (selection.list);
      return FALSE;
    }
    if (!(table[i].flags & CTR_CONTOUR_HOLE))
      select_row (&selection, i, ABS (table[i].area2));
  }
  rows = selection_end (&selection);
  *objects = (FrameObjects){"contour", mapping->width, mapping->height, selection.found,
      g_array_sized_new (FALSE, FALSE, sizeof (FrameObject), rows->len)};
  for (guint i = 0; i < rows->len; i++) {
    const guint row = g_array_index (rows, Candidate, i).row;
    const CtrContour *c = &table[row];
    FrameObject object = {.id = row + 1,
        .parent = find_parent (table, row, rows),
        .x = c->left,
        .y = c->top,
        .width = c->width,
        .height = c->height,
        .area = ctr_contour_area (c, FALSE),
        .cx = NAN,
        .cy = NAN,
        .class_name = gst_contours_contour_meta_get_class_name (meta, c->level)};
    GstContoursContour contour;

    if (object.class_name)
      object.label_id = c->level;
    if (!gst_contours_mapping_is_identity (mapping))
      place (&object, mapping);
    if (gst_contours_contour_meta_get_contour (meta, row, &contour)) {
      object.cx = contour.cx;
      object.cy = contour.cy;
    }
    add_rectangle (&object, meta, row);
    g_array_append_val (objects->list, object);
  }
  g_array_unref (rows);
  return TRUE;
}

GQuark
frame_object_type (const FrameObjects *objects, const FrameObject *object)
{
  return g_quark_from_string (object->class_name ? object->class_name : objects->type);
}

void
frame_objects_clear (FrameObjects *objects)
{
  g_clear_pointer (&objects->list, g_array_unref);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* These helpers compare standard metadata with results of the core. */
#ifndef ATTACHMENT_H
#define ATTACHMENT_H

#include "components.h"
#include "contours.h"

#include <math.h>
#ifdef HAVE_ANALYTICS
#include <gst/analytics/analytics.h>
#define HAVE_ANALYTICS_PLUS "+analytics"
#else
#define HAVE_ANALYTICS_PLUS ""
#endif

typedef struct {
  guint id, parent, label_id, x, y, width, height;
  gdouble area, cx, cy;
} Object;

typedef struct {
  const gchar *type;
  GArray *list;    /* of Object */
  GArray *by_area; /* their areas, the largest first */
} Objects;

static inline gint
compare_doubles_down (gconstpointer a, gconstpointer b)
{
  return *(const gdouble *) a > *(const gdouble *) b ? -1 : *(const gdouble *) a < *(const gdouble *) b;
}

static inline void
objects_add (Objects *objects, const Object *object)
{
  if (!objects->list) {
    objects->list = g_array_new (FALSE, FALSE, sizeof (Object));
    objects->by_area = g_array_new (FALSE, FALSE, sizeof (gdouble));
  }
  g_array_append_val (objects->list, *object);
  g_array_append_val (objects->by_area, object->area);
  g_array_sort (objects->by_area, compare_doubles_down);
}

static inline void
objects_clear (Objects *objects)
{
  g_array_unref (objects->list);
  g_array_unref (objects->by_area);
}

/* Takes COMPONENTS. */
static inline Objects
objects_of_components (CtrComponents *components)
{
  Objects objects = {"component", NULL, NULL};

  for (guint i = 0; i < components->count; i++) {
    const CtrComponent *c = &components->table[i];
    const Object object = {i + 1, 0, components->features & CTR_FEATURE_VALUES ? c->value : 0, c->left, c->top,
        c->width, c->height, c->area, (gdouble) c->sum_x / c->area, (gdouble) c->sum_y / c->area};

    objects_add (&objects, &object);
  }
  ctr_components_unref (components);
  return objects;
}

/* Takes CONTOURS. Around an outer contour there is a hole, or nothing, and around a hole an outer contour. */
static inline Objects
objects_of_contours (CtrContours *contours)
{
  const CtrContour *table = ctr_contours_map_table (contours, NULL);
  Objects objects = {"contour", NULL, NULL};

  for (guint i = 0; i < contours->count; i++) {
    const gint hole = table[i].parent;
    Object object = {i + 1, 0, 0, table[i].left, table[i].top, table[i].width, table[i].height,
        ABS (table[i].area2) / 2.0, NAN, NAN};

    if (table[i].flags & CTR_CONTOUR_HOLE)
      continue;
    if (hole >= 0) {
      fail_unless ((table[hole].flags & CTR_CONTOUR_HOLE) && table[hole].parent >= 0);
      object.parent = table[hole].parent + 1;
    }
    if ((contours->features & CTR_CONTOUR_FEATURE_MOMENTS) && table[i].area2 != 0) {
      CtrContourMoments moments;

      ctr_contour_moments (&ctr_contours_map_sums (contours, NULL)[i], &moments);
      object.cx = moments.m[1] / moments.m[0];
      object.cy = moments.m[2] / moments.m[0];
    }
    objects_add (&objects, &object);
  }
  ctr_contours_unref (contours);
  return objects;
}

static inline gboolean
has_native (GstBuffer *buffer)
{
  return gst_buffer_get_contours_component_meta (buffer) || gst_buffer_get_contours_contour_meta (buffer);
}

/* Is OBJECT one of the COUNT largest? *EQUAL counts those that are as large as the smallest of them: the first ones stay. */
static inline gboolean
stays (const Objects *objects, const Object *object, guint count, guint *equal)
{
  const gdouble smallest = g_array_index (objects->by_area, gdouble, count - 1);
  guint larger = 0;

  if (object->area != smallest)
    return object->area > smallest;
  while (g_array_index (objects->by_area, gdouble, larger) > smallest)
    larger++;
  return larger + (*equal)++ < count;
}

static inline void
assert_double (const GstStructure *structure, const gchar *name, gdouble expected)
{
  gdouble value = NAN;

  fail_unless (gst_structure_get_double (structure, name, &value) != isnan (expected), "%s", name);
  fail_unless (isnan (expected) || fabs (value - expected) < 1e-9, "%s: %g, not %g", name, value, expected);
}

static inline void
assert_detection (const GstStructure *structure, const Object *object, const Objects *objects, const TestFrame *frame)
{
  guint found;
  gint label_id;

  fail_unless (structure != NULL);
  fail_unless (gst_structure_get_int (structure, "label_id", &label_id) && label_id == (gint) object->label_id);
  fail_unless (gst_structure_get_uint (structure, "objects_found", &found) && found == objects->list->len);
  assert_double (structure, "confidence", 1);
  assert_double (structure, "x_min", object->x / (gdouble) frame->width);
  assert_double (structure, "x_max", (object->x + object->width) / (gdouble) frame->width);
  assert_double (structure, "y_min", object->y / (gdouble) frame->height);
  assert_double (structure, "y_max", (object->y + object->height) / (gdouble) frame->height);
  assert_double (structure, "area", object->area);
  assert_double (structure, "cx", object->cx);
  assert_double (structure, "cy", object->cy);
}

/* BUFFER must have the COUNT largest of OBJECTS as regions of interest, in their order. */
static inline void
assert_regions (GstBuffer *buffer, const Objects *objects, const TestFrame *frame, guint count)
{
  gpointer state = NULL;
  guint equal = 0;
  GstMeta *meta;

  for (guint i = 0; count > 0 && i < objects->list->len; i++) {
    const Object *object = &g_array_index (objects->list, Object, i);
    GstVideoRegionOfInterestMeta *region;

    if (!stays (objects, object, count, &equal))
      continue;
    meta = gst_buffer_iterate_meta_filtered (buffer, &state, GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE);
    fail_unless (meta != NULL, "object %u has no region", object->id);
    region = (GstVideoRegionOfInterestMeta *) meta;
    fail_unless_equals_string (g_quark_to_string (region->roi_type), objects->type);
    fail_unless_equals_int (region->id, object->id);
    fail_unless_equals_int (region->parent_id, object->parent);
    fail_unless_equals_int (region->x, object->x);
    fail_unless_equals_int (region->y, object->y);
    fail_unless_equals_int (region->w, object->width);
    fail_unless_equals_int (region->h, object->height);
    assert_detection (gst_video_region_of_interest_meta_get_param (region, "detection"), object, objects, frame);
  }
  meta = gst_buffer_iterate_meta_filtered (buffer, &state, GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE);
  fail_unless (meta == NULL, "more than %u regions", count);
}

/* BUFFER must have the boxes of all OBJECTS. */
static inline void
assert_boxes (GstBuffer *buffer, const Objects *objects)
{
  gpointer state = NULL;

  for (guint i = 0; i < objects->list->len; i++) {
    const Object *object = &g_array_index (objects->list, Object, i);
    const GstVideoRegionOfInterestMeta *region = (GstVideoRegionOfInterestMeta *) gst_buffer_iterate_meta_filtered (
        buffer, &state, GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE);

    fail_unless (region != NULL, "no box of object %u", object->id);
    fail_unless (
        region->x == object->x && region->y == object->y && region->w == object->width && region->h == object->height,
        "object %u: %u x %u at %u, %u, not %u x %u at %u, %u", object->id, region->w, region->h, region->x, region->y,
        object->width, object->height, object->x, object->y);
  }
}

#ifdef HAVE_ANALYTICS
/* Adds COUNT detections of another element, each of which contains the next one. */
static inline void
add_detections (GstBuffer *buffer, guint count)
{
  GstAnalyticsRelationMeta *meta = count > 0 ? gst_buffer_add_analytics_relation_meta (buffer) : NULL;
  GstAnalyticsODMtd mtd;

  for (guint i = 0; i < count; i++) {
    gst_analytics_relation_meta_add_od_mtd (
        meta, g_quark_from_static_string ("other"), 10 * i, 20, 30 + i, 40, 0.5, &mtd);
    if (i > 0)
      gst_analytics_relation_meta_set_relation (meta, GST_ANALYTICS_REL_TYPE_CONTAIN, i - 1, i);
  }
}

/* BUFFER must have BEFORE detections of add_detections(), then the COUNT largest of OBJECTS. */
static inline void
assert_detections (GstBuffer *buffer, const Objects *objects, guint before, guint count)
{
  GstAnalyticsRelationMeta *meta = gst_buffer_get_analytics_relation_meta (buffer);
  GHashTable *ids = g_hash_table_new (NULL, NULL);
  gint x, y, width, height;
  guint id = 0, equal = 0;
  GstAnalyticsODMtd mtd;
  gfloat confidence;

  fail_unless (meta != NULL);
  fail_unless_equals_int (gst_analytics_relation_get_length (meta), before + count);
  for (; id < before; id++) {
    fail_unless (gst_analytics_relation_meta_get_od_mtd (meta, id, &mtd));
    fail_unless (gst_analytics_od_mtd_get_location (&mtd, &x, &y, &width, &height, &confidence));
    fail_unless (x == 10 * (gint) id && y == 20 && width == 30 + (gint) id && height == 40 && confidence == 0.5);
    fail_unless_equals_int (gst_analytics_od_mtd_get_obj_type (&mtd), g_quark_from_static_string ("other"));
    fail_unless (
        id == 0 || gst_analytics_relation_meta_get_relation (meta, id - 1, id) == GST_ANALYTICS_REL_TYPE_CONTAIN);
  }
  for (guint i = 0; i < objects->list->len; i++) {
    const Object *object = &g_array_index (objects->list, Object, i);
    gpointer outer;

    if (!stays (objects, object, count, &equal))
      continue;
    fail_unless (gst_analytics_relation_meta_get_od_mtd (meta, id, &mtd));
    fail_unless (gst_analytics_od_mtd_get_location (&mtd, &x, &y, &width, &height, &confidence));
    fail_unless (x == (gint) object->x && y == (gint) object->y && width == (gint) object->width
                     && height == (gint) object->height && confidence == 1,
        "object %u: %d, %d, %d x %d", object->id, x, y, width, height);
    fail_unless_equals_string (g_quark_to_string (gst_analytics_od_mtd_get_obj_type (&mtd)), objects->type);
    g_hash_table_insert (ids, GUINT_TO_POINTER (object->id), GUINT_TO_POINTER (id));
    if (g_hash_table_lookup_extended (ids, GUINT_TO_POINTER (object->parent), NULL, &outer)) {
      fail_unless_equals_int (gst_analytics_relation_meta_get_relation (meta, GPOINTER_TO_UINT (outer), id),
          GST_ANALYTICS_REL_TYPE_CONTAIN);
      fail_unless_equals_int (gst_analytics_relation_meta_get_relation (meta, id, GPOINTER_TO_UINT (outer)),
          GST_ANALYTICS_REL_TYPE_IS_PART_OF);
    }
    id++;
  }
  g_hash_table_unref (ids);
}

#if GST_CHECK_VERSION(1, 26, 0)
/* The detections of BUFFER must be the rectangles of its native contours, to half a pixel. Returns how many are not upright. */
static inline guint
assert_turned (GstBuffer *buffer)
{
  GstContoursContourMeta *native = gst_buffer_get_contours_contour_meta (buffer);
  GstAnalyticsRelationMeta *meta = gst_buffer_get_analytics_relation_meta (buffer);
  guint id = 0, turned = 0;
  GstContoursContour contour;

  for (guint i = 0; gst_contours_contour_meta_get_contour (native, i, &contour); i++) {
    gint x, y, width, height;
    GstContoursShape shape;
    GstAnalyticsODMtd mtd;
    gfloat angle;

    if (contour.hole)
      continue;
    fail_unless (gst_contours_contour_meta_get_shape (native, i, &shape));
    fail_unless (gst_analytics_relation_meta_get_od_mtd (meta, id++, &mtd));
    fail_unless (gst_analytics_od_mtd_get_oriented_location (&mtd, &x, &y, &width, &height, &angle, NULL));
    fail_unless (fabs (width - shape.rectangle_width - 1) <= 0.5 + 1e-6
                 && fabs (height - shape.rectangle_height - 1) <= 0.5 + 1e-6);
    fail_unless (fabs (x + width / 2.0 - shape.rectangle_x - 0.5) <= 0.75 + 1e-6, "%d + %d / 2, %g", x, width,
        shape.rectangle_x);
    fail_unless (fabs (y + height / 2.0 - shape.rectangle_y - 0.5) <= 0.75 + 1e-6, "%d + %d / 2, %g", y, height,
        shape.rectangle_y);
    fail_unless (fabs (angle * 180 / G_PI - shape.rectangle_angle) < 1e-4, "%g, %g", angle, shape.rectangle_angle);
    if (angle == 0)
      fail_unless (x == contour.x && y == contour.y && width == contour.w && height == contour.h);
    turned += angle > 0;
  }
  fail_unless_equals_int (gst_analytics_relation_get_length (meta), id);
  return turned;
}
#endif
#endif

#endif

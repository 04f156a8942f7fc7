/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/base/detections.h"

#ifdef HAVE_ANALYTICS

#include <gst/analytics/analytics.h>
#include <math.h>

/* Bytes of one detection in the metadata, at most: the metadata grows itself where that is not enough. */
#define BYTES_PER_DETECTION 96

gboolean
detections_are_supported (void)
{
  return TRUE;
}

/* Items that the metadata may grow by when others have made it. */
#define A_FEW 16

/* The metadata of BUFFER, with room for COUNT more items. The relations of n items are a matrix of n x n bytes, which is copied
 * whenever it grows, by a few items at a time. So it is made for all items at once; what is there already goes through a
 * buffer that has nothing else. */
static GstAnalyticsRelationMeta *
reserve (GstBuffer *buffer, guint count)
{
  const GQuark type = g_quark_from_static_string ("gst-copy"); /* as GST_META_TRANSFORM_IS_COPY() knows it */
  GstAnalyticsRelationMetaInitParams params = {count, (gsize) count * BYTES_PER_DETECTION};
  GstMeta *present = (GstMeta *) gst_buffer_get_analytics_relation_meta (buffer), *kept;
  GstMetaTransformCopy all = {FALSE, 0, (gsize) -1};
  GstAnalyticsRelationMeta *meta;
  GstBuffer *others;

  if (!present)
    return gst_buffer_add_analytics_relation_meta_full (buffer, &params);
  if (count <= A_FEW)
    return (GstAnalyticsRelationMeta *) present;
  others = gst_buffer_new ();
  params.initial_relation_order += gst_analytics_relation_get_length ((GstAnalyticsRelationMeta *) present);
  params.initial_buf_size += params.initial_relation_order * BYTES_PER_DETECTION;
  present->info->transform_func (others, present, buffer, type, &all);
  gst_buffer_remove_meta (buffer, present);
  meta = gst_buffer_add_analytics_relation_meta_full (buffer, &params);
  kept = (GstMeta *) gst_buffer_get_analytics_relation_meta (others);
  if (kept)
    kept->info->transform_func (buffer, kept, others, type, &all);
  gst_buffer_unref (others);
  return meta;
}

static void
add_detection (GstAnalyticsRelationMeta *meta, GQuark type, const FrameObject *object, GstAnalyticsODMtd *mtd)
{
#if GST_CHECK_VERSION(1, 26, 0)
  if (object->has_rectangle) {
    gst_analytics_relation_meta_add_oriented_od_mtd (meta, type, lrint (object->left), lrint (object->top),
        lrint (object->wide), lrint (object->high), object->angle, 1, mtd);
    return;
  }
#endif
  gst_analytics_relation_meta_add_od_mtd (meta, type, object->x, object->y, object->width, object->height, 1, mtd);
}

void
detections_add (GstBuffer *buffer, const FrameObjects *objects)
{
  GHashTable *mtd_of_id;
  GstAnalyticsRelationMeta *meta;

  if (objects->list->len == 0)
    return;
  meta = reserve (buffer, objects->list->len);
  mtd_of_id = g_hash_table_new (NULL, NULL);
  for (guint i = 0; i < objects->list->len; i++) {
    const FrameObject *object = &g_array_index (objects->list, FrameObject, i);
    GstAnalyticsODMtd mtd;

    add_detection (meta, frame_object_type (objects, object), object, &mtd);
    g_hash_table_insert (mtd_of_id, GUINT_TO_POINTER (object->id), GUINT_TO_POINTER (mtd.id));
  }
  for (guint i = 0; i < objects->list->len; i++) {
    const FrameObject *object = &g_array_index (objects->list, FrameObject, i);
    const guint inner = GPOINTER_TO_UINT (g_hash_table_lookup (mtd_of_id, GUINT_TO_POINTER (object->id)));
    guint outer;

    if (object->parent == 0)
      continue;
    outer = GPOINTER_TO_UINT (g_hash_table_lookup (mtd_of_id, GUINT_TO_POINTER (object->parent)));
    gst_analytics_relation_meta_set_relation (meta, GST_ANALYTICS_REL_TYPE_CONTAIN, outer, inner);
    gst_analytics_relation_meta_set_relation (meta, GST_ANALYTICS_REL_TYPE_IS_PART_OF, inner, outer);
  }
  g_hash_table_unref (mtd_of_id);
}

gboolean
detections_may_exist (GstBuffer *buffer)
{
  return gst_buffer_get_analytics_relation_meta (buffer) != NULL;
}

#if GST_CHECK_VERSION(1, 26, 0)
/* Makes the box around a box that is turned by ANGLE around its centre. */
static void
enclose (Detection *box, gdouble angle)
{
  const gdouble wide = box->width, high = box->height, c = fabs (cos (angle)), s = fabs (sin (angle));
  const gdouble x = box->x + wide / 2, y = box->y + high / 2;
  const gdouble half_width = (wide * c + high * s) / 2, half_height = (wide * s + high * c) / 2;

  /* A multiple of a right angle is not exact. */
  box->x = (gint) CLAMP (floor (x - half_width + 1e-3), G_MININT, G_MAXINT);
  box->y = (gint) CLAMP (floor (y - half_height + 1e-3), G_MININT, G_MAXINT);
  box->width = (gint) CLAMP (ceil (x + half_width - 1e-3) - box->x, 0, G_MAXINT);
  box->height = (gint) CLAMP (ceil (y + half_height - 1e-3) - box->y, 0, G_MAXINT);
}
#endif

static gboolean
get_box (GstAnalyticsODMtd *mtd, Detection *box)
{
#if GST_CHECK_VERSION(1, 26, 0)
  gfloat angle;

  if (!gst_analytics_od_mtd_get_oriented_location (mtd, &box->x, &box->y, &box->width, &box->height, &angle, NULL))
    return FALSE;
  if (angle != 0 && isfinite (angle))
    enclose (box, angle);
  return TRUE;
#else
  return gst_analytics_od_mtd_get_location (mtd, &box->x, &box->y, &box->width, &box->height, NULL);
#endif
}

GArray *
detections_find (GstBuffer *buffer)
{
  GArray *found = g_array_new (FALSE, FALSE, sizeof (Detection));
  GstAnalyticsRelationMeta *meta = gst_buffer_get_analytics_relation_meta (buffer);
  GstAnalyticsODMtd mtd;
  gpointer state = NULL;

  while (meta
         && gst_analytics_relation_meta_iterate (
             meta, &state, gst_analytics_od_mtd_get_mtd_type (), (GstAnalyticsMtd *) &mtd)) {
    Detection detection = {.type = gst_analytics_od_mtd_get_obj_type (&mtd)};

    if (get_box (&mtd, &detection))
      g_array_append_val (found, detection);
  }
  return found;
}

#else

gboolean
detections_are_supported (void)
{
  return FALSE;
}

void
detections_add (GstBuffer *buffer, const FrameObjects *objects)
{
  g_return_if_reached ();
}

gboolean
detections_may_exist (GstBuffer *buffer)
{
  return FALSE;
}

GArray *
detections_find (GstBuffer *buffer)
{
  return g_array_new (FALSE, FALSE, sizeof (Detection));
}

#endif

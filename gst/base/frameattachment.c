/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/base/frameattachment.h"

#include "gst/base/detections.h"

#include <gst/video/gstvideometa.h>
#include <math.h>

#define ATTACH_AS "attach-as"
#define MAX_OBJECTS "max-objects"
#define DEFAULT_MAX_OBJECTS 1000
/* The relations of n detections take n x n bytes: 16 MiB. */
#define MOST_OBJECTS 4096

#define GST_TYPE_CONTOURS_ATTACH_AS (gst_contours_attach_as_get_type ())
static GType
gst_contours_attach_as_get_type (void)
{
  static gsize type = 0;
  static const GFlagsValue values[] = {
      {FRAME_ATTACH_NATIVE, "The whole result: GstContoursComponentMeta, GstContoursContourMeta", "native"},
      {FRAME_ATTACH_ROI, "A region of interest for each object: GstVideoRegionOfInterestMeta", "roi"},
      {FRAME_ATTACH_ANALYTICS, "A detection for each object: GstAnalyticsODMtd, of GStreamer 1.24 and newer",
          "analytics"},
      {0, NULL, NULL},
  };

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_flags_register_static ("GstContoursAttachAs", values));
  return type;
}

void
frame_attachment_init (FrameAttachment *self)
{
  self->attach_as = FRAME_ATTACH_NATIVE;
  self->max_objects = MOST_OBJECTS;
}

void
frame_attachment_install_property (GObjectClass *klass, guint attach_as_id)
{
  /* attach-as: The metadata that holds the result. "native" is that of this project, with everything. With "roi" each component
   * or outer contour is a GstVideoRegionOfInterestMeta, with "analytics" a GstAnalyticsODMtd in the frame's
   * GstAnalyticsRelationMeta, which elements and applications read that do not know this project. These two hold finished
   * results: the element waits for them before it pushes the frame. */
  g_object_class_install_property (klass, attach_as_id,
      g_param_spec_flags (ATTACH_AS, "Attach as",
          "Metadata that holds the result; for roi and analytics the element waits for the result of each frame",
          GST_TYPE_CONTOURS_ATTACH_AS, FRAME_ATTACH_NATIVE,
          G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING));
  gst_type_mark_as_plugin_api (GST_TYPE_CONTOURS_ATTACH_AS, 0);
}

void
frame_attachment_install_limit (GObjectClass *klass, guint max_objects_id)
{
  /* max-objects: How many objects of a frame are attached as roi or analytics. In a frame with more these are the largest, the
   * first of equally large ones. Each region of interest tells how many were found, and the first frame of a row of such frames
   * posts a warning. Native metadata always has all. */
  g_object_class_install_property (klass, max_objects_id,
      g_param_spec_uint (MAX_OBJECTS, "Maximum objects",
          "Objects of a frame that are attached as roi and analytics, at most: the largest", 1, MOST_OBJECTS,
          DEFAULT_MAX_OBJECTS,
          G_PARAM_READWRITE | G_PARAM_CONSTRUCT | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING));
}

gboolean
frame_attachment_set_property (FrameAttachment *self, const GValue *value, GParamSpec *pspec)
{
  if (g_str_equal (pspec->name, ATTACH_AS))
    self->attach_as = g_value_get_flags (value);
  else if (g_str_equal (pspec->name, MAX_OBJECTS))
    self->max_objects = g_value_get_uint (value);
  else
    return FALSE;
  return TRUE;
}

gboolean
frame_attachment_get_property (const FrameAttachment *self, GValue *value, GParamSpec *pspec)
{
  if (g_str_equal (pspec->name, ATTACH_AS))
    g_value_set_flags (value, self->attach_as);
  else if (g_str_equal (pspec->name, MAX_OBJECTS))
    g_value_set_uint (value, self->max_objects);
  else
    return FALSE;
  return TRUE;
}

gboolean
frame_attachment_update (FrameAttachment *self, GstElement *element, gboolean strips, CtrError *error)
{
  const gchar *problem = NULL;

  self->exceeded = self->exceeding;
  self->exceeding = FALSE;
  self->first_id = self->attached = 0;
  GST_OBJECT_LOCK (element);
  self->current = self->attach_as;
  self->limit = self->max_objects;
  GST_OBJECT_UNLOCK (element);

  if (strips && self->current != FRAME_ATTACH_NATIVE)
    problem = "strip-mode=true needs attach-as=native, as objects reach beyond a strip";
  else if ((self->current & FRAME_ATTACH_ANALYTICS) && !detections_are_supported ())
    problem = "attach-as=analytics needs " DETECTIONS_NEED ". Set attach-as=roi, or build for a newer GStreamer";
  if (!problem)
    return TRUE;
  error->status = CTR_ERROR_INVALID_ARGUMENT;
  g_strlcpy (error->message, problem, sizeof error->message);
  return FALSE;
}

/* The parameter "detection" as the elements of DL Streamer write and read it, and what else is known. */
static GstStructure *
describe (const FrameObjects *objects, const FrameObject *object)
{
  const gdouble width = objects->width, height = objects->height;
  GstStructure *structure =
      gst_structure_new ("detection", "label_id", G_TYPE_INT, (gint) object->label_id, "confidence", G_TYPE_DOUBLE, 1.0,
          "x_min", G_TYPE_DOUBLE, object->x / width, "x_max", G_TYPE_DOUBLE, (object->x + object->width) / width,
          "y_min", G_TYPE_DOUBLE, object->y / height, "y_max", G_TYPE_DOUBLE, (object->y + object->height) / height,
          "area", G_TYPE_DOUBLE, object->area, "objects_found", G_TYPE_UINT, objects->found, NULL);

  if (!isnan (object->cx))
    gst_structure_set (structure, "cx", G_TYPE_DOUBLE, object->cx, "cy", G_TYPE_DOUBLE, object->cy, NULL);
  return structure;
}

static void
add_regions (GstBuffer *buffer, const FrameObjects *objects)
{
  for (guint i = 0; i < objects->list->len; i++) {
    const FrameObject *object = &g_array_index (objects->list, FrameObject, i);
    const GQuark type = frame_object_type (objects, object);
    GstVideoRegionOfInterestMeta *region = gst_buffer_add_video_region_of_interest_meta_id (
        buffer, type, object->x, object->y, object->width, object->height);

    region->id = object->id;
    region->parent_id = object->parent;
    gst_video_region_of_interest_meta_add_param (region, describe (objects, object));
  }
}

static void
warn_of_limit (FrameAttachment *self, GstElement *element, const FrameObjects *objects)
{
  const guint left_out = objects->found - objects->list->len;

  if (left_out > 0 && !self->exceeded && !self->exceeding)
    GST_ELEMENT_WARNING (element, RESOURCE, SETTINGS,
        ("%u of the frame's %u objects are not attached as roi or analytics: the limit is %u, and the largest are "
         "attached. Drop small ones with min-area%s.",
            left_out, objects->found, self->limit, self->limit < MOST_OBJECTS ? ", or raise max-objects" : ""),
        (NULL));
  self->exceeding |= left_out > 0;
}

static void
attach (FrameAttachment *self, GstElement *element, GstBuffer *buffer, FrameObjects *objects, guint ids)
{
  for (guint i = 0; i < objects->list->len; i++) {
    FrameObject *object = &g_array_index (objects->list, FrameObject, i);

    object->id += self->first_id;
    object->parent += object->parent > 0 ? self->first_id : 0;
  }
  self->first_id += ids;
  warn_of_limit (self, element, objects);
  if (self->current & FRAME_ATTACH_ROI)
    add_regions (buffer, objects);
  if (self->current & FRAME_ATTACH_ANALYTICS)
    detections_add (buffer, objects);
  self->attached += objects->list->len;
  frame_objects_clear (objects);
}

gboolean
frame_attachment_apply_to_components (
    FrameAttachment *self, GstElement *element, GstBuffer *buffer, GstContoursComponentMeta *meta, CtrError *error)
{
  FrameObjects objects;

  if (self->current == FRAME_ATTACH_NATIVE)
    return TRUE;
  if (!frame_objects_of_components (&objects, meta, self->limit - self->attached, error))
    return FALSE;
  attach (self, element, buffer, &objects, gst_contours_component_meta_get_count (meta));
  if (!(self->current & FRAME_ATTACH_NATIVE))
    gst_buffer_remove_meta (buffer, &meta->meta);
  return TRUE;
}

gboolean
frame_attachment_apply_to_contours (
    FrameAttachment *self, GstElement *element, GstBuffer *buffer, GstContoursContourMeta *meta, CtrError *error)
{
  FrameObjects objects;

  if (self->current == FRAME_ATTACH_NATIVE)
    return TRUE;
  if (!frame_objects_of_contours (&objects, meta, self->limit - self->attached, error))
    return FALSE;
  attach (self, element, buffer, &objects, gst_contours_contour_meta_get_count (meta));
  if (!(self->current & FRAME_ATTACH_NATIVE))
    gst_buffer_remove_meta (buffer, &meta->meta);
  return TRUE;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the metadata of components and that of contours share: the result, its source, its flags, its mapping. */
#include "gst/meta/mapping-private.h"
#include "gst/meta/serial-private.h"

#include <gst/video/video.h>

GType
gst_contours_result_flags_get_type (void)
{
  static gsize type = 0;
  if (g_once_init_enter (&type)) {
    static const GFlagsValue values[] = {
        {GST_CONTOURS_RESULT_FLAG_CORRUPTED, "The frame was marked as corrupted", "corrupted"},
        {GST_CONTOURS_RESULT_FLAG_INTERLACED, "The frame holds two fields", "interlaced"},
        {GST_CONTOURS_RESULT_FLAG_LIMIT_EXCEEDED, "The frame exceeds a limit of the analysis", "limit-exceeded"},
        {GST_CONTOURS_RESULT_FLAG_STRIP, "The frame is a strip of an endless picture", "strip"},
        {0, NULL, NULL},
    };
    g_once_init_leave (&type, g_flags_register_static ("GstContoursResultFlags", values));
  }
  return type;
}

static gboolean
result_meta_init (GstMeta *meta, gpointer params, GstBuffer *buffer)
{
  GstContoursResultMeta *self = (GstContoursResultMeta *) meta;
  self->result = NULL;
  self->source = NULL;
  self->flags = GST_CONTOURS_RESULT_FLAG_NONE;
  self->guards_memory = FALSE;
  self->first_row = 0;
  self->calibration = NULL;
  self->classes = NULL;
  return TRUE;
}

/* A buffer frees its metadata before its memory is freed, and before it returns to its pool. */
static void
result_meta_free (GstMeta *meta, GstBuffer *buffer)
{
  GstContoursResultMeta *self = (GstContoursResultMeta *) meta;
  if (self->guards_memory && self->result)
    self->type->wait (self->result);
  g_clear_pointer (&self->result, self->type->unref);
  g_clear_pointer (&self->source, g_ref_string_release);
  g_clear_pointer (&self->calibration, gst_contours_calibration_unref);
  g_clear_pointer (&self->classes, g_array_unref);
}

/* Attaches metadata that takes references to RESULT and SOURCE. */
static GstContoursResultMeta *
attach (GstBuffer *buffer, const GstMetaInfo *info, const GstContoursResultType *type, gpointer result,
    const GstContoursMapping *mapping, gchar *source)
{
  GstContoursResultMeta *meta = (GstContoursResultMeta *) gst_buffer_add_meta (buffer, info, NULL);
  if (!meta)
    return NULL;
  meta->type = type;
  meta->result = type->ref (result);
  meta->mapping = *mapping;
  meta->source = source ? g_ref_string_acquire (source) : NULL;
  return meta;
}

void
gst_contours_result_meta_set_calibration (GstContoursResultMeta *meta, GstContoursCalibration *calibration)
{
  if (calibration)
    gst_contours_calibration_ref (calibration);
  g_clear_pointer (&meta->calibration, gst_contours_calibration_unref);
  meta->calibration = calibration;
}

static gboolean
result_meta_transform (GstBuffer *dest, GstMeta *meta, GstBuffer *buffer, GQuark type, gpointer data)
{
  const GstContoursResultMeta *from = (GstContoursResultMeta *) meta;
  GstContoursMapping mapping;
  if (!gst_contours_mapping_transform (&from->mapping, type, data, &mapping))
    return FALSE;
  GstContoursResultMeta *to = attach (dest, meta->info, from->type, from->result, &mapping, from->source);
  if (!to)
    return FALSE;
  to->flags = from->flags;
  to->guards_memory = from->guards_memory;
  to->first_row = from->first_row;
  to->classes = from->classes ? g_array_ref (from->classes) : NULL;
  /* It holds for the pixels of the result, which stay the same. */
  gst_contours_result_meta_set_calibration (to, from->calibration);
  return TRUE;
}

/* The flags that follow from those of BUFFER. */
static GstContoursResultFlags
buffer_flags (GstBuffer *buffer)
{
  GstContoursResultFlags flags = GST_CONTOURS_RESULT_FLAG_NONE;
  if (GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_CORRUPTED))
    flags |= GST_CONTOURS_RESULT_FLAG_CORRUPTED;
  if (GST_BUFFER_FLAG_IS_SET (buffer, GST_VIDEO_BUFFER_FLAG_INTERLACED))
    flags |= GST_CONTOURS_RESULT_FLAG_INTERLACED;
  return flags;
}

GType
gst_contours_result_meta_register_api (const gchar *name)
{
  static const gchar *tags[] = {
      GST_META_TAG_VIDEO_STR, GST_META_TAG_VIDEO_SIZE_STR, GST_META_TAG_VIDEO_ORIENTATION_STR, NULL};
  return gst_meta_api_type_register (name, tags);
}

const GstMetaInfo *
gst_contours_result_meta_register (GType api, const gchar *name)
{
#if GST_CHECK_VERSION(1, 24, 0)
  GstMetaInfo *info = (GstMetaInfo *) gst_meta_info_new (api, name, sizeof (GstContoursResultMeta));
  info->init_func = result_meta_init;
  info->free_func = result_meta_free;
  info->transform_func = result_meta_transform;
  gst_contours_serial_set_functions (info);
  return gst_meta_info_register (info);
#else
  return gst_meta_register (
      api, name, sizeof (GstContoursResultMeta), result_meta_init, result_meta_free, result_meta_transform);
#endif
}

GstContoursResultMeta *
gst_contours_result_meta_add (GstBuffer *buffer, const GstMetaInfo *info, const GstContoursResultType *type,
    gpointer result, guint width, guint height, const gchar *source)
{
  GstContoursMapping mapping;
  gst_contours_mapping_init (&mapping, width, height);
  gchar *name = source ? g_ref_string_new (source) : NULL;
  GstContoursResultMeta *meta = attach (buffer, info, type, result, &mapping, name);
  g_clear_pointer (&name, g_ref_string_release);
  if (meta)
    meta->flags = buffer_flags (buffer);
  return meta;
}

void
gst_contours_result_meta_place_strip (GstContoursResultMeta *meta, guint64 origin_row, guint y, guint height)
{
  meta->mapping.height = height;
  meta->mapping.y0 = 0.0 - y;
  meta->first_row = origin_row + y;
  meta->flags |= GST_CONTOURS_RESULT_FLAG_STRIP;
}

gpointer
gst_contours_result_meta_iterate (GstBuffer *buffer, gpointer *state, GType api)
{
  return gst_buffer_iterate_meta_filtered (buffer, state, api);
}

gpointer
gst_contours_result_meta_find (GstBuffer *buffer, GType api, const gchar *source)
{
  gpointer state = NULL;
  GstContoursResultMeta *meta;
  while ((meta = gst_contours_result_meta_iterate (buffer, &state, api)))
    if (g_strcmp0 (meta->source, source) == 0)
      return meta;
  return NULL;
}

GList *
gst_contours_result_meta_list (GstBuffer *buffer, GType api)
{
  GList *metas = NULL;
  gpointer state = NULL, meta;
  while ((meta = gst_contours_result_meta_iterate (buffer, &state, api)))
    metas = g_list_prepend (metas, meta);
  return g_list_reverse (metas);
}

GBytes *
gst_contours_result_meta_view (const GstContoursResultMeta *meta, gconstpointer data, gsize size)
{
  if (!data)
    return NULL;
  return g_bytes_new_with_free_func (data, size, meta->type->unref, meta->type->ref (meta->result));
}

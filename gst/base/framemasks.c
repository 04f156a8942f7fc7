/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/base/framemasks.h"
#include "gst/base/formatname.h"

#ifdef HAVE_ANALYTICS
#include <gst/analytics/analytics.h>
#endif

#if defined(HAVE_ANALYTICS) && GST_CHECK_VERSION(1, 26, 0)

gboolean
frame_masks_are_supported (void)
{
  return TRUE;
}

gboolean
frame_masks_may_exist (GstBuffer *buffer)
{
  return gst_buffer_get_analytics_relation_meta (buffer) != NULL;
}

static void
clear_mask (gpointer data)
{
  FrameMask *mask = data;

  gst_clear_buffer (&mask->buffer);
  g_clear_pointer (&mask->classes, g_array_unref);
}

static GQuark
find_class (const GstAnalyticsMtd *segmentation, gsize index)
{
  GstAnalyticsClsMtd classes;
  GstAnalyticsODMtd detection;

  if (gst_analytics_relation_meta_get_direct_related (segmentation->meta, segmentation->id, GST_ANALYTICS_REL_TYPE_ANY,
          gst_analytics_cls_mtd_get_mtd_type (), NULL, (GstAnalyticsMtd *) &classes))
    return index < gst_analytics_cls_mtd_get_length (&classes) ? gst_analytics_cls_mtd_get_quark (&classes, index) : 0;
  if (gst_analytics_relation_meta_get_direct_related (segmentation->meta, segmentation->id, GST_ANALYTICS_REL_TYPE_ANY,
          gst_analytics_od_mtd_get_mtd_type (), NULL, (GstAnalyticsMtd *) &detection))
    return gst_analytics_od_mtd_get_obj_type (&detection);
  return 0;
}

static GArray *
list_classes (const GstAnalyticsMtd *segmentation)
{
  GArray *classes = g_array_new (FALSE, FALSE, sizeof (FrameMaskClass));
  const gsize count = gst_analytics_segmentation_mtd_get_region_count (segmentation);

  for (gsize i = 0; i < count; i++) {
    const FrameMaskClass found = {
        gst_analytics_segmentation_mtd_get_region_id (segmentation, i), find_class (segmentation, i)};

    if (found.name != 0)
      g_array_append_val (classes, found);
  }
  return classes;
}

static gboolean
describe_pixels (const GstVideoMeta *video, GstVideoInfo *info, CtrError *error)
{
  error->status = CTR_ERROR_INVALID_ARGUMENT;
  if (!video) {
    g_strlcpy (error->message, "a mask of the frame has no GstVideoMeta", sizeof error->message);
    return FALSE;
  }
  if (video->format != GST_VIDEO_FORMAT_GRAY8 && video->format != GST_VIDEO_FORMAT_GRAY16_LE) {
    g_snprintf (error->message, sizeof error->message, "a mask of the frame has the format %s, not GRAY8 or GRAY16_LE",
        gst_contours_format_name (video->format));
    return FALSE;
  }
  if (video->width == 0 || video->height == 0
      || !gst_video_info_set_format (info, video->format, video->width, video->height)) {
    g_snprintf (
        error->message, sizeof error->message, "a mask of the frame has %u x %u pixels", video->width, video->height);
    return FALSE;
  }
  return TRUE;
}

static gboolean
get_mask (const GstAnalyticsMtd *segmentation, guint width, guint height, FrameMask *mask, CtrError *error)
{
  gint x, y;
  guint w, h;

  *mask = (FrameMask){.buffer = gst_analytics_segmentation_mtd_get_mask (segmentation, &x, &y, &w, &h)};
  if (!describe_pixels (gst_buffer_get_video_meta (mask->buffer), &mask->info, error)) {
    clear_mask (mask);
    return FALSE;
  }
  if (w == 0 || h == 0) {
    x = y = 0;
    w = width;
    h = height;
  }
  mask->mapping = (GstContoursMapping){
      .reference_width = GST_VIDEO_INFO_WIDTH (&mask->info),
      .reference_height = GST_VIDEO_INFO_HEIGHT (&mask->info),
      .width = width,
      .height = height,
      .xx = (gdouble) w / GST_VIDEO_INFO_WIDTH (&mask->info),
      .x0 = x,
      .yy = (gdouble) h / GST_VIDEO_INFO_HEIGHT (&mask->info),
      .y0 = y,
  };
  mask->classes = list_classes (segmentation);
  return TRUE;
}

GArray *
frame_masks_find (GstBuffer *buffer, guint width, guint height, CtrError *error)
{
  GArray *masks = g_array_new (FALSE, FALSE, sizeof (FrameMask));
  GstAnalyticsRelationMeta *meta = gst_buffer_get_analytics_relation_meta (buffer);
  GstAnalyticsMtd segmentation;
  gpointer state = NULL;

  g_array_set_clear_func (masks, clear_mask);
  while (meta
         && gst_analytics_relation_meta_iterate (
             meta, &state, gst_analytics_segmentation_mtd_get_mtd_type (), &segmentation)) {
    FrameMask mask;

    if (!get_mask (&segmentation, width, height, &mask, error)) {
      g_array_unref (masks);
      return NULL;
    }
    g_array_append_val (masks, mask);
  }
  return masks;
}

#else

gboolean
frame_masks_are_supported (void)
{
  return FALSE;
}

gboolean
frame_masks_may_exist (GstBuffer *buffer)
{
  return FALSE;
}

GArray *
frame_masks_find (GstBuffer *buffer, guint width, guint height, CtrError *error)
{
  return g_array_new (FALSE, FALSE, sizeof (FrameMask));
}

#endif

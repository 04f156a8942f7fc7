/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/base/frameregions.h"

#include "gst/background/pngfile.h"
#include "gst/base/excerpt.h"

#include <gst/video/gstvideometa.h>
#include <string.h>

enum { SOURCE, REGION, MASK_LOCATION };

GType
gst_foreground_filter_region_source_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = {
      {FRAME_REGIONS_NONE, "The whole frame", "frame"},
      {FRAME_REGIONS_PROPERTIES, "Properties region and mask-location; without both the whole frame", "properties"},
      {FRAME_REGIONS_ROI_META, "The frame's GstVideoRegionOfInterestMeta, clipped to the frame", "roi-meta"},
      {0, NULL, NULL},
  };

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_enum_register_static ("GstForegroundFilterRegionSource", values));
  return type;
}

void
frame_regions_init (FrameRegions *frame, FrameRegionsSettings *settings)
{
  *settings = (FrameRegionsSettings){.source = FRAME_REGIONS_PROPERTIES, .text = g_strdup ("")};
  *frame = (FrameRegions){.settings = {.source = FRAME_REGIONS_PROPERTIES}};
  frame->rois = g_array_new (FALSE, FALSE, sizeof (CtrRegion));
  frame->last_rois = g_array_new (FALSE, FALSE, sizeof (CtrRegion));
}

static void
clear_settings (FrameRegionsSettings *settings)
{
  g_clear_pointer (&settings->text, g_free);
  g_clear_pointer (&settings->list, region_list_unref);
  g_clear_pointer (&settings->mask_location, g_free);
}

void
frame_regions_clear (FrameRegions *frame, FrameRegionsSettings *settings)
{
  clear_settings (settings);
  clear_settings (&frame->settings);
  g_clear_pointer (&frame->regions, ctr_regions_unref);
  g_array_unref (frame->rois);
  g_array_unref (frame->last_rois);
}

gboolean
frame_regions_are_set (const FrameRegionsSettings *settings)
{
  return settings->source == FRAME_REGIONS_ROI_META
         || (settings->source == FRAME_REGIONS_PROPERTIES && (settings->list || settings->mask_location));
}

/* Copies the properties if they have changed. */
static void
take_settings (FrameRegions *frame, GstElement *element, const FrameRegionsSettings *settings)
{
  FrameRegionsSettings *own = &frame->settings;

  GST_OBJECT_LOCK (element);
  if (own->changes != settings->changes) {
    clear_settings (own);
    own->source = settings->source;
    own->list = settings->list ? g_atomic_rc_box_acquire (settings->list) : NULL;
    own->mask_location = g_strdup (settings->mask_location);
    own->changes = settings->changes;
    g_clear_pointer (&frame->regions, ctr_regions_unref);
  }
  GST_OBJECT_UNLOCK (element);
}

/* Makes the regions of the properties, with the mask if there is one. */
static CtrRegions *
regions_of_properties (const FrameRegionsSettings *settings, const CtrImage *image, CtrError *error)
{
  const CtrImage wanted = {.width = image->width, .height = image->height, .format = CTR_FORMAT_GRAY8};
  const RegionList *list = settings->list;
  CtrRegions *regions;
  CtrImage picture;
  CtrRegionMask mask;

  if (!settings->mask_location)
    return ctr_regions_new (list->regions, list->count, NULL, error);
  if (!png_file_read (settings->mask_location, "mask", &wanted, &picture, error))
    return NULL;
  mask = (CtrRegionMask){picture.data, picture.stride, picture.width, picture.height};
  regions = ctr_regions_new (list ? list->regions : NULL, list ? list->count : 0, &mask, error);
  g_free ((gpointer) picture.data);
  return regions;
}

/* Collects the parts of the frame's regions of interest that lie in it. */
static void
collect_rois (GArray *rois, const CtrImage *image, GstBuffer *buffer)
{
  const GstMeta *meta;
  gpointer state = NULL;

  g_array_set_size (rois, 0);
  while ((meta = gst_buffer_iterate_meta_filtered (buffer, &state, GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE))) {
    const GstVideoRegionOfInterestMeta *roi = (const GstVideoRegionOfInterestMeta *) meta;

    if (roi->x < image->width && roi->y < image->height && roi->w > 0 && roi->h > 0) {
      const CtrRegion region = {.x = roi->x,
          .y = roi->y,
          .width = MIN (roi->w, image->width - roi->x),
          .height = MIN (roi->h, image->height - roi->y)};

      g_array_append_val (rois, region);
    }
  }
}

static gboolean
are_equal (const GArray *a, const GArray *b)
{
  return a->len == b->len && (a->len == 0 || memcmp (a->data, b->data, a->len * sizeof (CtrRegion)) == 0);
}

/* Makes the regions of the frame, unless it has the same as the frame before. */
static gboolean
follow_rois (FrameRegions *frame, const CtrImage *image, GstBuffer *buffer, CtrError *error)
{
  GArray *rois = frame->rois;

  collect_rois (rois, image, buffer);
  if (frame->regions && are_equal (rois, frame->last_rois))
    return TRUE;
  ctr_regions_unref (frame->regions);
  frame->regions = ctr_regions_new ((const CtrRegion *) (gpointer) rois->data, rois->len, NULL, error);
  frame->rois = frame->last_rois;
  frame->last_rois = rois;
  return frame->regions != NULL;
}

gboolean
frame_regions_find (FrameRegions *frame, GstElement *element, const FrameRegionsSettings *settings,
    const CtrImage *image, GstBuffer *buffer, CtrRegions **regions, CtrError *error)
{
  const FrameRegionsSettings *own = &frame->settings;

  take_settings (frame, element, settings);
  *regions = NULL;
  if (!frame_regions_are_set (own))
    return TRUE;
  if (own->source == FRAME_REGIONS_ROI_META) {
    if (!follow_rois (frame, image, buffer, error))
      return FALSE;
  } else if (!frame->regions
             || (own->mask_location && (frame->width != image->width || frame->height != image->height))) {
    ctr_regions_unref (frame->regions);
    frame->regions = regions_of_properties (own, image, error);
    frame->width = image->width;
    frame->height = image->height;
  }
  *regions = frame->regions;
  return frame->regions != NULL;
}

void
frame_regions_install_properties (GObjectClass *klass, guint first_id)
{
  const GParamFlags flags = G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING;

  /* region-source: Where the regions come from that are analysed. Each is analysed as if the frame had been cropped to its
   * rectangle, all of them at once. A frame without regions of interest has no foreground with roi-meta. */
  g_object_class_install_property (klass, first_id + SOURCE,
      g_param_spec_enum ("region-source", "Region source", "Where the regions come from that are analysed",
          GST_TYPE_FOREGROUND_FILTER_REGION_SOURCE, FRAME_REGIONS_PROPERTIES, flags));

  /* region: Rectangles "x,y,width,height" and polygons "polygon: x,y x,y x,y" between semicolons, in pixels of the frame, in
   * which they must lie. A polygon's points are corners between pixels. They are numbered from 0. */
  g_object_class_install_property (klass, first_id + REGION,
      g_param_spec_string ("region", "Region",
          "Parts of the frame that are analysed, such as 10,20,300,200;polygon: 0,0 90,0 45,60 (empty = all; "
          "region-source=properties)",
          "", flags));

  /* mask-location: A PNG picture of the frames' size, in grey with 8 bits or fewer. Pixels where it is 0 are not analysed. Without
   * a region, the smallest rectangle around the others is one. */
  g_object_class_install_property (klass, first_id + MASK_LOCATION,
      g_param_spec_string ("mask-location", "Mask location",
          "Grey PNG file of the frames' size; pixels where it is 0 are not analysed (region-source=properties)", NULL,
          flags));
}

/* Invalid text leaves the regions as they are. */
static gchar *
set_region (FrameRegionsSettings *settings, const gchar *text)
{
  gchar *problem, *shown, *message;
  RegionList *list;

  text = text ? text : "";
  if (region_list_parse (text, &list, &problem)) {
    region_list_unref (settings->list);
    settings->list = list;
    g_free (settings->text);
    settings->text = g_strdup (text);
    return NULL;
  }
  shown = excerpt_new (text);
  message = g_strdup_printf ("region=\"%s\" is invalid: %s. It stays \"%s\". Set a list such as "
                             "\"10,20,300,200;polygon: 0,0 90,0 45,60\", or \"\" for all of the frame.",
      shown, problem, settings->text);
  g_free (shown);
  g_free (problem);
  return message;
}

gchar *
frame_regions_set_property (FrameRegionsSettings *settings, guint index, const GValue *value)
{
  gchar *problem = NULL;

  if (index == SOURCE) {
    settings->source = g_value_get_enum (value);
  } else if (index == REGION) {
    problem = set_region (settings, g_value_get_string (value));
  } else {
    g_free (settings->mask_location);
    settings->mask_location = g_value_dup_string (value);
    if (settings->mask_location && !*settings->mask_location)
      g_clear_pointer (&settings->mask_location, g_free);
  }
  settings->changes++;
  return problem;
}

void
frame_regions_get_property (const FrameRegionsSettings *settings, guint index, GValue *value)
{
  if (index == SOURCE)
    g_value_set_enum (value, settings->source);
  else
    g_value_set_string (value, index == REGION ? settings->text : settings->mask_location);
}

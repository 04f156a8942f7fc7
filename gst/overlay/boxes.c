/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/overlay/boxes.h"

#include "gst/base/detections.h"
#include "gst/overlay/dimensions.h"

/* Adds the box, and with a label TYPE (0: none), of the object INDEX. */
static void
add_box (const OverlayFrame *frame, GQuark type, gdouble x, gdouble y, gdouble width, gdouble height, guint index)
{
  const CtrColouring colours = overlay_frame_get_colouring (
      frame, FALSE, GST_VIDEO_INFO_WIDTH (frame->info), GST_VIDEO_INFO_HEIGHT (frame->info));
  const gdouble area = width * height;
  const guint64 value = colours.by == CTR_COLOUR_AREA ? (guint64) MIN (2 * area, (gdouble) G_MAXINT64) : index;
  CtrPaintRectangle box;

  if (area < frame->style->min_area || area <= 0)
    return;
  box = overlay_marks_rectangle (x, y, width, height, frame->style->thickness, ctr_colouring_pick (&colours, value));
  overlay_marks_add_box (frame, &box);
  if (frame->text && frame->style->labels) {
    const gchar *name = g_quark_to_string (type);
    gchar label[128], more[64];

    overlay_marks_describe (frame, more, sizeof more, index, area, 0);
    g_snprintf (label, sizeof label, "%.60s%s%s", name ? name : "", name && *more ? "  " : "", more);
    overlay_marks_add_label (frame, &box, label);
  }
}

static void
add_regions (const OverlayFrame *frame, GstBuffer *buffer)
{
  const OverlayStyle *style = frame->style;
  gpointer state = NULL;
  guint index = 0;
  GstMeta *meta;

  while ((meta = gst_buffer_iterate_meta_filtered (buffer, &state, GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE))) {
    const GstVideoRegionOfInterestMeta *region = (GstVideoRegionOfInterestMeta *) meta;

    if (style->draw & OVERLAY_DRAW_REGIONS)
      add_box (frame, region->roi_type, region->x, region->y, region->w, region->h, index++);
    if (style->dimensions & OVERLAY_DIMENSION_REGIONS)
      overlay_dimensions_add_region (frame, region);
  }
}

void
overlay_boxes_add (const OverlayFrame *frame, GstBuffer *buffer)
{
  GArray *detections;

  add_regions (frame, buffer);
  if (!(frame->style->draw & OVERLAY_DRAW_DETECTIONS))
    return;
  detections = detections_find (buffer);
  for (guint i = 0; i < detections->len; i++) {
    const Detection *d = &g_array_index (detections, Detection, i);

    add_box (frame, d->type, d->x, d->y, MAX (d->width, 0), MAX (d->height, 0), i);
  }
  g_array_unref (detections);
}

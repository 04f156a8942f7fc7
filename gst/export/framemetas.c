/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/export/framemetas.h"

/* Points are not fetched where codes are written. */
static gboolean
fetch_contours (GstContoursContourMeta *meta, gboolean codes, GError **error)
{
  GstContoursContour first;
  /* Measures in units of the world may need points. */
  if (!codes || !gst_contours_contour_meta_has_codes (meta) || gst_contours_contour_meta_get_calibration (meta))
    return gst_contours_contour_meta_fetch (meta, error);
  if (gst_contours_contour_meta_has_subpixel (meta) && !gst_contours_contour_meta_fetch (meta, error))
    return FALSE;
  if (!gst_contours_contour_meta_fetch_codes (meta, error))
    return FALSE;
  if (gst_contours_contour_meta_get_count (meta) == 0 || gst_contours_contour_meta_get_contour (meta, 0, &first))
    return TRUE;
  return gst_contours_contour_meta_fetch (meta, error);
}

gboolean
export_metas_fetch (GstBuffer *buffer, const ExportFormat *format, ExportMetas *metas, GError **error)
{
  gpointer iterator = NULL;

  *metas = (ExportMetas){0};
  for (GstMeta *meta; (meta = gst_buffer_iterate_meta (buffer, &iterator));) {
    if (!export_supports (meta))
      continue;
    if (export_is_contours (meta) && !fetch_contours ((GstContoursContourMeta *) meta, format->codes, error))
      return FALSE;
    metas->flags |= export_get_flags (meta);
    if (metas->count++ == 0)
      metas->first = meta;
  }
  return TRUE;
}

void
export_metas_describe (const ExportMetas *metas, ExportFrame *frame)
{
  frame->flags |= metas->flags;
  if (metas->first)
    export_get_size (metas->first, &frame->width, &frame->height);
}

GstFlowReturn
export_metas_write (GstBuffer *buffer, const ExportFormat *format, gpointer state, const ExportText *text,
    const ExportFrame *frame, guint count)
{
  gpointer iterator = NULL;
  GstFlowReturn ret = GST_FLOW_OK;

  if (format->begin_frame)
    format->begin_frame (state, text->out, frame);
  for (GstMeta *meta; ret == GST_FLOW_OK && (meta = gst_buffer_iterate_meta (buffer, &iterator));)
    if (export_supports (meta))
      ret = format->write (state, text, frame, meta);
  if (ret == GST_FLOW_OK && format->end_frame)
    format->end_frame (state, text->out, frame, count);
  return ret;
}

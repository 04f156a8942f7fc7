/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/cracks/tracer.h"

#include "gst/base/framemessage.h"

#include <gst/contours/gstcontours.h>

gboolean
crack_tracer_open (
    CrackTracer *tracer, GstContoursFilter *filter, CtrBackend backend, const StripMode *mode, CtrError *error)
{
  gst_contours_filter_set_strips (filter, mode);
  if (mode->enabled)
    tracer->strips = ctr_crack_strips_new (backend, mode->max_open_rows, error);
  else
    tracer->cracks = ctr_cracks_new (backend, error);
  return tracer->cracks || tracer->strips;
}

void
crack_tracer_close (CrackTracer *tracer)
{
  g_clear_pointer (&tracer->cracks, ctr_cracks_free);
  g_clear_pointer (&tracer->strips, ctr_crack_strips_free);
}

gboolean
crack_tracer_check (const CrackTracer *tracer, CrackTrace trace, CtrError *error)
{
  if (!tracer->strips || trace == CRACK_TRACE_FRAME)
    return TRUE;
  *error = (CtrError){
      CTR_ERROR_INVALID_ARGUMENT, "strip-mode=true needs trace=frame, as strips have neither label images nor masks"};
  return FALSE;
}

CtrContours *
crack_tracer_submit (CrackTracer *tracer, GstContoursFilter *filter, const CtrImage *image, CtrComponents *labels,
    const CtrCracksParams *params, GstBuffer *buffer, gpointer stream, CtrError *error)
{
  if (labels)
    return ctr_cracks_submit_labels (tracer->cracks, labels, params, stream, error);
  if (!tracer->strips)
    return ctr_cracks_submit (tracer->cracks, image, params, stream, error);
  if (params->frame != CTR_IMAGE_BORDER_PAD) {
    *error = (CtrError){CTR_ERROR_INVALID_ARGUMENT,
        "strip-mode=true needs border=pad, as the last row of an endless picture is not known"};
    return NULL;
  }
  if (params->hierarchy == CTR_HIERARCHY_LEVELS) {
    *error = (CtrError){CTR_ERROR_INVALID_ARGUMENT,
        "strip-mode=true needs hierarchy=per-level, as a component of the lowest level may never be closed"};
    return NULL;
  }
  if (gst_contours_filter_misses_rows (filter, buffer))
    ctr_crack_strips_cut (tracer->strips);
  return ctr_crack_strips_submit (tracer->strips, image, params, stream, error);
}

gboolean
crack_tracer_settle (CrackTracer *tracer, CtrError *error)
{
  return tracer->strips ? ctr_crack_strips_settle (tracer->strips, error) : ctr_cracks_settle (tracer->cracks, error);
}

static void
post_strip_message (GstContoursFilter *filter, GstBuffer *buffer, const CtrContours *contours)
{
  GstContoursContourMeta *meta = gst_buffer_get_contours_contour_meta_by_source (buffer, GST_OBJECT_NAME (filter));

  frame_message_post (filter, buffer, "cudacrackcontour", "count", G_TYPE_UINT, contours->count, "points",
      G_TYPE_UINT64, contours->point_count, "limit-exceeded", G_TYPE_BOOLEAN, contours->exceeded != CTR_LIMIT_NONE,
      "first-row", G_TYPE_UINT64, gst_contours_contour_meta_get_first_row (meta), "unfinished", G_TYPE_UINT,
      contours->unfinished, NULL);
}

void
crack_tracer_post_message (
    const CrackTracer *tracer, GstContoursFilter *filter, GstBuffer *buffer, const CtrContours *contours)
{
  if (tracer->strips)
    post_strip_message (filter, buffer, contours);
  else
    frame_message_post (filter, buffer, "cudacrackcontour", "count", G_TYPE_UINT, contours->count, "points",
        G_TYPE_UINT64, contours->point_count, "limit-exceeded", G_TYPE_BOOLEAN, contours->exceeded != CTR_LIMIT_NONE,
        NULL);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/cracks/tracer.h"

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

CtrContours *
crack_tracer_submit (CrackTracer *tracer, GstContoursFilter *filter, const CtrImage *image,
    const CtrCracksParams *params, GstBuffer *buffer, gpointer stream, CtrError *error)
{
  if (!tracer->strips)
    return ctr_cracks_submit (tracer->cracks, image, params, stream, error);
  if (params->frame != CTR_IMAGE_BORDER_PAD) {
    *error = (CtrError){CTR_ERROR_INVALID_ARGUMENT,
        "strip-mode=true needs border=pad, as the last row of an endless picture is not known"};
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

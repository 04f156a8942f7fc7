/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The analyser of level contours, of frames or of strips of one endless picture. */
#ifndef GST_CRACKS_TRACER_H
#define GST_CRACKS_TRACER_H

#include "gst/base/gstcontoursfilter.h"

G_BEGIN_DECLS

/* One of them is open. */
typedef struct {
  CtrCracks *cracks;
  CtrCrackStrips *strips;
} CrackTracer;

/* Tells FILTER about the MODE, too. FALSE and ERROR on failure. */
gboolean crack_tracer_open (
    CrackTracer *tracer, GstContoursFilter *filter, CtrBackend backend, const StripMode *mode, CtrError *error);

/* TRACER may be closed. */
void crack_tracer_close (CrackTracer *tracer);

/* The contours of IMAGE, the frame in BUFFER, which may be pending (transfer full). */
CtrContours *crack_tracer_submit (CrackTracer *tracer, GstContoursFilter *filter, const CtrImage *image,
    const CtrCracksParams *params, GstBuffer *buffer, gpointer stream, CtrError *error);

gboolean crack_tracer_settle (CrackTracer *tracer, CtrError *error);

/* Posts the element message about the frame in BUFFER, to which the complete CONTOURS are attached. */
void crack_tracer_post_message (
    const CrackTracer *tracer, GstContoursFilter *filter, GstBuffer *buffer, const CtrContours *contours);

G_END_DECLS

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The analyser of level contours, of frames or of strips of one endless picture. */
#ifndef GST_CRACKS_TRACER_H
#define GST_CRACKS_TRACER_H

#include "gst/base/gstcontoursfilter.h"
#include "gst/cracks/settings.h"

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

/* The contours of IMAGE, the frame in BUFFER, which may be pending (transfer full). With LABELS, those of its label image.
 */
CtrContours *crack_tracer_submit (CrackTracer *tracer, GstContoursFilter *filter, const CtrImage *image,
    CtrComponents *labels, const CtrCracksParams *params, GstBuffer *buffer, gpointer stream, CtrError *error);

/* TRACER has no strips, or they can be traced. */
gboolean crack_tracer_check (const CrackTracer *tracer, CrackTrace trace, CtrError *error);

gboolean crack_tracer_settle (CrackTracer *tracer, CtrError *error);

/* Posts the element message about the frame in BUFFER, to which the complete CONTOURS are attached. */
void crack_tracer_post_message (
    const CrackTracer *tracer, GstContoursFilter *filter, GstBuffer *buffer, const CtrContours *contours);

G_END_DECLS

#endif

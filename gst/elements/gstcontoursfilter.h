/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Base class of the elements that analyse frames and leave the picture alone: caps, memory, backend, GPU context,
 * errors. A subclass sees a CtrImage and attaches what it finds to the buffer. */
#ifndef GST_CONTOURS_FILTER_H
#define GST_CONTOURS_FILTER_H

#include <contours/contours.h>
#include <gst/base/gstbasetransform.h>
#include <gst/video/video.h>

G_BEGIN_DECLS

#define GST_TYPE_CONTOURS_FILTER (gst_contours_filter_get_type ())
G_DECLARE_DERIVABLE_TYPE (GstContoursFilter, gst_contours_filter, GST, CONTOURS_FILTER, GstBaseTransform)

/**
 * GstContoursFilterClass:
 * @open: the backend is ready: make what belongs to it. Called at start and after a move to another CUDA context.
 * @close: free what @open made; also called when @open failed.
 * @analyze: analyse @image, the pixels of @buffer, and attach the result to @buffer, which is writable but whose pixels
 *     are not. @stream is the CUDA stream to work on, NULL on the host backend; the work must have ended on return.
 *     Controlled properties have been updated to this frame's time.
 *
 * With the CUDA backend the CUDA context is current in each. On failure @open and @analyze fill @error and return
 * FALSE: the base class posts it.
 */
struct _GstContoursFilterClass {
  GstBaseTransformClass parent_class;

  gboolean (*open) (GstContoursFilter *self, CtrBackend backend, CtrError *error);
  void (*close) (GstContoursFilter *self);
  gboolean (*analyze) (
      GstContoursFilter *self, const CtrImage *image, GstBuffer *buffer, gpointer stream, CtrError *error);
};

G_END_DECLS

#endif

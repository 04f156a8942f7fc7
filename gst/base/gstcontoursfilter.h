/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Base class of the elements that analyse frames: caps, memory, backend, GPU context, errors. A subclass sees a
 * CtrImage. Either it leaves the picture alone and attaches what it finds to the buffer, or it makes a new picture of
 * the same format, or it draws into the picture. */
#ifndef GST_BASE_GSTCONTOURSFILTER_H
#define GST_BASE_GSTCONTOURSFILTER_H

#include <contours/contours.h>
#include <gst/base/gstbasetransform.h>
#include <gst/contours/gstcontoursresult.h>
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
 * @render: in place of @analyze: fill @out, a frame of the format and size of @in, whose samples are @image. Both lie
 *     where @image does, and all rows of all their planes are inside their buffers.
 * @draw: in place of both: draw into @frame, whose samples are @image and whose buffer is @buffer; its planes as above.
 *     The work may be left queued on @stream, with references to all it reads but the frame's memory.
 * @lead_default: with @draw: what comes in the CUDA context's default stream has to come after what @draw queued.
 * @finish: with @draw: wait for what it queued, and let go what that read. Once after each @draw that succeeded, before
 *     the next one and before @close: at once, or with the next frame, the end of the stream, a flush or
 *     a drain.
 * @draws: with @draw: is there anything to draw on @buffer? If not it passes as it is, not even copied if it is shared.
 *
 * In @analyze, @render and @draw, ctr_cancelled() says whether the pads are flushing: they end early then, and fail
 * with CTR_ERROR_CANCELLED, which is not posted.
 *
 * With the CUDA backend the CUDA context is current in each. On failure those with an @error fill it and return FALSE:
 * the base class posts it. For @finish it may be NULL.
 */
struct _GstContoursFilterClass {
  GstBaseTransformClass parent_class;

  gboolean (*open) (GstContoursFilter *self, CtrBackend backend, CtrError *error);
  void (*close) (GstContoursFilter *self);
  gboolean (*analyze) (
      GstContoursFilter *self, const CtrImage *image, GstBuffer *buffer, gpointer stream, CtrError *error);
  gboolean (*render) (GstContoursFilter *self, const CtrImage *image, const GstVideoFrame *in, GstVideoFrame *out,
      gpointer stream, CtrError *error);
  gboolean (*draw) (GstContoursFilter *self, const CtrImage *image, GstVideoFrame *frame, GstBuffer *buffer,
      gpointer stream, CtrError *error);
  gboolean (*lead_default) (GstContoursFilter *self, CtrError *error);
  gboolean (*finish) (GstContoursFilter *self, CtrError *error);
  gboolean (*draws) (GstContoursFilter *self, GstBuffer *buffer);
};

/* What the CUDA context that the backend works in belongs to (transfer full), for results that outlive the element;
 * NULL on the host backend. For the streaming thread. */
GstObject *gst_contours_filter_get_context (GstContoursFilter *self);

/* What a reader of BUFFER's analysis has to know, by its flags and the caps. For the streaming thread. */
GstContoursResultFlags gst_contours_filter_get_frame_flags (GstContoursFilter *self, GstBuffer *buffer);

/* The bits of the 16-bit samples of FRAME that are used: WANTED, or with 0 those that the frames of the stream have
 * needed so far, which is told in an info message. All 16 in formats whose samples lie at the upper end. For the
 * streaming thread, with FRAME in host memory where its format may have less. */
guint gst_contours_filter_get_significant_bits (GstContoursFilter *self, const GstVideoFrame *frame, guint wanted);

G_END_DECLS

#endif

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
 * @find_components: find the connected components of @image, the pixels of @buffer (transfer full). @stream is the CUDA
 *     stream to work on, NULL on the host backend. Controlled properties have been updated to this frame's time.
 * @find_contours: in place of @find_components: find contours in @image.
 * @report_components, @report_contours: with these two, optional: the base class has attached the result to @buffer
 * with the element's name, the frame's flags and the CUDA context that the result depends on. Post the messages about
 * it.
 * @render: in place of @find_components: fill @out, a frame of the format and size of @in, whose samples are @image.
 * Both lie where @image does, and all rows of all their planes are inside their buffers.
 * @draw: in place of both: draw into @frame, whose samples are @image and whose buffer is @buffer; its planes as above.
 *     The work may be left queued on @stream, with references to all it reads but the frame's memory.
 * @lead_default: with @draw: what comes in the CUDA context's default stream has to come after what @draw queued.
 * @finish: with @draw: wait for what it queued, and let go what that read. Once after each @draw that succeeded, before
 *     the next one and before @close: at once, or with the next frame, the end of the stream, a flush or
 *     a drain.
 * @draws: with @draw: is there anything to draw on @buffer? If not it passes as it is, not even copied if it is shared.
 *
 * In @find_components, @find_contours, @render and @draw, ctr_cancelled() says whether the pads are flushing: they end
 * early then, and fail with CTR_ERROR_CANCELLED, which is not posted.
 *
 * With the CUDA backend the CUDA context is current in each. On failure those with an @error fill it and return FALSE:
 * the base class posts it. For @finish it may be NULL.
 */
struct _GstContoursFilterClass {
  GstBaseTransformClass parent_class;

  gboolean (*open) (GstContoursFilter *self, CtrBackend backend, CtrError *error);
  void (*close) (GstContoursFilter *self);
  CtrComponents *(*find_components) (
      GstContoursFilter *self, const CtrImage *image, GstBuffer *buffer, gpointer stream, CtrError *error);
  CtrContours *(*find_contours) (
      GstContoursFilter *self, const CtrImage *image, GstBuffer *buffer, gpointer stream, CtrError *error);
  void (*report_components) (GstContoursFilter *self, GstBuffer *buffer, const CtrComponents *components);
  void (*report_contours) (GstContoursFilter *self, GstBuffer *buffer, const CtrContours *contours);
  gboolean (*render) (GstContoursFilter *self, const CtrImage *image, const GstVideoFrame *in, GstVideoFrame *out,
      gpointer stream, CtrError *error);
  gboolean (*draw) (GstContoursFilter *self, const CtrImage *image, GstVideoFrame *frame, GstBuffer *buffer,
      gpointer stream, CtrError *error);
  gboolean (*lead_default) (GstContoursFilter *self, CtrError *error);
  gboolean (*finish) (GstContoursFilter *self, CtrError *error);
  gboolean (*draws) (GstContoursFilter *self, GstBuffer *buffer);
};

/* What a reader of BUFFER's analysis has to know, by its flags and the caps. For the streaming thread. */
GstContoursResultFlags gst_contours_filter_get_frame_flags (GstContoursFilter *self, GstBuffer *buffer);

/* Whether to warn that a frame exceeds the limit EXCEEDED: TRUE if the frame before did not. To be called for each
 * frame, on the streaming thread. */
gboolean gst_contours_filter_enters_limit (GstContoursFilter *self, CtrLimit exceeded);

/* The bits of the 16-bit samples of FRAME that are used: WANTED, or with 0 those that the frames of the stream have
 * needed so far, which is told in an info message. All 16 in formats whose samples lie at the upper end. For the
 * streaming thread, with FRAME in host memory where its format may have less. */
guint gst_contours_filter_get_significant_bits (GstContoursFilter *self, const GstVideoFrame *frame, guint wanted);

G_END_DECLS

#endif

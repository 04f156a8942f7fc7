/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Base class of the elements that analyse frames or draw on them. It does all that they share: caps, memory, choice of
 * the backend, CUDA context, metadata, errors. A subclass sees a CtrImage and does one of four things: find components,
 * find contours, render an output frame of the same format, or draw on the frame.
 *
 * How the files of this folder work together:
 *
 *   gstcontoursfilter.h, .c   this class; its parts are listed in gstcontoursfilter-private.h
 *   gstforegroundfilter.h     subclass with the foreground properties of cudacca, cudaborders and cudaforeground
 *   colorrange.h              its property color-range
 *   frameregions.h            its properties of regions; regionlist.h: the list of them as text
 *   gstcontoursgpu.h          CUDA context, stream and memory: the only place that knows libgstcuda
 *   gpuorder.h                order of the work of several elements on one CUDA memory
 *   pinnedpool.h              page-locked frames in system memory
 *   framemessage.h            element messages about one frame
 *   propertyfields.h          tables of properties that are plain fields
 *   framecalibration.h        the property calibration-location of analysers
 *   frameattachment.h         the properties attach-as and max-objects of analysers; frameobjects.h: what they attach,
 *                             detections.h: detections of GStreamer 1.24 and newer
 *   framemasks.h              the masks of a frame, of GStreamer 1.26 and newer
 *   stripmode.h               the properties of analysers of strips: strip-mode, max-open-rows
 *   significantbits.h         the property significant-bits
 *   allocation.h              allocation queries; contourexport uses it as well
 *   eventflow.h               events that come while the pads are flushing; contourexport and contourextract use it as well
 *   excerpt.h                 excerpts of user input for messages
 *
 * A frame takes this path: before_transform() adopts its CUDA context; transform_ip(), or transform() for @render,
 * maps it, checks it and calls the subclass, which calls the core (contours/borders.h, for example). The base class attaches the result and posts
 * errors.
 */
#ifndef GST_BASE_GSTCONTOURSFILTER_H
#define GST_BASE_GSTCONTOURSFILTER_H

#include "gst/base/frameattachment.h"
#include "gst/base/framecalibration.h"
#include "gst/base/stripmode.h"

#include <contours/contours.h>
#include <gst/base/gstbasetransform.h>
#include <gst/contours/gstcontoursresult.h>
#include <gst/video/video.h>

G_BEGIN_DECLS

#define GST_TYPE_CONTOURS_FILTER (gst_contours_filter_get_type ())
G_DECLARE_DERIVABLE_TYPE (GstContoursFilter, gst_contours_filter, GST, CONTOURS_FILTER, GstBaseTransform)

/**
 * GstContoursFilterClass:
 * @open: allocate what belongs to the backend. Called at start and after a switch to another CUDA context.
 * @close: free what @open allocated; also called if @open failed.
 * @find_components: return the connected components of @image, the pixels of @buffer (transfer full). @stream is the
 *     CUDA stream to work on, NULL on the CPU. Controlled properties have the values of the frame's time.
 * @find_contours: instead of @find_components: return contours of @image.
 *     Both may return a pending result.
 * @needs_foreground: where the element takes shared inputs (contours/input.h): set the foreground that it needs of the
 *     next frame, or return FALSE if it needs none.
 * @needs_pixels: optional, with @needs_foreground: whether the analyser reads the pixels of the next frame.
 * @takes_masks: optional, with @find_components or @find_contours: whether the masks of the next frame are analysed in its place.
 *     @image is then a mask of @buffer, in either kind of memory, and both are called for each of them. A mask has
 *     neither chroma nor a part in shared inputs.
 * @settle: with @find_components or @find_contours that return pending results: wait for the last one. Called before
 *     @close, at the end of the stream, for a flush and for a drain. The next @find_components or @find_contours fails
 *     itself if the last result did.
 * @report_components, @report_contours: optional, with these two: post messages about the result. The base class has
 *     attached it to @buffer, with the element's name, the frame's flags and the CUDA context that it depends on. It may
 *     be pending.
 * @end_components, @end_contours: with gst_contours_filter_set_strips(): the web ends after the last strip. Set the result
 *     to what is still open (transfer full, complete), unless that is nothing. Its height is that of the rows above the
 *     end. Strips that follow are another web.
 * @drop_web: with these: forget what is open; the next strip begins another web.
 * @warn_of_limit: optional, with @find_contours: warn that @contours exceed a limit, which those of the frame before did
 *     not. Called as soon as the base class knows.
 * @render: instead: fill @out, a frame of the format and size of @in, whose samples are @image. Both are in the same
 *     kind of memory as @image, and all rows of all planes lie inside their buffers. The work may stay queued on @stream.
 * @draw: instead: draw on @frame, whose samples are @image and whose buffer is @buffer; its planes are as for @render.
 *     Nobody else holds the frame: the base class has copied it if somebody did, possibly with a copy that is still
 *     queued on @stream. The work may stay queued on @stream, with references to everything it reads except the frame's memory.
 * @finish: with @render and @draw: wait for the queued work and release what it read. Called once after each successful
 *     @render or @draw, before the next one and before @close. The base class calls it at once, or with the next frame, at the end of the
 *     stream, for a flush or for a drain.
 * @needs_drawing: with @draw: whether there is anything to draw on @buffer. If it returns FALSE, the buffer passes without a
 *     copy, even if it is shared.
 * @replaces_pixels: optional, with @draw, after @needs_drawing: whether @draw writes every pixel and reads none. A frame that
 *     somebody else holds is then replaced by a new one, without a copy of its pixels.
 *
 * A shared input may be current in @find_components, @find_contours and @render.
 *
 * In @find_components, @find_contours, @render and @draw, ctr_cancelled() returns true while the pads are flushing:
 * they then end early and fail with CTR_ERROR_CANCELLED, which the base class does not post.
 *
 * With the CUDA backend, the CUDA context is current in all of them. Functions with an @error fill it on failure and
 * return FALSE or NULL; the base class posts it. @finish accepts a NULL @error.
 */
struct _GstContoursFilterClass {
  GstBaseTransformClass parent_class;

  gboolean (*open) (GstContoursFilter *self, CtrBackend backend, CtrError *error);
  void (*close) (GstContoursFilter *self);
  CtrComponents *(*find_components) (
      GstContoursFilter *self, const CtrImage *image, GstBuffer *buffer, gpointer stream, CtrError *error);
  CtrContours *(*find_contours) (
      GstContoursFilter *self, const CtrImage *image, GstBuffer *buffer, gpointer stream, CtrError *error);
  gboolean (*needs_foreground) (GstContoursFilter *self, CtrForeground *foreground);
  gboolean (*needs_pixels) (GstContoursFilter *self);
  gboolean (*takes_masks) (GstContoursFilter *self);
  gboolean (*settle) (GstContoursFilter *self, CtrError *error);
  void (*report_components) (GstContoursFilter *self, GstBuffer *buffer, CtrComponents *components);
  void (*report_contours) (GstContoursFilter *self, GstBuffer *buffer, CtrContours *contours);
  gboolean (*end_components) (GstContoursFilter *self, CtrComponents **components, CtrError *error);
  gboolean (*end_contours) (GstContoursFilter *self, CtrContours **contours, CtrError *error);
  void (*drop_web) (GstContoursFilter *self);
  void (*warn_of_limit) (GstContoursFilter *self, const CtrContours *contours);
  gboolean (*render) (GstContoursFilter *self, const CtrImage *image, const GstVideoFrame *in, GstVideoFrame *out,
      gpointer stream, CtrError *error);
  gboolean (*draw) (GstContoursFilter *self, const CtrImage *image, GstVideoFrame *frame, GstBuffer *buffer,
      gpointer stream, CtrError *error);
  gboolean (*finish) (GstContoursFilter *self, CtrError *error);
  gboolean (*needs_drawing) (GstContoursFilter *self, GstBuffer *buffer);
  gboolean (*replaces_pixels) (GstContoursFilter *self);
};

/* The result flags of a frame: those of BUFFER and of the caps. Streaming thread only. */
GstContoursResultFlags gst_contours_filter_get_frame_flags (GstContoursFilter *self, GstBuffer *buffer);

/* For class_init(): elements that write frames take packed YUV only of EVEN_WIDTHS, so that pixels are whole pairs, or not at
 * all. By default it has any width. */
void gst_contours_filter_class_limit_packed_yuv (GstContoursFilterClass *klass, gboolean even_widths);

/* Tells whether the frames are strips, in open(): the last rows of a result are its frame then, and the result knows its
 * origin_row. Webs end at the end of the stream, with new caps, and where a new stream starts: the base class asks for the
 * rest, and pushes it with a black frame that follows the last strip and is flagged as a gap. A flush drops the web. */
void gst_contours_filter_set_strips (GstContoursFilter *self, const StripMode *mode);

/* For render(): attaches CONTOURS of the frame, which are complete, to BUFFER, as the base class attaches those of
 * find_contours(). */
void gst_contours_filter_attach_contours (
    GstContoursFilter *self, GstBuffer *buffer, CtrContours *contours, gpointer stream);

/* The properties of how an analyser's results are attached: calibration-location, attach-as, and with LIMIT max-objects, with
 * IDs from FIRST_ID on, which are the last ones of the element. */
void gst_contours_filter_install_attachment (GObjectClass *klass, guint first_id, gboolean limit);

/* To be called in set_property() and get_property(), under the object lock; FALSE if PSPEC is another property. */
gboolean gst_contours_filter_set_attachment (GstContoursFilter *self, const GValue *value, GParamSpec *pspec);
gboolean gst_contours_filter_get_attachment (GstContoursFilter *self, GValue *value, GParamSpec *pspec);

/* Whether rows are missing between the strip before and BUFFER, which is to be analysed: nothing goes on there. */
gboolean gst_contours_filter_misses_rows (GstContoursFilter *self, GstBuffer *buffer);

/* The number of significant bits in the samples of the current caps; WANTED, which may be 0, if the caps do not tell. */
guint gst_contours_filter_get_format_bits (GstContoursFilter *self, guint wanted);

/* Likewise of IMAGE, the current frame. If the caps do not tell and WANTED is 0, it is the number that the frames of the
 * stream have used so far, and an info message tells when it changes. Streaming thread only. */
guint gst_contours_filter_get_significant_bits (GstContoursFilter *self, const CtrImage *image, guint wanted);

/* For draw(), before anything is written into the memory of BUFFER on STREAM: makes STREAM wait for pending analyses that
 * may still read it, unless the memory's own stream orders the drawing behind them. The results in DRAWN_CONTOURS and
 * DRAWN_COMPONENTS are left out: the drawing comes behind them anyway. */
gboolean gst_contours_filter_follow_readers (GstContoursFilter *self, GstBuffer *buffer, gpointer stream,
    GPtrArray *drawn_contours, GPtrArray *drawn_components, CtrError *error);

G_END_DECLS

#endif

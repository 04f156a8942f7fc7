/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the files of the contours filter share. Each holds one part of the class:
 *
 *   gstcontoursfilter.c   properties, choice of the backend, start, stop, events and queries
 *   filternegotiation.c   caps and allocation
 *   filterprocessing.c    one frame, from the pad to the subclass and on
 *   filterresults.c       attaches what the subclass finds
 *   filterdrawing.c       drawing that is still queued on the GPU when its frame goes on
 */
#ifndef GST_BASE_GSTCONTOURSFILTER_PRIVATE_H
#define GST_BASE_GSTCONTOURSFILTER_PRIVATE_H

#include "gst/base/gstcontoursfilter.h"
#include "gst/base/gstcontoursgpu.h"

G_BEGIN_DECLS

GST_DEBUG_CATEGORY_EXTERN (gst_contours_filter_debug);
#define GST_CAT_DEFAULT gst_contours_filter_debug

typedef enum { BACKEND_AUTO, BACKEND_CUDA, BACKEND_CPU } GstContoursBackend;

typedef struct {
  /* Properties, under the object lock. */
  GstContoursBackend backend;
  gint device_id;

  GstContoursGpu gpu;
  gint in_use; /* CtrBackend while started, else -1; atomic: caps queries come from any thread */
  GstVideoInfo info;
  gboolean cuda_caps;   /* the negotiated frames are CUDA memory */
  gboolean told_fields; /* that they are interlaced */
  gboolean passes;      /* the frame goes on as it is: there is nothing to draw on it, or no picture in it */
  guint sample_bits;    /* that the frames of the stream have needed so far */
  GstMiniObject *drawn; /* what the drawing that is queued needs, NULL: none is; of the streaming thread */
  CtrLimit exceeded;    /* by the last frame */
  CtrCancel cancel;     /* requested while the pads are flushing: the work on a frame ends */
} GstContoursFilterPrivate;

#define PRIVATE(self) contours_filter_get_private (self)
GstContoursFilterPrivate *contours_filter_get_private (GstContoursFilter *self);

/* Set the virtual functions of these parts. */
void contours_filter_class_init_negotiation (GstContoursFilterClass *klass);
void contours_filter_class_init_processing (GstContoursFilterClass *klass);

/* Posts an element error for a failure of the core or the GPU: what failed, and what to do. */
void contours_filter_post_error (GstContoursFilter *self, const CtrError *error);

/* Runs the subclass's open(), with its close() if that fails. */
gboolean contours_filter_open_backend (GstContoursFilter *self, CtrBackend backend, CtrError *error);

/* Frees what the subclass holds; harmless when nothing is open. */
void contours_filter_close_backend (GstContoursFilter *self);

/* Does the element make new pictures? Otherwise it works in place. */
gboolean contours_filter_renders (GstBaseTransform *trans);

/* The first memory of BUFFER, NULL if it has none. */
GstMemory *contours_filter_first_memory (GstBuffer *buffer);

/* Lets the subclass analyse IMAGE, the pixels of BUFFER, and attaches what it finds. */
gboolean contours_filter_analyze (
    GstContoursFilter *self, const CtrImage *image, GstBuffer *buffer, gpointer stream, CtrError *error);

/* Lets BUFFER go downstream after the subclass has drawn on it: its readers are ordered after the drawing, or this
 * waits until the drawing is done. */
gboolean contours_filter_hand_over_drawing (GstContoursFilter *self, GstBuffer *buffer, CtrError *error);

/* Waits for drawing that is still queued. On failure posts an error and returns FALSE. */
gboolean contours_filter_finish_drawing (GstContoursFilter *self);

G_END_DECLS

#endif

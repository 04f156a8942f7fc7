/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Internals that the files of the contours filter share. Each file holds one part of the class:
 *
 *   gstcontoursfilter.c   properties, choice of the backend, start, stop, events, queries, errors
 *   filternegotiation.c   caps and buffer pools
 *   filterprocessing.c    processing of one frame: mapping, checks, the call of the subclass
 *   filterresults.c       attaches the results of the subclass
 *   filterdrawing.c       drawing that is still queued on the GPU when its frame is pushed
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
  guint n_threads;

  GstContoursGpu gpu;
  gint in_use; /* CtrBackend while started, otherwise -1; atomic: caps queries come from any thread */
  GstVideoInfo info;
  gboolean cuda_caps; /* the negotiated frames are in CUDA memory */
  gboolean warned_interlaced;
  gboolean passes;        /* the frame passes untouched: a gap, or nothing to draw */
  guint bits_so_far;      /* significant bits that the frames of the stream have used so far */
  GstMiniObject *drawn;   /* what the queued drawing depends on, NULL if none is queued; streaming thread only */
  CtrContours *unchecked; /* pending contours whose limit is not known yet, or NULL; streaming thread only */
  CtrLimit exceeded;      /* limit that the last frame exceeded */
  CtrCancel cancel;       /* requested while the pads are flushing: ends the work on a frame */
} GstContoursFilterPrivate;

#define PRIVATE(self) contours_filter_get_private (self)
GstContoursFilterPrivate *contours_filter_get_private (GstContoursFilter *self);

/* Set the virtual functions of these parts. */
void contours_filter_class_init_negotiation (GstContoursFilterClass *klass);
void contours_filter_class_init_processing (GstContoursFilterClass *klass);

/* Posts an element error for a failure of the core or the GPU. */
void contours_filter_post_error (GstContoursFilter *self, const CtrError *error);

/* Calls the subclass's open(), and its close() if that fails. */
gboolean contours_filter_open_backend (GstContoursFilter *self, CtrBackend backend, CtrError *error);

/* Calls the subclass's close() if it is open. */
void contours_filter_close_backend (GstContoursFilter *self);

/* Whether the element renders output frames; otherwise it works in place. */
gboolean contours_filter_renders (GstBaseTransform *trans);

/* The first memory of BUFFER, NULL if it has none. */
GstMemory *contours_filter_first_memory (GstBuffer *buffer);

/* Lets the subclass analyse IMAGE, the pixels of BUFFER, and attaches the result to BUFFER. */
gboolean contours_filter_analyze (
    GstContoursFilter *self, const CtrImage *image, GstBuffer *buffer, gpointer stream, CtrError *error);

/* Waits for the pending result, if any. Posts an error and returns FALSE on failure. */
gboolean contours_filter_settle (GstContoursFilter *self);

/* Prepares BUFFER for downstream after the subclass has drawn on it: orders its readers after the drawing, or waits
 * until the drawing is done. */
gboolean contours_filter_hand_over_drawing (GstContoursFilter *self, GstBuffer *buffer, CtrError *error);

/* Waits for queued drawing. Posts an error and returns FALSE on failure. */
gboolean contours_filter_finish_drawing (GstContoursFilter *self);

G_END_DECLS

#endif

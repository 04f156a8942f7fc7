/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Internals that the files of the contours filter share. Each file holds one part of the class:
 *
 *   gstcontoursfilter.c   properties, choice of the backend, start, stop, events, queries, errors
 *   filternegotiation.c   caps and buffer pools
 *   filterprocessing.c    processing of one frame: mapping, checks, the call of the subclass
 *   filtermasks.c         analysis of the masks that a frame carries, in place of the frame
 *   filterresults.c       attaches the results of the subclass
 *   filtercopying.c       copies of frames to draw on, where somebody else holds the frame
 *   filtersharing.c       sharing of uploads, luma and thresholds with analysers that are linked directly
 *   filterlinks.c         which of our elements are linked to each other
 *   filterdrawing.c       drawing that is still queued on the GPU when its frame is pushed
 *   filterstrips.c        strips of one endless picture: the end of the picture, warnings
 *   filterorder.c         order of the work on one frame: among our elements, and before it is pushed to others
 *   filtertiming.c        the time of frames on the GPU
 */
#ifndef GST_BASE_GSTCONTOURSFILTER_PRIVATE_H
#define GST_BASE_GSTCONTOURSFILTER_PRIVATE_H

#include "gst/base/framemasks.h"
#include "gst/base/gpuorder.h"
#include "gst/base/gstcontoursfilter.h"
#include "gst/base/gstcontoursgpu.h"

G_BEGIN_DECLS

GST_DEBUG_CATEGORY_EXTERN (gst_contours_filter_debug);
#define GST_CAT_DEFAULT gst_contours_filter_debug

typedef enum { BACKEND_AUTO, BACKEND_CUDA, BACKEND_CPU } GstContoursBackend;

/* A shared input that serves the frame with MEMORY, for the analyser behind SINK, in THREAD. */
typedef struct {
  CtrInput *input; /* NULL: none is offered */
  GThread *thread;
  GstMemory *memory;
  GstPad *sink;
  gulong probes; /* that the pads of the link had ever had when the frame was analysed */
} ContoursOffer;

/* The other end of a link of one of our pads. */
typedef struct {
  GstPad *pad;        /* for comparisons */
  gboolean is_probed; /* Either pad has a probe. */
  gulong probes;      /* that both pads have ever had */
} ContoursLink;

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
  gboolean warned_masks; /* that there are none */
  gboolean passes;       /* the frame passes untouched: a gap, or nothing to draw */
  guint bits_so_far;     /* significant bits that the frames of the stream have used so far */
  gboolean is_drawing;   /* drawing or rendering is queued; streaming thread only */
  GstMiniObject *drawn;  /* what the queued drawing depends on, NULL if none is queued; streaming thread only */
  GstBuffer *rendered;   /* the frame that the queued rendering reads, NULL: none must be held; streaming thread only */
  GstPadChainFunction chain; /* of the parent class, for elements that render */
  GstBufferPool *copies;     /* of copied frames, NULL until one is needed; streaming thread only */
  guint unfilled; /* buffers that the pool of rendered frames still has to make at its start; streaming thread only */
  GstMiniObject *copied; /* what the queued copy of a frame depends on, NULL if none is queued; streaming thread only */
  CtrContours *unchecked; /* pending contours whose limit is not known yet, or NULL; streaming thread only */
  CtrLimit exceeded;      /* limit that the last frame exceeded */
  GQueue unwarned;        /* CtrComponents of strips whose unfinished ones are not known yet; streaming thread only */
  StripMode strips;       /* of the subclass since it was opened */
  FrameCalibration calibration; /* the location under the object lock, the rest of the streaming thread */
  FrameAttachment attachment;
  gboolean warned_unfinished;
  gboolean expects_strip;                 /* A buffer has come since the last strip. */
  gboolean rows_missing;                  /* One has come that was not analysed: a gap, or late for QoS. */
  GstClockTime strip_pts, strip_duration; /* of the last strip */
  CtrInput *input;                        /* its own, NULL until one is needed; streaming thread only */
  ContoursOffer offer;                    /* under the object lock; set by the streaming thread */
  gboolean in_chain; /* Whoever is offered the input gets the frame before the chain function returns. */
  GstPadChainFunction parent_chain;
  CtrGpuClock *clock; /* NULL until somebody asks for the GPU's time */
  CtrCancel cancel;   /* requested while the pads are flushing: ends the work on a frame */
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

/* Returns our element at the other end of PAD's link (transfer full), or NULL. Sets *LINK, which may be NULL; it counts
 * probes where there is such an element. */
GstContoursFilter *contours_filter_find_linked (GstPad *pad, ContoursLink *link);

/* Lets the subclass analyse IMAGE, the pixels of BUFFER, and attaches the result to BUFFER. */
gboolean contours_filter_analyze (
    GstContoursFilter *self, const CtrImage *image, GstBuffer *buffer, gpointer stream, CtrError *error);

/* Lets the subclass analyse IMAGE and attaches the result to BUFFER: IMAGE are the pixels of BUFFER, or those of MASK, unless
 * that is NULL. */
gboolean contours_filter_find (GstContoursFilter *self, const CtrImage *image, const FrameMask *mask, GstBuffer *buffer,
    gpointer stream, CtrError *error);

/* Likewise of each mask of BUFFER, of which there may be none. */
gboolean contours_filter_analyze_masks (GstContoursFilter *self, GstBuffer *buffer, gpointer stream, CtrError *error);

/* Fills IMAGE with a view of FRAME's first plane, which is mapped in the memory of the DEVICE or of the host. */
gboolean contours_filter_view_frame (const GstVideoFrame *frame, gboolean device, CtrImage *image, CtrError *error);

/* Decides in which stream the element works on the next frame: its own, or with many elements that of the element before
 * it, if that is one of ours. */
void contours_filter_choose_stream (GstContoursFilter *self);

/* Whether work on frames in CUDA memory is ordered by STREAM, their memory's own, or frames are in system memory, whose
 * pixels have been copied. */
gboolean contours_filter_is_ordered (GstContoursFilter *self, gpointer stream);

/* Makes the element's stream wait for what is queued on the memory of BUFFER, and of OUTBUF, the frame to render or NULL,
 * before it works on them. Without a CUDA stream of the memory only. */
gboolean contours_filter_take_frames (
    GstContoursFilter *self, GstBuffer *buffer, GstBuffer *outbuf, gpointer stream, CtrError *error);

/* Before BUFFER is pushed: orders everyone else after what our elements have queued on its memory, unless the next
 * element is one of ours and does so. */
gboolean contours_filter_share (GstContoursFilter *self, GstBuffer *buffer, CtrError *error);

/* Whether the host has to wait for queued work on BUFFER before it is pushed. */
gboolean contours_filter_waits (GstContoursFilter *self, GstBuffer *buffer);

/* Returns the shared input for the analysis of BUFFER, or NULL: that of the analyser upstream, or one of its own if an
 * analyser downstream needs it. Offers it to the analyser downstream. */
CtrInput *contours_filter_get_input (GstContoursFilter *self, GstBuffer *buffer);

/* Lets an analyser share inputs, if its class can. */
void contours_filter_init_sharing (GstContoursFilter *self);

/* Attaches what was open at the end of the web, either kind, to BUFFER, which follows the last strip, and reports it. */
void contours_filter_attach_rest (
    GstContoursFilter *self, GstBuffer *buffer, CtrComponents *components, CtrContours *contours);

/* To be called with each buffer that comes: if it is not analysed, rows are missing. */
void contours_filter_expect_strip (GstContoursFilter *self);

/* Keeps the times of the strip in BUFFER, which has been analysed. */
void contours_filter_note_strip (GstContoursFilter *self, GstBuffer *buffer);

/* Warns once a web if a result has UNFINISHED components or contours (WHAT). */
void contours_filter_warn_of_unfinished (GstContoursFilter *self, guint unfinished, const gchar *what);

/* Ends the web, if there are strips, and pushes what is open. Posts an error and returns FALSE on failure. */
gboolean contours_filter_end_web (GstContoursFilter *self);

/* Forgets what is open. */
void contours_filter_drop_web (GstContoursFilter *self);

/* Ends, cuts or drops the web if EVENT does so. To be called before EVENT is passed on. */
void contours_filter_handle_strip_event (GstContoursFilter *self, GstEvent *event);

/* Waits for pending analyses of BUFFER, which may still read its memory. */
void contours_filter_wait_for_readers (GstBuffer *buffer);

/* Waits for the pending result, if any. Posts an error and returns FALSE on failure. */
gboolean contours_filter_settle (GstContoursFilter *self);

/* Maps BUFFER. Posts an error and returns FALSE if its memory does not fit the caps. */
gboolean contours_filter_map_frame (
    GstContoursFilter *self, GstVideoFrame *frame, GstBuffer *buffer, GstMapFlags access);

/* Checks that all rows of FRAME's planes lie inside the mapped memory. */
gboolean contours_filter_check_planes (const GstVideoFrame *frame, CtrError *error);

/* Whether somebody else holds BUFFER or its memory, and so must not see what is drawn on it. */
gboolean contours_filter_needs_copy (GstContoursFilter *self, GstBuffer *buffer);

/* An active pool without a maximum, of frames with the current caps, in CUDA memory with the stream of MEMORY (NULL: none).
 * NULL if there is none for these caps. */
GstBufferPool *contours_filter_new_pool (GstContoursFilter *self, GstMemory *memory);

/* A buffer like BUFFER, in CUDA memory with the CUDA stream of its memory, without metadata. They come from one pool,
 * unless the frames change to another stream. NULL if there is no memory. */
GstBuffer *contours_filter_acquire (GstContoursFilter *self, GstBuffer *buffer);

/* Makes all buffers that the active POOL of rendered frames has at its start, but for the one that was taken. */
void contours_filter_fill_pool (GstContoursFilter *self, GstBufferPool *pool);

/* A copy of BUFFER, with its metadata, to draw on, without the pixels if all will be replaced; in CUDA memory the pixels may still be on their way, in order with
 * the drawing. Posts an error and returns NULL on failure. */
GstBuffer *contours_filter_copy_frame (GstContoursFilter *self, GstBuffer *buffer);

/* Releases what the queued copy of a frame depends on. The copy must be complete. */
void contours_filter_drop_copied (GstContoursFilter *self);

/* Likewise, but first waits for the copy, if one is queued: no drawing on COPY follows that would be waited for. */
void contours_filter_abandon_copy (GstContoursFilter *self, GstBuffer *copy);

/* Gives up the pool of copies. */
void contours_filter_drop_copies (GstContoursFilter *self);

/* Prepares BUFFER for downstream after the subclass has queued the drawing or rendering of its frame on STREAM: orders
 * its readers after that work, or waits until the work is done. */
gboolean contours_filter_hand_over_drawing (
    GstContoursFilter *self, GstBuffer *buffer, gpointer stream, CtrError *error);

/* Holds the frames that rendering reads until it is complete. Called once, for elements that render. */
void contours_filter_hold_rendered (GstContoursFilter *self);

/* Counts the started elements that draw or render on the GPU: CHANGE is 1 at start and -1 at stop. */
void contours_filter_count_drawing (GstContoursFilter *self, CtrBackend backend, gint change);

/* Adds the signal "gpu-time". */
void contours_filter_install_timing (GstContoursFilterClass *klass);

/* The clock for the next frame, or NULL where nobody asks. */
CtrGpuClock *contours_filter_get_clock (GstContoursFilter *self);

/* Emits "gpu-time" for each time that has arrived. */
void contours_filter_report_times (GstContoursFilter *self);

/* Waits for queued drawing. Posts an error and returns FALSE on failure. */
gboolean contours_filter_finish_drawing (GstContoursFilter *self);

G_END_DECLS

#endif

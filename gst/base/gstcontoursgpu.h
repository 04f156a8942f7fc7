/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* GStreamer's CUDA context, which an element shares with its neighbours, a stream in it, and its memory.
 *
 * gstcontoursgpu.c is the only place that knows libgstcuda. A build without libgstcuda has gstcontoursgpu-none.c
 * instead: gst_contours_gpu_open() then fails, and no memory is CUDA memory. */
#ifndef GST_BASE_GSTCONTOURSGPU_H
#define GST_BASE_GSTCONTOURSGPU_H

#include <contours/types.h>
#include <gst/gst.h>
#include <gst/video/video.h>

#ifdef HAVE_GST_CUDA
#include <gst/cuda/gstcudamemory.h>
#define GST_CONTOURS_MAP_CUDA GST_MAP_CUDA
#else
#define GST_CONTOURS_MAP_CUDA 0
#endif

G_BEGIN_DECLS

#define GST_CONTOURS_CUDA_FEATURE "memory:CUDAMemory"

typedef struct _GstContoursGpuEvents GstContoursGpuEvents;
typedef struct _GstContoursGpuStream GstContoursGpuStream;

typedef struct {
  GRecMutex lock;               /* guards context, which applications and neighbours set and query from any thread */
  GstObject *context;           /* GstCudaContext, or NULL; only the streaming thread replaces it while it runs */
  gpointer stream;              /* CUstream in that context, which does not synchronise with the default stream */
  GstContoursGpuStream *own;    /* created with the context */
  GstContoursGpuStream *used;   /* whose handle stream is; guarded by lock, as neighbours use it, too */
  GstContoursGpuEvents *events; /* of that context */
} GstContoursGpu;

void gst_contours_gpu_init (GstContoursGpu *gpu);
void gst_contours_gpu_clear (GstContoursGpu *gpu);

/* Gets a context on CUDA device DEVICE_ID (-1: any) from ELEMENT's neighbours or its application, or creates one, and
 * creates a stream in it. Without driver or device returns FALSE, and ERROR says what is missing. */
gboolean gst_contours_gpu_open (GstContoursGpu *gpu, GstElement *element, gint device_id, CtrError *error);
void gst_contours_gpu_close (GstContoursGpu *gpu);

/* Make the context current in this thread, and restore the previous one. */
gboolean gst_contours_gpu_push (GstContoursGpu *gpu, CtrError *error);
void gst_contours_gpu_pop (GstContoursGpu *gpu);

/* Likewise, of a context that may not be open any more. ERROR may be NULL. */
gboolean gst_contours_gpu_enter (GstObject *context, CtrError *error);
void gst_contours_gpu_leave (void);

/* The device of the context; -1 if none is open. */
gint gst_contours_gpu_get_device_id (GstContoursGpu *gpu);

gboolean gst_contours_gpu_is_memory (GstMemory *memory);

/* Whether mapping MEMORY for the GPU writes it there first, with what was written on the CPU. */
gboolean gst_contours_gpu_will_upload (GstMemory *memory);

/* Whether MEMORY, which is CUDA memory, belongs to another context than the open one. */
gboolean gst_contours_gpu_is_foreign (GstContoursGpu *gpu, GstMemory *memory);

/* Switches to MEMORY's context. Fails if DEVICE_ID (-1: any) is not the device of MEMORY. The caller must have freed
 * what it allocated in the old context. */
gboolean gst_contours_gpu_adopt (GstContoursGpu *gpu, GstMemory *memory, gint device_id, CtrError *error);

/* The stream on which MEMORY can be read without further synchronisation. */
gpointer gst_contours_gpu_stream_for (GstContoursGpu *gpu, GstMemory *memory);

/* Whether work on memory without a stream, of anyone in GStreamer, is ordered after work that the default stream has been
 * made to wait for. */
gboolean gst_contours_gpu_has_default_order (void);

/* What must be held until queued work on MEMORY is done (transfer full): its stream, or the memory itself. */
GstMiniObject *gst_contours_gpu_keep (GstMemory *memory);

/* Waits until MEMORY, newly acquired from a pool, has no pending work and can be written on any stream. */
void gst_contours_gpu_wait_for (GstMemory *memory);

/* The parts of GstElement::set_context and GstBaseTransform::query that concern CUDA contexts. */
void gst_contours_gpu_set_context (GstContoursGpu *gpu, GstElement *element, GstContext *context, gint device_id);
gboolean gst_contours_gpu_handle_query (GstContoursGpu *gpu, GstElement *element, GstQuery *query);

/* A pool of frames with CAPS in the open context, whose memory has the stream of MEMORY (NULL: none). It is not active
 * and has no maximum. NULL if such frames cannot be in CUDA memory. */
GstBufferPool *gst_contours_gpu_new_pool (GstContoursGpu *gpu, GstCaps *caps, GstMemory *memory);

/* Whether work on A and work on B, both CUDA memory, are queued in the same stream. */
gboolean gst_contours_gpu_share_stream (GstMemory *a, GstMemory *b);

/* Queues a copy of all planes of FROM into TO, two frames of one format and size that are mapped in CUDA memory of the
 * current context, on the stream of FROM's memory (see gst_contours_gpu_stream_for()). Their planes must have been
 * checked. */
gboolean gst_contours_gpu_copy_frame (
    GstContoursGpu *gpu, const GstVideoFrame *from, GstVideoFrame *to, CtrError *error);

/* Waits for the copies from MEMORY. */
void gst_contours_gpu_finish_copy (GstContoursGpu *gpu, GstMemory *memory);

/* SIZE bytes of page-locked host memory of CONTEXT, NULL if there are none. To be freed in the same context. */
gpointer gst_contours_gpu_alloc_host (GstObject *context, gsize size);
void gst_contours_gpu_free_host (GstObject *context, gpointer memory);

/* Makes a pool of the open context the first pool of allocation query QUERY, unless the first pool is of that context
 * already. */
gboolean gst_contours_gpu_provide_pool (GstContoursGpu *gpu, GstQuery *query);

G_END_DECLS

#endif

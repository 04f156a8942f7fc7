/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What an element holds of a GPU: GStreamer's CUDA context, shared with its neighbours, and a stream in it.
 *
 * The one place that knows libgstcuda. Built without it every function below still exists: there is no GPU to open, and
 * no memory is CUDA memory. */
#ifndef GST_BASE_GSTCONTOURSGPU_H
#define GST_BASE_GSTCONTOURSGPU_H

#include <contours/types.h>
#include <gst/gst.h>

#ifdef HAVE_GST_CUDA
#include <gst/cuda/gstcudamemory.h>
#define GST_CONTOURS_MAP_CUDA GST_MAP_CUDA
#else
#define GST_CONTOURS_MAP_CUDA 0
#endif

G_BEGIN_DECLS

#define GST_CONTOURS_CUDA_FEATURE "memory:CUDAMemory"

typedef struct {
  GRecMutex lock;     /* guards the pointer: applications and neighbours set and ask it from any thread */
  GstObject *context; /* GstCudaContext, or NULL; replaced by the streaming thread alone while it runs */
  gpointer stream;    /* CUstream in that context */
} GstContoursGpu;

void gst_contours_gpu_init (GstContoursGpu *gpu);
void gst_contours_gpu_clear (GstContoursGpu *gpu);

/* Finds a context among ELEMENT's neighbours and its application, or creates one, on CUDA device DEVICE_ID (-1: any),
 * and a stream in it. Safe without driver or device: FALSE, and ERROR says what is missing. */
gboolean gst_contours_gpu_open (GstContoursGpu *gpu, GstElement *element, gint device_id, CtrError *error);
void gst_contours_gpu_close (GstContoursGpu *gpu);

/* Between the two the context is current in this thread. */
gboolean gst_contours_gpu_push (GstContoursGpu *gpu, CtrError *error);
void gst_contours_gpu_pop (GstContoursGpu *gpu);

/* The device number of the context; -1 when none is open. */
gint gst_contours_gpu_get_device_id (GstContoursGpu *gpu);

gboolean gst_contours_gpu_is_memory (GstMemory *memory);

/* Is CUDA memory MEMORY in another context than the one that is open? */
gboolean gst_contours_gpu_is_foreign (GstContoursGpu *gpu, GstMemory *memory);

/* Moves to MEMORY's context, unless DEVICE_ID names another device than the one it lies on. What the caller made in the
 * old context must be gone. */
gboolean gst_contours_gpu_adopt (GstContoursGpu *gpu, GstMemory *memory, gint device_id, CtrError *error);

/* The stream on which MEMORY can be read now. */
gpointer gst_contours_gpu_stream_for (GstContoursGpu *gpu, GstMemory *memory);

/* How readers of MEMORY come after work that was queued on that stream. */
typedef enum {
  GST_CONTOURS_GPU_ORDER_NONE,          /* not at all: the work must be finished before they get it */
  GST_CONTOURS_GPU_ORDER_OWN_STREAM,    /* it is the memory's own stream: they queue behind it, or wait for it */
  GST_CONTOURS_GPU_ORDER_DEFAULT_STREAM /* if the default stream comes after it: theirs follow that one */
} GstContoursGpuOrder;

/* KEPT: what must stay until such work is done (transfer full); NULL with ORDER_NONE. */
GstContoursGpuOrder gst_contours_gpu_get_order (GstMemory *memory, GstMiniObject **kept);

/* Waits until MEMORY, taken from a pool, has no work pending and can be written on any stream. */
void gst_contours_gpu_wait_for (GstMemory *memory);

/* The parts of GstElement::set_context and GstBaseTransform::query that are about CUDA contexts. */
void gst_contours_gpu_set_context (GstContoursGpu *gpu, GstElement *element, GstContext *context, gint device_id);
gboolean gst_contours_gpu_handle_query (GstContoursGpu *gpu, GstElement *element, GstQuery *query);

/* Puts a pool of CUDA memory of the open context first in the answer to ALLOCATION query QUERY, unless the downstream
 * elements' pool there is one already. */
gboolean gst_contours_gpu_provide_pool (GstContoursGpu *gpu, GstQuery *query);

G_END_DECLS

#endif

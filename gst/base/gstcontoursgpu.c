/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/base/gstcontoursgpu.h"

#include "gst/base/gpuorder.h"

#include <gst/cuda/gstcudabufferpool.h>
#include <gst/cuda/gstcudacontext.h>
#include <gst/cuda/gstcudaloader.h>
#include <gst/cuda/gstcudautils.h>
#if GST_CHECK_VERSION(1, 24, 0)
#include <gst/cuda/gstcudastream.h>
#endif

static gboolean G_GNUC_PRINTF (3, 4) fail (CtrError *error, CtrStatus status, const gchar *format, ...)
{
  va_list args;

  error->status = status;
  va_start (args, format);
  g_vsnprintf (error->message, sizeof error->message, format, args);
  va_end (args);
  return FALSE;
}

void
gst_contours_gpu_init (GstContoursGpu *gpu)
{
  g_rec_mutex_init (&gpu->lock);
  gpu->context = NULL;
  gpu->stream = NULL;
  gpu->own = gpu->used = NULL;
  gpu->events = NULL;
}

void
gst_contours_gpu_clear (GstContoursGpu *gpu)
{
  gst_clear_object (&gpu->context);
  g_rec_mutex_clear (&gpu->lock);
}

#define CONTEXT(gpu) GST_CUDA_CONTEXT_CAST ((gpu)->context)

static gboolean
fail_cuda (CtrError *error, const gchar *call, CUresult result)
{
  const gchar *name = NULL, *text = NULL;

  CuGetErrorName (result, &name);
  CuGetErrorString (result, &text);
  return fail (error, result == CUDA_ERROR_OUT_OF_MEMORY ? CTR_ERROR_OUT_OF_MEMORY : CTR_ERROR_CUDA,
      "%s failed: %s (%s)", call, GST_STR_NULL (text), GST_STR_NULL (name));
}

static guint
context_device_id (GstCudaContext *context)
{
  guint device_id = 0;

  g_object_get (context, "cuda-device-id", &device_id, NULL);
  return device_id;
}

static void
free_stream (gpointer stream)
{
  CuStreamDestroy (stream);
}

/* A stream that synchronises with the context's default stream would wait for the work of other elements on other
 * frames. */
static gboolean
create_stream (GstContoursGpu *gpu, CtrError *error)
{
  CUstream stream = NULL;
  CUresult result;

  if (!gst_contours_gpu_push (gpu, error))
    return FALSE;
  result = CuStreamCreate (&stream, CU_STREAM_NON_BLOCKING);
  gst_contours_gpu_pop (gpu);
  if (result != CUDA_SUCCESS)
    return fail_cuda (error, "cuStreamCreate", result);
  gpu->own = gpu_stream_new (gpu->context, stream, free_stream);
  gst_contours_gpu_use_stream_of (gpu, NULL);
  gpu->events = gpu_events_new (gpu->context);
  return TRUE;
}

static void
destroy_stream (GstContoursGpu *gpu)
{
  gpu_stream_clear (gpu);
  g_clear_pointer (&gpu->events, gpu_events_unref);
}

/* libgstcuda 1.22 aborts or hangs without a driver or device, so both are checked first. */
static gboolean
check_device (gint device_id, CtrError *error)
{
  CUresult result;
  gint n_devices = 0;

  if (!gst_cuda_load_library ())
    return fail (
        error, CTR_ERROR_NO_CUDA, "the NVIDIA driver (libcuda.so.1) is missing or too old; install a current one");
  if (!ctr_cuda_available (error))
    return FALSE;
  if ((result = CuInit (0)) != CUDA_SUCCESS)
    return fail_cuda (error, "cuInit", result);
  if ((result = CuDeviceGetCount (&n_devices)) != CUDA_SUCCESS)
    return fail_cuda (error, "cuDeviceGetCount", result);
  if (device_id >= n_devices)
    return fail (error, CTR_ERROR_NO_CUDA,
        "CUDA device %d does not exist; set cuda-device-id to 0..%d, or to -1 for any", device_id, n_devices - 1);
  return TRUE;
}

gboolean
gst_contours_gpu_open (GstContoursGpu *gpu, GstElement *element, gint device_id, CtrError *error)
{
  GstCudaContext **context = (GstCudaContext **) &gpu->context;
  GstContext *given;

  if (!check_device (device_id, error))
    return FALSE;
  gst_cuda_memory_init_once ();

  /* The context was set while cuda-device-id had another value. */
  if (gpu->context && device_id >= 0 && context_device_id (CONTEXT (gpu)) != (guint) device_id)
    gst_contours_gpu_close (gpu);
  /* The application or the pipeline set this context before an earlier stop. */
  given = gst_element_get_context (element, GST_CUDA_CONTEXT_TYPE);
  if (given) {
    gst_contours_gpu_set_context (gpu, element, given, device_id);
    gst_context_unref (given);
  }

  /* Not under the lock: this queries the neighbours, which may be querying us. */
  if (!gst_cuda_ensure_element_context (element, device_id, context))
    return fail (error, CTR_ERROR_CUDA,
        "no CUDA context could be created on device %d; check whether the GPU is full or has failed",
        MAX (device_id, 0));
  if (!create_stream (gpu, error)) {
    gst_contours_gpu_close (gpu);
    return FALSE;
  }
  return TRUE;
}

void
gst_contours_gpu_close (GstContoursGpu *gpu)
{
  destroy_stream (gpu);
  g_rec_mutex_lock (&gpu->lock);
  gst_clear_object (&gpu->context);
  g_rec_mutex_unlock (&gpu->lock);
}

gboolean
gst_contours_gpu_enter (GstObject *context, CtrError *error)
{
  if (gst_cuda_context_push (GST_CUDA_CONTEXT_CAST (context)))
    return TRUE;
  return error && fail (error, CTR_ERROR_CUDA, "the CUDA context is no longer usable; restart the application");
}

void
gst_contours_gpu_leave (void)
{
  gst_cuda_context_pop (NULL);
}

gboolean
gst_contours_gpu_push (GstContoursGpu *gpu, CtrError *error)
{
  return gst_contours_gpu_enter (gpu->context, error);
}

void
gst_contours_gpu_pop (GstContoursGpu *gpu)
{
  gst_contours_gpu_leave ();
}

gint
gst_contours_gpu_get_device_id (GstContoursGpu *gpu)
{
  return gpu->context ? (gint) context_device_id (CONTEXT (gpu)) : -1;
}

gboolean
gst_contours_gpu_is_memory (GstMemory *memory)
{
  return gst_is_cuda_memory (memory);
}

gboolean
gst_contours_gpu_will_upload (GstMemory *memory)
{
  return gst_is_cuda_memory (memory) && GST_MEMORY_FLAG_IS_SET (memory, GST_CUDA_MEMORY_TRANSFER_NEED_UPLOAD);
}

gboolean
gst_contours_gpu_is_foreign (GstContoursGpu *gpu, GstMemory *memory)
{
  return GST_CUDA_MEMORY_CAST (memory)->context != CONTEXT (gpu);
}

gboolean
gst_contours_gpu_adopt (GstContoursGpu *gpu, GstMemory *memory, gint device_id, CtrError *error)
{
  GstCudaContext *context = GST_CUDA_MEMORY_CAST (memory)->context;
  guint memory_device = context_device_id (context);

  if (device_id >= 0 && memory_device != (guint) device_id)
    return fail (error, CTR_ERROR_INVALID_ARGUMENT,
        "the frames are on CUDA device %u, but cuda-device-id is %d; set it to %u or to -1", memory_device, device_id,
        memory_device);

  destroy_stream (gpu);
  g_rec_mutex_lock (&gpu->lock);
  gst_object_replace (&gpu->context, GST_OBJECT_CAST (context));
  g_rec_mutex_unlock (&gpu->lock);
  return create_stream (gpu, error);
}

gpointer
gst_contours_gpu_stream_for (GstContoursGpu *gpu, GstMemory *memory)
{
#if GST_CHECK_VERSION(1, 24, 0)
  /* Another element may still be writing the memory on the memory's stream: queue behind it, or wait. */
  GstCudaStream *stream = gst_cuda_memory_get_stream (GST_CUDA_MEMORY_CAST (memory));

  if (stream)
    return gst_cuda_stream_get_handle (stream);
  gst_cuda_memory_sync (GST_CUDA_MEMORY_CAST (memory));
#endif
  return gpu->stream;
}

gboolean
gst_contours_gpu_has_default_order (void)
{
  /* Before 1.24 no memory has a stream. Host maps and copies use the default stream, and all elements of GStreamer create
   * their streams with CU_STREAM_DEFAULT. */
  return !GST_CHECK_VERSION (1, 24, 0);
}

GstMiniObject *
gst_contours_gpu_keep (GstMemory *memory)
{
#if GST_CHECK_VERSION(1, 24, 0)
  /* A write map marks memory that has a stream: whoever maps it on the host, frees it or uses another stream waits for
   * that stream. The memory itself must not be held: a decoder may run out of buffers. */
  GstCudaStream *stream = gst_cuda_memory_get_stream (GST_CUDA_MEMORY_CAST (memory));

  if (stream)
    return GST_MINI_OBJECT_CAST (gst_cuda_stream_ref (stream));
#endif
  /* The reference keeps the memory from being freed; a pool accepts a buffer whose memory is held. */
  return GST_MINI_OBJECT_CAST (gst_memory_ref (memory));
}

void
gst_contours_gpu_wait_for (GstMemory *memory)
{
#if GST_CHECK_VERSION(1, 24, 0)
  gst_cuda_memory_sync (GST_CUDA_MEMORY_CAST (memory));
#endif
}

void
gst_contours_gpu_set_context (GstContoursGpu *gpu, GstElement *element, GstContext *context, gint device_id)
{
  g_rec_mutex_lock (&gpu->lock);
  gst_cuda_handle_set_context (element, context, device_id, (GstCudaContext **) &gpu->context);
  g_rec_mutex_unlock (&gpu->lock);
}

gboolean
gst_contours_gpu_handle_query (GstContoursGpu *gpu, GstElement *element, GstQuery *query)
{
  gboolean handled;

  if (GST_QUERY_TYPE (query) != GST_QUERY_CONTEXT)
    return FALSE;
  g_rec_mutex_lock (&gpu->lock);
  handled = gst_cuda_handle_context_query (element, query, CONTEXT (gpu));
  g_rec_mutex_unlock (&gpu->lock);
  return handled;
}

static gboolean
has_pool_of (GstQuery *query, GstCudaContext *context)
{
  GstBufferPool *pool = NULL;
  gboolean same;

  if (gst_query_get_n_allocation_pools (query) == 0)
    return FALSE;
  gst_query_parse_nth_allocation_pool (query, 0, &pool, NULL, NULL, NULL);
  same = pool && GST_IS_CUDA_BUFFER_POOL (pool) && GST_CUDA_BUFFER_POOL (pool)->context == context;
  gst_clear_object (&pool);
  return same;
}

static GstBufferPool *
new_pool (GstCudaContext *context, GstCaps *caps, GstMemory *memory)
{
  GstBufferPool *pool = gst_cuda_buffer_pool_new (context);
  GstStructure *config = gst_buffer_pool_get_config (pool);

  gst_buffer_pool_config_add_option (config, GST_BUFFER_POOL_OPTION_VIDEO_META);
  gst_buffer_pool_config_set_params (config, caps, 0, 0, 0);
#if GST_CHECK_VERSION(1, 24, 0)
  if (memory && gst_cuda_memory_get_stream (GST_CUDA_MEMORY_CAST (memory)))
    gst_buffer_pool_config_set_cuda_stream (config, gst_cuda_memory_get_stream (GST_CUDA_MEMORY_CAST (memory)));
#endif
  if (!gst_buffer_pool_set_config (pool, config))
    gst_clear_object (&pool);
  return pool;
}

GstBufferPool *
gst_contours_gpu_new_pool (GstContoursGpu *gpu, GstCaps *caps, GstMemory *memory)
{
  return new_pool (CONTEXT (gpu), caps, memory);
}

gboolean
gst_contours_gpu_share_stream (GstMemory *a, GstMemory *b)
{
#if GST_CHECK_VERSION(1, 24, 0)
  return gst_cuda_memory_get_stream (GST_CUDA_MEMORY_CAST (a)) == gst_cuda_memory_get_stream (GST_CUDA_MEMORY_CAST (b));
#else
  return TRUE; /* no memory has a stream */
#endif
}

/* Rows of bytes in a plane, or in several planes that lie alike in two frames. */
typedef struct {
  gsize size, count;
} Rows;

static Rows
plane_rows (const GstVideoFrame *frame, guint plane)
{
  gint components[GST_VIDEO_MAX_COMPONENTS];

  gst_video_format_info_component (frame->info.finfo, plane, components);
  return (Rows){
      (gsize) GST_VIDEO_FRAME_COMP_WIDTH (frame, components[0]) * GST_VIDEO_FRAME_COMP_PSTRIDE (frame, components[0]),
      GST_VIDEO_FRAME_COMP_HEIGHT (frame, components[0])};
}

/* Adds the rows of plane NEXT to ROWS, which begin at plane FIRST. FALSE: it is not at the same number of rows behind
 * FIRST in both frames. */
static gboolean
add_plane (const GstVideoFrame *a, const GstVideoFrame *b, guint first, guint next, Rows *rows)
{
  const Rows added = plane_rows (a, next);
  const gsize stride = GST_VIDEO_FRAME_PLANE_STRIDE (a, first), b_stride = GST_VIDEO_FRAME_PLANE_STRIDE (b, first);
  const guintptr begin = (guintptr) GST_VIDEO_FRAME_PLANE_DATA (a, first),
                 b_begin = (guintptr) GST_VIDEO_FRAME_PLANE_DATA (b, first);
  const guintptr at = (guintptr) GST_VIDEO_FRAME_PLANE_DATA (a, next),
                 b_at = (guintptr) GST_VIDEO_FRAME_PLANE_DATA (b, next);
  const gsize before = (at - begin) / stride;

  if (gst_buffer_n_memory (a->buffer) > 1 || gst_buffer_n_memory (b->buffer) > 1 || at < begin || before < rows->count
      || at != begin + before * stride || b_at != b_begin + before * b_stride
      || (gsize) GST_VIDEO_FRAME_PLANE_STRIDE (a, next) != stride
      || (gsize) GST_VIDEO_FRAME_PLANE_STRIDE (b, next) != b_stride)
    return FALSE;
  *rows = (Rows){MAX (rows->size, added.size), before + added.count};
  return TRUE;
}

gboolean
gst_contours_gpu_copy_frame (GstContoursGpu *gpu, const GstVideoFrame *from, GstVideoFrame *to, CtrError *error)
{
  gpointer stream = gst_contours_gpu_stream_for (gpu, gst_buffer_peek_memory (from->buffer, 0));

  for (guint plane = 0, next = 1; plane < GST_VIDEO_FRAME_N_PLANES (from); plane = next++) {
    Rows rows = plane_rows (from, plane);
    CUDA_MEMCPY2D copy = {0};
    CUresult result;

    while (next < GST_VIDEO_FRAME_N_PLANES (from) && add_plane (from, to, plane, next, &rows))
      next++;
    copy.srcMemoryType = copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    copy.srcDevice = (CUdeviceptr) GST_VIDEO_FRAME_PLANE_DATA (from, plane);
    copy.srcPitch = GST_VIDEO_FRAME_PLANE_STRIDE (from, plane);
    copy.dstDevice = (CUdeviceptr) GST_VIDEO_FRAME_PLANE_DATA (to, plane);
    copy.dstPitch = GST_VIDEO_FRAME_PLANE_STRIDE (to, plane);
    copy.WidthInBytes = rows.size;
    copy.Height = rows.count;
    if ((result = CuMemcpy2DAsync (&copy, stream)) != CUDA_SUCCESS)
      return fail_cuda (error, "cuMemcpy2DAsync", result);
  }
  return TRUE;
}

void
gst_contours_gpu_finish_copy (GstContoursGpu *gpu, GstMemory *memory)
{
  CtrError error;

  if (!gst_contours_gpu_push (gpu, &error))
    return;
  CuStreamSynchronize (gst_contours_gpu_stream_for (gpu, memory));
  gst_contours_gpu_pop (gpu);
}

gpointer
gst_contours_gpu_alloc_host (GstObject *context, gsize size)
{
  gpointer memory = NULL;

  if (!gst_contours_gpu_enter (context, NULL))
    return NULL;
  if (CuMemAllocHost (&memory, size) != CUDA_SUCCESS)
    memory = NULL;
  gst_contours_gpu_leave ();
  return memory;
}

void
gst_contours_gpu_free_host (GstObject *context, gpointer memory)
{
  if (!gst_contours_gpu_enter (context, NULL))
    return; /* a lost context has lost its memory, too */
  CuMemFreeHost (memory);
  gst_contours_gpu_leave ();
}

static gboolean
provide_pool_of (GstCudaContext *context, GstCaps *caps, GstQuery *query)
{
  GstBufferPool *pool;
  GstStructure *config;
  guint size = 0, min = 0, max = 0;

  if (has_pool_of (query, context))
    return TRUE;
  pool = new_pool (context, caps, NULL);
  if (!pool)
    return FALSE;

  /* CUDA chooses the pitch, so the pool knows the size only now. */
  config = gst_buffer_pool_get_config (pool);
  gst_buffer_pool_config_get_params (config, NULL, &size, &min, &max);
  gst_structure_free (config);
  if (gst_query_get_n_allocation_pools (query) > 0)
    gst_query_set_nth_allocation_pool (query, 0, pool, size, min, max);
  else
    gst_query_add_allocation_pool (query, pool, size, min, max);
  gst_object_unref (pool);
  return TRUE;
}

gboolean
gst_contours_gpu_provide_pool (GstContoursGpu *gpu, GstQuery *query)
{
  GstObject *context;
  GstCaps *caps = NULL;
  gboolean ok;

  gst_query_parse_allocation (query, &caps, NULL);
  /* A query may come from any thread, also while the element stops. */
  g_rec_mutex_lock (&gpu->lock);
  context = gpu->context ? gst_object_ref (gpu->context) : NULL;
  g_rec_mutex_unlock (&gpu->lock);
  ok = !caps || !context || provide_pool_of (GST_CUDA_CONTEXT_CAST (context), caps, query);
  gst_clear_object (&context);
  return ok;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/bench/pipeline/frames.h"

#include "tests/bench/pipeline/picture.h"

#include <contours/contours.h>
#include <dlfcn.h>
#include <string.h>

#ifdef HAVE_GST_CUDA
#include <gst/cuda/gstcudabufferpool.h>
#include <gst/cuda/gstcudacontext.h>
#include <gst/cuda/gstcudaloader.h>
#include <gst/cuda/gstcudamemory.h>
#include <gst/cuda/gstcudautils.h>
#if GST_CHECK_VERSION(1, 24, 0)
#include <gst/cuda/gstcudastream.h>
#endif

static GstCudaContext *contexts[MAX_DEVICES];
static guint n_contexts;
#endif

enum { DARK = 60 }; /* about the grey of the board */

static GQuark
filled_quark (void)
{
  return g_quark_from_static_string ("bench-filled");
}

gboolean
frames_have_cuda (const gchar **reason)
{
  static CtrError error;

  *reason = error.message;
#ifdef HAVE_GST_CUDA
  if (n_contexts > 0)
    return TRUE;
  if (!ctr_cuda_available (&error))
    return FALSE;
  if (!gst_cuda_load_library ()) {
    *reason = "libgstcuda does not find the driver (libcuda.so.1)";
    return FALSE;
  }
  gst_cuda_memory_init_once ();
  *reason = "no CUDA context could be created on device 0";
  return frames_open_devices (1) == 1;
#else
  *reason = "this build has no CUDA memory (gstreamer-cuda-1.0)";
  return FALSE;
#endif
}

guint
frames_open_devices (guint count)
{
#ifdef HAVE_GST_CUDA
  gint devices = 0;

  if (CuDeviceGetCount (&devices) != CUDA_SUCCESS)
    devices = 0;
  devices = MIN (devices, MAX_DEVICES);
  if (count == 0 || count > (guint) devices)
    count = devices;
  while (n_contexts < count && (contexts[n_contexts] = gst_cuda_context_new (n_contexts)))
    n_contexts++;
  return n_contexts;
#else
  return 0;
#endif
}

GstCaps *
frames_caps (const FrameKind *kind)
{
  GstCaps *caps =
      gst_caps_new_simple ("video/x-raw", "format", G_TYPE_STRING, gst_video_format_to_string (kind->format), "width",
          G_TYPE_INT, kind->width, "height", G_TYPE_INT, kind->height, "framerate", GST_TYPE_FRACTION, 30, 1, NULL);

  if (kind->memory == FRAMES_CUDA)
    gst_caps_set_features_simple (caps, gst_caps_features_new_single ("memory:CUDAMemory"));
  return caps;
}

static GstBufferPool *
new_pool (const FrameKind *kind, guint device, GstBufferPool *offered, GstStructure **config)
{
  GstBufferPool *pool;

#ifdef HAVE_GST_CUDA
  if (kind->memory == FRAMES_CUDA) {
    GstCudaContext *context = contexts[device];

    pool = gst_cuda_buffer_pool_new (context);
    *config = gst_buffer_pool_get_config (pool);
#if GST_CHECK_VERSION(1, 24, 0)
    /* As GStreamer's own elements: memory of one source has that source's stream. */
    GstCudaStream *stream = gst_cuda_stream_new (context);
    gst_buffer_pool_config_set_cuda_stream (*config, stream);
    gst_cuda_stream_unref (stream);
#endif
    return pool;
  }
#endif
  pool = offered ? gst_object_ref (offered) : gst_video_buffer_pool_new ();
  *config = gst_buffer_pool_get_config (pool);
  return pool;
}

/* Writes PICTURE, moved by INDEX steps; what leaves at one side comes in at the other. Chroma is neutral. Of a changing
 * picture, the rows of only a part are shown, and one grey below. */
static void
fill (GstVideoFrame *frame, const guint8 *picture, guint index, gboolean changing)
{
  const guint width = GST_VIDEO_FRAME_WIDTH (frame), height = GST_VIDEO_FRAME_HEIGHT (frame);
  const guint dx = index * 3 % width, dy = index * 2 % height;
  const guint shown = changing ? height * (index % RING_FRAMES + 1) / RING_FRAMES : height;

  for (guint y = 0; y < height; y++) {
    const guint8 *from = picture + (gsize) ((y + dy) % height) * width;
    guint8 *to = (guint8 *) GST_VIDEO_FRAME_PLANE_DATA (frame, 0) + (gsize) y * GST_VIDEO_FRAME_PLANE_STRIDE (frame, 0);

    memcpy (to, from + dx, width - dx);
    memcpy (to + width - dx, from, dx);
    if (y >= shown)
      memset (to, DARK, width);
  }
  if (GST_VIDEO_FRAME_N_PLANES (frame) > 1)
    memset (GST_VIDEO_FRAME_PLANE_DATA (frame, 1), 128,
        (gsize) GST_VIDEO_FRAME_PLANE_STRIDE (frame, 1) * GST_VIDEO_FRAME_COMP_HEIGHT (frame, 1));
}

static gboolean
fill_buffer (GstBuffer *buffer, const GstVideoInfo *info, const guint8 *picture, guint index, gboolean changing)
{
  GstVideoFrame frame;

  if (!gst_video_frame_map (&frame, info, buffer, GST_MAP_WRITE))
    return FALSE;
  fill (&frame, picture, index, changing);
  gst_video_frame_unmap (&frame);
#ifdef HAVE_GST_CUDA
  /* What was written on the host is uploaded when the GPU's memory is mapped next: now, not while frames are timed. */
  if (gst_is_cuda_memory (gst_buffer_peek_memory (buffer, 0))) {
    GstMapInfo map;

    if (!gst_buffer_map (buffer, &map, GST_MAP_READ | GST_MAP_CUDA))
      return FALSE;
    gst_buffer_unmap (buffer, &map);
  }
#endif
  gst_mini_object_set_qdata (
      GST_MINI_OBJECT (gst_buffer_peek_memory (buffer, 0)), filled_quark (), GUINT_TO_POINTER (1), NULL);
  return TRUE;
}

static gboolean
fill_ring (GstBufferPool *pool, const GstVideoInfo *info, const guint8 *picture, gboolean changing)
{
  GstBuffer *buffers[RING_FRAMES] = {NULL};
  gboolean ok = TRUE;

  for (guint i = 0; i < RING_FRAMES && ok; i++)
    ok = gst_buffer_pool_acquire_buffer (pool, &buffers[i], NULL) == GST_FLOW_OK
         && fill_buffer (buffers[i], info, picture, i, changing);
  for (guint i = 0; i < RING_FRAMES; i++)
    gst_clear_buffer (&buffers[i]);
  return ok;
}

/* Too much locked memory makes such a pool hand out ordinary memory. */
static gboolean
is_locked (GstBufferPool *pool)
{
  GstBuffer *buffer = NULL;
  gboolean locked;

  if (gst_buffer_pool_acquire_buffer (pool, &buffer, NULL) != GST_FLOW_OK)
    return FALSE;
  locked = !gst_memory_is_type (gst_buffer_peek_memory (buffer, 0), GST_ALLOCATOR_SYSMEM);
  if (!locked)
    g_printerr ("the offered frames have ordinary memory\n");
  gst_buffer_unref (buffer);
  return locked;
}

GstBufferPool *
frames_ring (const FrameKind *kind, guint device, GstBufferPool *offered, const guint8 *picture)
{
  GstCaps *caps = frames_caps (kind);
  GstStructure *config;
  GstVideoInfo info;
  GstBufferPool *pool = new_pool (kind, device, offered, &config);

  gst_video_info_from_caps (&info, caps);
  gst_buffer_pool_config_add_option (config, GST_BUFFER_POOL_OPTION_VIDEO_META);
  gst_buffer_pool_config_set_params (config, caps, GST_VIDEO_INFO_SIZE (&info), RING_FRAMES, RING_FRAMES);
  if (!gst_buffer_pool_set_config (pool, config) || !gst_buffer_pool_set_active (pool, TRUE)
      || (offered && !is_locked (pool)) || !fill_ring (pool, &info, picture, kind->changing)) {
    g_printerr ("%u frames of %u x %u could not be made\n", RING_FRAMES, kind->width, kind->height);
    gst_clear_object (&pool);
  }
  gst_caps_unref (caps);
  frames_wait_for_gpu ();
  return pool;
}

gboolean
frames_is_filled (GstBuffer *buffer)
{
  return gst_mini_object_get_qdata (GST_MINI_OBJECT (gst_buffer_peek_memory (buffer, 0)), filled_quark ()) != NULL;
}

void
frames_share_context (GstElement *bin, guint device)
{
#ifdef HAVE_GST_CUDA
  if (device < n_contexts) {
    GstContext *context = gst_context_new_cuda_context (contexts[device]);

    gst_element_set_context (bin, context);
    gst_context_unref (context);
  }
#endif
}

#ifdef HAVE_GST_CUDA

/* libgstcuda does not hand out every function of the driver. */
static gpointer
driver_function (const gchar *name)
{
  gpointer driver = dlopen ("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);

  return driver ? dlsym (driver, name) : dlsym (RTLD_DEFAULT, name);
}

void
frames_wait_for_gpu (void)
{
  CUresult (*synchronize) (void) = (CUresult (*) (void)) driver_function ("cuCtxSynchronize");

  for (guint i = 0; i < n_contexts && synchronize; i++)
    if (gst_cuda_context_push (contexts[i])) {
      synchronize ();
      gst_cuda_context_pop (NULL);
    }
}

gboolean
frames_gpu_memory (guint64 *used)
{
  CUresult (*get_info) (gsize *, gsize *) = (CUresult (*) (gsize *, gsize *)) driver_function ("cuMemGetInfo_v2");
  gboolean ok = n_contexts > 0 && get_info;

  *used = 0;
  for (guint i = 0; i < n_contexts && ok; i++) {
    gsize free_bytes = 0, total = 0;

    if (!gst_cuda_context_push (contexts[i]))
      return FALSE;
    ok = get_info (&free_bytes, &total) == CUDA_SUCCESS;
    gst_cuda_context_pop (NULL);
    *used += total - free_bytes;
  }
  return ok;
}

void
frames_deinit (void)
{
  while (n_contexts > 0)
    gst_clear_object (&contexts[--n_contexts]);
}

#else

void
frames_wait_for_gpu (void)
{
}

gboolean
frames_gpu_memory (guint64 *used)
{
  *used = 0;
  return FALSE;
}

void
frames_deinit (void)
{
}

#endif

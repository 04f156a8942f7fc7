/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "storm.h"

#include <gst/video/video.h>

gboolean
storm_in_cuda_memory (void)
{
  return g_strcmp0 (g_getenv ("CTR_TEST_MEMORY"), "cuda") == 0;
}

#ifdef HAVE_GST_CUDA
#include <contours/contours.h>
#include <gst/cuda/gstcudabufferpool.h>
#include <gst/cuda/gstcudacontext.h>
#include <gst/cuda/gstcudaloader.h>
#include <gst/cuda/gstcudamemory.h>

#define N_DEVICES 2
#define MOST_ROWS 2048 /* each has 512 bytes at least, which take their time to be painted */

gboolean
storm_has_gpu (void)
{
  CtrError error;

  if (ctr_cuda_available (&error))
    return TRUE;
  g_print ("skipped: %s\n", error.message);
  return FALSE;
}

/* What libgstcuda 1.22 has. */
static const gchar *const formats[] = {"NV12", "NV21", "I420", "YV12", "Y42B", "Y444", "P010_10LE", "P016_LE",
    "I420_10LE", "I422_10LE", "I422_12LE", "Y444_16LE", "YUY2", "UYVY", "RGB", "BGR", "RGBx", "BGRx", "RGBA", "BGRA",
    "ARGB", "ABGR"};

/* Libgstcuda 1.22 lays out frames of odd sizes wrongly. */
static void
make_even (GstStructure *structure, const gchar *field, gint most)
{
  gint value;

  if (gst_structure_get_int (structure, field, &value))
    gst_structure_set (structure, field, G_TYPE_INT, MIN (value + (value & 1), most), NULL);
}

void
storm_make_cuda_caps (StormRandom *random, GstCaps *caps)
{
  const guint format = storm_below (random, G_N_ELEMENTS (formats));
  GstStructure *structure = gst_caps_get_structure (caps, 0);

  if (!storm_chance (random, 85) || !gst_structure_has_field (structure, "format")
      || !gst_caps_features_is_equal (gst_caps_get_features (caps, 0), GST_CAPS_FEATURES_MEMORY_SYSTEM_MEMORY))
    return;
  gst_structure_set (structure, "format", G_TYPE_STRING, formats[format], NULL);
  make_even (structure, "width", 65534);
  make_even (structure, "height", MOST_ROWS);
  gst_caps_set_features_simple (caps, gst_caps_features_new_single (GST_CAPS_FEATURE_MEMORY_CUDA_MEMORY));
}

gboolean
storm_are_cuda_caps (const GstCaps *caps)
{
  return gst_caps_features_contains (gst_caps_get_features (caps, 0), GST_CAPS_FEATURE_MEMORY_CUDA_MEMORY);
}

/* A pool of device DEVICE; the last one of each stays until the caps change. */
static GstBufferPool *
pool_of (guint device, const GstCaps *caps)
{
  static GstCudaContext *contexts[N_DEVICES];
  static GstBufferPool *pools[N_DEVICES];
  static GstCaps *pool_caps[N_DEVICES];
  GstStructure *config;
  GstVideoInfo info;

  if (pools[device] && gst_caps_is_equal (pool_caps[device], caps))
    return pools[device];
  if (pools[device])
    gst_buffer_pool_set_active (pools[device], FALSE);
  gst_clear_object (&pools[device]);
  gst_cuda_memory_init_once ();
  if (!contexts[device] && (!gst_cuda_load_library () || !(contexts[device] = gst_cuda_context_new (device))))
    return NULL;
  gst_video_info_from_caps (&info, caps);
  gst_caps_replace (&pool_caps[device], (GstCaps *) caps);
  pools[device] = gst_cuda_buffer_pool_new (contexts[device]);
  config = gst_buffer_pool_get_config (pools[device]);
  gst_buffer_pool_config_set_params (config, pool_caps[device], GST_VIDEO_INFO_SIZE (&info), 0, 0);
  if (!gst_buffer_pool_set_config (pools[device], config) || !gst_buffer_pool_set_active (pools[device], TRUE))
    gst_clear_object (&pools[device]);
  return pools[device];
}

GstBuffer *
storm_cuda_frame (StormRandom *random, const GstCaps *caps, GstBufferPool *pool)
{
  GstBufferPoolAcquireParams params = {.flags = GST_BUFFER_POOL_ACQUIRE_FLAG_DONTWAIT};
  const gboolean negotiated = storm_chance (random, 30);
  const guint device = storm_chance (random, 5) ? 1 : 0;
  GstBuffer *buffer = NULL;

  if (negotiated && GST_IS_CUDA_BUFFER_POOL (pool)
      && gst_buffer_pool_acquire_buffer (pool, &buffer, &params) == GST_FLOW_OK)
    return buffer;
  pool = pool_of (device, caps);
  if (pool)
    gst_buffer_pool_acquire_buffer (pool, &buffer, NULL);
  return buffer;
}

void
storm_prefer_gpu (StormRandom *random, GstElement *element)
{
  const guint chance = storm_below (random, 100);

  if (chance >= 95 || !g_object_class_find_property (G_OBJECT_GET_CLASS (element), "backend"))
    return;
  gst_util_set_object_arg (G_OBJECT (element), "backend", chance < 75 ? "cuda" : "auto");
  g_object_set (element, "cuda-device-id", -1, NULL);
}

#else

gboolean
storm_has_gpu (void)
{
  g_print ("skipped: built without gstreamer-cuda-1.0\n");
  return FALSE;
}

void
storm_make_cuda_caps (StormRandom *random, GstCaps *caps)
{
}

gboolean
storm_are_cuda_caps (const GstCaps *caps)
{
  return FALSE;
}

GstBuffer *
storm_cuda_frame (StormRandom *random, const GstCaps *caps, GstBufferPool *pool)
{
  return NULL;
}

void
storm_prefer_gpu (StormRandom *random, GstElement *element)
{
}

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* This file makes frames in CUDA memory, in the one CUDA context of the test program. */
#include "frames.h"

GstCudaContext *
test_cuda_context (void)
{
  static GstCudaContext *context = NULL;

  if (!context) {
    fail_unless (gst_cuda_load_library ());
    gst_cuda_memory_init_once ();
    context = gst_cuda_context_new (0);
    fail_unless (context != NULL);
  }
  return context;
}

gboolean
test_with_streams (void)
{
  return g_getenv ("CTR_TEST_STREAMS") != NULL;
}

GstStructure *
with_stream (GstStructure *config, GstCudaContext *context)
{
#if GST_CHECK_VERSION(1, 24, 0)
  if (test_with_streams ()) {
    GstCudaStream *stream = gst_cuda_stream_new (context);

    gst_buffer_pool_config_set_cuda_stream (config, stream);
    gst_cuda_stream_unref (stream);
  }
#endif
  return config;
}

GstBuffer *
make_cuda_frame (const TestFrame *frame, GstCudaContext *context)
{
  GstBufferPool *pool = gst_cuda_buffer_pool_new (context);
  GstStructure *config = gst_buffer_pool_get_config (pool);
  GstCaps *caps = frame_caps (frame);
  GstBuffer *buffer = NULL;
  GstVideoMeta *meta;
  GstVideoInfo info;
  GstMapInfo map;

  gst_video_info_from_caps (&info, caps);
  gst_buffer_pool_config_set_params (config, caps, GST_VIDEO_INFO_SIZE (&info), 0, 0);
  fail_unless (gst_buffer_pool_set_config (pool, with_stream (config, context)));
  fail_unless (gst_buffer_pool_set_active (pool, TRUE));
  fail_unless_equals_int (gst_buffer_pool_acquire_buffer (pool, &buffer, NULL), GST_FLOW_OK);
  meta = gst_buffer_get_video_meta (buffer);
  gst_buffer_map (buffer, &map, GST_MAP_WRITE);
  memset (map.data, frame->fill, map.size);
  fill_pixels (frame, &info, map.data, meta->offset, meta->stride);
  gst_buffer_unmap (buffer, &map);
  gst_caps_unref (caps);
  gst_object_unref (pool); /* the buffer holds a reference */
  add_something_to_draw (buffer);
  return buffer;
}

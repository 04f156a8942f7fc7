/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* These tests check the elements' CUDA memory: the pools that they propose and accept, and changes between system and
 * CUDA memory. */
#include "gpu.h"
#include "parts.h"

/* The element proposes a pool of CUDA memory in its context to upstream. */
GST_START_TEST (test_pool_proposed)
{
  GstElement *element = new_subject ("backend=cuda");
  GstHarness *h = gst_harness_new_with_element (element, "sink", "src");
  GstCaps *caps = frame_caps (&frame);
  GstQuery *query = gst_query_new_allocation (caps, TRUE);
  GstBufferPool *pool;
  GstBuffer *buffer;
  guint size;

  set_frame_caps (h, &frame);
  fail_unless (gst_pad_peer_query (h->srcpad, query));
  fail_unless (gst_query_find_allocation_meta (query, GST_VIDEO_META_API_TYPE, NULL));
  fail_unless_equals_int (gst_query_get_n_allocation_pools (query), 1);
  gst_query_parse_nth_allocation_pool (query, 0, &pool, &size, NULL, NULL);
  fail_unless (GST_CUDA_BUFFER_POOL (pool)->context == context_of (GST_BASE_TRANSFORM_SRC_PAD (element)));
  fail_unless (gst_buffer_pool_set_active (pool, TRUE));
  fail_unless_equals_int (gst_buffer_pool_acquire_buffer (pool, &buffer, NULL), GST_FLOW_OK);
  fail_unless (gst_is_cuda_memory (gst_buffer_peek_memory (buffer, 0)));
  fail_unless_equals_uint64 (gst_buffer_get_size (buffer), size);
  gst_buffer_unref (buffer);
  gst_buffer_pool_set_active (pool, FALSE);
  gst_object_unref (pool);
  gst_query_unref (query);
  gst_caps_unref (caps);
  gst_harness_teardown (h);
  gst_object_unref (element);
}

GST_END_TEST;

static GstPadProbeReturn
answer_allocation (GstPad *pad, GstPadProbeInfo *info, gpointer pool)
{
  GstQuery *query = GST_PAD_PROBE_INFO_QUERY (info);

  if (GST_QUERY_TYPE (query) != GST_QUERY_ALLOCATION)
    return GST_PAD_PROBE_OK;
  gst_query_add_allocation_pool (query, pool, 0, 0, 0);
  return GST_PAD_PROBE_HANDLED;
}

/* New pictures come from downstream's pool if it holds CUDA memory of the element's context, else from the element's
 * own pool. */
GST_START_TEST (test_pool_taken)
{
  GstCudaContext *other = gst_cuda_context_new (0);
  GstContext *ours = gst_context_new_cuda_context (test_cuda_context ());
  GstBufferPool *pools[] = {
      gst_cuda_buffer_pool_new (test_cuda_context ()), gst_cuda_buffer_pool_new (other), gst_video_buffer_pool_new ()};

  for (guint i = 0; i < G_N_ELEMENTS (pools); i++) {
    GstElement *element = new_subject ("backend=cuda");
    GstBuffer *buffer;
    GstHarness *h;

    gst_element_set_context (element, ours);
    h = gst_harness_new_with_element (element, "sink", "src");
    gst_pad_add_probe (h->sinkpad, GST_PAD_PROBE_TYPE_QUERY_DOWNSTREAM, answer_allocation, pools[i], NULL);
    set_frame_caps (h, &frame);
    fail_unless_equals_int (gst_harness_push (h, make_frame (&frame)), GST_FLOW_OK);
    buffer = gst_harness_pull (h);
    fail_unless ((buffer->pool == pools[i]) == (i == 0));
    fail_unless (GST_CUDA_MEMORY_CAST (gst_buffer_peek_memory (buffer, 0))->context == test_cuda_context ());
    assert_default_result (buffer, &frame);
    gst_buffer_unref (buffer);
    gst_harness_teardown (h);
    gst_object_unref (element);
    gst_object_unref (pools[i]);
  }
  gst_context_unref (ours);
  gst_object_unref (other);
}

GST_END_TEST;

/* Frames change between system and CUDA memory during the stream. */
GST_START_TEST (test_memory_switched)
{
  GstElement *element = new_subject ("backend=cuda");
  GstHarness *h = gst_harness_new_with_element (element, "sink", "src");

  for (guint i = 0; i < 12; i++) {
    gboolean cuda = i / 2 % 2;
    TestFrame next = {.format = i % 4 < 3 ? GST_VIDEO_FORMAT_NV12 : GST_VIDEO_FORMAT_RGBA,
        .width = 160 + i,
        .height = 120,
        .seed = i};
    GstCaps *caps = frame_caps (&next);
    GstBuffer *buffer;

    if (!cuda)
      gst_caps_set_features_simple (caps, NULL);
    gst_harness_set_src_caps (h, caps);
    buffer = cuda ? make_cuda_frame (&next, test_cuda_context ()) : make_system_frame (&next);
    fail_unless_equals_int (gst_harness_push (h, buffer), GST_FLOW_OK);
    buffer = gst_harness_pull (h);
    fail_unless (gst_is_cuda_memory (gst_buffer_peek_memory (buffer, 0)) == cuda);
    assert_default_result (buffer, &next);
    gst_buffer_unref (buffer);
  }
  gst_harness_teardown (h);
  gst_object_unref (element);
}

GST_END_TEST;

/* A buffer in system memory under caps of CUDA memory yields one error. */
GST_START_TEST (test_memory_elsewhere)
{
  GstBus *bus = gst_bus_new ();
  GstElement *element = new_subject ("backend=cuda");
  GstHarness *h;

  gst_element_set_bus (element, bus);
  h = gst_harness_new_with_element (element, "sink", "src");
  set_frame_caps (h, &frame);
  fail_unless_equals_int (gst_harness_push (h, make_system_frame (&frame)), GST_FLOW_ERROR);
  assert_one_error (bus, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT);
  gst_element_set_bus (element, NULL);
  gst_harness_teardown (h);
  gst_object_unref (element);
  gst_object_unref (bus);
}

GST_END_TEST;

/* cudaupload drops metadata, so that this probe adds the region behind it. */
static GstPadProbeReturn
add_region (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  GstBuffer *buffer = gst_buffer_make_writable (GST_PAD_PROBE_INFO_BUFFER (info));

  gst_buffer_add_video_region_of_interest_meta (
      buffer, "test", test_region.x, test_region.y, test_region.w, test_region.h);
  GST_PAD_PROBE_INFO_DATA (info) = buffer;
  return GST_PAD_PROBE_OK;
}

/* Behind cudaupload, where it is installed, the element works in its context. */
GST_START_TEST (test_cudaupload)
{
  gchar *line = g_strdup_printf ("cudaupload ! video/x-raw(memory:CUDAMemory) ! %s backend=cuda", subject ());
  GstHarness *h = gst_harness_new_parse (line);
  GstElement *element = gst_harness_find_element (h, subject ());
  GstPad *pad = gst_element_get_static_pad (element, "sink");
  GstBuffer *buffer;

  if (subject_draws ())
    gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, add_region, NULL, NULL);
  gst_object_unref (pad);
  gst_object_unref (element);
  for (guint i = 0; i < 4; i++) {
    static const GstVideoFormat formats[] = {GST_VIDEO_FORMAT_NV12, GST_VIDEO_FORMAT_RGBA};
    TestFrame next = {formats[i % 2], i < 2 ? 320 : 321, i < 2 ? 240 : 243, .seed = i};
    GstCaps *caps = frame_caps (&next);

    gst_caps_set_features_simple (caps, NULL);
    gst_harness_set_src_caps (h, caps);
    fail_unless_equals_int (gst_harness_push (h, make_system_frame (&next)), GST_FLOW_OK);
    buffer = gst_harness_pull (h);
    fail_unless (gst_is_cuda_memory (gst_buffer_peek_memory (buffer, 0)));
    assert_default_result (buffer, &next);
    element = gst_harness_find_element (h, subject ());
    pad = gst_element_get_static_pad (element, "src");
    fail_unless (context_of (pad) == GST_CUDA_MEMORY_CAST (gst_buffer_peek_memory (buffer, 0))->context);
    gst_object_unref (pad);
    gst_object_unref (element);
    gst_buffer_unref (buffer);
  }
  gst_harness_teardown (h);
  g_free (line);
}

GST_END_TEST;

void
add_gpu_memory_tests (TCase *tc)
{
  GstElementFactory *upload = gst_element_factory_find ("cudaupload");

  tcase_add_test (tc, test_pool_proposed);
  if (subject_renders ())
    tcase_add_test (tc, test_pool_taken);
  tcase_add_test (tc, test_memory_switched);
  tcase_add_test (tc, test_memory_elsewhere);
  if (upload)
    tcase_add_test (tc, test_cudaupload);
  gst_clear_object (&upload);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* These tests check the elements' CUDA memory: the pools that they propose and accept, and changes between system and
 * CUDA memory. */
#include "gpu.h"
#include "parts.h"

#include <dlfcn.h>

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

typedef struct {
  int (*locked) (void); /* NULL on a GPU */
  void (*set_host_full) (bool is_full);
} HostMemory;

static HostMemory
host_memory (void)
{
  return (HostMemory){(int (*) (void)) dlsym (RTLD_DEFAULT, "fake_cuda_locked"),
      (void (*) (bool)) dlsym (RTLD_DEFAULT, "fake_cuda_set_host_full")};
}

static GstCaps *
system_caps (const TestFrame *like)
{
  GstCaps *caps = frame_caps (like);

  gst_caps_set_features_simple (caps, NULL);
  return caps;
}

/* Returns the pool that the element offers for frames LIKE these in system memory, active, or NULL. Upstream asks for
 * ordinary memory, as elements do that know no allocator. */
static GstBufferPool *
offered_pool (GstHarness *h, const TestFrame *like)
{
  GstCaps *caps = system_caps (like);
  GstQuery *query = gst_query_new_allocation (caps, TRUE);
  const GstAllocationParams ordinary = {0};
  GstBufferPool *pool = NULL;
  GstStructure *config;
  GstVideoInfo info;
  guint size, min, max;

  gst_video_info_from_caps (&info, caps);
  gst_harness_set_src_caps (h, gst_caps_ref (caps));
  gst_pad_peer_query (h->srcpad, query);
  if (gst_query_get_n_allocation_pools (query) > 0)
    gst_query_parse_nth_allocation_pool (query, 0, &pool, &size, &min, &max);
  if (pool) {
    config = gst_buffer_pool_get_config (pool);
    gst_buffer_pool_config_set_params (config, caps, MAX (size, GST_VIDEO_INFO_SIZE (&info)), min, max);
    gst_buffer_pool_config_set_allocator (config, NULL, &ordinary);
    fail_unless (gst_buffer_pool_set_config (pool, config));
    fail_unless (gst_buffer_pool_set_active (pool, TRUE));
  }
  gst_query_unref (query);
  gst_caps_unref (caps);
  return pool;
}

/* Takes a buffer from POOL and fills it with FRAME. */
static GstBuffer *
acquire_filled (GstBufferPool *pool, const TestFrame *like)
{
  GstBuffer *buffer;
  GstVideoInfo info;
  GstMapInfo map;

  gst_video_info_set_format (&info, like->format, like->width, like->height);
  fail_unless_equals_int (gst_buffer_pool_acquire_buffer (pool, &buffer, NULL), GST_FLOW_OK);
  fail_unless (gst_buffer_map (buffer, &map, GST_MAP_WRITE));
  fail_unless (map.size >= GST_VIDEO_INFO_SIZE (&info));
  fill_pixels (like, &info, map.data, info.offset, info.stride);
  gst_buffer_unmap (buffer, &map);
  return buffer;
}

/* For frames in system memory that it uploads, the element offers a pool of page-locked memory. Frames outlive pool and
 * element. Without memory to lock they have ordinary memory. */
GST_START_TEST (test_locked_pool)
{
  const HostMemory host = host_memory ();

  for (guint full = 0; full < (host.locked ? 2 : 1); full++) {
    const int before = host.locked ? host.locked () : 0;
    GstElement *element = new_subject ("backend=cuda");
    GstHarness *h = gst_harness_new_with_element (element, "sink", "src");
    GstBufferPool *pool = offered_pool (h, &frame);
    GstBuffer *buffers[3], *part;
    TestFrame next = frame;

    fail_unless (pool != NULL);
    if (full)
      host.set_host_full (true);
    for (guint i = 0; i < G_N_ELEMENTS (buffers); i++) {
      next.seed = i;
      buffers[i] = acquire_filled (pool, &next);
      if (host.locked)
        fail_unless_equals_int (host.locked (), before + (full ? 0 : (int) i + 1));
    }
    if (full)
      host.set_host_full (false);
    for (guint i = 0; i < G_N_ELEMENTS (buffers); i++) {
      next.seed = i;
      fail_unless_equals_int (gst_harness_push (h, buffers[i]), GST_FLOW_OK);
      buffers[i] = gst_harness_pull (h);
      assert_default_result (buffers[i], &next);
    }
    part = acquire_filled (pool, &frame);
    buffers[0] = gst_buffer_append (buffers[0], gst_buffer_copy_region (part, GST_BUFFER_COPY_MEMORY, 7, 100));
    gst_buffer_pool_set_active (pool, FALSE);
    gst_object_unref (pool);
    gst_harness_teardown (h);
    gst_object_unref (element);
    for (guint i = 0; i < G_N_ELEMENTS (buffers); i++) {
      next.seed = i;
      assert_default_result (buffers[i], &next);
      gst_buffer_unref (buffers[i]);
    }
    gst_buffer_unref (part);
    if (host.locked)
      fail_unless_equals_int (host.locked (), before);
  }
}

GST_END_TEST;

/* A source and a converter take the pool, also through a queue. */
GST_START_TEST (test_locked_pool_taken)
{
  static const gchar *const upstream[] = {"videotestsrc", "videotestsrc ! queue",
      "videotestsrc ! video/x-raw,format=I420 ! videoconvert ! video/x-raw,format=NV12"};
  const HostMemory host = host_memory ();

  for (guint i = 0; i < G_N_ELEMENTS (upstream); i++) {
    const int before = host.locked ();
    gchar *line = g_strdup_printf ("%s ! %s backend=cuda ! fakesink", upstream[i], subject ());
    GstElement *pipeline = gst_parse_launch (line, NULL);

    gst_element_set_state (pipeline, GST_STATE_PAUSED);
    fail_unless_equals_int (gst_element_get_state (pipeline, NULL, NULL, 20 * GST_SECOND), GST_STATE_CHANGE_SUCCESS);
    fail_unless (host.locked () > before, "%s: no frame is in locked memory", line);
    gst_element_set_state (pipeline, GST_STATE_NULL);
    gst_object_unref (pipeline);
    fail_unless_equals_int (host.locked (), before);
    g_free (line);
  }
}

GST_END_TEST;

/* Not all of the host's memory is locked, however many frames wait downstream. */
GST_START_TEST (test_locked_limit)
{
  const HostMemory host = host_memory ();
  const TestFrame large = {GST_VIDEO_FORMAT_GRAY8, 8192, 8192, .seed = 1};
  const int before = host.locked ();
  GstElement *element = new_subject ("backend=cuda");
  GstHarness *h = gst_harness_new_with_element (element, "sink", "src");
  GstBufferPool *pool = offered_pool (h, &large);
  GstBuffer *buffers[6];

  for (guint i = 0; i < G_N_ELEMENTS (buffers); i++)
    fail_unless_equals_int (gst_buffer_pool_acquire_buffer (pool, &buffers[i], NULL), GST_FLOW_OK);
  fail_unless_equals_int (host.locked (), before + 4); /* 256 MB */
  for (guint i = 0; i < G_N_ELEMENTS (buffers); i++)
    gst_buffer_unref (buffers[i]);
  gst_buffer_pool_set_active (pool, FALSE);
  fail_unless_equals_int (host.locked (), before);
  gst_object_unref (pool);
  gst_harness_teardown (h);
  gst_object_unref (element);
}

GST_END_TEST;

/* The element offers no pool if the CPU draws, and none in place of downstream's, where it forwards that. */
GST_START_TEST (test_no_locked_pool)
{
  GstElement *element = new_subject (subject_draws () ? "backend=cuda" : "backend=cpu");
  GstHarness *h = gst_harness_new_with_element (element, "sink", "src");
  GstBufferPool *pools[] = {gst_video_buffer_pool_new (), NULL};

  fail_unless (offered_pool (h, &frame) == NULL);
  gst_harness_teardown (h);
  gst_object_unref (element);
  element = new_subject ("backend=cuda");
  h = gst_harness_new_with_element (element, "sink", "src");
  gst_pad_add_probe (h->sinkpad, GST_PAD_PROBE_TYPE_QUERY_DOWNSTREAM, answer_allocation, pools[0], NULL);
  pools[1] = offered_pool (h, &frame);
  fail_unless ((pools[1] == pools[0]) == !subject_renders ());
  for (guint i = 0; i < G_N_ELEMENTS (pools); i++) {
    gst_buffer_pool_set_active (pools[i], FALSE);
    gst_object_unref (pools[i]);
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
  gchar *line = g_strdup_printf ("cudaupload ! video/x-raw(memory:CUDAMemory) ! %s backend=cuda", subject_line ());
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
  tcase_add_test (tc, test_no_locked_pool);
  if (!subject_draws ()) {
    tcase_add_test (tc, test_locked_pool);
    if (host_memory ().locked) {
      tcase_add_test (tc, test_locked_pool_taken);
      tcase_add_test (tc, test_locked_limit);
    }
  }
  tcase_add_test (tc, test_memory_elsewhere);
  if (upload)
    tcase_add_test (tc, test_cudaupload);
  gst_clear_object (&upload);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How the elements live on a GPU with others: contexts are shared, followed and told; wrong devices are named. Skipped
 * without a GPU. */
#include "subject.h"

#include <dlfcn.h>
#include <gst/base/gstbasetransform.h>

static const TestFrame frame = {GST_VIDEO_FORMAT_NV12, 160, 120, .seed = 41};

static GstElement *
new_subject (const gchar *properties)
{
  gchar *line = g_strdup_printf ("%s %s", subject (), properties);
  GstElement *element = gst_parse_launch (line, NULL);

  fail_unless (element != NULL);
  g_free (line);
  return element;
}

/* The CUDA context PAD's element works in, as its neighbours are told it. */
static GstCudaContext *
context_of (GstPad *pad)
{
  GstQuery *query = gst_query_new_context ("gst.cuda.context");
  GstCudaContext *result = NULL;
  GstContext *context;

  fail_unless (gst_pad_query (pad, query));
  gst_query_parse_context (query, &context);
  fail_unless (gst_structure_get (
      gst_context_get_structure (context), "gst.cuda.context", GST_TYPE_CUDA_CONTEXT, &result, NULL));
  gst_query_unref (query);
  gst_object_unref (result); /* the element keeps it */
  return result;
}

GST_START_TEST (test_wrong_device)
{
  GstBus *bus = gst_bus_new ();
  GstElement *element = new_subject ("backend=cuda cuda-device-id=99");
  GstMessage *message;
  GError *error = NULL;

  gst_element_set_bus (element, bus);
  fail_unless_equals_int (gst_element_set_state (element, GST_STATE_PAUSED), GST_STATE_CHANGE_FAILURE);
  message = pop_message (bus, GST_MESSAGE_ERROR);
  fail_unless (message != NULL);
  gst_message_parse_error (message, &error, NULL);
  fail_unless (g_error_matches (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_FOUND));
  fail_unless (strstr (error->message, "99") && strstr (error->message, "cuda-device-id"), "%s", error->message);
  g_error_free (error);
  gst_message_unref (message);
  fail_unless (pop_message (bus, GST_MESSAGE_ERROR) == NULL);

  gst_element_set_state (element, GST_STATE_NULL);
  g_object_set (element, "cuda-device-id", 0, NULL);
  fail_unless (gst_element_set_state (element, GST_STATE_PAUSED) != GST_STATE_CHANGE_FAILURE);
  gst_element_set_state (element, GST_STATE_NULL);
  gst_element_set_bus (element, NULL);
  gst_object_unref (element);
  gst_object_unref (bus);
}

GST_END_TEST;

/* "auto" takes the GPU, and says which. */
GST_START_TEST (test_auto)
{
  GstBus *bus = gst_bus_new ();
  GstElement *element = new_subject ("backend=auto");
  GstMessage *message;
  GError *error = NULL;

  gst_element_set_bus (element, bus);
  gst_element_set_state (element, GST_STATE_PAUSED);
  message = pop_message (bus, GST_MESSAGE_INFO);
  fail_unless (message != NULL, "the choice was not told");
  gst_message_parse_info (message, &error, NULL);
  fail_unless (strstr (error->message, "CUDA device 0") != NULL, "%s", error->message);
  g_error_free (error);
  gst_message_unref (message);
  gst_element_set_state (element, GST_STATE_NULL);
  gst_element_set_bus (element, NULL);
  gst_object_unref (element);
  gst_object_unref (bus);
}

GST_END_TEST;

/* A context the application sets is used, and used again after a restart. */
GST_START_TEST (test_application_context)
{
  GstElement *element = new_subject ("backend=cuda");
  GstPad *pad = gst_element_get_static_pad (element, "src");
  GstContext *context = gst_context_new_cuda_context (test_cuda_context ());

  gst_element_set_context (element, context);
  for (guint i = 0; i < 3; i++) {
    gst_element_set_state (element, GST_STATE_PAUSED);
    fail_unless (context_of (pad) == test_cuda_context ());
    gst_element_set_state (element, GST_STATE_NULL);
  }
  gst_context_unref (context);
  gst_object_unref (pad);
  gst_object_unref (element);
}

GST_END_TEST;

/* Two elements in one pipeline have one context. */
GST_START_TEST (test_context_shared)
{
  gchar *line = g_strdup_printf ("videotestsrc num-buffers=2 ! video/x-raw,format=NV12 ! %s name=a backend=cuda ! "
                                 "%s name=b backend=cuda ! fakesink",
      subject (), subject ());
  GstElement *pipeline = gst_parse_launch (line, NULL);
  GstCudaContext *contexts[2];

  fail_unless (gst_element_set_state (pipeline, GST_STATE_PAUSED) != GST_STATE_CHANGE_FAILURE);
  fail_unless_equals_int (gst_element_get_state (pipeline, NULL, NULL, 20 * GST_SECOND), GST_STATE_CHANGE_SUCCESS);
  for (guint i = 0; i < 2; i++) {
    GstElement *element = gst_bin_get_by_name (GST_BIN (pipeline), i ? "b" : "a");
    GstPad *pad = gst_element_get_static_pad (element, "src");

    contexts[i] = context_of (pad);
    gst_object_unref (pad);
    gst_object_unref (element);
  }
  fail_unless (contexts[0] == contexts[1]);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (pipeline);
  g_free (line);
}

GST_END_TEST;

/* Frames of other contexts of the device are followed there, back and forth, with the same results. */
GST_START_TEST (test_context_followed)
{
  GstElement *element = new_subject ("backend=cuda");
  GstHarness *h = gst_harness_new_with_element (element, "sink", "src");
  GstCudaContext *contexts[2] = {test_cuda_context (), gst_cuda_context_new (0)};

  set_frame_caps (h, &frame);
  for (guint i = 0; i < 6; i++) {
    TestFrame next = frame;
    GstBuffer *buffer;

    next.seed = i;
    fail_unless_equals_int (gst_harness_push (h, make_cuda_frame (&next, contexts[i / 2 % 2])), GST_FLOW_OK);
    buffer = gst_harness_pull (h);
    assert_default_result (buffer, &next);
    fail_unless (context_of (GST_BASE_TRANSFORM_SRC_PAD (element)) == contexts[i / 2 % 2]);
    fail_unless (GST_CUDA_MEMORY_CAST (gst_buffer_peek_memory (buffer, 0))->context == contexts[i / 2 % 2]);
    gst_buffer_unref (buffer);
  }
  gst_harness_teardown (h);
  gst_object_unref (element);
  gst_object_unref (contexts[1]);
}

GST_END_TEST;

static void
note_end (gpointer ended, GObject *context)
{
  *(gboolean *) ended = TRUE;
}

/* A result that may lie on the GPU keeps its context: the element and the frame may be gone before it. */
GST_START_TEST (test_context_kept)
{
  GstElement *element = new_subject ("backend=cuda");
  GstHarness *h = gst_harness_new_with_element (element, "sink", "src");
  GstCaps *caps = frame_caps (&frame);
  gboolean ended = FALSE;
  GstBuffer *buffer;

  gst_caps_set_features_simple (caps, NULL);
  gst_harness_set_src_caps (h, caps);
  fail_unless_equals_int (gst_harness_push (h, make_system_frame (&frame)), GST_FLOW_OK);
  buffer = gst_harness_pull (h);
  g_object_weak_ref (G_OBJECT (context_of (GST_BASE_TRANSFORM_SRC_PAD (element))), note_end, &ended);
  gst_harness_teardown (h);
  gst_object_unref (element);
  fail_if (ended);
  assert_default_result (buffer, &frame);
  gst_buffer_unref (buffer);
  fail_unless (ended, "the context is kept for ever");
}

GST_END_TEST;

/* Upstream is offered CUDA memory of the context we work in. */
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

/* New pictures come from downstream's pool where it holds CUDA memory of our context, else from one of our own. */
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

/* Frames change between system and CUDA memory while it runs. */
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

/* Caps that promise CUDA memory over a buffer in system memory: one error, and no crash. */
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

/* Behind GStreamer's own uploader, where this machine has it, in its context. */
/* cudaupload drops what frames carry: what is to be drawn comes behind it. */
static GstPadProbeReturn
add_region (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  GstBuffer *buffer = gst_buffer_make_writable (GST_PAD_PROBE_INFO_BUFFER (info));

  gst_buffer_add_video_region_of_interest_meta (
      buffer, "test", test_region.x, test_region.y, test_region.w, test_region.h);
  GST_PAD_PROBE_INFO_DATA (info) = buffer;
  return GST_PAD_PROBE_OK;
}

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

/* Frames on another device than the one asked for: one error that names both. Needs two devices. */
GST_START_TEST (test_other_device)
{
  GstCudaContext *context = gst_cuda_context_new (1);
  GstBus *bus = gst_bus_new ();
  GstElement *element = new_subject ("backend=cuda cuda-device-id=0");
  GstBuffer *buffer;
  GstHarness *h;

  gst_element_set_bus (element, bus);
  h = gst_harness_new_with_element (element, "sink", "src");
  set_frame_caps (h, &frame);
  fail_unless_equals_int (gst_harness_push (h, make_cuda_frame (&frame, context)), GST_FLOW_ERROR);
  assert_one_error (bus, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT);
  /* The element upstream has not noticed yet. */
  fail_unless_equals_int (gst_harness_push (h, make_cuda_frame (&frame, context)), GST_FLOW_ERROR);
  fail_unless (pop_message (bus, GST_MESSAGE_ERROR) == NULL);
  gst_element_set_bus (element, NULL);
  gst_harness_teardown (h);
  gst_object_unref (element);

  element = new_subject ("backend=cuda");
  h = gst_harness_new_with_element (element, "sink", "src");
  set_frame_caps (h, &frame);
  fail_unless_equals_int (gst_harness_push (h, make_cuda_frame (&frame, context)), GST_FLOW_OK);
  buffer = gst_harness_pull (h);
  assert_default_result (buffer, &frame);
  gst_buffer_unref (buffer);
  gst_harness_teardown (h);
  gst_object_unref (element);
  gst_object_unref (context);
  gst_object_unref (bus);
}

GST_END_TEST;

/* Failures of the core, which only the stand-in GPU has on demand: one error each, no metadata, and a restart works. */
GST_START_TEST (test_core_failures)
{
  static const struct {
    CtrStatus status;
    gint code;
  } cases[] = {{CTR_ERROR_OUT_OF_MEMORY, GST_RESOURCE_ERROR_NO_SPACE_LEFT}, {CTR_ERROR_CUDA, GST_RESOURCE_ERROR_FAILED},
      {CTR_ERROR_NO_CUDA, GST_RESOURCE_ERROR_NOT_FOUND}};
  void (*fake_cuda_fail) (CtrStatus) = dlsym (RTLD_DEFAULT, "fake_cuda_fail");

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    GstBus *bus = gst_bus_new ();
    GstElement *element = new_subject ("backend=cuda");
    GstHarness *h;

    gst_element_set_bus (element, bus);
    h = gst_harness_new_with_element (element, "sink", "src");
    set_frame_caps (h, &frame);
    check_default (h, &frame);
    fake_cuda_fail (cases[i].status);
    fail_unless_equals_int (gst_harness_push (h, make_frame (&frame)), GST_FLOW_ERROR);
    fail_unless (gst_harness_try_pull (h) == NULL);
    assert_one_error (bus, GST_RESOURCE_ERROR, cases[i].code);
    restart (h, &frame);
    check_default (h, &frame);
    gst_element_set_bus (element, NULL);
    gst_harness_teardown (h);
    gst_object_unref (element);
    gst_object_unref (bus);
  }
}

GST_END_TEST;

/* No device memory for new pictures, from the start or later: one error each, and it goes on when there is some again.
 */
GST_START_TEST (test_full)
{
  void (*fake_cuda_set_full) (bool) = dlsym (RTLD_DEFAULT, "fake_cuda_set_full");

  for (guint later = 0; later < 2; later++) {
    GstBus *bus = gst_bus_new ();
    GstElement *element = new_subject ("backend=cuda");
    GstBuffer *in = make_frame (&frame), *out = NULL;
    GstHarness *h;

    gst_element_set_bus (element, bus);
    h = gst_harness_new_with_element (element, "sink", "src");
    fake_cuda_set_full (!later);
    set_frame_caps (h, &frame);
    if (later) {
      fail_unless_equals_int (gst_harness_push (h, gst_buffer_ref (in)), GST_FLOW_OK);
      out = gst_harness_pull (h); /* the pool's only buffer */
    }
    fake_cuda_set_full (true);
    fail_unless_equals_int (gst_harness_push (h, in), GST_FLOW_ERROR);
    assert_one_error (bus, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT);
    gst_clear_buffer (&out);
    fake_cuda_set_full (false);
    restart (h, &frame);
    check_default (h, &frame);
    gst_element_set_bus (element, NULL);
    gst_harness_teardown (h);
    gst_object_unref (element);
    gst_object_unref (bus);
  }
}

GST_END_TEST;

/* Stopping gives everything on the GPU back; counted on the stand-in GPU. */
GST_START_TEST (test_nothing_left)
{
  int (*fake_cuda_count) (void) = dlsym (RTLD_DEFAULT, "fake_cuda_count");
  int before = fake_cuda_count ();
  GstElement *element = new_subject ("backend=cuda");
  GstHarness *h = gst_harness_new_with_element (element, "sink", "src");

  for (guint i = 0; i < 10; i++) {
    restart (h, &frame);
    check_default (h, &frame);
    fail_unless (fake_cuda_count () > before);
  }
  gst_element_set_state (element, GST_STATE_NULL);
  fail_unless_equals_int (fake_cuda_count (), before);
  gst_harness_teardown (h);
  gst_object_unref (element);
}

GST_END_TEST;

static Suite *
gpu_suite (void)
{
  Suite *s = suite_create ("gpu");
  TCase *tc = tcase_create ("general");
  GstElementFactory *upload = gst_element_factory_find ("cudaupload");
  GstCudaContext *second;

  skip_without_gpu ();
  suite_add_tcase (s, tc);
  tcase_set_timeout (tc, 60);
  tcase_add_test (tc, test_wrong_device);
  tcase_add_test (tc, test_auto);
  tcase_add_test (tc, test_application_context);
  tcase_add_test (tc, test_context_shared);
  tcase_add_test (tc, test_context_followed);
  if (subject_follows_borders () || subject_has_levels () || subject_outlines_targets ())
    tcase_add_test (tc, test_context_kept);
  tcase_add_test (tc, test_pool_proposed);
  if (subject_renders ())
    tcase_add_test (tc, test_pool_taken);
  tcase_add_test (tc, test_memory_switched);
  tcase_add_test (tc, test_memory_elsewhere);
  gst_cuda_load_library ();
  second = gst_cuda_context_new (1);
  if (second) {
    tcase_add_test (tc, test_other_device);
    gst_object_unref (second);
  }
  if (dlsym (RTLD_DEFAULT, "fake_cuda_fail")) {
    tcase_add_test (tc, test_core_failures);
    tcase_add_test (tc, test_nothing_left);
    if (subject_renders ())
      tcase_add_test (tc, test_full);
  }
  if (upload) {
    tcase_add_test (tc, test_cudaupload);
    gst_object_unref (upload);
  }
  return s;
}

GST_CHECK_MAIN (gpu);

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cudacontouroverlay lets frames in CUDA memory go on before they are drawn: whoever reads them sees what was drawn,
 * nothing it needs goes too early, and all of it goes in the end. On the stand-in GPU nothing is drawn before somebody
 * has to wait for it. */
#include "overlay.h"

#include <dlfcn.h>
#include <gst/cuda/gstcudaloader.h>

/* Of the stand-in GPU, else NULL. */
static int (*fake_cuda_queued) (void);
static int (*fake_cuda_count) (void);
static void (*fake_cuda_fail_later) (CtrStatus status);

static void
note_release (void *released)
{
  *(gboolean *) released = TRUE;
}

/* BUFFER with contours of FRAME, which it alone holds. *RELEASED, unless NULL: nobody holds them any more. */
static GstBuffer *
with_contours (GstBuffer *buffer, const TestFrame *frame, gboolean *released)
{
  CtrBordersParams params;
  CtrContours *contours;

  ctr_borders_params_init (&params);
  contours = expected_contours (frame, &params);
  fail_unless (contours->count > 20);
  if (released) {
    *released = FALSE;
    ctr_contours_set_owner (contours, released, note_release);
  }
  gst_buffer_add_contours_contour_meta (buffer, contours, "test");
  ctr_contours_unref (contours);
  return buffer;
}

static void
drop_contours (GstBuffer *buffer)
{
  fail_unless (gst_buffer_remove_meta (buffer, (GstMeta *) gst_buffer_get_contours_contour_meta (buffer)));
}

/* What ELEMENT_LINE, on the host, makes of FRAME and its contours. */
static GstBuffer *
expected_frame (const gchar *element_line, const TestFrame *frame)
{
  gchar *line = g_strdup_printf ("%s backend=cpu", element_line);
  GstHarness *h = gst_harness_new_parse (line);
  GstCaps *caps = frame_caps (frame);
  GstBuffer *buffer;

  gst_caps_set_features_simple (caps, NULL);
  gst_harness_set_src_caps (h, caps);
  buffer = pass (h, with_contours (make_system_frame (frame), frame, NULL));
  gst_harness_teardown (h);
  g_free (line);
  return buffer;
}

/* BUFFER, a frame like FRAME, read by the host, must be what the host draws. */
static void
assert_drawn (GstBuffer *buffer, const gchar *element_line, const TestFrame *frame)
{
  GstBuffer *expected = expected_frame (element_line, frame);
  GstVideoFrame a, b;
  GstVideoInfo info;
  guint drawn = 0;

  gst_video_info_set_format (&info, frame->format, frame->width, frame->height);
  fail_unless (gst_video_frame_map (&a, &info, buffer, GST_MAP_READ));
  fail_unless (gst_video_frame_map (&b, &info, expected, GST_MAP_READ));
  for (guint p = 0; p < GST_VIDEO_INFO_N_PLANES (&info); p++)
    for (guint y = 0; y < plane_rows (&info, p); y++) {
      const guint8 *is = GST_VIDEO_FRAME_PLANE_DATA (&a, p), *should = GST_VIDEO_FRAME_PLANE_DATA (&b, p);
      const guint size = plane_row_bytes (&info, p);

      is += y * GST_VIDEO_FRAME_PLANE_STRIDE (&a, p);
      should += y * GST_VIDEO_FRAME_PLANE_STRIDE (&b, p);
      fail_unless (memcmp (is, should, size) == 0, "row %u of plane %u is another", y, p);
      for (guint x = 0; x < size; x++)
        drawn += should[x] != frame_byte (frame->seed, p, x, y);
    }
  fail_unless (drawn > 1000);
  gst_video_frame_unmap (&a);
  gst_video_frame_unmap (&b);
  gst_buffer_unref (expected);
}

/* Does a frame go on before it is drawn? From GStreamer 1.24 on memory without a stream has no mark by which its
 * readers would wait. */
static gboolean
goes_on_undrawn (void)
{
#if GST_CHECK_VERSION(1, 24, 0)
  return test_with_streams ();
#else
  return TRUE;
#endif
}

/* Where frames go on undrawn, one drawing is queued and has what it reads. If the frame is GONE it may be drawn: memory
 * waits for its stream when it is freed. */
static void
assert_queued (const gboolean *released, gboolean gone)
{
  const gboolean waited_for = gone && test_with_streams ();

  if (!fake_cuda_queued)
    return;
  fail_unless_equals_int (fake_cuda_queued (), goes_on_undrawn () && !waited_for);
  fail_if (goes_on_undrawn () && *released);
}

/* Metadata goes as soon as the frame has come out. Each frame is drawn with its own, however many are kept. */
GST_START_TEST (test_metadata_dropped)
{
  GstHarness *h = new_harness ("cudacontouroverlay");
  GstBuffer *buffers[5];
  gboolean released[G_N_ELEMENTS (buffers)];

  for (guint i = 0; i < G_N_ELEMENTS (buffers); i++) {
    TestFrame frame = {GST_VIDEO_FORMAT_NV12, 160, 120, .seed = i};

    set_frame_caps (h, &frame);
    buffers[i] = pass (h, with_contours (make_frame (&frame), &frame, &released[i]));
    drop_contours (buffers[i]);
    assert_queued (&released[i], FALSE);
    fail_unless (i == 0 || released[i - 1]);
  }
  for (guint i = G_N_ELEMENTS (buffers); i-- > 0;) {
    TestFrame frame = {GST_VIDEO_FORMAT_NV12, 160, 120, .seed = i};

    assert_drawn (buffers[i], "cudacontouroverlay", &frame);
    gst_buffer_unref (buffers[i]);
  }
  gst_harness_teardown (h);
  fail_unless (released[G_N_ELEMENTS (buffers) - 1]);
}

GST_END_TEST;

/* The same with contours that lie on the GPU, in memory that the finder uses again for the next frame. */
GST_START_TEST (test_contours_on_gpu)
{
  static const gchar overlay[] = "cudacontouroverlay";
  gchar *line = g_strdup_printf ("cudaborders backend=cuda ! %s backend=cuda", overlay);
  GstHarness *h = gst_harness_new_parse (line);
  GstBuffer *buffers[20];

  for (guint i = 0; i < G_N_ELEMENTS (buffers); i++) {
    TestFrame frame = {GST_VIDEO_FORMAT_NV12, 320, 240, .seed = i};

    set_frame_caps (h, &frame);
    buffers[i] = pass (h, make_frame (&frame));
    drop_contours (buffers[i]);
  }
  for (guint i = 0; i < G_N_ELEMENTS (buffers); i++) {
    TestFrame frame = {GST_VIDEO_FORMAT_NV12, 320, 240, .seed = i};

    assert_drawn (buffers[i], overlay, &frame);
    gst_buffer_unref (buffers[i]);
  }
  gst_harness_teardown (h);
  g_free (line);
}

GST_END_TEST;

typedef enum { STOP, END_OF_STREAM, FLUSH, DRAIN, NOTHING_TO_DRAW, LAST_WAY } Way;

/* The ways by which a drawing that is queued comes to its end without another one. */
static GstFlowReturn
end_drawing (GstHarness *h, Way way, const TestFrame *frame)
{
  GstFlowReturn ret;
  GstBuffer *buffer;
  GstQuery *query;

  switch (way) {
    case STOP:
      fail_unless_equals_int (gst_element_set_state (h->element, GST_STATE_NULL), GST_STATE_CHANGE_SUCCESS);
      break;
    case END_OF_STREAM:
      fail_unless (gst_harness_push_event (h, gst_event_new_eos ()));
      break;
    case FLUSH:
      fail_unless (gst_harness_push_event (h, gst_event_new_flush_start ()));
      fail_unless (gst_harness_push_event (h, gst_event_new_flush_stop (TRUE)));
      break;
    case DRAIN:
      query = gst_query_new_drain ();
      gst_pad_peer_query (h->srcpad, query);
      gst_query_unref (query);
      break;
    default:
      ret = gst_harness_push (h, make_frame (frame));
      buffer = gst_harness_try_pull (h);
      gst_clear_buffer (&buffer);
      return ret;
  }
  return GST_FLOW_OK;
}

/* Whether the frame is kept or gone: its memory must not go before it is drawn. */
GST_START_TEST (test_ends)
{
  TestFrame frame = {GST_VIDEO_FORMAT_NV12, 160, 120, .seed = 4};

  for (Way way = STOP; way < LAST_WAY; way++)
    for (guint keep = 0; keep < 2; keep++) {
      int before = fake_cuda_count ? fake_cuda_count () : 0;
      GstBus *bus = gst_bus_new ();
      GstHarness *h = new_harness_with_bus ("cudacontouroverlay", bus);
      gboolean released;
      GstBuffer *buffer;

      set_frame_caps (h, &frame);
      buffer = pass (h, with_contours (make_frame (&frame), &frame, &released));
      if (keep)
        drop_contours (buffer);
      else
        gst_clear_buffer (&buffer);
      assert_queued (&released, !keep);
      fail_unless_equals_int (end_drawing (h, way, &frame), GST_FLOW_OK);
      fail_unless (released, "way %d, frame kept: %u", way, keep);
      if (fake_cuda_queued)
        fail_unless_equals_int (fake_cuda_queued (), 0);
      if (keep)
        assert_drawn (buffer, "cudacontouroverlay", &frame);
      gst_clear_buffer (&buffer);
      fail_unless (pop_message (bus, GST_MESSAGE_ERROR) == NULL);
      gst_element_set_bus (h->element, NULL);
      gst_harness_teardown (h);
      gst_object_unref (bus);
      if (fake_cuda_count)
        fail_unless_equals_int (fake_cuda_count (), before);
    }
}

GST_END_TEST;

/* Readers on the GPU, with a stream of their own, as each element has one; and a copy. From GStreamer 1.24 on they wait
 * for memory that has another stream. */
GST_START_TEST (test_read_on_gpu)
{
  TestFrame frame = {GST_VIDEO_FORMAT_NV12, 160, 120, .seed = 6};
  GstHarness *h = new_harness ("cudacontouroverlay");
  GstCudaContext *context = test_cuda_context ();
  gboolean released[2];
  CUstream stream;

  set_frame_caps (h, &frame);
  fail_unless (gst_cuda_context_push (context));
  fail_unless_equals_int (CuStreamCreate (&stream, CU_STREAM_DEFAULT), CUDA_SUCCESS);
  gst_cuda_context_pop (NULL);
  for (guint copy = 0; copy < G_N_ELEMENTS (released); copy++) {
    GstBuffer *read = make_frame (&frame), *buffer;
    GstMapInfo from, to;

    /* Now, because it uploads what it holds in the default stream. */
    fail_unless (gst_buffer_map (read, &to, GST_MAP_WRITE | GST_MAP_CUDA));
    buffer = pass (h, with_contours (make_frame (&frame), &frame, &released[copy]));
    assert_queued (&released[copy], FALSE);
    if (copy) {
      gst_buffer_unmap (read, &to);
      gst_buffer_replace_all_memory (read, gst_memory_copy (gst_buffer_peek_memory (buffer, 0), 0, -1));
    } else {
      CUDA_MEMCPY2D all = {0};

      fail_unless (gst_buffer_map (buffer, &from, GST_MAP_READ | GST_MAP_CUDA));
#if GST_CHECK_VERSION(1, 24, 0)
      gst_cuda_memory_sync (GST_CUDA_MEMORY_CAST (gst_buffer_peek_memory (buffer, 0)));
#endif
      all.srcMemoryType = all.dstMemoryType = CU_MEMORYTYPE_DEVICE;
      all.srcDevice = (CUdeviceptr) from.data;
      all.dstDevice = (CUdeviceptr) to.data;
      all.srcPitch = all.dstPitch = all.WidthInBytes = gst_buffer_get_video_meta (buffer)->stride[0];
      all.Height = from.size / all.srcPitch;
      fail_unless (gst_cuda_context_push (context));
      fail_unless_equals_int (CuMemcpy2DAsync (&all, stream), CUDA_SUCCESS);
      fail_unless_equals_int (CuStreamSynchronize (stream), CUDA_SUCCESS);
      gst_cuda_context_pop (NULL);
      gst_buffer_unmap (buffer, &from);
      gst_buffer_unmap (read, &to);
    }
    assert_drawn (read, "cudacontouroverlay", &frame);
    gst_buffer_unref (read);
    gst_buffer_unref (buffer);
  }
  fail_unless (gst_cuda_context_push (context));
  CuStreamDestroy (stream);
  gst_cuda_context_pop (NULL);
  gst_harness_teardown (h);
}

GST_END_TEST;

/* A pool gets its only buffer back at once, and whoever writes there next is not drawn over. */
GST_START_TEST (test_pool)
{
  TestFrame frame = {GST_VIDEO_FORMAT_NV12, 160, 120, .seed = 7};
  const GstBufferPoolAcquireParams params = {.flags = GST_BUFFER_POOL_ACQUIRE_FLAG_DONTWAIT};
  GstHarness *h = new_harness ("cudacontouroverlay");
  GstBufferPool *pool = gst_cuda_buffer_pool_new (test_cuda_context ());
  GstStructure *config = gst_buffer_pool_get_config (pool);
  GstCaps *caps = frame_caps (&frame);
  GstMemory *memory = NULL;
  gboolean released[4];

  gst_buffer_pool_config_set_params (config, caps, 160 * 120 * 3 / 2, 1, 1);
  gst_caps_unref (caps);
  fail_unless (gst_buffer_pool_set_config (pool, with_stream (config, test_cuda_context ())));
  fail_unless (gst_buffer_pool_set_active (pool, TRUE));
  set_frame_caps (h, &frame);
  for (guint i = 0; i < G_N_ELEMENTS (released); i++) {
    GstBuffer *buffer;
    GstVideoMeta *meta;
    GstVideoInfo info;
    GstMapInfo map;

    fail_unless_equals_int (
        gst_buffer_pool_acquire_buffer (pool, &buffer, (GstBufferPoolAcquireParams *) &params), GST_FLOW_OK);
    fail_unless (!memory || memory == gst_buffer_peek_memory (buffer, 0));
    memory = gst_buffer_peek_memory (buffer, 0);
    gst_video_info_set_format (&info, frame.format, frame.width, frame.height);
    frame.seed = i;
    fail_unless (gst_buffer_map (buffer, &map, GST_MAP_WRITE));
    meta = gst_buffer_get_video_meta (buffer);
    fill_pixels (&frame, &info, map.data, meta->offset, meta->stride);
    gst_buffer_unmap (buffer, &map);
    buffer = pass (h, with_contours (buffer, &frame, &released[i]));
    assert_queued (&released[i], FALSE);
    if (i % 2)
      assert_drawn (buffer, "cudacontouroverlay", &frame);
    gst_buffer_unref (buffer);
  }
  gst_buffer_pool_set_active (pool, FALSE);
  gst_object_unref (pool);
  gst_harness_teardown (h);
}

GST_END_TEST;

#ifdef HAVE_PANGO
/* Letters of the frame before must stay as they are, too. */
GST_START_TEST (test_font_changed)
{
  static const gchar *fonts[] = {"Sans 11", "Serif 17", "Sans 8"};
  GstHarness *h = new_harness ("cudacontouroverlay labels=area min-area=100");
  GstBuffer *buffers[G_N_ELEMENTS (fonts)];

  for (guint i = 0; i < G_N_ELEMENTS (fonts); i++) {
    TestFrame frame = {GST_VIDEO_FORMAT_NV12, 160, 120, .seed = i};

    set_frame_caps (h, &frame);
    g_object_set (h->element, "font-desc", fonts[i], NULL);
    buffers[i] = pass (h, with_contours (make_frame (&frame), &frame, NULL));
  }
  for (guint i = 0; i < G_N_ELEMENTS (fonts); i++) {
    TestFrame frame = {GST_VIDEO_FORMAT_NV12, 160, 120, .seed = i};
    gchar *line = g_strdup_printf ("cudacontouroverlay labels=area min-area=100 font-desc=\"%s\"", fonts[i]);

    assert_drawn (buffers[i], line, &frame);
    gst_buffer_unref (buffers[i]);
    g_free (line);
  }
  gst_harness_teardown (h);
}

GST_END_TEST;

/* The look of the frame before must stay as it is: all there is, in sizes that fit the frame, in colours that change.
 */
GST_START_TEST (test_look_changed)
{
  static const gchar found[] = "cudacca threshold=0 labels=true ! cudacrackcontour levels=100 min-area=100";
  static const struct {
    gint width, height;
    const gchar *colour_by, *max_level, *colour;
  } looks[] = {
      {160, 120, "level", "100", "0xff0000"},
      {160, 120, "level", "200", "0xff0000"},
      {320, 270, "area", "200", "0xff0000"},
      {320, 270, "fixed", "200", "0xff0000"},
      {320, 270, "fixed", "200", "0x0000ff"},
  };
  gchar *line = g_strdup_printf (
      "%s ! cudacontouroverlay name=overlay draw=fill+contours+centroids labels=area legend=true backend=cuda", found);
  GstHarness *h = gst_harness_new_parse (line);
  GstElement *overlay = gst_bin_get_by_name (GST_BIN (h->element), "overlay");
  GstBuffer *buffers[G_N_ELEMENTS (looks)];

  g_free (line);
  for (guint i = 0; i < G_N_ELEMENTS (looks); i++) {
    TestFrame frame = {GST_VIDEO_FORMAT_NV12, looks[i].width, looks[i].height, .seed = i};

    set_frame_caps (h, &frame);
    gst_util_set_object_arg (G_OBJECT (overlay), "color-by", looks[i].colour_by);
    gst_util_set_object_arg (G_OBJECT (overlay), "max-level", looks[i].max_level);
    gst_util_set_object_arg (G_OBJECT (overlay), "color", looks[i].colour);
    buffers[i] = pass (h, with_contours (make_frame (&frame), &frame, NULL));
    while (gst_buffer_get_contours_contour_meta (buffers[i]))
      drop_contours (buffers[i]);
    fail_unless (gst_buffer_remove_meta (buffers[i], (GstMeta *) gst_buffer_get_contours_component_meta (buffers[i])));
  }
  for (guint i = 0; i < G_N_ELEMENTS (looks); i++) {
    TestFrame frame = {GST_VIDEO_FORMAT_NV12, looks[i].width, looks[i].height, .seed = i};

    line = g_strdup_printf ("%s ! cudacontouroverlay draw=fill+contours+centroids labels=area legend=true color-by=%s "
                            "max-level=%s color=%s",
        found, looks[i].colour_by, looks[i].max_level, looks[i].colour);
    assert_drawn (buffers[i], line, &frame);
    gst_buffer_unref (buffers[i]);
    g_free (line);
  }
  gst_object_unref (overlay);
  gst_harness_teardown (h);
}

GST_END_TEST;
#endif

/* A failure that shows later, at whatever comes next, or at once: one error, nothing kept, and a restart works. */
GST_START_TEST (test_late_failures)
{
  TestFrame frame = {GST_VIDEO_FORMAT_NV12, 160, 120, .seed = 8};

  for (Way way = goes_on_undrawn () ? STOP : LAST_WAY; way <= LAST_WAY; way++) {
    GstBus *bus = gst_bus_new ();
    GstHarness *h = new_harness_with_bus ("cudacontouroverlay", bus);
    gboolean released[2] = {FALSE, TRUE};

    set_frame_caps (h, &frame);
    gst_buffer_unref (pass (h, with_contours (make_frame (&frame), &frame, &released[0])));
    fake_cuda_fail_later (CTR_ERROR_CUDA);
    fail_unless (pop_message (bus, GST_MESSAGE_ERROR) == NULL);
    if (way == LAST_WAY) {
      fail_unless_equals_int (
          gst_harness_push (h, with_contours (make_frame (&frame), &frame, &released[1])), GST_FLOW_ERROR);
      fail_unless (gst_harness_try_pull (h) == NULL);
    } else {
      fail_unless_equals_int (end_drawing (h, way, &frame), way == NOTHING_TO_DRAW ? GST_FLOW_ERROR : GST_FLOW_OK);
    }
    fail_unless (released[0] && released[1]);
    assert_one_error (bus, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_FAILED);
    restart (h, &frame);
    gst_buffer_unref (pass (h, with_contours (make_frame (&frame), &frame, &released[0])));
    gst_element_set_state (h->element, GST_STATE_NULL);
    fail_unless (released[0]);
    fail_unless (pop_message (bus, GST_MESSAGE_ERROR) == NULL);
    gst_element_set_bus (h->element, NULL);
    gst_harness_teardown (h);
    gst_object_unref (bus);
  }
}

GST_END_TEST;

/* It shows when the element moves to the context of other frames: one error, and no picture. */
GST_START_TEST (test_late_failure_on_move)
{
  TestFrame frame = {GST_VIDEO_FORMAT_NV12, 160, 120, .seed = 9};
  GstCudaContext *other = gst_cuda_context_new (0);
  GstBus *bus = gst_bus_new ();
  GstHarness *h = new_harness_with_bus ("cudacontouroverlay", bus);
  gboolean released[3];

  set_frame_caps (h, &frame);
  gst_buffer_unref (pass (h, with_contours (make_frame (&frame), &frame, &released[0])));
  assert_queued (&released[0], TRUE);
  gst_buffer_unref (pass (h, with_contours (make_cuda_frame (&frame, other), &frame, &released[1])));
  assert_queued (&released[1], TRUE);
  fail_unless (released[0]);
  fake_cuda_fail_later (CTR_ERROR_CUDA);
  fail_unless_equals_int (
      gst_harness_push (h, with_contours (make_frame (&frame), &frame, &released[2])), GST_FLOW_ERROR);
  fail_unless (released[1] && released[2]);
  assert_one_error (bus, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_FAILED);
  gst_element_set_bus (h->element, NULL);
  gst_harness_teardown (h);
  gst_object_unref (bus);
  gst_object_unref (other);
}

GST_END_TEST;

static Suite *
queued_suite (void)
{
  Suite *s = suite_create ("queued");
  TCase *tc = tcase_create ("general");

  skip_without_gpu ();
  fake_cuda_queued = (int (*) (void)) dlsym (RTLD_DEFAULT, "fake_cuda_queued");
  fake_cuda_count = (int (*) (void)) dlsym (RTLD_DEFAULT, "fake_cuda_count");
  fake_cuda_fail_later = (void (*) (CtrStatus)) dlsym (RTLD_DEFAULT, "fake_cuda_fail_later");
  suite_add_tcase (s, tc);
  tcase_set_timeout (tc, 60);
  tcase_add_test (tc, test_metadata_dropped);
  tcase_add_test (tc, test_contours_on_gpu);
  tcase_add_test (tc, test_ends);
  tcase_add_test (tc, test_read_on_gpu);
  tcase_add_test (tc, test_pool);
#ifdef HAVE_PANGO
  tcase_add_test (tc, test_font_changed);
  tcase_add_test (tc, test_look_changed);
#endif
  if (fake_cuda_fail_later) {
    tcase_add_test (tc, test_late_failures);
    tcase_add_test (tc, test_late_failure_on_move);
  }
  return s;
}

GST_CHECK_MAIN (queued);

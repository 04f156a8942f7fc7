/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* This program tests the queued drawing of cudacontouroverlay, which pushes frames in CUDA memory before their drawing
 * has ended: every reader sees the drawing, and its inputs live exactly as long as it needs them. The simulated GPU
 * draws as late as possible. */
#include "parts.h"
#include "queued.h"

#include <dlfcn.h>
#include <gst/cuda/gstcudaloader.h>

FakeCuda fake_cuda;

/* Each frame is drawn with its own metadata, which is dropped as soon as the frame comes out, however many frames are
 * kept. */
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

/* The same holds for contours on the GPU, in memory that the finder reuses for the next frame. */
GST_START_TEST (test_contours_on_gpu)
{
  static const gchar overlay[] = "cudacontouroverlay";
  gchar *line = g_strdup_printf ("cudaborders backend=cuda ! %s backend=cuda", overlay);
  GstHarness *h = new_harness_of_line (line);
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

static CUstream
new_stream (void)
{
  CUstream stream;

  fail_unless (gst_cuda_context_push (test_cuda_context ()));
  fail_unless_equals_int (CuStreamCreate (&stream, CU_STREAM_DEFAULT), CUDA_SUCCESS);
  gst_cuda_context_pop (NULL);
  return stream;
}

static void
free_stream (CUstream stream)
{
  fail_unless (gst_cuda_context_push (test_cuda_context ()));
  CuStreamDestroy (stream);
  gst_cuda_context_pop (NULL);
}

/* Reads BUFFER into READ, which is mapped as TO, in STREAM. From GStreamer 1.24 on, readers wait for memory that has
 * another stream. */
static void
read_in_stream (GstBuffer *buffer, GstBuffer *read, GstMapInfo *to, CUstream stream)
{
  CUDA_MEMCPY2D all = {0};
  GstMapInfo from;

  fail_unless (gst_buffer_map (buffer, &from, GST_MAP_READ | GST_MAP_CUDA));
#if GST_CHECK_VERSION(1, 24, 0)
  gst_cuda_memory_sync (GST_CUDA_MEMORY_CAST (gst_buffer_peek_memory (buffer, 0)));
#endif
  all.srcMemoryType = all.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  all.srcDevice = (CUdeviceptr) from.data;
  all.dstDevice = (CUdeviceptr) to->data;
  all.srcPitch = all.dstPitch = all.WidthInBytes = gst_buffer_get_video_meta (buffer)->stride[0];
  all.Height = from.size / all.srcPitch;
  fail_unless (gst_cuda_context_push (test_cuda_context ()));
  fail_unless_equals_int (CuMemcpy2DAsync (&all, stream), CUDA_SUCCESS);
  fail_unless_equals_int (CuStreamSynchronize (stream), CUDA_SUCCESS);
  gst_cuda_context_pop (NULL);
  gst_buffer_unmap (buffer, &from);
  gst_buffer_unmap (read, to);
}

/* A reader on the GPU with its own stream, as each element has one, sees the drawing, and so does a copy. */
GST_START_TEST (test_read_on_gpu)
{
  TestFrame frame = {GST_VIDEO_FORMAT_NV12, 160, 120, .seed = 6};
  GstHarness *h = new_harness ("cudacontouroverlay");
  CUstream stream = new_stream ();
  gboolean released[2];

  set_frame_caps (h, &frame);
  for (guint copy = 0; copy < G_N_ELEMENTS (released); copy++) {
    GstBuffer *read = make_frame (&frame), *buffer;
    GstMapInfo to;

    /* Mapping uploads the memory in the default stream, and so has to come before the drawing. */
    fail_unless (gst_buffer_map (read, &to, GST_MAP_WRITE | GST_MAP_CUDA));
    buffer = pass (h, with_contours (make_frame (&frame), &frame, &released[copy]));
    assert_queued (&released[copy], FALSE);
    if (copy) {
      gst_buffer_unmap (read, &to);
      gst_buffer_replace_all_memory (read, gst_memory_copy (gst_buffer_peek_memory (buffer, 0), 0, -1));
    } else {
      read_in_stream (buffer, read, &to, stream);
    }
    assert_drawn (read, "cudacontouroverlay", &frame);
    gst_buffer_unref (read);
    gst_buffer_unref (buffer);
  }
  free_stream (stream);
  gst_harness_teardown (h);
}

GST_END_TEST;

/* It also sees the pixels of a frame that somebody held, and so was copied, even if it turns out that nothing can be
 * drawn: contours without moments have no centroids. */
GST_START_TEST (test_read_copy_on_gpu)
{
  TestFrame frame = {GST_VIDEO_FORMAT_NV12, 160, 120, .seed = 6}, other = frame;
  GstHarness *h = new_harness ("cudacontouroverlay draw=centroids");
  CUstream stream = new_stream ();
  GstBuffer *in = with_contours (make_frame (&frame), &frame, NULL), *read, *buffer;
  GstMapInfo to;

  other.seed++;
  read = make_frame (&other);
  set_frame_caps (h, &frame);
  fail_unless (gst_buffer_map (in, &to, GST_MAP_READ | GST_MAP_CUDA));
  gst_buffer_unmap (in, &to);
  fail_unless (gst_buffer_map (read, &to, GST_MAP_WRITE | GST_MAP_CUDA));
  buffer = pass (h, gst_buffer_ref (in));
  fail_unless (buffer != in);
  read_in_stream (buffer, read, &to, stream);
  fail_unless_equals_int (count_all (read, &frame), 0);
  gst_buffer_unref (in);
  gst_buffer_unref (read);
  gst_buffer_unref (buffer);
  free_stream (stream);
  gst_harness_teardown (h);
}

GST_END_TEST;

/* The pool gets its only buffer back at once, also where the element draws on a copy because somebody held the frame.
 * Neither drawing nor copy meets what is written there next. */
GST_START_TEST (test_pool)
{
  const gboolean held = __i__;
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
    buffer = with_contours (buffer, &frame, &released[i]);
    if (held) {
      GstBuffer *in = buffer;

      buffer = pass (h, gst_buffer_ref (in));
      gst_buffer_unref (in);
    } else {
      buffer = pass (h, buffer);
    }
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
/* A change of font does not affect the labels of previous frames. */
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

/* A change of style or size does not affect the drawing of previous frames. */
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
  GstHarness *h = new_harness_of_line (line);
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

static Suite *
queued_suite (void)
{
  Suite *s = suite_create ("queued");
  TCase *tc = tcase_create ("general");

  skip_without_gpu ();
  fake_cuda.queued = (int (*) (void)) dlsym (RTLD_DEFAULT, "fake_cuda_queued");
  fake_cuda.count = (int (*) (void)) dlsym (RTLD_DEFAULT, "fake_cuda_count");
  fake_cuda.fail_later = (void (*) (CtrStatus)) dlsym (RTLD_DEFAULT, "fake_cuda_fail_later");
  suite_add_tcase (s, tc);
  tcase_set_timeout (tc, 60);
  tcase_add_test (tc, test_metadata_dropped);
  tcase_add_test (tc, test_contours_on_gpu);
  tcase_add_test (tc, test_read_on_gpu);
  tcase_add_test (tc, test_read_copy_on_gpu);
  tcase_add_loop_test (tc, test_pool, 0, 2);
#ifdef HAVE_PANGO
  tcase_add_test (tc, test_font_changed);
  tcase_add_test (tc, test_look_changed);
#endif
  add_queued_end_tests (tc);
  return s;
}

GST_CHECK_MAIN (queued);

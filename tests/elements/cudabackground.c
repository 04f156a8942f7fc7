/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* This program tests cudabackground: frames of every format are what the core's host backend makes of them, and the model
 * begins again where it must, and only there. It runs once for each backend and memory (CTR_TEST_BACKEND,
 * CTR_TEST_MEMORY). */
#include "corrected.h"

#include <glib/gstdio.h>
#include <unistd.h>

#ifdef HAVE_PNG
#include <png.h>
#endif

/* An element, and the core's host backend, which sees the same frames. */
typedef struct {
  GstHarness *h;
  CtrBackground *core;
  CtrBackgroundParams params;
} Pair;

static Pair
pair_new (const gchar *line, GstBus *bus)
{
  Pair pair = {.h = new_harness_with_bus (line, bus), .core = ctr_background_new (CTR_BACKEND_CPU, NULL)};

  ctr_background_params_init (&pair.params);
  return pair;
}

static void
pair_free (Pair *pair)
{
  ctr_background_free (pair->core);
  gst_element_set_bus (pair->h->element, NULL);
  gst_harness_teardown (pair->h);
}

/* Sends FRAME through both. Returns the sum of the corrected bytes. */
static guint64
check_frame (Pair *pair, const TestFrame *frame)
{
  GstBuffer *out = render_frame (pair->h, frame);
  guint8 *pixels;
  CtrImage image = first_plane (frame, &pixels);
  guint8 *corrected = g_malloc (image.stride * image.height);
  CtrCorrectedPicture picture = {.data = corrected, .stride = image.stride};
  guint64 sum = 0;
  CtrError error = {0};

  pair->params.sample_mask = corrected_mask (frame);
  fail_unless (ctr_background_run (pair->core, &image, &pair->params, &picture, NULL, &error), "%s", error.message);
  assert_corrected (out, frame, corrected, image.stride);
  for (gsize i = 0; i < image.stride * image.height; i++)
    sum += corrected[i];
  g_free (pixels);
  g_free (corrected);
  gst_buffer_unref (out);
  return sum;
}

static void
set_enum (Pair *pair, const gchar *property, const gchar *value)
{
  gst_util_set_object_arg (G_OBJECT (pair->h->element), property, value);
}

/* Every mode and model in every format, in rows with padding, too. libgstcuda 1.22 lays out odd heights wrongly. */
GST_START_TEST (test_formats_all)
{
  static const gchar *modes[] = {"subtract", "divide", "absdiff"}, *models[] = {"average", "median", "first"};

  for (guint i = 0; i < G_N_ELEMENTS (test_formats); i++)
    for (guint k = 0; k < 9; k++) {
      const gboolean odd = test_formats[i].video == GST_VIDEO_FORMAT_GRAY8 || i % 2;
      TestFrame frame = {test_formats[i].video, odd ? 131 : 64, test_in_cuda_memory () || !odd ? 48 : 37,
          .padding = i % 3 * 4, .seed = 100 * i};
      gchar *line = g_strdup_printf ("cudabackground mode=%s model=%s learning-rate=0.3 frames=3 offset=%d",
          modes[k % 3], models[k / 3], (gint) k * 9 - 20);
      Pair pair;

      if (format_runs (&test_formats[i])) {
        pair = pair_new (line, NULL);
        pair.params.mode = k % 3;
        pair.params.model = k / 3;
        pair.params.learning_rate = 0.3;
        pair.params.frames = 3;
        pair.params.offset = (gint) k * 9 - 20;
        set_frame_caps (pair.h, &frame);
        for (guint n = 0; n < 4; n++, frame.seed++)
          fail_unless (check_frame (&pair, &frame) > 0 || n == 0);
        pair_free (&pair);
      }
      g_free (line);
    }
}

GST_END_TEST;

/* Properties change while frames run: the model stays, unless it is another one. */
GST_START_TEST (test_properties_live)
{
  TestFrame frame = {GST_VIDEO_FORMAT_NV12, 160, 120, .seed = 1};
  Pair pair = pair_new ("cudabackground", NULL);
  GstElement *element = pair.h->element;
  guint frames;

  set_frame_caps (pair.h, &frame);
  for (guint i = 0; i < 40; i++, frame.seed++) {
    pair.params.mode = i % 3;
    pair.params.learning_rate = i % 5 / 4.0;
    pair.params.learning = i % 7 != 0;
    pair.params.offset = (gint) i - 20;
    pair.params.interval = 1 + i % 4;
    pair.params.model = i < 20 ? CTR_BACKGROUND_AVERAGE : CTR_BACKGROUND_MEDIAN;
    pair.params.frames = i < 30 ? 5 : 7;
    g_object_set (element, "mode", i % 3, "learning-rate", i % 5 / 4.0, "learning", i % 7 != 0, "offset", (gint) i - 20,
        "interval", 1 + i % 4, "model", i < 20 ? 0 : 1, "frames", i < 30 ? 5 : 7, NULL);
    check_frame (&pair, &frame);
  }
  g_object_set (element, "frames", 8, NULL);
  g_object_get (element, "frames", &frames, NULL);
  fail_unless_equals_int (frames, 7);
  pair_free (&pair);
}

GST_END_TEST;

static void
flush (GstHarness *h)
{
  GstSegment segment;

  fail_unless (gst_harness_push_event (h, gst_event_new_flush_start ()));
  fail_unless (gst_harness_push_event (h, gst_event_new_flush_stop (TRUE)));
  gst_segment_init (&segment, GST_FORMAT_TIME);
  fail_unless (gst_harness_push_event (h, gst_event_new_segment (&segment)));
}

/* The model begins again with the action signal, a flush, a new stream, a restart, another size, height alone, and
 * another format. */
GST_START_TEST (test_renewal)
{
  TestFrame frame = {GST_VIDEO_FORMAT_I420, 96, 64, .seed = 50};
  Pair pair = pair_new ("cudabackground model=first mode=absdiff", NULL);

  pair.params.model = CTR_BACKGROUND_FIRST;
  pair.params.mode = CTR_BACKGROUND_ABSDIFF;
  for (guint i = 0; i < 7; i++) {
    switch (i) {
      case 1:
        g_signal_emit_by_name (pair.h->element, "reset");
        break;
      case 2:
        flush (pair.h);
        break;
      case 3:
        fail_unless (gst_harness_push_event (pair.h, gst_event_new_stream_start ("other")));
        break;
      case 4:
        frame.height = 66;
        break;
      case 5:
        frame.width = 98;
        frame.format = GST_VIDEO_FORMAT_NV12;
        break;
      case 6:
        restart (pair.h, &frame);
        break;
    }
    if (i == 0 || i > 2)
      set_frame_caps (pair.h, &frame);
    if (i == 3) {
      GstSegment segment;

      gst_segment_init (&segment, GST_FORMAT_TIME);
      fail_unless (gst_harness_push_event (pair.h, gst_event_new_segment (&segment)));
    }
    if (i > 0)
      ctr_background_reset (pair.core);
    fail_unless (check_frame (&pair, &frame) == 0, "case %u: the frame is not its own background", i);
    frame.seed++;
    fail_unless (check_frame (&pair, &frame) > 0);
    frame.seed++;
  }
  pair_free (&pair);
}

GST_END_TEST;

/* The model stays over an empty gap buffer, the same caps with another framerate, and a format that comes back is not
 * the old model's. */
GST_START_TEST (test_persistence)
{
  TestFrame frame = {GST_VIDEO_FORMAT_I420, 96, 64, .seed = 70};
  Pair pair = pair_new ("cudabackground model=first mode=absdiff", NULL);
  GstBuffer *gap = gst_buffer_new ();
  GstCaps *caps;

  pair.params.model = CTR_BACKGROUND_FIRST;
  pair.params.mode = CTR_BACKGROUND_ABSDIFF;
  set_frame_caps (pair.h, &frame);
  check_frame (&pair, &frame);
  GST_BUFFER_FLAG_SET (gap, GST_BUFFER_FLAG_GAP);
  fail_unless_equals_int (gst_harness_push (pair.h, gap), GST_FLOW_OK);
  gst_buffer_unref (gst_harness_pull (pair.h));
  frame.seed++;
  fail_unless (check_frame (&pair, &frame) > 0);
  caps = frame_caps (&frame);
  gst_caps_set_simple (caps, "framerate", GST_TYPE_FRACTION, 30, 1, NULL);
  gst_harness_set_src_caps (pair.h, caps);
  fail_unless (check_frame (&pair, &frame) > 0);
  frame.height = 80;
  set_frame_caps (pair.h, &frame);
  fail_unless (check_frame (&pair, &frame) == 0);
  frame.height = 64;
  frame.seed++;
  set_frame_caps (pair.h, &frame);
  fail_unless (check_frame (&pair, &frame) == 0);
  pair_free (&pair);
}

GST_END_TEST;

#ifdef HAVE_GST_CUDA
/* In another CUDA context the model begins again, and a context that comes back has not kept the old one. */
GST_START_TEST (test_contexts)
{
  TestFrame frame = {GST_VIDEO_FORMAT_NV12, 96, 64, .seed = 80};
  GstHarness *h = new_harness ("cudabackground model=first mode=absdiff");
  GstCudaContext *contexts[2] = {test_cuda_context (), gst_cuda_context_new (0)};

  set_frame_caps (h, &frame);
  for (guint i = 0; i < 9; i++, frame.seed++) {
    guint8 *black = g_malloc0 (96 * 64);
    GstBuffer *out;
    GstVideoInfo info;
    GstVideoFrame mapped;

    fail_unless_equals_int (gst_harness_push (h, make_cuda_frame (&frame, contexts[i / 3 % 2])), GST_FLOW_OK);
    out = gst_harness_pull (h);
    gst_video_info_set_format (&info, frame.format, frame.width, frame.height);
    if (i % 3 == 0) {
      assert_corrected (out, &frame, black, 96);
    } else {
      fail_unless (gst_video_frame_map (&mapped, &info, out, GST_MAP_READ));
      fail_unless (memcmp (GST_VIDEO_FRAME_PLANE_DATA (&mapped, 0), black, 96) != 0, "frame %u is black", i);
      gst_video_frame_unmap (&mapped);
    }
    gst_buffer_unref (out);
    g_free (black);
  }
  gst_harness_teardown (h);
  gst_object_unref (contexts[1]);
}

GST_END_TEST;
#endif

/* Sends one frame through the element of LINE, which must post one error that contains MENTIONS. */
static void
check_refusal (const gchar *line, const TestFrame *frame, const gchar *mentions)
{
  GstBus *bus = gst_bus_new ();
  GstHarness *h = new_harness_with_bus (line, bus);
  GstMessage *message;
  GError *error;

  set_frame_caps (h, frame);
  fail_unless_equals_int (gst_harness_push (h, make_frame (frame)), GST_FLOW_ERROR);
  message = pop_message (bus, GST_MESSAGE_ERROR);
  fail_unless (message != NULL, "%s: no error", line);
  gst_message_parse_error (message, &error, NULL);
  fail_unless (strstr (error->message, mentions) != NULL, "%s: %s", line, error->message);
  g_error_free (error);
  gst_message_unref (message);
  fail_unless (pop_message (bus, GST_MESSAGE_ERROR) == NULL);
  gst_element_set_bus (h->element, NULL);
  gst_object_unref (bus);
  gst_harness_teardown (h);
}

#ifdef HAVE_PNG
/* Writes samples that begin with SEED, as the first plane of a frame of that seed has, in FORMAT of libpng. */
static gchar *
write_png (const gchar *folder, const gchar *name, guint width, guint height, guint format, guint seed)
{
  png_image image = {.version = PNG_IMAGE_VERSION, .width = width, .height = height, .format = format};
  const guint bytes = PNG_IMAGE_ROW_STRIDE (image) * PNG_IMAGE_PIXEL_COMPONENT_SIZE (format);
  guint8 *pixels = g_malloc ((gsize) bytes * height);
  gchar *path = g_build_filename (folder, name, NULL);

  for (guint y = 0; y < height; y++)
    for (guint x = 0; x < bytes; x++)
      pixels[(gsize) y * bytes + x] = frame_byte (seed, 0, x, y);
  fail_unless (png_image_write_to_file (&image, path, 0, pixels, 0, NULL), "%s", image.message);
  g_free (pixels);
  return path;
}

/* Frames are corrected by the picture in a file, of 8 and of 16 bits, and by the next one. */
GST_START_TEST (test_file)
{
  static const GstVideoFormat formats[] = {GST_VIDEO_FORMAT_NV12, GST_VIDEO_FORMAT_BGRA, GST_VIDEO_FORMAT_P016_LE};
  gchar *folder = g_dir_make_tmp ("background-XXXXXX", NULL);

  for (guint i = 0; i < G_N_ELEMENTS (formats); i++) {
    const gboolean wide = formats[i] == GST_VIDEO_FORMAT_P016_LE;
    TestFrame frame = {formats[i], 90, 46, .seed = 5}, background = {formats[i], 90, 46, .seed = 900};
    gchar *path =
        write_png (folder, "background.png", 90, 46, wide ? PNG_FORMAT_LINEAR_Y : PNG_FORMAT_GRAY, background.seed);
    gchar *other =
        write_png (folder, "other.png", 90, 46, wide ? PNG_FORMAT_LINEAR_Y : PNG_FORMAT_GRAY, background.seed + 1);
    gchar *line = g_strdup_printf ("cudabackground model=file mode=divide location=%s", path);
    Pair pair = pair_new (line, NULL);

    pair.params.model = CTR_BACKGROUND_GIVEN;
    pair.params.mode = CTR_BACKGROUND_DIVIDE;
    set_frame_caps (pair.h, &frame);
    for (guint n = 0; n < 4; n++, frame.seed++) {
      if (n % 2 == 0) {
        CtrImage picture;
        guint8 *pixels = g_malloc (90 * 46 * 2);

        background.seed = 900 + n / 2;
        picture = (CtrImage){.data = pixels,
            .stride = 90 << wide,
            .width = 90,
            .height = 46,
            .format = wide ? CTR_FORMAT_GRAY16 : CTR_FORMAT_GRAY8};
        for (guint y = 0; y < 46; y++)
          for (guint x = 0; x < 90u << wide; x++)
            pixels[y * (90u << wide) + x] = frame_byte (background.seed, 0, x, y);
        fail_unless (ctr_background_set_picture (pair.core, &picture, NULL));
        g_free (pixels);
      }
      if (n == 2)
        g_object_set (pair.h->element, "location", other, NULL);
      fail_unless (check_frame (&pair, &frame) > 0);
    }
    pair_free (&pair);
    g_free (line);
    g_unlink (path);
    g_unlink (other);
    g_free (path);
    g_free (other);
  }
  g_rmdir (folder);
  g_free (folder);
}

GST_END_TEST;

GST_START_TEST (test_file_refused)
{
  TestFrame frame = {GST_VIDEO_FORMAT_NV12, 90, 46, .seed = 5};
  gchar *folder = g_dir_make_tmp ("background-XXXXXX", NULL);
  gchar *paths[5];
  static const gchar *mentions[] = {"has 91 x 46 pixels, but the frames have 90 x 46",
      "samples of 16 bits, but 8 are needed", "has colours", "is not a PNG picture", "is not a PNG picture"};

  paths[0] = write_png (folder, "size.png", 91, 46, PNG_FORMAT_GRAY, 1);
  paths[1] = write_png (folder, "depth.png", 90, 46, PNG_FORMAT_LINEAR_Y, 1);
  paths[2] = write_png (folder, "colour.png", 90, 46, PNG_FORMAT_RGB, 1);
  paths[3] = g_build_filename (folder, "text.png", NULL);
  fail_unless (g_file_set_contents (paths[3], "no picture", -1, NULL));
  paths[4] = write_png (folder, "short.png", 90, 46, PNG_FORMAT_GRAY, 1);
  fail_unless_equals_int (truncate (paths[4], 400), 0);
  for (guint i = 0; i < G_N_ELEMENTS (paths); i++) {
    gchar *line = g_strdup_printf ("cudabackground model=file location=%s", paths[i]);

    check_refusal (line, &frame, mentions[i]);
    g_unlink (paths[i]);
    g_free (line);
    g_free (paths[i]);
  }
  check_refusal ("cudabackground model=file location=/nowhere/at/all.png", &frame, "cannot be opened");
  g_rmdir (folder);
  g_free (folder);
}

GST_END_TEST;
#else
GST_START_TEST (test_file_refused)
{
  TestFrame frame = {GST_VIDEO_FORMAT_NV12, 90, 46, .seed = 5};

  check_refusal ("cudabackground model=file location=/nowhere/at/all.png", &frame, "-Dpng=enabled");
}

GST_END_TEST;
#endif

GST_START_TEST (test_no_file)
{
  TestFrame frame = {GST_VIDEO_FORMAT_NV12, 90, 46, .seed = 5};

  check_refusal ("cudabackground model=file", &frame, "set location");
}

GST_END_TEST;

/* The model is set by name. */
GST_START_TEST (test_names)
{
  Pair pair = pair_new ("cudabackground", NULL);
  gint model, mode;

  set_enum (&pair, "model", "median");
  set_enum (&pair, "mode", "divide");
  g_object_get (pair.h->element, "model", &model, "mode", &mode, NULL);
  fail_unless (model == CTR_BACKGROUND_MEDIAN && mode == CTR_BACKGROUND_DIVIDE);
  pair_free (&pair);
}

GST_END_TEST;

static Suite *
cudabackground_suite (void)
{
  Suite *s = suite_create ("cudabackground");
  TCase *tc = tcase_create (test_in_cuda_memory () ? "cuda-memory" : test_backend ());

  skip_without_gpu ();
  suite_add_tcase (s, tc);
  tcase_set_timeout (tc, 120);
  tcase_add_test (tc, test_formats_all);
  tcase_add_test (tc, test_properties_live);
  tcase_add_test (tc, test_renewal);
  tcase_add_test (tc, test_persistence);
#ifdef HAVE_GST_CUDA
  if (test_in_cuda_memory ())
    tcase_add_test (tc, test_contexts);
#endif
#ifdef HAVE_PNG
  tcase_add_test (tc, test_file);
#endif
  tcase_add_test (tc, test_file_refused);
  tcase_add_test (tc, test_no_file);
  tcase_add_test (tc, test_names);
  return s;
}

GST_CHECK_MAIN (cudabackground);

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* This program tests formats of cameras: a frame has the result of the same picture that GStreamer's converter has made
 * grey. It runs once for each backend and memory (CTR_TEST_BACKEND, CTR_TEST_MEMORY). */
#include "contours.h"

/* Formats of 8 bits with chroma. */
static const GstVideoFormat formats[] = {GST_VIDEO_FORMAT_YUY2, GST_VIDEO_FORMAT_UYVY, GST_VIDEO_FORMAT_YVYU,
    GST_VIDEO_FORMAT_VYUY, GST_VIDEO_FORMAT_NV16, GST_VIDEO_FORMAT_NV61, GST_VIDEO_FORMAT_NV24, GST_VIDEO_FORMAT_Y41B,
    GST_VIDEO_FORMAT_NV12, GST_VIDEO_FORMAT_Y42B, GST_VIDEO_FORMAT_Y444};

static gboolean
runs (GstVideoFormat video)
{
  for (guint i = 0; i < G_N_ELEMENTS (test_formats); i++)
    if (test_formats[i].video == video)
      return format_runs (&test_formats[i]);
  return FALSE;
}

/* FRAME in system memory, as a GRAY8 buffer that the converter of videoconvert makes. */
static GstBuffer *
convert_to_grey (const TestFrame *frame, GstVideoInfo *grey)
{
  GstBuffer *in = make_system_frame (frame), *out;
  GstVideoFrame from, to;
  GstVideoConverter *converter;
  GstVideoInfo info;

  gst_video_info_set_format (&info, frame->format, frame->width, frame->height);
  gst_video_info_set_format (grey, GST_VIDEO_FORMAT_GRAY8, frame->width, frame->height);
  grey->colorimetry = info.colorimetry; /* Otherwise the range of the samples is stretched. */
  out = gst_buffer_new_allocate (NULL, GST_VIDEO_INFO_SIZE (grey), NULL);
  converter = gst_video_converter_new (&info, grey,
      gst_structure_new ("options", GST_VIDEO_CONVERTER_OPT_MATRIX_MODE, GST_TYPE_VIDEO_MATRIX_MODE,
          GST_VIDEO_MATRIX_MODE_NONE, GST_VIDEO_CONVERTER_OPT_DITHER_METHOD, GST_TYPE_VIDEO_DITHER_METHOD,
          GST_VIDEO_DITHER_NONE, NULL));
  fail_unless (converter != NULL);
  fail_unless (gst_video_frame_map (&from, &info, in, GST_MAP_READ));
  fail_unless (gst_video_frame_map (&to, grey, out, GST_MAP_WRITE));
  gst_video_converter_frame (converter, &from, &to);
  gst_video_frame_unmap (&to);
  gst_video_frame_unmap (&from);
  gst_video_converter_free (converter);
  gst_buffer_unref (in);
  return out;
}

/* The points of all contours in BUFFER, which is freed, and the threshold. */
static GByteArray *
take_result (GstBuffer *buffer)
{
  GstContoursContourMeta *meta = gst_buffer_get_contours_contour_meta (buffer);
  GByteArray *result = g_byte_array_new ();
  CtrContours *contours;

  fail_unless (meta != NULL);
  contours = gst_contours_contour_meta_peek_contours (meta);
  fail_unless (ctr_contours_wait (contours, NULL));
  g_byte_array_append (result, (const guint8 *) &contours->threshold, sizeof contours->threshold);
  g_byte_array_append (
      result, (const guint8 *) ctr_contours_map_points (contours, NULL), contours->point_count * sizeof (CtrPoint));
  gst_buffer_unref (buffer);
  return result;
}

/* The result of the host backend for a grey buffer. */
static GByteArray *
result_of_grey (const gchar *line, GstBuffer *buffer, const GstVideoInfo *grey)
{
  gchar *on_host = g_strdup_printf ("%s backend=cpu", line);
  GstHarness *h = gst_harness_new_parse (on_host);
  GByteArray *result;

  gst_harness_set_src_caps (h, gst_video_info_to_caps (grey));
  fail_unless_equals_int (gst_harness_push (h, buffer), GST_FLOW_OK);
  result = take_result (gst_harness_pull (h));
  gst_harness_teardown (h);
  g_free (on_host);
  return result;
}

static void
compare (const gchar *line, const TestFrame *frame)
{
  GstVideoInfo grey;
  GstBuffer *converted = convert_to_grey (frame, &grey);
  GByteArray *expected = result_of_grey (line, converted, &grey), *found;
  GstHarness *h = new_harness (line);

  set_frame_caps (h, frame);
  found = take_result (pass_frame (h, frame));
  if (found->len != expected->len || memcmp (found->data, expected->data, found->len) != 0) {
    gchar *text = describe_frame (frame);

    ck_abort_msg (
        "%s, %s: %u bytes of results, not those %u of the grey picture", line, text, found->len, expected->len);
  }
  fail_unless (found->len > 40, "%s: %u bytes", line, found->len);
  g_byte_array_unref (found);
  g_byte_array_unref (expected);
  gst_harness_teardown (h);
}

/* Odd sizes, sizes around those of vectors, and rows with padding. libgstcuda 1.22 lays out odd heights wrongly. */
GST_START_TEST (test_results_are_those_of_grey)
{
  static const gint widths[] = {64, 131, 63, 33, 97, 66};
  static const gchar *const lines[] = {"cudaborders threshold=128", "cudaborders threshold-mode=otsu",
      "cudaborders threshold-mode=adaptive-mean block-size=9", "cudacrackcontour levels=90,160",
      "cudaborders threshold-mode=triangle region=3,5,25,20"};

  for (guint f = 0; f < G_N_ELEMENTS (formats); f++)
    for (guint w = 0; w < G_N_ELEMENTS (widths) && runs (formats[f]); w++)
      for (guint i = 0; i < G_N_ELEMENTS (lines); i++) {
        const TestFrame frame = {formats[f], widths[w], 36, .padding = test_in_cuda_memory () ? 0 : w % 3 * 6,
            .offset = test_in_cuda_memory () ? 0 : w % 2 * 10, .fill = -1, .seed = 10 * f + w};

        compare (lines[i], &frame);
      }
}

GST_END_TEST;

/* Runs LINE to its end, and returns how many frames its sink has got. */
static guint
count_frames (const gchar *line)
{
  GstElement *pipeline = gst_parse_launch (line, NULL), *sink;
  GstBus *bus = gst_element_get_bus (pipeline);
  GstMessage *message;
  GstStructure *stats = NULL;
  guint64 rendered = 0;

  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  message = gst_bus_timed_pop_filtered (bus, 60 * GST_SECOND, GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
  fail_unless (message && GST_MESSAGE_TYPE (message) == GST_MESSAGE_EOS, "%s", line);
  gst_message_unref (message);
  sink = gst_bin_get_by_name (GST_BIN (pipeline), "sink");
  g_object_get (sink, "stats", &stats, NULL);
  gst_structure_get_uint64 (stats, "rendered", &rendered);
  gst_structure_free (stats);
  gst_object_unref (sink);
  gst_element_set_state (pipeline, GST_STATE_NULL);
  gst_object_unref (bus);
  gst_object_unref (pipeline);
  return rendered;
}

/* The caps of v4l2src: what a UVC camera offers, and a frame grabber of interlaced video. A camera that offers only packed
 * YUV and MJPEG needs no videoconvert. */
GST_START_TEST (test_caps_of_cameras)
{
  static const gchar *const sources[] = {
      "video/x-raw,format=YUY2,width=640,height=480,framerate=30/1,colorimetry=2:4:7:1,interlace-mode=progressive",
      "video/x-raw,format=UYVY,width=720,height=576,framerate=25/1,colorimetry=bt601,interlace-mode=interleaved,"
      "pixel-aspect-ratio=16/15",
      "video/x-raw,format=NV16,width=640,height=480,framerate=30/1 ! identity",
      "video/x-raw,format=I420,width=640,height=480,framerate=30/1 ! jpegenc ! image/jpeg,width=640,height=480 ! "
      "jpegdec"};

  for (guint i = 0; i < G_N_ELEMENTS (sources); i++) {
    gchar *line = g_strdup_printf ("videotestsrc pattern=ball num-buffers=5 ! %s ! cudaborders threshold-mode=otsu "
                                   "backend=%s ! fakesink name=sink",
        sources[i], test_backend ());

    fail_unless_equals_int (count_frames (line), 5);
    g_free (line);
  }
}

GST_END_TEST;

/* The mosaic of a colour camera is a grey picture by other caps: its rows have the same padding. */
GST_START_TEST (test_bayer_as_grey)
{
  gchar *line = g_strdup_printf (
      "videotestsrc pattern=ball num-buffers=5 ! "
      "video/x-bayer,format=bggr,width=321,height=241,framerate=30/1 ! capssetter join=false replace=true "
      "caps=video/x-raw,format=GRAY8,width=321,height=241,framerate=30/1 ! cudaborders "
      "threshold-mode=otsu backend=%s ! fakesink name=sink",
      test_backend ());

  fail_unless_equals_int (count_frames (line), 5);
  g_free (line);
}

GST_END_TEST;

static gboolean
have_element (const gchar *name)
{
  GstElementFactory *factory = gst_element_factory_find (name);
  const gboolean found = factory != NULL;

  gst_clear_object (&factory);
  return found;
}

static Suite *
formats_suite (void)
{
  Suite *suite = suite_create ("formats");
  TCase *tc = tcase_create (test_in_cuda_memory () ? "cuda-memory" : test_backend ());
  const gboolean plays = !test_in_cuda_memory () && have_element ("videotestsrc");

  tcase_set_timeout (tc, 120);
  suite_add_tcase (suite, tc);
  tcase_add_test (tc, test_results_are_those_of_grey);
  if (plays && have_element ("jpegdec"))
    tcase_add_test (tc, test_caps_of_cameras);
  if (plays && have_element ("capssetter"))
    tcase_add_test (tc, test_bayer_as_grey);
  return suite;
}

int
main (int argc, char **argv)
{
  skip_without_gpu ();
  gst_check_init (&argc, &argv);
  return gst_check_run_suite (formats_suite (), "formats", __FILE__);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Metadata as bytes: what another process gets is what was sent, to the last byte of what contourexport writes. */
#include <math.h>
#include "exporting.h"

static SampleGpu gpu;

/* A frame with components and contours, which was scaled since, so that the mapping is not the identity. */
static GstBuffer *
frame_new (void)
{
  GstBuffer *frame = sample_buffer ();
  GST_BUFFER_PTS (frame) = 7 * GST_MSECOND;
  GST_BUFFER_FLAG_SET (frame, GST_BUFFER_FLAG_CORRUPTED);
  sample_attach (frame, SAMPLE_ALL, "Teile \xc3\xbc");
  GstContoursContourMeta *contours =
      sample_attach_contours (frame, &gpu, CTR_CONTOUR_FEATURE_MOMENTS, CTR_COORDINATES_PIXELS, NULL);
  const CtrCalibration model = {.width = SAMPLE_WIDTH,
      .height = SAMPLE_HEIGHT,
      .has_camera = true,
      .fx = 9,
      .fy = 9.5,
      .cx = 4,
      .cy = 3,
      .distortion = {-0.1, 0.02},
      .has_homography = true,
      .homography = {0.5, 0, -1, 0, 0.5, -1, 0.01, 0, 1},
      .unit = "mm"};
  GstContoursCalibration *calibration = gst_contours_calibration_new (&model, NULL);
  fail_unless (calibration != NULL);
  gst_contours_contour_meta_set_calibration (contours, calibration);
  gst_contours_calibration_unref (calibration);
  gst_contours_contour_meta_add_class (contours, 70000, "Schraube \xc3\xbc");
  gst_contours_contour_meta_add_class (contours, 3, "other");
  gst_contours_contour_meta_add_class (contours, 3, "nut");
  GstBuffer *scaled = sample_send ("videoscale ! video/x-raw,width=16,height=18", frame);
  fail_unless (gst_buffer_get_contours_component_meta (scaled) && gst_buffer_get_contours_contour_meta (scaled));
  return scaled;
}

static GBytes *
serialize (GstMeta *meta)
{
  GError *error = NULL;
  GBytes *bytes = meta->info == GST_CONTOURS_CONTOUR_META_INFO
                      ? gst_contours_contour_meta_serialize ((GstContoursContourMeta *) meta, &error)
                      : gst_contours_component_meta_serialize ((GstContoursComponentMeta *) meta, &error);
  g_assert_no_error (error);
  return bytes;
}

/* What contourexport writes of FRAME. */
static gchar *
exported (GstBuffer *frame)
{
  GstBus *bus;
  GstElement *element = make_in_folder ("frame.ndjson", NDJSON, &bus);
  GstHarness *h = gst_harness_new_with_element (element, "sink", "src");
  sample_play_file (h);
  gst_harness_set_src_caps_str (h, "video/x-raw,format=GRAY8,width=16,height=18,framerate=25/1");
  fail_unless_equals_int (gst_harness_push (h, gst_buffer_ref (frame)), GST_FLOW_OK);
  finish (h, element, bus);
  return read_file ("frame.ndjson");
}

static GstBuffer *
empty_copy (GstBuffer *frame)
{
  GstBuffer *copy = gst_buffer_new ();
  gst_buffer_copy_into (copy, frame, GST_BUFFER_COPY_TIMESTAMPS | GST_BUFFER_COPY_FLAGS, 0, -1);
  return copy;
}

static void
check_same (GstBuffer *sent, GstBuffer *received)
{
  gchar *expected = exported (sent), *actual = exported (received);
  fail_unless_equals_string (actual, expected);
  g_free (expected);
  g_free (actual);
  gpointer states[2] = {NULL, NULL};
  for (GstMeta *a, *b; (a = gst_buffer_iterate_meta (sent, &states[0]));) {
    if (a->info != GST_CONTOURS_CONTOUR_META_INFO && a->info != GST_CONTOURS_COMPONENT_META_INFO)
      continue;
    b = gst_buffer_iterate_meta (received, &states[1]);
    fail_unless (b && b->info == a->info);
    GBytes *x = serialize (a), *y = serialize (b);
    fail_unless (g_bytes_equal (x, y));
    g_bytes_unref (x);
    g_bytes_unref (y);
  }
}

GST_START_TEST (test_there_and_back)
{
  GstBuffer *sent = frame_new (), *received = empty_copy (sent);
  gpointer state = NULL;
  for (GstMeta *meta; (meta = gst_buffer_iterate_meta (sent, &state));) {
    if (meta->info != GST_CONTOURS_CONTOUR_META_INFO && meta->info != GST_CONTOURS_COMPONENT_META_INFO)
      continue;
    GBytes *bytes = serialize (meta);
    GError *error = NULL;
    fail_unless (gst_buffer_deserialize_contours_meta (received, bytes, &error));
    g_assert_no_error (error);
    g_bytes_unref (bytes);
  }
  check_same (sent, received);
  GstContoursComponentMeta *components = gst_buffer_get_contours_component_meta (received);
  fail_unless_equals_string (gst_contours_component_meta_get_source (components), "Teile \xc3\xbc");
  fail_unless (gst_contours_component_meta_get_flags (components) & GST_CONTOURS_RESULT_FLAG_CORRUPTED);
  fail_unless_equals_string (gst_contours_calibration_get_unit (gst_contours_contour_meta_get_calibration (
                                 gst_buffer_get_contours_contour_meta (received))),
      "mm");
  fail_unless_equals_string (
      gst_contours_contour_meta_get_source (gst_buffer_get_contours_contour_meta (received)), NULL);
  GstContoursContourMeta *contours = gst_buffer_get_contours_contour_meta (received);
  fail_unless_equals_string (gst_contours_contour_meta_get_class_name (contours, 3), "nut");
  fail_unless_equals_string (gst_contours_contour_meta_get_class_name (contours, 70000), "Schraube \xc3\xbc");
  fail_unless (gst_contours_contour_meta_get_class_name (contours, 4) == NULL);
  fail_unless (gst_contours_component_meta_get_class_name (components, 3) == NULL);
  gst_buffer_unref (sent);
  gst_buffer_unref (received);
}
GST_END_TEST;

/* Whatever is missing or changed, nothing is attached, and the error says so. */
GST_START_TEST (test_damaged)
{
  GstBuffer *sent = frame_new (), *received = empty_copy (sent);
  gsize size;
  GBytes *whole = serialize ((GstMeta *) gst_buffer_get_contours_contour_meta (sent));
  const guint8 *bytes = g_bytes_get_data (whole, &size);
  for (gsize length = 0; length < size; length++) {
    GError *error = NULL;
    GBytes *part = g_bytes_new (bytes, length);
    fail_if (gst_buffer_deserialize_contours_meta (received, part, &error));
    g_assert_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_DECODE);
    g_clear_error (&error);
    g_bytes_unref (part);
  }
  guint refused = 0;
  for (gsize at = 0; at < size; at++) {
    guint8 *changed = g_memdup2 (bytes, size);
    changed[at] ^= 0x81;
    GBytes *other = g_bytes_new_take (changed, size);
    GError *error = NULL;
    if (!gst_buffer_deserialize_contours_meta (received, other, &error)) {
      refused++;
      g_assert_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_DECODE);
    }
    g_clear_error (&error);
    g_bytes_unref (other);
  }
  /* Only numbers of the mapping, flags, the first row, the calibration and the classes can have another value. */
  fail_unless (refused >= size - 80 - 256 - 22, "%u of %" G_GSIZE_FORMAT, refused, size);
  g_bytes_unref (whole);
  gst_buffer_unref (sent);
  gst_buffer_unref (received);
}
GST_END_TEST;

/* Numbers of a mapping that nobody can draw with would give coordinates that are not finite. */
GST_START_TEST (test_mapping)
{
  static const struct {
    guint at; /* which of the six numbers */
    gdouble most;
  } cases[] = {{0, 131072}, {1, 131072}, {2, 2147483648.0}, {3, 131072}, {4, 131072}, {5, 2147483648.0}};
  GstBuffer *sent = sample_buffer (), *received = gst_buffer_new ();
  GBytes *whole = gst_contours_component_meta_serialize (sample_attach (sent, SAMPLE_ALL, "finder"), NULL);
  gsize size;
  gconstpointer bytes = g_bytes_get_data (whole, &size);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    for (guint k = 0; k < 4; k++) {
      const gdouble limit = k % 2 ? -cases[i].most : cases[i].most, number = k < 2 ? limit : nextafter (limit, 0);
      guint64 bits;
      memcpy (&bits, &number, sizeof bits);
      bits = GUINT64_TO_LE (bits);
      guint8 *changed = g_memdup2 (bytes, size);
      memcpy (changed + 64 + 8 * cases[i].at, &bits, sizeof bits);
      GBytes *other = g_bytes_new_take (changed, size);
      fail_unless_equals_int (gst_buffer_deserialize_contours_meta (received, other, NULL), k >= 2);
      g_bytes_unref (other);
    }
  g_bytes_unref (whole);
  gst_buffer_unref (sent);
  gst_buffer_unref (received);
}
GST_END_TEST;

GST_START_TEST (test_not_fetched)
{
  GstBuffer *frame = sample_buffer ();
  GstContoursContourMeta *meta =
      sample_attach_contours (frame, &gpu, CTR_CONTOUR_FEATURE_MOMENTS, CTR_COORDINATES_PIXELS, NULL);
  GError *error = NULL;
  gpu.broken = TRUE;
  fail_if (gst_contours_contour_meta_serialize (meta, &error));
  g_assert_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_READ);
  g_error_free (error);
  gst_buffer_unref (frame);
}
GST_END_TEST;

#if GST_CHECK_VERSION(1, 24, 0)
/* As unixfdsink and unixfdsrc do. */
GST_START_TEST (test_gstreamer)
{
  GstBuffer *sent = frame_new (), *received = empty_copy (sent);
  gpointer state = NULL;
  for (GstMeta *meta; (meta = gst_buffer_iterate_meta (sent, &state));) {
    if (meta->info != GST_CONTOURS_CONTOUR_META_INFO && meta->info != GST_CONTOURS_COMPONENT_META_INFO)
      continue;
    GByteArray *array = g_byte_array_new ();
    guint32 consumed = 0;
    fail_unless (gst_meta_serialize_simple (meta, array));
    fail_unless (gst_meta_deserialize (received, array->data, array->len, &consumed));
    assert_equals_uint64 (consumed, array->len);
    for (guint length = 7; length < array->len; length += 7) {
      GstBuffer *other = gst_buffer_new ();
      guint8 *part = g_memdup2 (array->data, length);
      gst_meta_deserialize (other, part, length, &consumed);
      fail_if (gst_buffer_get_contours_contour_meta (other) || gst_buffer_get_contours_component_meta (other));
      g_free (part);
      gst_buffer_unref (other);
    }
    g_byte_array_unref (array);
  }
  check_same (sent, received);
  gst_buffer_unref (sent);
  gst_buffer_unref (received);
}
GST_END_TEST;
#endif

static Suite *
serial_suite (void)
{
  Suite *suite = suite_create ("serial");
  TCase *cases = tcase_create ("serial");
  tcase_add_checked_fixture (cases, make_folder, remove_folder);
  tcase_add_test (cases, test_there_and_back);
  tcase_add_test (cases, test_damaged);
  tcase_add_test (cases, test_mapping);
  tcase_add_test (cases, test_not_fetched);
#if GST_CHECK_VERSION(1, 24, 0)
  tcase_add_test (cases, test_gstreamer);
#endif
  suite_add_tcase (suite, cases);
  return suite;
}

GST_CHECK_MAIN (serial);

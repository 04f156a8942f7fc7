/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* This program tests cudacanny: its edges equal those of GStreamer's edgedetect, cudacca finds their components, and
 * samples may have fewer significant bits than their format. It runs once for each backend and memory
 * (CTR_TEST_BACKEND, CTR_TEST_MEMORY). */
#include "components.h"
#include "cudacanny.h"
#include "parts.h"

/* cudacca finds the components of the edges in the picture that cudacanny makes. */
GST_START_TEST (test_components_of_edges)
{
  TestFrame frame = {GST_VIDEO_FORMAT_NV12, 160, 120, .seed = 16};
  gchar *line = g_strdup_printf ("cudacanny backend=%s ! cudacca backend=%s", test_backend (), test_backend ());
  GstHarness *h = new_harness_of_line (line);
  CtrCannyParams params = default_params ();
  guint8 *mask = expected_edges (&frame, &params);
  CtrImage image = {mask, frame.width, frame.width, frame.height, CTR_FORMAT_GRAY8, CTR_MEMORY_HOST, {0}};
  CtrCca *cca = ctr_cca_new (CTR_BACKEND_CPU, NULL);
  CtrComponents *expected;
  CtrCcaParams cca_params;
  GstBuffer *buffer;

  ctr_cca_params_init (&cca_params);
  expected = ctr_cca_run (cca, &image, &cca_params, NULL, NULL);
  fail_unless (expected->count > 10);
  set_frame_caps (h, &frame);
  fail_unless_equals_int (gst_harness_push (h, make_frame (&frame)), GST_FLOW_OK);
  buffer = gst_harness_pull (h);
  assert_edges_are (buffer, &frame, mask, FALSE);
  assert_same_components (gst_contours_component_meta_peek_components (gst_buffer_get_contours_component_meta (buffer)),
      expected, "of edges");
  gst_buffer_unref (buffer);
  ctr_components_unref (expected);
  ctr_cca_free (cca);
  g_free (mask);
  gst_harness_teardown (h);
  g_free (line);
}

GST_END_TEST;

/* Without blur, the result equals that of edgedetect, GStreamer's own Canny element. The test runs only where
 * edgedetect is installed. */
GST_START_TEST (test_edgedetect)
{
  TestFrame frame = {GST_VIDEO_FORMAT_RGB, 320, 240, .seed = 17};
  GstHarness *theirs = gst_harness_new ("edgedetect"), *ours = new_harness ("cudacanny sigma=0");
  static const gint thresholds[][2] = {{50, 150}, {0, 400}, {300, 100}, {1000, 1000}};

  set_frame_caps (theirs, &frame);
  set_frame_caps (ours, &frame);
  for (gint aperture = 3; aperture <= 7; aperture += 2)
    for (guint i = 0; i < G_N_ELEMENTS (thresholds); i++)
      for (guint mask = 0; mask < 2; mask++) {
        GstBuffer *their_buffer, *our_buffer;
        gsize their_size, our_size;
        guint8 *their_bytes, *our_bytes;

        gst_harness_set (theirs, "edgedetect", "aperture", aperture, "mask", mask, "threshold1", thresholds[i][0],
            "threshold2", thresholds[i][1], NULL);
        gst_harness_set (ours, "cudacanny", "aperture", aperture, "mask", mask, "low-threshold",
            (gdouble) thresholds[i][0], "high-threshold", (gdouble) thresholds[i][1], NULL);
        frame.seed++;
        their_buffer = gst_harness_push_and_pull (theirs, make_frame (&frame));
        our_buffer = gst_harness_push_and_pull (ours, make_frame (&frame));
        their_bytes = buffer_bytes (their_buffer, &their_size);
        our_bytes = buffer_bytes (our_buffer, &our_size);
        fail_unless (our_size == their_size && memcmp (our_bytes, their_bytes, our_size) == 0,
            "aperture %d, thresholds %d and %d, mask %u", aperture, thresholds[i][0], thresholds[i][1], mask);
        g_free (their_bytes);
        g_free (our_bytes);
        gst_buffer_unref (their_buffer);
        gst_buffer_unref (our_buffer);
      }
  gst_harness_teardown (theirs);
  gst_harness_teardown (ours);
}

GST_END_TEST;

/* Makes a square of value 400 on a background of 3000, as a 12-bit camera delivers it. SHIFT moves the samples to the
 * upper bits. */
static GstBuffer *
make_square (guint side, guint shift)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, side * side * 2, NULL);
  GstMapInfo map;

  gst_buffer_map (buffer, &map, GST_MAP_WRITE);
  for (guint y = 0; y < side; y++)
    for (guint x = 0; x < side; x++) {
      const gboolean inside = x >= side / 4 && x < side * 3 / 4 && y >= side / 4 && y < side * 3 / 4;

      GST_WRITE_UINT16_LE (map.data + (y * side + x) * 2, (inside ? 400 : 3000) << shift);
    }
  gst_buffer_unmap (buffer, &map);
  return buffer;
}

/* Did the element post an info message? Removes it from BUS. */
static gboolean
take_info (GstBus *bus)
{
  GstMessage *message = pop_message (bus, GST_MESSAGE_INFO);

  if (message)
    gst_message_unref (message);
  return message != NULL;
}

static guint8 *
edges_of_square (GstHarness *h, guint side, guint shift)
{
  GstBuffer *out;
  guint8 *bytes;
  gsize size;

  fail_unless_equals_int (gst_harness_push (h, make_square (side, shift)), GST_FLOW_OK);
  out = gst_harness_pull (h);
  bytes = buffer_bytes (out, &size);
  gst_buffer_unref (out);
  return bytes;
}

/* Samples in the lower bits yield the same edges as in the upper bits, whether the element detects the significant bits
 * or the property sets them. */
GST_START_TEST (test_significant_bits)
{
  const guint side = 64, bytes = side * side * 2;
  GstBus *bus = gst_bus_new ();
  GstHarness *h = new_harness_with_bus ("cudacanny", bus);
  guint8 *wanted, *found;
  guint edges = 0;

  if (test_in_cuda_memory ())
    goto done; /* CUDA memory has no GRAY16_LE */
  gst_harness_set_src_caps_str (h, "video/x-raw,format=GRAY16_LE,width=64,height=64,framerate=25/1");
  /* So far the element has seen 12 bits. */
  found = edges_of_square (h, side, 0);
  fail_unless (take_info (bus));
  /* These frames use 16 bits. */
  wanted = edges_of_square (h, side, 4);
  fail_unless (take_info (bus));
  for (guint i = 0; i < bytes; i++)
    edges += wanted[i] != 0;
  fail_unless (edges > 2 * 4 * side / 4, "%u", edges);
  fail_unless (memcmp (found, wanted, bytes) == 0);
  g_free (found);
  /* The number of bits never decreases in a stream: a step of 2600 / 256 is no edge. */
  found = edges_of_square (h, side, 0);
  for (guint i = 0; i < bytes; i++)
    fail_unless_equals_int (found[i], 0);
  g_free (found);
  fail_if (take_info (bus));
  /* The property sets the number of bits. */
  g_object_set (h->element, "significant-bits", 12, NULL);
  found = edges_of_square (h, side, 0);
  fail_unless (memcmp (found, wanted, bytes) == 0);
  g_free (found);
  /* A new stream resets the detection. */
  g_object_set (h->element, "significant-bits", 0, NULL);
  fail_unless (gst_harness_push_event (h, gst_event_new_stream_start ("other")));
  gst_harness_set_src_caps_str (h, "video/x-raw,format=GRAY16_LE,width=64,height=64,framerate=25/1");
  found = edges_of_square (h, side, 0);
  fail_unless (memcmp (found, wanted, bytes) == 0);
  g_free (found);
  g_free (wanted);
done:
  gst_element_set_bus (h->element, NULL);
  gst_object_unref (bus);
  gst_harness_teardown (h);
}

GST_END_TEST;

static Suite *
cudacanny_suite (void)
{
  Suite *s = suite_create ("cudacanny");
  GstElementFactory *edgedetect = gst_element_factory_find ("edgedetect");
  TCase *tc = tcase_create (test_in_cuda_memory () ? "cuda-memory" : test_backend ());

  skip_without_gpu ();
  suite_add_tcase (s, tc);
  tcase_set_timeout (tc, 120);
  add_cudacanny_picture_tests (tc);
  add_cudacanny_output_tests (tc);
  add_cudacanny_property_tests (tc);
  add_cudacanny_contour_tests (tc);
  tcase_add_test (tc, test_components_of_edges);
  tcase_add_test (tc, test_significant_bits);
  if (edgedetect && !test_in_cuda_memory ())
    tcase_add_test (tc, test_edgedetect);
  g_clear_object (&edgedetect);
  return s;
}

GST_CHECK_MAIN (cudacanny);

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* These tests check cudacanny's contours: the chains of its edges. */
#include "contours.h"
#include "cudacanny.h"
#include "parts.h"

#include <math.h>

/* The chains that the core's host backend finds in the edges of FRAME, without subpixels if SIGMA is 0. */
static CtrContours *
expected_chains (const TestFrame *frame, const CtrCannyParams *params, gdouble min_length, gdouble sigma)
{
  guint8 *mask = expected_edges (frame, params), *pixels;
  const CtrImage edges = {mask, frame->width, frame->width, frame->height, CTR_FORMAT_GRAY8, CTR_MEMORY_HOST, {0}};
  const CtrImage image = all_planes (frame, &pixels);
  const CtrEdgeChainsParams chains_params = {.min_length = min_length,
      .subpixel = sigma > 0 ? CTR_SUBPIXEL_EDGE : CTR_SUBPIXEL_NONE,
      .subpixel_sigma = sigma,
      .image = &image};
  CtrError error = {0};
  CtrEdgeChains *chains = ctr_edge_chains_new (CTR_BACKEND_CPU, &error);
  CtrContours *contours = ctr_edge_chains_run (chains, &edges, &chains_params, NULL, &error);

  fail_unless (contours != NULL, "%s", error.message);
  ctr_edge_chains_free (chains);
  g_free (mask);
  g_free (pixels);
  return contours;
}

/* Every format has the same edges as without contours, and their chains, whose subpixels are those of the frame. */
GST_START_TEST (test_contours_all_formats)
{
  for (guint i = 0; i < G_N_ELEMENTS (test_formats); i++) {
    CtrCannyParams params = default_params ();
    GstHarness *h;

    if (!format_runs (&test_formats[i]))
      continue;
    h = new_harness ("cudacanny sigma=1 contours=true");
    params.sigma = 1;
    /* The second frame is larger, and the third smaller. */
    for (guint k = 0; k < 4; k++) {
      static const gdouble sigmas[] = {0, 1, 2.5, 0.5};
      TestFrame frame = {test_formats[i].video, k == 1 ? 200 : 130 - 2 * k, 74 + 2 * k, .seed = i + k};
      const gdouble min_length = k == 2 ? 6.5 : 0;
      GstBuffer *out;

      set_frame_caps (h, &frame);
      gst_harness_set (h, "cudacanny", "min-length", min_length, "output", k == 2 ? 1 : 0, "subpixel",
          k > 0 ? CTR_SUBPIXEL_EDGE : CTR_SUBPIXEL_NONE, "subpixel-sigma", k > 0 ? sigmas[k] : 1, NULL);
      fail_unless_equals_int (gst_harness_push (h, make_frame (&frame)), GST_FLOW_OK);
      out = gst_harness_pull (h);
      assert_edges (out, &frame, &params, k == 2);
      assert_carries (out, NULL, &frame, expected_chains (&frame, &params, min_length, sigmas[k]));
      gst_buffer_unref (out);
    }
    gst_harness_teardown (h);
  }
}

GST_END_TEST;

/* The metadata has the places of the edges, and normals that go to the bright side. */
static void
assert_subpixels (GstContoursContourMeta *meta, CtrContours *expected)
{
  const CtrContour *table = ctr_contours_map_table (expected, NULL);
  const CtrSubpixelPoint *points = ctr_contours_map_subpixel (expected, NULL);
  GstContoursSubpixel s;
  guint refined = 0, all = 0;

  for (guint i = 0; i < expected->count; i++)
    for (guint k = 0; k < table[i].count; k++) {
      const CtrSubpixelPoint *point = &points[table[i].first + k];
      const gdouble angle = point->normal * 2 * G_PI / 65536;

      fail_unless (gst_contours_contour_meta_get_subpixel (meta, i, k, &s));
      fail_unless (s.x == point->x / 256.0 && s.y == point->y / 256.0 && s.strength == point->strength / 256.0);
      fail_unless (s.flags == point->flags);
      if (s.flags & GST_CONTOURS_SUBPIXEL_FLAG_LONE)
        fail_unless (s.normal_x == 0 && s.normal_y == 0);
      else
        fail_unless (ABS (s.normal_x - cos (angle)) < 1e-5 && ABS (s.normal_y - sin (angle)) < 1e-5);
      refined += s.flags == GST_CONTOURS_SUBPIXEL_FLAG_NONE;
      all++;
    }
  fail_unless (refined > all / 2 && all > 100, "%u of %u points are refined", refined, all);
}

/* The metadata tells open from closed chains, and junctions from free ends. */
GST_START_TEST (test_contours_of_meta)
{
  TestFrame frame = {GST_VIDEO_FORMAT_NV12, 160, 120, .seed = 5};
  CtrCannyParams params = default_params ();
  GstHarness *h = new_harness ("cudacanny sigma=1 contours=true subpixel=edge name=edges");
  CtrContours *expected;
  const CtrContour *table;
  GstContoursContourMeta *meta;
  GstContoursContour c;
  guint open = 0, junctions = 0;
  GstBuffer *out;

  params.sigma = 1;
  expected = expected_chains (&frame, &params, 0, 1);
  table = ctr_contours_map_table (expected, NULL);
  set_frame_caps (h, &frame);
  fail_unless_equals_int (gst_harness_push (h, make_frame (&frame)), GST_FLOW_OK);
  out = gst_harness_pull (h);
  meta = gst_buffer_get_contours_contour_meta_by_source (out, "edges");
  fail_unless (meta != NULL);
  fail_unless (gst_contours_contour_meta_has_edge_chains (meta));
  fail_unless (gst_contours_contour_meta_has_codes (meta));
  fail_unless (gst_contours_contour_meta_has_subpixel (meta));
  fail_unless_equals_int (gst_contours_contour_meta_get_flags (meta), GST_CONTOURS_RESULT_FLAG_NONE);
  fail_unless_equals_int (gst_contours_contour_meta_get_count (meta), expected->count);
  for (guint i = 0; gst_contours_contour_meta_get_contour (meta, i, &c); i++) {
    const guint flags = table[i].flags;

    fail_unless_equals_int (c.open, (flags & CTR_CONTOUR_OPEN) != 0);
    fail_unless_equals_int (c.start_junction, (flags & CTR_CONTOUR_START_JUNCTION) != 0);
    fail_unless_equals_int (c.end_junction, (flags & CTR_CONTOUR_END_JUNCTION) != 0);
    fail_unless (!c.unfinished && !c.hole && (!c.open || c.area == 0));
    open += c.open;
    junctions += c.start_junction + c.end_junction;
  }
  assert_subpixels (meta, expected);
  fail_unless (open > 10 && junctions > 10, "%u open chains, %u junctions", open, junctions);
  gst_buffer_unref (out);
  /* Without the property, there are none. */
  gst_harness_set (h, "cudacanny", "contours", FALSE, NULL);
  fail_unless_equals_int (gst_harness_push (h, make_frame (&frame)), GST_FLOW_OK);
  out = gst_harness_pull (h);
  fail_unless (gst_buffer_get_contours_contour_meta (out) == NULL);
  gst_buffer_unref (out);
  ctr_contours_unref (expected);
  gst_harness_teardown (h);
}

GST_END_TEST;

/* Outputs that show a step before the edges have no chains. */
GST_START_TEST (test_contours_refused)
{
  TestFrame frame = {GST_VIDEO_FORMAT_NV12, 64, 48, .seed = 3};
  GstHarness *h = new_harness ("cudacanny contours=true output=gradient");
  GstBus *bus = gst_bus_new ();
  GstMessage *message;
  GError *error = NULL;
  gchar *debug = NULL;

  gst_element_set_bus (h->element, bus);
  set_frame_caps (h, &frame);
  fail_unless_equals_int (gst_harness_push (h, make_frame (&frame)), GST_FLOW_ERROR);
  message = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR);
  fail_unless (message != NULL);
  gst_message_parse_error (message, &error, &debug);
  fail_unless (strstr (error->message, "contours=true needs output=edges"), "%s", error->message);
  g_error_free (error);
  g_free (debug);
  gst_message_unref (message);
  gst_element_set_bus (h->element, NULL);
  gst_object_unref (bus);
  gst_harness_teardown (h);
}

GST_END_TEST;

void
add_cudacanny_contour_tests (TCase *tc)
{
  tcase_add_test (tc, test_contours_all_formats);
  tcase_add_test (tc, test_contours_of_meta);
  tcase_add_test (tc, test_contours_refused);
}

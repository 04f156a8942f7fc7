/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a GstContoursContourMeta says of the regions its contours part: values, other frames, text, and when it is
 * fetched. */
#include <gst/check/gstcheck.h>
#include <math.h>
#include <string.h>

#include "contourset.h"
#include "expected.h"

/* Two outlines of three objects: 4 samples 1 3 5 7 in 10 of 2, and a pixel of 65535 in two of 0. */
static const CtrContour table[] = {
    {.first = 0,
        .area2 = 8,
        .length = 8 << 23,
        .count = 4,
        .next = 1,
        .previous = -1,
        .child = -1,
        .parent = -1,
        .left = 1,
        .top = 1,
        .width = 2,
        .height = 2},
    {.first = 4,
        .area2 = 1,
        .length = 3 << 23,
        .count = 3,
        .next = -1,
        .previous = 0,
        .child = -1,
        .parent = -1,
        .left = 5,
        .top = 3,
        .width = 1,
        .height = 1},
};
static const CtrPoint points[] = {{1, 1}, {3, 1}, {3, 3}, {1, 3}, {5, 3}, {6, 3}, {5, 4}};
static const CtrSnakeRegion regions[] = {
    {.object = 0,
        .flags = CTR_SNAKE_CONVERGED,
        .iterations = 17,
        .inside_count = 4,
        .inside_sum = 16,
        .inside_sum2 = 84,
        .outside_count = 10,
        .outside_sum = 20,
        .outside_sum2 = 40,
        .criterion = -7.25,
        .gain = 3.5},
    {.object = 2,
        .flags = CTR_SNAKE_RESTARTED,
        .iterations = 4000000000,
        .inside_count = 1,
        .inside_sum = 65535,
        .inside_sum2 = 65535u * 65535u,
        .outside_count = 2,
        .criterion = 0,
        .gain = 0.125},
};
static const ContourSet set = {
    .info = {.width = SAMPLE_WIDTH,
        .height = SAMPLE_HEIGHT,
        .count = 2,
        .point_count = 7,
        .coordinates = CTR_COORDINATES_CORNERS,
        .features = CTR_CONTOUR_FEATURE_REGIONS},
    .table = table,
    .points = points,
    .array = CTR_CONTOURS_REGIONS,
    .rows = regions,
};

/* A frame with the outlines. */
static GstBuffer *
make_outlines (void)
{
  return attach_contours (contour_set_new (&set, NULL), "snake");
}

static void
check_values (GstContoursContourMeta *meta)
{
  GstContoursRegion r;
  fail_unless (gst_contours_contour_meta_has_regions (meta));
  assert_equals_int (gst_contours_contour_meta_get_features (meta), 0);
  fail_unless (gst_contours_contour_meta_get_region (meta, 0, &r));
  assert_equals_int (r.object, 0);
  fail_unless (r.converged == TRUE && r.restarted == FALSE);
  assert_equals_int (r.iterations, 17);
  assert_equals_uint64 (r.inside_count, 4);
  assert_equals_float (r.inside_mean, 4.0);
  assert_equals_float (r.inside_variance, 5.0);
  assert_equals_uint64 (r.outside_count, 10);
  assert_equals_float (r.outside_mean, 2.0);
  assert_equals_float (r.outside_variance, 0.0);
  assert_equals_float (r.criterion, -7.25);
  assert_equals_float (r.gain, 3.5);
  fail_unless (gst_contours_contour_meta_get_region (meta, 1, &r));
  assert_equals_int (r.object, 2);
  fail_unless (r.converged == FALSE && r.restarted == TRUE);
  assert_equals_uint64 (r.iterations, 4000000000);
  assert_equals_float (r.inside_mean, 65535.0);
  assert_equals_float (r.inside_variance, 0.0);
  fail_if (gst_contours_contour_meta_get_region (meta, 2, &r));
  fail_if (gst_contours_contour_meta_get_region (meta, G_MAXUINT, &r));
}

/* Also in a copy of the frame, and in a scaled one: statistics are those of the analysed frame. */
GST_START_TEST (values)
{
  GstBuffer *buffer = make_outlines ();
  GList *list = gst_contours_contour_meta_get_regions (gst_buffer_get_contours_contour_meta (buffer));
  assert_equals_int (g_list_length (list), 2);
  GstContoursRegion *boxed = g_boxed_copy (GST_TYPE_CONTOURS_REGION, list->next->data);
  assert_equals_int (boxed->object, 2);
  g_boxed_free (GST_TYPE_CONTOURS_REGION, boxed);
  g_list_free_full (list, g_free);
  check_frames (buffer, check_values);
}
GST_END_TEST;

static void
check_missing (GstContoursContourMeta *meta)
{
  GstContoursRegion row;
  fail_if (gst_contours_contour_meta_get_region (meta, 0, &row));
  fail_unless (gst_contours_contour_meta_get_regions (meta) == NULL);
}

static const ArrayChecks checks = {gst_contours_contour_meta_has_regions, check_missing, check_values};

/* Borders part no regions. */
GST_START_TEST (without)
{
  check_borders (&checks);
}
GST_END_TEST;

GST_START_TEST (fetched_on_demand)
{
  check_fetching (&set, &checks);
}
GST_END_TEST;

GST_START_TEST (ndjson)
{
  gchar *text = export_text ("", make_outlines ());
  assert_equals_string (text,
      "{\"schema\":\"gst-cuda-contours/"
      "1\",\"frame\":0,\"pts\":0,\"timestamp\":0,\"running_time\":0,\"source\":\"snake\","
      "\"resolution\":{\"width\":8,\"height\":6},\"threshold\":0,\"count\":2,\"coordinates\":\"corners\",\"contours\":["
      "{\"id\":0,\"hole\":false,\"parent\":null,\"area\":4,\"perimeter\":8,\"x\":1,\"y\":1,\"w\":2,\"h\":2,"
      "\"object\":0,\"converged\":true,\"restarted\":false,\"iterations\":17,\"criterion\":-7.25,\"gain\":3.5,"
      "\"inside\":{\"count\":4,\"mean\":4,\"variance\":5},\"outside\":{\"count\":10,\"mean\":2,\"variance\":0},"
      "\"points\":[[1,1],[3,1],[3,3],[1,3]]},"
      "{\"id\":1,\"hole\":false,\"parent\":null,\"area\":0.5,\"perimeter\":3,\"x\":5,\"y\":3,\"w\":1,\"h\":1,"
      "\"object\":2,\"converged\":false,\"restarted\":true,\"iterations\":4000000000,\"criterion\":0,\"gain\":0.125,"
      "\"inside\":{\"count\":1,\"mean\":65535,\"variance\":0},\"outside\":{\"count\":2,\"mean\":0,\"variance\":0},"
      "\"points\":[[5,3],[6,3],[5,4]]}]}\n");
  g_free (text);
}
GST_END_TEST;

GST_START_TEST (csv)
{
  gchar *text = export_text ("format=csv", make_outlines ());
  assert_equals_string (text, CSV_HEADER "0,0,0,snake,8,6,0,0,,4,1,1,2,2,,,,,,,,,,,0,0,,8,4,,corners,1 1 3 1 3 3 1 3,0,"
                                         "0,1,0,17,-7.25,3.5,4,4,5,10,2,0,,,,," NO_SHAPE CLOCK_0
                                         "0,0,0,snake,8,6,0,0,,0.5,5,3,1,1,,,,,,,,,,,1,0,,3,3,,corners,5 3 6 3 5 4,0,"
                                         "2,0,1,4000000000,0,0.125,1,65535,0,2,0,0,,,,," NO_SHAPE CLOCK_0);
  g_free (text);
}
GST_END_TEST;

/* The first outline comes from a triangle, the second one has been what it is. */
static const CtrSnakeState states[] = {
    {.first = 0, .count = 3, .row = 0, .kind = CTR_SNAKE_STARTED, .step = 2, .inside_count = 3, .criterion = 8.5},
    {.first = 3,
        .count = 3,
        .row = 0,
        .kind = CTR_SNAKE_MOVED,
        .iteration = 1,
        .step = 2,
        .inside_count = 2,
        .criterion = 1},
    {.first = 6,
        .count = 4,
        .row = 0,
        .kind = CTR_SNAKE_SPLIT,
        .iteration = 2,
        .step = 1,
        .inside_count = 4,
        .criterion = -7.25},
    {.first = 10, .count = 3, .row = 1, .kind = CTR_SNAKE_STARTED, .step = 1, .inside_count = 1, .criterion = 0},
};
static const CtrPoint history_points[] = {
    {0, 0}, {3, 1}, {3, 3}, {1, 1}, {3, 1}, {3, 3}, {3, 1}, {3, 3}, {1, 3}, {1, 1}, {5, 3}, {6, 3}, {5, 4}};

/* A frame with the outlines and their histories, the first of which starts with FIRST_CRITERION. */
static GstBuffer *
make_histories (gdouble first_criterion)
{
  ContourSet with = set;
  CtrContours *contours;
  CtrSnakeState *own = g_memdup2 (states, sizeof states);
  const CtrSnakeHistory history = {
      own, G_N_ELEMENTS (states), g_memdup2 (history_points, sizeof history_points), G_N_ELEMENTS (history_points)};
  own[0].criterion = first_criterion;

  with.info.features |= CTR_CONTOUR_FEATURE_HISTORY;
  contours = contour_set_new (&with, NULL);
  ctr_contours_set_history (contours, &history);
  return attach_contours (contours, "snake");
}

static void
check_history (GstContoursContourMeta *meta, gfloat scale)
{
  static const guint counts[] = {3, 1, 0};
  guint at = 0;

  fail_unless (gst_contours_contour_meta_has_history (meta));
  for (guint i = 0; i < G_N_ELEMENTS (counts); i++) {
    GList *list = gst_contours_contour_meta_get_states (meta, i);
    GstContoursState state;

    assert_equals_int (gst_contours_contour_meta_get_state_count (meta, i), counts[i]);
    assert_equals_int (g_list_length (list), counts[i]);
    for (guint k = 0; k < counts[i]; k++, at++) {
      const GstContoursState *listed = g_list_nth_data (list, k);
      GBytes *raw = gst_contours_contour_meta_get_state_points (meta, i, k);
      GBytes *mapped = gst_contours_contour_meta_get_mapped_state_points (meta, i, k);
      const gfloat *xy = g_bytes_get_data (mapped, NULL);

      fail_unless (gst_contours_contour_meta_get_state (meta, i, k, &state));
      fail_unless ((guint) state.kind == states[at].kind && state.iteration == states[at].iteration);
      fail_unless (state.step == states[at].step && state.count == states[at].count);
      fail_unless (state.inside_count == (guint64) states[at].inside_count && state.criterion == states[at].criterion);
      fail_unless (listed->kind == state.kind && listed->iteration == state.iteration && listed->count == state.count);
      assert_equals_int (g_bytes_get_size (raw), state.count * sizeof (CtrPoint));
      fail_unless (
          memcmp (g_bytes_get_data (raw, NULL), history_points + states[at].first, g_bytes_get_size (raw)) == 0);
      assert_equals_int (g_bytes_get_size (mapped), state.count * 2 * sizeof (gfloat));
      for (guint p = 0; p < state.count; p++) {
        fail_unless (xy[2 * p] == scale * history_points[states[at].first + p].x);
        fail_unless (xy[2 * p + 1] == scale * history_points[states[at].first + p].y);
      }
      g_bytes_unref (raw);
      g_bytes_unref (mapped);
    }
    fail_if (gst_contours_contour_meta_get_state (meta, i, counts[i], &state));
    fail_if (gst_contours_contour_meta_get_state (meta, i, G_MAXUINT, &state));
    fail_unless (gst_contours_contour_meta_get_state_points (meta, i, counts[i]) == NULL);
    fail_unless (gst_contours_contour_meta_get_mapped_state_points (meta, i, counts[i]) == NULL);
    g_list_free_full (list, g_free);
  }
  assert_equals_int (gst_contours_contour_meta_get_state_count (meta, G_MAXUINT), 0);
}

static void
check_bytes (GBytes *bytes, gconstpointer data, gsize size)
{
  assert_equals_int (g_bytes_get_size (bytes), size);
  fail_unless (size == 0 || memcmp (g_bytes_get_data (bytes, NULL), data, size) == 0);
  g_bytes_unref (bytes);
}

GST_START_TEST (histories)
{
  GstBuffer *buffer = make_histories (8.5);
  GstContoursContourMeta *meta = gst_buffer_get_contours_contour_meta (buffer);
  GBytes *kept = gst_contours_contour_meta_get_state_points (meta, 1, 0);
  GstContoursState *boxed, state;

  fail_unless (gst_contours_contour_meta_get_state (meta, 0, 2, &state));
  boxed = g_boxed_copy (GST_TYPE_CONTOURS_STATE, &state);
  assert_equals_int (boxed->kind, GST_CONTOURS_STATE_KIND_SPLIT);
  g_boxed_free (GST_TYPE_CONTOURS_STATE, boxed);
  check_values (meta);
  check_history (meta, 1);
  check_bytes (gst_contours_contour_meta_get_states_bytes (meta), states, sizeof states);
  check_bytes (gst_contours_contour_meta_get_history_points_bytes (meta), history_points, sizeof history_points);
  buffer = sample_send ("videoscale ! video/x-raw,width=16,height=12", buffer);
  check_history (gst_buffer_get_contours_contour_meta (buffer), 2);
  gst_buffer_unref (buffer);
  check_bytes (kept, history_points + 10, 3 * sizeof (CtrPoint)); /* without the buffer */
}
GST_END_TEST;

/* Outlines without a history, and a history of nothing. */
GST_START_TEST (without_history)
{
  CtrContours none = {.width = 1, .height = 1, .features = CTR_CONTOUR_FEATURE_REGIONS | CTR_CONTOUR_FEATURE_HISTORY};
  GstBuffer *buffer = make_outlines (),
            *empty = attach_contours (ctr_contours_refuse (&none, CTR_LIMIT_OBJECTS, 5, NULL), "snake");
  GstContoursContourMeta *meta = gst_buffer_get_contours_contour_meta (buffer);
  GstContoursState state;

  fail_if (gst_contours_contour_meta_has_history (meta));
  assert_equals_int (gst_contours_contour_meta_get_state_count (meta, 0), 0);
  fail_if (gst_contours_contour_meta_get_state (meta, 0, 0, &state));
  fail_unless (gst_contours_contour_meta_get_states (meta, 0) == NULL);
  fail_unless (gst_contours_contour_meta_get_states_bytes (meta) == NULL);
  fail_unless (gst_contours_contour_meta_get_history_points_bytes (meta) == NULL);
  gst_buffer_unref (buffer);
  meta = gst_buffer_get_contours_contour_meta (empty);
  fail_unless (gst_contours_contour_meta_has_history (meta));
  assert_equals_int (gst_contours_contour_meta_get_state_count (meta, 0), 0);
  check_bytes (gst_contours_contour_meta_get_states_bytes (meta), NULL, 0);
  check_bytes (gst_contours_contour_meta_get_history_points_bytes (meta), NULL, 0);
  gst_buffer_unref (empty);
}
GST_END_TEST;

GST_START_TEST (history_ndjson)
{
  gchar *text = export_text ("", make_histories (8.5));
  fail_unless (strstr (text, "\"points\":[[1,1],[3,1],[3,3],[1,3]],\"history\":["
                             "{\"kind\":\"started\",\"iteration\":0,\"step\":2,\"criterion\":8.5,\"inside_count\":3,"
                             "\"points\":[[0,0],[3,1],[3,3]]},"
                             "{\"kind\":\"moved\",\"iteration\":1,\"step\":2,\"criterion\":1,\"inside_count\":2,"
                             "\"points\":[[1,1],[3,1],[3,3]]},"
                             "{\"kind\":\"split\",\"iteration\":2,\"step\":1,\"criterion\":-7.25,\"inside_count\":4,"
                             "\"points\":[[3,1],[3,3],[1,3],[1,1]]}]},")
               != NULL);
  fail_unless (g_str_has_suffix (text,
      "\"points\":[[5,3],[6,3],[5,4]],\"history\":[{\"kind\":\"started\",\"iteration\":0,\"step\":1,\"criterion\":0,"
      "\"inside_count\":1,\"points\":[[5,3],[6,3],[5,4]]}]}]}\n"));
  g_free (text);
}
GST_END_TEST;

/* A polygon around the whole window leaves no pixel outside, so that its criterion is infinite. */
GST_START_TEST (infinite_criterion)
{
  gchar *text = export_text ("", make_histories (INFINITY));
  fail_unless (strstr (text, "{\"kind\":\"started\",\"iteration\":0,\"step\":2,\"criterion\":null,") != NULL);
  fail_unless (strstr (text, "inf") == NULL);
  g_free (text);

  CtrSnakeRegion whole = regions[0];
  ContourSet of_whole = set;
  whole.outside_count = whole.outside_sum = whole.outside_sum2 = 0;
  whole.criterion = whole.gain = INFINITY;
  of_whole.info.count = 1;
  of_whole.info.point_count = table[0].count;
  of_whole.rows = &whole;
  text = export_text ("", attach_contours (contour_set_new (&of_whole, NULL), "snake"));
  fail_unless (strstr (text, "\"criterion\":null,\"gain\":null,") != NULL);
  fail_unless (strstr (text, "\"outside\":{\"count\":0,\"mean\":null,\"variance\":null}") != NULL);
  g_free (text);
  text = export_text ("format=csv", attach_contours (contour_set_new (&of_whole, NULL), "snake"));
  fail_unless (strstr (text, ",0,1,0,17,,,4,4,5,0,,,") != NULL, "%s", text);
  g_free (text);
}
GST_END_TEST;

static Suite *
regions_suite (void)
{
  Suite *suite = suite_create ("regions");
  TCase *tcase = tcase_create ("general");
  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, values);
  tcase_add_test (tcase, without);
  tcase_add_test (tcase, fetched_on_demand);
  tcase_add_test (tcase, ndjson);
  tcase_add_test (tcase, csv);
  tcase_add_test (tcase, histories);
  tcase_add_test (tcase, without_history);
  tcase_add_test (tcase, history_ndjson);
  tcase_add_test (tcase, infinite_criterion);
  return suite;
}

GST_CHECK_MAIN (regions)

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Times of a frame by several clocks, and the frames that are missing before it, in what is exported. */
#include "exporting.h"

/* A frame that the source calls NUMBER. */
static GstBuffer *
numbered (guint64 number, guint64 end)
{
  GstBuffer *buffer = sample_buffer ();
  GST_BUFFER_PTS (buffer) = 0;
  GST_BUFFER_OFFSET (buffer) = number;
  GST_BUFFER_OFFSET_END (buffer) = end;
  return buffer;
}

/* The first lines, one a frame; transfer full. */
static gchar **
finish_lines (GstHarness *h, GstElement *element, GstBus *bus)
{
  finish (h, element, bus);
  gchar *text = read_file ("lines"), **lines = g_strsplit (text, "\n", -1);
  g_free (text);
  return lines;
}

static GstElement *
make_lines (guint format, GstBus **bus)
{
  return make_in_folder ("lines", format, bus);
}

/* The time that LINE of CSV or NDJSON has as utc, since 1970; -1: none. */
static gdouble
get_utc (const gchar *line, guint format)
{
  gchar *text = NULL;
  if (format == CSV) {
    gchar **values = g_strsplit (line, ",", -1);
    text = g_strdup (values[g_strv_length (values) - 2]);
    g_strfreev (values);
  } else {
    const gchar *at = strstr (line, "\"utc\":\"");
    text = at ? g_strndup (at + strlen ("\"utc\":\""), strlen ("2030-01-31T23:59:59.123456Z")) : g_strdup ("");
  }
  if (text[0] == '\0') {
    g_free (text);
    return -1;
  }
  GDateTime *date = g_date_time_new_from_iso8601 (text, NULL);
  fail_unless (date != NULL, "%s", text);
  const gdouble time = (gdouble) g_date_time_to_unix (date) + g_date_time_get_microsecond (date) * 1e-6;
  g_date_time_unref (date);
  g_free (text);
  return time;
}

static void
push_frame (GstHarness *h, GstBuffer *buffer)
{
  fail_unless_equals_int (gst_harness_push (h, buffer), GST_FLOW_OK);
}

/* A frame of a camera that is six seconds old was captured six seconds ago. Frames of a file have no such time. */
GST_START_TEST (live)
{
  static const guint formats[] = {NDJSON, CSV};
  const guint format = formats[__i__ / 2];
  const gboolean from_file = __i__ % 2;
  GstBus *bus;
  GstElement *element = make_lines (format, &bus);
  GstHarness *h = gst_harness_new_with_element (element, "sink", "src");
  if (from_file)
    sample_play_file (h);
  gst_harness_use_testclock (h);
  gst_harness_set_time (h, 10 * GST_SECOND);
  gst_element_set_base_time (element, 1 * GST_SECOND);
  gst_harness_set_src_caps_str (h, SAMPLE_CAPS);
  GstBuffer *buffer = sample_buffer ();
  GST_BUFFER_PTS (buffer) = 3 * GST_SECOND;
  sample_attach (buffer, 0, "finder");
  const gdouble now = (gdouble) g_get_real_time () * 1e-6;
  push_frame (h, buffer);
  const gdouble after = (gdouble) g_get_real_time () * 1e-6;
  gchar **lines = finish_lines (h, element, bus);
  const gdouble utc = get_utc (lines[format == CSV], format);
  if (from_file)
    fail_unless (utc == -1, "%s", lines[0]);
  else
    fail_unless (utc >= now - 6 - 1e-5 && utc <= after - 6 + 1e-5, "%.6f at %.6f", utc, now);
  fail_unless (strstr (lines[format == CSV], format == CSV ? ",3000000000," : "\"running_time\":3000000000"));
  g_strfreev (lines);
}
GST_END_TEST;

/* The clocks of senders count, where they tell the time of the world, and all are listed. */
GST_START_TEST (references)
{
  static const struct {
    const gchar *clocks[2];
    guint64 times[2];
    const gchar *expected;
  } cases[] = {
      {{"timestamp/x-unix"}, {G_GUINT64_CONSTANT (1000000000123456789)},
          "\"running_time\":0,\"utc\":\"2001-09-09T01:46:40.123456Z\",\"reference_timestamps\":["
          "{\"clock\":\"timestamp/x-unix\",\"timestamp\":1000000000123456789}],\"source\""},
      {{"timestamp/x-ntp, host=(string)camera"}, {G_GUINT64_CONSTANT (3208988800000001000)},
          "\"running_time\":0,\"utc\":\"2001-09-09T01:46:40.000001Z\",\"reference_timestamps\":["
          "{\"clock\":\"timestamp/x-ntp, host=(string)camera\",\"timestamp\":3208988800000001000}],\"source\""},
      {{"timestamp/x-ntp"}, {G_GUINT64_CONSTANT (2208988799999999999)},
          "\"running_time\":0,\"reference_timestamps\":["
          "{\"clock\":\"timestamp/x-ntp\",\"timestamp\":2208988799999999999}],\"source\""},
      {{"timestamp/x-device", "timestamp/x-unix"}, {42, 0},
          "\"running_time\":0,\"utc\":\"1970-01-01T00:00:00.000000Z\",\"reference_timestamps\":["
          "{\"clock\":\"timestamp/x-device\",\"timestamp\":42},{\"clock\":\"timestamp/x-unix\",\"timestamp\":0}],"
          "\"source\""},
      {{NULL}, {0}, "\"running_time\":0,\"source\""},
  };
  GstBus *bus;
  GstElement *element = make_lines (NDJSON, &bus);
  GstHarness *h = play (element);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    GstBuffer *buffer = numbered (GST_BUFFER_OFFSET_NONE, GST_BUFFER_OFFSET_NONE);
    for (guint k = 0; k < 2 && cases[i].clocks[k]; k++) {
      GstCaps *clock = gst_caps_from_string (cases[i].clocks[k]);
      gst_buffer_add_reference_timestamp_meta (buffer, clock, cases[i].times[k], GST_CLOCK_TIME_NONE);
      gst_caps_unref (clock);
    }
    push_frame (h, buffer);
  }
  gchar **lines = finish_lines (h, element, bus);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    fail_unless (strstr (lines[i], cases[i].expected), "%s", lines[i]);
  g_strfreev (lines);
}
GST_END_TEST;

/* Numbers that the source has skipped are frames that were lost. Bytes are no numbers; a seek, or a source that begins
 * again, loses nothing. */
GST_START_TEST (dropped)
{
  enum { NONE = -1, SEEK = -2 };
  static const struct {
    gint64 number, end; /* NONE: unknown; SEEK: a segment begins */
    guint dropped;
  } cases[] = {{5, 6, 0}, {6, 7, 0}, {9, 10, 2}, {10, 11, 0}, {3, 4, 0}, {5, 6, 1}, {NONE, NONE, 0}, {20, 21, 0},
      {SEEK, 0, 0}, {40, 41, 0}, {42, 43, 1}, {50, 300, 0}, {300, 301, 0}, {1000000, 1000001, 999699}};
  for (guint format = NDJSON; format <= CSV; format++) {
    GstBus *bus;
    GstElement *element = make_lines (format, &bus);
    GstHarness *h = play (element);
    for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
      GstSegment segment;
      if (cases[i].number == SEEK) {
        gst_segment_init (&segment, GST_FORMAT_TIME);
        segment.base = GST_SECOND;
        fail_unless (gst_harness_push_event (h, gst_event_new_segment (&segment)));
        continue;
      }
      GstBuffer *buffer = numbered ((guint64) cases[i].number, (guint64) cases[i].end);
      sample_attach (buffer, 0, "finder");
      push_frame (h, buffer);
    }
    gchar **lines = finish_lines (h, element, bus);
    for (guint i = 0, line = 0; i < G_N_ELEMENTS (cases); i++) {
      if (cases[i].number == SEEK)
        continue;
      gchar *csv = g_strdup_printf (",,%u", cases[i].dropped);
      gchar *json = g_strdup_printf (",\"dropped\":%u,\"source\"", cases[i].dropped);
      if (format == CSV)
        fail_unless (g_str_has_suffix (lines[1 + 3 * line], csv), "%u: %s", i, lines[1 + 3 * line]);
      else if (cases[i].dropped > 0)
        fail_unless (strstr (lines[line], json), "%u: %s", i, lines[line]);
      else
        fail_unless (!strstr (lines[line], "dropped"), "%u: %s", i, lines[line]);
      g_free (csv);
      g_free (json);
      line++;
    }
    g_strfreev (lines);
  }
}
GST_END_TEST;

static Suite *
export_clock_suite (void)
{
  Suite *suite = suite_create ("times and lost frames");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_checked_fixture (tcase, make_folder, remove_folder);
  tcase_add_loop_test (tcase, live, 0, 4);
  tcase_add_test (tcase, references);
  tcase_add_test (tcase, dropped);
  return suite;
}

GST_CHECK_MAIN (export_clock);

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* contourexport: names of files, and combinations of properties that name none. */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "exporting.h"

static const struct {
  const gchar *pattern, *name;
} names[] = {
    {"a%d", "a2"},
    {"%05d.x", "00002.x"},
    {"a%3d", "a  2"},
    {"a%03ub", "a002b"},
    {"%i", "2"},
    {"100%%-%d", "100%-2"},
    {"%d%%", "2%"},
    {"%020d", "00000000000000000002"},
    {"%1d", "2"},
};

GST_START_TEST (good_names)
{
  GstBus *bus;
  GstElement *element = make_in_folder (names[__i__].pattern, SVG, &bus);
  GstHarness *h = play (element);
  for (guint i = 0; i < 3; i++)
    fail_unless_equals_int (push (h, i, 0), GST_FLOW_OK);
  fail_unless (exists (names[__i__].name), "no %s", names[__i__].name);
  assert_equals_int (count_files (), 3);
  finish (h, element, bus);
}
GST_END_TEST;

static const gchar *const bad_names[] = {"%", "a%", "%s", "%n", "%5", "%d%d", "%5d-%%-%d", "%x", "%ld", "%-5d", "%+d",
    "%.3d", "%21d", "%0999999999999999999999d", "%*d", "%1$d", "% d", "%'d", "%D"};

GST_START_TEST (wrong_names)
{
  for (guint format = 0; format < FORMATS; format++) {
    GstBus *bus;
    GstElement *element = make_in_folder (bad_names[__i__], format, &bus);
    assert_start_fails (element, bus, GST_RESOURCE_ERROR_SETTINGS, "is not a valid pattern");
    gst_element_set_bus (element, NULL);
    gst_object_unref (element);
    gst_object_unref (bus);
  }
  assert_equals_int (count_files (), 0);
}
GST_END_TEST;

/* Names of files may have any bytes. Messages are valid UTF-8, and of a pattern without end they show the beginning. */
GST_START_TEST (names_in_messages)
{
  gchar *letters = g_strnfill (20000, 'a'), *long_pattern = g_strconcat (letters, "%s", NULL);
  const gchar *const locations[] = {"\xa1%s", "missing\xff/a", long_pattern};
  for (guint i = 0; i < G_N_ELEMENTS (locations); i++) {
    GstBus *bus;
    GstElement *element = make_in_folder (locations[i], NDJSON, &bus);
    fail_unless_equals_int (gst_element_set_state (element, GST_STATE_PAUSED), GST_STATE_CHANGE_FAILURE);
    GstMessage *message = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR);
    GError *error;
    gst_message_parse_error (message, &error, NULL);
    fail_unless (g_utf8_validate (error->message, -1, NULL), "%s", error->message);
    fail_unless (i != 2 || strlen (error->message) < 300);
    g_error_free (error);
    gst_message_unref (message);
    drop (element, bus);
  }
  g_free (long_pattern);
  g_free (letters);
  assert_equals_int (count_files (), 0);
}
GST_END_TEST;

/* Settings that contradict each other: one error that says which, and nothing is written. */
GST_START_TEST (contradictions)
{
  static const struct {
    const gchar *name, *property, *text;
    guint formats; /* bits */
  } cases[] = {
      {"a", "max-file-size", "location needs a placeholder", 1 << NDJSON | 1 << CSV},
      {"a", "max-file-time", "location needs a placeholder", 1 << NDJSON | 1 << CSV},
      {"a%d", "max-file-size", "max-file-size", 1 << SVG | 1 << GEOJSON | 1 << COCO | 1 << LABELME},
      {"a%d", "max-file-time", "max-file-time", 1 << SVG | 1 << GEOJSON | 1 << COCO | 1 << LABELME},
      {"a%d", "append", "append", 1 << SVG | 1 << GEOJSON | 1 << COCO | 1 << LABELME},
      {"a%d", NULL, "Remove the placeholder", 1 << COCO},
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    for (guint format = 0; format < FORMATS; format++) {
      GstBus *bus;
      if (!(cases[i].formats & 1 << format))
        continue;
      GstElement *element = make_in_folder (cases[i].name, format, &bus);
      if (cases[i].property)
        gst_util_set_object_arg (G_OBJECT (element), cases[i].property, "1");
      assert_start_fails (element, bus, GST_RESOURCE_ERROR_SETTINGS, cases[i].text);
      gst_element_set_bus (element, NULL);
      gst_object_unref (element);
      gst_object_unref (bus);
    }
  assert_equals_int (count_files (), 0);
}
GST_END_TEST;

/* Whatever cannot be opened is told at the start. */
GST_START_TEST (no_folder)
{
  for (guint format = 0; format < FORMATS; format++) {
    GstBus *bus;
    gboolean many = format != COCO;
    GstElement *element = make_in_folder (many ? "missing/a%d" : "missing/a", format, &bus);
    assert_start_fails (element, bus, GST_RESOURCE_ERROR_OPEN_WRITE, many ? "missing/a0" : "missing/a");
    gst_element_set_bus (element, NULL);
    gst_object_unref (element);
    gst_object_unref (bus);
  }
}
GST_END_TEST;

/* Where the name is taken by a folder. */
GST_START_TEST (no_name)
{
  GstBus *bus;
  gchar *path = in_folder ("taken");
  fail_unless (mkdir (path, 0700) == 0);
  GstElement *element = make_in_folder ("taken", __i__, &bus);
  if (__i__ == COCO) {
    assert_start_fails (element, bus, GST_RESOURCE_ERROR_OPEN_WRITE, "taken");
    gst_element_set_bus (element, NULL);
    gst_object_unref (element);
    gst_object_unref (bus);
  } else {
    GstHarness *h = play (element);
    fail_unless_equals_int (push (h, 0, 0), GST_FLOW_ERROR);
    assert_message (bus, GST_MESSAGE_ERROR, GST_RESOURCE_ERROR_OPEN_WRITE, "taken");
    finish (h, element, bus);
  }
  g_rmdir (path);
  g_free (path);
}
GST_END_TEST;

/* To a descriptor, and through a link: the text itself, without a file beside it. */
GST_START_TEST (without_a_name)
{
  GstBus *bus;
  gchar *path = in_folder ("file"), *link_path = in_folder ("link");
  GstElement *element = make_element (path, &bus);
  g_object_set (element, "format", __i__, NULL);
  GstHarness *h = play (element);
  fail_unless_equals_int (push (h, 0, 0), GST_FLOW_OK);
  finish (h, element, bus);
  gchar *expected = read_file ("file"), *image = strstr (expected, "\"imagePath\":\"file.png\"");
  g_unlink (path);

  gint fd = open (path, O_WRONLY | O_CREAT, 0600);
  element = make_element (NULL, &bus);
  g_object_set (element, "format", __i__, "fd", fd, NULL);
  h = play (element);
  fail_unless_equals_int (push (h, 0, 0), GST_FLOW_OK);
  finish (h, element, bus);
  close (fd);
  if (image) { /* a descriptor has no name to call it after */
    gchar *text = read_file ("file");
    fail_unless (strstr (text, "\"imagePath\":\"frame.png\"") != NULL);
    g_free (text);
  } else {
    assert_file (path, expected);
  }
  assert_equals_int (count_files (), 1);

  fail_unless (truncate (path, 0) == 0 && symlink ("file", link_path) == 0);
  element = make_element (link_path, &bus);
  g_object_set (element, "format", __i__, NULL);
  h = play (element);
  fail_unless_equals_int (push (h, 0, 0), GST_FLOW_OK);
  finish (h, element, bus);
  if (!image)
    assert_file (path, expected);
  fail_unless (g_file_test (link_path, G_FILE_TEST_IS_SYMLINK));
  assert_equals_int (count_files (), 2);
  g_free (expected);
  g_free (link_path);
  g_free (path);
}
GST_END_TEST;

static Suite *
export_names_suite (void)
{
  Suite *suite = suite_create ("names of contourexport's files");
  TCase *tcase = tcase_create ("general");
  suite_add_tcase (suite, tcase);
  tcase_set_timeout (tcase, 60);
  tcase_add_checked_fixture (tcase, make_folder, remove_folder);
  tcase_add_loop_test (tcase, good_names, 0, G_N_ELEMENTS (names));
  tcase_add_loop_test (tcase, wrong_names, 0, G_N_ELEMENTS (bad_names));
  tcase_add_test (tcase, contradictions);
  tcase_add_test (tcase, names_in_messages);
  tcase_add_test (tcase, no_folder);
  for (guint format = SVG; format < FORMATS; format++) {
    tcase_add_loop_test (tcase, no_name, (gint) format, (gint) format + 1);
    tcase_add_loop_test (tcase, without_a_name, (gint) format, (gint) format + 1);
  }
  return suite;
}

GST_CHECK_MAIN (export_names);

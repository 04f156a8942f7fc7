/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* contourexport: two of them on one file or pipe, and descriptors that cannot be written. */
#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "exporting.h"

/* The second export to a file is refused, by whatever name, and the first one does not suffer. */
GST_START_TEST (two_exports)
{
  static const struct {
    const gchar *names[2];
    guint formats[2];
  } cases[] = {
      {{"out", "out"}, {NDJSON, NDJSON}},
      {{"out", "./out"}, {NDJSON, CSV}},
      {{"out", "link"}, {NDJSON, NDJSON}},
      {{"link", "out"}, {NDJSON, CSV}},
      {{"doc", "doc"}, {COCO, COCO}},
      {{"doc", "doc"}, {COCO, NDJSON}},
      {{"doc", "doc.part"}, {COCO, NDJSON}},
      {{"f%05d", "f%05d"}, {SVG, GEOJSON}},
      {{"f%d", "f0"}, {NDJSON, CSV}},
  };
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    GstBus *buses[2];
    GstElement *elements[2];
    gchar *link_path = in_folder ("link");
    fail_unless (symlink ("out", link_path) == 0);
    for (guint k = 0; k < 2; k++) {
      gchar *path = in_folder (cases[i].names[k]);
      elements[k] = make_for (path, cases[i].formats[k], &buses[k]);
      gst_object_set_name (GST_OBJECT (elements[k]), k ? "second" : "first");
      g_free (path);
    }
    GstHarness *h = play (elements[0]);
    fail_unless_equals_int (push (h, 0, 0), GST_FLOW_OK);
    assert_start_fails (elements[1], buses[1], GST_RESOURCE_ERROR_BUSY, "first already writes");
    fail_unless_equals_int (push (h, 40, 0), GST_FLOW_OK);
    assert_no_message (buses[0]);
    finish (h, elements[0], buses[0]);

    /* Now nobody else does. */
    h = play (elements[1]);
    fail_unless_equals_int (push (h, 0, 0), GST_FLOW_OK);
    assert_no_message (buses[1]);
    finish (h, elements[1], buses[1]);
    g_free (link_path);
    remove_folder ();
    make_folder ();
  }
}
GST_END_TEST;

/* Pipes, devices and descriptors may be shared: in one streaming thread, frames come by turns. */
GST_START_TEST (shared_pipe)
{
  gchar *path = in_folder ("pipe"), got[10000];
  fail_unless (mkfifo (path, 0600) == 0);
  gint reader = open (path, O_RDONLY | O_NONBLOCK);
  const gchar *const locations[] = {path, "/dev/null", NULL};
  for (guint i = 0; i < G_N_ELEMENTS (locations); i++) {
    GstBus *buses[2];
    GstElement *elements[2];
    GstHarness *h[2];
    gint fd = locations[i] ? -1 : open (path, O_WRONLY | O_NONBLOCK);
    for (guint k = 0; k < 2; k++) {
      elements[k] = make_for (locations[i], NDJSON, &buses[k]);
      if (fd >= 0)
        g_object_set (elements[k], "fd", fd, NULL);
      h[k] = play (elements[k]);
    }
    for (guint k = 0; k < 4; k++)
      fail_unless_equals_int (push (h[k % 2], k * 40, 0), GST_FLOW_OK);
    for (guint k = 0; k < 2; k++) {
      assert_no_message (buses[k]);
      finish (h[k], elements[k], buses[k]);
    }
    if (fd >= 0)
      close (fd);
    if (i == 1)
      continue;
    gssize size = read (reader, got, sizeof got - 1);
    fail_unless (size > 0);
    got[size] = '\0';
    gchar **lines = g_strsplit (got, "\n", -1);
    assert_equals_int (g_strv_length (lines), 5);
    for (guint k = 0; k < 4; k++)
      fail_unless (g_str_has_prefix (lines[k], "{\"schema\"") && g_str_has_suffix (lines[k], "]}"), "%s", lines[k]);
    g_strfreev (lines);
  }
  close (reader);
  g_free (path);
}
GST_END_TEST;

/* A standard output that is closed, or something that the process has opened since. */
GST_START_TEST (no_standard_output)
{
  gint pair[2], pipe_ends[2];
  fail_unless (socketpair (AF_UNIX, SOCK_STREAM, 0, pair) == 0 && pipe (pipe_ends) == 0);
  const gint others[] = {-1, pair[0], pipe_ends[0], eventfd (0, 0), open ("/dev/null", O_WRONLY | O_CLOEXEC)};
  for (guint i = 0; i < G_N_ELEMENTS (others); i++) {
    GstBus *bus;
    GstElement *element = make_for (NULL, NDJSON, &bus);
    fflush (stdout);
    gint saved = dup (STDOUT_FILENO);
    close (STDOUT_FILENO);
    if (others[i] >= 0)
      fail_unless (dup3 (others[i], STDOUT_FILENO, fcntl (others[i], F_GETFD) & FD_CLOEXEC ? O_CLOEXEC : 0) >= 0);
    gboolean refused = gst_element_set_state (element, GST_STATE_PAUSED) == GST_STATE_CHANGE_FAILURE;
    gst_element_set_state (element, GST_STATE_NULL);
    dup2 (saved, STDOUT_FILENO);
    close (saved);
    fail_unless (refused, "%u", i);
    assert_message (bus, GST_MESSAGE_ERROR, GST_RESOURCE_ERROR_OPEN_WRITE,
        i == 3 ? "the standard output: it is not a file" : "The standard output is closed");
    drop (element, bus);
    if (others[i] >= 0)
      close (others[i]);
  }
  close (pair[1]);
  close (pipe_ends[1]);
}
GST_END_TEST;

/* Descriptors that take text and lead nowhere. */
GST_START_TEST (wrong_descriptors)
{
  const gint descriptors[] = {eventfd (0, 0), open ("/", O_RDONLY), open ("/dev/null", O_PATH), 987654};
  for (guint i = 0; i < G_N_ELEMENTS (descriptors); i++) {
    GstBus *bus;
    GstElement *element = make_for (NULL, NDJSON, &bus);
    g_object_set (element, "fd", descriptors[i], NULL);
    gchar *name = g_strdup_printf ("file descriptor %d", descriptors[i]);
    assert_start_fails (element, bus, GST_RESOURCE_ERROR_OPEN_WRITE, name);
    drop (element, bus);
    close (descriptors[i]);
    g_free (name);
  }

  /* Closed while it runs. */
  GstBus *bus;
  gint fd = open ("/dev/null", O_WRONLY);
  GstElement *element = make_for (NULL, NDJSON, &bus);
  g_object_set (element, "fd", fd, NULL);
  GstHarness *h = play (element);
  fail_unless_equals_int (push (h, 0, 0), GST_FLOW_OK);
  close (fd);
  fail_unless_equals_int (push (h, 40, 0), GST_FLOW_ERROR);
  assert_message (bus, GST_MESSAGE_ERROR, GST_RESOURCE_ERROR_WRITE, "file descriptor");
  finish (h, element, bus);
}
GST_END_TEST;

static Suite *
export_conflicts_suite (void)
{
  Suite *suite = suite_create ("conflicts of contourexport");
  TCase *tcase = tcase_create ("general");
  suite_add_tcase (suite, tcase);
  tcase_set_timeout (tcase, 60);
  tcase_add_checked_fixture (tcase, make_folder, remove_folder);
  tcase_add_test (tcase, two_exports);
  tcase_add_test (tcase, shared_pipe);
  tcase_add_test (tcase, no_standard_output);
  tcase_add_test (tcase, wrong_descriptors);
  return suite;
}

GST_CHECK_MAIN (export_conflicts);

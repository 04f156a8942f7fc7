/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* contourexport: files, descriptors, pipes and standard output that are full, slow, closed or used again. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "expected.h"
#include "exporting.h"

GST_START_TEST (full_disk)
{
  GstBus *bus;
  if (access ("/dev/full", W_OK) != 0)
    return;
  GstElement *element = make_element ("/dev/full", &bus);
  GstHarness *h = play (element);
  fail_unless_equals_int (push (h, 0, 0), GST_FLOW_ERROR);
  fail_unless_equals_int (push (h, 40, 0), GST_FLOW_ERROR);
  gst_harness_push_event (h, gst_event_new_eos ());
  assert_message (bus, GST_MESSAGE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT, "/dev/full");
  finish (h, element, bus);
}
GST_END_TEST;

/* A limit on the file size: its signal would end the process. */
GST_START_TEST (file_size_limit)
{
  GstBus *bus;
  gchar *path = in_folder ("out.ndjson");
  GstElement *element = make_element (path, &bus);
  GstHarness *h = play (element);
  struct rlimit before, limited;
  fail_unless (getrlimit (RLIMIT_FSIZE, &before) == 0);
  limited = before;
  limited.rlim_cur = 1000;
  fail_unless (setrlimit (RLIMIT_FSIZE, &limited) == 0);
  GstFlowReturn results[3];
  for (guint i = 0; i < 3; i++)
    results[i] = push (h, i * 40, 0);
  fail_unless (setrlimit (RLIMIT_FSIZE, &before) == 0);
  fail_unless_equals_int (results[0], GST_FLOW_OK);
  fail_unless_equals_int (results[1], GST_FLOW_OK);
  fail_unless_equals_int (results[2], GST_FLOW_ERROR);
  assert_message (bus, GST_MESSAGE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT, path);
  finish (h, element, bus);
  g_free (path);
}
GST_END_TEST;

GST_START_TEST (cannot_open)
{
  GstBus *bus;
  gchar *missing = in_folder ("missing/out.ndjson"), *pipe_path = in_folder ("pipe");
  GstElement *element = make_element (missing, &bus);
  assert_start_fails (element, bus, GST_RESOURCE_ERROR_OPEN_WRITE, missing);
  g_object_set (element, "location", folder, NULL);
  assert_start_fails (element, bus, GST_RESOURCE_ERROR_OPEN_WRITE, folder);
  g_object_set (element, "location", "", NULL);
  assert_start_fails (element, bus, GST_RESOURCE_ERROR_OPEN_WRITE, "\"\"");
  fail_unless (mkfifo (pipe_path, 0600) == 0);
  g_object_set (element, "location", pipe_path, NULL);
  assert_start_fails (element, bus, GST_RESOURCE_ERROR_OPEN_WRITE, "has no reader");
  g_object_set (element, "fd", 1, NULL);
  assert_start_fails (element, bus, GST_RESOURCE_ERROR_SETTINGS, "Set only one of them");
  g_object_set (element, "location", NULL, "fd", 987654, NULL);
  assert_start_fails (element, bus, GST_RESOURCE_ERROR_OPEN_WRITE, "987654");
  gint read_only = open ("/dev/null", O_RDONLY);
  g_object_set (element, "fd", read_only, NULL);
  assert_start_fails (element, bus, GST_RESOURCE_ERROR_OPEN_WRITE, "descriptor");
  close (read_only);

  /* The same element works once it is set right. */
  gchar *path = in_folder ("out.ndjson");
  g_object_set (element, "location", path, "fd", -1, NULL);
  GstHarness *h = play (element);
  fail_unless_equals_int (push (h, 40, 0), GST_FLOW_OK);
  assert_file (path, HEAD "0,\"pts\":40,\"timestamp\":40,\"running_time\":40,\"source\":\"finder\"" PLAIN);
  finish (h, element, bus);
  g_free (path);
  g_free (missing);
  g_free (pipe_path);
}
GST_END_TEST;

GST_START_TEST (file_descriptor)
{
  GstBus *bus;
  gint ends[2];
  fail_unless (pipe (ends) == 0);
  GstElement *element = make_element (NULL, &bus);
  g_object_set (element, "fd", ends[1], NULL);
  GstHarness *h = play (element);
  const gchar *expected = HEAD "0,\"pts\":40,\"timestamp\":40,\"running_time\":40,\"source\":\"finder\"" PLAIN;
  gchar got[1000];
  fail_unless_equals_int (push (h, 40, 0), GST_FLOW_OK);
  gssize size = read (ends[0], got, sizeof got - 1);
  fail_unless (size > 0);
  got[size] = '\0';
  assert_equals_string (got, expected);
  finish (h, element, bus);
  fail_unless (fcntl (ends[1], F_GETFD) >= 0, "it closed a descriptor that is not its own");
  close (ends[0]);
  close (ends[1]);
}
GST_END_TEST;

GST_START_TEST (named_pipe)
{
  GstBus *bus;
  gchar *path = in_folder ("pipe"), got[1000];
  fail_unless (mkfifo (path, 0600) == 0);
  gint reader = open (path, O_RDONLY | O_NONBLOCK);
  GstElement *element = make_element (path, &bus);
  GstHarness *h = play (element);
  fail_unless_equals_int (push (h, 40, 0), GST_FLOW_OK);
  gssize size = read (reader, got, sizeof got - 1);
  fail_unless (size > 0);
  got[size] = '\0';
  assert_equals_string (got, HEAD "0,\"pts\":40,\"timestamp\":40,\"running_time\":40,\"source\":\"finder\"" PLAIN);
  finish (h, element, bus);
  assert_equals_int (read (reader, got, sizeof got), 0); /* closed */
  close (reader);
  g_free (path);
}
GST_END_TEST;

GST_START_TEST (reader_goes_away)
{
  GstBus *bus;
  gint ends[2];
  /* Deadly, whatever the surroundings have made of it. */
  struct sigaction deadly = {.sa_handler = SIG_DFL}, before;
  fail_unless (sigaction (SIGPIPE, &deadly, &before) == 0);
  fail_unless (pipe (ends) == 0);
  GstElement *element = make_element (NULL, &bus);
  g_object_set (element, "fd", ends[1], NULL);
  GstHarness *h = play (element);
  fail_unless_equals_int (push (h, 0, 0), GST_FLOW_OK);
  close (ends[0]);
  fail_unless_equals_int (push (h, 40, 0), GST_FLOW_ERROR);
  assert_message (bus, GST_MESSAGE_ERROR, GST_RESOURCE_ERROR_WRITE, "reader");
  finish (h, element, bus);
  sigset_t pending;
  sigpending (&pending);
  fail_if (sigismember (&pending, SIGPIPE));
  sigaction (SIGPIPE, &before, NULL);
  close (ends[1]);
}
GST_END_TEST;

static gpointer
read_all (gpointer data)
{
  GString *text = g_string_new (NULL);
  gchar block[1000];
  gssize size;
  while ((size = read (GPOINTER_TO_INT (data), block, sizeof block)) > 0) {
    g_string_append_len (text, block, size);
    if (text->len % 7 == 0)
      g_usleep (100);
  }
  return text;
}

/* Lines larger than a pipe holds, a reader slower than the writer, a descriptor that never waits: nothing is lost. */
GST_START_TEST (slow_reader)
{
  GstBus *bus;
  gint ends[2];
  gchar *path = in_folder ("out.ndjson"), *expected;
  GstElement *element = make_element (path, &bus);
  GstHarness *h = play (element);
  for (guint i = 0; i < 3; i++)
    fail_unless_equals_int (gst_harness_push (h, sample_dots (64, 64)), GST_FLOW_OK);
  finish (h, element, bus);
  fail_unless (g_file_get_contents (path, &expected, NULL, NULL));
  fail_unless (strlen (expected) > 150000);

  fail_unless (pipe (ends) == 0);
  fail_unless (fcntl (ends[1], F_SETFL, O_NONBLOCK) == 0);
  GThread *reader = g_thread_new (NULL, read_all, GINT_TO_POINTER (ends[0]));
  element = make_element (NULL, &bus);
  g_object_set (element, "fd", ends[1], NULL);
  h = play (element);
  for (guint i = 0; i < 3; i++)
    fail_unless_equals_int (gst_harness_push (h, sample_dots (64, 64)), GST_FLOW_OK);
  finish (h, element, bus);
  close (ends[1]);
  GString *got = g_thread_join (reader);
  close (ends[0]);
  fail_unless (strcmp (got->str, expected) == 0);
  g_string_free (got, TRUE);
  g_free (expected);
  g_free (path);
}
GST_END_TEST;

/* A reader that does not read must not keep the pipeline from stopping, in the middle of a line longer than the pipe.
 */
GST_START_TEST (stop_while_waiting)
{
  gint ends[2];
  fail_unless (pipe (ends) == 0);
  gchar *launch = g_strdup_printf ("videotestsrc pattern=snow ! video/x-raw,format=GRAY8,width=320,height=240 ! "
                                   "cudacca backend=cpu ! contourexport fd=%d ! fakesink",
      ends[1]);
  GstElement *pipeline = gst_parse_launch (launch, NULL);
  fail_unless (pipeline != NULL);
  gst_element_set_state (pipeline, GST_STATE_PLAYING);
  /* Until the pipe is full: no room for a page. */
  GstPollFD fd = GST_POLL_FD_INIT;
  GstPoll *room = gst_poll_new (FALSE);
  fd.fd = ends[1];
  gst_poll_add_fd (room, &fd);
  gst_poll_fd_ctl_write (room, &fd, TRUE);
  for (guint i = 0; i < 1000 && gst_poll_wait (room, 0) > 0; i++)
    g_usleep (10000);
  fail_unless_equals_int (gst_poll_wait (room, 0), 0);
  gst_poll_free (room);
  fail_unless_equals_int (gst_element_set_state (pipeline, GST_STATE_NULL), GST_STATE_CHANGE_SUCCESS);
  gst_object_unref (pipeline);
  close (ends[0]);
  close (ends[1]);
  g_free (launch);
}
GST_END_TEST;

GST_START_TEST (standard_output)
{
  GstBus *bus;
  gchar *path = in_folder ("stdout");
  fflush (stdout);
  gint saved = dup (1), file = open (path, O_WRONLY | O_CREAT, 0600);
  fail_unless (dup2 (file, 1) == 1);
  GstElement *element = make_element (NULL, &bus);
  GstHarness *h = play (element);
  GstFlowReturn ret = push (h, 40, 0);
  finish (h, element, bus);
  gboolean open_still = fcntl (1, F_GETFD) >= 0;
  dup2 (saved, 1);
  close (saved);
  close (file);
  fail_unless_equals_int (ret, GST_FLOW_OK);
  fail_unless (open_still);
  assert_file (path, HEAD "0,\"pts\":40,\"timestamp\":40,\"running_time\":40,\"source\":\"finder\"" PLAIN);
  g_free (path);
}
GST_END_TEST;

GST_START_TEST (properties_while_running)
{
  GstBus *bus;
  gchar *path = in_folder ("out.ndjson"), *got;
  gint fd, format;
  gboolean append;
  GstElement *element = make_element (path, &bus);
  GstHarness *h = play (element);
  g_object_set (element, "location", "elsewhere", NULL);
  assert_message (bus, GST_MESSAGE_WARNING, GST_RESOURCE_ERROR_SETTINGS, "location");
  g_object_set (element, "fd", 1, NULL);
  assert_message (bus, GST_MESSAGE_WARNING, GST_RESOURCE_ERROR_SETTINGS, "fd");
  g_object_set (element, "format", 1, NULL);
  assert_message (bus, GST_MESSAGE_WARNING, GST_RESOURCE_ERROR_SETTINGS, "format");
  g_object_set (element, "append", TRUE, NULL);
  assert_message (bus, GST_MESSAGE_WARNING, GST_RESOURCE_ERROR_SETTINGS, "append");
  g_object_get (element, "location", &got, "fd", &fd, "format", &format, "append", &append, NULL);
  assert_equals_string (got, path);
  assert_equals_int (fd, -1);
  assert_equals_int (format, 0);
  assert_equals_int (append, FALSE);
  g_free (got);
  fail_unless_equals_int (push (h, 40, 0), GST_FLOW_OK);
  assert_file (path, HEAD "0,\"pts\":40,\"timestamp\":40,\"running_time\":40,\"source\":\"finder\"" PLAIN);
  finish (h, element, bus);
  g_free (path);
}
GST_END_TEST;

/* A harness leaves the element's source pad linked. */
static void
unlink_src (GstElement *element)
{
  GstPad *pad = gst_element_get_static_pad (element, "src"), *peer = gst_pad_get_peer (pad);
  if (peer) {
    gst_pad_unlink (pad, peer);
    gst_object_unref (peer);
  }
  gst_object_unref (pad);
}

/* Runs twice; APPEND and FORMAT as given. */
static void
run_twice (const gchar *path, gboolean append, const gchar *format)
{
  GstBus *bus;
  GstElement *element = make_element (path, &bus);
  g_object_set (element, "append", append, NULL);
  gst_util_set_object_arg (G_OBJECT (element), "format", format);
  for (guint run = 0; run < 2; run++) {
    GstHarness *h = play (element);
    fail_unless_equals_int (push (h, 40, 0), GST_FLOW_OK);
    fail_unless_equals_int (push (h, 80, 0), GST_FLOW_OK);
    fail_unless (gst_harness_push_event (h, gst_event_new_eos ()));
    gst_harness_teardown (h);
    gst_element_set_state (element, GST_STATE_NULL);
    unlink_src (element);
  }
  gst_element_set_bus (element, NULL);
  gst_object_unref (element);
  gst_object_unref (bus);
}

#define RUN                                                                                 \
  HEAD "0,\"pts\":40,\"timestamp\":40,\"running_time\":40,\"source\":\"finder\"" PLAIN HEAD \
       "1,\"pts\":80,\"timestamp\":80,\"running_time\":80,\"source\":\"finder\"" PLAIN
#define CSV_RUN CSV_PLAIN ("0", "40") CSV_PLAIN ("1", "80")

GST_START_TEST (restart)
{
  gchar *path = in_folder ("out");
  run_twice (path, FALSE, "ndjson");
  assert_file (path, RUN);
  run_twice (path, TRUE, "ndjson");
  assert_file (path, RUN RUN RUN);
  run_twice (path, FALSE, "csv");
  assert_file (path, CSV_HEADER CSV_RUN);
  run_twice (path, TRUE, "csv");
  assert_file (path, CSV_HEADER CSV_RUN CSV_RUN CSV_RUN);
  g_unlink (path);
  run_twice (path, TRUE, "csv");
  assert_file (path, CSV_HEADER CSV_RUN CSV_RUN);
  g_free (path);
}
GST_END_TEST;

static guint
open_descriptors (void)
{
  GDir *dir = g_dir_open ("/proc/self/fd", 0, NULL);
  guint n = 0;
  while (g_dir_read_name (dir))
    n++;
  g_dir_close (dir);
  return n;
}

/* Starting and stopping leaves no descriptor behind, failed starts neither. */
GST_START_TEST (many_restarts)
{
  GstBus *bus;
  gchar *path = in_folder ("out.ndjson"), *missing = in_folder ("missing/out.ndjson");
  const gchar *const locations[] = {path, "/dev/null", missing};
  guint before = 0;
  for (guint i = 0; i < 300; i++) {
    if (i == 3) /* once everything has been opened that stays open */
      before = open_descriptors ();
    GstElement *element = make_element (locations[i % 3], &bus);
    gst_element_set_state (element, GST_STATE_PAUSED);
    gst_element_set_state (element, GST_STATE_NULL);
    gst_element_set_bus (element, NULL);
    gst_object_unref (element);
    gst_object_unref (bus);
  }
  assert_equals_int (open_descriptors (), before);
  g_free (path);
  g_free (missing);
}
GST_END_TEST;

static Suite *
export_outputs_suite (void)
{
  Suite *suite = suite_create ("outputs of contourexport");
  TCase *tcase = tcase_create ("general");
  suite_add_tcase (suite, tcase);
  tcase_set_timeout (tcase, 60);
  tcase_add_checked_fixture (tcase, make_folder, remove_folder);
  tcase_add_test (tcase, full_disk);
  tcase_add_test (tcase, file_size_limit);
  tcase_add_test (tcase, cannot_open);
  tcase_add_test (tcase, file_descriptor);
  tcase_add_test (tcase, named_pipe);
  tcase_add_test (tcase, reader_goes_away);
  tcase_add_test (tcase, slow_reader);
  tcase_add_test (tcase, stop_while_waiting);
  tcase_add_test (tcase, standard_output);
  tcase_add_test (tcase, properties_while_running);
  tcase_add_test (tcase, restart);
  tcase_add_test (tcase, many_restarts);
  return suite;
}

GST_CHECK_MAIN (export_outputs);

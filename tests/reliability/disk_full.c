/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* contourexport on a disk that fills up at any byte, in each format: one error, all complete lines and documents are readable, and
 * the next start with the same location goes on. The disk is a limit on the size of files, or a real one for root. */
#include <errno.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <unistd.h>

#include "tests/metadata/exporting.h"

#define FRAMES 4
#define DISK_SIZE 16384 /* of the real one: four pages */

static gboolean
is_lines (guint format)
{
  return format == NDJSON || format == CSV;
}

static GstElement *
make (guint format, GstBus **bus)
{
  gchar *path = in_folder (is_lines (format) ? "out" : format == COCO ? "doc" : "doc%02d");
  GstElement *element = make_for (path, format, bus);
  g_object_set (element, "append", is_lines (format), NULL);
  g_free (path);
  return element;
}

static GstFlowReturn
push_frame (GstHarness *h, guint i, SampleGpu *gpu)
{
  GstBuffer *buffer = sample_buffer ();
  GST_BUFFER_PTS (buffer) = i * 40;
  if (i % 2 == 0)
    sample_attach (buffer, SAMPLE_ALL, "finder");
  else
    sample_attach_contours (buffer, gpu, 0, CTR_COORDINATES_PIXELS, "follower");
  return gst_harness_push (h, buffer);
}

static void
limit_files (rlim_t size)
{
  struct rlimit limit;
  const gboolean read = getrlimit (RLIMIT_FSIZE, &limit) == 0;
  limit.rlim_cur = size;
  if (!read || setrlimit (RLIMIT_FSIZE, &limit) != 0)
    g_error ("the limit on the size of files cannot be set: %s", g_strerror (errno));
}

/* Pushes all frames and ends the stream. Returns how many were refused. */
static guint
run (guint format, rlim_t limit, guint *errors)
{
  GstBus *bus;
  SampleGpu gpus[FRAMES];
  GstElement *element = make (format, &bus);
  GstHarness *h = play (element);
  GstFlowReturn results[FRAMES];
  guint refused = 0;
  GstMessage *message;
  /* The test suite, too, writes to a file whenever it checks something. */
  limit_files (limit);
  for (guint i = 0; i < FRAMES; i++)
    results[i] = push_frame (h, i, &gpus[i]);
  gst_harness_push_event (h, gst_event_new_eos ());
  gst_element_set_state (element, GST_STATE_NULL);
  limit_files (RLIM_INFINITY);
  for (guint i = 0; i < FRAMES; i++) {
    fail_unless (results[i] == GST_FLOW_OK || results[i] == GST_FLOW_ERROR);
    fail_unless (results[i] == GST_FLOW_ERROR || refused == 0);
    refused += results[i] == GST_FLOW_ERROR;
  }
  *errors = 0;
  while ((message = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR))) {
    GError *error = NULL;
    gst_message_parse_error (message, &error, NULL);
    fail_unless (g_error_matches (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT), "%s", error->message);
    fail_unless (strstr (error->message, folder) != NULL, "%s", error->message);
    g_error_free (error);
    gst_message_unref (message);
    (*errors)++;
  }
  finish (h, element, bus);
  return refused;
}

static gint
compare_names (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const gchar *const *) a, *(const gchar *const *) b);
}

/* All files of the folder by their names, in order; transfer full. */
static gchar *
read_folder (void)
{
  GDir *dir = g_dir_open (folder, 0, NULL);
  GPtrArray *names = g_ptr_array_new_with_free_func (g_free);
  GString *all = g_string_new (NULL);
  const gchar *name;
  while ((name = g_dir_read_name (dir)))
    g_ptr_array_add (names, g_strdup (name));
  g_dir_close (dir);
  g_ptr_array_sort (names, compare_names);
  for (guint i = 0; i < names->len; i++) {
    gchar *text = read_file (names->pdata[i]);
    g_string_append_printf (all, "%s:\n%s", (gchar *) names->pdata[i], text);
    g_free (text);
  }
  g_ptr_array_free (names, TRUE);
  return g_string_free (all, FALSE);
}

static void
empty_folder (void)
{
  remove_folder ();
  make_folder ();
}

/* Whether what is complete in the folder, which a failed run has left, is the beginning of WHOLE. */
static void
check_left (guint format, const gchar *whole)
{
  GDir *dir = g_dir_open (folder, 0, NULL);
  const gchar *name;
  while ((name = g_dir_read_name (dir))) {
    gchar *text, *complete;
    if (g_str_has_suffix (name, ".part"))
      continue;
    text = read_file (name);
    if (is_lines (format)) {
      gchar *end = strrchr (text, '\n');
      if (end)
        end[1] = '\0';
      else
        *text = '\0';
    }
    complete = is_lines (format) ? g_strdup (text) : g_strdup_printf ("%s:\n%s", name, text);
    fail_unless (strstr (whole, complete) != NULL, "\"%s\" is no part of \"%s\"", complete, whole);
    g_free (complete);
    g_free (text);
  }
  g_dir_close (dir);
}

GST_START_TEST (limit)
{
  const guint format = __i__;
  guint errors, failures = 0, successes = 0;
  fail_unless_equals_int (run (format, RLIM_INFINITY, &errors), 0);
  fail_unless_equals_int (errors, 0);
  gchar *whole = read_folder ();
  const gsize most = strlen (whole); /* and the names: more than any file */
  for (gsize size = 0; successes == 0; size += size < 60 ? 7 : 61) {
    fail_unless (size < most + 61);
    empty_folder ();
    const guint refused = run (format, size, &errors);
    fail_unless (errors <= 1, "%u errors with %" G_GSIZE_FORMAT " bytes", errors, size);
    fail_unless (refused == 0 || errors == 1);
    failures += errors;
    successes += errors == 0;
    check_left (format, whole);
    if (errors == 0) {
      gchar *all = read_folder ();
      assert_equals_string (all, whole);
      g_free (all);
      continue;
    }
    /* There is room again. */
    fail_unless_equals_int (run (format, RLIM_INFINITY, &errors), 0);
    fail_unless_equals_int (errors, 0);
    if (!is_lines (format)) {
      gchar *all = read_folder ();
      assert_equals_string (all, whole);
      g_free (all);
    }
  }
  fail_unless (failures > 3 && successes > 0);
  g_free (whole);
}
GST_END_TEST;

/* A file system of a few pages. The mount is this process's own. */
GST_START_TEST (real_disk)
{
  const guint format = __i__;
  guint errors, refused = 0;
  gchar *options = g_strdup_printf ("size=%d", DISK_SIZE);
  const gboolean mounted = unshare (CLONE_NEWNS) == 0 && mount ("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0
                           && mount ("none", folder, "tmpfs", 0, options) == 0;
  g_free (options);
  if (!mounted) {
    g_printerr ("no file system can be mounted here (%s): the real disk is left out\n", g_strerror (errno));
    return;
  }
  guint8 *filler = g_malloc0 (DISK_SIZE - 4096);
  gchar *path = in_folder ("filler.part");
  write_text (path, (const gchar *) filler, DISK_SIZE - 4096);
  for (guint i = 0; i < 20 && refused == 0; i++) {
    refused = run (format, RLIM_INFINITY, &errors);
    fail_unless_equals_int (errors, refused > 0);
    if (!is_lines (format))
      break;
  }
  if (is_lines (format))
    fail_unless (refused > 0);
  g_unlink (path);
  fail_unless_equals_int (run (format, RLIM_INFINITY, &errors), 0);
  fail_unless_equals_int (errors, 0);
  umount2 (folder, MNT_DETACH);
  g_free (path);
  g_free (filler);
}
GST_END_TEST;

static Suite *
disk_full_suite (void)
{
  Suite *suite = suite_create ("contourexport on a full disk");
  TCase *tcase = tcase_create ("general");
  suite_add_tcase (suite, tcase);
  tcase_set_timeout (tcase, 120);
  tcase_add_checked_fixture (tcase, make_folder, remove_folder);
  tcase_add_loop_test (tcase, limit, NDJSON, FORMATS);
  tcase_add_loop_test (tcase, real_disk, NDJSON, FORMATS);
  return suite;
}

GST_CHECK_MAIN (disk_full);

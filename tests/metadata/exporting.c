/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "exporting.h"

#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

gchar *folder;

void
make_folder (void)
{
  folder = g_dir_make_tmp ("contourexport-XXXXXX", NULL);
  fail_unless (folder != NULL);
}

void
remove_folder (void)
{
  GDir *dir = g_dir_open (folder, 0, NULL);
  const gchar *name;
  while ((name = g_dir_read_name (dir))) {
    gchar *path = g_build_filename (folder, name, NULL);
    g_unlink (path);
    g_free (path);
  }
  g_dir_close (dir);
  g_rmdir (folder);
  g_clear_pointer (&folder, g_free);
}

gchar *
in_folder (const gchar *name)
{
  return g_build_filename (folder, name, NULL);
}

GstElement *
make_element (const gchar *location, GstBus **bus)
{
  GstElement *element = gst_element_factory_make ("contourexport", NULL);
  fail_unless (element != NULL);
  gst_object_ref_sink (element);
  if (location)
    g_object_set (element, "location", location, NULL);
  *bus = gst_bus_new ();
  gst_element_set_bus (element, *bus);
  return element;
}

GstHarness *
play (GstElement *element)
{
  GstHarness *h = gst_harness_new_with_element (element, "sink", "src");
  sample_play_file (h);
  gst_harness_set_src_caps_str (h, SAMPLE_CAPS);
  return h;
}

void
finish (GstHarness *h, GstElement *element, GstBus *bus)
{
  gst_harness_teardown (h);
  gst_element_set_bus (element, NULL);
  gst_object_unref (element);
  gst_object_unref (bus);
}

GstFlowReturn
push (GstHarness *h, GstClockTime pts, guint features)
{
  GstBuffer *buffer = sample_buffer ();
  GST_BUFFER_PTS (buffer) = pts;
  sample_attach (buffer, features, "finder");
  return gst_harness_push (h, buffer);
}

void
assert_file (const gchar *path, const gchar *expected)
{
  gchar *text = NULL;
  fail_unless (g_file_get_contents (path, &text, NULL, NULL));
  assert_equals_string (text, expected);
  g_free (text);
}

void
assert_message (GstBus *bus, GstMessageType type, gint code, const gchar *text)
{
  GstMessage *message = gst_bus_pop_filtered (bus, type);
  GError *error = NULL;
  fail_unless (message != NULL, "no message");
  if (type == GST_MESSAGE_ERROR)
    gst_message_parse_error (message, &error, NULL);
  else
    gst_message_parse_warning (message, &error, NULL);
  fail_unless (error->domain == GST_RESOURCE_ERROR);
  assert_equals_int (error->code, code);
  fail_unless (strstr (error->message, text) != NULL, "\"%s\" lacks \"%s\"", error->message, text);
  g_error_free (error);
  gst_message_unref (message);
  message = gst_bus_pop_filtered (bus, type);
  fail_unless (message == NULL, "more than one message");
}

void
assert_start_fails (GstElement *element, GstBus *bus, gint code, const gchar *text)
{
  fail_unless_equals_int (gst_element_set_state (element, GST_STATE_PAUSED), GST_STATE_CHANGE_FAILURE);
  assert_message (bus, GST_MESSAGE_ERROR, code, text);
  gst_element_set_state (element, GST_STATE_NULL);
}

GstElement *
make_for (const gchar *location, guint format, GstBus **bus)
{
  GstElement *element = make_element (location, bus);
  g_object_set (element, "format", format, NULL);
  return element;
}

GstElement *
make_for_pipe (guint format, GstBus **bus, gint ends[2])
{
  fail_unless (pipe (ends) == 0);
  GstElement *element = make_for (NULL, format, bus);
  g_object_set (element, "fd", ends[1], NULL);
  return element;
}

void
drop (GstElement *element, GstBus *bus)
{
  gst_element_set_state (element, GST_STATE_NULL);
  gst_element_set_bus (element, NULL);
  gst_object_unref (element);
  gst_object_unref (bus);
}

void
assert_no_message (GstBus *bus)
{
  GstMessage *message = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR | GST_MESSAGE_WARNING);
  fail_unless (message == NULL);
}

void
assert_quick (gint64 since)
{
  gint64 passed = (g_get_monotonic_time () - since) / 1000;
  fail_unless (passed < 1000, "%" G_GINT64_FORMAT " ms", passed);
}

gchar *
read_text (const gchar *path)
{
  gchar *text = NULL;
  fail_unless (g_file_get_contents (path, &text, NULL, NULL), "there is no %s", path);
  return text;
}

void
write_text (const gchar *path, const gchar *text, gsize size)
{
  FILE *file = fopen (path, "w");
  fail_unless (file != NULL && fwrite (text, 1, size, file) == size && fclose (file) == 0);
}

gboolean
exists (const gchar *name)
{
  gchar *path = in_folder (name);
  gboolean there = g_file_test (path, G_FILE_TEST_EXISTS);
  g_free (path);
  return there;
}

guint
count_files (void)
{
  GDir *dir = g_dir_open (folder, 0, NULL);
  guint n = 0;
  while (g_dir_read_name (dir))
    n++;
  g_dir_close (dir);
  return n;
}

gchar *
read_file (const gchar *name)
{
  gchar *path = in_folder (name), *text = NULL;
  fail_unless (g_file_get_contents (path, &text, NULL, NULL), "there is no %s", name);
  g_free (path);
  return text;
}

GstElement *
make_in_folder (const gchar *name, guint format, GstBus **bus)
{
  gchar *path = in_folder (name);
  GstElement *element = make_element (path, bus);
  g_object_set (element, "format", format, NULL);
  g_free (path);
  return element;
}

glong
peak_memory_kib (void)
{
  struct rusage usage;
  getrusage (RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

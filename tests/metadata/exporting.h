/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* contourexport at work: a folder for its files, the element in a harness, what it wrote and said. */
#ifndef EXPORTING_H
#define EXPORTING_H

#include <glib/gstdio.h>
#include <gst/check/gstcheck.h>
#include <gst/check/gstharness.h>
#include <string.h>

#include "sample.h"

static gchar *folder;

static inline void
make_folder (void)
{
  folder = g_dir_make_tmp ("contourexport-XXXXXX", NULL);
  fail_unless (folder != NULL);
}

static inline void
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

static inline gchar *
in_folder (const gchar *name)
{
  return g_build_filename (folder, name, NULL);
}

/* The element with a bus; transfer full. */
static inline GstElement *
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

static inline GstHarness *
play (GstElement *element)
{
  GstHarness *h = gst_harness_new_with_element (element, "sink", "src");
  gst_harness_set_src_caps_str (h, SAMPLE_CAPS);
  return h;
}

static inline void
finish (GstHarness *h, GstElement *element, GstBus *bus)
{
  gst_harness_teardown (h);
  gst_element_set_bus (element, NULL);
  gst_object_unref (element);
  gst_object_unref (bus);
}

/* Pushes one frame with the sample's components. */
static inline GstFlowReturn
push (GstHarness *h, GstClockTime pts, guint features)
{
  GstBuffer *buffer = sample_buffer ();
  GST_BUFFER_PTS (buffer) = pts;
  sample_attach (buffer, features, "finder");
  return gst_harness_push (h, buffer);
}

static inline void
assert_file (const gchar *path, const gchar *expected)
{
  gchar *text = NULL;
  fail_unless (g_file_get_contents (path, &text, NULL, NULL));
  assert_equals_string (text, expected);
  g_free (text);
}

/* Exactly one message of TYPE is on BUS: of this resource error, and its text has TEXT. */
static inline void
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

static inline void
assert_start_fails (GstElement *element, GstBus *bus, gint code, const gchar *text)
{
  fail_unless_equals_int (gst_element_set_state (element, GST_STATE_PAUSED), GST_STATE_CHANGE_FAILURE);
  assert_message (bus, GST_MESSAGE_ERROR, code, text);
  gst_element_set_state (element, GST_STATE_NULL);
}

#endif

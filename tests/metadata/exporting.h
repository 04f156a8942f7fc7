/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A contourexport element under test: the folder of its files, frames to push, what it wrote and what it reported. */
#ifndef EXPORTING_H
#define EXPORTING_H

#include <glib/gstdio.h>
#include <gst/check/gstcheck.h>
#include <gst/check/gstharness.h>
#include <string.h>

#include "sample.h"

/* Values of the property format. */
enum { NDJSON, CSV, SVG, GEOJSON, COCO, LABELME, FORMATS };

/* A folder of its own for each test: a fixture. */
extern gchar *folder;
void make_folder (void);
void remove_folder (void);

/* The path of a file in the folder; transfer full. */
gchar *in_folder (const gchar *name);
gboolean exists (const gchar *name);
guint count_files (void);

/* The text of a file in the folder, or of one by its path; transfer full. */
gchar *read_file (const gchar *name);
gchar *read_text (const gchar *path);
void write_text (const gchar *path, const gchar *text, gsize size);

/* An element with a bus, both transfer full: for LOCATION, which may be NULL, and a format; for a file in the folder;
 * for the write end of a new pipe. */
GstElement *make_element (const gchar *location, GstBus **bus);
GstElement *make_for (const gchar *location, guint format, GstBus **bus);
GstElement *make_in_folder (const gchar *name, guint format, GstBus **bus);
GstElement *make_for_pipe (guint format, GstBus **bus, gint ends[2]);

/* Stops and frees an element that is in no harness. */
void drop (GstElement *element, GstBus *bus);

/* A harness around the element, for frames as large as the sample; finish() frees all of them. */
GstHarness *play (GstElement *element);
void finish (GstHarness *h, GstElement *element, GstBus *bus);

/* Pushes a frame with the components of the sample. */
GstFlowReturn push (GstHarness *h, GstClockTime pts, guint features);

void assert_file (const gchar *path, const gchar *expected);

/* There is exactly one message of TYPE on BUS, with this resource error and a text that contains TEXT. */
void assert_message (GstBus *bus, GstMessageType type, gint code, const gchar *text);

/* There is no error and no warning on BUS. */
void assert_no_message (GstBus *bus);
void assert_start_fails (GstElement *element, GstBus *bus, gint code, const gchar *text);

/* Less than a second has passed SINCE, a monotonic time. */
void assert_quick (gint64 since);

/* Of this process, so far. */
glong peak_memory_kib (void);

#endif

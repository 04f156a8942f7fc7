/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Harnesses of elements with this run's backend. A part of frames.h, which includes it. */
#ifndef HARNESS_H
#define HARNESS_H

#include "frames.h"

/* Gives ELEMENT, before it starts, the CUDA context of the test program, as an application does. With a context for each
 * harness, programs would take minutes on a GPU; gpu.c tests elements that make their own. */
static inline void
share_cuda_context (GstElement *element)
{
#ifdef HAVE_GST_CUDA
  if (test_on_gpu () || test_in_cuda_memory ()) {
    GstContext *context = gst_context_new_cuda_context (test_cuda_context ());

    gst_element_set_context (element, context);
    gst_context_unref (context);
  }
#endif
}

/* Returns a harness of the elements of a launch line, which shares the program's CUDA context. */
static inline GstHarness *
new_harness_of_line (const gchar *line)
{
  GstElement *bin = gst_parse_bin_from_description (line, TRUE, NULL);
  GstHarness *h;

  fail_unless (bin != NULL, "%s", line);
  share_cuda_context (bin);
  h = gst_harness_new_with_element (bin, "sink", "src");
  gst_object_unref (bin);
  return h;
}

/* Returns a harness of one element, given as a launch line, with this run's backend. The element posts its messages to
 * BUS, unless NULL. */
static inline GstHarness *
new_harness_with_bus (const gchar *element_line, GstBus *bus)
{
  gchar *line = g_strdup_printf ("%s backend=%s", element_line, test_backend ());
  GstElement *element = gst_parse_launch (line, NULL);
  GstHarness *h;

  gst_element_set_bus (element, bus);
  share_cuda_context (element);
  h = gst_harness_new_with_element (element, "sink", "src");
  gst_object_unref (element);
  g_free (line);
  return h;
}

static inline GstHarness *
new_harness (const gchar *element_line)
{
  return new_harness_with_bus (element_line, NULL);
}

/* Drops the bus of a harness that has been torn down. Messages that are left hold the element, which holds the bus. */
static inline void
drop_bus (GstBus *bus)
{
  gst_bus_set_flushing (bus, TRUE);
  gst_object_unref (bus);
}

#endif

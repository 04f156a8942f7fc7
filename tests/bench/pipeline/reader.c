/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/bench/pipeline/reader.h"

#include <gst/contours/gstcontours.h>

/* The bytes are on the host once the getter returns. */
static void
drop (GBytes *bytes)
{
  if (bytes)
    g_bytes_unref (bytes);
}

void
reader_read (GstBuffer *buffer, ReadWhat what, RunResult *result)
{
  GstContoursComponentMeta *components;
  GstContoursContourMeta *contours;
  gpointer state = NULL;

  if (what == READ_NOTHING)
    return;
  result->components = result->contours = 0;
  result->points = 0;
  while ((components = gst_buffer_iterate_contours_component_meta (buffer, &state))) {
    result->components += gst_contours_component_meta_get_count (components);
    drop (gst_contours_component_meta_get_table_bytes (components));
  }
  state = NULL;
  while ((contours = gst_buffer_iterate_contours_contour_meta (buffer, &state))) {
    result->contours += gst_contours_contour_meta_get_count (contours);
    result->points += gst_contours_contour_meta_get_point_count (contours);
    if (what == READ_POINTS) {
      drop (gst_contours_contour_meta_get_table_bytes (contours));
      drop (gst_contours_contour_meta_get_points_bytes (contours));
    }
  }
}

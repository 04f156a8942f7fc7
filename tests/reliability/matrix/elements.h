/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The elements of the matrix, and what of a frame that they push has to be equal. */
#ifndef CTR_TESTS_RELIABILITY_ELEMENTS_H
#define CTR_TESTS_RELIABILITY_ELEMENTS_H

#include "tests/elements/frames.h"

/* Launch lines of elements whose frames do not depend on each other. Each takes every format that it can, and finds
 * something in the frames of matrix_frame_new(). */
static const gchar *const matrix_lines[] = {
    "cudacca features=moments+grey labels=true",
    "cudaborders mode=tree approximation=none features=moments",
    "cudacrackcontour levels=60,128,200",
    "cudacanny",
    "cudaforeground threshold-mode=otsu",
    "cudabackground mode=divide learning-rate=1",
    "cudasnake",
    "cudacontouroverlay",
};

static inline gboolean
matrix_draws (const gchar *line)
{
  return g_str_has_prefix (line, "cudacontouroverlay");
}

/* What a frame has after the element: all samples of its planes, and its results. */
static inline GByteArray *
matrix_take (GstBuffer *buffer, const GstVideoInfo *info)
{
  GByteArray *bytes = g_byte_array_new ();
  GstContoursComponentMeta *component_meta = gst_buffer_get_contours_component_meta (buffer);
  GstContoursContourMeta *contour_meta = gst_buffer_get_contours_contour_meta (buffer);
  GstVideoFrame frame;

  fail_unless (gst_video_frame_map (&frame, info, buffer, GST_MAP_READ));
  for (guint plane = 0; plane < GST_VIDEO_FRAME_N_PLANES (&frame); plane++)
    for (guint y = 0; y < plane_rows (info, plane); y++)
      g_byte_array_append (bytes,
          (guint8 *) GST_VIDEO_FRAME_PLANE_DATA (&frame, plane)
              + (gsize) y * GST_VIDEO_FRAME_PLANE_STRIDE (&frame, plane),
          plane_row_bytes (info, plane));
  gst_video_frame_unmap (&frame);
  if (component_meta) {
    CtrComponents *c = gst_contours_component_meta_peek_components (component_meta);

    fail_unless (c->width == (guint) info->width && c->height == (guint) info->height);
    g_byte_array_append (bytes, (const guint8 *) c->table, c->count * sizeof *c->table);
    g_byte_array_append (bytes, (const guint8 *) c->moments, c->count * sizeof *c->moments);
    g_byte_array_append (bytes, (const guint8 *) c->grey, c->count * sizeof *c->grey);
    g_byte_array_append (
        bytes, (const guint8 *) ctr_components_map_labels (c, NULL), (gsize) c->width * c->height * sizeof *c->labels);
  }
  if (contour_meta) {
    CtrContours *c = gst_contours_contour_meta_peek_contours (contour_meta);

    fail_unless (c->width == (guint) info->width && c->height == (guint) info->height);
    g_byte_array_append (bytes, (const guint8 *) ctr_contours_map_table (c, NULL), c->count * sizeof (CtrContour));
    g_byte_array_append (bytes, (const guint8 *) ctr_contours_map_points (c, NULL), c->point_count * sizeof (CtrPoint));
  }
  return bytes;
}

#endif

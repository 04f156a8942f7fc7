/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Metadata as text: NDJSON (one line a frame and metadata) and CSV (one row a component or contour).
 * docs/export-schema.md. */
#ifndef __CONTOUR_WRITER_H__
#define __CONTOUR_WRITER_H__

#include <gst/contours/gstcontours.h>

G_BEGIN_DECLS

#define CONTOUR_WRITER_SCHEMA "gst-cuda-contours/1"

typedef struct {
  guint64 index;            /* running number */
  GstClockTime pts;         /* GST_CLOCK_TIME_NONE: null */
  GstClockTime stream_time; /* of pts */
  guint width;              /* of the frame by its caps; 0: unknown */
  guint height;
} ContourWriterFrame;

/* Empties the text: a frame can have millions of components. Anything but GST_FLOW_OK ends the writing. */
typedef GstFlowReturn (*ContourWriterFlush) (gpointer user_data);

/* Is META of a kind that is written? */
gboolean contour_writer_takes (const GstMeta *meta);

/* Appends the frame's line, with its end. META may be NULL: a frame that nobody analysed. A GstContourMeta must have
 * been fetched. Calls FLUSH where OUT grows long, and returns its failure. */
GstFlowReturn contour_writer_append_json (
    GString *out, const ContourWriterFrame *frame, GstMeta *meta, ContourWriterFlush flush, gpointer user_data);

void contour_writer_append_csv_header (GString *out);

/* Appends the frame's rows: none where META is NULL or has nothing. The rest as above. */
GstFlowReturn contour_writer_append_csv (
    GString *out, const ContourWriterFrame *frame, GstMeta *meta, ContourWriterFlush flush, gpointer user_data);

G_END_DECLS

#endif /* __CONTOUR_WRITER_H__ */

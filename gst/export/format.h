/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What each format of contourexport is: a table of functions that append text. docs/export-schema.md. */
#ifndef GST_EXPORT_FORMAT_H
#define GST_EXPORT_FORMAT_H

#include "gst/export/spool.h"
#include "gst/export/text.h"

#include <gst/contours/gstcontours.h>

G_BEGIN_DECLS

#define EXPORT_SCHEMA "gst-cuda-contours/1"

/* How much goes into one file. */
typedef enum {
  EXPORT_LINES,   /* whole lines: it may end after any frame, and another one go on */
  EXPORT_FRAME,   /* one frame */
  EXPORT_DOCUMENT /* everything from start to stop: nobody can read it before its end is written */
} ExportExtent;

typedef struct {
  guint64 index;            /* running number */
  GstClockTime pts;         /* GST_CLOCK_TIME_NONE: null */
  GstClockTime stream_time; /* of pts */
  guint width;              /* 0: unknown */
  guint height;
  GstContoursResultFlags flags; /* of the buffer and of all metadata that is written */
  const gchar *path;            /* of the file it goes to; NULL: a pipe */
} ExportFrame;

typedef struct {
  const gchar *nick;
  const gchar *name;
  ExportExtent extent;

  /* What is remembered from start to stop; NULL: nothing. */
  gpointer (*start) (void);
  void (*stop) (gpointer state);

  /* In this order; those that are NULL have nothing to say. A GstContoursContourMeta has been fetched. METAS of the
   * frame have been written. Where a flush has interrupted the writing, a frame is begun again: it gives the same text.
   */
  void (*begin_file) (gpointer state, GString *out);
  void (*begin_frame) (gpointer state, GString *out, const ExportFrame *frame);
  GstFlowReturn (*write) (gpointer state, const ExportText *text, const ExportFrame *frame, GstMeta *meta);
  void (*end_frame) (gpointer state, GString *out, const ExportFrame *frame, guint metas);

  /* EXPORT_DOCUMENT. What its end needs of a frame that has been written: lines for export_spool_add_frame(). Then the
   * end itself, of all frames in SPOOL, which may be those of an earlier run. GST_FLOW_ERROR with an error: SPOOL
   * cannot be read. */
  void (*note_frame) (gpointer state, GString *lines, const ExportFrame *frame);
  GstFlowReturn (*end_document) (const ExportText *text, ExportSpool *spool, GError **error);
} ExportFormat;

extern const ExportFormat export_ndjson, export_csv, export_svg, export_geojson, export_coco, export_labelme;

/* Is META of a kind that is written? */
gboolean export_takes (const GstMeta *meta);

gboolean export_is_contours (const GstMeta *meta);

/* Name of the element that made META, or NULL; its flags; size of the frame that its positions refer to. */
const gchar *export_get_source (GstMeta *meta);
GstContoursResultFlags export_get_flags (GstMeta *meta);
void export_get_size (GstMeta *meta, guint *width, guint *height);

/* Where POINT lies in the frame, in the metadata's coordinates, and their name. */
void export_map_point (GstContoursContourMeta *meta, const CtrPoint *point, gdouble *x, gdouble *y);
const gchar *export_get_coordinates (GstContoursContourMeta *meta);

/* "frame", "pts", "timestamp" and the flags that are the frame's, that of an analyser's limit where FLAGS has it, and
 * "resolution" of the size given: members of a JSON object that begins before. */
void export_append_json_frame (GString *out, const ExportFrame *frame);
void export_append_json_limit (GString *out, GstContoursResultFlags flags);
void export_append_json_resolution (GString *out, guint width, guint height);

/* All that is known of a component, and of contour C of META less its points: members of a JSON object, the first one
 * without a comma. */
void export_append_json_component (GString *out, const GstContoursComponent *c, GstContoursComponentFeatures features);
void export_append_json_contour (GString *out, GstContoursContourMeta *meta, const GstContoursContour *c);

/* What a thing is called where formats name classes: after the element that found it. */
void export_append_json_class (GString *out, const gchar *source, gboolean hole);

G_END_DECLS

#endif

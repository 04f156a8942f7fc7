/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The formats of contourexport: each is a table of functions that append text. docs/export-schema.md describes them.
 *
 * How the files of this folder work together: framestream.h describes a frame, and framemetas.h fetches its
 * metadata and lets the format write it. For
 * contourexport, writer.h calls it and keeps interrupted frames. coco.c, csv.c, geojson.c, labelme.c, ndjson.c and svg.c
 * are the formats. They append text with text.h and numbertext.h, and the
 * formats of outlines get polygons from shape.h, which builds them with outline.h and crackindex.h. The text goes to
 * files.h, which names, rotates and locks (name.h, claim.h) files of linefile.h. spool.h keeps what the end of a
 * document needs. To add a format, write such a table in a file of its own and list it in gstcontourexport.c. */
#ifndef GST_EXPORT_FORMAT_H
#define GST_EXPORT_FORMAT_H

#include "gst/export/spool.h"
#include "gst/export/text.h"

#include <gst/contours/gstcontours.h>

G_BEGIN_DECLS

#define EXPORT_SCHEMA "gst-cuda-contours/1"

/* What one file contains. */
typedef enum {
  EXPORT_LINES,   /* lines: a file may end after any frame, and the next one continue */
  EXPORT_FRAME,   /* one frame */
  EXPORT_DOCUMENT /* all frames from start to stop: incomplete until its end is written */
} ExportExtent;

typedef struct {
  guint64 index;             /* of the frame, from 0 */
  GstClockTime pts;          /* may be GST_CLOCK_TIME_NONE */
  GstClockTime stream_time;  /* of pts; may be GST_CLOCK_TIME_NONE */
  GstClockTime running_time; /* of pts; may be GST_CLOCK_TIME_NONE */
  GstClockTime utc;          /* of the capture, since 1970; may be GST_CLOCK_TIME_NONE */
  guint64 dropped;           /* frames that were lost between the one before and this one */
  GstBuffer *buffer;         /* has the reference timestamps; belongs to the caller of begin_frame() */
  guint width;               /* 0: unknown */
  guint height;
  GstContoursResultFlags flags; /* of the buffer and of all exported metadata */
  const gchar *path;            /* of the output file; NULL for a descriptor */
  const gchar *identity;        /* NDJSON: members, each with a comma behind it, that say whose frame it is; or NULL */
} ExportFrame;

typedef struct {
  const gchar *nick;
  const gchar *name;
  ExportExtent extent;
  gboolean codes; /* Contours that have codes are written with these instead of their points. */

  /* The state between start and stop; NULL if the format has none. */
  gpointer (*start) (void);
  void (*stop) (gpointer state);

  /* Called in this order; NULL functions are skipped. Contours have been copied from the GPU (fetched), but for points that
   * are not written. METAS is the
   * number of metas that were written. After a flush has interrupted a frame, the frame is begun again and must produce
   * the same text. */
  void (*begin_file) (gpointer state, GString *out);
  void (*begin_frame) (gpointer state, GString *out, const ExportFrame *frame);
  GstFlowReturn (*write) (gpointer state, const ExportText *text, const ExportFrame *frame, GstMeta *meta);
  void (*end_frame) (gpointer state, GString *out, const ExportFrame *frame, guint metas);

  /* EXPORT_DOCUMENT only: note_frame() appends the LINES of a written frame that the end of the document needs, for
   * export_spool_add_frame(). end_document() writes the end for all frames in SPOOL, which an earlier run may have
   * written; it returns GST_FLOW_ERROR with an error if SPOOL cannot be read. */
  void (*note_frame) (gpointer state, GString *lines, const ExportFrame *frame);
  GstFlowReturn (*end_document) (const ExportText *text, ExportSpool *spool, GError **error);
} ExportFormat;

extern const ExportFormat export_ndjson, export_csv, export_svg, export_geojson, export_coco, export_labelme;
extern const ExportFormat export_ndjson_codes, export_csv_codes;

/* Whether META is of a kind that is exported. */
gboolean export_supports (const GstMeta *meta);

gboolean export_is_contours (const GstMeta *meta);

/* The name of the element that attached META, or NULL; its flags; the frame size that its positions refer to. */
const gchar *export_get_source (GstMeta *meta);
GstContoursResultFlags export_get_flags (GstMeta *meta);
void export_get_size (GstMeta *meta, guint *width, guint *height);

/* Maps POINT to the frame, with rows of the web, in the coordinates of META; the name of these coordinates. */
void export_map_point (GstContoursContourMeta *meta, const CtrPoint *point, gdouble *x, gdouble *y);
const gchar *export_get_coordinates (GstContoursContourMeta *meta);

/* What is added to y in the frame of META where rows are those of the web: 0 unless the frame is a strip. That is so in
 * formats of lines; a document of one frame has positions in that frame. */
gdouble export_get_web_shift (GstMeta *meta);

/* Gets component or contour INDEX with rows of the web; FALSE if there is none. */
gboolean export_get_web_component (GstContoursComponentMeta *meta, guint index, GstContoursComponent *component);
gboolean export_get_web_contour (GstContoursContourMeta *meta, guint index, GstContoursContour *contour);

/* The direction of a refined point's normal in degrees, clockwise on the screen from the x axis, 0 or more and below 360. */
gdouble export_get_normal_angle (const GstContoursSubpixel *subpixel);

/* Maps the codes of META for a format with codes; FALSE if it writes points. */
gboolean export_map_codes (GstContoursContourMeta *meta, CtrContourCodes *codes);

/* Appends the directions of contour INDEX as digits. */
GstFlowReturn export_append_codes (const ExportText *text, const CtrContourCodes *codes, guint index);

/* Append members of a JSON object that has been begun: "frame", "pts", "timestamp", times by other clocks, and the flags
 * of the frame; "limit_exceeded" if FLAGS has it; "resolution". */
void export_append_json_frame (GString *out, const ExportFrame *frame);
void export_append_json_limit (GString *out, GstContoursResultFlags flags);
void export_append_json_resolution (GString *out, guint width, guint height);

/* Append all members of component C of META, and of contour C of META except its points, to a JSON object. The first member has
 * no comma before it. */
void export_append_json_component (
    GString *out, GstContoursComponentMeta *meta, const GstContoursComponent *c, GstContoursComponentFeatures features);
void export_append_json_contour (GString *out, GstContoursContourMeta *meta, const GstContoursContour *c);

/* The class of the region of a mask whose pixels have VALUE, as the mask of META came with it, or NULL. */
const gchar *export_get_class (GstMeta *meta, guint value);

/* Appends the class name of an object of META with this VALUE (its level or sample): that of the mask, otherwise the name of the
 * element that found it. */
void export_append_json_class (GString *out, GstMeta *meta, guint value, gboolean hole);

G_END_DECLS

#endif

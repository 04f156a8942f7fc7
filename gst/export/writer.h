/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Writes frames in one format to files. It resumes frames that a flush interrupted, ends documents, and completes those
 * that an earlier run left incomplete. It posts the errors and warnings of its element. */
#ifndef GST_EXPORT_WRITER_H
#define GST_EXPORT_WRITER_H

#include "gst/export/files.h"

G_BEGIN_DECLS

typedef struct {
  GstElement *element; /* its object lock guards files */

  /* Atomic: a frame may be gigabytes of text, so writing stops while the pads are flushing or the element stops. */
  gint flushing;
  gint stopping;

  /* While started. */
  const ExportFormat *format;
  gpointer state; /* of the format */
  ExportFiles *files;
  GString *text; /* not written yet */
  ExportFrame frame;
  gint64 deadline;    /* of writing while the element stops, in monotonic microseconds; 0: none */
  gboolean failed;    /* an error has been posted: nothing more is written */
  gboolean complete;  /* the document has ended */
  gboolean recovered; /* this start completed the document of an earlier run */

  /* The section that a flush interrupted. */
  guint64 done;           /* bytes of the section that have been written */
  guint64 skip;           /* bytes of these that will be produced again */
  GstBuffer *rest;        /* metadata of the interrupted frame; NULL: none */
  ExportFrame rest_frame; /* that frame */
  guint rest_metas;       /* its number of metas */
} ExportWriter;

void export_writer_init (ExportWriter *self, GstElement *element);

/* Opens the first file. Posts an error and returns FALSE on failure. */
gboolean export_writer_start (ExportWriter *self, const ExportSettings *settings);

/* Ends the open file if that is possible within a short time, and closes it. */
void export_writer_stop (ExportWriter *self);

/* Writes the metadata of BUFFER. FRAME describes it; its index is ignored. */
GstFlowReturn export_writer_write (ExportWriter *self, GstBuffer *buffer, const ExportFrame *frame);

/* Handles the end of the stream: synchronises the file to the disk. Lines may continue after a seek, documents end. */
void export_writer_finish (ExportWriter *self);

/* Interrupt the streaming thread if it waits for a reader or writes a long frame, or allow it to do so again. STOPPING
 * lasts beyond the end of a flush. From any thread. */
void export_writer_set_flushing (ExportWriter *self, gboolean flushing);
void export_writer_set_stopping (ExportWriter *self, gboolean stopping);

G_END_DECLS

#endif

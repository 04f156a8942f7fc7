/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Writes frames in one format to files: sections that a flush interrupts, the end of documents, recovery of those that
 * an earlier run left incomplete. Posts errors and warnings of its element. */
#ifndef GST_EXPORT_WRITER_H
#define GST_EXPORT_WRITER_H

#include "gst/export/files.h"

G_BEGIN_DECLS

typedef struct {
  GstElement *element; /* its object lock guards files */

  /* Atomic: the pads are flushing, or going to. What is written of a frame may be gigabytes of text. */
  gint flushing;
  gint stopping;

  /* While started. */
  const ExportFormat *format;
  gpointer state; /* the format's */
  ExportFiles *files;
  GString *text; /* not written yet */
  ExportFrame frame;
  gint64 deadline;    /* of writing while the element stops, monotonic microseconds; 0: none */
  gboolean failed;    /* the error is posted: nothing is written any more */
  gboolean complete;  /* so is the document */
  gboolean recovered; /* this start has completed the document of an earlier run */

  /* What a flush has interrupted. */
  guint64 done;           /* bytes of the section that are written, now or before */
  guint64 skip;           /* of these, bytes that are still to come again */
  GstBuffer *rest;        /* metadata of the frame that is not written to its end; NULL: none */
  ExportFrame rest_frame; /* itself */
  guint rest_metas;
} ExportWriter;

void export_writer_init (ExportWriter *self, GstElement *element);

/* Opens the first file. Posts an error and returns FALSE on failure. */
gboolean export_writer_start (ExportWriter *self, const ExportSettings *settings);

/* Ends what is open, for as long as that takes little time. */
void export_writer_stop (ExportWriter *self);

/* Writes the metadata of BUFFER. FRAME says what is known of the frame; its index is not read. */
GstFlowReturn export_writer_write (ExportWriter *self, GstBuffer *buffer, const ExportFrame *frame);

/* The end of the stream: brings everything to the disk. Lines may go on, after a seek; a document may not. */
void export_writer_finish (ExportWriter *self);

/* Wakes the streaming thread if it waits for a reader or writes a long frame, or lets it do so again. From any thread;
 * STOPPING outlasts the end of a flush. */
void export_writer_set_flushing (ExportWriter *self, gboolean flushing);
void export_writer_set_stopping (ExportWriter *self, gboolean stopping);

G_END_DECLS

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The files of one run, one after the other: their names, when the next one is due, what they are called until they are
 * complete, and that nobody else writes there. */
#ifndef GST_EXPORT_FILES_H
#define GST_EXPORT_FILES_H

#include "gst/export/format.h"
#include "gst/export/spool.h"

G_BEGIN_DECLS

typedef struct {
  const ExportFormat *format;
  const gchar *owner;    /* whom others are told of */
  const gchar *location; /* path or pattern; "-": the standard output */
  gint fd;               /* >= 0: instead of a location */
  gboolean append;
  guint64 max_size;      /* bytes; 0: no limit */
  GstClockTime max_time; /* from the first frame of a file to the first one of the next; 0: no limit */
} ExportSettings;

typedef struct ExportFiles ExportFiles;

/* Checks SETTINGS; the strings are copied. On failure NULL and an error of GST_RESOURCE_ERROR; so below. */
ExportFiles *export_files_new (const ExportSettings *settings, GError **error);

/* Also of what is open: that stays incomplete. */
void export_files_free (ExportFiles *files);

gboolean export_files_is_open (ExportFiles *files);

/* May a frame of PTS go into the open file, by its size and time? The first one may, into one that was empty. */
gboolean export_files_admit (ExportFiles *files, GstClockTime pts);

/* Opens the next file, NUMBER where there is one a frame. *EMPTY: it has nothing yet. *CUT bytes of an incomplete last
 * line were cut off. */
gboolean export_files_open (ExportFiles *files, guint64 number, gboolean *empty, guint64 *cut, GError **error);

/* Opens the document that a run left which did not end it: its *FRAMES whole frames are in it, its end is to be written
 * next. FALSE without an error: there is none. */
gboolean export_files_reopen (ExportFiles *files, guint64 *frames, GError **error);

/* As line_file_is_ready() and line_file_write(). */
gboolean export_files_is_ready (ExportFiles *files);
gboolean export_files_write (ExportFiles *files, const gchar *data, gsize size, gsize *written, GError **error);

/* A frame of the open document is written; LINES as export_spool_add_frame() takes them. */
gboolean export_files_add_frame (ExportFiles *files, const GString *lines, GError **error);

/* Those of the open document. */
ExportSpool *export_files_get_spool (ExportFiles *files);

/* Brings what is written to the disk. */
gboolean export_files_sync (ExportFiles *files, GError **error);

/* Ends the file, which is complete: it gets its name. */
gboolean export_files_close (ExportFiles *files, GError **error);

/* Removes the open file where it has no name yet. */
void export_files_discard (ExportFiles *files);

/* Of the open file, once it is complete; NULL: it has none. */
const gchar *export_files_get_path (ExportFiles *files);

/* As line_file_set_flushing(), for this and all later files. From any thread. */
void export_files_set_flushing (ExportFiles *files, gboolean flushing);

/* Flushing from now on, whatever is set. From any thread. */
void export_files_cancel (ExportFiles *files);

G_END_DECLS

#endif

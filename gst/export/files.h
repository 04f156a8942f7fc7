/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The sequence of files of one run: names, rotation, temporary names of incomplete documents, and exclusive access. */
#ifndef GST_EXPORT_FILES_H
#define GST_EXPORT_FILES_H

#include "gst/export/format.h"
#include "gst/export/spool.h"

G_BEGIN_DECLS

typedef struct {
  const ExportFormat *format;
  const gchar *owner;    /* name of the element, for messages of others */
  const gchar *location; /* path or pattern; "-": the standard output */
  gint fd;               /* >= 0: replaces location */
  gboolean append;
  guint64 max_size;      /* bytes; 0: no limit */
  GstClockTime max_time; /* between the first frames of two files; 0: no limit */
} ExportSettings;

typedef struct ExportFiles ExportFiles;

/* Checks SETTINGS and copies its strings. On failure, this and the functions below return NULL or FALSE and an error of
 * GST_RESOURCE_ERROR. */
ExportFiles *export_files_new (const ExportSettings *settings, GError **error);

/* An open document stays incomplete. */
void export_files_free (ExportFiles *files);

gboolean export_files_is_open (ExportFiles *files);

/* Whether the size and time limits admit a frame of PTS to the open file. An empty file admits its first frame. */
gboolean export_files_admit (ExportFiles *files, GstClockTime pts);

/* Opens the next file; NUMBER is its number in formats with one file for each frame. *EMPTY: the file is empty. *CUT:
 * the bytes of an incomplete last line that were removed. */
gboolean export_files_open (ExportFiles *files, guint64 number, gboolean *empty, guint64 *cut, GError **error);

/* Opens the document that an earlier run left incomplete and removes everything after its *FRAMES complete frames; the
 * end of the document must be written next. Returns FALSE without an error if there is no such document. */
gboolean export_files_reopen (ExportFiles *files, guint64 *frames, GError **error);

/* Like line_file_is_ready() and line_file_write(). */
gboolean export_files_is_ready (ExportFiles *files);
gboolean export_files_write (ExportFiles *files, const gchar *data, gsize size, gsize *written, GError **error);

/* Records that a frame of the open document has been written, with LINES as for export_spool_add_frame(). */
gboolean export_files_add_frame (ExportFiles *files, const GString *lines, GError **error);

/* The spool of the open document. */
ExportSpool *export_files_get_spool (ExportFiles *files);

/* Synchronises the file to the disk. */
gboolean export_files_sync (ExportFiles *files, GError **error);

/* Closes the complete file and renames it into place. */
gboolean export_files_close (ExportFiles *files, GError **error);

/* Closes the open file, and removes it if it has a temporary name. */
void export_files_discard (ExportFiles *files);

/* The final path of the open file; NULL for a descriptor. */
const gchar *export_files_get_path (ExportFiles *files);

/* Like line_file_set_flushing(), for this and all later files. From any thread. */
void export_files_set_flushing (ExportFiles *files, gboolean flushing);

/* Flushing from now on, even if flushing is reset. From any thread. */
void export_files_cancel (ExportFiles *files);

G_END_DECLS

#endif

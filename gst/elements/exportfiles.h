/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The files of one run, one after the other: their names, when the next one is due, what they are called until they are
 * complete. */
#ifndef __EXPORT_FILES_H__
#define __EXPORT_FILES_H__

#include "exportformat.h"

G_BEGIN_DECLS

typedef struct {
  const ExportFormat *format;
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

/* Opens the next file, NUMBER where there is one a frame. *EMPTY: it has nothing yet. */
gboolean export_files_open (ExportFiles *files, guint64 number, gboolean *empty, GError **error);

/* As line_file_write(). */
gboolean export_files_write (ExportFiles *files, const gchar *data, gsize size, GError **error);

/* Brings what is written to the disk. */
gboolean export_files_sync (ExportFiles *files, GError **error);

/* Ends the file, which is complete: it gets its name. */
gboolean export_files_close (ExportFiles *files, GError **error);

/* Of the open file, once it is complete; NULL: it has none. */
const gchar *export_files_get_path (ExportFiles *files);

/* As line_file_cancel(), for this and all later files. From any thread. */
void export_files_cancel (ExportFiles *files);

G_END_DECLS

#endif /* __EXPORT_FILES_H__ */

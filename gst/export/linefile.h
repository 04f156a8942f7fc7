/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Output of whole lines to a file, pipe or terminal, with complete error reporting. */
#ifndef GST_EXPORT_LINEFILE_H
#define GST_EXPORT_LINEFILE_H

#include <glib.h>

G_BEGIN_DECLS

typedef struct LineFile LineFile;

typedef enum {
  LINE_FILE_EMPTIED,  /* the file is truncated */
  LINE_FILE_APPENDED, /* writing continues at its end */
  LINE_FILE_KEPT      /* the file must exist; line_file_cut() sets where writing continues */
} LineFileMode;

/* Opens PATH for writing (transfer full, close with line_file_close()) and locks a regular file. On failure, this and
 * the functions below return NULL or FALSE and an error of GST_RESOURCE_ERROR; _BUSY: another process writes to the
 * file. */
LineFile *line_file_open (const gchar *path, LineFileMode mode, GError **error);

/* Writes to FD, which belongs to the caller: it is neither locked nor closed. NAME is for messages. */
LineFile *line_file_new_for_fd (gint fd, const gchar *name, GError **error);
LineFile *line_file_new_for_stdout (GError **error);

/* Size of the file in bytes; 0 for a pipe or terminal. */
guint64 line_file_get_size (LineFile *file);

/* Truncates the file to SIZE bytes; writing continues there. */
gboolean line_file_cut (LineFile *file, guint64 size, GError **error);

/* Removes a last line without a line feed, of *BYTES bytes, from the regular file at PATH. */
gboolean line_file_cut_last_line (LineFile *file, const gchar *path, guint64 *bytes, GError **error);

/* Writes SIZE bytes unbuffered, so that a reader sees them at once, and waits for a slow reader. Returns FALSE without
 * an error if flushing: only the first *WRITTEN bytes were written. A closed reader is an error, never a SIGPIPE. */
gboolean line_file_write (LineFile *file, const gchar *data, gsize size, gsize *written, GError **error);

/* Whether line_file_write() can write something without waiting. */
gboolean line_file_is_ready (LineFile *file);

/* While FLUSHING, line_file_write() does not wait for a reader: it writes what there is room for. From any thread. */
void line_file_set_flushing (LineFile *file, gboolean flushing);

/* Synchronises the file to the disk, so that a full or failing disk is noticed. */
gboolean line_file_sync (LineFile *file, GError **error);

/* Reports the errors that line_file_close() would report, while the file is still open and locked. */
gboolean line_file_check (LineFile *file, GError **error);

/* Frees FILE, also on failure. */
gboolean line_file_close (LineFile *file, GError **error);

G_END_DECLS

#endif

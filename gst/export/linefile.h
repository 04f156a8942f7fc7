/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A file, pipe or terminal that takes whole lines and reports every byte it did not get. */
#ifndef GST_EXPORT_LINEFILE_H
#define GST_EXPORT_LINEFILE_H

#include <glib.h>

G_BEGIN_DECLS

typedef struct LineFile LineFile;

typedef enum {
  LINE_FILE_EMPTIED,
  LINE_FILE_APPENDED, /* writing goes on at its end */
  LINE_FILE_KEPT      /* it must be there; line_file_cut() says where writing goes on */
} LineFileMode;

/* Opens PATH for writing. A regular file is locked: with GST_RESOURCE_ERROR_BUSY somebody else writes to it. transfer
 * full: line_file_close(). On failure NULL and an error of GST_RESOURCE_ERROR; so below. */
LineFile *line_file_open (const gchar *path, LineFileMode mode, GError **error);

/* Writes to FD, which stays the caller's: it is neither locked nor closed. NAME is for messages. */
LineFile *line_file_new_for_fd (gint fd, const gchar *name, GError **error);
LineFile *line_file_new_for_stdout (GError **error);

/* Bytes in the file, written now or before; 0: a pipe or terminal. */
guint64 line_file_get_size (LineFile *file);

/* Cuts everything after the first SIZE bytes off; writing goes on there. */
gboolean line_file_cut (LineFile *file, guint64 size, GError **error);

/* Cuts a last line without a line feed off the regular file at PATH; *BYTES: so much. */
gboolean line_file_cut_last_line (LineFile *file, const gchar *path, guint64 *bytes, GError **error);

/* Hands SIZE bytes to the system: a reader sees them at once. Waits for a slow reader. FALSE without an error:
 * flushing, only the first *WRITTEN bytes were handed over. A reader that went away is an error, never a SIGPIPE. */
gboolean line_file_write (LineFile *file, const gchar *data, gsize size, gsize *written, GError **error);

/* Is there room, so that line_file_write() would not wait at once? */
gboolean line_file_is_ready (LineFile *file);

/* While FLUSHING, nothing waits for a reader: line_file_write() writes what there is room for. From any thread. */
void line_file_set_flushing (LineFile *file, gboolean flushing);

/* Waits until everything written is on the disk, so that a full or failing disk is noticed. */
gboolean line_file_sync (LineFile *file, GError **error);

/* The errors that line_file_close() would find, while the file is still open, and locked. */
gboolean line_file_check (LineFile *file, GError **error);

/* Frees FILE, also on failure. */
gboolean line_file_close (LineFile *file, GError **error);

G_END_DECLS

#endif

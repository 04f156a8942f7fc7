/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A file, pipe or terminal that takes whole lines and reports every byte it did not get. */
#ifndef __LINE_FILE_H__
#define __LINE_FILE_H__

#include <glib.h>

G_BEGIN_DECLS

typedef struct LineFile LineFile;

/* Opens PATH for writing, emptied or, with APPEND, at its end. transfer full: line_file_close(). On failure NULL and
 * an error of GST_RESOURCE_ERROR; so below. */
LineFile *line_file_open (const gchar *path, gboolean append, GError **error);

/* Writes to FD, which stays the caller's: it is not closed. NAME is for messages. */
LineFile *line_file_new_for_fd (gint fd, const gchar *name, GError **error);

/* Bytes in the file, written now or before; 0: a pipe or terminal. */
guint64 line_file_get_size (LineFile *file);

/* Hands SIZE bytes to the system: a reader sees them at once. Waits for a slow reader. FALSE without an error:
 * cancelled. A reader that went away is an error, never a SIGPIPE. */
gboolean line_file_write (LineFile *file, const gchar *data, gsize size, GError **error);

/* Waits until everything written is on the disk, so that a full or failing disk is noticed. */
gboolean line_file_sync (LineFile *file, GError **error);

/* Ends a waiting line_file_write(), and every later one. From any thread. */
void line_file_cancel (LineFile *file);

/* Frees FILE, also on failure. */
gboolean line_file_close (LineFile *file, GError **error);

G_END_DECLS

#endif /* __LINE_FILE_H__ */

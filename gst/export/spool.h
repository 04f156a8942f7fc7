/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the end of a document needs of each frame, as lines on the disk: memory stays the same however long the stream
 * is, and a document that was left in the middle can still be ended. */
#ifndef GST_EXPORT_SPOOL_H
#define GST_EXPORT_SPOOL_H

#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct ExportSpool ExportSpool;

/* An empty one, at PATH; NULL: a temporary file without a name. On failure NULL and an error of GST_RESOURCE_ERROR; so
 * below. */
ExportSpool *export_spool_new (const gchar *path, GError **error);

/* What was left at PATH beside a document of SIZE bytes, less what no whole frame is of. *FRAMES are in it, *END bytes
 * of the document are theirs. NULL without an error: there is none, or none of a whole frame. */
ExportSpool *export_spool_reopen (const gchar *path, guint64 size, guint64 *frames, guint64 *end, GError **error);

/* Adds LINES, the last one, which is the frame's own, without a line feed; the frame ends at byte END of the document.
 */
gboolean export_spool_add_frame (ExportSpool *spool, const GString *lines, guint64 end, GError **error);

/* Reads from the start; then line by line, without its line feed, until NULL. *OF_FRAME: it is a frame's own. */
void export_spool_rewind (ExportSpool *spool);
const gchar *export_spool_next (ExportSpool *spool, gboolean *of_frame, GError **error);

/* With DONE its file goes, else it stays for a later start. */
void export_spool_free (ExportSpool *spool, gboolean done);

G_END_DECLS

#endif

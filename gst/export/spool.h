/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the end of a document needs of each frame, as lines on the disk: memory use does not grow with the stream, and
 * an incomplete document can be completed later. */
#ifndef GST_EXPORT_SPOOL_H
#define GST_EXPORT_SPOOL_H

#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct ExportSpool ExportSpool;

/* Creates an empty spool at PATH; NULL: an unnamed temporary file. On failure, this and the functions below return NULL
 * or FALSE and an error of GST_RESOURCE_ERROR. */
ExportSpool *export_spool_new (const gchar *path, GError **error);

/* Opens the spool that was left at PATH with a document of SIZE bytes, and truncates it after the last complete frame.
 * It then has *FRAMES frames, which take *END bytes of the document. Returns NULL without an error if there is no spool
 * or no complete frame. */
ExportSpool *export_spool_reopen (const gchar *path, guint64 size, guint64 *frames, guint64 *end, GError **error);

/* Adds LINES. The last one is the frame's own line and has no line feed. The frame ends at byte END of the document. */
gboolean export_spool_add_frame (ExportSpool *spool, const GString *lines, guint64 end, GError **error);

/* Read the spool from the start, line by line without line feeds, until NULL. *OF_FRAME: it is a frame's own line. */
void export_spool_rewind (ExportSpool *spool);
const gchar *export_spool_next (ExportSpool *spool, gboolean *of_frame, GError **error);

/* Removes the file if DONE; otherwise it stays for a later start. */
void export_spool_free (ExportSpool *spool, gboolean done);

G_END_DECLS

#endif

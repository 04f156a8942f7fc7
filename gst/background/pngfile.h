/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Grey pictures from PNG files. */
#ifndef GST_BACKGROUND_PNGFILE_H
#define GST_BACKGROUND_PNGFILE_H

#include <contours/image.h>
#include <glib.h>

G_BEGIN_DECLS

/* Reads the file at PATH into IMAGE, whose memory is the caller's (free its data with g_free()). The picture must have the
 * size of WANTED, and samples of as many bits. WHAT: what messages call it. */
gboolean png_file_read (const gchar *path, const gchar *what, const CtrImage *wanted, CtrImage *image, CtrError *error);

G_END_DECLS

#endif

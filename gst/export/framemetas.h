/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A frame and its metadata, written in one format: what contourexport and contourextract share. */
#ifndef GST_EXPORT_FRAMEMETAS_H
#define GST_EXPORT_FRAMEMETAS_H

#include "gst/export/format.h"

G_BEGIN_DECLS

typedef struct {
  GstMeta *first; /* belongs to the buffer; NULL: there is none */
  guint count;
  GstContoursResultFlags flags; /* of all */
} ExportMetas;

/* Fetches from the GPU what FORMAT writes of the metadata of BUFFER. Returns FALSE and an error of GST_RESOURCE_ERROR if
 * that fails. */
gboolean export_metas_fetch (GstBuffer *buffer, const ExportFormat *format, ExportMetas *metas, GError **error);

/* Sets the size of FRAME to that of its first metadata, if there is any, and adds the flags. */
void export_metas_describe (const ExportMetas *metas, ExportFrame *frame);

/* Appends the COUNT metas of BUFFER to TEXT, from the beginning of FRAME to its end. */
GstFlowReturn export_metas_write (GstBuffer *buffer, const ExportFormat *format, gpointer state, const ExportText *text,
    const ExportFrame *frame, guint count);

G_END_DECLS

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The output locations that elements of this process have claimed: two writers at one location would mix their lines or
 * replace each other's files. */
#ifndef GST_EXPORT_CLAIM_H
#define GST_EXPORT_CLAIM_H

#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct ExportClaim ExportClaim;

/* Claims LOCATION, a path or pattern, for the element called OWNER (transfer full, free with export_claim_free()).
 * Returns NULL and an error of GST_RESOURCE_ERROR if another element has claimed it. */
ExportClaim *export_claim_new (const gchar *location, const gchar *owner, GError **error);

/* Records that the owner of CLAIM has the file at PATH open. CLAIM may be NULL. */
void export_claim_set_file (ExportClaim *claim, const gchar *path);

/* The element of this process that has the file at PATH open, under any name (transfer full), or NULL. */
gchar *export_claim_find_owner (const gchar *path);

/* CLAIM may be NULL. */
void export_claim_free (ExportClaim *claim);

G_END_DECLS

#endif

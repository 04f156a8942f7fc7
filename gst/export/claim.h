/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which element of this process writes where: two at one location would mix, or replace each other's files. */
#ifndef GST_EXPORT_CLAIM_H
#define GST_EXPORT_CLAIM_H

#include <gst/gst.h>

G_BEGIN_DECLS

typedef struct ExportClaim ExportClaim;

/* The element called OWNER is about to write at LOCATION, a path or pattern. transfer full: export_claim_free(). NULL
 * and an error of GST_RESOURCE_ERROR: another one does. */
ExportClaim *export_claim_new (const gchar *location, const gchar *owner, GError **error);

/* It has the file at PATH open now. CLAIM may be NULL. */
void export_claim_set_file (ExportClaim *claim, const gchar *path);

/* Who has the file at PATH open, by whatever name; transfer full. NULL: nobody of this process. */
gchar *export_claim_find_owner (const gchar *path);

/* CLAIM may be NULL. */
void export_claim_free (ExportClaim *claim);

G_END_DECLS

#endif

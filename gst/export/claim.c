/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/export/claim.h"

#include <stdlib.h>
#include <sys/stat.h>

struct ExportClaim {
  gchar *location; /* canonical */
  gchar *owner;
  dev_t device; /* of the open file */
  ino_t inode;  /* of the open file; 0: none */
};

static GMutex lock;
static GList *claims; /* of ExportClaim, under the lock */

/* Resolves the folder of LOCATION; the last part may be a pattern or not exist yet. */
static gchar *
make_canonical (const gchar *location)
{
  gchar *folder = g_path_get_dirname (location), *name = g_path_get_basename (location);
  gchar *real = realpath (folder, NULL);
  gchar *canonical = g_build_filename (real ? real : folder, name, NULL);
  free (real);
  g_free (folder);
  g_free (name);
  return canonical;
}

ExportClaim *
export_claim_new (const gchar *location, const gchar *owner, GError **error)
{
  ExportClaim *claim = g_new0 (ExportClaim, 1);
  claim->location = make_canonical (location);
  claim->owner = g_strdup (owner);
  gchar *other = NULL;
  g_mutex_lock (&lock);
  for (GList *l = claims; l && !other; l = l->next) {
    const ExportClaim *there = l->data;
    if (g_str_equal (there->location, claim->location))
      other = g_strdup (there->owner);
  }
  if (!other)
    claims = g_list_prepend (claims, claim);
  g_mutex_unlock (&lock);
  if (!other)
    return claim;

  g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_BUSY,
      "Could not write to \"%s\": the element %s already writes there. Set a different location for each element.",
      location, other);
  g_free (other);
  g_free (claim->location);
  g_free (claim->owner);
  g_free (claim);
  return NULL;
}

void
export_claim_set_file (ExportClaim *claim, const gchar *path)
{
  struct stat status;
  if (!claim || stat (path, &status) < 0)
    return;
  g_mutex_lock (&lock);
  claim->device = status.st_dev;
  claim->inode = status.st_ino;
  g_mutex_unlock (&lock);
}

gchar *
export_claim_find_owner (const gchar *path)
{
  struct stat status;
  gchar *owner = NULL;
  if (stat (path, &status) < 0)
    return NULL;
  g_mutex_lock (&lock);
  for (GList *l = claims; l && !owner; l = l->next) {
    const ExportClaim *claim = l->data;
    if (claim->inode == status.st_ino && claim->device == status.st_dev)
      owner = g_strdup (claim->owner);
  }
  g_mutex_unlock (&lock);
  return owner;
}

void
export_claim_free (ExportClaim *claim)
{
  if (!claim)
    return;
  g_mutex_lock (&lock);
  claims = g_list_remove (claims, claim);
  g_mutex_unlock (&lock);
  g_free (claim->location);
  g_free (claim->owner);
  g_free (claim);
}

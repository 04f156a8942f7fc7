/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The property region: rectangles and polygons as text. */
#ifndef GST_BASE_REGIONLIST_H
#define GST_BASE_REGIONLIST_H

#include <contours/regions.h>
#include <glib.h>

G_BEGIN_DECLS

/* Immutable, and reference-counted by g_atomic_rc_box_acquire() and region_list_unref(). */
typedef struct {
  CtrRegion *regions;
  CtrRegionPoint *points; /* of all polygons */
  guint count;
} RegionList;

/* The regions in TEXT: items such as "10,20,300,200" or "polygon: 0,0 90,0 45,60" between semicolons (transfer full). *LIST
 * becomes NULL without any. Returns FALSE and sets *PROBLEM (transfer full), which says what is wrong, if TEXT is invalid. */
gboolean region_list_parse (const gchar *text, RegionList **list, gchar **problem);

void region_list_unref (RegionList *list);

G_END_DECLS

#endif

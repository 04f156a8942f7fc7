/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/base/regionlist.h"

#include "gst/base/excerpt.h"

#include <string.h>

#define POLYGON "polygon:"

static void
clear (gpointer data)
{
  RegionList *list = data;

  g_free (list->regions);
  g_free (list->points);
}

void
region_list_unref (RegionList *list)
{
  if (list)
    g_atomic_rc_box_release_full (list, clear);
}

/* Parses COUNT integers between commas. */
static gboolean
parse_numbers (const gchar *text, guint count, guint32 *numbers)
{
  gchar **items = g_strsplit (text, ",", -1);
  gboolean ok = g_strv_length (items) == count;

  for (guint i = 0; ok && i < count; i++) {
    guint64 number;

    ok = g_ascii_string_to_unsigned (g_strstrip (items[i]), 10, 0, CTR_MAX_SIDE, &number, NULL);
    if (ok)
      numbers[i] = (guint32) number;
  }
  g_strfreev (items);
  return ok;
}

/* Adds the points in TEXT. Returns how many, 0 if one is invalid. */
static guint
parse_points (const gchar *text, GArray *points)
{
  gchar **items = g_strsplit_set (text, " \t\n", -1);
  guint count = 0;
  gboolean ok = TRUE;

  for (gchar **item = items; *item && ok; item++) {
    guint32 numbers[2];

    if (!**item)
      continue;
    ok = parse_numbers (*item, 2, numbers);
    if (ok) {
      const CtrRegionPoint point = {numbers[0], numbers[1]};

      g_array_append_val (points, point);
      count++;
    }
  }
  g_strfreev (items);
  return ok ? count : 0;
}

/* Adds a region, whose points are not yet set. Returns what is wrong, or NULL. */
static const gchar *
add_region (const gchar *item, GArray *regions, GArray *points)
{
  CtrRegion region = {0};
  guint32 numbers[4];

  if (g_ascii_strncasecmp (item, POLYGON, strlen (POLYGON)) == 0) {
    region.point_count = parse_points (item + strlen (POLYGON), points);
    if (region.point_count < 3)
      return "is no polygon of three or more points x,y between spaces";
  } else {
    if (!parse_numbers (item, 4, numbers))
      return "is neither a rectangle x,y,width,height of integers from 0 to 65535 nor a \"polygon:\"";
    region = (CtrRegion){.x = numbers[0], .y = numbers[1], .width = numbers[2], .height = numbers[3]};
  }
  g_array_append_val (regions, region);
  return NULL;
}

/* Returns what ctr_regions_new() says against the regions (transfer full), or NULL. */
static gchar *
find_fault (const RegionList *list)
{
  CtrError error;
  CtrRegions *regions = ctr_regions_new (list->regions, list->count, NULL, &error);

  ctr_regions_unref (regions);
  return regions ? NULL : g_strdup (error.message);
}

static RegionList *
list_new (GArray *regions, GArray *points)
{
  RegionList *list = g_atomic_rc_box_new0 (RegionList);
  CtrRegionPoint *point;

  list->count = regions->len;
  list->regions = (CtrRegion *) (gpointer) g_array_free (regions, FALSE);
  list->points = point = (CtrRegionPoint *) (gpointer) g_array_free (points, FALSE);
  for (guint i = 0; i < list->count; i++)
    if (list->regions[i].point_count > 0) {
      list->regions[i].points = point;
      point += list->regions[i].point_count;
    }
  return list;
}

gboolean
region_list_parse (const gchar *text, RegionList **list, gchar **problem)
{
  gchar **items = g_strsplit (text, ";", -1);
  GArray *regions = g_array_new (FALSE, FALSE, sizeof (CtrRegion));
  GArray *points = g_array_new (FALSE, FALSE, sizeof (CtrRegionPoint));
  const gchar *wrong = NULL;

  *problem = NULL;
  for (gchar **item = items; *item && !wrong; item++) {
    g_strstrip (*item);
    if (**item && (wrong = add_region (*item, regions, points))) {
      gchar *shown = excerpt_new (*item);

      *problem = g_strdup_printf ("'%s' %s", shown, wrong);
      g_free (shown);
    }
  }
  g_strfreev (items);
  *list = list_new (regions, points);
  if (!*problem)
    *problem = find_fault (*list);
  if (*problem || (*list)->count == 0)
    g_clear_pointer (list, region_list_unref);
  return !*problem;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The connectivity of contours and the number of their regions; single contours with their regions and nesting, in pixels of the frame that carries the metadata. */
#include "gst/meta/contourmeta-private.h"

#include <math.h>

/**
 * gst_contours_contour_meta_get_connectivity:
 * @meta: a #GstContoursContourMeta
 *
 * Which neighbours of a foreground pixel belong to the same part of the foreground. Those of the background then do by the
 * other rule.
 *
 * Returns: 4 (edge neighbours) or 8 (edge and corner neighbours); 0 for outlines of objects, which have no connectivity
 *
 * Since: 0.1
 */
guint
gst_contours_contour_meta_get_connectivity (GstContoursContourMeta *meta)
{
  g_return_val_if_fail (IS_CONTOUR_META (meta), 0);
  return PENDING (meta)->connectivity;
}

/**
 * gst_contours_contour_meta_get_region_count:
 * @meta: a #GstContoursContourMeta
 *
 * The number of regions that were analysed, with the properties region-source, region and mask-location of the element. Each
 * contour has the number of its region.
 *
 * Returns: the number of regions; 0 if the whole frame was analysed, or nothing of it
 *
 * Since: 0.1
 */
guint
gst_contours_contour_meta_get_region_count (GstContoursContourMeta *meta)
{
  g_return_val_if_fail (IS_CONTOUR_META (meta), 0);
  return PENDING (meta)->region_count;
}

/**
 * gst_contours_contour_meta_has_edge_chains:
 * @meta: a #GstContoursContourMeta
 *
 * Whether the contours are chains of edge pixels, of `cudacanny`: open and closed lines, which are not the outlines of areas.
 *
 * Returns: whether they are chains
 *
 * Since: 0.1
 */
gboolean
gst_contours_contour_meta_has_edge_chains (GstContoursContourMeta *meta)
{
  g_return_val_if_fail (IS_CONTOUR_META (meta), FALSE);
  return (PENDING (meta)->features & CTR_CONTOUR_FEATURE_CHAINS) != 0;
}

/* The length of the line through the transformed POINTS. */
static gdouble
mapped_length (const GstContoursMapping *mapping, const CtrPoint *points, guint count, gboolean closed)
{
  gdouble length = 0;
  for (guint i = 0; i + !closed < count; i++) {
    const CtrPoint *from = &points[i], *to = &points[i + 1 < count ? i + 1 : 0];
    gdouble dx = to->x - from->x, dy = to->y - from->y;
    gdouble mapped_dx = mapping->xx * dx + mapping->xy * dy, mapped_dy = mapping->yx * dx + mapping->yy * dy;
    length += sqrt (mapped_dx * mapped_dx + mapped_dy * mapped_dy);
  }
  return length;
}

/* The arrays from which a GstContoursContour is computed. */
typedef struct {
  const CtrContour *table;
  const CtrPoint *points;     /* NULL if the perimeter needs none */
  const CtrContourSums *sums; /* NULL without moments */
} Arrays;

static gboolean
map_arrays (GstContoursContourMeta *meta, Arrays *arrays)
{
  gboolean measure = !scales_evenly (&PRIVATE (meta)->mapping), moments = has_moments (meta);
  *arrays = (Arrays){0};
  return (arrays->table = gst_contours_contour_meta_map_table (meta))
         && (!measure || (arrays->points = gst_contours_contour_meta_map_points (meta)))
         && (!moments || (arrays->sums = gst_contours_contour_meta_map_sums (meta)));
}

static void
fill_contour (GstContoursContourMeta *meta, const Arrays *arrays, guint index, GstContoursContour *out)
{
  const CtrContour *row = &arrays->table[index];
  const GstContoursMapping *mapping = &PRIVATE (meta)->mapping;

  memset (out, 0, sizeof *out); /* the padding, too: contours can be compared as bytes */
  out->id = index;
  out->count = row->count;
  out->first = row->first;
  out->hole = (row->flags & CTR_CONTOUR_HOLE) != 0;
  out->unfinished = ctr_contour_is_unfinished (CONTOURS (meta), row);
  out->open = (row->flags & CTR_CONTOUR_OPEN) != 0;
  out->start_junction = (row->flags & CTR_CONTOUR_START_JUNCTION) != 0;
  out->end_junction = (row->flags & CTR_CONTOUR_END_JUNCTION) != 0;
  out->web_row = CONTOURS (meta)->origin_row + row->top;
  out->level = row->level;
  out->region_number = row->region;
  out->parent = row->parent;
  out->next = row->next;
  out->previous = row->previous;
  out->child = row->child;
  out->area = ctr_contour_area (row, false) * fabs (mapping->xx * mapping->yy - mapping->xy * mapping->yx);
  if (arrays->points)
    out->perimeter = mapped_length (mapping, arrays->points + row->first, row->count, !out->open);
  else
    out->perimeter = ctr_contour_perimeter (row) * hypot (mapping->xx, mapping->yx);
  gst_contours_mapping_map_box (
      mapping, row->left, row->top, row->width, row->height, &out->x, &out->y, &out->w, &out->h);

  out->cx = out->cy = NAN;
  if (arrays->sums && row->area2 != 0) {
    CtrContourMoments moments;
    ctr_contour_moments (&arrays->sums[index], &moments);
    gst_contours_contour_meta_map_position (
        meta, moments.m[1] / moments.m[0], moments.m[2] / moments.m[0], &out->cx, &out->cy);
  }
}

/**
 * gst_contours_contour_meta_get_contour:
 * @meta: a #GstContoursContourMeta
 * @index: index of the contour, from 0
 * @contour: (out caller-allocates): the contour, in pixels of the frame
 *
 * Gets one contour. In other languages the function returns the pair of both results. It fetches the table and, with
 * %GST_CONTOURS_CONTOUR_FEATURE_MOMENTS, the moments from the GPU. It fetches the points only if both axes of the frame
 * were scaled differently, to measure the perimeter.
 *
 * Returns: whether there is a contour with this @index and it could be fetched
 *
 * Since: 0.1
 */
gboolean
gst_contours_contour_meta_get_contour (GstContoursContourMeta *meta, guint index, GstContoursContour *contour)
{
  g_return_val_if_fail (IS_CONTOUR_META (meta), FALSE);
  g_return_val_if_fail (contour != NULL, FALSE);
  Arrays arrays;
  if (index >= CONTOURS (meta)->count || !map_arrays (meta, &arrays))
    return FALSE;
  fill_contour (meta, &arrays, index, contour);
  return TRUE;
}

/**
 * gst_contours_contour_meta_get_contours:
 * @meta: a #GstContoursContourMeta
 *
 * Gets all contours in the order of their ids, for other languages. In C, gst_contours_contour_meta_get_contour() needs
 * no allocation.
 *
 * Returns: (transfer full) (element-type GstContoursContour): the contours, in pixels of the frame, valid without the
 *     buffer; free them with g_list_free_full() and g_free(). %NULL if there are none, or they could not be fetched
 *
 * Since: 0.1
 */
GList *
gst_contours_contour_meta_get_contours (GstContoursContourMeta *meta)
{
  g_return_val_if_fail (IS_CONTOUR_META (meta), NULL);
  GList *list = NULL;
  Arrays arrays;
  if (CONTOURS (meta)->count == 0 || !map_arrays (meta, &arrays))
    return NULL;
  for (guint i = CONTOURS (meta)->count; i-- > 0;) {
    GstContoursContour *contour = g_new (GstContoursContour, 1);
    fill_contour (meta, &arrays, i, contour);
    list = g_list_prepend (list, contour);
  }
  return list;
}

static void
fill_region (const CtrSnakeRegion *row, GstContoursRegion *out)
{
  *out = (GstContoursRegion){
      .object = row->object,
      .converged = (row->flags & CTR_SNAKE_CONVERGED) != 0,
      .restarted = (row->flags & CTR_SNAKE_RESTARTED) != 0,
      .iterations = row->iterations,
      .inside_count = row->inside_count,
      .inside_mean = ctr_snake_region_mean (row, true),
      .inside_variance = ctr_snake_region_variance (row, true),
      .outside_count = row->outside_count,
      .outside_mean = ctr_snake_region_mean (row, false),
      .outside_variance = ctr_snake_region_variance (row, false),
      .criterion = row->criterion,
      .gain = row->gain,
  };
}

/**
 * gst_contours_contour_meta_get_region:
 * @meta: a #GstContoursContourMeta
 * @index: index of the contour, from 0
 * @region: (out caller-allocates): statistics of the two regions that the contour separates
 *
 * Gets the regions of one contour. In other languages the function returns the pair of both results.
 *
 * Returns: whether there is a contour with this @index, it has regions, and they could be fetched
 *
 * Since: 0.1
 */
gboolean
gst_contours_contour_meta_get_region (GstContoursContourMeta *meta, guint index, GstContoursRegion *region)
{
  g_return_val_if_fail (IS_CONTOUR_META (meta), FALSE);
  g_return_val_if_fail (region != NULL, FALSE);
  const CtrSnakeRegion *regions;
  if (index >= CONTOURS (meta)->count || !gst_contours_contour_meta_has_regions (meta)
      || !(regions = gst_contours_contour_meta_map_regions (meta)))
    return FALSE;
  fill_region (&regions[index], region);
  return TRUE;
}

/**
 * gst_contours_contour_meta_get_regions:
 * @meta: a #GstContoursContourMeta
 *
 * Gets the regions of all contours in the order of their ids, for other languages. In C,
 * gst_contours_contour_meta_get_region() needs no allocation.
 *
 * Returns: (transfer full) (element-type GstContoursRegion): the regions, valid without the buffer; free them with
 *     g_list_free_full() and g_free(). %NULL if there are none, or they could not be fetched
 *
 * Since: 0.1
 */
GList *
gst_contours_contour_meta_get_regions (GstContoursContourMeta *meta)
{
  g_return_val_if_fail (IS_CONTOUR_META (meta), NULL);
  const CtrSnakeRegion *regions;
  GList *list = NULL;
  if (CONTOURS (meta)->count == 0 || !gst_contours_contour_meta_has_regions (meta)
      || !(regions = gst_contours_contour_meta_map_regions (meta)))
    return NULL;
  for (guint i = CONTOURS (meta)->count; i-- > 0;) {
    GstContoursRegion *region = g_new (GstContoursRegion, 1);
    fill_region (&regions[i], region);
    list = g_list_prepend (list, region);
  }
  return list;
}

static GstContoursNesting *
nesting_copy (const GstContoursNesting *nesting)
{
  return g_memdup2 (nesting, sizeof *nesting);
}

G_DEFINE_BOXED_TYPE (GstContoursNesting, gst_contours_nesting, nesting_copy, g_free)

/**
 * gst_contours_contour_meta_has_nesting:
 * @meta: a #GstContoursContourMeta
 *
 * Whether the contours of all levels are nested in one another: those of `cudacrackcontour` with `hierarchy=levels`.
 *
 * Returns: whether gst_contours_contour_meta_get_nesting() has the place of each contour in the tree
 *
 * Since: 0.1
 */
gboolean
gst_contours_contour_meta_has_nesting (GstContoursContourMeta *meta)
{
  g_return_val_if_fail (IS_CONTOUR_META (meta), FALSE);
  return (PENDING (meta)->features & CTR_CONTOUR_FEATURE_NESTING) != 0;
}

/**
 * gst_contours_contour_meta_get_nesting:
 * @meta: a #GstContoursContourMeta
 * @index: index of the contour, from 0
 * @nesting: (out caller-allocates): its place in the tree of all levels
 *
 * Gets the depth of one contour, and the birth and death of its branch. In other languages the function returns the
 * pair of both results.
 *
 * Returns: whether there is a contour with this @index, it has a place in a tree, and that could be fetched
 *
 * Since: 0.1
 */
gboolean
gst_contours_contour_meta_get_nesting (GstContoursContourMeta *meta, guint index, GstContoursNesting *nesting)
{
  g_return_val_if_fail (IS_CONTOUR_META (meta), FALSE);
  g_return_val_if_fail (nesting != NULL, FALSE);
  const CtrContourNesting *rows;
  if (!gst_contours_contour_meta_has_nesting (meta) || index >= CONTOURS (meta)->count
      || !(rows = gst_contours_contour_meta_map_nesting (meta)))
    return FALSE;
  *nesting = (GstContoursNesting){rows[index].depth, rows[index].birth, rows[index].death};
  return TRUE;
}

/**
 * gst_contours_contour_meta_get_nestings:
 * @meta: a #GstContoursContourMeta
 *
 * Gets the places of all contours in the tree of all levels in the order of their ids, for other languages. In C,
 * gst_contours_contour_meta_get_nesting() needs no allocation.
 *
 * Returns: (transfer full) (element-type GstContoursNesting): the places, valid without the buffer; free them with
 *     g_list_free_full() and g_free(). %NULL if there are none, or they could not be fetched
 *
 * Since: 0.1
 */
GList *
gst_contours_contour_meta_get_nestings (GstContoursContourMeta *meta)
{
  g_return_val_if_fail (IS_CONTOUR_META (meta), NULL);
  GList *list = NULL;
  for (guint i = gst_contours_contour_meta_has_nesting (meta) ? CONTOURS (meta)->count : 0; i-- > 0;) {
    GstContoursNesting nesting;
    if (!gst_contours_contour_meta_get_nesting (meta, i, &nesting))
      break;
    list = g_list_prepend (list, g_memdup2 (&nesting, sizeof nesting));
  }
  return list;
}

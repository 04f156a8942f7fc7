/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Chain and crack codes of contours, of one and of all. */
#include "gst/meta/contourmeta-private.h"

/* Fetches the codes; FALSE after a warning. */
static gboolean
map_codes (GstContoursContourMeta *meta, CtrContourCodes *codes)
{
  CtrError error;
  if (!gst_contours_contour_meta_has_codes (meta))
    return FALSE;
  if (ctr_contours_map_codes (PENDING (meta), codes, &error))
    return TRUE;
  GST_WARNING ("The codes cannot be fetched from the GPU: %s", error.message);
  return FALSE;
}

/**
 * gst_contours_contour_meta_has_codes:
 * @meta: a #GstContoursContourMeta
 *
 * Whether the contours are lines of steps to neighbouring points, which have chain or crack codes: borders of `cudaborders`
 * without `epsilon`, level contours of `cudacrackcontour`, and chains of `cudacanny`, but not contours of strips. This function does not wait for the analysis.
 *
 * Returns: whether gst_contours_contour_meta_get_codes() and its siblings have codes
 *
 * Since: 0.1
 */
gboolean
gst_contours_contour_meta_has_codes (GstContoursContourMeta *meta)
{
  g_return_val_if_fail (IS_CONTOUR_META (meta), FALSE);
  return ctr_contours_have_codes (PENDING (meta));
}

/**
 * gst_contours_contour_meta_fetch_codes:
 * @meta: a #GstContoursContourMeta
 * @error: return location for an error of %GST_RESOURCE_ERROR, or %NULL
 *
 * Waits for the analysis and fetches the codes from the GPU, which packs them: neither table nor points. Getters of codes
 * do so themselves, but only this function says why it failed. gst_contours_contour_meta_fetch() does not fetch codes.
 *
 * Returns: whether the codes are in host memory
 *
 * Since: 0.1
 */
gboolean
gst_contours_contour_meta_fetch_codes (GstContoursContourMeta *meta, GError **error)
{
  g_return_val_if_fail (IS_CONTOUR_META (meta), FALSE);
  g_return_val_if_fail (error == NULL || *error == NULL, FALSE);
  CtrContourCodes codes;
  CtrError reason;
  if (ctr_contours_map_codes (PENDING (meta), &codes, &reason))
    return TRUE;
  if (gst_contours_contour_meta_has_codes (meta))
    g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_READ,
        "The codes of the contours cannot be fetched from the GPU: %s", reason.message);
  else
    g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_FOUND, "There are no codes: %s", reason.message);
  return FALSE;
}

/**
 * gst_contours_contour_meta_get_code_bits:
 * @meta: a #GstContoursContourMeta
 *
 * The number of bits that a step takes in gst_contours_contour_meta_get_codes_bytes(). With 3 bits, steps have eight
 * directions, counterclockwise on the screen from 0, which is east (x + 1); 2 is north (y - 1). With 2 bits they have
 * four: 0 is east, 1 is north.
 *
 * Returns: 3 with %GST_CONTOURS_CONTOUR_COORDINATES_PIXELS, 2 with %GST_CONTOURS_CONTOUR_COORDINATES_CORNERS; 0 without
 *     codes
 *
 * Since: 0.1
 */
guint
gst_contours_contour_meta_get_code_bits (GstContoursContourMeta *meta)
{
  g_return_val_if_fail (IS_CONTOUR_META (meta), 0);
  if (!gst_contours_contour_meta_has_codes (meta))
    return 0;
  return PENDING (meta)->coordinates == CTR_COORDINATES_CORNERS ? 2 : 3;
}

/**
 * gst_contours_contour_meta_get_codes:
 * @meta: a #GstContoursContourMeta
 * @index: index of the contour, from 0
 *
 * The directions of the steps of one contour, a byte each, in the analysed image. They lead from its first point along
 * the closed line back to that point; an isolated pixel has no steps. gst_contours_contour_meta_get_code_bits() says
 * what the directions are.
 *
 * Returns: (transfer full) (nullable): the codes; free them with g_bytes_unref(). %NULL if there is no contour with this
 *     @index, there are no codes, or they could not be fetched
 *
 * Since: 0.1
 */
GBytes *
gst_contours_contour_meta_get_codes (GstContoursContourMeta *meta, guint index)
{
  g_return_val_if_fail (IS_CONTOUR_META (meta), NULL);
  CtrContourCodes codes;
  if (!map_codes (meta, &codes) || index >= CONTOURS (meta)->count)
    return NULL;
  const gsize steps = codes.chains[index].steps;
  guint8 *directions = g_malloc (steps);
  ctr_contour_codes_unpack (&codes, index, directions);
  return g_bytes_new_take (directions, steps);
}

/**
 * gst_contours_contour_meta_get_decoded_points:
 * @meta: a #GstContoursContourMeta
 * @index: index of the contour, from 0
 * @all: whether to list all points that the line passes, or those of gst_contours_contour_meta_get_points()
 *
 * The points of one contour, made from its codes, in pixels of the analysed image: pairs (x, y) of native 16-bit unsigned
 * integers. The points stay on the GPU.
 *
 * Returns: (transfer full) (nullable): the points; free them with g_bytes_unref(). %NULL if there is no contour with
 *     this @index, there are no codes, or they could not be fetched
 *
 * Since: 0.1
 */
GBytes *
gst_contours_contour_meta_get_decoded_points (GstContoursContourMeta *meta, guint index, gboolean all)
{
  g_return_val_if_fail (IS_CONTOUR_META (meta), NULL);
  CtrContourCodes codes;
  gboolean open = FALSE;
  if (!map_codes (meta, &codes) || index >= CONTOURS (meta)->count)
    return NULL;
  if (gst_contours_contour_meta_has_edge_chains (meta)) {
    const CtrContour *table = gst_contours_contour_meta_map_table (meta);
    if (!table)
      return NULL;
    open = (table[index].flags & CTR_CONTOUR_OPEN) != 0;
  }
  if (open) {
    const gsize count = ctr_contour_codes_decode_open (&codes, index, NULL);
    CtrPoint *points = g_new (CtrPoint, count);
    ctr_contour_codes_decode_open (&codes, index, points);
    return g_bytes_new_take (points, count * sizeof *points);
  }
  const CtrVertices vertices = all ? CTR_VERTICES_STEPS : CONTOURS (meta)->vertices;
  const gsize count = ctr_contour_codes_decode (&codes, index, vertices, NULL);
  CtrPoint *points = g_new (CtrPoint, count);
  ctr_contour_codes_decode (&codes, index, vertices, points);
  return g_bytes_new_take (points, count * sizeof *points);
}

/**
 * gst_contours_contour_meta_get_codes_bytes:
 * @meta: a #GstContoursContourMeta
 *
 * The packed codes of all contours, in the analysed image. A contour begins at the byte `offset` of its row in
 * gst_contours_contour_meta_get_chains_bytes(); the direction of its step k is in the bits from k times
 * gst_contours_contour_meta_get_code_bits() on, the lowest bit of a byte first. Bits behind its last step are 0.
 *
 * Returns: (transfer full) (nullable): the bytes, not a copy, valid without the buffer; free them with g_bytes_unref().
 *     %NULL if there are no codes, or they could not be fetched
 *
 * Since: 0.1
 */
GBytes *
gst_contours_contour_meta_get_codes_bytes (GstContoursContourMeta *meta)
{
  g_return_val_if_fail (IS_CONTOUR_META (meta), NULL);
  CtrContourCodes codes;
  return map_codes (meta, &codes) ? gst_contours_result_meta_view (PRIVATE (meta), codes.bytes, codes.size) : NULL;
}

/**
 * gst_contours_contour_meta_get_chains_bytes:
 * @meta: a #GstContoursContourMeta
 *
 * Where the codes of each contour are: one `CtrContourChain` per contour, in the order of their ids.
 * gst_contours_get_layout() describes it. Its fields are
 *
 * - `offset`: index of its first byte in gst_contours_contour_meta_get_codes_bytes();
 * - `steps`: number of steps, 0 for an isolated pixel;
 * - `x` and `y`: the first point, in the analysed image.
 *
 * Returns: (transfer full) (nullable): the rows, not a copy, valid without the buffer; free them with g_bytes_unref().
 *     %NULL if there are no codes, or they could not be fetched
 *
 * Since: 0.1
 */
GBytes *
gst_contours_contour_meta_get_chains_bytes (GstContoursContourMeta *meta)
{
  g_return_val_if_fail (IS_CONTOUR_META (meta), NULL);
  CtrContourCodes codes;
  if (!map_codes (meta, &codes))
    return NULL;
  return gst_contours_result_meta_view (
      PRIVATE (meta), codes.chains, (gsize) CONTOURS (meta)->count * sizeof *codes.chains);
}

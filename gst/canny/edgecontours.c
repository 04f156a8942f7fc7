/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/canny/edgecontours.h"

gboolean
edge_contours_prepare (EdgeContours *contours, const CtrImage *image, CtrCannyOutput output, CtrEdgePicture *picture,
    CtrImage *edges, CtrError *error)
{
  CtrEdgePicture mask;

  if (output != CTR_CANNY_EDGES) {
    *error = (CtrError){CTR_ERROR_INVALID_ARGUMENT,
        "contours=true needs output=edges or output=mask, as the other outputs show a step before the edges are known"};
    return FALSE;
  }
  if (!contours->chains && !(contours->chains = ctr_edge_chains_new (contours->backend, error)))
    return FALSE;
  if (!ctr_edge_chains_get_mask (contours->chains, image->memory, image->width, image->height, edges, error))
    return FALSE;
  /* The formats of the caps have three planes at most. */
  g_return_val_if_fail (picture->plane_count < CTR_EDGE_MAX_PLANES, FALSE);
  ctr_edge_picture_init_mask (&mask, (void *) edges->data, edges->stride, edges->memory);
  picture->planes[picture->plane_count++] = mask.planes[0];
  return TRUE;
}

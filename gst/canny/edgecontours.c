/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/canny/edgecontours.h"

#include "gst/canny/properties.h"

#include <gst/gst.h>

void
edge_contours_install_properties (GObjectClass *klass, const EdgeContoursProperties *ids)
{
  const GParamFlags controlled =
      G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING | GST_PARAM_CONTROLLABLE;
  CtrEdgeChainsParams defaults;

  ctr_edge_chains_params_init (&defaults);

  /**
   * GstCudaCanny:contours:
   *
   * Links the edge pixels into chains and attaches them to each frame, as contours: #GstContoursContourMeta. Chains are open or
   * closed lines between free ends and junctions. Needs #GstCudaCanny:output "edges" or "mask". The element waits for each frame
   * before it pushes it.
   */
  g_object_class_install_property (klass, ids->contours,
      g_param_spec_boolean ("contours", "Contours",
          "Attach the edges to each frame as contours: open and closed chains of edge pixels", FALSE, controlled));

  /**
   * GstCudaCanny:min-length:
   *
   * Minimum length of a chain in pixels, with #GstCudaCanny:contours; shorter chains are dropped. The picture keeps their pixels.
   * 0: no limit.
   */
  g_object_class_install_property (klass, ids->min_length,
      g_param_spec_double ("min-length", "Minimum length",
          "Minimum length of a chain in pixels (0 = no limit), with contours=true", 0, G_MAXDOUBLE, defaults.min_length,
          controlled));

  /**
   * GstCudaCanny:subpixel:
   *
   * Where the edge is beside each point of a chain, to a fraction of a pixel: where the gradient of the frame is greatest, smoothed
   * by #GstCudaCanny:subpixel-sigma. The points themselves stay as they are. gst_contours_contour_meta_get_subpixel() has the result,
   * with a normal from dark to bright. Points without an edge near are flagged. Needs #GstCudaCanny:contours.
   */
  g_object_class_install_property (klass, ids->subpixel,
      g_param_spec_enum ("subpixel", "Subpixel",
          "Finds the edge beside each point of a chain to a fraction of a pixel, with contours=true",
          GST_TYPE_CUDA_CANNY_SUBPIXEL, defaults.subpixel, controlled));

  /**
   * GstCudaCanny:subpixel-sigma:
   *
   * Standard deviation in pixels of the Gaussian that smooths the frame for #GstCudaCanny:subpixel `edge`. The larger, the less
   * noise moves the edge, and the farther edges must be apart.
   */
  g_object_class_install_property (klass, ids->subpixel_sigma,
      g_param_spec_double ("subpixel-sigma", "Subpixel sigma",
          "Standard deviation of the Gaussian that smooths the frame for subpixel=edge, in pixels",
          CTR_SUBPIXEL_MIN_SIGMA, CTR_SUBPIXEL_MAX_SIGMA, defaults.subpixel_sigma, controlled));
}

gboolean
edge_contours_prepare (
    EdgeContours *contours, const CtrImage *image, CtrCannyOutput output, CtrEdgePicture *picture, CtrError *error)
{
  CtrEdgePicture mask;

  if (output != CTR_CANNY_EDGES) {
    *error = (CtrError){CTR_ERROR_INVALID_ARGUMENT,
        "contours=true needs output=edges or output=mask, as the other outputs show a step before the edges are known"};
    return FALSE;
  }
  if (!contours->chains && !(contours->chains = ctr_edge_chains_new (contours->backend, error)))
    return FALSE;
  if (contours->backend == CTR_BACKEND_CUDA)
    return TRUE;
  if (!ctr_edge_chains_get_mask (
          contours->chains, CTR_MEMORY_HOST, image->width, image->height, &contours->mask, error))
    return FALSE;
  /* The formats of the caps have three planes at most. */
  g_return_val_if_fail (picture->plane_count < CTR_EDGE_MAX_PLANES, FALSE);
  ctr_edge_picture_init_mask (&mask, (void *) contours->mask.data, contours->mask.stride, CTR_MEMORY_HOST);
  picture->planes[picture->plane_count++] = mask.planes[0];
  return TRUE;
}

gboolean
edge_contours_enqueue (EdgeContours *contours, const CtrCanny *canny, const CtrImage *image,
    const CtrEdgeChainsParams *params, gpointer stream, CtrError *error)
{
  CtrEdgeChainsParams own = *params;
  CtrImage samples = *image, edges = contours->mask;

  if (contours->backend == CTR_BACKEND_CUDA && !ctr_canny_get_device_views (canny, &samples, &edges, error))
    return FALSE;
  own.image = &samples;
  return ctr_edge_chains_enqueue (contours->chains, &edges, &own, stream, error);
}

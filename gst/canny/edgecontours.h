/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The contours of cudacanny: the pixels of its edges are linked. On the CPU, the edge detector paints a mask for that beside the
 * frame's planes; on the GPU, it has one. */
#ifndef GST_CANNY_EDGECONTOURS_H
#define GST_CANNY_EDGECONTOURS_H

#include <contours/contours.h>
#include <glib-object.h>

G_BEGIN_DECLS

typedef struct {
  CtrBackend backend;
  CtrEdgeChains *chains; /* NULL until the first frame with contours */
  CtrImage mask;         /* of the CPU backend, in host memory */
} EdgeContours;

/* The properties' numbers. */
typedef struct {
  guint contours, min_length, subpixel, subpixel_sigma;
} EdgeContoursProperties;

void edge_contours_install_properties (GObjectClass *klass, const EdgeContoursProperties *ids);

/* Prepares for the contours of an IMAGE, of which PICTURE shows OUTPUT. It may get one plane more. */
gboolean edge_contours_prepare (
    EdgeContours *contours, const CtrImage *image, CtrCannyOutput output, CtrEdgePicture *picture, CtrError *error);

/* Links the edges of IMAGE, which CANNY has been given with this PICTURE and STREAM. ctr_edge_chains_finish() has the result. */
gboolean edge_contours_enqueue (EdgeContours *contours, const CtrCanny *canny, const CtrImage *image,
    const CtrEdgeChainsParams *params, gpointer stream, CtrError *error);

G_END_DECLS

#endif

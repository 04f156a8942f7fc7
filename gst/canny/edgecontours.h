/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The contours of cudacanny: beside the frame's planes, the edge detector paints a mask, whose pixels are linked. */
#ifndef GST_CANNY_EDGECONTOURS_H
#define GST_CANNY_EDGECONTOURS_H

#include <contours/contours.h>
#include <glib.h>

G_BEGIN_DECLS

typedef struct {
  CtrBackend backend;
  CtrEdgeChains *chains; /* NULL until the first frame with contours */
} EdgeContours;

/* Adds a plane for EDGES, a mask in the memory of IMAGE, to PICTURE, which shows OUTPUT. EDGES is valid until the next call. */
gboolean edge_contours_prepare (EdgeContours *contours, const CtrImage *image, CtrCannyOutput output,
    CtrEdgePicture *picture, CtrImage *edges, CtrError *error);

G_END_DECLS

#endif

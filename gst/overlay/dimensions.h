/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Dimension lines with arrow heads and values, as in technical drawings: of the shapes of contours, and of regions of
 * interest that say so.
 *
 * A region of interest says so by a parameter, a GstStructure "dimension" (gst_video_region_of_interest_meta_add_param ()) with
 * the fields x1, y1, x2, y2 (gdouble: the measured points, as shares of the region's width and height), offset (gdouble: how far
 * beside them the line is, as a share of the region's width, positive clockwise from the direction of the line; may be missing)
 * and label (string). */
#ifndef GST_OVERLAY_DIMENSIONS_H
#define GST_OVERLAY_DIMENSIONS_H

#include "gst/overlay/marks.h"

#include <gst/contours/gstcontours.h>

G_BEGIN_DECLS

#define OVERLAY_DIMENSION "dimension" /* name of the structure */

/* Whether REGION has dimensions. */
gboolean overlay_dimensions_has (const GstVideoRegionOfInterestMeta *region);

/* Adds the lines that the style selects. */
void overlay_dimensions_add_region (const OverlayFrame *frame, const GstVideoRegionOfInterestMeta *region);
gboolean overlay_dimensions_add_contours (const OverlayFrame *frame, GstContoursContourMeta *meta, CtrError *error);

/* Adds the layer of all lines. */
gboolean overlay_dimensions_finish (const OverlayFrame *frame, CtrError *error);

G_END_DECLS

#endif

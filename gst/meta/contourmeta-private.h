/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the files about the metadata of contours share. */
#ifndef __GST_CONTOURS_CONTOUR_META_PRIVATE_H__
#define __GST_CONTOURS_CONTOUR_META_PRIVATE_H__

#include "gst/meta/mapping-private.h"
#include "gst/meta/resultmeta-private.h"

#include <contours/contourlist.h>
#include <contours/shapes.h>
#include <contours/snake.h>
#include <contours/subpixel.h>
#include <gst/contours/gstcontourmeta.h>
#include <math.h>

G_BEGIN_DECLS

#define PRIVATE(meta) ((GstContoursResultMeta *) (meta))
/* The result, which may be pending, or after it is complete. */
#define PENDING(meta) ((CtrContours *) PRIVATE (meta)->result)
#define CONTOURS(meta) gst_contours_contour_meta_wait (meta)
#define IS_CONTOUR_META(m) ((m) != NULL && (m)->meta.info == GST_CONTOURS_CONTOUR_META_INFO)

/* Waits for the analysis. If it has failed, the result has no contours, and there is a warning. */
G_GNUC_INTERNAL
CtrContours *gst_contours_contour_meta_wait (GstContoursContourMeta *meta);

static inline gboolean
has_moments (GstContoursContourMeta *meta)
{
  return (PENDING (meta)->features & CTR_CONTOUR_FEATURE_MOMENTS) != 0;
}

static inline gboolean
has_shapes (GstContoursContourMeta *meta)
{
  return (PENDING (meta)->features & CTR_CONTOUR_SHAPE_FEATURES) != 0;
}

static inline gboolean
has_subpixels (GstContoursContourMeta *meta)
{
  return (PENDING (meta)->features & CTR_CONTOUR_FEATURE_SUBPIXEL) != 0;
}

static inline gboolean
has_fits (GstContoursContourMeta *meta)
{
  return (PENDING (meta)->features & CTR_CONTOUR_FEATURE_FITS) != 0;
}

/* The arrays on the host, or NULL after a warning. */
G_GNUC_INTERNAL
const CtrContour *gst_contours_contour_meta_map_table (GstContoursContourMeta *meta);

G_GNUC_INTERNAL
const CtrPoint *gst_contours_contour_meta_map_points (GstContoursContourMeta *meta);

G_GNUC_INTERNAL
const CtrContourSums *gst_contours_contour_meta_map_sums (GstContoursContourMeta *meta);

G_GNUC_INTERNAL
const CtrSnakeRegion *gst_contours_contour_meta_map_regions (GstContoursContourMeta *meta);

G_GNUC_INTERNAL
const CtrContourNesting *gst_contours_contour_meta_map_nesting (GstContoursContourMeta *meta);

G_GNUC_INTERNAL
const CtrContourShape *gst_contours_contour_meta_map_shapes (GstContoursContourMeta *meta);
G_GNUC_INTERNAL
const CtrContourFits *gst_contours_contour_meta_map_fits (GstContoursContourMeta *meta);

/* From the coordinates of the contours' points to those of the frame. */
G_GNUC_INTERNAL
void gst_contours_contour_meta_map_position (
    GstContoursContourMeta *meta, gdouble x, gdouble y, gdouble *frame_x, gdouble *frame_y);

/* COUNT points as pairs of single-precision numbers in pixels of the frame. */
G_GNUC_INTERNAL
GBytes *gst_contours_contour_meta_map_list (GstContoursContourMeta *meta, const CtrPoint *points, guint count);

G_END_DECLS

#endif /* __GST_CONTOURS_CONTOUR_META_PRIVATE_H__ */

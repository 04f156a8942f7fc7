/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/export/shapenumbers.h"

#include <string.h>

#define NUMBER(feature, member)                                                                \
  {                                                                                            \
#member, GST_CONTOURS_CONTOUR_FEATURE_##feature, G_STRUCT_OFFSET(GstContoursShape, member) \
  }

/* All features but moments. */
#define ANY_SHAPE \
  ((GstContoursContourFeatures) (2 * GST_CONTOURS_CONTOUR_FEATURE_FITS - GST_CONTOURS_CONTOUR_FEATURE_HULL))

const ExportShapeNumber export_shape_numbers[] = {
    NUMBER (HULL, hull_area),
    NUMBER (HULL, hull_perimeter),
    NUMBER (HULL, solidity),
    NUMBER (DEFECT, defect_depth),
    NUMBER (DEFECT, defect_x),
    NUMBER (DEFECT, defect_y),
    NUMBER (RECTANGLE, rectangle_x),
    NUMBER (RECTANGLE, rectangle_y),
    NUMBER (RECTANGLE, rectangle_width),
    NUMBER (RECTANGLE, rectangle_height),
    NUMBER (RECTANGLE, rectangle_angle),
    NUMBER (RECTANGLE, rectangularity),
    NUMBER (FERET, feret_max),
    NUMBER (FERET, feret_max_angle),
    NUMBER (FERET, feret_min),
    NUMBER (FERET, feret_min_angle),
    NUMBER (CIRCLE, circle_x),
    NUMBER (CIRCLE, circle_y),
    NUMBER (CIRCLE, circle_radius),
    NUMBER (DISTANCES, distance_mean),
    NUMBER (DISTANCES, distance_deviation),
    NUMBER (DISTANCES, distance_max),
    NUMBER (DISTANCES, roundness),
    NUMBER (DISTANCES, radial_circularity),
    NUMBER (HOLES, hole_area),
    NUMBER (HOLES, holes),
    NUMBER (HOLES, euler_number),
    {"compactness", ANY_SHAPE, G_STRUCT_OFFSET (GstContoursShape, compactness)},
    NUMBER (FERET, feret_extent),
    NUMBER (FITS, line_x),
    NUMBER (FITS, line_y),
    NUMBER (FITS, line_angle),
    NUMBER (FITS, line_deviation),
    NUMBER (FITS, fit_circle_x),
    NUMBER (FITS, fit_circle_y),
    NUMBER (FITS, fit_circle_radius),
    NUMBER (FITS, fit_circle_deviation),
    NUMBER (FITS, ellipse_x),
    NUMBER (FITS, ellipse_y),
    NUMBER (FITS, ellipse_major),
    NUMBER (FITS, ellipse_minor),
    NUMBER (FITS, ellipse_angle),
};
const guint export_shape_number_count = G_N_ELEMENTS (export_shape_numbers);

gdouble
export_get_shape_number (const GstContoursShape *shape, const ExportShapeNumber *number)
{
  gdouble value;
  memcpy (&value, (const gchar *) shape + number->offset, sizeof value);
  return value;
}

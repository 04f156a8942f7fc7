/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Contours and components in units of the world. */
#ifndef __GST_CONTOUR_WORLD_H__
#define __GST_CONTOUR_WORLD_H__

#include <gst/contours/gstcomponentmeta.h>
#include <gst/contours/gstcontourmeta.h>
#include <gst/contours/gstcontourscalibration.h>

G_BEGIN_DECLS

/**
 * GstContoursWorldContour:
 * @area: area inside the line, not negative; 0 of an unfinished contour
 * @perimeter: length of the line
 * @x: smallest x of the line
 * @y: smallest y of the line
 * @w: greatest x of the line less the smallest
 * @h: greatest y of the line less the smallest
 * @cx: x of the centroid of the area inside the line; NaN without %GST_CONTOURS_CONTOUR_FEATURE_MOMENTS, or if the area is 0
 * @cy: y of the centroid
 * @hull_area: with %GST_CONTOURS_CONTOUR_FEATURE_HULL: area of the convex hull
 * @hull_perimeter: its perimeter
 * @defect_depth: with %GST_CONTOURS_CONTOUR_FEATURE_DEFECT: depth of the deepest convexity defect in pixels
 * @defect_x: x of its point
 * @defect_y: y of its point
 * @rectangle_x: with %GST_CONTOURS_CONTOUR_FEATURE_RECTANGLE: x of the centre of the rectangle of least area
 * @rectangle_y: y of its centre
 * @rectangle_width: its width
 * @rectangle_height: its height
 * @rectangle_angle: angle of the side @rectangle_width, 0 or more and below 90
 * @feret_max: with %GST_CONTOURS_CONTOUR_FEATURE_FERET: greatest distance of two parallels around the contour
 * @feret_max_angle: angle of the direction in which it is measured, 0 or more and below 180
 * @feret_min: least distance
 * @feret_min_angle: angle of its direction
 * @circle_x: with %GST_CONTOURS_CONTOUR_FEATURE_CIRCLE: x of the centre of the smallest circle
 * @circle_y: y of its centre
 * @circle_radius: its radius
 * @distance_mean: with %GST_CONTOURS_CONTOUR_FEATURE_DISTANCES: mean distance of the line's points from the centroid
 * @distance_deviation: standard deviation of these distances
 * @distance_max: the greatest of them
 * @hole_area: with %GST_CONTOURS_CONTOUR_FEATURE_HOLES: sum of the areas of the holes
 *
 * One contour in units of its calibration. Lengths are in these units, areas in their square, angles in degrees from the x
 * axis towards the y axis of the world. Scaling and cropping the frame change nothing: the numbers come from the pixels that
 * the camera took.
 *
 * If the calibration is a scale, these are exactly the numbers in pixels times the scale, or its square. Otherwise they are
 * measured along the converted line: each pixel that the line passes is converted, and the hull, the circle, the
 * rectangle and the diameters are those of the converted points. Lines of polygons (`epsilon`, `cudasnake`) have their listed points only.
 *
 * What was not computed is NaN, and everything is if a point of the line has no counterpart in the world, such as one
 * behind the horizon.
 *
 * Since: 0.1
 */
typedef struct _GstContoursWorldContour GstContoursWorldContour;

struct _GstContoursWorldContour {
  gdouble area;
  gdouble perimeter;
  gdouble x;
  gdouble y;
  gdouble w;
  gdouble h;
  gdouble cx;
  gdouble cy;
  gdouble hull_area;
  gdouble hull_perimeter;
  gdouble defect_depth;
  gdouble defect_x;
  gdouble defect_y;
  gdouble rectangle_x;
  gdouble rectangle_y;
  gdouble rectangle_width;
  gdouble rectangle_height;
  gdouble rectangle_angle;
  gdouble feret_max;
  gdouble feret_max_angle;
  gdouble feret_min;
  gdouble feret_min_angle;
  gdouble circle_x;
  gdouble circle_y;
  gdouble circle_radius;
  gdouble distance_mean;
  gdouble distance_deviation;
  gdouble distance_max;
  gdouble hole_area;
};

#define GST_TYPE_CONTOURS_WORLD_CONTOUR (gst_contours_world_contour_get_type ())

GST_CONTOURS_API
GType gst_contours_world_contour_get_type (void);

/**
 * GstContoursWorldComponent:
 * @area: area
 * @cx: x of the converted centroid
 * @cy: y of the converted centroid
 * @orientation: with %GST_CONTOURS_COMPONENT_FEATURE_MOMENTS: angle from the x axis to the major axis of the ellipse with the
 *     component's second moments, in radians, positive towards the y axis
 * @major_axis: length of its major axis
 * @minor_axis: length of its minor axis
 *
 * One component in units of its calibration. A component has no line that could be converted: area and axes are those in
 * pixels, transformed by the derivatives of the conversion at the centroid. With a scale, and with a homography that is
 * affine, they are exact. Otherwise their relative error is of the second order in the size of the component: a contour
 * of it has the exact area. What was not computed is NaN, and everything is if the centroid has no counterpart.
 *
 * Since: 0.1
 */
typedef struct _GstContoursWorldComponent GstContoursWorldComponent;

struct _GstContoursWorldComponent {
  gdouble area;
  gdouble cx;
  gdouble cy;
  gdouble orientation;
  gdouble major_axis;
  gdouble minor_axis;
};

#define GST_TYPE_CONTOURS_WORLD_COMPONENT (gst_contours_world_component_get_type ())

GST_CONTOURS_API
GType gst_contours_world_component_get_type (void);

GST_CONTOURS_API
void gst_contours_contour_meta_set_calibration (GstContoursContourMeta *meta, GstContoursCalibration *calibration);

GST_CONTOURS_API
GstContoursCalibration *gst_contours_contour_meta_get_calibration (GstContoursContourMeta *meta);

GST_CONTOURS_API
GBytes *gst_contours_contour_meta_get_world_points (GstContoursContourMeta *meta, guint index);

GST_CONTOURS_API
GBytes *gst_contours_contour_meta_get_world_subpixels (GstContoursContourMeta *meta, guint index);

GST_CONTOURS_API
gboolean gst_contours_contour_meta_get_world_contour (
    GstContoursContourMeta *meta, guint index, GstContoursWorldContour *contour);

GST_CONTOURS_API
GList *gst_contours_contour_meta_get_world_contours (GstContoursContourMeta *meta);

GST_CONTOURS_API
void gst_contours_component_meta_set_calibration (GstContoursComponentMeta *meta, GstContoursCalibration *calibration);

GST_CONTOURS_API
GstContoursCalibration *gst_contours_component_meta_get_calibration (GstContoursComponentMeta *meta);

GST_CONTOURS_API
gboolean gst_contours_component_meta_get_world_component (
    GstContoursComponentMeta *meta, guint index, GstContoursWorldComponent *component);

GST_CONTOURS_API
GList *gst_contours_component_meta_get_world_components (GstContoursComponentMeta *meta);

G_END_DECLS

#endif /* __GST_CONTOUR_WORLD_H__ */

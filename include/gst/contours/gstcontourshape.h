/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef __GST_CONTOURS_CONTOUR_SHAPE_H__
#define __GST_CONTOURS_CONTOUR_SHAPE_H__

#include <gst/contours/gstcontourmeta.h>

G_BEGIN_DECLS

/**
 * GstContoursShape:
 * @circularity: 4 π area / perimeter²: 1 of a circle, less of other shapes; NaN if the perimeter is 0
 * @touches_frame: whether the contour has a pixel in the first or last row or column of the analysed image
 * @hull_area: area of the convex hull
 * @hull_perimeter: perimeter of the convex hull
 * @solidity: area / area of the hull; NaN if that is 0
 * @defect_depth: depth of the deepest convexity defect: how far a point lies inside the hull's side before it; 0 if
 *     the contour is convex
 * @defect_x: horizontal position of that point; NaN if the contour is convex
 * @defect_y: vertical position of that point
 * @rectangle_x: horizontal position of the centre of the rectangle of least area
 * @rectangle_y: vertical position of that centre
 * @rectangle_width: length of the rectangle's side in the direction of @rectangle_angle
 * @rectangle_height: length of its other side
 * @rectangle_angle: angle of that direction in degrees, clockwise on the screen from the x axis, 0 or more and below
 *     90
 * @rectangularity: area / area of the rectangle; NaN if that is 0
 * @feret_max: greatest Feret diameter: the greatest distance of two points
 * @feret_max_angle: its direction in degrees, clockwise on the screen from the x axis, 0 or more and below 180; NaN
 *     of a single pixel
 * @feret_min: least Feret diameter: the least distance of two parallels around the contour
 * @feret_min_angle: the direction in which it is measured
 * @circle_x: horizontal position of the centre of the smallest enclosing circle
 * @circle_y: vertical position of that centre
 * @circle_radius: radius of that circle
 * @distance_mean: mean distance of the contour's pixels from its centroid
 * @distance_deviation: standard deviation of these distances
 * @distance_max: greatest of these distances
 * @roundness: 1 - @distance_deviation / @distance_mean; NaN if that is 0
 * @radial_circularity: area / area of the circle around the centroid with the radius @distance_max, 1 at most; NaN
 *     if that is 0
 * @hole_area: sum of the areas inside the borders of holes in this outer border; NaN of the border of a hole, as the
 *     next two
 * @holes: number of these holes
 * @euler_number: 1 - @holes
 * @major: major half axis of the ellipse with the same second moments
 * @minor: minor half axis of that ellipse
 * @anisometry: @major / @minor; NaN if that is 0
 * @bulkiness: π @major @minor / area
 * @structure_factor: @anisometry @bulkiness - 1
 * @hu: (array fixed-size=7): the moments of Hu, from the normalised central ones
 * @compactness: perimeter² / (4 π area), 1 / @circularity; NaN if the area is 0
 * @feret_extent: Feret diameter in the direction of `feret-angle` of the analysed image: the distance of two parallels around the
 *     contour
 * @line_x: horizontal position of the mean of the contour's pixels, through which the line goes that fits them best
 * @line_y: vertical position of that mean
 * @line_angle: angle of that line in degrees, clockwise on the screen from the x axis, 0 or more and below 180; NaN
 *     if all lines are equally good
 * @line_deviation: root of the mean squared distance of the pixels from that line
 * @fit_circle_x: horizontal position of the centre of the circle that fits the pixels best; NaN if they are on one line
 * @fit_circle_y: vertical position of that centre
 * @fit_circle_radius: radius of that circle
 * @fit_circle_deviation: estimate of the root of the mean squared distance of the pixels from that circle
 * @ellipse_x: horizontal position of the centre of the ellipse that fits the pixels best; NaN if they do not determine it
 * @ellipse_y: vertical position of that centre
 * @ellipse_major: major half axis of that ellipse
 * @ellipse_minor: minor half axis of that ellipse
 * @ellipse_angle: angle of its major axis, as @line_angle
 *
 * The shape of a contour as a closed line, in pixels of the frame. What the analysis was not asked for is NaN:
 *
 * - @hull_area to @solidity need %GST_CONTOURS_CONTOUR_FEATURE_HULL,
 * - @defect_depth to @defect_y %GST_CONTOURS_CONTOUR_FEATURE_DEFECT,
 * - @rectangle_x to @rectangularity %GST_CONTOURS_CONTOUR_FEATURE_RECTANGLE,
 * - @feret_max to @feret_min_angle, and @feret_extent, %GST_CONTOURS_CONTOUR_FEATURE_FERET,
 * - @circle_x to @circle_radius %GST_CONTOURS_CONTOUR_FEATURE_CIRCLE,
 * - @distance_mean to @radial_circularity %GST_CONTOURS_CONTOUR_FEATURE_DISTANCES,
 * - @hole_area to @euler_number %GST_CONTOURS_CONTOUR_FEATURE_HOLES,
 * - @major to @hu %GST_CONTOURS_CONTOUR_FEATURE_MOMENTS,
 * - @line_x to @ellipse_angle %GST_CONTOURS_CONTOUR_FEATURE_FITS.
 *
 * In a frame whose axes were scaled differently, only areas, @solidity, @holes, @euler_number and @touches_frame are known,
 * the others are NaN.
 *
 * Since: 0.1
 */
typedef struct _GstContoursShape GstContoursShape;

struct _GstContoursShape {
  gdouble circularity;
  gboolean touches_frame;
  gdouble hull_area;
  gdouble hull_perimeter;
  gdouble solidity;
  gdouble defect_depth;
  gdouble defect_x;
  gdouble defect_y;
  gdouble rectangle_x;
  gdouble rectangle_y;
  gdouble rectangle_width;
  gdouble rectangle_height;
  gdouble rectangle_angle;
  gdouble rectangularity;
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
  gdouble roundness;
  gdouble radial_circularity;
  gdouble hole_area;
  gdouble holes;
  gdouble euler_number;
  gdouble major;
  gdouble minor;
  gdouble anisometry;
  gdouble bulkiness;
  gdouble structure_factor;
  gdouble hu[7];
  gdouble compactness;
  gdouble feret_extent;
  gdouble line_x;
  gdouble line_y;
  gdouble line_angle;
  gdouble line_deviation;
  gdouble fit_circle_x;
  gdouble fit_circle_y;
  gdouble fit_circle_radius;
  gdouble fit_circle_deviation;
  gdouble ellipse_x;
  gdouble ellipse_y;
  gdouble ellipse_major;
  gdouble ellipse_minor;
  gdouble ellipse_angle;
};

#define GST_TYPE_CONTOURS_SHAPE (gst_contours_shape_get_type ())

GST_CONTOURS_API
GType gst_contours_shape_get_type (void);

GST_CONTOURS_API
gboolean gst_contours_contour_meta_get_shape (GstContoursContourMeta *meta, guint index, GstContoursShape *shape);

GST_CONTOURS_API
GList *gst_contours_contour_meta_get_shapes (GstContoursContourMeta *meta);

GST_CONTOURS_API
GBytes *gst_contours_contour_meta_get_shapes_bytes (GstContoursContourMeta *meta);

G_END_DECLS

#endif /* __GST_CONTOURS_CONTOUR_SHAPE_H__ */

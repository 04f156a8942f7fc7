/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From pixels to units of the world: the camera's lens distortion, the plane that the objects lie on, or a scale alone; and
 * the measures of lines in these units.
 *
 * A point of the picture is first undistorted, as cv::undistortPoints() does with P = the camera matrix, then transformed by
 * the homography, as cv::perspectiveTransform() does, or multiplied by the scale. Positions are pixel centres: (0, 0) is the
 * centre of the top left pixel. A corner between pixels (CTR_COORDINATES_CORNERS) is therefore at x - 0.5, y - 0.5. */
#ifndef CONTOURS_CALIBRATION_H
#define CONTOURS_CALIBRATION_H

#include <contours/types.h>

CTR_BEGIN_DECLS

#define CTR_UNIT_SIZE 16

/* A calibration. All fields are plain values, and zero is a field's default. */
typedef struct {
  uint32_t width; /* of the pictures that it holds for, pixels; 0: any */
  uint32_t height;

  /* The camera: focal lengths and principal point, pixels, and OpenCV's distortion coefficients in its order: k1 k2 p1 p2 k3 k4
   * k5 k6 s1 s2 s3 s4 tau_x tau_y. Without a camera nothing is undistorted. */
  bool has_camera;
  double fx, fy, cx, cy;
  double distortion[14];

  /* One of these, or neither: then a unit is a pixel of the undistorted picture. */
  bool has_homography;
  double homography[9]; /* row by row, from undistorted pixels to units */
  double scale;         /* units per pixel; 0: none */

  char unit[CTR_UNIT_SIZE]; /* its name, UTF-8; "" stands for "px" */
} CtrCalibration;

/* Checks that all values are finite, that the focal lengths and the scale are positive, and that the homography can be
 * inverted. False and CTR_ERROR_INVALID_ARGUMENT otherwise. The functions below take checked calibrations only. */
CTR_API bool ctr_calibration_check (const CtrCalibration *calibration, CtrError *error);

/* Whether it is a scale alone, so that lengths are those in pixels times `scale`, exactly. */
CTR_API bool ctr_calibration_is_scale (const CtrCalibration *calibration);

/* Converts the point X, Y. Undistortion solves the model by Newton's method with shortened steps: distorted again, its result
 * lies within 10^-9 pixels of the point. Where the model has no such result, or only one behind the radius at which it folds
 * back, and where the point lies on or behind the horizon of the plane, both results are NaN, and the function returns
 * false. The horizon's near side is that of the centre of the picture; without a size that of the principal point, without a
 * camera that of pixel (0, 0). */
CTR_API bool ctr_calibration_point (
    const CtrCalibration *calibration, double x, double y, double *world_x, double *world_y);

/* Converts COUNT points, x and y alternately; WORLD may be POINTS. Returns the number of points that are NaN. */
CTR_API size_t ctr_calibration_points (
    const CtrCalibration *calibration, const double *points, size_t count, double *world);

/* The derivatives of the converted point by X and Y: JACOBIAN is dX/dx, dX/dy, dY/dx, dY/dy, in units per pixel. The absolute
 * value of its determinant is the area of a pixel there. False and NaN as above. */
CTR_API bool ctr_calibration_jacobian (const CtrCalibration *calibration, double x, double y, double jacobian[4]);

/* The inverse of ctr_calibration_point(): where a point of the world is seen in the picture. False and NaN for a point that the
 * camera cannot see. */
CTR_API bool ctr_calibration_project (
    const CtrCalibration *calibration, double world_x, double world_y, double *x, double *y);

/* A closed or open line in units of the world. What its CtrContourFeatures do not ask for and what is not defined is NaN. */
typedef struct {
  double area;      /* inside the line, not negative; 0 if it is open */
  double perimeter; /* its length */
  double x, y;      /* the smallest corner of its bounding box, and its size */
  double w, h;
  double cx, cy; /* centroid of the area; NaN if that is 0 */

  /* The features of shapes.h with the same names. Angles are in degrees from the x axis towards the y axis; rectangle_angle is
   * 0 or more and below 90, the others 0 or more and below 180. */
  double hull_area, hull_perimeter;
  double rectangle_x, rectangle_y, rectangle_width, rectangle_height, rectangle_angle;
  double feret_max, feret_max_angle, feret_min, feret_min_angle;
  double circle_x, circle_y, circle_radius;
  double distance_mean, distance_deviation, distance_max; /* of the points from the centroid */
} CtrWorldShape;

/* Measures the line through COUNT POINTS, x and y alternately, which need not be exact: it is computed in double precision.
 * FEATURES are CtrContourFeatures: HULL, RECTANGLE, FERET, CIRCLE and DISTANCES ask for the numbers of these names. If a
 * coordinate is NaN, all numbers are. False and an error if there is no memory. */
CTR_API bool ctr_world_shape_measure (
    const double *points, size_t count, bool closed, uint32_t features, CtrWorldShape *shape, CtrError *error);

CTR_END_DECLS

#endif

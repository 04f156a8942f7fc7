/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The shape of contours: convex hull, convexity defect, rectangles and circles around a contour, distances from its
 * centroid, holes, lines and ellipses that fit it. Border following (borders.h) computes it on request, feature by feature.
 *
 * CtrContourShape has exact integers and points of the contour, the same on both backends. From these
 * ctr_contour_shape_values() derives all floating-point values. Everything refers to the contour as a closed line through
 * pixel centres, before epsilon simplifies it: a single pixel has the area 0.
 *
 * The convex hull is the least convex polygon around the contour. Its vertices are those at which it turns: none lies on a
 * line between two others. They run clockwise on the screen, as those of cv::convexHull() do by default, from the last
 * vertex in the topmost row. A single pixel has one vertex, and a contour whose points lie on one line has two. */
#ifndef CONTOURS_SHAPES_H
#define CONTOURS_SHAPES_H

#include <contours/contourlist.h>

CTR_BEGIN_DECLS

/* The features of CtrContourFeatures that make up CtrContourShape. */
#define CTR_CONTOUR_SHAPE_FEATURES                                                                                   \
  (CTR_CONTOUR_FEATURE_HULL | CTR_CONTOUR_FEATURE_DEFECT | CTR_CONTOUR_FEATURE_RECTANGLE | CTR_CONTOUR_FEATURE_FERET \
      | CTR_CONTOUR_FEATURE_CIRCLE | CTR_CONTOUR_FEATURE_DISTANCES | CTR_CONTOUR_FEATURE_HOLES)

/* The unit of CtrContourShape.centroid in pixels, and that of distances from it. */
#define CTR_CENTROID_UNIT (1.0 / (1 << 8))
#define CTR_DISTANCE_UNIT (1.0 / (1 << 14))

/* The unit of CtrContourShape.feret_extent in pixels. */
#define CTR_FERET_UNIT (1.0 / (INT64_C (1) << 46))

/* The shape of a contour: 144 bytes, with the same layout on the GPU. What no feature asks for is 0. */
typedef struct CtrContourShape {
  /* HOLES: the children of the contour that are borders of holes. */
  uint64_t hole_area2; /* twice the sum of their areas */
  uint32_t holes;      /* their number */
  uint32_t hull_count; /* HULL: vertices */

  /* HULL */
  uint64_t hull_area2;  /* twice the area */
  uint64_t hull_length; /* in CTR_LENGTH_UNIT: the sum of the sides' lengths in double precision, each rounded down */

  /* DISTANCES of all pixels along the line, from the centroid. A pixel counts as often as the line comes to it. Distances are
   * those in double precision, rounded down to CTR_DISTANCE_UNIT. */
  uint64_t distance_sum;
  uint64_t distance_squares[2]; /* the sum of their squares: 128 bits, low word first */
  uint32_t distance_max;
  uint32_t steps; /* their number */
  /* The centroid of the area inside, or the mean of the pixels if there is none, rounded to CTR_CENTROID_UNIT; halves are
   * rounded up. */
  int32_t centroid[2];

  /* DEFECT: the contour's point that lies deepest inside the hull, measured from the side of the hull that spans the part of
   * the contour with this point. Of several, it is the first one in the list of points, as without epsilon. */
  CtrPoint
      defect[3]; /* first and last point of that side, clockwise; the deepest point. All are equal if none is inside. */

  /* RECTANGLE: the rectangle of least area around the contour. One of its sides lies on a side of the hull: of several such
   * sides, on the first one. */
  CtrPoint rectangle[5]; /* first and last point of that side; the first vertices behind it, clockwise, that lie on the
                          * opposite side of the rectangle, on the one ahead of that side and on the one behind it */

  /* FERET */
  CtrPoint diameter[2]; /* The two vertices of the hull with the greatest distance; of several pairs, the one whose
                         * first vertex, then whose second one, comes first. */
  CtrPoint
      breadth[3]; /* The side of the hull, and the vertex opposite to it, between whose parallels the least distance
                         * is. Of several sides, it is the first one. */

  /* CIRCLE: the smallest circle around the contour goes through these points. Those behind the last one repeat it. */
  CtrPoint circle[3];

  /* FERET: the distance of two parallels around the contour, measured in the direction of CtrBordersParams.feret_angle, whose
   * unit vector is rounded to 2^-46. In CTR_FERET_UNIT. */
  uint64_t feret_extent;
} CtrContourShape;

/* Sums over all pixels along a contour, from which line, circle and ellipse follow that fit them best: 240 bytes. A pixel counts as
 * often as the contour comes to it. The sums of 1, x, y, x^2, x y, y^2, x^3, x^2 y, .. y^4; each has 128 bits, low word first. */
typedef struct CtrContourFits {
  uint64_t words[15][2];
} CtrContourFits;

/* The arrays of a result, as those of contourlist.h: count rows, NULL without one of CTR_CONTOUR_SHAPE_FEATURES. */
CTR_API const CtrContourShape *ctr_contours_map_shapes (CtrContours *contours, CtrError *error);
/* NULL without CTR_CONTOUR_FEATURE_FITS. */
CTR_API const CtrContourFits *ctr_contours_map_fits (CtrContours *contours, CtrError *error);

/* A contour's shape as numbers. Lengths are in pixels, areas in pixels^2, positions in the coordinates of the points. What no
 * feature asks for and what is not defined is NaN. */
typedef struct {
  /* Always */
  double circularity;     /* 4 pi area / perimeter^2; NaN if the perimeter is 0 */
  uint32_t touches_frame; /* 1: the contour has a pixel in the first or last row or column of the image; otherwise 0 */
  uint32_t reserved;      /* 0 */

  /* CTR_CONTOUR_FEATURE_HULL: area and perimeter of the hull; area / hull area, NaN if that is 0 */
  double hull_area, hull_perimeter, solidity;

  /* CTR_CONTOUR_FEATURE_DEFECT: depth of the deepest convexity defect as in cv::convexityDefects(), 0 without one, and its
   * point */
  double defect_depth, defect_x, defect_y;

  /* CTR_CONTOUR_FEATURE_RECTANGLE, as cv::minAreaRect(): centre, sides and angle in degrees. The angle is that of the side
   * rectangle_width, clockwise on the screen from the x axis, 0 or more and below 90. rectangularity: area / area of the
   * rectangle, NaN if that is 0 */
  double rectangle_x, rectangle_y, rectangle_width, rectangle_height, rectangle_angle, rectangularity;

  /* CTR_CONTOUR_FEATURE_FERET: greatest and least distance of two parallels around the contour. The angles of the directions
   * in which they are measured are in degrees clockwise on the screen from the x axis, 0 or more and below 180; NaN if the
   * contour is a single pixel. */
  double feret_max, feret_max_angle, feret_min, feret_min_angle;

  /* CTR_CONTOUR_FEATURE_CIRCLE, as cv::minEnclosingCircle(): centre and radius of the smallest circle */
  double circle_x, circle_y, circle_radius;

  /* CTR_CONTOUR_FEATURE_DISTANCES, as HALCON's roundness and circularity: mean and standard deviation of the distances, the
   * greatest one; 1 - deviation / mean, NaN if the mean is 0; min (1, area / (pi greatest distance^2)), NaN if that is 0 */
  double distance_mean, distance_deviation, distance_max, roundness, radial_circularity;

  /* CTR_CONTOUR_FEATURE_HOLES of an outer border, NaN for that of a hole: sum of the areas inside the borders of its holes,
   * their number, and 1 less that number */
  double hole_area, holes, euler_number;

  /* CTR_CONTOUR_FEATURE_MOMENTS, as HALCON's elliptic_axis and eccentricity: half axes of the ellipse with the same second
   * moments, major / minor, pi major minor / area, anisometry bulkiness - 1; NaN if the area is 0. Hu's moments as
   * cv::HuMoments() */
  double major, minor, anisometry, bulkiness, structure_factor;
  double hu[7];

  double compactness; /* always: perimeter^2 / (4 pi area), as HALCON's compactness; NaN if the area is 0 */

  /* CTR_CONTOUR_FEATURE_FERET: distance of two parallels around the contour in the direction of CtrBordersParams.feret_angle */
  double feret_extent;

  /* CTR_CONTOUR_FEATURE_FITS, to the pixels along the contour. The line with the least sum of squared distances: a point on it, which
   * is the pixels' mean, its angle in degrees clockwise on the screen from the x axis, 0 or more and below 180, NaN if all are equally
   * good, and the root of the mean squared distance. */
  double line_x, line_y, line_angle, line_deviation;
  /* The circle with the least sum of (d^2 - radius^2)^2 for pixels at distances d from its centre, and an estimate of the root of the mean
   * squared distance from it, the root of the mean of (d^2 - radius^2)^2 / (2 radius). NaN if the pixels are on one line. */
  double fit_circle_x, fit_circle_y, fit_circle_radius, fit_circle_deviation;
  /* The ellipse of Fitzgibbon, Pilu and Fisher, as cv::fitEllipseDirect(): centre, half axes, and the angle of the major one as that of
   * the line. NaN if the pixels do not determine it. */
  double ellipse_x, ellipse_y, ellipse_major, ellipse_minor, ellipse_angle;
} CtrContourShapeValues;

/* Derives the numbers of ROW of CONTOURS, which are complete. SHAPE, SUMS and FITS are its rows in the other arrays, NULL where
 * there are none. */
CTR_API void ctr_contour_shape_values (const CtrContours *contours, const CtrContour *row, const CtrContourShape *shape,
    const CtrContourSums *sums, const CtrContourFits *fits, CtrContourShapeValues *values);

/* The convex hull of a contour's POINTS: writes their indices TO an array of COUNT, and returns their number. Of equal points
 * the first one is taken. 0 if there is no memory for the work, or the work was cancelled. */
CTR_API uint32_t ctr_contour_hull (const CtrPoint *points, uint32_t count, uint32_t *to);

CTR_END_DECLS

#endif

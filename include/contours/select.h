/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Limits on any number of contours and components: what is outside one of them is dropped, as by HALCON's select_shape().
 *
 * Both backends drop the same: the numbers that decide follow from exact integers by correctly rounded operations, the same ones
 * in the same order. A number that is not defined is NaN and is within no limits, not even within -INFINITY to INFINITY. The
 * numbers are those of the analysed image, as the result has them. */
#ifndef CONTOURS_SELECT_H
#define CONTOURS_SELECT_H

#include <contours/types.h>

CTR_BEGIN_DECLS

/* Limits on one number, inclusive. min: -INFINITY and max: INFINITY stand for no limit. */
typedef struct {
  uint32_t feature;  /* CtrContourNumber or CtrComponentNumber */
  uint32_t reserved; /* 0 */
  double min;
  double max; /* min or more */
} CtrLimits;

#define CTR_SELECT_MAX 16

/* All of them must be met. Zero: nothing is dropped. */
typedef struct {
  uint32_t count;    /* of limits, CTR_SELECT_MAX at most; each of another number */
  uint32_t reserved; /* 0 */
  CtrLimits limits[CTR_SELECT_MAX];
} CtrSelect;

/* Numbers of a contour. AREA to HEIGHT are those of CtrContour: see ctr_contour_area() and ctr_contour_perimeter(); X and Y are
 * the first column and row of the bounding box. The others are those of CtrContourShapeValues (shapes.h), but angles. */
typedef enum {
  CTR_CONTOUR_NUMBER_AREA,
  CTR_CONTOUR_NUMBER_PERIMETER,
  CTR_CONTOUR_NUMBER_X,
  CTR_CONTOUR_NUMBER_Y,
  CTR_CONTOUR_NUMBER_WIDTH,
  CTR_CONTOUR_NUMBER_HEIGHT,
  CTR_CONTOUR_NUMBER_CIRCULARITY,
  CTR_CONTOUR_NUMBER_HULL_AREA,
  CTR_CONTOUR_NUMBER_HULL_PERIMETER,
  CTR_CONTOUR_NUMBER_SOLIDITY,
  CTR_CONTOUR_NUMBER_DEFECT_DEPTH,
  CTR_CONTOUR_NUMBER_DEFECT_X,
  CTR_CONTOUR_NUMBER_DEFECT_Y,
  CTR_CONTOUR_NUMBER_RECTANGLE_X,
  CTR_CONTOUR_NUMBER_RECTANGLE_Y,
  CTR_CONTOUR_NUMBER_RECTANGLE_WIDTH,
  CTR_CONTOUR_NUMBER_RECTANGLE_HEIGHT,
  CTR_CONTOUR_NUMBER_RECTANGULARITY,
  CTR_CONTOUR_NUMBER_FERET_MAX,
  CTR_CONTOUR_NUMBER_FERET_MIN,
  CTR_CONTOUR_NUMBER_CIRCLE_X,
  CTR_CONTOUR_NUMBER_CIRCLE_Y,
  CTR_CONTOUR_NUMBER_CIRCLE_RADIUS,
  CTR_CONTOUR_NUMBER_DISTANCE_MEAN,
  CTR_CONTOUR_NUMBER_DISTANCE_DEVIATION,
  CTR_CONTOUR_NUMBER_DISTANCE_MAX,
  CTR_CONTOUR_NUMBER_ROUNDNESS,
  CTR_CONTOUR_NUMBER_RADIAL_CIRCULARITY,
  CTR_CONTOUR_NUMBER_HOLES, /* counts those that a limit drops here, too: they are dropped by all limits at once */
  CTR_CONTOUR_NUMBER_HOLE_AREA,
  CTR_CONTOUR_NUMBER_EULER_NUMBER,
  CTR_CONTOUR_NUMBER_MAJOR,
  CTR_CONTOUR_NUMBER_MINOR,
  CTR_CONTOUR_NUMBER_ANISOMETRY,
  CTR_CONTOUR_NUMBER_BULKINESS,
  CTR_CONTOUR_NUMBER_STRUCTURE_FACTOR,
  CTR_CONTOUR_NUMBER_HU1,
  CTR_CONTOUR_NUMBER_HU2,
  CTR_CONTOUR_NUMBER_HU3,
  CTR_CONTOUR_NUMBER_HU4,
  CTR_CONTOUR_NUMBER_HU5,
  CTR_CONTOUR_NUMBER_HU6,
  CTR_CONTOUR_NUMBER_HU7,
  CTR_CONTOUR_NUMBER_COMPACTNESS,
  CTR_CONTOUR_NUMBER_FERET_EXTENT,
  CTR_CONTOUR_NUMBER_LINE_X,
  CTR_CONTOUR_NUMBER_LINE_Y,
  CTR_CONTOUR_NUMBER_LINE_DEVIATION,
  CTR_CONTOUR_NUMBER_FIT_CIRCLE_X,
  CTR_CONTOUR_NUMBER_FIT_CIRCLE_Y,
  CTR_CONTOUR_NUMBER_FIT_CIRCLE_RADIUS,
  CTR_CONTOUR_NUMBER_FIT_CIRCLE_DEVIATION,
  CTR_CONTOUR_NUMBER_ELLIPSE_X,
  CTR_CONTOUR_NUMBER_ELLIPSE_Y,
  CTR_CONTOUR_NUMBER_ELLIPSE_MAJOR,
  CTR_CONTOUR_NUMBER_ELLIPSE_MINOR
} CtrContourNumber;

/* Numbers of a component (components.h). AREA to HEIGHT and VALUE are those of CtrComponent, CX and CY the centroid, MAJOR_AXIS
 * to ECCENTRICITY those of CtrComponentShape. MIN to STD are the statistics of its samples, P5 to P95 their percentiles. INSCRIBED_RADIUS
 * to INSCRIBED_Y are the largest inscribed circle. RING_MEAN and CONTRAST are those of ctr_component_contrast(). SKELETON_LENGTH to
 * SKELETON_PIXELS are those of the skeleton. */
typedef enum {
  CTR_COMPONENT_NUMBER_AREA,
  CTR_COMPONENT_NUMBER_X,
  CTR_COMPONENT_NUMBER_Y,
  CTR_COMPONENT_NUMBER_WIDTH,
  CTR_COMPONENT_NUMBER_HEIGHT,
  CTR_COMPONENT_NUMBER_CX,
  CTR_COMPONENT_NUMBER_CY,
  CTR_COMPONENT_NUMBER_MAJOR_AXIS,
  CTR_COMPONENT_NUMBER_MINOR_AXIS,
  CTR_COMPONENT_NUMBER_ECCENTRICITY,
  CTR_COMPONENT_NUMBER_MIN,
  CTR_COMPONENT_NUMBER_MAX,
  CTR_COMPONENT_NUMBER_MEAN,
  CTR_COMPONENT_NUMBER_STD,
  CTR_COMPONENT_NUMBER_VALUE,
  CTR_COMPONENT_NUMBER_P5,
  CTR_COMPONENT_NUMBER_P25,
  CTR_COMPONENT_NUMBER_MEDIAN,
  CTR_COMPONENT_NUMBER_P75,
  CTR_COMPONENT_NUMBER_P95,
  CTR_COMPONENT_NUMBER_INSCRIBED_RADIUS,
  CTR_COMPONENT_NUMBER_INSCRIBED_X,
  CTR_COMPONENT_NUMBER_INSCRIBED_Y,
  CTR_COMPONENT_NUMBER_RING_MEAN,
  CTR_COMPONENT_NUMBER_CONTRAST,
  CTR_COMPONENT_NUMBER_SKELETON_LENGTH,
  CTR_COMPONENT_NUMBER_SKELETON_WIDTH,
  CTR_COMPONENT_NUMBER_SKELETON_PIXELS
} CtrComponentNumber;

/* The name of a number, such as "feret-max" and "major-axis"; NULL behind the last one. */
CTR_API const char *ctr_contour_number_name (uint32_t number);
CTR_API const char *ctr_component_number_name (uint32_t number);

CTR_END_DECLS

#endif

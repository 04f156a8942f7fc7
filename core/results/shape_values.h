/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The shape of a contour in floating point, from its exact integers and points: what selects contours, too, on both backends.
 * Internal.
 *
 * All operations are correctly rounded, so host and GPU come to the same numbers. The compilers must not contract products and
 * sums: -ffp-contract=off on the host, -fmad=false for the files of the GPU that include this. */
#ifndef CTR_CORE_RESULTS_SHAPE_VALUES_H
#define CTR_CORE_RESULTS_SHAPE_VALUES_H

#include "core/results/contour_moments.h"
#include "core/results/fit_values.h"
#include "core/results/shapes.h"

CTR_BEGIN_DECLS

#define CTR_PI 3.14159265358979323846

CTR_SHAPE_RULE double
ctr_shape_ratio (double a, double b)
{
  return b == 0 ? NAN : a / b;
}

CTR_SHAPE_RULE double
ctr_shape_area (const CtrContour *row)
{
  return (double) (row->area2 < 0 ? -row->area2 : row->area2) * 0.5;
}

CTR_SHAPE_RULE double
ctr_shape_perimeter (const CtrContour *row)
{
  return (double) row->length * CTR_LENGTH_UNIT;
}

CTR_SHAPE_RULE double
ctr_shape_circularity (double area, double perimeter)
{
  return ctr_shape_ratio (4 * CTR_PI * area, perimeter * perimeter);
}

CTR_SHAPE_RULE void
ctr_shape_clear_values (CtrContourShapeValues *v)
{
  v->circularity = NAN;
  v->touches_frame = v->reserved = 0;
  for (double *number = &v->hull_area; number <= &v->ellipse_angle; number++)
    *number = NAN;
}

CTR_SHAPE_RULE void
ctr_shape_set_defect (const CtrContourShape *shape, CtrContourShapeValues *v)
{
  const CtrPoint *p = shape->defect;
  const double length = sqrt ((double) ctr_shape_distance2 (p[0], p[1]));
  v->defect_depth = 0;
  if (length == 0)
    return;
  v->defect_depth = (double) ctr_shape_cross (p[0], p[1], p[2]) / length;
  v->defect_x = p[2].x;
  v->defect_y = p[2].y;
}

/* Of a rectangle with a side in direction (DX, DY): is the direction below 90 degrees that of the other sides? */
CTR_SHAPE_RULE bool
ctr_shape_turns_sides (double dx, double dy)
{
  return dy != 0 && (dx == 0 || (dx > 0) != (dy > 0));
}

CTR_SHAPE_RULE void
ctr_shape_set_rectangle (const CtrContourShape *shape, double area, CtrContourShapeValues *v)
{
  const CtrPoint *p = shape->rectangle;
  double dx = p[1].x - p[0].x, dy = p[1].y - p[0].y, length2 = (double) ctr_shape_distance2 (p[0], p[1]);
  if (length2 == 0)
    length2 = dx = 1;
  const double length = sqrt (length2), ahead = (double) ctr_shape_dot (p[0], p[1], p[3]),
               behind = (double) ctr_shape_dot (p[0], p[1], p[4]), across = (double) ctr_shape_cross (p[0], p[1], p[2]);
  const double along = (ahead + behind) / 2 / length2, inwards = across / 2 / length2;
  v->rectangle_x = p[0].x + along * dx - inwards * dy;
  v->rectangle_y = p[0].y + along * dy + inwards * dx;
  v->rectangularity = ctr_shape_ratio (area, (ahead - behind) * across / length2);
  const bool turned = ctr_shape_turns_sides (dx, dy);
  const double width = (ahead - behind) / length, height = across / length;
  v->rectangle_width = turned ? height : width;
  v->rectangle_height = turned ? width : height;
}

CTR_SHAPE_RULE void
ctr_shape_set_feret (const CtrContourShape *shape, CtrContourShapeValues *v)
{
  const CtrPoint *d = shape->diameter, *b = shape->breadth;
  const double length2 = (double) ctr_shape_distance2 (b[0], b[1]);
  v->feret_max = sqrt ((double) ctr_shape_distance2 (d[0], d[1]));
  v->feret_extent = (double) shape->feret_extent * CTR_FERET_UNIT;
  v->feret_min = 0;
  if (length2 == 0)
    return;
  v->feret_min = (double) ctr_shape_cross (b[0], b[1], b[2]) / sqrt (length2);
}

CTR_SHAPE_RULE void
ctr_shape_set_circle (const CtrContourShape *shape, CtrContourShapeValues *v)
{
  const CtrPoint *p = shape->circle;
  const int64_t cross = ctr_shape_cross (p[0], p[1], p[2]);
  if (cross == 0) {
    v->circle_x = (p[0].x + p[1].x) / 2.0;
    v->circle_y = (p[0].y + p[1].y) / 2.0;
    v->circle_radius = sqrt ((double) ctr_shape_distance2 (p[0], p[1])) / 2;
    return;
  }
  /* The centre as seen from the first point. */
  const double bx = p[1].x - p[0].x, by = p[1].y - p[0].y, cx = p[2].x - p[0].x, cy = p[2].y - p[0].y;
  const double b2 = (double) ctr_shape_distance2 (p[0], p[1]), c2 = (double) ctr_shape_distance2 (p[0], p[2]);
  const double x = (cy * b2 - by * c2) / (2 * (double) cross), y = (bx * c2 - cx * b2) / (2 * (double) cross);
  v->circle_x = p[0].x + x;
  v->circle_y = p[0].y + y;
  v->circle_radius = sqrt (x * x + y * y);
}

CTR_SHAPE_RULE void
ctr_shape_set_distances (const CtrContourShape *shape, double area, CtrContourShapeValues *v)
{
  const CtrUnsigned128 squares = (CtrUnsigned128) shape->distance_squares[1] << 64 | shape->distance_squares[0];
  const uint64_t steps = shape->steps, sum = shape->distance_sum;
  const uint64_t mean = sum / steps, rest = sum % steps;
  /* The sum of squares of what the distances exceed the mean, rounded down: exact, and small. */
  const CtrSigned128 about =
      (CtrSigned128) squares - 2 * (CtrSigned128) mean * sum + (CtrSigned128) mean * mean * steps;
  const double offset = (double) rest / (double) steps,
               variance = ctr_signed128_to_double (about) / (double) steps - offset * offset;
  v->distance_mean = (double) sum / (double) steps * CTR_DISTANCE_UNIT;
  v->distance_deviation = sqrt (variance > 0 ? variance : 0) * CTR_DISTANCE_UNIT;
  v->distance_max = shape->distance_max * CTR_DISTANCE_UNIT;
  v->roundness = 1 - ctr_shape_ratio (v->distance_deviation, v->distance_mean);
  v->radial_circularity = ctr_shape_ratio (area, CTR_PI * v->distance_max * v->distance_max);
  if (v->radial_circularity > 1)
    v->radial_circularity = 1;
}

CTR_SHAPE_RULE void
ctr_shape_set_moments (const CtrContourSums *sums, CtrContourShapeValues *v)
{
  CtrContourMoments m;
  ctr_moments_of (sums, &m);
  if (m.m[0] == 0)
    return;
  const double a = m.mu[0] / m.m[0], b = m.mu[1] / m.m[0], c = m.mu[2] / m.m[0];
  const double root = sqrt ((a - c) * (a - c) + 4 * b * b), least = a + c - root;
  v->major = sqrt (2 * (a + c + root));
  v->minor = sqrt (2 * (least > 0 ? least : 0));
  v->anisometry = ctr_shape_ratio (v->major, v->minor);
  v->bulkiness = CTR_PI * v->major * v->minor / m.m[0];
  v->structure_factor = v->anisometry * v->bulkiness - 1;
  const double n20 = m.nu[0], n11 = m.nu[1], n02 = m.nu[2], n30 = m.nu[3], n21 = m.nu[4], n12 = m.nu[5], n03 = m.nu[6];
  const double p = n30 + n12, q = n21 + n03, r = n30 - 3 * n12, s = 3 * n21 - n03, d = n20 - n02;
  v->hu[0] = n20 + n02;
  v->hu[1] = d * d + 4 * n11 * n11;
  v->hu[2] = r * r + s * s;
  v->hu[3] = p * p + q * q;
  v->hu[4] = r * p * (p * p - 3 * q * q) + s * q * (3 * p * p - q * q);
  v->hu[5] = d * (p * p - q * q) + 4 * n11 * p * q;
  v->hu[6] = s * p * (p * p - 3 * q * q) - r * q * (3 * p * p - q * q);
}

/* The numbers of a contour that FEATURES, CtrContourFeatures, ask for, but its angles and whether it touches the frame. SHAPE is
 * there with a feature of CTR_CONTOUR_SHAPE_FEATURES, SUMS with CTR_CONTOUR_FEATURE_MOMENTS, FITS with CTR_CONTOUR_FEATURE_FITS. The others become NaN. */
CTR_SHAPE_RULE void
ctr_shape_set_values (const CtrContour *row, const CtrContourShape *shape, const CtrContourSums *sums,
    const CtrContourFits *fits, uint32_t features, CtrContourShapeValues *v)
{
  const double area = ctr_shape_area (row), perimeter = ctr_shape_perimeter (row);
  ctr_shape_clear_values (v);
  v->circularity = ctr_shape_circularity (area, perimeter);
  v->compactness = ctr_shape_ratio (perimeter * perimeter, 4 * CTR_PI * area);
  if (features & CTR_CONTOUR_FEATURE_HULL) {
    v->hull_area = (double) shape->hull_area2 / 2;
    v->hull_perimeter = (double) shape->hull_length * CTR_LENGTH_UNIT;
    v->solidity = ctr_shape_ratio (area, v->hull_area);
  }
  if (features & CTR_CONTOUR_FEATURE_DEFECT)
    ctr_shape_set_defect (shape, v);
  if (features & CTR_CONTOUR_FEATURE_RECTANGLE)
    ctr_shape_set_rectangle (shape, area, v);
  if (features & CTR_CONTOUR_FEATURE_FERET)
    ctr_shape_set_feret (shape, v);
  if (features & CTR_CONTOUR_FEATURE_CIRCLE)
    ctr_shape_set_circle (shape, v);
  if (features & CTR_CONTOUR_FEATURE_DISTANCES)
    ctr_shape_set_distances (shape, area, v);
  if (features & CTR_CONTOUR_FEATURE_HOLES && !(row->flags & CTR_CONTOUR_HOLE)) {
    v->hole_area = (double) shape->hole_area2 / 2;
    v->holes = shape->holes;
    v->euler_number = 1.0 - shape->holes;
  }
  if (features & CTR_CONTOUR_FEATURE_MOMENTS)
    ctr_shape_set_moments (sums, v);
  if (features & CTR_CONTOUR_FEATURE_FITS)
    ctr_fit_set_values (row, fits, v);
}

CTR_END_DECLS

#endif

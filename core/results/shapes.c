/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The numbers of a contour's shape. */
#include "core/results/shape_values.h"

static double
angle_of (double dx, double dy)
{
  if (dy < 0 || (dy == 0 && dx < 0)) {
    dx = -dx;
    dy = -dy;
  }
  return dy == 0 ? 0 : atan2 (dy, dx) * (180 / CTR_PI);
}

/* Half the angle of (X, Y): that of an axis whose directions are alike. */
static double
angle_of_axis (double x, double y)
{
  double angle = 0.5 * atan2 (y, x) * (180 / CTR_PI);
  angle += angle < 0 ? 180 : 0;
  return angle < 180 ? angle : 0; /* by a rounding error not below */
}

static void
set_rectangle_angle (const CtrPoint *side, CtrContourShapeValues *v)
{
  const double dx = side[1].x - side[0].x, dy = side[1].y - side[0].y;
  if (dx == 0 && dy == 0)
    v->rectangle_angle = 0;
  else
    v->rectangle_angle = ctr_shape_turns_sides (dx, dy) ? angle_of (dy, -dx) : angle_of (dx, dy);
}

static void
set_feret_angles (const CtrContourShape *shape, CtrContourShapeValues *v)
{
  const CtrPoint *d = shape->diameter, *b = shape->breadth;
  if (b[0].x == b[1].x && b[0].y == b[1].y)
    return;
  v->feret_max_angle = angle_of (d[1].x - d[0].x, d[1].y - d[0].y);
  v->feret_min_angle = angle_of (b[0].y - b[1].y, b[1].x - b[0].x);
}

static void
set_fit_angles (const CtrContour *row, const CtrContourFits *fits, CtrContourShapeValues *v)
{
  const CtrFitPixels pixels = ctr_fit_pixels (fits);
  double means[5][5];
  CtrFitConic conic;
  if (pixels.xx != pixels.yy || pixels.xy != 0)
    v->line_angle = angle_of_axis (pixels.xx - pixels.yy, 2 * pixels.xy);
  ctr_fit_means (row, fits, pixels, means);
  if (!isnan (v->ellipse_major) && ctr_fit_conic (pixels, means, &conic))
    v->ellipse_angle = angle_of_axis (conic.c - conic.a, -conic.b);
}

void
ctr_contour_shape_values (const CtrContours *contours, const CtrContour *row, const CtrContourShape *shape,
    const CtrContourSums *sums, const CtrContourFits *fits, CtrContourShapeValues *values)
{
  const uint32_t features = (shape ? contours->features & CTR_CONTOUR_SHAPE_FEATURES : 0)
                            | (sums ? CTR_CONTOUR_FEATURE_MOMENTS : 0) | (fits ? CTR_CONTOUR_FEATURE_FITS : 0);
  ctr_shape_set_values (row, shape, sums, fits, features, values);
  values->touches_frame = row->left == 0 || row->top == 0 || row->left + row->width >= contours->width
                          || row->top + row->height >= contours->height;
  if (features & CTR_CONTOUR_FEATURE_RECTANGLE)
    set_rectangle_angle (shape->rectangle, values);
  if (features & CTR_CONTOUR_FEATURE_FERET)
    set_feret_angles (shape, values);
  if (fits)
    set_fit_angles (row, fits, values);
}

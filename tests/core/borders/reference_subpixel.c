/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/core/borders/reference_subpixel.h"

#include <math.h>

#define MARGIN 0.01 /* pixels */

static double
sample (const SubpixelPicture *p, int x, int y)
{
  const int cx = x < 0 ? 0 : x >= p->width ? p->width - 1 : x, cy = y < 0 ? 0 : y >= p->height ? p->height - 1 : y;
  return p->samples[cy * p->width + cx];
}

enum { MOST_RADIUS = 14 };

/* A Gaussian at whole numbers up to 3.5 sigma, and its derivatives, scaled so that those of 1, x and x^2 / 2 are exact. */
typedef struct {
  int radius;
  double by_order[3][2 * MOST_RADIUS + 1]; /* from -radius on */
} Weights;

static Weights
weights_of (double sigma)
{
  Weights w = {.radius = (int) ceil (3.5 * sigma)};
  double sum = 0, second = 0, fourth = 0;
  for (int i = -w.radius; i <= w.radius; i++)
    sum += exp (-i * i / (2 * sigma * sigma));
  for (int i = -w.radius; i <= w.radius; i++) {
    const double g = exp (-i * i / (2 * sigma * sigma)) / sum;
    second += g * i * i;
    fourth += g * i * i * i * i;
  }
  for (int i = -w.radius; i <= w.radius; i++) {
    const double g = exp (-i * i / (2 * sigma * sigma)) / sum;
    w.by_order[0][i + w.radius] = g;
    w.by_order[1][i + w.radius] = g * i / second;
    w.by_order[2][i + w.radius] = 2 * g * (i * i - second) / (fourth - second * second);
  }
  return w;
}

/* The derivative of the smoothed picture, ORDER_X times by x and ORDER_Y times by y. */
static double
derivative (const SubpixelPicture *p, const Weights *w, int x, int y, int order_x, int order_y)
{
  double sum = 0;
  for (int j = -w->radius; j <= w->radius; j++)
    for (int i = -w->radius; i <= w->radius; i++)
      sum += w->by_order[order_x][i + w->radius] * w->by_order[order_y][j + w->radius] * sample (p, x + i, y + j);
  return sum;
}

static int
sign (double v)
{
  return (v > 0) - (v < 0);
}

typedef struct {
  int x, y;   /* the pixel */
  int nx, ny; /* the normal */
} Place;

static SubpixelExpected
keep (Place at, unsigned flags)
{
  return (SubpixelExpected){at.x, at.y, 0, atan2 (at.ny, at.nx), flags, false};
}

static bool
is_inside (const SubpixelPicture *p, int x, int y)
{
  return x >= 0 && y >= 0 && x < p->width && y < p->height;
}

typedef struct {
  bool found;
  double t, gx, gy;
} Crossing;

static Crossing
cross (const SubpixelPicture *p, const SubpixelCase *what, Place at, int dx, int dy)
{
  const int qx = at.x + dx, qy = at.y + dy, ex = -dy, ey = dx, norm = dx * dx + dy * dy;
  if (!is_inside (p, qx, qy))
    return (Crossing){false, 0, 0, 0};
  const double a = sample (p, at.x, at.y) - what->level, b = sample (p, qx, qy) - what->level;
  if (sign (a) != what->polarity || sign (b) != -what->polarity)
    return (Crossing){false, 0, 0, 0};
  const double t = a / (a - b);
  const double across_a = (sample (p, at.x + ex, at.y + ey) - sample (p, at.x - ex, at.y - ey)) / 2;
  const double across_b = (sample (p, qx + ex, qy + ey) - sample (p, qx - ex, qy - ey)) / 2;
  const double along = b - a, across = (1 - t) * across_a + t * across_b;
  return (Crossing){true, t, (along * dx + across * ex) / norm, (along * dy + across * ey) / norm};
}

static SubpixelExpected
at_level (const SubpixelCase *what, double x, double y, double gx, double gy)
{
  return (SubpixelExpected){x, y, hypot (gx, gy), atan2 (-what->polarity * gy, -what->polarity * gx), 0, false};
}

static SubpixelExpected
find_level (const SubpixelPicture *p, const SubpixelCase *what, Place at)
{
  const int sx = sign (at.nx), sy = sign (at.ny);
  const bool diagonal = at.nx * at.nx == at.ny * at.ny;
  if (!diagonal) {
    const bool wide = at.nx * at.nx > at.ny * at.ny;
    const int dx = wide ? sx : 0, dy = wide ? 0 : sy;
    const Crossing c = cross (p, what, at, dx, dy);
    if (c.found)
      return at_level (what, at.x + c.t * dx, at.y + c.t * dy, c.gx, c.gy);
    return keep (at, is_inside (p, at.x + dx, at.y + dy) ? CTR_SUBPIXEL_NO_EDGE : CTR_SUBPIXEL_FRAME);
  }
  const Crossing row = cross (p, what, at, sx, 0), column = cross (p, what, at, 0, sy);
  if (row.found && column.found)
    return at_level (
        what, at.x + sx * row.t / 2, at.y + sy * column.t / 2, (row.gx + column.gx) / 2, (row.gy + column.gy) / 2);
  if (row.found)
    return at_level (what, at.x + sx * row.t, at.y, row.gx, row.gy);
  if (column.found)
    return at_level (what, at.x, at.y + sy * column.t, column.gx, column.gy);
  if (!is_inside (p, at.x + sx, at.y) || !is_inside (p, at.x, at.y + sy))
    return keep (at, CTR_SUBPIXEL_FRAME);
  const Crossing corner = cross (p, what, at, sx, sy);
  if (corner.found)
    return at_level (what, at.x + sx * corner.t, at.y + sy * corner.t, corner.gx, corner.gy);
  return keep (at, CTR_SUBPIXEL_NO_EDGE);
}

/* The derivatives at a pixel; H: that which is zero at the edge, divided by the gradient along the axis, positive where the
 * gradient grows along the axis. */
typedef struct {
  double x, y, xx, xy, yy;
  double along, h;
} Derivatives;

static Derivatives
derive (const SubpixelPicture *p, const Weights *w, int x, int y, int ax, int ay)
{
  Derivatives d = {derivative (p, w, x, y, 1, 0), derivative (p, w, x, y, 0, 1), derivative (p, w, x, y, 2, 0),
      derivative (p, w, x, y, 1, 1), derivative (p, w, x, y, 0, 2), 0, 0};
  const double square = d.x * d.x + d.y * d.y;
  d.along = d.x * ax + d.y * ay;
  const double normal = (d.x * d.x * d.xx + 2 * d.x * d.y * d.xy + d.y * d.y * d.yy) / square;
  d.h = (normal + d.xx + d.yy) / d.along;
  return d;
}

/* A component of the gradient between two pixels: quadratic, from its values and their derivatives along the axis. */
static double
between (double t, double a, double b, double a1, double b1)
{
  return (1 - t) * a + t * b - t * (1 - t) / 2 * (b1 - a1);
}

/* The edge on the axis (AX, AY) that is nearest to MIDDLE; FOUND if there is none. */
static SubpixelExpected
search (
    const SubpixelPicture *p, const SubpixelCase *what, Place at, int ax, int ay, double middle, SubpixelExpected found)
{
  const Weights w = weights_of (what->sigma);
  double nearest = INFINITY, contrast = 0;
  for (int k = -2; k <= 2; k++)
    contrast = fmax (contrast, fabs (sample (p, at.x + k * ax, at.y + k * ay) - sample (p, at.x, at.y)));
  for (int k = -2; k < 2; k++) {
    const int x = at.x + k * ax, y = at.y + k * ay;
    const Derivatives a = derive (p, &w, x, y, ax, ay);
    const Derivatives b = derive (p, &w, x + ax, y + ay, ax, ay);
    found.close_call = found.close_call || fabs (a.h) < MARGIN || fabs (b.h) < MARGIN
                       || fmin (fabs (a.along), fabs (b.along)) < MARGIN * contrast;
    if (!is_inside (p, x, y) || !is_inside (p, x + ax, y + ay) || sign (a.along) != sign (b.along)
        || !(a.h > 0 && b.h <= 0) || sign (a.along) * what->polarity > 0)
      continue;
    const double t = a.h / (a.h - b.h), distance = fabs (k + t - middle);
    found.close_call = found.close_call || fabs (distance - nearest) < MARGIN;
    if (distance >= nearest)
      continue;
    nearest = distance;
    const double a_x = ax ? a.xx : a.xy, b_x = ax ? b.xx : b.xy, a_y = ax ? a.xy : a.yy, b_y = ax ? b.xy : b.yy;
    const int direction = ax + ay;
    const double gx = between (t, a.x, b.x, a_x * direction, b_x * direction),
                 gy = between (t, a.y, b.y, a_y * direction, b_y * direction);
    const double outwards = sign (a.along);
    found.x = at.x + (k + t) * ax;
    found.y = at.y + (k + t) * ay;
    found.strength = hypot (gx, gy);
    found.normal = atan2 (outwards * gy, outwards * gx);
    found.flags = 0;
  }
  return found;
}

static SubpixelExpected
find_edge (const SubpixelPicture *p, const SubpixelCase *what, Place at)
{
  bool wide = at.nx * at.nx > at.ny * at.ny;
  const bool in_row = is_inside (p, at.x + sign (at.nx), at.y), in_column = is_inside (p, at.x, at.y + sign (at.ny));
  if (at.nx * at.nx == at.ny * at.ny && in_row != in_column)
    wide = in_row;
  else if (at.nx * at.nx == at.ny * at.ny)
    wide = fabs (sample (p, at.x + 1, at.y) - sample (p, at.x - 1, at.y))
           >= fabs (sample (p, at.x, at.y + 1) - sample (p, at.x, at.y - 1));
  const int ax = wide ? sign (at.nx) : 0, ay = wide ? 0 : sign (at.ny);
  if (!is_inside (p, at.x + ax, at.y + ay))
    return keep (at, CTR_SUBPIXEL_FRAME);
  return search (p, what, at, ax, ay, 0.5, keep (at, CTR_SUBPIXEL_NO_EDGE));
}

SubpixelExpected
reference_subpixel (
    const SubpixelPicture *picture, const SubpixelCase *what, const CtrPoint *points, uint32_t count, uint32_t i)
{
  const CtrPoint before = points[(i + count - 1) % count], point = points[i], after = points[(i + 1) % count];
  if (count == 1)
    return (SubpixelExpected){point.x, point.y, 0, 0, CTR_SUBPIXEL_LONE, false};
  /* Out of the steps, turned so that the background, to the right of the way, is where it points. */
  const int tx = after.x - before.x, ty = after.y - before.y;
  const bool turns_back = tx == 0 && ty == 0;
  const Place at = {point.x, point.y, turns_back ? point.x - before.x : -ty, turns_back ? point.y - before.y : tx};
  return what->method == CTR_SUBPIXEL_EDGE ? find_edge (picture, what, at) : find_level (picture, what, at);
}

SubpixelExpected
reference_edge_pixel (const SubpixelPicture *picture, double sigma, CtrPoint point)
{
  const Weights w = weights_of (sigma);
  const double gx = derivative (picture, &w, point.x, point.y, 1, 0),
               gy = derivative (picture, &w, point.x, point.y, 0, 1);
  const bool wide = fabs (gx) >= fabs (gy);
  const int ax = wide ? sign (gx) : 0, ay = wide ? 0 : sign (gy);
  /* The axis is that of the gradient, to the bright side: what is dark is the foreground. */
  const SubpixelCase what = {CTR_SUBPIXEL_EDGE, sigma, 0, -1};
  const Place at = {point.x, point.y, ax, ay};
  const bool whole = is_inside (picture, point.x - 2 * ax, point.y - 2 * ay)
                     && is_inside (picture, point.x + 2 * ax, point.y + 2 * ay);
  SubpixelExpected none = keep (at, whole ? CTR_SUBPIXEL_NO_EDGE : CTR_SUBPIXEL_FRAME);
  none.normal = atan2 (gy, gx);
  none.close_call = fabs (fabs (gx) - fabs (gy)) < MARGIN * hypot (gx, gy) || hypot (gx, gy) < MARGIN;
  return search (picture, &what, at, ax, ay, 0, none);
}

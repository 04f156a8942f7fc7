/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Points of the picture in units of the world: OpenCV's camera model and its inverse, homographies, scales. */
#include <contours/calibration.h>

#include "core/common/error.h"
#include "core/common/widest.h"

#include <float.h>
#include <math.h>

#define MAX_STEPS 100   /* of Newton's method, which needs 3 to 6 of them */
#define MAX_HALVINGS 40 /* of one step */
#define ACCURACY 1e-9   /* pixels */

enum { K1, K2, P1, P2, K3, K4, K5, K6, S1, S2, S3, S4, TAU_X, TAU_Y };

/* What the conversion of a point needs, made once for many. */
typedef struct {
  const CtrCalibration *calibration;
  bool distorts, tilts;
  double tilt[9], untilt[9]; /* of the sensor */
  double homography[9];      /* the third row is positive in front of the horizon */
} Model;

/* A point and the derivatives of its coordinates by those of the point that it comes from: dX/dx, dX/dy, dY/dx, dY/dy. */
typedef struct {
  double x, y;
  double d[4];
} Mapped;

static double
determinant3 (const double m[9])
{
  return m[0] * (m[4] * m[8] - m[5] * m[7]) - m[1] * (m[3] * m[8] - m[5] * m[6]) + m[2] * (m[3] * m[7] - m[4] * m[6]);
}

static bool
all_finite (const double *values, size_t count)
{
  for (size_t i = 0; i < count; i++)
    if (!isfinite (values[i]))
      return false;
  return true;
}

/* Rounding errors of a determinant are relative to the product of its rows' lengths. */
static bool
is_regular (const double m[9])
{
  double lengths = 1;
  for (int i = 0; i < 3; i++)
    lengths *= sqrt (m[3 * i] * m[3 * i] + m[3 * i + 1] * m[3 * i + 1] + m[3 * i + 2] * m[3 * i + 2]);
  return fabs (determinant3 (m)) > 1e-14 * lengths && isfinite (lengths);
}

bool
ctr_calibration_check (const CtrCalibration *c, CtrError *error)
{
  const double camera[] = {c->fx, c->fy, c->cx, c->cy};
  if (c->has_camera && (!all_finite (camera, 4) || !all_finite (c->distortion, 14)))
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT, "the camera has a number that is not finite");
  if (c->has_camera && (c->fx <= 0 || c->fy <= 0))
    return ctr_fail (
        error, CTR_ERROR_INVALID_ARGUMENT, "the focal lengths are %g and %g, but must be above 0", c->fx, c->fy);
  if (c->has_camera && (fabs (c->distortion[TAU_X]) >= 1.5 || fabs (c->distortion[TAU_Y]) >= 1.5))
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT,
        "the sensor is tilted by %g and %g radians, but must be by less than 1.5", c->distortion[TAU_X],
        c->distortion[TAU_Y]);
  if (c->has_homography && (!all_finite (c->homography, 9) || !is_regular (c->homography)))
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT, "the homography cannot be inverted");
  if (!isfinite (c->scale) || c->scale < 0)
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT, "the scale is %g, but must be above 0", c->scale);
  if (c->has_homography && c->scale > 0)
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT, "there are both a homography and a scale");
  if ((c->width == 0) != (c->height == 0) || c->width > CTR_MAX_SIDE || c->height > CTR_MAX_SIDE)
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT, "the pictures have %u x %u pixels, but sides must be 1 to %d",
        c->width, c->height, CTR_MAX_SIDE);
  return true;
}

bool
ctr_calibration_is_scale (const CtrCalibration *c)
{
  return !c->has_camera && !c->has_homography;
}

static double
scale_of (const CtrCalibration *c)
{
  return c->scale > 0 ? c->scale : 1;
}

static void
multiply3 (const double a[9], const double b[9], double product[9])
{
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      product[3 * i + j] = a[3 * i] * b[j] + a[3 * i + 1] * b[3 + j] + a[3 * i + 2] * b[6 + j];
}

static void
invert3 (const double m[9], double inverse[9])
{
  const double d = determinant3 (m);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      const int a = (j + 1) % 3, b = (j + 2) % 3, p = (i + 1) % 3, q = (i + 2) % 3;
      inverse[3 * i + j] = (m[3 * a + p] * m[3 * b + q] - m[3 * a + q] * m[3 * b + p]) / d;
    }
}

/* The projection onto a tilted sensor, as OpenCV's computeTiltProjectionMatrix(). */
static void
prepare_tilt (Model *model, double tau_x, double tau_y)
{
  const double cx = cos (tau_x), sx = sin (tau_x), cy = cos (tau_y), sy = sin (tau_y);
  const double about_x[9] = {1, 0, 0, 0, cx, sx, 0, -sx, cx}, about_y[9] = {cy, 0, -sy, 0, 1, 0, sy, 0, cy};
  double rotation[9];
  multiply3 (about_y, about_x, rotation);
  const double projection[9] = {rotation[8], 0, -rotation[2], 0, rotation[8], -rotation[5], 0, 0, 1};
  multiply3 (projection, rotation, model->tilt);
  invert3 (model->tilt, model->untilt);
}

/* Turns the sign of the homography so that its third row is positive on the near side of the horizon. */
static void
prepare_homography (Model *model)
{
  const CtrCalibration *c = model->calibration;
  const double *h = c->homography;
  double x = c->has_camera ? c->cx : 0, y = c->has_camera ? c->cy : 0;
  if (c->width > 0) {
    x = (c->width - 1) / 2.0;
    y = (c->height - 1) / 2.0;
  }
  const double sign = h[6] * x + h[7] * y + h[8] < 0 ? -1 : 1;
  for (int i = 0; i < 9; i++)
    model->homography[i] = sign * h[i];
}

static Model
prepare (const CtrCalibration *c)
{
  Model model = {.calibration = c};
  for (int i = 0; c->has_camera && i < 14; i++)
    model.distorts |= c->distortion[i] != 0;
  model.tilts = c->has_camera && (c->distortion[TAU_X] != 0 || c->distortion[TAU_Y] != 0);
  if (model.tilts)
    prepare_tilt (&model, c->distortion[TAU_X], c->distortion[TAU_Y]);
  if (c->has_homography)
    prepare_homography (&model);
  return model;
}

/* Applies M to a point. False if it is mapped to infinity or behind it. */
static bool
map_projective (const double m[9], double x, double y, Mapped *to)
{
  const double w = m[6] * x + m[7] * y + m[8];
  to->x = (m[0] * x + m[1] * y + m[2]) / w;
  to->y = (m[3] * x + m[4] * y + m[5]) / w;
  to->d[0] = (m[0] - m[6] * to->x) / w;
  to->d[1] = (m[1] - m[7] * to->x) / w;
  to->d[2] = (m[3] - m[6] * to->y) / w;
  to->d[3] = (m[4] - m[7] * to->y) / w;
  return w > 0 && isfinite (to->x) && isfinite (to->y);
}

/* Distorts a point in units of the focal length, without the tilt. False outside the part around the centre in which the
 * model does not fold: there the radial factor and the determinant of the derivatives are positive. */
static bool
distort (const double k[14], double x, double y, Mapped *to)
{
  const double xx = x * x, yy = y * y, xy = x * y, r2 = xx + yy, r4 = r2 * r2, r6 = r4 * r2;
  const double above = 1 + k[K1] * r2 + k[K2] * r4 + k[K3] * r6, below = 1 + k[K4] * r2 + k[K5] * r4 + k[K6] * r6;
  const double radial = above / below;
  /* The derivative of the radial factor by r2. */
  const double slope =
      (k[K1] + 2 * k[K2] * r2 + 3 * k[K3] * r4 - radial * (k[K4] + 2 * k[K5] * r2 + 3 * k[K6] * r4)) / below;
  to->x = x * radial + 2 * k[P1] * xy + k[P2] * (r2 + 2 * xx) + k[S1] * r2 + k[S2] * r4;
  to->y = y * radial + k[P1] * (r2 + 2 * yy) + 2 * k[P2] * xy + k[S3] * r2 + k[S4] * r4;
  const double prism_x = k[S1] + 2 * k[S2] * r2, prism_y = k[S3] + 2 * k[S4] * r2; /* derivatives by r2 */
  to->d[0] = radial + 2 * xx * slope + 2 * k[P1] * y + 6 * k[P2] * x + 2 * x * prism_x;
  to->d[1] = 2 * xy * slope + 2 * k[P1] * x + 2 * k[P2] * y + 2 * y * prism_x;
  to->d[2] = 2 * xy * slope + 2 * k[P1] * x + 2 * k[P2] * y + 2 * x * prism_y;
  to->d[3] = radial + 2 * yy * slope + 6 * k[P1] * y + 2 * k[P2] * x + 2 * y * prism_y;
  return below > 0 && radial > 0 && to->d[0] * to->d[3] - to->d[1] * to->d[2] > 0 && isfinite (to->x)
         && isfinite (to->y);
}

/* Finds the point that distort() maps to X, Y, as far as TOLERANCE, and the derivatives there. */
static bool
undistort (const double k[14], double x, double y, double tolerance, double *ux, double *uy, Mapped *at)
{
  double px = x, py = y;
  int halvings = 0;
  /* The centre is where the model does not fold. */
  while (!distort (k, px, py, at)) {
    if (++halvings > MAX_HALVINGS)
      return false;
    px /= 2;
    py /= 2;
  }
  double error = hypot (at->x - x, at->y - y);
  tolerance += 8 * DBL_EPSILON * hypot (x, y); /* below it there are rounding errors alone */
  for (int steps = 0; error > tolerance; steps++) {
    const double determinant = at->d[0] * at->d[3] - at->d[1] * at->d[2], ex = x - at->x, ey = y - at->y;
    const double dx = (at->d[3] * ex - at->d[1] * ey) / determinant;
    const double dy = (at->d[0] * ey - at->d[2] * ex) / determinant;
    double length = 1;
    Mapped next;
    if (steps == MAX_STEPS)
      return false;
    /* A step must stay on this side of the fold, and come nearer. */
    for (halvings = 0;; halvings++, length /= 2) {
      if (halvings > MAX_HALVINGS)
        return false;
      if (distort (k, px + length * dx, py + length * dy, &next) && hypot (next.x - x, next.y - y) < error)
        break;
    }
    px += length * dx;
    py += length * dy;
    *at = next;
    error = hypot (at->x - x, at->y - y);
  }
  *ux = px;
  *uy = py;
  return true;
}

/* PRODUCT = A B, of 2 x 2 matrices. */
static void
multiply2 (const double a[4], const double b[4], double product[4])
{
  const double p[4] = {
      a[0] * b[0] + a[1] * b[2], a[0] * b[1] + a[1] * b[3], a[2] * b[0] + a[3] * b[2], a[2] * b[1] + a[3] * b[3]};
  for (int i = 0; i < 4; i++)
    product[i] = p[i];
}

/* Undistorts X, Y. TO has the derivatives by X and Y. */
static bool
to_undistorted (const Model *model, double x, double y, Mapped *to)
{
  const CtrCalibration *c = model->calibration;
  *to = (Mapped){x, y, {1, 0, 0, 1}};
  if (!model->distorts)
    return isfinite (x) && isfinite (y);
  /* Derivatives in pixels: those by focal lengths, which are scaled at the end. */
  Mapped flat = {(x - c->cx) / c->fx, (y - c->cy) / c->fy, {1, 0, 0, 1}}, at;
  if (model->tilts && !map_projective (model->untilt, flat.x, flat.y, &flat))
    return false;
  if (!undistort (c->distortion, flat.x, flat.y, ACCURACY / 2 / fmax (c->fx, c->fy), &to->x, &to->y, &at))
    return false;
  const double determinant = at.d[0] * at.d[3] - at.d[1] * at.d[2];
  const double inverse[4] = {
      at.d[3] / determinant, -at.d[1] / determinant, -at.d[2] / determinant, at.d[0] / determinant};
  multiply2 (inverse, flat.d, to->d);
  to->d[1] *= c->fx / c->fy;
  to->d[2] *= c->fy / c->fx;
  to->x = to->x * c->fx + c->cx;
  to->y = to->y * c->fy + c->cy;
  return true;
}

static bool
to_world (const Model *model, double x, double y, Mapped *to)
{
  Mapped undistorted;
  bool ok = to_undistorted (model, x, y, &undistorted);
  if (model->calibration->has_homography) {
    ok = ok && map_projective (model->homography, undistorted.x, undistorted.y, to);
    if (ok)
      multiply2 (to->d, undistorted.d, to->d);
  } else {
    const double scale = scale_of (model->calibration);
    to->x = undistorted.x * scale;
    to->y = undistorted.y * scale;
    for (int i = 0; i < 4; i++)
      to->d[i] = undistorted.d[i] * scale;
  }
  if (!ok)
    *to = (Mapped){NAN, NAN, {NAN, NAN, NAN, NAN}};
  return ok;
}

bool
ctr_calibration_point (const CtrCalibration *calibration, double x, double y, double *world_x, double *world_y)
{
  const Model model = prepare (calibration);
  Mapped to;
  const bool ok = to_world (&model, x, y, &to);
  *world_x = to.x;
  *world_y = to.y;
  return ok;
}

/* ctr_calibration_points() without a lens: what to_world() does with each point, but for the derivatives, in loops that compilers
 * make vectors of. Return how many points have a place. */
WIDEST static size_t
scale_points (double scale, const double *points, size_t count, double *world)
{
  size_t defined = 0;
  for (size_t i = 0; i < count; i++) {
    const double x = points[2 * i], y = points[2 * i + 1];
    const bool ok = fabs (x) <= DBL_MAX && fabs (y) <= DBL_MAX;
    world[2 * i] = ok ? x * scale : NAN;
    world[2 * i + 1] = ok ? y * scale : NAN;
    defined += ok;
  }
  return defined;
}

#define BLOCK 64 /* points whose coordinates are apart, as vectors need them */

WIDEST static size_t
map_points (const double h[9], const double *points, size_t count, double *world)
{
  size_t defined = 0;
  for (size_t first = 0; first < count; first += BLOCK) {
    const size_t n = count - first < BLOCK ? count - first : BLOCK;
    double x[BLOCK], y[BLOCK];
    uint64_t ok[BLOCK];
    for (size_t i = 0; i < n; i++) {
      x[i] = points[2 * (first + i)];
      y[i] = points[2 * (first + i) + 1];
    }
    for (size_t i = 0; i < n; i++) {
      const double w = h[6] * x[i] + h[7] * y[i] + h[8];
      const double to_x = (h[0] * x[i] + h[1] * y[i] + h[2]) / w, to_y = (h[3] * x[i] + h[4] * y[i] + h[5]) / w;
      ok[i] = (w > 0) & (fabs (x[i]) <= DBL_MAX) & (fabs (y[i]) <= DBL_MAX) & (fabs (to_x) <= DBL_MAX)
              & (fabs (to_y) <= DBL_MAX);
      x[i] = ok[i] ? to_x : NAN;
      y[i] = ok[i] ? to_y : NAN;
    }
    for (size_t i = 0; i < n; i++) {
      world[2 * (first + i)] = x[i];
      world[2 * (first + i) + 1] = y[i];
      defined += ok[i];
    }
  }
  return defined;
}

size_t
ctr_calibration_points (const CtrCalibration *calibration, const double *points, size_t count, double *world)
{
  const Model model = prepare (calibration);
  size_t undefined = 0;
  if (!model.distorts)
    return count
           - (calibration->has_homography ? map_points (model.homography, points, count, world)
                                          : scale_points (scale_of (calibration), points, count, world));
  for (size_t i = 0; i < count; i++) {
    Mapped to;
    undefined += !to_world (&model, points[2 * i], points[2 * i + 1], &to);
    world[2 * i] = to.x;
    world[2 * i + 1] = to.y;
  }
  return undefined;
}

bool
ctr_calibration_jacobian (const CtrCalibration *calibration, double x, double y, double jacobian[4])
{
  const Model model = prepare (calibration);
  Mapped to;
  const bool ok = to_world (&model, x, y, &to);
  for (int i = 0; i < 4; i++)
    jacobian[i] = to.d[i];
  return ok;
}

bool
ctr_calibration_project (const CtrCalibration *c, double world_x, double world_y, double *x, double *y)
{
  const Model model = prepare (c);
  Mapped at = {world_x / scale_of (c), world_y / scale_of (c), {0}}, to;
  bool ok = isfinite (world_x) && isfinite (world_y);
  if (c->has_homography) {
    double inverse[9];
    invert3 (model.homography, inverse);
    map_projective (inverse, world_x, world_y, &at);
    /* The sign of the inverse's third row may be the other one; what counts is that of the homography at the result. */
    ok = ok && map_projective (model.homography, at.x, at.y, &to);
  }
  if (ok && model.distorts) {
    ok = distort (c->distortion, (at.x - c->cx) / c->fx, (at.y - c->cy) / c->fy, &to)
         && (!model.tilts || map_projective (model.tilt, to.x, to.y, &to));
    at.x = to.x * c->fx + c->cx;
    at.y = to.y * c->fy + c->cy;
  }
  *x = ok ? at.x : NAN;
  *y = ok ? at.y : NAN;
  return ok;
}

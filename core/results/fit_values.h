/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Line, circle and ellipse that fit the pixels along a contour best, from exact sums, for both backends: see shape_values.h. Internal.
 *
 * The line has the least sum of squared distances (Pearson). The circle has the least sum of (d^2 - r^2)^2, d being a pixel's distance
 * from its centre (Kåsa: "A circle fitting procedure and its error analysis"). The ellipse has the least sum of squared values of its
 * equation, under the constraint 4 a c - b^2 = 1 (Fitzgibbon, Pilu, Fisher: "Direct least square fitting of ellipses"; the constraint
 * is solved as a symmetric problem, in the manner of Halir and Flusser). */
#ifndef CTR_CORE_RESULTS_FIT_VALUES_H
#define CTR_CORE_RESULTS_FIT_VALUES_H

#include "core/results/fits.h"

CTR_BEGIN_DECLS

/* The pixels about their mean. */
typedef struct {
  double x, y;
  double xx, xy, yy; /* covariances */
} CtrFitPixels;

CTR_SHAPE_RULE CtrFitPixels
ctr_fit_pixels (const CtrContourFits *fits)
{
  const double n = ctr_signed128_to_double (ctr_fit_sum (fits, 0, 0));
  const CtrFitPixels pixels = {ctr_signed128_to_double (ctr_fit_sum (fits, 1, 0)) / n,
      ctr_signed128_to_double (ctr_fit_sum (fits, 0, 1)) / n, ctr_fit_covariance (fits, 2, 0),
      ctr_fit_covariance (fits, 1, 1), ctr_fit_covariance (fits, 0, 2)};
  return pixels;
}

/* Means of powers of the pixels' distances from their mean, MEANS[a][b] for x^a y^b. */
CTR_SHAPE_RULE void
ctr_fit_means (const CtrContour *row, const CtrContourFits *fits, CtrFitPixels pixels, double means[5][5])
{
  const int32_t cx = row->left + (row->width - 1) / 2, cy = row->top + (row->height - 1) / 2;
  const double dx = cx - pixels.x, dy = cy - pixels.y;
  double about[5][5];
  for (int a = 0; a <= 4; a++)
    for (int b = 0; a + b <= 4; b++)
      about[a][b] = ctr_fit_mean (fits, a, b, cx, cy);
  for (int a = 0; a <= 4; a++)
    for (int b = 0; a + b <= 4; b++) {
      double of_x = 1, sum = 0;
      for (int i = a; i >= 0; i--) {
        double of_y = 1;
        for (int k = b; k >= 0; k--) {
          sum += (double) (ctr_fit_binomial (a, i) * ctr_fit_binomial (b, k)) * of_x * of_y * about[i][k];
          of_y *= dy;
        }
        of_x *= dx;
      }
      means[a][b] = sum;
    }
  means[1][0] = means[0][1] = 0;
  means[2][0] = pixels.xx;
  means[1][1] = pixels.xy;
  means[0][2] = pixels.yy;
}

CTR_SHAPE_RULE void
ctr_fit_set_line (CtrFitPixels p, CtrContourShapeValues *v)
{
  const double mean = (p.xx + p.yy) / 2, half = (p.xx - p.yy) / 2, along = mean + sqrt (half * half + p.xy * p.xy);
  const double across = along > 0 ? (p.xx * p.yy - p.xy * p.xy) / along : 0;
  v->line_x = p.x;
  v->line_y = p.y;
  v->line_deviation = sqrt (across > 0 ? across : 0);
}

CTR_SHAPE_RULE void
ctr_fit_set_circle (CtrFitPixels p, double m[5][5], CtrContourShapeValues *v)
{
  const double det = p.xx * p.yy - p.xy * p.xy, xz = m[3][0] + m[1][2], yz = m[2][1] + m[0][3], z = p.xx + p.yy;
  if (!(det > 0))
    return;
  const double x = (xz * p.yy - yz * p.xy) / (2 * det), y = (yz * p.xx - xz * p.xy) / (2 * det);
  const double radius2 = x * x + y * y + z, zz = m[4][0] + 2 * m[2][2] + m[0][4];
  const double residual = zz + 4 * (x * x * p.xx + 2 * x * y * p.xy + y * y * p.yy) - z * z - 4 * (x * xz + y * yz);
  v->fit_circle_x = p.x + x;
  v->fit_circle_y = p.y + y;
  v->fit_circle_radius = sqrt (radius2);
  v->fit_circle_deviation = sqrt (residual > 0 ? residual : 0) / (2 * v->fit_circle_radius);
}

/* The eigenvectors of the symmetric matrix A become the rows of VECTORS, its eigenvalues the diagonal of A (Jacobi). */
CTR_SHAPE_RULE void
ctr_fit_eigen (double a[3][3], double vectors[3][3])
{
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++)
      vectors[i][k] = i == k;
  for (int round = 0; round < 24; round++) {
    const int p = round % 3 == 2, q = round % 3 == 0 ? 1 : 2;
    if (a[p][q] == 0)
      continue;
    const double theta = (a[q][q] - a[p][p]) / (2 * a[p][q]), size = theta < 0 ? -theta : theta;
    const double t = (theta < 0 ? -1 : 1) / (size + sqrt (theta * theta + 1)), c = 1 / sqrt (t * t + 1), s = t * c;
    for (int k = 0; k < 3; k++) {
      const double x = a[k][p], y = a[k][q];
      a[k][p] = c * x - s * y;
      a[k][q] = s * x + c * y;
    }
    for (int k = 0; k < 3; k++) {
      const double x = a[p][k], y = a[q][k];
      a[p][k] = c * x - s * y;
      a[q][k] = s * x + c * y;
    }
    a[p][q] = a[q][p] = 0;
    for (int k = 0; k < 3; k++) {
      const double x = vectors[p][k], y = vectors[q][k];
      vectors[p][k] = c * x - s * y;
      vectors[q][k] = s * x + c * y;
    }
  }
}

/* a x^2 + b x y + c y^2 + d x + e y + f = 0, with lengths divided by SCALE, about the mean of the pixels. */
typedef struct {
  double a, b, c, d, e, f, scale;
} CtrFitConic;

/* An eigenvalue below this share of the greatest one is 0 but for rounding. */
#define CTR_FIT_ROUNDING 1e-12

/* A conic on which all pixels are is an ellipse if 4 a c - b^2 is greater, for a^2 + b^2 + c^2 = 1; not a parabola, or two lines. */
#define CTR_FIT_FLAT 1e-6

/* The best ellipse. False if none is best. */
CTR_SHAPE_RULE bool
ctr_fit_conic (CtrFitPixels p, double m[5][5], CtrFitConic *conic)
{
  const double size2 = p.xx + p.yy, scale = sqrt (size2), det = (p.xx * p.yy - p.xy * p.xy) / size2 / size2;
  if (!(det > CTR_FIT_ROUNDING))
    return false;
  const double xx = p.xx / size2, xy = p.xy / size2, yy = p.yy / size2;
  double s1[3][3], s2[3][3], t[3][3], n[3][3], vectors[3][3], others[3][3];
  /* Scatter matrices of (x^2, x y, y^2), with (x, y, 1) in s2; T: the latter for given ones of the former. */
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < 3; k++)
      s1[i][k] = m[4 - i - k][i + k] / size2 / size2;
    s2[i][0] = m[3 - i][i] / size2 / scale;
    s2[i][1] = m[2 - i][1 + i] / size2 / scale;
    s2[i][2] = m[2 - i][i] / size2;
    t[0][i] = (s2[i][1] * xy - s2[i][0] * yy) / det;
    t[1][i] = (s2[i][0] * xy - s2[i][1] * xx) / det;
    t[2][i] = -s2[i][2];
  }
  for (int i = 0; i < 3; i++)
    for (int k = i; k < 3; k++)
      s1[i][k] = s1[k][i] = s1[i][k] + s2[i][0] * t[0][k] + s2[i][1] * t[1][k] + s2[i][2] * t[2][k];
  ctr_fit_eigen (s1, vectors);
  double greatest = 0, roots[3], of[3] = {0, 0, 0};
  int vanishing = 0, exact = 0;
  for (int i = 0; i < 3; i++)
    greatest = s1[i][i] > greatest ? s1[i][i] : greatest;
  for (int i = 0; i < 3; i++) {
    const bool vanishes = s1[i][i] <= greatest * CTR_FIT_ROUNDING;
    vanishing += vanishes;
    exact = vanishes ? i : exact;
    roots[i] = vanishes ? 1 : sqrt (s1[i][i]);
  }
  if (!(greatest > 0) || vanishing > 1)
    return false;
  if (vanishing == 1) { /* All pixels are on one conic. */
    for (int k = 0; k < 3; k++)
      of[k] = vectors[exact][k];
    if (4 * of[0] * of[2] - of[1] * of[1] <= CTR_FIT_FLAT)
      return false;
  } else {
    for (int i = 0; i < 3; i++)
      for (int k = 0; k < 3; k++)
        n[i][k] = (2 * (vectors[i][0] * vectors[k][2] + vectors[i][2] * vectors[k][0]) - vectors[i][1] * vectors[k][1])
                  / roots[i] / roots[k];
    ctr_fit_eigen (n, others);
    const int best = n[0][0] > n[1][1] ? (n[0][0] > n[2][2] ? 0 : 2) : (n[1][1] > n[2][2] ? 1 : 2);
    for (int i = 0; i < 3; i++)
      for (int k = 0; k < 3; k++)
        of[k] += others[best][i] / roots[i] * vectors[i][k];
  }
  const double sign = of[0] + of[2] < 0 ? -1 : 1;
  for (int k = 0; k < 3; k++)
    of[k] *= sign;
  conic->a = of[0];
  conic->b = of[1];
  conic->c = of[2];
  conic->d = t[0][0] * of[0] + t[0][1] * of[1] + t[0][2] * of[2];
  conic->e = t[1][0] * of[0] + t[1][1] * of[1] + t[1][2] * of[2];
  conic->f = t[2][0] * of[0] + t[2][1] * of[1] + t[2][2] * of[2];
  conic->scale = scale;
  return 4 * conic->a * conic->c - conic->b * conic->b > 0;
}

CTR_SHAPE_RULE void
ctr_fit_set_ellipse (CtrFitPixels p, double m[5][5], CtrContourShapeValues *v)
{
  CtrFitConic k;
  if (!ctr_fit_conic (p, m, &k))
    return;
  const double four = 4 * k.a * k.c - k.b * k.b, x = (k.b * k.e - 2 * k.c * k.d) / four,
               y = (k.b * k.d - 2 * k.a * k.e) / four, inside = -(k.f + (k.d * x + k.e * y) / 2);
  const double spread = sqrt ((k.a - k.c) * (k.a - k.c) + k.b * k.b), greater = (k.a + k.c + spread) / 2,
               less = four / (4 * greater);
  if (!(inside > 0))
    return;
  v->ellipse_x = p.x + x * k.scale;
  v->ellipse_y = p.y + y * k.scale;
  v->ellipse_major = sqrt (inside / (less < greater ? less : greater)) * k.scale;
  v->ellipse_minor = sqrt (inside / greater) * k.scale;
}

/* All numbers but angles. */
CTR_SHAPE_RULE void
ctr_fit_set_values (const CtrContour *row, const CtrContourFits *fits, CtrContourShapeValues *v)
{
  const CtrFitPixels pixels = ctr_fit_pixels (fits);
  double means[5][5];
  ctr_fit_means (row, fits, pixels, means);
  ctr_fit_set_line (pixels, v);
  ctr_fit_set_circle (pixels, means, v);
  ctr_fit_set_ellipse (pixels, means, v);
}

CTR_END_DECLS

#endif

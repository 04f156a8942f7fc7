/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Moments from exact sums, for both backends: see shape_values.h. Internal. */
#ifndef CTR_CORE_RESULTS_CONTOUR_MOMENTS_H
#define CTR_CORE_RESULTS_CONTOUR_MOMENTS_H

#include "core/results/exact.h"

#include <contours/contourlist.h>

CTR_BEGIN_DECLS

CTR_SHAPE_RULE double
ctr_moments_sum (const uint64_t words[2])
{
  return ctr_signed128_to_double ((CtrSigned128) ((CtrUnsigned128) words[1] << 64 | words[0]));
}

/* Derives central moments from spatial ones, in the order of OpenCV's operations. */
CTR_SHAPE_RULE void
ctr_moments_complete (CtrContourMoments *moments)
{
  const double *m = moments->m;
  double *mu = moments->mu;
  const double inverse = 1. / m[0], cx = m[1] * inverse, cy = m[2] * inverse;
  mu[0] = m[3] - m[1] * cx;
  mu[1] = m[4] - m[1] * cy;
  mu[2] = m[5] - m[2] * cy;
  const double twice_mu11 = mu[1] + mu[1];
  mu[3] = m[6] - cx * (3 * mu[0] + cx * m[1]);
  mu[4] = m[7] - cx * (twice_mu11 + cx * m[2]) - cy * mu[0];
  mu[5] = m[8] - cy * (twice_mu11 + cy * m[1]) - cx * mu[2];
  mu[6] = m[9] - cy * (3 * mu[2] + cy * m[2]);
  const double second = inverse * inverse, third = second * sqrt (fabs (inverse));
  for (int i = 0; i < 7; i++)
    moments->nu[i] = mu[i] * (i < 3 ? second : third);
}

/* See ctr_contour_moments(). */
CTR_SHAPE_RULE void
ctr_moments_of (const CtrContourSums *sums, CtrContourMoments *moments)
{
  const double divisors[10] = {2, 6, 6, 12, 24, 12, 20, 60, 60, 20};
  const double a00 = ctr_moments_sum (sums->words[0]);
  for (int i = 0; i < 10; i++)
    moments->m[i] = 0;
  for (int i = 0; i < 7; i++)
    moments->mu[i] = moments->nu[i] = 0;
  if (a00 == 0)
    return;
  /* The moments of the enclosed area do not depend on the orientation of the contour. */
  const double sign = a00 > 0 ? 1 : -1;
  for (int i = 0; i < 10; i++)
    moments->m[i] = ctr_moments_sum (sums->words[i]) * sign / divisors[i];
  ctr_moments_complete (moments);
}

CTR_END_DECLS

#endif

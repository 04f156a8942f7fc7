/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Thresholds of Canny that are derived from an image, for both backends. Internal. */
#ifndef CTR_CORE_CANNY_THRESHOLDS_H
#define CTR_CORE_CANNY_THRESHOLDS_H

#include "core/canny/canny.h"
#include "core/common/otsu.h"

/* Are the thresholds derived from the histogram? */
CTR_CANNY_FUNC bool
ctr_canny_is_automatic (CtrCannyThresholdMode mode)
{
  return mode == CTR_CANNY_OTSU || mode == CTR_CANNY_MEDIAN;
}

/* The level that automatic thresholds are derived from: OpenCV's Otsu threshold of a HISTOGRAM of 256 levels, or its
 * median, the lowest level with at least half of the PIXELS at or below it. */
CTR_CANNY_FUNC uint32_t
ctr_canny_level (CtrCannyThresholdMode mode, const uint32_t *histogram, uint64_t pixels)
{
  if (mode == CTR_CANNY_MEDIAN) {
    uint64_t below = histogram[0];
    uint32_t level = 0;
    while (2 * below < pixels)
      below += histogram[++level];
    return level;
  }
  uint64_t sum = 0;
  for (uint32_t i = 0; i < 256; i++)
    sum += (uint64_t) i * histogram[i];
  CtrOtsu otsu;
  ctr_otsu_init (&otsu, pixels, sum);
  for (uint32_t i = 0; i < 256; i++)
    if (histogram[i])
      ctr_otsu_add (&otsu, i, histogram[i]);
  return ctr_otsu_threshold (&otsu) - 1;
}

/* The automatic thresholds for a LEVEL from ctr_canny_level(). UNIT_SHIFT: a level is 2^UNIT_SHIFT units of the samples
 * that are analysed. */
CTR_CANNY_FUNC CtrCannyLimits
ctr_canny_auto_limits (
    CtrCannyThresholdMode mode, uint32_t aperture, bool l2_gradient, uint32_t unit_shift, uint32_t level)
{
  /* In hundredths; 160 / 16 for aperture 7. */
  const uint64_t gain = (uint64_t) (aperture == 3 ? 1 : aperture == 5 ? 12 : 10) << unit_shift;
  const uint64_t low_share = mode == CTR_CANNY_OTSU ? 50 : 67, high_share = mode == CTR_CANNY_OTSU ? 100 : 133;
  const uint64_t low_100 = low_share * level * gain;
  uint64_t high_100 = high_share * level;
  if (high_100 > 25500)
    high_100 = 25500;
  high_100 *= gain;
  CtrCannyLimits limits;
  limits.low = (int64_t) (l2_gradient ? low_100 * low_100 / 10000 : low_100 / 100);
  limits.high = (int64_t) (l2_gradient ? high_100 * high_100 / 10000 : high_100 / 100);
  limits.greatest = 0;
  return limits;
}

/* SHARE / CTR_CANNY_SHARES of the magnitude m GREATEST, or of its square root where m is a square, rounded down. */
CTR_CANNY_FUNC int64_t
ctr_canny_share_of (uint32_t share, bool l2_gradient, int64_t greatest)
{
  const uint64_t unit = CTR_CANNY_SHARES, m = (uint64_t) greatest, s = share;
  if (!l2_gradient)
    return (int64_t) (s * m / unit);
  /* floor (s^2 m / unit^2), with no product above 2^63: m is below 2^46. */
  return (int64_t) ((s * s * (m / unit) + s * s * (m % unit) / unit) / unit);
}

CTR_CANNY_FUNC CtrCannyLimits
ctr_canny_relative_limits (uint32_t low_share, uint32_t high_share, bool l2_gradient, int64_t greatest)
{
  CtrCannyLimits limits;
  limits.low = ctr_canny_share_of (low_share, l2_gradient, greatest);
  limits.high = ctr_canny_share_of (high_share, l2_gradient, greatest);
  limits.greatest = greatest;
  return limits;
}

#endif

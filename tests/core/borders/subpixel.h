/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Helpers that the tests of subpixels share. */
#ifndef CTR_TESTS_BORDERS_SUBPIXEL_H
#define CTR_TESTS_BORDERS_SUBPIXEL_H

#include "tests/core/borders/smooth.h"
#include "tests/core/borders/testing.h"

static inline CtrBordersParams
params_with (CtrSubpixel method, double sigma, uint32_t threshold)
{
  CtrBordersParams params = borders_params_of (CTR_RETRIEVE_LIST, CTR_APPROXIMATION_NONE, threshold, false);
  params.subpixel = method;
  params.subpixel_sigma = sigma;
  return params;
}

static inline const CtrSubpixelPoint *
subpixels_of (CtrContours *contours)
{
  const CtrSubpixelPoint *points = ctr_contours_map_subpixel (contours, NULL);
  CHECK (points && contours->features & CTR_CONTOUR_FEATURE_SUBPIXEL);
  return points;
}

#endif

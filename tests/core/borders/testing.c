/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/core/borders/testing.h"

#include "tests/core/borders/reference.h"
#include "tests/core/results/simplify_reference.h"

CtrBordersParams
borders_params_of (CtrRetrieval mode, CtrApproximation approximation, uint32_t threshold, bool invert)
{
  CtrBordersParams params;
  ctr_borders_params_init (&params);
  params.mode = mode;
  params.approximation = approximation;
  params.foreground.threshold = threshold;
  params.foreground.invert = invert;
  return params;
}

void
borders_params_set_mode (CtrBordersParams *params, CtrRetrieval mode)
{
  params->mode = mode;
  if (mode < CTR_RETRIEVE_CCOMP)
    params->features &= ~(uint32_t) CTR_CONTOUR_FEATURE_HOLES;
}

CtrBordersParams
random_borders_params (Random *random, uint32_t threshold, bool invert)
{
  CtrBordersParams params =
      borders_params_of (random_below (random, 4), 1 + random_below (random, 2), threshold, invert);
  Random other = {~random->state}; /* The numbers that follow stay those without a connectivity. */
  params.connectivity = random_below (&other, 2) ? CTR_CONNECTIVITY_4 : CTR_CONNECTIVITY_8;
  if (random_below (random, 2))
    params.features = CTR_CONTOUR_FEATURE_MOMENTS;
  const uint32_t shape = random_below (&other, 4);
  if (shape < 2)
    params.features |= (shape == 0 ? UINT32_MAX : (uint32_t) random_next (&other))
                       & (CTR_CONTOUR_SHAPE_FEATURES | CTR_CONTOUR_FEATURE_FITS);
  params.feret_angle = random_below (&other, 2) ? random_below (&other, 4000) / 7.0 - 180 : 0;
  borders_params_set_mode (&params, params.mode);
  if (random_below (random, 3) == 0)
    params.epsilon = random_epsilon (random);
  if (random_below (random, 3) == 0)
    params.min_area = random_below (random, 40) / 4.0;
  if (random_below (random, 4) == 0)
    params.max_area = params.min_area + random_below (random, 200) / 4.0;
  if (random_below (random, 4) == 0)
    params.min_length = random_below (random, 5) ? random_below (random, 100) / (random_below (random, 2) ? 1.5 : 7.0)
                                                 : 4 * 1.41421354f;
  if (random_below (random, 4) == 0)
    params.min_width = random_below (random, 9);
  if (random_below (random, 4) == 0)
    params.min_height = random_below (random, 9);
  return params;
}

void
describe_borders (const char *name, const CtrImage *image, const CtrBordersParams *params)
{
  describe (
      "%s, %u x %u, format %d, threshold %u%s, %d-connected, mode %d, approximation %d, epsilon %.17g, areas %g to %g, "
      "length %g, at least %u x %u, features %u, Feret angle %.17g",
      name, image->width, image->height, image->format, params->foreground.threshold,
      params->foreground.invert ? " inverted" : "", params->connectivity, params->mode, params->approximation,
      params->epsilon, params->min_area, params->max_area, params->min_length, params->min_width, params->min_height,
      params->features, params->feret_angle);
}

CtrBorders *
follower_new (const Setup *setup)
{
  CtrError error;
  CtrBorders *borders = ctr_borders_new (setup->backend, &error);
  if (!borders)
    fail (__FILE__, __LINE__, error.message);
  return borders;
}

CtrContours *
follow_borders (CtrBorders *borders, const Setup *setup, const CtrImage *image, const CtrBordersParams *params)
{
  CtrError error;
  CtrContours *contours = ctr_borders_run (borders, image, params, setup->stream, &error);
  if (!contours)
    fail (__FILE__, __LINE__, error.message);
  return contours;
}

void
check_borders (CtrBorders *borders, const Setup *setup, const CtrImage *image, const CtrBordersParams *params)
{
  Contours expected = reference_borders (image, params);
  CtrContours *contours = follow_borders (borders, setup, image, params);
  const Contours actual = contours_of (contours);
  check_contours_equal (&expected, &actual);
  ctr_contours_unref (contours);
  reference_contours_free (&expected);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/core/cracks/testing.h"

#include "tests/core/cracks/reference.h"

CtrCracksParams
cracks_params_of (CtrLevelMode mode, CtrConnectivity connectivity, CtrImageBorder frame)
{
  CtrCracksParams params;
  ctr_cracks_params_init (&params);
  params.mode = mode;
  params.connectivity = connectivity;
  params.frame = frame;
  return params;
}

CtrCracksParams
random_cracks_params (Random *random)
{
  CtrCracksParams params =
      cracks_params_of (random_below (random, 2), 4 + 4 * random_below (random, 2), random_below (random, 2));
  if (random_below (random, 2))
    params.features = CTR_CONTOUR_FEATURE_MOMENTS;
  if (random_below (random, 3) == 0)
    params.min_area = random_below (random, 40) / 4.0;
  if (random_below (random, 4) == 0)
    params.max_area = params.min_area + random_below (random, 200) / 4.0;
  if (random_below (random, 4) == 0)
    params.min_length = random_below (random, 100) / (random_below (random, 2) ? 2.0 : 7.0);
  if (params.mode == CTR_LEVELS_AT_LEAST && random_below (random, 2)) {
    params.hierarchy = CTR_HIERARCHY_LEVELS;
    if (random_below (random, 3) == 0)
      params.min_persistence = 1 + random_below (random, 60);
    if (random_below (random, 3) == 0)
      params.max_depth = random_below (random, 6);
  }
  return params;
}

void
describe_cracks (const char *name, const CtrImage *image, const CtrCracksParams *params)
{
  describe (
      "%s, %u x %u, format %d, mode %d, %d-connected, frame %d, %s of %u levels or %u to %u by %u, areas %g to %g, "
      "length %g, features %u, hierarchy %d, persistence %u, depth %u",
      name, image->width, image->height, image->format, params->mode, params->connectivity, params->frame,
      params->levels ? "list" : "no list", params->level_count, params->minimum, params->maximum, params->step,
      params->min_area, params->max_area, params->min_length, params->features, params->hierarchy,
      params->min_persistence, params->max_depth);
}

CtrCracks *
tracer_new (const Setup *setup)
{
  CtrError error;
  CtrCracks *cracks = ctr_cracks_new (setup->backend, &error);
  if (!cracks)
    fail (__FILE__, __LINE__, error.message);
  return cracks;
}

CtrContours *
trace_cracks (CtrCracks *cracks, const Setup *setup, const CtrImage *image, const CtrCracksParams *params)
{
  CtrError error;
  CtrContours *contours = ctr_cracks_run (cracks, image, params, setup->stream, &error);
  if (!contours)
    fail (__FILE__, __LINE__, error.message);
  return contours;
}

void
check_cracks (CtrCracks *cracks, const Setup *setup, const CtrImage *image, const CtrCracksParams *params)
{
  Contours expected = reference_cracks (image, params);
  CtrContours *contours = trace_cracks (cracks, setup, image, params);
  const Contours actual = contours_of (contours);
  check_contours_equal (&expected, &actual);
  ctr_contours_unref (contours);
  reference_contours_free (&expected);
}

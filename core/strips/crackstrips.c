/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/common/error.h"
#include "core/cracks/cracks.h"
#include "core/strips/contourstrips.h"

#include <string.h>

static CtrAnalyser *
open_analyser (CtrBackend backend, CtrError *error)
{
  return (CtrAnalyser *) ctr_cracks_new (backend, error);
}

static bool
check_params (const void *params, CtrError *error)
{
  const CtrCracksParams *p = params;
  return ctr_cracks_check_params (p, error)
         && ctr_strips_require ("hierarchy", p->hierarchy, CTR_HIERARCHY_PER_LEVEL, "per level",
             "a component of its lowest level may never be closed", error)
         && ctr_strips_require (
             "image border", p->frame, CTR_IMAGE_BORDER_PAD, "pad", "a web has no last row yet", error);
}

/* Level contours are analysed whole: limits come when they are joined. */
static bool
set_params (CtrStripLane *lane, const void *params, CtrError *error)
{
  const CtrCracksParams *p = params;
  lane->kind = (CtrLineKind){CTR_COORDINATES_CORNERS, CTR_APPROXIMATION_SIMPLE};
  ctr_borders_plan_init (&lane->plan, &(CtrBordersParams){.connectivity = p->connectivity,
                                          .min_area = p->min_area,
                                          .max_area = p->max_area,
                                          .min_length = p->min_length,
                                          .features = p->features});
  lane->cracks = *p;
  lane->cracks.min_area = lane->cracks.max_area = lane->cracks.min_length = 0;
  if (!p->levels)
    return true;
  if (!ctr_host_buffer_reserve (&lane->levels, p->level_count, sizeof *p->levels))
    return ctr_fail (error, CTR_ERROR_OUT_OF_MEMORY, "no host memory for %u levels", p->level_count);
  memcpy (lane->levels.data, p->levels, p->level_count * sizeof *p->levels);
  lane->cracks.levels = lane->levels.data;
  return true;
}

static bool
enqueue (CtrStripLane *lane, const CtrImage *image, void *stream, CtrError *error)
{
  return ctr_cracks_enqueue ((CtrCracks *) lane->analyser, image, &lane->cracks, stream, error);
}

static CtrContours *
finish (CtrAnalyser *analyser, CtrError *error)
{
  return ctr_cracks_finish ((CtrCracks *) analyser, error);
}

static CtrContours *
analyse (CtrAnalyser *analyser, const CtrStripLane *lane, const CtrImage *rows, CtrError *error)
{
  CtrCracksParams params = lane->cracks;
  params.max_points = 0;
  params.features = 0;
  return ctr_cracks_run ((CtrCracks *) analyser, rows, &params, NULL, error);
}

static const CtrStripsKind kind = {
    .seam_rows = 1,
    .lag = 0,
    .coordinates = CTR_COORDINATES_CORNERS,
    .open = open_analyser,
    .check_params = check_params,
    .set_params = set_params,
    .enqueue = enqueue,
    .finish = finish,
    .analyse = analyse,
};

#define STRIPS CtrCrackStrips
#define PARAMS CtrCracksParams
#define NAME(function) ctr_crack_strips_##function
#include "core/strips/strips_functions.h"

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/strips/contourstrips.h"

#include "core/common/error.h"

#include <contours/shapes.h>

/* Borders are analysed whole: limits and simplification come when they are joined. */
static CtrBordersParams
params_of_window (const CtrStripLane *lane, const CtrForeground *foreground, uint32_t features)
{
  return (CtrBordersParams){.foreground = *foreground,
      .connectivity = lane->plan.connectivity,
      .mode = CTR_RETRIEVE_LIST,
      .approximation = lane->kind.approximation,
      .features = features};
}

static CtrAnalyser *
open_analyser (CtrBackend backend, CtrError *error)
{
  return (CtrAnalyser *) ctr_borders_new (backend, error);
}

static bool
check_params (const void *params, CtrError *error)
{
  const CtrBordersParams *p = params;
  if (p && p->features & (CTR_CONTOUR_SHAPE_FEATURES | CTR_CONTOUR_FEATURE_FITS))
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT,
        "features 0x%x: contours of strips have moments, but no other shape features, as a contour may still be open",
        p->features);
  if (p && p->subpixel != CTR_SUBPIXEL_NONE)
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT,
        "subpixel %s: contours of strips have no subpixels, as the picture around their points may lie in other "
        "strips: "
        "set it to none",
        p->subpixel == CTR_SUBPIXEL_EDGE ? "edge" : "threshold");
  return ctr_borders_check_params (p, error) && ctr_select_check_strips (&p->select, error)
         && ctr_web_check_foreground (&p->foreground, error)
         && ctr_strips_require ("retrieval mode", p->mode, CTR_RETRIEVE_LIST, "list",
             "the contour around a closed one may still be open", error);
}

static bool
set_params (CtrStripLane *lane, const void *params, CtrError *error)
{
  const CtrBordersParams *p = params;
  lane->kind = (CtrLineKind){CTR_COORDINATES_PIXELS, p->approximation};
  ctr_borders_plan_init (&lane->plan, p);
  lane->epsilon = p->epsilon;
  return true;
}

static bool
enqueue (CtrStripLane *lane, const CtrImage *image, void *stream, CtrError *error)
{
  const CtrBordersParams params = params_of_window (lane, &lane->plan.foreground, lane->plan.features);
  return ctr_borders_enqueue ((CtrBorders *) lane->analyser, image, &params, stream, error);
}

static CtrContours *
finish (CtrAnalyser *analyser, CtrError *error)
{
  return ctr_borders_finish ((CtrBorders *) analyser, error);
}

/* ROWS are 255 where foreground is. */
static CtrContours *
analyse (CtrAnalyser *analyser, const CtrStripLane *lane, const CtrImage *rows, CtrError *error)
{
  const CtrForeground foreground = {.mode = CTR_THRESHOLD_FIXED, .threshold = 255};
  const CtrBordersParams params = params_of_window (lane, &foreground, 0);
  return ctr_borders_run ((CtrBorders *) analyser, rows, &params, NULL, error);
}

static const CtrStripsKind kind = {
    .seam_rows = 2,
    .lag = 1,
    .coordinates = CTR_COORDINATES_PIXELS,
    .open = open_analyser,
    .check_params = check_params,
    .set_params = set_params,
    .enqueue = enqueue,
    .finish = finish,
    .analyse = analyse,
};

#define STRIPS CtrBorderStrips
#define PARAMS CtrBordersParams
#define NAME(function) ctr_border_strips_##function
#include "core/strips/strips_functions.h"

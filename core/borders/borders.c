/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Border following: the public functions. */
#include "core/borders/borders.h"

#include "core/borders/simplify.h"
#include "core/common/contour_limits.h"
#include "core/common/error.h"
#include "core/foreground/foreground.h"
#include "core/results/contourlist.h"
#include "core/results/subpixel.h"

#include <contours/shapes.h>

#include <math.h>

struct CtrBorders {
  CtrAnalyser base;
  /* Of the pending image: */
  double epsilon; /* with which the core simplifies the contours; 0: not */
  CtrVertices vertices;
  CtrConnectivity connectivity;
  uint32_t features;
  uint32_t region_count;
};

static inline const CtrBordersOps *
ops_of (const CtrBorders *borders)
{
  return (const CtrBordersOps *) borders->base.ops;
}

/* cv::approxPolyDP() needs a smaller epsilon. */
static const double epsilon_limit = 1e30;

void
ctr_borders_params_init (CtrBordersParams *params)
{
  *params = (CtrBordersParams){
      .foreground = {.mode = CTR_THRESHOLD_FIXED, .threshold = 128},
      .connectivity = CTR_CONNECTIVITY_8,
      .mode = CTR_RETRIEVE_LIST,
      .approximation = CTR_APPROXIMATION_SIMPLE,
      .subpixel_sigma = CTR_SUBPIXEL_SIGMA,
  };
}

static void
discard (CtrAnalyser *analyser)
{
  CtrBorders *borders = (CtrBorders *) analyser;
  CtrContours *contours = ops_of (borders)->finish (borders->base.state, NULL);
  ctr_analyser_note (analyser, contours);
  ctr_contours_unref (contours);
}

static const CtrAnalyserType analyser_type = {
    .size = sizeof (CtrBorders),
    .name = "border follower",
    .input = "image",
    .enqueue = "ctr_borders_enqueue()",
    .discard = discard,
    .result = &ctr_contours_result_type,
};

CtrBorders *
ctr_borders_new (CtrBackend backend, CtrError *error)
{
  const CtrBordersOps *ops = CTR_BACKEND_OPS (borders, backend);
  return (CtrBorders *) ctr_analyser_new (&analyser_type, backend, &ops->base, error);
}

void
ctr_borders_free (CtrBorders *borders)
{
  ctr_analyser_free ((CtrAnalyser *) borders);
}

bool
ctr_borders_check_params (const CtrBordersParams *params, CtrError *error)
{
  if (!params)
    return ctr_fail (
        error, CTR_ERROR_INVALID_ARGUMENT, "the parameters are NULL: ctr_borders_params_init() fills in the defaults");
  if (params->connectivity != CTR_CONNECTIVITY_4 && params->connectivity != CTR_CONNECTIVITY_8)
    return ctr_fail (
        error, CTR_ERROR_INVALID_ARGUMENT, "connectivity is %d: it must be 4 or 8", (int) params->connectivity);
  if ((unsigned) params->mode > CTR_RETRIEVE_TREE)
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT, "unknown retrieval mode %d", (int) params->mode);
  if (params->approximation != CTR_APPROXIMATION_NONE && params->approximation != CTR_APPROXIMATION_SIMPLE)
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT, "unknown approximation %d", (int) params->approximation);
  if (!(params->epsilon >= 0 && params->epsilon < epsilon_limit))
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT,
        "epsilon is %g: it must be 0 (no simplification) or more, and below %g", params->epsilon, epsilon_limit);
  if (!ctr_contour_limit_check ("the minimum area", params->min_area, error)
      || !ctr_contour_limit_check ("the maximum area", params->max_area, error)
      || !ctr_contour_limit_check ("the minimum length", params->min_length, error))
    return false;
  if (params->features
      & ~(uint32_t) (CTR_CONTOUR_FEATURE_MOMENTS | CTR_CONTOUR_SHAPE_FEATURES | CTR_CONTOUR_FEATURE_FITS))
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT, "unknown features in 0x%x", params->features);
  if (params->features & CTR_CONTOUR_FEATURE_HOLES && params->mode < CTR_RETRIEVE_CCOMP)
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT,
        "the feature holes needs the hierarchy of the retrieval modes ccomp or tree: the mode is %s",
        params->mode == CTR_RETRIEVE_LIST ? "list" : "external");
  if (!isfinite (params->feret_angle))
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT, "the Feret angle is %g: it must be a number of degrees",
        params->feret_angle);
  return ctr_subpixel_check (params->subpixel, params->subpixel_sigma, &params->foreground, error)
         && ctr_contour_select_check (&params->select, params->mode, error);
}

/* All that the result has, but for what limits need. */
static uint32_t
features_of (const CtrBordersParams *params)
{
  return params->features | (params->subpixel != CTR_SUBPIXEL_NONE ? CTR_CONTOUR_FEATURE_SUBPIXEL : 0);
}

static bool
check_arguments (const CtrBorders *borders, const CtrImage *image, const CtrBordersParams *params, CtrError *error)
{
  return ctr_image_check (image, error) && ctr_borders_check_params (params, error)
         && ctr_foreground_check (&params->foreground, image, error)
         && ctr_analyser_check_memory (&borders->base, "image", image->memory, error);
}

void
ctr_borders_plan_init (CtrBordersPlan *plan, const CtrBordersParams *params)
{
  const double area_unit = 0.5;
  *plan = (CtrBordersPlan){
      .foreground = params->foreground,
      .connectivity = params->connectivity,
      .mode = params->mode,
      .approximation = params->approximation,
      .min_area2 = ctr_contour_limit_min (params->min_area, area_unit),
      .max_area2 = ctr_contour_limit_max (params->max_area, area_unit),
      .min_length = ctr_contour_limit_min (params->min_length, CTR_LENGTH_UNIT),
      .min_width = params->min_width,
      .min_height = params->min_height,
      .features = features_of (params),
      .epsilon = params->epsilon,
  };
  ctr_subpixel_rule_init (&plan->subpixel, params->subpixel, params->subpixel_sigma, &params->foreground);
  const double angle = fmod (params->feret_angle, 360) * (CTR_PI / 180);
  plan->feret_direction[0] = llround (cos (angle) / CTR_FERET_UNIT);
  plan->feret_direction[1] = llround (sin (angle) / CTR_FERET_UNIT);
  ctr_contour_select_plan (&params->select, &plan->select);
  plan->features |= plan->select.features;
  plan->limited = plan->min_area2 > 0 || plan->max_area2 < UINT64_MAX || plan->min_length > 0 || plan->min_width > 1
                  || plan->min_height > 1;
}

/* What the result has; ctr_borders_simplify() sets its own. */
static CtrVertices
vertices_of (const CtrBordersParams *params)
{
  if (params->epsilon > 0)
    return CTR_VERTICES_ANY;
  return params->approximation == CTR_APPROXIMATION_NONE ? CTR_VERTICES_STEPS : CTR_VERTICES_TURNS;
}

bool
ctr_borders_enqueue (
    CtrBorders *borders, const CtrImage *image, const CtrBordersParams *params, void *stream, CtrError *error)
{
  if (!ctr_analyser_settle (&borders->base, error)
      || !ctr_analyser_accept (&borders->base, check_arguments (borders, image, params, error), error))
    return false;
  CtrBordersPlan plan;
  ctr_borders_plan_init (&plan, params);
  borders->epsilon = borders->base.backend == CTR_BACKEND_CPU ? params->epsilon : 0;
  borders->vertices = vertices_of (params);
  borders->connectivity = params->connectivity;
  borders->features = plan.features;
  borders->region_count = ctr_foreground_region_count (&params->foreground);
  borders->base.pending =
      ctr_analyser_note (&borders->base, ops_of (borders)->enqueue (borders->base.state, image, &plan, stream, error));
  return borders->base.pending;
}

/* Waits for the queued image. */
static CtrContours *
take_result (CtrBorders *borders, CtrError *error)
{
  if (!ctr_analyser_take_pending (&borders->base, error))
    return NULL;
  CtrContours *contours = ops_of (borders)->finish (borders->base.state, error);
  if (!ctr_analyser_note (&borders->base, contours))
    return NULL;
  contours->vertices = borders->vertices;
  contours->connectivity = borders->connectivity;
  contours->region_count = borders->region_count;
  if (borders->epsilon == 0)
    return contours;
  CtrContours *simplified = ctr_borders_simplify (contours, borders->epsilon, error);
  ctr_contours_unref (contours);
  return simplified;
}

CtrContours *
ctr_borders_finish (CtrBorders *borders, CtrError *error)
{
  return ctr_analyser_settle (&borders->base, error) ? take_result (borders, error) : NULL;
}

static bool
settle (void *analyser, void *result, CtrError *error)
{
  CtrContours *complete = take_result (analyser, error);
  if (complete)
    ctr_contours_settle (result, complete);
  return complete;
}

static const CtrPendingOps pending_ops = {
    settle, ctr_analyser_view, ctr_analyser_hold, ctr_analyser_lead, ctr_analyser_was_incomplete, NULL};

CtrContours *
ctr_borders_submit (
    CtrBorders *borders, const CtrImage *image, const CtrBordersParams *params, void *stream, CtrError *error)
{
  if (!ctr_borders_enqueue (borders, image, params, stream, error))
    return NULL;
  if (borders->base.backend == CTR_BACKEND_CPU)
    return ctr_borders_finish (borders, error);
  const CtrContours info = {.width = image->width,
      .height = image->height,
      .coordinates = CTR_COORDINATES_PIXELS,
      .features = borders->features,
      .vertices = vertices_of (params),
      .connectivity = params->connectivity,
      .region_count = borders->region_count};
  CtrContours *result = ctr_contours_new_pending (&info, &pending_ops, borders, error);
  if (result)
    borders->base.handed_out = ctr_contours_ref (result);
  else
    ctr_analyser_discard (&borders->base);
  return result;
}

bool
ctr_borders_settle (CtrBorders *borders, CtrError *error)
{
  return ctr_analyser_settle (&borders->base, error);
}

CtrContours *
ctr_borders_run (
    CtrBorders *borders, const CtrImage *image, const CtrBordersParams *params, void *stream, CtrError *error)
{
  return ctr_borders_enqueue (borders, image, params, stream, error) ? ctr_borders_finish (borders, error) : NULL;
}

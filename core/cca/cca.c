/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Component analysis: the public functions. */
#include "core/cca/cca.h"

#include "core/common/error.h"
#include "core/foreground/foreground.h"
#include "core/results/components.h"
#include "core/results/select.h"

struct CtrCca {
  CtrAnalyser base;
  bool queued;                     /* the last ctr_cca_enqueue() succeeded, so the GPU has its result */
  uint32_t features, region_count; /* of its image */
};

static inline const CtrCcaOps *
ops_of (const CtrCca *cca)
{
  return (const CtrCcaOps *) cca->base.ops;
}

void
ctr_cca_params_init (CtrCcaParams *params)
{
  *params = (CtrCcaParams){
      .foreground = {.mode = CTR_THRESHOLD_FIXED, .threshold = 128},
      .connectivity = CTR_CONNECTIVITY_8,
      .ring_width = 3,
  };
}

static void
discard (CtrAnalyser *analyser)
{
  CtrCca *cca = (CtrCca *) analyser;
  CtrComponents *components = ops_of (cca)->finish (cca->base.state, NULL);
  ctr_analyser_note (analyser, components);
  ctr_components_unref (components);
}

static const CtrAnalyserType analyser_type = {
    .size = sizeof (CtrCca),
    .name = "component analyser",
    .input = "image",
    .enqueue = "ctr_cca_enqueue()",
    .discard = discard,
    .result = &ctr_components_result_type,
};

CtrCca *
ctr_cca_new (CtrBackend backend, CtrError *error)
{
  const CtrCcaOps *ops = CTR_BACKEND_OPS (cca, backend);
  return (CtrCca *) ctr_analyser_new (&analyser_type, backend, &ops->base, error);
}

void
ctr_cca_free (CtrCca *cca)
{
  ctr_analyser_free ((CtrAnalyser *) cca);
}

/* The features that are asked for, and those that PARAMS' limits and other features need. */
static uint32_t
features_of (const CtrCcaParams *params)
{
  CtrSelectPlan select;
  ctr_component_select_plan (&params->select, &select);
  const uint32_t features = params->features | select.features;
  return features | (features & CTR_FEATURE_CONTRAST ? CTR_FEATURE_GREY : 0);
}

static bool
check_params (const CtrCcaParams *params, CtrError *error)
{
  if (!params)
    return ctr_fail (
        error, CTR_ERROR_INVALID_ARGUMENT, "the parameters are NULL: ctr_cca_params_init() fills in the defaults");
  if (params->connectivity != CTR_CONNECTIVITY_4 && params->connectivity != CTR_CONNECTIVITY_8)
    return ctr_fail (
        error, CTR_ERROR_INVALID_ARGUMENT, "connectivity is %d: it must be 4 or 8", (int) params->connectivity);
  if (params->features & CTR_FEATURE_VALUES)
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT,
        "CTR_FEATURE_VALUES in features 0x%x: leave it out, the mode CTR_COMPONENTS_EQUAL brings it", params->features);
  if (params->features
      & ~(uint32_t) (CTR_FEATURE_MOMENTS | CTR_FEATURE_GREY | CTR_FEATURE_LABELS | CTR_FEATURE_BACKGROUND
                     | CTR_FEATURE_PERCENTILES | CTR_FEATURE_INSCRIBED | CTR_FEATURE_CONTRAST | CTR_FEATURE_SKELETON))
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT, "unknown features in 0x%x", params->features);
  if (params->mode != CTR_COMPONENTS_FOREGROUND && params->mode != CTR_COMPONENTS_EQUAL)
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT, "unknown mode %d", (int) params->mode);
  if (params->background < CTR_CCA_NO_BACKGROUND || params->background > 65535)
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT, "background is %d: it must be 0 to 65535, or -1 for none",
        params->background);
  if (params->mode == CTR_COMPONENTS_EQUAL && params->foreground.regions)
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT,
        "components of equal samples are found in the whole image: leave out the regions, or use "
        "CTR_COMPONENTS_FOREGROUND");
  if (params->features & CTR_FEATURE_BACKGROUND && params->foreground.regions)
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT,
        "the background is that of the whole image: leave out the regions, or CTR_FEATURE_BACKGROUND");
  if (!ctr_component_select_check (&params->select, params->mode, error))
    return false;
  if (features_of (params) & CTR_FEATURE_CONTRAST
      && (params->ring_width < 1 || params->ring_width > CTR_CCA_MOST_RING_WIDTH))
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT, "ring_width is %u: it must be 1 to %d", params->ring_width,
        CTR_CCA_MOST_RING_WIDTH);
  return true;
}

bool
ctr_cca_check_arguments (const CtrCca *cca, const CtrImage *image, const CtrCcaParams *params, CtrError *error)
{
  return ctr_image_check (image, error) && check_params (params, error)
         && (params->mode == CTR_COMPONENTS_EQUAL || ctr_foreground_check (&params->foreground, image, error))
         && ctr_analyser_check_memory (&cca->base, "image", image->memory, error);
}

/* PARAMS without what their mode ignores, with the features that their limits need. */
static CtrCcaParams
plan_of (const CtrCcaParams *params)
{
  CtrCcaParams plan = *params;
  plan.features = features_of (params);
  if (!(plan.features & CTR_FEATURE_CONTRAST))
    plan.ring_width = 0;
  if (plan.mode == CTR_COMPONENTS_EQUAL)
    plan.foreground = (CtrForeground){.mode = CTR_THRESHOLD_FIXED};
  else
    plan.background = 0;
  return plan;
}

static bool
enqueue (CtrCca *cca, const CtrImage *image, const CtrCcaParams *params, void *stream, CtrError *error)
{
  const CtrCcaParams plan = plan_of (params);
  cca->features = ctr_cca_features (&plan);
  cca->region_count = ctr_foreground_region_count (&plan.foreground);
  cca->queued = cca->base.pending =
      ctr_analyser_note (&cca->base, ops_of (cca)->enqueue (cca->base.state, image, &plan, stream, error));
  return cca->queued;
}

bool
ctr_cca_enqueue (CtrCca *cca, const CtrImage *image, const CtrCcaParams *params, void *stream, CtrError *error)
{
  cca->queued = false;
  return ctr_analyser_settle (&cca->base, error)
         && ctr_analyser_accept (&cca->base, ctr_cca_check_arguments (cca, image, params, error), error)
         && enqueue (cca, image, params, stream, error);
}

bool
ctr_cca_enqueue_strip (CtrCca *cca, const CtrImage *image, const CtrCcaParams *params, void *stream, CtrError *error)
{
  CtrCcaParams parts = *params;
  parts.min_area = parts.max_area = 0;
  parts.features |= CTR_FEATURE_EDGES;
  return enqueue (cca, image, &parts, stream, error);
}

/* Waits for the queued image. */
static CtrComponents *
take_result (CtrCca *cca, CtrError *error)
{
  if (!ctr_analyser_take_pending (&cca->base, error))
    return NULL;
  CtrComponents *components = ops_of (cca)->finish (cca->base.state, error);
  if (ctr_analyser_note (&cca->base, components))
    components->region_count = cca->region_count;
  return components;
}

CtrComponents *
ctr_cca_finish (CtrCca *cca, CtrError *error)
{
  return ctr_analyser_settle (&cca->base, error) ? take_result (cca, error) : NULL;
}

static bool
settle (void *analyser, void *result, CtrError *error)
{
  CtrComponents *complete = take_result (analyser, error);
  if (complete)
    ctr_components_settle (result, complete);
  return complete;
}

static const CtrPendingOps pending_ops = {
    settle, ctr_analyser_view, ctr_analyser_hold, ctr_analyser_lead, ctr_analyser_was_incomplete, NULL};

CtrComponents *
ctr_cca_submit (CtrCca *cca, const CtrImage *image, const CtrCcaParams *params, void *stream, CtrError *error)
{
  if (!ctr_cca_enqueue (cca, image, params, stream, error))
    return NULL;
  if (cca->base.backend == CTR_BACKEND_CPU)
    return ctr_cca_finish (cca, error);
  const CtrComponents info = {.width = image->width,
      .height = image->height,
      .connectivity = params->connectivity,
      .features = cca->features,
      .region_count = cca->region_count};
  CtrComponents *result = ctr_components_new_pending (&info, &pending_ops, cca, error);
  if (result)
    cca->base.handed_out = ctr_components_ref (result);
  else
    ctr_analyser_discard (&cca->base);
  return result;
}

bool
ctr_cca_settle (CtrCca *cca, CtrError *error)
{
  return ctr_analyser_settle (&cca->base, error);
}

CtrComponents *
ctr_cca_run (CtrCca *cca, const CtrImage *image, const CtrCcaParams *params, void *stream, CtrError *error)
{
  return ctr_cca_enqueue (cca, image, params, stream, error) ? ctr_cca_finish (cca, error) : NULL;
}

bool
ctr_cca_get_device_result (CtrCca *cca, CtrDeviceComponents *result, CtrError *error)
{
  if (!ops_of (cca)->get_device_result)
    return ctr_fail (
        error, CTR_ERROR_INVALID_ARGUMENT, "the CPU backend has no result in GPU memory: use ctr_cca_finish()");
  if (!cca->queued)
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT, "no image was queued: call ctr_cca_enqueue() first");
  if (!ctr_analyser_settle (&cca->base, error))
    return false;
  return ops_of (cca)->get_device_result (cca->base.state, result, error);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Level contours: the public functions, and the tables of levels and level indices. */
#include "core/cracks/cracks.h"

#include "core/common/contour_limits.h"
#include "core/results/contourlist.h"
#include "core/common/error.h"

struct CtrCracks {
  CtrAnalyser base;
  CtrCracksPlan plan; /* of the last image, with the tables below */
  uint16_t levels[CTR_CRACKS_MAX_LEVELS];
  uint16_t level_indices[65536];

  CtrComponents *components; /* whose labels are queued, with a reference; NULL: an image is, or nothing */
  bool is_queued;            /* in the backend. If the components have failed, nothing is. */
  bool components_failed;    /* the last result's */
};

static inline const CtrCracksOps *
ops_of (const CtrCracks *cracks)
{
  return (const CtrCracksOps *) cracks->base.ops;
}

void
ctr_cracks_params_init (CtrCracksParams *params)
{
  *params = (CtrCracksParams){
      .mode = CTR_LEVELS_AT_LEAST,
      .connectivity = CTR_CONNECTIVITY_8,
      .frame = CTR_IMAGE_BORDER_PAD,
      .minimum = 1,
      .maximum = CTR_CRACKS_MAX_LEVELS,
      .step = 1,
      .max_points = CTR_CRACKS_DEFAULT_MAX_POINTS,
      .max_depth = CTR_CRACKS_ANY_DEPTH,
  };
}

/* The backend's work must have ended. */
static void
drop_components (CtrCracks *cracks)
{
  ctr_components_unref (cracks->components);
  cracks->components = NULL;
}

/* The contours of the queued image. */
static CtrContours *
finish (CtrCracks *cracks, CtrError *error)
{
  CtrContours *contours = ops_of (cracks)->finish (cracks->base.state, error);
  ctr_analyser_note (&cracks->base, contours);
  return contours;
}

static void
discard (CtrAnalyser *analyser)
{
  CtrCracks *cracks = (CtrCracks *) analyser;
  if (cracks->is_queued)
    ctr_contours_unref (finish (cracks, NULL));
  drop_components (cracks);
}

static void
release (CtrAnalyser *analyser)
{
  drop_components ((CtrCracks *) analyser);
}

static const CtrAnalyserType analyser_type = {
    .size = sizeof (CtrCracks),
    .name = "contour tracer",
    .input = "image",
    .enqueue = "ctr_cracks_enqueue()",
    .discard = discard,
    .result = &ctr_contours_result_type,
    .release = release,
};

CtrCracks *
ctr_cracks_new (CtrBackend backend, CtrError *error)
{
  const CtrCracksOps *ops = CTR_BACKEND_OPS (cracks, backend);
  return (CtrCracks *) ctr_analyser_new (&analyser_type, backend, &ops->base, error);
}

void
ctr_cracks_free (CtrCracks *cracks)
{
  ctr_analyser_free ((CtrAnalyser *) cracks);
}

static bool
check_level (uint32_t level, CtrError *error)
{
  return level > 0
         || ctr_fail (
             error, CTR_ERROR_INVALID_ARGUMENT, "level 0 is the background: the first level must be 1 or more");
}

static bool
check_list (const uint32_t *levels, uint32_t count, CtrError *error)
{
  if (count == 0)
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT, "the list of levels is empty");
  for (uint32_t i = 1; i < count; i++)
    if (levels[i] <= levels[i - 1])
      return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT, "the list of levels must ascend: %u comes after %u",
          levels[i], levels[i - 1]);
  return check_level (levels[0], error);
}

static bool
check_range (const CtrCracksParams *params, CtrError *error)
{
  if (params->step == 0)
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT, "the step between levels is 0: it must be 1 or more");
  if (params->minimum > params->maximum)
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT,
        "the range of levels is empty: its minimum %u is above its maximum %u", params->minimum, params->maximum);
  return check_level (params->minimum, error);
}

static bool
check_hierarchy (const CtrCracksParams *params, CtrError *error)
{
  if (params->hierarchy != CTR_HIERARCHY_PER_LEVEL && params->hierarchy != CTR_HIERARCHY_LEVELS)
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT, "unknown hierarchy %d", (int) params->hierarchy);
  if (params->hierarchy == CTR_HIERARCHY_LEVELS && params->mode == CTR_LEVELS_EQUAL)
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT,
        "the hierarchy over all levels does not exist in mode EQUAL, where levels lie side by side: use AT_LEAST");
  if (params->hierarchy == CTR_HIERARCHY_LEVELS)
    return true;
  if (params->min_persistence > 0)
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT,
        "the minimum persistence is %u: without the hierarchy over all levels it must be 0", params->min_persistence);
  if (params->max_depth != CTR_CRACKS_ANY_DEPTH)
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT,
        "the maximum depth is %u: without the hierarchy over all levels it must be CTR_CRACKS_ANY_DEPTH",
        params->max_depth);
  return true;
}

bool
ctr_cracks_check_params (const CtrCracksParams *params, CtrError *error)
{
  if (!params)
    return ctr_fail (
        error, CTR_ERROR_INVALID_ARGUMENT, "the parameters are NULL: ctr_cracks_params_init() fills in the defaults");
  if (params->mode != CTR_LEVELS_AT_LEAST && params->mode != CTR_LEVELS_EQUAL)
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT, "unknown level mode %d", (int) params->mode);
  if (params->connectivity != CTR_CONNECTIVITY_4 && params->connectivity != CTR_CONNECTIVITY_8)
    return ctr_fail (
        error, CTR_ERROR_INVALID_ARGUMENT, "connectivity is %d: it must be 4 or 8", (int) params->connectivity);
  if (params->frame != CTR_IMAGE_BORDER_PAD && params->frame != CTR_IMAGE_BORDER_ZERO)
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT, "unknown image border %d", (int) params->frame);
  if (!(params->levels ? check_list (params->levels, params->level_count, error) : check_range (params, error)))
    return false;
  if (!ctr_contour_limit_check ("the minimum area", params->min_area, error)
      || !ctr_contour_limit_check ("the maximum area", params->max_area, error)
      || !ctr_contour_limit_check ("the minimum length", params->min_length, error))
    return false;
  if (params->features & ~(uint32_t) CTR_CONTOUR_FEATURE_MOMENTS)
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT, "unknown features in 0x%x", params->features);
  return check_hierarchy (params, error);
}

static bool
check_arguments (const CtrCracks *cracks, const CtrImage *image, const CtrCracksParams *params, CtrError *error)
{
  return ctr_image_check (image, error) && ctr_cracks_check_params (params, error)
         && ctr_analyser_check_memory (&cracks->base, "image", image->memory, error);
}

/* The number of levels up to LARGEST. */
static uint32_t
count_levels (const CtrCracksParams *params, uint32_t largest)
{
  if (!params->levels) {
    const uint32_t maximum = params->maximum < largest ? params->maximum : largest;
    return params->minimum > maximum ? 0 : (maximum - params->minimum) / params->step + 1;
  }
  uint32_t count = 0;
  while (count < params->level_count && params->levels[count] <= largest)
    count++;
  return count;
}

/* The level at INDEX, which is below count_levels(). */
static uint32_t
level_at (const CtrCracksParams *params, uint32_t index)
{
  return params->levels ? params->levels[index] : params->minimum + index * params->step;
}

static bool
has_tables (const CtrCracks *cracks, const CtrCracksParams *params, uint32_t sample_count, uint32_t level_count)
{
  const CtrCracksPlan *plan = &cracks->plan;
  if (plan->tables == 0 || plan->mode != params->mode || plan->sample_count != sample_count
      || plan->level_count != level_count)
    return false;
  for (uint32_t i = 0; i < level_count; i++)
    if (cracks->levels[i] != level_at (params, i))
      return false;
  return true;
}

static void
fill_tables (CtrCracks *cracks, const CtrCracksParams *params, uint32_t sample_count, uint32_t level_count)
{
  uint32_t level_index = 0;
  for (uint32_t i = 0; i < level_count; i++)
    cracks->levels[i] = (uint16_t) level_at (params, i);
  for (uint32_t sample = 0; sample < sample_count; sample++) {
    const bool is_level = level_index < level_count && cracks->levels[level_index] == sample;
    level_index += is_level;
    cracks->level_indices[sample] = (uint16_t) (is_level || params->mode == CTR_LEVELS_AT_LEAST ? level_index : 0);
  }
}

static uint32_t
features_of (const CtrCracksParams *params)
{
  return params->features | (params->hierarchy == CTR_HIERARCHY_LEVELS ? CTR_CONTOUR_FEATURE_NESTING : 0);
}

/* What does not depend on the levels. */
static CtrCracksPlan
plan_of (const CtrCracksParams *params)
{
  const double area_unit = 0.5;
  CtrCracksPlan plan = {
      .mode = params->mode,
      .connectivity = params->connectivity,
      .frame = params->frame,
      .min_area2 = ctr_contour_limit_min (params->min_area, area_unit),
      .max_area2 = ctr_contour_limit_max (params->max_area, area_unit),
      .min_length = ctr_contour_limit_min (params->min_length, CTR_LENGTH_UNIT),
      .features = features_of (params),
      .max_points = params->max_points > 0 ? params->max_points : UINT64_MAX,
      .nested = params->hierarchy == CTR_HIERARCHY_LEVELS,
      .min_persistence = params->min_persistence,
      .max_depth = params->max_depth,
  };
  plan.limited = plan.min_area2 > 0 || plan.max_area2 < UINT64_MAX || plan.min_length > 0 || plan.min_persistence > 0
                 || plan.max_depth != CTR_CRACKS_ANY_DEPTH;
  return plan;
}

/* The tables are made anew only if the inputs that determine them have changed. */
static void
make_plan (CtrCracks *cracks, const CtrImage *image, const CtrCracksParams *params)
{
  const uint32_t sample_count = image->format == CTR_FORMAT_GRAY16 ? 65536 : 256;
  const uint32_t level_count = count_levels (params, sample_count - 1);
  uint64_t tables = cracks->plan.tables;
  if (!has_tables (cracks, params, sample_count, level_count)) {
    fill_tables (cracks, params, sample_count, level_count);
    tables++;
  }
  CtrCracksPlan *plan = &cracks->plan;
  *plan = plan_of (params);
  plan->level_count = level_count;
  plan->sample_count = sample_count;
  plan->levels = cracks->levels;
  plan->level_indices = cracks->level_indices;
  plan->tables = tables;
}

/* Waits for the result that was handed out last. Who has analysed components reports their error. */
static bool
settle_last (CtrCracks *cracks, CtrError *error)
{
  CtrError own;
  if (ctr_analyser_settle (&cracks->base, &own) || cracks->components_failed)
    return true;
  if (error)
    *error = own;
  return false;
}

bool
ctr_cracks_enqueue (
    CtrCracks *cracks, const CtrImage *image, const CtrCracksParams *params, void *stream, CtrError *error)
{
  if (!settle_last (cracks, error)
      || !ctr_analyser_accept (&cracks->base, check_arguments (cracks, image, params, error), error))
    return false;
  make_plan (cracks, image, params);
  cracks->base.pending = cracks->is_queued = ctr_analyser_note (
      &cracks->base, ops_of (cracks)->enqueue (cracks->base.state, image, &cracks->plan, stream, error));
  drop_components (cracks);
  return cracks->base.pending;
}

/* The parameters as they are for labels: levels have no effect. */
static CtrCracksParams
without_levels (const CtrCracksParams *params)
{
  CtrCracksParams p = *params;
  p.mode = CTR_LEVELS_EQUAL;
  p.minimum = p.maximum = p.step = 1;
  p.levels = NULL;
  return p;
}

static bool
check_labels (const CtrComponents *components, const CtrCracksParams *params, CtrError *error)
{
  if (!params)
    return ctr_cracks_check_params (NULL, error);
  const CtrCracksParams p = without_levels (params);
  if (!components)
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT, "the components are NULL");
  if (!(components->features & CTR_FEATURE_LABELS))
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT,
        "the components have no label image: ask for CTR_FEATURE_LABELS, or labels=true on cudacca");
  if (p.hierarchy == CTR_HIERARCHY_LEVELS)
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT,
        "the hierarchy over all levels does not exist for labels, which lie side by side: use PER_LEVEL");
  return ctr_cracks_check_params (&p, error);
}

/* Labels are numbered from 1 without gaps, but how many there are is not known of pending components. */
static uint32_t
count_labels (const CtrCracks *cracks, const CtrComponents *components)
{
  return cracks->base.backend == CTR_BACKEND_CPU ? components->count : components->width * components->height;
}

/* Keeps the tables of levels, but the plan no longer has them. */
static void
make_label_plan (CtrCracks *cracks, const CtrComponents *components, const CtrCracksParams *params)
{
  const CtrCracksParams p = without_levels (params);
  const CtrCracksPlan before = cracks->plan;
  CtrCracksPlan *plan = &cracks->plan;
  *plan = plan_of (&p);
  plan->labels = true;
  plan->level_count = count_labels (cracks, components);
  plan->levels = before.levels;
  plan->level_indices = before.level_indices;
  plan->tables = before.tables;
}

/* Has the analysis of COMPONENTS failed? Waits for it where it has to be complete. */
static bool
have_failed (const CtrCracks *cracks, CtrComponents *components)
{
  return (cracks->base.backend == CTR_BACKEND_CPU || ctr_components_is_complete (components))
         && !ctr_components_wait (components, NULL);
}

bool
ctr_cracks_enqueue_labels (
    CtrCracks *cracks, CtrComponents *components, const CtrCracksParams *params, void *stream, CtrError *error)
{
  if (!settle_last (cracks, error)
      || !ctr_analyser_accept (&cracks->base, check_labels (components, params, error), error))
    return false;
  CtrComponents *former = cracks->components;
  const bool failed = have_failed (cracks, components);
  make_label_plan (cracks, components, params);
  cracks->components = ctr_components_ref (components);
  cracks->is_queued = !failed
                      && ctr_analyser_note (&cracks->base, ops_of (cracks)->enqueue_labels (cracks->base.state,
                                                               components, &cracks->plan, stream, error));
  /* Pending components may have turned out to fail. */
  cracks->base.pending = cracks->is_queued || failed || have_failed (cracks, components);
  ctr_components_unref (former);
  if (!cracks->base.pending)
    drop_components (cracks);
  return cracks->base.pending;
}

/* Waits for the queued image. */
static CtrContours *
take_result (CtrCracks *cracks, CtrError *error)
{
  CtrContours *contours = NULL;
  if (!ctr_analyser_take_pending (&cracks->base, error))
    return NULL;
  if (cracks->is_queued)
    contours = finish (cracks, error);
  cracks->components_failed = cracks->components && !ctr_components_wait (cracks->components, contours ? NULL : error);
  drop_components (cracks);
  if (contours) {
    contours->vertices = CTR_VERTICES_TURNS;
    contours->connectivity = cracks->plan.connectivity;
  }
  return contours;
}

CtrContours *
ctr_cracks_finish (CtrCracks *cracks, CtrError *error)
{
  return settle_last (cracks, error) ? take_result (cracks, error) : NULL;
}

static bool
settle (void *analyser, void *result, CtrError *error)
{
  CtrContours *complete = take_result (analyser, error);
  if (complete)
    ctr_contours_settle (result, complete);
  return complete;
}

static CtrComponents *
source (void *analyser)
{
  CtrCracks *cracks = analyser;
  return cracks->components ? ctr_components_ref (cracks->components) : NULL;
}

static const CtrPendingOps pending_ops = {
    settle, ctr_analyser_view, ctr_analyser_hold, ctr_analyser_lead, ctr_analyser_was_incomplete, source};

/* The result of what is queued, of WIDTH x HEIGHT pixels. */
static CtrContours *
hand_out (CtrCracks *cracks, uint32_t width, uint32_t height, CtrError *error)
{
  if (cracks->base.backend == CTR_BACKEND_CPU && cracks->is_queued)
    return ctr_cracks_finish (cracks, error);
  const CtrContours info = {.width = width,
      .height = height,
      .coordinates = CTR_COORDINATES_CORNERS,
      .features = cracks->plan.features,
      .vertices = CTR_VERTICES_TURNS,
      .connectivity = cracks->plan.connectivity};
  CtrContours *result = ctr_contours_new_pending (&info, &pending_ops, cracks, error);
  if (!result) {
    ctr_analyser_discard (&cracks->base);
    return NULL;
  }
  cracks->base.handed_out = ctr_contours_ref (result);
  if (!cracks->is_queued)
    ctr_contours_wait (result, NULL); /* It fails at once. */
  return result;
}

CtrContours *
ctr_cracks_submit (
    CtrCracks *cracks, const CtrImage *image, const CtrCracksParams *params, void *stream, CtrError *error)
{
  return ctr_cracks_enqueue (cracks, image, params, stream, error)
             ? hand_out (cracks, image->width, image->height, error)
             : NULL;
}

CtrContours *
ctr_cracks_submit_labels (
    CtrCracks *cracks, CtrComponents *components, const CtrCracksParams *params, void *stream, CtrError *error)
{
  return ctr_cracks_enqueue_labels (cracks, components, params, stream, error)
             ? hand_out (cracks, components->width, components->height, error)
             : NULL;
}

bool
ctr_cracks_settle (CtrCracks *cracks, CtrError *error)
{
  return settle_last (cracks, error);
}

CtrContours *
ctr_cracks_run (CtrCracks *cracks, const CtrImage *image, const CtrCracksParams *params, void *stream, CtrError *error)
{
  return ctr_cracks_enqueue (cracks, image, params, stream, error) ? ctr_cracks_finish (cracks, error) : NULL;
}

CtrContours *
ctr_cracks_run_labels (
    CtrCracks *cracks, CtrComponents *components, const CtrCracksParams *params, void *stream, CtrError *error)
{
  return ctr_cracks_enqueue_labels (cracks, components, params, stream, error) ? ctr_cracks_finish (cracks, error)
                                                                               : NULL;
}

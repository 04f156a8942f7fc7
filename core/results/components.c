/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The result of component analysis: reference counting, and all floating-point values. */
#include "core/results/components.h"

#include "core/common/error.h"
#include "core/common/memory.h"
#include "core/results/component_values.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>

/* The public struct is the first member, so that pointers to both can be converted. */
typedef struct {
  CtrComponents public;
  atomic_int refs;
  CtrPending pending; /* until it is settled, count and threshold are 0, and the arrays NULL */

  /* Labels that are not in host memory, and what has been fetched of them, under the lock. */
  const CtrLabelsSource *labels_ops; /* NULL: there are none */
  void *labels_source;
  pthread_mutex_t fetching;
  uint32_t *fetched;
} Result;

static void
init_result (Result *result, const CtrPendingOps *ops, void *analyser)
{
  atomic_init (&result->refs, 1);
  ctr_pending_init (&result->pending, ops, analyser);
  pthread_mutex_init (&result->fetching, NULL);
}

CtrComponents *
ctr_components_alloc (uint32_t width, uint32_t height, uint32_t count, uint32_t features, CtrError *error)
{
  Result *result = calloc (1, sizeof *result);
  if (!result)
    goto no_memory;
  init_result (result, NULL, NULL);
  CtrComponents *c = &result->public;
  c->width = width;
  c->height = height;
  c->count = count;
  c->features = features;
  /* malloc (0) may return NULL. */
  size_t rows = count ? count : 1;
  c->table = ctr_alloc_array (rows, sizeof *c->table);
  bool ok = c->table;
  if (features & CTR_FEATURE_MOMENTS)
    ok = (c->moments = ctr_alloc_array (rows, sizeof *c->moments)) && ok;
  if (features & CTR_FEATURE_GREY)
    ok = (c->grey = ctr_alloc_array (rows, sizeof *c->grey)) && ok;
  if (features & CTR_FEATURE_PERCENTILES)
    ok = (c->percentiles = ctr_alloc_array (rows, sizeof *c->percentiles)) && ok;
  if (features & CTR_FEATURE_INSCRIBED)
    ok = (c->inscribed = ctr_alloc_array (rows, sizeof *c->inscribed)) && ok;
  if (features & CTR_FEATURE_CONTRAST)
    ok = (c->contrast = ctr_alloc_array (rows, sizeof *c->contrast)) && ok;
  if (features & CTR_FEATURE_SKELETON)
    ok = (c->skeleton = ctr_alloc_array (rows, sizeof *c->skeleton)) && ok;
  if (features & CTR_FEATURE_EDGES)
    ok = (c->labels = ctr_alloc_array (2 * (size_t) width, sizeof *c->labels)) && ok;
  else if (features & CTR_FEATURE_LABELS)
    ok = (c->labels = ctr_alloc_array ((size_t) width * height, sizeof *c->labels)) && ok;
  if (ok)
    return c;
  ctr_components_unref (c);
no_memory:
  ctr_fail (error, CTR_ERROR_OUT_OF_MEMORY, "no host memory for the result: %u components of a %u x %u image", count,
      width, height);
  return NULL;
}

CtrComponents *
ctr_components_new_pending (const CtrComponents *info, const CtrPendingOps *ops, void *analyser, CtrError *error)
{
  Result *result = calloc (1, sizeof *result);
  if (!result) {
    ctr_fail (error, CTR_ERROR_OUT_OF_MEMORY, "no host memory for the components of an image");
    return NULL;
  }
  result->public = *info;
  init_result (result, ops, analyser);
  return &result->public;
}

void
ctr_components_settle (CtrComponents *pending, CtrComponents *complete)
{
  /* The other fields are known to readers already. */
  pending->count = complete->count;
  pending->threshold = complete->threshold;
  pending->unfinished = complete->unfinished;
  pending->table = complete->table;
  pending->moments = complete->moments;
  pending->grey = complete->grey;
  pending->percentiles = complete->percentiles;
  pending->inscribed = complete->inscribed;
  pending->contrast = complete->contrast;
  pending->skeleton = complete->skeleton;
  pending->labels = complete->labels;
  pending->background = complete->background;
  complete->table = NULL;
  complete->moments = NULL;
  complete->grey = NULL;
  complete->percentiles = NULL;
  complete->inscribed = NULL;
  complete->contrast = NULL;
  complete->skeleton = NULL;
  complete->labels = NULL;
  Result *to = (Result *) pending, *from = (Result *) complete;
  to->labels_ops = from->labels_ops;
  to->labels_source = from->labels_source;
  from->labels_ops = NULL;
  ctr_components_unref (complete);
}

void
ctr_components_set_labels (CtrComponents *components, const CtrLabelsSource *ops, void *source)
{
  Result *result = (Result *) components;
  result->labels_ops = ops;
  result->labels_source = source;
  components->features |= CTR_FEATURE_LABELS;
}

/* The caller holds the lock. */
static bool
fetch_labels (Result *result, CtrError *error)
{
  const size_t pixels = (size_t) result->public.width * result->public.height;
  uint32_t *labels = ctr_alloc_array (pixels, sizeof *labels);
  if (!labels)
    return ctr_fail (error, CTR_ERROR_OUT_OF_MEMORY, "no host memory for the labels of a %u x %u image",
        result->public.width, result->public.height);
  if (result->labels_ops->fetch (result->labels_source, labels, pixels, error)) {
    result->fetched = labels;
    return true;
  }
  free (labels);
  return false;
}

const uint32_t *
ctr_components_map_labels (CtrComponents *components, CtrError *error)
{
  Result *result = (Result *) components;
  if (!ctr_components_wait (components, error))
    return NULL;
  if (!(components->features & CTR_FEATURE_LABELS)) {
    ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT,
        "the components have no label image: ask for CTR_FEATURE_LABELS, or labels=true on cudacca");
    return NULL;
  }
  if (!result->labels_ops)
    return components->labels;
  pthread_mutex_lock (&result->fetching);
  const uint32_t *labels = result->fetched || fetch_labels (result, error) ? result->fetched : NULL;
  pthread_mutex_unlock (&result->fetching);
  return labels;
}

bool
ctr_components_get_device_labels (CtrComponents *components, const uint32_t **labels)
{
  const Result *result = (const Result *) components;
  return ctr_components_wait (components, NULL) && result->labels_ops
         && result->labels_ops->get_device (result->labels_source, labels);
}

bool
ctr_components_wait (CtrComponents *components, CtrError *error)
{
  return ctr_pending_wait (&((Result *) components)->pending, components, error);
}

static bool
wait_for_result (void *result, CtrError *error)
{
  return ctr_components_wait (result, error);
}

static void
unref_result (void *result)
{
  ctr_components_unref (result);
}

const CtrResultType ctr_components_result_type = {wait_for_result, unref_result};

bool
ctr_components_is_complete (const CtrComponents *components)
{
  return ctr_pending_settled (&((const Result *) components)->pending);
}

bool
ctr_components_lock (CtrComponents *components, CtrPendingView *view)
{
  return ctr_pending_lock (&((Result *) components)->pending, view);
}

bool
ctr_components_unlock (CtrComponents *components, void *event, CtrError *error)
{
  return ctr_pending_unlock (&((Result *) components)->pending, event, error);
}

bool
ctr_components_were_incomplete (const CtrComponents *components)
{
  return ((const Result *) components)->pending.was_incomplete;
}

bool
ctr_components_lead (CtrComponents *components, void *stream, CtrError *error)
{
  return ctr_pending_lead (&((Result *) components)->pending, stream, error);
}

CtrComponents *
ctr_components_ref (CtrComponents *components)
{
  atomic_fetch_add_explicit (&((Result *) components)->refs, 1, memory_order_relaxed);
  return components;
}

void
ctr_components_unref (CtrComponents *components)
{
  Result *result = (Result *) components;
  if (!result || atomic_fetch_sub_explicit (&result->refs, 1, memory_order_acq_rel) != 1)
    return;
  free ((void *) components->table);
  free ((void *) components->moments);
  free ((void *) components->grey);
  free ((void *) components->percentiles);
  free ((void *) components->inscribed);
  free ((void *) components->contrast);
  free ((void *) components->skeleton);
  free ((void *) components->labels);
  if (result->labels_ops)
    result->labels_ops->destroy (result->labels_source);
  free (result->fetched);
  pthread_mutex_destroy (&result->fetching);
  ctr_pending_clear (&result->pending);
  free (result);
}

void
ctr_component_centroid (const CtrComponent *component, double *x, double *y)
{
  *x = (double) component->sum_x / component->area;
  *y = (double) component->sum_y / component->area;
}

void
ctr_component_shape (const CtrComponent *component, const CtrComponentMoments *moments, CtrComponentShape *shape)
{
  ctr_component_set_axes (component, moments, shape);
  const double difference = shape->mu20 - shape->mu02;
  if (difference != 0 || shape->mu11 != 0)
    shape->orientation = 0.5 * atan2 (2 * shape->mu11, difference);
}

void
ctr_component_grey_stats (const CtrComponent *component, const CtrComponentGrey *grey, double *mean, double *std_dev)
{
  ctr_component_set_grey (component, grey, mean, std_dev);
}

double
ctr_component_inscribed_radius (const CtrComponentInscribed *inscribed)
{
  return ctr_component_radius (inscribed);
}

double
ctr_component_skeleton_length (const CtrComponentSkeleton *skeleton)
{
  return ctr_component_length (skeleton);
}

double
ctr_component_skeleton_width (const CtrComponentSkeleton *skeleton)
{
  return ctr_component_breadth (skeleton);
}

void
ctr_component_contrast (const CtrComponent *component, const CtrComponentGrey *grey,
    const CtrComponentContrast *contrast, double *ring_mean, double *difference)
{
  ctr_component_set_contrast (component, grey, contrast, ring_mean, difference);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lists of contours: reference counting, fetching from the GPU, and all floating-point values. */
#include "core/results/contourlist.h"

#include "core/common/error.h"
#include "core/common/memory.h"
#include "core/results/contour_moments.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { ARRAYS = CTR_CONTOURS_FITS + 1 };

/* The public struct is the first member, so that pointers to both can be converted. */
typedef struct {
  CtrContours public;
  atomic_int refs;
  CtrPending pending;              /* until it is settled, the numbers are 0 and there are no arrays */
  _Atomic (void *) arrays[ARRAYS]; /* in host memory; NULL until fetched */
  _Atomic (CtrCodeArrays *) codes; /* NULL until asked for */
  const CtrContoursSource *ops;    /* NULL: all arrays are in host memory */
  void *source;
  pthread_mutex_t fetching;
  CtrSnakeHistory history; /* owned */
  void *owner;
  void (*release_owner) (void *owner);
} Result;

static Result *
result_new (const CtrContours *info, const CtrPendingOps *ops, void *analyser)
{
  Result *result = calloc (1, sizeof *result);
  if (!result)
    return NULL;
  result->public = *info;
  atomic_init (&result->refs, 1);
  for (int i = 0; i < ARRAYS; i++)
    atomic_init (&result->arrays[i], NULL);
  atomic_init (&result->codes, NULL);
  ctr_pending_init (&result->pending, ops, analyser);
  pthread_mutex_init (&result->fetching, NULL);
  return result;
}

static void
fail_to_allocate (CtrError *error)
{
  ctr_fail (error, CTR_ERROR_OUT_OF_MEMORY, "no host memory for the contours of an image");
}

static size_t
array_size (const CtrContours *contours, CtrContoursArray array)
{
  switch (array) {
    case CTR_CONTOURS_TABLE:
      return contours->count * sizeof (CtrContour);
    case CTR_CONTOURS_POINTS:
      return contours->point_count * sizeof (CtrPoint);
    case CTR_CONTOURS_SUMS:
      return contours->count * sizeof (CtrContourSums);
    case CTR_CONTOURS_REGIONS:
      return contours->count * sizeof (CtrSnakeRegion);
    case CTR_CONTOURS_NESTING:
      return contours->count * sizeof (CtrContourNesting);
    case CTR_CONTOURS_SHAPES:
      return contours->count * sizeof (CtrContourShape);
    case CTR_CONTOURS_SUBPIXEL:
      return contours->point_count * sizeof (CtrSubpixelPoint);
    case CTR_CONTOURS_FITS:
      return contours->count * sizeof (CtrContourFits);
  }
  return 0;
}

static bool
has_array (const CtrContours *contours, CtrContoursArray array)
{
  switch (array) {
    case CTR_CONTOURS_SUMS:
      return contours->features & CTR_CONTOUR_FEATURE_MOMENTS;
    case CTR_CONTOURS_REGIONS:
      return contours->features & CTR_CONTOUR_FEATURE_REGIONS;
    case CTR_CONTOURS_NESTING:
      return contours->features & CTR_CONTOUR_FEATURE_NESTING;
    case CTR_CONTOURS_SHAPES:
      return contours->features & CTR_CONTOUR_SHAPE_FEATURES;
    case CTR_CONTOURS_SUBPIXEL:
      return contours->features & CTR_CONTOUR_FEATURE_SUBPIXEL;
    case CTR_CONTOURS_FITS:
      return contours->features & CTR_CONTOUR_FEATURE_FITS;
    default:
      return true;
  }
}

static void *
array_new (const CtrContours *contours, CtrContoursArray array, CtrError *error)
{
  const size_t size = array_size (contours, array);
  /* malloc (0) may return NULL. */
  void *memory = ctr_alloc_array (size ? size : 1, 1);
  if (!memory)
    ctr_fail (error, CTR_ERROR_OUT_OF_MEMORY,
        "no host memory for the result: %u contours of %llu points in a %u x %u image", contours->count,
        (unsigned long long) contours->point_count, contours->width, contours->height);
  return memory;
}

CtrContours *
ctr_contours_alloc (const CtrContours *info, CtrContourArrays *arrays, CtrError *error)
{
  Result *result = result_new (info, NULL, NULL);
  if (!result) {
    fail_to_allocate (error);
    return NULL;
  }
  void *memory[ARRAYS] = {NULL};
  for (int i = 0; i < ARRAYS; i++) {
    if (!has_array (info, i))
      continue;
    memory[i] = array_new (info, i, error);
    if (!memory[i]) {
      ctr_contours_unref (&result->public);
      return NULL;
    }
    atomic_init (&result->arrays[i], memory[i]);
  }
  *arrays = (CtrContourArrays){memory[CTR_CONTOURS_TABLE], memory[CTR_CONTOURS_POINTS], memory[CTR_CONTOURS_SUMS],
      memory[CTR_CONTOURS_REGIONS], memory[CTR_CONTOURS_NESTING], memory[CTR_CONTOURS_SHAPES],
      memory[CTR_CONTOURS_SUBPIXEL], memory[CTR_CONTOURS_FITS]};
  return &result->public;
}

CtrContours *
ctr_contours_refuse (const CtrContours *info, CtrLimit limit, uint64_t needed, CtrError *error)
{
  CtrContours none = *info;
  CtrContourArrays arrays;
  none.count = 0;
  none.point_count = 0;
  none.exceeded = limit;
  none.needed = needed;
  return ctr_contours_alloc (&none, &arrays, error);
}

CtrContours *
ctr_contours_new_remote (const CtrContours *info, const CtrContoursSource *ops, void *source, CtrError *error)
{
  Result *result = result_new (info, NULL, NULL);
  if (!result) {
    fail_to_allocate (error);
    return NULL;
  }
  result->ops = ops;
  result->source = source;
  return &result->public;
}

CtrContours *
ctr_contours_new_pending (const CtrContours *info, const CtrPendingOps *ops, void *analyser, CtrError *error)
{
  Result *result = result_new (info, ops, analyser);
  if (!result) {
    fail_to_allocate (error);
    return NULL;
  }
  return &result->public;
}

void
ctr_contours_settle (CtrContours *pending, CtrContours *complete)
{
  Result *to = (Result *) pending, *from = (Result *) complete;
  /* The other fields are known to readers already. */
  pending->count = complete->count;
  pending->threshold = complete->threshold;
  pending->point_count = complete->point_count;
  pending->exceeded = complete->exceeded;
  pending->needed = complete->needed;
  pending->unfinished = complete->unfinished;
  for (int i = 0; i < ARRAYS; i++) {
    atomic_store_explicit (
        &to->arrays[i], atomic_load_explicit (&from->arrays[i], memory_order_relaxed), memory_order_relaxed);
    atomic_store_explicit (&from->arrays[i], NULL, memory_order_relaxed);
  }
  to->ops = from->ops;
  to->source = from->source;
  from->ops = NULL;
  ctr_contours_unref (complete);
}

bool
ctr_contours_wait (CtrContours *contours, CtrError *error)
{
  return ctr_pending_wait (&((Result *) contours)->pending, contours, error);
}

static bool
wait_for_result (void *result, CtrError *error)
{
  return ctr_contours_wait (result, error);
}

static void
unref_result (void *result)
{
  ctr_contours_unref (result);
}

const CtrResultType ctr_contours_result_type = {wait_for_result, unref_result};

bool
ctr_contours_is_complete (const CtrContours *contours)
{
  return ctr_pending_settled (&((const Result *) contours)->pending);
}

bool
ctr_contours_lock (CtrContours *contours, CtrPendingView *view)
{
  return ctr_pending_lock (&((Result *) contours)->pending, view);
}

bool
ctr_contours_unlock (CtrContours *contours, void *event, CtrError *error)
{
  return ctr_pending_unlock (&((Result *) contours)->pending, event, error);
}

bool
ctr_contours_were_incomplete (const CtrContours *contours)
{
  return ((const Result *) contours)->pending.was_incomplete;
}

bool
ctr_contours_lead (CtrContours *contours, void *stream, CtrError *error)
{
  return ctr_pending_lead (&((Result *) contours)->pending, stream, error);
}

CtrContours *
ctr_contours_ref (CtrContours *contours)
{
  atomic_fetch_add_explicit (&((Result *) contours)->refs, 1, memory_order_relaxed);
  return contours;
}

void
ctr_contours_unref (CtrContours *contours)
{
  Result *result = (Result *) contours;
  if (!result || atomic_fetch_sub_explicit (&result->refs, 1, memory_order_acq_rel) != 1)
    return;
  void *owner = result->owner;
  void (*release_owner) (void *) = result->release_owner;
  if (result->ops)
    result->ops->destroy (result->source);
  for (int i = 0; i < ARRAYS; i++)
    free (atomic_load_explicit (&result->arrays[i], memory_order_relaxed));
  ctr_codes_free (atomic_load_explicit (&result->codes, memory_order_relaxed));
  free ((void *) result->history.states);
  free ((void *) result->history.points);
  pthread_mutex_destroy (&result->fetching);
  ctr_pending_clear (&result->pending);
  free (result);
  if (release_owner)
    release_owner (owner);
}

void
ctr_contours_set_owner (CtrContours *contours, void *object, void (*release) (void *object))
{
  Result *result = (Result *) contours;
  result->owner = object;
  result->release_owner = release;
}

/* The caller holds the lock. */
static void *
fetch (Result *result, CtrContoursArray array, CtrError *error)
{
  void *memory = array_new (&result->public, array, error);
  const size_t size = array_size (&result->public, array);
  if (!memory || size == 0)
    return memory;
  if (result->ops->fetch (result->source, array, memory, size, error))
    return memory;
  free (memory);
  return NULL;
}

/* The caller holds the lock. */
static void *
map_locked (Result *result, CtrContoursArray array, CtrError *error)
{
  void *memory = atomic_load_explicit (&result->arrays[array], memory_order_relaxed);
  if (!memory) {
    memory = fetch (result, array, error);
    atomic_store_explicit (&result->arrays[array], memory, memory_order_release);
  }
  return memory;
}

static void *
map (CtrContours *contours, CtrContoursArray array, CtrError *error)
{
  Result *result = (Result *) contours;
  if (!ctr_contours_wait (contours, error))
    return NULL;
  void *memory = atomic_load_explicit (&result->arrays[array], memory_order_acquire);
  if (memory || !result->ops || !has_array (contours, array))
    return memory;
  pthread_mutex_lock (&result->fetching);
  memory = map_locked (result, array, error);
  pthread_mutex_unlock (&result->fetching);
  return memory;
}

const CtrContour *
ctr_contours_map_table (CtrContours *contours, CtrError *error)
{
  return map (contours, CTR_CONTOURS_TABLE, error);
}

const CtrPoint *
ctr_contours_map_points (CtrContours *contours, CtrError *error)
{
  return map (contours, CTR_CONTOURS_POINTS, error);
}

const CtrContourSums *
ctr_contours_map_sums (CtrContours *contours, CtrError *error)
{
  return map (contours, CTR_CONTOURS_SUMS, error);
}

const CtrSnakeRegion *
ctr_contours_map_regions (CtrContours *contours, CtrError *error)
{
  return map (contours, CTR_CONTOURS_REGIONS, error);
}

void
ctr_contours_set_history (CtrContours *contours, const CtrSnakeHistory *history)
{
  ((Result *) contours)->history = *history;
}

bool
ctr_contours_get_history (CtrContours *contours, CtrSnakeHistory *history)
{
  *history = ((const Result *) contours)->history;
  return contours->features & CTR_CONTOUR_FEATURE_HISTORY;
}

bool
ctr_contours_have_codes (const CtrContours *contours)
{
  return contours->vertices != CTR_VERTICES_ANY;
}

static bool
fill_codes (Result *result, CtrCodeArrays *codes, CtrError *error)
{
  if (result->ops && result->ops->fetch_codes)
    return result->ops->fetch_codes (result->source, &result->public, codes, error);
  const CtrContour *table = map_locked (result, CTR_CONTOURS_TABLE, error);
  const CtrPoint *points = table ? map_locked (result, CTR_CONTOURS_POINTS, error) : NULL;
  return points && ctr_codes_pack (codes, &result->public, table, points, error);
}

/* The caller holds the lock. */
static CtrCodeArrays *
make_codes (Result *result, CtrError *error)
{
  CtrCodeArrays *codes = atomic_load_explicit (&result->codes, memory_order_relaxed);
  if (codes || !(codes = ctr_codes_new (&result->public, error)))
    return codes;
  if (fill_codes (result, codes, error)) {
    atomic_store_explicit (&result->codes, codes, memory_order_release);
    return codes;
  }
  ctr_codes_free (codes);
  return NULL;
}

bool
ctr_contours_map_codes (CtrContours *contours, CtrContourCodes *codes, CtrError *error)
{
  Result *result = (Result *) contours;
  if (!ctr_contours_have_codes (contours))
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT,
        "these contours have no chain codes, as those of region snakes, those simplified with epsilon and those of "
        "strips: use their points, or, for borders, set epsilon to 0");
  if (!ctr_contours_wait (contours, error))
    return false;
  CtrCodeArrays *arrays = atomic_load_explicit (&result->codes, memory_order_acquire);
  if (!arrays) {
    pthread_mutex_lock (&result->fetching);
    arrays = make_codes (result, error);
    pthread_mutex_unlock (&result->fetching);
  }
  if (arrays)
    *codes = (CtrContourCodes){arrays->chains, arrays->bytes, arrays->size, arrays->bits};
  return arrays;
}

const CtrContourShape *
ctr_contours_map_shapes (CtrContours *contours, CtrError *error)
{
  return map (contours, CTR_CONTOURS_SHAPES, error);
}

const CtrSubpixelPoint *
ctr_contours_map_subpixel (CtrContours *contours, CtrError *error)
{
  return map (contours, CTR_CONTOURS_SUBPIXEL, error);
}

const CtrContourFits *
ctr_contours_map_fits (CtrContours *contours, CtrError *error)
{
  return map (contours, CTR_CONTOURS_FITS, error);
}

const CtrContourNesting *
ctr_contours_map_nesting (CtrContours *contours, CtrError *error)
{
  return map (contours, CTR_CONTOURS_NESTING, error);
}

bool
ctr_contours_get_device (CtrContours *contours, CtrDeviceContours *device)
{
  const Result *result = (const Result *) contours;
  return ctr_contours_wait (contours, NULL) && result->ops && result->ops->get_device
         && result->ops->get_device (result->source, device);
}

double
ctr_contour_area (const CtrContour *contour, bool oriented)
{
  const double area = (double) contour->area2 * 0.5;
  return oriented ? area : fabs (area);
}

double
ctr_contour_perimeter (const CtrContour *contour)
{
  return (double) contour->length * CTR_LENGTH_UNIT;
}

void
ctr_contour_moments (const CtrContourSums *sums, CtrContourMoments *moments)
{
  ctr_moments_of (sums, moments);
}

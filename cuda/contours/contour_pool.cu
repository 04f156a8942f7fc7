/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cuda/contours/contour_pool.h"

#include "cuda/common/context.h"
#include "cuda/contours/contour_codes.h"

#include "core/common/room.h"

#include <string.h>

namespace
{

struct ContourPool {
  ResultPool base;
  uint32_t likely_count; /* of the last result */
  uint32_t likely_point_count;
  pthread_mutex_t packing; /* of CODES, which serve one result at a time */
  ContourCodes codes;
};

/* What the memory of a slot is for. */
struct Wanted {
  uint32_t contours, points;
};

} // namespace

static void
clear_slot (ResultSlot *base)
{
  ContourSlot *slot = (ContourSlot *) base;
  ctr_device_buffer_free (&slot->table);
  ctr_device_buffer_free (&slot->points);
  ctr_device_buffer_free (&slot->sums);
  ctr_device_buffer_free (&slot->nesting);
  ctr_device_buffer_free (&slot->shapes);
  ctr_device_buffer_free (&slot->subpixel);
  ctr_device_buffer_free (&slot->fits);
  ctr_device_buffer_free (&slot->numbers);
}

static void
clear_pool (ResultPool *base)
{
  ContourPool *pool = (ContourPool *) base;
  contour_codes_free (&pool->codes);
  pthread_mutex_destroy (&pool->packing);
}

static ContourPool *
pool_of (const ContourSlot *slot)
{
  return (ContourPool *) slot->base.pool;
}

ResultPool *
contour_pool_new (CtrError *error)
{
  static const ResultPoolKind kind = {"contours", sizeof (ContourPool), sizeof (ContourSlot), clear_slot, clear_pool};
  ResultPool *pool = result_pool_new (&kind, error);
  if (!pool)
    return NULL;
  pthread_mutex_init (&((ContourPool *) pool)->packing, NULL);
  contour_codes_init (&((ContourPool *) pool)->codes);
  return pool;
}

ContourSlot *
contour_pool_take (ResultPool *pool, CtrError *error)
{
  return (ContourSlot *) result_pool_take (pool, error);
}

static void
give_back_memory (ResultSlot *base, void *data)
{
  ContourSlot *slot = (ContourSlot *) base;
  const Wanted *wanted = (const Wanted *) data;
  if (ctr_room_is_excess (slot->table.size, wanted->contours * sizeof (CtrContour)))
    ctr_device_buffer_free (&slot->table);
  if (ctr_room_is_excess (slot->points.size, wanted->points * sizeof (CtrPoint)))
    ctr_device_buffer_free (&slot->points);
  if (ctr_room_is_excess (slot->sums.size, wanted->contours * sizeof (CtrContourSums)))
    ctr_device_buffer_free (&slot->sums);
  if (ctr_room_is_excess (slot->nesting.size, wanted->contours * sizeof (CtrContourNesting)))
    ctr_device_buffer_free (&slot->nesting);
  if (ctr_room_is_excess (slot->shapes.size, wanted->contours * sizeof (CtrContourShape)))
    ctr_device_buffer_free (&slot->shapes);
  if (ctr_room_is_excess (slot->subpixel.size, wanted->points * sizeof (CtrSubpixelPoint)))
    ctr_device_buffer_free (&slot->subpixel);
  if (ctr_room_is_excess (slot->fits.size, wanted->contours * sizeof (CtrContourFits)))
    ctr_device_buffer_free (&slot->fits);
}

bool
contour_pool_give_back_memory (ResultPool *base, ContourSlot *slot, uint32_t contours, uint32_t points)
{
  ContourPool *pool = (ContourPool *) base;
  Wanted wanted = {contours, points};
  if (slot)
    give_back_memory (&slot->base, &wanted);
  result_pool_visit_unused (base, give_back_memory, &wanted);
  /* Codes that are being packed are needed. */
  if (pthread_mutex_trylock (&pool->packing) != 0)
    return false;
  const bool some = contour_codes_give_back (&pool->codes);
  pthread_mutex_unlock (&pool->packing);
  return some;
}

static bool
fetch (void *source, CtrContoursArray array, void *to, size_t size, CtrError *error)
{
  ContourSlot *slot = (ContourSlot *) source;
  const CtrDeviceBuffer *buffer = array == CTR_CONTOURS_TABLE      ? &slot->table
                                  : array == CTR_CONTOURS_POINTS   ? &slot->points
                                  : array == CTR_CONTOURS_NESTING  ? &slot->nesting
                                  : array == CTR_CONTOURS_SHAPES   ? &slot->shapes
                                  : array == CTR_CONTOURS_SUBPIXEL ? &slot->subpixel
                                  : array == CTR_CONTOURS_FITS     ? &slot->fits
                                                                   : &slot->sums;
  return size == 0 || result_slot_fetch (&slot->base, buffer->data, to, size, error);
}

/* The caller holds the lock. */
static bool
pack_codes (ContourSlot *slot, const CtrContours *contours, CtrCodeArrays *to, CtrError *error)
{
  ContourCodes *codes = &pool_of (slot)->codes;
  const CtrContour *table = (const CtrContour *) slot->table.data;
  const CtrPoint *points = (const CtrPoint *) slot->points.data;
  const cudaStream_t stream = slot->base.pool->stream;
  if (!contour_codes_queue (codes, contours, table, points, stream, error) || !result_slot_wait (&slot->base, error)
      || !contour_codes_append_chains (codes, contours, to, error))
    return false;
  /* The first codes, and longer ones than any before, are packed a second time. */
  if (!contour_codes_have_room (codes, to->size)
      && !(contour_codes_queue_again (codes, contours, table, points, to->size, stream, error)
           && result_slot_wait (&slot->base, error)))
    return false;
  if (!ctr_codes_make_room (to, contours, error))
    return false;
  if (to->size > 0)
    memcpy (to->bytes, codes->bytes.data, to->size);
  return true;
}

static bool
fetch_codes (void *source, const CtrContours *contours, CtrCodeArrays *to, CtrError *error)
{
  ContourSlot *slot = (ContourSlot *) source;
  if (contours->count == 0)
    return ctr_codes_make_room (to, contours, error);
  ctr_context_push (slot->base.pool->context);
  pthread_mutex_lock (&pool_of (slot)->packing);
  const bool ok = pack_codes (slot, contours, to, error);
  pthread_mutex_unlock (&pool_of (slot)->packing);
  ctr_context_pop ();
  return ok;
}

static bool
get_device (void *source, CtrDeviceContours *device)
{
  const ContourSlot *slot = (const ContourSlot *) source;
  if (!result_slot_is_here (&slot->base))
    return false;
  *device = {(const CtrContour *) slot->table.data, (const CtrPoint *) slot->points.data,
      slot->has_sums ? (const CtrContourSums *) slot->sums.data : NULL,
      slot->has_nesting ? (const CtrContourNesting *) slot->nesting.data : NULL,
      slot->has_shapes ? (const CtrContourShape *) slot->shapes.data : NULL,
      slot->has_subpixel ? (const CtrSubpixelPoint *) slot->subpixel.data : NULL,
      slot->has_fits ? (const CtrContourFits *) slot->fits.data : NULL};
  return true;
}

static void
destroy (void *source)
{
  result_slot_give_back ((ResultSlot *) source);
}

bool
contour_slot_reserve (ContourSlot *slot, uint32_t contours, uint32_t points, bool with_sums, CtrError *error)
{
  return ctr_device_buffer_reserve (&slot->numbers, sizeof (CtrDeviceNumbers), error)
         && ctr_device_buffer_reserve (&slot->table, contours * sizeof (CtrContour), error)
         && ctr_device_buffer_reserve (&slot->points, points * sizeof (CtrPoint), error)
         && ctr_device_buffer_reserve (&slot->sums, with_sums ? contours * sizeof (CtrContourSums) : 0, error);
}

bool
contour_slot_reserve_nesting (ContourSlot *slot, uint32_t contours, CtrError *error)
{
  return ctr_device_buffer_reserve (&slot->nesting, contours * sizeof (CtrContourNesting), error);
}

bool
contour_slot_reserve_shapes (ContourSlot *slot, uint32_t contours, CtrError *error)
{
  return ctr_device_buffer_reserve (&slot->shapes, contours * sizeof (CtrContourShape), error);
}

bool
contour_slot_reserve_subpixel (ContourSlot *slot, uint32_t points, CtrError *error)
{
  return ctr_device_buffer_reserve (&slot->subpixel, points * sizeof (CtrSubpixelPoint), error);
}

bool
contour_slot_reserve_fits (ContourSlot *slot, uint32_t contours, CtrError *error)
{
  return ctr_device_buffer_reserve (&slot->fits, contours * sizeof (CtrContourFits), error);
}

void
contour_slot_view (const ContourSlot *slot, const CudaSession *session, CtrPendingView *view)
{
  view->context = session->context;
  view->stream = session->marked;
  view->done = session->done;
  view->numbers = (const CtrDeviceNumbers *) slot->numbers.data;
  view->table = slot->table.data;
  view->points = slot->points.data;
  view->capacity = (uint32_t) min (slot->table.size / sizeof (CtrContour), (size_t) UINT32_MAX);
  view->likely_count = pool_of (slot)->likely_count;
  view->likely_point_count = pool_of (slot)->likely_point_count;
}

CtrContours *
contour_slot_publish (ContourSlot *slot, const CtrContours *info, CtrError *error)
{
  static const CtrContoursSource ops = {fetch, get_device, destroy, fetch_codes};
  slot->has_sums = info->features & CTR_CONTOUR_FEATURE_MOMENTS;
  slot->has_shapes = info->features & CTR_CONTOUR_SHAPE_FEATURES;
  slot->has_subpixel = info->features & CTR_CONTOUR_FEATURE_SUBPIXEL;
  slot->has_fits = info->features & CTR_CONTOUR_FEATURE_FITS;
  slot->has_nesting = info->features & CTR_CONTOUR_FEATURE_NESTING;
  pool_of (slot)->likely_count = info->count;
  pool_of (slot)->likely_point_count = (uint32_t) info->point_count;
  return ctr_contours_new_remote (info, &ops, slot, error);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cuda/contours/contour_pool.h"

#include "cuda/common/context.h"
#include "cuda/contours/contour_codes.h"

#include "core/common/room.h"

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
  if (pool)
    pthread_mutex_init (&((ContourPool *) pool)->packing, NULL);
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
}

void
contour_pool_give_back_memory (ResultPool *pool, ContourSlot *slot, uint32_t contours, uint32_t points)
{
  Wanted wanted = {contours, points};
  if (slot)
    give_back_memory (&slot->base, &wanted);
  result_pool_visit_unused (pool, give_back_memory, &wanted);
}

static bool
fetch (void *source, CtrContoursArray array, void *to, size_t size, CtrError *error)
{
  ContourSlot *slot = (ContourSlot *) source;
  const CtrDeviceBuffer *buffer = array == CTR_CONTOURS_TABLE     ? &slot->table
                                  : array == CTR_CONTOURS_POINTS  ? &slot->points
                                  : array == CTR_CONTOURS_NESTING ? &slot->nesting
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
  if (!contour_codes_count (codes, contours, table, points, stream, error)
      || !result_slot_copy (&slot->base, codes->rows, to->rows, contours->count * sizeof *to->rows, error)
      || !ctr_codes_lay_out (to, contours, error))
    return false;
  return to->size == 0
         || (contour_codes_pack (codes, contours, table, points, to->size, stream, error)
             && result_slot_copy (&slot->base, codes->bytes.data, to->bytes, to->size, error));
}

static bool
fetch_codes (void *source, const CtrContours *contours, CtrCodeArrays *to, CtrError *error)
{
  ContourSlot *slot = (ContourSlot *) source;
  if (contours->count == 0)
    return ctr_codes_lay_out (to, contours, error);
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
      slot->has_nesting ? (const CtrContourNesting *) slot->nesting.data : NULL};
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
  slot->has_nesting = info->features & CTR_CONTOUR_FEATURE_NESTING;
  pool_of (slot)->likely_count = info->count;
  pool_of (slot)->likely_point_count = (uint32_t) info->point_count;
  return ctr_contours_new_remote (info, &ops, slot, error);
}

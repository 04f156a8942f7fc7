/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A slot is lent to a frame, handed to its result, copied to the host on demand, and returned to the pool. */
#include "cuda/contours/contour_pool.h"

#include "cuda/common/context.h"
#include "cuda/common/session.cuh"
#include "cuda/contours/contour_codes.h"

#include "core/common/room.h"

#include <pthread.h>
#include <stdlib.h>

struct ContourPool {
  void *context;
  cudaStream_t stream; /* of copies to the host */
  pthread_mutex_t lock;
  unsigned refs; /* one of the owner, one of each slot in use */
  ContourSlot *unused;
  uint32_t likely_count; /* of the last result */
  uint32_t likely_point_count;
  pthread_mutex_t packing; /* of CODES, which serve one result at a time */
  ContourCodes codes;
};

ContourPool *
contour_pool_new (CtrError *error)
{
  ContourPool *pool = (ContourPool *) calloc (1, sizeof *pool);
  if (!pool) {
    ctr_fail (error, CTR_ERROR_OUT_OF_MEMORY, "out of host memory for contours");
    return NULL;
  }
  const cudaError_t status = cudaStreamCreateWithFlags (&pool->stream, cudaStreamNonBlocking);
  if (status != cudaSuccess) {
    ctr_cuda_fail (error, status, "creating the stream of a contour pool");
    free (pool);
    return NULL;
  }
  pool->context = ctr_context_current ();
  pool->refs = 1;
  pthread_mutex_init (&pool->lock, NULL);
  pthread_mutex_init (&pool->packing, NULL);
  return pool;
}

/* Called with the lock held; releases it. */
static void
drop_reference (ContourPool *pool)
{
  const bool last = --pool->refs == 0;
  pthread_mutex_unlock (&pool->lock);
  if (!last)
    return;
  ctr_context_push (pool->context);
  while (pool->unused) {
    ContourSlot *slot = pool->unused;
    pool->unused = slot->next;
    ctr_device_buffer_free (&slot->table);
    ctr_device_buffer_free (&slot->points);
    ctr_device_buffer_free (&slot->sums);
    ctr_device_buffer_free (&slot->nesting);
    ctr_device_buffer_free (&slot->numbers);
    if (slot->copied)
      cudaEventDestroy (slot->copied);
    free (slot);
  }
  contour_codes_free (&pool->codes);
  cudaStreamDestroy (pool->stream);
  cudaGetLastError (); /* The context may be gone; errors have nowhere to go. */
  ctr_context_pop ();
  pthread_mutex_destroy (&pool->packing);
  pthread_mutex_destroy (&pool->lock);
  free (pool);
}

void
contour_pool_unref (ContourPool *pool)
{
  pthread_mutex_lock (&pool->lock);
  drop_reference (pool);
}

ContourSlot *
contour_pool_take (ContourPool *pool, CtrError *error)
{
  pthread_mutex_lock (&pool->lock);
  ContourSlot *slot = pool->unused;
  if (slot)
    pool->unused = slot->next;
  else
    slot = (ContourSlot *) calloc (1, sizeof *slot);
  if (slot) {
    slot->pool = pool;
    pool->refs++;
  }
  pthread_mutex_unlock (&pool->lock);
  if (!slot)
    ctr_fail (error, CTR_ERROR_OUT_OF_MEMORY, "out of host memory for contours");
  return slot;
}

void
contour_pool_give_back (ContourSlot *slot)
{
  ContourPool *pool = slot->pool;
  pthread_mutex_lock (&pool->lock);
  slot->next = pool->unused;
  pool->unused = slot;
  drop_reference (pool);
}

static void
give_back_memory (ContourSlot *slot, uint32_t contours, uint32_t points)
{
  if (ctr_room_is_excess (slot->table.size, contours * sizeof (CtrContour)))
    ctr_device_buffer_free (&slot->table);
  if (ctr_room_is_excess (slot->points.size, points * sizeof (CtrPoint)))
    ctr_device_buffer_free (&slot->points);
  if (ctr_room_is_excess (slot->sums.size, contours * sizeof (CtrContourSums)))
    ctr_device_buffer_free (&slot->sums);
  if (ctr_room_is_excess (slot->nesting.size, contours * sizeof (CtrContourNesting)))
    ctr_device_buffer_free (&slot->nesting);
}

void
contour_pool_give_back_memory (ContourPool *pool, ContourSlot *slot, uint32_t contours, uint32_t points)
{
  if (slot)
    give_back_memory (slot, contours, points);
  pthread_mutex_lock (&pool->lock);
  for (slot = pool->unused; slot; slot = slot->next)
    give_back_memory (slot, contours, points);
  pthread_mutex_unlock (&pool->lock);
}

static bool
copy_down (ContourSlot *slot, const void *from, void *to, size_t size, CtrError *error)
{
  const cudaStream_t stream = slot->pool->stream;
  if (!slot->copied)
    CTR_CUDA (cuda_create_event (&slot->copied));
  CTR_CUDA (cudaMemcpyAsync (to, from, size, cudaMemcpyDeviceToHost, stream));
  CTR_CUDA (cuda_wait_for_stream (stream, slot->copied, &slot->copy_wait));
  return true;
}

static bool
fetch (void *source, CtrContoursArray array, void *to, size_t size, CtrError *error)
{
  ContourSlot *slot = (ContourSlot *) source;
  const CtrDeviceBuffer *buffer = array == CTR_CONTOURS_TABLE     ? &slot->table
                                  : array == CTR_CONTOURS_POINTS  ? &slot->points
                                  : array == CTR_CONTOURS_NESTING ? &slot->nesting
                                                                  : &slot->sums;
  if (size == 0)
    return true;
  ctr_context_push (slot->pool->context);
  const bool ok = copy_down (slot, buffer->data, to, size, error);
  ctr_context_pop ();
  return ok;
}

/* The caller holds the lock. */
static bool
pack_codes (ContourSlot *slot, const CtrContours *contours, CtrCodeArrays *to, CtrError *error)
{
  ContourCodes *codes = &slot->pool->codes;
  const CtrContour *table = (const CtrContour *) slot->table.data;
  const CtrPoint *points = (const CtrPoint *) slot->points.data;
  const cudaStream_t stream = slot->pool->stream;
  if (!contour_codes_count (codes, contours, table, points, stream, error)
      || !copy_down (slot, codes->rows, to->rows, contours->count * sizeof *to->rows, error)
      || !ctr_codes_lay_out (to, contours, error))
    return false;
  return to->size == 0
         || (contour_codes_pack (codes, contours, table, points, to->size, stream, error)
             && copy_down (slot, codes->bytes.data, to->bytes, to->size, error));
}

static bool
fetch_codes (void *source, const CtrContours *contours, CtrCodeArrays *to, CtrError *error)
{
  ContourSlot *slot = (ContourSlot *) source;
  if (contours->count == 0)
    return ctr_codes_lay_out (to, contours, error);
  ctr_context_push (slot->pool->context);
  pthread_mutex_lock (&slot->pool->packing);
  const bool ok = pack_codes (slot, contours, to, error);
  pthread_mutex_unlock (&slot->pool->packing);
  ctr_context_pop ();
  return ok;
}

static bool
get_device (void *source, CtrDeviceContours *device)
{
  const ContourSlot *slot = (const ContourSlot *) source;
  if (slot->pool->context != ctr_context_current ())
    return false;
  *device = {(const CtrContour *) slot->table.data, (const CtrPoint *) slot->points.data,
      slot->has_sums ? (const CtrContourSums *) slot->sums.data : NULL,
      slot->has_nesting ? (const CtrContourNesting *) slot->nesting.data : NULL};
  return true;
}

static void
destroy (void *source)
{
  contour_pool_give_back ((ContourSlot *) source);
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
  view->likely_count = slot->pool->likely_count;
  view->likely_point_count = slot->pool->likely_point_count;
}

CtrContours *
contour_slot_publish (ContourSlot *slot, const CtrContours *info, CtrError *error)
{
  static const CtrContoursSource ops = {fetch, get_device, destroy, fetch_codes};
  slot->has_sums = info->features & CTR_CONTOUR_FEATURE_MOMENTS;
  slot->has_nesting = info->features & CTR_CONTOUR_FEATURE_NESTING;
  slot->pool->likely_count = info->count;
  slot->pool->likely_point_count = (uint32_t) info->point_count;
  return ctr_contours_new_remote (info, &ops, slot, error);
}

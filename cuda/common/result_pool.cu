/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cuda/common/result_pool.h"

#include "cuda/common/context.h"

#include <stdio.h>
#include <stdlib.h>

static bool
fail_memory (const ResultPoolKind *kind, CtrError *error)
{
  return ctr_fail (error, CTR_ERROR_OUT_OF_MEMORY, "out of host memory for %s", kind->results);
}

ResultPool *
result_pool_new (const ResultPoolKind *kind, CtrError *error)
{
  ResultPool *pool = (ResultPool *) calloc (1, kind->pool_size);
  if (!pool) {
    fail_memory (kind, error);
    return NULL;
  }
  const cudaError_t status = cudaStreamCreateWithFlags (&pool->stream, cudaStreamNonBlocking);
  if (status != cudaSuccess) {
    char call[64];
    snprintf (call, sizeof call, "creating the stream of %s", kind->results);
    ctr_cuda_fail (error, status, call);
    free (pool);
    return NULL;
  }
  pool->kind = kind;
  pool->context = ctr_context_current ();
  pool->refs = 1;
  pthread_mutex_init (&pool->lock, NULL);
  return pool;
}

static void
free_pool (ResultPool *pool)
{
  ctr_context_push (pool->context);
  while (pool->unused) {
    ResultSlot *slot = pool->unused;
    pool->unused = slot->next;
    pool->kind->clear_slot (slot);
    if (slot->copied)
      cudaEventDestroy (slot->copied);
    free (slot);
  }
  if (pool->kind->clear_pool)
    pool->kind->clear_pool (pool);
  cudaStreamDestroy (pool->stream);
  cudaGetLastError (); /* The context may be gone; errors have nowhere to go. */
  ctr_context_pop ();
  pthread_mutex_destroy (&pool->lock);
  free (pool);
}

/* Called with the lock held; releases it. */
static void
drop_reference (ResultPool *pool)
{
  const bool last = --pool->refs == 0;
  pthread_mutex_unlock (&pool->lock);
  if (last)
    free_pool (pool);
}

void
result_pool_unref (ResultPool *pool)
{
  pthread_mutex_lock (&pool->lock);
  drop_reference (pool);
}

ResultSlot *
result_pool_take (ResultPool *pool, CtrError *error)
{
  pthread_mutex_lock (&pool->lock);
  ResultSlot *slot = pool->unused;
  if (slot)
    pool->unused = slot->next;
  else
    slot = (ResultSlot *) calloc (1, pool->kind->slot_size);
  if (slot) {
    slot->pool = pool;
    pool->refs++;
  }
  pthread_mutex_unlock (&pool->lock);
  if (!slot)
    fail_memory (pool->kind, error);
  return slot;
}

void
result_slot_give_back (ResultSlot *slot)
{
  ResultPool *pool = slot->pool;
  pthread_mutex_lock (&pool->lock);
  slot->next = pool->unused;
  pool->unused = slot;
  drop_reference (pool);
}

void
result_pool_visit_unused (ResultPool *pool, void (*func) (ResultSlot *slot, void *data), void *data)
{
  pthread_mutex_lock (&pool->lock);
  for (ResultSlot *slot = pool->unused; slot; slot = slot->next)
    func (slot, data);
  pthread_mutex_unlock (&pool->lock);
}

bool
result_slot_is_here (const ResultSlot *slot)
{
  return slot->pool->context == ctr_context_current ();
}

bool
result_slot_wait (ResultSlot *slot, CtrError *error)
{
  if (!slot->copied)
    CTR_CUDA (cuda_create_event (&slot->copied));
  CTR_CUDA (cuda_wait_for_stream (slot->pool->stream, slot->copied, &slot->copy_wait));
  return true;
}

static bool
copy (ResultSlot *slot, const void *from, void *to, size_t size, CtrError *error)
{
  CTR_CUDA (cudaMemcpyAsync (to, from, size, cudaMemcpyDeviceToHost, slot->pool->stream));
  return result_slot_wait (slot, error);
}

bool
result_slot_fetch (ResultSlot *slot, const void *from, void *to, size_t size, CtrError *error)
{
  ctr_context_push (slot->pool->context);
  const bool ok = copy (slot, from, to, size, error);
  ctr_context_pop ();
  return ok;
}

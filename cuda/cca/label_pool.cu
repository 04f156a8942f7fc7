/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A slot is lent to a frame, handed to its result, copied to the host on demand, and returned to the pool. */
#include "cuda/cca/label_pool.h"

#include "cuda/common/context.h"

#include <pthread.h>
#include <stdlib.h>

struct LabelPool {
  void *context;
  cudaStream_t stream; /* of copies to the host */
  pthread_mutex_t lock;
  unsigned refs; /* one of the owner, one of each slot in use */
  LabelSlot *unused;
};

LabelPool *
label_pool_new (CtrError *error)
{
  LabelPool *pool = (LabelPool *) calloc (1, sizeof *pool);
  if (!pool) {
    ctr_fail (error, CTR_ERROR_OUT_OF_MEMORY, "no host memory for label images");
    return NULL;
  }
  const cudaError_t status = cudaStreamCreateWithFlags (&pool->stream, cudaStreamNonBlocking);
  if (status != cudaSuccess) {
    ctr_cuda_fail (error, status, "creating the stream of label images");
    free (pool);
    return NULL;
  }
  pool->context = ctr_context_current ();
  pool->refs = 1;
  pthread_mutex_init (&pool->lock, NULL);
  return pool;
}

/* Called with the lock held; releases it. */
static void
drop_reference (LabelPool *pool)
{
  const bool last = --pool->refs == 0;
  pthread_mutex_unlock (&pool->lock);
  if (!last)
    return;
  ctr_context_push (pool->context);
  while (pool->unused) {
    LabelSlot *slot = pool->unused;
    pool->unused = slot->next;
    ctr_device_buffer_free (&slot->memory);
    if (slot->copied)
      cudaEventDestroy (slot->copied);
    free (slot);
  }
  cudaStreamDestroy (pool->stream);
  cudaGetLastError (); /* The context may be gone; errors have nowhere to go. */
  ctr_context_pop ();
  pthread_mutex_destroy (&pool->lock);
  free (pool);
}

void
label_pool_unref (LabelPool *pool)
{
  pthread_mutex_lock (&pool->lock);
  drop_reference (pool);
}

void
label_pool_trim (LabelPool *pool)
{
  pthread_mutex_lock (&pool->lock);
  for (LabelSlot *slot = pool->unused; slot; slot = slot->next)
    ctr_device_buffer_free (&slot->memory);
  pthread_mutex_unlock (&pool->lock);
}

LabelSlot *
label_pool_take (LabelPool *pool, CtrError *error)
{
  pthread_mutex_lock (&pool->lock);
  LabelSlot *slot = pool->unused;
  if (slot)
    pool->unused = slot->next;
  else
    slot = (LabelSlot *) calloc (1, sizeof *slot);
  if (slot) {
    slot->pool = pool;
    pool->refs++;
  }
  pthread_mutex_unlock (&pool->lock);
  if (!slot)
    ctr_fail (error, CTR_ERROR_OUT_OF_MEMORY, "no host memory for label images");
  return slot;
}

void
label_pool_give_back (LabelSlot *slot)
{
  LabelPool *pool = slot->pool;
  pthread_mutex_lock (&pool->lock);
  slot->next = pool->unused;
  pool->unused = slot;
  drop_reference (pool);
}

static bool
copy_down (LabelSlot *slot, uint32_t *to, size_t count, CtrError *error)
{
  const cudaStream_t stream = slot->pool->stream;
  if (!slot->copied)
    CTR_CUDA (cuda_create_event (&slot->copied));
  CTR_CUDA (cudaMemcpyAsync (to, slot->memory.data, count * sizeof *to, cudaMemcpyDeviceToHost, stream));
  CTR_CUDA (cuda_wait_for_stream (stream, slot->copied, &slot->copy_wait));
  return true;
}

static bool
fetch (void *source, uint32_t *to, size_t count, CtrError *error)
{
  LabelSlot *slot = (LabelSlot *) source;
  ctr_context_push (slot->pool->context);
  const bool ok = copy_down (slot, to, count, error);
  ctr_context_pop ();
  return ok;
}

static bool
get_device (void *source, const uint32_t **labels)
{
  const LabelSlot *slot = (const LabelSlot *) source;
  if (slot->pool->context != ctr_context_current ())
    return false;
  *labels = (const uint32_t *) slot->memory.data;
  return true;
}

static void
destroy (void *source)
{
  label_pool_give_back ((LabelSlot *) source);
}

void
label_slot_publish (LabelSlot *slot, CtrComponents *result)
{
  static const CtrLabelsSource ops = {fetch, get_device, destroy};
  ctr_components_set_labels (result, &ops, slot);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* GPU memory of results, in slots: a slot is taken for a frame, handed to its result, copied to the host on demand, given
 * back with the last reference to the result, and taken again, with its memory, for a later frame.
 *
 * A kind of result has a pool and a slot of its own, which begin with those here. Slots are taken and given back on any
 * thread. What is in a slot belongs to whoever has taken it; an unused slot belongs to the pool, and no queued work uses
 * its memory. After result_pool_unref() the pool lives until its last slot is back. */
#ifndef CTR_CUDA_COMMON_RESULT_POOL_H
#define CTR_CUDA_COMMON_RESULT_POOL_H

#include "cuda/common/session.cuh"

#include <pthread.h>

struct ResultPool;

struct ResultSlot {
  ResultPool *pool;
  ResultSlot *next;   /* the next unused slot */
  cudaEvent_t copied; /* to the host; NULL: not yet created */
  CudaWait copy_wait;
};

/* The functions are called in the pool's context, which may be gone. */
struct ResultPoolKind {
  const char *results;               /* for errors: "contours" */
  size_t pool_size, slot_size;       /* bytes of the structs, which are zero at first */
  void (*clear_slot) (ResultSlot *); /* frees the memory on the GPU */
  void (*clear_pool) (ResultPool *); /* frees what the pool has besides slots; NULL: nothing */
};

struct ResultPool {
  const ResultPoolKind *kind;
  void *context;
  cudaStream_t stream; /* of copies to the host */
  pthread_mutex_t lock;
  unsigned refs; /* one of the owner, one of each slot that is taken */
  ResultSlot *unused;
};

/* In the current context. */
ResultPool *result_pool_new (const ResultPoolKind *kind, CtrError *error);
void result_pool_unref (ResultPool *pool);

/* Takes an unused slot, empty or with the memory of a former result. */
ResultSlot *result_pool_take (ResultPool *pool, CtrError *error);
void result_slot_give_back (ResultSlot *slot);

/* Calls FUNC for each unused slot. Nobody takes one meanwhile. */
void result_pool_visit_unused (ResultPool *pool, void (*func) (ResultSlot *slot, void *data), void *data);

/* Whether the pool's context is current. */
bool result_slot_is_here (const ResultSlot *slot);

/* Waits for what is queued on the pool's stream. In the pool's context. */
bool result_slot_wait (ResultSlot *slot, CtrError *error);

/* Copies SIZE bytes to the host, behind what is queued on the pool's stream, and waits for them. In any context. */
bool result_slot_fetch (ResultSlot *slot, const void *from, void *to, size_t size, CtrError *error);

#endif

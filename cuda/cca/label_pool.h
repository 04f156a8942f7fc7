/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* GPU memory of label images. It returns to the pool with the last reference to a result, and is used again. */
#ifndef CTR_CUDA_CCA_LABEL_POOL_H
#define CTR_CUDA_CCA_LABEL_POOL_H

#include "cuda/common/session.cuh"

#include "core/results/components.h"

struct LabelPool;

/* The memory of one label image. */
struct LabelSlot {
  CtrDeviceBuffer memory;
  cudaEvent_t copied; /* to the host; NULL: not yet created */
  CudaWait copy_wait;
  LabelPool *pool;
  LabelSlot *next; /* the next unused slot */
};

/* In the current context. After label_pool_unref() the pool lives until its last result is freed. */
LabelPool *label_pool_new (CtrError *error);
void label_pool_unref (LabelPool *pool);

/* Frees the memory of the unused slots. */
void label_pool_trim (LabelPool *pool);

/* Takes an unused slot, empty or with the memory of a former result. */
LabelSlot *label_pool_take (LabelPool *pool, CtrError *error);
void label_pool_give_back (LabelSlot *slot);

/* Gives RESULT the labels in SLOT, which belongs to the result from now on. */
void label_slot_publish (LabelSlot *slot, CtrComponents *result);

#endif

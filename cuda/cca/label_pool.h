/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The pool of label images: see cuda/common/result_pool.h. */
#ifndef CTR_CUDA_CCA_LABEL_POOL_H
#define CTR_CUDA_CCA_LABEL_POOL_H

#include "cuda/common/result_pool.h"

#include "core/results/components.h"

/* The memory of one label image. */
struct LabelSlot {
  ResultSlot base;
  CtrDeviceBuffer memory;
};

ResultPool *label_pool_new (CtrError *error);
LabelSlot *label_pool_take (ResultPool *pool, CtrError *error);

/* Frees the memory of the unused slots. */
void label_pool_trim (ResultPool *pool);

/* At the end of a period (core/common/room.h): frees the memory of the unused slots where it is far more than SIZE bytes. Was
 * there so much? */
bool label_pool_give_back (ResultPool *pool, size_t size);

/* Gives RESULT the labels in SLOT, which belongs to the result from now on. */
void label_slot_publish (LabelSlot *slot, CtrComponents *result);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* GPU memory of contour results: given back when the last reference to a result goes, and used again. */
#ifndef CTR_CUDA_CONTOURS_CONTOUR_POOL_H
#define CTR_CUDA_CONTOURS_CONTOUR_POOL_H

#include "cuda/common/device_buffer.cuh"

#include "core/results/contourlist.h"

struct ContourPool;

/* Memory of one result. */
struct ContourSlot {
  CtrDeviceBuffer table, points, sums;
  bool has_sums; /* of this result, not of a former one */
  ContourPool *pool;
  ContourSlot *next; /* unused one */
};

/* In the current context; freed with the last result after contour_pool_unref(). */
ContourPool *contour_pool_new (CtrError *error);
void contour_pool_unref (ContourPool *pool);

/* An unused slot, empty or with the memory of a former result. */
ContourSlot *contour_pool_take (ContourPool *pool, CtrError *error);
void contour_pool_give_back (ContourSlot *slot);

/* The result in SLOT, which is the result's from now on, unless this fails. */
CtrContours *contour_slot_publish (ContourSlot *slot, const CtrContours *info, CtrError *error);

#endif

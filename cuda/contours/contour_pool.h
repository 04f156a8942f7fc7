/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* GPU memory of contour results. It returns to the pool with the last reference to a result, and is used again. */
#ifndef CTR_CUDA_CONTOURS_CONTOUR_POOL_H
#define CTR_CUDA_CONTOURS_CONTOUR_POOL_H

#include "cuda/common/session.cuh"

#include "core/results/contourlist.h"

struct ContourPool;

/* The memory of one result. */
struct ContourSlot {
  CtrDeviceBuffer table, points, sums;
  CtrDeviceBuffer nesting;
  CtrDeviceBuffer numbers;    /* CtrDeviceNumbers, while the result is pending */
  bool has_sums, has_nesting; /* This result has them; the buffers may be a former one's. */
  cudaEvent_t copied;         /* to the host; NULL: not yet created */
  CudaWait copy_wait;
  ContourPool *pool;
  ContourSlot *next; /* the next unused slot */
};

/* In the current context. After contour_pool_unref() the pool lives until its last result is freed. */
ContourPool *contour_pool_new (CtrError *error);
void contour_pool_unref (ContourPool *pool);

/* Takes an unused slot, empty or with the memory of a former result. */
ContourSlot *contour_pool_take (ContourPool *pool, CtrError *error);
void contour_pool_give_back (ContourSlot *slot);

/* At the end of a period (core/common/room.h): frees the memory of SLOT, which may be NULL, and of all unused slots where it
 * is far more than that for CONTOURS rows and POINTS points. */
void contour_pool_give_back_memory (ContourPool *pool, ContourSlot *slot, uint32_t contours, uint32_t points);

/* Room for CONTOURS rows and POINTS points. */
bool contour_slot_reserve (ContourSlot *slot, uint32_t contours, uint32_t points, bool with_sums, CtrError *error);

/* Room for the nesting of CONTOURS rows, 0 if there is none. */
bool contour_slot_reserve_nesting (ContourSlot *slot, uint32_t contours, CtrError *error);

/* What SESSION's pending frame shows, whose result will be in SLOT. */
void contour_slot_view (const ContourSlot *slot, const CudaSession *session, CtrPendingView *view);

/* Makes a result of SLOT, which belongs to the result from now on. On failure SLOT stays the caller's. */
CtrContours *contour_slot_publish (ContourSlot *slot, const CtrContours *info, CtrError *error);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The pool of contour results: see cuda/common/result_pool.h. */
#ifndef CTR_CUDA_CONTOURS_CONTOUR_POOL_H
#define CTR_CUDA_CONTOURS_CONTOUR_POOL_H

#include "cuda/common/result_pool.h"

#include "core/results/contourlist.h"

/* The memory of one result. */
struct ContourSlot {
  ResultSlot base;
  CtrDeviceBuffer table, points, sums;
  CtrDeviceBuffer nesting, shapes, subpixel, fits;
  CtrDeviceBuffer numbers; /* CtrDeviceNumbers, while the result is pending */
  /* This result has them; the buffers may be a former one's. */
  bool has_sums, has_nesting, has_shapes, has_subpixel, has_fits;
};

ResultPool *contour_pool_new (CtrError *error);
ContourSlot *contour_pool_take (ResultPool *pool, CtrError *error);

/* At the end of a period (core/common/room.h): frees the memory of SLOT, which may be NULL, and of all unused slots where it
 * is far more than that for CONTOURS rows and POINTS points; and that of codes. Was there too much of codes? */
bool contour_pool_give_back_memory (ResultPool *pool, ContourSlot *slot, uint32_t contours, uint32_t points);

/* Room for CONTOURS rows and POINTS points. */
bool contour_slot_reserve (ContourSlot *slot, uint32_t contours, uint32_t points, bool with_sums, CtrError *error);

/* Room for the nesting of CONTOURS rows, 0 if there is none. */
bool contour_slot_reserve_nesting (ContourSlot *slot, uint32_t contours, CtrError *error);

/* Room for the shapes of CONTOURS rows, 0 if there are none. */
bool contour_slot_reserve_shapes (ContourSlot *slot, uint32_t contours, CtrError *error);

/* Room for the subpixels of POINTS points, 0 if there are none. */
bool contour_slot_reserve_subpixel (ContourSlot *slot, uint32_t points, CtrError *error);
/* Room for the fits of CONTOURS rows, 0 if there are none. */
bool contour_slot_reserve_fits (ContourSlot *slot, uint32_t contours, CtrError *error);

/* What SESSION's pending frame shows, whose result will be in SLOT. */
void contour_slot_view (const ContourSlot *slot, const CudaSession *session, CtrPendingView *view);

/* Makes a result of SLOT, which belongs to the result from now on. On failure SLOT stays the caller's. */
CtrContours *contour_slot_publish (ContourSlot *slot, const CtrContours *info, CtrError *error);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A tracer of level contours on the host: its memory, its queued frame. */
#ifndef CTR_CUDA_CRACKS_TRACER_CUH
#define CTR_CUDA_CRACKS_TRACER_CUH

#include "cuda/common/graph.cuh"
#include "cuda/common/input_stage.h"
#include "cuda/common/session.cuh"
#include "cuda/contours/contour_pool.h"
#include "cuda/cracks/device_state.cuh"
#include "cuda/cracks/labels.cuh"

#include "core/common/room.h"

/* All that the kernels behind the count kernel depend on. */
struct FrameKey {
  CracksKernelArgs args;
  uint64_t max_points;
  uint32_t keeps_picture; /* Some frames may copy their picture. */
};

struct Cracks {
  CudaSession session; /* first, see cuda_session_hold() */
  InputStage input;
  CtrDeviceBuffer tables;   /* the plan's tables: level_index_by_sample, level_by_index */
  CtrDeviceBuffer staged;   /* pinned: the same */
  uint64_t tables_number;   /* CtrCracksPlan.tables of what is there */
  CtrDeviceBuffer planes;   /* sized by the image */
  CtrDeviceBuffer contents; /* sized by what is in it */
  uint32_t turn;            /* see CracksFound */
  uint32_t most_tile_nodes;
  CudaGraphCache<FrameKey> graphs;
  /* Room for the most that the latest frames have needed. A frame that needs more is done again. */
  uint32_t corner_capacity, segment_capacity, contour_capacity;
  uint32_t used_corners, used_segments; /* by the frames of this period at most */
  CtrRoomPeriod period;
  bool period_ended, gave_back;
  ResultPool *pool;
  Delivery delivery; /* of CracksHeader */

  /* The queued image. */
  CtrImage image;
  CtrImage plane; /* its samples, or labels, on the GPU */
  PictureCopy copy;
  LabelSource labels; /* with plan.labels */
  CtrCracksPlan plan;
  ContourSlot *slot;
};

constexpr size_t TABLE_SIZE = 65536 * sizeof (uint16_t), TABLES_SIZE = 2 * TABLE_SIZE;

/* A contour has four corners. */
static inline uint32_t
contour_capacity_of (uint32_t corners)
{
  return corners / 4;
}

/* Fills the arguments for the queued image, but for its plane, and makes room. No queued work may use the memory. */
bool cracks_reserve (Cracks *cracks, CracksKernelArgs *args, CtrError *error);

#endif

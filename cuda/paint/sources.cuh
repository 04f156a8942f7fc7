/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The results that a frame draws while their analysis may still run. The drawing is queued behind it, and reads tables
 * and numbers on the GPU, so that the GPU need not wait for the host. Nothing is drawn if one of the results turns out
 * to be incomplete: then the frame is drawn anew, with results that have been made again. */
#ifndef CTR_CUDA_PAINT_SOURCES_CUH
#define CTR_CUDA_PAINT_SOURCES_CUH

#include "cuda/paint/device_state.cuh"

#include <contours/components.h>

struct PaintSource {
  CtrContours *contours; /* or */
  CtrComponents *components;
  bool is_pending; /* and locked */
  CtrPendingView view;
};

struct PaintSources {
  PaintSource list[PAINT_GATES]; /* in the order of the results' addresses */
  uint32_t count;
};

/* Finds the results of LAYERS, and locks those that are pending, if all of them can be read in the context of SESSION and,
 * IN_ORDER, are in its stream. All others are settled. */
void paint_sources_lock (
    PaintSources *sources, const CtrPaintLayer *layers, uint32_t count, const CudaSession &session, bool in_order);

/* Unlocks them. They keep their memory until DRAWN, which is recorded behind the drawing; NULL: nothing is queued. */
bool paint_sources_unlock (PaintSources *sources, CudaSharedEvent *drawn, CtrError *error);

/* Waits until all that were pending are settled. Returns whether one of them was incomplete. */
bool paint_sources_settle (PaintSources *sources);

/* What LAYER's result shows, NULL if it is settled. */
const CtrPendingView *paint_sources_find (const PaintSources &sources, const CtrPaintLayer *layer);

/* The gate that is open if all pending results are complete. */
PaintGate paint_sources_gate (const PaintSources &sources);

/* Queues what follows in STREAM behind the pending analyses. */
bool paint_sources_follow (const PaintSources &sources, cudaStream_t stream, CtrError *error);

#endif

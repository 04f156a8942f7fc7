/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Labels of one tile: the union-find that one warp updates, and the sums of each label. */
#ifndef CTR_CUDA_CCA_TILE_LABELS_CUH
#define CTR_CUDA_CCA_TILE_LABELS_CUH

#include "cuda/cca/device_state.cuh"

namespace
{

/* Four words a label, in shared or global memory. All accesses are volatile or atomic, because lanes race benignly. The
 * whole warp calls every function, whether or not a lane has anything to do. Loops end for all lanes at once, which
 * keeps the warp converged; the compiler alone does not. */
struct Labels {
  uint32_t *entry;      /* parent label << 16 | first pixel (y << 7 | x); a root is its own parent */
  uint32_t *area_sum_x; /* area << 19 | sum_x; only a full tile would need more bits, which has no labels */
  uint32_t *sum_y;
  uint32_t *box; /* bytes: open, 127 - left, right, bottom */
  uint32_t capacity;

  __device__ uint32_t
  load (uint32_t label) const
  {
    return *(const volatile uint32_t *) (entry + label);
  }

  /* A label that always exists and is always a root, for lanes without a label. */
  __device__ uint32_t
  null_label () const
  {
    return capacity;
  }

  /* Replaces three labels by their roots. */
  __device__ void
  find (uint32_t *a, uint32_t *b, uint32_t *c) const
  {
    bool moving;
    do {
      const uint32_t up_a = load (*a) >> 16, up_b = load (*b) >> 16, up_c = load (*c) >> 16;
      moving = up_a != *a || up_b != *b || up_c != *c;
      *a = up_a;
      *b = up_b;
      *c = up_c;
    } while (__any_sync (~0u, moving));
  }

  __device__ void
  find (uint32_t *a, uint32_t *b) const
  {
    bool moving;
    do {
      const uint32_t up_a = load (*a) >> 16, up_b = load (*b) >> 16;
      moving = up_a != *a || up_b != *b;
      *a = up_a;
      *b = up_b;
    } while (__any_sync (~0u, moving));
  }

  /* Nothing happens where A is B. */
  __device__ void
  unite (uint32_t a, uint32_t b)
  {
    for (;;) {
      find (&a, &b);
      if (!__any_sync (~0u, a != b))
        return;
      if (a != b) {
        const uint32_t high = max (a, b), low = min (a, b);
        const uint32_t old = atomicMin (&entry[high], low << 16 | (load (high) & 0xffff)) >> 16;
        a = old == high ? low : old; /* HIGH was no root any more: unite its parent, too */
        b = low;
      }
      __syncwarp ();
    }
  }

  __device__ void
  add (bool has, uint32_t label, uint32_t area_and_sum_x, uint32_t y, uint32_t bounds)
  {
    uint32_t old = 0, wider = 0;
    if (has) {
      atomicAdd (&area_sum_x[label], area_and_sum_x);
      atomicAdd (&sum_y[label], y);
      old = *(volatile uint32_t *) &box[label];
      wider = __vmaxu4 (old, bounds);
    }
    while (__any_sync (~0u, wider != old)) {
      if (wider != old) {
        const uint32_t seen = atomicCAS (&box[label], old, wider);
        old = seen == old ? wider : seen;
        wider = __vmaxu4 (old, bounds);
      }
    }
  }
};

/* Sums of one label in the registers of a lane. */
struct LaneSums {
  uint32_t label; /* Labels::null_label(): no sums */
  uint32_t area;
  uint32_t columns; /* sum of columns, relative to the lane's first */
  uint32_t sum_y;
  uint32_t mask; /* columns that occur */
  uint32_t bottom;
  uint32_t open;

  /* Adds the sums to the label's where the lane is LEAVING it. */
  __device__ void
  flush (Labels &labels, uint32_t lane, bool leaving)
  {
    const bool has = leaving && label != labels.null_label ();
    if (!__any_sync (~0u, has))
      return;
    const uint32_t first = lane * 4, left = first + __ffs (mask) - 1, right = first + 31 - __clz (mask);
    labels.add (has, label, area << 19 | (area * first + columns), sum_y,
        open << 24 | (TILE_W - 1 - left) << 16 | right << 8 | bottom);
  }
};

} // namespace

#endif

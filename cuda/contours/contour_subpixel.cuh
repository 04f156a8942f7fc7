/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the kernels that refine points have in common, a thread a point. */
#ifndef CTR_CUDA_CONTOURS_CONTOUR_SUBPIXEL_CUH
#define CTR_CUDA_CONTOURS_CONTOUR_SUBPIXEL_CUH

#include "cuda/contours/contour_args.cuh"

#include "core/results/subpixel.h"

constexpr int REFINE_THREADS = 128, REFINE_CTAS = 2112;

/* CTAs for CAPACITY points, which each take several where there are more. */
static inline unsigned
refine_ctas (uint32_t capacity)
{
  return min (capacity / REFINE_THREADS + 1, (unsigned) REFINE_CTAS);
}

__device__ inline void
store_subpixel (CtrSubpixelPoint *to, const CtrSubpixelPoint &refined)
{
  union {
    CtrSubpixelPoint point;
    uint4 words;
  } out;
  static_assert (sizeof out.point == sizeof out.words, "a store of 16 bytes");
  out.point = refined;
  *(uint4 *) to = out.words;
}

/* Refines COUNT points, a thread a point. LOAD (i): what point I needs; whole warps call it for successive points, also behind the last
 * one. REFINE (loaded, all, refined): as ctr_subpixel_edge(). DECIDES: it always returns true. The points for which it does not are
 * gathered, so that few warps look at all places. All threads of each CTA of the grid call this. */
template <bool DECIDES, typename Load, typename Refine>
__device__ inline void
refine_points (uint32_t count, CtrSubpixelPoint *points, const Load &load, const Refine &refine)
{
  typedef decltype (load (0)) Loaded;
  __shared__ struct {
    Loaded loaded[REFINE_THREADS];
    uint32_t points[REFINE_THREADS], count;
  } open;
  const uint32_t t = threadIdx.x, lane = t % 32;
  for (uint64_t base = (uint64_t) blockIdx.x * REFINE_THREADS; base < count;
       base += (uint64_t) gridDim.x * REFINE_THREADS) {
    const uint32_t i = (uint32_t) base + t;
    const Loaded loaded = load (i);
    CtrSubpixelPoint refined;
    if (!DECIDES) {
      if (t == 0)
        open.count = 0;
      __syncthreads ();
    }
    const bool decided = i >= count || refine (loaded, DECIDES, &refined);
    if (i < count && decided)
      store_subpixel (&points[i], refined);
    if (DECIDES)
      continue;
    const uint32_t lanes = __ballot_sync (~0u, !decided);
    uint32_t place = 0;
    if (lanes && lane == 0)
      place = atomicAdd (&open.count, __popc (lanes));
    place = __shfl_sync (~0u, place, 0) + __popc (lanes & ((1u << lane) - 1));
    if (!decided) {
      open.loaded[place] = loaded;
      open.points[place] = i;
    }
    __syncthreads ();
    if (t < open.count) {
      refine (open.loaded[t], true, &refined);
      store_subpixel (&points[open.points[t]], refined);
    }
    __syncthreads ();
  }
}

#endif

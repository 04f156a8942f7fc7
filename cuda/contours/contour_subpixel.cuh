/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the kernels that refine points have in common, a thread a point. */
#ifndef CTR_CUDA_CONTOURS_CONTOUR_SUBPIXEL_CUH
#define CTR_CUDA_CONTOURS_CONTOUR_SUBPIXEL_CUH

#include "cuda/contours/contour_args.cuh"

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

#endif

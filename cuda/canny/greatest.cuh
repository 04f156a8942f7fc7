/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The greatest magnitude of a frame and the thresholds that are shares of it, without a kernel of their own: each CTA
 * adds its greatest magnitude, and the last one derives the thresholds. */
#ifndef CTR_CUDA_CANNY_GREATEST_CUH
#define CTR_CUDA_CANNY_GREATEST_CUH

#include "cuda/canny/device_state.cuh"
#include "cuda/common/ptx.cuh"

#include "core/canny/thresholds.h"

/* By one thread. */
static __device__ inline void
write_derived (const CtrCannyLimits &limits, CannyDerived *derived, CtrCannyLimits *host)
{
  derived->values[0] = (int32_t) (limits.low < INT32_MAX ? limits.low : INT32_MAX);
  derived->values[1] = (int32_t) (limits.high < INT32_MAX ? limits.high : INT32_MAX);
  derived->limits = limits;
  *host = limits;
}

/* The greatest OWN of the CTA's threads, in its first one. */
static __device__ inline unsigned long long
greatest_of_cta (unsigned long long own)
{
  __shared__ unsigned long long of_warp[32];
  const uint32_t lane = threadIdx.x % 32, warps = blockDim.x / 32;
  for (int distance = 16; distance > 0; distance /= 2)
    own = max (own, __shfl_xor_sync (~0u, own, distance));
  if (lane == 0)
    of_warp[threadIdx.x / 32] = own;
  __syncthreads ();
  if (threadIdx.x == 0)
    for (uint32_t i = 1; i < warps; i++)
      own = max (own, of_warp[i]);
  return own;
}

/* By all threads of each CTA of the grid, at its end. */
static __device__ inline void
add_greatest (const CannyRelative &relative, unsigned long long own)
{
  own = greatest_of_cta (own);
  if (threadIdx.x > 0)
    return;
  CannyGreatest *state = relative.state;
  atomicMax (&state->greatest, own);
  if (count_arrival (&state->finished) + 1 < gridDim.x * gridDim.y)
    return;
  const int64_t greatest = (int64_t) atomicExch (&state->greatest, 0);
  state->finished = 0;
  write_derived (ctr_canny_relative_limits (relative.low_share, relative.high_share, relative.l2_gradient, greatest),
      relative.derived, relative.host);
}

#endif

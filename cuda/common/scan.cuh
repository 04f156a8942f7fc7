/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Prefix sums over all CTAs in one pass, by decoupled look-back: each CTA publishes its own sum, then adds up what the
 * CTAs before it have published. */
#ifndef CTR_CUDA_COMMON_SCAN_CUH
#define CTR_CUDA_COMMON_SCAN_CUH

#include "cuda/common/ptx.cuh"

namespace
{

/* A state has a flag in its upper and a sum in its lower half. All states are zero before the first CTA. */
constexpr unsigned long long SCAN_STATE_SUM = 1ull << 32, SCAN_STATE_PREFIX = 2ull << 32;

/* Returns the sum of all CTAs before this one, to every lane of the calling warp. TICKET: the CTA's number in the order
 * in which CTAs start. OWN: its sum. */
__device__ inline uint32_t
look_back (unsigned long long *states, uint32_t ticket, uint32_t own)
{
  const uint32_t lane = threadIdx.x % 32;
  if (lane == 0 && ticket > 0)
    atomicExch (&states[ticket], SCAN_STATE_SUM | own);
  uint32_t sum = 0;
  for (int base = (int) ticket - 1; base >= 0; base -= 32) {
    const int i = base - (int) lane;
    unsigned long long state;
    do {
      state = SCAN_STATE_PREFIX; /* Before the first CTA there is nothing. */
      if (i >= 0)
        state = *(volatile unsigned long long *) &states[i];
    } while (__any_sync (~0u, state == 0));
    const uint32_t prefixes = __ballot_sync (~0u, state >= SCAN_STATE_PREFIX);
    const uint32_t stop = prefixes ? __ffs (prefixes) - 1 : 32;
    uint32_t part = lane <= stop ? (uint32_t) state : 0;
    for (int d = 16; d; d /= 2)
      part += __shfl_xor_sync (~0u, part, d);
    sum += part;
    if (prefixes)
      break;
  }
  if (lane == 0)
    atomicExch (&states[ticket], SCAN_STATE_PREFIX | (sum + own));
  return sum;
}

/* The exclusive prefix sum over the THREADS of a CTA. *ALL: the total. SUMS: shared memory, one a warp. Has barriers.
 */
template <int THREADS>
__device__ inline uint32_t
block_scan (uint32_t own, uint32_t *sums, uint32_t *all)
{
  constexpr uint32_t WARPS = THREADS / 32;
  static_assert (WARPS <= 32, "a warp adds up the warps");
  const uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32, sum = sum_of_lanes (own);
  if (lane == 31)
    sums[warp] = sum;
  __syncthreads ();
  const uint32_t of_warp = lane < WARPS ? sums[lane] : 0, before = total_of_lanes (lane < warp ? of_warp : 0);
  *all = total_of_lanes (of_warp);
  __syncthreads ();
  return before + sum - own;
}

/* The exclusive prefix sum over all CTAs. *ALL_SO_FAR: the total up to and with this CTA. */
template <int THREADS>
__device__ inline uint32_t
device_scan (uint32_t own, unsigned long long *states, uint32_t ticket, uint32_t *sums, uint32_t *all_so_far)
{
  __shared__ uint32_t before;
  uint32_t all;
  const uint32_t sum = block_scan<THREADS> (own, sums, &all);
  if (threadIdx.x < 32) {
    const uint32_t found = look_back (states, ticket, all);
    if (threadIdx.x == 0)
      before = found;
  }
  __syncthreads ();
  *all_so_far = before + all;
  return before + sum;
}

/* Two exclusive prefix sums over the THREADS of a CTA at once, of A and B. *ALL: the totals. SUMS: shared memory, one a warp. Has a
 * barrier. */
template <int THREADS>
__device__ inline uint2
block_scan_two (uint32_t a, uint32_t b, uint2 *sums, uint2 *all)
{
  constexpr uint32_t WARPS = THREADS / 32;
  static_assert (WARPS <= 32, "a warp adds up the warps");
  const uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const uint2 sum = {sum_of_lanes (a), sum_of_lanes (b)};
  if (lane == 31)
    sums[warp] = sum;
  __syncthreads ();
  const uint2 of_warp = lane < WARPS ? sums[lane] : make_uint2 (0, 0);
  *all = {total_of_lanes (of_warp.x), total_of_lanes (of_warp.y)};
  return {total_of_lanes (lane < warp ? of_warp.x : 0) + sum.x - a,
      total_of_lanes (lane < warp ? of_warp.y : 0) + sum.y - b};
}

/* Two exclusive prefix sums over all CTAs at once. *ALL_SO_FAR: the totals up to and with this CTA. */
template <int THREADS>
__device__ inline uint2
device_scan_two (uint32_t a, uint32_t b, unsigned long long *states_a, unsigned long long *states_b, uint32_t ticket,
    uint2 *sums, uint2 *all_so_far)
{
  static_assert (THREADS >= 64, "a warp looks back for each");
  __shared__ uint32_t before[2];
  const uint32_t warp = threadIdx.x / 32;
  uint2 all;
  const uint2 sum = block_scan_two<THREADS> (a, b, sums, &all);
  if (warp < 2) {
    const uint32_t found = look_back (warp ? states_b : states_a, ticket, warp ? all.y : all.x);
    if (threadIdx.x % 32 == 0)
      before[warp] = found;
  }
  __syncthreads ();
  *all_so_far = {before[0] + all.x, before[1] + all.y};
  return {before[0] + sum.x, before[1] + sum.y};
}

} // namespace

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Prefix sums over all CTAs in one pass, by decoupled look-back: each CTA publishes its own sum, then adds up what the
 * CTAs before it have published. */
#ifndef CTR_CUDA_COMMON_SCAN_CUH
#define CTR_CUDA_COMMON_SCAN_CUH

#include "cuda/common/launch.cuh"

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
  const uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  uint32_t sum = own;
  for (int d = 1; d < 32; d *= 2) {
    const uint32_t n = __shfl_up_sync (~0u, sum, d);
    sum += (int) lane >= d ? n : 0;
  }
  if (lane == 31)
    sums[warp] = sum;
  __syncthreads ();
  sum -= own;
  *all = 0;
  for (int i = 0; i < THREADS / 32; i++) {
    sum += i < (int) warp ? sums[i] : 0;
    *all += sums[i];
  }
  __syncthreads ();
  return sum;
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

} // namespace

#endif

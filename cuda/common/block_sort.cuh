/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sorting by one CTA, an element a thread: few elements take no barrier, as they stay in one warp. */
#ifndef CTR_CUDA_COMMON_BLOCK_SORT_CUH
#define CTR_CUDA_COMMON_BLOCK_SORT_CUH

#include <stdint.h>

namespace
{

/* Returns the element that has the thread's place in ascending order, by a bitonic sort. OWN: the thread's element; of the threads
 * from COUNT on, ~0. BUFFER: shared memory, an element a thread. Has barriers. */
template <typename T>
__device__ inline T
block_sort (T own, uint32_t count, T *buffer)
{
  const uint32_t t = threadIdx.x;
#pragma unroll 1
  for (uint32_t size = 2; size < 2 * count; size *= 2)
#pragma unroll 1
    for (uint32_t distance = size / 2; distance; distance /= 2) {
      T other;
      if (distance < 32) {
        other = __shfl_xor_sync (~0u, own, distance);
      } else {
        buffer[t] = own;
        __syncthreads ();
        other = buffer[t ^ distance];
        __syncthreads ();
      }
      const bool wants_less = !(t & size) == !(t & distance);
      own = (own < other) == wants_less ? own : other;
    }
  return own;
}

} // namespace

#endif

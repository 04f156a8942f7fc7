/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sorting by one CTA, an element a thread: few elements take no barrier, as they stay in one warp. */
#ifndef CTR_CUDA_COMMON_BLOCK_SORT_CUH
#define CTR_CUDA_COMMON_BLOCK_SORT_CUH

#include <stdint.h>

namespace
{

constexpr uint32_t BLOCK_SORT_THREADS = 1024;

/* Returns the element that has the thread's place in ascending order, in CTAs of so many threads. Warps sort by a bitonic network; then runs
 * that follow one another are merged, where each element looks up how many of the other run come before it. OWN: the thread's element, where
 * there are COUNT, all different and less than ~0 - BLOCK_SORT_THREADS. BUFFER: shared memory, an element a thread, for more than 32; then
 * it has barriers, the last one behind the last use of BUFFER. */
template <typename T>
__device__ inline T
block_sort (T own, uint32_t count, T *buffer)
{
  const uint32_t t = threadIdx.x, lane = t % 32;
  if (t >= count)
    own = ~(T) 0 - BLOCK_SORT_THREADS + t; /* All are different, so that no two have the same place. */
#pragma unroll 1
  for (uint32_t size = 2; size < 2 * count && size <= 32; size *= 2)
#pragma unroll 1
    for (uint32_t distance = size / 2; distance; distance /= 2) {
      const T other = __shfl_xor_sync (~0u, own, distance);
      const bool wants_less = !(lane & size) == !(lane & distance);
      own = (own < other) == wants_less ? own : other;
    }
  if (count <= 32)
    return own;
  uint32_t place = t;
#pragma unroll /* A step of a search takes five instructions. */
  for (uint32_t size = 32; size < BLOCK_SORT_THREADS; size *= 2) {
    if (size >= count)
      break;
    buffer[place] = own;
    __syncthreads ();
    const uint32_t other_run = (place & ~(size - 1)) ^ size;
    uint32_t at = other_run;
#pragma unroll
    for (uint32_t half = size / 2; half; half /= 2)
      at += buffer[at + half - 1] < own ? half : 0;
    at += buffer[at] < own;
    place = (place & ~(2 * size - 1)) + (place & (size - 1)) + at - other_run;
    __syncthreads ();
  }
  buffer[place] = own;
  __syncthreads ();
  own = buffer[t];
  __syncthreads ();
  return own;
}

} // namespace

#endif

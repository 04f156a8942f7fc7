/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/bench/common/kernels.h"

static __global__ void
random_mask (const uint32_t *numbers, uint32_t width, uint32_t granularity, uint64_t threshold, uint8_t *mask)
{
  uint32_t x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  uint32_t across = (width + granularity - 1) / granularity;
  if (x < width)
    mask[(size_t) y * width + x] = numbers[(size_t) (y / granularity) * across + x / granularity] < threshold ? 255 : 0;
}

static __global__ void
read_memory (const uint4 *memory, size_t count)
{
  size_t step = (size_t) gridDim.x * blockDim.x;
  /* Nothing uses the values: only a volatile load stays. */
  for (size_t i = (size_t) blockIdx.x * blockDim.x + threadIdx.x; i < count; i += step)
    asm volatile("{ .reg .u32 a, b, c, d; ld.volatile.global.v4.u32 {a, b, c, d}, [%0]; }" ::"l"(memory + i));
}

static __device__ unsigned long long
nanosecond_now ()
{
  unsigned long long now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}

static __global__ void
delay (unsigned long long nanoseconds)
{
  const unsigned long long start = nanosecond_now ();
  while (nanosecond_now () - start < nanoseconds)
    ;
}

extern "C" cudaError_t
random_mask_enqueue (const uint32_t *numbers, uint32_t width, uint32_t height, uint32_t granularity, uint64_t threshold,
    uint8_t *mask, cudaStream_t stream)
{
  random_mask<<<dim3 ((width + 255) / 256, height), 256, 0, stream>>> (numbers, width, granularity, threshold, mask);
  return cudaGetLastError ();
}

extern "C" cudaError_t
read_memory_enqueue (const void *memory, size_t size, cudaStream_t stream)
{
  read_memory<<<1024, 256, 0, stream>>> (static_cast<const uint4 *> (memory), size / sizeof (uint4));
  return cudaGetLastError ();
}

extern "C" cudaError_t
delay_enqueue (uint32_t nanoseconds, cudaStream_t stream)
{
  delay<<<1, 1, 0, stream>>> (nanoseconds);
  return cudaGetLastError ();
}

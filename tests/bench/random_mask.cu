/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "random_mask.h"

static __global__ void
random_mask (const uint32_t *numbers, uint32_t width, uint32_t granularity, uint64_t threshold, uint8_t *mask)
{
  uint32_t x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  uint32_t across = (width + granularity - 1) / granularity;
  if (x < width)
    mask[(size_t) y * width + x] = numbers[(size_t) (y / granularity) * across + x / granularity] < threshold ? 255 : 0;
}

extern "C" cudaError_t
random_mask_enqueue (const uint32_t *numbers, uint32_t width, uint32_t height, uint32_t granularity, uint64_t threshold,
    uint8_t *mask, cudaStream_t stream)
{
  random_mask<<<dim3 ((width + 255) / 256, height), 256, 0, stream>>> (numbers, width, granularity, threshold, mask);
  return cudaGetLastError ();
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The triangle threshold of a histogram, found by one CTA. The result is that of core/foreground/triangle.h. */
#ifndef CTR_CUDA_COMMON_TRIANGLE_CUH
#define CTR_CUDA_COMMON_TRIANGLE_CUH

#include "cuda/common/launch.cuh"

#include "core/foreground/triangle.h"

namespace
{

constexpr int TRIANGLE_THREADS = 1024;

/* Maxima of threads. Those of no level are 0. */
struct TriangleMaxima {
  unsigned long long peak; /* pixels of a level, and, below these, levels - level */
  uint32_t first;          /* levels - the lowest level with pixels */
  uint32_t last;           /* the highest level with pixels */
};

struct TriangleShared {
  TriangleMaxima maxima[TRIANGLE_THREADS / 32];      /* by warp */
  unsigned long long corners[TRIANGLE_THREADS / 32]; /* likewise */
};

/* The maxima of all lanes. */
__device__ inline TriangleMaxima
triangle_of_warp (TriangleMaxima own)
{
#pragma unroll 1
  for (int d = 16; d; d /= 2) {
    own.peak = max (own.peak, __shfl_xor_sync (~0u, own.peak, d));
    own.first = max (own.first, __shfl_xor_sync (~0u, own.first, d));
    own.last = max (own.last, __shfl_xor_sync (~0u, own.last, d));
  }
  return own;
}

__device__ inline unsigned long long
triangle_of_warp (unsigned long long own)
{
#pragma unroll 1
  for (int d = 16; d; d /= 2)
    own = max (own, __shfl_xor_sync (~0u, own, d));
  return own;
}

/* The foreground threshold, inclusive, to all threads of the CTA. HISTOGRAM has pixels, fewer than 2^32. */
template <typename Histogram>
__device__ inline uint32_t
triangle_threshold (const Histogram &histogram, TriangleShared &s)
{
  constexpr uint32_t levels = Histogram::levels;
  const uint32_t t = threadIdx.x, lane = t % 32;
  TriangleMaxima own = {};
#pragma unroll 8
  for (uint32_t level = t; level < levels; level += TRIANGLE_THREADS) {
    const uint32_t count = histogram[level];
    if (count) {
      own.peak = max (own.peak, (unsigned long long) count << 32 | (levels - level));
      own.first = max (own.first, levels - level);
      own.last = level;
    }
  }
  own = triangle_of_warp (own);
  if (lane == 0)
    s.maxima[t / 32] = own;
  __syncthreads ();
  own = triangle_of_warp (s.maxima[lane]);
  const CtrTriangle triangle = ctr_triangle_init (
      levels, levels - own.first, own.last, levels - (uint32_t) own.peak, (uint32_t) (own.peak >> 32));

  /* The greatest distance, below 2^48, and the first position that has it. */
  unsigned long long corner = 0;
#pragma unroll 8
  for (uint32_t level = t; level < levels; level += TRIANGLE_THREADS) {
    const int64_t position = ctr_triangle_level (&triangle, level); /* which is its own inverse */
    const int64_t distance = ctr_triangle_distance (&triangle, position, histogram[level]);
    if (position > triangle.left && position <= triangle.peak && distance > 0)
      corner = max (corner, (unsigned long long) distance << 16 | (65535 - (uint32_t) position));
  }
  corner = triangle_of_warp (corner);
  if (lane == 0)
    s.corners[t / 32] = corner;
  __syncthreads ();
  corner = triangle_of_warp (s.corners[lane]);
  return ctr_triangle_threshold (&triangle, corner ? 65535 - (uint32_t) (corner & 65535) : triangle.left);
}

} // namespace

#endif

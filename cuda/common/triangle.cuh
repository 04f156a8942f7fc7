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
  uint32_t counts[CTR_TRIANGLE_LEVELS];    /* of 16-bit samples */
  uint32_t largest[TRIANGLE_THREADS / 32]; /* by warp, as the next two: largest sample */
  TriangleMaxima maxima[TRIANGLE_THREADS / 32];
  unsigned long long corners[TRIANGLE_THREADS / 32];
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

template <typename Value>
__device__ inline Value
triangle_of_warp (Value own)
{
#pragma unroll 1
  for (int d = 16; d; d /= 2)
    own = max (own, __shfl_xor_sync (~0u, own, d));
  return own;
}

/* The foreground threshold, inclusive, to all threads of the CTA. COUNTS has pixels, fewer than 2^32. */
template <typename Counts>
__device__ inline uint32_t
triangle_of_levels (const Counts &counts, TriangleShared &s)
{
  constexpr uint32_t levels = CTR_TRIANGLE_LEVELS;
  const uint32_t t = threadIdx.x, lane = t % 32;
  TriangleMaxima own = {};
  for (uint32_t level = t; level < levels; level += TRIANGLE_THREADS) {
    const uint32_t count = counts[level];
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
  const CtrTriangle triangle =
      ctr_triangle_init (levels - own.first, own.last, levels - (uint32_t) own.peak, (uint32_t) (own.peak >> 32));

  /* The greatest distance, below 2^48, and the first position that has it. */
  unsigned long long corner = 0;
  for (uint32_t level = t; level < levels; level += TRIANGLE_THREADS) {
    const int64_t position = ctr_triangle_level (&triangle, level); /* which is its own inverse */
    const int64_t distance = ctr_triangle_distance (&triangle, position, counts[level]);
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

/* Counts 16-bit samples in the levels of the triangle, s.counts. Returns how many samples a level has, as a shift, to all
 * threads. */
template <typename Histogram>
__device__ inline uint32_t
triangle_count (const Histogram &histogram, uint32_t significant_bits, TriangleShared &s)
{
  const uint32_t t = threadIdx.x, lane = t % 32, last = CTR_TRIANGLE_LEVELS - 1;
  uint32_t largest = 0;
#pragma unroll 8
  for (uint32_t sample = t; sample < Histogram::levels; sample += TRIANGLE_THREADS)
    if (histogram[sample])
      largest = sample;
  largest = triangle_of_warp (largest);
  if (lane == 0)
    s.largest[t / 32] = largest;
  __syncthreads ();
  largest = triangle_of_warp (s.largest[lane]);
  const uint32_t shift = ctr_triangle_shift (significant_bits, largest);
  for (uint32_t level = t / 32; level <= last; level += TRIANGLE_THREADS / 32) {
    const uint32_t end = level < last ? (level + 1) << shift : largest + 1;
    uint32_t sum = 0;
    for (uint32_t sample = (level << shift) + lane; sample < end; sample += 32)
      sum += histogram[sample];
    for (uint32_t d = 16; d; d /= 2)
      sum += __shfl_xor_sync (~0u, sum, d);
    if (lane == 0)
      s.counts[level] = sum;
  }
  __syncthreads ();
  return shift;
}

/* The foreground threshold, inclusive, to all threads of the CTA. HISTOGRAM has pixels, fewer than 2^32. Its levels are
 * those of 8 or of 16 bits. */
template <typename Histogram>
__device__ inline uint32_t
triangle_threshold (const Histogram &histogram, uint32_t significant_bits, TriangleShared &s)
{
  if constexpr (Histogram::levels == CTR_TRIANGLE_LEVELS) {
    return triangle_of_levels (histogram, s);
  } else {
    const uint32_t shift = triangle_count (histogram, significant_bits, s);
    return triangle_of_levels (s.counts, s) << shift;
  }
}

} // namespace

#endif

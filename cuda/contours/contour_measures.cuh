/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The measures of contours: sums over the lines between their points. ARGS have final, output, all_points,
 * by_row.firsts, by_row.accumulators, and counters->header with the numbers of points and contours. */
#ifndef CTR_CUDA_CONTOURS_CONTOUR_MEASURES_CUH
#define CTR_CUDA_CONTOURS_CONTOUR_MEASURES_CUH

#include "cuda/common/ptx.cuh"
#include "cuda/contours/contour_kernels.cuh"

namespace
{

/* The points that this pass writes or measures: those of the result, or of all contours, before limits decide which
 * stay. */
template <typename Args>
__device__ inline CtrPoint *
points_of (const Args &f)
{
  return f.final ? f.output->points : f.all_points;
}

/* The last one of ALL for which BEGIN_OF (i), which ascends, is not above AT; the first one always counts as such. Called by a whole
 * warp. */
template <typename BeginOf>
__device__ inline uint32_t
find_last (uint32_t all, uint32_t at, const BeginOf &begin_of)
{
  const uint32_t lane = threadIdx.x % 32;
  uint32_t first = 0, count = all; /* it is among these */
  while (count > 1) {
    const uint32_t step = ctr_div_up (count, 32), i = first + lane * step;
    const bool before = lane * step < count && begin_of (i) <= at;
    const uint32_t last = 31 - __clz (__ballot_sync (~0u, before)); /* Lane 0 always is. */
    count = min (step, count - last * step);
    first += last * step;
  }
  return first;
}

/* The last row whose points begin at or before AT; called by a whole warp. */
template <typename Args>
__device__ inline uint32_t
find_row (const Args &f, uint32_t rows, uint32_t at)
{
  return find_last (rows, at, [&] (uint32_t row) { return f.by_row.firsts[row]; });
}

struct Line {
  long long area2;
  unsigned long long length;
  uint32_t low, high; /* x | y << 16 */

  static __device__ Line
  nothing ()
  {
    return {0, 0, ~0u, 0};
  }

  static __device__ Line
  between (CtrPoint p, CtrPoint q)
  {
    const float dx = (float) q.x - (float) p.x, dy = (float) q.y - (float) p.y;
    /* This rounds as cv::arcLength() does. */
    const float length = __fsqrt_rn (__fadd_rn (__fmul_rn (dx, dx), __fmul_rn (dy, dy)));
    const uint32_t place = p.x | (uint32_t) p.y << 16;
    return {(long long) p.x * q.y - (long long) q.x * p.y, (unsigned long long) (length * (1 << 23)), place, place};
  }

  __device__ void
  add (const Line &l)
  {
    area2 += l.area2;
    length += l.length;
    low = __vminu2 (low, l.low);
    high = __vmaxu2 (high, l.high);
  }

  __device__ Line
  up (int d) const
  {
    return {(long long) __shfl_up_sync (~0u, area2, d), __shfl_up_sync (~0u, length, d), __shfl_up_sync (~0u, low, d),
        __shfl_up_sync (~0u, high, d)};
  }

  /* Over as many lanes in a row, which all have the result. */
  template <int LANES = 32>
  __device__ Line
  reduced () const
  {
    Line l = *this;
    for (int d = LANES / 2; d; d /= 2)
      l.add ({(long long) __shfl_xor_sync (~0u, l.area2, d), __shfl_xor_sync (~0u, l.length, d),
          __shfl_xor_sync (~0u, l.low, d), __shfl_xor_sync (~0u, l.high, d)});
    return l;
  }

  template <typename Args>
  __device__ void
  flush (const Args &f, uint32_t row) const
  {
    ContourAccumulator *a = &f.by_row.accumulators[row];
    if (low == ~0u && high == 0)
      return;
    const uint4 box = load_16 (&a->min_x); /* Most parts of a contour do not change it. */
    atomicAdd ((unsigned long long *) &a->area2, (unsigned long long) area2);
    atomicAdd (&a->length, length);
    if ((low & 0xffff) < box.x)
      atomicMin (&a->min_x, low & 0xffff);
    if (low >> 16 < box.y)
      atomicMin (&a->min_y, low >> 16);
    if ((high & 0xffff) > box.z)
      atomicMax (&a->max_x, high & 0xffff);
    if (high >> 16 > box.w)
      atomicMax (&a->max_y, high >> 16);
  }
};

__device__ inline CtrPoint
load_point (const CtrPoint *points, uint32_t i)
{
  const uint32_t place = __ldcg ((const uint32_t *) points + i); /* Other CTAs may just have written it. */
  return {(uint16_t) place, (uint16_t) (place >> 16)};
}

/* Sums up over the lines from point BEGIN to END. A warp goes along the points, and adds its sums to a row where the
 * row ends. */
template <typename Args>
__device__ inline void
measure_points (const Args &f, uint32_t begin, uint32_t end)
{
  const CtrPoint *const points = points_of (f);
  const uint32_t count = f.counters->header.points, rows = f.counters->header.contours, lane = threadIdx.x % 32;
  uint32_t row = find_row (f, rows, begin);
  Line sum = Line::nothing (); /* of row */
#pragma unroll 1
  for (uint32_t base = begin; base < end; base += 32) {
    const uint32_t i = base + lane, ahead = row + 1 + lane;
    const uint32_t start = ahead < rows ? f.by_row.firsts[ahead] - base : ~0u;
    uint32_t starts = start < 32 ? 1u << start : 0;
    for (int d = 16; d; d /= 2)
      starts |= __shfl_xor_sync (~0u, starts, d);
    const uint32_t before = starts & ((2u << lane) - 1), own = row + __popc (before);
    Line line = Line::nothing ();
    if (i < count) {
      const uint32_t after = own + 1 < rows ? f.by_row.firsts[own + 1] : count;
      line = Line::between (load_point (points, i), load_point (points, i + 1 < after ? i + 1 : f.by_row.firsts[own]));
    }
    if (!starts) {
      sum.add (line);
      continue;
    }
    if (!before)
      sum.add (line);
    sum = sum.reduced ();
    if (lane == 0)
      sum.flush (f, row);
    /* The rows that begin here. All but the last also end here. */
    const uint32_t begins = before ? 31 - __clz (before) : 0;
    if (!before)
      line = Line::nothing ();
    sum = line;
    for (int d = 1; d < 32; d *= 2) {
      const Line other = line.up (d);
      if (before && lane >= begins + d)
        line.add (other);
    }
    const uint32_t last = 31 - __clz (starts);
    const bool ends = before && (lane == 31 || starts >> (lane + 1) & 1) && begins != last;
    if (ends)
      line.flush (f, own);
    if (lane < last)
      sum = Line::nothing ();
    row += __popc (starts);
    __syncwarp ();
  }
  sum = sum.reduced ();
  if (lane == 0)
    sum.flush (f, row);
}

} // namespace

#endif

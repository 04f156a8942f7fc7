/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The sums of 128 bits over the lines of contours: those of moments and those of fits. With many contours, a thread sums up a
 * short one, otherwise a warp each. Warps share the points of long ones, whose sums are 0 before. ARGS: as for the measures. */
#ifndef CTR_CUDA_CONTOURS_CONTOUR_SUMS_CUH
#define CTR_CUDA_CONTOURS_CONTOUR_SUMS_CUH

#include "cuda/contours/contour_measures.cuh"

#include "core/results/fits.h"

namespace
{

constexpr int SUM_THREADS = 256, SUM_CTAS = 264;
constexpr uint32_t SHORT_POINTS = 32, LONG_POINTS = 4096, LONG_CHUNK = 256;

/* Sums of 128 bits. KIND: which ones. */
template <typename Kind> struct WideSums {
  static constexpr int COUNT = Kind::COUNT;
  unsigned __int128 s[COUNT];

  static __device__ WideSums
  nothing ()
  {
    WideSums n;
#pragma unroll
    for (int i = 0; i < COUNT; i++)
      n.s[i] = 0;
    return n;
  }

  static __device__ WideSums
  between (CtrPoint p, CtrPoint q)
  {
    WideSums n;
    Kind::sum (p, q, n.s);
    return n;
  }

  __device__ void
  add (const WideSums &other)
  {
#pragma unroll
    for (int i = 0; i < COUNT; i++)
      s[i] += other.s[i];
  }

  __device__ WideSums
  reduced () const
  {
    WideSums n = *this;
    for (int d = 16; d; d /= 2)
#pragma unroll
      for (int i = 0; i < COUNT; i++) {
        const unsigned long long low = __shfl_xor_sync (~0u, (unsigned long long) n.s[i], d);
        n.s[i] += (unsigned __int128) __shfl_xor_sync (~0u, (unsigned long long) (n.s[i] >> 64), d) << 64 | low;
      }
    return n;
  }

  __device__ void
  store (uint64_t (*words)[2]) const
  {
#pragma unroll
    for (int i = 0; i < COUNT; i++)
      *(uint4 *) words[i] =
          make_uint4 ((uint32_t) s[i], (uint32_t) (s[i] >> 32), (uint32_t) (s[i] >> 64), (uint32_t) (s[i] >> 96));
  }

  /* Several warps may add to WORDS. */
  __device__ void
  add_to (uint64_t (*words)[2]) const
  {
#pragma unroll
    for (int i = 0; i < COUNT; i++) {
      unsigned long long *to = (unsigned long long *) words[i], low = (unsigned long long) s[i];
      const unsigned long long carry = atomicAdd (to, low) + low < low;
      if (const unsigned long long high = (unsigned long long) (s[i] >> 64) + carry)
        atomicAdd (to + 1, high);
    }
  }
};

/* The sums of CtrContourSums. */
struct MomentSums {
  static constexpr int COUNT = 10;
  static constexpr bool UPRIGHT_LINES = false; /* Lines that are not upright count, too. */

  static __device__ void
  sum (CtrPoint p, CtrPoint q, unsigned __int128 *s)
  {
    const int64_t x0 = p.x, y0 = p.y, x1 = q.x, y1 = q.y, c = x0 * y1 - x1 * y0;
    const int64_t xx0 = x0 * x0, xx1 = x1 * x1, yy0 = y0 * y0, yy1 = y1 * y1;
    const int64_t factors[COUNT] = {1, x0 + x1, y0 + y1, xx0 + x0 * x1 + xx1, x0 * (2 * y0 + y1) + x1 * (y0 + 2 * y1),
        yy0 + y0 * y1 + yy1, (x0 + x1) * (xx0 + xx1),
        xx0 * (3 * y0 + y1) + 2 * x0 * x1 * (y0 + y1) + xx1 * (y0 + 3 * y1),
        yy0 * (3 * x0 + x1) + 2 * y0 * y1 * (x0 + x1) + yy1 * (x0 + 3 * x1), (y0 + y1) * (yy0 + yy1)};
#pragma unroll
    for (int i = 0; i < COUNT; i++)
      s[i] = (unsigned __int128) ((__int128) c * factors[i]);
  }

  static __device__ uint64_t (*words (const ContourOutput &output, uint32_t row))[2]
  {
    return output.sums[row].words;
  }
};

/* The sums of CtrContourSums of contours whose lines are upright and level by turns: by Green's theorem those are integrals
 * over y, to which level lines add nothing. Around a contour they are the same integers. */
struct UprightMomentSums : MomentSums {
  static constexpr bool UPRIGHT_LINES = true;

  static __device__ void
  sum (CtrPoint p, CtrPoint q, unsigned __int128 *s)
  {
    const int64_t x = p.x, xx = x * x, y0 = p.y, y1 = q.y, yy0 = y0 * y0, yy1 = y1 * y1;
    const int64_t d1 = y1 - y0, d2 = yy1 - yy0, d3 = yy1 * y1 - yy0 * y0; /* of y, of its square and of its cube */
    const int64_t factors[COUNT][2] = {{2 * x, d1}, {3 * xx, d1}, {3 * x, d2}, {4 * xx * x, d1}, {6 * xx, d2},
        {4 * x, d3}, {5 * xx * x, x * d1}, {10 * xx * x, d2}, {10 * xx, d3}, {5 * x * d2, yy0 + yy1}};
#pragma unroll
    for (int i = 0; i < COUNT; i++)
      s[i] = (unsigned __int128) ((__int128) factors[i][0] * factors[i][1]);
  }
};

/* The sums of CtrContourFits. */
struct FitSums {
  static constexpr int COUNT = CTR_FIT_SUMS;
  static constexpr bool UPRIGHT_LINES = false;

  static __device__ void
  sum (CtrPoint p, CtrPoint q, unsigned __int128 *s)
  {
    ctr_fit_line (p, q, (CtrSigned128 *) s);
  }

  static __device__ uint64_t (*words (const ContourOutput &output, uint32_t row))[2]
  {
    return output.fits[row].words;
  }
};

/* The points of one row. */
struct RowPoints {
  const CtrPoint *points;
  uint32_t first, end;

  template <typename Args>
  __device__
  RowPoints (const Args &f, uint32_t row)
      : points (points_of (f)), first (f.by_row.firsts[row]),
        end (row + 1 < f.counters->header.contours ? f.by_row.firsts[row + 1] : f.counters->header.points)
  {
  }

  __device__ uint32_t
  count () const
  {
    return end - first;
  }

  /* Adds the lines that count, from points BEGIN to LIMIT - 1: the one of number OWN among them, and every STEP-th behind
   * it. */
  template <typename Kind>
  __device__ void
  add (WideSums<Kind> *sums, uint32_t begin, uint32_t limit, uint32_t own, uint32_t step) const
  {
    uint32_t stride = 1;
    if (Kind::UPRIGHT_LINES) {
      const bool second =
          load_point (points, first).x != load_point (points, first + 1).x; /* is the first upright one */
      begin += ((begin - first) % 2 != 0) != second;
      stride = 2;
    }
#pragma unroll 1
    for (uint32_t i = begin + own * stride; i < limit; i += step * stride)
      sums->add (WideSums<Kind>::between (load_point (points, i), load_point (points, i + 1 < end ? i + 1 : first)));
  }
};

/* Sums up the rows of a warp, up to one a lane. */
template <typename Kind, typename Args>
__device__ inline void
sum_rows (const Args &f, uint32_t row, bool few)
{
  const uint32_t lane = threadIdx.x % 32, rows = f.counters->header.contours;
  const bool there = row < rows;
  const uint32_t count = there ? RowPoints (f, row).count () : 0;
  const bool alone = there && !few && count <= SHORT_POINTS;
  if (alone) {
    const RowPoints own (f, row);
    WideSums<Kind> sums = WideSums<Kind>::nothing ();
    own.add (&sums, own.first, own.end, 0, 1);
    sums.store (Kind::words (*f.output, row));
  }
  for (uint32_t left = __ballot_sync (~0u, there && !alone && count <= LONG_POINTS); left; left &= left - 1) {
    const uint32_t next = __shfl_sync (~0u, row, __ffs (left) - 1);
    const RowPoints shared (f, next);
    WideSums<Kind> sums = WideSums<Kind>::nothing ();
    shared.add (&sums, shared.first, shared.end, lane, 32);
    sums = sums.reduced ();
    if (lane == 0)
      sums.store (Kind::words (*f.output, next));
  }
}

/* Adds the lines of ROW that begin at points from BEGIN to END - 1, if it is a long one. */
template <typename Kind, typename Args>
__device__ inline void
add_long (const Args &f, uint32_t row, uint32_t begin, uint32_t end)
{
  const uint32_t lane = threadIdx.x % 32;
  const RowPoints points (f, row);
  if (points.count () <= LONG_POINTS)
    return;
  WideSums<Kind> sums = WideSums<Kind>::nothing ();
  points.add (&sums, max (begin, points.first), min (end, points.end), lane, 32);
  sums = sums.reduced ();
  if (lane == 0)
    sums.add_to (Kind::words (*f.output, row));
}

/* By all threads of a grid of CTAs of SUM_THREADS, once the points are complete. */
template <typename Kind, typename Args>
__device__ inline void
sum_contours (const Args &f)
{
  const uint32_t rows = f.counters->header.contours, points = f.counters->header.points;
  const uint32_t warps = gridDim.x * (SUM_THREADS / 32), warp = (blockIdx.x * SUM_THREADS + threadIdx.x) / 32;
  for (uint64_t base = warp; base < rows; base += (uint64_t) 32 * warps)
    sum_rows<Kind> (f, (uint32_t) min (base + (uint64_t) (threadIdx.x % 32) * warps, (uint64_t) rows), rows <= warps);
  if (points <= LONG_POINTS)
    return;
  for (uint64_t begin = (uint64_t) warp * LONG_CHUNK; begin < points; begin += (uint64_t) warps * LONG_CHUNK) {
    const uint32_t end = (uint32_t) min ((uint64_t) points, begin + LONG_CHUNK);
    /* A long row that has some of these points has the first or the last of them. */
    const uint32_t first = find_row (f, rows, (uint32_t) begin), last = find_row (f, rows, end - 1);
    add_long<Kind> (f, first, (uint32_t) begin, end);
    if (last != first)
      add_long<Kind> (f, last, (uint32_t) begin, end);
  }
}

/* The CTAs for so much room. */
inline unsigned
sum_ctas (uint32_t contours, uint32_t points)
{
  const uint64_t threads = max ((uint64_t) contours * 32, (uint64_t) points / (LONG_CHUNK / 32));
  return (unsigned) min (threads / SUM_THREADS + 1, (uint64_t) SUM_CTAS);
}

} // namespace

#endif

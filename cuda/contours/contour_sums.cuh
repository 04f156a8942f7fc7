/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The sums of 128 bits over the lines of contours: those of moments and those of fits. Those of long contours are 0 before. Of
 * contours that are not large, seen from their first point, sums of moments fit 64 bits. ARGS: as for the measures. */
#ifndef CTR_CUDA_CONTOURS_CONTOUR_SUMS_CUH
#define CTR_CUDA_CONTOURS_CONTOUR_SUMS_CUH

#include "cuda/contours/row_shares.cuh"

#include "core/results/fits.h"

namespace
{

constexpr int SUM_THREADS = 128, SUM_WARPS = SUM_THREADS / 32, SUM_CTAS = 660;

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
#pragma unroll 1
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

/* The sums of CtrContourSums. As for all kinds, sum() adds up what a line contributes to the result. With NEAR_REACH, sum_near() does so
 * modulo 2^64 and relative to the contour's first point, as long as no coordinate differs by NEAR_REACH from there: then the
 * whole contour's sums are below 2^63, and move() makes the result of them. */
struct MomentSums {
  static constexpr int COUNT = 10;
  static constexpr bool UPRIGHT_LINES = false; /* Lines that are not upright count, too. */
  /* With R for it, the greatest sum is 60 times the integral of |x^2 y| over a square of 2 R: 40 R^5. */
  static constexpr int NEAR_REACH = 1 << 11;

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

  static __device__ void
  sum_near (int x0, int y0, int x1, int y1, uint64_t *s)
  {
    const int c = plus (times (x0, y1), times (-x1, y0)), xx0 = times (x0, x0), xx1 = times (x1, x1),
              yy0 = times (y0, y0), yy1 = times (y1, y1), xx = times (x0, x1), yy = times (y0, y1);
    const uint64_t factors[COUNT] = {1, wide (x0 + x1), wide (y0 + y1), wide (plus (xx0, xx, xx1)),
        wide (plus (times (x0, 2 * y0 + y1), times (x1, y0 + 2 * y1))), wide (plus (yy0, yy, yy1)),
        wide (x0 + x1) * wide (plus (xx0, xx1)),
        wide (xx0) * wide (3 * y0 + y1) + 2 * wide (xx) * wide (y0 + y1) + wide (xx1) * wide (y0 + 3 * y1),
        wide (yy0) * wide (3 * x0 + x1) + 2 * wide (yy) * wide (x0 + x1) + wide (yy1) * wide (x0 + 3 * x1),
        wide (y0 + y1) * wide (plus (yy0, yy1))};
#pragma unroll
    for (int i = 0; i < COUNT; i++)
      s[i] += wide (c) * factors[i];
  }

  static __device__ void
  move (const uint64_t *near, CtrPoint origin, unsigned __int128 *s)
  {
#pragma unroll
    for (int i = 0; i < COUNT; i++)
      s[i] = (unsigned __int128) (int64_t) near[i];
    move_by (origin, s);
  }

  static __device__ uint64_t (*words (const ContourOutput &output, uint32_t row))[2]
  {
    return output.sums[row].words;
  }

protected:
  /* These wrap around: what they make of coordinates that are too far away is not used. */
  static __device__ int
  times (int a, int b)
  {
    return (int) ((uint32_t) a * (uint32_t) b);
  }

  static __device__ int
  plus (int a, int b, int c = 0)
  {
    return (int) ((uint32_t) a + (uint32_t) b + (uint32_t) c);
  }

  static __device__ uint64_t
  wide (int a)
  {
    return (uint64_t) (int64_t) a;
  }

  /* From sums around ORIGIN to those around (0, 0). They are 2, 6, 6, 12, 24, 12, 20, 60, 60 and 20 times the integrals of
   * 1, x, y, xx, xy, yy, xxx, xxy, xyy and yyy. */
  static __device__ void
  move_by (CtrPoint origin, unsigned __int128 *s)
  {
    const uint32_t x = origin.x, y = origin.y;
    s[6] += 5 * x * (s[3] + 2 * x * (s[1] + x * s[0]));
    s[9] += 5 * y * (s[5] + 2 * y * (s[2] + y * s[0]));
    const unsigned __int128 xx = s[3] + 2 * x * (2 * s[1] + 3 * x * s[0]),
                            yy = s[5] + 2 * y * (2 * s[2] + 3 * y * s[0]);
    s[7] += 5 * y * xx + 5 * x * (s[4] + 2 * x * s[2]);
    s[8] += 5 * x * yy + 5 * y * (s[4] + 2 * y * s[1]);
    s[3] = xx;
    s[5] = yy;
    s[1] += 3 * x * s[0];
    s[4] += 4 * (x * s[2] + y * s[1]);
    s[2] += 3 * y * s[0];
  }
};

/* The sums of CtrContourSums of contours whose lines are upright and level by turns: by Green's theorem those are integrals
 * over y, to which level lines add nothing. Around a contour they are the same integers. */
struct UprightMomentSums : MomentSums {
  static constexpr bool UPRIGHT_LINES = true;
  /* Sums have no constant factors here: the greatest one is 4 times the integral of |x^3| over a square of 2 R: 4 R^5. */
  static constexpr int NEAR_REACH = 1 << 12;

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

  static __device__ void
  sum_near (int x, int y0, int, int y1, uint64_t *s)
  {
    const int d = y1 - y0, d2 = times (d, y0 + y1); /* of y, and of its square */
    const int yy0 = times (y0, y0), yy1 = times (y1, y1), xx = times (x, x), xd = times (x, d);
    const uint64_t xxd = wide (xx) * wide (d), xd2 = wide (x) * wide (d2),
                   xd3 = wide (xd) * wide (plus (yy0, times (y0, y1), yy1));
    const uint64_t near[COUNT] = {wide (xd), xxd, xd2, wide (xx) * wide (xd), wide (xx) * wide (d2), xd3,
        xxd * wide (xx), xd2 * wide (xx), xd3 * wide (x), xd2 * wide (plus (yy0, yy1))};
#pragma unroll
    for (int i = 0; i < COUNT; i++)
      s[i] += near[i];
  }

  static __device__ void
  move (const uint64_t *near, CtrPoint origin, unsigned __int128 *s)
  {
    constexpr int FACTORS[COUNT] = {2, 3, 3, 4, 6, 4, 5, 10, 10, 5};
#pragma unroll
    for (int i = 0; i < COUNT; i++)
      s[i] = (unsigned __int128) ((__int128) (int64_t) near[i] * FACTORS[i]);
    move_by (origin, s);
  }
};

/* The sums of CtrContourFits. */
struct FitSums {
  static constexpr int COUNT = CTR_FIT_SUMS;
  static constexpr bool UPRIGHT_LINES = false;
  static constexpr int NEAR_REACH = 0; /* There are none relative to a point. */

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

/* The points of one row, and their lines. */
struct RowLines : RowPoints {
  using RowPoints::RowPoints;

  /* Calls LINE (from, to) for the lines that count, from points BEGIN to LIMIT - 1: the one of number OWN among them, and every
   * STEP-th behind it. */
  template <typename Kind, int AT_ONCE, typename Line>
  __device__ void
  each (uint32_t begin, uint32_t limit, uint32_t own, uint32_t step, Line line) const
  {
    constexpr uint32_t STRIDE = Kind::UPRIGHT_LINES ? 2 : 1;
    if (Kind::UPRIGHT_LINES)
      begin = first_upright (begin);
#pragma unroll AT_ONCE
    for (uint32_t i = begin + own * STRIDE; i < limit; i += step * STRIDE)
      line (at (i), at_wrapped (i + 1));
  }

  /* Adds these lines. */
  template <typename Kind>
  __device__ void
  add (WideSums<Kind> *sums, uint32_t begin, uint32_t limit, uint32_t own, uint32_t step) const
  {
    each<Kind, 1> (
        begin, limit, own, step, [=] (CtrPoint p, CtrPoint q) { sums->add (WideSums<Kind>::between (p, q)); });
  }
};

/* Sums modulo 2^64 around a contour's first point. */
template <typename Kind> struct NearSums {
  uint64_t s[Kind::COUNT];
  uint32_t reach; /* below 2 * NEAR_REACH if that is so for all coordinates */
  CtrPoint origin;

  __device__
  NearSums (const RowLines &row)
      : s{}, reach (0), origin (row.at (row.first))
  {
  }

  /* All lines of a contour: the one of number OWN, and every STEP-th behind it. */
  __device__ void
  add (const RowLines &row, uint32_t own, uint32_t step)
  {
    row.template each<Kind, 2> (row.first, row.end, own, step, [this] (CtrPoint p, CtrPoint q) {
      const int x0 = p.x - origin.x, y0 = p.y - origin.y, x1 = q.x - origin.x, y1 = q.y - origin.y;
      for (int v : {x0, y0, x1, y1})
        reach |= (uint32_t) (v + Kind::NEAR_REACH);
      Kind::sum_near (x0, y0, x1, y1, s);
    });
  }

  __device__ bool
  is_exact () const
  {
    return reach < 2 * Kind::NEAR_REACH;
  }

  __device__ void
  reduce ()
  {
#pragma unroll 1
    for (int d = 16; d; d /= 2)
#pragma unroll
      for (int i = 0; i < Kind::COUNT; i++)
        s[i] += __shfl_xor_sync (~0u, (unsigned long long) s[i], d);
  }

  __device__ WideSums<Kind>
  wide () const
  {
    WideSums<Kind> sums;
    Kind::move (s, origin, sums.s);
    return sums;
  }
};

/* Sums of 128 bits of the lines that RowLines::add() adds. */
template <typename Kind>
__device__ inline WideSums<Kind>
sum_lines (const RowLines &points, uint32_t begin, uint32_t limit, uint32_t own, uint32_t step)
{
  WideSums<Kind> sums = WideSums<Kind>::nothing ();
  points.template add<Kind> (&sums, begin, limit, own, step);
  return sums;
}

/* Likewise, where that is rare: a function of its own takes no registers from the others, and is there once. */
template <typename Kind>
__device__ __noinline__ void
sum_lines_apart (RowLines points, uint32_t begin, uint32_t limit, uint32_t own, uint32_t step, WideSums<Kind> *to)
{
  *to = sum_lines<Kind> (points, begin, limit, own, step);
}

template <typename Kind>
__device__ inline WideSums<Kind>
wide_sums (const RowLines &points, uint32_t begin, uint32_t limit, uint32_t own, uint32_t step)
{
  if constexpr (Kind::NEAR_REACH == 0)
    return sum_lines<Kind> (points, begin, limit, own, step);
  WideSums<Kind> sums;
  sum_lines_apart<Kind> (points, begin, limit, own, step, &sums);
  return sums;
}

/* Sums up a row by one thread. */
template <typename Kind, typename Args>
__device__ inline void
sum_by_thread (const Args &f, uint32_t row)
{
  const RowLines points (f, row);
  if constexpr (Kind::NEAR_REACH > 0) {
    NearSums<Kind> near (points);
    near.add (points, 0, 1);
    if (near.is_exact ()) {
      near.wide ().store (Kind::words (*f.output, row));
      return;
    }
  }
  wide_sums<Kind> (points, points.first, points.end, 0, 1).store (Kind::words (*f.output, row));
}

/* Sums up a row by a warp. */
template <typename Kind, typename Args>
__device__ inline void
sum_by_warp (const Args &f, uint32_t row)
{
  const RowLines points (f, row);
  const uint32_t lane = threadIdx.x % 32;
  if constexpr (Kind::NEAR_REACH > 0) {
    NearSums<Kind> near (points);
    near.add (points, lane, 32);
    if (__all_sync (~0u, near.is_exact ())) {
      near.reduce ();
      if (lane == 0)
        near.wide ().store (Kind::words (*f.output, row));
      return;
    }
  }
  const WideSums<Kind> sums = wide_sums<Kind> (points, points.first, points.end, lane, 32).reduced ();
  if (lane == 0)
    sums.store (Kind::words (*f.output, row));
}

/* Adds the lines of ROW, a long one, that begin at points from BEGIN to END - 1. */
template <typename Kind, typename Args>
__device__ inline void
add_long (const Args &f, uint32_t row, uint32_t begin, uint32_t end)
{
  const uint32_t lane = threadIdx.x % 32;
  const RowLines points (f, row);
  const WideSums<Kind> sums =
      wide_sums<Kind> (points, max (begin, points.first), min (end, points.end), lane, 32).reduced ();
  if (lane == 0)
    sums.add_to (Kind::words (*f.output, row));
}

/* The work of share_rows() for sums. */
template <typename Kind, typename Args> struct SumWork {
  static constexpr uint32_t SHORT_LANES = 1;
  const Args &f;

  __device__ void
  by_thread (uint32_t row) const
  {
    sum_by_thread<Kind> (f, row);
  }

  __device__ void
  by_warp (uint32_t row) const
  {
    sum_by_warp<Kind> (f, row);
  }

  __device__ void
  part (uint32_t row, uint32_t begin, uint32_t end) const
  {
    add_long<Kind> (f, row, begin, end);
  }
};

/* By all threads of a grid of CTAs of SUM_THREADS, once the points are complete. */
template <typename Kind, typename Args>
__device__ inline void
sum_contours (const Args &f)
{
  __shared__ RowQueue<SUM_THREADS> queue;
  share_rows (f, Ctas::all (), queue, SumWork<Kind, Args>{f});
}

/* The CTAs for so much room. */
inline unsigned
sum_ctas (uint32_t contours, uint32_t points)
{
  const uint32_t most = max (contours / SUM_WARPS, points / (LONG_CHUNK * SUM_WARPS));
  return min (most + 1, (unsigned) SUM_CTAS);
}

} // namespace

#endif

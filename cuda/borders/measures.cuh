/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The measures of borders, row by row. */
#ifndef CTR_CUDA_BORDERS_MEASURES_CUH
#define CTR_CUDA_BORDERS_MEASURES_CUH

#include "cuda/borders/device_state.cuh"
#include "cuda/borders/row.cuh"
#include "cuda/common/ptx.cuh"
#include "cuda/contours/row_shares.cuh"

namespace
{

/* The measures of up to MOST_STEPS lines that lead to neighbouring pixels, or nowhere. */
struct Steps {
  static constexpr uint32_t MOST_STEPS = 4096;
  uint32_t area2; /* modulo 2^32 */
  /* Sums of squares: a line has a number of which bit 0 is set if it is not upright, bit 16 if it is not level. So bit 0 of the square tells
   * the one, bit 32 the other, and bit 17 that both are true. */
  unsigned long long squares;
  uint32_t low, high; /* as of Line */
  static_assert (MOST_STEPS < 1 << 14, "area2 is below 2^31, sums from bit 0, 17 and 32 on are apart");

  static __device__ Steps
  nothing ()
  {
    return {0, 0, ~0u, 0};
  }

  __device__ void
  add_line (CtrPoint p, CtrPoint q)
  {
    const uint32_t place = p.x | (uint32_t) p.y << 16, odd = (place ^ (q.x | (uint32_t) q.y << 16)) & 0x10001;
    area2 += (uint32_t) p.x * q.y - (uint32_t) p.y * q.x;
    squares += (unsigned long long) odd * odd;
    low = __vminu2 (low, place);
    high = __vmaxu2 (high, place);
  }

  __device__ void
  add (const Steps &s)
  {
    area2 += s.area2;
    squares += s.squares;
    low = __vminu2 (low, s.low);
    high = __vmaxu2 (high, s.high);
  }

  __device__ Steps
  up (int d) const
  {
    return {__shfl_up_sync (~0u, area2, d), __shfl_up_sync (~0u, squares, d), __shfl_up_sync (~0u, low, d),
        __shfl_up_sync (~0u, high, d)};
  }

  __device__ Steps
  reduced () const
  {
#if __CUDA_ARCH__ >= 800
    return {__reduce_add_sync (~0u, area2),
        __reduce_add_sync (~0u, (uint32_t) squares)
            | (unsigned long long) __reduce_add_sync (~0u, (uint32_t) (squares >> 32)) << 32,
        __reduce_min_sync (~0u, low & 0xffff) | __reduce_min_sync (~0u, low >> 16) << 16,
        __reduce_max_sync (~0u, high & 0xffff) | __reduce_max_sync (~0u, high >> 16) << 16};
#else
    Steps s = *this;
    for (int d = 16; d; d /= 2)
      s.add ({__shfl_xor_sync (~0u, s.area2, d), __shfl_xor_sync (~0u, s.squares, d), __shfl_xor_sync (~0u, s.low, d),
          __shfl_xor_sync (~0u, s.high, d)});
    return s;
#endif
  }

  __device__ Line
  as_line () const
  {
    constexpr unsigned long long DIAGONAL = 11863283; /* the square root of 2 as a float, times 2^23 */
    const uint32_t not_upright = squares & 0xffff, diagonal = (uint32_t) squares >> 17, not_level = squares >> 32;
    return {(int32_t) area2,
        ((unsigned long long) (not_upright + not_level - 2 * diagonal) << 23) + diagonal * DIAGONAL, low, high};
  }
};

/* Likewise of any lines. */
struct Lines : Line {
  static __device__ Lines
  nothing ()
  {
    return {Line::nothing ()};
  }

  __device__ void
  add_line (CtrPoint p, CtrPoint q)
  {
    add (Line::between (p, q));
  }

  __device__ Lines
  up (int d) const
  {
    return {Line::up (d)};
  }

  __device__ Lines
  reduced () const
  {
    return {Line::reduced ()};
  }

  __device__ Line
  as_line () const
  {
    return *this;
  }
};

/* The work of share_rows() for the measures. Long contours' are clear before. SUM: Steps or Lines. */
template <typename Sum> struct MeasureWork {
  static constexpr uint32_t SHORT_LANES = 8;
  const BordersKernelArgs &f;
  bool writes_rows; /* of short contours, and of long ones once all their parts are measured */

  static __device__ ContourAccumulator
  accumulator_of (const Line &sum)
  {
    return {sum.area2, sum.length, sum.low & 0xffff, sum.low >> 16, sum.high & 0xffff, sum.high >> 16};
  }

  __device__ void
  store_short (uint32_t row, const Line &sum) const
  {
    if (writes_rows)
      write_row (f, row, accumulator_of (sum));
    else
      f.by_row.accumulators[row] = accumulator_of (sum);
  }

  /* By a whole warp, of the lines that begin at points from BEGIN to END - 1. */
  __device__ Line
  measure (const RowPoints &points, uint32_t begin, uint32_t end) const
  {
    Sum sum = Sum::nothing ();
#pragma unroll 4
    for (uint32_t i = begin + threadIdx.x % 32; i < end; i += 32)
      sum.add_line (points.at (i), points.at_wrapped (i + 1));
    return sum.reduced ().as_line ();
  }

  __device__ void
  by_thread (uint32_t row) const
  {
    const RowPoints points (f, row);
    const CtrPoint first = points.at (points.first);
    Sum sum = Sum::nothing ();
    CtrPoint p = first;
#pragma unroll 4
    for (uint32_t i = points.first + 1; i < points.end; i++) {
      const CtrPoint q = points.at (i);
      sum.add_line (p, q);
      p = q;
    }
    sum.add_line (p, first);
    store_short (row, sum.as_line ());
  }

  __device__ void
  by_lanes (uint32_t row, bool has_row) const
  {
    const uint32_t lane = threadIdx.x % SHORT_LANES;
    Sum sum = Sum::nothing ();
    if (has_row) {
      const RowPoints points (f, row);
#pragma unroll
      for (uint32_t k = 0; k < SHORT_POINTS / SHORT_LANES; k++) {
        const uint32_t i = points.first + lane + k * SHORT_LANES;
        if (i < points.end)
          sum.add_line (points.at (i), points.at_wrapped (i + 1));
      }
    }
    const Line line = sum.as_line ().template reduced<SHORT_LANES> ();
    if (has_row && lane == 0)
      store_short (row, line);
  }

  __device__ void
  by_warp (uint32_t row) const
  {
    const RowPoints points (f, row);
    const Line sum = measure (points, points.first, points.end);
    if (threadIdx.x % 32 == 0)
      f.by_row.accumulators[row] = accumulator_of (sum);
  }

  __device__ void
  part (uint32_t row, uint32_t begin, uint32_t end) const
  {
    const RowPoints points (f, row);
    const Line sum = measure (points, max (begin, points.first), min (end, points.end));
    if (threadIdx.x % 32)
      return;
    sum.flush (f, row);
    if (!writes_rows)
      return;
    const uint32_t parts = (points.end - 1) / LONG_CHUNK - points.first / LONG_CHUNK + 1;
    if (count_arrival (&f.by_row.long_parts[points.first / LONG_POINTS]) == parts - 1)
      write_row (f, row);
  }
};

} // namespace

#endif

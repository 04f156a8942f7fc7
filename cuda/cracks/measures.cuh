/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The measures of level contours, whose lines are upright and level by turns: all is found at the upright ones. */
#ifndef CTR_CUDA_CRACKS_MEASURES_CUH
#define CTR_CUDA_CRACKS_MEASURES_CUH

#include "cuda/contours/row_shares.cuh"
#include "cuda/cracks/points.cuh"

namespace
{

/* The work of share_rows() for the measures. Those of long contours are clear before. TO_TABLE: rows of the
 * table get those of the other contours at once. */
template <bool TO_TABLE> struct MeasureWork {
  static constexpr uint32_t SHORT_LANES = 1;
  const CracksKernelArgs &f;

  /* The upright lines that begin at points from BEGIN to LIMIT - 1, each with the level one behind it: the one of number OWN among
   * them, and every STEP-th behind it. */
  __device__ Line
  measure (const RowPoints &row, uint32_t begin, uint32_t limit, uint32_t own, uint32_t step) const
  {
    Line sum = Line::nothing ();
    uint32_t cracks = 0; /* of LONG_POINTS lines at most */
#pragma unroll 4
    for (uint32_t i = row.first_upright (begin) + own * 2; i < limit; i += step * 2) {
      const CtrPoint p = row.at (i), q = row.at_wrapped (i + 1), next = row.at_wrapped (i + 2);
      sum.area2 += (long long) (2 * (int) p.x) * ((int) q.y - (int) p.y);
      cracks += abs ((int) q.y - (int) p.y) + abs ((int) next.x - (int) q.x);
      for (const CtrPoint &corner : {p, q}) {
        const uint32_t place = corner.x | (uint32_t) corner.y << 16;
        sum.low = __vminu2 (sum.low, place);
        sum.high = __vmaxu2 (sum.high, place);
      }
    }
    sum.length = (unsigned long long) cracks << 23;
    return sum;
  }

  __device__ void
  store (uint32_t row, const Line &sum) const
  {
    ContourAccumulator a = {sum.area2, sum.length, sum.low & 0xffff, sum.low >> 16, sum.high & 0xffff, sum.high >> 16};
    if (TO_TABLE) {
      CtrContour c = begin_row (f, row);
      set_measures (&c, a);
      f.output->table[row] = c;
    } else {
      f.by_row.accumulators[row] = a;
    }
  }

  __device__ void
  by_thread (uint32_t row) const
  {
    const RowPoints points (f, row);
    store (row, measure (points, points.first, points.end, 0, 1));
  }

  __device__ void
  by_warp (uint32_t row) const
  {
    const RowPoints points (f, row);
    const Line sum = measure (points, points.first, points.end, threadIdx.x % 32, 32).reduced ();
    if (threadIdx.x % 32 == 0)
      store (row, sum);
  }

  __device__ void
  part (uint32_t row, uint32_t begin, uint32_t end) const
  {
    const RowPoints points (f, row);
    const Line sum =
        measure (points, max (begin, points.first), min (end, points.end), threadIdx.x % 32, 32).reduced ();
    if (threadIdx.x % 32 == 0)
      sum.flush (f, row);
  }
};

} // namespace

#endif

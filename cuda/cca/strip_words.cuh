/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whole rows of a small frame as words of 32 pixels in the shared memory of a CTA, and the runs in them.
 *
 * Runs are numbered in raster order, from the row above the first one on. So counts of starts lead from a run to those above that it touches,
 * which follow one another. */
#ifndef CTR_CUDA_CCA_STRIP_WORDS_CUH
#define CTR_CUDA_CCA_STRIP_WORDS_CUH

#include "cuda/cca/device_state.cuh"
#include "cuda/common/pixels.cuh"
#include "cuda/common/ptx.cuh"

namespace
{

constexpr int STRIP_THREADS = 512;
constexpr uint32_t STRIP_WARPS = STRIP_THREADS / 32;

/* Shared memory. Each thread has K words. */
template <int K> struct StripWordsShared {
  struct {
    uint32_t pixels[K * STRIP_THREADS], starts[K * STRIP_THREADS];
    uint32_t before[K * STRIP_THREADS]; /* starts */
  } by_word;                            /* by rows, from the row above the first one on */
  uint32_t warp_sums[STRIP_WARPS];
};

/* All threads of the CTA call its functions together, with barriers between them. Rows count from the one above the first one. */
template <int CONNECTIVITY, int K> struct StripWords {
  typedef StripWordsShared<K> Shared;
  const CcaKernelArgs &f;
  Shared &s;
  const uint32_t columns, reciprocal; /* as in StripPlan */
  const uint32_t top, rows, words;    /* the first row; words: with those of the row above */
  const uint32_t t, lane, warp;
  uint32_t run_count; /* with those of the row above */

  __device__
  StripWords (const CcaKernelArgs &frame, const StripPlan &plan, uint32_t top_row, uint32_t row_count, Shared &shared)
      : f (frame), s (shared), columns (plan.columns), reciprocal (plan.reciprocal), top (top_row), rows (row_count),
        words (row_count ? (row_count + 1) * plan.columns : 0), t (threadIdx.x), lane (threadIdx.x % 32),
        warp (warp_index ())
  {
  }

  __device__ void
  load (uint32_t threshold)
  {
    if (f.depth == 8 && f.width % 32 == 0 && (((uintptr_t) f.pixels | f.stride) & 15) == 0) {
      const uint32_t mask = threshold > 255 ? 0 : 0xffff, invert = f.invert ? 0xffff : 0;
      const uint32_t t_low = (threshold & 127) * 0x01010101u, t_small = threshold & 128 ? 0u : ~0u;
      uint16_t *const to = (uint16_t *) s.by_word.pixels;
      uint4 v[2 * K]; /* all loads are issued before any is used */
      bool inside[2 * K];
#pragma unroll
      for (int k = 0; k < 2 * K; k++) {
        const uint32_t i = k * STRIP_THREADS + t, row = i / 2 * reciprocal >> STRIP_RECIPROCAL, y = top + row - 1;
        inside[k] = i < 2 * words && y < f.height; /* Above the image, Y is beyond it, too. */
        if (inside[k])
          v[k] = __ldg ((const uint4 *) (f.pixels + (size_t) y * f.stride) + (i - 2 * row * columns));
      }
#pragma unroll
      for (int k = 0; k < 2 * K; k++)
        to[k * STRIP_THREADS + t] = inside[k] ? (compare16 (v[k], t_low, t_small) & mask) ^ invert : 0;
    } else {
#pragma unroll 1
      for (uint32_t k = 0; k < K; k++) {
        const uint32_t i = t * K + k, row = i * reciprocal >> STRIP_RECIPROCAL;
        s.by_word.pixels[i] = i < words ? load_word (f, threshold, (i - row * columns) * 32, top + row - 1) : 0;
      }
    }
  }

  /* Numbers the runs, and writes row << 16 | column of each one's start to RUN_STARTS, and its last column to RUN_ENDS. Returns whether there is
   * room for all. Has barriers, behind the first of which all pixels are there. */
  __device__ bool
  number_runs (uint32_t *run_starts, uint32_t *run_ends, uint32_t room)
  {
    uint32_t y[K], x[K], starts[K], ends[K], sum = 0;
#pragma unroll
    for (int k = 0; k < K; k++) {
      const uint32_t i = t * K + k;
      y[k] = i * reciprocal >> STRIP_RECIPROCAL;
      x[k] = i - y[k] * columns;
      const uint32_t pixels = s.by_word.pixels[i], before = x[k] ? s.by_word.pixels[i - 1] : 0,
                     behind = x[k] + 1 < columns && i + 1 < K * STRIP_THREADS ? s.by_word.pixels[i + 1] : 0;
      starts[k] = pixels & ~(pixels << 1 | before >> 31);
      ends[k] = pixels & ~(pixels >> 1 | behind << 31);
      sum += __popc (starts[k]);
    }
    const uint32_t sums = sum_of_lanes (sum);
    if (lane == 31)
      s.warp_sums[warp] = sums;
    __syncthreads ();
    const uint32_t of_warp = lane < STRIP_WARPS ? s.warp_sums[lane] : 0;
    run_count = total_of_lanes (of_warp);
    uint32_t next = total_of_lanes (lane < warp ? of_warp : 0) + sums - sum;
    if (run_count > room)
      return false;
#pragma unroll
    for (int k = 0; k < K; k++) {
      const uint32_t i = t * K + k, before = next;
      s.by_word.starts[i] = starts[k];
      s.by_word.before[i] = before;
      for (uint32_t rest = starts[k]; rest; rest &= rest - 1)
        run_starts[next++] = y[k] << 16 | (x[k] * 32 + __ffs (rest) - 1);
      for (uint32_t rest = ends[k]; rest; rest &= rest - 1)
        run_ends[before + __popc (starts[k] & (rest ^ (rest - 1))) - 1] = x[k] * 32 + __ffs (rest) - 1;
    }
    __syncthreads ();
    return true;
  }

  /* The runs before row Y, which may be the one behind the last. */
  __device__ uint32_t
  runs_before (uint32_t y) const
  {
    return y * columns < words ? s.by_word.before[y * columns] : run_count;
  }

  /* The runs of the row above that a run touches, which has this START and END: from *FIRST on. Returns their number. */
  __device__ uint32_t
  touching (uint32_t start, uint32_t end, uint32_t *first) const
  {
    constexpr uint32_t reach = CONNECTIVITY == 8;
    const uint32_t x = start & 0xffff, row = ((start >> 16) - 1) * columns;
    const uint32_t from = max (x, reach) - reach, to = min (end + reach, 32 * columns - 1);
    const uint32_t i = row + from / 32, k = row + to / 32;
    *first = s.by_word.before[i] + __popc (s.by_word.starts[i] & ((2u << from % 32) - 1))
             - (s.by_word.pixels[i] >> from % 32 & 1);
    return s.by_word.before[k] + __popc (s.by_word.starts[k] & ((2u << to % 32) - 1)) - *first;
  }
};

} // namespace

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The components of runs in the shared memory of a CTA: of a strip or of a band.
 *
 * Runs are numbered in raster order, from the row above the first one on. Those above that a run touches follow one another: to the first one
 * it is linked, with the others it is united. Runs that touch none above may be the first of a component: they get a place for its sums (a
 * top). */
#ifndef CTR_CUDA_CCA_RUN_SETS_CUH
#define CTR_CUDA_CCA_RUN_SETS_CUH

#include "cuda/cca/strip_words.cuh"
#include "cuda/cca/unite_runs.cuh"

namespace
{

constexpr uint32_t MOST_CONTACTS = 256; /* with the row above the first one */
constexpr uint32_t LAST_RUNS = 256;     /* of the last row */
/* As many runs of a component in a warp take longer than a sum of the warp. */
constexpr int FEWEST_TO_ADD_UP = 6;

/* Shared memory. */
template <uint32_t RUNS, uint32_t TOPS> struct RunSetsShared {
  struct {
    uint32_t start[RUNS]; /* row << 16 | column; rows count from that above the first one */
    uint32_t end[RUNS];   /* last column, runs it touches above beyond the first one << 16 */
    uint32_t entry[RUNS]; /* parent << 16 | top: of a run without a link, in the end of all */
    uint16_t above[RUNS]; /* the first run above that it touches, if there are others */
  } by_run;
  struct {
    uint32_t area[TOPS];               /* 0: no component */
    uint32_t sum_x[TOPS], sum_y[TOPS]; /* y counts from the first row */
    uint32_t not_left[TOPS];           /* 65535 - left */
    uint32_t right[TOPS], bottom[TOPS];
    uint32_t first[TOPS]; /* run */
  } by_top;
  struct {
    uint32_t marks[RUNS / 32];  /* bits: first runs of components that count */
    uint32_t before[RUNS / 32]; /* marks */
  } by_run_word;
  uint32_t top_count, contact_count;
};

/* All threads of the CTA call its functions together, with barriers between them. */
template <uint32_t RUNS, uint32_t TOPS> struct RunSets {
  RunSetsShared<RUNS, TOPS> &s;
  const uint32_t t, lane;
  uint32_t first_run, last_row, run_count; /* from which on runs are in the first row, and in the last row; of all */

  __device__
  RunSets (RunSetsShared<RUNS, TOPS> &shared)
      : s (shared), t (threadIdx.x), lane (threadIdx.x % 32), first_run (0), last_row (0), run_count (0)
  {
  }

  __device__ void
  clear ()
  {
    if (t == 0)
      s.top_count = s.contact_count = 0;
    for (uint32_t i = t; i < RUNS / 32; i += STRIP_THREADS)
      s.by_run_word.marks[i] = 0;
  }

  /* Links the runs that have been numbered in WORDS. Returns whether there is room. */
  template <typename Words>
  __device__ bool
  link_all (const Words &words, uint32_t *contacts)
  {
    first_run = words.runs_before (1);
    last_row = words.runs_before (words.rows);
    bool fits = true;
    for (uint32_t run = first_run + t; run < run_count; run += STRIP_THREADS) {
      const uint32_t start = s.by_run.start[run];
      uint32_t first;
      const uint32_t count = words.touching (start, s.by_run.end[run], &first);
      fits = link (run, start, first, count, contacts) && fits;
    }
    return fits;
  }

  __device__ uint32_t
  parent (uint32_t run) const
  {
    return ((volatile uint16_t *) s.by_run.entry)[2 * run + 1];
  }

  __device__ void
  set_parent (uint32_t run, uint32_t up)
  {
    ((volatile uint16_t *) s.by_run.entry)[2 * run + 1] = up;
  }

  /* Of a root or, behind sum_up(), of any run. */
  __device__ uint32_t
  top_of (uint32_t run) const
  {
    return ((volatile uint16_t *) s.by_run.entry)[2 * run];
  }

  __device__ uint32_t
  root_of (uint32_t run)
  {
    return root_of_run (*this, run);
  }

  /* Links RUN, which has START, to those above that it touches, COUNT from FIRST on, or gives it a top. Those above the first row it lists in
   * CONTACTS: the one above << 16 | RUN. Returns whether there is room. */
  __device__ bool
  link (uint32_t run, uint32_t start, uint32_t first, uint32_t count, uint32_t *contacts)
  {
    if (count && start >> 16 > 1) {
      s.by_run.entry[run] = first << 16;
      if (count > 1) {
        s.by_run.end[run] += (count - 1) << 16;
        s.by_run.above[run] = first;
      }
      return true;
    }
    if (count) {
      const uint32_t at = atomicAdd (&s.contact_count, count);
      if (at + count > MOST_CONTACTS || first + count > LAST_RUNS)
        return false;
      for (uint32_t i = 0; i < count; i++)
        contacts[at + i] = (first + i) << 16 | run;
    }
    const uint32_t n = atomicAdd (&s.top_count, 1);
    if (n >= TOPS)
      return false;
    s.by_run.entry[run] = run << 16 | n;
    s.by_top.first[n] = run;
    s.by_top.area[n] = s.by_top.sum_x[n] = s.by_top.sum_y[n] = 0;
    s.by_top.not_left[n] = s.by_top.right[n] = s.by_top.bottom[n] = 0;
    return true;
  }

  __device__ void
  unite (uint32_t a, uint32_t b)
  {
    unite_runs (*this, s.by_run.entry, a, b);
  }

  /* Shortens links, and unites the runs at all other contacts. */
  __device__ void
  join ()
  {
    for (uint32_t run = first_run + t; run < run_count; run += STRIP_THREADS) {
      uint32_t up = parent (run);
      if (up == run)
        continue;
      const uint32_t others = s.by_run.end[run] >> 16;
#pragma unroll
      for (int step = 0; step < 4; step++) {
        up = parent (up);
        set_parent (run, up);
      }
      if (others) {
        const uint32_t above = s.by_run.above[run];
        for (uint32_t i = 1; i <= others; i++)
          unite (above, above + i);
      }
    }
  }

  __device__ void
  add (uint32_t n, uint32_t area, uint32_t sum_x, uint32_t sum_y, uint32_t not_left, uint32_t right, uint32_t bottom)
  {
    atomicAdd (&s.by_top.area[n], area);
    atomicAdd (&s.by_top.sum_x[n], sum_x);
    atomicAdd (&s.by_top.sum_y[n], sum_y);
    atomicMax (&s.by_top.not_left[n], not_left);
    atomicMax (&s.by_top.right[n], right);
    atomicMax (&s.by_top.bottom[n], bottom);
  }

  /* Adds what each lane has, if its AREA is not 0, to the sums of top N. Atomics on one address are serialised, so the warp adds up what it has
   * for the first top, and for another one, if it has much. */
  __device__ void
  add_up (uint32_t n, uint32_t area, uint32_t sum_x, uint32_t sum_y, uint32_t not_left, uint32_t right, uint32_t bottom)
  {
    uint32_t rest = __ballot_sync (~0u, area);
#pragma unroll 1
    for (int turn = 0; turn < 2 && rest; turn++) {
      const uint32_t from = __ffs (rest) - 1, common = __shfl_sync (~0u, n, from);
      const uint32_t same = __ballot_sync (~0u, area && n == common);
      rest &= ~same;
      if (__popc (same) < FEWEST_TO_ADD_UP)
        continue;
      const uint32_t mine = same >> lane & 1 ? ~0u : 0;
      const uint32_t all_area = total_of_lanes (area & mine), all_x = total_of_lanes (sum_x & mine),
                     all_y = total_of_lanes (sum_y & mine), all_left = greatest_of_lanes (not_left & mine),
                     all_right = greatest_of_lanes (right & mine), all_bottom = greatest_of_lanes (bottom & mine);
      if (lane == from)
        add (common, all_area, all_x, all_y, all_left, all_right, all_bottom);
      area &= ~mine;
    }
    if (area)
      add (n, area, sum_x, sum_y, not_left, right, bottom);
    __syncwarp ();
  }

  /* Adds the runs' sums to those of their components, and calls MARK (run, row, top, whether the run is the first one of its component). TOP: the first
   * row. */
  template <typename Mark>
  __device__ void
  sum_up (uint32_t top, const Mark &mark)
  {
#pragma unroll 1
    for (uint32_t run = first_run + t; run - lane < run_count; run += STRIP_THREADS) {
      uint32_t n = 0, area = 0, sum_x = 0, sum_y = 0, not_left = 0, right = 0, y = 0;
      if (run < run_count) {
        const uint32_t root = root_of (run);
        n = top_of (root);
        if (root != run)
          ((volatile uint16_t *) s.by_run.entry)[2 * run] = n;
        const uint32_t start = s.by_run.start[run], row = start >> 16, from = start & 0xffff;
        mark (run, row, n, root == run);
        right = s.by_run.end[run] & 0xffff;
        y = top + row - 1;
        area = right - from + 1;
        sum_x = area * (from + right) / 2;
        sum_y = area * (row - 1);
        not_left = 65535 - from;
      }
      __syncwarp ();
      add_up (n, area, sum_x, sum_y, not_left, right, y);
    }
  }

  __device__ void
  mark (uint32_t run)
  {
    atomicOr (&s.by_run_word.marks[run / 32], 1u << run % 32);
  }

  __device__ bool
  is_marked (uint32_t run) const
  {
    return s.by_run_word.marks[run / 32] >> run % 32 & 1;
  }

  /* Counts the marks before each word of them. */
  __device__ void
  scan_marks ()
  {
    constexpr uint32_t share = RUNS / 32 / 32; /* words of a lane */
    if (warp_index () == 0) {
      uint32_t own[share], sum = 0;
#pragma unroll
      for (uint32_t k = 0; k < share; k++)
        sum += own[k] = __popc (s.by_run_word.marks[lane * share + k]);
      uint32_t next = sum_of_lanes (sum) - sum;
#pragma unroll
      for (uint32_t k = 0; k < share; k++) {
        s.by_run_word.before[lane * share + k] = next;
        next += own[k];
      }
    }
    __syncthreads ();
  }

  /* Behind scan_marks(). */
  __device__ uint32_t
  marks_before (uint32_t run) const
  {
    return s.by_run_word.before[run / 32] + __popc (s.by_run_word.marks[run / 32] & ((1u << run % 32) - 1));
  }
};

} // namespace

#endif

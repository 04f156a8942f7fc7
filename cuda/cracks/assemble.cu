/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Level contours: rings to numbered contours, their points, their measures, and the table. */
#include "cuda/contours/contour_sums.cuh"
#include "cuda/contours/rows.cuh"
#include "cuda/cracks/measures.cuh"
#include "cuda/cracks/parents.cuh"
#include "cuda/cracks/stages.cuh"

namespace
{

/* See contour_kernels.cuh. */
struct OffsetPolicy {
  typedef CracksKernelArgs Args;

  static __device__ bool
  needs_offsets (const Args &)
  {
    return true;
  }

  static __device__ void
  note_points (const Args &, uint32_t, uint32_t, uint32_t)
  {
  }
};

constexpr int THREADS = CONTOUR_THREADS, CORNER_SHARE = CORNER_SCAN_SHARE / THREADS;
constexpr uint32_t NEIGHBOUR_CTAS = CONTOUR_CTAS * CONTOUR_THREADS / RADIX_THREADS;

/* Which of the corners from number FROM on are starts, as bits. Their loads overlap. */
__device__ inline uint32_t
find_starts (const CracksKernelArgs &f, uint32_t from, uint32_t corners)
{
  static_assert (CORNER_SHARE == 8, "kinds are two words");
  const uint2 kinds = *(const uint2 *) &f.by_corner.kind[from]; /* The arena has room for a multiple of 256 bytes. */
  uint32_t candidates = 0, exits[CORNER_SHARE], steps[CORNER_SHARE], found = 0;
#pragma unroll
  for (int i = 0; i < CORNER_SHARE; i++) {
    const uint32_t kind = (i < 4 ? kinds.x : kinds.y) >> 8 * (i % 4);
    candidates |= (uint32_t) (from + i < corners && kind & CORNER_MAY_START) << i;
  }
#pragma unroll
  for (int i = 0; i < CORNER_SHARE; i++) {
    exits[i] = steps[i] = 0;
    if (candidates >> i & 1) {
      exits[i] = f.by_corner.exit[from + i];
      steps[i] = f.by_corner.steps[from + i];
    }
  }
#pragma unroll
  for (int i = 0; i < CORNER_SHARE; i++) {
    uint32_t start = steps[i] == STEPS_CLOSED ? from + i : NO_KEY; /* Other candidates of closed rings are none. */
    if (candidates >> i & 1 && steps[i] < STEPS_CLOSED)
      start = f.ranking.views[exits[i]].key;
    found |= (uint32_t) (start == from + i) << i;
  }
  return found;
}

/* Finds the starts of the contours, for the sort by levels. */
__global__ void
__launch_bounds__ (THREADS) contour_kernel (const __grid_constant__ CracksKernelArgs f)
{
  __shared__ uint32_t ticket, sums[THREADS / 32];
  __shared__ RadixHistograms histograms;
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  if (threadIdx.x == 0) /* whether or not there are corners for it, so that the loads overlap */
    ticket = atomicAdd (&f.counters->scan_tickets[SCAN_CONTOURS], 1);
  CracksHeader &h = f.counters->header;
  if (!corners_fit (f))
    return;
  const uint32_t corners = (uint32_t) h.corners;
  radix_clear_states (f.levels, corners / 4, gridDim.x); /* A contour has four corners. */
  radix_begin_count (histograms);
  if (ticket * CORNER_SCAN_SHARE >= corners)
    return;
  const uint32_t from = (ticket * THREADS + threadIdx.x) * CORNER_SHARE;
  const uint32_t starts = from < corners ? find_starts (f, from, corners) : 0;
  uint32_t all;
  uint32_t contour = device_scan<THREADS> (__popc (starts), f.scan_states[SCAN_CONTOURS], ticket, sums, &all);
  for (uint32_t left = starts; left; left &= left - 1, contour++) {
    const uint32_t start = from + __ffs (left) - 1;
    if (contour >= f.contour_capacity)
      break;
    const uint32_t level = f.by_corner.level_index[start] - 1;
    f.levels.keys[0][contour] = level;
    f.levels.values[0][contour] = start;
    radix_count (f.levels, histograms, level);
  }
  radix_end_count (f.levels, histograms);
  if (threadIdx.x == 0 && (ticket + 1) * CORNER_SCAN_SHARE >= corners)
    h.all_contours = h.contours = all;
}

/* The lengths of contours from their STARTS, those of bits THERE. The loads of all overlap. */
struct LengthsFrom {
  const CracksKernelArgs &f;

  template <int COUNT>
  __device__ void
  operator() (const uint32_t (&starts)[COUNT], uint32_t there, uint32_t (&lengths)[COUNT]) const
  {
    uint32_t exits[COUNT];
#pragma unroll
    for (int k = 0; k < COUNT; k++) {
      exits[k] = 0;
      lengths[k] = 0;
      if (there >> k & 1) {
        exits[k] = f.by_corner.exit[starts[k]];
        lengths[k] = f.by_corner.steps[starts[k]];
      }
    }
#pragma unroll
    for (int k = 0; k < COUNT; k++) {
      if (!(there >> k & 1))
        continue;
      if (lengths[k] == STEPS_CLOSED)
        lengths[k] = 1 + (f.by_corner.steps[exits[k]] & ~STEPS_CLOSED);
      else
        lengths[k] += f.ranking.views[exits[k]].distance;
    }
  }
};

/* A pass of the sort of contours by level, by all threads of CTAS. The last one numbers them. */
__device__ inline void
sort_by_level (const CracksKernelArgs &f, RadixShared &shared, uint32_t pass, const Ctas &ctas)
{
  if (pass + 1 < f.levels.passes) {
    radix_pass (f.levels, shared, pass, ctas);
    return;
  }
  radix_pass (f.levels, shared, pass, ctas, LengthsFrom{f},
      [&] (uint32_t contour, uint32_t level, uint32_t start, uint32_t length) {
        f.levels.keys[radix_sorted (f.levels)][contour] = level;
        f.by_contour.starts[contour] = start;
        f.by_contour.lengths[contour] = length;
        f.contour_by_start[start] = contour;
      });
}

/* CTAs behind the first CTAS are there in the first pass only: neighbours are found without the contours' numbers. */
template <bool LABELS>
__global__ void
__launch_bounds__ (RADIX_THREADS, RADIX_SHARED_CTAS)
    levels_and_neighbours_kernel (const __grid_constant__ CracksKernelArgs f, uint32_t ctas, uint32_t pass)
{
  __shared__ RadixShared shared;
  run_both (
      f, ctas, [&] (const Ctas &c) { sort_by_level (f, shared, pass, c); },
      [&] (const Ctas &c) { find_west_neighbours<LABELS> (f, c); });
}

__global__ void
__launch_bounds__ (THREADS) point_kernel (const __grid_constant__ CracksKernelArgs f)
{
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  if (contours_fit (f))
    write_points<false> (f, Ctas::all ());
}

__global__ void
__launch_bounds__ (THREADS) measure_kernel (const __grid_constant__ CracksKernelArgs f)
{
  __shared__ RowQueue<THREADS> queue;
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  if (contours_fit (f))
    share_rows (f, Ctas::all (), queue, MeasureWork<false>{f});
}

__global__ void
__launch_bounds__ (SUM_THREADS) sum_kernel (const __grid_constant__ CracksKernelArgs f)
{
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  if (contours_fit (f))
    sum_contours<UprightMomentSums> (f);
}

__global__ void
__launch_bounds__ (THREADS) table_kernel (const __grid_constant__ CracksKernelArgs f)
{
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  if (contours_fit (f))
    write_table (f, Ctas::all ());
}

void
launch_points (const CracksKernelArgs &f, uint32_t scan, bool overlap, cudaStream_t stream)
{
  launch_offsets<OffsetPolicy> (f, scan, overlap, stream);
  launch_over (point_kernel, f.by_corner.capacity, f, overlap, stream);
  if (f.measuring)
    launch_over (measure_kernel, f.by_corner.capacity, f, overlap, stream);
  if (f.summing)
    ctr_launch_overlapped (
        overlap, sum_kernel, sum_ctas (f.by_corner.capacity / 4, f.by_corner.capacity), SUM_THREADS, 0, stream, f);
}

} // namespace

void
cracks_launch_contours (const CracksKernelArgs &f, bool overlap, cudaStream_t stream)
{
  ctr_launch_overlapped (overlap, contour_kernel, f.by_corner.capacity / CORNER_SCAN_SHARE + 1, THREADS, 0, stream, f);
  const auto kernel = f.labels ? levels_and_neighbours_kernel<true> : levels_and_neighbours_kernel<false>;
  const uint32_t ctas = radix_ctas (f.levels);
  launch_both (kernel, ctas, f.contour_capacity, RADIX_THREADS, NEIGHBOUR_CTAS, f, overlap, stream, 0u);
  for (uint32_t pass = 1; pass < f.levels.passes; pass++)
    ctr_launch_overlapped (overlap, kernel, ctas, RADIX_THREADS, 0, stream, f, ctas, pass);
}

void
cracks_launch_measures (const CracksKernelArgs &args, bool overlap, cudaStream_t stream)
{
  CracksKernelArgs f = args;
  f.by_contour.rows = f.by_row.contours = NULL;
  f.by_row.lengths = f.by_contour.lengths;
  f.summing = 0;
  f.measuring = true;
  f.final = false;
  launch_points (f, SCAN_MEASURED, overlap, stream);
}

void
cracks_launch_assembly (const CracksKernelArgs &f, bool overlap, cudaStream_t stream)
{
  launch_points (f, SCAN_OFFSETS, overlap, stream);
  launch_over (table_kernel, f.contour_capacity, f, overlap, stream);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The rows of the result: which contours get one, and where each row's points begin. contour_kernels.cuh describes the
 * Policy. */
#ifndef CTR_CUDA_CONTOURS_ROWS_CUH
#define CTR_CUDA_CONTOURS_ROWS_CUH

#include "cuda/common/scan.cuh"
#include "cuda/contours/contour_kernels.cuh"

namespace
{

constexpr int SCAN_EACH = SCAN_SHARE / CONTOUR_THREADS; /* contours a thread */

/* Gives rows to the contours that stay, in the order of the result. */
template <typename Policy>
__global__ void
__launch_bounds__ (CONTOUR_THREADS) select_rows_kernel (const __grid_constant__ typename Policy::Args f)
{
  __shared__ uint32_t ticket, sums[CONTOUR_THREADS / 32];
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  auto &h = f.counters->header;
  const uint32_t contours = h.all_contours;
  if (!contours_fit (f))
    return;
  if (threadIdx.x == 0)
    ticket = atomicAdd (&f.counters->scan_tickets[Policy::SELECT_SCAN], 1);
  __syncthreads ();
  if (ticket * SCAN_SHARE >= contours)
    return;
  const uint32_t from = (ticket * CONTOUR_THREADS + threadIdx.x) * SCAN_EACH;
  uint32_t numbers[SCAN_EACH] = {}, stay = 0;
#pragma unroll
  for (int i = 0; i < SCAN_EACH; i++) {
    if (from + i >= contours)
      continue;
    numbers[i] = Policy::contour_at (f, from + i);
    stay |= (uint32_t) Policy::keeps (f, numbers[i]) << i;
  }
  uint32_t all;
  uint32_t row = device_scan<CONTOUR_THREADS> (__popc (stay), f.scan_states[Policy::SELECT_SCAN], ticket, sums, &all);
#pragma unroll
  for (int i = 0; i < SCAN_EACH; i++) {
    if (from + i >= contours)
      continue;
    f.by_contour.rows[numbers[i]] = stay >> i & 1 ? row : NO_CONTOUR;
    if (!(stay >> i & 1))
      continue;
    f.by_row.contours[row] = numbers[i];
    f.by_row.lengths[row] = f.by_contour.lengths[numbers[i]];
    Policy::assign_row (f, row, numbers[i]);
    row++;
  }
  if (threadIdx.x == 0 && (ticket + 1) * SCAN_SHARE >= contours) {
    h.contours = all;
    h.points = 0; /* until they are counted */
  }
}

/* Finds where each row's points begin, by CTAs of which this one is number CTA, and calls TELL (row, first point, number
 * of points). SCAN is the one of scan_tickets and scan_states to use. */
template <typename Args, typename Tell>
__device__ inline void
find_offsets (const Args &f, uint32_t scan, uint32_t cta, Tell tell)
{
  __shared__ uint32_t ticket, sums[CONTOUR_THREADS / 32];
  auto &h = f.counters->header;
  const uint32_t contours = h.contours;
  if (cta * SCAN_SHARE >= contours)
    return;
  if (threadIdx.x == 0)
    ticket = atomicAdd (&f.counters->scan_tickets[scan], 1);
  __syncthreads ();
  const uint32_t from = (ticket * CONTOUR_THREADS + threadIdx.x) * SCAN_EACH;
  uint32_t lengths[SCAN_EACH], own = 0;
#pragma unroll
  for (int i = 0; i < SCAN_EACH; i++) {
    lengths[i] = from + i < contours ? f.by_row.lengths[from + i] : 0;
    own += lengths[i];
  }
  uint32_t all;
  uint32_t sum = device_scan<CONTOUR_THREADS> (own, f.scan_states[scan], ticket, sums, &all);
#pragma unroll
  for (int i = 0; i < SCAN_EACH; i++) {
    if (from + i < contours) {
      f.by_row.firsts[from + i] = sum;
      tell (from + i, sum, lengths[i]);
    }
    sum += lengths[i];
  }
  for (uint32_t i = threadIdx.x; i < SCAN_SHARE && ticket * SCAN_SHARE + i < contours; i += CONTOUR_THREADS)
    clear_measures (f, ticket * SCAN_SHARE + i, f.by_row.lengths[ticket * SCAN_SHARE + i]);
  if (threadIdx.x == 0 && (ticket + 1) * SCAN_SHARE >= contours)
    h.points = all;
}

template <typename Policy>
__global__ void
__launch_bounds__ (CONTOUR_THREADS) offset_kernel (const __grid_constant__ typename Policy::Args f, uint32_t scan)
{
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  if (contours_fit (f) && Policy::needs_offsets (f))
    find_offsets (f, scan, blockIdx.x,
        [&] (uint32_t row, uint32_t first, uint32_t length) { Policy::note_points (f, row, first, length); });
}

template <typename Policy>
void
launch_select_rows (const typename Policy::Args &f, bool overlap, cudaStream_t stream)
{
  ctr_launch_overlapped (
      overlap, select_rows_kernel<Policy>, f.contour_capacity / SCAN_SHARE + 1, CONTOUR_THREADS, 0, stream, f);
}

template <typename Policy>
void
launch_offsets (const typename Policy::Args &f, uint32_t scan, bool overlap, cudaStream_t stream)
{
  ctr_launch_overlapped (
      overlap, offset_kernel<Policy>, f.contour_capacity / SCAN_SHARE + 1, CONTOUR_THREADS, 0, stream, f, scan);
}

} // namespace

#endif

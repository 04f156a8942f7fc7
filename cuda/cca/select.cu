/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Component analysis, on request: limits on numbers. Rows that remain move up in the table; the label image has the
 * labels of the new rows. */
#include "cuda/cca/device_state.cuh"
#include "cuda/common/scan.cuh"

namespace
{

constexpr int SELECT_THREADS = 512; /* a thread a row */
/* At most: there may be room for many more rows than a frame has. Tests have another number. */
#ifndef CTR_CCA_SELECT_CTAS
#define CTR_CCA_SELECT_CTAS (132 * 4)
#endif
constexpr unsigned SELECT_CTAS = CTR_CCA_SELECT_CTAS;
constexpr int LABEL_THREADS = 256;
constexpr unsigned LABEL_CTAS = 132 * 8;

/* A row of the table, in registers. */
struct TableRow {
  CtrComponent component;
  CtrComponentMoments moments;
  CtrComponentGrey grey;
  CtrComponentPercentiles percentiles;
  CtrComponentInscribed inscribed;
  CtrComponentContrast contrast;
  CtrComponentSkeleton skeleton;
};

__device__ inline TableRow
load_row (const CcaKernelArgs &f, uint32_t i)
{
  TableRow row = {};
  row.component = f.table.components[i];
  if (f.by_table_row.moments)
    row.moments = f.by_table_row.moments[i];
  if (f.by_table_row.grey)
    row.grey = f.by_table_row.grey[i];
  if (f.by_table_row.percentiles)
    row.percentiles = f.by_table_row.percentiles[i];
  if (f.by_table_row.inscribed)
    row.inscribed = f.by_table_row.inscribed[i];
  if (f.by_table_row.contrast)
    row.contrast = f.by_table_row.contrast[i];
  if (f.by_table_row.skeleton)
    row.skeleton = f.by_table_row.skeleton[i];
  return row;
}

__device__ inline void
store_row (const CcaKernelArgs &f, uint32_t i, const TableRow &row)
{
  f.table.components[i] = row.component;
  if (f.by_table_row.moments)
    f.by_table_row.moments[i] = row.moments;
  if (f.by_table_row.grey)
    f.by_table_row.grey[i] = row.grey;
  if (f.by_table_row.percentiles)
    f.by_table_row.percentiles[i] = row.percentiles;
  if (f.by_table_row.inscribed)
    f.by_table_row.inscribed[i] = row.inscribed;
  if (f.by_table_row.contrast)
    f.by_table_row.contrast[i] = row.contrast;
  if (f.by_table_row.skeleton)
    f.by_table_row.skeleton[i] = row.skeleton;
}

/* CTAs take SELECT_THREADS rows after the other, and move them to where rows before them were: those have been loaded by then, since
 * their sums are known. */
__global__ void
__launch_bounds__ (SELECT_THREADS)
    select_kernel (const __grid_constant__ CcaKernelArgs f, const __grid_constant__ CtrSelectPlan plan)
{
  __shared__ uint32_t ticket, sums[SELECT_THREADS / 32];
  __shared__ bool last;
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  volatile CcaHeader *const header = f.header; /* the last CTA changes it */
  const uint32_t rows = header->count, t = threadIdx.x;
  if (!header->rows_complete)
    return;
#pragma unroll 1
  for (;;) {
    if (t == 0)
      ticket = atomicAdd (&f.counters->select_ticket, 1);
    __syncthreads ();
    const uint32_t own = ticket, i = own * SELECT_THREADS + t;
    if (own * SELECT_THREADS >= rows)
      break;
    TableRow row = {};
    bool remains = false;
    if (i < rows) {
      row = load_row (f, i);
      remains = ctr_select_keeps_component (&plan, &row.component, &row.moments, &row.grey, &row.percentiles,
          &row.inscribed, &row.contrast, &row.skeleton);
    }
    __threadfence ();
    uint32_t all;
    const uint32_t to = device_scan<SELECT_THREADS> (remains, f.select.states, own, sums, &all);
    if (i < rows)
      f.select.labels[i] = remains ? to + 1 : 0;
    if (remains)
      store_row (f, to, row);
    if (i == rows - 1)
      header->all_rows = all; /* until the last CTA ends */
  }
  __threadfence ();
  __syncthreads ();
  if (t == 0)
    last = atomicAdd (&f.counters->selected, 1) == gridDim.x - 1;
  __syncthreads ();
  if (!last)
    return;
  __threadfence ();
  for (uint32_t k = t; k < ctr_div_up (rows, SELECT_THREADS); k += SELECT_THREADS)
    f.select.states[k] = 0;
  if (t != 0)
    return;
  f.counters->select_ticket = f.counters->selected = 0;
  const uint32_t remaining = rows > 0 ? header->all_rows : 0;
  header->count = remaining;
  header->all_rows = rows;
  *f.numbers = {1, remaining, 0};
}

/* A thread a pixel. */
__global__ void
__launch_bounds__ (LABEL_THREADS)
    select_labels_kernel (const __grid_constant__ CcaKernelArgs f, uint32_t *labels, uint64_t count)
{
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  if (!f.header->rows_complete)
    return;
  for (uint64_t i = (uint64_t) blockIdx.x * LABEL_THREADS + threadIdx.x; i < count;
       i += (uint64_t) gridDim.x * LABEL_THREADS)
    if (const uint32_t label = labels[i])
      labels[i] = f.select.labels[label - 1];
}

} // namespace

void
cca_launch_select (const CcaKernelArgs &f, const CtrSelectPlan &plan, uint32_t *labels, uint64_t count, bool overlap,
    cudaStream_t stream)
{
  ctr_launch_overlapped (overlap, select_kernel, min (ctr_div_up (f.table.capacity, SELECT_THREADS), SELECT_CTAS),
      SELECT_THREADS, 0, stream, f, plan);
  if (labels)
    ctr_launch_overlapped (overlap, select_labels_kernel,
        (unsigned) min ((count + LABEL_THREADS - 1) / LABEL_THREADS, (uint64_t) LABEL_CTAS), LABEL_THREADS, 0, stream,
        f, labels, count);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Component analysis, on request: percentiles of the samples. The areas say where each component's samples go: they are sorted
 * by component, in any order, then the samples with the wanted indices are selected from each component's histogram. */
#include "cuda/cca/percentiles.cuh"
#include "cuda/common/scan.cuh"

#include "core/results/component_values.h"

namespace
{

constexpr int SORT_THREADS = 256;
constexpr int SELECT_THREADS = 256; /* a thread a bin of a byte */
constexpr unsigned MOST_CTAS = 132 * 8;

/* The place kernel: where the samples of each row begin. */
__global__ void
__launch_bounds__ (PLACE_THREADS)
    place_kernel (const __grid_constant__ CcaKernelArgs f, const __grid_constant__ PercentileArgs p)
{
  __shared__ uint32_t ticket, sums[PLACE_THREADS / 32];
  if (!f.header->rows_complete)
    return;
  const uint32_t rows = f.header->count, t = threadIdx.x;
  if (t == 0)
    ticket = atomicAdd (p.counts.ticket, 1);
  __syncthreads ();
  const uint32_t i = ticket * PLACE_THREADS + t;
  if (ticket * PLACE_THREADS >= rows)
    return;
  uint32_t all;
  const uint32_t first =
      device_scan<PLACE_THREADS> (i < rows ? f.table.components[i].area : 0, p.counts.states, ticket, sums, &all);
  if (i < rows)
    p.by_row.ends[i] = first;
}

__device__ inline uint32_t
sample_at (const CcaKernelArgs &f, uint32_t pixel)
{
  const uint8_t *row = f.samples.pixels + pixel / f.width * f.samples.stride;
  const uint32_t x = pixel % f.width;
  return f.samples.wide ? ((const uint16_t *) row)[x] : row[x];
}

/* A thread a pixel. The lanes of a warp with the same label take their places together. */
__global__ void
__launch_bounds__ (SORT_THREADS)
    sort_kernel (const __grid_constant__ CcaKernelArgs f, const __grid_constant__ PercentileArgs p)
{
  const uint32_t pixels = f.width * f.height, lane = threadIdx.x % 32;
  if (!f.header->rows_complete)
    return;
  for (uint64_t base = (uint64_t) blockIdx.x * SORT_THREADS + threadIdx.x - lane; base < pixels;
       base += (uint64_t) gridDim.x * SORT_THREADS) {
    const uint64_t pixel = base + lane;
    const uint32_t label = pixel < pixels ? f.by_pixel.labels[pixel] : 0;
    const uint32_t same = __match_any_sync (~0u, label), leader = __ffs (same) - 1;
    uint32_t first = 0;
    if (label && lane == leader)
      first = atomicAdd (&p.by_row.ends[label - 1], __popc (same));
    first = __shfl_sync (~0u, first, leader);
    if (label)
      p.samples[(size_t) first + __popc (same & ((1u << lane) - 1))] = (uint16_t) sample_at (f, (uint32_t) pixel);
  }
}

__device__ inline void
write_row (const CcaKernelArgs &f, uint32_t row, const uint32_t *values)
{
  f.by_table_row.percentiles[row] = {(uint16_t) values[0], (uint16_t) values[1], (uint16_t) values[2],
      (uint16_t) values[3], (uint16_t) values[4], {0, 0, 0}};
}

/* A warp a row: a lane counts the samples before its own. Lists the rows of more samples. */
__global__ void
__launch_bounds__ (SELECT_THREADS)
    select_short_kernel (const __grid_constant__ CcaKernelArgs f, const __grid_constant__ PercentileArgs p)
{
  const uint32_t lane = threadIdx.x % 32, warp = (blockIdx.x * SELECT_THREADS + threadIdx.x) / 32;
  if (!f.header->rows_complete)
    return;
  const uint32_t rows = f.header->count;
  for (uint32_t row = warp; row < rows; row += gridDim.x * (SELECT_THREADS / 32)) {
    const uint32_t area = f.table.components[row].area;
    if (area > 32) {
      if (lane == 0)
        p.by_row.listed[atomicAdd (p.counts.long_rows, 1)] = row;
      continue;
    }
    const uint32_t sample = lane < area ? p.samples[(size_t) (p.by_row.ends[row] - area) + lane] : ~0u;
    uint32_t index = 0;
    for (uint32_t k = 0; k < area; k++) {
      const uint32_t other = __shfl_sync (~0u, sample, k);
      index += other < sample || (other == sample && k < lane);
    }
    uint32_t values[CTR_PERCENTILES];
    for (uint32_t k = 0; k < CTR_PERCENTILES; k++) {
      const uint32_t found = __ballot_sync (~0u, lane < area && index == ctr_percentile_index (area, k));
      values[k] = __shfl_sync (~0u, sample, __ffs (found) - 1);
    }
    if (lane == 0)
      write_row (f, row, values);
  }
}

struct Histograms {
  uint32_t bins[CTR_PERCENTILES][256]; /* of lower bytes; the first one before of upper bytes */
  uint32_t high[CTR_PERCENTILES];      /* upper byte of each percentile; they ascend */
  uint32_t index[CTR_PERCENTILES];     /* of the percentile among the samples with this upper byte */
  uint32_t values[CTR_PERCENTILES];
};

/* By a warp: the bin that has the sample with the *INDEX, which becomes its index in the bin. */
__device__ inline uint32_t
find_bin (const uint32_t *bins, uint32_t *index)
{
  const uint32_t lane = threadIdx.x % 32;
  uint32_t own = 0;
  for (uint32_t k = 0; k < 8; k++)
    own += bins[lane * 8 + k];
  uint32_t end = own;
  for (uint32_t d = 1; d < 32; d *= 2) {
    const uint32_t n = __shfl_up_sync (~0u, end, d);
    end += lane >= d ? n : 0;
  }
  const uint32_t there = __ffs (__ballot_sync (~0u, *index < end)) - 1;
  uint32_t rest = *index - __shfl_sync (~0u, end - own, there), bin = there * 8;
  while (rest >= bins[bin])
    rest -= bins[bin++];
  *index = rest;
  return bin;
}

/* By a warp a percentile: its upper byte. */
__device__ inline void
find_high (Histograms &s, uint32_t area, bool wide)
{
  const uint32_t k = threadIdx.x / 32;
  if (k >= CTR_PERCENTILES)
    return;
  uint32_t index = ctr_percentile_index (area, k);
  const uint32_t high = wide ? find_bin (s.bins[0], &index) : 0;
  if (threadIdx.x % 32 == 0) {
    s.high[k] = high;
    s.index[k] = index;
  }
}

/* By a warp a percentile: its lower byte, from the histogram of the first percentile with the same upper byte. */
__device__ inline void
find_value (Histograms &s)
{
  const uint32_t k = threadIdx.x / 32;
  if (k >= CTR_PERCENTILES)
    return;
  uint32_t index = s.index[k], first = k;
  while (first > 0 && s.high[first - 1] == s.high[k])
    first--;
  const uint32_t low = find_bin (s.bins[first], &index);
  if (threadIdx.x % 32 == 0)
    s.values[k] = s.high[k] << 8 | low;
}

/* A CTA a listed row: a histogram of upper bytes, then, for each that has a percentile, one of lower bytes. */
__global__ void
__launch_bounds__ (SELECT_THREADS)
    select_long_kernel (const __grid_constant__ CcaKernelArgs f, const __grid_constant__ PercentileArgs p)
{
  __shared__ Histograms s;
  const uint32_t t = threadIdx.x;
  if (!f.header->rows_complete)
    return;
  const uint32_t rows = *p.counts.long_rows;
  for (uint32_t i = blockIdx.x; i < rows; i += gridDim.x) {
    const uint32_t row = p.by_row.listed[i], area = f.table.components[row].area;
    const uint16_t *samples = p.samples + (p.by_row.ends[row] - area);
    if (f.samples.wide) {
      s.bins[0][t] = 0;
      __syncthreads ();
      for (uint32_t k = t; k < area; k += SELECT_THREADS)
        atomicAdd (&s.bins[0][samples[k] >> 8], 1);
      __syncthreads ();
    }
    find_high (s, area, f.samples.wide);
    __syncthreads ();
    for (uint32_t k = 0; k < CTR_PERCENTILES; k++)
      s.bins[k][t] = 0;
    __syncthreads ();
    for (uint32_t k = t; k < area; k += SELECT_THREADS) {
      const uint32_t sample = samples[k];
      uint32_t which = 0;
      while (which < CTR_PERCENTILES && s.high[which] != sample >> 8)
        which++;
      if (which < CTR_PERCENTILES)
        atomicAdd (&s.bins[which][sample & 255], 1);
    }
    __syncthreads ();
    find_value (s);
    __syncthreads ();
    if (t == 0)
      write_row (f, row, s.values);
    __syncthreads ();
  }
}

/* Each percentile of equal samples is this sample. */
__global__ void
__launch_bounds__ (SELECT_THREADS) copy_values_kernel (const __grid_constant__ CcaKernelArgs f)
{
  if (!f.header->rows_complete)
    return;
  const uint32_t rows = f.header->count;
  for (uint32_t row = blockIdx.x * SELECT_THREADS + threadIdx.x; row < rows; row += gridDim.x * SELECT_THREADS) {
    const uint32_t value = f.table.components[row].value, values[CTR_PERCENTILES] = {value, value, value, value, value};
    write_row (f, row, values);
  }
}

unsigned
ctas_for (uint64_t threads, unsigned cta)
{
  const uint64_t ctas = (threads + cta - 1) / cta;
  return ctas < MOST_CTAS ? (unsigned) ctas : MOST_CTAS;
}

} // namespace

size_t
cca_lay_out_percentiles (const CcaKernelArgs *f, PercentileArgs *p, uint8_t *base)
{
  ArenaLayout c = {base, 0};
  p->counts.states = c.take<unsigned long long> (f->table.capacity / PLACE_THREADS + 1);
  p->counts.ticket = c.take<uint32_t> (1);
  p->counts.long_rows = c.take<uint32_t> (1);
  p->counts.size = c.used;
  p->by_row.ends = c.take<uint32_t> (f->table.capacity);
  p->by_row.listed = c.take<uint32_t> (f->table.capacity);
  p->samples = c.take<uint16_t> ((size_t) f->width * f->height);
  return c.used;
}

bool
cca_queue_percentiles (const CcaKernelArgs &f, const PercentileArgs &p, cudaStream_t stream, CtrError *error)
{
  const uint32_t rows = f.table.capacity;
  if (!f.by_table_row.percentiles)
    return true;
  if (!p.samples) {
    copy_values_kernel<<<ctas_for (rows, SELECT_THREADS), SELECT_THREADS, 0, stream>>> (f);
    return true;
  }
  CTR_CUDA (cudaMemsetAsync (p.counts.states, 0, p.counts.size, stream));
  place_kernel<<<ctr_div_up (rows, PLACE_THREADS), PLACE_THREADS, 0, stream>>> (f, p);
  sort_kernel<<<ctas_for ((uint64_t) f.width * f.height, SORT_THREADS), SORT_THREADS, 0, stream>>> (f, p);
  select_short_kernel<<<ctas_for ((uint64_t) rows * 32, SELECT_THREADS), SELECT_THREADS, 0, stream>>> (f, p);
  select_long_kernel<<<ctas_for (rows, 1), SELECT_THREADS, 0, stream>>> (f, p);
  return true;
}

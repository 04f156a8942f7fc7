/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Component analysis, on request: percentiles of the samples. The areas say where each component's samples go: they are sorted
 * by component, in any order, then the samples with the wanted indices are selected from each component's histogram. Several CTAs
 * make that of a component of many samples. */
#include "cuda/cca/percentiles.cuh"
#include "cuda/common/scan.cuh"

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

constexpr uint32_t LANE_PIXELS = 4, WARP_PIXELS = 32 * LANE_PIXELS;

/* Loads the labels of successive pixels, 0 for those behind the last one. */
__device__ inline void
load_labels (const uint32_t *labels, uint64_t pixel, uint64_t pixels, uint32_t own[LANE_PIXELS])
{
  if (pixel + LANE_PIXELS <= pixels) {
    const uint4 v = *(const uint4 *) (labels + pixel);
    own[0] = v.x;
    own[1] = v.y;
    own[2] = v.z;
    own[3] = v.w;
    return;
  }
  for (uint32_t k = 0; k < LANE_PIXELS; k++)
    own[k] = pixel + k < pixels ? labels[pixel + k] : 0;
}

/* A thread a few successive pixels. The lanes of a warp with the same label take their places together; a warp with one label
 * takes them at once. */
__global__ void
__launch_bounds__ (SORT_THREADS)
    sort_kernel (const __grid_constant__ CcaKernelArgs f, const __grid_constant__ PercentileArgs p)
{
  const uint64_t pixels = (uint64_t) f.width * f.height;
  const uint32_t lane = threadIdx.x % 32;
  if (!f.header->rows_complete)
    return;
  for (uint64_t warp = (blockIdx.x * SORT_THREADS + threadIdx.x) / 32; warp * WARP_PIXELS < pixels;
       warp += gridDim.x * (SORT_THREADS / 32)) {
    const uint64_t pixel = warp * WARP_PIXELS + lane * LANE_PIXELS;
    uint32_t labels[LANE_PIXELS];
    load_labels (f.by_pixel.labels, pixel, pixels, labels);
    const uint32_t common = __shfl_sync (~0u, labels[0], 0);
    bool alike = true;
    for (uint32_t k = 0; k < LANE_PIXELS; k++)
      alike = alike && labels[k] == common;
    if (__all_sync (~0u, alike)) {
      if (!common)
        continue;
      uint32_t first = 0;
      if (lane == 0)
        first = atomicAdd (&p.by_row.ends[common - 1], WARP_PIXELS);
      first = __shfl_sync (~0u, first, 0);
      for (uint32_t k = 0; k < LANE_PIXELS; k++)
        p.samples[(size_t) first + k * 32 + lane] = (uint16_t) sample_at (f, (uint32_t) pixel + k);
      continue;
    }
    for (uint32_t k = 0; k < LANE_PIXELS; k++) {
      const uint32_t label = labels[k], same = __match_any_sync (~0u, label), leader = __ffs (same) - 1;
      uint32_t first = 0;
      if (label && lane == leader)
        first = atomicAdd (&p.by_row.ends[label - 1], __popc (same));
      first = __shfl_sync (~0u, first, leader);
      if (label)
        p.samples[(size_t) first + __popc (same & ((1u << lane) - 1))] = (uint16_t) sample_at (f, (uint32_t) pixel + k);
    }
  }
}

__device__ inline void
write_row (const CcaKernelArgs &f, uint32_t row, const uint32_t *values)
{
  f.by_table_row.percentiles[row] = {(uint16_t) values[0], (uint16_t) values[1], (uint16_t) values[2],
      (uint16_t) values[3], (uint16_t) values[4], {0, 0, 0}};
}

/* By a warp: lists a row of many samples, whose parts several CTAs count. */
__device__ inline void
list_large (const PercentileArgs &p, uint32_t row, uint32_t area)
{
  const uint32_t lane = threadIdx.x % 32, parts = ctr_div_up (area, PART_SAMPLES);
  uint32_t large = 0, part = 0;
  if (lane == 0) {
    large = atomicAdd (p.counts.large_rows, 1);
    part = atomicAdd (p.counts.parts, parts);
    p.by_large[large].row = row;
    p.by_large[large].first_part = part;
    p.by_large[large].left = parts;
  }
  large = __shfl_sync (~0u, large, 0);
  part = __shfl_sync (~0u, part, 0);
  for (uint32_t i = lane; i < parts; i += 32)
    p.by_part[part + i] = large;
  for (uint32_t i = lane; i < (1 + CTR_PERCENTILES) * 256; i += 32)
    p.by_large[large].bins[i / 256][i % 256] = 0;
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
    if (area > PART_SAMPLES) {
      list_large (p, row, area);
      continue;
    }
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
  bool is_last;                        /* of the CTAs that count a row's samples */
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

/* Sets the histogram of upper bytes to that of COUNT samples. */
__device__ inline void
count_high (Histograms &s, const uint16_t *samples, uint32_t count)
{
  const uint32_t t = threadIdx.x;
  s.bins[0][t] = 0;
  __syncthreads ();
  for (uint32_t k = t; k < count; k += SELECT_THREADS)
    atomicAdd (&s.bins[0][samples[k] >> 8], 1);
  __syncthreads ();
}

/* After find_high(): sets the histograms of lower bytes to those of COUNT samples. */
__device__ inline void
count_low (Histograms &s, const uint16_t *samples, uint32_t count)
{
  const uint32_t t = threadIdx.x;
  __syncthreads ();
  for (uint32_t k = 0; k < CTR_PERCENTILES; k++)
    s.bins[k][t] = 0;
  __syncthreads ();
  for (uint32_t k = t; k < count; k += SELECT_THREADS) {
    const uint32_t sample = samples[k];
    uint32_t which = 0;
    while (which < CTR_PERCENTILES && s.high[which] != sample >> 8)
      which++;
    if (which < CTR_PERCENTILES)
      atomicAdd (&s.bins[which][sample & 255], 1);
  }
  __syncthreads ();
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
    if (f.samples.wide)
      count_high (s, samples, area);
    find_high (s, area, f.samples.wide);
    count_low (s, samples, area);
    find_value (s);
    __syncthreads ();
    if (t == 0)
      write_row (f, row, s.values);
    __syncthreads ();
  }
}

/* The samples of one part of a large row. */
struct Part {
  uint32_t row, area, count;
  const uint16_t *samples;

  __device__
  Part (const CcaKernelArgs &f, const PercentileArgs &p, uint32_t part, const LargeRow &large)
      : row (large.row), area (f.table.components[large.row].area)
  {
    const uint32_t first = (part - large.first_part) * PART_SAMPLES;
    count = min (area - first, PART_SAMPLES);
    samples = p.samples + (p.by_row.ends[row] - area) + first;
  }
};

/* A CTA a part of a large row, of samples of 16 bits: adds to the row's histogram of upper bytes. */
__global__ void
__launch_bounds__ (SELECT_THREADS)
    large_high_kernel (const __grid_constant__ CcaKernelArgs f, const __grid_constant__ PercentileArgs p)
{
  __shared__ Histograms s;
  const uint32_t t = threadIdx.x;
  if (!f.header->rows_complete)
    return;
  const uint32_t parts = *p.counts.parts;
  for (uint32_t i = blockIdx.x; i < parts; i += gridDim.x) {
    LargeRow &large = p.by_large[p.by_part[i]];
    const Part part (f, p, i, large);
    count_high (s, part.samples, part.count);
    if (s.bins[0][t])
      atomicAdd (&large.bins[CTR_PERCENTILES][t], s.bins[0][t]);
    __syncthreads ();
  }
}

/* A CTA a part of a large row: adds to its histograms of lower bytes. The last one of a row selects. */
__global__ void
__launch_bounds__ (SELECT_THREADS)
    large_low_kernel (const __grid_constant__ CcaKernelArgs f, const __grid_constant__ PercentileArgs p)
{
  __shared__ Histograms s;
  const uint32_t t = threadIdx.x;
  if (!f.header->rows_complete)
    return;
  const uint32_t parts = *p.counts.parts;
  for (uint32_t i = blockIdx.x; i < parts; i += gridDim.x) {
    LargeRow &large = p.by_large[p.by_part[i]];
    const Part part (f, p, i, large);
    s.bins[0][t] = large.bins[CTR_PERCENTILES][t];
    __syncthreads ();
    find_high (s, part.area, f.samples.wide);
    count_low (s, part.samples, part.count);
    for (uint32_t k = 0; k < CTR_PERCENTILES; k++)
      if (s.bins[k][t])
        atomicAdd (&large.bins[k][t], s.bins[k][t]);
    __threadfence ();
    __syncthreads ();
    if (t == 0)
      s.is_last = atomicSub (&large.left, 1) == 1;
    __syncthreads ();
    if (!s.is_last)
      continue;
    __threadfence ();
    for (uint32_t k = 0; k < CTR_PERCENTILES; k++)
      s.bins[k][t] = __ldcg (&large.bins[k][t]);
    __syncthreads ();
    find_value (s);
    __syncthreads ();
    if (t == 0)
      write_row (f, part.row, s.values);
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
  p->counts.large_rows = c.take<uint32_t> (1);
  p->counts.parts = c.take<uint32_t> (1);
  p->counts.size = c.used;
  p->by_row.ends = c.take<uint32_t> (f->table.capacity);
  p->by_row.listed = c.take<uint32_t> (f->table.capacity);
  const size_t pixels = (size_t) f->width * f->height, large = pixels / PART_SAMPLES;
  p->by_large = c.take<LargeRow> (large);
  p->by_part = c.take<uint32_t> (2 * large); /* of each row all parts but one are full */
  p->samples = c.take<uint16_t> (pixels);
  return c.used;
}

bool
cca_queue_percentiles (const CcaKernelArgs &f, const PercentileArgs &p, cudaStream_t stream, CtrError *error)
{
  const uint32_t rows = f.table.capacity;
  if (!f.by_table_row.percentiles)
    return true;
  if (!p.samples) {
    ctr_launch (copy_values_kernel, ctas_for (rows, SELECT_THREADS), SELECT_THREADS, 0, stream, f);
    return true;
  }
  CTR_CUDA (cudaMemsetAsync (p.counts.states, 0, p.counts.size, stream));
  ctr_launch (place_kernel, ctr_div_up (rows, PLACE_THREADS), PLACE_THREADS, 0, stream, f, p);
  ctr_launch (
      sort_kernel, ctas_for ((uint64_t) f.width * f.height, SORT_THREADS * LANE_PIXELS), SORT_THREADS, 0, stream, f, p);
  ctr_launch (select_short_kernel, ctas_for ((uint64_t) rows * 32, SELECT_THREADS), SELECT_THREADS, 0, stream, f, p);
  ctr_launch (select_long_kernel, ctas_for (rows, 1), SELECT_THREADS, 0, stream, f, p);
  const uint64_t parts = 2 * ((uint64_t) f.width * f.height / PART_SAMPLES);
  if (parts && f.samples.wide)
    ctr_launch (large_high_kernel, ctas_for (parts, 1), SELECT_THREADS, 0, stream, f, p);
  if (parts)
    ctr_launch (large_low_kernel, ctas_for (parts, 1), SELECT_THREADS, 0, stream, f, p);
  return true;
}

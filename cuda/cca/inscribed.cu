/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Component analysis, on request: the largest inscribed circle of each component, by the exact squared Euclidean distance of its
 * pixels to the nearest one with another label.
 *
 *   columns.cu       Finds each pixel's distance within its column.
 *   sample kernel    Finds the distance of one pixel in 256: the greatest one of a component is a bound for the others.
 *   search kernel    Finds the distances of all pixels that may exceed the bound: few, in a component that has been sampled. A
 *                    thread walks away from its pixels to both sides, as far as a column may be nearer than what it has found.
 *   rows kernel      Writes the circles.
 *
 * A component without a sample has no square of 16 x 16 pixels, so that walks in it are short. */
#include "cuda/cca/inscribed.cuh"

#include "core/results/component_values.h"

namespace
{

constexpr int THREADS = 256;
constexpr unsigned MOST_CTAS = 132 * 8;
constexpr uint32_t SAMPLED = 16; /* each so many pixels and rows */
constexpr uint32_t SEARCHED_ROWS = 4;
constexpr uint32_t NEAR = 4, FAR_STEPS = 8; /* of a search */

struct Row : LabelRow {
  using LabelRow::LabelRow;

  __device__ unsigned long long
  key (uint32_t found, uint32_t x) const
  {
    return ctr_inscribed_key (found, y * width + x);
  }
};

/* A warp a pixel. */
__global__ void
__launch_bounds__ (THREADS) sample_kernel (const __grid_constant__ CcaKernelArgs f,
    const __grid_constant__ ColumnArgs c, const __grid_constant__ InscribedArgs p)
{
  const uint32_t lane = threadIdx.x % 32, number = (blockIdx.x * THREADS + threadIdx.x) / 32;
  const uint32_t x = number * SAMPLED + SAMPLED / 2;
  if (!f.header->rows_complete || x >= f.width)
    return;
  const Row row (f, c, blockIdx.y * SAMPLED + SAMPLED / 2);
  const uint32_t label = row.labels[x];
  if (!label)
    return;
  uint32_t found = row.columns[x] * row.columns[x];
  for (uint32_t aside = lane + 1; (aside - lane) * (aside - lane) < found; aside += 32) {
    found = row.nearer (row.nearer (found, label, x - aside, aside), label, x + aside, aside);
    for (int lanes = 16; lanes > 0; lanes /= 2)
      found = min (found, __shfl_xor_sync (~0u, found, lanes));
  }
  if (lane == 0)
    atomicMax (&p.by_row.bounds[label - 1], row.key (found, x));
}

/* The squared distance of pixel X of ROW, whose column has COLUMN; 0 if its key is below BOUND. Few pixels are searched far away:
 * these go several steps at a time, whose loads do not wait for each other. */
__device__ inline uint32_t
search (const Row &row, uint32_t x, uint32_t label, uint32_t column, unsigned long long bound)
{
  uint32_t found = column * column, aside = 1;
  for (; aside <= NEAR && aside * aside < found && row.key (found, x) >= bound; aside++)
    found = row.nearer (row.nearer (found, label, x - aside, aside), label, x + aside, aside);
  for (; aside * aside < found && row.key (found, x) >= bound; aside += FAR_STEPS)
#pragma unroll
    for (uint32_t k = 0; k < FAR_STEPS; k++)
      found = row.nearer (row.nearer (found, label, x - aside - k, aside + k), label, x + aside + k, aside + k);
  return row.key (found, x) >= bound ? found : 0;
}

/* A thread a pixel in each of some rows. The first of the pixels side by side that are farthest away raises the key of their
 * component. */
__global__ void
__launch_bounds__ (THREADS) search_kernel (const __grid_constant__ CcaKernelArgs f,
    const __grid_constant__ ColumnArgs c, const __grid_constant__ InscribedArgs p)
{
  const uint32_t x = blockIdx.x * THREADS + threadIdx.x, lane = threadIdx.x % 32, first = blockIdx.y * SEARCHED_ROWS;
  if (!f.header->rows_complete)
    return;
  uint32_t labels[SEARCHED_ROWS], columns[SEARCHED_ROWS];
#pragma unroll
  for (uint32_t i = 0; i < SEARCHED_ROWS; i++) {
    const size_t pixel = (size_t) (first + i) * f.width + x;
    const bool inside = x < f.width && first + i < f.height;
    labels[i] = inside ? f.by_pixel.labels[pixel] : 0;
    columns[i] = inside ? c.columns[pixel] : 0;
  }
#pragma unroll
  for (uint32_t i = 0; i < SEARCHED_ROWS; i++) {
    const Row row (f, c, first + i);
    const uint32_t label = labels[i];
    const uint32_t found = label ? search (row, x, label, columns[i], p.by_row.bounds[label - 1]) : 0;
    const uint32_t left_label = __shfl_up_sync (~0u, label, 1), left = __shfl_up_sync (~0u, found, 1),
                   right_label = __shfl_down_sync (~0u, label, 1), right = __shfl_down_sync (~0u, found, 1);
    if (found && !(lane > 0 && left_label == label && left >= found)
        && !(lane < 31 && right_label == label && right > found))
      atomicMax (&p.by_row.keys[label - 1], row.key (found, x));
  }
}

/* A thread a row of the table. */
__global__ void
__launch_bounds__ (THREADS) rows_kernel (const __grid_constant__ CcaKernelArgs f, const unsigned long long *keys)
{
  if (!f.header->rows_complete)
    return;
  const uint32_t rows = f.header->count;
  for (uint32_t i = blockIdx.x * THREADS + threadIdx.x; i < rows; i += gridDim.x * THREADS)
    f.by_table_row.inscribed[i] = ctr_inscribed_of_key (keys[i], f.width);
}

} // namespace

size_t
cca_lay_out_inscribed (const CcaKernelArgs *f, InscribedArgs *p, uint8_t *base)
{
  ArenaLayout c = {base, 0};
  p->by_row.bounds = c.take<unsigned long long> (f->table.capacity);
  p->by_row.keys = c.take<unsigned long long> (f->table.capacity);
  p->row_bytes = c.used;
  return c.used;
}

bool
cca_queue_inscribed (
    const CcaKernelArgs &f, const ColumnArgs &c, const InscribedArgs &p, cudaStream_t stream, CtrError *error)
{
  if (!f.by_table_row.inscribed)
    return true;
  const uint32_t across = ctr_div_up (f.width, THREADS), samples = (f.width + SAMPLED / 2 - 1) / SAMPLED,
                 sampled_rows = (f.height + SAMPLED / 2 - 1) / SAMPLED;
  CTR_CUDA (cudaMemsetAsync (p.by_row.bounds, 0, p.row_bytes, stream));
  if (samples && sampled_rows)
    ctr_launch (sample_kernel, dim3 (ctr_div_up (samples, THREADS / 32), sampled_rows), THREADS, 0, stream, f, c, p);
  ctr_launch (search_kernel, dim3 (across, ctr_div_up (f.height, SEARCHED_ROWS)), THREADS, 0, stream, f, c, p);
  ctr_launch (
      rows_kernel, min (ctr_div_up (f.table.capacity, THREADS), MOST_CTAS), THREADS, 0, stream, f, p.by_row.keys);
  return true;
}

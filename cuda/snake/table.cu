/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tables for the sums of regions. device_state.cuh has the design. */
#include "cuda/snake/table.cuh"

namespace
{

constexpr int THREADS = 256, WARPS = THREADS / 32;

template <typename Number>
__device__ inline Number
sum_to_lane (Number n, uint32_t lane)
{
  for (int d = 1; d < 32; d *= 2) {
    const Number near = __shfl_up_sync (~0u, n, d);
    n += (int) lane >= d ? near : 0;
  }
  return n;
}

__host__ __device__ inline uint32_t
upload_ctas (const SnakeKernelArgs &f)
{
  return (f.upload.words + THREADS - 1) / THREADS;
}

/* The first CTAs bring the tasks, while the others fill the table, a warp a row, a lane a block: prefix sums over the row's blocks. The
 * loads of several blocks are on their way together. */
template <bool WIDE>
__global__ void
__launch_bounds__ (THREADS) table_kernel (const __grid_constant__ SnakeKernelArgs f)
{
  typedef SnakeDepth<WIDE> Depth;
  typedef typename Depth::Sample Sample;
  constexpr uint32_t TOGETHER = 4;
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  if (blockIdx.x < upload_ctas (f)) {
    const uint32_t word = blockIdx.x * THREADS + threadIdx.x;
    if (word < f.upload.words)
      f.upload.to[word] = f.upload.from[word];
    return;
  }
  const SnakeTable &t = f.table;
  const int32_t y = t.top + (int32_t) ((blockIdx.x - upload_ctas (f)) * WARPS + threadIdx.x / 32);
  const uint32_t lane = threadIdx.x % 32;
  if (y >= t.bottom)
    return;
  typename Depth::Sums *row = (typename Depth::Sums *) t.sums + (size_t) (y - t.top) * t.blocks;
  const uint64_t begin = offset_of_row (t, y), first_block = begin / 16 * 16;
  const int32_t before = (int32_t) (begin % 16 / sizeof (Sample)), end = before + t.right - t.left;
  uint32_t all1 = 0;
  typename Depth::Squares all2 = 0;
#pragma unroll 1
  for (uint32_t first = 0; first < t.blocks; first += 32 * TOGETHER) {
    uint4 blocks[TOGETHER];
#pragma unroll
    for (uint32_t k = 0; k < TOGETHER; k++) {
      const uint32_t number = first + 32 * k + lane;
      const uint64_t offset = first_block + 16 * number;
      blocks[k] = {};
      if ((int32_t) number * Depth::BLOCK < end && is_loadable (t, offset))
        blocks[k] = *(const uint4 *) (t.pixels + offset);
    }
#pragma unroll
    for (uint32_t k = 0; k < TOGETHER; k++) {
      const uint32_t number = first + 32 * k + lane;
      const uint64_t offset = first_block + 16 * number;
      const int skip = number == 0 ? before : 0, count = min (end - (int32_t) number * Depth::BLOCK, Depth::BLOCK);
      uint32_t own1, skipped1;
      uint64_t squares, skipped;
      sum_words<WIDE> (blocks[k], count, &own1, &squares);
      if (k == 0 && first == 0) {
        sum_words<WIDE> (blocks[k], skip, &skipped1, &skipped);
        own1 -= skipped1;
        squares -= skipped;
      }
      if (count > skip && !is_loadable (t, offset))
        squares = sum_samples<WIDE> ((const Sample *) (t.pixels + offset) + skip, count - skip, &own1);
      const typename Depth::Squares own2 = (typename Depth::Squares) squares;
      const uint32_t sum1 = sum_to_lane (own1, lane);
      const typename Depth::Squares sum2 = sum_to_lane (own2, lane);
      if (number < t.blocks) {
        typename Depth::Sums sums = {};
        sums.s1 = all1 + sum1 - own1;
        sums.s2 = all2 + sum2 - own2;
        row[number] = sums;
      }
      all1 += __shfl_sync (~0u, sum1, 31);
      all2 += __shfl_sync (~0u, sum2, 31);
    }
  }
}

/* Adds the sums left of column RIGHT minus those left of column LEFT, unless that is NO_COLUMN, of rows FIRST, FIRST +
 * STEP, .. above END. */
constexpr int32_t NO_COLUMN = -1;
template <bool WIDE>
__device__ inline SnakeBlockSums
sum_rows_between (const SnakeTable &t, int32_t left, int32_t right, int32_t first, int32_t end, int32_t step)
{
  constexpr int TOGETHER = 4;
  SnakeBlockSums sums = {0, 0};
#pragma unroll 1
  for (int32_t y = first; y < end; y += TOGETHER * step) {
    SnakeLoads<WIDE> high[TOGETHER], low[TOGETHER];
#pragma unroll
    for (int k = 0; k < TOGETHER; k++) {
      const int32_t row = min (y + k * step, end - 1);
      high[k] = load_sums<WIDE> (t, right, row);
      low[k] = {};
      if (left != NO_COLUMN)
        low[k] = load_sums<WIDE> (t, left, row);
    }
#pragma unroll
    for (int k = 0; k < TOGETHER; k++) {
      const typename SnakeDepth<WIDE>::RowSums all = sums_of<WIDE> (t, high[k]), before = sums_of<WIDE> (t, low[k]);
      if (y + k * step >= end)
        break;
      sums.s1 += all.s1 - before.s1;
      sums.s2 += all.s2 - before.s2;
    }
  }
  return sums;
}

/* Sums band BAND of cells of window W left of each line between columns of cells. */
template <bool WIDE>
__device__ inline void
sum_band (const SnakeKernelArgs &f, const CtrSnakeWindow &w, int32_t band)
{
  constexpr int PARTS = THREADS / SNAKE_LINES; /* of the rows */
  __shared__ SnakeBlockSums parts[PARTS][SNAKE_LINES];
  const int32_t width = w.right - w.left, height = w.bottom - w.top;
  if (band >= ctr_snake_cells (height))
    return;
  const int32_t columns = ctr_snake_cells (width);
  const int32_t top = ctr_snake_cell_line (w.top, height, band), bottom = ctr_snake_cell_line (w.top, height, band + 1);
  const int32_t part = (int32_t) threadIdx.x / SNAKE_LINES, own = (int32_t) threadIdx.x % SNAKE_LINES;
  if (part < PARTS && own <= columns) {
    const int32_t x = ctr_snake_cell_line (w.left, width, own);
    parts[part][own] = sum_rows_between<WIDE> (f.table, NO_COLUMN, x, top + part, bottom, PARTS);
  }
  __syncthreads ();
  if ((int32_t) threadIdx.x <= columns) {
    const int32_t x = ctr_snake_cell_line (w.left, width, (int32_t) threadIdx.x);
    CtrSnakeSums sums = {(int64_t) x * (bottom - top), 0, 0};
    for (int i = 0; i < PARTS; i++)
      sums = ctr_snake_sums_add (sums, {0, (int64_t) parts[i][threadIdx.x].s1, parts[i][threadIdx.x].s2});
    f.by_task_and_line.sums[((size_t) blockIdx.y * CTR_SNAKE_CELLS + band) * SNAKE_LINES + threadIdx.x] = sums;
  }
}

/* Sums the blocks of a task's window, a thread a block. */
template <bool WIDE>
__device__ inline void
sum_blocks (const SnakeKernelArgs &f, const CtrSnakeTask &task, uint32_t cta, uint32_t ctas)
{
  if (!task.automatic && !task.retry)
    return;
  const CtrSnakeGrid grid = ctr_snake_grid (&task.window);
  const int32_t count = grid.columns * grid.rows;
  SnakeBlockSums *blocks = f.by_block.sums + 32 * f.by_task.first_words[blockIdx.y];
#pragma unroll 1
  for (int32_t i = (int32_t) (cta * THREADS + threadIdx.x); i < count; i += (int32_t) (ctas * THREADS)) {
    const int32_t row = i / grid.columns, column = i % grid.columns;
    const CtrPoint low = ctr_snake_grid_point (&task.window, &grid, column, row);
    const CtrPoint high = ctr_snake_grid_point (&task.window, &grid, column + 1, row + 1);
    blocks[i] = sum_rows_between<WIDE> (f.table, low.x, high.x, low.y, high.y, 1);
  }
}

template <bool WIDE>
__global__ void
__launch_bounds__ (THREADS) start_kernel (const __grid_constant__ SnakeKernelArgs f)
{
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  const CtrSnakeTask &task = f.tasks[blockIdx.y];
  if (blockIdx.x < CTR_SNAKE_CELLS)
    sum_band<WIDE> (f, task.window, (int32_t) blockIdx.x);
  else
    sum_blocks<WIDE> (f, task, blockIdx.x - CTR_SNAKE_CELLS, gridDim.x - CTR_SNAKE_CELLS);
}

template <bool WIDE>
void
launch (const SnakeKernelArgs &f, uint32_t count, uint32_t blocks, bool overlap, cudaStream_t stream)
{
  const uint32_t rows = (uint32_t) (f.table.bottom - f.table.top);
  ctr_launch (table_kernel<WIDE>, upload_ctas (f) + (rows + WARPS - 1) / WARPS, THREADS, 0, stream, f);
  /* Few tasks get a thread for each block of the largest one. */
  constexpr uint32_t ALL_CTAS = 1024;
  const uint32_t block_ctas = min ((blocks + THREADS - 1) / THREADS, max (ALL_CTAS / count, 1u));
  /* The grid's second dimension has 16 bits. */
  for (uint32_t first = 0; first < count; first += 32768) {
    SnakeKernelArgs part = f;
    part.tasks += first;
    part.by_task_and_line.sums += (size_t) first * CTR_SNAKE_CELLS * SNAKE_LINES;
    part.by_task.first_words += first;
    ctr_launch_overlapped (overlap, start_kernel<WIDE>,
        dim3 (CTR_SNAKE_CELLS + block_ctas, min (count - first, 32768u)), THREADS, 0, stream, part);
  }
}

} // namespace

void
snake_launch_table (
    const SnakeKernelArgs &f, uint32_t count, uint32_t blocks, bool wide, bool overlap, cudaStream_t stream)
{
  if (wide)
    launch<true> (f, count, blocks, overlap, stream);
  else
    launch<false> (f, count, blocks, overlap, stream);
}

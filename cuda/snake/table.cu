/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tables for the sums of regions. device_state.cuh has the design. */
#include "cuda/snake/table.cuh"

namespace
{

constexpr int THREADS = 256, WARPS = THREADS / 32;

/* Fills the table, a warp a row, a lane a block: prefix sums over the row's blocks. */
template <bool WIDE>
__global__ void
__launch_bounds__ (THREADS) table_kernel (const __grid_constant__ SnakeKernelArgs f)
{
  typedef SnakeDepth<WIDE> Depth;
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  const SnakeTable &t = f.table;
  const int32_t y = t.top + (int32_t) (blockIdx.x * WARPS + threadIdx.x / 32);
  const uint32_t lane = threadIdx.x % 32;
  if (y >= t.bottom)
    return;
  typename Depth::Sums *row = (typename Depth::Sums *) t.sums + (size_t) (y - t.top) * t.blocks;
  uint32_t all1 = 0;
  uint64_t all2 = 0;
  for (uint32_t first = 0; first < t.blocks; first += 32) {
    const uint32_t block = first + lane;
    const int32_t x = t.left + (int32_t) block * Depth::BLOCK;
    uint32_t own1 = 0;
    uint64_t own2 = 0;
    if (block < t.blocks && x < t.right)
      sum_block<WIDE> (t, x, y, min (Depth::BLOCK, t.right - x), &own1, &own2);
    uint32_t sum1 = own1;
    uint64_t sum2 = own2;
    for (int d = 1; d < 32; d *= 2) {
      const uint32_t near1 = __shfl_up_sync (~0u, sum1, d);
      const uint64_t near2 = __shfl_up_sync (~0u, sum2, d);
      sum1 += (int) lane >= d ? near1 : 0;
      sum2 += (int) lane >= d ? near2 : 0;
    }
    if (block < t.blocks) {
      typename Depth::Sums sums = {};
      sums.s1 = all1 + sum1 - own1;
      sums.s2 = all2 + sum2 - own2;
      row[block] = sums;
    }
    all1 += __shfl_sync (~0u, sum1, 31);
    all2 += __shfl_sync (~0u, sum2, 31);
  }
}

/* Sums band BAND of cells of window W left of each line between columns of cells. */
template <bool WIDE>
__device__ inline void
sum_band (const SnakeKernelArgs &f, const CtrSnakeWindow &w, int32_t band)
{
  __shared__ CtrSnakeSums parts[WARPS][SNAKE_LINES];
  const int32_t width = w.right - w.left, height = w.bottom - w.top;
  if (band >= ctr_snake_cells (height))
    return;
  const int32_t columns = ctr_snake_cells (width);
  const int32_t top = ctr_snake_cell_line (w.top, height, band), bottom = ctr_snake_cell_line (w.top, height, band + 1);
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (int line = lane; line <= columns; line += 32) {
    const int32_t x = ctr_snake_cell_line (w.left, width, line);
    CtrSnakeSums sums = {0, 0, 0};
    for (int32_t y = top + warp; y < bottom; y += WARPS)
      sums = ctr_snake_sums_add (sums, sums_left_of<WIDE> (f.table, x, y));
    parts[warp][line] = sums;
  }
  __syncthreads ();
  for (int line = threadIdx.x; line <= columns; line += THREADS) {
    CtrSnakeSums sums = parts[0][line];
    for (int i = 1; i < WARPS; i++)
      sums = ctr_snake_sums_add (sums, parts[i][line]);
    f.by_task_and_line.sums[((size_t) blockIdx.y * CTR_SNAKE_CELLS + band) * SNAKE_LINES + line] = sums;
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
  for (int32_t i = (int32_t) (cta * THREADS + threadIdx.x); i < count; i += (int32_t) (ctas * THREADS)) {
    const int32_t row = i / grid.columns, column = i % grid.columns;
    const CtrPoint low = ctr_snake_grid_point (&task.window, &grid, column, row);
    const CtrPoint high = ctr_snake_grid_point (&task.window, &grid, column + 1, row + 1);
    SnakeBlockSums sums = {0, 0};
#pragma unroll 4
    for (int32_t y = low.y; y < high.y; y++) {
      const CtrSnakeSums before = sums_left_of<WIDE> (f.table, low.x, y), all = sums_left_of<WIDE> (f.table, high.x, y);
      sums.s1 += (uint64_t) (all.s1 - before.s1);
      sums.s2 += all.s2 - before.s2;
    }
    blocks[i] = sums;
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
launch (const SnakeKernelArgs &f, uint32_t count, uint32_t blocks, cudaStream_t stream)
{
  const uint32_t rows = (uint32_t) (f.table.bottom - f.table.top);
  ctr_launch (table_kernel<WIDE>, (rows + WARPS - 1) / WARPS, THREADS, 0, stream, f);
  /* Few tasks get a thread for each block of the largest one. */
  constexpr uint32_t ALL_CTAS = 1024;
  const uint32_t block_ctas = min ((blocks + THREADS - 1) / THREADS, max (ALL_CTAS / count, 1u));
  /* The grid's second dimension has 16 bits. */
  for (uint32_t first = 0; first < count; first += 32768) {
    SnakeKernelArgs part = f;
    part.tasks += first;
    part.by_task_and_line.sums += (size_t) first * CTR_SNAKE_CELLS * SNAKE_LINES;
    part.by_task.first_words += first;
    ctr_launch (
        start_kernel<WIDE>, dim3 (CTR_SNAKE_CELLS + block_ctas, min (count - first, 32768u)), THREADS, 0, stream, part);
  }
}

} // namespace

void
snake_launch_table (const SnakeKernelArgs &f, uint32_t count, uint32_t blocks, bool wide, cudaStream_t stream)
{
  if (wide)
    launch<true> (f, count, blocks, stream);
  else
    launch<false> (f, count, blocks, stream);
}

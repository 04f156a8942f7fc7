/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Automatic start: the best of all rectangles of whole cells of a window, or an outline of blocks. */
#ifndef CTR_CUDA_SNAKE_START_CUH
#define CTR_CUDA_SNAKE_START_CUH

#include "cuda/snake/corners.cuh"

constexpr int SNAKE_COARSE_LINES = CTR_SNAKE_COARSE_CELLS + 1;
constexpr int SNAKE_PAIRS = CTR_SNAKE_COARSE_CELLS * SNAKE_COARSE_LINES / 2; /* of coarse lines */

/* CtrSnakeSums as floating point; those of large images are rounded. */
struct SnakeRealSums {
  double n, s1, s2;
};

/* Arrays in shared memory. LINES: by line between rows and line between columns of cells, the sums above and left of
 * both. BANDS: by warp, the sums between the two lines of its pair, left of each coarse line between columns. */
struct SnakeCells {
  CtrSnakeSums lines[SNAKE_LINES][SNAKE_LINES];
  uint16_t
      pairs[2]
           [SNAKE_PAIRS]; /* of coarse lines between columns, and between rows: the lower line | the higher one << 8 */
  SnakeRealSums bands[SNAKE_MAX_WARPS][SNAKE_COARSE_LINES];
};

/* Bytes of SnakeCells with the bands of the warps of THREADS threads. */
__host__ __device__ constexpr size_t
snake_cells_size (uint32_t threads)
{
  return sizeof (SnakeCells) - (SNAKE_MAX_WARPS - threads / 32) * sizeof (SnakeCells::bands[0]);
}
static_assert (snake_cells_size (SNAKE_SMALL_THREADS) + sizeof (SnakeScratch) <= 64 << 10, "some GPUs have 64 KB");

/* Fills cells->lines. Returns the window's sums. */
__device__ inline CtrSnakeSums
cta_sum_cells (const SnakeKernelArgs &f, const Snake &s, uint32_t task, SnakeCells *cells)
{
  const int columns = ctr_snake_cells (s.limits.right - s.limits.left);
  const int rows = ctr_snake_cells (s.limits.bottom - s.limits.top);
  const CtrSnakeSums *bands = f.by_task_and_line.sums + (size_t) task * CTR_SNAKE_CELLS * SNAKE_LINES;
  for (int line = threadIdx.x; line <= columns; line += blockDim.x) {
    CtrSnakeSums sums = {0, 0, 0};
    cells->lines[0][line] = sums;
#pragma unroll 8
    for (int row = 0; row < rows; row++) {
      sums = ctr_snake_sums_add (sums, bands[row * SNAKE_LINES + line]);
      cells->lines[row + 1][line] = sums;
    }
  }
  __syncthreads ();
  return ctr_snake_sums_sub (cells->lines[rows][columns], cells->lines[rows][0]);
}

/* Lists all pairs of COUNT + 1 lines in order. */
__device__ inline void
cta_pairs (int count, uint16_t *pairs)
{
  for (int low = threadIdx.x; low < count; low += blockDim.x) {
    int at = low * count - low * (low - 1) / 2;
    for (int high = low + 1; high <= count; high++)
      pairs[at++] = (uint16_t) (low | high << 8);
  }
}

/* An estimate of n / 2 * ln v of a region, with an error below 5e-5 n. The error of v is at most 1e-5, for a mean's
 * square of 2^32 and v of at least 1/12; that of __logf() is 1e-5. The rounding of the sums adds less than 2e-5 of the
 * window's pixels. */
__device__ inline double
rough_cost (SnakeRealSums sums)
{
  const double n = sums.n;
  double inverse = __frcp_rn ((float) n);
  inverse = ctr_mul (inverse, ctr_add (2, -ctr_mul (n, inverse)));
  inverse = ctr_mul (inverse, ctr_add (2, -ctr_mul (n, inverse)));
  const double mean = ctr_mul (sums.s1, inverse);
  const double variance = ctr_add (ctr_mul (sums.s2, inverse), -ctr_mul (mean, mean));
  return ctr_mul (ctr_mul (0.5, n), __logf (fmaxf ((float) variance, (float) CTR_SNAKE_LEAST)));
}

__device__ inline SnakeRealSums
reals_of (CtrSnakeSums sums)
{
  return {(double) sums.n, (double) sums.s1, (double) sums.s2};
}

__device__ inline SnakeRealSums
reals_between (SnakeRealSums a, SnakeRealSums b)
{
  return {ctr_add (b.n, -a.n), ctr_add (b.s1, -a.s1), ctr_add (b.s2, -a.s2)};
}

/* An estimate of the criterion, with an error below half of rough_margin(). */
__device__ inline double
rough_criterion (SnakeRealSums inside, SnakeRealSums window)
{
  const SnakeRealSums outside = reals_between (inside, window);
  return outside.n < 1 ? HUGE_VAL : ctr_add (rough_cost (inside), rough_cost (outside));
}

__device__ inline double
rough_margin (SnakeRealSums window)
{
  return ctr_mul (1e-4, window.n);
}

/* Numbers of lines between cells. */
struct SnakeLines {
  int32_t top, bottom, left, right;
};

__device__ inline CtrSnakeSums
sums_between (const SnakeCells *cells, SnakeLines at)
{
  const CtrSnakeSums *top = cells->lines[at.top], *bottom = cells->lines[at.bottom];
  return ctr_snake_sums_sub (
      ctr_snake_sums_sub (bottom[at.right], bottom[at.left]), ctr_snake_sums_sub (top[at.right], top[at.left]));
}

/* Finds the best rectangle of whole coarse cells. False: there is none. */
__device__ inline bool
cluster_find_coarse (const SnakeKernelArgs &f, const Snake &s, SnakeCells *cells, int32_t cell_columns,
    int32_t cell_rows, SnakeLines *at)
{
  const int columns = ctr_snake_coarse_cells (cell_columns), rows = ctr_snake_coarse_cells (cell_rows);
  const uint32_t column_pairs = columns * (columns + 1) / 2, row_pairs = rows * (rows + 1) / 2;
  cta_pairs (columns, cells->pairs[0]);
  cta_pairs (rows, cells->pairs[1]);
  __syncthreads ();
  double best = HUGE_VAL;
  uint32_t best_number = NO_CHANGE;
  double limit = HUGE_VAL; /* the best value is not higher */
  const SnakeRealSums window = reals_of (s.window);
  const double margin = rough_margin (window);
  SnakeRealSums *band = cells->bands[threadIdx.x / 32];
  const auto lines_of = [&] (uint32_t down, uint32_t across) {
    return SnakeLines{ctr_snake_coarse_line (cell_rows, (int32_t) (down & 0xff)),
        ctr_snake_coarse_line (cell_rows, (int32_t) (down >> 8)),
        ctr_snake_coarse_line (cell_columns, (int32_t) (across & 0xff)),
        ctr_snake_coarse_line (cell_columns, (int32_t) (across >> 8))};
  };
  /* First estimates, which are quick, then the values that may be the best. */
  const bool estimates = f.cost.model == CTR_SNAKE_GAUSSIAN;
#pragma unroll 1
  for (bool exact = !estimates;; exact = true) {
#pragma unroll 1
    for (uint32_t row = cluster_warp (s); row < row_pairs; row += cluster_warps (s)) {
      const uint32_t down = cells->pairs[1][row], own = lane_index ();
      if ((int) own <= columns)
        band[own] = reals_of (sums_between (cells, lines_of (down, own << 8)));
      __syncwarp ();
#pragma unroll 1
      for (uint32_t column = lane_index (); column < column_pairs; column += 32) {
        const uint32_t across = cells->pairs[0][column], n = row * column_pairs + column;
        const double rough =
            estimates ? rough_criterion (reals_between (band[across & 0xff], band[across >> 8]), window) : 0;
        if (!exact) {
          limit = fmin (limit, ctr_add (rough, margin));
        } else if (!estimates || rough <= ctr_add (limit, margin)) {
          const double value = ctr_snake_criterion (&f.cost, sums_between (cells, lines_of (down, across)), s.window);
          if (is_better (value, n, best, best_number)) {
            best = value;
            best_number = n;
          }
        }
      }
      __syncwarp ();
    }
    if (exact)
      break;
    uint32_t none = 0;
    cta_best (s, &limit, &none);
  }
  cluster_best (s, &best, &best_number);
  if (!(best < HUGE_VAL))
    return false;
  *at = lines_of (cells->pairs[1][best_number / column_pairs], cells->pairs[0][best_number % column_pairs]);
  return true;
}

/* Moves the sides of the rectangle AT by at most one line each. */
__device__ inline SnakeLines
cta_refine (
    const SnakeKernelArgs &f, const Snake &s, const SnakeCells *cells, int32_t columns, int32_t rows, SnakeLines at)
{
  const auto refined = [&] (int32_t i) {
    return SnakeLines{at.top + ctr_snake_refinement (i, 0), at.bottom + ctr_snake_refinement (i, 1),
        at.left + ctr_snake_refinement (i, 2), at.right + ctr_snake_refinement (i, 3)};
  };
  double best = HUGE_VAL;
  uint32_t number = NO_CHANGE;
  if (threadIdx.x < CTR_SNAKE_REFINEMENTS) {
    const SnakeLines near = refined ((int32_t) threadIdx.x);
    if (near.top >= 0 && near.top < near.bottom && near.bottom <= rows && near.left >= 0 && near.left < near.right
        && near.right <= columns) {
      best = ctr_snake_criterion (&f.cost, sums_between (cells, near), s.window);
      number = threadIdx.x;
    }
  }
  cta_best (s, &best, &number);
  return refined ((int32_t) number);
}

/* The best rectangle of whole cells. */
struct SnakeRectangle {
  CtrPoint low, high; /* its upper left and lower right corner */
  CtrSnakeSums inside;
};

/* Finds the best rectangle. False: there is none. */
__device__ inline bool
cluster_find_rectangle (
    const SnakeKernelArgs &f, const Snake &s, uint32_t task, SnakeCells *cells, SnakeRectangle *rectangle)
{
  const int32_t width = s.limits.right - s.limits.left, height = s.limits.bottom - s.limits.top;
  const int32_t columns = ctr_snake_cells (width), rows = ctr_snake_cells (height);
  SnakeLines at;
  if (s.most > 0) /* a polygon has taken their memory */
    cta_sum_cells (f, s, task, cells);
  if (!cluster_find_coarse (f, s, cells, columns, rows, &at))
    return false;
  at = cta_refine (f, s, cells, columns, rows, at);
  rectangle->low.x = (uint16_t) ctr_snake_cell_line (s.limits.left, width, at.left);
  rectangle->low.y = (uint16_t) ctr_snake_cell_line (s.limits.top, height, at.top);
  rectangle->high.x = (uint16_t) ctr_snake_cell_line (s.limits.left, width, at.right);
  rectangle->high.y = (uint16_t) ctr_snake_cell_line (s.limits.top, height, at.bottom);
  rectangle->inside = sums_between (cells, at);
  cluster_barrier (s); /* before the bests are overwritten, and the cells by the corners or the polygon */
  return true;
}

/* Makes the outline the polygon, lowers *STEP to what suits it, and sets FROM_OUTLINE; or the best rectangle. False: there is neither. */
__device__ inline bool
cluster_start (
    const SnakeKernelArgs &f, Snake &s, uint32_t task, SnakeCells *cells, SnakeCorners *corners, uint32_t *step)
{
  SnakeRectangle rectangle;
  if (!cluster_find_rectangle (f, s, task, cells, &rectangle))
    return false;
  const SnakeBlocks blocks = snake_blocks (f, task);
  if (cluster_find_region (f, s, blocks, rectangle.inside) && cluster_take_outline (f, s, blocks, corners)) {
    *step = min (*step, (uint32_t) blocks.grid.side);
    s.from_outline = true;
    return true;
  }
  if (s.needed_capacity)
    return false;
  cluster_barrier (s); /* before sums that other CTAs read are overwritten, and corners by the polygon */
  if (threadIdx.x < 4) {
    CtrPoint corner;
    corner.x = threadIdx.x == 1 || threadIdx.x == 2 ? rectangle.high.x : rectangle.low.x;
    corner.y = threadIdx.x >= 2 ? rectangle.high.y : rectangle.low.y;
    s.arrays.points[threadIdx.x] = corner;
  }
  s.count = 4;
  __syncthreads ();
  return true;
}

#endif

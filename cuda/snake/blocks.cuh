/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The region of blocks that an automatic start outlines: steps 1 to 3 of core/snake/snake.h, by a cluster.
 *
 * Blocks with a frame of one around them are bits of words, each row in words of its own. Components are joined by
 * union-find over runs, which end with their word; a run's number is that of its first bit. */
#ifndef CTR_CUDA_SNAKE_BLOCKS_CUH
#define CTR_CUDA_SNAKE_BLOCKS_CUH

#include "cuda/snake/cluster.cuh"

/* Of a task, in global memory. */
struct SnakeBlocks {
  CtrSnakeGrid grid;
  uint32_t row_words, words; /* of a row with its frame, and of all rows */
  const SnakeBlockSums *sums;
  uint32_t *parents;       /* of runs inside */
  uint32_t *sizes;         /* of components, by root */
  uint32_t *outer_parents; /* of runs outside; in the memory of SIZES, which are not needed any more */
  uint32_t *inside, *region;
};

__device__ inline SnakeBlocks
snake_blocks (const SnakeKernelArgs &f, uint32_t task)
{
  const uint64_t first = f.by_task.first_words[task];
  SnakeBlocks b;
  b.grid = ctr_snake_grid (&f.tasks[task].window);
  b.row_words = snake_row_words (b.grid);
  b.words = snake_words (b.grid);
  b.sums = f.by_block.sums + 32 * first;
  b.parents = f.by_block.parents + 32 * first;
  b.sizes = b.outer_parents = f.by_block.sizes + 32 * first;
  b.inside = f.by_word.inside + first;
  b.region = f.by_word.region + first;
  return b;
}

/* --- Judging blocks --- */

/* The sums of the blocks that IS_CHOSEN (word, sums of the lane's block) chooses, and marks with HERE (word, bits). Each
 * PASS has its own memory for them. */
template <typename IsChosen, typename Here>
__device__ inline CtrSnakeSums
cluster_sum_blocks (const Snake &s, const SnakeBlocks &b, uint32_t pass, IsChosen is_chosen, Here here)
{
  constexpr uint32_t TOGETHER = 4; /* words whose sums are on their way */
  const uint32_t warps = cluster_warps (s);
  CtrSnakeSums own = {0, 0, 0};
#pragma unroll 1
  for (uint32_t begin = cluster_warp (s); begin < b.words; begin += TOGETHER * warps) {
    SnakeBlockSums blocks[TOGETHER];
    int32_t rows[TOGETHER], columns[TOGETHER];
    bool there[TOGETHER];
#pragma unroll
    for (uint32_t k = 0; k < TOGETHER; k++) {
      const uint32_t w = begin + k * warps;
      rows[k] = (int32_t) (w / b.row_words) - 1;
      columns[k] = (int32_t) (w % b.row_words * 32 + lane_index ()) - 1;
      there[k] = rows[k] >= 0 && rows[k] < b.grid.rows && columns[k] >= 0 && columns[k] < b.grid.columns;
      blocks[k] = {0, 0};
      if (there[k])
        blocks[k] = b.sums[rows[k] * b.grid.columns + columns[k]];
    }
#pragma unroll
    for (uint32_t k = 0; k < TOGETHER; k++) {
      const uint32_t w = begin + k * warps;
      if (w >= b.words)
        break;
      const CtrPoint low = ctr_snake_grid_point (&s.limits, &b.grid, columns[k], rows[k]);
      const CtrPoint high = ctr_snake_grid_point (&s.limits, &b.grid, columns[k] + 1, rows[k] + 1);
      const CtrSnakeSums sums = {(int64_t) (high.x - low.x) * (high.y - low.y), (int64_t) blocks[k].s1, blocks[k].s2};
      const bool chosen = there[k] && is_chosen (w, sums);
      if (chosen)
        own = ctr_snake_sums_add (own, sums);
      here (w, __ballot_sync (~0u, chosen));
    }
  }
  CtrSnakeSums *const parts = s.workspace.by_piece.partial_sums + pass * SNAKE_MAX_CTAS;
  own = cta_sum (s.scratch, own);
  if (threadIdx.x == 0)
    parts[s.cta] = own;
  cluster_barrier (s);
  return warp_sum (lane_index () < s.ctas ? parts[lane_index ()] : CtrSnakeSums{0, 0, 0});
}

/* The bits of the columns K * 32 .. K * 32 + 31 that are not of the frame. */
__device__ inline uint32_t
framed_bits (const SnakeBlocks &b, uint32_t k)
{
  const int32_t end = b.grid.columns + 1 - (int32_t) (32 * k);
  return (k ? ~0u : ~1u) & (end >= 32 ? ~0u : end > 0 ? (1u << end) - 1 : 0);
}

/* The sums of three bits each. */
struct BitSums {
  uint32_t ones, twos;
};

__device__ inline BitSums
added_bits (uint32_t a, uint32_t b, uint32_t c)
{
  return {a ^ b ^ c, (a & b) | (c & (a ^ b))};
}

/* Word W of INSIDE with its neighbours on the left and right added to it. */
__device__ inline BitSums
row_sums (const SnakeBlocks &b, uint32_t w, uint32_t k)
{
  const uint32_t word = b.inside[w], before = k > 0 ? b.inside[w - 1] : 0;
  const uint32_t after = k + 1 < b.row_words ? b.inside[w + 1] : 0;
  return added_bits (word << 1 | before >> 31, word, word >> 1 | after << 31);
}

/* The blocks of word W that have a majority in their neighbourhood. */
__device__ inline uint32_t
majority (const SnakeBlocks &b, uint32_t w)
{
  const uint32_t k = w % b.row_words;
  if (w < b.row_words || w + b.row_words >= b.words)
    return 0;
  const BitSums over = row_sums (b, w - b.row_words, k), here = row_sums (b, w, k),
                under = row_sums (b, w + b.row_words, k);
  const BitSums ones = added_bits (over.ones, here.ones, under.ones);
  const BitSums twos = added_bits (over.twos, here.twos, under.twos);
  const uint32_t two = ones.twos ^ twos.ones, carry = ones.twos & twos.ones;
  const uint32_t four = twos.twos ^ carry, eight = twos.twos & carry;
  return (eight | (four & (two | ones.ones))) & framed_bits (b, k);
}

/* --- Components --- */

__device__ inline uint32_t
run_starts (uint32_t bits)
{
  return bits & ~(bits << 1);
}

/* The first bit of the run of BITS that holds BIT. */
__device__ inline uint32_t
run_start (uint32_t bits, uint32_t bit)
{
  return 32 - __clz (~bits & ((1u << bit) - 1));
}

/* The run of BITS that begins at START. */
__device__ inline uint32_t
run_from (uint32_t bits, uint32_t start)
{
  const uint32_t from = bits & (~0u << start);
  return from & ~(from + (1u << start));
}

/* Makes each run of BITS, word W, a component. */
__device__ inline void
begin_runs (uint32_t *parents, uint32_t w, uint32_t bits)
{
  for (uint32_t starts = run_starts (bits); starts; starts &= starts - 1) {
    const uint32_t run = 32 * w + __ffs (starts) - 1;
    parents[run] = run;
  }
}

/* The root of RUN. Halves the path to it: any ancestor is a valid parent. */
__device__ inline uint32_t
run_root (uint32_t *parents, uint32_t run)
{
  uint32_t up = __ldcg (parents + run); /* from L2, where atomics take effect */
#pragma unroll 1
  while (up != run) {
    const uint32_t next = __ldcg (parents + up);
    if (next != up)
      __stcg (parents + run, next);
    run = up;
    up = next;
  }
  return run;
}

__device__ inline void
unite_runs (uint32_t *parents, uint32_t a, uint32_t b)
{
#pragma unroll 1
  for (;;) {
    a = run_root (parents, a);
    b = run_root (parents, b);
    if (a == b)
      return;
    const uint32_t low = min (a, b), high = max (a, b), old = atomicMin (parents + high, low);
    if (old == high)
      return;
    a = old;
    b = low;
  }
}

/* Joins the runs of the words of REGION, or of those outside of it where FLIP is ~0. */
__device__ inline void
cluster_unite_runs (const Snake &s, const SnakeBlocks &b, uint32_t *parents, uint32_t flip)
{
#pragma unroll 1
  for (uint32_t w = cluster_thread (s); w < b.words; w += cluster_threads (s)) {
    const uint32_t bits = b.region[w] ^ flip;
    if (w % b.row_words > 0 && bits & 1) {
      const uint32_t before = b.region[w - 1] ^ flip;
      if (before >> 31)
        unite_runs (parents, 32 * w, 32 * (w - 1) + run_start (before, 31));
    }
    if (w < b.row_words)
      continue;
    const uint32_t over = b.region[w - b.row_words] ^ flip;
    for (uint32_t both = run_starts (bits & over); both; both &= both - 1) {
      const uint32_t bit = __ffs (both) - 1;
      unite_runs (parents, 32 * w + run_start (bits, bit), 32 * (w - b.row_words) + run_start (over, bit));
    }
  }
  cluster_barrier (s);
}

/* The root of the largest component, or NO_CHANGE. */
__device__ inline uint32_t
cluster_largest_component (const Snake &s, const SnakeBlocks &b)
{
#pragma unroll 1
  for (uint32_t w = cluster_thread (s); w < b.words; w += cluster_threads (s)) {
    const uint32_t bits = b.region[w];
    for (uint32_t starts = run_starts (bits); starts; starts &= starts - 1) {
      const uint32_t start = __ffs (starts) - 1;
      atomicAdd (b.sizes + run_root (b.parents, 32 * w + start), __popc (run_from (bits, start)));
    }
  }
  cluster_barrier (s);
  double value = 1; /* minus the size */
  uint32_t largest = NO_CHANGE;
#pragma unroll 1
  for (uint32_t w = cluster_thread (s); w < b.words; w += cluster_threads (s))
    for (uint32_t starts = run_starts (b.region[w]); starts; starts &= starts - 1) {
      const uint32_t run = 32 * w + __ffs (starts) - 1;
      const double size = -(double) __ldcg (b.sizes + run); /* 0 but for roots */
      if (is_better (size, run, value, largest)) {
        value = size;
        largest = run;
      }
    }
  cluster_best (s, &value, &largest);
  return largest;
}

/* The runs of BITS, word W, whose root is ROOT, or whose root is not, where OTHERS. */
__device__ inline uint32_t
runs_of (uint32_t *parents, uint32_t w, uint32_t bits, uint32_t root, bool others)
{
  uint32_t runs = 0;
  for (uint32_t starts = run_starts (bits); starts; starts &= starts - 1) {
    const uint32_t start = __ffs (starts) - 1;
    if ((run_root (parents, 32 * w + start) == root) != others)
      runs |= run_from (bits, start);
  }
  return runs;
}

/* Finds the region, in b.inside, by the sums of the RECTANGLE. False: there is none. */
__device__ inline bool
cluster_find_region (const SnakeKernelArgs &f, const Snake &s, const SnakeBlocks &b, CtrSnakeSums rectangle)
{
  constexpr uint32_t JUDGEMENTS = 3;
  CtrSnakeSums inside = rectangle;
  CtrSnakeLikelihood contrast;
#pragma unroll 1
  for (uint32_t pass = 0; pass < JUDGEMENTS; pass++) {
    if (inside.n == 0 || inside.n == s.window.n)
      return false;
    contrast = ctr_snake_contrast (&f.cost, inside, s.window);
    inside = cluster_sum_blocks (
        s, b, pass, [&] (uint32_t, CtrSnakeSums sums) { return ctr_snake_evidence (&contrast, sums) < 0; },
        [&] (uint32_t w, uint32_t bits) {
          if (lane_index () == 0)
            b.inside[w] = bits;
        });
  }
#pragma unroll 1
  for (uint32_t w = cluster_thread (s); w < b.words; w += cluster_threads (s)) {
    const uint32_t bits = majority (b, w);
    b.region[w] = bits;
    begin_runs (b.parents, w, bits);
    for (uint32_t starts = run_starts (bits); starts; starts &= starts - 1)
      b.sizes[32 * w + __ffs (starts) - 1] = 0;
  }
  cluster_barrier (s);
  cluster_unite_runs (s, b, b.parents, 0);
  const uint32_t largest = cluster_largest_component (s, b);
  if (largest == NO_CHANGE)
    return false;
#pragma unroll 1
  for (uint32_t w = cluster_thread (s); w < b.words; w += cluster_threads (s)) {
    const uint32_t bits = runs_of (b.parents, w, b.region[w], largest, false);
    b.region[w] = bits;
    begin_runs (b.outer_parents, w, ~bits);
  }
  cluster_barrier (s);
  cluster_unite_runs (s, b, b.outer_parents, ~0u);
  /* What is outside around the window is connected to its first block. */
#pragma unroll 1
  for (uint32_t w = cluster_thread (s); w < b.words; w += cluster_threads (s)) {
    const uint32_t bits = b.region[w];
    b.inside[w] = bits | runs_of (b.outer_parents, w, ~bits, 0, true);
  }
  cluster_barrier (s);
  inside = cluster_sum_blocks (
      s, b, JUDGEMENTS, [&] (uint32_t w, CtrSnakeSums) { return (bool) (b.inside[w] >> lane_index () & 1); },
      [] (uint32_t, uint32_t) {});
  return ctr_snake_evidence (&contrast, inside) < ctr_snake_evidence (&contrast, rectangle);
}

#endif

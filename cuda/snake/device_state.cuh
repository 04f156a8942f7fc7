/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Region snakes on the GPU: the data that passes between its kernels.
 *
 *   table kernel    table.cu    Sums samples and their squares, in blocks, over the rows of all windows, and brings the tasks.
 *   start kernel    table.cu    Sums each window's bands of cells and blocks, for the automatic start.
 *   evolve kernel   evolve.cu   Takes every object from its start to its pruned polygon.
 *
 * The table holds, for every block of a row, the sums over all samples left of it. So the sums left of any column take
 * one entry of the table and the samples of one block (table.cuh), and the sums inside a polygon are those along its
 * edges (line_sums.cuh).
 *
 * The evolve kernel runs without the host. A cluster of CTAs has one object. Each CTA keeps the whole polygon in shared
 * memory and takes every decision itself; the CTAs share the work of summing and of finding changes, and send each other
 * what they find (exchange.cuh), or of many points leave it in global memory, with barriers of the cluster (cluster.cuh).
 * Its stages, which core/snake/snake.h specifies, are in start.cuh with blocks.cuh and
 * corners.cuh, moves.cuh, split.cuh and prune.cuh.
 *
 * snake.cu has the host side. */
#ifndef CTR_CUDA_SNAKE_DEVICE_STATE_CUH
#define CTR_CUDA_SNAKE_DEVICE_STATE_CUH

#include "cuda/common/device_buffer.cuh"
#include "cuda/common/launch.cuh"

#include "core/snake/snake.h"

/* Threads of a CTA: the larger number for large windows, where each CTA has a multiprocessor of its own. More threads
 * would have too few registers. */
constexpr uint32_t SNAKE_LARGE_THREADS = 512, SNAKE_SMALL_THREADS = 384, SNAKE_MAX_WARPS = SNAKE_LARGE_THREADS / 32;
constexpr uint32_t SNAKE_MAX_CTAS = 16; /* of a cluster, if the GPU supports it; otherwise 8 */
constexpr uint32_t SNAKE_MIN_CAPACITY = 1024;
constexpr int SNAKE_VARIANTS = CTR_SNAKE_DIRECTIONS + 1; /* of a point: its moves and its place */
constexpr int SNAKE_LINES = CTR_SNAKE_CELLS + 1;         /* between and around cells */
constexpr int SNAKE_BLOCK_8 = 16, SNAKE_BLOCK_16 = 8;    /* samples: 16 bytes */

/* Sums of the samples between the table's first column and a block, and of their squares. */
struct __align__ (8) SnakeSums8
{
  uint32_t s1, s2;
};
struct __align__ (16) SnakeSums16
{
  uint32_t s1, unused;
  uint64_t s2;
};

/* The table for the samples from (left, top) to (right, bottom). Blocks are aligned in memory, so in each row the first
 * one may begin left of the table, or of the image. */
struct SnakeTable {
  const uint8_t *pixels; /* the block with the image's first sample */
  uint64_t begin;        /* bytes from there to the table's first sample */
  size_t stride;
  uint64_t loadable_from, loadable; /* bytes, from PIXELS on, of all blocks that are in the image as a whole */
  int32_t left, top, right, bottom;
  uint32_t blocks; /* entries of a row: one for each block that it has, and for the end of the last one */
  void *sums;      /* SnakeSums8 or SnakeSums16 */
};

/* A possible change of the polygon at one point: a move or a removal. */
struct SnakeChange {
  double value;      /* criterion or description length after it */
  CtrSnakeSums gain; /* by which the sums inside change */
  uint32_t index;    /* of the point, or NO_CHANGE */
  uint32_t direction;
};
constexpr uint32_t NO_CHANGE = ~0u;

/* The best rectangle or component that a CTA found. */
struct SnakeBest {
  double value;
  uint32_t number;
};

/* Sums of the samples of a block, and of their squares. */
struct SnakeBlockSums {
  uint64_t s1, s2;
};

/* The blocks of a window with a frame of one block around them are bits of words: of a row, and of all rows. */
__host__ __device__ inline uint32_t
snake_row_words (CtrSnakeGrid grid)
{
  return ((uint32_t) grid.columns + 2 + 31) / 32;
}
__host__ __device__ inline uint32_t
snake_words (CtrSnakeGrid grid)
{
  return snake_row_words (grid) * ((uint32_t) grid.rows + 2);
}

/* Room for the history of a task, in the moments and points of all tasks. */
struct SnakeRoom {
  uint64_t first_moment, moments;
  uint64_t first_point, points;
};

struct SnakeResult {
  CtrSnakeOutcome outcome; /* its history is incomplete if it or its points exceed their room */
  uint64_t history_points;
  uint32_t needed_capacity; /* capacity that the polygon needs; 0: the result is complete */
  uint32_t used_capacity;   /* that the polygon has needed on the way */
};

/* Arguments of all kernels. Pointers are to device memory, or to pinned host memory where that is said. A group's name
 * says what indexes its arrays; where an index has several elements, the comment says how many. */
struct SnakeKernelArgs {
  /* The arrays of tasks, which the table kernel brings from pinned host memory: a copy by the driver would be one more step before it. */
  struct {
    const uint4 *from;
    uint4 *to;
    uint32_t words; /* of 16 bytes */
  } upload;
  SnakeTable table;
  CtrSnakeCost cost;
  uint32_t prune, max_iterations;
  uint32_t task_count;
  uint32_t *finished; /* tasks */
  uint32_t *flag;     /* pinned: becomes 1 when all are finished, and their results are in host memory */
  const CtrSnakeTask *tasks;
  const CtrPoint *start_points; /* of all tasks, from each one's first_point on */
  struct {
    const uint32_t *tasks; /* clusters of one size are consecutive */
  } by_cluster;
  struct {
    CtrSnakeSums *sums; /* of a band of cells, left of a line between columns of cells */
  } by_task_and_line;   /* [task][CTR_SNAKE_CELLS][SNAKE_LINES] */
  /* Of automatic starts. A task's first word is first_words[task], its first block the first one of that word. */
  struct {
    SnakeBlockSums *sums; /* without the frame, row by row */
    uint32_t *parents, *sizes;
  } by_block;
  struct {
    uint32_t *inside, *region;
  } by_word;
  uint32_t capacity; /* points of a polygon */
  bool exchanges;    /* snake_may_exchange() */
  struct {
    uint8_t *workspaces; /* see snake_workspace() */
    size_t workspace_size;
    SnakeResult *results; /* pinned */
    CtrPoint *polygons;   /* pinned; [task][capacity] */
    const uint64_t *first_words;
    const SnakeRoom *rooms;
  } by_task; /* the last one only with a history */
  struct {
    CtrSnakeMoment *moments;
    CtrPoint *points;
  } history; /* pinned */
};

/* A task's arrays in global memory. */
struct SnakeWorkspace {
  struct {
    SnakeBest *bests;
    CtrSnakeSums *sums; /* of the polygon; two arrays by turns, as other CTAs may still read the last one */
  } by_cta;
  struct {
    CtrSnakeSums *partial_sums;
  } by_piece; /* SNAKE_VARIANTS * capacity of them */
  struct {
    CtrSnakeSums *gains;
  } by_point_and_direction;
  struct {
    SnakeChange *changes;
    SnakeChange *previous_changes; /* other CTAs may still read them */
    uint32_t *drops;               /* is the listed change of a point dropped? */
    uint32_t *proposals, *splits;  /* is the edge from a point proposed to be split, is it split? */
  } by_point;
};

/* Sets WORKSPACE to the arrays of TASK. Returns their size in bytes. */
__host__ __device__ inline size_t
snake_workspace (const SnakeKernelArgs &f, uint32_t task, SnakeWorkspace *workspace)
{
  uint8_t *at = f.by_task.workspaces + task * f.by_task.workspace_size;
  const size_t points = f.capacity;
  workspace->by_cta.bests = (SnakeBest *) at;
  workspace->by_cta.sums = (CtrSnakeSums *) (at + 256);
  workspace->by_piece.partial_sums = workspace->by_cta.sums + 2 * SNAKE_MAX_CTAS;
  workspace->by_point_and_direction.gains = workspace->by_piece.partial_sums + SNAKE_VARIANTS * points;
  workspace->by_point.changes =
      (SnakeChange *) (workspace->by_point_and_direction.gains + CTR_SNAKE_DIRECTIONS * points);
  workspace->by_point.previous_changes = workspace->by_point.changes + points;
  workspace->by_point.drops = (uint32_t *) (workspace->by_point.previous_changes + points);
  workspace->by_point.proposals = workspace->by_point.drops + points;
  workspace->by_point.splits = workspace->by_point.proposals + points;
  return (size_t) ((uint8_t *) (workspace->by_point.splits + points) - at + 255) / 256 * 256;
}
static_assert (SNAKE_MAX_CTAS * sizeof (SnakeBest) <= 256, "the sums follow after 256 bytes");

/* Have CTAs with SHARED bytes of shared memory room for the changes that they send each other, beside polygons of CAPACITY points? */
bool snake_may_exchange (uint32_t capacity, size_t shared);

/* The largest number of CTAs of a cluster on the current GPU. CLUSTERS: it has clusters. */
uint32_t snake_max_ctas (bool clusters);

/* These queue the kernels: the table, and the bands and blocks of COUNT tasks, of which the largest has BLOCKS blocks;
 * then the evolution of COUNT tasks from by_cluster.tasks[FIRST] on, by clusters of CTAS CTAs of THREADS threads each.
 * EXCLUSIVE: each CTA has a multiprocessor of its own. WIDE: samples have 16 bits. HISTORY: every polygon is recorded.
 * OVERLAP: the GPU has programmatic dependent launch. */
void snake_launch_table (
    const SnakeKernelArgs &args, uint32_t count, uint32_t blocks, bool wide, bool overlap, cudaStream_t stream);
bool snake_launch_evolution (const SnakeKernelArgs &args, uint32_t first, uint32_t count, uint32_t ctas,
    uint32_t threads, bool exclusive, bool wide, bool history, bool overlap, cudaStream_t stream, CtrError *error);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Region snakes on the GPU: the data that passes between its kernels.
 *
 * A table has the sums of samples and of their squares left of every block of a row, so that the sums left of any
 * column take one look at the table and one at the block. An edge's sums are those of its rows. One kernel then does
 * all for an object, without the host: a cluster of CTAs, each of which has the whole polygon in shared memory and
 * takes every decision itself. What they share is the looking up, in global memory between barriers of the cluster.
 *
 *   table.cu    samples to the table, and the sums of each window's bands of cells
 *   table.cuh   looking up
 *   cluster.cuh    the polygon, the threads that work on it, sums along its edges
 *   moves.cuh, split.cuh, prune.cuh, start.cuh
 *                     what core/snake/snake.h says of each
 *   evolve.cu   the kernel
 *   snake.cu          host side */
#ifndef CTR_CUDA_SNAKE_DEVICE_STATE_CUH
#define CTR_CUDA_SNAKE_DEVICE_STATE_CUH

#include "cuda/common/device_buffer.cuh"
#include "cuda/common/launch.cuh"

#include "core/snake/snake.h"

/* Of a CTA: as many as can be where there is a multiprocessor for each, or half as many. */
constexpr uint32_t SNAKE_MOST_THREADS = 768, SNAKE_FEW_THREADS = 384, SNAKE_MOST_WARPS = SNAKE_MOST_THREADS / 32;
constexpr uint32_t SNAKE_MOST_CTAS = 16; /* of a cluster, where the GPU takes that; else 8 */
constexpr uint32_t SNAKE_LEAST_POINTS = 1024;
constexpr int SNAKE_VARIANTS = CTR_SNAKE_DIRECTIONS + 1; /* of a point: its moves, and where it is */
constexpr int SNAKE_LINES = CTR_SNAKE_CELLS + 1;         /* between and around cells */
constexpr int SNAKE_BLOCK_8 = 16, SNAKE_BLOCK_16 = 8;    /* samples: 16 bytes */

/* Left of a block, from the table's first column on. */
struct __align__ (8) SnakeSums8
{
  uint32_t s1, s2;
};
struct __align__ (16) SnakeSums16
{
  uint32_t s1, unused;
  uint64_t s2;
};

/* Of the samples from (left, top) to (right, bottom); left is a multiple of the block. */
struct SnakeTable {
  const uint8_t *pixels; /* of the image */
  size_t stride;
  uint32_t width;
  uint32_t aligned; /* rows of PIXELS begin at multiples of 16 bytes */
  int32_t left, top, right, bottom;
  uint32_t blocks; /* of a row, and one behind the last */
  void *sums;      /* SnakeSums8 or SnakeSums16 */
};

/* What a point of the polygon may do: a move, or a removal. */
struct SnakeChange {
  double value;      /* criterion or description length then */
  CtrSnakeSums gain; /* of the sums */
  uint32_t index;    /* NO_CHANGE: it does nothing */
  uint32_t direction;
};
constexpr uint32_t NO_CHANGE = ~0u;

/* The least of a CTA's rectangles. */
struct SnakeBest {
  double value;
  uint32_t number; /* in their order */
};

struct SnakeResult {
  CtrSnakeOutcome outcome;
  uint32_t needed; /* points there must be room for; 0: it is complete */
};

/* Everything the kernels share, by value. Device pointers, but for what the kernels write for the host. */
struct SnakeFrame {
  SnakeTable table;
  CtrSnakeCost cost;
  uint32_t prune, max_iterations;
  const CtrSnakeTask *tasks;
  const CtrPoint *points; /* of their starts */
  const uint32_t *order;  /* tasks in the order of launches */
  CtrSnakeSums *bands;    /* by task, band and line: left of it */
  uint32_t capacity;      /* points of a polygon */
  uint8_t *rooms;         /* a task's SnakeRoom after the other's */
  size_t room_size;
  SnakeResult *results; /* pinned: by task */
  CtrPoint *polygons;   /* pinned: CAPACITY a task */
};

/* A task's arrays in global memory. */
struct SnakeRoom {
  SnakeBest *bests;       /* by CTA */
  CtrSnakeSums *partials; /* SNAKE_VARIANTS * capacity */
  CtrSnakeSums *gains;    /* by point and direction */
  SnakeChange *changes;   /* by point: those to be found next */
  SnakeChange *last;      /* those before: other CTAs may still read them */
  CtrPoint *news;         /* by CTA, and by point of a polygon that becomes another one */
};

__host__ __device__ inline size_t
snake_room (const SnakeFrame &f, uint32_t task, SnakeRoom *room)
{
  uint8_t *at = f.rooms + task * f.room_size;
  const size_t points = f.capacity;
  room->bests = (SnakeBest *) at;
  room->partials = (CtrSnakeSums *) (at + 256);
  room->gains = room->partials + SNAKE_VARIANTS * points;
  room->changes = (SnakeChange *) (room->gains + CTR_SNAKE_DIRECTIONS * points);
  room->last = room->changes + points;
  room->news = (CtrPoint *) (room->last + points);
  return (size_t) ((uint8_t *) (room->news + SNAKE_MOST_CTAS * points) - at + 255) / 256 * 256;
}
static_assert (SNAKE_MOST_CTAS * sizeof (SnakeBest) <= 256, "the partials come after them");

/* CTAs of a cluster, at most, on the current GPU. */
uint32_t snake_most_ctas (bool clusters);

/* Queue the kernels: the table and COUNT tasks' bands; all about COUNT tasks from order[FIRST] on, by clusters of CTAS
 * of THREADS each. WIDE: samples have 16 bits. */
void snake_launch_table (const SnakeFrame &frame, uint32_t count, bool wide, cudaStream_t stream);
bool snake_launch_evolution (const SnakeFrame &frame, uint32_t first, uint32_t count, uint32_t ctas, uint32_t threads,
    bool wide, cudaStream_t stream, CtrError *error);

#endif

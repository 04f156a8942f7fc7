/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Region snakes (include/contours/snake.h): the plan, where the stages are, and the search, which both backends perform
 * alike to the last bit. Internal.
 *
 *   stage                           core                    cpu                    cuda
 *   arguments, limits, backend      snake/arguments.c, snake/snake.c
 *   plan: objects as tasks          snake/plan.c
 *   criterion                       snake/criterion.h       snake/price.c          (core/snake/criterion.h)
 *   polygons                        snake/geometry.h        snake/polygon.c        snake/device_state.cuh
 *   sums along edges                snake/geometry.h        snake/table.c          snake/table.cu, snake/line_sums.cuh
 *   search                          -                       snake/snake.c          snake/evolve.cu
 *   its start: rectangle            -                       snake/start.c          snake/start.cuh
 *   its start: outline              core/snake/geometry.h   snake/outline.c,       snake/blocks.cuh,
 *                                                           corners.c              snake/corners.cuh
 *   moves, splitting, pruning       -                       snake/moves.c,         snake/moves.cuh, snake/split.cuh,
 *                                                           split.c, prune.c       snake/prune.cuh
 *   result                          snake/contours.c
 *   host side of the GPU            -                       -                      snake/snake.cu
 *
 * The search of a task uses the functions of criterion.h and geometry.h. T are the sums of the polygon, C is its
 * criterion, L its description length.
 *
 * Start. The task's polygon; or, with an automatic start, an outline, and if there is none, a rectangle. All run
 * clockwise.
 *
 * Rectangle. That of whole coarse cells with the lowest C, other than the whole window; then that with the lowest C of
 * all whose sides are at most one line between cells away from those. Of equal rectangles the first one is taken, in
 * the order of the top, bottom, left and right line. The first point is its upper left corner. If there is no rectangle,
 * as in a window of one pixel, there is no target.
 *
 * Outline. It encloses blocks of pixels (ctr_snake_grid()), and exists if the following steps find it.
 *   1. A block is inside if its ctr_snake_evidence() by the sums of the rectangle is below 0. Then, twice, all blocks are
 *      judged anew by the sums of those that are inside. There must be some, but not all pixels inside.
 *   2. A block is inside if five of the nine blocks in its 3 x 3 neighbourhood are. Those beyond the window are not.
 *   3. Of the 4-connected components of blocks inside, the one with most blocks stays; of equal ones, that which begins
 *      first in raster order. It gets all blocks from which no 4-connected path of other blocks leads out of the window.
 *      The evidence for this region, as in the last judgement, must be lower than that for the rectangle.
 *   4. The corners of this region, from the upper left one of its first block on, are at most CTR_SNAKE_CORNERS.
 *   5. They are simplified (Douglas and Peucker), with distances in blocks: the first corner is kept, and the first one
 *      of those farthest from it. In up to CTR_SNAKE_LEVELS levels, the first one of the corners farthest from the line
 *      through each pair of kept neighbours is kept if it is more than 1 away from it.
 *   6. The corners kept are 3 or more, and no two of their edges touch or fold.
 *
 * Moves with a step d. In an iteration, each point has up to eight candidates. Candidates that do not move the point,
 * do not lower C, fold at the point (ctr_snake_fold()), or touch another edge of the current polygon are discarded. The
 * move of a point is its candidate with the lowest C, of equal ones the one with the lowest direction. A move is
 * dropped if ctr_snake_moves_touch() that of a point with a lower C, or with an equal C and a lower index, even if that
 * move is dropped, too. All other moves are made together. If they do not lower C, only the move with the lowest C is
 * made (of equal ones, that of the lowest index). Moves end with the first iteration without a move; from an outline, those with
 * a step greater than 1 also after CTR_SNAKE_OUTLINE_ITERATIONS. (Moving even and odd points in turn, so that no point
 * moves with a neighbour, takes half as many iterations again.)
 *
 * Stages. The first d is first_step, with an outline at most the side of a block. In a stage, the polygon moves by d.
 * Then every edge that ctr_snake_splits() gets a point in the middle, unless its halves touch another edge of the
 * polygon. Such an edge is a proposal. It is not split if its halves touch those of a proposal with a lower index, even
 * if that edge is not split, or if the polygon has CTR_SNAKE_MAX_POINTS by then, counting proposals in the order of
 * their indices. The middle of edge i becomes point i + 1. T and C are computed anew; C may rise. If d was 1 and no
 * edge was split, the stages end. Otherwise d is halved, but stays at least 1.
 *
 * History, on request. The polygon is recorded at each start, and after every iteration and split that changes it.
 *
 * Pruning, on request. A round of pruning is an iteration. If the polygon has more than 3 points, a point is eligible
 * if its removal lowers L and the new edge touches no other edge. An eligible point is removed if it is better (lower L
 * after the removal; of equal ones, the lower index) than all other eligible points that
 * ctr_snake_two_removals_touch(). These removals are made together. If fewer than 3 points would remain, or L would not
 * fall, only the best of all eligible points is removed. Pruning ends with the first round without a removal. If there
 * were removals, moves by 1 and another pruning follow.
 *
 * End. If an iteration is due after max_iterations, the current polygon is the result, without CTR_SNAKE_CONVERGED. The
 * target is found if L < ctr_snake_description_without(). If it is not found from a start that is not automatic, and
 * retry is set, the search begins again with an automatic start, and max_step in place of first_step. Then
 * CTR_SNAKE_RESTARTED is set, and the count of iterations continues. */
#ifndef CTR_CORE_SNAKE_SNAKE_H
#define CTR_CORE_SNAKE_SNAKE_H

#include "core/common/backend.h"
#include "core/snake/criterion.h"
#include "core/snake/geometry.h"

CTR_BEGIN_DECLS

/* An object whose window overlaps the image. */
typedef struct {
  uint32_t object;       /* index of the object */
  CtrSnakeWindow window; /* clipped to the image */
  uint32_t min_segment;  /* >= 1 */
  uint32_t max_step;     /* 1 .. 65535 */
  uint32_t first_step;
  bool automatic;       /* start with a rectangle, otherwise with the polygon */
  bool retry;           /* false if automatic */
  uint64_t first_point; /* of the starting polygon, in the plan's points */
  uint32_t point_count; /* of the starting polygon, clockwise; 0: automatic, or no target can be found */
} CtrSnakeTask;

/* Valid parameters and objects, for one image. */
typedef struct {
  CtrSnakeCost cost;
  bool prune;
  bool history;
  uint32_t max_iterations;
  uint32_t width; /* of the image */
  uint32_t height;
  uint32_t task_count;
  const CtrSnakeTask *tasks; /* in the objects' order */
  uint64_t point_count;      /* of all starting polygons */
  const CtrPoint *points;
  CtrSnakeWindow windows; /* bounding box of all tasks' windows; empty without tasks */
} CtrSnakePlan;

/* A polygon of a task's history. */
typedef struct {
  uint64_t first_point; /* in the backend's points of the history */
  uint32_t point_count;
  uint32_t kind; /* CtrSnakeChangeKind */
  uint32_t iteration;
  uint32_t step;
  CtrSnakeSums inside;
} CtrSnakeMoment;

/* The outcome of a task. */
typedef struct {
  uint64_t first_point;  /* in the backend's points */
  uint64_t first_moment; /* in the backend's moments */
  uint64_t moment_count; /* 0 without a history */
  uint32_t point_count;  /* 0: no target */
  uint32_t flags;        /* CTR_SNAKE_* */
  uint32_t iterations;
  CtrSnakeSums inside; /* inside and window are not read without a target */
  CtrSnakeSums window;
} CtrSnakeOutcome;

/* What a backend has found; the last two are NULL without a history. */
typedef struct {
  const CtrSnakeOutcome *outcomes; /* of the plan's tasks */
  const CtrPoint *points;
  const CtrSnakeMoment *moments;
  const CtrPoint *history_points;
} CtrSnakeFindings;

/* The result for the outcomes of the plan's tasks. Computes all floating-point values, and orders the points of each
 * polygon. NULL with CTR_ERROR_OUT_OF_MEMORY or CTR_ERROR_CANCELLED. */
CtrContours *ctr_snake_contours (const CtrSnakePlan *plan, const CtrSnakeFindings *findings, CtrError *error);

/* The core has checked the arguments. PLAN and its arrays stay unchanged until finish(). For each enqueue() that
 * succeeds, finish() is called once, before the next enqueue(). */
typedef struct {
  CtrBackendOps base;
  bool (*enqueue) (void *state, const CtrImage *image, const CtrSnakePlan *plan, void *stream, CtrError *error);
  CtrContours *(*finish) (void *state, CtrError *error);
} CtrSnakeOps;

extern const CtrSnakeOps ctr_snake_ops_cpu;
extern const CtrSnakeOps ctr_snake_ops_cuda; /* only where CTR_HAVE_CUDA */

CTR_END_DECLS

#endif

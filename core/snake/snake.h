/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the backends of the snake share: the objects as tasks, and their results as contours. Internal.
 *
 * What a backend does for a task, beside the functions of core/snake/criterion.h. T are the sums of the polygon, C its
 * criterion.
 *
 * Start. The task's polygon, or: the rectangle of whole cells, other than the whole window, of the least C; of equal
 * ones the first in the order of top, bottom, left, right line. Its points run clockwise from the upper left corner.
 * Without any rectangle, in a window of one pixel, there is no target.
 *
 * Moves, by a step d. In an iteration, each point has up to eight candidates; those that do not move it, do not lower
 * C, fold at the point (ctr_snake_fold()) or touch another edge of the polygon as it is are left out. The candidate of
 * the least C is the point's move, of equal ones that of the lowest direction. A move is dropped where
 * ctr_snake_moves_touch() that of a point with a lower C, or an equal one and a lower index, even one that is dropped
 * itself. All others are made together; if C does not fall by that, only the one of the least C (of equal ones, of the
 * lowest index). Moves end with the first iteration that moves nothing. (Phases of even and of odd points, where none
 * has a neighbour, take half as many iterations again.)
 *
 * Stages. With d = first_step: moves; every edge that ctr_snake_splits() gets its middle, unless its halves touch
 * another edge of the polygon. (An edge left in is a proposal.) It does not get it either where its halves touch those
 * of a proposal of a lower index, even one that does not get its own, or where the polygon has CTR_SNAKE_MAX_POINTS by
 * then, proposals of lower indices being first. The point after the middle of edge i is point i + 1. T and C are anew
 * those of the polygon, C may rise. If d was 1 and no edge was split, the stages end; else d = d / 2, at least 1.
 *
 * Pruning, where asked for. A round is an iteration. With more than 3 points, each point is eligible whose removal
 * lowers the description length L and whose new edge touches no other edge. Chosen are the eligible ones that are
 * better (less L after the removal; of equal ones, the lower index) than all other eligible ones which
 * ctr_snake_two_removals_touch(). They are removed together, the others staying in order; if fewer than 3 points would
 * remain or L does not fall by it, only the best of all eligible ones. The pruning ends with the first round that
 * removes nothing. If it removed anything before, moves by 1 follow, and a pruning again.
 *
 * Where an iteration is due and there were max_iterations, the polygon as it is then is the result, without
 * CTR_SNAKE_CONVERGED. The target is found where L < ctr_snake_description_without(). Where it is not, the start was
 * not AUTO and retry is set, it begins again with AUTO and d = max_step, CTR_SNAKE_RESTARTED set, the count of
 * iterations going on. */
#ifndef CTR_CORE_SNAKE_SNAKE_H
#define CTR_CORE_SNAKE_SNAKE_H

#include "core/common/backend.h"
#include "core/snake/criterion.h"
#include "core/snake/geometry.h"

CTR_BEGIN_DECLS

/* An object whose window has a part inside the image. */
typedef struct {
  uint32_t object;
  CtrSnakeWindow window;
  uint32_t min_segment; /* >= 1 */
  uint32_t max_step;    /* 1 .. 65535 */
  uint32_t first_step;
  bool automatic;       /* the start; else a polygon */
  bool retry;           /* false where automatic */
  uint64_t first_point; /* in the plan's points */
  uint32_t point_count; /* of the start, clockwise; 0: automatic, or no target can be found from this start */
} CtrSnakeTask;

/* Parameters and objects that were checked, for one image. */
typedef struct {
  CtrSnakeCost cost;
  bool prune;
  uint32_t max_iterations;
  uint32_t width; /* of the image */
  uint32_t height;
  uint32_t task_count;
  const CtrSnakeTask *tasks; /* in the objects' order */
  uint64_t point_count;      /* of all tasks' starts */
  const CtrPoint *points;
  CtrSnakeWindow windows; /* around all tasks' windows; empty where there are no tasks */
} CtrSnakePlan;

/* What became of a task. */
typedef struct {
  uint64_t first_point; /* in the backend's list of points */
  uint32_t point_count; /* 0: no target */
  uint32_t flags;       /* CTR_SNAKE_.. */
  uint32_t iterations;
  CtrSnakeSums inside; /* without a target, this and the next are not read */
  CtrSnakeSums window;
} CtrSnakeOutcome;

/* The result of the plan's tasks, one outcome each; floating point and the points' order are its business. NULL and
 * CTR_ERROR_OUT_OF_MEMORY or CTR_ERROR_CANCELLED when there is no memory or it is cancelled. */
CtrContours *ctr_snake_contours (
    const CtrSnakePlan *plan, const CtrSnakeOutcome *outcomes, const CtrPoint *points, CtrError *error);

/* The core has checked the arguments. PLAN and its arrays stay unchanged until finish(), which is called once for each
 * enqueue() that succeeded, before the next one. */
typedef struct {
  CtrBackendOps base;
  bool (*enqueue) (void *state, const CtrImage *image, const CtrSnakePlan *plan, void *stream, CtrError *error);
  CtrContours *(*finish) (void *state, CtrError *error);
} CtrSnakeOps;

extern const CtrSnakeOps ctr_snake_ops_cpu;
extern const CtrSnakeOps ctr_snake_ops_cuda; /* only where CTR_HAVE_CUDA */

CTR_END_DECLS

#endif

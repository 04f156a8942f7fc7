/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How the snake's plan is made from its objects. Internal. */
#ifndef CTR_CORE_SNAKE_PLAN_H
#define CTR_CORE_SNAKE_PLAN_H

#include "core/snake/snake.h"

CTR_BEGIN_DECLS

/* A plan, and the memory of its arrays, which only grows. Zeroed before first use. */
typedef struct {
  CtrSnakePlan plan;
  CtrSnakeTask *tasks;
  size_t task_room;
  CtrPoint *points;
  size_t point_room;
} CtrSnakePlanner;

void ctr_snake_planner_release (CtrSnakePlanner *planner);

/* Width and height of all windows' parts inside IMAGE, added up, in pixels. */
uint64_t ctr_snake_window_sides (const CtrImage *image, const CtrSnakeObject *objects, uint32_t count);

/* Makes the plan for IMAGE. Starting polygons are checked here, everything else has been checked before. */
bool ctr_snake_make_plan (CtrSnakePlanner *planner, const CtrImage *image, const CtrSnakeParams *params,
    const CtrSnakeObject *objects, uint32_t count, CtrError *error);

CTR_END_DECLS

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How the plan of region snakes is made from objects. Internal. */
#ifndef CTR_CORE_SNAKE_PLAN_H
#define CTR_CORE_SNAKE_PLAN_H

#include "core/snake/snake.h"

CTR_BEGIN_DECLS

/* A plan, and the growing memory of its arrays. Zeroed before first use. */
typedef struct {
  CtrSnakePlan plan;
  CtrSnakeTask *tasks;
  size_t task_room;
  CtrPoint *points;
  size_t point_room;
} CtrSnakePlanner;

void ctr_snake_planner_release (CtrSnakePlanner *planner);

/* The sum of the widths and heights of all windows clipped to IMAGE, in pixels. */
uint64_t ctr_snake_window_sides (const CtrImage *image, const CtrSnakeObject *objects, uint32_t count);

/* Makes the plan for IMAGE. Checks starting polygons; all other arguments are valid. */
bool ctr_snake_make_plan (CtrSnakePlanner *planner, const CtrImage *image, const CtrSnakeParams *params,
    const CtrSnakeObject *objects, uint32_t count, CtrError *error);

CTR_END_DECLS

#endif

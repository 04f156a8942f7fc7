/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The plan of region snakes: each object whose window overlaps the image becomes a task. */
#include "core/snake/plan.h"

#include "core/common/memory.h"
#include "core/common/poll.h"
#include "core/snake/arguments.h"

#include <stdlib.h>

static int32_t
clip (int64_t value, uint32_t most)
{
  return value < 0 ? 0 : value > most ? (int32_t) most : (int32_t) value;
}

/* RECT clipped to IMAGE. */
static CtrSnakeWindow
window_of (const CtrSnakeRect *rect, const CtrImage *image)
{
  const bool whole = rect->width == 0;
  const int64_t right = (int64_t) rect->x + rect->width, bottom = (int64_t) rect->y + rect->height;
  return (CtrSnakeWindow){
      .left = clip (rect->x, image->width),
      .top = clip (rect->y, image->height),
      .right = clip (whole ? image->width : right, image->width),
      .bottom = clip (whole ? image->height : bottom, image->height),
  };
}

static bool
is_empty (const CtrSnakeWindow *window)
{
  return window->left >= window->right || window->top >= window->bottom;
}

static int32_t
least (int32_t a, int32_t b)
{
  return a < b ? a : b;
}

static int32_t
most (int32_t a, int32_t b)
{
  return a > b ? a : b;
}

static CtrSnakeWindow
common_part (const CtrSnakeWindow *a, const CtrSnakeWindow *b)
{
  return (CtrSnakeWindow){
      most (a->left, b->left), most (a->top, b->top), least (a->right, b->right), least (a->bottom, b->bottom)};
}

static CtrSnakeWindow
around (const CtrSnakeWindow *a, const CtrSnakeWindow *b)
{
  return (CtrSnakeWindow){
      least (a->left, b->left), least (a->top, b->top), most (a->right, b->right), most (a->bottom, b->bottom)};
}

/* The largest power of two that is VALUE or less, but at least LEAST, a power of two. */
static uint32_t
power_of_two (uint32_t value, uint32_t least)
{
  uint32_t power = least;
  while (2 * power <= value)
    power *= 2;
  return power;
}

/* The points of a start, clockwise on the screen. Returns their number. */
static uint32_t
start_rectangle (const CtrSnakeWindow *rectangle, CtrPoint *points)
{
  if (is_empty (rectangle))
    return 0;
  const uint16_t left = (uint16_t) rectangle->left, right = (uint16_t) rectangle->right;
  const uint16_t top = (uint16_t) rectangle->top, bottom = (uint16_t) rectangle->bottom;
  points[0] = (CtrPoint){left, top};
  points[1] = (CtrPoint){right, top};
  points[2] = (CtrPoint){right, bottom};
  points[3] = (CtrPoint){left, bottom};
  return 4;
}

static uint32_t
start_polygon (const CtrPoint *from, uint32_t count, CtrPoint *points)
{
  int64_t area2 = 0;
  for (uint32_t i = 0; i < count; i++) {
    const CtrPoint a = from[i], b = from[ctr_snake_next (count, i)];
    area2 += (int64_t) a.x * b.y - (int64_t) b.x * a.y;
  }
  for (uint32_t i = 0; i < count; i++)
    points[i] = from[area2 > 0 || i == 0 ? i : count - i];
  return count;
}

static bool
add_task (CtrSnakePlanner *planner, const CtrSnakeParams *params, const CtrSnakeObject *object, uint32_t number,
    const CtrSnakeWindow *window, const CtrImage *image, CtrError *error)
{
  CtrSnakePlan *plan = &planner->plan;
  CtrPoint *points = planner->points + plan->point_count;
  const uint32_t side = (uint32_t) most (window->right - window->left, window->bottom - window->top);
  CtrSnakeTask *task = &planner->tasks[plan->task_count];
  *task = (CtrSnakeTask){
      .object = number,
      .window = *window,
      .min_segment = params->min_segment ? params->min_segment : power_of_two (side / 240, 4),
      .max_step = params->max_step ? params->max_step : power_of_two (side / 32, 1),
      .automatic = object->start == CTR_SNAKE_START_AUTO,
      .retry = object->retry && object->start != CTR_SNAKE_START_AUTO,
      .first_point = plan->point_count,
  };
  task->first_step = object->first_step ? object->first_step : task->max_step;
  if (object->start == CTR_SNAKE_START_RECTANGLE) {
    const CtrSnakeWindow rectangle = window_of (&object->rectangle, image);
    const CtrSnakeWindow inside = common_part (&rectangle, window);
    task->point_count = start_rectangle (&inside, points);
  } else if (object->start == CTR_SNAKE_START_POLYGON) {
    if (!ctr_snake_check_polygon (object, window, number, error))
      return false;
    task->point_count = start_polygon (object->points, object->point_count, points);
  }
  plan->windows = plan->task_count ? around (&plan->windows, window) : *window;
  plan->point_count += task->point_count;
  plan->task_count++;
  return true;
}

static bool
reserve (void **array, size_t *room, size_t count, size_t size, CtrError *error)
{
  if (count <= *room)
    return true;
  void *memory = ctr_alloc_array (count, size);
  if (!memory)
    return ctr_fail (error, CTR_ERROR_OUT_OF_MEMORY, "no host memory for the %zu objects or points of a search", count);
  free (*array);
  *array = memory;
  *room = count;
  return true;
}

uint64_t
ctr_snake_window_sides (const CtrImage *image, const CtrSnakeObject *objects, uint32_t count)
{
  uint64_t sides = 0;
  for (uint32_t i = 0; i < count; i++) {
    const CtrSnakeWindow window = window_of (&objects[i].window, image);
    if (!is_empty (&window))
      sides += (uint32_t) (window.right - window.left) + (uint32_t) (window.bottom - window.top);
  }
  return sides;
}

bool
ctr_snake_make_plan (CtrSnakePlanner *planner, const CtrImage *image, const CtrSnakeParams *params,
    const CtrSnakeObject *objects, uint32_t count, CtrError *error)
{
  size_t points = 0;
  for (uint32_t i = 0; i < count; i++)
    points += objects[i].start == CTR_SNAKE_START_POLYGON     ? objects[i].point_count
              : objects[i].start == CTR_SNAKE_START_RECTANGLE ? 4
                                                              : 0;
  if (!reserve ((void **) &planner->tasks, &planner->task_room, count, sizeof *planner->tasks, error)
      || !reserve ((void **) &planner->points, &planner->point_room, points, sizeof *planner->points, error))
    return false;
  planner->plan = (CtrSnakePlan){
      .cost = {.model = params->model,
          .looks = params->looks,
          .maximum = image->format == CTR_FORMAT_GRAY16 ? (1 << params->significant_bits) - 1 : 255},
      .prune = params->prune,
      .history = params->history,
      .max_iterations = params->max_iterations,
      .width = image->width,
      .height = image->height,
      .tasks = planner->tasks,
      .points = planner->points,
  };
  for (uint32_t i = 0; i < count; i++) {
    const CtrSnakeWindow window = window_of (&objects[i].window, image);
    if (!ctr_go_on (error)
        || (!is_empty (&window) && !add_task (planner, params, &objects[i], i, &window, image, error)))
      return false;
  }
  return true;
}

void
ctr_snake_planner_release (CtrSnakePlanner *planner)
{
  free (planner->tasks);
  free (planner->points);
  *planner = (CtrSnakePlanner){.task_room = 0};
}

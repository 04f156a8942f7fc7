/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Region snakes: searches for the objects one after the other, with one table of sums. */
#include "cpu/snake/polygon.h"

#include <string.h>

typedef struct {
  CtrSamples samples;
  CtrSnakeTable table;
  CtrSnakePolygon polygon;
  CtrHostBuffer outcomes; /* CtrSnakeOutcome */
  CtrHostBuffer points;   /* CtrPoint */
  uint64_t point_count;
  CtrRoomPeriod period;
  CtrContours *result; /* until finish() takes it */
} State;

static void *
create (CtrError *error)
{
  State *state = calloc (1, sizeof *state);
  if (!state)
    ctr_fail (error, CTR_ERROR_OUT_OF_MEMORY, "no host memory for a new snake");
  return state;
}

static void
release_buffers (State *state)
{
  ctr_snake_table_release (&state->table);
  ctr_snake_polygon_release (&state->polygon);
  ctr_host_buffer_release (&state->outcomes);
  ctr_host_buffer_release (&state->points);
}

/* At the end of a period: gives back what its images have not needed. */
static void
give_back (State *state)
{
  bool some = ctr_snake_table_give_back (&state->table);
  some |= ctr_snake_polygon_give_back (&state->polygon);
  some |= ctr_host_buffer_give_back (&state->outcomes);
  some |= ctr_host_buffer_give_back (&state->points);
  some |= ctr_samples_give_back (&state->samples);
  if (some)
    ctr_room_period_double (&state->period);
}

static void
destroy (void *data)
{
  State *state = data;
  release_buffers (state);
  ctr_samples_release (&state->samples);
  ctr_contours_unref (state->result);
  free (state);
}

static CtrSnakeSums
window_sums (const CtrSnakeTable *table, const CtrSnakeWindow *window)
{
  const uint16_t left = (uint16_t) window->left, right = (uint16_t) window->right;
  const uint16_t top = (uint16_t) window->top, bottom = (uint16_t) window->bottom;
  return ctr_snake_sums_sub (ctr_snake_table_edge (table, (CtrPoint){right, top}, (CtrPoint){right, bottom}),
      ctr_snake_table_edge (table, (CtrPoint){left, top}, (CtrPoint){left, bottom}));
}

/* Moves and splits with steps from STEP on, then prunes. This and the functions below return false if there is no
 * memory or the work is cancelled. */
static bool
fit (CtrSnakePolygon *polygon, uint32_t step)
{
  for (;;) {
    bool any;
    ctr_snake_polygon_move (polygon, step);
    if (polygon->cancelled)
      return false;
    if (polygon->limited)
      return true;
    if (!ctr_snake_polygon_split (polygon, &any))
      return false;
    if (step == 1 && !any)
      break;
    step = step > 1 ? step / 2 : 1;
    if (any)
      ctr_snake_polygon_record (polygon, CTR_SNAKE_SPLIT, step);
  }
  if (polygon->plan->prune)
    while (ctr_snake_polygon_prune (polygon) && !polygon->limited)
      ctr_snake_polygon_move (polygon, 1);
  return !polygon->cancelled;
}

static bool
is_target (const CtrSnakePolygon *polygon)
{
  const CtrSnakeLengths lengths = ctr_snake_lengths (polygon->points.data, polygon->count);
  return ctr_snake_description (polygon->criterion, polygon->window.n, polygon->count, lengths)
         < ctr_snake_description_without (&polygon->plan->cost, polygon->window);
}

/* Makes the start of the task the polygon. False if there is none. */
static bool
take_start (CtrSnakePolygon *polygon)
{
  const CtrSnakeTask *task = polygon->task;
  if (task->point_count == 0)
    return false;
  if (!ctr_snake_polygon_reserve (polygon, task->point_count)) {
    polygon->cancelled = true;
    return false;
  }
  memcpy (polygon->points.data, polygon->plan->points + task->first_point, task->point_count * sizeof (CtrPoint));
  polygon->count = task->point_count;
  ctr_snake_polygon_sum (polygon);
  return true;
}

/* Searches from the start of the task, or from an automatic start. */
static bool
seek (CtrSnakePolygon *polygon, bool automatic, bool *found)
{
  const CtrSnakeTask *task = polygon->task;
  uint32_t step = automatic && !task->automatic ? task->max_step : task->first_step;
  *found = false;
  polygon->from_outline = false;
  if (!(automatic ? ctr_snake_start (polygon, &step) : take_start (polygon)))
    return !polygon->cancelled;
  polygon->limited = false;
  ctr_snake_polygon_record (polygon, CTR_SNAKE_STARTED, step);
  if (!fit (polygon, step))
    return false;
  *found = is_target (polygon);
  return true;
}

static bool
do_task (State *state, const CtrSnakePlan *plan, const CtrSnakeTask *task, CtrSnakeOutcome *outcome)
{
  CtrSnakePolygon *polygon = &state->polygon;
  bool found, restarted = false;
  polygon->plan = plan;
  polygon->task = task;
  polygon->table = &state->table;
  polygon->window = window_sums (&state->table, &task->window);
  polygon->iterations = 0;
  polygon->cancelled = ctr_cancelled ();
  polygon->work = 0;
  *outcome = (CtrSnakeOutcome){.first_point = state->point_count, .first_moment = polygon->record.moment_count};
  if (!seek (polygon, task->automatic, &found))
    return false;
  if (!found && task->retry) {
    restarted = true;
    if (!seek (polygon, true, &found))
      return false;
  }
  if (!found)
    return true;
  if (!ctr_host_buffer_reserve (&state->points, state->point_count + polygon->count, sizeof (CtrPoint)))
    return false;
  memcpy (
      (CtrPoint *) state->points.data + state->point_count, polygon->points.data, polygon->count * sizeof (CtrPoint));
  state->point_count += polygon->count;
  outcome->point_count = polygon->count;
  outcome->moment_count = polygon->record.moment_count - outcome->first_moment;
  outcome->flags = (polygon->limited ? 0 : CTR_SNAKE_CONVERGED) | (restarted ? CTR_SNAKE_RESTARTED : 0);
  outcome->iterations = polygon->iterations;
  outcome->inside = polygon->inside;
  outcome->window = polygon->window;
  return true;
}

static bool
do_tasks (State *state, const CtrImage *image, const CtrSnakePlan *plan)
{
  state->point_count = 0;
  state->polygon.record.moment_count = state->polygon.record.point_count = 0;
  if (plan->task_count == 0)
    return true;
  if (!ctr_snake_table_fill (&state->table, &state->samples, image, &plan->windows)
      || !ctr_host_buffer_reserve (&state->outcomes, plan->task_count, sizeof (CtrSnakeOutcome)))
    return false;
  for (uint32_t i = 0; i < plan->task_count; i++)
    if (!do_task (state, plan, &plan->tasks[i], (CtrSnakeOutcome *) state->outcomes.data + i))
      return false;
  return true;
}

static bool
enqueue (void *data, const CtrImage *image, const CtrSnakePlan *plan, void *stream, CtrError *error)
{
  State *state = data;
  if (ctr_room_period_ends (&state->period))
    give_back (state);
  if (do_tasks (state, image, plan)) {
    const CtrSnakeRecord *record = &state->polygon.record;
    const CtrSnakeFindings findings = {
        state->outcomes.data, state->points.data, record->moments.data, record->points.data};
    state->result = ctr_snake_contours (plan, &findings, error);
  } else if (ctr_go_on (error)) {
    ctr_fail (error, CTR_ERROR_OUT_OF_MEMORY, "no host memory to find %u objects in a %u x %u image", plan->task_count,
        image->width, image->height);
  }
  /* A smaller image may need the memory that a too large one has taken. */
  if (!state->result && !ctr_cancelled ())
    release_buffers (state);
  return state->result;
}

static CtrContours *
finish (void *data, CtrError *error)
{
  State *state = data;
  CtrContours *result = state->result;
  state->result = NULL;
  return result;
}

const CtrSnakeOps ctr_snake_ops_cpu = {
    .base = {.create = create, .destroy = destroy},
    .enqueue = enqueue,
    .finish = finish,
};

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The result of region snakes: polygons as contours, and all floating-point values. */
#include "core/common/memory.h"
#include "core/common/poll.h"
#include "core/results/contourlist.h"
#include "core/snake/snake.h"

#include <math.h>
#include <string.h>

/* The topmost point, the leftmost of several. */
static uint32_t
first_corner (const CtrPoint *points, uint32_t count)
{
  uint32_t first = 0;
  for (uint32_t i = 1; i < count; i++)
    if (points[i].y < points[first].y || (points[i].y == points[first].y && points[i].x < points[first].x))
      first = i;
  return first;
}

static void
measure (const CtrPoint *points, uint32_t count, CtrContour *row)
{
  uint16_t left = UINT16_MAX, top = UINT16_MAX, right = 0, bottom = 0;
  CtrPoint from = points[count - 1];
  for (uint32_t i = 0; i < count; i++) {
    const CtrPoint to = points[i];
    const float dx = (float) (to.x - from.x), dy = (float) (to.y - from.y);
    row->area2 += (int64_t) from.x * to.y - (int64_t) to.x * from.y;
    row->length += (uint64_t) (sqrtf (dx * dx + dy * dy) * (1 << 23));
    left = to.x < left ? to.x : left;
    top = to.y < top ? to.y : top;
    right = to.x > right ? to.x : right;
    bottom = to.y > bottom ? to.y : bottom;
    from = to;
  }
  row->left = left;
  row->top = top;
  row->width = (uint16_t) (right - left);
  row->height = (uint16_t) (bottom - top);
}

static CtrSnakeRegion
region_of (const CtrSnakePlan *plan, const CtrSnakeTask *task, const CtrSnakeOutcome *outcome, const CtrPoint *points)
{
  const CtrSnakeSums inside = outcome->inside, outside = ctr_snake_sums_sub (outcome->window, inside);
  const CtrSnakeLengths lengths = ctr_snake_lengths (points, outcome->point_count);
  const double criterion = ctr_snake_criterion (&plan->cost, inside, outcome->window);
  return (CtrSnakeRegion){
      .object = task->object,
      .flags = outcome->flags,
      .iterations = outcome->iterations,
      .inside_count = inside.n,
      .inside_sum = inside.s1,
      .inside_sum2 = inside.s2,
      .outside_count = outside.n,
      .outside_sum = outside.s1,
      .outside_sum2 = outside.s2,
      .criterion = criterion,
      .gain = ctr_snake_description_without (&plan->cost, outcome->window)
              - ctr_snake_description (criterion, outcome->window.n, outcome->point_count, lengths),
  };
}

/* Adds the history of a task, whose row is ROW. */
static void
add_history (const CtrSnakePlan *plan, const CtrSnakeFindings *findings, const CtrSnakeOutcome *outcome, uint32_t row,
    CtrSnakeHistory *history)
{
  CtrSnakeState *states = (CtrSnakeState *) history->states + history->state_count;
  CtrPoint *points = (CtrPoint *) history->points;
  for (uint64_t i = 0; i < outcome->moment_count && !ctr_cancelled (); i++) {
    const CtrSnakeMoment *moment = &findings->moments[outcome->first_moment + i];
    states[i] = (CtrSnakeState){
        .first = history->point_count,
        .count = moment->point_count,
        .row = row,
        .kind = moment->kind,
        .iteration = moment->iteration,
        .step = moment->step,
        .inside_count = moment->inside.n,
        .criterion = ctr_snake_criterion (&plan->cost, moment->inside, outcome->window),
    };
    memcpy (points + history->point_count, findings->history_points + moment->first_point,
        moment->point_count * sizeof *points);
    history->point_count += moment->point_count;
  }
  history->state_count += outcome->moment_count;
}

/* Makes room for the history of all rows. */
static bool
alloc_history (const CtrSnakePlan *plan, const CtrSnakeFindings *findings, CtrSnakeHistory *history, CtrError *error)
{
  uint64_t states = 0, points = 0;
  for (uint32_t i = 0; i < plan->task_count; i++) {
    const CtrSnakeOutcome *outcome = &findings->outcomes[i];
    if (outcome->point_count == 0)
      continue;
    states += outcome->moment_count;
    for (uint64_t k = 0; k < outcome->moment_count; k++)
      points += findings->moments[outcome->first_moment + k].point_count;
  }
  /* malloc (0) may return NULL. */
  history->states = ctr_alloc_array (states + 1, sizeof (CtrSnakeState));
  history->points = ctr_alloc_array (points + 1, sizeof (CtrPoint));
  return (history->states && history->points)
         || ctr_fail (error, CTR_ERROR_OUT_OF_MEMORY, "no host memory for a history of %llu polygons of %llu points",
             (unsigned long long) states, (unsigned long long) points);
}

/* Fills in the history of the rows of RESULT, which is not handed out yet. */
static bool
record (CtrContours *result, const CtrSnakePlan *plan, const CtrSnakeFindings *findings, CtrError *error)
{
  CtrSnakeHistory history = {0};
  const bool ok = alloc_history (plan, findings, &history, error);
  uint32_t row = 0;
  for (uint32_t i = 0; ok && i < plan->task_count; i++)
    if (findings->outcomes[i].point_count > 0)
      add_history (plan, findings, &findings->outcomes[i], row++, &history);
  ctr_contours_set_history (result, &history);
  return ok && ctr_go_on (error);
}

CtrContours *
ctr_snake_contours (const CtrSnakePlan *plan, const CtrSnakeFindings *findings, CtrError *error)
{
  const CtrSnakeOutcome *outcomes = findings->outcomes;
  CtrContours info = {.width = plan->width,
      .height = plan->height,
      .coordinates = CTR_COORDINATES_CORNERS,
      .features = CTR_CONTOUR_FEATURE_REGIONS | (plan->history ? CTR_CONTOUR_FEATURE_HISTORY : 0)};
  for (uint32_t i = 0; i < plan->task_count; i++) {
    info.count += outcomes[i].point_count > 0;
    info.point_count += outcomes[i].point_count;
  }
  CtrContourArrays arrays;
  CtrContours *result = ctr_contours_alloc (&info, &arrays, error);
  if (!result)
    return NULL;
  uint32_t row = 0;
  uint64_t end = 0;
  for (uint32_t i = 0; i < plan->task_count; i++) {
    const uint32_t count = outcomes[i].point_count;
    if (ctr_cancelled ()) {
      ctr_contours_unref (result);
      ctr_fail_cancelled (error);
      return NULL;
    }
    if (count == 0)
      continue;
    const CtrPoint *polygon = findings->points + outcomes[i].first_point;
    const uint32_t first = first_corner (polygon, count);
    for (uint32_t k = 0; k < count; k++)
      arrays.points[end + k] = polygon[(first + k) % count];
    arrays.table[row] = (CtrContour){
        .first = end,
        .count = count,
        .next = row + 1 < info.count ? (int32_t) row + 1 : -1,
        .previous = (int32_t) row - 1,
        .child = -1,
        .parent = -1,
    };
    measure (polygon, count, &arrays.table[row]);
    arrays.regions[row] = region_of (plan, &plan->tasks[i], &outcomes[i], polygon);
    end += count;
    row++;
  }
  if (plan->history && !record (result, plan, findings, error)) {
    ctr_contours_unref (result);
    return NULL;
  }
  return result;
}

double
ctr_snake_region_mean (const CtrSnakeRegion *region, bool inside)
{
  return inside ? (double) region->inside_sum / (double) region->inside_count
                : (double) region->outside_sum / (double) region->outside_count;
}

double
ctr_snake_region_variance (const CtrSnakeRegion *region, bool inside)
{
  const __int128 n = inside ? region->inside_count : region->outside_count;
  const __int128 sum = inside ? region->inside_sum : region->outside_sum;
  const __int128 sum2 = inside ? region->inside_sum2 : region->outside_sum2;
  return (double) (n * sum2 - sum * sum) / (double) (n * n);
}

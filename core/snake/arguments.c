/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/snake/arguments.h"

#include "core/common/poll.h"
#include "core/snake/geometry.h"

#include <math.h>

enum { MAX_STEP = UINT16_MAX, LEAST_BITS = 8, MOST_BITS = 16 };

bool
ctr_snake_check_params (const CtrSnakeParams *params, CtrError *error)
{
  if (!params)
    return ctr_fail (
        error, CTR_ERROR_INVALID_ARGUMENT, "the parameters are NULL: ctr_snake_params_init() fills in the defaults");
  if (params->model < CTR_SNAKE_GAUSSIAN || params->model > CTR_SNAKE_BERNOULLI)
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT, "unknown snake model %d", (int) params->model);
  if (!(params->looks > 0) || !isfinite (params->looks))
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT, "looks is %g: it must be above 0", params->looks);
  if (params->max_step > MAX_STEP)
    return ctr_fail (
        error, CTR_ERROR_INVALID_ARGUMENT, "max_step is %u: it must be %u or less", params->max_step, MAX_STEP);
  if (params->min_segment > MAX_STEP)
    return ctr_fail (
        error, CTR_ERROR_INVALID_ARGUMENT, "min_segment is %u: it must be %u or less", params->min_segment, MAX_STEP);
  if (params->significant_bits < LEAST_BITS || params->significant_bits > MOST_BITS)
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT, "samples have %u significant bits: they must have %d to %d",
        params->significant_bits, LEAST_BITS, MOST_BITS);
  if (params->max_iterations == 0)
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT, "max_iterations is 0: it must be 1 or more");
  return true;
}

static bool
check_object (const CtrSnakeObject *object, uint32_t number, CtrError *error)
{
  const CtrSnakeRect *window = &object->window, *rectangle = &object->rectangle;
  const bool whole = window->x == 0 && window->y == 0 && window->width == 0 && window->height == 0;
  if (!whole && (window->width < 1 || window->height < 1))
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT,
        "object %u: its window is %d x %d: both must be 1 or more, or all values 0 for the whole image", number,
        window->width, window->height);
  if (object->first_step > MAX_STEP)
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT, "object %u: first_step is %u: it must be %u or less", number,
        object->first_step, MAX_STEP);
  switch (object->start) {
    case CTR_SNAKE_START_AUTO:
      return true;
    case CTR_SNAKE_START_RECTANGLE:
      return (rectangle->width >= 1 && rectangle->height >= 1)
             || ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT,
                 "object %u: its rectangle is %d x %d: both must be 1 or more", number, rectangle->width,
                 rectangle->height);
    case CTR_SNAKE_START_POLYGON:
      return (object->points && object->point_count >= 3 && object->point_count <= CTR_SNAKE_MAX_POINTS)
             || ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT,
                 "object %u: its polygon has %u points: there must be 3 to %u", number,
                 object->points ? object->point_count : 0, CTR_SNAKE_MAX_POINTS);
  }
  return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT, "object %u: unknown start %d", number, (int) object->start);
}

/* Do two different edges, I and J, touch? */
static bool
edges_touch (const CtrPoint *points, uint32_t count, uint32_t i, uint32_t j)
{
  const uint32_t next_i = ctr_snake_next (count, i), next_j = ctr_snake_next (count, j);
  if (next_i == j)
    return ctr_snake_fold (points[i], points[j], points[next_j]);
  if (next_j == i)
    return ctr_snake_fold (points[j], points[i], points[next_i]);
  return ctr_snake_touch (points[i], points[next_i], points[j], points[next_j]);
}

bool
ctr_snake_check_polygon (const CtrSnakeObject *object, const CtrSnakeWindow *window, uint32_t number, CtrError *error)
{
  const CtrPoint *points = object->points;
  const uint32_t count = object->point_count;
  for (uint32_t i = 0; i < count; i++) {
    const int32_t x = points[i].x, y = points[i].y;
    if (x < window->left || x > window->right || y < window->top || y > window->bottom)
      return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT,
          "object %u: point %u of its polygon, (%d, %d), is outside its window, (%d, %d) to (%d, %d)", number, i, x, y,
          window->left, window->top, window->right, window->bottom);
  }
  for (uint32_t i = 0; i < count; i++)
    if (ctr_snake_equal (points[i], points[ctr_snake_next (count, i)]))
      return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT,
          "object %u: point %u of its polygon and the next one are equal", number, i);
  uint64_t work = 0;
  for (uint32_t i = 0; i < count; i++) {
    if (ctr_poll (&work, 8 * (uint64_t) i))
      return ctr_fail_cancelled (error);
    for (uint32_t j = 0; j < i; j++)
      if (edges_touch (points, count, i, j))
        return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT,
            "object %u: its polygon touches itself: the edges that begin at points %u and %u touch", number, j, i);
  }
  return true;
}

bool
ctr_snake_check_objects (const CtrSnakeObject *objects, uint32_t count, CtrError *error)
{
  for (uint32_t i = 0; i < count; i++)
    if (!check_object (&objects[i], i, error))
      return false;
  return true;
}

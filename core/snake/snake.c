/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Outlines of objects: argument checks, the objects as tasks, and the way to the backend. */
#include "core/snake/snake.h"

#include "core/common/memory.h"
#include "core/common/poll.h"
#include "core/results/contourlist.h"

#include <stdlib.h>

enum { MAX_STEP = UINT16_MAX };

struct CtrSnake {
  CtrAnalyser base;
  CtrContours *refused; /* result of an image that is pending and exceeds a limit */
  CtrSnakePlan plan;    /* of the last image that did not; its arrays are these */
  CtrSnakeTask *tasks;
  size_t task_room;
  CtrPoint *points;
  size_t point_room;
};

static inline const CtrSnakeOps *
ops_of (const CtrSnake *snake)
{
  return (const CtrSnakeOps *) snake->base.ops;
}

void
ctr_snake_params_init (CtrSnakeParams *params)
{
  *params = (CtrSnakeParams){
      .model = CTR_SNAKE_GAUSSIAN,
      .looks = 1,
      .prune = true,
      .max_iterations = 10000,
      .max_objects = CTR_SNAKE_DEFAULT_MAX_OBJECTS,
      .max_window_sides = CTR_SNAKE_DEFAULT_MAX_WINDOW_SIDES,
  };
}

/* The pending image's result. */
static CtrContours *
take_result (CtrSnake *snake, CtrError *error)
{
  CtrContours *refused = snake->refused;
  snake->refused = NULL;
  return refused ? refused : ops_of (snake)->finish (snake->base.state, error);
}

static void
discard (CtrAnalyser *analyser)
{
  CtrSnake *snake = (CtrSnake *) analyser;
  ctr_contours_unref (take_result (snake, NULL));
}

static void
release (CtrAnalyser *analyser)
{
  CtrSnake *snake = (CtrSnake *) analyser;
  ctr_contours_unref (snake->refused);
  free (snake->tasks);
  free (snake->points);
}

static const CtrAnalyserType analyser_type = {
    .size = sizeof (CtrSnake),
    .name = "snake",
    .input = "image",
    .enqueue = "ctr_snake_enqueue()",
    .discard = discard,
    .release = release,
};

CtrSnake *
ctr_snake_new (CtrBackend backend, CtrError *error)
{
  const CtrSnakeOps *ops = CTR_BACKEND_OPS (snake, backend);
  return (CtrSnake *) ctr_analyser_new (&analyser_type, backend, &ops->base, error);
}

void
ctr_snake_free (CtrSnake *snake)
{
  ctr_analyser_free ((CtrAnalyser *) snake);
}

static bool
check_params (const CtrSnakeParams *params, CtrError *error)
{
  if (!params)
    return ctr_fail (
        error, CTR_ERROR_INVALID_ARGUMENT, "there are no parameters: ctr_snake_params_init() gives the usual ones");
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
  if (params->max_iterations == 0)
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT, "max_iterations is 0: it must be 1 or more");
  return true;
}

static bool
are_too_many (const CtrSnakeParams *params, uint32_t count)
{
  return params->max_objects > 0 && count > params->max_objects;
}

static bool
check_arguments (const CtrSnake *snake, const CtrImage *image, const CtrSnakeParams *params,
    const CtrSnakeObject *objects, uint32_t count, CtrError *error)
{
  if (!ctr_image_check (image, error) || !check_params (params, error)
      || !ctr_analyser_check_memory (&snake->base, "image", image->memory, error))
    return false;
  if (!objects && count > 0 && !are_too_many (params, count))
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT, "there is no list of the %u objects", count);
  return true;
}

/* What the object's own values may be, wherever its window lies. */
static bool
check_object (const CtrSnakeObject *object, uint32_t number, CtrError *error)
{
  const CtrSnakeRect *window = &object->window, *rectangle = &object->rectangle;
  const bool whole = window->x == 0 && window->y == 0 && window->width == 0 && window->height == 0;
  if (!whole && (window->width < 1 || window->height < 1))
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT,
        "object %u: its window is %d x %d: both must be 1 or more, or all of it 0 for the whole image", number,
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

/* Do the edges I and J, two different ones, touch? */
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

static bool
check_polygon (const CtrSnakeObject *object, const CtrSnakeWindow *window, uint32_t number, CtrError *error)
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
            "object %u: its polygon touches itself: the edges from point %u and from point %u do", number, j, i);
  }
  return true;
}

static int32_t
clip (int64_t value, uint32_t most)
{
  return value < 0 ? 0 : value > most ? (int32_t) most : (int32_t) value;
}

/* The part of RECT in an image. */
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

/* The power of two at or below VALUE, but LEAST or more. */
static uint32_t
power_of_two (uint32_t value, uint32_t least)
{
  uint32_t power = least;
  while (2 * power <= value)
    power *= 2;
  return power;
}

/* The start's points, all of them clockwise on the screen. */
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
add_task (CtrSnake *snake, const CtrSnakeParams *params, const CtrSnakeObject *object, uint32_t number,
    const CtrSnakeWindow *window, const CtrImage *image, CtrError *error)
{
  CtrSnakePlan *plan = &snake->plan;
  CtrPoint *points = snake->points + plan->point_count;
  const uint32_t side = (uint32_t) most (window->right - window->left, window->bottom - window->top);
  CtrSnakeTask *task = &snake->tasks[plan->task_count];
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
    if (!check_polygon (object, window, number, error))
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
    return ctr_fail (error, CTR_ERROR_OUT_OF_MEMORY, "no host memory for the objects a snake looks for");
  free (*array);
  *array = memory;
  *room = count;
  return true;
}

static bool
check_objects (const CtrSnakeObject *objects, uint32_t count, CtrError *error)
{
  for (uint32_t i = 0; i < count; i++)
    if (!check_object (&objects[i], i, error))
      return false;
  return true;
}

static uint64_t
window_sides (const CtrImage *image, const CtrSnakeObject *objects, uint32_t count)
{
  uint64_t sides = 0;
  for (uint32_t i = 0; i < count; i++) {
    const CtrSnakeWindow window = window_of (&objects[i].window, image);
    if (!is_empty (&window))
      sides += (uint32_t) (window.right - window.left) + (uint32_t) (window.bottom - window.top);
  }
  return sides;
}

/* OBJECTS are checked. */
static bool
make_plan (CtrSnake *snake, const CtrImage *image, const CtrSnakeParams *params, const CtrSnakeObject *objects,
    uint32_t count, CtrError *error)
{
  size_t points = 0;
  for (uint32_t i = 0; i < count; i++)
    points += objects[i].start == CTR_SNAKE_START_POLYGON     ? objects[i].point_count
              : objects[i].start == CTR_SNAKE_START_RECTANGLE ? 4
                                                              : 0;
  if (!reserve ((void **) &snake->tasks, &snake->task_room, count, sizeof *snake->tasks, error)
      || !reserve ((void **) &snake->points, &snake->point_room, points, sizeof *snake->points, error))
    return false;
  snake->plan = (CtrSnakePlan){
      .cost = {.model = params->model,
          .looks = params->looks,
          .maximum = image->format == CTR_FORMAT_GRAY16 ? 65535 : 255},
      .prune = params->prune,
      .max_iterations = params->max_iterations,
      .width = image->width,
      .height = image->height,
      .tasks = snake->tasks,
      .points = snake->points,
  };
  for (uint32_t i = 0; i < count; i++) {
    const CtrSnakeWindow window = window_of (&objects[i].window, image);
    if (!ctr_go_on (error) || (!is_empty (&window) && !add_task (snake, params, &objects[i], i, &window, image, error)))
      return false;
  }
  return true;
}

static bool
refuse (CtrSnake *snake, const CtrImage *image, CtrLimit limit, uint64_t needed, CtrError *error)
{
  const CtrContours info = {.width = image->width,
      .height = image->height,
      .coordinates = CTR_COORDINATES_CORNERS,
      .features = CTR_CONTOUR_FEATURE_REGIONS};
  snake->refused = ctr_contours_refuse (&info, limit, needed, error);
  return snake->refused;
}

/* Arguments are checked, but not the objects. */
static bool
start (CtrSnake *snake, const CtrImage *image, const CtrSnakeParams *params, const CtrSnakeObject *objects,
    uint32_t count, void *stream, CtrError *error)
{
  if (are_too_many (params, count))
    return refuse (snake, image, CTR_LIMIT_OBJECTS, count, error);
  if (!check_objects (objects, count, error))
    return false;
  const uint64_t sides = window_sides (image, objects, count);
  if (params->max_window_sides > 0 && sides > params->max_window_sides)
    return refuse (snake, image, CTR_LIMIT_WINDOW_SIDES, sides, error);
  return make_plan (snake, image, params, objects, count, error)
         && ops_of (snake)->enqueue (snake->base.state, image, &snake->plan, stream, error);
}

bool
ctr_snake_enqueue (CtrSnake *snake, const CtrImage *image, const CtrSnakeParams *params, const CtrSnakeObject *objects,
    uint32_t count, void *stream, CtrError *error)
{
  /* The backend may still read the older image's plan, whose memory the new one's takes. */
  ctr_analyser_discard (&snake->base);
  snake->base.pending = check_arguments (snake, image, params, objects, count, error)
                        && start (snake, image, params, objects, count, stream, error);
  return snake->base.pending;
}

CtrContours *
ctr_snake_finish (CtrSnake *snake, CtrError *error)
{
  return ctr_analyser_take_pending (&snake->base, error) ? take_result (snake, error) : NULL;
}

CtrContours *
ctr_snake_run (CtrSnake *snake, const CtrImage *image, const CtrSnakeParams *params, const CtrSnakeObject *objects,
    uint32_t count, void *stream, CtrError *error)
{
  return ctr_snake_enqueue (snake, image, params, objects, count, stream, error) ? ctr_snake_finish (snake, error)
                                                                                 : NULL;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Region snakes: the public functions, and the limits on the cost of an image. */
#include "core/snake/snake.h"

#include "core/common/error.h"
#include "core/results/contourlist.h"
#include "core/snake/arguments.h"
#include "core/snake/plan.h"

struct CtrSnake {
  CtrAnalyser base;
  CtrContours *refused;    /* the empty result of the pending image if it exceeds a limit, else NULL */
  CtrSnakePlanner planner; /* the plan of the last image within the limits */
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
      .significant_bits = 16,
  };
}

/* The result of the pending image. */
static CtrContours *
take_result (CtrSnake *snake, CtrError *error)
{
  CtrContours *refused = snake->refused;
  snake->refused = NULL;
  if (refused)
    return refused;
  CtrContours *contours = ops_of (snake)->finish (snake->base.state, error);
  ctr_analyser_note (&snake->base, contours);
  return contours;
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
  ctr_snake_planner_release (&snake->planner);
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
are_too_many (const CtrSnakeParams *params, uint32_t count)
{
  return params->max_objects > 0 && count > params->max_objects;
}

static bool
check_arguments (const CtrSnake *snake, const CtrImage *image, const CtrSnakeParams *params,
    const CtrSnakeObject *objects, uint32_t count, CtrError *error)
{
  if (!ctr_image_check (image, error) || !ctr_snake_check_params (params, error)
      || !ctr_analyser_check_memory (&snake->base, "image", image->memory, error))
    return false;
  if (!objects && count > 0 && !are_too_many (params, count))
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT, "the list of the %u objects is NULL", count);
  return true;
}

static bool
refuse (CtrSnake *snake, const CtrImage *image, bool history, CtrLimit limit, uint64_t needed, CtrError *error)
{
  const CtrContours info = {.width = image->width,
      .height = image->height,
      .coordinates = CTR_COORDINATES_CORNERS,
      .features = CTR_CONTOUR_FEATURE_REGIONS | (history ? CTR_CONTOUR_FEATURE_HISTORY : 0)};
  snake->refused = ctr_contours_refuse (&info, limit, needed, error);
  return snake->refused;
}

/* The arguments are valid except for the objects. */
static bool
start (CtrSnake *snake, const CtrImage *image, const CtrSnakeParams *params, const CtrSnakeObject *objects,
    uint32_t count, void *stream, CtrError *error)
{
  if (are_too_many (params, count))
    return refuse (snake, image, params->history, CTR_LIMIT_OBJECTS, count, error);
  if (!ctr_snake_check_objects (objects, count, error))
    return false;
  const uint64_t sides = ctr_snake_window_sides (image, objects, count);
  if (params->max_window_sides > 0 && sides > params->max_window_sides)
    return refuse (snake, image, params->history, CTR_LIMIT_WINDOW_SIDES, sides, error);
  return ctr_snake_make_plan (&snake->planner, image, params, objects, count, error)
         && ctr_analyser_renew (&snake->base, error)
         && ctr_analyser_note (
             &snake->base, ops_of (snake)->enqueue (snake->base.state, image, &snake->planner.plan, stream, error));
}

bool
ctr_snake_enqueue (CtrSnake *snake, const CtrImage *image, const CtrSnakeParams *params, const CtrSnakeObject *objects,
    uint32_t count, void *stream, CtrError *error)
{
  /* The backend may still read the previous plan, whose memory the new plan takes. */
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

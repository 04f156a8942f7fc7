/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The table of snakes for the contract test, and the errors that only this algorithm has. */
#include "tests/core/common/contract.h"
#include "tests/core/snake/testing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static uint8_t pixels[64 * 64 + 1];
static const CtrImage good_image = {
    .data = pixels, .stride = 64, .width = 20, .height = 30, .format = CTR_FORMAT_GRAY8};
static const CtrSnakeObject good_object = {.start = CTR_SNAKE_START_AUTO};
static CtrSnakeParams good_params, prune_params[2];

/* The frame without memory. */
static const CtrPoint points[] = {{8, 6}, {40, 10}, {20, 38}};
static const CtrSnakeObject two_objects[] = {{.start = CTR_SNAKE_START_AUTO},
    {.window = {3, 3, 44, 40}, .start = CTR_SNAKE_START_POLYGON, .points = points, .point_count = LENGTH (points)}};
static Picture target;

static void
open_requests (const Setup *setup)
{
  Random rng = {3}, target_rng = {2};
  for (uint32_t i = 0; i < sizeof pixels; i++)
    pixels[i] = (uint8_t) (random_below (&rng, 60) + (i % 64 - 5 < 10 && i / 64 - 6 < 15 ? 120 : 40));
  ctr_snake_params_init (&good_params);
  target = picture_random (&target_rng, 50, 45, (Layout){.format = CTR_FORMAT_GRAY8});
  for (uint32_t i = 0; i < 50 * 45; i++)
    if (i % 50 - 12 < 25 && i / 50 - 8 < 26)
      ((uint8_t *) target.memory)[i] |= 0xc0;
  for (uint32_t prune = 0; prune <= 1; prune++) {
    ctr_snake_params_init (&prune_params[prune]);
    prune_params[prune].prune = prune_params[prune].history = prune;
  }
}

static void
close_requests (void)
{
  picture_free (&target);
}

static Request
good_request (void)
{
  return (Request){.image = &good_image, .params = &good_params, .objects = &good_object, .count = 1};
}

static const MemoryCase *
memory_cases (uint32_t *count)
{
  /* A later frame allocates the result and its three arrays. */
  static const MemoryCase cases[] = {{.name = "two objects",
                                         .request = {.image = &target.view,
                                             .params = &prune_params[false],
                                             .objects = two_objects,
                                             .count = LENGTH (two_objects)},
                                         .least_failures = 9,
                                         .later_allocations = 4,
                                         .kept_blocks = -1},
      /* The history has two arrays more. */
      {.name = "two objects, pruned, with their history",
          .request = {.image = &target.view,
              .params = &prune_params[true],
              .objects = two_objects,
              .count = LENGTH (two_objects)},
          .least_failures = 13,
          .later_allocations = 6,
          .kept_blocks = -1}};
  *count = LENGTH (cases);
  return cases;
}

/* Many objects, and one. */
static const MemoryCase *
size_cases (uint32_t *count)
{
  static CtrSnakeObject objects[8];
  static const Request one = {.image = &good_image, .params = &good_params, .objects = &good_object, .count = 1};
  static const MemoryCase cases[] = {{.name = "many objects",
      .request = {.image = &target.view, .params = &prune_params[true], .objects = objects, .count = LENGTH (objects)},
      .smaller = &one}};
  for (size_t i = 0; i < LENGTH (objects); i++)
    objects[i] = two_objects[1];
  *count = LENGTH (cases);
  return cases;
}

CONTRACT_RESULTS (snake, contours, request->image, request->params, request->objects, request->count)

/* All objects of these requests are found. */
static void
check_result (const Request *request, void *contours)
{
  SnakeResult expected = reference_snake (request->image, request->params, request->objects, request->count);
  const SnakeResult actual = snake_result_of (contours);
  CHECK (expected.contours.info.count == request->count);
  check_snakes_equal (&expected, &actual);
  reference_snake_free (&expected);
}

#define REFUSE(change, mentions) contract_refuse_change (CtrSnakeParams, change, mentions)

static void
test_params (void)
{
  static const double bad[] = {0, -0.0, -1, -1e-300, INFINITY, -INFINITY, NAN};
  REFUSE (model = (CtrSnakeModel) 4, "model 4");
  REFUSE (model = (CtrSnakeModel) -1, "model -1");
  contract_refuse_doubles (offsetof (CtrSnakeParams, looks), bad, LENGTH (bad), "looks");
  REFUSE (max_step = 65536, "max_step is 65536");
  REFUSE (min_segment = UINT32_MAX, "min_segment is 4294967295");
  REFUSE (max_iterations = 0, "max_iterations");
  REFUSE (significant_bits = 7, "7 significant bits");
  REFUSE (significant_bits = 17, "17 significant bits");
  Request request = good_request ();
  request.objects = NULL;
  contract_refuse (&request, CTR_ERROR_INVALID_ARGUMENT, "list");

  CtrSnakeParams params;
  memset (&params, 0xff, sizeof params);
  ctr_snake_params_init (&params);
  describe ("default parameters");
  CHECK (params.model == CTR_SNAKE_GAUSSIAN && params.looks == 1 && params.min_segment == 0 && params.max_step == 0);
  CHECK (params.prune && params.max_iterations == 10000 && params.significant_bits == 16);
  CHECK (params.max_objects == CTR_SNAKE_DEFAULT_MAX_OBJECTS);
  CHECK (params.max_window_sides == CTR_SNAKE_DEFAULT_MAX_WINDOW_SIDES);
}

/* The wrong object comes after a good one: the error names it. */
static void
refuse_object (CtrSnakeObject object, const char *mentions)
{
  const CtrSnakeObject objects[] = {good_object, object, good_object};
  const Request request = {.image = &good_image, .params = &good_params, .objects = objects, .count = LENGTH (objects)};
  contract_refuse (&request, CTR_ERROR_INVALID_ARGUMENT, mentions);
  contract_refuse (&request, CTR_ERROR_INVALID_ARGUMENT, "object 1");
}

static void
test_objects (void)
{
  static const CtrSnakeRect bad[] = {{0, 0, 0, 5}, {0, 0, 5, 0}, {0, 0, -1, 5}, {0, 0, 5, -1}, {1, 0, 0, 0},
      {0, -1, 0, 0}, {5, 5, INT32_MIN, INT32_MIN}};
  for (size_t i = 0; i < LENGTH (bad); i++) {
    CtrSnakeObject object = good_object;
    object.window = bad[i];
    refuse_object (object, "window");
    object = good_object;
    object.start = CTR_SNAKE_START_RECTANGLE;
    object.rectangle = bad[i];
    refuse_object (object, "rectangle");
  }
  CtrSnakeObject object = good_object;
  object.start = CTR_SNAKE_START_RECTANGLE;
  refuse_object (object, "rectangle");
  object.start = (CtrSnakeStart) 3;
  refuse_object (object, "start 3");
  object.start = (CtrSnakeStart) -1;
  refuse_object (object, "start -1");
  object = good_object;
  object.first_step = 65536;
  refuse_object (object, "first_step is 65536");
}

static void
refuse_polygon (const CtrPoint *points, uint32_t count, const char *mentions)
{
  CtrSnakeObject object = {
      .window = {2, 3, 15, 20}, .start = CTR_SNAKE_START_POLYGON, .points = points, .point_count = count};
  refuse_object (object, mentions);
}

static void
test_polygons (void)
{
  static const CtrPoint triangle[] = {{3, 4}, {16, 5}, {8, 20}};
  refuse_polygon (triangle, 0, "0 points");
  refuse_polygon (triangle, 2, "2 points");
  refuse_polygon (NULL, 3, "points");
  CtrPoint *many = calloc (CTR_SNAKE_MAX_POINTS + 1, sizeof *many);
  refuse_polygon (many, CTR_SNAKE_MAX_POINTS + 1, "16385 points");
  free (many);

  static const CtrPoint outside[][3] = {{{1, 4}, {16, 5}, {8, 20}}, {{3, 2}, {16, 5}, {8, 20}},
      {{3, 4}, {18, 5}, {8, 20}}, {{3, 4}, {16, 5}, {8, 24}}, {{3, 4}, {65535, 5}, {8, 20}}};
  for (size_t i = 0; i < LENGTH (outside); i++)
    refuse_polygon (outside[i], 3, "outside its window");

  static const CtrPoint flat[] = {{3, 4}, {9, 4}, {15, 4}}, spike[] = {{3, 4}, {12, 4}, {12, 12}, {12, 8}},
                        bow[] = {{3, 4}, {12, 12}, {12, 4}, {3, 12}},
                        touching[] = {{3, 4}, {15, 4}, {15, 15}, {9, 4}, {3, 15}},
                        twice[] = {{3, 4}, {15, 4}, {9, 9}, {15, 15}, {3, 15}, {9, 9}},
                        edges[] = {{3, 4}, {15, 4}, {15, 12}, {8, 12}, {8, 8}, {8, 12}, {3, 12}};
  refuse_polygon (flat, LENGTH (flat), "touches itself");
  refuse_polygon (spike, LENGTH (spike), "touches itself");
  refuse_polygon (bow, LENGTH (bow), "touches itself");
  refuse_polygon (touching, LENGTH (touching), "touches itself");
  refuse_polygon (twice, LENGTH (twice), "touches itself");
  refuse_polygon (edges, LENGTH (edges), "touches itself");
  static const CtrPoint equal[] = {{3, 4}, {15, 4}, {15, 4}, {9, 15}}, last[] = {{3, 4}, {15, 4}, {9, 15}, {3, 4}};
  refuse_polygon (equal, LENGTH (equal), "equal");
  refuse_polygon (last, LENGTH (last), "equal");

  describe ("polygons at the window's sides, either way round");
  static const CtrPoint square[] = {{2, 3}, {17, 3}, {17, 23}, {2, 23}}, round[] = {{2, 3}, {2, 23}, {17, 23}, {17, 4}};
  CtrSnakeObject objects[] = {
      {.window = {2, 3, 15, 20}, .start = CTR_SNAKE_START_POLYGON, .points = square, .point_count = 4},
      {.window = {2, 3, 15, 20}, .start = CTR_SNAKE_START_POLYGON, .points = round, .point_count = 4},
      {.start = CTR_SNAKE_START_POLYGON, .points = triangle, .point_count = 3}};
  CtrSnake *snake = snake_new (contract_setup ());
  CHECK (check_snake (snake, contract_setup (), &good_image, &good_params, objects, LENGTH (objects)) > 0);
  ctr_snake_free (snake);
}

static void
test_own (void)
{
  test_params ();
  test_objects ();
  test_polygons ();
}

const Contract snake_contract = {
    .name = "snake",
    .enqueue_name = "ctr_snake_enqueue",
    .init_name = "ctr_snake_params_init",
    .params_size = sizeof (CtrSnakeParams),
    .open = open_requests,
    .close = close_requests,
    .good_request = good_request,
    .memory_cases = memory_cases,
    .size_cases = size_cases,
    CONTRACT_CALLS,
    .check_result = check_result,
    .test_own = test_own,
};

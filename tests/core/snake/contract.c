/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Every error path of the snake: the right status, a sentence that says what is wrong, nothing pending, and a snake
 * that works as before. */
#include "tests/core/snake/reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static Setup setup;
static CtrSnake *snake;
static uint8_t pixels[64 * 64 + 1];
static const CtrImage good_image = {
    .data = pixels, .stride = 64, .width = 20, .height = 30, .format = CTR_FORMAT_GRAY8};
static const CtrSnakeObject good_object = {.start = CTR_SNAKE_START_AUTO};

static CtrSnakeParams
good_params (void)
{
  CtrSnakeParams params;
  ctr_snake_params_init (&params);
  return params;
}

static void
check_works (void)
{
  const CtrSnakeParams params = good_params ();
  CHECK (check_snake (snake, &setup, &good_image, &params, &good_object, 1) == 1);
}

/* Queues a good image first: a failed call must not leave that one to be taken as the bad one's result. */
static void
check_refused (const CtrImage *image, const CtrSnakeParams *params, const CtrSnakeObject *objects, uint32_t count,
    CtrStatus status, const char *mentions)
{
  const CtrSnakeParams good = good_params ();
  CtrError error = {.status = CTR_OK};
  describe ("an image, parameter or object that must be refused with \"%s\"", mentions);
  CHECK (ctr_snake_enqueue (snake, &good_image, &good, &good_object, 1, setup.stream, NULL));
  CHECK (!ctr_snake_enqueue (snake, image, params, objects, count, setup.stream, &error));
  CHECK (error.status == status);
  if (!strstr (error.message, mentions))
    fail (__FILE__, __LINE__, error.message);
  CHECK (!ctr_snake_finish (snake, &error));
  CHECK (!ctr_snake_run (snake, image, params, objects, count, setup.stream, NULL));
  check_works ();
}

static void
check_image_refused (CtrImage image, CtrStatus status, const char *mentions)
{
  const CtrSnakeParams params = good_params ();
  check_refused (&image, &params, &good_object, 1, status, mentions);
}

static void
test_images (void)
{
  const CtrStatus invalid = CTR_ERROR_INVALID_ARGUMENT;
  CtrImage image = good_image;
  image.data = NULL;
  check_image_refused (image, invalid, "NULL");
  image = good_image;
  image.height = 0;
  check_image_refused (image, invalid, "20 x 0");
  image = good_image;
  image.width = image.stride = 65536;
  check_image_refused (image, CTR_ERROR_TOO_LARGE, "65536 x 30");
  image = good_image;
  image.stride = 19;
  check_image_refused (image, invalid, "stride");
  image = good_image;
  image.format = (CtrFormat) 99;
  check_image_refused (image, invalid, "format 99");
  image = good_image;
  image.format = CTR_FORMAT_GRAY16;
  image.data = pixels + 1;
  check_image_refused (image, invalid, "aligned");
  image = good_image;
  image.memory = (CtrMemory) 7;
  check_image_refused (image, invalid, "memory 7");
  if (setup.backend == CTR_BACKEND_CPU) {
    image = good_image;
    image.memory = CTR_MEMORY_DEVICE;
    check_image_refused (image, invalid, "host memory");
  }
  const CtrSnakeParams params = good_params ();
  check_refused (NULL, &params, &good_object, 1, invalid, "NULL");
}

static void
check_params_refused (CtrSnakeParams params, const char *mentions)
{
  check_refused (&good_image, &params, &good_object, 1, CTR_ERROR_INVALID_ARGUMENT, mentions);
}

static void
test_params (void)
{
  static const double bad[] = {0, -0.0, -1, -1e-300, INFINITY, -INFINITY, NAN};
  CtrSnakeParams params = good_params ();
  params.model = (CtrSnakeModel) 4;
  check_params_refused (params, "model 4");
  params.model = (CtrSnakeModel) -1;
  check_params_refused (params, "model -1");
  for (size_t i = 0; i < LENGTH (bad); i++) {
    params = good_params ();
    params.looks = bad[i];
    check_params_refused (params, "looks");
  }
  params = good_params ();
  params.max_step = 65536;
  check_params_refused (params, "max_step is 65536");
  params = good_params ();
  params.min_segment = UINT32_MAX;
  check_params_refused (params, "min_segment is 4294967295");
  params = good_params ();
  params.max_iterations = 0;
  check_params_refused (params, "max_iterations");
  check_refused (&good_image, NULL, &good_object, 1, CTR_ERROR_INVALID_ARGUMENT, "ctr_snake_params_init");
  params = good_params ();
  check_refused (&good_image, &params, NULL, 1, CTR_ERROR_INVALID_ARGUMENT, "list");
}

/* The wrong object comes after a good one: the error names it. */
static void
check_object_refused (CtrSnakeObject object, const char *mentions)
{
  const CtrSnakeObject objects[] = {good_object, object, good_object};
  const CtrSnakeParams params = good_params ();
  check_refused (&good_image, &params, objects, LENGTH (objects), CTR_ERROR_INVALID_ARGUMENT, mentions);
  check_refused (&good_image, &params, objects, LENGTH (objects), CTR_ERROR_INVALID_ARGUMENT, "object 1");
}

static void
test_objects (void)
{
  static const CtrSnakeRect bad[] = {{0, 0, 0, 5}, {0, 0, 5, 0}, {0, 0, -1, 5}, {0, 0, 5, -1}, {1, 0, 0, 0},
      {0, -1, 0, 0}, {5, 5, INT32_MIN, INT32_MIN}};
  for (size_t i = 0; i < LENGTH (bad); i++) {
    CtrSnakeObject object = good_object;
    object.window = bad[i];
    check_object_refused (object, "window");
    object = good_object;
    object.start = CTR_SNAKE_START_RECTANGLE;
    object.rectangle = bad[i];
    check_object_refused (object, "rectangle");
  }
  CtrSnakeObject object = good_object;
  object.start = CTR_SNAKE_START_RECTANGLE;
  check_object_refused (object, "rectangle");
  object.start = (CtrSnakeStart) 3;
  check_object_refused (object, "start 3");
  object.start = (CtrSnakeStart) -1;
  check_object_refused (object, "start -1");
  object = good_object;
  object.first_step = 65536;
  check_object_refused (object, "first_step is 65536");
}

static void
check_polygon_refused (const CtrPoint *points, uint32_t count, const char *mentions)
{
  CtrSnakeObject object = {
      .window = {2, 3, 15, 20}, .start = CTR_SNAKE_START_POLYGON, .points = points, .point_count = count};
  check_object_refused (object, mentions);
}

static void
test_polygons (void)
{
  static const CtrPoint triangle[] = {{3, 4}, {16, 5}, {8, 20}};
  check_polygon_refused (triangle, 0, "0 points");
  check_polygon_refused (triangle, 2, "2 points");
  check_polygon_refused (NULL, 3, "points");
  CtrPoint *many = calloc (CTR_SNAKE_MAX_POINTS + 1, sizeof *many);
  check_polygon_refused (many, CTR_SNAKE_MAX_POINTS + 1, "16385 points");
  free (many);

  static const CtrPoint outside[][3] = {{{1, 4}, {16, 5}, {8, 20}}, {{3, 2}, {16, 5}, {8, 20}},
      {{3, 4}, {18, 5}, {8, 20}}, {{3, 4}, {16, 5}, {8, 24}}, {{3, 4}, {65535, 5}, {8, 20}}};
  for (size_t i = 0; i < LENGTH (outside); i++)
    check_polygon_refused (outside[i], 3, "outside its window");

  static const CtrPoint flat[] = {{3, 4}, {9, 4}, {15, 4}}, spike[] = {{3, 4}, {12, 4}, {12, 12}, {12, 8}},
                        bow[] = {{3, 4}, {12, 12}, {12, 4}, {3, 12}},
                        touching[] = {{3, 4}, {15, 4}, {15, 15}, {9, 4}, {3, 15}},
                        twice[] = {{3, 4}, {15, 4}, {9, 9}, {15, 15}, {3, 15}, {9, 9}},
                        edges[] = {{3, 4}, {15, 4}, {15, 12}, {8, 12}, {8, 8}, {8, 12}, {3, 12}};
  check_polygon_refused (flat, LENGTH (flat), "touches itself");
  check_polygon_refused (spike, LENGTH (spike), "touches itself");
  check_polygon_refused (bow, LENGTH (bow), "touches itself");
  check_polygon_refused (touching, LENGTH (touching), "touches itself");
  check_polygon_refused (twice, LENGTH (twice), "touches itself");
  check_polygon_refused (edges, LENGTH (edges), "touches itself");
  static const CtrPoint equal[] = {{3, 4}, {15, 4}, {15, 4}, {9, 15}}, last[] = {{3, 4}, {15, 4}, {9, 15}, {3, 4}};
  check_polygon_refused (equal, LENGTH (equal), "equal");
  check_polygon_refused (last, LENGTH (last), "equal");

  describe ("polygons at the window's sides, either way round");
  static const CtrPoint square[] = {{2, 3}, {17, 3}, {17, 23}, {2, 23}}, round[] = {{2, 3}, {2, 23}, {17, 23}, {17, 4}};
  CtrSnakeObject objects[] = {
      {.window = {2, 3, 15, 20}, .start = CTR_SNAKE_START_POLYGON, .points = square, .point_count = 4},
      {.window = {2, 3, 15, 20}, .start = CTR_SNAKE_START_POLYGON, .points = round, .point_count = 4},
      {.start = CTR_SNAKE_START_POLYGON, .points = triangle, .point_count = 3}};
  const CtrSnakeParams params = good_params ();
  CHECK (check_snake (snake, &setup, &good_image, &params, objects, LENGTH (objects)) > 0);
}

static void
test_calls (void)
{
  CtrError error = {.status = CTR_OK};
  describe ("an unknown backend");
  CHECK (!ctr_snake_new ((CtrBackend) 7, &error));
  CHECK (error.status == CTR_ERROR_INVALID_ARGUMENT && strstr (error.message, "backend 7"));
  CtrSnake *fresh = snake_new (&setup);
  describe ("finish without an image");
  CHECK (!ctr_snake_finish (fresh, &error));
  CHECK (error.status == CTR_ERROR_INVALID_ARGUMENT && strstr (error.message, "ctr_snake_enqueue"));
  CHECK (!ctr_snake_finish (fresh, NULL));
  ctr_snake_free (fresh);

  describe ("a second finish, and a result that is never fetched");
  const CtrSnakeParams params = good_params ();
  CHECK (ctr_snake_enqueue (snake, &good_image, &params, &good_object, 1, setup.stream, NULL));
  CtrContours *contours = ctr_snake_finish (snake, NULL);
  CHECK (contours);
  error.status = CTR_OK;
  CHECK (!ctr_snake_finish (snake, &error));
  CHECK (error.status == CTR_ERROR_INVALID_ARGUMENT);
  ctr_contours_unref (contours);
  check_works ();
  fresh = snake_new (&setup);
  CHECK (ctr_snake_enqueue (fresh, &good_image, &params, &good_object, 1, setup.stream, NULL));
  ctr_snake_free (fresh);

  describe ("NULL where the API takes it");
  ctr_snake_free (NULL);
}

static void
test_defaults (void)
{
  CtrSnakeParams params;
  memset (&params, 0xff, sizeof params);
  ctr_snake_params_init (&params);
  describe ("default parameters");
  CHECK (params.model == CTR_SNAKE_GAUSSIAN && params.looks == 1 && params.min_segment == 0 && params.max_step == 0);
  CHECK (params.prune && params.max_iterations == 10000);
  CHECK (params.max_objects == CTR_SNAKE_DEFAULT_MAX_OBJECTS);
  CHECK (params.max_window_sides == CTR_SNAKE_DEFAULT_MAX_WINDOW_SIDES);
}

int
main (int argc, char **argv)
{
  Random rng = {3};
  setup = setup_open (argv[1], false);
  for (uint32_t i = 0; i < sizeof pixels; i++)
    pixels[i] = (uint8_t) (random_below (&rng, 60) + (i % 64 - 5 < 10 && i / 64 - 6 < 15 ? 120 : 40));
  snake = snake_new (&setup);
  test_images ();
  test_params ();
  test_objects ();
  test_polygons ();
  test_calls ();
  test_defaults ();
  ctr_snake_free (snake);
  return 0;
}

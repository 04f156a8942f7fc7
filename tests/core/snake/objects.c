/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests several objects in one picture: windows, starts that lose their targets, moving targets, repeated calls. */
#include "tests/core/snake/scenes.h"
#include "tests/core/snake/testing.h"

#include <stdlib.h>
#include <string.h>

enum { SIDE = 64 };

static Setup setup;
static Random rng = {8};
static CtrSnake *snake;

static CtrSnakeParams
default_params (void)
{
  CtrSnakeParams params;
  ctr_snake_params_init (&params);
  return params;
}

/* Targets of mean 140 on 80, 8 bits; transfer full (free its data). */
static CtrImage
draw_targets (const SnakeTarget *targets, uint32_t count, uint32_t width, uint32_t height, uint64_t seed)
{
  const SnakeScene scene = {
      .targets = targets, .target_count = count, .inside = {140, 20}, .outside = {80, 20}, .seed = seed};
  const CtrImage image = {.data = malloc ((size_t) width * height),
      .stride = width,
      .width = width,
      .height = height,
      .format = CTR_FORMAT_GRAY8};
  snake_scene_draw (&scene, &image);
  return image;
}

/* Windows that reach over the picture's ends, cover it, or lie beside it. */
static void
test_windows (void)
{
  static const CtrSnakeRect windows[] = {{0, 0, 0, 0}, {0, 0, SIDE, SIDE}, {-100, -100, 1000, 1000},
      {-1, -1, SIDE + 2, SIDE + 2}, {INT32_MIN, INT32_MIN, INT32_MAX, INT32_MAX}, {INT32_MAX, 0, INT32_MAX, 1},
      {SIDE, 0, 5, 5}, {0, SIDE, 5, 5}, {-5, 0, 5, 5}, {0, -5, 5, 5}, {-10, -10, 40, 40}, {35, 30, 500, 100},
      {20, 20, 1, 1}, {8, 8, 45, 1}, {30, 0, 1, 64}, {15, 3, 33, 60}, {-30, 20, INT32_MAX, 20}};
  const SnakeTarget target = {.shape = SNAKE_ELLIPSE, .x = 30, .y = 33, .radius = 18};
  const CtrImage image = draw_targets (&target, 1, SIDE, SIDE, 1);
  CtrSnakeObject objects[2 * LENGTH (windows)];
  for (uint32_t i = 0; i < LENGTH (objects); i++)
    objects[i] = (CtrSnakeObject){.window = windows[i / 2],
        .start = i % 2 ? CTR_SNAKE_START_RECTANGLE : CTR_SNAKE_START_AUTO,
        .rectangle = {10, 10, 40, 40}};
  const CtrSnakeParams params = default_params ();
  describe_snake ("windows", &image, &params, objects, LENGTH (objects));
  CHECK (check_snake (snake, &setup, &image, &params, objects, LENGTH (objects)) > LENGTH (windows) / 2);

  CtrContours *contours = run_snake (snake, &setup, &image, &params, objects, LENGTH (objects));
  const SnakeResult result = snake_result_of (contours);
  uint32_t rows = 0;
  for (uint32_t i = 0; i < contours->count; i++) {
    const CtrSnakeRect *window = &windows[result.regions[i].object / 2];
    const CtrContour *row = result.contours.table + i;
    CHECK (result.regions[i].object / 2 < 4 || result.regions[i].object / 2 > 9); /* those between lie beside it */
    CHECK (i == 0 || result.regions[i].object > result.regions[i - 1].object);
    rows += result.regions[i].object < 8;
    if (window->width > 0)
      CHECK (row->left >= window->x && row->top >= window->y
             && (int64_t) row->left + row->width <= (int64_t) window->x + window->width
             && (int64_t) row->top + row->height <= (int64_t) window->y + window->height);
  }
  CHECK (rows == 8); /* the whole picture, in four ways of saying so: all alike */
  for (uint32_t i = 2; i < 8; i++) {
    CHECK (result.contours.table[i].count == result.contours.table[i % 2].count);
    CHECK (memcmp (&result.regions[i].inside_count, &result.regions[i % 2].inside_count,
               sizeof (CtrSnakeRegion) - offsetof (CtrSnakeRegion, inside_count))
           == 0);
  }
  ctr_contours_unref (contours);

  describe ("no objects");
  contours = run_snake (snake, &setup, &image, &params, NULL, 0);
  CHECK (contours->count == 0 && contours->point_count == 0 && contours->width == SIDE);
  (void) snake_result_of (contours);
  ctr_contours_unref (contours);
  free ((void *) image.data);
}

/* A grid of targets, each in a window of its own: all are found, in their order, as each is alone. */
static void
test_grid (void)
{
  enum { CELL = 48 };
  const uint32_t across = setup.quick ? 3 : 12, count = across * across;
  SnakeTarget *targets = malloc (count * sizeof *targets);
  CtrSnakeObject *objects = calloc (count, sizeof *objects);
  for (uint32_t i = 0; i < count; i++) {
    const double x = CELL * (i % across + 0.5), y = CELL * (i / across + 0.5);
    targets[i] = (SnakeTarget){.shape = i % 3, .x = x, .y = y, .radius = 14 + i % 5};
    objects[i].window = (CtrSnakeRect){(int32_t) (CELL * (i % across)), (int32_t) (CELL * (i / across)), CELL, CELL};
  }
  const CtrImage image = draw_targets (targets, count, CELL * across, CELL * across, 2);
  const CtrSnakeParams params = default_params ();
  describe_snake ("a grid of targets", &image, &params, objects, count);
  CtrContours *contours = run_snake (snake, &setup, &image, &params, objects, count);
  const SnakeResult result = snake_result_of (contours);
  CHECK (contours->count == count);
  for (uint32_t i = 0; i < count; i++) {
    const CtrContour *row = result.contours.table + i;
    const double iou =
        snake_target_iou (targets + i, image.width, image.height, result.contours.points + row->first, row->count);
    describe ("target %u of a grid, a %s: %g", i, snake_shape_names[targets[i].shape], iou);
    CHECK (result.regions[i].object == i && iou > 0.8);
    CHECK (row->previous == (int32_t) i - 1 && row->next == (i + 1 < count ? (int32_t) i + 1 : -1));
    CHECK (row->parent == -1 && row->child == -1 && row->flags == 0 && row->level == 0 && row->region == 0);
    if (i % 16 == 0) {
      CtrContours *alone = run_snake (snake, &setup, &image, &params, objects + i, 1);
      const SnakeResult own = snake_result_of (alone);
      CHECK (alone->count == 1 && own.contours.table->count == row->count);
      CHECK (memcmp (own.contours.points, result.contours.points + row->first, row->count * sizeof (CtrPoint)) == 0);
      CHECK (own.regions->criterion == result.regions[i].criterion && own.regions->object == 0);
      ctr_contours_unref (alone);
    }
  }
  ctr_contours_unref (contours);
  free ((void *) image.data);
  free (objects);
  free (targets);
}

/* Runs with PARAMS, of which a limit is one too low. */
static void
check_refused (const CtrImage *image, const CtrSnakeParams *params, const CtrSnakeObject *objects, uint32_t count,
    CtrLimit limit, uint64_t needed)
{
  CtrContours *contours = run_snake (snake, &setup, image, params, objects, count);
  CHECK (contours->exceeded == limit && contours->needed == needed);
  CHECK (contours->count == 0 && contours->point_count == 0 && contours->features == CTR_CONTOUR_FEATURE_REGIONS);
  CHECK (contours->width == image->width && contours->height == image->height);
  CHECK (contours->coordinates == CTR_COORDINATES_CORNERS && ctr_contours_map_regions (contours, NULL));
  ctr_contours_unref (contours);
}

/* As many objects, and as long sides of their windows, as there may be, and one more. */
static void
test_limits (void)
{
  enum { SIDE = 100, SIDES = 200 + 60 + 40 + 2 };
  const SnakeTarget target = {.shape = SNAKE_BLOB, .x = 50, .y = 50, .radius = 25};
  const CtrImage image = draw_targets (&target, 1, SIDE, SIDE, 5);
  const CtrSnakeObject objects[] = {{.start = CTR_SNAKE_START_AUTO}, {.window = {20, 20, 30, 30}},
      {.window = {-20, 70, 40, 20}}, {.window = {99, 99, 9, 9}},
      {.window = {SIDE, 0, 50, 50}}}; /* the last one is off the image */
  const uint32_t count = LENGTH (objects);
  CtrSnakeParams params = default_params ();
  params.max_objects = count;
  params.max_window_sides = SIDES;
  describe_snake ("as many as there may be", &image, &params, objects, count);
  check_snake (snake, &setup, &image, &params, objects, count);
  params.max_objects--;
  describe_snake ("an object too many", &image, &params, objects, count);
  check_refused (&image, &params, objects, count, CTR_LIMIT_OBJECTS, count);
  check_refused (&image, &params, NULL, UINT32_MAX, CTR_LIMIT_OBJECTS, UINT32_MAX);
  params.max_objects = 0;
  check_snake (snake, &setup, &image, &params, objects, count);
  params.max_window_sides--;
  describe_snake ("windows of a pixel too many", &image, &params, objects, count);
  check_refused (&image, &params, objects, count, CTR_LIMIT_WINDOW_SIDES, SIDES);
  CHECK (ctr_snake_enqueue (snake, &image, &params, objects, count, setup.stream, NULL));
  params.max_window_sides = 0;
  describe_snake ("after one that nobody asked for", &image, &params, objects, count);
  check_snake (snake, &setup, &image, &params, objects, count);
  free ((void *) image.data);
}

/* A target followed by its last polygon, and one that has jumped: lost, unless it is looked for anew. */
static void
test_tracking (void)
{
  enum { WIDE = 160 };
  const CtrSnakeParams params = default_params ();
  CtrSnakeObject object = {.start = CTR_SNAKE_START_AUTO};
  CtrPoint points[400];
  for (int frame = 0; frame < 5; frame++) {
    const SnakeTarget target = {.shape = SNAKE_BLOB, .x = 55 + 6 * frame, .y = 70 + 3 * frame, .radius = 36};
    const CtrImage image = draw_targets (&target, 1, WIDE, WIDE, (uint64_t) frame);
    describe_snake ("a target that moves", &image, &params, &object, 1);
    CtrContours *contours = run_snake (snake, &setup, &image, &params, &object, 1);
    const SnakeResult result = snake_result_of (contours);
    CHECK (contours->count == 1 && contours->point_count <= LENGTH (points));
    const uint32_t count = result.contours.table->count;
    CHECK (snake_target_iou (&target, WIDE, WIDE, result.contours.points, count) > 0.94);
    memcpy (points, result.contours.points, count * sizeof *points);
    object = (CtrSnakeObject){
        .start = CTR_SNAKE_START_POLYGON, .points = points, .point_count = count, .first_step = 8, .retry = true};
    CHECK (result.regions->flags == CTR_SNAKE_CONVERGED);
    ctr_contours_unref (contours);
    free ((void *) image.data);
  }

  /* Where the start is, there is nothing but noise, and its steps are short. */
  const SnakeTarget away = {.shape = SNAKE_ELLIPSE, .x = 120, .y = 125, .radius = 24};
  const CtrImage image = draw_targets (&away, 1, WIDE, WIDE, 77);
  object = (CtrSnakeObject){.start = CTR_SNAKE_START_RECTANGLE, .rectangle = {4, 4, 6, 6}, .first_step = 1};
  for (int retry = 0; retry <= 1; retry++) {
    object.retry = retry;
    describe_snake ("a target lost", &image, &params, &object, 1);
    CtrContours *contours = run_snake (snake, &setup, &image, &params, &object, 1);
    const SnakeResult result = snake_result_of (contours);
    CHECK (contours->count == (uint32_t) retry);
    if (retry) {
      CHECK (result.regions->flags == (CTR_SNAKE_CONVERGED | CTR_SNAKE_RESTARTED));
      CHECK (snake_target_iou (&away, WIDE, WIDE, result.contours.points, result.contours.table->count) > 0.94);
    }
    ctr_contours_unref (contours);
  }
  free ((void *) image.data);
}

/* The same call again, other calls in between, and another snake: the same bytes. Results outlive their snake. */
static void
test_determinism (void)
{
  enum { OBJECTS = 6 };
  CtrSnake *other = snake_new (&setup);
  for (int i = 0; i < (setup.quick ? 4 : 25); i++) {
    const uint32_t width = 20 + random_below (&rng, 60), height = 20 + random_below (&rng, 60);
    Picture picture = random_snake_picture (&rng, width, height);
    CtrSnakeObject objects[OBJECTS];
    const CtrSnakeParams params = random_snake_params (&rng);
    random_snake_objects (&rng, width, height, objects, OBJECTS);
    describe_snake ("the same again", &picture.view, &params, objects, OBJECTS);
    CtrContours *first = run_snake (snake, &setup, &picture.view, &params, objects, OBJECTS);
    CtrContours *second = run_snake (snake, &setup, &picture.view, &params, objects, OBJECTS);
    ctr_contours_unref (run_snake (other, &setup, &picture.view, &params, objects, 1));
    CtrContours *third = run_snake (other, &setup, &picture.view, &params, objects, OBJECTS);
    ctr_snake_free (other);
    other = snake_new (&setup);
    const SnakeResult a = snake_result_of (first), b = snake_result_of (second), c = snake_result_of (third);
    check_snakes_equal (&a, &b);
    check_snakes_equal (&a, &c);
    ctr_contours_unref (first);
    ctr_contours_unref (second);
    ctr_contours_unref (third);
    random_snake_objects_free (objects, OBJECTS);
    picture_free (&picture);
  }
  ctr_snake_free (other);
}

/* From small to large and back: nothing stays of what was before. */
static void
test_changes (void)
{
  static const uint32_t sides[][2] = {{3, 3}, {90, 4}, {5, 90}, {1, 1}, {60, 50}, {33, 65}, {64, 32}, {2, 31}};
  for (uint32_t i = 0; i < 2 * LENGTH (sides); i++) {
    const uint32_t *side = sides[i % LENGTH (sides)];
    Picture picture = random_snake_picture (&rng, side[0], side[1]);
    CtrSnakeObject objects[3];
    CtrSnakeParams params = random_snake_params (&rng);
    params.max_iterations = 60;
    random_snake_objects (&rng, side[0], side[1], objects, LENGTH (objects));
    describe_snake ("a picture after others", &picture.view, &params, objects, LENGTH (objects));
    check_snake (snake, &setup, &picture.view, &params, objects, LENGTH (objects));
    random_snake_objects_free (objects, LENGTH (objects));
    picture_free (&picture);
  }
}

/* A comb of nearly as many points as there may be: of its long edges, the first get the few middles that are left. */
static void
test_most_points (void)
{
  enum { LEFT = 6, TEETH = (CTR_SNAKE_MAX_POINTS - LEFT - 2) / 4, WIDTH = 2 * TEETH, HEIGHT = 9, TOOTH = 6 };
  static uint8_t samples[WIDTH * HEIGHT];
  static CtrPoint points[CTR_SNAKE_MAX_POINTS];
  for (uint32_t k = 0; k < WIDTH * HEIGHT; k++)
    samples[k] = k % WIDTH % 2 == 0 || k / WIDTH >= TOOTH ? 200 : 50;
  uint32_t count = 0;
  for (uint16_t x = 0; x < WIDTH; x += 2) {
    points[count++] = (CtrPoint){x, 0};
    points[count++] = (CtrPoint){x + 1, 0};
    points[count++] = (CtrPoint){x + 1, TOOTH};
    points[count++] = (CtrPoint){x + 2, TOOTH};
  }
  points[count++] = (CtrPoint){WIDTH, HEIGHT};
  points[count++] = (CtrPoint){0, HEIGHT};
  CtrSnakeParams params = default_params ();
  params.min_segment = 1;
  params.max_step = 1;
  params.prune = false;
  const CtrSnakeObject object = {.start = CTR_SNAKE_START_POLYGON, .points = points, .point_count = count};
  const CtrImage image = {
      .data = samples, .stride = WIDTH, .width = WIDTH, .height = HEIGHT, .format = CTR_FORMAT_GRAY8};
  describe_snake ("a comb", &image, &params, &object, 1);
  CtrContours *contours = run_snake (snake, &setup, &image, &params, &object, 1);
  const SnakeResult result = snake_result_of (contours);
  CHECK (contours->count == 1 && contours->point_count == CTR_SNAKE_MAX_POINTS);
  CHECK (result.regions->flags == CTR_SNAKE_CONVERGED && result.regions->iterations == 2);
  const uint32_t middles = CTR_SNAKE_MAX_POINTS - count;
  uint32_t at = 0;
  for (uint32_t i = 0, split = 0; i < count; i++) {
    const CtrPoint a = points[i], b = points[(i + 1) % count];
    CHECK (memcmp (result.contours.points + at++, &a, sizeof a) == 0);
    if (a.x == b.x && split++ < middles) {
      const CtrPoint middle = {a.x, TOOTH / 2};
      CHECK (memcmp (result.contours.points + at++, &middle, sizeof middle) == 0);
    }
  }
  CHECK (at == CTR_SNAKE_MAX_POINTS);
  ctr_contours_unref (contours);
}

int
main (int argc, char **argv)
{
  setup = setup_open (argv[1], false);
  snake = snake_new (&setup);
  test_windows ();
  test_grid ();
  test_limits ();
  test_tracking ();
  test_determinism ();
  test_changes ();
  if (!setup.quick)
    test_most_points ();
  ctr_snake_free (snake);
  return 0;
}

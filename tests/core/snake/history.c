/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The polygons that an outline has had: each one against a search that is ended there, and histories that outgrow the
 * memory of those before. */
#include "tests/core/snake/scenes.h"
#include "tests/core/snake/testing.h"

#include <stdlib.h>
#include <string.h>

enum { WIDTH = 150, HEIGHT = 100, OBJECTS = 3 };

static Setup setup;
static CtrSnake *snake;

/* Two targets in windows of their own, between them a window without one, which has no row. */
static const SnakeTarget targets[] = {{.shape = SNAKE_STAR, .x = 36, .y = 50, .radius = 30},
    {.shape = SNAKE_BLOB, .x = 113, .y = 47, .radius = 32, .angle = 1}};
static const CtrSnakeObject objects[OBJECTS] = {
    {.window = {0, 0, 74, 100}, .start = CTR_SNAKE_START_RECTANGLE, .rectangle = {4, 4, 60, 90}},
    {.window = {70, 0, 4, 4}},
    /* This start, in a corner, is given up for an automatic one. */
    {.window = {76, 0, 74, 100},
        .start = CTR_SNAKE_START_RECTANGLE,
        .rectangle = {76, 0, 2, 2},
        .first_step = 1,
        .retry = true}};

static CtrImage
new_scene (bool wide)
{
  const SnakeScene scene = {.targets = targets,
      .target_count = LENGTH (targets),
      .inside = {wide ? 40000 : 160, wide ? 5000 : 20},
      .outside = {wide ? 20000 : 80, wide ? 5000 : 20},
      .seed = 7};
  const CtrImage image = {.data = calloc (WIDTH * HEIGHT, 1 + wide),
      .stride = WIDTH * (1 + wide),
      .width = WIDTH,
      .height = HEIGHT,
      .format = wide ? CTR_FORMAT_GRAY16 : CTR_FORMAT_GRAY8};
  snake_scene_draw (&scene, &image);
  for (uint32_t y = 0; y < 4; y++) /* nothing to be found here */
    memset ((uint8_t *) image.data + y * image.stride + 70 * (1 + wide), 80, 4 * (1 + wide));
  return image;
}

/* Are these the same closed lines, wherever they begin? */
static bool
are_same_lines (const CtrPoint *a, const CtrPoint *b, uint32_t count)
{
  for (uint32_t shift = 0; shift < count; shift++) {
    bool same = true;
    for (uint32_t i = 0; i < count && same; i++)
      same = a[i].x == b[(i + shift) % count].x && a[i].y == b[(i + shift) % count].y;
    if (same)
      return true;
  }
  return false;
}

/* The last of the states from FIRST to END, exclusively, that there was after ITERATION iterations of moves. */
static const CtrSnakeState *
state_after (const CtrSnakeState *first, const CtrSnakeState *end, uint32_t iteration)
{
  const CtrSnakeState *found = first;
  for (const CtrSnakeState *state = first; state < end && state->iteration <= iteration; state++)
    found = state;
  return found;
}

/* How many iterations there had been at the last start. A search that is ended before that starts anew earlier. */
static uint32_t
iterations_at_start (const CtrSnakeState *first, const CtrSnakeState *end)
{
  uint32_t iterations = 0;
  for (const CtrSnakeState *state = first; state < end; state++)
    iterations = state->kind == CTR_SNAKE_STARTED ? state->iteration : iterations;
  return iterations;
}

/* The number of states of ROW, from *STATE on. */
static uint32_t
check_row (const SnakeResult *result, uint32_t row, const CtrSnakeState **state, uint64_t *point)
{
  const CtrSnakeHistory *history = &result->history;
  const CtrSnakeState *end = history->states + history->state_count, *s = *state;
  const CtrSnakeRegion *region = &result->regions[row];
  uint32_t starts = 0;
  for (; s < end && s->row == row; s++) {
    CHECK (s->first == *point && s->count >= 3 && s->inside_count > 0 && s->iteration <= region->iterations);
    *point += s->count;
    starts += s->kind == CTR_SNAKE_STARTED;
    if (s == *state) {
      CHECK (s->kind == CTR_SNAKE_STARTED && s->iteration == 0);
      continue;
    }
    CHECK (s->iteration >= s[-1].iteration);
    switch (s->kind) {
      case CTR_SNAKE_MOVED:
        CHECK (s->criterion < s[-1].criterion && s->count == s[-1].count && s->step <= s[-1].step);
        break;
      case CTR_SNAKE_SPLIT:
        CHECK (s->count > s[-1].count && s->iteration > 0);
        break;
      case CTR_SNAKE_PRUNED:
        CHECK (s->count < s[-1].count && s->step == 1);
        break;
      default:
        CHECK (s->kind == CTR_SNAKE_STARTED && (region->flags & CTR_SNAKE_RESTARTED));
    }
  }
  const CtrContour *line = &result->contours.table[row];
  CHECK (s > *state && s[-1].count == line->count && s[-1].criterion == region->criterion);
  CHECK (s[-1].inside_count == region->inside_count);
  CHECK (are_same_lines (history->points + s[-1].first, result->contours.points + line->first, line->count));
  CHECK (starts == (region->flags & CTR_SNAKE_RESTARTED ? 2u : 1u));
  const uint32_t count = (uint32_t) (s - *state);
  *state = s;
  return count;
}

/* The search of OBJECT that ends after LIMIT iterations has the line that was there then. */
static void
check_ended (const CtrImage *image, CtrSnakeParams params, const CtrSnakeObject *object, const CtrSnakeHistory *history,
    const CtrSnakeState *first, const CtrSnakeState *end, uint32_t limit)
{
  params.max_iterations = limit;
  params.history = false;
  CtrContours *contours = run_snake (snake, &setup, image, &params, object, 1);
  const SnakeResult result = snake_result_of (contours);
  const CtrSnakeState *state = state_after (first, end, limit);
  describe ("after %u iterations, in which %u changed the line", limit, state->iteration);
  CHECK (result.history.state_count == 0 && !result.history.states);
  if (contours->count > 0 && !(result.regions->flags & CTR_SNAKE_CONVERGED)) {
    CHECK (result.contours.table[0].count == state->count);
    CHECK (are_same_lines (history->points + state->first, result.contours.points, state->count));
    CHECK (result.regions->criterion == state->criterion);
  }
  ctr_contours_unref (contours);
}

/* The number of points of the histories. */
static uint64_t
test_scene (bool wide, uint32_t min_segment, bool prune, bool ended)
{
  const CtrImage image = new_scene (wide);
  CtrSnakeParams params;
  ctr_snake_params_init (&params);
  params.min_segment = min_segment;
  params.max_step = 8;
  params.prune = prune;
  CtrContours *plain = run_snake (snake, &setup, &image, &params, objects, OBJECTS);
  params.history = true;
  CtrContours *contours = run_snake (snake, &setup, &image, &params, objects, OBJECTS);
  SnakeResult expected = snake_result_of (plain);
  const SnakeResult result = snake_result_of (contours);
  const CtrSnakeState *state = result.history.states;
  uint64_t point = 0;
  describe ("%s samples, segments of %u%s", wide ? "wide" : "narrow", min_segment, prune ? ", pruned" : "");
  CHECK (contours->count == 2 && plain->count == 2 && !(plain->features & CTR_CONTOUR_FEATURE_HISTORY));
  CHECK (result.regions[0].object == 0 && result.regions[1].object == 2);
  CHECK (result.regions[1].flags & CTR_SNAKE_RESTARTED);
  for (uint32_t row = 0; row < contours->count; row++) {
    const CtrSnakeState *first = state;
    CHECK (check_row (&result, row, &state, &point) > 10);
    const uint32_t least = iterations_at_start (first, state), step = setup.quick ? 23 : 1;
    for (uint32_t limit = least + 1; ended && limit < result.regions[row].iterations; limit += step)
      check_ended (&image, params, &objects[2 * row], &result.history, first, state, limit);
  }
  CHECK (state == result.history.states + result.history.state_count && point == result.history.point_count);
  /* The history changes nothing else. */
  expected.history = result.history;
  expected.contours.info.features |= CTR_CONTOUR_FEATURE_HISTORY;
  check_snakes_equal (&expected, &result);
  const uint64_t points = result.history.point_count;
  ctr_contours_unref (plain);
  ctr_contours_unref (contours);
  free ((void *) image.data);
  return points;
}

static void
test_iterations (void)
{
  test_scene (false, 8, true, true);
  test_scene (true, 8, false, true);
}

/* Few points, then more than the GPU backend has room for at first, and few again. */
static void
test_growth (void)
{
  for (uint32_t i = 0; i < 3; i++) {
    const uint64_t points = test_scene (i % 2, i == 1 ? 1 : 20, true, false);
    CHECK (i == 1 ? points > 5000 : points < 1000);
  }
}

/* An image without targets, one without objects, and one that exceeds a limit: histories of nothing. */
static void
test_nothing (void)
{
  uint8_t *samples = calloc (WIDTH, HEIGHT);
  const CtrImage image = {.data = samples, .stride = WIDTH, .width = WIDTH, .height = HEIGHT};
  CtrSnakeParams params;
  ctr_snake_params_init (&params);
  params.history = true;
  for (uint32_t i = 0; i < 3; i++) {
    CtrSnakeHistory history = {.state_count = 1};
    params.max_objects = i == 2 ? OBJECTS - 1 : 0;
    CtrContours *contours = run_snake (snake, &setup, &image, &params, objects, i == 1 ? 0 : OBJECTS);
    describe ("nothing %u", i);
    CHECK (contours->count == 0 && (contours->exceeded != CTR_LIMIT_NONE) == (i == 2));
    CHECK (ctr_contours_get_history (contours, &history) && history.state_count == 0 && history.point_count == 0);
    ctr_contours_unref (contours);
  }
  free (samples);
}

int
main (int argc, char **argv)
{
  static const Test tests[] = {{"iterations", test_iterations}, {"growth", test_growth}, {"nothing", test_nothing}};
  setup = setup_open (argv[1], false);
  snake = snake_new (&setup);
  run_tests (tests, LENGTH (tests));
  ctr_snake_free (snake);
  return 0;
}

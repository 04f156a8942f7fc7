/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The table of snakes for the equality test: random pictures, adversarial cases, benchmark. */
#include "tests/core/common/equality.h"
#include "tests/core/common/gpu.h"
#include "tests/core/snake/scenes.h"
#include "tests/core/snake/testing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_OBJECTS = 12, MOST_RANDOM_OBJECTS = 5, CIRCLE = 24 };

EQUALITY_STATE (CtrSnake, snake_new, ctr_snake_free)

/* The CUDA backend against the CPU backend. The number of targets found. */
static uint32_t
compare (State *state, const Picture *picture, bool on_device, const CtrSnakeParams *params,
    const CtrSnakeObject *objects, uint32_t count)
{
  void *memory;
  const CtrImage image = equality_image (picture, on_device, &memory);
  CtrContours *there = run_snake (state->tested, &state->setup, &image, params, objects, count);
  CtrContours *here = run_snake (state->on_cpu, &state->cpu, &picture->view, params, objects, count);
  const SnakeResult expected = snake_result_of (here), actual = snake_result_of (there);
  const uint32_t found = here->count;
  check_snakes_equal (&expected, &actual);
  ctr_contours_unref (here);
  ctr_contours_unref (there);
  if (memory)
    gpu_free (memory);
  return found;
}

static uint32_t
random_side (Random *rng, uint32_t largest)
{
  return 1 + random_below (rng, random_below (rng, 8) ? largest : 3);
}

/* The CPU backend against the definition; the CUDA backend, which meets larger pictures, against the CPU backend. */
static void
compare_random (void *data, uint64_t seed)
{
  State *state = data;
  const bool small = !state->on_cpu || state->setup.quick;
  Random random = {seed}, *rng = &random;
  const uint32_t largest = random_below (rng, 9) ? 14 : small ? 36 : 300;
  uint32_t width = random_side (rng, largest), height = random_side (rng, largest);
  if (random_below (rng, 8) == 0) { /* long ones */
    width += 200 / (height + 2);
    height += 200 / (width + 2);
  }
  const uint32_t count = random_below (rng, 3) ? 1 : random_below (rng, MOST_RANDOM_OBJECTS + 1);
  CtrSnakeObject objects[MOST_RANDOM_OBJECTS];
  CtrSnakeParams params = random_snake_params (rng);
  Picture picture = random_snake_picture (rng, width, height);
  random_snake_objects (rng, width, height, objects, count);
  describe_snake ("random", &picture.view, &params, objects, count);
  if (state->on_cpu)
    compare (state, &picture, seed % 2, &params, objects, count);
  else
    check_snake (state->tested, &state->setup, &picture.view, &params, objects, count);
  random_snake_objects_free (objects, count);
  picture_free (&picture);
}

/* Targets side by side in windows of equal size. */
typedef struct {
  uint32_t width, height, count;
  SnakeTarget targets[MOST_OBJECTS];
  CtrSnakeObject objects[MOST_OBJECTS];
  CtrPoint circles[MOST_OBJECTS][CIRCLE];
} Row;

/* Around TARGET, within the picture; every other one anticlockwise. */
static void
draw_circle (const SnakeTarget *target, uint32_t index, const Row *row, CtrPoint *points)
{
  for (uint32_t i = 0; i < CIRCLE; i++) {
    const double angle = 6.283185307179586 * (index % 2 ? CIRCLE - i : i) / CIRCLE;
    points[i].x = (uint16_t) lround (fmin (fmax (target->x + target->radius * cos (angle), 0), row->width));
    points[i].y = (uint16_t) lround (fmin (fmax (target->y + target->radius * sin (angle), 0), row->height));
  }
}

/* Each target from another kind of start. */
static void
place (Row *row, uint32_t index)
{
  const double width = (double) row->width / row->count, radius = 0.4 * fmin (width, row->height);
  for (uint32_t i = 0; i < row->count; i++) {
    const double x = width * (i + 0.5) + index % 3, y = 0.5 * row->height - index % 2;
    row->targets[i] = (SnakeTarget){
        .shape = (index + i) % SNAKE_SHAPES, .x = x, .y = y, .radius = radius, .angle = 0.3 * (index % 8)};
    draw_circle (row->targets + i, index + i, row, row->circles[i]);
    const int32_t left = (int32_t) (width * i), half = (int32_t) fmax (radius / 2, 1);
    row->objects[i] = (CtrSnakeObject){.start = (CtrSnakeStart) ((index / 3 + i) % 3),
        .rectangle = {(int32_t) x - half, (int32_t) y - half, 2 * half, 2 * half},
        .points = row->circles[i],
        .point_count = CIRCLE,
        .first_step = index % 5 == 4 ? 8 : 0,
        .retry = index % 2};
    if (row->count > 1)
      row->objects[i].window = (CtrSnakeRect){left, 0, (int32_t) width, (int32_t) row->height};
  }
}

static void
draw (const Row *row, uint32_t index, CtrSnakeModel model, const CtrImage *image)
{
  static const SnakeLevel levels[][2] = {
      {{130, 25}, {100, 25}}, {{80, 1}, {40, 1}}, {{12, 0}, {8, 0}}, {{0.6, 0}, {0.4, 0}}};
  SnakeScene scene = {.targets = row->targets,
      .target_count = row->count,
      .noise = (SnakeNoise) model,
      .inside = levels[model][0],
      .outside = levels[model][1],
      .seed = index};
  if (image->format == CTR_FORMAT_GRAY16 && model != CTR_SNAKE_BERNOULLI && model != CTR_SNAKE_POISSON) {
    scene.inside.mean *= 200;
    scene.outside.mean *= 200;
    if (model == CTR_SNAKE_GAUSSIAN) {
      scene.inside.spread *= 200;
      scene.outside.spread *= 200;
    }
  }
  snake_scene_draw (&scene, image);
}

static void
compare_row (State *state, uint32_t index, uint32_t width, uint32_t height, uint32_t count)
{
  Row *row = calloc (1, sizeof *row);
  Random rng = {index};
  const Layout layout = {
      .format = index / 4 % 2 ? CTR_FORMAT_GRAY16 : CTR_FORMAT_GRAY8, .padding = index % 4 == 1 ? 6 : 0};
  Picture picture = picture_random (&rng, width, height, layout);
  CtrSnakeParams params;
  ctr_snake_params_init (&params);
  params.model = (CtrSnakeModel) (index % 4);
  params.looks = 1 + index % 3;
  params.prune = index % 7 != 3;
  params.history = index % 3 != 1;
  if (index % 6 == 5)
    params.max_iterations = 1 + index % 40;
  if (index % 9 == 8) {
    params.min_segment = 2; /* many points */
    params.max_step = 16;
  }
  *row = (Row){.width = width, .height = height, .count = count};
  place (row, index);
  draw (row, index, params.model, &picture.view);
  describe_snake ("targets", &picture.view, &params, row->objects, count);
  compare (state, &picture, index % 5 > 0, &params, row->objects, count);
  picture_free (&picture);
  free (row);
}

/* All pairs of the sides at which words and tiles end, and large pictures of one target or many. */
static void
compare_cases (void *data)
{
  enum { LEAST_SIDE = 31, LARGE = 1100 };
  State *state = data;
  const uint32_t step = state->setup.quick ? 67 : 1;
  for (uint32_t i = 0; i < equality_side_count * equality_side_count * 2; i += step) {
    const uint32_t width = equality_sides[i % equality_side_count];
    const uint32_t height = equality_sides[i / equality_side_count % equality_side_count];
    if (state->setup.quick)
      compare_row (state, i + i / equality_side_count, 16 + width % 17, 16 + height % 17, 1);
    else if (width >= LEAST_SIDE && height >= LEAST_SIDE && width <= 257 && height <= 257)
      compare_row (state, i + i / equality_side_count, width, height, 1);
  }
  if (state->setup.quick)
    return;
  for (uint32_t i = 0; i < 24; i++)
    compare_row (state, i, LARGE - 1 - i % 5, 90 + i, 2 + i % (MOST_OBJECTS - 1));
  for (uint32_t i = 0; i < 12; i++)
    compare_row (state, 5 * i + 1, LARGE - i % 7, LARGE - i % 4, 1);
}

typedef struct {
  State *state;
  CtrImage image;
  CtrSnakeParams params;
  CtrSnakeObject object;
} Work;

static void
run (void *data)
{
  Work *work = data;
  ctr_contours_unref (
      run_snake (work->state->tested, &work->state->setup, &work->image, &work->params, &work->object, 1));
}

static void
bench (void *data)
{
  State *state = data;
  Random rng = {7};
  for (uint32_t side = 128; side <= 512; side *= 2) {
    char what[64];
    void *memory;
    const SnakeTarget target = {.shape = SNAKE_STAR, .x = 0.5 * side, .y = 0.5 * side, .radius = 0.4 * side};
    const SnakeScene scene = {
        .targets = &target, .target_count = 1, .inside = {130, 25}, .outside = {100, 25}, .seed = side};
    Picture picture = picture_random (&rng, side, side, (Layout){.format = CTR_FORMAT_GRAY8});
    snake_scene_draw (&scene, &picture.view);
    Work work = {.state = state, .image = equality_bench_image (&state->setup, &picture, &memory)};
    ctr_snake_params_init (&work.params);
    snprintf (what, sizeof what, "snake, %u x %u, a star", side, side);
    equality_time (&state->setup, what, run, &work);
    if (memory)
      gpu_free (memory);
    picture_free (&picture);
  }
}

const Equality snake_equality = {
    .name = "snake",
    .count = 2000,
    .quick_count = 60,
    .open = open_state,
    .close = close_state,
    .compare_random = compare_random,
    .compare_cases = compare_cases,
    .bench = bench,
};

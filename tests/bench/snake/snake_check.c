/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/bench/snake/snake_check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_SIDE = 1100, MAX_OBJECTS = 12, PADDING = 6, CIRCLE = 24 };

typedef struct {
  SnakeGpu *gpu;
  CtrSnake *host;
  uint8_t *samples; /* room for MAX_SIDE x MAX_SIDE of 2 bytes, with padding */
  SnakeTarget targets[MAX_OBJECTS];
  CtrSnakeObject objects[MAX_OBJECTS];
  CtrPoint circles[MAX_OBJECTS][CIRCLE];
} Check;

/* Around TARGET, within the picture; every other one anticlockwise. */
static void
draw_circle (const SnakeTarget *target, uint32_t index, const SnakeWork *work, CtrPoint *points)
{
  for (uint32_t i = 0; i < CIRCLE; i++) {
    const double angle = 6.283185307179586 * (index % 2 ? CIRCLE - i : i) / CIRCLE;
    points[i].x = (uint16_t) lround (fmin (fmax (target->x + target->radius * cos (angle), 0), work->width));
    points[i].y = (uint16_t) lround (fmin (fmax (target->y + target->radius * sin (angle), 0), work->height));
  }
}

/* So many targets side by side in windows of equal size, each from another kind of start. */
static void
place (Check *check, uint32_t index, uint32_t count, const SnakeWork *work)
{
  const double width = (double) work->width / count, radius = 0.4 * fmin (width, work->height);
  for (uint32_t i = 0; i < count; i++) {
    const double x = width * (i + 0.5) + index % 3, y = 0.5 * work->height - index % 2;
    check->targets[i] = (SnakeTarget){
        .shape = (index + i) % SNAKE_SHAPES, .x = x, .y = y, .radius = radius, .angle = 0.3 * (index % 8)};
    draw_circle (check->targets + i, index + i, work, check->circles[i]);
    const int32_t left = (int32_t) (width * i), half = (int32_t) fmax (radius / 2, 1);
    check->objects[i] = (CtrSnakeObject){.start = (CtrSnakeStart) ((index / 3 + i) % 3),
        .rectangle = {(int32_t) x - half, (int32_t) y - half, 2 * half, 2 * half},
        .points = check->circles[i],
        .point_count = CIRCLE,
        .first_step = index % 5 == 4 ? 8 : 0,
        .retry = index % 2};
    if (count > 1)
      check->objects[i].window = (CtrSnakeRect){left, 0, (int32_t) width, (int32_t) work->height};
  }
}

static void
draw (const Check *check, uint32_t index, uint32_t count, const SnakeWork *work, const CtrImage *view)
{
  static const SnakeLevel levels[][2] = {
      {{130, 25}, {100, 25}}, {{80, 1}, {40, 1}}, {{12, 0}, {8, 0}}, {{0.6, 0}, {0.4, 0}}};
  const CtrSnakeModel model = work->params.model;
  SnakeScene scene = {.targets = check->targets,
      .target_count = count,
      .noise = (SnakeNoise) model,
      .inside = levels[model][0],
      .outside = levels[model][1],
      .seed = index};
  if (work->bytes == 2 && model != CTR_SNAKE_BERNOULLI && model != CTR_SNAKE_POISSON) {
    scene.inside.mean *= 200;
    scene.outside.mean *= 200;
    if (model == CTR_SNAKE_GAUSSIAN) {
      scene.inside.spread *= 200;
      scene.outside.spread *= 200;
    }
  }
  memset (check->samples, 0xa5, view->stride * view->height);
  snake_scene_draw (&scene, view);
}

static bool
check_one (Check *check, uint32_t index, uint32_t width, uint32_t height, uint32_t count)
{
  SnakeWork work = {.name = "targets",
      .start = "all kinds of starts",
      .width = width,
      .height = height,
      .bytes = 1 + index / 4 % 2,
      .objects = check->objects,
      .targets = check->targets,
      .object_count = count};
  ctr_snake_params_init (&work.params);
  work.params.model = (CtrSnakeModel) (index % 4);
  work.params.looks = 1 + index % 3;
  work.params.prune = index % 7 != 3;
  if (index % 6 == 5)
    work.params.max_iterations = 1 + index % 40;
  if (index % 9 == 8) {
    work.params.min_segment = 2; /* many points */
    work.params.max_step = 16;
  }
  const CtrImage view = snake_view (&work, check->samples, index % 4 == 1 ? PADDING : 0);
  place (check, index, count, &work);
  draw (check, index, count, &work, &view);
  CtrContours *expected = snake_run_work (check->host, &work, &view, NULL);
  const bool ok = expected && snake_gpu_check (check->gpu, &work, &view, index % 5 > 0, expected);
  ctr_contours_unref (expected);
  return ok;
}

/* A few hundred small pictures whose sides lie around every width that is special to a kernel, some large ones. */
static uint32_t
check_all (Check *check, uint32_t *count)
{
  static const uint32_t sides[] = {16, 17, 31, 33, 63, 64, 65, 127, 129, 200, 257};
  const uint32_t n_sides = sizeof sides / sizeof *sides;
  uint32_t pictures = 0, bad = 0;
  for (uint32_t i = 0; i < 2 * n_sides * n_sides; i++, pictures++)
    bad += !check_one (check, i + i / n_sides, sides[i % n_sides], sides[i / n_sides % n_sides], 1);
  for (uint32_t i = 0; i < 24; i++, pictures++)
    bad += !check_one (check, i, MAX_SIDE - 1 - i % 5, 90 + i, 2 + i % (MAX_OBJECTS - 1));
  for (uint32_t i = 0; i < 12; i++, pictures++)
    bad += !check_one (check, 5 * i + 1, MAX_SIDE - i % 7, MAX_SIDE - i % 4, 1);
  *count = pictures;
  return bad;
}

int
snake_check (SnakeGpu *gpu, CtrSnake *host)
{
  const size_t size = ((size_t) MAX_SIDE * 2 + PADDING) * MAX_SIDE;
  Check check = {.gpu = gpu, .host = host, .samples = malloc (size)};
  if (!check.samples) {
    fprintf (stderr, "no host memory for images of %zu bytes\n", size);
    return 1;
  }
  uint32_t pictures;
  const uint32_t bad = check_all (&check, &pictures);
  printf ("%s: %u of %u pictures differ\n", bad ? "DIFFERENT" : "OK", bad, pictures);
  free (check.samples);
  return bad ? 1 : 0;
}

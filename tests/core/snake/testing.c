/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/core/snake/testing.h"

#include "tests/core/snake/scenes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

SnakeResult
snake_result_of (CtrContours *contours)
{
  CtrError error;
  SnakeResult result = {.contours = contours_of (contours)};
  CHECK ((contours->features | CTR_CONTOUR_FEATURE_HISTORY)
         == (CTR_CONTOUR_FEATURE_REGIONS | CTR_CONTOUR_FEATURE_HISTORY));
  CHECK (ctr_contours_get_history (contours, &result.history)
         == ((contours->features & CTR_CONTOUR_FEATURE_HISTORY) != 0));
  result.regions = ctr_contours_map_regions (contours, &error);
  if (!result.regions)
    fail (__FILE__, __LINE__, error.message);
  return result;
}

CtrSnake *
snake_new (const Setup *setup)
{
  CtrError error;
  CtrSnake *snake = ctr_snake_new (setup->backend, &error);
  if (!snake)
    fail (__FILE__, __LINE__, error.message);
  return snake;
}

CtrContours *
run_snake (CtrSnake *snake, const Setup *setup, const CtrImage *image, const CtrSnakeParams *params,
    const CtrSnakeObject *objects, uint32_t object_count)
{
  CtrError error;
  CtrContours *contours = ctr_snake_run (snake, image, params, objects, object_count, setup->stream, &error);
  if (!contours)
    fail (__FILE__, __LINE__, error.message);
  return contours;
}

static void
print_region (const char *name, const CtrSnakeRegion *region, const CtrContour *row, const CtrPoint *points)
{
  fprintf (stderr, "  %s: object %u, flags %u, iterations %u, inside %lld %lld %llu, outside %lld %lld %llu,\n", name,
      region->object, region->flags, region->iterations, (long long) region->inside_count,
      (long long) region->inside_sum, (unsigned long long) region->inside_sum2, (long long) region->outside_count,
      (long long) region->outside_sum, (unsigned long long) region->outside_sum2);
  fprintf (stderr, "    criterion %.17g, gain %.17g, points", region->criterion, region->gain);
  for (uint32_t i = 0; i < row->count && i < 40; i++)
    fprintf (stderr, " %u,%u", points[row->first + i].x, points[row->first + i].y);
  fprintf (stderr, "\n");
}

static void
print_state (const char *name, const CtrSnakeState *state)
{
  fprintf (stderr,
      "  %s: row %u, kind %u, iteration %u, step %u, %u points from %llu on, %lld inside, criterion %.17g\n", name,
      state->row, state->kind, state->iteration, state->step, state->count, (unsigned long long) state->first,
      (long long) state->inside_count, state->criterion);
}

static void
check_histories_equal (const CtrSnakeHistory *expected, const CtrSnakeHistory *actual)
{
  for (uint64_t i = 0; i < expected->state_count && i < actual->state_count; i++) {
    const CtrSnakeState *e = &expected->states[i], *a = &actual->states[i];
    const bool same =
        memcmp (e, a, sizeof *e) == 0
        && memcmp (expected->points + e->first, actual->points + a->first, e->count * sizeof (CtrPoint)) == 0;
    if (!same) {
      fprintf (stderr, "state %llu of %llu\n", (unsigned long long) i, (unsigned long long) expected->state_count);
      print_state ("expected", e);
      print_state ("actual", a);
    }
    CHECK (same);
  }
  CHECK (expected->state_count == actual->state_count && expected->point_count == actual->point_count);
}

void
check_snakes_equal (const SnakeResult *expected, const SnakeResult *actual)
{
  const Contours *e = &expected->contours, *a = &actual->contours;
  for (uint32_t i = 0; i < e->info.count && i < a->info.count; i++) {
    const CtrSnakeRegion *r = expected->regions + i, *s = actual->regions + i;
    const bool same =
        e->table[i].count == a->table[i].count
        && memcmp (e->points + e->table[i].first, a->points + a->table[i].first, e->table[i].count * sizeof *e->points)
               == 0;
    if (!same || memcmp (r, s, sizeof *r)) {
      fprintf (stderr, "row %u of %u\n", i, e->info.count);
      print_region ("expected", r, e->table + i, e->points);
      print_region ("actual", s, a->table + i, a->points);
    }
    CHECK (same);
    CHECK (memcmp (r, s, sizeof *r) == 0);
  }
  check_contours_equal (e, a);
  check_histories_equal (&expected->history, &actual->history);
}

uint32_t
check_snake (CtrSnake *snake, const Setup *setup, const CtrImage *image, const CtrSnakeParams *params,
    const CtrSnakeObject *objects, uint32_t object_count)
{
  SnakeResult expected = reference_snake (image, params, objects, object_count);
  CtrContours *contours = run_snake (snake, setup, image, params, objects, object_count);
  const SnakeResult actual = snake_result_of (contours);
  const uint32_t found = actual.contours.info.count;
  check_snakes_equal (&expected, &actual);
  ctr_contours_unref (contours);
  reference_snake_free (&expected);
  return found;
}

void
describe_snake (const char *name, const CtrImage *image, const CtrSnakeParams *params, const CtrSnakeObject *objects,
    uint32_t object_count)
{
  char list[256] = "";
  size_t used = 0;
  for (uint32_t i = 0; i < object_count && used < sizeof list; i++) {
    const CtrSnakeObject *o = objects + i;
    used += (size_t) snprintf (list + used, sizeof list - used, "; %d %d %d %d start %d%s, %u points, step %u",
        o->window.x, o->window.y, o->window.width, o->window.height, o->start, o->retry ? " and retry" : "",
        o->start == CTR_SNAKE_START_POLYGON ? o->point_count : 0, o->first_step);
  }
  describe ("%s, %u x %u, format %d, model %d, looks %g, segments %u, steps %u%s, iterations %u, %u objects%s", name,
      image->width, image->height, image->format, params->model, params->looks, params->min_segment, params->max_step,
      params->prune ? ", pruned" : "", params->max_iterations, object_count, list);
}

CtrSnakeParams
random_snake_params (Random *random)
{
  static const double looks[] = {1, 4, 0.5, 2.7};
  CtrSnakeParams params;
  ctr_snake_params_init (&params);
  params.model = random_below (random, CTR_SNAKE_BERNOULLI + 1);
  params.looks = looks[random_below (random, LENGTH (looks))];
  params.min_segment = random_below (random, 3) ? 1 + random_below (random, 6) : 0;
  params.max_step = random_below (random, 3) ? 1 + random_below (random, 12) : 0;
  params.prune = random_below (random, 3);
  if (random_below (random, 8) == 0)
    params.max_iterations = 1 + random_below (random, 60);
  params.history = random_below (random, 2);
  if (random_below (random, 2))
    params.significant_bits = 8 + random_below (random, 9);
  return params;
}

/* A place of SIZE pixels at most, more often than not within LENGTH. */
static void
random_range (Random *random, uint32_t length, int32_t *begin, int32_t *size)
{
  *begin = (int32_t) random_below (random, length + 8) - 4;
  *size = 1 + (int32_t) random_below (random, length + 8);
}

static CtrSnakeRect
random_rectangle (Random *random, uint32_t width, uint32_t height)
{
  CtrSnakeRect rectangle;
  random_range (random, width, &rectangle.x, &rectangle.width);
  random_range (random, height, &rectangle.y, &rectangle.height);
  return rectangle;
}

/* A start within the window's part in the image; AUTO where there is none. */
static void
set_random_points (Random *random, uint32_t width, uint32_t height, CtrSnakeObject *object)
{
  CtrSnakeRect r = object->window;
  if (r.width == 0)
    r = (CtrSnakeRect){0, 0, (int32_t) width, (int32_t) height};
  const int32_t left = r.x > 0 ? r.x : 0, top = r.y > 0 ? r.y : 0;
  const int32_t right = r.x + r.width < (int32_t) width ? r.x + r.width : (int32_t) width,
                bottom = r.y + r.height < (int32_t) height ? r.y + r.height : (int32_t) height;
  if (left >= right || top >= bottom) {
    object->start = CTR_SNAKE_START_AUTO;
    return;
  }
  Polygon polygon =
      polygon_random (random, 3 + random_below (random, 12), (uint32_t) (right - left), (uint32_t) (bottom - top));
  CtrPoint *points = malloc (polygon.count * sizeof *points);
  for (uint32_t i = 0; i < polygon.count; i++)
    points[i] = (CtrPoint){(uint16_t) (left + polygon.nodes[i].x), (uint16_t) (top + polygon.nodes[i].y)};
  object->points = points;
  object->point_count = polygon.count;
  polygon_free (&polygon);
}

void
random_snake_objects (Random *random, uint32_t width, uint32_t height, CtrSnakeObject *objects, uint32_t count)
{
  for (uint32_t i = 0; i < count; i++) {
    CtrSnakeObject *object = objects + i;
    *object = (CtrSnakeObject){.start = random_below (random, CTR_SNAKE_START_POLYGON + 1),
        .first_step = random_below (random, 2) ? 0 : 1 + random_below (random, 9),
        .retry = random_below (random, 2)};
    if (random_below (random, 3))
      object->window = random_rectangle (random, width, height);
    object->rectangle = random_rectangle (random, width, height);
    if (object->start == CTR_SNAKE_START_POLYGON)
      set_random_points (random, width, height, object);
  }
}

void
random_snake_objects_free (CtrSnakeObject *objects, uint32_t count)
{
  for (uint32_t i = 0; i < count; i++)
    free ((void *) objects[i].points);
}

static void
set_random_levels (Random *random, SnakeScene *scene, uint32_t largest)
{
  const double dark = 1 + random_below (random, largest / 3),
               bright = dark + random_below (random, largest / 2) + largest / 16;
  const bool inverted = random_below (random, 2);
  scene->inside.mean = inverted ? dark : bright;
  scene->outside.mean = inverted ? bright : dark;
  scene->inside.spread = 1 + random_below (random, largest / 16);
  scene->outside.spread = 1 + random_below (random, largest / 16);
  if (scene->noise == SNAKE_SPECKLE) {
    scene->inside.spread = scene->outside.spread = 1 + random_below (random, 5);
  } else if (scene->noise == SNAKE_POISSON) {
    scene->inside.mean = random_below (random, 60) / 4.0;
    scene->outside.mean = random_below (random, 60) / 4.0;
  } else if (scene->noise == SNAKE_BERNOULLI) {
    scene->inside.mean = random_below (random, 11) / 10.0;
    scene->outside.mean = random_below (random, 11) / 10.0;
  }
}

Picture
random_snake_picture (Random *random, uint32_t width, uint32_t height)
{
  SnakeTarget targets[3];
  SnakeScene scene = {.targets = targets,
      .target_count = 1 + random_below (random, LENGTH (targets)),
      .noise = random_below (random, SNAKE_BERNOULLI + 1),
      .seed = random_next (random)};
  /* The second bound is the compiler's: it cannot know random_below()'s. */
  for (uint32_t i = 0; i < scene.target_count && i < LENGTH (targets); i++)
    targets[i] = (SnakeTarget){.shape = random_below (random, SNAKE_SHAPES),
        .x = random_below (random, 8 * width + 1) / 8.0,
        .y = random_below (random, 8 * height + 1) / 8.0,
        .radius = 1 + random_below (random, 4 * (width < height ? width : height)) / 8.0};
  Layout layout = {
      .format = random_below (random, 3) ? random_below (random, 2) : random_below (random, CTR_FORMAT_VYUY + 1),
      .offset = 2 * random_below (random, 20),
      .padding = 2 * random_below (random, 30)};
  const bool wide = layout.format == CTR_FORMAT_GRAY16;
  set_random_levels (random, &scene, wide ? 65535 : 255);
  if (layout.format == CTR_FORMAT_GRAY8 || wide) {
    Picture picture = picture_random (random, width, height, layout);
    snake_scene_draw (&scene, &picture.view);
    return picture;
  }
  uint8_t *mask = malloc ((size_t) width * height);
  for (uint32_t y = 0; y < height; y++)
    snake_scene_row (&scene, y, width, mask + (size_t) y * width);
  Picture picture =
      picture_of_mask (random, mask, width, height, layout, 1 + random_below (random, 254), random_below (random, 2));
  free (mask);
  return picture;
}

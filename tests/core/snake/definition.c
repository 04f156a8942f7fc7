/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Compares snakes with their reference on pictures made for them, and with results that are known beforehand. */
#include "tests/core/snake/polygons_reference.h"
#include "tests/core/snake/scenes.h"
#include "tests/core/snake/testing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static Setup setup;
static Random rng = {5};
static CtrSnake *snake; /* one for all pictures: they come in every order of size and format */

static CtrSnakeParams
default_params (void)
{
  CtrSnakeParams params;
  ctr_snake_params_init (&params);
  return params;
}

static CtrImage
grey_image (const uint8_t *samples, uint32_t width, uint32_t height)
{
  return (CtrImage){.data = samples, .stride = width, .width = width, .height = height, .format = CTR_FORMAT_GRAY8};
}

/* A picture of 8 bits, transfer full (free). */
static uint8_t *
draw_scene (const SnakeScene *scene, uint32_t width, uint32_t height)
{
  uint8_t *samples = malloc ((size_t) width * height);
  const CtrImage image = grey_image (samples, width, height);
  snake_scene_draw (scene, &image);
  return samples;
}

static void
check_close (double actual, double expected)
{
  CHECK (fabs (actual - expected) <= 1e-9 * fmax (1, fabs (expected)));
}

/* What holds for every row: a simple line, clockwise from its first point on, and its pixels' sums. */
static void
check_row (const SnakeResult *result, uint32_t index, const CtrImage *image)
{
  const CtrContour *row = result->contours.table + index;
  const CtrSnakeRegion *region = result->regions + index;
  const CtrPoint *points = result->contours.points + row->first;
  uint32_t *samples = malloc ((size_t) image->width * image->height * sizeof *samples);
  for (uint32_t i = 0; i < image->width * image->height; i++)
    samples[i] = ((const uint8_t *) image->data)[i];
  const Field field = {samples, (int32_t) image->width, (int32_t) image->height};
  Polygon line = {0};
  for (uint32_t i = 0; i < row->count; i++) {
    polygon_insert (&line, i, (Node){points[i].x, points[i].y});
    CHECK (points[i].x <= image->width && points[i].y <= image->height);
    CHECK (points[i].y > points[0].y || (points[i].y == points[0].y && points[i].x >= points[0].x));
  }
  CHECK (polygon_is_simple (&line) && polygon_area2 (&line) > 0 && row->area2 == polygon_area2 (&line));
  const Sums inside = polygon_sums (&field, &line);
  CHECK (region->inside_count == inside.n && region->inside_sum == inside.s1);
  CHECK (region->inside_sum2 == (uint64_t) inside.s2);
  CHECK (region->inside_count > 0 && region->outside_count > 0 && region->gain > 0);
  const double n = (double) inside.n, mean = (double) inside.s1 / n;
  check_close (ctr_snake_region_mean (region, true), mean);
  CHECK (fabs (ctr_snake_region_variance (region, true) - ((double) inside.s2 / n - mean * mean)) < 1e-6);
  const double outside = (double) region->outside_count, outer = (double) region->outside_sum / outside;
  check_close (ctr_snake_region_mean (region, false), outer);
  CHECK (fabs (ctr_snake_region_variance (region, false) - ((double) region->outside_sum2 / outside - outer * outer))
         < 1e-6);
  polygon_free (&line);
  free (samples);
}

/* Bright polygons on dark ground: the one that was drawn stays as it is from the start. */
static void
test_polygons (void)
{
  const uint32_t pictures = setup.quick ? 20 : 3000;
  uint32_t found = 0;
  for (uint32_t i = 0; i < pictures; i++) {
    const uint32_t width = 6 + random_below (&rng, 40), height = 6 + random_below (&rng, 40);
    uint8_t *samples = malloc (width * height);
    Polygon polygon = polygon_random (&rng, 3 + random_below (&rng, 20), width, height);
    CtrPoint points[24];
    for (uint32_t k = 0; k < polygon.count; k++)
      points[k] = (CtrPoint){(uint16_t) polygon.nodes[k].x, (uint16_t) polygon.nodes[k].y};
    uint32_t held = 0;
    for (uint32_t k = 0; k < width * height; k++) {
      const bool inside = polygon_holds (&polygon, (int32_t) (k % width), (int32_t) (k / width));
      samples[k] = (uint8_t) ((inside ? 200 : 40) + random_below (&rng, 10));
      held += inside;
    }
    CtrSnakeParams params = default_params ();
    params.model = random_below (&rng, CTR_SNAKE_BERNOULLI);
    params.min_segment = 1000;
    params.max_step = 1 + random_below (&rng, 8);
    params.prune = false;
    const CtrSnakeObject object = {.start = CTR_SNAKE_START_POLYGON, .points = points, .point_count = polygon.count};
    const CtrImage image = grey_image (samples, width, height);
    describe_snake ("a polygon that is there", &image, &params, &object, 1);
    CtrContours *contours = run_snake (snake, &setup, &image, &params, &object, 1);
    const SnakeResult result = snake_result_of (contours);
    if (contours->count > 0 && held > 0 && held < width * height) {
      found++;
      check_row (&result, 0, &image);
      CHECK (contours->point_count == polygon.count);
      const bool turned = polygon_area2 (&polygon) < 0;
      uint32_t at = 0;
      while (at < polygon.count && memcmp (points + at, result.contours.points, sizeof *points))
        at++;
      for (uint32_t k = 0; k < polygon.count; k++) {
        const uint32_t other = (at + (turned ? polygon.count - k : k)) % polygon.count;
        CHECK (memcmp (points + other, result.contours.points + k, sizeof *points) == 0);
      }
    }
    ctr_contours_unref (contours);
    polygon_free (&polygon);
    free (samples);
  }
  describe ("%u of %u polygons found", found, pictures);
  CHECK (found > pictures * 3 / 4);
}

static const SnakeLevel inside_levels[] = {{120, 15}, {90, 4}, {14, 0}, {0.8, 0}},
                        outside_levels[] = {{80, 15}, {40, 4}, {6, 0}, {0.2, 0}};

/* Every model, shape and start, against the reference. */
static void
test_models (void)
{
  enum { SIDE = 44 };
  uint32_t found = 0, runs = 0;
  for (uint32_t model = 0; model <= CTR_SNAKE_BERNOULLI; model++)
    for (uint32_t shape = 0; shape < SNAKE_SHAPES; shape++) {
      const SnakeTarget target = {.shape = shape, .x = 21.3, .y = 22.8, .radius = 16};
      const SnakeScene scene = {.targets = &target,
          .target_count = 1,
          .noise = model,
          .inside = inside_levels[model],
          .outside = outside_levels[model],
          .seed = 10 * model + shape};
      uint8_t *samples = draw_scene (&scene, SIDE, SIDE);
      const CtrImage image = grey_image (samples, SIDE, SIDE);
      static const CtrPoint diamond[] = {{22, 8}, {36, 20}, {24, 38}, {6, 24}};
      CtrSnakeParams params = default_params ();
      params.model = model;
      params.max_step = 4;
      for (uint32_t start = 0; start <= CTR_SNAKE_START_POLYGON; start++) {
        const CtrSnakeObject object = {
            .start = start, .rectangle = {4, 4, 36, 36}, .points = diamond, .point_count = LENGTH (diamond)};
        if (setup.quick && (model + shape + start) % 4)
          continue;
        describe_snake (snake_shape_names[shape], &image, &params, &object, 1);
        found += check_snake (snake, &setup, &image, &params, &object, 1);
        runs++;
      }
      free (samples);
    }
  describe ("%u of %u targets found", found, runs);
  CHECK (found == runs);
}

/* Nothing is found in constant pictures, of any size, from any start. */
static void
test_constant (void)
{
  static const uint32_t sides[][2] = {{1, 1}, {1, 2}, {2, 1}, {1, 70}, {70, 1}, {2, 2}, {31, 33}, {64, 64}};
  static const CtrPoint corner[] = {{0, 0}, {1, 0}, {0, 1}};
  for (uint32_t i = 0; i < LENGTH (sides); i++)
    for (uint32_t model = 0; model <= CTR_SNAKE_BERNOULLI; model++)
      for (uint32_t sample = 0; sample <= 255; sample += setup.quick ? 255 : 85) {
        const uint32_t width = sides[i][0], height = sides[i][1];
        if (setup.quick && width * height > 100)
          continue;
        uint8_t *samples = malloc (width * height);
        memset (samples, (int) sample, width * height);
        const CtrImage image = grey_image (samples, width, height);
        const CtrSnakeObject objects[] = {{.start = CTR_SNAKE_START_AUTO},
            {.start = CTR_SNAKE_START_RECTANGLE, .rectangle = {0, 0, 20, 1}, .retry = true},
            {.start = CTR_SNAKE_START_POLYGON, .points = corner, .point_count = 3}};
        CtrSnakeParams params = default_params ();
        params.model = model;
        describe_snake ("a constant picture", &image, &params, objects, LENGTH (objects));
        CtrContours *contours = run_snake (snake, &setup, &image, &params, objects, LENGTH (objects));
        CHECK (contours->count == 0 && contours->point_count == 0);
        CHECK (contours->width == width && contours->height == height);
        CHECK (contours->coordinates == CTR_COORDINATES_CORNERS && contours->threshold == 0);
        (void) snake_result_of (contours);
        ctr_contours_unref (contours);
        free (samples);
      }
}

/* Rows and columns of pixels, bright ones among dark ones: in a row these are found to the pixel. In a column it may be
 * one more or less, since steps to the side change nothing there. */
static void
test_lines_of_pixels (void)
{
  for (uint32_t length = 60; length <= 200; length += setup.quick ? 60 : 20)
    for (int upright = 0; upright <= 1; upright++) {
      uint8_t samples[200];
      const uint32_t begin = random_below (&rng, length / 3), end = length / 2 + random_below (&rng, length / 3);
      for (uint32_t i = 0; i < length; i++)
        samples[i] = (uint8_t) ((begin <= i && i < end ? 180 : 60) + random_below (&rng, 20));
      const CtrImage image = grey_image (samples, upright ? 1 : length, upright ? length : 1);
      const CtrSnakeParams params = default_params ();
      const CtrSnakeObject object = {.start = CTR_SNAKE_START_AUTO};
      describe_snake ("a line of pixels", &image, &params, &object, 1);
      CHECK (check_snake (snake, &setup, &image, &params, &object, 1) == 1);
      CtrContours *contours = run_snake (snake, &setup, &image, &params, &object, 1);
      const SnakeResult result = snake_result_of (contours);
      const int64_t off = result.regions->inside_count - (int64_t) (end - begin);
      CHECK (upright ? -1 <= off && off <= 1 : off == 0);
      check_row (&result, 0, &image);
      ctr_contours_unref (contours);
    }
}

/* Bright rectangles on dark ground, without noise: found exactly, also where they touch the picture's border. */
static void
test_rectangles (void)
{
  enum { SIDE = 64 };
  for (int i = 0; i < (setup.quick ? 4 : 40); i++) {
    static uint8_t samples[SIDE * SIDE];
    const uint32_t width = 16 + random_below (&rng, 33), height = 16 + random_below (&rng, 33);
    const uint32_t left = i % 4 == 0 ? 0 : i % 4 == 1 ? SIDE - width : random_below (&rng, SIDE - width);
    const uint32_t top = i % 4 == 2 ? 0 : i % 4 == 3 ? SIDE - height : random_below (&rng, SIDE - height);
    for (uint32_t k = 0; k < SIDE * SIDE; k++)
      samples[k] = k % SIDE - left < width && k / SIDE - top < height ? 150 : 50;
    const CtrImage image = grey_image (samples, SIDE, SIDE);
    const CtrSnakeParams params = default_params ();
    const CtrSnakeObject objects[] = {{.start = CTR_SNAKE_START_AUTO},
        {.start = CTR_SNAKE_START_RECTANGLE,
            .rectangle = {(int32_t) left, (int32_t) top, (int32_t) width, (int32_t) height}}};
    describe_snake ("a rectangle", &image, &params, objects, LENGTH (objects));
    CtrContours *contours = run_snake (snake, &setup, &image, &params, objects, LENGTH (objects));
    const SnakeResult result = snake_result_of (contours);
    CHECK (contours->count == 2);
    for (uint32_t k = 0; k < 2; k++) {
      const CtrContour *row = result.contours.table + k;
      /* Other lines can hold the same pixels. */
      CHECK (result.regions[k].inside_count == (int64_t) (width * height) && result.regions[k].object == k);
      CHECK (result.regions[k].inside_sum == 150 * (int64_t) (width * height));
      if (k == 1) {
        CHECK (row->count == 4 && row->area2 == 2 * (int64_t) (width * height));
        CHECK (row->left == left && row->top == top && row->width == width && row->height == height);
      }
      CHECK (result.regions[k].flags == CTR_SNAKE_CONVERGED);
      check_row (&result, k, &image);
    }
    CHECK (result.contours.table[0].next == 1 && result.contours.table[0].previous == -1);
    CHECK (result.contours.table[1].next == -1 && result.contours.table[1].previous == 0);
    ctr_contours_unref (contours);
  }
}

/* A limit on the iterations ends them there, flagged; a limit that is not reached changes nothing. */
static void
test_iterations (void)
{
  enum { SIDE = 40 };
  const SnakeTarget target = {.shape = SNAKE_STAR, .x = 20, .y = 20, .radius = 16};
  const SnakeScene scene = {.targets = &target, .target_count = 1, .inside = {150, 20}, .outside = {80, 20}, .seed = 3};
  uint8_t *samples = draw_scene (&scene, SIDE, SIDE);
  const CtrImage image = grey_image (samples, SIDE, SIDE);
  CtrSnakeParams params = default_params ();
  const CtrSnakeObject object = {.start = CTR_SNAKE_START_RECTANGLE, .rectangle = {8, 8, 24, 24}};
  CtrContours *contours = run_snake (snake, &setup, &image, &params, &object, 1);
  const SnakeResult all = snake_result_of (contours);
  CHECK (contours->count == 1);
  const uint32_t needed = all.regions->iterations;
  describe ("%u iterations of a star", needed);
  CHECK (needed > 20 && all.regions->flags == CTR_SNAKE_CONVERGED);
  for (uint32_t limit = 1; limit <= needed + 1; limit += limit + 24 < needed && setup.quick ? 25 : 1) {
    params.max_iterations = limit;
    describe_snake ("a limit on the iterations", &image, &params, &object, 1);
    CHECK (check_snake (snake, &setup, &image, &params, &object, 1) == 1);
    CtrContours *some = run_snake (snake, &setup, &image, &params, &object, 1);
    const SnakeResult result = snake_result_of (some);
    CHECK (result.regions->iterations == (limit < needed ? limit : needed));
    CHECK (result.regions->flags == (limit < needed ? 0 : CTR_SNAKE_CONVERGED));
    if (limit >= needed)
      check_snakes_equal (&all, &result);
    ctr_contours_unref (some);
  }
  ctr_contours_unref (contours);
  free (samples);
}

/* The same samples in other layouts and formats: the same result, byte for byte. */
static void
test_layouts (void)
{
  enum { SIDE = 48 };
  static const CtrFormat formats[] = {CTR_FORMAT_GRAY8, CTR_FORMAT_RGB, CTR_FORMAT_BGR, CTR_FORMAT_RGBX,
      CTR_FORMAT_BGRX, CTR_FORMAT_XRGB, CTR_FORMAT_XBGR, CTR_FORMAT_GRAY16, CTR_FORMAT_YUYV, CTR_FORMAT_UYVY};
  const SnakeTarget target = {.shape = SNAKE_BLOB, .x = 25, .y = 22, .radius = 19};
  const SnakeScene scene = {
      .targets = &target, .target_count = 1, .inside = {150, 20}, .outside = {100, 20}, .seed = 9};
  uint8_t *samples = draw_scene (&scene, SIDE, SIDE);
  const CtrImage plain = grey_image (samples, SIDE, SIDE);
  CtrSnakeParams params = default_params ();
  const CtrSnakeObject object = {.start = CTR_SNAKE_START_AUTO};
  CtrContours *first = run_snake (snake, &setup, &plain, &params, &object, 1);
  const SnakeResult expected = snake_result_of (first);
  describe ("a blob");
  CHECK (first->count == 1);
  for (uint32_t i = 0; i < LENGTH (formats); i++)
    for (uint32_t padding = 0; padding <= 66; padding += setup.quick ? 66 : 22) {
      const Layout layout = {.format = formats[i], .offset = padding / 22 * 2, .padding = padding};
      Picture picture = picture_random (&rng, SIDE, SIDE, layout);
      const size_t pixel = ctr_format_pixel_size (formats[i]);
      for (uint32_t k = 0; k < SIDE * SIDE; k++) {
        uint8_t *p = (uint8_t *) picture.memory + layout.offset + k / SIDE * picture.view.stride + k % SIDE * pixel;
        const uint16_t wide = samples[k];
        if (formats[i] == CTR_FORMAT_GRAY16)
          memcpy (p, &wide, 2);
        else if (formats[i] == CTR_FORMAT_UYVY)
          p[1] = (uint8_t) wide;
        else if (formats[i] == CTR_FORMAT_XRGB || formats[i] == CTR_FORMAT_XBGR)
          memset (p + 1, wide, 3);
        else
          memset (p, wide, pixel < 3 ? 1 : 3);
      }
      uint8_t *before = malloc (picture.bytes);
      memcpy (before, picture.memory, picture.bytes);
      describe_snake ("another layout", &picture.view, &params, &object, 1);
      CtrContours *contours = run_snake (snake, &setup, &picture.view, &params, &object, 1);
      const SnakeResult actual = snake_result_of (contours);
      check_snakes_equal (&expected, &actual);
      CHECK (memcmp (before, picture.memory, picture.bytes) == 0);
      ctr_contours_unref (contours);
      picture_free (&picture);
      free (before);
    }
  ctr_contours_unref (first);
  free (samples);
}

/* Samples up to 65535, whose squares need 64 bits. */
static void
test_wide_samples (void)
{
  enum { SIDE = 40 };
  static uint16_t samples[SIDE * SIDE];
  const SnakeTarget target = {.shape = SNAKE_ELLIPSE, .x = 20, .y = 20, .radius = 17};
  const CtrImage image = {
      .data = samples, .stride = 2 * SIDE, .width = SIDE, .height = SIDE, .format = CTR_FORMAT_GRAY16};
  for (uint32_t model = 0; model <= CTR_SNAKE_BERNOULLI; model++) {
    SnakeScene scene = {.targets = &target,
        .target_count = 1,
        .noise = model,
        .inside = {60000, 4000},
        .outside = {40000, 4000},
        .seed = model};
    if (model == CTR_SNAKE_SPECKLE)
      scene.inside = (SnakeLevel){40000, 9}, scene.outside = (SnakeLevel){25000, 9};
    else if (model == CTR_SNAKE_BERNOULLI)
      scene.inside.mean = 0.9, scene.outside.mean = 0.3;
    else if (model == CTR_SNAKE_POISSON)
      scene.inside.mean = 500, scene.outside.mean = 400;
    snake_scene_draw (&scene, &image);
    CtrSnakeParams params = default_params ();
    params.model = model;
    params.looks = 9; /* where the model is speckle */
    const CtrSnakeObject object = {.start = CTR_SNAKE_START_AUTO};
    describe_snake ("16 bits", &image, &params, &object, 1);
    CHECK (check_snake (snake, &setup, &image, &params, &object, 1) == 1);
  }
}

/* As wide or as high as pictures get, with the largest samples. */
static void
test_long (void)
{
  enum { LONG = CTR_MAX_SIDE, SHORT = 3 };
  static uint16_t samples[LONG * SHORT];
  /* A short form of more than 32 blocks of sums. */
  const int32_t length = setup.quick ? 2200 : LONG;
  const uint32_t begin = setup.quick ? 700 : 20000, part = setup.quick ? 1003 : 30003;
  for (int i = 0; i < (setup.quick ? 1 : 4); i++) {
    const bool upright = i & 1, wide = i & 2;
    const uint32_t width = (uint32_t) (upright ? SHORT : length), height = (uint32_t) (upright ? length : SHORT);
    for (uint32_t k = 0; k < width * height; k++) {
      const uint32_t along = upright ? k / width : k % width, noise = random_below (&rng, 12);
      if (wide)
        samples[k] = (uint16_t) (along - begin < part ? 65535 - noise : 65000 + noise);
      else
        ((uint8_t *) samples)[k] = (uint8_t) (along - begin < part ? 255 - noise : 230 + noise);
    }
    const CtrImage image = {.data = samples,
        .stride = width * (wide ? 2 : 1),
        .width = width,
        .height = height,
        .format = wide ? CTR_FORMAT_GRAY16 : CTR_FORMAT_GRAY8};
    CtrSnakeParams params = default_params ();
    params.min_segment = CTR_MAX_SIDE;
    params.max_step = 512;
    params.max_iterations = 10;
    const CtrSnakeObject objects[] = {{.start = CTR_SNAKE_START_AUTO},
        {.start = CTR_SNAKE_START_RECTANGLE,
            .rectangle = upright ? (CtrSnakeRect){0, 100, 3, length - 135} : (CtrSnakeRect){100, 0, length - 135, 3}}};
    describe_snake ("a long picture", &image, &params, objects, LENGTH (objects));
    CHECK (check_snake (snake, &setup, &image, &params, objects, LENGTH (objects)) == LENGTH (objects));
  }
}

int
main (int argc, char **argv)
{
  static const Test tests[] = {
      {"polygons", test_polygons},
      {"models", test_models},
      {"constant pictures", test_constant},
      {"lines of pixels", test_lines_of_pixels},
      {"rectangles", test_rectangles},
      {"iterations", test_iterations},
      {"layouts", test_layouts},
      {"wide samples", test_wide_samples},
      {"long pictures", test_long},
  };
  setup = setup_open (argv[1], false);
  snake = snake_new (&setup);
  run_tests (tests, LENGTH (tests));
  ctr_snake_free (snake);
  return 0;
}

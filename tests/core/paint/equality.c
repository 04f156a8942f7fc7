/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The table of drawing for the equality test: random pictures, adversarial cases, benchmark. */
#include "tests/core/common/equality.h"
#include "tests/core/common/gpu.h"
#include "tests/core/paint/reference.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct {
  Setup setup, cpu;
  CtrPainter *tested; /* SETUP's backend */
  CtrPainter *on_cpu; /* NULL where that is the backend under test */
  Finders finders, cpu_finders;
} State;

static void *
open_state (const Setup *setup)
{
  State *state = malloc (sizeof *state);
  *state = (State){.setup = *setup, .cpu = {.backend = CTR_BACKEND_CPU}};
  state->tested = painter_new (&state->setup);
  state->finders = finders_new (&state->setup);
  state->cpu_finders = finders_new (&state->cpu);
  if (setup->backend != CTR_BACKEND_CPU)
    state->on_cpu = painter_new (&state->cpu);
  return state;
}

static void
close_state (void *data)
{
  State *state = data;
  ctr_painter_free (state->tested);
  ctr_painter_free (state->on_cpu);
  finders_free (&state->finders);
  finders_free (&state->cpu_finders);
  free (state);
}

/* Of contours found by the backend under test or by the CPU's. */
static void
random_scene (State *state, Scene *scene, Random *rng, const Canvas *canvas, bool wild)
{
  const bool here = random_below (rng, 2);
  scene_init (scene, rng, here ? &state->finders : &state->cpu_finders, here ? &state->setup : &state->cpu,
      &canvas->picture, wild);
}

/* A scene in any format. */
static void
compare_random (void *data, uint64_t seed)
{
  State *state = data;
  Random random = {seed}, *rng = &random;
  const CanvasFormat format = (CanvasFormat) (seed % CANVAS_COUNT);
  const uint32_t most = seed % 5 == 0 ? 9 : state->setup.quick ? 60 : 120;
  const uint32_t width = 1 + random_below (rng, most), height = 1 + random_below (rng, most);
  Canvas actual = canvas_new (rng, format, width, height);
  canvas_pick_background (&actual, rng);
  Canvas expected = canvas_copy (&actual);
  Scene scene;
  random_scene (state, &scene, rng, &actual, false);
  describe ("%s, %u x %u, %u layers %s", canvas_names[format], width, height, scene.count,
      background_names[actual.picture.background]);
  draw_reference (&expected, scene.layers, scene.count, scene.colours);
  paint (state->tested, &state->setup, &actual, scene.layers, scene.count, scene.colours);
  check_canvases_equal (&expected, &actual);
  scene_clear (&scene);
  canvas_free (&expected);
  canvas_free (&actual);
}

/* Takes CANVAS. */
static void
compare (State *state, Canvas *canvas, const CtrPaintLayer *layers, uint32_t count, const CtrPaintColour *colours)
{
  Canvas expected = canvas_copy (canvas);
  paint (state->on_cpu, &state->cpu, &expected, layers, count, colours);
  paint (state->tested, &state->setup, canvas, layers, count, colours);
  check_canvases_equal (&expected, canvas);
  canvas_free (&expected);
  canvas_free (canvas);
}

static void
compare_scene (State *state, Random *rng, uint32_t run, uint32_t most, bool wild)
{
  const CanvasFormat format = (CanvasFormat) (run % CANVAS_COUNT);
  const uint32_t width = 1 + random_below (rng, most), height = 1 + random_below (rng, most);
  Canvas canvas = canvas_new (rng, format, width, height);
  Scene scene;
  canvas_pick_background (&canvas, rng);
  random_scene (state, &scene, rng, &canvas, wild);
  describe ("%s %u: %s, %u x %u, %u layers %s", wild ? "anywhere" : "random", run, canvas_names[format], width, height,
      scene.count, background_names[canvas.picture.background]);
  compare (state, &canvas, scene.layers, scene.count, scene.colours);
  scene_clear (&scene);
}

/* All contours of noise, each point of them: lines, boxes, in all colours. */
static void
compare_noise (State *state, Random *rng, uint32_t width, uint32_t height, uint64_t points, bool corners)
{
  CtrError error;
  CtrContours *contours;
  uint8_t *mask = noise_new (rng, width, height, 50, 1);
  const CtrImage image = {.data = mask, .stride = width, .width = width, .height = height};
  if (corners) {
    CtrCracksParams params;
    ctr_cracks_params_init (&params);
    contours = ctr_cracks_run (state->finders.cracks, &image, &params, state->setup.stream, &error);
  } else {
    CtrBordersParams params;
    ctr_borders_params_init (&params);
    params.foreground.threshold = 1;
    params.mode = CTR_RETRIEVE_TREE;
    params.approximation = CTR_APPROXIMATION_NONE;
    contours = ctr_borders_run (state->finders.borders, &image, &params, state->setup.stream, &error);
  }
  CHECK (contours && contours->point_count >= points);
  for (int by = CTR_COLOUR_FIXED; by <= CTR_COLOUR_AREA; by++) {
    CtrPaintColour colours[CTR_PAINT_COLOURS];
    CtrPaintLayer layers[2];
    Canvas canvas = canvas_new (rng, by % 2 ? CANVAS_NV12 : CANVAS_RGBA, width, height);
    random_colours (rng, colours);
    ctr_paint_layer_init (&layers[0], CTR_PAINT_BOXES);
    ctr_paint_layer_init (&layers[1], CTR_PAINT_LINES);
    for (int i = 0; i < 2; i++) {
      layers[i].contours = contours;
      layers[i].alpha = 150;
      layers[i].thickness = 1 + (uint32_t) by;
      layers[i].dashed_holes = true;
      layers[i].colouring = (CtrColouring){(CtrColourBy) by, 3, 200, 5};
    }
    describe ("noise, %u x %u, colours by %d", width, height, by);
    compare (state, &canvas, layers, 2, colours);
  }
  ctr_contours_unref (contours);
  free (mask);
}

/* All components of noise, in all their colours; for some, more than fit into what is uploaded in one copy. */
static void
compare_components (State *state, Random *rng, uint32_t width, uint32_t height)
{
  static const CtrColourBy kinds[] = {CTR_COLOUR_FIXED, CTR_COLOUR_ID, CTR_COLOUR_AREA};
  for (uint32_t i = 0; i < LENGTH (kinds); i++) {
    CtrError error;
    CtrCcaParams params;
    CtrPaintColour colours[CTR_PAINT_COLOURS];
    CtrPaintLayer layer;
    Canvas canvas = canvas_new (rng, CANVAS_I420, width, height);
    uint8_t *mask = noise_new (rng, width, height, 25, 1);
    const CtrImage image = {.data = mask, .stride = width, .width = width, .height = height};
    ctr_cca_params_init (&params);
    params.foreground.threshold = 1;
    params.connectivity = CTR_CONNECTIVITY_4;
    random_colours (rng, colours);
    ctr_paint_layer_init (&layer, CTR_PAINT_COMPONENT_BOXES);
    layer.components = ctr_cca_run (state->finders.cca, &image, &params, state->setup.stream, &error);
    CHECK (layer.components && layer.components->count > width * height / 20);
    layer.alpha = 200;
    layer.thickness = 1 + i;
    layer.min_area = i;
    layer.colouring = (CtrColouring){kinds[i], 3, 200, 50};
    layer.mapping.xx += layer.mapping.xx / 3;
    layer.mapping.yx = layer.mapping.yy / 9;
    describe ("components of noise, %u x %u, colours by %d", width, height, kinds[i]);
    compare (state, &canvas, &layer, 1, colours);
    ctr_components_unref (layer.components);
    free (mask);
  }
}

/* Few points, long lines: four around the whole frame, and a polygon of long straight pieces. */
static void
compare_long_lines (State *state, Random *rng, uint32_t width, uint32_t height)
{
  uint8_t *mask = malloc ((size_t) width * height);
  const CtrImage image = {.data = mask, .stride = width, .width = width, .height = height};
  for (int round = 0; round < 2; round++) {
    CtrPaintColour colours[CTR_PAINT_COLOURS];
    CtrPaintLayer layer;
    CtrBordersParams params;
    CtrError error;
    Canvas canvas = canvas_new (rng, CANVAS_NV12, width, height);
    ctr_borders_params_init (&params);
    params.foreground.threshold = 1;
    params.epsilon = 2 * round;
    for (uint32_t y = 0; y < height; y++)
      for (uint32_t x = 0; x < width; x++)
        mask[(size_t) y * width + x] = !round || (3 * x + 2 * y > width && x + 7 * y < 5 * height + x / 2);
    random_colours (rng, colours);
    ctr_paint_layer_init (&layer, CTR_PAINT_LINES);
    layer.contours = ctr_borders_run (state->finders.borders, &image, &params, state->setup.stream, &error);
    CHECK (layer.contours && layer.contours->point_count < 20);
    layer.thickness = 5;
    layer.alpha = 90;
    describe ("long lines %d, %u x %u", round, width, height);
    compare (state, &canvas, &layer, 1, colours);
    ctr_contours_unref (layer.contours);
  }
  free (mask);
}

/* Lines of one opaque colour in every format, which the GPU paints without ink; and what only looks like them: with a second
 * layer, another alpha, or two colours. */
static void
compare_one_colour (State *state, Random *rng, uint32_t width, uint32_t height)
{
  for (int format = 0; format < CANVAS_COUNT; format++)
    for (int variant = 0; variant < 5; variant++) {
      const CtrPaintRectangle rectangle = {.x = 3, .y = 2, .width = 40, .height = 9, .colour = 250};
      CtrPaintColour colours[CTR_PAINT_COLOURS];
      CtrPaintLayer layers[2];
      Canvas canvas = canvas_new (rng, (CanvasFormat) format, width, height);
      canvas_pick_background (&canvas, rng);
      random_colours (rng, colours);
      ctr_paint_layer_init (&layers[0], CTR_PAINT_LINES);
      layers[0].contours = random_contours (rng, &state->finders, &state->setup, width, height, format % 2);
      layers[0].thickness = 1 + (uint32_t) (format + variant) % 6;
      layers[0].dashed_holes = variant % 2;
      layers[0].colouring = (CtrColouring){variant ? CTR_COLOUR_ID : CTR_COLOUR_FIXED, 3, variant == 1 ? 2 : 1, 5};
      layers[0].alpha = variant == 2 ? 254 : 255;
      ctr_paint_layer_init (&layers[1], CTR_PAINT_RECTANGLES);
      layers[1].rectangles = &rectangle;
      layers[1].rectangle_count = 1;
      layers[1].alpha = variant == 3 ? 255 : 0;
      describe (
          "one colour, variant %d, %s %s", variant, canvas_names[format], background_names[canvas.picture.background]);
      compare (state, &canvas, layers, 2, colours);
      ctr_contours_unref (layers[0].contours);
    }
}

/* No shapes at all, of every kind, and layers that do not show. */
static void
compare_nothing (State *state, Random *rng)
{
  uint8_t black[9] = {0};
  const uint32_t labels[9] = {0};
  const CtrImage image = {.data = black, .stride = 3, .width = 3, .height = 3};
  CtrPaintColour colours[CTR_PAINT_COLOURS];
  CtrPaintLayer layers[CTR_PAINT_TEXT + 2];
  CtrBordersParams params;
  CtrCcaParams cca_params;
  CtrError error;
  Canvas canvas = canvas_new (rng, CANVAS_NV12, 33, 17), before = canvas_copy (&canvas);
  const CtrPaintRectangle everywhere = {.width = 100, .height = 100};
  ctr_borders_params_init (&params);
  CtrContours *contours = ctr_borders_run (state->finders.borders, &image, &params, state->setup.stream, &error);
  CHECK (contours && contours->count == 0);
  ctr_cca_params_init (&cca_params);
  CtrComponents *components = ctr_cca_run (state->finders.cca, &image, &cca_params, state->setup.stream, &error);
  CHECK (components && components->count == 0);
  random_colours (rng, colours);
  for (int kind = CTR_PAINT_LINES; kind <= CTR_PAINT_TEXT; kind++) {
    ctr_paint_layer_init (&layers[kind], (CtrPaintKind) kind);
    layers[kind].contours = contours;
    layers[kind].components = components;
    layers[kind].labels = labels;
    layers[kind].label_width = layers[kind].label_height = 3;
  }
  ctr_paint_layer_init (&layers[CTR_PAINT_TEXT + 1], CTR_PAINT_RECTANGLES);
  layers[CTR_PAINT_TEXT + 1].rectangles = &everywhere;
  layers[CTR_PAINT_TEXT + 1].rectangle_count = 1;
  layers[CTR_PAINT_TEXT + 1].alpha = 0;
  describe ("nothing to draw");
  for (uint32_t count = 0; count <= LENGTH (layers); count++) {
    Canvas copy = canvas_copy (&canvas);
    paint (state->tested, &state->setup, &copy, layers, count, colours);
    check_canvases_equal (&before, &copy);
    compare (state, &copy, layers, count, colours);
  }
  canvas_free (&before);
  canvas_free (&canvas);
  ctr_contours_unref (contours);
  ctr_components_unref (components);
}

/* Frames too large for the reference, metadata that lies anywhere, a million points. */
static void
compare_cases (void *data)
{
  State *state = data;
  Random random = {61}, *rng = &random;
  const bool quick = state->setup.quick;
  compare_nothing (state, rng);
  compare_long_lines (state, rng, 701, 500);
  compare_one_colour (state, rng, 67, 59);
  if (!quick)
    compare_long_lines (state, rng, 3840, 2160);
  for (uint32_t i = 0; i < (quick ? 60 : 600); i++)
    compare_scene (state, rng, i, quick ? 60 : 200, true);
  for (uint32_t i = 0; i < (quick ? 5 : 40); i++)
    compare_scene (state, rng, i, quick ? 300 : 900, false);
  compare_components (state, rng, quick ? 150 : 1921, quick ? 90 : 1081);
  if (quick) {
    compare_noise (state, rng, 161, 120, 5000, false);
    compare_noise (state, rng, 121, 90, 5000, true);
  } else {
    compare_noise (state, rng, 2048, 2047, 1000000, false);
    compare_noise (state, rng, 1921, 1081, 1000000, true);
  }
}

typedef struct {
  State *state;
  CtrPaintPicture picture;
  CtrPaintLayer layer;
  CtrPaintColour colours[CTR_PAINT_COLOURS];
} Work;

static void
run (void *data)
{
  Work *work = data;
  CtrError error;
  if (!ctr_painter_run (
          work->state->tested, &work->picture, &work->layer, 1, work->colours, work->state->setup.stream, &error))
    fail (__FILE__, __LINE__, error.message);
}

static void
bench (void *data)
{
  State *state = data;
  Random rng = {7};
  for (uint32_t grain = 4; grain <= 64; grain *= 4) {
    char what[64];
    Canvas canvas = canvas_new (&rng, CANVAS_NV12, 1920, 1080);
    uint8_t *device = state->on_cpu ? gpu_alloc (canvas.bytes) : NULL;
    uint8_t *mask = noise_new (&rng, 1920, 1080, 50, grain);
    const CtrImage image = {.data = mask, .stride = 1920, .width = 1920, .height = 1080};
    Work work = {.state = state, .picture = canvas.picture};
    CtrBordersParams params;
    ctr_borders_params_init (&params);
    params.foreground.threshold = 1;
    ctr_paint_layer_init (&work.layer, CTR_PAINT_LINES);
    work.layer.contours = ctr_borders_run (state->finders.borders, &image, &params, state->setup.stream, NULL);
    CHECK (work.layer.contours);
    work.layer.thickness = 2;
    random_colours (&rng, work.colours);
    if (device) {
      gpu_upload (device, canvas.memory, canvas.bytes);
      work.picture.memory = CTR_MEMORY_DEVICE;
      for (uint32_t p = 0; p < work.picture.plane_count; p++)
        work.picture.planes[p].data = device + ((uint8_t *) canvas.picture.planes[p].data - canvas.memory);
    }
    snprintf (what, sizeof what, "paint, 1920 x 1080, grain %u", grain);
    equality_time (&state->setup, what, run, &work);
    ctr_contours_unref (work.layer.contours);
    if (device)
      gpu_free (device);
    free (mask);
    canvas_free (&canvas);
  }
}

const Equality paint_equality = {
    .name = "paint",
    .count = 1800,
    .quick_count = 90,
    .open = open_state,
    .close = close_state,
    .compare_random = compare_random,
    .compare_cases = compare_cases,
    .bench = bench,
};

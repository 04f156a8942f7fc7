/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The CUDA backend's pictures against the CPU backend's, byte for byte: frames too large for the reference, metadata
 * that lies anywhere, a million points. Runs in a CUDA context of its own, as GStreamer does. */
#include "tests/core/paint/testing.h"

#include <stdio.h>
#include <stdlib.h>

static Setup cpu, cuda;
static CtrPainter *on_cpu, *on_cuda;
static Finders cpu_finders, cuda_finders;
static Random rng = {61};

/* Takes CANVAS. */
static void
compare (Canvas *canvas, const CtrPaintLayer *layers, uint32_t count, const CtrPaintColour *colours)
{
  Canvas expected = canvas_copy (canvas);
  paint (on_cpu, &cpu, &expected, layers, count, colours);
  paint (on_cuda, &cuda, canvas, layers, count, colours);
  check_canvases_equal (&expected, canvas);
  canvas_free (&expected);
  canvas_free (canvas);
}

static void
compare_random (uint32_t run, uint32_t most, bool wild)
{
  const CanvasFormat format = (CanvasFormat) (run % CANVAS_COUNT);
  Canvas canvas = canvas_new (&rng, format, 1 + random_below (&rng, most), 1 + random_below (&rng, most));
  Scene scene;
  const bool here = random_below (&rng, 2);
  scene_init (&scene, &rng, here ? &cuda_finders : &cpu_finders, here ? &cuda : &cpu, &canvas.picture, wild);
  describe ("%s %u: %s, %u x %u, %u layers", wild ? "anywhere" : "random", run, canvas_names[format],
      canvas.picture.width, canvas.picture.height, scene.count);
  compare (&canvas, scene.layers, scene.count, scene.colours);
  scene_clear (&scene);
}

/* All contours of noise, each point of them: lines, boxes, in all colours. */
static void
compare_noise (uint32_t width, uint32_t height, uint64_t points, bool corners)
{
  CtrError error;
  CtrContours *contours;
  uint8_t *mask = noise_new (&rng, width, height, 50, 1);
  const CtrImage image = {.data = mask, .stride = width, .width = width, .height = height};
  if (corners) {
    CtrCracksParams params;
    ctr_cracks_params_init (&params);
    contours = ctr_cracks_run (cuda_finders.cracks, &image, &params, cuda.stream, &error);
  } else {
    CtrBordersParams params;
    ctr_borders_params_init (&params);
    params.foreground.threshold = 1;
    params.mode = CTR_RETRIEVE_TREE;
    params.approximation = CTR_APPROXIMATION_NONE;
    contours = ctr_borders_run (cuda_finders.borders, &image, &params, cuda.stream, &error);
  }
  CHECK (contours && contours->point_count >= points);
  for (int by = CTR_COLOUR_FIXED; by <= CTR_COLOUR_AREA; by++) {
    CtrPaintColour colours[CTR_PAINT_COLOURS];
    CtrPaintLayer layers[2];
    Canvas canvas = canvas_new (&rng, by % 2 ? CANVAS_NV12 : CANVAS_RGBA, width, height);
    random_colours (&rng, colours);
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
    compare (&canvas, layers, 2, colours);
  }
  ctr_contours_unref (contours);
  free (mask);
}

/* Few points, long lines: four around the whole frame, and a polygon of long straight pieces. */
static void
compare_long_lines (uint32_t width, uint32_t height)
{
  uint8_t *mask = malloc ((size_t) width * height);
  const CtrImage image = {.data = mask, .stride = width, .width = width, .height = height};
  for (int round = 0; round < 2; round++) {
    CtrPaintColour colours[CTR_PAINT_COLOURS];
    CtrPaintLayer layer;
    CtrBordersParams params;
    CtrError error;
    Canvas canvas = canvas_new (&rng, CANVAS_NV12, width, height);
    ctr_borders_params_init (&params);
    params.foreground.threshold = 1;
    params.epsilon = 2 * round;
    for (uint32_t y = 0; y < height; y++)
      for (uint32_t x = 0; x < width; x++)
        mask[(size_t) y * width + x] = !round || (3 * x + 2 * y > width && x + 7 * y < 5 * height + x / 2);
    random_colours (&rng, colours);
    ctr_paint_layer_init (&layer, CTR_PAINT_LINES);
    layer.contours = ctr_borders_run (cuda_finders.borders, &image, &params, cuda.stream, &error);
    CHECK (layer.contours && layer.contours->point_count < 20);
    layer.thickness = 5;
    layer.alpha = 90;
    describe ("long lines %d, %u x %u", round, width, height);
    compare (&canvas, &layer, 1, colours);
    ctr_contours_unref (layer.contours);
  }
  free (mask);
}

/* No shapes at all, of every kind, and layers that do not show. */
static void
compare_nothing (void)
{
  uint8_t black[9] = {0};
  const uint32_t labels[9] = {0};
  const CtrImage image = {.data = black, .stride = 3, .width = 3, .height = 3};
  CtrPaintColour colours[CTR_PAINT_COLOURS];
  CtrPaintLayer layers[CTR_PAINT_TEXT + 2];
  CtrBordersParams params;
  CtrError error;
  Canvas canvas = canvas_new (&rng, CANVAS_NV12, 33, 17), before = canvas_copy (&canvas);
  const CtrPaintRectangle everywhere = {.width = 100, .height = 100};
  ctr_borders_params_init (&params);
  CtrContours *contours = ctr_borders_run (cuda_finders.borders, &image, &params, cuda.stream, &error);
  CHECK (contours && contours->count == 0);
  random_colours (&rng, colours);
  for (int kind = CTR_PAINT_LINES; kind <= CTR_PAINT_TEXT; kind++) {
    ctr_paint_layer_init (&layers[kind], (CtrPaintKind) kind);
    layers[kind].contours = contours;
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
    paint (on_cuda, &cuda, &copy, layers, count, colours);
    check_canvases_equal (&before, &copy);
    compare (&copy, layers, count, colours);
  }
  canvas_free (&before);
  canvas_free (&canvas);
  ctr_contours_unref (contours);
}

int
main (int argc, char **argv)
{
  cuda = setup_open ("cuda", true);
  cpu = setup_open ("cpu", false);
  on_cpu = painter_new (&cpu);
  on_cuda = painter_new (&cuda);
  cpu_finders = finders_new (&cpu);
  cuda_finders = finders_new (&cuda);
  compare_nothing ();
  compare_long_lines (701, 500);
  if (!cuda.quick)
    compare_long_lines (3840, 2160);
  for (uint32_t run = 0; run < (cuda.quick ? 60 : 600); run++)
    compare_random (run, cuda.quick ? 60 : 200, true);
  for (uint32_t run = 0; run < (cuda.quick ? 5 : 40); run++)
    compare_random (run, cuda.quick ? 300 : 900, false);
  if (cuda.quick) {
    compare_noise (161, 120, 5000, false);
    compare_noise (121, 90, 5000, true);
  } else {
    compare_noise (2048, 2047, 1000000, false);
    compare_noise (1921, 1081, 1000000, true);
  }
  finders_free (&cpu_finders);
  finders_free (&cuda_finders);
  ctr_painter_free (on_cpu);
  ctr_painter_free (on_cuda);
  return 0;
}

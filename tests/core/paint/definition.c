/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Compares drawn contours with the reference, and with the pictures in which the contours were found. */
#include "tests/core/paint/reference.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static Setup setup, cpu = {.backend = CTR_BACKEND_CPU};
static CtrPainter *painter;
static Finders finders, cpu_finders;
static Random rng = {83};

/* A byte a pixel, 0 or 1. */
static uint8_t *
painted (CtrContours *contours, uint32_t width, uint32_t height, uint32_t thickness)
{
  CtrPaintColour colours[CTR_PAINT_COLOURS] = {{.shape = {1}}};
  uint8_t *pixels = calloc (width, height);
  CtrPaintLayer layer;
  Canvas canvas = {.memory = pixels, .bytes = (size_t) width * height};
  canvas.picture = (CtrPaintPicture){.plane_count = 1,
      .planes = {{.data = pixels, .stride = width, .samples = 1}},
      .width = width,
      .height = height,
      .sample_size = 1,
      .sample_mask = 255};
  ctr_paint_layer_init (&layer, CTR_PAINT_LINES);
  layer.contours = contours;
  layer.thickness = thickness;
  paint (painter, &setup, &canvas, &layer, 1, colours);
  return pixels;
}

static bool
is_set (const uint8_t *mask, int64_t x, int64_t y, int64_t width, int64_t height)
{
  return x >= 0 && y >= 0 && x < width && y < height && mask[y * width + x];
}

/* Contours along cracks, a pixel thick, are the foreground pixels beside the background, and no others. Two thick, they
 * are both sides of each crack. */
static void
test_cracks_are_rims (uint32_t width, uint32_t height, uint32_t grain)
{
  CtrCracksParams params;
  CtrError error;
  uint8_t *mask = noise_new (&rng, width, height, 50, grain);
  const CtrImage image = {.data = mask, .stride = width, .width = width, .height = height};
  ctr_cracks_params_init (&params);
  CtrContours *contours = ctr_cracks_run (finders.cracks, &image, &params, setup.stream, &error);
  CHECK (contours != NULL);
  describe ("cracks of noise, %u x %u, %u", width, height, grain);
  uint8_t *thin = painted (contours, width, height, 1), *thick = painted (contours, width, height, 2);
  for (int64_t y = 0; y < height; y++)
    for (int64_t x = 0; x < width; x++) {
      bool differs = false, corner = false;
      for (int64_t v = y - 1; v <= y + 1; v++)
        for (int64_t u = x - 1; u <= x + 1; u++)
          if (is_set (mask, u, v, width, height) != is_set (mask, x, y, width, height)) {
            differs = differs || u == x || v == y;
            corner = true;
          }
      CHECK (thin[y * width + x] == (mask[y * width + x] && differs));
      CHECK (thick[y * width + x] == corner);
    }
  free (thin);
  free (thick);
  free (mask);
  ctr_contours_unref (contours);
}

/* All points of a border, drawn, are its points; so are the ends of its straight pieces. */
static void
test_borders_are_points (uint32_t width, uint32_t height, uint32_t grain)
{
  CtrBordersParams params;
  CtrError error;
  uint8_t *mask = noise_new (&rng, width, height, 50, grain), *points = calloc (width, height);
  const CtrImage image = {.data = mask, .stride = width, .width = width, .height = height};
  ctr_borders_params_init (&params);
  params.foreground.threshold = 1;
  describe ("borders of noise, %u x %u, %u", width, height, grain);
  for (int approximation = CTR_APPROXIMATION_NONE; approximation <= CTR_APPROXIMATION_SIMPLE; approximation++) {
    params.approximation = (CtrApproximation) approximation;
    CtrContours *contours = ctr_borders_run (finders.borders, &image, &params, setup.stream, &error);
    CHECK (contours != NULL);
    uint8_t *lines = painted (contours, width, height, 1);
    const CtrPoint *point = ctr_contours_map_points (contours, &error);
    for (uint64_t i = 0; approximation == CTR_APPROXIMATION_NONE && i < contours->point_count; i++)
      points[point[i].y * width + point[i].x] = 1;
    CHECK (memcmp (points, lines, (size_t) width * height) == 0);
    free (lines);
    ctr_contours_unref (contours);
  }
  free (points);
  free (mask);
}

/* One rectangle of WIDTH x HEIGHT pixels, as a contour of four points. */
static CtrContours *
rectangle_contour (uint32_t width, uint32_t height)
{
  CtrBordersParams params;
  CtrError error;
  uint8_t *mask = malloc ((size_t) width * height);
  memset (mask, 255, (size_t) width * height);
  const CtrImage image = {.data = mask, .stride = width, .width = width, .height = height};
  ctr_borders_params_init (&params);
  CtrContours *contours = ctr_borders_run (finders.borders, &image, &params, setup.stream, &error);
  CHECK (contours && contours->point_count == 4);
  free (mask);
  return contours;
}

/* Lines of hundreds of millions of pixels, of which a few are inside; drawing them must not take as long as they are.
 */
static void
test_far (void)
{
  CtrPaintColour colours[CTR_PAINT_COLOURS] = {{.shape = {9}}};
  CtrContours *contours = rectangle_contour (3, 3);
  CtrPaintLayer layer;
  ctr_paint_layer_init (&layer, CTR_PAINT_LINES);
  layer.contours = contours;
  for (uint32_t thickness = 1; thickness < 10; thickness += 4) {
    Canvas actual = canvas_new (&rng, CANVAS_GRAY8, 70, 50), expected = canvas_copy (&actual);
    /* The upper line of the rectangle lies in row 20, the others are far away. */
    const int64_t scale = 130000;
    describe ("a far rectangle, thickness %u", thickness);
    layer.thickness = thickness;
    layer.mapping = (CtrPaintMapping){.xx = scale * CTR_PAINT_ONE,
        .yy = scale * CTR_PAINT_ONE,
        .x0 = -scale * CTR_PAINT_ONE,
        .y0 = (20 - scale / 2) * CTR_PAINT_ONE};
    paint (painter, &setup, &actual, &layer, 1, colours);
    for (uint32_t y = 20 - (thickness - 1) / 2; y <= 20 + thickness / 2; y++)
      memset ((uint8_t *) expected.picture.planes[0].data + y * expected.picture.planes[0].stride, 9, 70);
    check_canvases_equal (&expected, &actual);
    /* As far away as can be: nothing. */
    layer.mapping.x0 = (INT64_C (1) << 55) - 1;
    canvas_free (&expected);
    expected = canvas_copy (&actual);
    paint (painter, &setup, &actual, &layer, 1, colours);
    check_canvases_equal (&expected, &actual);
    canvas_free (&expected);
    canvas_free (&actual);
  }
  ctr_contours_unref (contours);
}

static void
check_size (CanvasFormat format, uint32_t width, uint32_t height)
{
  CtrPaintColour colours[CTR_PAINT_COLOURS];
  CtrPaintLayer layers[3];
  Canvas actual = canvas_new (&rng, format, width, height);
  canvas_pick_background (&actual, &rng);
  Canvas expected = canvas_copy (&actual);
  random_colours (&rng, colours);
  for (int i = 0; i < 3; i++) {
    ctr_paint_layer_init (&layers[i], (CtrPaintKind) (CTR_PAINT_COMPONENT_BOXES - i));
    if (layers[i].kind == CTR_PAINT_COMPONENT_BOXES)
      layers[i].components = random_components (&rng, &cpu_finders, &cpu, width, height);
    else
      layers[i].contours = random_contours (&rng, &finders, &setup, width, height, height % 2);
    layers[i].thickness = 1 + width % 3;
    layers[i].alpha = i ? 100 : 255;
  }
  describe ("%s, %u x %u %s", canvas_names[format], width, height, background_names[actual.picture.background]);
  draw_reference (&expected, layers, 3, colours);
  paint (painter, &setup, &actual, layers, 3, colours);
  check_canvases_equal (&expected, &actual);
  for (int i = 0; i < 3; i++) {
    ctr_contours_unref (layers[i].contours);
    ctr_components_unref (layers[i].components);
  }
  canvas_free (&expected);
  canvas_free (&actual);
}

/* Brushes of all sizes. */
static void
test_brushes (void)
{
  for (uint32_t thickness = 1; thickness <= CTR_PAINT_MAX_THICKNESS; thickness += setup.quick ? 7 : 1)
    for (int corners = 0; corners < 2; corners++) {
      CtrPaintColour colours[CTR_PAINT_COLOURS];
      CtrPaintLayer layer;
      Canvas actual = canvas_new (&rng, CANVAS_NV12, 90, 70), expected = canvas_copy (&actual);
      random_colours (&rng, colours);
      ctr_paint_layer_init (&layer, CTR_PAINT_LINES);
      layer.contours = random_contours (&rng, &finders, &setup, 80, 60, corners);
      layer.thickness = thickness;
      layer.dashed_holes = true;
      layer.alpha = 200;
      layer.mapping.x0 = 3 * CTR_PAINT_ONE;
      describe ("a brush of %u pixels, corners %d", thickness, corners);
      draw_reference (&expected, &layer, 1, colours);
      paint (painter, &setup, &actual, &layer, 1, colours);
      check_canvases_equal (&expected, &actual);
      ctr_contours_unref (layer.contours);
      canvas_free (&expected);
      canvas_free (&actual);
    }
}

/* The background alone, with no layer and with one that does not show: pictures from a pixel to several chunks of a
 * row, in every format. */
static void
test_backgrounds (void)
{
  static const uint32_t sides[] = {1, 2, 3, 5, 16, 17, 33, 97, 1023, 3100};
  CtrPaintLayer hidden;
  ctr_paint_layer_init (&hidden, CTR_PAINT_RECTANGLES);
  for (uint32_t i = 0; i < LENGTH (sides); i++)
    for (int format = 0; format < CANVAS_COUNT; format++)
      for (int background = CTR_BACKGROUND_PICTURE; background <= CTR_BACKGROUND_TRANSPARENT; background++) {
        if (setup.quick && (i + (uint32_t) format) % 7)
          continue;
        const uint32_t width = sides[i], height = 1 + random_below (&rng, width > 1000 ? 4 : 40);
        Canvas actual = canvas_new (&rng, (CanvasFormat) format, width, height);
        CtrPaintColour colours[CTR_PAINT_COLOURS];
        const uint32_t count = random_below (&rng, 2);
        canvas_pick_background (&actual, &rng);
        if (background < CTR_BACKGROUND_TRANSPARENT || canvas_has_alpha (&actual))
          actual.picture.background = (CtrPaintBackground) background;
        Canvas expected = canvas_copy (&actual);
        random_colours (&rng, colours);
        describe (
            "%s, %u x %u %s alone", canvas_names[format], width, height, background_names[actual.picture.background]);
        draw_reference (&expected, &hidden, count, colours);
        paint (painter, &setup, &actual, &hidden, count, colours);
        check_canvases_equal (&expected, &actual);
        canvas_free (&expected);
        canvas_free (&actual);
      }
}

/* A half transparent shape on nothing has its colour and half the alpha: whoever composes it gets the mean. */
static void
test_transparency (void)
{
  const CtrPaintRectangle square = {.x = 1, .y = 1, .width = 2, .height = 2};
  CtrPaintColour colours[CTR_PAINT_COLOURS] = {{.shape = {200, 100, 50, 255}}};
  CtrPaintLayer layer;
  Canvas canvas = canvas_new (&rng, CANVAS_RGBA, 4, 4);
  canvas.picture.background = CTR_BACKGROUND_TRANSPARENT;
  ctr_paint_layer_init (&layer, CTR_PAINT_RECTANGLES);
  layer.rectangles = &square;
  layer.rectangle_count = 1;
  layer.alpha = 128;
  describe ("half transparent");
  paint (painter, &setup, &canvas, &layer, 1, colours);
  for (int y = 0; y < 4; y++)
    for (int x = 0; x < 4; x++) {
      const bool inside = x >= 1 && x < 3 && y >= 1 && y < 3;
      const uint8_t *pixel = (uint8_t *) canvas.picture.planes[0].data + y * canvas.picture.planes[0].stride + 4 * x;
      CHECK (pixel[0] == (inside ? 200 : 0) && pixel[1] == (inside ? 100 : 0) && pixel[2] == (inside ? 50 : 0));
      CHECK (pixel[3] == (inside ? 128 : 0));
    }
  canvas_free (&canvas);
}

/* Frames of many sizes in turn: what a frame leaves behind must not be seen in the next. */
static void
test_sizes (void)
{
  for (uint32_t width = 1; width <= 17; width++)
    for (uint32_t height = 1; height <= 17; height++)
      for (int format = 0; format < CANVAS_COUNT; format++)
        if (!setup.quick || (width + 3 * height + 7 * (uint32_t) format) % 67 == 0)
          check_size ((CanvasFormat) format, width, height);
}

/* Frames as high and as wide as can be, with rectangles at their ends. */
static void
test_longest (void)
{
  for (int wide = 0; wide < 2; wide++) {
    const int32_t width = wide ? CTR_MAX_SIDE : 65, height = wide ? 9 : CTR_MAX_SIDE;
    const CtrPaintRectangle rectangles[] = {{.x = -1, .y = -1, .width = 5, .height = 6, .colour = 3},
        {.x = width - 2, .y = height - 5, .width = 9, .height = 4, .thickness = 1, .colour = 5},
        {.x = width - 1, .y = height / 2, .width = 1, .height = 1, .colour = 7}};
    CtrPaintColour colours[CTR_PAINT_COLOURS];
    CtrPaintLayer layer;
    Canvas actual = canvas_new (&rng, CANVAS_NV12, (uint32_t) width, (uint32_t) height);
    Canvas expected = canvas_copy (&actual);
    random_colours (&rng, colours);
    ctr_paint_layer_init (&layer, CTR_PAINT_RECTANGLES);
    layer.rectangles = rectangles;
    layer.rectangle_count = LENGTH (rectangles);
    layer.alpha = 77;
    describe ("%d x %d", width, height);
    draw_reference (&expected, &layer, 1, colours);
    paint (painter, &setup, &actual, &layer, 1, colours);
    check_canvases_equal (&expected, &actual);
    canvas_free (&expected);
    canvas_free (&actual);
  }
}

int
main (int argc, char **argv)
{
  setup = setup_open (argv[1], false);
  painter = painter_new (&setup);
  finders = finders_new (&setup);
  cpu_finders = finders_new (&cpu);
  test_sizes ();
  test_longest ();
  test_backgrounds ();
  test_transparency ();
  test_brushes ();
  for (uint32_t grain = 1; grain <= 9; grain += 4) {
    test_cracks_are_rims (setup.quick ? 61 : 301, 47, grain);
    test_borders_are_points (setup.quick ? 61 : 301, 47, grain);
  }
  test_far ();
  finders_free (&finders);
  finders_free (&cpu_finders);
  ctr_painter_free (painter);
  return 0;
}

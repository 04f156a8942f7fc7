/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Compares drawn contours with the reference, and with the pictures in which the contours were found. */
#include "tests/core/paint/reference.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static Setup setup;
static CtrPainter *painter;
static Finders finders;
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

/* Frames of many sizes in turn, and more than one queued: what a frame leaves behind must not be seen in the next. */
static void
test_sizes (void)
{
  for (uint32_t side = 1; side <= 17; side++)
    for (uint32_t other = 1; other <= 17; other += setup.quick ? 5 : 1) {
      Canvas actual = canvas_new (&rng, side % 2 ? CANVAS_NV12 : CANVAS_I420, side, other);
      Canvas expected = canvas_copy (&actual);
      CtrContours *contours = random_contours (&rng, &finders, &setup, side, other, other % 2);
      CtrPaintColour colours[CTR_PAINT_COLOURS];
      CtrPaintLayer layer;
      random_colours (&rng, colours);
      ctr_paint_layer_init (&layer, CTR_PAINT_LINES);
      layer.contours = contours;
      layer.thickness = 1 + side % 3;
      layer.alpha = 100;
      describe ("%u x %u", side, other);
      draw_reference (&expected, &layer, 1, colours);
      paint (painter, &setup, &actual, &layer, 1, colours);
      check_canvases_equal (&expected, &actual);
      ctr_contours_unref (contours);
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
  test_sizes ();
  for (uint32_t grain = 1; grain <= 9; grain += 4) {
    test_cracks_are_rims (setup.quick ? 61 : 301, 47, grain);
    test_borders_are_points (setup.quick ? 61 : 301, 47, grain);
  }
  test_far ();
  finders_free (&finders);
  ctr_painter_free (painter);
  return 0;
}

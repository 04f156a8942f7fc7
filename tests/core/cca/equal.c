/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Compares components of equal samples with their definition: sizes, shapes, formats, backgrounds, limits. */
#include "tests/core/cca/reference.h"
#include "tests/core/cca/testing.h"
#include "tests/core/common/gpu.h"
#include "tests/core/paint/testing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static Setup setup;
static CtrCca *cca;
static Random rng = {5};

static CtrCcaParams
equal_params (CtrConnectivity connectivity, int32_t background, uint32_t features)
{
  CtrCcaParams params = params_of (connectivity, random_below (&rng, 256), random_below (&rng, 2), features);
  params.foreground.mode = random_below (&rng, 2) ? CTR_THRESHOLD_FIXED : CTR_THRESHOLD_OTSU; /* ignored */
  params.mode = CTR_COMPONENTS_EQUAL;
  params.background = background;
  return params;
}

/* Both connectivities, with random features. Takes PICTURE. */
static void
check_picture (Picture picture, int32_t background, const char *name)
{
  const uint32_t features = random_below (&rng, 2) ? ALL_FEATURES : random_below (&rng, 16);
  FOR_BOTH_CONNECTIVITIES (c)
  {
    const CtrCcaParams params = equal_params (c, background, features);
    describe ("%s, %u x %u, format %d, background %d, %d-connected, features %u", name, picture.view.width,
        picture.view.height, picture.view.format, background, c, features);
    check_cca (cca, &setup, &picture.view, &params);
  }
  picture_free (&picture);
}

static Layout
layout_of (CtrFormat format)
{
  return (Layout){.format = format, .offset = 2 * random_below (&rng, 20), .padding = 2 * random_below (&rng, 40)};
}

static void
check_values (uint32_t width, uint32_t height, uint32_t count, uint32_t grain)
{
  const CtrFormat format = random_below (&rng, 2) ? CTR_FORMAT_GRAY16 : CTR_FORMAT_GRAY8;
  check_picture (values_new (&rng, width, height, layout_of (format), count, grain),
      (int32_t) random_below (&rng, 2) - 1, "values");
}

static void
test_small_sizes (void)
{
  const uint32_t step = setup.quick ? 4 : 1;
  for (uint32_t height = 1; height <= 17; height += step)
    for (uint32_t width = 1; width <= 17; width += step)
      check_values (width, height, 1 + random_below (&rng, 4), 1);
}

static void
test_lines (void)
{
  static const uint32_t lengths[] = {31, 32, 33, 63, 64, 65, 127, 128, 129, 1000, 16383, 65535};
  for (size_t i = 0; i < LENGTH (lengths); i += setup.quick ? 3 : 1)
    for (uint32_t grain = 1; grain < 100; grain *= 8) {
      check_values (lengths[i], 1, 3, grain);
      check_values (1, lengths[i], 3, grain);
    }
}

/* Where words and tiles of either backend end. */
static void
test_tile_edges (void)
{
  static const uint32_t sides[] = {31, 32, 33, 63, 64, 65, 95, 96, 97, 127, 128, 129, 193};
  const size_t step = setup.quick ? 17 : 1;
  for (size_t i = 0; i < LENGTH (sides) * LENGTH (sides); i += step)
    check_values (
        sides[i % LENGTH (sides)], sides[i / LENGTH (sides)], 2 + random_below (&rng, 3), 1 + random_below (&rng, 4));
}

/* Two values in shapes on which labelling tends to fail, one of them being the background, or none. */
static void
test_shapes (void)
{
  const uint32_t w = 200, h = 133;
  for (Shape shape = 0; shape < SHAPE_COUNT; shape += setup.quick ? 2 : 1)
    for (int32_t background = -1; background <= 0; background++) {
      uint8_t *mask = shape_new (shape, w, h);
      uint16_t *values = malloc (w * h * sizeof *values);
      for (uint32_t i = 0; i < w * h; i++)
        values[i] = mask[i] ? 40000 : 0;
      check_picture (
          picture_of_values (&rng, values, w, h, layout_of (CTR_FORMAT_GRAY16)), background, shape_names[shape]);
      free (values);
      free (mask);
    }
}

static void
test_formats (void)
{
  for (CtrFormat format = CTR_FORMAT_GRAY8; format <= CTR_FORMAT_VYUY; format++)
    for (uint32_t grain = 1; grain <= 9; grain += 4)
      check_picture (
          values_new (&rng, 150, 90, layout_of (format), 5, grain), (int32_t) random_below (&rng, 2) - 1, "values");
}

/* Only the low bits differ, or only the high ones: equality is not decided by a part of the sample. */
static void
test_close_values (void)
{
  static const uint16_t pairs[][2] = {{256, 512}, {257, 256}, {0, 256}, {65535, 65534}, {0x1200, 0x0012}};
  for (size_t i = 0; i < LENGTH (pairs); i++) {
    uint16_t values[70 * 40];
    for (size_t k = 0; k < LENGTH (values); k++)
      values[k] = pairs[i][random_below (&rng, 2)];
    for (int b = -1; b < 2; b++)
      check_picture (picture_of_values (&rng, values, 70, 40, (Layout){.format = CTR_FORMAT_GRAY16}),
          b < 0 ? -1 : pairs[i][b], "close values");
  }
}

/* A background that no pixel has, that all pixels have, and that no sample of the format can have. */
static void
test_backgrounds (void)
{
  static const int32_t backgrounds[] = {-1, 0, 77, 255, 256, 65535};
  for (size_t i = 0; i < LENGTH (backgrounds); i++) {
    for (uint32_t value = 0; value <= 255; value += 255) {
      Picture picture = picture_random (&rng, 130, 70, (Layout){.format = CTR_FORMAT_GRAY8});
      memset (picture.memory, (int) value, picture.bytes);
      check_picture (picture, backgrounds[i], "one value");
    }
    check_picture (values_new (&rng, 130, 70, layout_of (CTR_FORMAT_GRAY8), 3, 4), backgrounds[i], "values");
  }
}

static void
test_area_limits (void)
{
  static const uint32_t limits[][2] = {{1, 1}, {2, 0}, {5, 20}, {20, 5}, {0, 1}, {3, 3}, {100000, 0}, {UINT32_MAX, 0}};
  for (size_t i = 0; i < LENGTH (limits); i++)
    FOR_BOTH_CONNECTIVITIES (c)
    {
      Picture picture = values_new (&rng, 210, 140, layout_of (CTR_FORMAT_GRAY16), 3, 1 + i % 3);
      CtrCcaParams params = equal_params (c, i % 2 ? 0 : -1, i % 3 ? 0 : ALL_FEATURES);
      params.min_area = limits[i][0];
      params.max_area = limits[i][1];
      describe ("areas %u to %u, %d-connected", params.min_area, params.max_area, c);
      check_cca (cca, &setup, &picture.view, &params);
      picture_free (&picture);
    }
}

/* Modes, sizes and growing numbers of components through one analyser. */
static void
test_reuse (void)
{
  for (int i = 0; i < (setup.quick ? 24 : 120); i++) {
    CtrCca *const fresh = i % 8 ? NULL : analyser_new (&setup);
    Picture picture = values_new (&rng, 1 + random_below (&rng, 300), 1 + random_below (&rng, 200),
        layout_of (i % 2 ? CTR_FORMAT_GRAY8 : CTR_FORMAT_GRAY16), 2 + random_below (&rng, 9), i % 3 ? 1 : 20);
    CtrCcaParams params =
        equal_params (i % 4 < 2 ? 4 : 8, (int32_t) random_below (&rng, 2) - 1, random_below (&rng, 16));
    if (i % 5 == 0)
      params.mode = CTR_COMPONENTS_FOREGROUND;
    params.min_area = random_below (&rng, 3);
    describe ("reuse %d: %u x %u, mode %d", i, picture.view.width, picture.view.height, params.mode);
    for (int again = 0; again < 3; again++) /* from the second time on a graph */
      check_cca (fresh ? fresh : cca, &setup, &picture.view, &params);
    picture_free (&picture);
    ctr_cca_free (fresh);
  }
}

/* The background's row against the label image. */
static void
test_background_row (void)
{
  Picture picture = values_new (&rng, 90, 60, (Layout){.format = CTR_FORMAT_GRAY8}, 4, 3);
  CtrCcaParams params = equal_params (CTR_CONNECTIVITY_8, 0, CTR_FEATURE_BACKGROUND | CTR_FEATURE_LABELS);
  describe ("background row and labels");
  CtrComponents *c = analyse (cca, &setup, &picture.view, &params);
  uint32_t area = 0;
  for (uint32_t i = 0; i < 90 * 60; i++)
    area += ctr_components_map_labels (c, NULL)[i] == 0;
  CHECK (area > 0 && c->background.area == area);
  for (uint32_t i = 0; i < c->count; i++)
    area += c->table[i].area;
  CHECK (area == 90 * 60);
  ctr_components_unref (c);
  params.background = CTR_CCA_NO_BACKGROUND;
  c = analyse (cca, &setup, &picture.view, &params);
  double x, y;
  ctr_component_centroid (&c->background, &x, &y);
  CHECK (c->background.area == 0 && c->background.width == 0 && isnan (x) && isnan (y));
  ctr_components_unref (c);
  picture_free (&picture);
}

/* The labels in GPU memory are EXPECTED's; on the CPU there are none. Returns their address. */
static const uint32_t *
check_device_labels (CtrComponents *components, const CtrComponents *expected)
{
  const size_t size = (size_t) expected->width * expected->height * sizeof (uint32_t);
  const uint32_t *device = NULL;
  const bool on_device = ctr_components_get_device_labels (components, &device);
  CHECK (on_device == (setup.backend == CTR_BACKEND_CUDA));
  if (on_device) {
    uint32_t *labels = malloc (size);
    gpu_download (labels, device, size);
    CHECK (memcmp (labels, expected->labels, size) == 0);
    free (labels);
  }
  return device;
}

/* The label image stays where it was made: as long as its result, with the frames that follow and without its analyser;
 * then its memory serves another one. */
static void
test_kept_labels (void)
{
  Picture pictures[2];
  CtrComponents *expected[2], *results[3];
  const uint32_t *device[3];
  CtrCca *own = analyser_new (&setup);
  const CtrCcaParams params = equal_params (CTR_CONNECTIVITY_8, 0, CTR_FEATURE_LABELS);
  for (int i = 0; i < 2; i++) {
    pictures[i] = values_new (&rng, 120, 90, (Layout){.format = CTR_FORMAT_GRAY8}, 3, 5);
    expected[i] = reference_cca (&pictures[i].view, &params);
  }
  for (int i = 0; i < 3; i++) {
    describe ("labels of frame %d", i);
    results[i] = analyse (own, &setup, &pictures[i % 2].view, &params);
    device[i] = check_device_labels (results[i], expected[i % 2]);
    if (i == 1) {
      CHECK (check_device_labels (results[0], expected[0]) == device[0]);
      CHECK (setup.backend == CTR_BACKEND_CPU || device[0] != device[1]);
      ctr_components_unref (results[0]);
    }
  }
  CHECK (device[2] == device[0]);
  ctr_cca_free (own);
  describe ("labels without their analyser");
  for (int i = 1; i < 3; i++) {
    CHECK (check_device_labels (results[i], expected[i % 2]) == device[i]);
    const uint32_t *labels = ctr_components_map_labels (results[i], NULL);
    CHECK (labels && memcmp (labels, expected[i % 2]->labels, 120 * 90 * sizeof *labels) == 0);
    CHECK (ctr_components_map_labels (results[i], NULL) == labels);
    ctr_components_unref (results[i]);
  }
  for (int i = 0; i < 2; i++) {
    reference_components_free (expected[i]);
    picture_free (&pictures[i]);
  }
}

static void
test_no_labels (void)
{
  Picture picture = values_new (&rng, 20, 10, (Layout){.format = CTR_FORMAT_GRAY8}, 3, 2);
  const CtrCcaParams params = equal_params (CTR_CONNECTIVITY_8, 0, 0);
  CtrComponents *components = analyse (cca, &setup, &picture.view, &params);
  const uint32_t *device;
  CtrError error;
  describe ("labels that were not asked for");
  CHECK (!ctr_components_map_labels (components, &error) && strstr (error.message, "labels=true"));
  CHECK (!ctr_components_get_device_labels (components, &device));
  ctr_components_unref (components);
  picture_free (&picture);
}

/* Areas that are drawn from the components' labels, where these are, are those of the same labels in host memory. */
static void
test_drawn_labels (void)
{
  const uint32_t width = 77, height = 53;
  Picture picture = values_new (&rng, width, height, (Layout){.format = CTR_FORMAT_GRAY8}, 4, 6);
  const CtrCcaParams params = equal_params (CTR_CONNECTIVITY_4, 0, CTR_FEATURE_LABELS);
  CtrComponents *components = analyse (cca, &setup, &picture.view, &params);
  Canvas expected = canvas_new (&rng, CANVAS_NV12, width, height), actual = canvas_copy (&expected);
  CtrPaintColour colours[CTR_PAINT_COLOURS];
  uint16_t *of_labels = malloc ((components->count + 1) * sizeof *of_labels);
  CtrPainter *painter = ctr_painter_new (setup.backend, NULL);
  CtrPaintLayer layer;
  CHECK (painter && components->count > 10);
  random_colours (&rng, colours);
  for (uint32_t i = 0; i < components->count; i++)
    of_labels[i] = i % 5 ? (uint16_t) (i % CTR_PAINT_COLOURS) : CTR_PAINT_NO_COLOUR;
  ctr_paint_layer_init (&layer, CTR_PAINT_AREAS);
  layer.alpha = 200;
  layer.label_width = width;
  layer.label_height = height;
  layer.label_colours = of_labels;
  layer.label_count = components->count;
  layer.labels = ctr_components_map_labels (components, NULL);
  paint (painter, &setup, &expected, &layer, 1, colours);
  layer.labels = NULL;
  layer.components = components;
  paint (painter, &setup, &actual, &layer, 1, colours);
  describe ("areas of components");
  CHECK (memcmp (expected.memory, actual.memory, expected.bytes) == 0);
  layer.label_width--;
  actual.picture.memory = setup.backend == CTR_BACKEND_CPU ? CTR_MEMORY_HOST : CTR_MEMORY_DEVICE;
  CtrError error;
  CHECK (!ctr_painter_run (painter, &actual.picture, &layer, 1, colours, setup.stream, &error));
  CHECK (strstr (error.message, "77 x 53") && strstr (error.message, "76 x 53"));
  ctr_painter_free (painter);
  free (of_labels);
  canvas_free (&expected);
  canvas_free (&actual);
  ctr_components_unref (components);
  picture_free (&picture);
}

int
main (int argc, char **argv)
{
  static const Test tests[] = {
      {"small sizes", test_small_sizes},
      {"lines", test_lines},
      {"tile edges", test_tile_edges},
      {"shapes", test_shapes},
      {"formats", test_formats},
      {"close values", test_close_values},
      {"backgrounds", test_backgrounds},
      {"area limits", test_area_limits},
      {"reuse", test_reuse},
      {"background row", test_background_row},
      {"kept labels", test_kept_labels},
      {"no labels", test_no_labels},
      {"drawn labels", test_drawn_labels},
  };
  setup = setup_open (argv[1], false);
  cca = analyser_new (&setup);
  run_tests (tests, LENGTH (tests));
  ctr_cca_free (cca);
  return 0;
}

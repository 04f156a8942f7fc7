/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Compares components with their definition, for every size, shape, format and rule but the thresholds. */
#include "tests/core/cca/reference.h"
#include "tests/core/cca/testing.h"
#include "tests/core/common/gpu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static Setup setup;
static CtrCca *cca; /* one analyser for all images: they come in every order of size and format */
static Random rng = {1};

static const CtrFormat formats[] = {CTR_FORMAT_GRAY8, CTR_FORMAT_GRAY16, CTR_FORMAT_RGB, CTR_FORMAT_BGR,
    CTR_FORMAT_RGBX, CTR_FORMAT_BGRX, CTR_FORMAT_XRGB, CTR_FORMAT_XBGR, CTR_FORMAT_YUYV, CTR_FORMAT_YVYU,
    CTR_FORMAT_UYVY, CTR_FORMAT_VYUY};
static const Layout plain = {.format = CTR_FORMAT_GRAY8};

/* Shows the mask at a random threshold and polarity with random features, both connectivities. Takes MASK. */
static void
check_mask (uint8_t *mask, uint32_t width, uint32_t height, const char *name)
{
  const uint32_t threshold = 1 + random_below (&rng, 255);
  const bool invert = random_below (&rng, 2);
  const uint32_t features = random_below (&rng, 2) ? ALL_FEATURES : random_below (&rng, 8);
  const uint32_t measured = (random_below (&rng, 2) ? CTR_FEATURE_PERCENTILES : 0)
                            | (random_below (&rng, 2) ? CTR_FEATURE_INSCRIBED : 0)
                            | (random_below (&rng, 2) ? CTR_FEATURE_SKELETON : 0);
  Picture picture = picture_of_mask (&rng, mask, width, height, plain, threshold, invert);
  FOR_BOTH_CONNECTIVITIES (c)
  {
    CtrCcaParams params = params_of (c, threshold, invert, features | measured);
    params.ring_width = 1 + random_below (&rng, random_below (&rng, 4) ? 4 : CTR_CCA_MOST_RING_WIDTH);
    describe ("%s %u x %u, %d-connected, threshold %u%s, features %u", name, width, height, c, threshold,
        invert ? " inverted" : "", features);
    check_cca (cca, &setup, &picture.view, &params);
  }
  picture_free (&picture);
  free (mask);
}

static void
check_noise (uint32_t width, uint32_t height, uint32_t density, uint32_t grain)
{
  char name[64];
  snprintf (name, sizeof name, "noise of %u %% in squares of %u,", density, grain);
  check_mask (noise_new (&rng, width, height, density, grain), width, height, name);
}

static void
check_shape (Shape shape, uint32_t width, uint32_t height)
{
  check_mask (shape_new (shape, width, height), width, height, shape_names[shape]);
}

static void
test_small_sizes (void)
{
  const uint32_t step = setup.quick ? 4 : 1;
  for (uint32_t height = 1; height <= 17; height += step)
    for (uint32_t width = 1; width <= 17; width += step)
      for (int i = 0; i < 2; i++)
        check_noise (width, height, random_below (&rng, 101), 1);
}

static void
test_lines (void)
{
  static const uint32_t lengths[] = {31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 256, 257, 1000, 16383, 65535};
  for (size_t i = 0; i < LENGTH (lengths); i += setup.quick ? 4 : 1)
    for (uint32_t density = 10; density <= 90; density += 40) {
      check_noise (lengths[i], 1, density, 1);
      check_noise (1, lengths[i], density, 1);
    }
  const uint32_t length = setup.quick ? 4099 : 16383;
  for (Shape shape = 0; shape < SHAPE_COUNT; shape += setup.quick ? 3 : 1) {
    check_shape (shape, length, 1);
    check_shape (shape, 1, length);
  }
}

static void
test_widest (void)
{
  const uint32_t side = CTR_MAX_SIDE;
  if (setup.quick)
    return;
  check_noise (side, 3, 50, 1);
  check_noise (3, side, 50, 1);
  check_shape (SHAPE_ONES, side, 3);
  check_shape (SHAPE_ONES, 3, side);
  check_shape (SHAPE_CHEQUERBOARD, side, 2);
  check_shape (SHAPE_CHEQUERBOARD, 2, side);
}

static void
test_shapes (void)
{
  static const uint32_t sizes[][2] = {{9, 7}, {64, 64}, {65, 33}, {127, 255}, {300, 200}, {130, 514}};
  for (size_t i = 0; i < LENGTH (sizes); i += setup.quick ? 2 : 1)
    for (Shape shape = 0; shape < SHAPE_COUNT; shape++)
      check_shape (shape, sizes[i][0], sizes[i][1]);
}

/* Around multiples of the GPU backend's 128 x 64 tiles. */
static void
test_tile_edges (void)
{
  static const uint32_t widths[] = {127, 128, 129, 255, 256, 257}, heights[] = {63, 64, 65, 127, 128, 129};
  static const Shape shapes[] = {SHAPE_ONES, SHAPE_SPIRAL, SHAPE_SERPENTINE, SHAPE_SERPENTINE_UPRIGHT, SHAPE_LATTICE};
  const size_t step = setup.quick ? 2 : 1;
  for (size_t i = 0; i < LENGTH (widths); i += step)
    for (size_t j = 0; j < LENGTH (heights); j += step) {
      for (size_t k = 0; k < LENGTH (shapes); k += step)
        check_shape (shapes[k], widths[i], heights[j]);
      for (uint32_t density = 20; density <= 80; density += 20 * (uint32_t) step)
        check_noise (widths[i], heights[j], density, 1);
    }
}

static void
test_noise (void)
{
  static const uint32_t grains[] = {1, 2, 3, 4, 8, 16};
  for (size_t i = 0; i < LENGTH (grains); i += setup.quick ? 3 : 1)
    for (uint32_t density = 0; density <= 100; density += setup.quick ? 25 : 5)
      check_noise (331, 217, density, grains[i]);
}

/* Any stride, any alignment, garbage between the rows; the picture itself stays as it is. */
static void
test_layouts (void)
{
  for (uint32_t width = 1; width <= 140; width += setup.quick ? 37 : 3)
    for (size_t f = 0; f < LENGTH (formats); f++) {
      Layout layout = {.format = formats[f], .offset = random_below (&rng, 70), .padding = random_below (&rng, 80)};
      uint32_t threshold = 1 + random_below (&rng, 255);
      if (layout.format == CTR_FORMAT_GRAY16) {
        layout.offset &= ~1u;
        layout.padding &= ~1u;
        threshold = 1 + random_below (&rng, 65535);
      }
      const uint32_t height = 1 + random_below (&rng, 70);
      uint8_t *mask = noise_new (&rng, width, height, 50, 1);
      Picture picture = picture_of_mask (&rng, mask, width, height, layout, threshold, false);
      void *before = malloc (picture.bytes);
      memcpy (before, picture.memory, picture.bytes);
      CtrCcaParams params = params_of (width % 2 ? 4 : 8, threshold, false, ALL_FEATURES);
      describe ("format %d, %u x %u, offset %u, padding %u, threshold %u", layout.format, width, height, layout.offset,
          layout.padding, threshold);
      check_cca (cca, &setup, &picture.view, &params);
      CHECK (memcmp (before, picture.memory, picture.bytes) == 0);
      free (before);
      free (mask);
      picture_free (&picture);
    }
}

/* Sums that fill their integers: largest samples, largest coordinates. */
static void
test_large_sums (void)
{
  const uint32_t width = 1500, height = 700;
  Picture picture = picture_random (&rng, width, height, (Layout){.format = CTR_FORMAT_GRAY16});
  memset (picture.memory, 0xff, picture.bytes);
  /* A centreline takes many passes over a frame that is one component, and adds up nothing. */
  const uint32_t features = setup.quick ? ALL_FEATURES & ~(uint32_t) CTR_FEATURE_SKELETON : ALL_FEATURES;
  CtrCcaParams params = params_of (CTR_CONNECTIVITY_4, 65535, false, features);
  describe ("samples of 65535");
  check_cca (cca, &setup, &picture.view, &params);
  picture_free (&picture);
}

/* Percentiles of components of more samples than one CTA of the GPU backend counts, of 8 and 16 bits. */
static void
test_many_samples (void)
{
  static const uint32_t sizes[][2] = {{129, 127}, {128, 128}, {16385, 1}, {300, 250}, {257, 512}};
  static const CtrFormat depths[] = {CTR_FORMAT_GRAY8, CTR_FORMAT_GRAY16};
  for (size_t i = 0; i < LENGTH (sizes); i += setup.quick ? 2 : 1)
    for (size_t d = 0; d < LENGTH (depths); d++)
      for (uint32_t kind = 0; kind < 3; kind++) {
        const uint32_t width = sizes[i][0], height = sizes[i][1], threshold = kind == 0 ? 0 : 100;
        uint8_t *mask = kind == 1 ? shape_new (SHAPE_ONES, width, height) : noise_new (&rng, width, height, 97, 1);
        Picture picture =
            picture_of_mask (&rng, mask, width, height, (Layout){.format = depths[d]}, 100 + 20000 * d, false);
        CtrCcaParams params =
            params_of (CTR_CONNECTIVITY_8, threshold ? 100 + 20000 * (uint32_t) d : 0, false, CTR_FEATURE_PERCENTILES);
        describe ("%u x %u, depth %zu, kind %u", width, height, d, kind);
        check_cca (cca, &setup, &picture.view, &params);
        free (mask);
        picture_free (&picture);
      }
}

static void
test_area_limits (void)
{
  static const uint32_t limits[][2] = {
      {0, 0}, {1, 1}, {2, 0}, {5, 20}, {20, 5}, {0, 1}, {3, 3}, {100000, 0}, {UINT32_MAX, 0}, {0, UINT32_MAX}};
  for (size_t i = 0; i < LENGTH (limits); i++)
    FOR_BOTH_CONNECTIVITIES (c)
    {
      uint8_t *mask = noise_new (&rng, 210, 140, 35, 1);
      Picture picture = picture_of_mask (&rng, mask, 210, 140, plain, 100, false);
      CtrCcaParams params = params_of (c, 100, false, i % 2 ? 0 : ALL_FEATURES);
      params.min_area = limits[i][0];
      params.max_area = limits[i][1];
      describe ("areas %u to %u, %d-connected", params.min_area, params.max_area, c);
      check_cca (cca, &setup, &picture.view, &params);
      picture_free (&picture);
      free (mask);
    }
}

static int
compare_areas (const void *a, const void *b)
{
  const uint32_t x = *(const uint32_t *) a, y = *(const uint32_t *) b;
  return (x > y) - (x < y);
}

/* The areas of the mask's components, ascending; transfer full. */
static uint32_t *
sorted_areas (uint8_t *mask, uint32_t width, uint32_t height, CtrConnectivity connectivity, uint32_t *count)
{
  CtrImage image = {.data = mask, .stride = width, .width = width, .height = height, .format = CTR_FORMAT_GRAY8};
  CtrCcaParams params = params_of (connectivity, 1, false, 0);
  CtrComponents *components = analyse (cca, &setup, &image, &params);
  *count = components->count;
  uint32_t *areas = malloc ((components->count + 1) * sizeof *areas);
  for (uint32_t i = 0; i < components->count; i++)
    areas[i] = components->table[i].area;
  qsort (areas, components->count, sizeof *areas, compare_areas);
  ctr_components_unref (components);
  return areas;
}

/* Mirrored, turned and transposed pictures have the same components; inverting the rule equals inverting the picture.
 */
static void
test_symmetries (void)
{
  const uint32_t w = 260, h = 150;
  for (uint32_t density = 30; density <= 70; density += 10)
    FOR_BOTH_CONNECTIVITIES (c)
    {
      uint8_t *mask = noise_new (&rng, w, h, density, 1), *other = malloc (w * h);
      uint32_t count, other_count;
      uint32_t *areas = sorted_areas (mask, w, h, c, &count);
      for (int flip = 1; flip < 8; flip++) {
        const bool transpose = flip & 4;
        for (uint32_t y = 0; y < h; y++)
          for (uint32_t x = 0; x < w; x++) {
            uint32_t fx = flip & 1 ? w - 1 - x : x, fy = flip & 2 ? h - 1 - y : y;
            other[transpose ? fx * h + fy : fy * w + fx] = mask[y * w + x];
          }
        uint32_t *other_areas = sorted_areas (other, transpose ? h : w, transpose ? w : h, c, &other_count);
        describe ("symmetry %d of %u %% noise, %d-connected", flip, density, c);
        CHECK (other_count == count);
        CHECK (memcmp (areas, other_areas, count * sizeof *areas) == 0);
        free (other_areas);
      }
      for (uint32_t i = 0; i < w * h; i++)
        other[i] = !mask[i];
      CtrImage image = {.data = mask, .stride = w, .width = w, .height = h, .format = CTR_FORMAT_GRAY8};
      CtrImage inverse = image;
      inverse.data = other;
      CtrCcaParams inverted = params_of (c, 1, true, CTR_FEATURE_LABELS);
      CtrCcaParams direct = params_of (c, 1, false, CTR_FEATURE_LABELS);
      CtrComponents *a = analyse (cca, &setup, &image, &inverted), *b = analyse (cca, &setup, &inverse, &direct);
      describe ("inverted %u %% noise, %d-connected", density, c);
      check_components_equal (a, b);
      ctr_components_unref (a);
      ctr_components_unref (b);
      free (areas);
      free (mask);
      free (other);
    }
}

static void
test_determinism (void)
{
  uint8_t *mask = noise_new (&rng, 500, 400, 45, 1);
  Picture picture = picture_of_mask (&rng, mask, 500, 400, plain, 100, false);
  CtrCcaParams params = params_of (CTR_CONNECTIVITY_8, 100, false, ALL_FEATURES);
  CtrComponents *first = analyse (cca, &setup, &picture.view, &params);
  for (int i = 0; i < (setup.quick ? 5 : 100); i++) {
    describe ("the same picture for the %d. time", i + 2);
    CtrComponents *again = analyse (cca, &setup, &picture.view, &params);
    check_components_equal (first, again);
    ctr_components_unref (again);
  }
  ctr_components_unref (first);
  picture_free (&picture);
  free (mask);
}

/* An analyser that has seen little meets a picture with very many components, also where few of them are kept. */
static void
test_growth (void)
{
  const uint32_t w = setup.quick ? 256 : 1024, h = setup.quick ? 192 : 768;
  static const Shape shapes[] = {SHAPE_CHEQUERBOARD, SHAPE_DOTS, SHAPE_ARCHES};
  for (size_t i = 0; i < LENGTH (shapes); i++)
    for (uint32_t features = 0; features <= ALL_FEATURES; features += ALL_FEATURES)
      for (uint32_t min_area = 0; min_area <= 2; min_area += 2) {
        CtrCca *fresh = analyser_new (&setup);
        uint8_t *mask = shape_new (SHAPE_ZEROS, w, h), *many = shape_new (shapes[i], w, h);
        CtrImage image = {.data = mask, .stride = w, .width = w, .height = h, .format = CTR_FORMAT_GRAY8};
        CtrCcaParams params = params_of (CTR_CONNECTIVITY_4, 1, false, features);
        params.min_area = min_area;
        describe ("%s after zeros, features %u, area >= %u", shape_names[shapes[i]], features, min_area);
        check_cca (fresh, &setup, &image, &params);
        image.data = many;
        check_cca (fresh, &setup, &image, &params);
        image.data = mask;
        check_cca (fresh, &setup, &image, &params);
        ctr_cca_free (fresh);
        free (mask);
        free (many);
      }
}

/* Two analysers with work queued at once; a result outlives its analyser; a queued image may be replaced or left. */
static void
test_lifetimes (void)
{
  Picture a = picture_random (&rng, 200, 100, plain), b = picture_random (&rng, 90, 170, plain);
  CtrCcaParams params = params_of (CTR_CONNECTIVITY_8, 128, false, ALL_FEATURES);
  CtrComponents *expected_a = reference_cca (&a.view, &params), *expected_b = reference_cca (&b.view, &params);
  CtrCca *one = analyser_new (&setup), *two = analyser_new (&setup);
  describe ("two analysers");
  CHECK (ctr_cca_enqueue (one, &a.view, &params, setup.stream, NULL));
  CHECK (ctr_cca_enqueue (two, &b.view, &params, setup.stream, NULL));
  CtrComponents *result_b = ctr_cca_finish (two, NULL), *result_a = ctr_cca_finish (one, NULL);
  CHECK (result_a && result_b);
  describe ("a second image queued before the first one's result was taken");
  CHECK (ctr_cca_enqueue (one, &a.view, &params, setup.stream, NULL));
  CHECK (ctr_cca_enqueue (one, &b.view, &params, setup.stream, NULL));
  CtrComponents *second = ctr_cca_finish (one, NULL);
  CHECK (second);
  check_components_equal (expected_b, second);
  describe ("no stream given");
  CtrComponents *unstreamed = ctr_cca_run (two, &a.view, &params, NULL, NULL);
  CHECK (unstreamed);
  check_components_equal (expected_a, unstreamed);
  ctr_components_unref (unstreamed);
  describe ("an analyser freed with an image queued");
  CHECK (ctr_cca_enqueue (two, &a.view, &params, setup.stream, NULL));
  ctr_cca_free (one);
  ctr_cca_free (two);
  describe ("results after their analysers");
  CHECK (ctr_components_ref (result_a) == result_a);
  ctr_components_unref (result_a);
  check_components_equal (expected_a, result_a);
  check_components_equal (expected_b, result_b);
  ctr_components_unref (result_a);
  ctr_components_unref (result_b);
  ctr_components_unref (second);
  reference_components_free (expected_a);
  reference_components_free (expected_b);
  picture_free (&a);
  picture_free (&b);
}

/* Any order of sizes, formats and parameters through one analyser. */
static void
test_reuse (void)
{
  for (int i = 0; i < (setup.quick ? 10 : 120); i++) {
    const Layout layout = {.format = formats[random_below (&rng, LENGTH (formats))]};
    const uint32_t width = 1 + random_below (&rng, i % 5 ? 100 : 700);
    Picture picture = picture_random (&rng, width, 1 + random_below (&rng, 90), layout);
    const bool wide = layout.format == CTR_FORMAT_GRAY16;
    CtrCcaParams params = params_of (
        i % 2 ? 4 : 8, random_below (&rng, wide ? 65537 : 257), random_below (&rng, 2), random_below (&rng, 8));
    params.foreground.mode = i % 3 ? CTR_THRESHOLD_FIXED : CTR_THRESHOLD_OTSU;
    params.min_area = random_below (&rng, 4);
    describe ("reuse %d: format %d, %u x %u", i, layout.format, width, picture.view.height);
    check_cca (cca, &setup, &picture.view, &params);
    picture_free (&picture);
  }
}

/* CUDA: images in device memory, at any pitch and offset, and the result where it lies there. */
static void
test_device_images (void)
{
  if (setup.backend == CTR_BACKEND_CPU)
    return;
  for (uint32_t width = 1; width <= 600; width += setup.quick ? 299 : 23)
    for (size_t f = 0; f < LENGTH (formats); f++) {
      Layout layout = {.format = formats[f], .offset = random_below (&rng, 40), .padding = random_below (&rng, 300)};
      if (layout.format == CTR_FORMAT_GRAY16) {
        layout.offset &= ~1u;
        layout.padding &= ~1u;
      }
      const uint32_t height = 1 + random_below (&rng, 150);
      Picture picture = picture_random (&rng, width, height, layout);
      CtrCcaParams params =
          params_of (width % 2 ? 4 : 8, layout.format == CTR_FORMAT_GRAY16 ? 33000 : 120, f % 2, ALL_FEATURES);
      params.foreground.mode = width % 3 ? CTR_THRESHOLD_FIXED : CTR_THRESHOLD_OTSU;
      describe ("device image, format %d, %u x %u, offset %u, padding %u", layout.format, width, height, layout.offset,
          layout.padding);
      CtrComponents *expected = reference_cca (&picture.view, &params);
      uint8_t *memory = gpu_alloc (picture.bytes);
      gpu_upload (memory, picture.memory, picture.bytes);
      CtrImage image = picture.view;
      image.data = memory + layout.offset;
      image.memory = CTR_MEMORY_DEVICE;
      CtrComponents *actual = analyse (cca, &setup, &image, &params);
      check_components_equal (expected, actual);

      CtrDeviceComponents device;
      uint32_t count;
      CHECK (ctr_cca_get_device_result (cca, &device, NULL));
      gpu_download (&count, device.count, sizeof count);
      CHECK (count == expected->count && count <= device.capacity);
      CtrComponent *table = malloc ((count + 1) * sizeof *table);
      uint32_t *labels = malloc ((size_t) width * height * sizeof *labels);
      gpu_download (table, device.table, count * sizeof *table);
      gpu_download (labels, device.labels, (size_t) width * height * sizeof *labels);
      CHECK (memcmp (table, expected->table, count * sizeof *table) == 0);
      CHECK (memcmp (labels, expected->labels, (size_t) width * height * sizeof *labels) == 0);
      free (table);
      free (labels);
      gpu_free (memory);
      ctr_components_unref (actual);
      reference_components_free (expected);
      picture_free (&picture);
    }
}

int
main (int argc, char **argv)
{
  static const Test tests[] = {
      {"small sizes", test_small_sizes},
      {"lines", test_lines},
      {"widest images", test_widest},
      {"shapes", test_shapes},
      {"tile edges", test_tile_edges},
      {"noise", test_noise},
      {"many samples", test_many_samples},
      {"layouts", test_layouts},
      {"large sums", test_large_sums},
      {"area limits", test_area_limits},
      {"symmetries", test_symmetries},
      {"determinism", test_determinism},
      {"growth", test_growth},
      {"lifetimes", test_lifetimes},
      {"reuse", test_reuse},
      {"device images", test_device_images},
  };
  setup = setup_open (argv[1], false);
  cca = analyser_new (&setup);
  run_tests (tests, LENGTH (tests));
  ctr_cca_free (cca);
  return 0;
}

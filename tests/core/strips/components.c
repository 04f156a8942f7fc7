/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Components of strips: tall pictures in every cutting, compared with their definition and with the whole picture; the
 * bound on open components, missing rows, ends of webs, errors, results that are read late. */
#include "tests/core/cca/reference.h"
#include "tests/core/cca/testing.h"
#include "tests/core/common/gpu.h"
#include "tests/core/strips/reference.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { NO_BOUND = 16384, MOST_STRIPS = 1024 };

static Setup setup;
static Random rng = {7};

/* A picture cut into strips. Cut 0: strips of random heights; otherwise of this height, the last one of the rest. */
typedef struct {
  const CtrImage *web;
  uint32_t heights[MOST_STRIPS];
  uint32_t count;
} Cutting;

static Cutting
cut (const CtrImage *web, uint32_t height)
{
  Cutting cutting = {.web = web};
  for (uint32_t y = 0; y < web->height;) {
    const uint32_t left = web->height - y, wanted = height ? height : 1 + random_below (&rng, 40);
    CHECK (cutting.count < MOST_STRIPS);
    y += cutting.heights[cutting.count++] = wanted < left ? wanted : left;
  }
  return cutting;
}

/* The strip of WEB that begins with row Y. */
static CtrImage
strip_at (const CtrImage *web, uint32_t y, uint32_t height)
{
  CtrImage strip = *web;
  strip.data = (const uint8_t *) web->data + (size_t) y * web->stride;
  strip.height = height;
  return strip;
}

static CtrComponentStrips *
strips_new (uint32_t max_open_rows)
{
  CtrError error;
  CtrComponentStrips *strips = ctr_component_strips_new (setup.backend, max_open_rows, &error);
  if (!strips)
    fail (__FILE__, __LINE__, error.message);
  return strips;
}

static CtrComponents *
submit (CtrComponentStrips *strips, const CtrImage *strip, const CtrCcaParams *params)
{
  CtrError error;
  CtrComponents *result = ctr_component_strips_submit (strips, strip, params, setup.stream, &error);
  if (!result)
    fail (__FILE__, __LINE__, error.message);
  return result;
}

static CtrComponents *
finish (CtrComponentStrips *strips)
{
  CtrError error;
  CtrComponents *rest;
  if (!ctr_component_strips_finish (strips, &rest, &error))
    fail (__FILE__, __LINE__, error.message);
  return rest;
}

static void
check_equal (const CtrComponents *expected, CtrComponents *actual)
{
  CHECK (actual->origin_row == expected->origin_row); /* known before the result is complete */
  CHECK (actual->height == expected->height);
  CHECK (ctr_components_wait (actual, NULL));
  CHECK (actual->unfinished == expected->unfinished);
  check_components_equal (expected, actual);
}

static int
compare_starts (const void *a, const void *b)
{
  const CtrComponent *x = a, *y = b;
  return x->top != y->top ? x->top - y->top : x->start_x - y->start_x;
}

/* The rows of all results, in the coordinates of the whole picture. */
typedef struct {
  CtrComponent *rows;
  uint32_t count;
} Union;

static void
collect (Union *all, const CtrComponents *result)
{
  all->rows = realloc (all->rows, (all->count + result->count + 1) * sizeof *all->rows);
  for (uint32_t i = 0; i < result->count; i++) {
    CtrComponent *row = &all->rows[all->count++];
    *row = result->table[i];
    row->top = (uint16_t) (row->top + result->origin_row);
    row->sum_y += result->origin_row * row->area;
  }
}

/* Is the union of all results what the analysis of the whole picture finds? */
static void
check_union (Union *all, const CtrImage *web, const CtrCcaParams *params)
{
  CtrCca *cca = analyser_new (&setup);
  CtrComponents *whole = analyse (cca, &setup, web, params);
  qsort (all->rows, all->count, sizeof *all->rows, compare_starts);
  CHECK (all->count == whole->count);
  CHECK (memcmp (all->rows, whole->table, all->count * sizeof *all->rows) == 0);
  ctr_components_unref (whole);
  ctr_cca_free (cca);
  free (all->rows);
}

/* Analyses CUTTING and compares each result with the reference. READ_LATE: no result is read before all strips have come.
 * CUTS: before some strips rows are missing. */
static void
check_cutting (CtrComponentStrips *strips, uint32_t max_open_rows, const Cutting *cutting, const CtrCcaParams *params,
    bool read_late, bool cuts)
{
  static CtrComponents *expected[MOST_STRIPS + 1], *actual[MOST_STRIPS + 1];
  ReferenceStrips reference;
  Union all = {0};
  const uint32_t n = cutting->count;
  reference_strips_init (&reference, cutting->web, max_open_rows);
  for (uint32_t i = 0, y = 0; i < n; y += cutting->heights[i++]) {
    const CtrImage strip = strip_at (cutting->web, y, cutting->heights[i]);
    const bool is_cut = cuts && random_below (&rng, 4) == 0;
    expected[i] = reference_strips_next (&reference, strip.height, is_cut, params);
    if (is_cut)
      ctr_component_strips_cut (strips);
    actual[i] = submit (strips, &strip, params);
    if (!read_late) {
      check_equal (expected[i], actual[i]);
      for (uint32_t k = 0; k < expected[i]->count; k++)
        CHECK (ctr_components_is_unfinished (actual[i], k) == reference.unfinished[k]);
    }
  }
  actual[n] = finish (strips);
  expected[n] = reference_strips_next (&reference, 0, false, params);
  CHECK (!actual[n] == (expected[n]->count == 0));
  for (uint32_t i = n + 1; i-- > 0;) {
    if (actual[i]) {
      check_equal (expected[i], actual[i]);
      CHECK (i < n || actual[i]->unfinished == 0);
      collect (&all, actual[i]);
      ctr_components_unref (actual[i]);
    }
    reference_components_free (expected[i]);
  }
  if (!cuts && max_open_rows >= cutting->web->height)
    check_union (&all, cutting->web, params);
  else
    free (all.rows);
  reference_strips_clear (&reference);
}

static CtrCcaParams
random_params (CtrConnectivity connectivity, uint32_t threshold, bool invert)
{
  CtrCcaParams params = params_of (connectivity, threshold, invert, random_below (&rng, 4));
  if (random_below (&rng, 3) == 0)
    params.min_area = random_below (&rng, 12);
  if (random_below (&rng, 4) == 0)
    params.max_area = 1 + random_below (&rng, 200);
  return params;
}

/* Checks MASK in several cuttings. Takes MASK. */
static void
check_mask (uint8_t *mask, uint32_t width, uint32_t height, uint32_t max_open_rows, bool cuts, const char *name)
{
  static const uint32_t heights[] = {1, 2, 3, 7, 0, 64, 65535};
  const uint32_t threshold = 1 + random_below (&rng, 255);
  const bool invert = random_below (&rng, 2);
  Picture picture = picture_of_mask (&rng, mask, width, height, random_layout (&rng), threshold, invert);
  CtrComponentStrips *strips = strips_new (max_open_rows);
  /* Quick: one of them. */
  const size_t first = setup.quick ? random_below (&rng, LENGTH (heights)) : 0, only = random_below (&rng, 2);
  for (size_t i = first; i < (setup.quick ? first + 1 : LENGTH (heights)); i++)
    FOR_BOTH_CONNECTIVITIES (c)
    {
      if (setup.quick && only == (c == CTR_CONNECTIVITY_4))
        continue;
      const Cutting cutting = cut (&picture.view, heights[i]);
      const CtrCcaParams params = random_params (c, threshold, invert);
      const bool read_late = random_below (&rng, 2);
      describe ("%s %u x %u, cut %u, %d-connected, threshold %u%s, features %u, areas %u to %u, open %u rows%s%s", name,
          width, height, heights[i], c, threshold, invert ? " inverted" : "", params.features, params.min_area,
          params.max_area, max_open_rows, read_late ? ", read late" : "", cuts ? ", cut" : "");
      check_cutting (strips, max_open_rows, &cutting, &params, read_late, cuts);
    }
  ctr_component_strips_free (strips);
  picture_free (&picture);
  free (mask);
}

static void
test_noise (void)
{
  static const uint32_t widths[] = {1, 2, 3, 31, 33, 64, 100, 129, 257};
  for (size_t i = 0; i < LENGTH (widths); i += setup.quick ? 4 : 1)
    for (uint32_t density = 10; density <= 90; density += setup.quick ? 35 : 16)
      check_mask (
          noise_new (&rng, widths[i], 90, density, 1 + (uint32_t) i % 3), widths[i], 90, NO_BOUND, false, "noise");
}

static void
test_shapes (void)
{
  static const uint32_t sizes[][2] = {{130, 66}, {17, 60}, {130, 140}, {64, 200}};
  for (size_t i = 0; i < (setup.quick ? 1 : LENGTH (sizes)); i++)
    for (Shape shape = 0; shape < SHAPE_COUNT; shape++)
      check_mask (
          shape_new (shape, sizes[i][0], sizes[i][1]), sizes[i][0], sizes[i][1], NO_BOUND, false, shape_names[shape]);
}

/* Several U inside one another, which join late; and W, whose middle joins first. */
static void
test_late_joins (void)
{
  enum { W = 120, H = 150 };
  uint8_t *cups = calloc (W, H), *doubled = calloc (W, H);
  for (uint32_t k = 0; k < 28; k++) {
    const uint32_t left = 2 * k, right = W - 1 - 2 * k, bottom = H - 1 - 5 * k;
    for (uint32_t y = 0; y <= bottom; y++)
      cups[y * W + left] = cups[y * W + right] = 1;
    for (uint32_t x = left; x <= right; x++)
      cups[bottom * W + x] = 1;
  }
  for (uint32_t y = 0; y < H; y++)
    for (uint32_t k = 0; k < 5; k++) {
      const uint32_t x = k % 2 ? (k + 1) * 20 - y % 20 : k * 20 + y % 20;
      doubled[y * W + x] = 1;
    }
  check_mask (cups, W, H, NO_BOUND, false, "cups");
  check_mask (doubled, W, H, NO_BOUND, false, "zigzags");
}

static void
test_bound (void)
{
  static const uint32_t bounds[] = {1, 2, 5, 20, 50};
  for (size_t i = 0; i < LENGTH (bounds); i += setup.quick ? 2 : 1) {
    for (uint32_t density = 30; density <= 90; density += 30)
      check_mask (noise_new (&rng, 70, 80, density, 2), 70, 80, bounds[i], false, "noise");
    check_mask (shape_new (SHAPE_COLUMNS, 40, 120), 40, 120, bounds[i], false, "columns");
    check_mask (shape_new (SHAPE_SPIRAL, 60, 90), 60, 90, bounds[i], false, "spiral");
    check_mask (shape_new (SHAPE_ARCHES, 60, 90), 60, 90, bounds[i], false, "arches");
  }
}

static void
test_missing_rows (void)
{
  for (uint32_t density = 30; density <= 90; density += 20)
    check_mask (noise_new (&rng, 70, 80, density, 2), 70, 80, density == 50 ? 10 : NO_BOUND, true, "noise");
  check_mask (shape_new (SHAPE_COLUMNS, 40, 120), 40, 120, NO_BOUND, true, "columns");
}

/* Components as long as they may stay open, with the largest samples, behind one another. */
static void
test_long_components (void)
{
  enum { W = 300, H = 1000, MOST_LONG = 40 };
  const uint32_t repeats = setup.quick ? 1 : 20, strip_count = setup.quick ? 3 : MOST_LONG;
  uint16_t *samples = malloc (W * H * sizeof *samples);
  memset (samples, 0xff, W * H * sizeof *samples);
  const CtrImage full = {.data = samples, .stride = 2 * W, .width = W, .height = H, .format = CTR_FORMAT_GRAY16};
  uint16_t *nothing = calloc (W * H, sizeof *nothing);
  const CtrImage empty = {.data = nothing, .stride = 2 * W, .width = W, .height = H, .format = CTR_FORMAT_GRAY16};
  const CtrCcaParams params = params_of (CTR_CONNECTIVITY_4, 65535, false, CTR_FEATURE_MOMENTS | CTR_FEATURE_GREY);
  CtrComponentStrips *strips = strips_new (strip_count * H);
  uint64_t row = 0;
  for (uint32_t repeat = 0; repeat < repeats; repeat++) {
    const uint64_t first = row;
    for (uint32_t i = 0; i < strip_count; i++, row += H) {
      CtrComponents *result = submit (strips, &full, &params);
      CHECK (ctr_components_wait (result, NULL) && result->count == 0);
      ctr_components_unref (result);
    }
    CtrComponents *result = submit (strips, &empty, &params);
    CHECK (ctr_components_wait (result, NULL) && result->count == 1 && result->unfinished == 0);
    const CtrComponent *c = result->table;
    const uint64_t h = strip_count * H, top = first - result->origin_row;
    uint64_t sum_y = 0, sum_yy = 0, sum_xx = 0;
    for (uint64_t y = top; y < top + h; y++) {
      sum_y += y * W;
      sum_yy += y * y * W;
    }
    for (uint64_t x = 0; x < W; x++)
      sum_xx += x * x * h;
    CHECK (c->top == top && c->height == h && c->left == 0 && c->width == W && c->area == W * h);
    CHECK (c->sum_y == sum_y && c->sum_x == (uint64_t) W * (W - 1) / 2 * h);
    CHECK (result->moments->sum_yy == sum_yy && result->moments->sum_xx == sum_xx);
    CHECK (result->moments->sum_xy == (uint64_t) W * (W - 1) / 2 * (sum_y / W));
    CHECK (result->grey->sum == UINT64_C (65535) * W * h && result->grey->min == 65535 && result->grey->max == 65535);
    ctr_components_unref (result);
    row += H;
  }
  CHECK (!finish (strips));
  ctr_component_strips_free (strips);
  free (samples);
  free (nothing);
}

static void *
wait_in_thread (void *result)
{
  return ctr_components_wait (result, NULL) ? result : NULL;
}

/* Other threads read results, in any order, while strips come. */
static void
test_readers (void)
{
  enum { W = 90, H = 24, STRIPS = 30 };
  uint8_t *mask = noise_new (&rng, W, H * STRIPS, 55, 2);
  const CtrImage web = {.data = mask, .stride = W, .width = W, .height = H * STRIPS, .format = CTR_FORMAT_GRAY8};
  const CtrCcaParams params = params_of (CTR_CONNECTIVITY_8, 1, false, CTR_FEATURE_MOMENTS);
  CtrComponentStrips *strips = strips_new (NO_BOUND), *one = strips_new (NO_BOUND);
  CtrComponents *results[STRIPS];
  pthread_t threads[STRIPS];
  describe ("results that other threads read");
  for (uint32_t i = 0; i < STRIPS; i++) {
    const CtrImage strip = strip_at (&web, i * H, H);
    results[i] = submit (strips, &strip, &params);
    CHECK (pthread_create (&threads[i], NULL, wait_in_thread, results[i]) == 0);
  }
  for (uint32_t i = 0; i < STRIPS; i++) {
    const CtrImage strip = strip_at (&web, i * H, H);
    CtrError error;
    CtrComponents *expected = ctr_component_strips_run (one, &strip, &params, setup.stream, &error);
    void *ok;
    CHECK (pthread_join (threads[i], &ok) == 0 && ok);
    check_equal (expected, results[i]);
    ctr_components_unref (expected);
    ctr_components_unref (results[i]);
  }
  ctr_component_strips_free (strips);
  ctr_component_strips_free (one);
  free (mask);
}

static void
check_refused (CtrComponentStrips *strips, const CtrImage *strip, const CtrCcaParams *params, CtrStatus status,
    const char *mentions)
{
  CtrError error = {CTR_OK, ""};
  CHECK (!ctr_component_strips_submit (strips, strip, params, setup.stream, &error));
  CHECK (error.status == status && strstr (error.message, mentions));
}

static void
test_errors (void)
{
  enum { W = 20, H = 10 };
  uint8_t *ones = shape_new (SHAPE_ONES, W, H);
  const CtrImage good = {.data = ones, .stride = W, .width = W, .height = H, .format = CTR_FORMAT_GRAY8};
  const CtrCcaParams params = params_of (CTR_CONNECTIVITY_8, 1, false, CTR_FEATURE_MOMENTS);
  CtrError error;
  describe ("wrong arguments");
  static const uint32_t bounds[] = {0, 65535, UINT32_MAX};
  for (size_t i = 0; i < LENGTH (bounds); i++) {
    CHECK (!ctr_component_strips_new (setup.backend, bounds[i], &error));
    CHECK (error.status == CTR_ERROR_INVALID_ARGUMENT && strstr (error.message, "1 to 65534"));
  }
  ctr_component_strips_free (NULL);
  CtrComponentStrips *strips = strips_new (65534 - H + 1);
  CtrImage image = good;
  CtrCcaParams changed = params;
  for (int i = 0; i < 2; i++) {
    ctr_components_unref (submit (strips, &good, &params));
    image.width = W - 1;
    check_refused (strips, &image, &params, CTR_ERROR_INVALID_ARGUMENT, "19 pixels wide");
    /* The web has ended: nothing is open. */
    CHECK (!finish (strips));
    ctr_components_unref (submit (strips, &good, &params));
    changed.features = CTR_FEATURE_GREY;
    check_refused (strips, &good, &changed, CTR_ERROR_INVALID_ARGUMENT, "features");
    changed.features = CTR_FEATURE_LABELS;
    check_refused (strips, &good, &changed, CTR_ERROR_INVALID_ARGUMENT, "label image");
    changed.features = CTR_FEATURE_BACKGROUND;
    check_refused (strips, &good, &changed, CTR_ERROR_INVALID_ARGUMENT, "background");
    changed = params;
    changed.mode = CTR_COMPONENTS_EQUAL;
    check_refused (strips, &good, &changed, CTR_ERROR_INVALID_ARGUMENT, "mode=foreground");
    changed = params;
    changed.foreground.open_size = 3;
    check_refused (strips, &good, &changed, CTR_ERROR_INVALID_ARGUMENT, "one threshold on the luma");
    changed = params;
    changed.foreground.split_touching = 1;
    check_refused (strips, &good, &changed, CTR_ERROR_INVALID_ARGUMENT, "one threshold on the luma");
    changed = params;
    changed.connectivity = (CtrConnectivity) 5;
    check_refused (strips, &good, &changed, CTR_ERROR_INVALID_ARGUMENT, "4 or 8");
    check_refused (strips, NULL, &params, CTR_ERROR_INVALID_ARGUMENT, "");
    changed = params;
  }
  image = good;
  image.stride = 0;
  check_refused (strips, &image, &params, CTR_ERROR_INVALID_ARGUMENT, "stride");
  ctr_component_strips_free (strips);
  strips = strips_new (65535 - H + 1);
  check_refused (strips, &good, &params, CTR_ERROR_TOO_LARGE, "65535 rows");
  ctr_component_strips_free (strips);
  free (ones);
}

/* Webs that end, are dropped, or are freed while results are pending. */
static void
test_ends (void)
{
  enum { W = 33, H = 12 };
  uint8_t *ones = shape_new (SHAPE_ONES, W, H);
  const CtrImage image = {.data = ones, .stride = W, .width = W, .height = H, .format = CTR_FORMAT_GRAY8};
  const CtrCcaParams params = params_of (CTR_CONNECTIVITY_8, 1, false, 0);
  CtrComponentStrips *strips = strips_new (NO_BOUND);
  describe ("ends of webs");
  CHECK (!finish (strips));
  for (int i = 0; i < 3; i++) {
    CtrComponents *a = submit (strips, &image, &params), *b = submit (strips, &image, &params), *rest;
    if (i == 1)
      ctr_component_strips_drop (strips);
    rest = finish (strips);
    CHECK (!rest == (i == 1));
    CHECK (ctr_components_is_complete (a) && ctr_components_is_complete (b) && a->count == 0 && b->count == 0);
    CHECK (a->height == H && b->height == 2 * H);
    if (rest) {
      CHECK (rest->count == 1 && rest->table->area == 2 * W * H && rest->height == 2 * H && rest->origin_row == 0);
      ctr_components_unref (rest);
    }
    ctr_components_unref (a);
    ctr_components_unref (b);
  }
  CtrComponents *last = submit (strips, &image, &params);
  ctr_component_strips_free (strips);
  CHECK (ctr_components_wait (last, NULL) && last->count == 0);
  ctr_components_unref (last);
  free (ones);
}

/* The strips of a camera that hands out two frames of GPU memory in turn. */
static void
test_device_memory (void)
{
  enum { W = 200, H = 30, STRIPS = 8 };
  if (setup.backend == CTR_BACKEND_CPU)
    return;
  uint8_t *mask = noise_new (&rng, W, H * STRIPS, 60, 3);
  const CtrImage web = {.data = mask, .stride = W, .width = W, .height = H * STRIPS, .format = CTR_FORMAT_GRAY8};
  const CtrCcaParams params = params_of (CTR_CONNECTIVITY_8, 1, false, CTR_FEATURE_GREY);
  CtrComponentStrips *strips = strips_new (NO_BOUND), *host = strips_new (NO_BOUND);
  void *memory[2] = {gpu_alloc (W * H), gpu_alloc (W * H)};
  describe ("strips in GPU memory");
  for (uint32_t i = 0; i < STRIPS; i++) {
    const CtrImage strip = strip_at (&web, i * H, H);
    CtrImage device = strip;
    device.data = memory[i % 2];
    device.memory = CTR_MEMORY_DEVICE;
    CtrComponents *expected = submit (host, &strip, &params);
    CHECK (ctr_components_wait (expected, NULL));
    gpu_upload (memory[i % 2], strip.data, W * H);
    CtrComponents *result = submit (strips, &device, &params);
    CHECK (ctr_components_lead (result, setup.stream, NULL));
    check_equal (expected, result);
    ctr_components_unref (expected);
    ctr_components_unref (result);
  }
  ctr_component_strips_free (strips);
  ctr_component_strips_free (host);
  gpu_free (memory[0]);
  gpu_free (memory[1]);
  free (mask);
}

int
main (int argc, char **argv)
{
  static const Test tests[] = {{"noise", test_noise}, {"shapes", test_shapes}, {"late joins", test_late_joins},
      {"bound", test_bound}, {"missing rows", test_missing_rows}, {"long components", test_long_components},
      {"readers", test_readers}, {"errors", test_errors}, {"ends", test_ends}, {"device memory", test_device_memory}};
  setup = setup_open (argc > 1 ? argv[1] : NULL, false);
  run_tests (tests, LENGTH (tests));
  return 0;
}

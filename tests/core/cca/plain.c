/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Compares the backends where only the table of components is asked for: the CUDA backend then has kernels for small frames alone, up to
 * one for all steps, which hands a frame with too many runs over to others. */
#include "tests/core/cca/testing.h"
#include "tests/core/common/gpu.h"

#include <stdlib.h>
#include <string.h>

static Setup setup, cpu;
static CtrCca *cca, *on_cpu; /* one analyser each for all images */
static Random rng = {1};

static void
check (const Picture *picture, const CtrCcaParams *params)
{
  CtrComponents *expected = analyse (on_cpu, &cpu, &picture->view, params);
  CtrComponents *actual = analyse (cca, &setup, &picture->view, params);
  check_components_equal (expected, actual);
  ctr_components_unref (expected);
  ctr_components_unref (actual);
}

/* Takes MASK. LIMITS: with limits of areas, too. */
static void
check_mask (uint8_t *mask, uint32_t width, uint32_t height, Layout layout, bool limits, const char *name)
{
  const bool invert = random_below (&rng, 2);
  const uint32_t threshold = 1 + random_below (&rng, 255);
  Picture picture = picture_of_mask (&rng, mask, width, height, layout, threshold, invert);
  FOR_BOTH_CONNECTIVITIES (c)
  {
    CtrCcaParams params = params_of (c, threshold, invert, 0);
    describe ("%s, %u x %u, format %d, offset %u, padding %u, %d-connected", name, width, height, layout.format,
        layout.offset, layout.padding, c);
    check (&picture, &params);
    if (!limits)
      continue;
    params.min_area = 2 + random_below (&rng, 20);
    check (&picture, &params);
    params.max_area = params.min_area + random_below (&rng, 200);
    check (&picture, &params);
  }
  picture_free (&picture);
  free (mask);
}

static const Layout plain = {.format = CTR_FORMAT_GRAY8};

/* Strips of a single row, and fewer rows than strips. */
static void
test_small (void)
{
  for (uint32_t i = 0; i < 18 * 18; i += setup.quick ? 5 : 1)
    check_mask (noise_new (&rng, 1 + i % 18, 1 + i / 18, 30 + random_below (&rng, 60), 1), 1 + i % 18, 1 + i / 18,
        plain, i % 3 == 0, "noise");
}

/* Sizes at which words, strips and the words of a thread end. */
static void
test_shapes (void)
{
  static const uint32_t sizes[][2] = {{640, 480}, {641, 479}, {1280, 720}, {1920, 1080}, {1919, 1081}, {31, 2000},
      {33, 500}, {1023, 65}, {4096, 40}, {32, 16384}, {65535, 1}, {1, 65535}, {1500, 1500}, {1200, 1700}, {320, 240},
      {160, 33}, {333, 97}};
  for (size_t i = setup.quick ? 14 : 0; i < LENGTH (sizes); i++) {
    const uint32_t w = sizes[i][0], h = sizes[i][1];
    for (Shape shape = 0; shape < SHAPE_COUNT; shape++)
      check_mask (shape_new (shape, w, h), w, h, plain, false, shape_names[shape]);
    for (uint32_t grain = 1; grain <= 64; grain *= 4)
      for (uint32_t density = 10; density < 100; density += 20)
        check_mask (noise_new (&rng, w, h, density, grain), w, h, plain, density == 50, "noise");
  }
}

static void
test_layouts (void)
{
  for (int i = 0; i < (setup.quick ? 16 : 64); i++) {
    const uint32_t w = 1 + random_below (&rng, 300), h = 1 + random_below (&rng, 100);
    check_mask (noise_new (&rng, w, h, 45, 1 + random_below (&rng, 9)), w, h, random_layout (&rng), false, "noise");
  }
}

/* Frames with too many runs between others, in all kinds of turns: what an analyser has learnt of the last ones is wrong then. */
static void
test_turns (void)
{
  const uint32_t w = setup.quick ? 400 : 1280, h = setup.quick ? 60 : 720;
  for (int i = 0; i < 40; i++) {
    const bool many = i < 8 ? i % 2 == 1 : i < 16 ? i % 3 > 0 : i < 24 ? i == 20 : random_below (&rng, 2) > 0;
    check_mask (many ? shape_new (i % 4 ? SHAPE_DOTS : SHAPE_CHEQUERBOARD, w, h) : noise_new (&rng, w, h, 40, 20), w, h,
        plain, false, many ? "many runs" : "few runs");
  }
}

/* Frames in bands of rows, of two sizes in turn: the bands have few components, more of which many meet below, or there are too many. Each
 * is joined in another way, which an analyser chooses by what it has learnt of the last frames. */
static void
test_joins (void)
{
  const uint32_t w = setup.quick ? 640 : 1920, h = setup.quick ? 200 : 1080;
  for (int i = 0; i < (setup.quick ? 30 : 90); i++) {
    const uint32_t height = h - 7 * random_below (&rng, 2), kind = random_below (&rng, 10);
    if (i % 5 == 0) {
      ctr_cca_free (cca);
      cca = analyser_new (&setup);
    }
    check_mask (kind == 9  ? shape_new (SHAPE_DOTS, w, height)
                : kind > 5 ? noise_new (&rng, w, height, 45, w / 160 + random_below (&rng, w / 50))
                           : noise_new (&rng, w, height, 40, w / 40 + random_below (&rng, 40)),
        w, height, plain, i % 4 == 0,
        kind == 9  ? "many runs"
        : kind > 5 ? "many meet"
                   : "few runs");
  }
}

/* COUNT columns of two pixels, with a gap of GAP pixels: open components of all strips, and contacts of a seam. */
static void
test_room (void)
{
  for (uint32_t count = 100; count <= 160; count += setup.quick ? 7 : 1)
    for (uint32_t gap = 1; gap <= 4; gap += 3) {
      const uint32_t w = count * (gap + 2), h = 64;
      uint8_t *mask = shape_new (SHAPE_ZEROS, w, h);
      for (uint32_t i = 0; i < w * h; i++)
        mask[i] = i % w % (gap + 2) < 2;
      check_mask (mask, w, h, plain, gap == 4, "columns");
    }
  /* So many components of a strip that begin in it */
  for (uint32_t width = 1000; width <= 2048; width += setup.quick ? 262 : 131) {
    uint8_t *mask = shape_new (SHAPE_DOTS, width, 64);
    check_mask (mask, width, 64, plain, false, "dots");
  }
}

/* Sums of a component that need more than 32 bits, of rows and of columns. */
static void
test_large_sums (void)
{
  static const uint32_t sizes[][2] = {{5, 45000}, {12000, 64}, {2600, 1700}, {3840, 2160}};
  for (size_t i = 0; i < (setup.quick ? 2 : LENGTH (sizes)); i++) {
    const uint32_t w = sizes[i][0], h = sizes[i][1];
    check_mask (shape_new (SHAPE_ONES, w, h), w, h, plain, false, "ones");
    check_mask (shape_new (SHAPE_SERPENTINE, w, h), w, h, plain, false, "serpentine");
    check_mask (noise_new (&rng, w, h, 50, 90), w, h, plain, true, "noise");
  }
}

/* Is the result on the GPU, in work that follows on its stream, that of EXPECTED? It may be incomplete where LATE. */
static void
check_device_result (CtrCca *analyser, const CtrComponents *expected, bool late)
{
  CtrDeviceComponents device;
  CtrError error;
  uint32_t count;
  CHECK (ctr_cca_get_device_result (analyser, &device, &error));
  gpu_download (&count, device.count, sizeof count);
  if (late && count > device.capacity) /* UINT32_MAX, or of an analyser with less room yet, the number */
    return;
  CHECK (count == expected->count && count <= device.capacity);
  CtrComponent *table = malloc (count * sizeof *table);
  gpu_download (table, device.table, count * sizeof *table);
  CHECK (memcmp (table, expected->table, count * sizeof *table) == 0);
  free (table);
}

/* A result that is read on the GPU before it is taken, and behind that: of a frame with room in one kernel, and of another one. */
static void
test_device_result (void)
{
  if (setup.backend != CTR_BACKEND_CUDA)
    return;
  CtrCca *fresh = analyser_new (&setup);
  void *stream = gpu_stream_new_following (); /* for which downloads wait */
  for (int i = 0; i < 4; i++) {
    const bool many = i % 2;
    const uint32_t w = i < 2 ? 640 : 90, h = 200;
    uint8_t *mask = many ? shape_new (SHAPE_DOTS, w, h) : noise_new (&rng, w, h, 40, 20);
    Picture picture = picture_of_mask (&rng, mask, w, h, plain, 100, false);
    const CtrCcaParams params = params_of (4, 100, false, 0);
    CtrComponents *expected = analyse (on_cpu, &cpu, &picture.view, &params);
    CtrError error;
    describe ("%u x %u, %s", w, h, many ? "many runs" : "few runs");
    CHECK (ctr_cca_enqueue (fresh, &picture.view, &params, stream, &error));
    check_device_result (fresh, expected, many);
    CtrComponents *actual = ctr_cca_finish (fresh, &error);
    CHECK (actual);
    check_components_equal (expected, actual);
    check_device_result (fresh, expected, false);
    ctr_components_unref (expected);
    ctr_components_unref (actual);
    picture_free (&picture);
    free (mask);
  }
  ctr_cca_free (fresh);
}

int
main (int argc, char **argv)
{
  static const Test tests[] = {{"small", test_small}, {"shapes", test_shapes}, {"layouts", test_layouts},
      {"turns", test_turns}, {"joins", test_joins}, {"room", test_room}, {"large sums", test_large_sums},
      {"device result", test_device_result}};
  setup = setup_open (argc > 1 ? argv[1] : NULL, true);
  cpu = setup_open ("cpu", false);
  cca = analyser_new (&setup);
  on_cpu = analyser_new (&cpu);
  run_tests (tests, LENGTH (tests));
  ctr_cca_free (cca);
  ctr_cca_free (on_cpu);
  return 0;
}

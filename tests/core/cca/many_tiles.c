/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* many-tiles [slots]
 *
 * Compares the backends on frames of so many tiles that the CUDA backend takes its kernels for large frames, and on the
 * largest that one kernel finishes. Most of a frame is empty, to keep the emulation short. "slots": only a frame with many tiles
 * that take turns with memory for their labels. They meet there on a GPU, and in the emulation if its order is random. */
#include "tests/core/cca/testing.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
  uint32_t width, height;
} Size;

static const Size sizes[] = {
    {67 * 128 - 5, 32 * 64 - 3}, /* 2144 tiles, more than a small frame has */
    {30 * 128 - 5, 34 * 64 - 3}, /* 1020 tiles */
    {20 * 128 - 5, 20 * 64 - 3}, /* 400 tiles */
    {16 * 128 - 5, 16 * 64 - 3}, /* 256 tiles */
    {9 * 128 - 5, 12 * 64 - 3},  /* 108 tiles */
};

/* Copies PATCH (taken), of W x H pixels, into MASK at X, Y. */
static void
paste (uint8_t *mask, uint32_t width, uint8_t *patch, uint32_t w, uint32_t h, uint32_t x, uint32_t y)
{
  for (uint32_t i = 0; i < h; i++)
    for (uint32_t k = 0; k < w; k++)
      mask[(size_t) (y + i) * width + x + k] = patch[(size_t) i * w + k];
  free (patch);
}

static uint8_t *
mask_new (Random *rng, uint32_t width, uint32_t height)
{
  uint8_t *mask = shape_new (SHAPE_ZEROS, width, height);
  paste (mask, width, noise_new (rng, 600, 300, 45, 1), 600, 300, width - 600, height - 300);
  paste (mask, width, noise_new (rng, 300, 400, 60, 2), 300, 400, 0, height / 4);
  paste (mask, width, shape_new (SHAPE_ONES, 500, 200), 500, 200, width / 9, 0);
  paste (mask, width, shape_new (SHAPE_SPIRAL, 300, 300), 300, 300, width / 3, 100);
  /* More labels than a warp has room for beside others. */
  paste (mask, width, shape_new (SHAPE_DOMINOES, 200, height), 200, height, width / 4, 0);
  return mask;
}

/* Tiles with exactly COUNT labels, next to one another: runs that no other row touches need none, so each label is a pixel and
 * the one below it. CLOSE: they touch at corners, so that with 4-connectivity there are the most labels of all. */
static uint8_t *
labels_new (uint32_t width, uint32_t height, uint32_t tiles, uint32_t count, bool close)
{
  uint8_t *mask = shape_new (SHAPE_ZEROS, width, height);
  for (uint32_t tile = 0; tile < tiles; tile++)
    for (uint32_t i = 0; i < count; i++)
      for (uint32_t row = 0; row < 2; row++) {
        const uint32_t y = i / 64 * (close ? 2 : 3) + row, x = i % 64 * 2 + (close ? i / 64 % 2 : 0);
        mask[(size_t) y * width + tile * 128 + x] = 1;
      }
  return mask;
}

/* COUNT runs in every second pixel of each of three tiles, row by row. SHIFTED: they form a chequerboard, one component with
 * 8-connectivity; otherwise columns. */
static uint8_t *
runs_new (uint32_t width, uint32_t height, uint32_t count, bool shifted)
{
  uint8_t *mask = shape_new (SHAPE_ZEROS, width, height);
  for (uint32_t tile = 0; tile < 3; tile++)
    for (uint32_t i = 0; i < count; i++)
      mask[(size_t) (i / 64) * width + tile * 256 + i % 64 * 2 + (shifted ? i / 64 % 2 : 0)] = 1;
  return mask;
}

/* Returns the number of components. */
static uint32_t
compare (CtrCca *on_cpu, const Setup *cpu, CtrCca *on_cuda, const Setup *cuda, const CtrImage *image,
    const CtrCcaParams *params)
{
  CtrComponents *expected = analyse (on_cpu, cpu, image, params), *actual = analyse (on_cuda, cuda, image, params);
  const uint32_t count = expected->count;
  check_components_equal (expected, actual);
  ctr_components_unref (expected);
  ctr_components_unref (actual);
  return count;
}

static CtrImage
image_of (const uint8_t *mask, uint32_t width, uint32_t height)
{
  return (CtrImage){.data = mask, .stride = width, .width = width, .height = height, .format = CTR_FORMAT_GRAY8};
}

/* Takes MASK. */
static uint32_t
compare_counts (
    CtrCca *on_cpu, const Setup *cpu, CtrCca *on_cuda, const Setup *cuda, uint8_t *mask, Size size, int connectivity)
{
  const CtrImage image = image_of (mask, size.width, size.height);
  const CtrCcaParams params = params_of (connectivity, 1, false, 0);
  const uint32_t count = compare (on_cpu, cpu, on_cuda, cuda, &image, &params);
  free (mask);
  return count;
}

/* As many labels, runs, contacts and runs without any above in a tile as shared memory has room for, and one more. */
static void
test_capacities (CtrCca *on_cpu, const Setup *cpu, CtrCca *on_cuda, const Setup *cuda)
{
  /* 2178 tiles: of a large frame, whose runs by a warp, whose runs by a CTA and whose row walk have different capacities; 6 tiles,
   * with two numbers of threads, one of which the emulation has. */
  static const struct {
    Size size;
    uint32_t labels;
    bool close;
  } cases[] = {{{66 * 128, 33 * 64}, 128, false}, {{66 * 128, 33 * 64}, 632, false}, {{66 * 128, 33 * 64}, 1903, true},
      {{6 * 128, 64}, 632, false}, {{6 * 128, 64}, 1399, true}, {{6 * 128, 64}, 1401, true}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    for (int connectivity = 4; connectivity <= 8; connectivity += 4)
      for (uint32_t more = 0; more < 2; more++) {
        const Size size = cases[i].size;
        const uint32_t labels = cases[i].labels + more;
        if (cases[i].close && connectivity == 8)
          continue;
        describe ("%u labels in a tile of %u x %u, %d-connected", labels, size.width, size.height, connectivity);
        CHECK (compare_counts (on_cpu, cpu, on_cuda, cuda,
                   labels_new (size.width, size.height, 3, labels, cases[i].close), size, connectivity)
               == 3 * labels);
      }
  const Size large = {66 * 128, 33 * 64};
  for (uint32_t count = 288; count <= 289; count++) {
    describe ("%u runs in a tile of a large frame", count);
    CHECK (
        compare_counts (on_cpu, cpu, on_cuda, cuda, runs_new (large.width, large.height, count, true), large, 8) == 3);
  }
  const Size size = {6 * 128, 64};
  for (uint32_t count = 2176; count <= 2177; count++) {
    describe ("%u runs in a tile", count);
    CHECK (compare_counts (on_cpu, cpu, on_cuda, cuda, runs_new (size.width, size.height, count, false), size, 8)
           == 3 * 64);
  }
  /* In a chequerboard each run but the first of a row has a second contact above. */
  for (uint32_t contacts = 1536; contacts <= 1537; contacts++) {
    const uint32_t rows = contacts / 63, count = (rows + 1) * 64 + contacts % 63;
    describe ("%u contacts in a tile beside one for each run", contacts);
    CHECK (compare_counts (on_cpu, cpu, on_cuda, cuda, runs_new (size.width, size.height, count, true), size, 8) == 3);
  }
}

/* Tiles that come to the same place for labels that shared memory has no room for, or to the next one if it is taken. */
static void
test_slots (CtrCca *on_cpu, const Setup *cpu, CtrCca *on_cuda, const Setup *cuda)
{
  const uint32_t width = 64 * 128, height = 34 * 64; /* 2176 tiles */
  uint8_t *mask = shape_new (SHAPE_ZEROS, width, height);
  paste (mask, width, labels_new (8 * 128, height, 8, height / 2 * 64, true), 8 * 128, height, 0, 0);
  const CtrImage image = image_of (mask, width, height);
  const CtrCcaParams params = params_of (CTR_CONNECTIVITY_4, 1, false, 0);
  describe ("tiles that come to the same place");
  compare (on_cpu, cpu, on_cuda, cuda, &image, &params);
  free (mask);
}

/* Lines that wind through all tiles: roots are far away when components of tiles are united. */
static void
test_long_lines (CtrCca *on_cpu, const Setup *cpu, CtrCca *on_cuda, const Setup *cuda)
{
  static const Shape shapes[] = {SHAPE_SERPENTINE, SHAPE_SERPENTINE_UPRIGHT, SHAPE_SPIRAL};
  static const Size long_sizes[] = {
      {36 * 128, 60 * 64}, {36 * 128, 30 * 64}, {40 * 128, 6 * 64}}; /* 2160, 1080 and 240 tiles */
  for (size_t i = 0; i < sizeof long_sizes / sizeof *long_sizes; i++)
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
      const uint32_t width = long_sizes[i].width, height = long_sizes[i].height;
      uint8_t *mask = shape_new (shapes[k], width, height);
      const CtrImage image = image_of (mask, width, height);
      const CtrCcaParams params = params_of (CTR_CONNECTIVITY_8, 1, false, 0);
      describe ("%s, %u x %u", shape_names[shapes[k]], width, height);
      compare (on_cpu, cpu, on_cuda, cuda, &image, &params);
      free (mask);
    }
}

/* Frames that follow one another: most tiles of a large one may have more runs than a warp has room for, and the next one is then analysed in
 * another way, whatever it has. */
static void
test_sequence (const Setup *cpu, const Setup *cuda, Size large, CtrConnectivity connectivity, uint32_t features)
{
  static const struct {
    uint32_t density, grain; /* of noise. 0: it is SHAPE */
    Shape shape;
    bool small;
  } frames[] = {
      {.density = 60, .grain = 1},
      {.density = 60, .grain = 1},
      {.density = 30, .grain = 1}, /* with more components than there is memory for: done again */
      {.density = 50, .grain = 8},
      {.density = 50, .grain = 8},
      {.density = 40, .grain = 1},
      {.shape = SHAPE_DOMINOES},
      {.shape = SHAPE_CHEQUERBOARD},
      {.shape = SHAPE_COLUMNS},
      {.density = 80, .grain = 1},
      {.density = 45, .grain = 1, .small = true},
      {.density = 45, .grain = 1},
      {.density = 45, .grain = 1},
      {.shape = SHAPE_ONES},
      {.shape = SHAPE_ZEROS},
  };
  Random rng = {43};
  CtrCca *on_cpu = analyser_new (cpu), *on_cuda = analyser_new (cuda);
  const CtrCcaParams params = params_of (connectivity, 1, false, features);
  for (size_t i = 0; i < sizeof frames / sizeof *frames; i++) {
    const Size size = frames[i].small ? (Size){2 * 128 - 5, 3 * 64 - 3} : large;
    uint8_t *mask = frames[i].grain ? noise_new (&rng, size.width, size.height, frames[i].density, frames[i].grain)
                                    : shape_new (frames[i].shape, size.width, size.height);
    const CtrImage image = image_of (mask, size.width, size.height);
    describe ("frame %zu of %u x %u, %d-connected, features %u", i, size.width, size.height, connectivity, features);
    compare (on_cpu, cpu, on_cuda, cuda, &image, &params);
    free (mask);
  }
  ctr_cca_free (on_cpu);
  ctr_cca_free (on_cuda);
}

int
main (int argc, char **argv)
{
  Random rng = {41};
  const Setup cuda = setup_open ("cuda", false), cpu = setup_open ("cpu", false);
  CtrCca *on_cpu = analyser_new (&cpu), *on_cuda = analyser_new (&cuda);
  const bool all = argc < 2 || strcmp (argv[1], "slots") != 0;
  for (size_t i = 0; all && i < sizeof sizes / sizeof *sizes; i++) {
    const uint32_t width = sizes[i].width, height = sizes[i].height;
    uint8_t *mask = mask_new (&rng, width, height);
    Picture picture = picture_of_mask (&rng, mask, width, height, (Layout){.format = CTR_FORMAT_GRAY8}, 99, false);
    FOR_BOTH_CONNECTIVITIES (c)
    for (uint32_t features = 0; features <= (cuda.quick && c == 4 ? 0 : ALL_FEATURES); features += ALL_FEATURES)
      /* With limits few components are left, and the areas must be complete before they are numbered. */
      for (uint32_t min_area = 0; min_area <= (features ? 0 : 40); min_area += 20) {
        CtrCcaParams params = params_of (c, 99, false, features);
        params.min_area = min_area;
        describe ("%u x %u, %d-connected, features %u, min-area %u", width, height, c, features, min_area);
        compare (on_cpu, &cpu, on_cuda, &cuda, &picture.view, &params);
      }
    picture_free (&picture);
    free (mask);
  }
  if (all) {
    test_long_lines (on_cpu, &cpu, on_cuda, &cuda);
    test_capacities (on_cpu, &cpu, on_cuda, &cuda);
    FOR_BOTH_CONNECTIVITIES (c)
    for (uint32_t features = 0; features <= ALL_FEATURES; features += ALL_FEATURES) {
      test_sequence (&cpu, &cuda, (Size){5 * 128 - 5, 3 * 64 - 3}, c, features); /* large in the emulation */
      if (!cuda.quick)
        test_sequence (&cpu, &cuda, (Size){67 * 128 - 5, 32 * 64 - 3}, c, features);
    }
  }
  test_slots (on_cpu, &cpu, on_cuda, &cuda);
  ctr_cca_free (on_cpu);
  ctr_cca_free (on_cuda);
  return 0;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Skeletons of components: drawn shapes and their numbers, and the definition where components touch, where thinning takes many passes, and
 * where the tiles of the GPU meet. */
#include "tests/core/cca/reference.h"
#include "tests/core/cca/testing.h"

#include <stdlib.h>
#include <string.h>

static Setup setup;
static CtrCca *cca;
static Random rng = {11};

static CtrImage
image_of (const uint8_t *mask, uint32_t width, uint32_t height)
{
  return (CtrImage){
      .data = (void *) mask, .stride = width, .width = width, .height = height, .format = CTR_FORMAT_GRAY8};
}

/* Compares the skeletons of a mask with the definition. Takes MASK. */
static void
check_mask (uint8_t *mask, uint32_t width, uint32_t height, const char *name)
{
  const CtrImage image = image_of (mask, width, height);
  FOR_BOTH_CONNECTIVITIES (c)
  {
    const CtrCcaParams params = params_of (c, 1, false, CTR_FEATURE_SKELETON);
    describe ("%s, %u x %u, %d-connected", name, width, height, c);
    check_cca (cca, &setup, &image, &params);
  }
  free (mask);
}

/* A shape of one component, and the numbers of its skeleton: SUM is that of squared distances' roots, of which ROOTS2 are sqrt (2). */
typedef struct {
  const char *name, *rows;
  uint32_t width, pixels, straight, diagonal, whole, roots2;
} Drawn;

static void
test_drawn (void)
{
  static const Drawn shapes[] = {
      {"a pixel", "#", 1, 1, 0, 0, 1, 0},
      {"a line", "#####", 5, 5, 4, 0, 5, 0},
      {"an upright line",
          "#"
          "#"
          "#",
          1, 3, 2, 0, 3, 0},
      {"a diagonal",
          "#..."
          ".#.."
          "..#."
          "...#",
          4, 4, 0, 3, 4, 0},
      {"the other diagonal",
          "..#"
          ".#."
          "#..",
          3, 3, 0, 2, 3, 0},
      /* The corner goes, so that the line is a diagonal there. */
      {"a corner",
          "#.."
          "#.."
          "###",
          3, 4, 2, 1, 4, 0},
      {"a ring",
          "###"
          "#.#"
          "###",
          3, 4, 0, 4, 4, 0},
      /* The middle is beside all pairs of arms. */
      {"a cross",
          "..#.."
          "..#.."
          "#####"
          "..#.."
          "..#..",
          5, 9, 8, 0, 8, 1},
      {"a square of 2",
          "##"
          "##",
          2, 2, 1, 0, 2, 0},
      /* The end that the first pass takes is not like the other one. */
      {"a band",
          "#######"
          "#######"
          "#######",
          7, 6, 4, 1, 10, 0},
      /* Of a doubled diagonal hardly anything remains: either pass takes the pixels at one end. */
      {"a doubled diagonal",
          "##..."
          ".##.."
          "..##."
          "...##"
          "....#",
          5, 1, 0, 0, 1, 0},
      {"a comb",
          "#.#.#"
          "#.#.#"
          "#.#.#"
          "#####",
          5, 12, 9, 2, 12, 0},
  };
  for (size_t i = 0; i < LENGTH (shapes); i++) {
    const Drawn *s = &shapes[i];
    const uint32_t pixels = (uint32_t) strlen (s->rows);
    uint8_t *mask = malloc (pixels);
    for (uint32_t k = 0; k < pixels; k++)
      mask[k] = s->rows[k] == '#';
    const CtrImage image = image_of (mask, s->width, pixels / s->width);
    const CtrCcaParams params = params_of (CTR_CONNECTIVITY_8, 1, false, CTR_FEATURE_SKELETON);
    CtrComponents *components = analyse (cca, &setup, &image, &params);
    describe ("%s", s->name);
    CHECK (components->count == 1);
    const CtrComponentSkeleton *k = components->skeleton;
    describe ("%s: %u pixels, %u straight and %u diagonal pairs, distances %g", s->name, k->pixels,
        (uint32_t) k->straight, (uint32_t) k->diagonal, (double) k->distance_sum / 65536);
    CHECK (k->pixels == s->pixels && k->straight == s->straight && k->diagonal == s->diagonal && k->reserved == 0);
    /* 92682 is sqrt (2) * 65536, rounded. */
    CHECK (k->distance_sum == s->whole * UINT64_C (65536) + s->roots2 * UINT64_C (92682));
    CHECK (ctr_component_skeleton_length (k) == s->straight + s->diagonal * 1.4142135623730951);
    CHECK (ctr_component_skeleton_width (k) == (double) k->distance_sum / 32768 / s->pixels);
    ctr_components_unref (components);
    free (mask);
  }
}

static void
test_small_sizes (void)
{
  for (uint32_t height = 1; height <= 17; height += setup.quick ? 4 : 1)
    for (uint32_t width = 1; width <= 17; width += setup.quick ? 4 : 1)
      for (uint32_t density = 50; density <= 100; density += 10)
        check_mask (noise_new (&rng, width, height, density, 1), width, height, "noise");
}

static void
test_shapes (void)
{
  static const uint32_t sizes[][2] = {{64, 33}, {97, 100}, {31, 200}};
  for (size_t i = 0; i < LENGTH (sizes); i += setup.quick ? 2 : 1)
    for (Shape shape = 0; shape < SHAPE_COUNT; shape++)
      check_mask (shape_new (shape, sizes[i][0], sizes[i][1]), sizes[i][0], sizes[i][1], shape_names[shape]);
}

/* Blocks in tiles and across their seams: 256 columns, 96 rows. */
static void
test_seams (void)
{
  static const uint32_t widths[] = {255, 256, 257, 289, 513}, heights[] = {95, 96, 97, 129, 193};
  for (size_t i = 0; i < LENGTH (widths); i += setup.quick ? 2 : 1)
    for (uint32_t grain = 1; grain <= 32; grain *= setup.quick ? 32 : 2)
      check_mask (noise_new (&rng, widths[i], heights[i], 60, grain), widths[i], heights[i], "noise in squares");
}

/* Discs take as many passes as their diameter has pixels, doubled diagonals as many as they are long. */
static void
test_many_passes (void)
{
  const uint32_t side = setup.quick ? 200 : 450;
  uint8_t *disc = malloc ((size_t) side * side), *diagonals = malloc ((size_t) side * side);
  for (uint32_t y = 0; y < side; y++)
    for (uint32_t x = 0; x < side; x++) {
      const int64_t dx = 2 * (int64_t) x - side, dy = 2 * (int64_t) y - side;
      disc[y * side + x] = dx * dx + dy * dy < (int64_t) side * side;
      diagonals[y * side + x] = (x - y) % 97 < 2;
    }
  check_mask (disc, side, side, "a disc");
  check_mask (diagonals, side, side, "doubled diagonals");
}

/* Components of equal samples touch along edges: each is thinned by itself. */
static void
test_equal (void)
{
  static const uint32_t grains[] = {1, 2, 5, 17};
  for (size_t i = 0; i < LENGTH (grains); i++)
    for (int k = 0; k < (setup.quick ? 2 : 12); k++) {
      const uint32_t width = 1 + random_below (&rng, 140), height = 1 + random_below (&rng, 140);
      Picture picture = values_new (&rng, width, height, (Layout){.format = CTR_FORMAT_GRAY8}, 4, grains[i]);
      FOR_BOTH_CONNECTIVITIES (c)
      {
        CtrCcaParams params = params_of (c, 0, false, CTR_FEATURE_SKELETON | CTR_FEATURE_LABELS);
        params.mode = CTR_COMPONENTS_EQUAL;
        params.background = k % 2 ? 0 : CTR_CCA_NO_BACKGROUND;
        describe ("equal samples in squares of %u, %u x %u, %d-connected", grains[i], width, height, c);
        check_cca (cca, &setup, &picture.view, &params);
      }
      picture_free (&picture);
    }
}

int
main (int argc, char **argv)
{
  static const Test tests[] = {
      {"drawn shapes", test_drawn},
      {"small sizes", test_small_sizes},
      {"shapes", test_shapes},
      {"seams", test_seams},
      {"many passes", test_many_passes},
      {"equal samples", test_equal},
  };
  setup = setup_open (argv[1], false);
  cca = analyser_new (&setup);
  run_tests (tests, LENGTH (tests));
  ctr_cca_free (cca);
  return 0;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The table of edge chains for the equality test: random masks, adversarial cases, benchmark. */
#include "tests/core/common/equality.h"
#include "tests/core/common/gpu.h"
#include "tests/core/edgechains/reference.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static CtrEdgeChains *
linker_new (const Setup *setup)
{
  CtrError error;
  CtrEdgeChains *chains = ctr_edge_chains_new (setup->backend, &error);
  if (!chains)
    fail (__FILE__, __LINE__, error.message);
  return chains;
}

EQUALITY_STATE (CtrEdgeChains, linker_new, ctr_edge_chains_free)

static CtrContours *
link_edges (CtrEdgeChains *chains, const Setup *setup, const CtrImage *mask, const CtrEdgeChainsParams *params)
{
  CtrError error;
  CtrContours *contours = ctr_edge_chains_run (chains, mask, params, setup->stream, &error);
  if (!contours)
    fail (__FILE__, __LINE__, error.message);
  return contours;
}

static void
describe_mask (const char *name, const CtrImage *mask, const CtrEdgeChainsParams *params)
{
  describe (
      "%s, %u x %u, stride %zu, minimum length %g", name, mask->width, mask->height, mask->stride, params->min_length);
}

/* Thin curves, as edges are: circles and lines that cross, with gaps. */
static uint8_t *
curves_new (Random *rng, uint32_t width, uint32_t height)
{
  uint8_t *mask = calloc (width, height);
  const uint32_t centre_x = random_below (rng, width), centre_y = random_below (rng, height);
  const uint32_t spacing = 3 + random_below (rng, 9), line = 5 + random_below (rng, 40);
  for (uint32_t y = 0; y < height; y++)
    for (uint32_t x = 0; x < width; x++) {
      const int32_t dx = (int32_t) (x - centre_x), dy = (int32_t) (y - centre_y);
      const int32_t square = dx * dx + dy * dy;
      int32_t radius = 0;
      while ((radius + 1) * (radius + 1) <= square)
        radius++;
      const bool on_circle = radius % (int32_t) spacing == 1 && square - radius * radius <= radius;
      mask[y * width + x] = (on_circle || (x + y) % line == 0) && random_below (rng, 100) != 0;
    }
  return mask;
}

static void
compare_random (void *data, uint64_t seed)
{
  static const uint32_t edges[] = {1, 2, 31, 32, 33, 63, 64, 65, 127, 128, 129};
  State *state = data;
  Random random = {seed}, *rng = &random;
  Layout layout = random_layout (rng);
  layout.format = CTR_FORMAT_GRAY8;
  const uint32_t width = random_below (rng, 3) ? 1 + random_below (rng, 50) : pick (rng, edges, LENGTH (edges));
  const uint32_t height = random_below (rng, 3) ? 1 + random_below (rng, 50) : pick (rng, edges, LENGTH (edges));
  const bool on_device = state->on_cpu && random_below (rng, 2);
  CtrEdgeChainsParams params;
  ctr_edge_chains_params_init (&params);
  if (random_below (rng, 3) == 0)
    params.min_length = 0.5 * random_below (rng, 30);
  uint8_t *mask = random_below (rng, 3) ? random_mask_new (rng, width, height) : curves_new (rng, width, height);
  Picture picture = picture_of_mask (rng, mask, width, height, layout, 1, false);
  describe_mask (on_device ? "on the device" : "in host memory", &picture.view, &params);
  void *memory;
  const CtrImage image = equality_image (&picture, on_device, &memory);
  Contours expected = reference_edge_chains (&picture.view, &params);
  CtrContours *contours = link_edges (state->tested, &state->setup, &image, &params);
  const Contours actual = contours_of (contours);
  check_contours_equal (&expected, &actual);
  ctr_contours_unref (contours);
  reference_contours_free (&expected);
  if (memory)
    gpu_free (memory);
  picture_free (&picture);
  free (mask);
}

/* Takes MASK. */
static void
compare_mask (State *state, Random *rng, uint8_t *mask, uint32_t width, uint32_t height, const char *name)
{
  const Layout layout = {
      .format = CTR_FORMAT_GRAY8, .offset = random_below (rng, 9), .padding = random_below (rng, 40)};
  Picture picture = picture_of_mask (rng, mask, width, height, layout, 1, false);
  for (int i = 0; i < 3; i++) {
    void *memory;
    const CtrEdgeChainsParams params = {.min_length = i == 1 ? 5 : 0};
    const CtrImage image = equality_image (&picture, i < 2, &memory);
    describe_mask (name, &picture.view, &params);
    CtrContours *one = link_edges (state->on_cpu, &state->cpu, &picture.view, &params);
    CtrContours *other = link_edges (state->tested, &state->setup, &image, &params);
    const Contours expected = contours_of (one), actual = contours_of (other);
    check_contours_equal (&expected, &actual);
    CHECK (one->vertices == other->vertices);
    ctr_contours_unref (one);
    ctr_contours_unref (other);
    if (memory)
      gpu_free (memory);
  }
  picture_free (&picture);
  free (mask);
}

static void
compare_cases (void *data)
{
  static const uint32_t sizes[][2] = {{33, 129}, {640, 480}, {1920, 1080}, {4096, 2176}, {65535, 33}, {31, 65535}};
  State *state = data;
  Random random = {11}, *rng = &random;
  const bool quick = state->setup.quick;
  for (uint32_t side = 1; side <= 17; side += quick ? 3 : 1)
    for (uint32_t other = 1; other <= 17; other += quick ? 5 : 1)
      compare_mask (state, rng, noise_new (rng, side, other, 15 + 5 * side, 1), side, other, "small noise");
  for (size_t i = 0; i < (quick ? 1 : LENGTH (sizes)); i++) {
    const uint32_t w = sizes[i][0], h = sizes[i][1];
    const bool large = w * h > 1000000;
    for (Shape shape = 0; shape < SHAPE_COUNT; shape += large ? 3 : 1)
      compare_mask (state, rng, shape_new (shape, w, h), w, h, shape_names[shape]);
    for (uint32_t density = 5; density < 100; density += large ? 45 : 15)
      compare_mask (state, rng, noise_new (rng, w, h, density, 1), w, h, "noise");
    compare_mask (state, rng, curves_new (rng, w, h), w, h, "curves");
  }
}

typedef struct {
  State *state;
  CtrImage image;
} Work;

static void
run (void *data)
{
  Work *work = data;
  CtrEdgeChainsParams params;
  ctr_edge_chains_params_init (&params);
  ctr_contours_unref (link_edges (work->state->tested, &work->state->setup, &work->image, &params));
}

static void
bench (void *data)
{
  State *state = data;
  Random rng = {7};
  for (int kind = 0; kind < 3; kind++) {
    char what[64];
    void *memory;
    uint8_t *mask = kind == 0 ? curves_new (&rng, 1920, 1080) : noise_new (&rng, 1920, 1080, kind == 1 ? 10 : 50, 1);
    Picture picture = picture_of_mask (&rng, mask, 1920, 1080, (Layout){.format = CTR_FORMAT_GRAY8}, 1, false);
    Work work = {.state = state, .image = equality_bench_image (&state->setup, &picture, &memory)};
    snprintf (what, sizeof what, "edge chains, 1920 x 1080, %s",
        kind == 0   ? "curves"
        : kind == 1 ? "noise of 10 %"
                    : "noise of 50 %");
    equality_time (&state->setup, what, run, &work);
    if (memory)
      gpu_free (memory);
    picture_free (&picture);
    free (mask);
  }
}

const Equality edge_chains_equality = {
    .name = "edge-chains",
    .count = 1000,
    .quick_count = 200,
    .open = open_state,
    .close = close_state,
    .compare_random = compare_random,
    .compare_cases = compare_cases,
    .bench = bench,
};

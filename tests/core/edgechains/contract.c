/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The table of edge chains for the contract test, and the errors that only this algorithm has. */
#include "tests/core/common/contract.h"
#include "tests/core/common/gpu.h"
#include "tests/core/edgechains/reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 100 }; /* of the frames that take memory */

static uint8_t pixels[64 * 64 + 1];
static const CtrImage good_image = {
    .data = pixels, .stride = 64, .width = 10, .height = 10, .format = CTR_FORMAT_GRAY8};
static CtrImage colours = {.stride = 4 * SIDE, .width = SIDE, .height = SIDE, .format = CTR_FORMAT_RGBX};
static CtrEdgeChainsParams good_params, limited_params, refined_params;
static CtrImage ones = {.stride = SIDE, .width = SIDE, .height = SIDE, .format = CTR_FORMAT_GRAY8};
static CtrImage spiral = {.stride = 2 * SIDE, .width = 2 * SIDE, .height = 2 * SIDE, .format = CTR_FORMAT_GRAY8};

static void
open_requests (const Setup *setup)
{
  Random rng = {3};
  for (size_t i = 0; i < sizeof pixels; i++)
    pixels[i] = random_below (&rng, 2) ? 255 : 0;
  ctr_edge_chains_params_init (&good_params);
  limited_params = good_params;
  limited_params.min_length = 3;
  refined_params = good_params;
  refined_params.subpixel = CTR_SUBPIXEL_EDGE;
  refined_params.image = &colours;
  uint8_t *samples = malloc (4 * SIDE * SIDE);
  for (int i = 0; i < 4 * SIDE * SIDE; i++)
    samples[i] = (uint8_t) random_below (&rng, 256);
  colours.data = samples;
  ones.data = shape_new (SHAPE_ONES, SIDE, SIDE);
  spiral.data = shape_new (SHAPE_SPIRAL, 2 * SIDE, 2 * SIDE);
}

static void
close_requests (void)
{
  free ((void *) colours.data);
  free ((void *) ones.data);
  free ((void *) spiral.data);
}

static Request
good_request (void)
{
  return (Request){.image = &good_image, .params = &good_params};
}

static const MemoryCase *
memory_cases (uint32_t *count)
{
  /* A later frame allocates the result and its two arrays. */
  static const Request smaller = {.image = &good_image, .params = &good_params};
  static const MemoryCase cases[] = {{.name = "a solid square",
                                         .request = {.image = &ones, .params = &good_params},
                                         .smaller = &smaller,
                                         .least_failures = 8,
                                         .later_allocations = 3,
                                         .kept_blocks = -1},
      {.name = "a spiral",
          .request = {.image = &spiral, .params = &limited_params},
          .smaller = &smaller,
          .least_failures = 8,
          .later_allocations = -1,
          .kept_blocks = -1},
      /* One array more, and the luma, which later frames have. */
      {.name = "subpixels in colours",
          .request = {.image = &ones, .params = &refined_params},
          .smaller = &smaller,
          .least_failures = 10,
          .later_allocations = -1,
          .kept_blocks = -1}};
  *count = LENGTH (cases);
  return cases;
}

CONTRACT_RESULTS (edge_chains, contours, request->image, request->params)

static void
check_result (const Request *request, void *contours)
{
  Contours expected = reference_edge_chains (request->image, request->params);
  const Contours actual = contours_of (contours);
  check_contours_equal (&expected, &actual);
  CHECK (actual.info.vertices == CTR_VERTICES_STEPS && ctr_contours_have_codes (contours));
  reference_contours_free (&expected);
}

static void
test_params (void)
{
  static const double bad_lengths[] = {-0.01, NAN, INFINITY, -INFINITY};
  contract_refuse_doubles (
      offsetof (CtrEdgeChainsParams, min_length), bad_lengths, LENGTH (bad_lengths), "minimum length is");
  CtrEdgeChainsParams params;
  memset (&params, 0xff, sizeof params);
  ctr_edge_chains_params_init (&params);
  describe ("default parameters");
  CHECK (params.min_length == 0 && params.subpixel == CTR_SUBPIXEL_NONE && !params.image);
  CHECK (params.subpixel_sigma == CTR_SUBPIXEL_SIGMA);
}

static void
test_subpixel_params (void)
{
  static const double bad_sigmas[] = {0.49, 4.01, -1, NAN, INFINITY};
  const CtrImage image = {.data = pixels, .stride = 64, .width = 10, .height = 10, .format = CTR_FORMAT_GRAY8};
  const CtrImage wider = {.data = pixels, .stride = 64, .width = 11, .height = 10, .format = CTR_FORMAT_GRAY8};
  const CtrImage empty = {.data = pixels, .stride = 64, .width = 10, .height = 0, .format = CTR_FORMAT_GRAY8};
  const CtrImage elsewhere = {
      .data = pixels, .stride = 64, .width = 10, .height = 10, .format = CTR_FORMAT_GRAY8, .memory = 1};
  CtrEdgeChainsParams params = good_params;
  contract_refuse_change (CtrEdgeChainsParams, subpixel = 3, "unknown subpixel method 3");
  contract_refuse_change (CtrEdgeChainsParams, subpixel = CTR_SUBPIXEL_THRESHOLD, "choose subpixel edge");
  contract_refuse_change (CtrEdgeChainsParams, subpixel = CTR_SUBPIXEL_EDGE, "image of the edges is NULL");
  params.subpixel = CTR_SUBPIXEL_EDGE;
  params.image = &image;
  for (size_t i = 0; i < LENGTH (bad_sigmas); i++) {
    params.subpixel_sigma = bad_sigmas[i];
    contract_refuse_params (&params, "it must be 0.5 to 4");
  }
  params.subpixel_sigma = 0;
  params.image = &wider;
  contract_refuse_params (&params, "11 x 10 pixels, the edge mask 10 x 10");
  params.image = &empty;
  contract_refuse_params (&params, "10 x 0");
  params.image = &elsewhere;
  if (contract_setup ()->backend == CTR_BACKEND_CPU)
    contract_refuse_params (&params, "host memory");
}

static void
test_formats (void)
{
  static uint8_t colours[40 * 10];
  for (CtrFormat format = CTR_FORMAT_GRAY16; format <= CTR_FORMAT_VYUY; format++) {
    Request request = good_request ();
    const CtrImage image = {.data = colours, .stride = 40, .width = 10, .height = 10, .format = format};
    request.image = &image;
    contract_refuse (&request, CTR_ERROR_INVALID_ARGUMENT, "GRAY8");
  }
}

/* The analyser's own mask, which takes the place of the image. */
static void
test_mask (void)
{
  const Setup *setup = contract_setup ();
  CtrError error;
  CtrImage mask;
  CtrEdgeChains *chains = ctr_edge_chains_new (setup->backend, NULL);
  describe ("the analyser's mask");
  CHECK (!ctr_edge_chains_get_mask (chains, CTR_MEMORY_HOST, 0, 5, &mask, &error));
  CHECK (error.status == CTR_ERROR_INVALID_ARGUMENT && strstr (error.message, "0 x 5"));
  CHECK (!ctr_edge_chains_get_mask (chains, CTR_MEMORY_HOST, 5, CTR_MAX_SIDE + 1, &mask, &error));
  CHECK (error.status == CTR_ERROR_TOO_LARGE && strstr (error.message, "5 x 65536"));
  CHECK (!ctr_edge_chains_get_mask (chains, (CtrMemory) 7, 5, 5, &mask, &error));
  CHECK (error.status == CTR_ERROR_INVALID_ARGUMENT && strstr (error.message, "memory 7"));
  if (setup->backend == CTR_BACKEND_CPU) {
    CHECK (!ctr_edge_chains_get_mask (chains, CTR_MEMORY_DEVICE, 5, 5, &mask, &error));
    CHECK (error.status == CTR_ERROR_INVALID_ARGUMENT && strstr (error.message, "host memory"));
  }
  static const uint32_t sides[] = {64, 64, 10, 10};
  for (size_t i = 0; i < LENGTH (sides); i++) {
    const uint32_t side = sides[i];
    const bool on_device = setup->backend == CTR_BACKEND_CUDA && i % 2;
    const CtrMemory memory = on_device ? CTR_MEMORY_DEVICE : CTR_MEMORY_HOST;
    uint8_t *own = calloc (side, side);
    CHECK (ctr_edge_chains_get_mask (chains, memory, side, side, &mask, &error));
    CHECK (mask.width == side && mask.height == side && mask.format == CTR_FORMAT_GRAY8 && mask.memory == memory);
    for (uint32_t y = 0; y < side; y++) {
      uint8_t *row = (uint8_t *) mask.data + y * mask.stride;
      memcpy (own + y * side, pixels + y * 64, side);
      if (on_device)
        gpu_upload (row, pixels + y * 64, side);
      else
        memcpy (row, pixels + y * 64, side);
    }
    CtrContours *contours = ctr_edge_chains_run (chains, &mask, &good_params, setup->stream, &error);
    if (!contours)
      fail (__FILE__, __LINE__, error.message);
    const CtrImage copy = {.data = own, .stride = side, .width = side, .height = side, .format = CTR_FORMAT_GRAY8};
    check_result (&(Request){.image = &copy, .params = &good_params}, contours);
    ctr_contours_unref (contours);
    free (own);
  }
  ctr_edge_chains_free (chains);
}

/* Chains that one can count. */
static void
test_drawing (void)
{
  static const char *const drawing[] = {
      ".#...........", /* a diamond */
      "#.#...#......", /* a cross */
      ".#...###....#", /* a pixel alone */
      "......#......",
      "............#", /* stairs, whose corners are no triangles */
      "..........###",
      "..........#..",
  };
  enum {
    WIDTH = 13,
    HEIGHT = 7,
    OPEN = CTR_CONTOUR_OPEN,
    FROM = CTR_CONTOUR_START_JUNCTION,
    TO = CTR_CONTOUR_END_JUNCTION
  };
  static const struct {
    uint32_t flags, count;
    CtrPoint points[5];
    uint64_t straight, diagonal;
    int64_t area2;
  } expected[] = {
      {0, 4, {{1, 0}, {2, 1}, {1, 2}, {0, 1}}, 0, 4, 4},
      {OPEN | TO, 2, {{6, 1}, {6, 2}}, 1, 0, 0},
      {OPEN | TO, 2, {{5, 2}, {6, 2}}, 1, 0, 0},
      {OPEN | FROM, 2, {{6, 2}, {7, 2}}, 1, 0, 0},
      {OPEN | FROM, 2, {{6, 2}, {6, 3}}, 1, 0, 0},
      {OPEN, 1, {{12, 2}}, 0, 0, 0},
      {OPEN, 5, {{12, 4}, {12, 5}, {11, 5}, {10, 5}, {10, 6}}, 4, 0, 0},
  };
  uint8_t mask[WIDTH * HEIGHT];
  for (int i = 0; i < WIDTH * HEIGHT; i++)
    mask[i] = drawing[i / WIDTH][i % WIDTH] == '#';
  const CtrImage image = {.data = mask, .stride = WIDTH, .width = WIDTH, .height = HEIGHT, .format = CTR_FORMAT_GRAY8};
  CtrEdgeChains *chains = ctr_edge_chains_new (contract_setup ()->backend, NULL);
  CtrContours *contours = ctr_edge_chains_run (chains, &image, &good_params, contract_setup ()->stream, NULL);
  describe ("a drawing");
  CHECK (contours && contours->count == LENGTH (expected) && contours->unfinished == 0);
  const Contours all = contours_of (contours);
  for (size_t i = 0; i < LENGTH (expected); i++) {
    const CtrContour *row = &all.table[i];
    CHECK (row->flags == expected[i].flags && row->count == expected[i].count && row->area2 == expected[i].area2);
    CHECK (memcmp (all.points + row->first, expected[i].points, row->count * sizeof (CtrPoint)) == 0);
    CHECK (row->length == (expected[i].straight << 23) + expected[i].diagonal * UINT64_C (11863283));
  }
  ctr_contours_unref (contours);
  ctr_edge_chains_free (chains);
}

static void
test_own (void)
{
  test_params ();
  test_subpixel_params ();
  test_formats ();
  test_mask ();
  test_drawing ();
}

const Contract edge_chains_contract = {
    .name = "edge-chains",
    .enqueue_name = "ctr_edge_chains_enqueue",
    .init_name = "ctr_edge_chains_params_init",
    .params_size = sizeof (CtrEdgeChainsParams),
    .open = open_requests,
    .close = close_requests,
    .good_request = good_request,
    .memory_cases = memory_cases,
    CONTRACT_CALLS,
    .check_result = check_result,
    .test_own = test_own,
};

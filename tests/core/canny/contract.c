/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The table of edges for the contract test, and the errors that only this algorithm has. */
#include "tests/core/canny/reference.h"
#include "tests/core/canny/testing.h"
#include "tests/core/common/contract.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static uint8_t pixels[64 * 64 + 1], output[64 * 64], large_output[CONTRACT_FRAME_WIDTH * CONTRACT_FRAME_HEIGHT];
static const CtrImage good_image = {
    .data = pixels, .stride = 64, .width = 10, .height = 10, .format = CTR_FORMAT_GRAY8};
static CtrCannyParams good_params, median_params, native_params;
static CtrEdgePicture good_picture, large_picture;
static ContractFrames frames;

static void
open_requests (const Setup *setup)
{
  Random rng = {3}, colours_rng = {51};
  for (size_t i = 0; i < sizeof pixels; i++)
    pixels[i] = (uint8_t) random_next (&rng);
  ctr_canny_params_init (&good_params);
  good_params.sigma = 0.5;
  ctr_edge_picture_init_mask (&good_picture, output, 64, CTR_MEMORY_HOST);
  frames = contract_frames_new (&colours_rng);
  ctr_canny_params_init (&median_params);
  median_params.sigma = 1;
  median_params.threshold_mode = CTR_CANNY_MEDIAN;
  native_params = median_params;
  native_params.threshold_mode = CTR_CANNY_RELATIVE;
  native_params.native_depth = true;
  /* Not a mask, so that one is made elsewhere. */
  ctr_edge_picture_init_mask (&large_picture, large_output, CONTRACT_FRAME_WIDTH, CTR_MEMORY_HOST);
  large_picture.planes[0].background[0] = 1;
}

static void
close_requests (void)
{
  contract_frames_free (&frames);
}

static Request
good_request (void)
{
  return (Request){.image = &good_image, .params = &good_params, .picture = &good_picture};
}

static const MemoryCase *
memory_cases (uint32_t *count)
{
  static const Request smaller = {.image = &frames.narrow, .params = &median_params, .picture = &large_picture};
  static const Request smaller_native = {
      .image = &frames.narrow_camera, .params = &native_params, .picture = &large_picture};
  static const MemoryCase cases[] = {
      {.name = "colours",
          .request = {.image = &frames.colours.view, .params = &median_params, .picture = &large_picture},
          .smaller = &smaller,
          .least_failures = 4,
          .later_allocations = 0,
          .kept_blocks = -1},
      {.name = "16-bit samples as they are",
          .request = {.image = &frames.camera.view, .params = &native_params, .picture = &large_picture},
          .smaller = &smaller_native,
          .least_failures = 4,
          .later_allocations = 0,
          .kept_blocks = -1}};
  *count = LENGTH (cases);
  return cases;
}

CONTRACT_CREATE (canny)
CONTRACT_PICTURES (canny, request->image, request->params, request->picture)

static void
check_result (const Request *request, void *canny)
{
  uint8_t *mask = reference_canny (request->image, request->params);
  check_painted (request->picture, request->image, mask);
  free (mask);
}

#define REFUSE(change, mentions) contract_refuse_change (CtrCannyParams, change, mentions)

static void
test_params (void)
{
  static const double bad_sigmas[] = {-0.01, 20.001, 1e9, NAN, INFINITY, -INFINITY};
  static const double bad_thresholds[] = {-0.5, NAN, -INFINITY};
  static const double bad_shares[] = {-0.001, 1.001, NAN, INFINITY, -INFINITY};
  static const uint32_t bad_apertures[] = {0, 1, 2, 4, 6, 9, UINT32_MAX};
  contract_refuse_doubles (offsetof (CtrCannyParams, sigma), bad_sigmas, LENGTH (bad_sigmas), "sigma is");
  for (size_t i = 0; i < LENGTH (bad_apertures); i++)
    REFUSE (aperture = bad_apertures[i], "3, 5 or 7");
  REFUSE (threshold_mode = (CtrCannyThresholdMode) -1, "mode -1");
  REFUSE (threshold_mode = (CtrCannyThresholdMode) 4, "mode 4");
  REFUSE (output = (CtrCannyOutput) -1, "output -1");
  REFUSE (output = (CtrCannyOutput) 4, "output 4");
  REFUSE (significant_bits = 7, "7 significant bits");
  REFUSE (significant_bits = 17, "17 significant bits");
  contract_refuse_doubles (
      offsetof (CtrCannyParams, low_threshold), bad_thresholds, LENGTH (bad_thresholds), "0 or more");
  contract_refuse_doubles (
      offsetof (CtrCannyParams, high_threshold), bad_thresholds, LENGTH (bad_thresholds), "0 or more");
  contract_refuse_doubles (offsetof (CtrCannyParams, low_share), bad_shares, LENGTH (bad_shares), "0 to 1");
  contract_refuse_doubles (offsetof (CtrCannyParams, high_share), bad_shares, LENGTH (bad_shares), "0 to 1");
}

/* Thresholds are told of a finished image only. */
static void
test_thresholds (void)
{
  CtrCannyThresholds thresholds;
  CtrError error;
  CtrCanny *canny = ctr_canny_new (contract_setup ()->backend, NULL);
  describe ("thresholds before the first image");
  CHECK (!ctr_canny_get_thresholds (canny, &thresholds, &error));
  CHECK (error.status == CTR_ERROR_INVALID_ARGUMENT && strstr (error.message, "ctr_canny_finish()"));
  describe ("thresholds as they were set");
  CtrCannyParams params = good_params;
  params.low_threshold = 33.5;
  params.high_threshold = 12.25;
  CHECK (ctr_canny_run (canny, &good_image, &params, &good_picture, contract_setup ()->stream, NULL));
  CHECK (ctr_canny_get_thresholds (canny, &thresholds, NULL));
  CHECK (thresholds.low == 12.25 && thresholds.high == 33.5 && thresholds.greatest == 0);
  ctr_canny_free (canny);
}

static void
refuse_picture (CtrEdgePicture picture, const char *mentions)
{
  Request request = good_request ();
  request.picture = &picture;
  contract_refuse (&request, CTR_ERROR_INVALID_ARGUMENT, mentions);
}

static void
test_pictures (void)
{
  CtrEdgePicture picture = good_picture;
  Request without = good_request ();
  without.picture = NULL;
  contract_refuse (&without, CTR_ERROR_INVALID_ARGUMENT, "1 to 4 planes");
  picture.plane_count = 0;
  refuse_picture (picture, "1 to 4 planes");
  picture.plane_count = CTR_EDGE_MAX_PLANES + 1;
  refuse_picture (picture, "1 to 4 planes");
  picture = good_picture;
  picture.memory = (CtrMemory) 7;
  refuse_picture (picture, "memory 7");
  if (contract_setup ()->backend == CTR_BACKEND_CPU) {
    picture = good_picture;
    picture.memory = CTR_MEMORY_DEVICE;
    refuse_picture (picture, "host memory");
  }

  picture = good_picture;
  picture.planes[0].data = NULL;
  refuse_picture (picture, "plane 0 of the edge picture has no memory");
  picture = good_picture;
  picture.plane_count = 2;
  refuse_picture (picture, "plane 1 of the edge picture has no memory");
  for (uint32_t size = 0; size <= 5; size += 5) {
    picture = good_picture;
    picture.planes[0].pixel_size = size;
    refuse_picture (picture, "1 to 4 bytes");
  }
  picture = good_picture;
  picture.planes[0].x_shift = 3;
  refuse_picture (picture, "shifts 3 and 0");
  picture = good_picture;
  picture.planes[0].y_shift = 3;
  refuse_picture (picture, "shifts 0 and 3");

  picture = good_picture;
  picture.planes[0].sample_size = 3;
  refuse_picture (picture, "samples of 3 bytes");

  picture = good_picture;
  picture.planes[0].stride = 9;
  refuse_picture (picture, "10 bytes");
  picture = good_picture;
  picture.planes[0].source = output;
  picture.planes[0].source_stride = 9;
  refuse_picture (picture, "10 bytes");
  picture = good_picture;
  picture.planes[0].pixel_size = 3;
  picture.planes[0].x_shift = 2;
  picture.planes[0].stride = 8; /* 3 pixels */
  refuse_picture (picture, "9 bytes");
}

static void
test_defaults (void)
{
  CtrCannyParams params;
  CtrEdgePicture picture;
  memset (&params, 0xff, sizeof params);
  memset (&picture, 0xff, sizeof picture);
  ctr_canny_params_init (&params);
  ctr_edge_picture_init_mask (&picture, output, 64, CTR_MEMORY_DEVICE);
  describe ("default parameters");
  CHECK (params.sigma == 2 && params.aperture == 3 && !params.l2_gradient);
  CHECK (params.threshold_mode == CTR_CANNY_ABSOLUTE);
  CHECK (params.low_threshold == 50 && params.high_threshold == 150);
  CHECK (params.low_share == 0.2 && params.high_share == 0.4);
  CHECK (!params.native_depth && params.significant_bits == 16 && params.output == CTR_CANNY_EDGES);
  describe ("the picture of a mask");
  const CtrEdgePlane *plane = &picture.planes[0];
  CHECK (picture.plane_count == 1 && picture.memory == CTR_MEMORY_DEVICE);
  CHECK (plane->data == output && plane->stride == 64 && !plane->source && plane->pixel_size == 1);
  CHECK (plane->x_shift == 0 && plane->y_shift == 0 && plane->edge[0] == 255 && plane->background[0] == 0);
}

static void
test_own (void)
{
  test_params ();
  test_thresholds ();
  test_pictures ();
  test_defaults ();
}

const Contract canny_contract = {
    .name = "canny",
    .enqueue_name = "ctr_canny_enqueue",
    .init_name = "ctr_canny_params_init",
    .params_size = sizeof (CtrCannyParams),
    .open = open_requests,
    .close = close_requests,
    .good_request = good_request,
    .memory_cases = memory_cases,
    CONTRACT_CALLS,
    .check_result = check_result,
    .test_own = test_own,
};

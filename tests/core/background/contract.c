/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The table of the background's removal for the contract test, and the errors that only this algorithm has. */
#include "tests/core/background/reference.h"
#include "tests/core/common/contract.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static uint8_t pixels[64 * 64], behind[64 * 64], output[64 * 64],
    large_output[4 * CONTRACT_FRAME_WIDTH * CONTRACT_FRAME_HEIGHT];
static const CtrImage good_image = {
    .data = pixels, .stride = 64, .width = 10, .height = 10, .format = CTR_FORMAT_GRAY8};
static const CtrImage background_image = {
    .data = behind, .stride = 61, .width = 10, .height = 10, .format = CTR_FORMAT_GRAY8};
static CtrBackgroundParams good_params, median_params, average_params;
static CtrCorrectedPicture good_picture, large_picture;
static ContractFrames frames;

static void
open_requests (const Setup *setup)
{
  Random rng = {3};
  for (size_t i = 0; i < sizeof pixels; i++) {
    pixels[i] = (uint8_t) random_next (&rng);
    behind[i] = (uint8_t) random_next (&rng);
  }
  ctr_background_params_init (&good_params);
  good_params.model = CTR_BACKGROUND_GIVEN;
  good_params.mode = CTR_BACKGROUND_ABSDIFF;
  good_picture = (CtrCorrectedPicture){.data = output, .stride = 64};
  frames = contract_frames_new (&rng);
  ctr_background_params_init (&median_params);
  median_params.model = CTR_BACKGROUND_MEDIAN;
  median_params.offset = 99;
  ctr_background_params_init (&average_params);
  average_params.mode = CTR_BACKGROUND_DIVIDE;
  large_picture = (CtrCorrectedPicture){.data = large_output, .stride = 4 * CONTRACT_FRAME_WIDTH};
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
  static const Request smaller_average = {
      .image = &frames.narrow_camera, .params = &average_params, .picture = &large_picture};
  static const MemoryCase cases[] = {
      {.name = "median of colours",
          .request = {.image = &frames.colours.view, .params = &median_params, .picture = &large_picture},
          .smaller = &smaller,
          .least_failures = 3,
          .later_allocations = 0,
          .kept_blocks = -1},
      {.name = "average of 16-bit samples",
          .request = {.image = &frames.camera.view, .params = &average_params, .picture = &large_picture},
          .smaller = &smaller_average,
          .least_failures = 1,
          .later_allocations = 0,
          .kept_blocks = -1}};
  *count = LENGTH (cases);
  return cases;
}

static void *
create (CtrBackend backend, CtrError *error)
{
  CtrBackground *background = ctr_background_new (backend, error);
  if (background && !ctr_background_set_picture (background, &background_image, error)) {
    ctr_background_free (background);
    return NULL;
  }
  return background;
}

CONTRACT_PICTURES (background, request->image, request->params, request->picture)

/* Nothing depends on what came before: a stream of equal images has that image as its median and its average. */
static void
check_result (const Request *request, void *background)
{
  const CtrCorrectedPicture *picture = request->picture;
  ReferenceBackground reference = {0};
  reference_background_set_picture (&reference, &background_image);
  uint16_t *samples = reference_background (&reference, request->image, request->params);
  check_corrected_rows (request->image, samples, picture->data, picture->stride);
  free (samples);
  reference_background_release (&reference);
}

#define REFUSE(change, mentions) contract_refuse_change (CtrBackgroundParams, change, mentions)

static void
test_params (void)
{
  static const double bad_rates[] = {-0.001, 1.001, NAN, INFINITY, -INFINITY};
  static const uint32_t bad_frames[] = {0, 1, 2, 4, 14, 16, 17, UINT32_MAX};
  contract_refuse_doubles (
      offsetof (CtrBackgroundParams, learning_rate), bad_rates, LENGTH (bad_rates), "learning rate is");
  for (size_t i = 0; i < LENGTH (bad_frames); i++)
    REFUSE (frames = bad_frames[i], "odd number, 3 to 15");
  REFUSE (mode = (CtrBackgroundMode) -1, "mode -1");
  REFUSE (mode = (CtrBackgroundMode) 3, "mode 3");
  REFUSE (model = (CtrBackgroundModel) -1, "model -1");
  REFUSE (model = (CtrBackgroundModel) 4, "model 4");
  REFUSE (interval = 0, "interval is 0");
  REFUSE (interval = 65536, "interval is 65536");
  REFUSE (offset = 65536, "offset is 65536");
  REFUSE (offset = -65536, "offset is -65536");
  REFUSE (sample_mask = 0, "mask of samples is 0");
  REFUSE (sample_mask = 65536, "mask of samples is 65536");
}

static void
refuse_picture (CtrCorrectedPicture picture, const char *mentions)
{
  Request request = good_request ();
  request.picture = &picture;
  contract_refuse (&request, CTR_ERROR_INVALID_ARGUMENT, mentions);
}

static void
test_pictures (void)
{
  const CtrKeptPlane kept = {
      .data = output, .stride = 10, .source = pixels, .source_stride = 10, .row_size = 10, .rows = 1};
  CtrCorrectedPicture picture = good_picture;
  Request without = good_request ();
  without.picture = NULL;
  contract_refuse (&without, CTR_ERROR_INVALID_ARGUMENT, "data is NULL");
  picture.data = NULL;
  refuse_picture (picture, "data is NULL");
  picture = good_picture;
  picture.memory = (CtrMemory) 7;
  refuse_picture (picture, "memory 7");
  if (contract_setup ()->backend == CTR_BACKEND_CPU) {
    picture.memory = CTR_MEMORY_DEVICE;
    refuse_picture (picture, "host memory");
  }
  picture = good_picture;
  picture.stride = 9;
  refuse_picture (picture, "10 bytes");
  picture = good_picture;
  picture.kept_count = CTR_BACKGROUND_MAX_KEPT + 1;
  refuse_picture (picture, "4 planes");
  for (int i = 0; i < 5; i++) {
    static const char *const mentions[] = {"data or source", "data or source", "is empty", "is empty", "shorter"};
    picture = good_picture;
    picture.kept_count = 2;
    picture.kept[0] = picture.kept[1] = kept;
    picture.kept[1].data = i == 0 ? NULL : kept.data;
    picture.kept[1].source = i == 1 ? NULL : kept.source;
    picture.kept[1].rows = i != 2;
    picture.kept[1].row_size = i == 3 ? 0 : 10;
    picture.kept[1].stride = i == 4 ? 9 : 10;
    refuse_picture (picture, mentions[i]);
  }
}

/* The picture of CTR_BACKGROUND_GIVEN is missing, unsuitable, or of another size than the image. */
static void
test_backgrounds (void)
{
  const CtrBackend backend = contract_setup ()->backend;
  CtrBackground *background = ctr_background_new (backend, NULL);
  CtrImage picture = background_image;
  CtrError error;
  describe ("pictures of the background");
  CHECK (!ctr_background_run (background, &good_image, &good_params, &good_picture, contract_setup ()->stream, &error));
  CHECK (strstr (error.message, "no picture"));
  picture.format = CTR_FORMAT_RGB;
  CHECK (!ctr_background_set_picture (background, &picture, &error) && strstr (error.message, "grey"));
  picture = background_image;
  picture.memory = CTR_MEMORY_DEVICE;
  CHECK (!ctr_background_set_picture (background, &picture, &error) && strstr (error.message, "host memory"));
  picture = background_image;
  picture.width = 11;
  CHECK (ctr_background_set_picture (background, &picture, NULL));
  CHECK (!ctr_background_run (background, &good_image, &good_params, &good_picture, contract_setup ()->stream, &error));
  CHECK (strstr (error.message, "11 x 10") && strstr (error.message, "10 x 10"));
  picture = background_image;
  picture.format = CTR_FORMAT_GRAY16;
  picture.stride = 32;
  picture.data = pixels;
  CHECK (ctr_background_set_picture (background, &picture, NULL));
  CHECK (!ctr_background_run (background, &good_image, &good_params, &good_picture, contract_setup ()->stream, &error));
  CHECK (strstr (error.message, "16 bits") && strstr (error.message, "has 8"));
  CHECK (ctr_background_set_picture (background, &background_image, NULL));
  CHECK (ctr_background_run (background, &good_image, &good_params, &good_picture, contract_setup ()->stream, NULL));
  ctr_background_free (background);
}

static void
test_defaults (void)
{
  CtrBackgroundParams params;
  memset (&params, 0xff, sizeof params);
  ctr_background_params_init (&params);
  describe ("default parameters");
  CHECK (params.mode == CTR_BACKGROUND_SUBTRACT && params.model == CTR_BACKGROUND_AVERAGE);
  CHECK (params.learning && params.learning_rate == 0.05 && params.frames == 7 && params.interval == 1);
  CHECK (params.offset == 0 && params.sample_mask == 65535);
}

static void
test_own (void)
{
  test_params ();
  test_pictures ();
  test_backgrounds ();
  test_defaults ();
}

const Contract background_contract = {
    .name = "background",
    .enqueue_name = "ctr_background_enqueue",
    .init_name = "ctr_background_params_init",
    .params_size = sizeof (CtrBackgroundParams),
    .open = open_requests,
    .close = close_requests,
    .good_request = good_request,
    .memory_cases = memory_cases,
    CONTRACT_CALLS,
    .check_result = check_result,
    .test_own = test_own,
};

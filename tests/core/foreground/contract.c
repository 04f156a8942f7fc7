/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The table of masks for the contract test, and the errors that only this algorithm has. */
#include "tests/core/canny/testing.h"
#include "tests/core/common/contract.h"
#include "tests/core/foreground/reference.h"
#include "tests/core/foreground/testing.h"

#include <stdlib.h>
#include <string.h>

static uint8_t pixels[64 * 64 + 1], output[64 * 64], large_output[CONTRACT_FRAME_WIDTH * CONTRACT_FRAME_HEIGHT];
static const CtrImage good_image = {
    .data = pixels, .stride = 64, .width = 10, .height = 10, .format = CTR_FORMAT_GRAY8};
static const CtrForeground good_foreground = {.mode = CTR_THRESHOLD_ADAPTIVE_MEAN, .block_size = 5, .close_size = 2};
static const CtrForeground steps = {.mode = CTR_THRESHOLD_TRIANGLE,
    .channel = CTR_CHANNEL_HUE,
    .open_size = 2,
    .close_size = 3,
    .fill_holes = true,
    .split_touching = 16};
static const CtrForeground hysteresis = {.mode = CTR_THRESHOLD_HYSTERESIS,
    .threshold = 20000,
    .upper_threshold = 60000,
    .invert = true,
    .clear_border = true};
static CtrEdgePicture good_picture, large_picture;
static ContractFrames frames;

static void
open_requests (const Setup *setup)
{
  Random rng = {3}, colours_rng = {51};
  for (size_t i = 0; i < sizeof pixels; i++)
    pixels[i] = (uint8_t) random_next (&rng);
  ctr_edge_picture_init_mask (&good_picture, output, 64, CTR_MEMORY_HOST);
  ctr_edge_picture_init_mask (&large_picture, large_output, CONTRACT_FRAME_WIDTH, CTR_MEMORY_HOST);
  frames = contract_frames_new (&colours_rng);
}

static void
close_requests (void)
{
  contract_frames_free (&frames);
}

static Request
good_request (void)
{
  return (Request){.image = &good_image, .params = &good_foreground, .picture = &good_picture};
}

static const MemoryCase *
memory_cases (uint32_t *count)
{
  static const Request smaller = {.image = &frames.narrow, .params = &steps, .picture = &large_picture};
  static const Request smaller_camera = {
      .image = &frames.narrow_camera, .params = &hysteresis, .picture = &large_picture};
  static const MemoryCase cases[] = {
      {.name = "all steps",
          .request = {.image = &frames.colours.view, .params = &steps, .picture = &large_picture},
          .smaller = &smaller,
          .least_failures = 6,
          .later_allocations = 0,
          .kept_blocks = 1},
      {.name = "hysteresis",
          .request = {.image = &frames.camera.view, .params = &hysteresis, .picture = &large_picture},
          .smaller = &smaller_camera,
          .least_failures = 4,
          .later_allocations = 0,
          .kept_blocks = 1}};
  *count = LENGTH (cases);
  return cases;
}

CONTRACT_CREATE (mask)
CONTRACT_PICTURES (mask, request->image, request->params, request->picture)

static void
check_result (const Request *request, void *maker)
{
  uint8_t *mask = reference_mask (request->image, request->params, NULL);
  check_painted (request->picture, request->image, mask);
  free (mask);
}

#define REFUSE(change, mentions) contract_refuse_change (CtrForeground, change, mentions)

static void
test_foregrounds (void)
{
  static const uint32_t bad_blocks[] = {0, 1, 2, 4, 6, 254, 256, 257, UINT32_MAX};
  REFUSE (mode = (CtrThresholdMode) -1, "mode -1");
  REFUSE (mode = (CtrThresholdMode) 6, "mode 6");
  REFUSE (channel = (CtrChannel) -1, "channel -1");
  REFUSE (channel = (CtrChannel) CTR_CHANNELS, "channel 9");
  REFUSE (shape = (CtrShape) -1, "shape -1");
  REFUSE (shape = (CtrShape) 3, "shape 3");
  REFUSE (ranges = 1 << CTR_CHANNELS, "0x200");
  REFUSE (ranges = UINT32_C (1) << 31, "0x80000000");
  for (size_t i = 0; i < LENGTH (bad_blocks); i++)
    REFUSE (block_size = bad_blocks[i], "odd number from 3 to 255");
  REFUSE (offset = 65536, "offset is 65536");
  REFUSE (offset = INT32_MIN, "offset is -2147483648");
  REFUSE (open_size = 64, "opening is 64 pixels");
  REFUSE (close_size = UINT32_MAX, "closing is 4294967295 pixels");
  REFUSE (split_touching = CTR_MAX_SPLIT_DEPTH + 1, "split is 16385");
  REFUSE (split_touching = UINT32_MAX, "split is 4294967295");
  CtrForeground foreground = {.mode = CTR_THRESHOLD_HYSTERESIS, .threshold = 9, .upper_threshold = 8};
  contract_refuse_params (&foreground, "at least the threshold, 9");
  foreground = (CtrForeground){.mode = CTR_THRESHOLD_TRIANGLE, .significant_bits = 7};
  contract_refuse_params (&foreground, "7 significant bits");
  foreground.significant_bits = 17;
  contract_refuse_params (&foreground, "17 significant bits");
}

static void
refuse_channel (CtrImage image, CtrForeground foreground, const char *mentions)
{
  Request request = good_request ();
  request.image = &image;
  request.params = &foreground;
  contract_refuse (&request, CTR_ERROR_INVALID_ARGUMENT, mentions);
}

static void
test_channels (void)
{
  static const char *const names[] = {"luma", "red", "green", "blue", "hue", "saturation", "value", "cb", "cr"};
  CtrImage image = good_image, wide = good_image;
  CtrImage yuv = good_image;
  wide.format = CTR_FORMAT_GRAY16;
  yuv.format = CTR_FORMAT_UYVY;
  for (int channel = CTR_CHANNEL_RED; channel < CTR_CHANNELS; channel++) {
    CtrForeground foreground = {.channel = (CtrChannel) channel};
    refuse_channel (good_image, foreground, names[channel]);
    refuse_channel (good_image, foreground, "packed RGB");
    refuse_channel (wide, foreground, "16-bit");
    if (channel < CTR_CHANNEL_CB)
      refuse_channel (yuv, foreground, "packed YUV");
    foreground = (CtrForeground){.ranges = UINT32_C (1) << channel};
    refuse_channel (good_image, foreground, names[channel]);
  }
  refuse_channel (wide, (CtrForeground){.ranges = 1}, "16-bit");
  yuv.chroma.cr = pixels;
  refuse_channel (yuv, (CtrForeground){.channel = CTR_CHANNEL_CR}, "no other");
  const CtrForeground cb = {.channel = CTR_CHANNEL_CB};
  image.chroma = (CtrChroma){.cb = pixels, .cr = NULL, .stride = 10, .step = 1};
  refuse_channel (image, cb, "with its chroma");
  image.chroma = (CtrChroma){.cb = pixels, .cr = pixels, .stride = 10};
  refuse_channel (image, cb, "step of 0");
  image.chroma.step = 3;
  refuse_channel (image, cb, "step of 3");
  image.chroma = (CtrChroma){.cb = pixels, .cr = pixels, .stride = 10, .step = 1, .shift_x = 3};
  refuse_channel (image, cb, "shifts 3 and 0");
  image.chroma = (CtrChroma){.cb = pixels, .cr = pixels, .stride = 8, .step = 2, .shift_x = 1};
  refuse_channel (image, cb, "row of 9 bytes");
}

/* What a mode ignores may have any value, and gives the same mask. */
static void
test_ignored (void)
{
  const CtrForeground plain = {.threshold = 90};
  const CtrForeground odd = {
      .threshold = 90, .block_size = 4, .offset = INT32_MAX, .open_size = 1, .close_size = 1, .significant_bits = 99};
  const CtrForeground ranges = {.mode = CTR_THRESHOLD_ADAPTIVE_MEAN,
      .channel = CTR_CHANNEL_HUE,
      .block_size = 4,
      .ranges = 1,
      .lower = {90},
      .upper = {255}};
  const CtrForeground *const alike[] = {&plain, &odd, &ranges};
  CtrMask *mask = mask_maker_new (contract_setup ());
  uint8_t *expected = make_mask (mask, contract_setup (), &good_image, &plain);
  for (size_t i = 0; i < LENGTH (alike); i++) {
    describe_mask ("ignored fields", &good_image, alike[i]);
    uint8_t *actual = make_mask (mask, contract_setup (), &good_image, alike[i]);
    CHECK (memcmp (expected, actual, 100) == 0 && memchr (actual, 255, 100) && memchr (actual, 0, 100));
    free (actual);
  }
  free (expected);
  ctr_mask_free (mask);
}

/* A threshold is told of a finished image only. */
static void
test_threshold (void)
{
  uint32_t threshold;
  CtrError error;
  CtrMask *mask = mask_maker_new (contract_setup ());
  describe ("the threshold before the first image");
  CHECK (!ctr_mask_get_threshold (mask, &threshold, &error));
  CHECK (error.status == CTR_ERROR_INVALID_ARGUMENT && strstr (error.message, "ctr_mask_finish()"));
  CHECK (!ctr_mask_lead_default (mask, &error) && strstr (error.message, "ctr_mask_enqueue()"));
  const CtrForeground fixed = {.threshold = 77};
  CHECK (ctr_mask_run (mask, &good_image, &fixed, &good_picture, contract_setup ()->stream, NULL));
  CHECK (ctr_mask_get_threshold (mask, &threshold, NULL) && threshold == 77);
  CHECK (ctr_mask_run (mask, &good_image, &good_foreground, &good_picture, contract_setup ()->stream, NULL));
  CHECK (ctr_mask_get_threshold (mask, &threshold, NULL) && threshold == 0);
  ctr_mask_free (mask);
}

static void
test_pictures (void)
{
  CtrEdgePicture picture = good_picture;
  Request request = good_request ();
  request.picture = NULL;
  contract_refuse (&request, CTR_ERROR_INVALID_ARGUMENT, "1 to 4 planes");
  picture.planes[0].stride = 9;
  request.picture = &picture;
  contract_refuse (&request, CTR_ERROR_INVALID_ARGUMENT, "10 bytes");
  picture = good_picture;
  picture.memory = CTR_MEMORY_DEVICE;
  if (contract_setup ()->backend == CTR_BACKEND_CPU)
    contract_refuse (&request, CTR_ERROR_INVALID_ARGUMENT, "host memory");
}

static void
test_own (void)
{
  test_foregrounds ();
  test_channels ();
  test_ignored ();
  test_threshold ();
  test_pictures ();
}

const Contract mask_contract = {
    .name = "mask",
    .enqueue_name = "ctr_mask_enqueue",
    .init_name = "the foreground is NULL",
    .params_size = sizeof (CtrForeground),
    .open = open_requests,
    .close = close_requests,
    .good_request = good_request,
    .memory_cases = memory_cases,
    CONTRACT_CALLS,
    .check_result = check_result,
    .test_own = test_own,
};

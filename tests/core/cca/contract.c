/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The table of components for the contract test, and the errors that only this algorithm has. */
#include "tests/core/cca/reference.h"
#include "tests/core/cca/testing.h"
#include "tests/core/common/contract.h"

#include <stdlib.h>
#include <string.h>

enum { WIDTH = 200, HEIGHT = 150 }; /* of the frame without memory */

static uint8_t pixels[64 * 64 + 1];
static const CtrImage good_image = {
    .data = pixels, .stride = 64, .width = 10, .height = 10, .format = CTR_FORMAT_GRAY8};
static CtrCcaParams good_params, chequered_params, selecting_params, labels_params;
static CtrImage large_square = {.stride = 500, .width = 500, .height = 400, .format = CTR_FORMAT_GRAY8}, small_square;
static CtrImage chequered = {.stride = WIDTH, .width = WIDTH, .height = HEIGHT, .format = CTR_FORMAT_GRAY8};

static void
open_requests (const Setup *setup)
{
  Random rng = {3};
  for (size_t i = 0; i < sizeof pixels; i++)
    pixels[i] = (uint8_t) random_next (&rng);
  good_params = params_of (CTR_CONNECTIVITY_8, 128, false, ALL_FEATURES);
  chequered_params = params_of (CTR_CONNECTIVITY_4, 1, false, ALL_FEATURES);
  chequered_params.foreground.mode = CTR_THRESHOLD_OTSU;
  chequered.data = shape_new (SHAPE_CHEQUERBOARD, WIDTH, HEIGHT);
  selecting_params = chequered_params; /* with limits that drop nothing */
  selecting_params.select =
      (CtrSelect){.count = 1, .limits = {{.feature = CTR_COMPONENT_NUMBER_X, .max = CTR_MAX_SIDE}}};
  labels_params = params_of (CTR_CONNECTIVITY_8, 1, false, CTR_FEATURE_LABELS);
  large_square.data = shape_new (SHAPE_ONES, large_square.width, large_square.height);
  small_square = large_square;
  small_square.width = small_square.height = 20;
}

static void
close_requests (void)
{
  free ((void *) chequered.data);
  free ((void *) large_square.data);
}

static Request
good_request (void)
{
  return (Request){.image = &good_image, .params = &good_params};
}

static const MemoryCase *
memory_cases (uint32_t *count)
{
  /* A later frame allocates the result and its eight arrays; a failed one may leave the histogram and the rows' counts.
   */
  static const MemoryCase cases[] = {{.name = "all features",
                                         .request = {.image = &chequered, .params = &chequered_params},
                                         .least_failures = 28,
                                         .later_allocations = 9,
                                         .kept_blocks = 2},
      {.name = "limits",
          .request = {.image = &chequered, .params = &selecting_params},
          .least_failures = 29,
          .later_allocations = 10,
          .kept_blocks = 2}};
  *count = LENGTH (cases);
  return cases;
}

/* A large label image, and a small one. */
static const MemoryCase *
size_cases (uint32_t *count)
{
  static const Request smaller = {.image = &small_square, .params = &labels_params};
  static const MemoryCase cases[] = {{.name = "a large label image",
      .request = {.image = &large_square, .params = &labels_params},
      .smaller = &smaller}};
  *count = LENGTH (cases);
  return cases;
}

static const void *
variants (uint32_t *count)
{
  static CtrCcaParams all[10];
  for (size_t i = 0; i < LENGTH (all); i++)
    all[i] = params_of (CTR_CONNECTIVITY_8, 100, false, 0);
  all[1].connectivity = CTR_CONNECTIVITY_4;
  all[2].min_area = 3;
  all[3].features = ALL_FEATURES;
  all[4].foreground.mode = CTR_THRESHOLD_OTSU;
  all[5].foreground.invert = true;
  all[6].mode = CTR_COMPONENTS_EQUAL;
  all[7].mode = CTR_COMPONENTS_EQUAL;
  all[7].background = CTR_CCA_NO_BACKGROUND;
  all[8].features = CTR_FEATURE_BACKGROUND;
  all[9].features = ALL_FEATURES;
  all[9].ring_width = 7;
  *count = LENGTH (all);
  return all;
}

CONTRACT_RESULTS (cca, components, request->image, request->params)

static bool
has_device_result (void *cca, CtrError *error)
{
  CtrDeviceComponents device;
  return ctr_cca_get_device_result (cca, &device, error);
}

static void *
submit (void *cca, const Request *request, void *stream, CtrError *error)
{
  return ctr_cca_submit (cca, request->image, request->params, stream, error);
}

static bool
wait_for (void *components, CtrError *error)
{
  return ctr_components_wait (components, error);
}

static bool
is_complete (void *components)
{
  return ctr_components_is_complete (components);
}

static bool
lead (void *components, void *stream, CtrError *error)
{
  return ctr_components_lead (components, stream, error);
}

static void
check_result (const Request *request, void *components)
{
  CtrComponents *expected = reference_cca (request->image, request->params);
  check_components_equal (expected, components);
  reference_components_free (expected);
}

#define REFUSE(change, mentions) contract_refuse_change (CtrCcaParams, change, mentions)

static void
test_own (void)
{
  static const int connectivities[] = {0, -1, 1, 5, 6, 16};
  for (size_t i = 0; i < LENGTH (connectivities); i++)
    REFUSE (connectivity = (CtrConnectivity) connectivities[i], "4 or 8");
  REFUSE (foreground.mode = (CtrThresholdMode) 7, "mode 7");
  REFUSE (mode = (CtrComponentMode) 2, "mode 2");
  REFUSE (background = -2, "-2");
  REFUSE (background = 65536, "65536");
  REFUSE (ring_width = 0, "ring_width is 0");
  REFUSE (ring_width = CTR_CCA_MOST_RING_WIDTH + 1, "17");
  REFUSE (features = CTR_FEATURE_VALUES, "CTR_FEATURE_VALUES");

  CtrCcaParams params;
  memset (&params, 0xff, sizeof params);
  ctr_cca_params_init (&params);
  describe ("default parameters");
  CHECK (params.foreground.mode == CTR_THRESHOLD_FIXED && params.foreground.threshold == 128);
  CHECK (!params.foreground.invert && params.connectivity == CTR_CONNECTIVITY_8);
  CHECK (params.min_area == 0 && params.max_area == 0 && params.features == 0);
  CHECK (params.mode == CTR_COMPONENTS_FOREGROUND && params.background == 0 && params.ring_width == 3);
  CHECK (ctr_format_pixel_size (CTR_FORMAT_GRAY16) == 2 && ctr_format_pixel_size ((CtrFormat) 99) == 0);
  CHECK (ctr_format_row_size (CTR_FORMAT_GRAY16, 5) == 10 && ctr_format_row_size (CTR_FORMAT_BGR, 5) == 15);
  CHECK (ctr_format_row_size (CTR_FORMAT_UYVY, 5) == 12 && ctr_format_row_size (CTR_FORMAT_YUYV, 6) == 12);
  CHECK (ctr_format_row_size (CTR_FORMAT_VYUY, 65535) == 131072 && ctr_format_row_size ((CtrFormat) 99, 5) == 0);
}

const Contract cca_contract = {
    .name = "cca",
    .enqueue_name = "ctr_cca_enqueue",
    .init_name = "ctr_cca_params_init",
    .params_size = sizeof (CtrCcaParams),
    .features_offset = offsetof (CtrCcaParams, features),
    .unknown_feature = 1 << 9,
    .open = open_requests,
    .close = close_requests,
    .good_request = good_request,
    .memory_cases = memory_cases,
    .size_cases = size_cases,
    .variants = variants,
    CONTRACT_CALLS,
    .submit = submit,
    .wait = wait_for,
    .is_complete = is_complete,
    .lead = lead,
    .has_device_result = has_device_result,
    .check_result = check_result,
    .test_own = test_own,
};

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The table of contours of levels for the contract test, and the errors that only this algorithm has. */
#include "tests/core/common/contract.h"
#include "tests/core/cracks/reference.h"
#include "tests/core/cracks/testing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static uint8_t pixels[64 * 64 + 1];
static const CtrImage good_image = {
    .data = pixels, .stride = 64, .width = 10, .height = 10, .format = CTR_FORMAT_GRAY8};
static CtrCracksParams good_params, mode_params[2], nested_params;
static Picture noise; /* the frame without memory */

static void
open_requests (const Setup *setup)
{
  Random rng = {3}, noise_rng = {2};
  for (size_t i = 0; i < sizeof pixels; i++)
    pixels[i] = (uint8_t) random_next (&rng);
  ctr_cracks_params_init (&good_params);
  good_params.step = 10;
  noise = picture_random (&noise_rng, 60, 50, (Layout){.format = CTR_FORMAT_GRAY8});
  for (int mode = 0; mode <= 1; mode++) {
    mode_params[mode] = cracks_params_of (mode, CTR_CONNECTIVITY_8, CTR_IMAGE_BORDER_PAD);
    mode_params[mode].step = 20;
    mode_params[mode].features = CTR_CONTOUR_FEATURE_MOMENTS;
  }
  nested_params = mode_params[CTR_LEVELS_AT_LEAST];
  nested_params.hierarchy = CTR_HIERARCHY_LEVELS;
}

static void
close_requests (void)
{
  picture_free (&noise);
}

static Request
good_request (void)
{
  return (Request){.image = &good_image, .params = &good_params};
}

static const MemoryCase *
memory_cases (uint32_t *count)
{
  /* A later frame allocates the result and its three arrays. */
  static const MemoryCase cases[] = {{.name = "levels or above",
                                         .request = {.image = &noise.view, .params = &mode_params[CTR_LEVELS_AT_LEAST]},
                                         .least_failures = 16,
                                         .later_allocations = 4,
                                         .kept_blocks = -1},
      {.name = "equal levels",
          .request = {.image = &noise.view, .params = &mode_params[CTR_LEVELS_EQUAL]},
          .least_failures = 16,
          .later_allocations = 4,
          .kept_blocks = -1},
      {.name = "levels in one another",
          .request = {.image = &noise.view, .params = &nested_params},
          .least_failures = 18,
          .later_allocations = 5,
          .kept_blocks = -1}};
  *count = LENGTH (cases);
  return cases;
}

static const void *
variants (uint32_t *count)
{
  static CtrCracksParams all[6];
  for (size_t i = 0; i < LENGTH (all); i++) {
    all[i] = cracks_params_of (CTR_LEVELS_AT_LEAST, CTR_CONNECTIVITY_8, CTR_IMAGE_BORDER_PAD);
    all[i].step = 60;
  }
  all[1].step = 50;
  all[2].mode = CTR_LEVELS_EQUAL;
  all[3].min_area = 4;
  all[3].features = CTR_CONTOUR_FEATURE_MOMENTS;
  all[4].connectivity = CTR_CONNECTIVITY_4;
  all[5].frame = CTR_IMAGE_BORDER_ZERO;
  all[5].min_length = 9;
  all[4].hierarchy = all[5].hierarchy = CTR_HIERARCHY_LEVELS;
  all[5].min_persistence = 60;
  *count = LENGTH (all);
  return all;
}

CONTRACT_RESULTS (cracks, contours, request->image, request->params)

static void *
submit (void *cracks, const Request *request, void *stream, CtrError *error)
{
  return ctr_cracks_submit (cracks, request->image, request->params, stream, error);
}

static bool
wait_for (void *contours, CtrError *error)
{
  return ctr_contours_wait (contours, error);
}

static bool
is_complete (void *contours)
{
  return ctr_contours_is_complete (contours);
}

static bool
lead (void *contours, void *stream, CtrError *error)
{
  return ctr_contours_lead (contours, stream, error);
}

static void
check_result (const Request *request, void *contours)
{
  Contours expected = reference_cracks (request->image, request->params);
  const Contours actual = contours_of (contours);
  check_contours_equal (&expected, &actual);
  reference_contours_free (&expected);
}

#define REFUSE(change, mentions) contract_refuse_change (CtrCracksParams, change, mentions)

static const double bad_sizes[] = {-1, -1e-300, INFINITY, -INFINITY, NAN};

static void
refuse_bad_sizes (size_t offset, const char *mentions)
{
  contract_refuse_doubles (offset, bad_sizes, LENGTH (bad_sizes), mentions);
}

static void
test_levels (void)
{
  static const uint32_t none[] = {1}, with_zero[] = {0, 1}, twice[] = {1, 5, 5}, descending[] = {1, 9, 8};
  CtrCracksParams params = good_params;
  params.minimum = 0;
  contract_refuse_params (&params, "level 0");
  params = good_params;
  params.step = 0;
  contract_refuse_params (&params, "step");
  params = good_params;
  params.minimum = 9;
  params.maximum = 8;
  contract_refuse_params (&params, "minimum 9 is above its maximum 8");
  params = good_params;
  params.minimum = 70000;
  contract_refuse_params (&params, "minimum 70000");
  params = good_params;
  params.levels = none;
  params.level_count = 0;
  contract_refuse_params (&params, "list of levels is empty");
  params.levels = with_zero;
  params.level_count = LENGTH (with_zero);
  contract_refuse_params (&params, "level 0");
  params.levels = twice;
  params.level_count = LENGTH (twice);
  contract_refuse_params (&params, "5 comes after 5");
  params.levels = descending;
  params.level_count = LENGTH (descending);
  contract_refuse_params (&params, "8 comes after 9");
}

/* A chequerboard whose points at all levels together are too many: they are counted, not written. */
static void
test_too_many (void)
{
  enum { SIDE = 2000 };
  uint16_t *samples = malloc (SIDE * SIDE * sizeof *samples);
  for (uint32_t i = 0; i < SIDE * SIDE; i++)
    samples[i] = (i / SIDE + i) % 2 ? 65535 : 0;
  const CtrImage image = {
      .data = samples, .stride = 2 * SIDE, .width = SIDE, .height = SIDE, .format = CTR_FORMAT_GRAY16};
  CtrCracksParams params = good_params;
  params.step = 1;
  const Request good = good_request ();
  const Setup *setup = contract_setup ();
  CtrError error = {.status = CTR_OK};
  CtrCracks *cracks = tracer_new (setup);
  describe ("eight million corners at each of 65535 levels");
  CtrContours *contours = ctr_cracks_run (cracks, &image, &params, setup->stream, &error);
  CHECK (contours && contours->exceeded == CTR_LIMIT_POINTS && contours->needed == 524280000000);
  ctr_contours_unref (contours);
  params.max_points = 0;
  CHECK (!ctr_cracks_run (cracks, &image, &params, setup->stream, &error));
  CHECK (error.status == CTR_ERROR_OUT_OF_MEMORY && strstr (error.message, "524280000000 points"));
  free (samples);
  contract_check_works (cracks, &good);
  ctr_cracks_free (cracks);
}

static void
test_own (void)
{
  REFUSE (mode = (CtrLevelMode) 2, "level mode 2");
  REFUSE (mode = (CtrLevelMode) -1, "level mode -1");
  REFUSE (hierarchy = (CtrHierarchy) 2, "hierarchy 2");
  REFUSE (min_persistence = 1, "minimum persistence is 1");
  REFUSE (max_depth = 0, "maximum depth is 0");
  REFUSE (features = CTR_CONTOUR_FEATURE_NESTING, "features");
  REFUSE (connectivity = (CtrConnectivity) 6, "connectivity is 6");
  REFUSE (frame = (CtrImageBorder) 2, "image border 2");
  refuse_bad_sizes (offsetof (CtrCracksParams, min_area), "minimum area");
  refuse_bad_sizes (offsetof (CtrCracksParams, max_area), "maximum area");
  refuse_bad_sizes (offsetof (CtrCracksParams, min_length), "minimum length");
  test_levels ();
  test_too_many ();
  CtrCracksParams sideways = mode_params[CTR_LEVELS_EQUAL];
  sideways.hierarchy = CTR_HIERARCHY_LEVELS;
  contract_refuse_params (&sideways, "mode EQUAL");

  CtrCracksParams params;
  memset (&params, 0xff, sizeof params);
  ctr_cracks_params_init (&params);
  describe ("default parameters");
  CHECK (params.mode == CTR_LEVELS_AT_LEAST && params.connectivity == CTR_CONNECTIVITY_8);
  CHECK (params.frame == CTR_IMAGE_BORDER_PAD && params.minimum == 1 && params.maximum == 65535 && params.step == 1);
  CHECK (!params.levels && params.level_count == 0);
  CHECK (params.min_area == 0 && params.max_area == 0 && params.min_length == 0 && params.features == 0);
  CHECK (params.max_points == CTR_CRACKS_DEFAULT_MAX_POINTS);
  CHECK (params.hierarchy == CTR_HIERARCHY_PER_LEVEL);
  CHECK (params.min_persistence == 0 && params.max_depth == CTR_CRACKS_ANY_DEPTH);
}

const Contract cracks_contract = {
    .name = "cracks",
    .enqueue_name = "ctr_cracks_enqueue",
    .init_name = "ctr_cracks_params_init",
    .params_size = sizeof (CtrCracksParams),
    .features_offset = offsetof (CtrCracksParams, features),
    .unknown_feature = 1 << 1,
    .open = open_requests,
    .close = close_requests,
    .good_request = good_request,
    .memory_cases = memory_cases,
    .variants = variants,
    CONTRACT_CALLS,
    .submit = submit,
    .wait = wait_for,
    .is_complete = is_complete,
    .lead = lead,
    .check_result = check_result,
    .test_own = test_own,
};

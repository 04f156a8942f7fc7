/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The table of borders for the contract test, and the errors that only this algorithm has. */
#include "tests/core/borders/reference.h"
#include "tests/core/borders/testing.h"
#include "tests/core/common/contract.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 100, HEIGHT = 90 }; /* of the frame without memory */

static uint8_t pixels[64 * 64 + 1];
static const CtrImage good_image = {
    .data = pixels, .stride = 64, .width = 10, .height = 10, .format = CTR_FORMAT_GRAY8};
static CtrBordersParams good_params, tree_params, simplified_params, refined_params, selecting_params;
static CtrImage dominoes = {.stride = WIDTH, .width = WIDTH, .height = HEIGHT, .format = CTR_FORMAT_GRAY8};

static void
open_requests (const Setup *setup)
{
  Random rng = {3};
  for (size_t i = 0; i < sizeof pixels; i++)
    pixels[i] = (uint8_t) random_next (&rng);
  ctr_borders_params_init (&good_params);
  tree_params = borders_params_of (CTR_RETRIEVE_TREE, CTR_APPROXIMATION_SIMPLE, 1, false);
  tree_params.foreground.mode = CTR_THRESHOLD_OTSU;
  tree_params.features = CTR_CONTOUR_FEATURE_MOMENTS;
  selecting_params = tree_params; /* with limits that drop nothing */
  selecting_params.select = (CtrSelect){.count = 1, .limits = {{.feature = CTR_CONTOUR_NUMBER_X, .max = CTR_MAX_SIDE}}};
  simplified_params = tree_params;
  simplified_params.epsilon = 0.5; /* a domino's two points stay two */
  refined_params = simplified_params;
  refined_params.subpixel = CTR_SUBPIXEL_EDGE;
  dominoes.data = shape_new (SHAPE_DOMINOES, WIDTH, HEIGHT);
}

static void
close_requests (void)
{
  free ((void *) dominoes.data);
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
  static const MemoryCase cases[] = {{.name = "a tree",
                                         .request = {.image = &dominoes, .params = &tree_params},
                                         .least_failures = 16,
                                         .later_allocations = 4,
                                         .kept_blocks = -1},
      {.name = "a tree with limits",
          .request = {.image = &dominoes, .params = &selecting_params},
          .least_failures = 17,
          .later_allocations = 5,
          .kept_blocks = -1},
      {.name = "a simplified tree",
          .request = {.image = &dominoes, .params = &simplified_params},
          .least_failures = 16,
          .later_allocations = -1,
          .kept_blocks = -1},
      {.name = "a refined tree",
          .request = {.image = &dominoes, .params = &refined_params},
          .least_failures = 18,
          .later_allocations = -1,
          .kept_blocks = -1}};
  *count = LENGTH (cases);
  return cases;
}

static const void *
variants (uint32_t *count)
{
  static CtrBordersParams all[12];
  for (size_t i = 0; i < LENGTH (all); i++)
    all[i] = borders_params_of (CTR_RETRIEVE_LIST, CTR_APPROXIMATION_SIMPLE, 100, false);
  all[1].mode = CTR_RETRIEVE_TREE;
  all[1].features = CTR_CONTOUR_SHAPE_FEATURES;
  all[2].mode = CTR_RETRIEVE_CCOMP;
  all[2].min_area = 3;
  all[3].mode = CTR_RETRIEVE_TREE;
  all[3].min_width = 2;
  all[3].features = CTR_CONTOUR_FEATURE_MOMENTS;
  all[4].mode = CTR_RETRIEVE_EXTERNAL;
  all[4].approximation = CTR_APPROXIMATION_NONE;
  all[4].features = CTR_CONTOUR_FEATURE_MOMENTS | CTR_CONTOUR_FEATURE_CIRCLE | CTR_CONTOUR_FEATURE_DISTANCES;
  all[5].features = CTR_CONTOUR_FEATURE_MOMENTS;
  all[6].foreground.mode = CTR_THRESHOLD_OTSU;
  all[6].min_length = 10;
  all[7].mode = CTR_RETRIEVE_TREE;
  all[7].foreground.invert = true;
  all[7].connectivity = CTR_CONNECTIVITY_4;
  all[8].subpixel = CTR_SUBPIXEL_EDGE;
  all[8].approximation = CTR_APPROXIMATION_NONE;
  all[9].subpixel = CTR_SUBPIXEL_THRESHOLD;
  all[9].foreground.mode = CTR_THRESHOLD_OTSU;
  all[9].features = CTR_CONTOUR_FEATURE_MOMENTS;
  all[10].epsilon = 1.5;
  all[10].approximation = CTR_APPROXIMATION_NONE;
  all[11].epsilon = 0.7;
  all[11].mode = CTR_RETRIEVE_TREE;
  all[11].subpixel = CTR_SUBPIXEL_EDGE;
  all[11].features = CTR_CONTOUR_FEATURE_MOMENTS | CTR_CONTOUR_FEATURE_HULL;
  *count = LENGTH (all);
  return all;
}

CONTRACT_RESULTS (borders, contours, request->image, request->params)

static void *
submit (void *borders, const Request *request, void *stream, CtrError *error)
{
  return ctr_borders_submit (borders, request->image, request->params, stream, error);
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

/* The subpixels are those of the host backend without a former frame, which borders-subpixel compares with the definition. */
static void
check_subpixels (const Request *request, CtrContours *contours)
{
  const Setup host = {.backend = CTR_BACKEND_CPU};
  CtrBorders *fresh = follower_new (&host);
  CtrContours *expected = follow_borders (fresh, &host, request->image, request->params);
  const CtrSubpixelPoint *a = ctr_contours_map_subpixel (contours, NULL),
                         *e = ctr_contours_map_subpixel (expected, NULL);
  CHECK (a && e && contours->point_count == expected->point_count);
  CHECK (memcmp (a, e, expected->point_count * sizeof *e) == 0);
  ctr_contours_unref (expected);
  ctr_borders_free (fresh);
}

static void
check_result (const Request *request, void *contours)
{
  const CtrBordersParams *params = request->params;
  if (params->subpixel != CTR_SUBPIXEL_NONE)
    check_subpixels (request, contours);
  Contours expected = reference_borders (request->image, request->params);
  const Contours actual = contours_of (contours);
  if (params->subpixel != CTR_SUBPIXEL_NONE)
    expected.info.features |= CTR_CONTOUR_FEATURE_SUBPIXEL;
  check_contours_equal (&expected, &actual);
  reference_contours_free (&expected);
}

#define REFUSE(change, mentions) contract_refuse_change (CtrBordersParams, change, mentions)

static const double bad_sizes[] = {-1, -1e-300, INFINITY, -INFINITY, NAN};

static void
refuse_bad_sizes (size_t offset, const char *mentions)
{
  contract_refuse_doubles (offset, bad_sizes, LENGTH (bad_sizes), mentions);
}

static void
test_own (void)
{
  REFUSE (foreground.mode = (CtrThresholdMode) 7, "threshold mode 7");
  REFUSE (connectivity = (CtrConnectivity) 0, "connectivity is 0: it must be 4 or 8");
  REFUSE (connectivity = (CtrConnectivity) 6, "connectivity is 6");
  REFUSE (mode = (CtrRetrieval) 4, "retrieval mode 4");
  REFUSE (mode = (CtrRetrieval) -1, "retrieval mode -1");
  REFUSE (approximation = (CtrApproximation) 0, "approximation 0");
  REFUSE (approximation = (CtrApproximation) 3, "approximation 3");
  refuse_bad_sizes (offsetof (CtrBordersParams, epsilon), "epsilon");
  refuse_bad_sizes (offsetof (CtrBordersParams, min_area), "minimum area");
  refuse_bad_sizes (offsetof (CtrBordersParams, max_area), "maximum area");
  refuse_bad_sizes (offsetof (CtrBordersParams, min_length), "minimum length");
  REFUSE (epsilon = 1e30, "1e+30");

  CtrBordersParams params;
  memset (&params, 0xff, sizeof params);
  ctr_borders_params_init (&params);
  describe ("default parameters");
  CHECK (params.foreground.mode == CTR_THRESHOLD_FIXED && params.foreground.threshold == 128);
  CHECK (!params.foreground.invert);
  CHECK (params.mode == CTR_RETRIEVE_LIST && params.approximation == CTR_APPROXIMATION_SIMPLE);
  CHECK (params.epsilon == 0 && params.min_area == 0 && params.max_area == 0 && params.min_length == 0);
  CHECK (params.min_width == 0 && params.min_height == 0 && params.features == 0);
}

const Contract borders_contract = {
    .name = "borders",
    .enqueue_name = "ctr_borders_enqueue",
    .init_name = "ctr_borders_params_init",
    .params_size = sizeof (CtrBordersParams),
    .features_offset = offsetof (CtrBordersParams, features),
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

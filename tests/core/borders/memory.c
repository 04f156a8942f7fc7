/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The CPU backend without memory: each allocation in turn fails; the call reports it, leaks nothing, and the follower
 * goes on working. */
#include "tests/core/common/allocations.h"
#include "tests/core/borders/reference.h"

#include <stdlib.h>
#include <string.h>

#ifndef HAVE_ALLOCATIONS

int
main (void)
{
  skip ("needs glibc's allocator to itself");
}

#else

int
main (void)
{
  const Setup setup = setup_open ("cpu", false);
  const uint32_t width = 100, height = 90;
  uint8_t *mask = shape_new (SHAPE_DOMINOES, width, height);
  CtrImage image = {.data = mask, .stride = width, .width = width, .height = height, .format = CTR_FORMAT_GRAY8};
  CtrBordersParams params = borders_params_of (CTR_RETRIEVE_TREE, CTR_APPROXIMATION_SIMPLE, 1, false);
  params.foreground.mode = CTR_THRESHOLD_OTSU;
  params.features = CTR_CONTOUR_FEATURE_MOMENTS;
  Contours expected = reference_borders (&image, &params);
  for (int simplified = 0; simplified <= 1; simplified++) {
    /* A domino's two points stay two. */
    params.epsilon = simplified ? 0.5 : 0;
    const long blocks_before = blocks;
    long failures = 0;
    CtrContours *contours = NULL;
    for (long allowed = 0; !contours; allowed++) {
      CtrError error = {.status = CTR_OK};
      describe ("a follower with %ld allocations to go, epsilon %g", allowed, params.epsilon);
      allocations_left = allowed;
      CtrBorders *borders = ctr_borders_new (CTR_BACKEND_CPU, &error);
      if (borders)
        contours = ctr_borders_run (borders, &image, &params, NULL, &error);
      allocations_left = -1;
      if (!contours) {
        failures++;
        CHECK (error.status == CTR_ERROR_OUT_OF_MEMORY);
        CHECK (strstr (error.message, "memory"));
        if (borders) {
          CtrBordersParams plain = params;
          plain.epsilon = 0;
          check_borders (borders, &setup, &image, &plain);
        }
      } else {
        const Contours actual = contours_of (contours);
        check_contours_equal (&expected, &actual);
      }
      ctr_borders_free (borders);
    }
    CHECK (failures > 15);
    ctr_contours_unref (contours);
    describe ("blocks that are left, epsilon %g", params.epsilon);
    CHECK (blocks == blocks_before);
  }

  describe ("allocations of a later frame: the result and its three arrays");
  params.epsilon = 0;
  CtrBorders *borders = follower_new (&setup);
  ctr_contours_unref (follow_borders (borders, &setup, &image, &params));
  allocations_left = 4;
  CtrContours *contours = follow_borders (borders, &setup, &image, &params);
  CHECK (allocations_left == 0);
  allocations_left = -1;
  const Contours actual = contours_of (contours);
  check_contours_equal (&expected, &actual);
  ctr_contours_unref (contours);
  ctr_borders_free (borders);
  reference_borders_free (&expected);
  free (mask);
  return 0;
}

#endif

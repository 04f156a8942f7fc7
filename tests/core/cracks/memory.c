/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The CPU backend without memory: each allocation in turn fails; the call reports it, leaks nothing, and the tracer
 * goes on working. */
#include "tests/core/common/allocations.h"
#include "tests/core/cracks/reference.h"

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
  Random rng = {2};
  Picture picture = picture_random (&rng, 60, 50, (Layout){.format = CTR_FORMAT_GRAY8});
  for (int mode = 0; mode <= 1; mode++) {
    CtrCracksParams params = cracks_params_of (mode, CTR_CONNECTIVITY_8, CTR_IMAGE_BORDER_PAD);
    params.step = 20;
    params.features = CTR_CONTOUR_FEATURE_MOMENTS;
    Contours expected = reference_cracks (&picture.view, &params);
    const long blocks_before = blocks;
    long failures = 0;
    CtrContours *contours = NULL;
    for (long allowed = 0; !contours; allowed++) {
      CtrError error = {.status = CTR_OK};
      describe ("a tracer with %ld allocations to go, mode %d", allowed, mode);
      allocations_left = allowed;
      CtrCracks *cracks = ctr_cracks_new (CTR_BACKEND_CPU, &error);
      if (cracks)
        contours = ctr_cracks_run (cracks, &picture.view, &params, NULL, &error);
      allocations_left = -1;
      if (!contours) {
        failures++;
        CHECK (error.status == CTR_ERROR_OUT_OF_MEMORY);
        CHECK (strstr (error.message, "memory"));
        if (cracks)
          check_cracks (cracks, &setup, &picture.view, &params);
      } else {
        const Contours actual = contours_of (contours);
        check_contours_equal (&expected, &actual);
      }
      ctr_cracks_free (cracks);
    }
    CHECK (failures > 15);
    ctr_contours_unref (contours);
    describe ("blocks that are left, mode %d", mode);
    CHECK (blocks == blocks_before);

    describe ("allocations of a later frame: the result and its three arrays, mode %d", mode);
    CtrCracks *cracks = tracer_new (&setup);
    ctr_contours_unref (trace_cracks (cracks, &setup, &picture.view, &params));
    allocations_left = 4;
    contours = trace_cracks (cracks, &setup, &picture.view, &params);
    CHECK (allocations_left == 0);
    allocations_left = -1;
    const Contours actual = contours_of (contours);
    check_contours_equal (&expected, &actual);
    ctr_contours_unref (contours);
    ctr_cracks_free (cracks);
    reference_borders_free (&expected);
  }
  picture_free (&picture);
  return 0;
}

#endif

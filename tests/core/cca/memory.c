/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The CPU backend without memory: each allocation in turn fails; the call reports it, leaks nothing, and the analyser
 * goes on working. */
#include "tests/core/common/allocations.h"
#include "tests/core/cca/reference.h"
#include "tests/core/common/testing.h"

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
  const uint32_t width = 200, height = 150;
  uint8_t *mask = shape_new (SHAPE_CHEQUERBOARD, width, height);
  CtrImage image = {.data = mask, .stride = width, .width = width, .height = height, .format = CTR_FORMAT_GRAY8};
  CtrCcaParams params = params_of (CTR_CONNECTIVITY_4, 1, false, ALL_FEATURES);
  params.foreground.mode = CTR_THRESHOLD_OTSU;
  CtrComponents *expected = reference_cca (&image, &params);
  const long blocks_before = blocks;
  long failures = 0;
  CtrComponents *components = NULL;
  for (long allowed = 0; !components; allowed++) {
    CtrError error = {.status = CTR_OK};
    describe ("an analyser with %ld allocations to go", allowed);
    allocations_left = allowed;
    CtrCca *cca = ctr_cca_new (CTR_BACKEND_CPU, &error);
    const long blocks_new = blocks;
    if (cca)
      components = ctr_cca_run (cca, &image, &params, NULL, &error);
    allocations_left = -1;
    if (!components) {
      failures++;
      CHECK (error.status == CTR_ERROR_OUT_OF_MEMORY);
      CHECK (strstr (error.message, "memory"));
      /* All it has taken by the frame's size is given back; the histogram and the rows' counts may stay. */
      CHECK (blocks <= blocks_new + 2);
      if (cca)
        check_image (cca, &setup, &image, &params);
    } else {
      check_equal (expected, components);
    }
    ctr_cca_free (cca);
  }
  CHECK (failures > 10);
  ctr_components_unref (components);
  CHECK (blocks == blocks_before);

  describe ("allocations of a later frame: the result and its four arrays");
  CtrCca *cca = analyser_new (&setup);
  ctr_components_unref (analyse (cca, &setup, &image, &params));
  allocations_left = 5;
  components = analyse (cca, &setup, &image, &params);
  CHECK (allocations_left == 0);
  allocations_left = -1;
  check_equal (expected, components);
  ctr_components_unref (components);
  ctr_cca_free (cca);
  reference_free (expected);
  free (mask);
  return 0;
}

#endif

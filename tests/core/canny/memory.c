/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The CPU backend's edge detection without memory: each allocation in turn fails; the call reports it, leaks nothing,
 * and the detector goes on working. A second frame allocates nothing. */
#include "tests/core/common/allocations.h"
#include "tests/core/canny/reference.h"

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
  enum { WIDTH = 200, HEIGHT = 150 };
  const Setup setup = setup_open ("cpu", false);
  Random rng = {51};
  Picture picture = picture_random (&rng, WIDTH, HEIGHT, (Layout){.format = CTR_FORMAT_BGRX});
  CtrImage small = picture.view;
  small.width = 20;
  CtrCannyParams params;
  ctr_canny_params_init (&params);
  params.sigma = 1;
  params.threshold_mode = CTR_CANNY_MEDIAN;
  uint8_t *expected = reference_canny (&picture.view, &params), *mask = malloc (WIDTH * HEIGHT);
  /* Not a mask, so that one is made elsewhere. */
  CtrEdgePicture edges;
  ctr_edge_picture_init_mask (&edges, mask, WIDTH, CTR_MEMORY_HOST);
  edges.planes[0].background[0] = 1;
  const long blocks_before = blocks;
  long failures = 0;
  for (bool done = false; !done;) {
    CtrError error = {.status = CTR_OK};
    describe ("a detector with %ld allocations to go", failures);
    allocations_left = failures;
    CtrCanny *canny = ctr_canny_new (CTR_BACKEND_CPU, &error);
    done = canny && ctr_canny_run (canny, &picture.view, &params, &edges, NULL, &error);
    allocations_left = -1;
    if (!done) {
      failures++;
      CHECK (error.status == CTR_ERROR_OUT_OF_MEMORY);
      CHECK (strstr (error.message, "memory"));
      if (canny) {
        check_edges (canny, &setup, &small, &params);
        check_edges (canny, &setup, &picture.view, &params);
      }
    } else {
      describe ("later frames of the same size or smaller");
      allocations_left = 0;
      CHECK (ctr_canny_run (canny, &picture.view, &params, &edges, NULL, NULL));
      CHECK (ctr_canny_run (canny, &small, &params, &edges, NULL, NULL));
      CHECK (ctr_canny_run (canny, &picture.view, &params, &edges, NULL, NULL));
      allocations_left = -1;
      for (uint32_t i = 0; i < WIDTH * HEIGHT; i++)
        CHECK (mask[i] == (expected[i] ? 255 : 1));
    }
    ctr_canny_free (canny);
  }
  CHECK (failures >= 4);
  CHECK (blocks == blocks_before);
  free (mask);
  free (expected);
  picture_free (&picture);
  return 0;
}

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Compares the backends on a frame of so many tiles that the CUDA backend takes its kernel for large frames. Most of
 * the frame is empty, to keep the emulation short. */
#include "tests/core/cca/testing.h"

#include <stdlib.h>

static const uint32_t width = 66 * 128 - 5, height = 32 * 64 - 3; /* 2112 tiles */

/* Copies PATCH (taken), of W x H pixels, into MASK at X, Y. */
static void
paste (uint8_t *mask, uint8_t *patch, uint32_t w, uint32_t h, uint32_t x, uint32_t y)
{
  for (uint32_t i = 0; i < h; i++)
    for (uint32_t k = 0; k < w; k++)
      mask[(size_t) (y + i) * width + x + k] = patch[(size_t) i * w + k];
  free (patch);
}

int
main (int argc, char **argv)
{
  Random rng = {41};
  const Setup cuda = setup_open ("cuda", false), cpu = setup_open ("cpu", false);
  CtrCca *on_cpu = analyser_new (&cpu), *on_cuda = analyser_new (&cuda);
  uint8_t *mask = shape_new (SHAPE_ZEROS, width, height);
  paste (mask, noise_new (&rng, 600, 300, 45, 1), 600, 300, width - 600, height - 300);
  paste (mask, noise_new (&rng, 300, 400, 60, 2), 300, 400, 0, 500);
  paste (mask, shape_new (SHAPE_ONES, 500, 200), 500, 200, 900, 0);
  paste (mask, shape_new (SHAPE_SPIRAL, 300, 300), 300, 300, 3000, 100);
  /* More labels than there is room for in shared memory; tiles of one column come to the same place for them. */
  paste (mask, shape_new (SHAPE_DOMINOES, 200, height), 200, height, 2000, 0);
  Picture picture = picture_of_mask (&rng, mask, width, height, (Layout){.format = CTR_FORMAT_GRAY8}, 99, false);
  FOR_BOTH_CONNECTIVITIES (c)
  for (uint32_t features = 0; features <= ALL_FEATURES; features += ALL_FEATURES) {
    CtrCcaParams params = params_of (c, 99, false, features);
    params.min_area = features ? 0 : 2;
    describe ("%d-connected, features %u", c, features);
    CtrComponents *expected = analyse (on_cpu, &cpu, &picture.view, &params);
    CtrComponents *actual = analyse (on_cuda, &cuda, &picture.view, &params);
    check_components_equal (expected, actual);
    ctr_components_unref (expected);
    ctr_components_unref (actual);
  }
  picture_free (&picture);
  free (mask);
  ctr_cca_free (on_cpu);
  ctr_cca_free (on_cuda);
  return 0;
}

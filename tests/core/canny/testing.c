/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/core/canny/testing.h"

#include "tests/core/canny/reference.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

CtrCannyParams
random_canny_params (Random *random)
{
  static const double sigmas[] = {0, 0, 0.05, 0.3, 0.5, 0.8, 1, 1.4, 2, 2, 2.6, 2.7, 5, 10, 20};
  CtrCannyParams params;
  ctr_canny_params_init (&params);
  params.sigma =
      random_below (random, 3) ? sigmas[random_below (random, LENGTH (sigmas))] : random_below (random, 10001) / 1000.;
  params.aperture = 3 + 2 * random_below (random, 3);
  params.l2_gradient = random_below (random, 2);
  if (random_below (random, 3) == 0)
    params.threshold_mode = CTR_CANNY_OTSU + random_below (random, 3);
  const double gain = params.aperture == 3 ? 1 : params.aperture == 5 ? 12 : 160;
  const double most = params.sigma > 1 ? 200 : 800;
  params.low_threshold = gain * most * random_below (random, 1000) / 1000;
  params.high_threshold = gain * most * random_below (random, 1000) / 1000;
  if (random_below (random, 2))
    params.significant_bits = CTR_CANNY_MIN_BITS + random_below (random, 9);
  params.native_depth = random_below (random, 2);
  if (params.native_depth) {
    params.low_threshold *= 1 << random_below (random, 9);
    params.high_threshold *= 1 << random_below (random, 9);
  }
  params.low_share = random_below (random, 501) / 1000.;
  params.high_share = random_below (random, 8) ? random_below (random, 1001) / 1000. : params.low_share;
  if (random_below (random, 8) == 0)
    params.low_threshold = 0;
  if (random_below (random, 8) == 0)
    params.high_threshold = params.low_threshold;
  return params;
}

void
describe_canny (const char *name, const CtrImage *image, const CtrCannyParams *params)
{
  describe ("%s, %u x %u, format %d, stride %zu; sigma %.17g, aperture %u, L%d, threshold mode %d, %.17g and %.17g, "
            "shares %.17g and %.17g, %u bits%s, output %d",
      name, image->width, image->height, image->format, image->stride, params->sigma, params->aperture,
      params->l2_gradient ? 2 : 1, params->threshold_mode, params->low_threshold, params->high_threshold,
      params->low_share, params->high_share, params->significant_bits, params->native_depth ? ", native" : "",
      params->output);
}

CtrCanny *
detector_new (const Setup *setup)
{
  CtrError error;
  CtrCanny *canny = ctr_canny_new (setup->backend, &error);
  if (!canny)
    fail (__FILE__, __LINE__, error.message);
  return canny;
}

uint8_t *
detect (CtrCanny *canny, const Setup *setup, const CtrImage *image, const CtrCannyParams *params)
{
  CtrError error;
  CtrEdgePicture picture;
  uint8_t *mask = malloc ((size_t) image->width * image->height);
  ctr_edge_picture_init_mask (&picture, mask, image->width, CTR_MEMORY_HOST);
  if (!ctr_canny_run (canny, image, params, &picture, setup->stream, &error))
    fail (__FILE__, __LINE__, error.message);
  return mask;
}

void
check_masks_equal (const uint8_t *expected, const uint8_t *actual, uint32_t width, uint32_t height)
{
  const size_t pixels = (size_t) width * height;
  size_t first = pixels, count = 0;
  if (memcmp (expected, actual, pixels) == 0)
    return;
  for (size_t i = pixels; i-- > 0;)
    if (expected[i] != actual[i]) {
      first = i;
      count++;
    }
  fprintf (stderr, "%zu pixels differ, first %zu, %zu: %u instead of %u\n", count, first % width, first / width,
      actual[first], expected[first]);
  fail (__FILE__, __LINE__, "edges are equal");
}

void
check_painted (const CtrEdgePicture *picture, const CtrImage *image, const uint8_t *mask)
{
  const size_t stride = picture->planes[0].stride;
  CtrEdgePicture expected = *picture;
  uint8_t *rows = malloc (stride * image->height);
  expected.planes[0].data = rows;
  reference_paint (&expected, mask, image->width, image->height);
  for (uint32_t y = 0; y < image->height; y++)
    CHECK (memcmp (rows + y * stride, (uint8_t *) picture->planes[0].data + y * stride, image->width) == 0);
  CHECK (memchr (mask, 255, (size_t) image->width * image->height));
  free (rows);
}

uint32_t
check_edges (CtrCanny *canny, const Setup *setup, const CtrImage *image, const CtrCannyParams *params)
{
  const size_t pixels = (size_t) image->width * image->height;
  uint8_t *expected = reference_canny (image, params), *actual = detect (canny, setup, image, params);
  uint32_t edges = 0;
  check_masks_equal (expected, actual, image->width, image->height);
  for (size_t i = 0; i < pixels; i++)
    edges += expected[i] != 0;
  free (expected);
  free (actual);
  return edges;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Edges on GPUs with little shared memory, of which CTR_EMULATION_SHARED says how much: tiles are lower or go by a blurred plane, and the
 * edges are those of the host. With 64 KB, a blur with more than 40 pixels of radius has one error, and the next frame has its edges. */
#include <contours/canny.h>

#include "tests/core/canny/testing.h"
#include "tests/core/common/equality.h"

#include <stdlib.h>
#include <string.h>

static const Setup gpu_setup = {.backend = CTR_BACKEND_CUDA}, host_setup = {.backend = CTR_BACKEND_CPU};
static CtrCanny *gpu, *host;
static bool little; /* 64 KB */

static void
check_refused (const CtrImage *image, const CtrCannyParams *params)
{
  CtrError error = {CTR_OK, ""};
  CtrEdgePicture picture;
  uint8_t *mask = malloc ((size_t) image->width * image->height);
  ctr_edge_picture_init_mask (&picture, mask, image->width, CTR_MEMORY_HOST);
  CHECK (!ctr_canny_run (gpu, image, params, &picture, NULL, &error));
  CHECK (error.status == CTR_ERROR_INVALID_ARGUMENT);
  CHECK (strstr (error.message, "sigma") && strstr (error.message, "shared memory"));
  free (mask);
}

static void
check (const CtrImage *image, const CtrCannyParams *params)
{
  describe_canny ("little shared memory", image, params);
  if (little && params->sigma > 13.4) {
    check_refused (image, params);
    return;
  }
  uint8_t *expected = detect (host, &host_setup, image, params), *actual = detect (gpu, &gpu_setup, image, params);
  check_masks_equal (expected, actual, image->width, image->height);
  free (expected);
  free (actual);
}

int
main (void)
{
  /* Frames with the tiles of each height, see CTR_CANNY_SMALL_FRAME and CTR_CANNY_LARGE_FRAME. */
  static const uint32_t sizes[][2] = {{33, 20}, {201, 67}, {610, 103}, {911, 280}};
  static const double sigmas[] = {2, 9, 13.3, 20};
  const char *shared = getenv ("CTR_EMULATION_SHARED");
  Random rng = {5};
  CHECK (shared);
  little = atoi (shared) <= 65536;
  gpu = detector_new (&gpu_setup);
  host = detector_new (&host_setup);
  for (size_t i = 0; i < LENGTH (sizes); i++) {
    Picture picture = picture_random (&rng, sizes[i][0], sizes[i][1], (Layout){.format = CTR_FORMAT_GRAY8});
    for (size_t s = 0; s < LENGTH (sigmas); s++)
      for (int variant = 0; variant < (i == 3 ? 1 : 3); variant++) {
        CtrCannyParams params;
        ctr_canny_params_init (&params);
        params.sigma = sigmas[s];
        params.low_threshold = 2;
        params.high_threshold = 6;
        params.aperture = variant == 1 ? 7 : 3;
        if (variant == 2)
          params.threshold_mode = CTR_CANNY_RELATIVE;
        check (&picture.view, &params);
      }
    picture_free (&picture);
  }
  ctr_canny_free (gpu);
  ctr_canny_free (host);
  return 0;
}

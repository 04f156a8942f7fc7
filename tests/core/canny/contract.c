/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Every error path of the edge detection: the right status, a sentence that says what is wrong, nothing pending, and a
 * detector that works as before. */
#include "tests/core/canny/reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static Setup setup;
static CtrCanny *canny;
static uint8_t pixels[64 * 64 + 1], output[64 * 64];
static const CtrImage good_image = {
    .data = pixels, .stride = 64, .width = 10, .height = 10, .format = CTR_FORMAT_GRAY8};

static CtrCannyParams
good_params (void)
{
  CtrCannyParams params;
  ctr_canny_params_init (&params);
  params.sigma = 0.5;
  return params;
}

static CtrEdgePicture
good_picture (void)
{
  CtrEdgePicture picture;
  ctr_edge_picture_init_mask (&picture, output, 64, CTR_MEMORY_HOST);
  return picture;
}

static void
check_works (void)
{
  const CtrCannyParams params = good_params ();
  CHECK (check_edges (canny, &setup, &good_image, &params) > 0);
}

/* Queues a good image first: a failed call must not leave that one to be taken as the bad one's. */
static void
check_refused (const CtrImage *image, const CtrCannyParams *params, const CtrEdgePicture *picture, CtrStatus status,
    const char *mentions)
{
  const CtrCannyParams fine = good_params ();
  const CtrEdgePicture plain = good_picture ();
  CtrError error = {.status = CTR_OK};
  describe ("an image, parameter or picture that must be refused with \"%s\"", mentions);
  CHECK (ctr_canny_enqueue (canny, &good_image, &fine, &plain, setup.stream, NULL));
  CHECK (!ctr_canny_enqueue (canny, image, params, picture, setup.stream, &error));
  CHECK (error.status == status);
  CHECK (strstr (error.message, mentions));
  CHECK (!ctr_canny_finish (canny, &error));
  CHECK (!ctr_canny_run (canny, image, params, picture, setup.stream, NULL));
  check_works ();
}

static void
check_image_refused (CtrImage image, CtrStatus status, const char *mentions)
{
  const CtrCannyParams params = good_params ();
  const CtrEdgePicture picture = good_picture ();
  check_refused (&image, &params, &picture, status, mentions);
}

static void
check_params_refused (CtrCannyParams params, const char *mentions)
{
  const CtrEdgePicture picture = good_picture ();
  check_refused (&good_image, &params, &picture, CTR_ERROR_INVALID_ARGUMENT, mentions);
}

static void
check_picture_refused (CtrEdgePicture picture, const char *mentions)
{
  const CtrCannyParams params = good_params ();
  check_refused (&good_image, &params, &picture, CTR_ERROR_INVALID_ARGUMENT, mentions);
}

/* The checks of an image are tested one by one in cca-errors. */
static void
test_images (void)
{
  const CtrStatus invalid = CTR_ERROR_INVALID_ARGUMENT;
  const CtrCannyParams params = good_params ();
  const CtrEdgePicture picture = good_picture ();
  CtrImage image = good_image;
  check_refused (NULL, &params, &picture, invalid, "NULL");
  image.width = 0;
  check_image_refused (image, invalid, "0 x 10");
  image = good_image;
  image.height = 65536;
  check_image_refused (image, CTR_ERROR_TOO_LARGE, "10 x 65536");
  image = good_image;
  image.stride = 9;
  check_image_refused (image, invalid, "stride");
  image = good_image;
  image.format = (CtrFormat) 99;
  check_image_refused (image, invalid, "format 99");
  image = good_image;
  image.format = CTR_FORMAT_GRAY16;
  image.data = pixels + 1;
  check_image_refused (image, invalid, "aligned");
  if (setup.backend == CTR_BACKEND_CPU) {
    image = good_image;
    image.memory = CTR_MEMORY_DEVICE;
    check_image_refused (image, invalid, "host memory");
  }
}

static void
test_params (void)
{
  static const double bad_sigmas[] = {-0.01, 20.001, 1e9, NAN, INFINITY, -INFINITY};
  static const double bad_thresholds[] = {-0.5, NAN, -INFINITY};
  static const uint32_t bad_apertures[] = {0, 1, 2, 4, 6, 9, UINT32_MAX};
  const CtrEdgePicture picture = good_picture ();
  CtrCannyParams params;
  for (size_t i = 0; i < LENGTH (bad_sigmas); i++) {
    params = good_params ();
    params.sigma = bad_sigmas[i];
    check_params_refused (params, "sigma is");
  }
  for (size_t i = 0; i < LENGTH (bad_apertures); i++) {
    params = good_params ();
    params.aperture = bad_apertures[i];
    check_params_refused (params, "3, 5 or 7");
  }
  for (int mode = -1; mode <= 3; mode += 4) {
    params = good_params ();
    params.threshold_mode = (CtrCannyThresholdMode) mode;
    check_params_refused (params, mode < 0 ? "mode -1" : "mode 3");
  }
  for (uint32_t bits = 7; bits <= 17; bits += 10) {
    params = good_params ();
    params.significant_bits = bits;
    check_params_refused (params, bits == 7 ? "7 significant bits" : "17 significant bits");
  }
  for (size_t i = 0; i < LENGTH (bad_thresholds); i++) {
    params = good_params ();
    params.low_threshold = bad_thresholds[i];
    check_params_refused (params, "0 or more");
    params = good_params ();
    params.high_threshold = bad_thresholds[i];
    check_params_refused (params, "0 or more");
  }
  check_refused (&good_image, NULL, &picture, CTR_ERROR_INVALID_ARGUMENT, "ctr_canny_params_init");
}

static void
test_pictures (void)
{
  const CtrCannyParams params = good_params ();
  CtrEdgePicture picture = good_picture ();
  check_refused (&good_image, &params, NULL, CTR_ERROR_INVALID_ARGUMENT, "1 to 4 planes");
  picture.plane_count = 0;
  check_picture_refused (picture, "1 to 4 planes");
  picture.plane_count = CTR_EDGE_MAX_PLANES + 1;
  check_picture_refused (picture, "1 to 4 planes");
  picture = good_picture ();
  picture.memory = (CtrMemory) 7;
  check_picture_refused (picture, "memory 7");
  if (setup.backend == CTR_BACKEND_CPU) {
    picture = good_picture ();
    picture.memory = CTR_MEMORY_DEVICE;
    check_picture_refused (picture, "host memory");
  }

  picture = good_picture ();
  picture.planes[0].data = NULL;
  check_picture_refused (picture, "plane 0 of the edge picture has no memory");
  picture = good_picture ();
  picture.plane_count = 2;
  check_picture_refused (picture, "plane 1 of the edge picture has no memory");
  for (uint32_t size = 0; size <= 5; size += 5) {
    picture = good_picture ();
    picture.planes[0].pixel_size = size;
    check_picture_refused (picture, "1 to 4 bytes");
  }
  picture = good_picture ();
  picture.planes[0].x_shift = 3;
  check_picture_refused (picture, "shifts 3 and 0");
  picture = good_picture ();
  picture.planes[0].y_shift = 3;
  check_picture_refused (picture, "shifts 0 and 3");

  picture = good_picture ();
  picture.planes[0].stride = 9;
  check_picture_refused (picture, "10 bytes");
  picture = good_picture ();
  picture.planes[0].source = output;
  picture.planes[0].source_stride = 9;
  check_picture_refused (picture, "10 bytes");
  picture = good_picture ();
  picture.planes[0].pixel_size = 3;
  picture.planes[0].x_shift = 2;
  picture.planes[0].stride = 8; /* 3 pixels */
  check_picture_refused (picture, "9 bytes");
}

static void
test_calls (void)
{
  CtrError error = {.status = CTR_OK};
  describe ("an unknown backend");
  CHECK (!ctr_canny_new ((CtrBackend) 7, &error));
  CHECK (error.status == CTR_ERROR_INVALID_ARGUMENT && strstr (error.message, "backend 7"));
  CtrCanny *fresh = detector_new (&setup);
  describe ("finish without an image");
  CHECK (!ctr_canny_finish (fresh, &error));
  CHECK (error.status == CTR_ERROR_INVALID_ARGUMENT && strstr (error.message, "ctr_canny_enqueue"));
  CHECK (!ctr_canny_finish (fresh, NULL));
  ctr_canny_free (fresh);

  describe ("a second finish");
  const CtrCannyParams params = good_params ();
  const CtrEdgePicture picture = good_picture ();
  CHECK (ctr_canny_enqueue (canny, &good_image, &params, &picture, setup.stream, NULL));
  CHECK (ctr_canny_finish (canny, NULL));
  error.status = CTR_OK;
  CHECK (!ctr_canny_finish (canny, &error));
  CHECK (error.status == CTR_ERROR_INVALID_ARGUMENT);
  check_works ();

  describe ("NULL where the API takes it");
  ctr_canny_free (NULL);
}

static void
test_defaults (void)
{
  CtrCannyParams params;
  CtrEdgePicture picture;
  memset (&params, 0xff, sizeof params);
  memset (&picture, 0xff, sizeof picture);
  ctr_canny_params_init (&params);
  ctr_edge_picture_init_mask (&picture, output, 64, CTR_MEMORY_DEVICE);
  describe ("default parameters");
  CHECK (params.sigma == 2 && params.aperture == 3 && !params.l2_gradient);
  CHECK (params.threshold_mode == CTR_CANNY_ABSOLUTE);
  CHECK (params.low_threshold == 50 && params.high_threshold == 150);
  describe ("the picture of a mask");
  const CtrEdgePlane *plane = &picture.planes[0];
  CHECK (picture.plane_count == 1 && picture.memory == CTR_MEMORY_DEVICE);
  CHECK (plane->data == output && plane->stride == 64 && !plane->source && plane->pixel_size == 1);
  CHECK (plane->x_shift == 0 && plane->y_shift == 0 && plane->edge[0] == 255 && plane->background[0] == 0);
}

int
main (int argc, char **argv)
{
  Random rng = {3};
  setup = setup_open (argv[1], false);
  for (size_t i = 0; i < sizeof pixels; i++)
    pixels[i] = (uint8_t) random_next (&rng);
  canny = detector_new (&setup);
  test_images ();
  test_params ();
  test_pictures ();
  test_calls ();
  test_defaults ();
  ctr_canny_free (canny);
  return 0;
}

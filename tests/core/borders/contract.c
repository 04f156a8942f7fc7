/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Every error path of the border following: the right status, a sentence that says what is wrong, nothing pending, and
 * a follower that works as before. */
#include "tests/core/borders/reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static Setup setup;
static CtrBorders *borders;
static uint8_t pixels[64 * 64 + 1];
static const CtrImage good_image = {
    .data = pixels, .stride = 64, .width = 10, .height = 10, .format = CTR_FORMAT_GRAY8};

static CtrBordersParams
good_params (void)
{
  CtrBordersParams params;
  ctr_borders_params_init (&params);
  return params;
}

static void
check_works (void)
{
  const CtrBordersParams params = good_params ();
  check_borders (borders, &setup, &good_image, &params);
}

/* Queues a good image first: a failed call must not leave that one to be taken as the bad one's result. */
static void
check_refused (const CtrImage *image, const CtrBordersParams *params, CtrStatus status, const char *mentions)
{
  const CtrBordersParams good = good_params ();
  CtrError error = {.status = CTR_OK};
  describe ("an image or parameter that must be refused with \"%s\"", mentions);
  CHECK (ctr_borders_enqueue (borders, &good_image, &good, setup.stream, NULL));
  CHECK (!ctr_borders_enqueue (borders, image, params, setup.stream, &error));
  CHECK (error.status == status);
  CHECK (strstr (error.message, mentions));
  CHECK (!ctr_borders_finish (borders, &error));
  CHECK (!ctr_borders_run (borders, image, params, setup.stream, NULL));
  check_works ();
}

static void
check_image_refused (CtrImage image, CtrStatus status, const char *mentions)
{
  const CtrBordersParams params = good_params ();
  check_refused (&image, &params, status, mentions);
}

static void
test_images (void)
{
  const CtrStatus invalid = CTR_ERROR_INVALID_ARGUMENT;
  CtrImage image = good_image;
  image.data = NULL;
  check_image_refused (image, invalid, "NULL");
  image = good_image;
  image.width = 0;
  check_image_refused (image, invalid, "0 x 10");
  image = good_image;
  image.width = image.stride = 65536;
  check_image_refused (image, CTR_ERROR_TOO_LARGE, "65536 x 10");
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
  image = good_image;
  image.memory = (CtrMemory) 7;
  check_image_refused (image, invalid, "memory 7");
  if (setup.backend == CTR_BACKEND_CPU) {
    image = good_image;
    image.memory = CTR_MEMORY_DEVICE;
    check_image_refused (image, invalid, "host memory");
  }
  const CtrBordersParams params = good_params ();
  check_refused (NULL, &params, invalid, "NULL");
}

static void
check_params_refused (CtrBordersParams params, const char *mentions)
{
  check_refused (&good_image, &params, CTR_ERROR_INVALID_ARGUMENT, mentions);
}

static void
test_params (void)
{
  static const double bad[] = {-1, -1e-300, INFINITY, -INFINITY, NAN};
  CtrBordersParams params = good_params ();
  params.foreground.mode = (CtrThresholdMode) 7;
  check_params_refused (params, "threshold mode 7");
  params = good_params ();
  params.mode = (CtrRetrieval) 4;
  check_params_refused (params, "retrieval mode 4");
  params.mode = (CtrRetrieval) -1;
  check_params_refused (params, "retrieval mode -1");
  for (int approximation = 0; approximation <= 3; approximation += 3) {
    params = good_params ();
    params.approximation = (CtrApproximation) approximation;
    check_params_refused (params, approximation ? "approximation 3" : "approximation 0");
  }
  params = good_params ();
  params.features = 1 << 1;
  check_params_refused (params, "0x2");
  for (size_t i = 0; i < LENGTH (bad); i++) {
    params = good_params ();
    params.epsilon = bad[i];
    check_params_refused (params, "epsilon");
    params = good_params ();
    params.min_area = bad[i];
    check_params_refused (params, "smallest area");
    params = good_params ();
    params.max_area = bad[i];
    check_params_refused (params, "largest area");
    params = good_params ();
    params.min_length = bad[i];
    check_params_refused (params, "smallest length");
  }
  params = good_params ();
  params.epsilon = 1e30;
  check_params_refused (params, "1e+30");
  check_refused (&good_image, NULL, CTR_ERROR_INVALID_ARGUMENT, "ctr_borders_params_init");
}

static void
test_calls (void)
{
  CtrError error = {.status = CTR_OK};
  describe ("an unknown backend");
  CHECK (!ctr_borders_new ((CtrBackend) 7, &error));
  CHECK (error.status == CTR_ERROR_INVALID_ARGUMENT && strstr (error.message, "backend 7"));
  CtrBorders *fresh = follower_new (&setup);
  describe ("finish without an image");
  CHECK (!ctr_borders_finish (fresh, &error));
  CHECK (error.status == CTR_ERROR_INVALID_ARGUMENT && strstr (error.message, "ctr_borders_enqueue"));
  CHECK (!ctr_borders_finish (fresh, NULL));
  ctr_borders_free (fresh);

  describe ("a second finish");
  const CtrBordersParams params = good_params ();
  CHECK (ctr_borders_enqueue (borders, &good_image, &params, setup.stream, NULL));
  CtrContours *contours = ctr_borders_finish (borders, NULL);
  CHECK (contours);
  error.status = CTR_OK;
  CHECK (!ctr_borders_finish (borders, &error));
  CHECK (error.status == CTR_ERROR_INVALID_ARGUMENT);
  ctr_contours_unref (contours);
  check_works ();

  describe ("NULL where the API takes it");
  ctr_borders_free (NULL);
  ctr_contours_unref (NULL);
}

static void
test_defaults (void)
{
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

int
main (int argc, char **argv)
{
  Random rng = {3};
  setup = setup_open (argv[1], false);
  for (size_t i = 0; i < sizeof pixels; i++)
    pixels[i] = (uint8_t) random_next (&rng);
  borders = follower_new (&setup);
  test_images ();
  test_params ();
  test_calls ();
  test_defaults ();
  ctr_borders_free (borders);
  return 0;
}

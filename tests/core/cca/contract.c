/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Every error path of the component analysis: the right status, a sentence that says what is wrong, nothing pending,
 * and an analyser that works as before. */
#include "tests/core/common/testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static Setup setup;
static CtrCca *cca;
static uint8_t pixels[64 * 64 + 1];
static const CtrImage good_image = {
    .data = pixels, .stride = 64, .width = 10, .height = 10, .format = CTR_FORMAT_GRAY8};

static void
check_works (void)
{
  CtrCcaParams params = params_of (CTR_CONNECTIVITY_8, 128, false, ALL_FEATURES);
  check_image (cca, &setup, &good_image, &params);
}

/* Queues a good image first: a failed call must not leave that one to be taken as the bad one's result. */
static void
check_refused (const CtrImage *image, const CtrCcaParams *params, CtrStatus status, const char *mentions)
{
  CtrCcaParams good = params_of (CTR_CONNECTIVITY_8, 128, false, 0);
  CtrError error = {.status = CTR_OK};
  describe ("an image or parameter that must be refused with \"%s\"", mentions);
  CHECK (ctr_cca_enqueue (cca, &good_image, &good, setup.stream, NULL));
  CHECK (!ctr_cca_enqueue (cca, image, params, setup.stream, &error));
  CHECK (error.status == status);
  CHECK (strstr (error.message, mentions));
  CHECK (!ctr_cca_finish (cca, &error));
  CtrDeviceComponents device;
  CHECK (!ctr_cca_get_device_result (cca, &device, NULL));
  CHECK (!ctr_cca_run (cca, image, params, setup.stream, NULL));
  check_works ();
}

static void
check_image_refused (CtrImage image, CtrStatus status, const char *mentions)
{
  CtrCcaParams params = params_of (CTR_CONNECTIVITY_8, 128, false, 0);
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
  image.height = 0;
  check_image_refused (image, invalid, "10 x 0");

  image = good_image;
  image.width = 65536;
  image.stride = 65536;
  check_image_refused (image, CTR_ERROR_TOO_LARGE, "65536 x 10");
  image = good_image;
  image.height = UINT32_MAX;
  check_image_refused (image, CTR_ERROR_TOO_LARGE, "10 x 4294967295");

  image = good_image;
  image.stride = 9;
  check_image_refused (image, invalid, "stride");
  static const struct {
    CtrFormat format;
    size_t row;
  } rows[] = {{CTR_FORMAT_GRAY16, 20}, {CTR_FORMAT_RGB, 30}, {CTR_FORMAT_BGR, 30}, {CTR_FORMAT_RGBX, 40},
      {CTR_FORMAT_BGRX, 40}, {CTR_FORMAT_XRGB, 40}, {CTR_FORMAT_XBGR, 40}};
  for (size_t i = 0; i < LENGTH (rows); i++) {
    image = good_image;
    image.format = rows[i].format;
    image.stride = rows[i].row - 1;
    check_image_refused (image, invalid, "stride");
  }

  image = good_image;
  image.format = (CtrFormat) 99;
  check_image_refused (image, invalid, "format 99");
  image = good_image;
  image.format = (CtrFormat) -1;
  check_image_refused (image, invalid, "format -1");

  image = good_image;
  image.format = CTR_FORMAT_GRAY16;
  image.data = pixels + 1;
  check_image_refused (image, invalid, "aligned");
  image.data = pixels;
  image.stride = 65;
  check_image_refused (image, invalid, "aligned");

  image = good_image;
  image.memory = (CtrMemory) 7;
  check_image_refused (image, invalid, "memory 7");
  if (setup.backend == CTR_BACKEND_CPU) {
    image = good_image;
    image.memory = CTR_MEMORY_DEVICE;
    check_image_refused (image, invalid, "host memory");
  }

  CtrCcaParams params = params_of (CTR_CONNECTIVITY_8, 128, false, 0);
  check_refused (NULL, &params, invalid, "NULL");
}

static void
test_params (void)
{
  const CtrCcaParams good = params_of (CTR_CONNECTIVITY_8, 128, false, 0);
  static const int connectivities[] = {0, -1, 1, 5, 6, 16};
  for (size_t i = 0; i < LENGTH (connectivities); i++) {
    CtrCcaParams params = good;
    params.connectivity = (CtrConnectivity) connectivities[i];
    check_refused (&good_image, &params, CTR_ERROR_INVALID_ARGUMENT, "4 or 8");
  }
  CtrCcaParams params = good;
  params.foreground.mode = (CtrThresholdMode) 7;
  check_refused (&good_image, &params, CTR_ERROR_INVALID_ARGUMENT, "mode 7");
  params = good;
  params.features = 1 << 3;
  check_refused (&good_image, &params, CTR_ERROR_INVALID_ARGUMENT, "0x8");
  check_refused (&good_image, NULL, CTR_ERROR_INVALID_ARGUMENT, "ctr_cca_params_init");
}

static void
test_calls (void)
{
  CtrError error = {.status = CTR_OK};
  describe ("an unknown backend");
  CHECK (!ctr_cca_new ((CtrBackend) 7, &error));
  CHECK (error.status == CTR_ERROR_INVALID_ARGUMENT && strstr (error.message, "backend 7"));
  CtrCca *fresh = analyser_new (&setup);
  describe ("finish without an image");
  CHECK (!ctr_cca_finish (fresh, &error));
  CHECK (error.status == CTR_ERROR_INVALID_ARGUMENT && strstr (error.message, "ctr_cca_enqueue"));
  CHECK (!ctr_cca_finish (fresh, NULL));
  describe ("the device result of an analyser that has none");
  CtrDeviceComponents device;
  CHECK (!ctr_cca_get_device_result (fresh, &device, &error));
  CHECK (error.status == CTR_ERROR_INVALID_ARGUMENT);
  ctr_cca_free (fresh);

  describe ("a second finish");
  CtrCcaParams params = params_of (CTR_CONNECTIVITY_4, 128, false, 0);
  CHECK (ctr_cca_enqueue (cca, &good_image, &params, setup.stream, NULL));
  CtrComponents *components = ctr_cca_finish (cca, NULL);
  CHECK (components);
  error.status = CTR_OK;
  CHECK (!ctr_cca_finish (cca, &error));
  CHECK (error.status == CTR_ERROR_INVALID_ARGUMENT);
  ctr_components_unref (components);
  check_works ();

  describe ("NULL where the API takes it");
  ctr_cca_free (NULL);
  ctr_components_unref (NULL);
}

static void
test_defaults (void)
{
  CtrCcaParams params;
  memset (&params, 0xff, sizeof params);
  ctr_cca_params_init (&params);
  describe ("default parameters");
  CHECK (params.foreground.mode == CTR_THRESHOLD_FIXED && params.foreground.threshold == 128);
  CHECK (!params.foreground.invert && params.connectivity == CTR_CONNECTIVITY_8);
  CHECK (params.min_area == 0 && params.max_area == 0 && params.features == 0);
  CHECK (ctr_format_pixel_size (CTR_FORMAT_GRAY16) == 2 && ctr_format_pixel_size ((CtrFormat) 99) == 0);
}

int
main (int argc, char **argv)
{
  Random rng = {3};
  setup = setup_open (argv[1], false);
  for (size_t i = 0; i < sizeof pixels; i++)
    pixels[i] = (uint8_t) random_next (&rng);
  cca = analyser_new (&setup);
  test_images ();
  test_params ();
  test_calls ();
  test_defaults ();
  ctr_cca_free (cca);
  return 0;
}

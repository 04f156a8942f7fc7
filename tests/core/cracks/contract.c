/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Every error path of the contours of levels: the right status, a sentence that says what is wrong, nothing pending,
 * and a tracer that works as before. */
#include "tests/core/cracks/reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static Setup setup;
static CtrCracks *cracks;
static uint8_t pixels[64 * 64 + 1];
static const CtrImage good_image = {
    .data = pixels, .stride = 64, .width = 10, .height = 10, .format = CTR_FORMAT_GRAY8};

static CtrCracksParams
good_params (void)
{
  CtrCracksParams params;
  ctr_cracks_params_init (&params);
  params.step = 10;
  return params;
}

static void
check_works (void)
{
  const CtrCracksParams params = good_params ();
  check_cracks (cracks, &setup, &good_image, &params);
}

/* Queues a good image first: a failed call must not leave that one to be taken as the bad one's result. */
static void
check_refused (const CtrImage *image, const CtrCracksParams *params, CtrStatus status, const char *mentions)
{
  const CtrCracksParams good = good_params ();
  CtrError error = {.status = CTR_OK};
  describe ("an image or parameter that must be refused with \"%s\"", mentions);
  CHECK (ctr_cracks_enqueue (cracks, &good_image, &good, setup.stream, NULL));
  CHECK (!ctr_cracks_enqueue (cracks, image, params, setup.stream, &error));
  CHECK (error.status == status);
  CHECK (strstr (error.message, mentions));
  CHECK (!ctr_cracks_finish (cracks, &error));
  CHECK (!ctr_cracks_run (cracks, image, params, setup.stream, NULL));
  check_works ();
}

static void
check_image_refused (CtrImage image, CtrStatus status, const char *mentions)
{
  const CtrCracksParams params = good_params ();
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
  const CtrCracksParams params = good_params ();
  check_refused (NULL, &params, invalid, "NULL");
}

static void
check_params_refused (CtrCracksParams params, const char *mentions)
{
  check_refused (&good_image, &params, CTR_ERROR_INVALID_ARGUMENT, mentions);
}

static void
test_params (void)
{
  static const double bad[] = {-1, -1e-300, INFINITY, -INFINITY, NAN};
  CtrCracksParams params = good_params ();
  params.mode = (CtrLevelMode) 2;
  check_params_refused (params, "level mode 2");
  params.mode = (CtrLevelMode) -1;
  check_params_refused (params, "level mode -1");
  params = good_params ();
  params.connectivity = (CtrConnectivity) 6;
  check_params_refused (params, "connectivity is 6");
  params = good_params ();
  params.frame = (CtrImageBorder) 2;
  check_params_refused (params, "frame 2");
  params = good_params ();
  params.features = 1 << 1;
  check_params_refused (params, "0x2");
  for (size_t i = 0; i < LENGTH (bad); i++) {
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
  check_refused (&good_image, NULL, CTR_ERROR_INVALID_ARGUMENT, "ctr_cracks_params_init");
}

static void
test_levels (void)
{
  static const uint32_t none[] = {1}, with_zero[] = {0, 1}, twice[] = {1, 5, 5}, descending[] = {1, 9, 8};
  CtrCracksParams params = good_params ();
  params.minimum = 0;
  check_params_refused (params, "level 0");
  params = good_params ();
  params.step = 0;
  check_params_refused (params, "step");
  params = good_params ();
  params.minimum = 9;
  params.maximum = 8;
  check_params_refused (params, "minimum 9 is above its maximum 8");
  params = good_params ();
  params.minimum = 70000;
  check_params_refused (params, "minimum 70000");
  params = good_params ();
  params.levels = none;
  params.level_count = 0;
  check_params_refused (params, "list of levels is empty");
  params.levels = with_zero;
  params.level_count = LENGTH (with_zero);
  check_params_refused (params, "level 0");
  params.levels = twice;
  params.level_count = LENGTH (twice);
  check_params_refused (params, "5 comes after 5");
  params.levels = descending;
  params.level_count = LENGTH (descending);
  check_params_refused (params, "8 comes after 9");
}

/* A chequerboard whose points at all levels together are too many: they are counted, not written. */
static void
test_too_many (void)
{
  enum { SIDE = 2000 };
  uint16_t *samples = malloc (SIDE * SIDE * sizeof *samples);
  for (uint32_t i = 0; i < SIDE * SIDE; i++)
    samples[i] = (i / SIDE + i) % 2 ? 65535 : 0;
  const CtrImage image = {
      .data = samples, .stride = 2 * SIDE, .width = SIDE, .height = SIDE, .format = CTR_FORMAT_GRAY16};
  CtrCracksParams params = good_params ();
  params.step = 1;
  CtrError error = {.status = CTR_OK};
  describe ("eight million corners at each of 65535 levels");
  CtrContours *contours = ctr_cracks_run (cracks, &image, &params, setup.stream, &error);
  CHECK (contours && contours->exceeded == CTR_LIMIT_POINTS && contours->needed == 524280000000);
  ctr_contours_unref (contours);
  params.max_points = 0;
  CHECK (!ctr_cracks_run (cracks, &image, &params, setup.stream, &error));
  CHECK (error.status == CTR_ERROR_OUT_OF_MEMORY && strstr (error.message, "524280000000 points"));
  free (samples);
  check_works ();
}

static void
test_calls (void)
{
  CtrError error = {.status = CTR_OK};
  describe ("an unknown backend");
  CHECK (!ctr_cracks_new ((CtrBackend) 7, &error));
  CHECK (error.status == CTR_ERROR_INVALID_ARGUMENT && strstr (error.message, "backend 7"));
  CtrCracks *fresh = tracer_new (&setup);
  describe ("finish without an image");
  CHECK (!ctr_cracks_finish (fresh, &error));
  CHECK (error.status == CTR_ERROR_INVALID_ARGUMENT && strstr (error.message, "ctr_cracks_enqueue"));
  CHECK (!ctr_cracks_finish (fresh, NULL));
  ctr_cracks_free (fresh);

  describe ("a second finish");
  const CtrCracksParams params = good_params ();
  CHECK (ctr_cracks_enqueue (cracks, &good_image, &params, setup.stream, NULL));
  CtrContours *contours = ctr_cracks_finish (cracks, NULL);
  CHECK (contours);
  error.status = CTR_OK;
  CHECK (!ctr_cracks_finish (cracks, &error));
  CHECK (error.status == CTR_ERROR_INVALID_ARGUMENT);
  ctr_contours_unref (contours);
  check_works ();

  describe ("NULL where the API takes it");
  ctr_cracks_free (NULL);
}

static void
test_defaults (void)
{
  CtrCracksParams params;
  memset (&params, 0xff, sizeof params);
  ctr_cracks_params_init (&params);
  describe ("default parameters");
  CHECK (params.mode == CTR_LEVELS_AT_LEAST && params.connectivity == CTR_CONNECTIVITY_8);
  CHECK (params.frame == CTR_IMAGE_BORDER_PAD && params.minimum == 1 && params.maximum == 65535 && params.step == 1);
  CHECK (!params.levels && params.level_count == 0);
  CHECK (params.min_area == 0 && params.max_area == 0 && params.min_length == 0 && params.features == 0);
  CHECK (params.max_points == CTR_CRACKS_DEFAULT_MAX_POINTS);
}

int
main (int argc, char **argv)
{
  Random rng = {3};
  setup = setup_open (argv[1], false);
  for (size_t i = 0; i < sizeof pixels; i++)
    pixels[i] = (uint8_t) random_next (&rng);
  cracks = tracer_new (&setup);
  test_images ();
  test_params ();
  test_levels ();
  test_too_many ();
  test_calls ();
  test_defaults ();
  ctr_cracks_free (cracks);
  return 0;
}

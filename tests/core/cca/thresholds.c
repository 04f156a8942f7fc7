/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Compares components with their definition at fixed thresholds and Otsu's, in every format. */
#include "tests/core/cca/testing.h"

#include <stdlib.h>

static Setup setup;
static CtrCca *cca; /* one analyser for all images */
static Random rng = {1};

static const CtrFormat formats[] = {CTR_FORMAT_GRAY8, CTR_FORMAT_GRAY16, CTR_FORMAT_RGB, CTR_FORMAT_BGR,
    CTR_FORMAT_RGBX, CTR_FORMAT_BGRX, CTR_FORMAT_XRGB, CTR_FORMAT_XBGR, CTR_FORMAT_YUYV, CTR_FORMAT_YVYU,
    CTR_FORMAT_UYVY, CTR_FORMAT_VYUY};
static const Layout plain = {.format = CTR_FORMAT_GRAY8};

/* Random samples of every format, thresholds at and beyond the ends of their range. */
static void
test_thresholds (void)
{
  static const uint32_t thresholds[] = {0, 1, 127, 128, 254, 255, 256, 32768, 65534, 65535, 65536, UINT32_MAX};
  for (size_t f = 0; f < LENGTH (formats); f++)
    for (size_t t = 0; t < LENGTH (thresholds); t += setup.quick ? 3 : 1) {
      Picture picture = picture_random (&rng, 75, 39, (Layout){.format = formats[f]});
      for (int invert = 0; invert <= 1; invert++) {
        CtrCcaParams params = params_of (CTR_CONNECTIVITY_8, thresholds[t], invert, ALL_FEATURES);
        describe ("format %d, threshold %u%s", formats[f], thresholds[t], invert ? " inverted" : "");
        check_cca (cca, &setup, &picture.view, &params);
      }
      picture_free (&picture);
    }
}

static void
check_otsu_of (const Picture *picture, const char *name, bool invert)
{
  CtrCcaParams params = params_of (CTR_CONNECTIVITY_8, 7, invert, CTR_FEATURE_GREY);
  params.foreground.mode = CTR_THRESHOLD_OTSU;
  describe ("Otsu of %s, format %d, %u x %u%s", name, picture->view.format, picture->view.width, picture->view.height,
      invert ? ", inverted" : "");
  check_cca (cca, &setup, &picture->view, &params);
}

/* Frees PICTURE. */
static void
check_otsu (Picture *picture, const char *name)
{
  for (int invert = 0; invert <= 1; invert++)
    check_otsu_of (picture, name, invert);
  picture_free (picture);
}

static void
set_samples (Picture *picture, uint32_t (*sample) (uint32_t i, uint32_t pixels))
{
  const uint32_t pixels = picture->view.width * picture->view.height;
  for (uint32_t i = 0; i < pixels; i++)
    if (picture->view.format == CTR_FORMAT_GRAY16)
      ((uint16_t *) picture->memory)[i] = (uint16_t) sample (i, pixels);
    else
      ((uint8_t *) picture->memory)[i] = (uint8_t) sample (i, pixels);
}

static uint32_t
largest (uint32_t i, uint32_t pixels)
{
  return 65535;
}

static uint32_t
smallest (uint32_t i, uint32_t pixels)
{
  return 0;
}

static uint32_t
two_values (uint32_t i, uint32_t pixels)
{
  return i % 7 ? 13 : 60013;
}

static uint32_t
ends (uint32_t i, uint32_t pixels)
{
  return i % 2 ? 65535 : 0;
}

/* Two thresholds of exactly the same variance. */
static uint32_t
symmetric (uint32_t i, uint32_t pixels)
{
  return i % 8 == 0 ? 0 : i % 8 == 1 ? 16 : 8;
}

static uint32_t
lone_low (uint32_t i, uint32_t pixels)
{
  return i == 5 ? 3 : 65003;
}

static uint32_t
lone_high (uint32_t i, uint32_t pixels)
{
  return i == 5 ? 65003 : 3;
}

static uint32_t
ramp (uint32_t i, uint32_t pixels)
{
  return (uint32_t) ((uint64_t) i * 65536 / pixels);
}

static uint32_t
three_bumps (uint32_t i, uint32_t pixels)
{
  static const uint32_t centre[] = {1000, 20000, 20700};
  uint32_t sum = 0;
  for (int k = 0; k < 4; k++)
    sum += random_below (&rng, 300);
  return centre[random_below (&rng, 3)] + sum;
}

static void
test_otsu (void)
{
  static const struct {
    const char *name;
    uint32_t (*sample) (uint32_t i, uint32_t pixels);
  } histograms[] = {{"the largest sample", largest}, {"zeros", smallest}, {"two values", two_values},
      {"both ends", ends}, {"1 : 6 : 1", symmetric}, {"one low sample", lone_low}, {"one high sample", lone_high},
      {"a ramp", ramp}, {"three bumps", three_bumps}};
  for (size_t h = 0; h < LENGTH (histograms); h++)
    for (CtrFormat format = CTR_FORMAT_GRAY8; format <= CTR_FORMAT_GRAY16; format++) {
      Picture picture = picture_random (&rng, 256, 128, (Layout){.format = format});
      set_samples (&picture, histograms[h].sample);
      check_otsu (&picture, histograms[h].name);
    }
  /* A class of less than FLT_EPSILON of the pixels does not count, so these have no threshold. */
  for (int high = 0; high <= 1 && !setup.quick; high++) {
    Picture picture = picture_random (&rng, 4096, 2176, plain);
    set_samples (&picture, high ? lone_high : lone_low);
    check_otsu_of (&picture, "one sample in nine million", high);
    picture_free (&picture);
  }
  for (int i = 0; i < (setup.quick ? 8 : 64); i++) {
    Layout layout = {.format = formats[i % LENGTH (formats)], .padding = 2 * random_below (&rng, 9)};
    Picture picture = picture_random (&rng, 1 + random_below (&rng, 60), 1 + random_below (&rng, 60), layout);
    check_otsu (&picture, "random samples");
  }
}

int
main (int argc, char **argv)
{
  static const Test tests[] = {
      {"thresholds", test_thresholds},
      {"Otsu", test_otsu},
  };
  setup = setup_open (argv[1], false);
  cca = analyser_new (&setup);
  run_tests (tests, LENGTH (tests));
  ctr_cca_free (cca);
  return 0;
}

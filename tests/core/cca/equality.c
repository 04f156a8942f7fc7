/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The CUDA backend's results against the CPU backend's, byte for byte, up to images too large for the reference. Runs
 * in a CUDA context of its own, as GStreamer does. */
#include "tests/core/common/testing.h"

#include <stdio.h>
#include <stdlib.h>

static Setup cpu, cuda;
static CtrCca *on_cpu, *on_cuda;
static Random rng = {11};

static void
compare (const Picture *picture, const CtrCcaParams *params)
{
  CtrComponents *expected = analyse (on_cpu, &cpu, &picture->view, params);
  CtrComponents *actual = analyse (on_cuda, &cuda, &picture->view, params);
  check_equal (expected, actual);
  ctr_components_unref (expected);
  ctr_components_unref (actual);
}

static void
compare_mask (uint8_t *mask, uint32_t width, uint32_t height, const char *name)
{
  static const CtrFormat formats[] = {CTR_FORMAT_GRAY8, CTR_FORMAT_GRAY16, CTR_FORMAT_RGB, CTR_FORMAT_BGRX};
  const CtrFormat format = formats[random_below (&rng, LENGTH (formats))];
  const uint32_t threshold = 1 + random_below (&rng, 255);
  Picture picture = picture_of_mask (&rng, mask, width, height, (Layout){.format = format}, threshold, false);
  FOR_BOTH_CONNECTIVITIES (c)
  {
    CtrCcaParams params = params_of (c, threshold, false, ALL_FEATURES);
    describe ("%s, %u x %u, format %d, %d-connected", name, width, height, format, c);
    compare (&picture, &params);
    params.features = 0;
    params.min_area = 3;
    params.max_area = 1000;
    compare (&picture, &params);
  }
  picture_free (&picture);
  free (mask);
}

int
main (int argc, char **argv)
{
  static const uint32_t sizes[][2] = {
      {640, 480}, {333, 777}, {1920, 1080}, {2047, 1025}, {4096, 2176}, {8192, 4301}, {65535, 33}, {31, 65535}};
  cuda = setup_open ("cuda", true);
  cpu = setup_open ("cpu", false);
  on_cpu = analyser_new (&cpu);
  on_cuda = analyser_new (&cuda);
  for (size_t i = 0; i < (cuda.quick ? 2 : LENGTH (sizes)); i++) {
    const uint32_t w = sizes[i][0], h = sizes[i][1];
    const bool large = w * h > 1000000;
    for (Shape shape = i % 2; shape < SHAPE_COUNT; shape += large ? 3 : 1)
      compare_mask (shape_new (shape, w, h), w, h, shape_names[shape]);
    for (uint32_t grain = 1; grain <= 16; grain *= 4)
      for (uint32_t density = 5; density < 100; density += large ? 45 : 15) {
        char name[64];
        snprintf (name, sizeof name, "noise of %u %% in squares of %u", density, grain);
        compare_mask (noise_new (&rng, w, h, density, grain), w, h, name);
      }
    for (CtrFormat format = CTR_FORMAT_GRAY8; format <= CTR_FORMAT_XBGR; format++) {
      Picture picture = picture_random (&rng, w, h, (Layout){.format = format});
      CtrCcaParams params = params_of (CTR_CONNECTIVITY_8, 0, i % 2, ALL_FEATURES);
      params.foreground.mode = CTR_THRESHOLD_OTSU;
      describe ("Otsu of random samples, %u x %u, format %d", w, h, format);
      compare (&picture, &params);
      picture_free (&picture);
    }
  }
  ctr_cca_free (on_cpu);
  ctr_cca_free (on_cuda);
  return 0;
}

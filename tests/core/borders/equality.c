/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The CUDA backend's results against the CPU backend's, byte for byte, up to images too large for the reference. Runs
 * in a CUDA context of its own, as GStreamer does. */
#include "tests/core/borders/reference.h"

#include <stdio.h>
#include <stdlib.h>

static Setup cpu, cuda;
static CtrBorders *on_cpu, *on_cuda;
static Random rng = {11};

static void
compare (const char *name, const Picture *picture, const CtrBordersParams *params)
{
  describe_borders (name, &picture->view, params);
  CtrContours *one = follow_borders (on_cpu, &cpu, &picture->view, params);
  CtrContours *other = follow_borders (on_cuda, &cuda, &picture->view, params);
  const Contours expected = contours_of (one), actual = contours_of (other);
  check_contours_equal (&expected, &actual);
  ctr_contours_unref (one);
  ctr_contours_unref (other);
}

static void
compare_mask (uint8_t *mask, uint32_t width, uint32_t height, const char *name)
{
  static const CtrFormat formats[] = {CTR_FORMAT_GRAY8, CTR_FORMAT_GRAY16, CTR_FORMAT_RGB, CTR_FORMAT_BGRX};
  const Layout layout = {.format = formats[random_below (&rng, LENGTH (formats))],
      .offset = 2 * random_below (&rng, 20),
      .padding = 2 * random_below (&rng, 40)};
  const uint32_t threshold = 1 + random_below (&rng, 255);
  const bool large = width * height > 1000000;
  Picture picture = picture_of_mask (&rng, mask, width, height, layout, threshold, false);
  for (int mode = CTR_RETRIEVE_EXTERNAL; mode <= CTR_RETRIEVE_TREE; mode++) {
    CtrBordersParams params = borders_params_of (mode, 1 + (mode + height) % 2, threshold, false);
    params.features = mode % 2 ? CTR_CONTOUR_FEATURE_MOMENTS : 0;
    compare (name, &picture, &params);
    if (large)
      continue;
    params.approximation = 3 - params.approximation;
    compare (name, &picture, &params);
    for (int i = 0; i < 2; i++) {
      params = random_borders_params (&rng, threshold, false);
      params.mode = mode;
      params.epsilon = i * 1.5;
      compare (name, &picture, &params);
    }
  }
  picture_free (&picture);
  free (mask);
}

static void
compare_otsu (uint32_t width, uint32_t height)
{
  for (CtrFormat format = CTR_FORMAT_GRAY8; format <= CTR_FORMAT_XBGR; format++) {
    Picture picture = picture_random (&rng, width, height, (Layout){.format = format});
    CtrBordersParams params = borders_params_of (format % 4, CTR_APPROXIMATION_SIMPLE, 0, format % 2);
    params.foreground.mode = CTR_THRESHOLD_OTSU;
    compare ("Otsu of random samples", &picture, &params);
    picture_free (&picture);
  }
}

int
main (int argc, char **argv)
{
  static const uint32_t sizes[][2] = {
      {33, 129}, {640, 480}, {333, 777}, {1920, 1080}, {2047, 1025}, {4096, 2176}, {65535, 33}, {31, 65535}};
  cuda = setup_open ("cuda", true);
  cpu = setup_open ("cpu", false);
  on_cpu = follower_new (&cpu);
  on_cuda = follower_new (&cuda);
  for (uint32_t i = 0; i < (cuda.quick ? 20 : 400); i++) {
    const uint32_t w = 1 + random_below (&rng, 40), h = 1 + random_below (&rng, 40);
    compare_mask (noise_new (&rng, w, h, random_below (&rng, 101), 1), w, h, "small noise");
  }
  for (size_t i = 0; i < (cuda.quick ? 1 : LENGTH (sizes)); i++) {
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
    compare_otsu (w, h);
  }
  ctr_borders_free (on_cpu);
  ctr_borders_free (on_cuda);
  return 0;
}

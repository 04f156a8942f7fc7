/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* borders-subpixel-scenes BACKEND
 *
 * Subpixels of scenes of all formats, channels, memories, foregrounds and regions: both backends byte for byte, and the same points whatever
 * else is asked for. */
#include "tests/core/borders/subpixel.h"
#include "tests/core/foreground/placed.h"
#include "tests/core/foreground/reference.h"
#include "tests/core/foreground/regions_reference.h"

#include <stdlib.h>
#include <string.h>

static Setup setup;
static const Setup cpu = {.backend = CTR_BACKEND_CPU};
static CtrBorders *borders, *on_host;
static Random rng = {29};

/* Does the foreground have one threshold? Otherwise the method is refused. */
static bool
is_refused (const CtrBordersParams *params)
{
  const CtrForeground *f = &params->foreground;
  return params->subpixel == CTR_SUBPIXEL_THRESHOLD
         && (f->ranges || f->mode == CTR_THRESHOLD_ADAPTIVE_MEAN || f->mode == CTR_THRESHOLD_ADAPTIVE_GAUSSIAN
             || (f->mode == CTR_THRESHOLD_FIXED && f->upper_threshold));
}

static void
random_subpixel (CtrBordersParams *params)
{
  static const double sigmas[] = {0, 0.5, 0.7, 1, 1.9, 4};
  params->subpixel = 1 + random_below (&rng, 2);
  params->subpixel_sigma = sigmas[random_below (&rng, LENGTH (sigmas))];
}

/* The subpixels of ACTUAL are those of WHOLE, which lists all points of all borders, of the same passages of the border. */
static void
check_subset (CtrContours *whole, CtrContours *actual)
{
  const CtrPoint *from = ctr_contours_map_points (whole, NULL), *to = ctr_contours_map_points (actual, NULL);
  const CtrSubpixelPoint *a = subpixels_of (whole), *b = subpixels_of (actual);
  for (uint64_t i = 0; i < actual->point_count; i++) {
    bool found = false;
    for (uint64_t k = 0; !found && k < whole->point_count; k++)
      found = from[k].x == to[i].x && from[k].y == to[i].y && memcmp (&a[k], &b[i], sizeof *a) == 0;
    CHECK (found);
    CHECK (b[i].flags ? b[i].strength == 0 && b[i].x == to[i].x * 256 && b[i].y == to[i].y * 256
                      : b[i].strength > 0 || b[i].normal == 0);
    CHECK (abs (b[i].x - to[i].x * 256) <= 512 && abs (b[i].y - to[i].y * 256) <= 512);
  }
}

/* Both backends agree, in any format and memory, and nothing else that is asked for changes a point. Takes SCENE. */
static void
check_scene (const char *name, Scene scene, CtrForeground foreground, bool with_regions)
{
  const CtrImage *image = &scene.picture.view;
  RegionCase regions = {.regions = NULL};
  CtrBordersParams params = random_borders_params (&rng, 100, false);
  if (with_regions) {
    regions = random_regions (&rng, image->width, image->height);
    foreground.regions = regions.regions;
  }
  params.foreground = foreground;
  random_subpixel (&params);
  describe_mask (name, image, &foreground);
  Placed placed = place (&scene, setup.backend == CTR_BACKEND_CUDA && random_below (&rng, 2));
  CtrInput *input = random_below (&rng, 2) ? ctr_input_new (NULL) : NULL;
  CtrError error;
  if (is_refused (&params)) {
    CHECK (!ctr_borders_run (borders, &placed.image, &params, setup.stream, &error));
    CHECK (error.status == CTR_ERROR_INVALID_ARGUMENT && strstr (error.message, "subpixel threshold needs one"));
  } else {
    CtrBordersParams all = params;
    all.mode = CTR_RETRIEVE_LIST;
    all.approximation = CTR_APPROXIMATION_NONE;
    all.epsilon = all.min_area = all.max_area = all.min_length = 0;
    all.min_width = all.min_height = all.features = 0;
    CtrContours *whole = follow_borders (on_host, &cpu, image, &all);
    CtrContours *expected = follow_borders (on_host, &cpu, image, &params);
    const Contours e = contours_of (expected);
    check_subset (whole, expected);
    for (int i = 0; i < 3; i++) { /* A graph is built for the second frame, and launched from the third on. */
      ctr_input_set_current (input);
      CtrContours *actual = follow_borders (borders, &setup, &placed.image, &params);
      ctr_input_set_current (NULL);
      const Contours a = contours_of (actual);
      check_contours_equal (&e, &a);
      CHECK (memcmp (subpixels_of (expected), subpixels_of (actual), expected->point_count * sizeof (CtrSubpixelPoint))
             == 0);
      ctr_contours_unref (actual);
    }
    ctr_contours_unref (whole);
    ctr_contours_unref (expected);
  }
  ctr_input_free (input);
  unplace (&placed);
  if (with_regions)
    region_case_free (&regions);
  scene_free (&scene);
}

static void
test_small_sizes (void)
{
  for (uint32_t i = 0; i < 17 * 17; i += setup.quick ? 29 : 1) {
    Scene scene = random_scene (&rng, 1 + i % 17, 1 + i / 17);
    const CtrForeground foreground = random_foreground (&rng, &scene.picture.view, 3);
    check_scene ("small", scene, foreground, false);
  }
  for (uint32_t i = 1; i < 90; i += setup.quick ? 23 : 1) {
    Scene scene = random_scene (&rng, i % 2 ? 1 : i, i % 2 ? i : 1);
    const CtrForeground foreground = {.threshold = 1 + random_below (&rng, 200)};
    check_scene ("a line", scene, foreground, false);
  }
}

static void
test_random (void)
{
  for (uint32_t i = 0; i < (setup.quick ? 10 : 300); i++) {
    Scene scene = random_scene (&rng, 1 + random_below (&rng, 90), 1 + random_below (&rng, 60));
    CtrForeground foreground = random_foreground (&rng, &scene.picture.view, 5);
    if (i % 2) /* mostly what both methods take */
      foreground = (CtrForeground){.mode = random_below (&rng, CTR_THRESHOLD_TRIANGLE + 1),
          .threshold = 1 + random_below (&rng, 255),
          .invert = random_below (&rng, 2)};
    check_scene ("random", scene, foreground, i % 3 == 2);
  }
}

/* The samples of a channel, by masks of the reference. Transfer full. */
static uint8_t *
channel_new (const CtrImage *image, CtrChannel channel)
{
  uint8_t *samples = calloc (image->width, image->height);
  for (uint32_t threshold = 1; threshold < 256; threshold++) {
    const CtrForeground foreground = {.threshold = threshold, .channel = channel};
    uint8_t *mask = reference_mask (image, &foreground, NULL);
    for (uint32_t i = 0; i < image->width * image->height; i++)
      samples[i] += mask[i] != 0;
    free (mask);
  }
  return samples;
}

/* The subpixels of a channel are those of a grey picture with its samples. */
static void
test_channels (void)
{
  for (uint32_t i = 0; i < (setup.quick ? 6 : 60); i++) {
    Scene scene = random_scene (&rng, 8 + random_below (&rng, 30), 8 + random_below (&rng, 30));
    const CtrImage *image = &scene.picture.view;
    const bool rgb = image->format >= CTR_FORMAT_RGB && image->format <= CTR_FORMAT_XBGR;
    if (image->format == CTR_FORMAT_GRAY16) {
      scene_free (&scene);
      continue;
    }
    const CtrChannel channel = rgb                      ? random_below (&rng, CTR_CHANNELS)
                               : random_below (&rng, 2) ? CTR_CHANNEL_CB
                                                        : CTR_CHANNEL_CR;
    uint8_t *samples = channel_new (image, channel);
    const CtrImage grey = grey_image (samples, image->width, image->height);
    CtrBordersParams params = params_with (1 + i % 2, 0.8, 1 + random_below (&rng, 150));
    params.foreground.mode = i % 3 ? CTR_THRESHOLD_FIXED : CTR_THRESHOLD_OTSU;
    describe ("channel %d of format %d, method %d", channel, image->format, params.subpixel);
    CtrContours *expected = follow_borders (on_host, &cpu, &grey, &params);
    params.foreground.channel = channel;
    Placed placed = place (&scene, setup.backend == CTR_BACKEND_CUDA && random_below (&rng, 2));
    CtrContours *actual = follow_borders (borders, &setup, &placed.image, &params);
    CHECK (actual->point_count == expected->point_count);
    CHECK (memcmp (subpixels_of (expected), subpixels_of (actual), expected->point_count * sizeof (CtrSubpixelPoint))
           == 0);
    ctr_contours_unref (expected);
    ctr_contours_unref (actual);
    unplace (&placed);
    free (samples);
    scene_free (&scene);
  }
}

/* One analyser, whose parameters change one by one, gives what new ones give. */
static void
test_changes (void)
{
  Scene scene = random_scene (&rng, 80, 50);
  Placed placed = place (&scene, setup.backend == CTR_BACKEND_CUDA);
  CtrBordersParams params = params_with (CTR_SUBPIXEL_EDGE, 1, 100);
  for (int i = 0; i < (setup.quick ? 12 : 100); i++) {
    const uint32_t change = random_below (&rng, 6);
    if (change == 0)
      params.subpixel = random_below (&rng, 3);
    else if (change == 1)
      params.subpixel_sigma = 0.5 + random_below (&rng, 30) / 10.0;
    else if (change == 2)
      params.foreground.threshold = 1 + random_below (&rng, 200);
    else if (change == 3)
      params.foreground.invert = !params.foreground.invert;
    else if (change == 4)
      params.approximation = 3 - params.approximation;
    else
      params.epsilon = random_below (&rng, 2) * 1.5;
    describe ("change %d", i);
    CtrBorders *fresh = follower_new (&cpu);
    CtrContours *expected = follow_borders (fresh, &cpu, &scene.picture.view, &params);
    CtrContours *actual = follow_borders (borders, &setup, &placed.image, &params);
    CHECK (actual->features == expected->features && actual->point_count == expected->point_count);
    if (params.subpixel == CTR_SUBPIXEL_NONE)
      CHECK (!ctr_contours_map_subpixel (actual, NULL) && !(actual->features & CTR_CONTOUR_FEATURE_SUBPIXEL));
    else
      CHECK (memcmp (subpixels_of (expected), subpixels_of (actual), expected->point_count * sizeof (CtrSubpixelPoint))
             == 0);
    ctr_contours_unref (expected);
    ctr_contours_unref (actual);
    ctr_borders_free (fresh);
  }
  unplace (&placed);
  scene_free (&scene);
}

/* A large border: more points than one piece of the host has, and more than a wave of the GPU. */
static void
test_large (void)
{
  enum { SIDE = 400 };
  uint8_t *mask = noise_new (&rng, SIDE, setup.quick ? 40 : SIDE, 55, 1);
  const CtrImage image = grey_image (mask, SIDE, setup.quick ? 40 : SIDE);
  CtrBordersParams params = params_with (CTR_SUBPIXEL_EDGE, 1, 1);
  describe ("many points");
  CtrContours *expected = follow_borders (on_host, &cpu, &image, &params);
  ctr_threads_set_current (3);
  CtrContours *actual = follow_borders (borders, &setup, &image, &params);
  ctr_threads_set_current (1);
  CHECK (
      memcmp (subpixels_of (expected), subpixels_of (actual), expected->point_count * sizeof (CtrSubpixelPoint)) == 0);
  CHECK (expected->point_count > (setup.quick ? 8000u : 80000u));
  ctr_contours_unref (expected);
  ctr_contours_unref (actual);
  free (mask);
}

int
main (int argc, char **argv)
{
  static const Test tests[] = {{"small sizes", test_small_sizes}, {"random", test_random}, {"channels", test_channels},
      {"changes", test_changes}, {"large", test_large}};
  setup = setup_open (argv[1], false);
  borders = follower_new (&setup);
  on_host = follower_new (&cpu);
  run_tests (tests, LENGTH (tests));
  ctr_borders_free (borders);
  ctr_borders_free (on_host);
  return 0;
}

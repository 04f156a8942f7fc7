/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* edge-chains-subpixel BACKEND
 *
 * Subpixels of edge chains: known points, the definition in floating point, both backends byte for byte. */
#include "tests/core/borders/reference_subpixel.h"
#include "tests/core/borders/smooth.h"
#include "tests/core/edgechains/reference.h"
#include "tests/core/foreground/placed.h"
#include "tests/core/common/reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static Setup setup;
static const Setup cpu = {.backend = CTR_BACKEND_CPU};
static CtrEdgeChains *chains, *on_host;
static Random rng = {31};

static CtrEdgeChains *
linker_new (CtrBackend backend)
{
  CtrError error;
  CtrEdgeChains *new = ctr_edge_chains_new (backend, &error);
  if (!new)
    fail (__FILE__, __LINE__, error.message);
  return new;
}

static CtrContours *
link_edges (CtrEdgeChains *by, const Setup *on, const CtrImage *mask, const CtrEdgeChainsParams *params)
{
  CtrError error;
  CtrContours *contours = ctr_edge_chains_run (by, mask, params, on->stream, &error);
  if (!contours)
    fail (__FILE__, __LINE__, error.message);
  return contours;
}

static CtrEdgeChainsParams
params_with (const CtrImage *image, double sigma)
{
  CtrEdgeChainsParams params;
  ctr_edge_chains_params_init (&params);
  params.subpixel = CTR_SUBPIXEL_EDGE;
  params.subpixel_sigma = sigma;
  params.image = image;
  return params;
}

static const CtrSubpixelPoint *
subpixels_of (CtrContours *contours)
{
  const CtrSubpixelPoint *points = ctr_contours_map_subpixel (contours, NULL);
  CHECK (points && contours->features == (CTR_CONTOUR_FEATURE_CHAINS | CTR_CONTOUR_FEATURE_SUBPIXEL));
  return points;
}

static void
check_same_subpixels (CtrContours *expected, CtrContours *actual)
{
  const Contours e = contours_of (expected), a = contours_of (actual);
  check_contours_equal (&e, &a);
  CHECK (
      memcmp (subpixels_of (expected), subpixels_of (actual), expected->point_count * sizeof (CtrSubpixelPoint)) == 0);
}

/* The subpixel of the edge pixel (X, Y) of an image, which has no others. */
static CtrSubpixelPoint
refine_pixel (const CtrImage *image, double sigma, uint32_t x, uint32_t y)
{
  uint8_t *pixels = calloc (image->width, image->height);
  const CtrImage mask = grey_image (pixels, image->width, image->height);
  const CtrEdgeChainsParams params = params_with (image, sigma);
  pixels[y * image->width + x] = 255;
  CtrContours *contours = link_edges (chains, &setup, &mask, &params);
  CHECK (contours->point_count == 1);
  const CtrSubpixelPoint point = *subpixels_of (contours);
  ctr_contours_unref (contours);
  free (pixels);
  return point;
}

enum { EAST = 0, SOUTH = 1 << 14, WEST = 2 << 14, NORTH = 3 << 14, WIDTH = 24, HEIGHT = 20 };

static bool
is_kept (CtrSubpixelPoint p, int32_t x, int32_t y, uint32_t normal, uint32_t flags)
{
  return p.x == x * 256 && p.y == y * 256 && p.strength == 0 && p.normal == normal && p.flags == flags;
}

/* Steps between columns 11 and 12, or rows 9 and 10. */
static void
test_steps (void)
{
  uint8_t picture[WIDTH * HEIGHT];
  uint16_t deep[WIDTH * HEIGHT];
  for (int kind = 0; kind < 8; kind++) {
    const bool rows = kind & 1, darker = kind & 2, is_deep = kind & 4;
    const uint32_t normal = rows ? (darker ? NORTH : SOUTH) : darker ? WEST : EAST;
    const int32_t edge = (rows ? 9 : 11) * 256 + 128;
    for (int i = 0; i < WIDTH * HEIGHT; i++) {
      const bool beyond = rows ? i / WIDTH > 9 : i % WIDTH > 11;
      picture[i] = beyond != darker ? 220 : 20;
      deep[i] = beyond != darker ? 56000 : 5000;
    }
    const CtrImage image = {.data = is_deep ? (void *) deep : picture,
        .stride = (is_deep ? 2 : 1) * WIDTH,
        .width = WIDTH,
        .height = HEIGHT,
        .format = is_deep ? CTR_FORMAT_GRAY16 : CTR_FORMAT_GRAY8};
    describe ("a step, kind %d", kind);
    /* The nearest pixels, and those from which the edge is 1.5 pixels away. */
    for (int32_t from = -1; from <= 2; from++) {
      const uint32_t x = rows ? 7 : (uint32_t) (11 + from), y = rows ? (uint32_t) (9 + from) : 8;
      const CtrSubpixelPoint p = refine_pixel (&image, 1, x, y);
      CHECK (p.flags == 0 && p.normal == normal);
      CHECK (rows ? p.x == 7 * 256 && abs (p.y - edge) <= 1 : p.y == 8 * 256 && abs (p.x - edge) <= 1);
      CHECK (p.strength > (is_deep ? 15000u * 256 : 50u * 256));
    }
    const CtrSubpixelPoint far = refine_pixel (&image, 1, rows ? 7 : 8, rows ? 6 : 8);
    CHECK (is_kept (far, rows ? 7 : 8, rows ? 6 : 8, normal, CTR_SUBPIXEL_NO_EDGE));
    CHECK (is_kept (refine_pixel (&image, 1, 2, 2), 2, 2, 0, CTR_SUBPIXEL_LONE));
  }
}

/* What has no edge near. */
static void
test_flags (void)
{
  uint8_t picture[WIDTH * HEIGHT];
  const CtrImage image = grey_image (picture, WIDTH, HEIGHT);
  describe ("a line one pixel wide");
  for (int i = 0; i < WIDTH * HEIGHT; i++)
    picture[i] = i % WIDTH == 12 ? 200 : 10;
  CHECK (is_kept (refine_pixel (&image, 1, 12, 8), 12, 8, 0, CTR_SUBPIXEL_LONE));
  CtrSubpixelPoint p = refine_pixel (&image, 1, 11, 8);
  CHECK (p.flags == 0 && p.normal == EAST && p.x < 12 * 256 && p.x > 10 * 256);
  p = refine_pixel (&image, 1, 13, 8);
  CHECK (p.flags == 0 && p.normal == WEST && p.x > 12 * 256 && p.x < 14 * 256);

  describe ("a slope that grows");
  for (int i = 0; i < WIDTH * HEIGHT; i++)
    picture[i] = (uint8_t) ((i / WIDTH) * (i / WIDTH) / 2);
  CHECK (is_kept (refine_pixel (&image, 0.5, 4, 2), 4, 2, SOUTH, CTR_SUBPIXEL_NO_EDGE));
  CHECK (is_kept (refine_pixel (&image, 0.5, 4, 1), 4, 1, SOUTH, CTR_SUBPIXEL_FRAME));
  CHECK (is_kept (refine_pixel (&image, 0.5, 4, 0), 4, 0, SOUTH, CTR_SUBPIXEL_FRAME));

  describe ("images one pixel wide or high");
  for (int i = 0; i < WIDTH; i++)
    picture[i] = i > 11 ? 200 : 10;
  const CtrImage row = grey_image (picture, WIDTH, 1);
  p = refine_pixel (&row, 1, 11, 0);
  CHECK (p.flags == 0 && p.normal == EAST && abs (p.x - 11 * 256 - 128) <= 1 && p.y == 0);
  const CtrImage column = grey_image (picture, 1, WIDTH);
  p = refine_pixel (&column, 1, 0, 12);
  CHECK (p.flags == 0 && p.normal == SOUTH && abs (p.y - 11 * 256 - 128) <= 1 && p.x == 0);
  const CtrImage single = grey_image (picture, 1, 1);
  CHECK (is_kept (refine_pixel (&single, 1, 0, 0), 0, 0, 0, CTR_SUBPIXEL_LONE));
}

/* A junction has the same subpixel in each of its chains, and each order of points has its own. */
static void
test_junctions (void)
{
  uint8_t picture[WIDTH * HEIGHT], pixels[WIDTH * HEIGHT] = {0};
  for (int i = 0; i < WIDTH * HEIGHT; i++)
    picture[i] = (uint8_t) ((i % WIDTH > 11 ? 80 : 20) + (i / WIDTH > 9 ? 120 : 0));
  for (int x = 5; x < 19; x++)
    pixels[9 * WIDTH + x] = 255;
  for (int y = 4; y < 15; y++)
    pixels[y * WIDTH + 11] = 255;
  const CtrImage image = grey_image (picture, WIDTH, HEIGHT), mask = grey_image (pixels, WIDTH, HEIGHT);
  const CtrEdgeChainsParams params = params_with (&image, 0.7);
  describe ("a junction");
  CtrContours *contours = link_edges (chains, &setup, &mask, &params);
  const CtrPoint *points = ctr_contours_map_points (contours, NULL);
  const CtrSubpixelPoint *subpixels = subpixels_of (contours), *junction = NULL;
  uint32_t visits = 0;
  CHECK (contours->count == 4);
  for (uint64_t i = 0; i < contours->point_count; i++) {
    CHECK (abs (subpixels[i].x - points[i].x * 256) <= 512 && abs (subpixels[i].y - points[i].y * 256) <= 512);
    if (points[i].x != 11 || points[i].y != 9)
      continue;
    CHECK (!junction || memcmp (junction, &subpixels[i], sizeof *junction) == 0);
    junction = &subpixels[i];
    visits++;
  }
  CHECK (visits == 4);
  ctr_contours_unref (contours);
}

/* Where the samples differ, and some pixels elsewhere. */
static uint8_t *
mask_of (const double *samples, int width, int height, double most)
{
  uint8_t *mask = calloc (width, height);
  for (int i = 0; i < width * height; i++) {
    const double dx = i % width + 1 < width ? samples[i + 1] - samples[i] : 0;
    const double dy = i / width + 1 < height ? samples[i + width] - samples[i] : 0;
    mask[i] = (fabs (dx) + fabs (dy) > most / 8 && random_below (&rng, 3)) || random_below (&rng, 40) == 0;
  }
  return mask;
}

static void
compare_with_reference (bool deep, double sigma, uint32_t counts[2])
{
  const int width = 16 + (int) random_below (&rng, 40), height = 16 + (int) random_below (&rng, 30);
  const double most = deep ? 65535 : 255;
  double *samples = smooth_new (&rng, width, height, most, random_below (&rng, 2));
  uint8_t *bytes = malloc ((size_t) 2 * width * height), *pixels = mask_of (samples, width, height, most);
  for (int i = 0; i < width * height; i++) {
    if (deep)
      ((uint16_t *) bytes)[i] = (uint16_t) samples[i];
    else
      bytes[i] = (uint8_t) samples[i];
  }
  CtrImage image = grey_image (bytes, width, height);
  const CtrImage mask = grey_image (pixels, width, height);
  image.stride *= deep ? 2 : 1;
  image.format = deep ? CTR_FORMAT_GRAY16 : CTR_FORMAT_GRAY8;
  CtrEdgeChainsParams params = params_with (&image, sigma);
  params.min_length = random_below (&rng, 3);
  describe ("%d x %d, %d bits, sigma %g", width, height, deep ? 16 : 8, sigma);
  CtrContours *contours = link_edges (chains, &setup, &mask, &params);
  Contours expected = reference_edge_chains (&mask, &params);
  const Contours actual = contours_of (contours);
  check_contours_equal (&expected, &actual);
  const CtrSubpixelPoint *subpixels = subpixels_of (contours);
  const SubpixelPicture picture = {samples, width, height};
  for (uint64_t i = 0; i < contours->point_count; i++) {
    const SubpixelExpected e = reference_edge_pixel (&picture, sigma, expected.points[i]);
    const CtrSubpixelPoint a = subpixels[i];
    if (e.close_call)
      continue;
    CHECK (a.flags == e.flags);
    counts[a.flags == 0]++;
    /* A position may be rounded to either side; weights of 14 bits add as much where the gradient is weak. */
    CHECK (fabs (a.x / 256.0 - e.x) < 2.5 / 256 && fabs (a.y / 256.0 - e.y) < 2.5 / 256);
    CHECK (fabs (a.strength / 256.0 - e.strength) < 1.0 / 128 + e.strength * 0.01);
    CHECK (turn (a.normal * acos (-1) / 32768, e.normal) < 0.02);
  }
  reference_contours_free (&expected);
  ctr_contours_unref (contours);
  free (samples);
  free (bytes);
  free (pixels);
}

static void
test_definition (void)
{
  static const double sigmas[] = {0.5, 0.8, 1, 1.5, 2.3, 4};
  uint32_t counts[2] = {0, 0}; /* that were kept, and refined */
  for (int i = 0; i < (setup.quick ? 3 : 40); i++)
    compare_with_reference (i % 2, sigmas[i % LENGTH (sigmas)], counts);
  CHECK (counts[0] > (setup.quick ? 5u : 100u) && counts[1] > (setup.quick ? 50u : 2000u));
}

/* The luma of a host image, which is its samples in all formats but packed RGB. Transfer full (free). */
static CtrImage
luma_of (const CtrImage *image)
{
  const bool deep = image->format == CTR_FORMAT_GRAY16;
  uint8_t *samples = malloc ((size_t) 2 * image->width * image->height);
  CtrImage luma = grey_image (samples, image->width, image->height);
  luma.stride *= deep ? 2 : 1;
  luma.format = deep ? CTR_FORMAT_GRAY16 : CTR_FORMAT_GRAY8;
  for (uint32_t y = 0; y < image->height; y++)
    for (uint32_t x = 0; x < image->width; x++) {
      const size_t i = (size_t) y * image->width + x;
      if (deep)
        ((uint16_t *) samples)[i] = (uint16_t) reference_sample (image, x, y);
      else
        samples[i] = (uint8_t) reference_sample (image, x, y);
    }
  return luma;
}

/* Images in any format and memory are refined as their luma is by the host backend. The analyser stays the same. */
static void
check_scene (uint32_t width, uint32_t height)
{
  static const double sigmas[] = {0, 0.5, 0.7, 1, 1.9, 4};
  Scene scene = random_scene (&rng, width, height);
  const CtrImage *image = &scene.picture.view, luma = luma_of (image);
  uint8_t *pixels = noise_new (&rng, width, height, 5 + random_below (&rng, 50), 1);
  const CtrImage mask = grey_image (pixels, width, height);
  CtrEdgeChainsParams params = params_with (&luma, sigmas[random_below (&rng, LENGTH (sigmas))]);
  params.min_length = random_below (&rng, 2) * 2.5;
  const bool on_device = setup.backend == CTR_BACKEND_CUDA && random_below (&rng, 2);
  describe ("%u x %u, format %d, %s, sigma %g, minimum length %g", width, height, image->format,
      on_device ? "on the device" : "in host memory", params.subpixel_sigma, params.min_length);
  CtrContours *expected = link_edges (on_host, &cpu, &mask, &params);
  Placed placed = place (&scene, on_device);
  params.image = &placed.image;
  CtrContours *actual = link_edges (chains, &setup, &mask, &params);
  check_same_subpixels (expected, actual);
  ctr_contours_unref (actual);
  /* Without subpixels, all else is the same. */
  params.subpixel = CTR_SUBPIXEL_NONE;
  actual = link_edges (chains, &setup, &mask, &params);
  CHECK (actual->features == CTR_CONTOUR_FEATURE_CHAINS && !ctr_contours_map_subpixel (actual, NULL));
  CHECK (actual->point_count == expected->point_count && actual->count == expected->count);
  ctr_contours_unref (actual);
  ctr_contours_unref (expected);
  unplace (&placed);
  free (pixels);
  free ((void *) luma.data);
  scene_free (&scene);
}

static void
test_scenes (void)
{
  for (uint32_t i = 0; i < 17 * 17; i += setup.quick ? 41 : 1)
    check_scene (1 + i % 17, 1 + i / 17);
  for (uint32_t i = 1; i < 90; i += setup.quick ? 31 : 1)
    check_scene (i % 2 ? 1 : i, i % 2 ? i : 1);
  for (uint32_t i = 0; i < (setup.quick ? 6 : 200); i++)
    check_scene (1 + random_below (&rng, 90), 1 + random_below (&rng, 60));
}

/* More points than one piece of the host has, and more than a wave of the GPU. */
static void
test_large (void)
{
  const uint32_t width = 640, height = setup.quick ? 40 : 1000;
  uint8_t *pixels = noise_new (&rng, width, height, 45, 1), *samples = noise_new (&rng, width, height, 55, 1);
  const CtrImage mask = grey_image (pixels, width, height), image = grey_image (samples, width, height);
  const CtrEdgeChainsParams params = params_with (&image, 0.5);
  describe ("many points");
  CtrContours *expected = link_edges (on_host, &cpu, &mask, &params);
  ctr_threads_set_current (3);
  CtrContours *actual = link_edges (chains, &setup, &mask, &params);
  ctr_threads_set_current (1);
  check_same_subpixels (expected, actual);
  CHECK (expected->point_count > (setup.quick ? 10000u : 270000u));
  ctr_contours_unref (expected);
  ctr_contours_unref (actual);
  free (pixels);
  free (samples);
}

int
main (int argc, char **argv)
{
  static const Test tests[] = {{"steps", test_steps}, {"flags", test_flags}, {"junctions", test_junctions},
      {"definition", test_definition}, {"scenes", test_scenes}, {"large", test_large}};
  setup = setup_open (argv[1], false);
  chains = linker_new (setup.backend);
  on_host = linker_new (CTR_BACKEND_CPU);
  run_tests (tests, LENGTH (tests));
  ctr_edge_chains_free (chains);
  ctr_edge_chains_free (on_host);
  return 0;
}

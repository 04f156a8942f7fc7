/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* mask-analyses BACKEND
 *
 * Components and contours of any foreground: they are those of the picture of its mask. */
#include "tests/core/borders/testing.h"
#include "tests/core/cca/reference.h"
#include "tests/core/cca/testing.h"
#include "tests/core/common/gpu.h"
#include "tests/core/common/reference.h"
#include "tests/core/foreground/testing.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_SIDE = 200, REPEATS = 3 /* a graph is built for the second frame, and launched from the third on */ };

/* Those that the mask of a picture does not have. */
#define SAMPLE_FEATURES ((uint32_t) (CTR_FEATURE_GREY | CTR_FEATURE_PERCENTILES | CTR_FEATURE_CONTRAST))

static Setup setup;
static const Setup cpu = {.backend = CTR_BACKEND_CPU};
static Random rng = {41};
static CtrMask *maker;
static CtrCca *cca, *plain_cca;
static CtrBorders *borders, *reference_borders;

/* A scene's mask as a picture, and the image that is analysed. */
typedef struct {
  Scene scene;
  CtrForeground foreground;
  CtrImage mask, image;
  uint32_t threshold;
  void *device[2]; /* pixels, chroma; NULL: the image is in host memory */
} Case;

static void
to_device (Case *c)
{
  const Picture *picture = &c->scene.picture;
  CtrChroma *chroma = &c->image.chroma;
  c->device[0] = gpu_alloc (picture->bytes);
  gpu_upload (c->device[0], picture->memory, picture->bytes);
  c->image.data = (uint8_t *) c->device[0] + ((const uint8_t *) picture->view.data - (const uint8_t *) picture->memory);
  c->image.memory = CTR_MEMORY_DEVICE;
  if (!c->scene.chroma)
    return;
  c->device[1] = gpu_alloc (c->scene.chroma_bytes);
  gpu_upload (c->device[1], c->scene.chroma, c->scene.chroma_bytes);
  chroma->cb = (uint8_t *) c->device[1] + (chroma->cb - c->scene.chroma);
  chroma->cr = (uint8_t *) c->device[1] + (chroma->cr - c->scene.chroma);
}

/* Takes SCENE. */
static Case
case_new (Scene scene, const CtrForeground *foreground)
{
  const CtrImage *image = &scene.picture.view;
  Case c = {.scene = scene, .foreground = *foreground, .image = *image};
  c.mask = (CtrImage){.data = make_mask (maker, &cpu, image, foreground),
      .stride = image->width,
      .width = image->width,
      .height = image->height,
      .format = CTR_FORMAT_GRAY8};
  CHECK (ctr_mask_get_threshold (maker, &c.threshold, NULL));
  if (setup.backend == CTR_BACKEND_CUDA && random_below (&rng, 2))
    to_device (&c);
  return c;
}

static void
case_free (Case *c)
{
  for (int i = 0; i < 2; i++)
    if (c->device[i])
      gpu_free (c->device[i]);
  free ((void *) c->mask.data);
  scene_free (&c->scene);
}

/* Grey values are those of the image, not of the mask. */
static void
check_grey (const Case *c, CtrComponents *components)
{
  CtrComponentGrey *grey = calloc (components->count + 1, sizeof *grey);
  const CtrImage *image = &c->scene.picture.view;
  const uint32_t *labels = ctr_components_map_labels (components, NULL);
  CHECK (labels);
  for (uint32_t i = 0; i <= components->count; i++)
    grey[i].min = UINT16_MAX;
  for (uint32_t y = 0; y < image->height; y++)
    for (uint32_t x = 0; x < image->width; x++) {
      CtrComponentGrey *g = &grey[labels[(size_t) y * image->width + x]];
      const uint32_t sample = reference_sample (image, x, y);
      g->sum += sample;
      g->sum_sq += (uint64_t) sample * sample;
      g->min = sample < g->min ? (uint16_t) sample : g->min;
      g->max = sample > g->max ? (uint16_t) sample : g->max;
    }
  for (uint32_t i = 0; i < components->count; i++) {
    const CtrComponentGrey *a = &grey[i + 1], *b = &components->grey[i];
    CHECK (a->sum == b->sum && a->sum_sq == b->sum_sq && a->min == b->min && a->max == b->max);
  }
  free (grey);
  const CtrRegion all = {.width = image->width, .height = image->height};
  CtrComponentPercentiles *percentiles =
      reference_percentiles (image, &all, components->table, components->count, labels);
  CHECK (memcmp (percentiles, components->percentiles, components->count * sizeof *percentiles) == 0);
  free (percentiles);
  CtrComponentInscribed *inscribed = reference_inscribed (image->width, image->height, components->count, labels);
  CHECK (memcmp (inscribed, components->inscribed, components->count * sizeof *inscribed) == 0);
  free (inscribed);
  CtrCcaParams defaults;
  ctr_cca_params_init (&defaults);
  CtrComponentContrast *contrast = reference_contrast (image, &all, components->count, labels, defaults.ring_width);
  CHECK (memcmp (contrast, components->contrast, components->count * sizeof *contrast) == 0);
  free (contrast);
  CtrComponentSkeleton *skeletons =
      reference_skeletons (image->width, image->height, components->table, components->count, labels);
  CHECK (memcmp (skeletons, components->skeleton, components->count * sizeof *skeletons) == 0);
  free (skeletons);
}

static void
check_components (const Case *c)
{
  CtrCcaParams params = params_of (random_below (&rng, 2) ? CTR_CONNECTIVITY_4 : CTR_CONNECTIVITY_8, 128, false, 0);
  if (random_below (&rng, 3))
    params.features = ALL_FEATURES & ~SAMPLE_FEATURES;
  CtrComponents *expected = analyse (plain_cca, &cpu, &c->mask, &params);
  params.foreground = c->foreground;
  for (int i = 0; i < (params.features ? 2 : 1) * REPEATS; i++) {
    const bool grey = i >= REPEATS;
    params.features |= grey ? SAMPLE_FEATURES : 0;
    CtrComponents *actual = analyse (cca, &setup, &c->image, &params);
    CHECK (actual->threshold == c->threshold);
    actual->threshold = expected->threshold;
    if (grey)
      check_grey (c, actual);
    else
      check_components_equal (expected, actual);
    ctr_components_unref (actual);
  }
  ctr_components_unref (expected);
}

static void
check_contours (const Case *c)
{
  CtrBordersParams params = random_borders_params (&rng, 128, false);
  CtrContours *expected = follow_borders (reference_borders, &cpu, &c->mask, &params);
  params.foreground = c->foreground;
  for (int i = 0; i < REPEATS; i++) {
    CtrContours *actual = follow_borders (borders, &setup, &c->image, &params);
    CHECK (actual->threshold == c->threshold);
    actual->threshold = expected->threshold;
    const Contours a = contours_of (expected), b = contours_of (actual);
    check_contours_equal (&a, &b);
    ctr_contours_unref (actual);
  }
  ctr_contours_unref (expected);
}

static void
check_case (const char *name, Scene scene, const CtrForeground *foreground)
{
  Case c = case_new (scene, foreground);
  describe_mask (name, &c.image, foreground);
  check_components (&c);
  check_contours (&c);
  case_free (&c);
}

static void
test_small_sizes (void)
{
  for (uint32_t i = 0; i < 17 * 17; i += setup.quick ? 23 : 1) {
    Scene scene = random_scene (&rng, 1 + i % 17, 1 + i / 17);
    const CtrForeground foreground = random_foreground (&rng, &scene.picture.view, 7);
    check_case ("small", scene, &foreground);
  }
}

static void
test_random (void)
{
  for (uint32_t i = 0; i < (setup.quick ? 6 : 300); i++) {
    Scene scene = random_scene (&rng, 1 + random_below (&rng, MOST_SIDE), 1 + random_below (&rng, MOST_SIDE));
    const CtrForeground foreground = random_foreground (&rng, &scene.picture.view, 9);
    check_case ("random", scene, &foreground);
  }
}

/* Results that outgrow their memory: new analysers for each. The range keeps all pixels of the shape. */
static void
test_outgrown (void)
{
  static const Shape shapes[] = {SHAPE_DOTS, SHAPE_CHEQUERBOARD, SHAPE_SPIRAL, SHAPE_COMB};
  const uint32_t side = setup.quick ? 150 : 400;
  for (size_t i = 0; i < LENGTH (shapes); i++) {
    uint8_t *mask = shape_new (shapes[i], side, side);
    const Layout layout = random_layout (&rng);
    Scene scene = scene_new (&rng, picture_of_mask (&rng, mask, side, side, layout, 100, false));
    CtrForeground foreground = {
        .mode = CTR_THRESHOLD_FIXED, .threshold = 100, .upper_threshold = 65535, .fill_holes = i % 2};
    free (mask);
    ctr_cca_free (cca);
    ctr_borders_free (borders);
    cca = analyser_new (&setup);
    borders = follower_new (&setup);
    check_case ("shape", scene, &foreground);
  }
}

int
main (int argc, char **argv)
{
  static const Test tests[] = {
      {"every size up to 17 x 17", test_small_sizes},
      {"random images", test_random},
      {"shapes with many components and points", test_outgrown},
  };
  setup = setup_open (argc > 1 ? argv[1] : NULL, false);
  maker = mask_maker_new (&cpu);
  cca = analyser_new (&setup);
  borders = follower_new (&setup);
  plain_cca = analyser_new (&cpu);
  reference_borders = follower_new (&cpu);
  run_tests (tests, LENGTH (tests));
  ctr_mask_free (maker);
  ctr_cca_free (cca);
  ctr_cca_free (plain_cca);
  ctr_borders_free (borders);
  ctr_borders_free (reference_borders);
  return 0;
}

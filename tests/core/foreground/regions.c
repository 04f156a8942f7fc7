/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* regions BACKEND
 *
 * Masks, components and contours of regions: those of copies of the regions, moved. Longer than 500 lines: all tests share
 * what makes the expected results. */
#include "tests/core/borders/reference.h"
#include "tests/core/borders/reference_shapes.h"
#include "tests/core/borders/testing.h"
#include "tests/core/canny/testing.h"
#include "tests/core/cca/reference.h"
#include "tests/core/cca/testing.h"
#include "tests/core/common/gpu.h"
#include "tests/core/common/reference.h"
#include "tests/core/foreground/regions_reference.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_SIDE = 150, REPEATS = 3 /* a graph is built for the second frame, and launched from the third on */ };

static Setup setup;
static const Setup cpu = {.backend = CTR_BACKEND_CPU};
static Random rng = {53};
static CtrMask *maker;
static CtrCca *cca, *plain_cca;
static CtrBorders *borders, *plain_borders;

typedef struct {
  Scene scene;
  CtrForeground foreground;
  RegionCase regions;
  RegionMasks masks;
  CtrImage image;  /* on the device, or that of the scene */
  CtrInput *input; /* that the analyses share, or NULL */
  void *device[2];
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

static CtrImage
image_of_mask (const Case *c, uint32_t number)
{
  const CtrRegion b = region_bounds (&c->regions, number);
  return (CtrImage){.data = c->masks.masks[number],
      .stride = b.width,
      .width = b.width,
      .height = b.height,
      .format = CTR_FORMAT_GRAY8};
}

static void
check_picture (const Case *c)
{
  const uint32_t width = c->image.width, height = c->image.height;
  uint8_t *expected = calloc (width, height);
  uint32_t threshold;
  for (uint32_t i = 0; i < c->regions.count; i++) {
    const CtrRegion b = region_bounds (&c->regions, i);
    for (uint32_t y = 0; y < b.height; y++)
      for (uint32_t x = 0; x < b.width; x++)
        expected[(size_t) (b.y + y) * width + b.x + x] |= c->masks.masks[i][(size_t) y * b.width + x];
  }
  for (int i = 0; i < REPEATS; i++) {
    ctr_input_set_current (c->input);
    uint8_t *actual = make_mask (maker, &setup, &c->image, &c->foreground);
    ctr_input_set_current (NULL);
    check_masks_equal (expected, actual, width, height);
    CHECK (ctr_mask_get_threshold (maker, &threshold, NULL) && threshold == c->masks.threshold);
    free (actual);
  }
  free (expected);
}

/* The components of all regions, as they should be. */
typedef struct {
  CtrComponent *table;
  CtrComponentMoments *moments;
  CtrComponentGrey *grey;
  CtrComponentPercentiles *percentiles;
  CtrComponentInscribed *inscribed;
  CtrComponentContrast *contrast;
  CtrComponentSkeleton *skeleton;
  uint32_t *labels;
  uint32_t count;
} Expected;

static void
expect_grey (const Case *c, CtrComponents *part, const CtrRegion *b, CtrComponentGrey *grey)
{
  const uint32_t *labels = ctr_components_map_labels (part, NULL);
  for (uint32_t i = 0; i < part->count; i++)
    grey[i] = (CtrComponentGrey){.min = UINT16_MAX};
  for (uint32_t y = 0; y < b->height; y++)
    for (uint32_t x = 0; x < b->width; x++) {
      const uint32_t label = labels[(size_t) y * b->width + x];
      const uint32_t sample = reference_sample (&c->scene.picture.view, b->x + x, b->y + y);
      if (label == 0)
        continue;
      CtrComponentGrey *g = &grey[label - 1];
      g->sum += sample;
      g->sum_sq += (uint64_t) sample * sample;
      g->min = sample < g->min ? (uint16_t) sample : g->min;
      g->max = sample > g->max ? (uint16_t) sample : g->max;
    }
}

/* Appends the components of region NUMBER. */
static void
expect_region (const Case *c, const CtrCcaParams *params, uint32_t number, Expected *e)
{
  const CtrImage mask = image_of_mask (c, number);
  const CtrRegion b = region_bounds (&c->regions, number);
  CtrCcaParams plain = *params;
  plain.foreground = (CtrForeground){.threshold = 128};
  plain.features = CTR_FEATURE_MOMENTS | CTR_FEATURE_LABELS;
  CtrComponents *part = analyse (plain_cca, &cpu, &mask, &plain);
  const uint32_t *labels = ctr_components_map_labels (part, NULL), all = e->count + part->count;
  e->table = realloc (e->table, (all + 1) * sizeof *e->table);
  e->moments = realloc (e->moments, (all + 1) * sizeof *e->moments);
  e->grey = realloc (e->grey, (all + 1) * sizeof *e->grey);
  expect_grey (c, part, &b, e->grey + e->count);
  CtrComponentPercentiles *percentiles =
      reference_percentiles (&c->scene.picture.view, &b, part->table, part->count, labels);
  e->percentiles = realloc (e->percentiles, (all + 1) * sizeof *percentiles);
  memcpy (e->percentiles + e->count, percentiles, part->count * sizeof *percentiles);
  free (percentiles);
  CtrComponentInscribed *inscribed = reference_inscribed (part->width, part->height, part->count, labels);
  e->inscribed = realloc (e->inscribed, (all + 1) * sizeof *inscribed);
  for (uint32_t i = 0; i < part->count; i++)
    e->inscribed[e->count + i] = (CtrComponentInscribed){
        inscribed[i].radius_sq, (uint16_t) (inscribed[i].x + b.x), (uint16_t) (inscribed[i].y + b.y)};
  free (inscribed);
  CtrComponentContrast *contrast =
      reference_contrast (&c->scene.picture.view, &b, part->count, labels, params->ring_width);
  e->contrast = realloc (e->contrast, (all + 1) * sizeof *contrast);
  memcpy (e->contrast + e->count, contrast, part->count * sizeof *contrast);
  free (contrast);
  CtrComponentSkeleton *skeletons = reference_skeletons (part->width, part->height, part->table, part->count, labels);
  e->skeleton = realloc (e->skeleton, (all + 1) * sizeof *skeletons);
  memcpy (e->skeleton + e->count, skeletons, part->count * sizeof *skeletons);
  free (skeletons);
  for (uint32_t i = 0; i < part->count; i++) {
    CtrComponent *to = &e->table[e->count + i];
    const CtrComponentMoments *from = &part->moments[i];
    const uint64_t area = part->table[i].area, sx = part->table[i].sum_x, sy = part->table[i].sum_y;
    *to = part->table[i];
    to->sum_x += b.x * area;
    to->sum_y += b.y * area;
    to->left += b.x;
    to->start_x += b.x;
    to->top += b.y;
    to->region = (uint16_t) number;
    e->moments[e->count + i] = (CtrComponentMoments){from->sum_xx + 2 * b.x * sx + b.x * b.x * area,
        from->sum_xy + b.x * sy + b.y * sx + b.x * b.y * area, from->sum_yy + 2 * b.y * sy + b.y * b.y * area};
  }
  for (uint32_t y = 0; y < b.height; y++)
    for (uint32_t x = 0; x < b.width; x++)
      if (labels[(size_t) y * b.width + x])
        e->labels[(size_t) (b.y + y) * c->image.width + b.x + x] = e->count + labels[(size_t) y * b.width + x];
  e->count = all;
  ctr_components_unref (part);
}

static void
check_components (const Case *c)
{
  static const uint32_t features[] = {0, CTR_FEATURE_MOMENTS, CTR_FEATURE_GREY, CTR_FEATURE_LABELS,
      CTR_FEATURE_PERCENTILES, CTR_FEATURE_INSCRIBED, CTR_FEATURE_CONTRAST | CTR_FEATURE_GREY, CTR_FEATURE_SKELETON,
      CTR_FEATURE_MOMENTS | CTR_FEATURE_GREY | CTR_FEATURE_LABELS | CTR_FEATURE_PERCENTILES | CTR_FEATURE_INSCRIBED
          | CTR_FEATURE_CONTRAST | CTR_FEATURE_SKELETON};
  CtrCcaParams params = params_of (random_below (&rng, 2) ? CTR_CONNECTIVITY_4 : CTR_CONNECTIVITY_8, 128, false, 0);
  const size_t pixels = (size_t) c->image.width * c->image.height;
  params.ring_width = 1 + random_below (&rng, CTR_CCA_MOST_RING_WIDTH);
  Expected e = {malloc (sizeof (CtrComponent)), malloc (sizeof (CtrComponentMoments)),
      malloc (sizeof (CtrComponentGrey)), NULL, NULL, NULL, NULL, calloc (pixels, sizeof *e.labels), 0};
  if (random_below (&rng, 3) == 0) {
    params.min_area = random_below (&rng, 12);
    params.max_area = random_below (&rng, 2) ? params.min_area + random_below (&rng, 60) : 0;
  }
  for (uint32_t i = 0; i < c->regions.count; i++)
    expect_region (c, &params, i, &e);
  params.foreground = c->foreground;
  params.features = features[random_below (&rng, LENGTH (features))];
  CtrComponents expected = {.width = c->image.width,
      .height = c->image.height,
      .count = e.count,
      .threshold = c->masks.threshold,
      .connectivity = params.connectivity,
      .features = params.features,
      .table = e.table,
      .moments = e.moments,
      .grey = e.grey,
      .percentiles = e.percentiles,
      .inscribed = e.inscribed,
      .contrast = e.contrast,
      .skeleton = e.skeleton};
  for (int i = 0; i < REPEATS; i++) {
    ctr_input_set_current (c->input);
    CtrComponents *actual = analyse (cca, &setup, &c->image, &params);
    ctr_input_set_current (NULL);
    expected.features = params.features & ~CTR_FEATURE_LABELS;
    CHECK (actual->features == params.features);
    if (params.features & CTR_FEATURE_LABELS)
      CHECK (memcmp (ctr_components_map_labels (actual, NULL), e.labels, pixels * sizeof *e.labels) == 0);
    actual->features = expected.features;
    check_components_equal (&expected, actual);
    ctr_components_unref (actual);
  }
  free (e.table);
  free (e.moments);
  free (e.grey);
  free (e.percentiles);
  free (e.inscribed);
  free (e.contrast);
  free (e.skeleton);
  free (e.labels);
}

static int32_t
moved_row (int32_t row, uint32_t before)
{
  return row < 0 ? row : row + (int32_t) before;
}

/* Appends the contours of region NUMBER to TO, whose arrays have room. */
static void
expect_contours (const Case *c, const CtrBordersParams *params, uint32_t number, Contours *to, uint32_t *last)
{
  const CtrImage mask = image_of_mask (c, number);
  const CtrRegion b = region_bounds (&c->regions, number);
  CtrContours *result = follow_borders (plain_borders, &cpu, &mask, params);
  const Contours part = contours_of (result);
  const uint32_t rows = to->info.count, count = part.info.count;
  CtrContour *table = realloc ((void *) to->table, (rows + count + 1) * sizeof *table);
  CtrContourSums *sums = realloc ((void *) to->sums, (rows + count + 1) * sizeof *sums);
  CtrPoint *points = realloc ((void *) to->points, (to->info.point_count + part.info.point_count + 1) * sizeof *points);
  for (uint64_t i = 0; i < part.info.point_count; i++)
    points[to->info.point_count + i] =
        (CtrPoint){(uint16_t) (part.points[i].x + b.x), (uint16_t) (part.points[i].y + b.y)};
  for (uint32_t i = 0; i < count; i++) {
    CtrContour *row = &table[rows + i], measured;
    *row = part.table[i];
    row->first += to->info.point_count;
    row->left += b.x;
    row->top += b.y;
    row->region = number;
    row->next = moved_row (row->next, rows);
    row->previous = moved_row (row->previous, rows);
    row->child = moved_row (row->child, rows);
    row->parent = moved_row (row->parent, rows);
    measured = *row;
    reference_measure (points + row->first, &measured, &sums[rows + i]);
    /* A list has no hierarchy, so all of its contours are siblings, as the outermost ones of a hierarchy. */
    if (row->parent >= 0 || row->previous >= 0)
      continue;
    row->previous = (int32_t) *last;
    if (*last != UINT32_MAX)
      table[*last].next = (int32_t) (rows + i);
  }
  for (uint32_t i = 0; i < count; i++)
    if (table[rows + i].parent < 0 && table[rows + i].next < 0)
      *last = rows + i;
  to->table = table;
  to->points = points;
  to->sums = sums;
  to->info.count += count;
  to->info.point_count += part.info.point_count;
  ctr_contours_unref (result);
}

/* Where they lie in the image. */
static CtrContourShape *
expect_shapes (const Contours *expected, uint32_t features, double feret_angle)
{
  if (!(features & CTR_CONTOUR_SHAPE_FEATURES))
    return NULL;
  CtrContourShape *shapes = malloc ((expected->info.count + 1) * sizeof *shapes);
  for (uint32_t i = 0; i < expected->info.count; i++)
    shapes[i] =
        reference_shape (expected->points + expected->table[i].first, &expected->table[i], features, feret_angle);
  if (features & CTR_CONTOUR_FEATURE_HOLES)
    reference_holes (expected->table, expected->info.count, shapes);
  return shapes;
}

static void
check_contours (const Case *c)
{
  CtrBordersParams params = random_borders_params (&rng, 128, false);
  Contours expected = {.table = malloc (sizeof *expected.table),
      .points = malloc (sizeof *expected.points),
      .sums = malloc (sizeof *expected.sums)};
  uint32_t last = UINT32_MAX;
  const uint32_t features = params.epsilon > 0 ? 0 : params.features;
  params.features = 0;
  for (uint32_t i = 0; i < c->regions.count; i++)
    expect_contours (c, &params, i, &expected, &last);
  params.foreground = c->foreground;
  params.features = features;
  const CtrContourSums *sums = expected.sums;
  CtrContourShape *shapes = expect_shapes (&expected, features, params.feret_angle);
  CtrContourFits *fits = malloc ((expected.info.count + 1) * sizeof *fits);
  for (uint32_t i = 0; features & CTR_CONTOUR_FEATURE_FITS && i < expected.info.count; i++)
    fits[i] = reference_fits (expected.points + expected.table[i].first, &expected.table[i]);
  for (int i = 0; i < REPEATS; i++) {
    ctr_input_set_current (c->input);
    CtrContours *actual = follow_borders (borders, &setup, &c->image, &params);
    ctr_input_set_current (NULL);
    const Contours a = contours_of (actual);
    CHECK (actual->width == c->image.width && actual->height == c->image.height);
    CHECK (actual->threshold == c->masks.threshold);
    const uint32_t count = expected.info.count;
    const uint64_t point_count = expected.info.point_count;
    expected.info = a.info;
    expected.info.count = count;
    expected.info.point_count = point_count;
    expected.sums = features & CTR_CONTOUR_FEATURE_MOMENTS ? sums : NULL;
    expected.shapes = shapes;
    expected.fits = features & CTR_CONTOUR_FEATURE_FITS ? fits : NULL;
    check_contours_equal (&expected, &a);
    ctr_contours_unref (actual);
  }
  free (shapes);
  free (fits);
  free ((void *) sums);
  free ((void *) expected.table);
  free ((void *) expected.points);
}

/* Takes SCENE. */
static void
check_case (const char *name, Scene scene, const CtrForeground *foreground)
{
  const CtrImage *image = &scene.picture.view;
  Case c = {.scene = scene, .foreground = *foreground, .image = *image};
  c.regions = random_regions (&rng, image->width, image->height);
  for (uint32_t i = 0; i < c.regions.count; i++)
    if (c.regions.list[i].points)
      c.regions.list[i].points = c.regions.corners[i];
  c.foreground.regions = c.regions.regions;
  describe_mask (name, image, foreground);
  c.masks = reference_region_masks (image, foreground, &c.regions);
  if (setup.backend == CTR_BACKEND_CUDA && random_below (&rng, 2))
    to_device (&c);
  c.input = random_below (&rng, 2) ? ctr_input_new (NULL) : NULL;
  check_picture (&c);
  check_components (&c);
  check_contours (&c);
  ctr_input_free (c.input);
  for (int i = 0; i < 2; i++)
    if (c.device[i])
      gpu_free (c.device[i]);
  region_masks_free (&c.masks);
  region_case_free (&c.regions);
  scene_free (&c.scene);
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
  for (uint32_t i = 0; i < (setup.quick ? 5 : 400); i++) {
    Scene scene = random_scene (&rng, 1 + random_below (&rng, MOST_SIDE), 1 + random_below (&rng, MOST_SIDE));
    const CtrForeground foreground = random_foreground (&rng, &scene.picture.view, 9);
    check_case ("random", scene, &foreground);
  }
}

/* Comparisons alone, which one launch makes for all regions. */
static void
test_comparisons (void)
{
  for (uint32_t i = 0; i < (setup.quick ? 5 : 300); i++) {
    Scene scene = random_scene (&rng, 1 + random_below (&rng, 2 * MOST_SIDE), 1 + random_below (&rng, MOST_SIDE));
    CtrForeground foreground = random_foreground (&rng, &scene.picture.view, 9);
    foreground.mode = random_below (&rng, CTR_THRESHOLD_TRIANGLE + 1);
    foreground.open_size = foreground.close_size = 0;
    foreground.fill_holes = foreground.clear_border = false;
    foreground.split_touching = 0;
    check_case ("comparison", scene, &foreground);
  }
}

/* The same image again and again, with regions or foregrounds that change by themselves: what new analysers find on the host. */
static void
test_changes (void)
{
  Scene scene = random_scene (&rng, 140, 90);
  const CtrImage *image = &scene.picture.view;
  Case c = {.scene = scene, .image = *image};
  RegionCase regions[5];
  CtrForeground foregrounds[3];
  for (size_t i = 0; i < LENGTH (regions); i++)
    regions[i] = random_regions (&rng, image->width, image->height);
  for (size_t i = 0; i < LENGTH (foregrounds); i++)
    foregrounds[i] = random_foreground (&rng, image, 5);
  if (setup.backend == CTR_BACKEND_CUDA)
    to_device (&c);
  CtrCcaParams params = params_of (CTR_CONNECTIVITY_8, 128, false, CTR_FEATURE_GREY | CTR_FEATURE_LABELS);
  CtrBordersParams borders_params = borders_params_of (CTR_RETRIEVE_TREE, CTR_APPROXIMATION_NONE, 128, false);
  CtrForeground foreground = foregrounds[0];
  for (uint32_t i = 0; i < (setup.quick ? 16 : 200); i++) {
    const uint32_t change = random_below (&rng, 8), chosen = random_below (&rng, LENGTH (regions) + 1);
    CtrRegions *kept = foreground.regions;
    if (change == 0)
      foreground = foregrounds[random_below (&rng, LENGTH (foregrounds))];
    else if (change == 1)
      params.features ^= CTR_FEATURE_MOMENTS;
    foreground.regions = change != 2 ? kept : chosen < LENGTH (regions) ? regions[chosen].regions : NULL;
    params.foreground = borders_params.foreground = foreground;
    describe_mask ("change", image, &foreground);
    CtrCca *new_cca = analyser_new (&cpu);
    CtrBorders *new_borders = follower_new (&cpu);
    CtrMask *new_maker = mask_maker_new (&cpu);
    CtrComponents *expected = analyse (new_cca, &cpu, image, &params);
    CtrComponents *components = analyse (cca, &setup, &c.image, &params);
    check_components_equal (expected, components);
    CHECK (components->region_count == (foreground.regions ? ctr_regions_get_count (foreground.regions) : 0));
    CtrContours *expected_contours = follow_borders (new_borders, &cpu, image, &borders_params);
    CtrContours *contours = follow_borders (borders, &setup, &c.image, &borders_params);
    const Contours a = contours_of (expected_contours), b = contours_of (contours);
    check_contours_equal (&a, &b);
    CHECK (contours->region_count == components->region_count);
    uint8_t *expected_mask = make_mask (new_maker, &cpu, image, &foreground);
    uint8_t *mask = make_mask (maker, &setup, &c.image, &foreground);
    check_masks_equal (expected_mask, mask, image->width, image->height);
    free (expected_mask);
    free (mask);
    ctr_components_unref (expected);
    ctr_components_unref (components);
    ctr_contours_unref (expected_contours);
    ctr_contours_unref (contours);
    ctr_cca_free (new_cca);
    ctr_borders_free (new_borders);
    ctr_mask_free (new_maker);
  }
  for (int i = 0; i < 2; i++)
    if (c.device[i])
      gpu_free (c.device[i]);
  for (size_t i = 0; i < LENGTH (regions); i++)
    region_case_free (&regions[i]);
  scene_free (&scene);
}

/* Regions that go when their result is pending, and others that come. */
static void
test_pending (void)
{
  for (uint32_t i = 0; i < (setup.quick ? 6 : 60); i++) {
    Scene scene = random_scene (&rng, 1 + random_below (&rng, 120), 1 + random_below (&rng, 90));
    const CtrImage *image = &scene.picture.view;
    CtrForeground foreground = random_foreground (&rng, image, 5);
    RegionCase regions = random_regions (&rng, image->width, image->height);
    CtrCcaParams params = params_of (CTR_CONNECTIVITY_8, 128, false, 0);
    CtrBordersParams borders_params = borders_params_of (CTR_RETRIEVE_TREE, CTR_APPROXIMATION_SIMPLE, 128, false);
    CtrError error;
    foreground.regions = regions.regions;
    params.foreground = borders_params.foreground = foreground;
    describe_mask ("pending", image, &foreground);
    CtrComponents *expected = analyse (plain_cca, &cpu, image, &params);
    CtrContours *expected_contours = follow_borders (plain_borders, &cpu, image, &borders_params);
    CtrComponents *components = ctr_cca_submit (cca, image, &params, setup.stream, &error);
    CtrContours *contours = ctr_borders_submit (borders, image, &borders_params, setup.stream, &error);
    CHECK (components && contours);
    CHECK (components->width == image->width && contours->height == image->height);
    CHECK (components->region_count == regions.count && contours->region_count == regions.count);
    region_case_free (&regions);
    CHECK (ctr_components_wait (components, NULL) && ctr_contours_wait (contours, NULL));
    check_components_equal (expected, components);
    const Contours a = contours_of (expected_contours), b = contours_of (contours);
    check_contours_equal (&a, &b);
    ctr_components_unref (expected);
    ctr_components_unref (components);
    ctr_contours_unref (expected_contours);
    ctr_contours_unref (contours);
    scene_free (&scene);
  }
}

/* Results that outgrow their memory: new analysers for each. */
static void
test_outgrown (void)
{
  static const Shape shapes[] = {SHAPE_DOTS, SHAPE_CHEQUERBOARD, SHAPE_SPIRAL, SHAPE_COMB};
  const uint32_t side = setup.quick ? 90 : 400;
  for (size_t i = 0; i < LENGTH (shapes); i++) {
    uint8_t *mask = shape_new (shapes[i], side, side);
    Scene scene = scene_new (&rng, picture_of_mask (&rng, mask, side, side, random_layout (&rng), 100, false));
    const CtrForeground foreground = {.mode = CTR_THRESHOLD_FIXED, .threshold = 100, .fill_holes = i % 2};
    free (mask);
    ctr_cca_free (cca);
    ctr_borders_free (borders);
    cca = analyser_new (&setup);
    borders = follower_new (&setup);
    check_case ("shape", scene, &foreground);
  }
}

/* Hundreds of regions that touch and overlap: a comparison by its definition, other steps like the host backend's. */
static void
test_many (void)
{
  enum { MOST = 700 };
  static CtrRegion list[MOST];
  CtrMask *plain = mask_maker_new (&cpu);
  for (uint32_t i = 0; i < (setup.quick ? 8 : 80); i++) {
    Scene scene = random_scene (&rng, 60 + random_below (&rng, 500), 60 + random_below (&rng, 90));
    const CtrImage *image = &scene.picture.view;
    const uint32_t count = 1 + random_below (&rng, i % 2 ? 250 : MOST), most = i % 3 ? 6 : 60;
    CtrForeground foreground = {.threshold = random_below (&rng, 256)};
    if (i % 4)
      foreground = random_foreground (&rng, image, 5);
    memset (list, 0, sizeof list);
    for (uint32_t k = 0; k < count; k++) {
      CtrRegion *r = &list[k];
      r->width = 1 + random_below (&rng, most);
      r->height = 1 + random_below (&rng, most);
      r->x = random_below (&rng, image->width - r->width + 1);
      r->y = random_below (&rng, image->height - r->height + 1);
    }
    foreground.regions = ctr_regions_new (list, count, NULL, NULL);
    CHECK (foreground.regions);
    describe_mask ("many regions", image, &foreground);
    uint8_t *actual = make_mask (maker, &setup, image, &foreground);
    uint8_t *expected = make_mask (plain, &cpu, image, &foreground);
    if (i % 4 == 0) {
      memset (expected, 0, (size_t) image->width * image->height);
      for (uint32_t k = 0; k < count; k++)
        for (uint32_t y = list[k].y; y < list[k].y + list[k].height; y++)
          for (uint32_t x = list[k].x; x < list[k].x + list[k].width; x++)
            expected[(size_t) y * image->width + x] = reference_sample (image, x, y) >= foreground.threshold ? 255 : 0;
    }
    check_masks_equal (expected, actual, image->width, image->height);
    free (actual);
    free (expected);
    ctr_regions_unref (foreground.regions);
    scene_free (&scene);
  }
  ctr_mask_free (plain);
}

int
main (int argc, char **argv)
{
  static const Test tests[] = {
      {"every size up to 17 x 17", test_small_sizes},
      {"random images", test_random},
      {"comparisons", test_comparisons},
      {"changes", test_changes},
      {"pending results", test_pending},
      {"shapes with many components and points", test_outgrown},
      {"many regions", test_many},
  };
  setup = setup_open (argc > 1 ? argv[1] : NULL, false);
  maker = mask_maker_new (&setup);
  cca = analyser_new (&setup);
  borders = follower_new (&setup);
  plain_cca = analyser_new (&cpu);
  plain_borders = follower_new (&cpu);
  run_tests (tests, LENGTH (tests));
  ctr_mask_free (maker);
  ctr_cca_free (cca);
  ctr_cca_free (plain_cca);
  ctr_borders_free (borders);
  ctr_borders_free (plain_borders);
  return 0;
}

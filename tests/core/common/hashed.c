/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/core/common/hashed.h"

#include "tests/core/cca/testing.h"

#include <stdlib.h>

static Setup setup;

void
hashed_open (const Setup *used)
{
  setup = *used;
}

void
hash_bytes (uint64_t *hash, const void *bytes, size_t size)
{
  for (size_t i = 0; hash && i < size; i++)
    *hash = (*hash ^ ((const uint8_t *) bytes)[i]) * UINT64_C (1099511628211);
}

static bool
hash_contours (uint64_t *hash, CtrContours *contours)
{
  if (!contours)
    return false;
  const CtrContourSums *sums = ctr_contours_map_sums (contours, NULL);
  hash_bytes (hash, ctr_contours_map_table (contours, NULL), contours->count * sizeof (CtrContour));
  hash_bytes (hash, ctr_contours_map_points (contours, NULL), contours->point_count * sizeof (CtrPoint));
  if (sums)
    hash_bytes (hash, sums, contours->count * sizeof *sums);
  const CtrContourNesting *nesting = ctr_contours_map_nesting (contours, NULL);
  if (nesting)
    hash_bytes (hash, nesting, contours->count * sizeof *nesting);
  ctr_contours_unref (contours);
  return true;
}

static void *
cca_create (void)
{
  return ctr_cca_new (setup.backend, NULL);
}

static void
cca_destroy (void *cca)
{
  ctr_cca_free (cca);
}

static bool
cca_run (void *cca, const CtrImage *image, uint64_t *hash, CtrError *error)
{
  CtrCcaParams params;
  ctr_cca_params_init (&params);
  params.foreground.mode = CTR_THRESHOLD_OTSU;
  params.features = ALL_FEATURES;
  params.min_area = 2;
  params.select = (CtrSelect){.count = 1, .limits = {{.feature = CTR_COMPONENT_NUMBER_WIDTH, .min = 2, .max = 60}}};
  CtrComponents *c = ctr_cca_run (cca, image, &params, setup.stream, error);
  if (!c)
    return false;
  hash_bytes (hash, c->table, c->count * sizeof *c->table);
  hash_bytes (hash, c->moments, c->count * sizeof *c->moments);
  hash_bytes (hash, c->grey, c->count * sizeof *c->grey);
  hash_bytes (
      hash, ctr_components_map_labels ((CtrComponents *) c, NULL), (size_t) c->width * c->height * sizeof *c->labels);
  ctr_components_unref (c);
  return true;
}

static void *
borders_create (void)
{
  return ctr_borders_new (setup.backend, NULL);
}

static void
borders_destroy (void *borders)
{
  ctr_borders_free (borders);
}

static bool
follow (void *borders, const CtrImage *image, CtrApproximation approximation, double epsilon, uint64_t *hash,
    CtrError *error)
{
  CtrBordersParams params;
  ctr_borders_params_init (&params);
  params.foreground.mode = CTR_THRESHOLD_OTSU;
  params.mode = CTR_RETRIEVE_TREE;
  params.approximation = approximation;
  params.epsilon = epsilon;
  params.features = CTR_CONTOUR_FEATURE_MOMENTS;
  params.select = (CtrSelect){.count = 1, .limits = {{.feature = CTR_CONTOUR_NUMBER_WIDTH, .min = 2, .max = 60}}};
  return hash_contours (hash, ctr_borders_run (borders, image, &params, setup.stream, error));
}

static bool
borders_run (void *borders, const CtrImage *image, uint64_t *hash, CtrError *error)
{
  return follow (borders, image, CTR_APPROXIMATION_SIMPLE, 0, hash, error);
}

static bool
simplified_run (void *borders, const CtrImage *image, uint64_t *hash, CtrError *error)
{
  return follow (borders, image, CTR_APPROXIMATION_NONE, 1.5, hash, error);
}

static void *
cracks_create (void)
{
  return ctr_cracks_new (setup.backend, NULL);
}

static void
cracks_destroy (void *cracks)
{
  ctr_cracks_free (cracks);
}

static bool
trace (void *cracks, const CtrImage *image, CtrLevelMode mode, CtrHierarchy hierarchy, uint32_t step, uint64_t *hash,
    CtrError *error)
{
  CtrCracksParams params;
  ctr_cracks_params_init (&params);
  params.mode = mode;
  params.hierarchy = hierarchy;
  params.step = step;
  params.features = CTR_CONTOUR_FEATURE_MOMENTS;
  return hash_contours (hash, ctr_cracks_run (cracks, image, &params, setup.stream, error));
}

static bool
levels_run (void *cracks, const CtrImage *image, uint64_t *hash, CtrError *error)
{
  return trace (cracks, image, CTR_LEVELS_AT_LEAST, CTR_HIERARCHY_PER_LEVEL, 10, hash, error);
}

static bool
label_image_run (void *cracks, const CtrImage *image, uint64_t *hash, CtrError *error)
{
  return trace (cracks, image, CTR_LEVELS_EQUAL, CTR_HIERARCHY_PER_LEVEL, 40, hash, error);
}

static bool
nested_levels_run (void *cracks, const CtrImage *image, uint64_t *hash, CtrError *error)
{
  return trace (cracks, image, CTR_LEVELS_AT_LEAST, CTR_HIERARCHY_LEVELS, 25, hash, error);
}

static void *
canny_create (void)
{
  return ctr_canny_new (setup.backend, NULL);
}

static void
canny_destroy (void *canny)
{
  ctr_canny_free (canny);
}

static bool
canny_run (void *canny, const CtrImage *image, uint64_t *hash, CtrError *error)
{
  CtrCannyParams params;
  ctr_canny_params_init (&params);
  params.threshold_mode = CTR_CANNY_MEDIAN;
  params.sigma = 1;
  const size_t size = (size_t) image->width * image->height;
  uint8_t *mask = malloc (size);
  CtrEdgePicture picture;
  ctr_edge_picture_init_mask (&picture, mask, image->width, CTR_MEMORY_HOST);
  const bool ok = ctr_canny_run (canny, image, &params, &picture, setup.stream, error);
  if (ok)
    hash_bytes (hash, mask, size);
  free (mask);
  return ok;
}

static void *
mask_create (void)
{
  return ctr_mask_new (setup.backend, NULL);
}

static void
mask_destroy (void *mask)
{
  ctr_mask_free (mask);
}

static bool
make_mask (void *mask, const CtrImage *image, const CtrForeground *foreground, uint64_t *hash, CtrError *error)
{
  const size_t size = (size_t) image->width * image->height;
  uint8_t *bytes = malloc (size);
  CtrEdgePicture picture;
  ctr_edge_picture_init_mask (&picture, bytes, image->width, CTR_MEMORY_HOST);
  const bool ok = ctr_mask_run (mask, image, foreground, &picture, setup.stream, error);
  if (ok)
    hash_bytes (hash, bytes, size);
  free (bytes);
  return ok;
}

static bool
mask_run (void *mask, const CtrImage *image, uint64_t *hash, CtrError *error)
{
  const CtrForeground foreground = {.mode = CTR_THRESHOLD_TRIANGLE,
      .open_size = 2,
      .close_size = 5,
      .shape = CTR_SHAPE_ELLIPSE,
      .fill_holes = true,
      .split_touching = 20,
      .clear_border = true};
  return make_mask (mask, image, &foreground, hash, error);
}

static bool
adaptive_mask_run (void *mask, const CtrImage *image, uint64_t *hash, CtrError *error)
{
  const CtrForeground mean = {.mode = CTR_THRESHOLD_ADAPTIVE_MEAN, .block_size = 21, .close_size = 3};
  const CtrForeground gaussian = {.mode = CTR_THRESHOLD_ADAPTIVE_GAUSSIAN, .block_size = 11, .invert = true};
  return make_mask (mask, image, &mean, hash, error) && make_mask (mask, image, &gaussian, hash, error);
}

static bool
hysteresis_run (void *mask, const CtrImage *image, uint64_t *hash, CtrError *error)
{
  const CtrForeground foreground = {.mode = CTR_THRESHOLD_HYSTERESIS, .threshold = 100, .upper_threshold = 210};
  return make_mask (mask, image, &foreground, hash, error);
}

static void *
snake_create (void)
{
  return ctr_snake_new (setup.backend, NULL);
}

static void
snake_destroy (void *snake)
{
  ctr_snake_free (snake);
}

static bool
snake_run (void *snake, const CtrImage *image, uint64_t *hash, CtrError *error)
{
  const uint16_t w = (uint16_t) image->width, h = (uint16_t) image->height;
  const CtrPoint points[] = {{0, 0}, {w, 0}, {w, h}, {w / 2, h / 2 - 1}, {0, h}};
  const CtrSnakeObject objects[] = {{.start = CTR_SNAKE_START_AUTO},
      {.start = CTR_SNAKE_START_POLYGON, .points = points, .point_count = LENGTH (points), .first_step = 4},
      {.start = CTR_SNAKE_START_RECTANGLE, .rectangle = {-9, -9, 2, 2}, .retry = true}};
  CtrSnakeParams params;
  ctr_snake_params_init (&params);
  params.min_segment = 2;
  CtrContours *contours = ctr_snake_run (snake, image, &params, objects, LENGTH (objects), setup.stream, error);
  if (contours)
    hash_bytes (hash, ctr_contours_map_regions (contours, NULL), contours->count * sizeof (CtrSnakeRegion));
  return hash_contours (hash, contours);
}

static void *
chains_create (void)
{
  return ctr_edge_chains_new (setup.backend, NULL);
}

static void
chains_destroy (void *chains)
{
  ctr_edge_chains_free (chains);
}

/* The picture is a mask: its bright samples are edges. */
static bool
chains_run (void *chains, const CtrImage *image, uint64_t *hash, CtrError *error)
{
  const size_t size = (size_t) image->width * image->height;
  const CtrEdgeChainsParams params = {.min_length = 3};
  uint8_t *pixels = malloc (size);
  for (size_t i = 0; i < size; i++)
    pixels[i] = ((const uint8_t *) image->data)[i / image->width * image->stride + i % image->width] > 170;
  CtrImage mask = *image;
  mask.data = pixels;
  mask.stride = image->width;
  const bool ok = hash_contours (hash, ctr_edge_chains_run (chains, &mask, &params, setup.stream, error));
  free (pixels);
  return ok;
}

const HashedCase hashed_cases[] = {
    {"components", cca_create, cca_run, cca_destroy, true},
    {"borders", borders_create, borders_run, borders_destroy, true},
    {"simplified borders", borders_create, simplified_run, borders_destroy, true},
    {"levels", cracks_create, levels_run, cracks_destroy, true},
    {"label image", cracks_create, label_image_run, cracks_destroy, true},
    {"nested levels", cracks_create, nested_levels_run, cracks_destroy, true},
    {"edge chains", chains_create, chains_run, chains_destroy, true},
    {"edges", canny_create, canny_run, canny_destroy, true},
    {"mask", mask_create, mask_run, mask_destroy, true},
    {"adaptive mask", mask_create, adaptive_mask_run, mask_destroy, true},
    {"mask by hysteresis", mask_create, hysteresis_run, mask_destroy, true},
    {"snake", snake_create, snake_run, snake_destroy, false},
};
const size_t hashed_case_count = LENGTH (hashed_cases);

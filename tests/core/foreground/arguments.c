/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests which foregrounds are plain, and which are equal: those that have the same mask of every image. Structuring elements
 * and weights keep what the kernels rely on. */
#include "core/foreground/foreground.h"
#include "core/foreground/regions.h"
#include "core/foreground/split.h"
#include "tests/core/common/testing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A field that FOREGROUND does not ignore makes another one of it. */
static void
check_field (CtrForeground foreground, CtrForeground changed, bool matters, const char *field)
{
  describe ("%s with mode %d, ranges 0x%x, sizes %u and %u", field, foreground.mode, foreground.ranges,
      foreground.open_size, foreground.close_size);
  CHECK (ctr_foreground_is_equal (&foreground, &foreground) && ctr_foreground_is_equal (&changed, &changed));
  CHECK (ctr_foreground_is_equal (&foreground, &changed) == !matters);
  CHECK (ctr_foreground_is_equal (&changed, &foreground) == !matters);
}

#define CHECK_FIELD(field, value, matters)                \
  do {                                                    \
    CtrForeground changed = foreground;                   \
    changed.field = (value);                              \
    check_field (foreground, changed, (matters), #field); \
  } while (0)

static void
check_fields (CtrForeground foreground)
{
  const bool threshold = foreground.ranges == 0, shapes = foreground.open_size > 1 || foreground.close_size > 1;
  const bool fixed = threshold && foreground.mode == CTR_THRESHOLD_FIXED;
  const bool hysteresis = threshold && foreground.mode == CTR_THRESHOLD_HYSTERESIS;
  const bool adaptive =
      threshold
      && (foreground.mode == CTR_THRESHOLD_ADAPTIVE_MEAN || foreground.mode == CTR_THRESHOLD_ADAPTIVE_GAUSSIAN);
  CHECK_FIELD (mode, (CtrThresholdMode) ((foreground.mode + 1) % 6), threshold);
  CHECK_FIELD (threshold, foreground.threshold + 1, fixed || hysteresis);
  CHECK_FIELD (upper_threshold, foreground.upper_threshold + 1, fixed || hysteresis);
  CHECK_FIELD (invert, !foreground.invert, true);
  CHECK_FIELD (block_size, foreground.block_size + 2, adaptive);
  CHECK_FIELD (offset, foreground.offset - 1, adaptive);
  CHECK_FIELD (channel, CTR_CHANNEL_CR, threshold);
  CHECK_FIELD (ranges, foreground.ranges ^ 16, true);
  CHECK_FIELD (lower[4], 9, foreground.ranges >> 4 & 1);
  CHECK_FIELD (upper[4], 9, foreground.ranges >> 4 & 1);
  CHECK_FIELD (lower[8], 9, foreground.ranges >> 8 & 1);
  CHECK_FIELD (shape, CTR_SHAPE_ELLIPSE, shapes);
  CHECK_FIELD (open_size, 7, true);
  CHECK_FIELD (open_size, 1, foreground.open_size > 1);
  CHECK_FIELD (close_size, 7, true);
  CHECK_FIELD (close_size, 0, foreground.close_size > 1);
  CHECK_FIELD (fill_holes, !foreground.fill_holes, true);
  CHECK_FIELD (split_touching, foreground.split_touching + 1, true);
  CHECK_FIELD (clear_border, !foreground.clear_border, true);
  CHECK_FIELD (significant_bits, 12, threshold && foreground.mode == CTR_THRESHOLD_TRIANGLE);
}

static void
test_equal (void)
{
  static const uint32_t ranges[] = {0, 1 << 4, 1 << 8 | 1};
  for (int mode = CTR_THRESHOLD_FIXED; mode <= CTR_THRESHOLD_HYSTERESIS; mode++)
    for (size_t r = 0; r < LENGTH (ranges); r++)
      for (uint32_t size = 0; size < 4; size++) {
        CtrForeground foreground;
        /* What lies between the fields does not count. */
        memset (&foreground, (int) (17 * size), sizeof foreground);
        foreground.mode = (CtrThresholdMode) mode;
        foreground.threshold = foreground.upper_threshold = 5;
        foreground.block_size = 5;
        foreground.offset = 0;
        foreground.channel = CTR_CHANNEL_LUMA;
        foreground.ranges = ranges[r];
        memset (foreground.lower, 3, sizeof foreground.lower);
        memset (foreground.upper, 8, sizeof foreground.upper);
        foreground.open_size = size;
        foreground.close_size = 3 - size;
        foreground.shape = CTR_SHAPE_CROSS;
        foreground.split_touching = size;
        foreground.significant_bits = 0;
        foreground.invert = foreground.fill_holes = foreground.clear_border = size % 2;
        foreground.regions = NULL;
        check_fields (foreground);
      }
}

#define CHECK_PLAIN(field, value, plain)                   \
  do {                                                     \
    CtrForeground changed = foreground;                    \
    changed.field = (value);                               \
    describe ("plain: %s, mode %d", #field, changed.mode); \
    CHECK (ctr_foreground_is_plain (&changed) == (plain)); \
  } while (0)

static void
test_plain (void)
{
  for (int mode = CTR_THRESHOLD_FIXED; mode <= CTR_THRESHOLD_OTSU; mode++) {
    const CtrForeground foreground = {.mode = (CtrThresholdMode) mode, .threshold = 9};
    CHECK_PLAIN (invert, true, true);
    CHECK_PLAIN (threshold, 0, true);
    CHECK_PLAIN (block_size, 4, true);
    CHECK_PLAIN (offset, 4, true);
    CHECK_PLAIN (open_size, 1, true);
    CHECK_PLAIN (close_size, 1, true);
    CHECK_PLAIN (shape, CTR_SHAPE_ELLIPSE, true);
    CHECK_PLAIN (lower[3], 7, true);
    CHECK_PLAIN (upper_threshold, 9, mode == CTR_THRESHOLD_OTSU);
    for (int other = CTR_THRESHOLD_TRIANGLE; other <= CTR_THRESHOLD_HYSTERESIS; other++)
      CHECK_PLAIN (mode, (CtrThresholdMode) other, false);
    CHECK_PLAIN (channel, CTR_CHANNEL_RED, false);
    CHECK_PLAIN (ranges, 1, false);
    CHECK_PLAIN (open_size, 2, false);
    CHECK_PLAIN (close_size, 2, false);
    CHECK_PLAIN (fill_holes, true, false);
    CHECK_PLAIN (split_touching, 1, false);
    CHECK_PLAIN (clear_border, true, false);
  }
}

/* Regions with the same pixels are equal, and only they. */
static void
test_equal_regions (void)
{
  static const CtrRegionPoint corners[] = {{1, 1}, {4, 1}, {4, 3}, {1, 3}}, triangle[] = {{1, 1}, {4, 1}, {4, 3}};
  static const uint8_t pixels[5 * 4] = {[6] = 1, [13] = 1};
  static const CtrRegionMask mask = {pixels, 5, 5, 4}, taller = {pixels, 4, 4, 5};
  static const CtrRegion lists[][2] = {
      {{.x = 1, .y = 1, .width = 3, .height = 2}, {.width = 5, .height = 4}},
      {{.x = 1, .y = 1, .width = 3, .height = 2}, {.width = 5, .height = 3}},
      {{.width = 5, .height = 4}, {.x = 1, .y = 1, .width = 3, .height = 2}},
      {{.points = triangle, .point_count = 3}, {.width = 5, .height = 4}},
      {{.points = corners, .point_count = 4}, {.width = 5, .height = 4}},
  };
  CtrRegions *regions[9];
  uint32_t count = 0;
  for (size_t i = 0; i < LENGTH (lists); i++)
    regions[count++] = ctr_regions_new (lists[i], 2, NULL, NULL);
  regions[count++] = ctr_regions_new (lists[0], 1, NULL, NULL);
  regions[count++] = ctr_regions_new (lists[0], 0, NULL, NULL);
  regions[count++] = ctr_regions_new (NULL, 0, &mask, NULL);
  regions[count++] = ctr_regions_new (NULL, 0, &taller, NULL);
  for (uint32_t i = 0; i < count; i++) {
    CHECK (regions[i] && !ctr_regions_is_equal (regions[i], NULL) && !ctr_regions_is_equal (NULL, regions[i]));
    for (uint32_t k = 0; k < count; k++)
      CHECK (ctr_regions_is_equal (regions[i], regions[k]) == (i == k));
    CHECK (ctr_regions_get_count (regions[i]) == (i < 5 ? 2 : i != 6));
  }
  CtrRegions *again = ctr_regions_new (lists[3], 2, NULL, NULL);
  const CtrForeground a = {.regions = again}, b = {.regions = regions[3]}, c = {.regions = regions[2]}, whole = {0};
  CHECK (ctr_regions_is_equal (again, regions[3]) && ctr_foreground_is_equal (&a, &b));
  CHECK (!ctr_foreground_is_equal (&a, &c) && !ctr_foreground_is_equal (&a, &whole));
  CHECK (!ctr_foreground_is_plain (&a) && ctr_foreground_is_plain (&whole));
  CtrRegion bounds;
  ctr_regions_get_bounds (again, 0, &bounds);
  CHECK (bounds.x == 1 && bounds.y == 1 && bounds.width == 3 && bounds.height == 2 && !bounds.points);
  ctr_regions_get_bounds (regions[7], 0, &bounds);
  CHECK (bounds.x == 1 && bounds.y == 1 && bounds.width == 3 && bounds.height == 2);
  CHECK (ctr_regions_ref (again) == again);
  ctr_regions_unref (again);
  ctr_regions_unref (again);
  ctr_regions_unref (NULL);
  for (uint32_t i = 0; i < count; i++)
    ctr_regions_unref (regions[i]);
}

static void
check_refused (const CtrRegion *list, uint32_t count, const CtrRegionMask *mask, CtrStatus status, const char *text)
{
  CtrError error = {CTR_OK, ""};
  describe ("regions that are refused: %s", text);
  CHECK (!ctr_regions_new (list, count, mask, &error) && !ctr_regions_new (list, count, mask, NULL));
  CHECK (error.status == status && strstr (error.message, text));
}

static void
test_refused_regions (void)
{
  static const CtrRegionPoint line[] = {{1, 1}, {4, 4}, {6, 6}}, thin[] = {{0, 0}, {1, 0}, {0, 1}};
  static const uint8_t none[6] = {0};
  static const CtrRegionMask empty = {none, 3, 3, 2};
  const CtrRegion flat = {.width = 3}, narrow = {.height = 3}, good = {.width = 3, .height = 2};
  const CtrRegion two[] = {good, {.points = line, .point_count = 3}};
  const CtrRegion few = {.points = line, .point_count = 2}, outside = {.points = thin, .point_count = 3};
  const CtrRegion wide = {.x = 65000, .width = 536, .height = 1},
                  huge = {.x = UINT32_MAX, .width = UINT32_MAX, .height = 1};
  const CtrRegion high[] = {{.width = 1, .height = 40000}, {.width = 1, .height = 25535}};
  check_refused (&flat, 1, NULL, CTR_ERROR_INVALID_ARGUMENT, "region 0 has no pixel");
  check_refused (&narrow, 1, NULL, CTR_ERROR_INVALID_ARGUMENT, "region 0 has no pixel");
  check_refused (two, 2, NULL, CTR_ERROR_INVALID_ARGUMENT, "region 1 has no pixel");
  check_refused (&few, 1, NULL, CTR_ERROR_INVALID_ARGUMENT, "the polygon of region 0 has 2 points");
  check_refused (&good, 1, &empty, CTR_ERROR_INVALID_ARGUMENT, "region 0 has no pixel");
  check_refused (NULL, 0, &empty, CTR_ERROR_INVALID_ARGUMENT, "region 0 has no pixel");
  check_refused (NULL, 2, NULL, CTR_ERROR_INVALID_ARGUMENT, "2 regions, but they are NULL");
  check_refused (&wide, 1, NULL, CTR_ERROR_TOO_LARGE, "region 0 reaches from (65000, 0) over 536 x 1 pixels");
  check_refused (&huge, 1, NULL, CTR_ERROR_TOO_LARGE, "it must end at 65535 or before");
  check_refused (high, 2, NULL, CTR_ERROR_TOO_LARGE, "the first 2 regions have more than 65535 rows together");
  /* Its only pixel has its centre on the edge, which belongs to what is to the right. */
  CHECK (!ctr_regions_new (&outside, 1, NULL, NULL));
}

/* What lies outside of an image, or does not have its size, and what regions cannot be combined with. */
static void
check_image (const CtrRegion *list, const CtrRegionMask *mask, uint32_t width, uint32_t height, const char *text)
{
  const uint8_t pixels[8 * 8] = {0};
  const CtrImage image = {.data = pixels, .stride = 8, .width = width, .height = height, .format = CTR_FORMAT_GRAY8};
  CtrForeground foreground = {.regions = ctr_regions_new (list, list ? 1 : 0, mask, NULL)};
  CtrError error = {CTR_OK, ""};
  describe ("regions in %u x %u pixels", width, height);
  CHECK (foreground.regions);
  CHECK (ctr_foreground_check (&foreground, &image, &error) == !text);
  CHECK (!text || (error.status == CTR_ERROR_INVALID_ARGUMENT && strstr (error.message, text)));
  ctr_regions_unref (foreground.regions);
}

static void
test_images_of_regions (void)
{
  static const uint8_t ones[6] = {0, 1, 1, 1, 1, 1};
  static const CtrRegionMask mask = {ones, 3, 3, 2};
  const CtrRegion region = {.x = 2, .y = 3, .width = 4, .height = 2};
  check_image (&region, NULL, 6, 5, NULL);
  check_image (&region, NULL, 5, 5, "region 0 reaches from (2, 3) to (6, 5), but the image has 5 x 5 pixels");
  check_image (&region, NULL, 8, 4, "region 0 reaches from (2, 3) to (6, 5), but the image has 8 x 4 pixels");
  check_image (NULL, &mask, 3, 2, NULL);
  check_image (NULL, &mask, 3, 3, "the mask of the regions has 3 x 2 pixels, but the image has 3 x 3");
  check_image (NULL, &mask, 4, 2, "the mask of the regions has 3 x 2 pixels, but the image has 4 x 2");
}

/* Analyses that take no regions. */
static void
test_refused_analyses (void)
{
  const uint8_t pixels[8 * 8] = {0};
  const CtrImage image = {.data = pixels, .stride = 8, .width = 8, .height = 8, .format = CTR_FORMAT_GRAY8};
  const CtrRegion region = {.width = 4, .height = 4};
  CtrCca *cca = ctr_cca_new (CTR_BACKEND_CPU, NULL);
  CtrComponentStrips *component_strips = ctr_component_strips_new (CTR_BACKEND_CPU, 100, NULL);
  CtrBorderStrips *border_strips = ctr_border_strips_new (CTR_BACKEND_CPU, 100, NULL);
  CtrCcaParams params;
  CtrBordersParams borders_params;
  CtrError error;
  ctr_cca_params_init (&params);
  ctr_borders_params_init (&borders_params);
  params.foreground.regions = borders_params.foreground.regions = ctr_regions_new (&region, 1, NULL, NULL);
  describe ("strips with regions");
  CHECK (!ctr_component_strips_submit (component_strips, &image, &params, NULL, &error));
  CHECK (error.status == CTR_ERROR_INVALID_ARGUMENT && strstr (error.message, "without regions"));
  CHECK (!ctr_border_strips_submit (border_strips, &image, &borders_params, NULL, &error));
  CHECK (error.status == CTR_ERROR_INVALID_ARGUMENT && strstr (error.message, "without regions"));
  describe ("equal samples, and the background, of regions");
  params.features = CTR_FEATURE_BACKGROUND;
  CHECK (!ctr_cca_run (cca, &image, &params, NULL, &error));
  CHECK (error.status == CTR_ERROR_INVALID_ARGUMENT && strstr (error.message, "the background is that of the whole"));
  params.features = 0;
  params.mode = CTR_COMPONENTS_EQUAL;
  CHECK (!ctr_cca_run (cca, &image, &params, NULL, &error));
  CHECK (error.status == CTR_ERROR_INVALID_ARGUMENT && strstr (error.message, "components of equal samples"));
  params.mode = CTR_COMPONENTS_FOREGROUND;
  CtrComponents *components = ctr_cca_run (cca, &image, &params, NULL, &error);
  CHECK (components && components->region_count == 1);
  ctr_components_unref (components);
  ctr_regions_unref (params.foreground.regions);
  ctr_cca_free (cca);
  ctr_component_strips_free (component_strips);
  ctr_border_strips_free (border_strips);
}

/* The anchor is in the element, and the rows widen towards it. */
static void
test_shapes (void)
{
  for (int shape = CTR_SHAPE_RECTANGLE; shape <= CTR_SHAPE_ELLIPSE; shape++)
    for (uint32_t size = 1; size <= CTR_MAX_SHAPE_SIZE; size++) {
      CtrShapeRows rows;
      describe ("shape %d of %u pixels", shape, size);
      ctr_shape_rows (&rows, (CtrShape) shape, size);
      CHECK (rows.size == size);
      for (uint32_t i = 0; i < size; i++) {
        CHECK (rows.first[i] <= size / 2 && size / 2 <= rows.last[i] && rows.last[i] < size);
        if (i > 0 && i <= size / 2)
          CHECK (rows.first[i] <= rows.first[i - 1] && rows.last[i] >= rows.last[i - 1]);
      }
      CHECK (rows.first[size / 2] == 0 && rows.last[size / 2] == size - 1);
    }
}

static void
test_weights (void)
{
  for (uint32_t size = CTR_MIN_BLOCK_SIZE; size <= CTR_MAX_BLOCK_SIZE; size += 2) {
    uint32_t weights[CTR_MAX_BLOCK_SIZE], sum = 0;
    describe ("the weights of a block of %u pixels", size);
    ctr_gaussian_weights (size, weights);
    for (uint32_t i = 0; i < size; i++) {
      sum += weights[i];
      CHECK (weights[i] == weights[size - 1 - i] && weights[i] > 0);
      CHECK (i == 0 || i > size / 2 || weights[i] + 1 >= weights[i - 1]);
    }
    CHECK (sum == UINT32_C (1) << CTR_GAUSSIAN_BITS);
  }
}

__extension__ typedef __int128 Wide;

/* sqrt (PEAK) - sqrt (SADDLE) < DEPTH / 16: 256 (PEAK - SADDLE) - DEPTH^2 < 32 DEPTH sqrt (SADDLE). */
static void
check_shallow (uint32_t peak, uint32_t saddle, uint32_t depth)
{
  const Wide left = 256 * ((Wide) peak - saddle) - (Wide) depth * depth;
  const bool expected = left < 0 || left * left < (Wide) 1024 * depth * depth * saddle;
  describe ("a peak of %u, a saddle of %u, a depth of %u", peak, saddle, depth);
  CHECK (ctr_split_is_shallow (peak, saddle, depth) == expected);
}

/* Numbers of all sizes, and those that are nearly or just equal. */
static void
test_depths (void)
{
  static const uint32_t depths[] = {1, 2, 15, 16, 17, 24, 48, 1000, 16383, CTR_MAX_SPLIT_DEPTH};
  Random rng = {5};
  for (uint32_t i = 0; i < 3000000; i++) {
    const uint32_t depth =
        i % 3 ? depths[random_below (&rng, LENGTH (depths))] : 1 + random_below (&rng, CTR_MAX_SPLIT_DEPTH);
    const uint32_t saddle = 1 + (uint32_t) (random_next (&rng) >> (32 + random_below (&rng, 31))) % UINT32_MAX;
    const double limit = sqrt (saddle) + depth / 16.;
    int64_t peak = (int64_t) (limit * limit) + (int64_t) random_below (&rng, 5) - 2;
    if (i % 4 == 0)
      peak = (int64_t) (random_next (&rng) >> (32 + random_below (&rng, 32)));
    if (peak >= saddle)
      check_shallow (peak < UINT32_MAX ? (uint32_t) peak : UINT32_MAX, saddle, depth);
  }
  for (uint32_t root = 1; root < 65536; root++) /* equal: not less */
    for (uint32_t pixels = 1; pixels <= 1024 && root + pixels < 65536; pixels += root < 40 ? 1 : 341) {
      check_shallow ((root + pixels) * (root + pixels), root * root, 16 * pixels);
      CHECK (!ctr_split_is_shallow ((root + pixels) * (root + pixels), root * root, 16 * pixels));
      CHECK (ctr_split_is_shallow ((root + pixels) * (root + pixels) - 1, root * root, 16 * pixels));
    }
  check_shallow (UINT32_MAX, 1, CTR_MAX_SPLIT_DEPTH);
  check_shallow (UINT32_MAX, UINT32_MAX, 1);
  check_shallow (UINT32_MAX, UINT32_MAX - 1, 1);
}

/* For all neighbours that may be higher: as many groups as a flood finds, each with its greatest, in descending order. */
static void
test_groups (void)
{
  static const int dx[8] = {0, 1, 1, 1, 0, -1, -1, -1}, dy[8] = {-1, -1, 0, 1, 1, 1, 0, -1};
  Random rng = {6};
  for (uint32_t i = 0; i < 256 * 40; i++) {
    uint32_t around[8], greatest[4], groups = 0;
    uint64_t keys[8];
    for (int k = 0; k < 8; k++) {
      CHECK (ctr_split_step (100, (uint32_t) k) == dy[k] * 100 + dx[k]);
      around[k] = (i >> k & 1) ? 10 + random_below (&rng, i < 256 ? 1 : 4) : random_below (&rng, 10);
      keys[k] = (uint64_t) around[k] << 8 | (uint32_t) (dy[k] * 3 + dx[k] + 8);
    }
    describe ("the neighbours 0x%x", i & 255);
    for (int k = 0; k < 8; k++) { /* the first of a group is the one that no higher of the group precedes */
      uint32_t group = 1u << k;
      bool is_greatest = i >> k & 1;
      for (int turn = 0; turn < 8; turn++)
        for (int a = 0; a < 8; a++)
          for (int b = 0; b < 8; b++)
            if ((group >> a & 1) && (i >> b & 1) && abs (dx[a] - dx[b]) <= 1 && abs (dy[a] - dy[b]) <= 1)
              group |= 1u << b;
      for (int a = 0; a < 8; a++)
        is_greatest = is_greatest && !((group >> a & 1) && keys[a] > keys[k]);
      groups += is_greatest;
      keys[k] |= is_greatest ? UINT64_C (1) << 60 : 0;
    }
    for (int k = 0; k < 8; k++)
      keys[k] &= (UINT64_C (1) << 61) - 1;
    const uint32_t higher = ctr_split_higher (around, 10);
    /* Equal ones before the pixel are lower. */
    uint32_t expected = i & 255;
    for (int k = 0; k < 8; k++)
      if (around[k] == 10 && dy[k] * 3 + dx[k] < 0)
        expected &= ~(1u << k);
    CHECK (higher == expected);
    uint32_t also_higher;
    const uint32_t direction = ctr_split_ascend (around, 10, &also_higher);
    CHECK (also_higher == expected);
    CHECK (direction == (expected ? ctr_split_greatest (around, expected) : CTR_SPLIT_PEAK));
    CHECK (ctr_split_is_saddle (i & 255) == (groups > 1));
    if (groups < 2)
      continue;
    CHECK (ctr_split_groups (around, i & 255, greatest) == groups);
    for (uint32_t k = 0; k < groups; k++) {
      CHECK (keys[greatest[k]] >> 60);
      CHECK (k == 0 || keys[greatest[k]] < keys[greatest[k - 1]]);
    }
  }
}

int
main (void)
{
  static const Test tests[] = {{"equal", test_equal}, {"plain", test_plain}, {"equal regions", test_equal_regions},
      {"refused regions", test_refused_regions}, {"images of regions", test_images_of_regions},
      {"refused analyses", test_refused_analyses}, {"shapes", test_shapes}, {"weights", test_weights},
      {"depths", test_depths}, {"groups", test_groups}};
  run_tests (tests, LENGTH (tests));
  return 0;
}

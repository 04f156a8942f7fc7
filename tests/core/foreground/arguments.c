/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests which foregrounds are plain, and which are equal: those that have the same mask of every image. Structuring elements
 * and weights keep what the kernels rely on. */
#include "core/foreground/foreground.h"
#include "tests/core/common/testing.h"

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
  CHECK_FIELD (clear_border, !foreground.clear_border, true);
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
        foreground.invert = foreground.fill_holes = foreground.clear_border = size % 2;
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
    CHECK_PLAIN (clear_border, true, false);
  }
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

int
main (void)
{
  static const Test tests[] = {
      {"equal", test_equal}, {"plain", test_plain}, {"shapes", test_shapes}, {"weights", test_weights}};
  run_tests (tests, LENGTH (tests));
  return 0;
}

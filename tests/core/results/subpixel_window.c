/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The sums of subpixels by words of a row, as the GPU has them, are those of the definition, bit for bit: at every place and
 * alignment, in all four directions. */
#include "core/results/subpixel.h"
#include "tests/core/common/testing.h"

#include <stdlib.h>
#include <string.h>

enum { WIDTH = 40, HEIGHT = 30, STRIDE = 48, ROOM = 16 };

static Random rng = {83};

static void
check_point (const CtrSubpixelRule *rule, const CtrSubpixelPlane *plane, CtrPoint point)
{
  static const int32_t ways[4][2] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}};
  for (int i = 0; i < 4; i++) {
    CtrSubpixelSums expected[CTR_SUBPIXEL_PLACES], actual[CTR_SUBPIXEL_PLACES];
    describe ("%u,%u, direction %d,%d", point.x, point.y, ways[i][0], ways[i][1]);
    ctr_subpixel_derive_within (rule, (int32_t) rule->radius, plane, point, ways[i][0], ways[i][1], true, expected);
    ctr_subpixel_derive_bytes (rule, plane, point, ways[i][0], ways[i][1], actual);
    CHECK (memcmp (expected, actual, sizeof expected) == 0);
  }
}

static void
test_windows (void)
{
  const int32_t far = CTR_SUBPIXEL_USUAL_RADIUS + CTR_SUBPIXEL_REACH, room = far + CTR_SUBPIXEL_ROOM;
  uint8_t *memory = malloc (ROOM + STRIDE * HEIGHT);
  CtrSubpixelRule rule;
  ctr_subpixel_rule_init (&rule, CTR_SUBPIXEL_EDGE, 0, NULL);
  CHECK (rule.radius == CTR_SUBPIXEL_USUAL_RADIUS);
  for (int i = 0; i < 24; i++) {
    /* Noise, and the greatest sums: halves of the window are black and white. */
    for (size_t k = 0; k < ROOM + STRIDE * HEIGHT; k++)
      memory[k] = i % 3 ? (uint8_t) random_next (&rng) : k % STRIDE < STRIDE / 2 ? 0 : 255;
    const CtrSubpixelPlane plane = {memory + i % ROOM, STRIDE, WIDTH, HEIGHT, 8};
    for (int32_t y = far; y + far < HEIGHT; y++)
      for (int32_t x = room; x + room < WIDTH; x++)
        check_point (&rule, &plane, (CtrPoint){(uint16_t) x, (uint16_t) y});
  }
  free (memory);
}

/* Where an edge is looked for first makes no difference: the nearest one of all is found. */
static void
test_search (void)
{
  CtrSubpixelRule rule;
  ctr_subpixel_rule_init (&rule, CTR_SUBPIXEL_EDGE, 0, NULL);
  rule.polarity = 0;
  for (int i = 0; i < 200000; i++) {
    CtrSubpixelSums sums[CTR_SUBPIXEL_PLACES];
    const int32_t ahead = (int32_t) random_below (&rng, 4), behind = (int32_t) random_below (&rng, 4),
                  middle = i % 2 ? CTR_SUBPIXEL_BESIDE : 0;
    for (int k = 0; k < CTR_SUBPIXEL_PLACES; k++) {
      int64_t *const values = &sums[k].a;
      for (int j = 0; j < 5; j++) /* small ones, too: then edges lie at places, as near as others */
        values[j] = (int64_t) random_below (&rng, i % 3 ? 7 : 1u << 20) - (i % 3 ? 3 : 1 << 19);
      sums[k].a = i % 4 ? llabs (sums[k].a) : sums[k].a;
    }
    describe ("search %d", i);
    CtrSubpixelEdge expected = {false, 0, 0, 0, 0};
    expected.found = ctr_subpixel_search_places (
                         &rule, sums, CTR_SUBPIXEL_PLACES, -CTR_SUBPIXEL_REACH, ahead, behind, middle, &expected)
                     != UINT32_MAX;
    const CtrSubpixelEdge actual = ctr_subpixel_search (&rule, sums, ahead, behind, middle);
    CHECK (expected.found == actual.found);
    CHECK (!expected.found
           || (expected.at == actual.at && expected.sign == actual.sign && expected.a == actual.a
               && expected.b == actual.b));
  }
}

int
main (void)
{
  static const Test tests[] = {{"windows", test_windows}, {"search", test_search}};
  run_tests (tests, LENGTH (tests));
  return 0;
}

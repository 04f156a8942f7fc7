/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Simplified lines: cases checked by hand, and random ones against the definition. Built from the core's own source, so
 * that lines of any kind and length come in.
 *
 *   simplify [LINES [SEED]]
 */
#include "core/results/simplify.h"
#include "tests/core/common/testing.h"
#include "tests/core/results/simplify_reference.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 12 };

typedef struct {
  const char *name;
  double epsilon;
  uint32_t count, kept;
  CtrPoint points[MOST], expected[MOST];
} Case;

static const Case cases[] = {
    {"one point", 1, 1, 1, {{7, 5}}, {{7, 5}}},
    {"one point, more than once", 1e-9, 4, 1, {{7, 5}, {7, 5}, {7, 5}, {7, 5}}, {{7, 5}}},
    {"two points", 5, 2, 2, {{7, 5}, {7, 11}}, {{7, 5}, {7, 11}}},
    {"two points an epsilon apart", 6, 2, 1, {{7, 5}, {7, 11}}, {{7, 5}}},
    {"more than any distance", 1e29, 4, 1, {{0, 0}, {65535, 0}, {65535, 65535}, {0, 65535}}, {{0, 0}}},
    {"there and back along a row", 1e-9, 6, 2, {{3, 4}, {5, 4}, {9, 4}, {12, 4}, {9, 4}, {5, 4}}, {{3, 4}, {12, 4}}},
    {"there and back along a diagonal", 1e-9, 4, 2, {{1, 1}, {2, 2}, {7, 7}, {4, 4}}, {{1, 1}, {7, 7}}},
    {"an epsilon that squares to nothing", 1e-200, 4, 2, {{1, 1}, {2, 2}, {7, 7}, {4, 4}}, {{1, 1}, {7, 7}}},
    /* (2, 1) is 1 from the line through (3, 2) and (5, 2), but 1.41 from the segment. */
    {"a tip behind the segment's end", 1, 8, 4, {{4, 0}, {4, 1}, {3, 2}, {2, 1}, {3, 2}, {4, 1}, {5, 2}, {4, 1}},
        {{4, 0}, {3, 2}, {2, 1}, {5, 2}}},
    {"the same tip, less than epsilon away", 1.5, 8, 3,
        {{4, 0}, {4, 1}, {3, 2}, {2, 1}, {3, 2}, {4, 1}, {5, 2}, {4, 1}}, {{4, 0}, {3, 2}, {5, 2}}},
    /* What OpenCV 4.13 to 5.0 make of these. */
    {"a tip whose squared distance is no int", 10000, 4, 3, {{0, 0}, {48000, 48000}, {32000, 0}, {64000, 48000}},
        {{0, 0}, {32000, 0}, {64000, 48000}}},
    {"a tip whose neighbours' inner product is no int", 1, 4, 3,
        {{16000, 16000}, {32000, 16000}, {32000, 32000}, {64000, 64000}},
        {{16000, 16000}, {32000, 16000}, {32000, 32000}}},
};

static void
test_cases (void)
{
  for (size_t i = 0; i < LENGTH (cases); i++) {
    const Case *c = cases + i;
    CtrPoint to[MOST], reference[MOST];
    uint32_t work[MOST + 1];
    describe ("%s", c->name);
    CHECK (reference_simplify (c->points, c->count, c->epsilon, REFERENCE_SEGMENT, reference) == c->kept);
    CHECK (memcmp (reference, c->expected, c->kept * sizeof *reference) == 0);
    CHECK (ctr_simplify (c->points, c->count, c->epsilon, to, NULL, work) == c->kept);
    CHECK (memcmp (to, c->expected, c->kept * sizeof *to) == 0);
  }
}

/* The points that remain are in the order of the line, from anywhere on. */
static void
check_order (const uint32_t *indices, uint32_t kept, uint32_t count)
{
  uint32_t falls = 0;
  for (uint32_t k = 0; k < kept; k++) {
    CHECK (indices[k] < count && (kept == 1 || indices[k] != indices[(k + 1) % kept]));
    falls += indices[(k + 1) % kept] < indices[k];
  }
  CHECK (falls <= 1);
}

static void
test_random (uint64_t lines, uint64_t seed)
{
  Random random = {seed};
  uint64_t differing = 0;
  for (uint64_t i = 0; i < lines; i++) {
    CtrPoint points[RANDOM_LINE_POINTS], to[RANDOM_LINE_POINTS], expected[RANDOM_LINE_POINTS];
    uint32_t indices[RANDOM_LINE_POINTS], work[RANDOM_LINE_POINTS + 1];
    const uint32_t count = random_line (&random, points);
    const double epsilon = random_epsilon (&random);
    describe ("line %llu of seed %llu: %u points, epsilon %.17g", (unsigned long long) i, (unsigned long long) seed,
        count, epsilon);
    const uint32_t kept = reference_simplify (points, count, epsilon, REFERENCE_SEGMENT, expected);
    CHECK (ctr_simplify (points, count, epsilon, to, indices, work) == kept);
    CHECK (memcmp (to, expected, kept * sizeof *to) == 0);
    for (uint32_t k = 0; k < kept; k++)
      CHECK (memcmp (&to[k], &points[indices[k]], sizeof *to) == 0);
    check_order (indices, kept, count);
    differing += reference_simplify (points, count, epsilon, REFERENCE_LINE, to) != kept
                 || memcmp (to, expected, kept * sizeof *to) != 0;
  }
  printf ("%llu lines equal; %llu of them differ where distances are to endless lines\n", (unsigned long long) lines,
      (unsigned long long) differing);
  CHECK (lines < 1000 || differing > lines / 1000);
}

int
main (int argc, char **argv)
{
  const char *quick = getenv ("CTR_TEST_QUICK");
  const uint64_t lines = argc > 1 ? strtoull (argv[1], NULL, 0) : quick && strcmp (quick, "0") ? 20000 : 300000;
  test_cases ();
  test_random (lines, argc > 2 ? strtoull (argv[2], NULL, 0) : 1);
  return 0;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Compares each rule that the backends of the snake share with its definition. */
#include "core/snake/criterion.h"
#include "core/snake/geometry.h"
#include "tests/core/common/testing.h"
#include "tests/core/snake/polygons_reference.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static Random rng = {11};
static bool quick;

/* How far the logarithm of X is off, relative to its value. */
static double
log_error (double x)
{
  const long double exact = logl (x);
  if (exact == 0)
    return ctr_snake_log (x) == 0 ? 0 : INFINITY;
  return (double) fabsl ((ctr_snake_log (x) - exact) / exact);
}

static void
test_logarithm (void)
{
  const uint64_t one = 0x3ff0000000000000, first = 0x0010000000000000, last = 0x7fefffffffffffff;
  double worst = log_error (1);
  for (uint32_t i = 0; i < (quick ? 100000u : 3000000u); i++) {
    uint64_t bits = first + random_next (&rng) % (last - first + 1);
    double x;
    if (i % 3 == 1)
      bits = one + i / 3; /* just above 1, and just below */
    else if (i % 3 == 2)
      bits = one - i / 3;
    memcpy (&x, &bits, sizeof x);
    worst = fmax (worst, log_error (x));
  }
  for (uint32_t i = 1; i < 65536; i++)
    worst = fmax (worst, fmax (log_error (i), log_error (i / 65535.0)));
  worst = fmax (worst, fmax (log_error (DBL_MIN), log_error (DBL_MAX)));
  describe ("the logarithm, %g off", worst);
  CHECK (worst <= 2e-15);
}

static double
entropy (double p)
{
  return p > 0 ? -p * log (p) : 0;
}

static void
check_close (double actual, double expected)
{
  CHECK (fabs (actual - expected) <= 1e-9 * fmax (1, fabs (expected)));
}

static void
test_costs (void)
{
  for (int i = 0; i < 20000; i++) {
    CtrSnakeCost cost = {.looks = 1 + random_below (&rng, 8) / 4.0, .maximum = i % 2 ? 255 : 65535};
    const uint32_t count = 1 + random_below (&rng, 50), highest = 1 + random_below (&rng, (uint32_t) cost.maximum);
    const uint32_t lowest = i % 5 ? random_below (&rng, highest) : highest;
    CtrSnakeSums sums = {.n = count};
    for (uint32_t k = 0; k < count; k++) {
      const uint64_t z = lowest + random_below (&rng, highest - lowest + 1);
      sums.s1 += (int64_t) z;
      sums.s2 += z * z;
    }
    if (i % 100 == 0)
      sums.s1 = 0, sums.s2 = 0;
    if (i % 7 == 0)
      cost.maximum = ceil (cost.maximum / 16);
    const double n = count, mean = (double) sums.s1 / n, p = fmin (mean / cost.maximum, 1);
    describe ("costs of %u samples from %u to %u", count, lowest, highest);
    cost.model = CTR_SNAKE_GAUSSIAN;
    check_close (ctr_snake_cost (&cost, sums), n / 2 * log (fmax ((double) sums.s2 / n - mean * mean, 1 / 12.0)));
    cost.model = CTR_SNAKE_SPECKLE;
    check_close (ctr_snake_cost (&cost, sums), n * cost.looks * log (fmax (mean, 1 / 12.0)));
    cost.model = CTR_SNAKE_POISSON;
    check_close (ctr_snake_cost (&cost, sums), n * entropy (mean));
    cost.model = CTR_SNAKE_BERNOULLI;
    check_close (ctr_snake_cost (&cost, sums), n * (entropy (p) + entropy (1 - p)));
  }
}

static CtrPoint
point_of (Node node)
{
  return (CtrPoint){(uint16_t) node.x, (uint16_t) node.y};
}

/* The least column that is not left of the edge. */
static void
test_columns (void)
{
  for (int i = 0; i < 200000; i++) {
    const uint32_t side = i % 2 ? 12 : 65536;
    const CtrPoint a = {(uint16_t) random_below (&rng, side), (uint16_t) random_below (&rng, side - 1)};
    const CtrPoint b = {
        (uint16_t) random_below (&rng, side), (uint16_t) (a.y + 1 + random_below (&rng, side - 1 - a.y))};
    const int32_t y = a.y + (int32_t) random_below (&rng, (uint32_t) (b.y - a.y));
    const int64_t column = ctr_snake_column (a, b, y), run = (int64_t) b.x - a.x, rise = b.y - a.y;
    describe ("the column of %u,%u to %u,%u in row %d", a.x, a.y, b.x, b.y, y);
    CHECK ((column - a.x) * rise >= (y - a.y) * run);
    CHECK ((column - 1 - a.x) * rise < (y - a.y) * run);
  }
}

/* The sums of edges by the rules are those of the polygon's pixels. */
static void
test_sums (void)
{
  for (int i = 0; i < (quick ? 300 : 5000); i++) {
    const uint32_t width = 1 + random_below (&rng, 40), height = 1 + random_below (&rng, 40);
    uint32_t *samples = malloc (width * height * sizeof *samples);
    for (uint32_t k = 0; k < width * height; k++)
      samples[k] = random_below (&rng, i % 2 ? 256 : 65536);
    Polygon polygon = polygon_random (&rng, 3 + random_below (&rng, 20), width, height);
    const Sums expected = polygon_sums (&(Field){samples, (int32_t) width, (int32_t) height}, &polygon);
    CtrSnakeSums sums = {0, 0, 0};
    for (uint32_t k = 0; k < polygon.count; k++) {
      const Edge e = polygon_edge (&polygon, k);
      const bool falls = e.a.y < e.b.y;
      const CtrPoint top = point_of (falls ? e.a : e.b), bottom = point_of (falls ? e.b : e.a);
      for (int32_t y = top.y; y < bottom.y; y++) {
        const int32_t column = ctr_snake_column (top, bottom, y);
        CtrSnakeSums row = {.n = column};
        for (int32_t x = 0; x < column; x++) {
          row.s1 += samples[(uint32_t) y * width + (uint32_t) x];
          row.s2 +=
              (uint64_t) samples[(uint32_t) y * width + (uint32_t) x] * samples[(uint32_t) y * width + (uint32_t) x];
        }
        sums = falls ? ctr_snake_sums_add (sums, row) : ctr_snake_sums_sub (sums, row);
      }
    }
    describe ("sums of polygon %d, %u points, in %u x %u pixels", i, polygon.count, width, height);
    CHECK (sums.n == expected.n && sums.s1 == expected.s1 && sums.s2 == (uint64_t) expected.s2);
    polygon_free (&polygon);
    free (samples);
  }
}

static Node
random_node (uint32_t side)
{
  return (Node){(int32_t) random_below (&rng, side), (int32_t) random_below (&rng, side)};
}

static void
test_segments (void)
{
  for (int i = 0; i < 300000; i++) {
    const uint32_t side = i % 3 == 0 ? 65536 : i % 3 == 1 ? 4 : 9;
    const Node a = random_node (side), b = random_node (side), c = random_node (side), d = random_node (side);
    const Edge ab = {a, b, 0, 1}, bc = {b, c, 1, 2}, cd = {c, d, 2, 3};
    const CtrPoint p = point_of (a), q = point_of (b), r = point_of (c), s = point_of (d);
    describe ("%d,%d %d,%d %d,%d %d,%d", a.x, a.y, b.x, b.y, c.x, c.y, d.x, d.y);
    CHECK (ctr_snake_fold (p, q, r) == edges_touch (ab, bc));
    if (!ctr_snake_equal (p, q) && !ctr_snake_equal (r, s))
      CHECK (ctr_snake_touch (p, q, r, s) == edges_touch (ab, cd));
  }
}

/* Does one of COUNT edges P touch one of COUNT edges Q? */
static bool
any_touch (const Edge *p, const Edge *q, uint32_t count)
{
  bool any = false;
  for (uint32_t i = 0; i < count * count; i++)
    any |= edges_touch (p[i / count], q[i % count]);
  return any;
}

/* Edges of point I, were it at TO. */
static void
edges_of (const Polygon *polygon, uint32_t i, CtrPoint to, Edge edges[2])
{
  edges[0] = polygon_edge (polygon, (i + polygon->count - 1) % polygon->count);
  edges[1] = polygon_edge (polygon, i);
  edges[0].b = edges[1].a = (Node){to.x, to.y};
}

/* Halves of edge I. */
static void
halves_of (const Polygon *polygon, uint32_t i, CtrPoint middle, Edge halves[2])
{
  const Edge edge = polygon_edge (polygon, i);
  halves[0] = halves[1] = edge;
  halves[0].b = halves[1].a = (Node){middle.x, middle.y};
  halves[0].to = halves[1].from = polygon->count + i;
}

static Edge
edge_without (const Polygon *polygon, uint32_t i)
{
  const uint32_t n = polygon->count, before = (i + n - 1) % n, after = (i + 1) % n;
  return (Edge){polygon->nodes[before], polygon->nodes[after], before, after};
}

static void
check_moves (const Polygon *polygon, const CtrPoint *points, uint32_t side)
{
  const uint32_t n = polygon->count, i = random_below (&rng, n), f = random_below (&rng, n);
  const uint32_t before = (i + n - 1) % n, j = random_below (&rng, n);
  const CtrPoint to = point_of (random_node (side)), to_j = point_of (random_node (side));
  Edge own[2], other[2];
  edges_of (polygon, i, to, own);
  if (ctr_snake_fold (points[before], to, points[(i + 1) % n]))
    return;
  if (f != i && f != before) {
    const Edge edge = polygon_edge (polygon, f);
    CHECK (ctr_snake_move_touches (points, n, i, to, f) == (edges_touch (own[0], edge) || edges_touch (own[1], edge)));
  }
  if (i == j || ctr_snake_fold (points[(j + n - 1) % n], to_j, points[(j + 1) % n]))
    return;
  if (before == j || (i + 1) % n == j) {
    CHECK (ctr_snake_moves_touch (points, n, i, to, j, to_j));
    return;
  }
  edges_of (polygon, j, to_j, other);
  CHECK (ctr_snake_moves_touch (points, n, i, to, j, to_j) == any_touch (own, other, 2));
}

static void
check_splits (const Polygon *polygon, const CtrPoint *points)
{
  const uint32_t n = polygon->count, e = random_below (&rng, n), f = random_below (&rng, n);
  const CtrPoint a = points[e], b = points[(e + 1) % n], middle = ctr_snake_middle (a, b);
  CHECK (middle.x == (a.x + b.x) / 2 && middle.y == (a.y + b.y) / 2);
  const CtrPoint middle_f = ctr_snake_middle (points[f], points[(f + 1) % n]);
  const uint32_t least = 1 + random_below (&rng, 4);
  const double length = hypot (a.x - b.x, a.y - b.y);
  const bool splits = ctr_snake_splits (a, b, least);
  CHECK (splits == (length > 2 * least)); /* lengths that are equal to it are exact */
  Edge own[2], other[2];
  halves_of (polygon, e, middle, own);
  if (e == f || !splits)
    return;
  const Edge edge = polygon_edge (polygon, f);
  CHECK (
      ctr_snake_split_touches (points, n, e, middle, f) == (edges_touch (own[0], edge) || edges_touch (own[1], edge)));
  halves_of (polygon, f, middle_f, other);
  if (ctr_snake_splits (points[f], points[(f + 1) % n], least))
    CHECK (ctr_snake_two_splits_touch (points, n, e, middle, f, middle_f) == any_touch (own, other, 2));
}

static void
check_removals (const Polygon *polygon, const CtrPoint *points)
{
  const uint32_t n = polygon->count, i = random_below (&rng, n), f = random_below (&rng, n);
  const Edge own = edge_without (polygon, i), other = edge_without (polygon, f);
  if (f != i && f != (i + n - 1) % n)
    CHECK (ctr_snake_removal_touches (points, n, i, f) == edges_touch (own, polygon_edge (polygon, f)));
  const bool neighbours = (f + 1) % n == i || (i + 1) % n == f;
  if (f != i)
    CHECK (ctr_snake_two_removals_touch (points, n, i, f) == (neighbours || edges_touch (own, other)));
}

/* Small polygons, in which much touches. */
static void
test_polygons (void)
{
  for (int i = 0; i < (quick ? 2000 : 30000); i++) {
    const uint32_t side = 3 + random_below (&rng, i % 2 ? 5 : 14);
    Polygon polygon = polygon_random (&rng, 3 + random_below (&rng, 8), side, side);
    CtrPoint *points = malloc (polygon.count * sizeof *points);
    for (uint32_t k = 0; k < polygon.count; k++)
      points[k] = point_of (polygon.nodes[k]);
    describe ("polygon %d of %u points", i, polygon.count);
    for (int k = 0; k < 20; k++) {
      check_moves (&polygon, points, side + 1);
      check_splits (&polygon, points);
      if (polygon.count > 3)
        check_removals (&polygon, points);
    }
    free (points);
    polygon_free (&polygon);
  }
}

static void
test_directions (void)
{
  static const int dx[8] = {1, 1, 0, -1, -1, -1, 0, 1}, dy[8] = {0, 1, 1, 1, 0, -1, -1, -1};
  const CtrSnakeWindow window = {10, 20, 65535, 65000};
  for (int i = 0; i < 20000; i++) {
    const CtrPoint p = {(uint16_t) (10 + random_below (&rng, 65526)), (uint16_t) (20 + random_below (&rng, 64981))};
    const uint32_t direction = (uint32_t) i % 8;
    const int32_t step = 1 + (int32_t) random_below (&rng, i % 2 ? 65535 : 9);
    const int32_t x = p.x + dx[direction] * step, y = p.y + dy[direction] * step;
    const CtrPoint to = ctr_snake_moved (&window, p, direction, step);
    describe ("%u,%u in direction %u by %d", p.x, p.y, direction, step);
    CHECK (to.x == (x < 10 ? 10 : x > 65535 ? 65535 : x) && to.y == (y < 20 ? 20 : y > 65000 ? 65000 : y));
  }
}

int
main (void)
{
  quick = setup_open ("cpu", false).quick;
  test_logarithm ();
  test_costs ();
  test_columns ();
  test_sums ();
  test_segments ();
  test_polygons ();
  test_directions ();
  return 0;
}

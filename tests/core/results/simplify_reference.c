/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Products of coordinates are whole numbers; a product of two of them is a double, rounded as OpenCV rounds it. */
#include "tests/core/results/simplify_reference.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* OpenCV computes some sums of products in an int, which wraps around. */
static int64_t
as_int (int64_t value)
{
  const int64_t range = INT64_C (1) << 32, half = range / 2;
  return ((value + half) % range + range) % range - half;
}

static int64_t
inner (CtrPoint o, CtrPoint a, CtrPoint p, CtrPoint b)
{
  return ((int64_t) a.x - o.x) * ((int64_t) b.x - p.x) + ((int64_t) a.y - o.y) * ((int64_t) b.y - p.y);
}

static int64_t
square (CtrPoint a, CtrPoint b)
{
  return inner (a, b, a, b);
}

/* The square of P's distance from the line, or the segment, from A to B; times the square of B's from A. */
static double
deviation (CtrPoint a, CtrPoint b, CtrPoint p, ReferenceDistance distance)
{
  if (distance == REFERENCE_SEGMENT) {
    const bool before_a = inner (a, b, a, p) < 0, behind_b = inner (b, a, b, p) < 0;
    if (before_a || behind_b)
      return (double) as_int (square (before_a ? a : b, p)) * (double) square (a, b);
  }
  const int64_t area = ((int64_t) b.x - a.x) * ((int64_t) p.y - a.y) - ((int64_t) b.y - a.y) * ((int64_t) p.x - a.x);
  return (double) area * (double) area;
}

typedef struct {
  const CtrPoint *line; /* from the first of two points far apart around to it again */
  double epsilon_squared;
  ReferenceDistance distance;
  CtrPoint *kept;
  uint32_t count; /* of those kept */
} Work;

/* Keeps what has to be kept from point FIRST to before LAST: the first one of all, and where the segment does not do,
 * the first of those that are farthest from it. */
static void
keep (Work *work, uint32_t first, uint32_t last)
{
  const CtrPoint a = work->line[first], b = work->line[last];
  uint32_t farthest = first;
  double most = 0;
  for (uint32_t i = first + 1; i < last; i++) {
    const double d = deviation (a, b, work->line[i], work->distance);
    if (d > most) {
      most = d;
      farthest = i;
    }
  }
  if (most <= work->epsilon_squared * (double) square (a, b)) {
    work->kept[work->count++] = a;
  } else {
    keep (work, first, farthest);
    keep (work, farthest, last);
  }
}

/* OpenCV drops points that remained on the way between their neighbours, but none whose neighbours are beside or above
 * each other. It does so in place: once it is around, a neighbour may already be another one. */
static uint32_t
clean (const CtrPoint *points, uint32_t count, double epsilon_squared, CtrPoint *to)
{
  memcpy (to, points, count * sizeof *to);
  uint32_t written = 0, remaining = count;
  CtrPoint before = points[count - 1];
  for (uint32_t i = 0; i < count && remaining > 2; i++) {
    const CtrPoint point = points[i], after = i + 1 < count ? points[i + 1] : to[0];
    const bool close =
        deviation (before, after, point, REFERENCE_LINE) <= 0.5 * epsilon_squared * (double) square (before, after);
    const bool onwards = as_int (inner (before, point, point, after)) >= 0;
    if (close && onwards && before.x != after.x && before.y != after.y) {
      to[written++] = before = after;
      remaining--;
      i++;
    } else {
      to[written++] = before = point;
    }
  }
  return remaining;
}

/* The first of the points that are farthest from point FROM, in the order in which they follow it. */
static uint32_t
find_farthest (const CtrPoint *points, uint32_t count, uint32_t from)
{
  uint32_t farthest = from;
  for (uint32_t i = 1; i < count; i++)
    if (square (points[from], points[(from + i) % count]) > square (points[from], points[farthest]))
      farthest = (from + i) % count;
  return farthest;
}

uint32_t
reference_simplify (const CtrPoint *points, uint32_t count, double epsilon, ReferenceDistance distance, CtrPoint *to)
{
  const uint32_t start = find_farthest (points, count, find_farthest (points, count, 0));
  const uint32_t opposite = find_farthest (points, count, start);
  const double epsilon_squared = epsilon * epsilon;
  if ((double) square (points[start], points[opposite]) <= epsilon_squared) {
    to[0] = points[start];
    return 1;
  }
  CtrPoint *line = malloc (((size_t) count + 1) * sizeof *line), *kept = malloc (count * sizeof *kept);
  for (uint32_t i = 0; i <= count; i++)
    line[i] = points[(start + i) % count];
  Work work = {line, epsilon_squared, distance, kept, 0};
  const uint32_t middle = (opposite + count - start) % count;
  keep (&work, 0, middle);
  keep (&work, middle, count);
  const uint32_t remaining = clean (kept, work.count, epsilon_squared, to);
  free (line);
  free (kept);
  return remaining;
}

/* Onwards by up to STEP in each direction, back where the frame ends. */
static uint16_t
wander (Random *random, uint16_t from, uint32_t step, uint32_t side)
{
  const int64_t to = (int64_t) from + random_below (random, 2 * step + 1) - step;
  return (uint16_t) (to < 0 ? -to % side : to < side ? to : 2 * (int64_t) side - 2 - to);
}

uint32_t
random_line (Random *random, CtrPoint *points)
{
  static const uint32_t sides[] = {2, 3, 5, 8, 30, 200, 3000, 46342, 65536};
  const uint32_t side = sides[random_below (random, sizeof sides / sizeof *sides)];
  const uint32_t count = 1 + random_below (random, random_below (random, 3) ? RANDOM_LINE_POINTS : 6);
  const uint32_t kind = random_below (random, 5), step = 1 + random_below (random, side - 1);
  CtrPoint p = {(uint16_t) random_below (random, side), (uint16_t) random_below (random, side)};
  for (uint32_t i = 0; i < count; i++) {
    switch (kind) {
      case 0: /* anywhere */
        p = (CtrPoint){(uint16_t) random_below (random, side), (uint16_t) random_below (random, side)};
        break;
      case 1: /* corners, edges' middles, the centre */
        p.x = (uint16_t) ((side - 1) * random_below (random, 3) / 2);
        p.y = (uint16_t) ((side - 1) * random_below (random, 3) / 2);
        break;
      case 2: /* up and down a diagonal, or next to it */
        p.x = wander (random, p.x, step, side);
        p.y = wander (random, p.x, random_below (random, 2), side);
        break;
      case 3: /* upright and level, or on the spot */
        if (random_below (random, 2))
          p.x = wander (random, p.x, step, side);
        else
          p.y = wander (random, p.y, step, side);
        break;
      default:
        p = (CtrPoint){wander (random, p.x, step, side), wander (random, p.y, step, side)};
    }
    points[i] = p;
  }
  return count;
}

double
random_epsilon (Random *random)
{
  static const double epsilons[] = {1e-200, 1e-9, 0.3, 0.5, 0.70710678118654757, 1, 1.4142135623730951, 1.5, 2, 3.7, 5,
      10, 33.3, 46340, 46341, 65535, 1e6, 1e29};
  const uint32_t i = random_below (random, 2 * sizeof epsilons / sizeof *epsilons);
  return i < sizeof epsilons / sizeof *epsilons ? epsilons[i]
                                                : (1 + random_below (random, 100000)) / 7.0 / (1 << i % 16);
}

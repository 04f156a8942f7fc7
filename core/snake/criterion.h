/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the backends of the snake decide alike, to the last bit: sums, criterion, touching, moves. For the host and for
 * CUDA device code. Internal.
 *
 * Doubles are rounded after each operation: products and sums go through ctr_mul() and ctr_add(), which the device
 * compiler does not contract; quotients are rounded correctly on both sides anyway. A polygon is a list of N points,
 * its edge i runs from point i to point i + 1, the last one to the first. */
#ifndef CTR_CORE_SNAKE_CRITERION_H
#define CTR_CORE_SNAKE_CRITERION_H

#include <contours/snake.h>
#include <math.h>
#include <string.h>

/* On the GPU, some are called rather than copied to wherever they are used: its instruction caches are small. */
#ifdef __CUDACC__
#define CTR_SNAKE_RULE static inline __host__ __device__
#define CTR_SNAKE_CALLED_RULE static inline __host__ __device__ __noinline__
#else
#define CTR_SNAKE_RULE static inline __attribute__ ((always_inline))
#define CTR_SNAKE_CALLED_RULE CTR_SNAKE_RULE
#endif

CTR_SNAKE_RULE double
ctr_mul (double a, double b)
{
#ifdef __CUDA_ARCH__
  return __dmul_rn (a, b);
#else
  return a * b;
#endif
}

CTR_SNAKE_RULE double
ctr_add (double a, double b)
{
#ifdef __CUDA_ARCH__
  return __dadd_rn (a, b);
#else
  return a + b;
#endif
}

/* ---- Criterion ---- */

/* Pixels, their samples, the squares of these. Differences of sums, too: the squares' wrap, since those of the largest
 * 16-bit image take all 64 bits. */
typedef struct {
  int64_t n;
  int64_t s1;
  uint64_t s2;
} CtrSnakeSums;

CTR_SNAKE_RULE CtrSnakeSums
ctr_snake_sums_add (CtrSnakeSums a, CtrSnakeSums b)
{
  const CtrSnakeSums sums = {a.n + b.n, a.s1 + b.s1, a.s2 + b.s2};
  return sums;
}

CTR_SNAKE_RULE CtrSnakeSums
ctr_snake_sums_sub (CtrSnakeSums a, CtrSnakeSums b)
{
  const CtrSnakeSums sums = {a.n - b.n, a.s1 - b.s1, a.s2 - b.s2};
  return sums;
}

/* The natural logarithm of a positive normal number, off by 2e-15 of its value at most. */
CTR_SNAKE_CALLED_RULE double
ctr_snake_log (double x)
{
  uint64_t bits;
  memcpy (&bits, &x, sizeof bits);
  /* x = m 2^e, m from about sqrt (1/2) to sqrt (2). */
  const uint64_t least = 0x3fe6a09e00000000; /* about sqrt (1/2) */
  const int32_t e = (int32_t) (uint32_t) ((bits - least) >> 32) >> 20;
  bits -= (uint64_t) (uint32_t) e << 52;
  double m;
  memcpy (&m, &bits, sizeof m);
  /* ln m = 2 artanh s = 2 (s + s^3 / 3 + s^5 / 5 + ...), s^2 < 0.03 */
  const double f = ctr_add (m, -1), s = f / ctr_add (m, 1), z = ctr_mul (s, s);
  const double z2 = ctr_mul (z, z), z4 = ctr_mul (z2, z2);
  const double p0 = ctr_add (ctr_mul (z, 2. / 5), 2. / 3), p1 = ctr_add (ctr_mul (z, 2. / 9), 2. / 7);
  const double p2 = ctr_add (ctr_mul (z, 2. / 13), 2. / 11), p3 = ctr_add (ctr_mul (z, 2. / 17), 2. / 15);
  const double low = ctr_add (ctr_mul (z2, p1), p0), high = ctr_add (ctr_mul (z2, p3), p2);
  const double p = ctr_add (ctr_mul (z4, ctr_add (ctr_mul (z4, 2. / 19), high)), low);
  /* 2 s = f - s f */
  const double rest = ctr_mul (s, ctr_add (ctr_mul (z, p), -f));
  const double ln2_high = 0x1.62e42fee00000p-1, ln2_low = 0x1.a39ef35793c76p-33; /* e ln2_high is exact */
  const double exponent = e;
  return ctr_add (ctr_mul (exponent, ln2_high), ctr_add (f, ctr_add (rest, ctr_mul (exponent, ln2_low))));
}

typedef struct {
  CtrSnakeModel model;
  double looks;
  double maximum; /* the largest sample there can be: 255 or 65535 */
} CtrSnakeCost;

/* Least variance, and least mean of speckle. */
#define CTR_SNAKE_LEAST (1. / 12)

/* What a region of N > 0 pixels adds to the criterion. */
CTR_SNAKE_CALLED_RULE double
ctr_snake_cost (const CtrSnakeCost *cost, CtrSnakeSums sums)
{
  const double n = (double) sums.n, s1 = (double) sums.s1, mean = s1 / n;
  switch (cost->model) {
    case CTR_SNAKE_GAUSSIAN: {
      const double variance = ctr_add ((double) sums.s2 / n, -ctr_mul (mean, mean));
      const double v = variance > CTR_SNAKE_LEAST ? variance : CTR_SNAKE_LEAST;
      return ctr_mul (ctr_mul (0.5, n), ctr_snake_log (v));
    }
    case CTR_SNAKE_SPECKLE: {
      const double m = mean > CTR_SNAKE_LEAST ? mean : CTR_SNAKE_LEAST;
      return ctr_mul (ctr_mul (cost->looks, n), ctr_snake_log (m));
    }
    case CTR_SNAKE_POISSON:
      return sums.s1 > 0 ? -ctr_mul (s1, ctr_snake_log (mean)) : 0;
    case CTR_SNAKE_BERNOULLI: {
      const double p = s1 / ctr_mul (n, cost->maximum), q = ctr_add (1, -p);
      const double a = p > 0 ? ctr_mul (p, ctr_snake_log (p)) : 0;
      const double b = q > 0 ? ctr_mul (q, ctr_snake_log (q)) : 0;
      return -ctr_mul (n, ctr_add (a, b));
    }
  }
  return 0;
}

/* Of a target with the sums INSIDE in a window with the sums WINDOW; infinite where one side has no pixels. */
CTR_SNAKE_RULE double
ctr_snake_criterion (const CtrSnakeCost *cost, CtrSnakeSums inside, CtrSnakeSums window)
{
  const CtrSnakeSums outside = ctr_snake_sums_sub (window, inside);
  if (inside.n < 1 || outside.n < 1)
    return HUGE_VAL;
  return ctr_add (ctr_snake_cost (cost, inside), ctr_snake_cost (cost, outside));
}

/* Sums over a polygon's edges, of |dx| and of |dy|. */
typedef struct {
  uint64_t x;
  uint64_t y;
} CtrSnakeLengths;

/* The description length of a polygon of COUNT points with this CRITERION in a window of PIXELS. */
CTR_SNAKE_CALLED_RULE double
ctr_snake_description (double criterion, int64_t pixels, uint32_t count, CtrSnakeLengths lengths)
{
  const double twice_ln_2e = 3.3862943611198906; /* 2 ln (2 e) */
  const double p = count;
  const double mx = (double) (lengths.x > 1 ? lengths.x : 1) / p, my = (double) (lengths.y > 1 ? lengths.y : 1) / p;
  const double points = ctr_mul (p, ctr_add (twice_ln_2e, ctr_snake_log (ctr_mul (mx, my))));
  const double window = ctr_add (criterion, ctr_snake_log ((double) pixels));
  return ctr_add (ctr_add (window, ctr_mul (2, ctr_snake_log (p))), points);
}

/* That of a whole window with the sums WINDOW as one region: the target's must be less. */
CTR_SNAKE_RULE double
ctr_snake_description_without (const CtrSnakeCost *cost, CtrSnakeSums window)
{
  return ctr_add (ctr_snake_cost (cost, window), ctr_snake_log ((double) window.n));
}

/* ---- Sums of a region ---- */

/* The column at which an edge passes row Y, from its upper end A to its lower one B. */
CTR_SNAKE_RULE int32_t
ctr_snake_column (CtrPoint a, CtrPoint b, int32_t y)
{
  const int64_t run = (int64_t) b.x - a.x, rise = (int64_t) b.y - a.y, product = (y - a.y) * run;
  /* Division rounds towards 0: up where the quotient is negative. */
  return (int32_t) (a.x + (product > 0 ? (product + rise - 1) / rise : product / rise));
}

/* A polygon's sums are those of its edges: over the rows that an edge passes, (c, S, Q) with c its column and S, Q the
 * sums of the samples left of c in that row and of their squares, positive where it runs down. */

/* ---- Polygons that do not touch themselves ---- */

CTR_SNAKE_RULE bool
ctr_snake_equal (CtrPoint a, CtrPoint b)
{
  return a.x == b.x && a.y == b.y;
}

/* > 0 where C is on the right of the way from A to B on the screen, 0 where it is on its line. */
CTR_SNAKE_RULE int64_t
ctr_snake_turn (CtrPoint a, CtrPoint b, CtrPoint c)
{
  return (int64_t) (b.x - a.x) * (c.y - a.y) - (int64_t) (b.y - a.y) * (c.x - a.x);
}

CTR_SNAKE_RULE bool
ctr_snake_ranges_part (int32_t a, int32_t b, int32_t c, int32_t d)
{
  return (a > b ? a : b) < (c < d ? c : d) || (c > d ? c : d) < (a < b ? a : b);
}

/* Do the segments AB and CD, of lengths above 0, have any point in common? */
CTR_SNAKE_CALLED_RULE bool
ctr_snake_touch (CtrPoint a, CtrPoint b, CtrPoint c, CtrPoint d)
{
  if (ctr_snake_ranges_part (a.x, b.x, c.x, d.x) || ctr_snake_ranges_part (a.y, b.y, c.y, d.y))
    return false;
  const int64_t abc = ctr_snake_turn (a, b, c), abd = ctr_snake_turn (a, b, d);
  if ((abc > 0 && abd > 0) || (abc < 0 && abd < 0))
    return false;
  const int64_t cda = ctr_snake_turn (c, d, a), cdb = ctr_snake_turn (c, d, b);
  return !((cda > 0 && cdb > 0) || (cda < 0 && cdb < 0));
}

/* Do the edges AB and BC have more than B in common? So it is, too, where one of them has no length. */
CTR_SNAKE_CALLED_RULE bool
ctr_snake_fold (CtrPoint a, CtrPoint b, CtrPoint c)
{
  const int64_t dot = (int64_t) (a.x - b.x) * (c.x - b.x) + (int64_t) (a.y - b.y) * (c.y - b.y);
  return ctr_snake_equal (a, b) || ctr_snake_equal (b, c) || (dot > 0 && ctr_snake_turn (a, b, c) == 0);
}

CTR_SNAKE_RULE uint32_t
ctr_snake_next (uint32_t count, uint32_t i)
{
  return i + 1 < count ? i + 1 : 0;
}

CTR_SNAKE_RULE uint32_t
ctr_snake_before (uint32_t count, uint32_t i)
{
  return i > 0 ? i - 1 : count - 1;
}

CTR_SNAKE_RULE uint32_t
ctr_snake_distance (uint16_t a, uint16_t b)
{
  return a > b ? a - b : b - a;
}

CTR_SNAKE_RULE CtrSnakeLengths
ctr_snake_lengths (const CtrPoint *points, uint32_t count)
{
  CtrSnakeLengths lengths = {0, 0};
  CtrPoint from = points[count - 1];
  for (uint32_t i = 0; i < count; i++) {
    lengths.x += ctr_snake_distance (from.x, points[i].x);
    lengths.y += ctr_snake_distance (from.y, points[i].y);
    from = points[i];
  }
  return lengths;
}

/* ---- Moves ---- */

enum { CTR_SNAKE_DIRECTIONS = 8 };

/* A window's corners, left < right, top < bottom. */
typedef struct {
  int32_t left;
  int32_t top;
  int32_t right;
  int32_t bottom;
} CtrSnakeWindow;

/* Where P comes to by STEP pixels in a direction, 0 .. 7 for E, SE, S, SW, W, NW, N, NE; diagonally, by as many in both
 * axes. The window's sides stop it in each axis; it may not move then. */
CTR_SNAKE_RULE CtrPoint
ctr_snake_moved (const CtrSnakeWindow *window, CtrPoint p, uint32_t direction, int32_t step)
{
  /* 1 more than the directions' x and y, two bits each. */
  const int32_t x = p.x + ((int32_t) (0x901a >> 2 * direction & 3) - 1) * step;
  const int32_t y = p.y + ((int32_t) (0x01a9 >> 2 * direction & 3) - 1) * step;
  CtrPoint to;
  to.x = (uint16_t) (x < window->left ? window->left : x > window->right ? window->right : x);
  to.y = (uint16_t) (y < window->top ? window->top : y > window->bottom ? window->bottom : y);
  return to;
}

/* Do the edges of point I, moved TO, touch edge F, which is not one of them? That the two may also fold where they
 * meet is ctr_snake_fold()'s. */
CTR_SNAKE_RULE bool
ctr_snake_move_touches (const CtrPoint *points, uint32_t count, uint32_t i, CtrPoint to, uint32_t f)
{
  const uint32_t before = ctr_snake_before (count, i), next = ctr_snake_next (count, i), g = ctr_snake_next (count, f);
  const CtrPoint a = points[before], b = points[next], c = points[f], d = points[g];
  return (g == before ? ctr_snake_fold (c, a, to) : ctr_snake_touch (a, to, c, d))
         || (f == next ? ctr_snake_fold (to, b, d) : ctr_snake_touch (to, b, c, d));
}

/* May the moves of the points I TO_I and J TO_J, two different ones, not be made together: neighbours, whose sums
 * depend on one another, or their edges touch? */
CTR_SNAKE_RULE bool
ctr_snake_moves_touch (const CtrPoint *points, uint32_t count, uint32_t i, CtrPoint to_i, uint32_t j, CtrPoint to_j)
{
  const uint32_t before_i = ctr_snake_before (count, i), next_i = ctr_snake_next (count, i);
  const uint32_t before_j = ctr_snake_before (count, j), next_j = ctr_snake_next (count, j);
  const CtrPoint a = points[before_i], b = points[next_i], c = points[before_j], d = points[next_j];
  if (next_i == j || next_j == i)
    return true;
  return ctr_snake_touch (a, to_i, c, to_j) || ctr_snake_touch (to_i, b, to_j, d)
         || (next_j == before_i ? ctr_snake_fold (to_j, a, to_i) : ctr_snake_touch (a, to_i, to_j, d))
         || (next_i == before_j ? ctr_snake_fold (to_i, b, to_j) : ctr_snake_touch (to_i, b, c, to_j));
}

/* ---- Splitting ---- */

CTR_SNAKE_RULE CtrPoint
ctr_snake_middle (CtrPoint a, CtrPoint b)
{
  CtrPoint middle;
  middle.x = (uint16_t) ((a.x + b.x) / 2);
  middle.y = (uint16_t) ((a.y + b.y) / 2);
  return middle;
}

/* Is the edge AB long enough, and its middle none of its ends? */
CTR_SNAKE_RULE bool
ctr_snake_splits (CtrPoint a, CtrPoint b, uint32_t min_segment)
{
  const int64_t dx = b.x - a.x, dy = b.y - a.y, least = 2 * (int64_t) min_segment;
  const CtrPoint middle = ctr_snake_middle (a, b);
  return dx * dx + dy * dy > least * least && !ctr_snake_equal (middle, a) && !ctr_snake_equal (middle, b);
}

/* Do the halves of edge E, by way of MIDDLE, touch edge F, another one? */
CTR_SNAKE_RULE bool
ctr_snake_split_touches (const CtrPoint *points, uint32_t count, uint32_t e, CtrPoint middle, uint32_t f)
{
  const uint32_t h = ctr_snake_next (count, e), g = ctr_snake_next (count, f);
  const CtrPoint a = points[e], b = points[h], c = points[f], d = points[g];
  return (g == e ? ctr_snake_fold (c, a, middle) : ctr_snake_touch (a, middle, c, d))
         || (f == h ? ctr_snake_fold (middle, b, d) : ctr_snake_touch (middle, b, c, d));
}

/* Do they touch the halves of edge F? */
CTR_SNAKE_RULE bool
ctr_snake_two_splits_touch (
    const CtrPoint *points, uint32_t count, uint32_t e, CtrPoint middle_e, uint32_t f, CtrPoint middle_f)
{
  const uint32_t h = ctr_snake_next (count, e), g = ctr_snake_next (count, f);
  const CtrPoint a = points[e], b = points[h], c = points[f], d = points[g];
  return ctr_snake_touch (a, middle_e, c, middle_f) || ctr_snake_touch (middle_e, b, middle_f, d)
         || (g == e ? ctr_snake_fold (middle_f, a, middle_e) : ctr_snake_touch (a, middle_e, middle_f, d))
         || (f == h ? ctr_snake_fold (middle_e, b, middle_f) : ctr_snake_touch (middle_e, b, c, middle_f));
}

/* ---- Pruning ---- */

/* Does the edge that replaces point I touch edge F, which is not one of the point's? There are more than 3 points. */
CTR_SNAKE_RULE bool
ctr_snake_removal_touches (const CtrPoint *points, uint32_t count, uint32_t i, uint32_t f)
{
  const uint32_t before = ctr_snake_before (count, i), next = ctr_snake_next (count, i), g = ctr_snake_next (count, f);
  const CtrPoint a = points[before], b = points[next], c = points[f], d = points[g];
  if (g == before)
    return ctr_snake_fold (c, a, b);
  return f == next ? ctr_snake_fold (a, b, d) : ctr_snake_touch (a, b, c, d);
}

/* May the points I and J, two different ones, not be removed together: neighbours, or their new edges touch? */
CTR_SNAKE_RULE bool
ctr_snake_two_removals_touch (const CtrPoint *points, uint32_t count, uint32_t i, uint32_t j)
{
  const uint32_t before_i = ctr_snake_before (count, i), next_i = ctr_snake_next (count, i);
  const uint32_t before_j = ctr_snake_before (count, j), next_j = ctr_snake_next (count, j);
  const CtrPoint a = points[before_i], b = points[next_i], c = points[before_j], d = points[next_j];
  if (next_i == j || next_j == i)
    return true;
  if (next_i == before_j)
    return ctr_snake_fold (a, b, d);
  return next_j == before_i ? ctr_snake_fold (c, d, b) : ctr_snake_touch (a, b, c, d);
}

/* ---- Automatic start ---- */

enum { CTR_SNAKE_CELLS = 32 };

/* Cells along a side, and where cell K begins, or the one before it ends. */
CTR_SNAKE_RULE int32_t
ctr_snake_cells (int32_t side)
{
  return side < CTR_SNAKE_CELLS ? side : CTR_SNAKE_CELLS;
}

CTR_SNAKE_RULE int32_t
ctr_snake_cell_line (int32_t begin, int32_t side, int32_t k)
{
  return begin + k * side / ctr_snake_cells (side);
}

#endif

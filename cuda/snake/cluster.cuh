/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A cluster of CTAs at one polygon. Every thread has the snake's values in registers and every CTA its points in shared
 * memory, all of them equal: the CTAs decide alike from what they share in global memory. So functions with TEAM in
 * their name are called by all threads of the cluster together, those with CTA by all of a CTA. */
#ifndef CTR_CUDA_SNAKE_CLUSTER_CUH
#define CTR_CUDA_SNAKE_CLUSTER_CUH

#include "cuda/snake/table.cuh"

#if __CUDA_ARCH__ >= 900
#include <cooperative_groups.h>
#endif

/* Arrays in shared memory, CAPACITY of each; PLACES has one more. */
struct SnakeArrays {
  CtrPoint *points;
  uint32_t *places; /* where something begins in a list of all */
  uint16_t *list;   /* of changes */
  uint8_t *stale;   /* points whose moves' gains are not those of the gains array */
  uint8_t *chosen;  /* of the list, or by point */
};

constexpr uint32_t SNAKE_OWN_CHANGES = 256; /* of a CTA that is alone, in shared memory */
constexpr uint32_t SNAKE_FEW = 32;          /* changes that a warp makes */
constexpr uint32_t SNAKE_ITEMS = 64;        /* points whose moves a CTA looks at together, at most */
constexpr uint32_t SNAKE_LONG_ROWS = 192;   /* of an edge, from which on its sums are shared out */

/* For reductions and decisions of a CTA. */
struct SnakeScratch {
  CtrSnakeSums sums[SNAKE_MOST_WARPS];
  double values[SNAKE_MOST_WARPS];
  uint32_t numbers[SNAKE_MOST_WARPS];
  uint32_t counters[2];                   /* of a list and of the next one */
  SnakeChange changes[SNAKE_OWN_CHANGES]; /* in place of the room's */
  SnakeChange few[SNAKE_FEW];             /* the first ones listed */
  CtrSnakeSums lines[SNAKE_ITEMS * SNAKE_VARIANTS];
  uint32_t wanted[2];            /* moves in the list */
  uint16_t moves[SNAKE_ITEMS];   /* item * directions + direction */
  uint32_t blocked[SNAKE_ITEMS]; /* does it touch something? */
  uint32_t dropped;              /* of the few, a bit each */
  CtrSnakeSums inside;           /* after moves */
  double criterion;
};

struct Snake {
  SnakeArrays arrays;
  SnakeScratch *scratch;
  SnakeRoom room;
  SnakeChange *found; /* those to be found, by point: the room's, or in shared memory */
  uint32_t lists;     /* of changes until now */
  uint32_t cta, ctas; /* of the cluster */
  CtrSnakeWindow limits;
  uint32_t min_segment;
  uint32_t iterations;
  bool limited;    /* no more iterations: everything ends */
  uint32_t needed; /* points there is no room for, else 0: everything ends, too */

  uint32_t count; /* points */
  CtrSnakeSums inside, window;
  double criterion;
};

__device__ inline uint32_t
lane_here ()
{
  return threadIdx.x % 32;
}

__device__ inline uint32_t
warps_here ()
{
  return blockDim.x / 32;
}

__device__ inline uint32_t
warp_of_team (const Snake &s)
{
  return s.cta * warps_here () + threadIdx.x / 32;
}

__device__ inline uint32_t
warps_of_team (const Snake &s)
{
  return s.ctas * warps_here ();
}

__device__ inline void
team_barrier (const Snake &s)
{
#if __CUDA_ARCH__ >= 900
  if (s.ctas > 1)
    cooperative_groups::this_cluster ().sync ();
  else
#endif
    __syncthreads ();
}

/* Counts one; false where there may be no more. */
__device__ inline bool
team_iterates (const SnakeFrame &f, Snake &s)
{
  s.limited = s.iterations == f.max_iterations;
  s.iterations += !s.limited;
  return !s.limited;
}

/* Before changes are found. */
__device__ inline void
swap_changes (Snake &s)
{
  SnakeChange *last = s.room.changes;
  s.room.changes = s.room.last;
  s.room.last = last;
  s.found = s.ctas == 1 && s.count <= SNAKE_OWN_CHANGES ? s.scratch->changes : s.room.changes;
}

/* The points that have changes into the list, in any order. Returns how many. */
__device__ inline uint32_t
cta_list (Snake &s)
{
  uint32_t *counter = &s.scratch->counters[s.lists % 2];
  if (threadIdx.x == 0)
    s.scratch->counters[(s.lists + 1) % 2] = 0;
  s.lists++;
#pragma unroll 1
  for (uint32_t i = threadIdx.x; i < s.count; i += blockDim.x) {
    const SnakeChange change = s.found[i];
    if (change.index == NO_CHANGE)
      continue;
    const uint32_t at = atomicAdd (counter, 1);
    s.arrays.list[at] = (uint16_t) i;
    s.arrays.chosen[at] = 1;
    if (at < SNAKE_FEW)
      s.scratch->few[at] = change;
  }
  __syncthreads ();
  return *counter;
}

/* --- Prices --- */

/* By a warp, each pair of lanes its own: the criterion with INSIDE, a region by one lane, the other one by the other.
 */
__device__ inline double
warp_criterion (const SnakeFrame &f, const Snake &s, CtrSnakeSums inside)
{
  const CtrSnakeSums outside = ctr_snake_sums_sub (s.window, inside);
  const bool both = inside.n >= 1 && outside.n >= 1;
  const uint32_t lane = lane_here ();
  const double cost = both ? ctr_snake_cost (&f.cost, lane % 2 ? outside : inside) : 0;
  const double sum = ctr_add (__shfl_sync (~0u, cost, lane & ~1u), __shfl_sync (~0u, cost, lane | 1));
  return both ? sum : HUGE_VAL;
}

/* By a warp, each pair of lanes its own: the description length of the polygon, so changed. */
__device__ inline double
warp_description (const SnakeFrame &f, const Snake &s, CtrSnakeSums inside, uint32_t count, CtrSnakeLengths lengths)
{
  return ctr_snake_description (warp_criterion (f, s, inside), s.window.n, count, lengths);
}

/* --- Reductions --- */

__device__ inline CtrSnakeSums
shuffled_down (CtrSnakeSums sums, int distance)
{
  return {__shfl_down_sync (~0u, sums.n, distance), __shfl_down_sync (~0u, sums.s1, distance),
      __shfl_down_sync (~0u, sums.s2, distance)};
}

__device__ inline CtrSnakeSums
shuffled (CtrSnakeSums sums, int lane)
{
  return {__shfl_sync (~0u, sums.n, lane), __shfl_sync (~0u, sums.s1, lane), __shfl_sync (~0u, sums.s2, lane)};
}

__device__ inline CtrPoint
shuffled (CtrPoint point, int lane)
{
  CtrPoint there;
  there.x = (uint16_t) __shfl_sync (~0u, (uint32_t) point.x, lane);
  there.y = (uint16_t) __shfl_sync (~0u, (uint32_t) point.y, lane);
  return there;
}

/* In all lanes, modulo 2^64: 16 bits at a time, whose sums fit in 32. */
__device__ inline uint64_t
warp_sum (uint64_t n)
{
#if __CUDA_ARCH__ >= 800
  uint64_t sum = 0;
#pragma unroll
  for (int shift = 0; shift < 64; shift += 16)
    sum += (uint64_t) __reduce_add_sync (~0u, (uint32_t) (n >> shift) & 0xffff) << shift;
  return sum;
#else
  for (int d = 16; d; d /= 2)
    n += __shfl_xor_sync (~0u, n, d);
  return n;
#endif
}

__device__ inline CtrSnakeSums
warp_sum (CtrSnakeSums sums)
{
  return {(int64_t) warp_sum ((uint64_t) sums.n), (int64_t) warp_sum ((uint64_t) sums.s1), warp_sum (sums.s2)};
}

/* Over as many lanes as there are LANES, a power of two, in all of them; of SNAKE_FEW_ROWS rows at most if FEW, of
 * samples of 8 bits if NARROW. */
constexpr uint32_t SNAKE_FEW_ROWS = 32, HALF = 16, HALVES = 2;
template <bool NARROW>
__device__ inline CtrSnakeSums
lanes_sum (CtrSnakeSums sums, uint32_t lanes, bool few)
{
  static_assert ((uint64_t) SNAKE_FEW_ROWS * 65535 * 255 < 1u << 31, "the samples' sum has 32 bits with its sign");
  if (NARROW && few) {
    int32_t n = (int32_t) sums.n, s1 = (int32_t) sums.s1;
    uint64_t s2 = sums.s2;
#pragma unroll 1
    for (int d = (int) lanes / 2; d; d /= 2) {
      n += __shfl_xor_sync (~0u, n, d);
      s1 += __shfl_xor_sync (~0u, s1, d);
      s2 += __shfl_xor_sync (~0u, s2, d);
    }
    return {n, s1, s2};
  }
#pragma unroll 1
  for (int d = (int) lanes / 2; d; d /= 2)
    sums = ctr_snake_sums_add (
        sums, {__shfl_xor_sync (~0u, sums.n, d), __shfl_xor_sync (~0u, sums.s1, d), __shfl_xor_sync (~0u, sums.s2, d)});
  return sums;
}

/* In all threads. */
static __device__ __noinline__ CtrSnakeSums
cta_sum (SnakeScratch *scratch, CtrSnakeSums sums)
{
  sums = warp_sum (sums);
  if (lane_here () == 0)
    scratch->sums[threadIdx.x / 32] = sums;
  __syncthreads ();
  sums = scratch->sums[0];
#pragma unroll 4
  for (uint32_t i = 1; i < warps_here (); i++)
    sums = ctr_snake_sums_add (sums, scratch->sums[i]);
  __syncthreads ();
  return sums;
}

__device__ inline bool
is_better (double a, uint32_t number_a, double b, uint32_t number_b)
{
  return a < b || (a == b && number_a < number_b);
}

/* The least value, of equal ones that of the lowest number, in all lanes. */
__device__ inline void
warp_best (double *value, uint32_t *number)
{
  for (int d = 16; d; d /= 2) {
    const double other = __shfl_xor_sync (~0u, *value, d);
    const uint32_t other_number = __shfl_xor_sync (~0u, *number, d);
    if (is_better (other, other_number, *value, *number)) {
      *value = other;
      *number = other_number;
    }
  }
}

/* The same, in all threads. */
__device__ inline void
cta_best (const Snake &s, double *value, uint32_t *number)
{
  warp_best (value, number);
  if (lane_here () == 0) {
    s.scratch->values[threadIdx.x / 32] = *value;
    s.scratch->numbers[threadIdx.x / 32] = *number;
  }
  __syncthreads ();
  *value = s.scratch->values[0];
  *number = s.scratch->numbers[0];
#pragma unroll 4
  for (uint32_t i = 1; i < warps_here (); i++)
    if (is_better (s.scratch->values[i], s.scratch->numbers[i], *value, *number)) {
      *value = s.scratch->values[i];
      *number = s.scratch->numbers[i];
    }
  __syncthreads ();
}

/* PLACES[0 .. COUNT] become the sums of all SIZE (k) before k; returns that of all. */
template <typename Size>
__device__ inline uint32_t
cta_places (const Snake &s, uint32_t count, Size size)
{
  uint32_t *places = s.arrays.places;
  const uint32_t share = (count + blockDim.x - 1) / blockDim.x;
  const uint32_t first = min (threadIdx.x * share, count), end = min (first + share, count);
  const uint32_t only = first < end ? size (first) : 0; /* mostly */
  uint32_t own = only;
#pragma unroll 1
  for (uint32_t k = first + 1; k < end; k++)
    own += size (k);
  uint32_t sum = own;
  for (int d = 1; d < 32; d *= 2) {
    const uint32_t near = __shfl_up_sync (~0u, sum, d);
    sum += (int) lane_here () >= d ? near : 0;
  }
  if (lane_here () == 31)
    s.scratch->numbers[threadIdx.x / 32] = sum;
  __syncthreads ();
  uint32_t all = 0, before = sum - own;
#pragma unroll 4
  for (uint32_t i = 0; i < warps_here (); i++) {
    before += i < threadIdx.x / 32 ? s.scratch->numbers[i] : 0;
    all += s.scratch->numbers[i];
  }
  if (first < end)
    places[first] = before;
  before += only;
#pragma unroll 1
  for (uint32_t k = first + 1; k < end; k++) {
    places[k] = before;
    before += size (k);
  }
  if (threadIdx.x == 0)
    places[count] = all;
  __syncthreads ();
  return all;
}

/* --- Sums along lines --- */

/* Two edges, one after the other; of one, the second has no length. */
struct SnakeLine {
  CtrPoint a, m, b;
};

__device__ inline uint32_t
rows_between (CtrPoint a, CtrPoint b)
{
  return a.y < b.y ? b.y - a.y : a.y - b.y;
}

__device__ inline uint32_t
rows_of (const SnakeLine &l)
{
  return rows_between (l.a, l.m) + rows_between (l.m, l.b);
}

/* Row R of those that the line's first edge and then its second one pass, each counted from above: what it
 * adds. */
template <bool WIDE>
__device__ inline CtrSnakeSums
row_of_line (const SnakeTable &t, const SnakeLine &l, uint32_t r)
{
  const uint32_t rows_a = rows_between (l.a, l.m);
  const bool second = r >= rows_a;
  const CtrPoint from = second ? l.m : l.a, to = second ? l.b : l.m;
  const bool down = from.y < to.y;
  const CtrPoint upper = down ? from : to, lower = down ? to : from;
  r -= second ? rows_a : 0;
  const CtrSnakeSums sums = sums_left_of<WIDE> (t, column_of (upper, lower, r), upper.y + (int32_t) r);
  return down ? sums : CtrSnakeSums{-sums.n, -sums.s1, 0 - sums.s2};
}

/* How sums are shared out. */
struct SnakeShares {
  uint32_t rows;  /* of a line that a warp takes at most */
  uint32_t count; /* pieces of all items */
};

/* Sums along VARIANTS lines of each of COUNT items, of ROWS (k) rows at most; none where that is NO_CHANGE. LINE (k,
 * variant) has the points. Afterwards partials[VARIANTS * places[k] ..] has the item's, piece by piece, variant by
 * variant in a piece. Ends in a barrier of the team where there are any. */
template <bool WIDE, int VARIANTS, typename Rows, typename Line>
__device__ inline SnakeShares
team_sums (const SnakeFrame &f, const Snake &s, uint32_t count, Rows rows, Line line)
{
  SnakeShares shares = {SNAKE_FEW_ROWS, 0};
  /* There is room for one piece an item. */
  const uint32_t room = SNAKE_VARIANTS * f.capacity / VARIANTS;
  for (;; shares.rows *= 4) {
    shares.count = cta_places (s, count, [&] (uint32_t k) {
      const uint32_t r = rows (k);
      return r == NO_CHANGE ? 0 : (r + shares.rows - 1) / shares.rows + (r == 0);
    });
    if (shares.count <= room)
      break;
    __syncthreads ();
  }
  const uint32_t *places = s.arrays.places;
  const uint32_t all = shares.count * VARIANTS;
#pragma unroll 1
  for (uint32_t w = warp_of_team (s); w * HALVES < all; w += warps_of_team (s)) {
    /* Half a warp a piece: most lines are short. */
    const uint32_t t = min (w * HALVES + lane_here () / HALF, all - 1), piece = t / VARIANTS;
    uint32_t low = 0, high = count; /* the last item that begins here or before, which is none without pieces */
    while (high - low > 1) {
      const uint32_t middle = (low + high) / 2;
      if (places[middle] <= piece)
        low = middle;
      else
        high = middle;
    }
    const SnakeLine l = line (low, (int) (t % VARIANTS));
    const uint32_t first = (piece - places[low]) * shares.rows, end = min (rows_of (l), first + shares.rows);
    CtrSnakeSums sums = {0, 0, 0};
#pragma unroll 2
    for (uint32_t r = first + lane_here () % HALF; r < end; r += HALF)
      sums = ctr_snake_sums_add (sums, row_of_line<WIDE> (f.table, l, r));
    __syncwarp ();
    sums = lanes_sum<!WIDE> (sums, HALF, shares.rows <= SNAKE_FEW_ROWS);
    if (lane_here () % HALF == 0 && w * HALVES + lane_here () / HALF < all)
      s.room.partials[t] = sums;
  }
  if (shares.count > 0)
    team_barrier (s);
  return shares;
}

/* By a warp, of one item: lane v < VARIANTS has the sums of that variant. */
template <int VARIANTS>
__device__ inline CtrSnakeSums
warp_item_sums (const Snake &s, uint32_t item)
{
  constexpr int GROUPS = 32 / VARIANTS;
  const uint32_t first = s.arrays.places[item], end = s.arrays.places[item + 1], lane = lane_here ();
  CtrSnakeSums sums = {0, 0, 0};
  if (lane < GROUPS * VARIANTS)
    for (uint32_t piece = first + lane / VARIANTS; piece < end; piece += GROUPS)
      sums = ctr_snake_sums_add (sums, s.room.partials[piece * VARIANTS + lane % VARIANTS]);
  CtrSnakeSums all = sums;
  for (int group = 1; group < GROUPS; group++)
    all = ctr_snake_sums_add (all, shuffled_down (sums, group * VARIANTS));
  return all;
}

/* Those of the whole polygon, and its criterion. */
template <bool WIDE>
__device__ inline void
team_sums_up (const SnakeFrame &f, Snake &s)
{
  const CtrPoint *points = s.arrays.points;
  const uint32_t count = s.count;
  const SnakeShares shares = team_sums<WIDE, 1> (
      f, s, count, [&] (uint32_t i) { return rows_between (points[i], points[ctr_snake_next (count, i)]); },
      [&] (uint32_t i, int) {
        const CtrPoint b = points[ctr_snake_next (count, i)];
        return SnakeLine{points[i], b, b};
      });
  CtrSnakeSums sums = {0, 0, 0};
#pragma unroll 1
  for (uint32_t i = threadIdx.x; i < shares.count; i += blockDim.x)
    sums = ctr_snake_sums_add (sums, s.room.partials[i]);
  s.inside = cta_sum (s.scratch, sums);
  s.criterion = warp_criterion (f, s, s.inside);
  team_barrier (s); /* the partials may be written again */
}

/* The polygon becomes NEWS, which a barrier has been behind. */
__device__ inline void
cta_take_points (Snake &s, const CtrPoint *news, uint32_t count)
{
#pragma unroll 1
  for (uint32_t i = threadIdx.x; i < count; i += blockDim.x)
    s.arrays.points[i] = news[i];
  s.count = count;
  __syncthreads ();
}

__device__ inline CtrSnakeLengths
cta_lengths (const Snake &s)
{
  uint64_t x = 0, y = 0;
#pragma unroll 1
  for (uint32_t i = threadIdx.x; i < s.count; i += blockDim.x) {
    const CtrPoint a = s.arrays.points[i], b = s.arrays.points[ctr_snake_next (s.count, i)];
    x += ctr_snake_distance (a.x, b.x);
    y += ctr_snake_distance (a.y, b.y);
  }
  const CtrSnakeSums all = cta_sum (s.scratch, {(int64_t) x, (int64_t) y, 0});
  return {(uint64_t) all.n, (uint64_t) all.s1};
}

/* Do the boxes around both triples of points lie apart? Then nothing between them touches. */
__device__ inline bool
boxes_part (CtrPoint a, CtrPoint b, CtrPoint c, CtrPoint d, CtrPoint e, CtrPoint f)
{
  return max (a.x, max (b.x, c.x)) < min (d.x, min (e.x, f.x)) || max (d.x, max (e.x, f.x)) < min (a.x, min (b.x, c.x))
         || max (a.y, max (b.y, c.y)) < min (d.y, min (e.y, f.y))
         || max (d.y, max (e.y, f.y)) < min (a.y, min (b.y, c.y));
}

#endif

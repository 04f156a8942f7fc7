/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The state of a polygon that a cluster of CTAs works on, and reductions over warps and CTAs.
 *
 * Every thread has a copy of the snake's values in registers, and every CTA a copy of its points in shared memory. The
 * copies stay equal, because all CTAs take the same decisions from the same data in global memory.
 *
 * A function's prefix says who calls it together: cluster_ all threads of the cluster, cta_ all threads of a CTA, warp_
 * all lanes of a warp. */
#ifndef CTR_CUDA_SNAKE_CLUSTER_CUH
#define CTR_CUDA_SNAKE_CLUSTER_CUH

#include "cuda/common/sends.cuh"
#include "cuda/snake/table.cuh"

/* Arrays in shared memory, of CAPACITY elements each; OFFSETS has one more. */
struct SnakeArrays {
  CtrPoint *points;
  uint32_t *offsets; /* exclusive prefix sums, see cta_scan(), or candidates: by candidate, the place in LIST */
  uint16_t *list;    /* points that have changes */
  uint8_t *stale;    /* by point: are the gains of its moves outdated? */
  uint8_t *chosen;   /* by candidate, or by point */
  /* By point, two arrays of SNAKE_EXCHANGED elements by turns: changes that the CTAs of a cluster send to each other. NULL: there is
   * no room. */
  SnakeChange *exchanged;
};

constexpr uint32_t SNAKE_SHARED_CHANGES = 256; /* in shared memory, if the cluster is one CTA */
constexpr uint32_t SNAKE_EXCHANGED = 256;      /* are sent from CTA to CTA: not those of more points */
constexpr uint32_t SNAKE_WARP_CHANGES = 32;    /* as many candidates are applied by one warp */
constexpr uint32_t SNAKE_LISTED = 512;         /* as many listed changes are in shared memory */
constexpr uint32_t SNAKE_SHARED_LIST = 64;     /* the cluster shares the decisions on more candidates */
constexpr uint32_t SNAKE_FEW_ITEMS =
    16; /* up to so many points have their near edges tested before prices, and half a warp each */
constexpr uint32_t SNAKE_ITEMS = 64;      /* points whose moves a CTA prices together */
constexpr uint32_t SNAKE_LONG_ROWS = 192; /* edges of more rows are shared by the cluster */

/* The bounding box of points: its upper left and its lower right corner, x | y << 16. */
struct __align__ (8) SnakeBox
{
  uint32_t low, high;
};

/* Of each part of move_touches_near() that was tested, the directions of the moves that touch an edge. */
union SnakeNear {
  uint8_t by_part[8];
  uint64_t all;
};

/* What a CTA gives each other CTA of its cluster at once. */
struct SnakeWords {
  uint64_t words[3];
};

/* Shared memory for reductions and decisions of a CTA. */
struct SnakeScratch {
  CtrSnakeSums sums[SNAKE_MAX_WARPS];
  double values[SNAKE_MAX_WARPS];
  uint32_t numbers[SNAKE_MAX_WARPS];
  uint32_t counters[2], candidates[2];           /* elements of this list and of the next one, and candidates */
  SnakeChange changes[SNAKE_SHARED_CHANGES];     /* in place of the workspace's */
  SnakeChange first_changes[SNAKE_WARP_CHANGES]; /* of the first candidates */
  union {
    CtrSnakeSums lines[SNAKE_ITEMS * SNAKE_VARIANTS];
    uint32_t corner_places[CTR_SNAKE_CORNERS]; /* of an automatic start: corners.cuh */
    struct {
      double values[SNAKE_LISTED];
      uint32_t points[SNAKE_LISTED]; /* index | direction << 16 */
      SnakeBox boxes[SNAKE_LISTED];  /* of all points of which the change moves or removes edges */
    } listed;                        /* the first changes in LIST */
  };
  uint8_t items[SNAKE_MAX_WARPS][32];                 /* by warp: the items whose lines are summed */
  SentBytes sent[2];                                  /* what other CTAs send, by turns */
  SnakeWords from[2][SNAKE_MAX_CTAS];                 /* likewise, by CTA */
  uint32_t move_counts[2];                            /* numbers of MOVES, see cta_ask() */
  uint16_t moves[SNAKE_ITEMS * CTR_SNAKE_DIRECTIONS]; /* item * CTR_SNAKE_DIRECTIONS + direction */
  SnakeNear near[SNAKE_ITEMS];                        /* by item: see cta_find_near() */
  uint32_t blocked[SNAKE_ITEMS];                      /* by item: the directions whose moves touch an edge */
  double log_pixels;                                  /* of the window */
  /* After changes. */
  CtrSnakeSums inside;
  double criterion;
  CtrSnakeLengths lengths; /* of pruning */
  double description;
  uint32_t only; /* the point that alone is removed, or NO_CHANGE */
};

struct Snake {
  SnakeArrays arrays;
  SnakeScratch *scratch;
  SnakeWorkspace workspace;
  SnakeChange *changes; /* changes by point: in the workspace or in shared memory */
  uint32_t candidates;  /* that were listed last */
  uint32_t list_count;  /* that have been made */
  uint32_t asks;        /* calls of cta_ask() */
  uint32_t sum_count;   /* of the polygon, that have been made */
  uint32_t exchanges;   /* between the CTAs by sending, that have been made */
  uint32_t cta, ctas;   /* index in the cluster, and its size */
  CtrSnakeWindow limits;
  uint32_t min_segment;
  uint32_t iterations;
  bool from_outline;        /* the start was an outline */
  bool exhausted;           /* the iterations are used up: the evolution ends */
  uint32_t needed_capacity; /* capacity that is missing, or 0; if not 0, the evolution ends */

  uint32_t count; /* points */
  uint32_t most;  /* points so far */
  CtrSnakeSums inside, window;
  double criterion;

  /* Of the history, whether there is room or not; 0 without one. */
  uint32_t task;
  uint64_t moments, history_points;
};

__device__ inline uint32_t
lane_index ()
{
  return threadIdx.x % 32;
}

__device__ inline uint32_t
cta_warps ()
{
  return blockDim.x / 32;
}

__device__ inline uint32_t
cluster_warp (const Snake &s)
{
  return s.cta * cta_warps () + threadIdx.x / 32;
}

__device__ inline uint32_t
cluster_warps (const Snake &s)
{
  return s.ctas * cta_warps ();
}

__device__ inline uint32_t
cluster_thread (const Snake &s)
{
  return s.cta * blockDim.x + threadIdx.x;
}

__device__ inline uint32_t
cluster_threads (const Snake &s)
{
  return s.ctas * blockDim.x;
}

__device__ inline void
cluster_barrier (const Snake &s)
{
  if (s.ctas > 1)
    meet_cluster ();
  else
    __syncthreads ();
}

/* The number of the CTA's points: every s.ctas-th one from s.cta on. */
__device__ inline uint32_t
cta_items (const Snake &s)
{
  return (s.count + s.ctas - 1 - s.cta) >> (__ffs ((int) s.ctas) - 1); /* ctas is a power of two */
}

/* Counts an iteration; false if there may be no more. */
__device__ inline bool
cluster_count_iteration (const SnakeKernelArgs &f, Snake &s)
{
  s.exhausted = s.iterations == f.max_iterations;
  s.iterations += !s.exhausted;
  return !s.exhausted;
}

/* Adds the polygon to the history. Where there is no room the host runs the frame again with what is counted here. */
template <bool HISTORY>
__device__ inline void
cta_record (const SnakeKernelArgs &f, Snake &s, CtrSnakeChangeKind kind, uint32_t step)
{
  if (!HISTORY)
    return;
  const SnakeRoom room = f.by_task.rooms[s.task];
  const uint64_t first = room.first_point + s.history_points;
  __syncthreads ();
  if (s.cta == 0 && s.moments < room.moments && s.history_points + s.count <= room.points) {
    for (uint32_t i = threadIdx.x; i < s.count; i += blockDim.x)
      f.history.points[first + i] = s.arrays.points[i];
    if (threadIdx.x == 0)
      f.history.moments[room.first_moment + s.moments] = {
          first, s.count, (uint32_t) kind, s.iterations, step, s.inside};
  }
  s.moments++;
  s.history_points += s.count;
  __syncthreads ();
}

/* --- Prices --- */

/* Each pair of lanes has its own INSIDE. Returns the criterion with it; the even lane has the region inside, the odd
 * one that outside. */
__device__ inline double
warp_criterion (const SnakeKernelArgs &f, const Snake &s, CtrSnakeSums inside)
{
  const CtrSnakeSums outside = ctr_snake_sums_sub (s.window, inside);
  const bool both = inside.n >= 1 && outside.n >= 1;
  const uint32_t lane = lane_index ();
  const double cost = both ? ctr_snake_cost (&f.cost, lane % 2 ? outside : inside) : 0;
  const double sum = ctr_add (__shfl_sync (~0u, cost, lane & ~1u), __shfl_sync (~0u, cost, lane | 1));
  return both ? sum : HUGE_VAL;
}

/* As warp_description(), the lane's part with CTR_SNAKE_GAUSSIAN: lanes 0 and 1 the cost of a region, lane 2 the logarithm of
 * ctr_snake_mean_box(), lane 3 that of COUNT. All do the same, so that they need not take turns. */
__device__ inline double
warp_gaussian_part (CtrSnakeSums region, bool both, uint32_t count, CtrSnakeLengths lengths)
{
  const uint32_t part = lane_index () % 4;
  CtrSnakeSums own = {1, 0, 0};
  if (part < 2 && both)
    own = region;
  else if (part == 2)
    own = {count, (int64_t) max (lengths.x, (uint64_t) 1), max (lengths.y, (uint64_t) 1)};
  const CtrSnakeMeans means = ctr_snake_means (own);
  const double log = ctr_snake_log (part < 2    ? ctr_snake_variance (means)
                                    : part == 2 ? ctr_mul (means.s1, means.s2)
                                                : (double) count);
  return part < 2 ? ctr_mul (ctr_mul (0.5, (double) own.n), log) : log;
}

/* Each group of 4 lanes has its own changed polygon. Returns its description length. The lanes take a logarithm each. */
__device__ inline double
warp_description (
    const SnakeKernelArgs &f, const Snake &s, CtrSnakeSums inside, uint32_t count, CtrSnakeLengths lengths)
{
  const CtrSnakeSums outside = ctr_snake_sums_sub (s.window, inside);
  const bool both = inside.n >= 1 && outside.n >= 1;
  const uint32_t lane = lane_index (), first = lane & ~3u;
  double own = 0;
  if (f.cost.model == CTR_SNAKE_GAUSSIAN)
    own = warp_gaussian_part (lane & 1 ? outside : inside, both, count, lengths);
  else if (lane & 2)
    own = ctr_snake_log (lane & 1 ? (double) count : ctr_snake_mean_box (count, lengths));
  else if (both)
    own = ctr_snake_cost (&f.cost, lane & 1 ? outside : inside);
  __syncwarp ();
  const double sum = ctr_add (__shfl_sync (~0u, own, first), __shfl_sync (~0u, own, first | 1));
  const double log_box = __shfl_sync (~0u, own, first | 2), log_count = __shfl_sync (~0u, own, first | 3);
  return ctr_snake_description_by (both ? sum : HUGE_VAL, s.scratch->log_pixels, count, log_count, log_box);
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

/* The sum modulo 2^64, in all lanes. Adds 16 bits at a time, whose sums fit in 32. */
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

/* The sum over groups of LANES lanes, a power of two, in all of them. FEW: the sums are of at most SNAKE_FEW_ROWS
 * rows. NARROW: samples have 8 bits. */
constexpr uint32_t SNAKE_PIECE_ROWS = 32, SNAKE_FEW_ROWS = 128, HALF_WARP = 16, HALF_WARPS = 2;
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

/* The sum over the CTA, in all threads. */
static __device__ __noinline__ CtrSnakeSums
cta_sum (SnakeScratch *scratch, CtrSnakeSums sums)
{
  sums = warp_sum (sums);
  if (lane_index () == 0)
    scratch->sums[threadIdx.x / 32] = sums;
  __syncthreads ();
  sums = scratch->sums[0];
#pragma unroll 4
  for (uint32_t i = 1; i < cta_warps (); i++)
    sums = ctr_snake_sums_add (sums, scratch->sums[i]);
  __syncthreads ();
  return sums;
}

__device__ inline bool
is_better (double a, uint32_t number_a, double b, uint32_t number_b)
{
  return a < b || (a == b && number_a < number_b);
}

/* The least value and, among equal ones, the lowest number, in all lanes. */
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

/* The same over the CTA, in all threads. */
__device__ inline void
cta_best (const Snake &s, double *value, uint32_t *number)
{
  warp_best (value, number);
  if (lane_index () == 0) {
    s.scratch->values[threadIdx.x / 32] = *value;
    s.scratch->numbers[threadIdx.x / 32] = *number;
  }
  __syncthreads ();
  *value = s.scratch->values[0];
  *number = s.scratch->numbers[0];
#pragma unroll 4
  for (uint32_t i = 1; i < cta_warps (); i++)
    if (is_better (s.scratch->values[i], s.scratch->numbers[i], *value, *number)) {
      *value = s.scratch->values[i];
      *number = s.scratch->numbers[i];
    }
  __syncthreads ();
}

/* The same over the cluster. A barrier must follow before this is called again. */
__device__ inline void
cluster_best (const Snake &s, double *value, uint32_t *number)
{
  cta_best (s, value, number);
  if (threadIdx.x == 0)
    s.workspace.by_cta.bests[s.cta] = {*value, *number};
  cluster_barrier (s);
  if (lane_index () < s.ctas) {
    const SnakeBest other = s.workspace.by_cta.bests[lane_index ()];
    *value = other.value;
    *number = other.number;
  }
  __syncwarp ();
  warp_best (value, number);
}

/* Sets OFFSETS[k], for k from 0 to COUNT, to the sum of SIZE (i) over all i < k. Returns the sum over all. */
template <typename Size>
__device__ inline uint32_t
cta_scan (const Snake &s, uint32_t *offsets, uint32_t count, Size size)
{
  const uint32_t share = count <= blockDim.x ? 1 : ctr_div_up (count, blockDim.x);
  const uint32_t first = min (threadIdx.x * share, count), end = min (first + share, count);
  const uint32_t only = first < end ? size (first) : 0; /* mostly the thread's only element */
  uint32_t own = only;
#pragma unroll 1
  for (uint32_t k = first + 1; k < end; k++)
    own += size (k);
  uint32_t sum = own;
  for (int d = 1; d < 32; d *= 2) {
    const uint32_t near = __shfl_up_sync (~0u, sum, d);
    sum += (int) lane_index () >= d ? near : 0;
  }
  if (lane_index () == 31)
    s.scratch->numbers[threadIdx.x / 32] = sum;
  __syncthreads ();
  uint32_t all = 0, before = sum - own;
#pragma unroll 4
  for (uint32_t i = 0; i < cta_warps (); i++) {
    before += i < threadIdx.x / 32 ? s.scratch->numbers[i] : 0;
    all += s.scratch->numbers[i];
  }
  if (first < end)
    offsets[first] = before;
  before += only;
#pragma unroll 1
  for (uint32_t k = first + 1; k < end; k++) {
    offsets[k] = before;
    before += size (k);
  }
  if (threadIdx.x == 0)
    offsets[count] = all;
  __syncthreads ();
  return all;
}

/* Replaces the polygon by NEW_POINTS. There was a barrier after these were written. */
__device__ inline void
cta_take_points (Snake &s, const CtrPoint *new_points, uint32_t count)
{
#pragma unroll 1
  for (uint32_t i = threadIdx.x; i < count; i += blockDim.x)
    s.arrays.points[i] = new_points[i];
  s.count = count;
  s.most = max (s.most, count);
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

__device__ inline SnakeBox
box_of (CtrPoint a, CtrPoint b, CtrPoint c)
{
  const auto packed = [] (CtrPoint p) { return p.x | (uint32_t) p.y << 16; };
  return {__vminu2 (packed (a), __vminu2 (packed (b), packed (c))),
      __vmaxu2 (packed (a), __vmaxu2 (packed (b), packed (c)))};
}

__device__ inline bool
boxes_touch (SnakeBox a, SnakeBox b)
{
  return __vmaxu2 (a.low, b.high) == b.high && __vmaxu2 (b.low, a.high) == a.high;
}

/* Are the bounding boxes of the triangles ABC and DEF disjoint? Then no edges of these touch. */
__device__ inline bool
boxes_are_disjoint (CtrPoint a, CtrPoint b, CtrPoint c, CtrPoint d, CtrPoint e, CtrPoint f)
{
  return !boxes_touch (box_of (a, b, c), box_of (d, e, f));
}

#endif

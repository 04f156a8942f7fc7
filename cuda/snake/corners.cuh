/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The corners of a region of blocks, simplified: steps 4 to 6 of core/snake/snake.h. Each CTA finds all of them. */
#ifndef CTR_CUDA_SNAKE_CORNERS_CUH
#define CTR_CUDA_SNAKE_CORNERS_CUH

#include "cuda/snake/blocks.cuh"

constexpr uint32_t SNAKE_FRAMED = CTR_SNAKE_BLOCKS + 2; /* blocks along a side with its frame, at most */
constexpr uint32_t SNAKE_MAX_ROW_WORDS = (SNAKE_FRAMED + 31) / 32;
constexpr uint32_t SNAKE_THREAD_CORNERS = (CTR_SNAKE_CORNERS + SNAKE_SMALL_THREADS - 1) / SNAKE_SMALL_THREADS;

/* In shared memory, before there is a polygon. A corner's coordinates are those of the block at its lower right, with
 * the frame: x | y << 16. Corners are numbered in raster order; scratch->corner_places has their places. */
struct SnakeCorners {
  union {
    uint32_t bits[SNAKE_MAX_ROW_WORDS * SNAKE_FRAMED]; /* by block: is its upper left corner one? */
    struct {
      uint32_t
          intervals[CTR_SNAKE_CORNERS]; /* the kept corners around each: number | number << 16; the last end is COUNT */
      uint32_t farthest[CTR_SNAKE_CORNERS + 4]; /* by first kept corner: distance << NUMBER_BITS | LAST - number */
    } kept;
  };
  uint32_t rows[SNAKE_FRAMED + 4]; /* the number of corners above each row */
  uint32_t
      links[CTR_SNAKE_CORNERS]; /* a later corner of the outline | how much later << 16; then places in its order */
  uint32_t farthest;            /* from the first one, as kept.farthest */
};

constexpr uint32_t SNAKE_NUMBER_BITS = 11, SNAKE_LAST_NUMBER = (1u << SNAKE_NUMBER_BITS) - 1;
static_assert (sizeof (SnakeCorners) + sizeof (SnakeScratch) <= 64 << 10, "some GPUs have 64 KB");
static_assert (CTR_SNAKE_CORNERS == 1u << SNAKE_NUMBER_BITS, "numbers of corners have 11 bits");
static_assert (2ull * CTR_SNAKE_BLOCKS * CTR_SNAKE_BLOCKS < 1u << (32 - SNAKE_NUMBER_BITS),
    "squares of distances and areas have 21 bits");

/* The blocks of word W whose upper left corner is one of the outline. */
__device__ inline uint32_t
corner_bits (const SnakeBlocks &b, uint32_t w)
{
  const bool begins = w % b.row_words == 0;
  if (w < b.row_words)
    return 0;
  const uint32_t here = b.inside[w], above = b.inside[w - b.row_words];
  const uint32_t left = here << 1 | (begins ? 0 : b.inside[w - 1] >> 31);
  const uint32_t across = above << 1 | (begins ? 0 : b.inside[w - b.row_words - 1] >> 31);
  return ((across ^ above) | (left ^ here)) & ((across ^ left) | (above ^ here));
}

/* Lists the corners. Returns their number, which may be too large. */
__device__ inline uint32_t
cta_list_corners (const Snake &s, const SnakeBlocks &b, SnakeCorners *c)
{
  const uint32_t rows = (uint32_t) b.grid.rows + 2;
  for (uint32_t w = threadIdx.x; w < b.words; w += blockDim.x)
    c->bits[w] = corner_bits (b, w);
  __syncthreads ();
  const uint32_t count = cta_scan (s, c->rows, rows, [&] (uint32_t row) {
    uint32_t own = 0;
    for (uint32_t k = 0; k < b.row_words; k++)
      own += __popc (c->bits[row * b.row_words + k]);
    return own;
  });
  if (count > CTR_SNAKE_CORNERS)
    return count;
  for (uint32_t w = threadIdx.x; w < b.words; w += blockDim.x) {
    const uint32_t row = w / b.row_words, k = w % b.row_words;
    uint32_t number = c->rows[row];
    uint32_t bits = c->bits[w];
    if (bits)
      for (uint32_t i = 0; i < k; i++)
        number += __popc (c->bits[row * b.row_words + i]);
    for (; bits; bits &= bits - 1)
      s.scratch->corner_places[number++] = (32 * k + __ffs (bits) - 1) | row << 16;
  }
  __syncthreads ();
  return count;
}

/* The corner that follows corner NUMBER, clockwise: the next one in its row or column. */
__device__ inline uint32_t
next_corner (const SnakeBlocks &b, const SnakeCorners *c, const uint32_t *places, uint32_t number)
{
  const uint32_t x = places[number] & 0xffff, y = places[number] >> 16;
  const auto is_inside = [&] (uint32_t column, uint32_t row) {
    return b.inside[row * b.row_words + column / 32] >> column % 32 & 1;
  };
  const bool here = is_inside (x, y), left = is_inside (x - 1, y);
  if (here && !is_inside (x, y - 1))
    return number + 1;
  const bool down = left && !here;
  if (!down && !left && is_inside (x - 1, y - 1))
    return number - 1;
  uint32_t row = y;
  do
    row += down ? 1 : -1;
  while (!(c->bits[row * b.row_words + x / 32] >> x % 32 & 1));
  const uint32_t *words = c->bits + row * b.row_words;
  uint32_t before = c->rows[row] + __popc (words[x / 32] & ((1u << x % 32) - 1));
  for (uint32_t k = 0; k < x / 32; k++)
    before += __popc (words[k]);
  return before;
}

/* Brings the COUNT places into the order of the outline, from the first corner on: in LINKS. */
__device__ inline void
cta_order_corners (const Snake &s, const SnakeBlocks &b, SnakeCorners *c, uint32_t count)
{
  const uint32_t *const places = s.scratch->corner_places;
  uint32_t links[SNAKE_THREAD_CORNERS];
  for (uint32_t i = threadIdx.x; i < count; i += blockDim.x) {
    const uint32_t next = next_corner (b, c, places, i);
    c->links[i] = next == 0 ? i : next | 1u << 16;
  }
  __syncthreads ();
#pragma unroll 1
  for (uint32_t reach = 1; reach < count; reach *= 2) {
#pragma unroll
    for (uint32_t k = 0; k < SNAKE_THREAD_CORNERS; k++) {
      const uint32_t i = threadIdx.x + k * blockDim.x;
      if (i < count) {
        const uint32_t link = c->links[i];
        links[k] = c->links[link & 0xffff] + (link & 0xffff0000u);
      }
    }
    __syncthreads ();
#pragma unroll
    for (uint32_t k = 0; k < SNAKE_THREAD_CORNERS; k++)
      if (threadIdx.x + k * blockDim.x < count)
        c->links[threadIdx.x + k * blockDim.x] = links[k];
    __syncthreads ();
  }
#pragma unroll
  for (uint32_t k = 0; k < SNAKE_THREAD_CORNERS; k++)
    if (threadIdx.x + k * blockDim.x < count)
      links[k] = c->links[threadIdx.x + k * blockDim.x];
  __syncthreads ();
#pragma unroll
  for (uint32_t k = 0; k < SNAKE_THREAD_CORNERS; k++) {
    const uint32_t i = threadIdx.x + k * blockDim.x;
    if (i < count)
      c->links[count - 1 - (links[k] >> 16)] = places[i];
  }
  __syncthreads ();
}

__device__ inline int32_t
place_x (uint32_t place)
{
  return (int32_t) (place & 0xffff);
}

__device__ inline int32_t
place_y (uint32_t place)
{
  return (int32_t) (place >> 16);
}

__device__ inline uint32_t
square_between (uint32_t a, uint32_t b)
{
  const int32_t x = place_x (b) - place_x (a), y = place_y (b) - place_y (a);
  return (uint32_t) (x * x + y * y);
}

/* The distance of C from the line through A and B, times the distance of A and B. */
__device__ inline uint32_t
area_of (uint32_t a, uint32_t b, uint32_t c)
{
  return (uint32_t) abs ((place_x (b) - place_x (a)) * (place_y (c) - place_y (a))
                         - (place_y (b) - place_y (a)) * (place_x (c) - place_x (a)));
}

/* Finds which of the COUNT corners are kept: their interval begins with themselves. */
__device__ inline void
cta_simplify (SnakeCorners *c, uint32_t count)
{
  const uint32_t *const places = c->links;
  if (threadIdx.x == 0)
    c->farthest = 0;
  __syncthreads ();
  uint32_t farthest = 0;
  for (uint32_t i = threadIdx.x; i < count; i += blockDim.x)
    farthest = max (farthest, square_between (places[0], places[i]) << SNAKE_NUMBER_BITS | (SNAKE_LAST_NUMBER - i));
  atomicMax (&c->farthest, farthest);
  __syncthreads ();
  const uint32_t middle = SNAKE_LAST_NUMBER - (c->farthest & SNAKE_LAST_NUMBER);
  for (uint32_t i = threadIdx.x; i < count; i += blockDim.x)
    c->kept.intervals[i] = i == 0 || i == middle ? i : i < middle ? middle << 16 : middle | count << 16;
  bool any = true;
#pragma unroll 1
  for (int level = 0; level < CTR_SNAKE_LEVELS && any; level++) {
    for (uint32_t i = threadIdx.x; i < count; i += blockDim.x)
      c->kept.farthest[i] = 0;
    __syncthreads ();
    const auto line = [&] (uint32_t interval, uint32_t *a, uint32_t *b) {
      const uint32_t end = interval >> 16;
      *a = places[interval & 0xffff];
      *b = places[end < count ? end : 0];
    };
    uint32_t a, b;
    for (uint32_t i = threadIdx.x; i < count; i += blockDim.x) {
      const uint32_t interval = c->kept.intervals[i];
      if ((interval & 0xffff) == i)
        continue;
      line (interval, &a, &b);
      atomicMax (&c->kept.farthest[interval & 0xffff],
          area_of (a, b, places[i]) << SNAKE_NUMBER_BITS | (SNAKE_LAST_NUMBER - i));
    }
    __syncthreads ();
    any = false;
    for (uint32_t i = threadIdx.x; i < count; i += blockDim.x) {
      const uint32_t interval = c->kept.intervals[i], first = interval & 0xffff;
      if (first == i)
        continue;
      line (interval, &a, &b);
      const uint32_t best = c->kept.farthest[first], number = SNAKE_LAST_NUMBER - (best & SNAKE_LAST_NUMBER);
      const uint64_t area = best >> SNAKE_NUMBER_BITS;
      if (area * area > square_between (a, b)) {
        any = true;
        c->kept.intervals[i] = i == number ? i : i < number ? first | number << 16 : number | (interval & 0xffff0000u);
      }
    }
    any = __syncthreads_or (any);
  }
}

/* Do two edges of the polygon touch or fold? The CTAs share the pairs. */
__device__ inline bool
cluster_touches_itself (const Snake &s)
{
  const CtrPoint *points = s.arrays.points;
  bool touch = false;
#pragma unroll 1
  for (uint32_t pair = cluster_thread (s); pair < s.count * s.count; pair += cluster_threads (s)) {
    const uint32_t i = pair / s.count, j = pair % s.count;
    const uint32_t after_i = ctr_snake_next (s.count, i), after_j = ctr_snake_next (s.count, j);
    if (j == after_i)
      touch = touch || ctr_snake_fold (points[i], points[j], points[after_j]);
    else if (i < j && after_j != i)
      touch = touch || ctr_snake_touch (points[i], points[after_i], points[j], points[after_j]);
  }
  touch = __syncthreads_or (touch);
  if (threadIdx.x == 0)
    s.workspace.by_cta.bests[s.cta] = {touch ? 0. : 1., 0};
  cluster_barrier (s);
  for (uint32_t i = 0; i < s.ctas; i++)
    touch = touch || s.workspace.by_cta.bests[i].value == 0;
  return touch;
}

/* Makes the simplified corners of the region in b.inside the polygon. False: they are no outline. */
__device__ inline bool
cluster_take_outline (const SnakeKernelArgs &f, Snake &s, const SnakeBlocks &b, SnakeCorners *c)
{
  const uint32_t count = cta_list_corners (s, b, c);
  if (count > CTR_SNAKE_CORNERS)
    return false;
  cta_order_corners (s, b, c, count);
  cta_simplify (c, count);
  const uint32_t kept = cta_scan (
      s, c->kept.farthest, count, [&] (uint32_t i) { return (uint32_t) ((c->kept.intervals[i] & 0xffff) == i); });
  if (kept < 3)
    return false;
  if (kept > f.capacity) {
    s.needed_capacity = kept;
    return false;
  }
  uint32_t places[SNAKE_THREAD_CORNERS], numbers[SNAKE_THREAD_CORNERS];
#pragma unroll
  for (uint32_t k = 0; k < SNAKE_THREAD_CORNERS; k++) {
    const uint32_t i = threadIdx.x + k * blockDim.x;
    numbers[k] = NO_CHANGE;
    if (i < count && (c->kept.intervals[i] & 0xffff) == i) {
      numbers[k] = c->kept.farthest[i];
      places[k] = c->links[i];
    }
  }
  __syncthreads (); /* the points use the same memory */
#pragma unroll
  for (uint32_t k = 0; k < SNAKE_THREAD_CORNERS; k++)
    if (numbers[k] != NO_CHANGE)
      s.arrays.points[numbers[k]] =
          ctr_snake_grid_point (&s.limits, &b.grid, place_x (places[k]) - 1, place_y (places[k]) - 1);
  s.count = kept;
  s.most = max (s.most, kept);
  __syncthreads ();
  return !cluster_touches_itself (s);
}

#endif

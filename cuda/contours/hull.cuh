/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The convex hull of one contour, by a group of threads: a single one, a warp, or a whole CTA.
 *
 * Of each row, only the leftmost and the rightmost point can be a vertex. The leftmost points and the rightmost ones are a chain
 * each. A thread finds the hull of some successive rows of a chain (Andrew's monotone chain). Then the hulls of neighbouring
 * rows are joined in rounds, by the line that touches both: what lies between its ends is dropped. A chain is a list that is
 * linked in both directions, so nothing is moved. */
#ifndef CTR_CUDA_CONTOURS_HULL_CUH
#define CTR_CUDA_CONTOURS_HULL_CUH

#include "cuda/common/launch.cuh"

#include "core/results/shapes.h"

#include <string.h>

namespace
{

/* A row of a chain: the one before and the one after it, as halves of a word. A row that is not in the list links to itself.
 * Coordinates are below 65535, so rows are, too. */
constexpr uint32_t NO_ROW = 0xffff;

/* Of a row, once the hull is found: the contour's point that visits the vertex, or one of these. */
constexpr uint32_t NOT_VISITED = ~0u, NOT_VERTEX = ~0u - 1;

/* The rows of a contour, in shared or in device memory. */
struct HullRows {
  uint32_t *sides;    /* leftmost x | rightmost x << 16; the greater first if the row has no point */
  uint32_t *links[2]; /* of the right and the left chain; at first the greatest and the least x */
  uint32_t top, count;
};

/* What a group of SIZE threads shares. HULL: the most vertices. */
template <int SIZE, uint32_t HULL> struct HullSpace {
  CtrPoint hull[HULL];
  uint32_t first[SIZE], last[SIZE]; /* by thread: the ends of its list of rows */
  uint32_t right;                   /* vertices of the right chain; the others are the left one's */
};

/* What a CTA of SIZE threads exchanges, a value of each warp. Smaller groups have none. */
template <int SIZE> struct GroupExchange {
  __align__ (16) uint8_t values[SIZE / 32][64];
};

template <int SIZE>
__device__ inline uint32_t
group_rank ()
{
  return threadIdx.x % SIZE;
}

template <int SIZE>
__device__ inline void
group_sync ()
{
  if constexpr (SIZE == 32)
    __syncwarp ();
  else if constexpr (SIZE > 32)
    __syncthreads ();
}

/* The threads of a group set *TO to the greatest or to the least of their values. */
template <int SIZE>
__device__ inline void
group_max (uint32_t *to, uint32_t value)
{
  if constexpr (SIZE == 1)
    *to = max (*to, value);
  else
    atomicMax (to, value);
}

template <int SIZE>
__device__ inline void
group_min (uint32_t *to, uint32_t value)
{
  if constexpr (SIZE == 1)
    *to = min (*to, value);
  else
    atomicMin (to, value);
}

template <typename T>
__device__ inline T
shuffle_xor (const T &value, int lanes)
{
  static_assert (sizeof (T) % 4 == 0, "words");
  uint32_t words[sizeof (T) / 4];
  memcpy (words, &value, sizeof value);
#pragma unroll
  for (auto &word : words)
    word = __shfl_xor_sync (~0u, word, lanes);
  T other;
  memcpy (&other, words, sizeof other);
  return other;
}

/* What JOIN makes of the values of all threads of the group; each thread gets it. JOIN is associative and commutative.
 * EXCHANGE: the CTA's, NULL for a smaller group. */
template <int SIZE, typename T, typename Join>
__device__ inline T
group_reduce (GroupExchange<SIZE> *exchange, T value, Join join)
{
  if constexpr (SIZE > 1)
    for (int lanes = 16; lanes; lanes /= 2)
      value = join (value, shuffle_xor (value, lanes));
  if constexpr (SIZE > 32) {
    static_assert (sizeof (T) <= sizeof exchange->values[0], "a value of each warp");
    __syncthreads ();
    if (threadIdx.x % 32 == 0)
      memcpy (exchange->values[threadIdx.x / 32], &value, sizeof value);
    __syncthreads ();
    for (int i = 0; i < SIZE / 32; i++) {
      T other;
      memcpy (&other, exchange->values[i], sizeof other);
      value = i == 0 ? other : join (value, other);
    }
  }
  return value;
}

/* The sum of the values of the threads before this one. */
template <int SIZE>
__device__ inline uint32_t
group_scan (GroupExchange<SIZE> *exchange, uint32_t own, uint32_t *all)
{
  const uint32_t rank = group_rank<SIZE> ();
  uint32_t sum = own;
  for (int d = 1; d < 32; d *= 2) {
    const uint32_t before = __shfl_up_sync (~0u, sum, d);
    sum += (int) (rank % 32) >= d ? before : 0;
  }
  *all = __shfl_sync (~0u, sum, 31);
  sum -= own;
  if constexpr (SIZE > 32) {
    __syncthreads ();
    if (rank % 32 == 0)
      memcpy (exchange->values[rank / 32], all, sizeof *all);
    __syncthreads ();
    *all = 0;
    for (uint32_t i = 0; i < SIZE / 32; i++) {
      uint32_t part;
      memcpy (&part, exchange->values[i], sizeof part);
      sum += i < rank / 32 ? part : 0;
      *all += part;
    }
  }
  return sum;
}

/* A point as one word. */
__device__ inline CtrPoint
load_contour_point (const CtrPoint *points, uint32_t i)
{
  const uint32_t place = ((const uint32_t *) points)[i];
  return {(uint16_t) place, (uint16_t) (place >> 16)};
}

/* The share of a thread: successive rows of one chain. The right chain goes down, the left one up, so that threads and hull
 * have the same order. A group of one thread has both chains, one after the other. */
template <int SIZE> struct HullShare {
  static constexpr uint32_t GROUPS = SIZE > 1 ? SIZE / 2 : 1;
  bool left;
  uint32_t group, begin, end; /* from top to bottom */

  __device__
  HullShare (uint32_t rows, bool left_)
  {
    const uint32_t rank = group_rank<SIZE> (), each = ctr_div_up (rows, GROUPS);
    left = left_;
    group = SIZE == 1 ? 0 : left ? SIZE - 1 - rank : rank;
    begin = min (group * each, rows);
    end = min (begin + each, rows);
  }

  explicit __device__
  HullShare (uint32_t rows)
      : HullShare (rows, group_rank<SIZE> () >= GROUPS)
  {
  }
};

struct HullChain {
  const HullRows &rows;
  uint32_t *links;
  bool left;

  __device__
  HullChain (const HullRows &rows_, bool left_)
      : rows (rows_), links (rows_.links[left_]), left (left_)
  {
  }

  __device__ CtrPoint
  point (uint32_t row) const
  {
    const uint32_t sides = rows.sides[row];
    return {(uint16_t) (left ? sides & 0xffff : sides >> 16), (uint16_t) (rows.top + row)};
  }

  /* Does the chain turn at B, between A above and C below, as that of a hull? */
  __device__ bool
  keeps (uint32_t a, uint32_t b, uint32_t c) const
  {
    const int64_t turn = ctr_shape_cross (point (a), point (b), point (c));
    return left ? turn < 0 : turn > 0;
  }

  __device__ uint32_t
  before (uint32_t row) const
  {
    return links[row] & 0xffff;
  }

  __device__ uint32_t
  after (uint32_t row) const
  {
    return links[row] >> 16;
  }

  __device__ void
  drop (uint32_t row) const
  {
    links[row] = row | row << 16;
  }

  __device__ bool
  has (uint32_t row) const
  {
    return links[row] != (row | row << 16);
  }

  /* Joins the list that ends with row A to the one that begins with row B. */
  __device__ void
  link (uint32_t a, uint32_t b) const
  {
    links[a] = (links[a] & 0xffff) | b << 16;
    links[b] = (links[b] & 0xffff0000) | a;
  }
};

/* Finds the leftmost and the rightmost point of each row. */
template <int SIZE>
__device__ inline void
find_sides (const HullRows &rows, const CtrPoint *points, uint32_t count)
{
  for (uint32_t r = group_rank<SIZE> (); r < rows.count; r += SIZE) {
    rows.links[0][r] = 0;
    rows.links[1][r] = NO_ROW;
  }
  group_sync<SIZE> ();
  for (uint32_t i = group_rank<SIZE> (); i < count; i += SIZE) {
    const CtrPoint p = load_contour_point (points, i);
    group_max<SIZE> (&rows.links[0][p.y - rows.top], p.x);
    group_min<SIZE> (&rows.links[1][p.y - rows.top], p.x);
  }
  group_sync<SIZE> ();
  for (uint32_t r = group_rank<SIZE> (); r < rows.count; r += SIZE)
    rows.sides[r] = rows.links[1][r] | rows.links[0][r] << 16;
  group_sync<SIZE> ();
}

/* The hull of the rows of one share. */
__device__ inline void
chain_rows (const HullChain &chain, uint32_t begin, uint32_t end, uint32_t *first, uint32_t *last)
{
  *first = *last = NO_ROW;
  for (uint32_t r = begin; r < end; r++) {
    const uint32_t sides = chain.rows.sides[r];
    if ((sides & 0xffff) > sides >> 16) {
      chain.drop (r);
      continue;
    }
    while (*last != *first) {
      const uint32_t before = chain.before (*last);
      if (chain.keeps (before, *last, r))
        break;
      chain.drop (*last);
      *last = before;
    }
    chain.links[r] = NO_ROW | NO_ROW << 16;
    if (*first == NO_ROW)
      *first = r;
    else
      chain.link (*last, r);
    *last = r;
  }
}

/* Joins the hull that ends with row A to the one below, which begins with row B, where the line between them touches both. */
__device__ inline void
join_chains (const HullChain &chain, uint32_t first, uint32_t a, uint32_t b, uint32_t last)
{
  for (bool touches = false; !touches;) {
    touches = true;
    while (a != first) {
      const uint32_t before = chain.before (a);
      if (chain.keeps (before, a, b))
        break;
      chain.drop (a);
      a = before;
    }
    while (b != last) {
      const uint32_t after = chain.after (b);
      if (chain.keeps (a, b, after))
        break;
      chain.drop (b);
      b = after;
      touches = false; /* A may lie inside now. */
    }
  }
  chain.link (a, b);
}

/* Is the point of ROW, which is in the left chain, in the right one, too? */
__device__ inline bool
is_twice (const HullRows &rows, uint32_t row)
{
  return (row == 0 || row == rows.count - 1) && (rows.sides[row] & 0xffff) == rows.sides[row] >> 16;
}

/* Finds the hull of each chain: in its links, which rows are vertices. Ends with a barrier. */
template <int SIZE, uint32_t HULL>
__device__ inline void
find_chains (const HullRows &rows, HullSpace<SIZE, HULL> &space)
{
  const uint32_t rank = group_rank<SIZE> ();
  const HullShare<SIZE> share (rows.count);
  const HullChain chain (rows, share.left);
  uint32_t first, last;
  chain_rows (chain, share.begin, share.end, &first, &last);
  space.first[rank] = first;
  space.last[rank] = last;
  for (uint32_t d = 1; d < HullShare<SIZE>::GROUPS; d *= 2) {
    if (SIZE == 32 || 2 * d <= 32)
      __syncwarp (); /* So far, neighbours that are joined are of one warp. */
    else
      __syncthreads ();
    if (share.group % (2 * d) != 0)
      continue;
    const uint32_t below = share.left ? rank - d : rank + d, below_first = space.first[below],
                   below_last = space.last[below];
    if (below_first == NO_ROW)
      continue;
    if (first == NO_ROW)
      space.first[rank] = first = below_first;
    else
      join_chains (chain, first, last, below_first, below_last);
    space.last[rank] = last = below_last;
  }
  group_sync<SIZE> ();
}

/* Is ROW of the chain of SHARE a vertex? */
template <int SIZE>
__device__ inline bool
is_vertex (const HullRows &rows, const HullShare<SIZE> &share, uint32_t row)
{
  return HullChain (rows, share.left).has (row) && !(share.left && is_twice (rows, row));
}

/* Writes the vertices of a share TO successive places, and sets the links to what they are from then on. Returns the place behind
 * the last one. */
template <int SIZE>
__device__ inline CtrPoint *
write_vertices (const HullRows &rows, const HullShare<SIZE> &share, CtrPoint *to)
{
  const HullChain chain (rows, share.left);
  for (uint32_t i = 0; i < share.end - share.begin; i++) {
    const uint32_t r = share.left ? share.end - 1 - i : share.begin + i;
    const bool vertex = is_vertex (rows, share, r);
    if (vertex)
      *to++ = chain.point (r);
    chain.links[r] = vertex ? NOT_VISITED : NOT_VERTEX;
  }
  return to;
}

/* Finds the hull of a contour: space.hull, and in rows.links which points are vertices. Returns their number. The memory of ROWS
 * has room for its rows. All threads of the group call it, and it ends with a barrier. */
template <int SIZE, uint32_t HULL>
__device__ inline uint32_t
find_hull (const HullRows &rows, HullSpace<SIZE, HULL> &space, GroupExchange<SIZE> *exchange, const CtrPoint *points,
    uint32_t count)
{
  find_sides<SIZE> (rows, points, count);
  if constexpr (SIZE == 1) {
    uint32_t first, last;
    for (int left = 0; left < 2; left++)
      chain_rows (HullChain (rows, left), 0, rows.count, &first, &last);
    const CtrPoint *right_end = write_vertices (rows, HullShare<1> (rows.count, false), space.hull);
    space.right = (uint32_t) (right_end - space.hull);
    return (uint32_t) (write_vertices (rows, HullShare<1> (rows.count, true), space.hull + space.right) - space.hull);
  } else {
    find_chains (rows, space);
    const HullShare<SIZE> share (rows.count);
    uint32_t own = 0, all;
    for (uint32_t r = share.begin; r < share.end; r++)
      own += is_vertex (rows, share, r);
    const uint32_t at = group_scan (exchange, own, &all);
    if (group_rank<SIZE> () == HullShare<SIZE>::GROUPS)
      space.right = at;
    write_vertices (rows, share, space.hull + at);
    group_sync<SIZE> ();
    return all;
  }
}

} // namespace

#endif

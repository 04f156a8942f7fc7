/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Simplification: the contours that fit into a tile, and where the points of all rows go. */
#include "cuda/contours/simplify.cuh"

#include "cuda/common/scan.cuh"
#include "cuda/contours/simplify_lines.cuh"

namespace
{

/* A tile's contours, in shared memory. The positions of a contour begin at that of its first point in the tile; when its line is known,
 * they are turned, so that they begin with the line. */
struct Tile {
  SimplifyShared lines;           /* kept: with the closing position of each contour */
  uint16_t starts[SIMPLIFY_ROOM]; /* at the first position of each contour: its point from which its line goes */
  uint32_t firsts[SIMPLIFY_WORDS], closings[SIMPLIFY_WORDS]; /* bits: first and closing positions */
  uint32_t kept_closings[SIMPLIFY_WORDS];                    /* bits: of kept, those that close a contour, */
  uint32_t needless[SIMPLIFY_WORDS];                         /* and those nearly on the way between their neighbours */
  uint16_t row_points[SIMPLIFY_SHARE / 2 + 1];               /* by row: the points of the tile before */
  uint32_t sums[SIMPLIFY_THREADS / 32], before;
  uint2 sums_of_two[SIMPLIFY_THREADS / 32];

  __device__ uint32_t
  edges (uint32_t word) const
  {
    return firsts[word] | closings[word];
  }

  __device__ CtrPoint
  kept_point (uint32_t i)
  {
    return lines.point (lines.kept[i]);
  }
};
static_assert (SIMPLIFY_ROOM <= 1 << 16, "positions have 16 bits");

/* The rows of a tile: those that begin there, but for one that is long, which is the last one. */
struct Rows {
  uint32_t first, count;
  bool with_long;
};

__device__ inline Rows
rows_of_tile (const SimplifyArgs &s, uint32_t tile)
{
  Rows rows = {s.tile_rows[tile], s.tile_rows[tile + 1] - s.tile_rows[tile], false};
  if (rows.count > 0 && s.by_row.count[rows.first + rows.count - 1] > SIMPLIFY_SHARE) {
    rows.with_long = true;
    rows.count--;
  }
  return rows;
}

/* What a thread knows of its positions in the contours. */
struct OwnContours {
  uint32_t firsts, closings;
  uint32_t live; /* bits: positions of contours, with those that close them */
};

/* Loads the contours of ROWS. */
__device__ inline OwnContours
load_contours (const SimplifyArgs &s, Tile &tile, uint32_t number, const Rows &rows, SimplifyOwn *own)
{
  const uint32_t t = threadIdx.x, base = t * SIMPLIFY_EACH, first_position = number * SIMPLIFY_SHARE;
  for (uint32_t i = t; i < SIMPLIFY_WORDS; i += SIMPLIFY_THREADS)
    tile.firsts[i] = tile.closings[i] = tile.kept_closings[i] = 0;
  clear_slots (tile.lines.slots, 0);
  __syncthreads ();
  for (uint32_t i = t; i < rows.count; i += SIMPLIFY_THREADS) {
    const uint32_t row = rows.first + i, at = s.by_row.first[row] + row - first_position,
                   end = at + s.by_row.count[row];
    atomicOr (&tile.firsts[at / 32], 1u << at % 32);
    atomicOr (&tile.closings[end / 32], 1u << end % 32);
    tile.starts[at] = 0;
  }
  __syncthreads ();
  OwnContours contours = {own_bits (tile.firsts, base), own_bits (tile.closings, base), 0};
  const auto edges = [&] (uint32_t word) { return tile.edges (word); };
  *own = {
      base, contours.firsts | contours.closings, 0, bit_before (edges, base), bit_from (edges, base + SIMPLIFY_EACH)};
  uint32_t all;
  uint32_t row = rows.first - 1 + block_scan<SIMPLIFY_THREADS> (__popc (contours.firsts), tile.sums, &all);
  bool inside = own->before != NO_POSITION && tile.firsts[own->before / 32] >> own->before % 32 & 1;
#pragma unroll
  for (uint32_t k = 0; k < SIMPLIFY_EACH; k++) {
    const bool closes = contours.closings >> k & 1;
    if (contours.firsts >> k & 1) {
      inside = true;
      row++;
    }
    contours.live |= (uint32_t) inside << k;
    if (inside && !closes)
      tile.lines.point (base + k) = s.points[first_position + base + k - row];
    inside &= !closes;
  }
  own->open = contours.live & ~own->starts;
  __syncthreads ();
  return contours;
}

/* The key of the positions from K to before END: their distance from the point from which a contour's line goes, and how early they
 * come after it. The contour begins at FIRST and is closed at LAST. */
__device__ inline SimplifyKey
key_of_contour (Tile &tile, const SimplifyOwn &own, uint32_t k, uint32_t end, uint32_t first, uint32_t last)
{
  const uint32_t start = tile.starts[first];
  const CtrPoint from = tile.lines.point (first + start);
  SimplifyKey key = 0;
  for (; k < end; k++) {
    const SimplifyKey distance2 = (SimplifyKey) ctr_simplify_distance2 (from, tile.lines.point (own.base + k));
    const uint32_t at = own.base + k - first, after = at >= start ? at - start : at + (last - first) - start;
    if (distance2 > 0)
      key = max (key, distance2 * SIMPLIFY_ROOM + SIMPLIFY_ROOM - 1 - after);
  }
  return key;
}

__device__ inline uint32_t
point_of_key (SimplifyKey key)
{
  return key ? SIMPLIFY_ROOM - 1 - (uint32_t) (key % SIMPLIFY_ROOM) : 0;
}

/* The point of a contour, COUNT points, that comes AFTER points after START. */
__device__ inline uint32_t
turn (uint32_t start, uint32_t after, uint32_t count)
{
  return after >= count - start ? after - (count - start) : start + after;
}

/* Calls VISIT (first position, end position, first and last position of the contour, does it lie in other threads' positions, too?) for each
 * contour in a thread's positions. */
template <typename Visit>
__device__ inline void
for_contours (const SimplifyOwn &own, const OwnContours &contours, const Visit &visit)
{
  if (contours.live & ~own.starts & entering_positions (own))
    visit (0, end_of_entering (own) - own.base < SIMPLIFY_EACH ? end_of_entering (own) - own.base : SIMPLIFY_EACH,
        own.before, end_of_entering (own), true);
  for (uint32_t rest = contours.firsts; rest; rest &= rest - 1) {
    const uint32_t k = __ffs (rest) - 1, later = own.starts >> (k + 1), end = later ? k + __ffs (later) : SIMPLIFY_EACH,
                   last = later ? own.base + end : own.behind;
    visit (k, end, own.base + k, last, last > own.base + SIMPLIFY_EACH);
  }
}

/* Finds the point from which each contour's line goes: the farthest one from the farthest one from its first point. The slots of turn 0
 * become the keys of the farthest points from there. */
__device__ inline void
find_starts (Tile &tile, const SimplifyOwn &own, const OwnContours &contours)
{
  for (uint32_t round = 0; round < 3; round++) {
    const uint32_t turn_of_slots = round % 2;
    SimplifyKey entering = 0, leaving = 0;
    for_contours (own, contours, [&] (uint32_t k, uint32_t end, uint32_t first, uint32_t last, bool shared) {
      if (!shared && round == 2)
        return;
      const SimplifyKey key = key_of_contour (tile, own, k, end, first, last);
      if (!shared)
        tile.starts[first] = (uint16_t) turn (tile.starts[first], point_of_key (key), last - first);
      else if (first < own.base)
        entering = key;
      else
        leaving = key;
    });
    raise_keys (tile.lines.slots.best[turn_of_slots], own, entering, leaving);
    clear_slots (tile.lines.slots, turn_of_slots ^ 1);
    __syncthreads ();
    if (round == 2)
      return;
    for_contours (own, contours, [&] (uint32_t, uint32_t, uint32_t first, uint32_t last, bool shared) {
      if (shared && first >= own.base)
        tile.starts[first] = (uint16_t) turn (
            tile.starts[first], point_of_key (tile.lines.slots.best[turn_of_slots][threadIdx.x]), last - first);
    });
    __syncthreads ();
  }
}

/* Turns the contours, and splits their lines at the farthest points from where they begin. */
__device__ inline void
turn_contours (Tile &tile, SimplifyOwn &own, const OwnContours &contours, double epsilon_squared)
{
  CtrPoint turned[SIMPLIFY_EACH];
  uint32_t first = own.before, last = own.starts & 1 ? own.base : end_of_entering (own);
#pragma unroll
  for (uint32_t k = 0; k < SIMPLIFY_EACH; k++) {
    if (contours.firsts >> k & 1) {
      const uint32_t later = own.starts >> (k + 1);
      first = own.base + k;
      last = later ? first + __ffs (later) : own.behind;
    }
    if (contours.live >> k & 1) /* Behind the last point, the first one closes the line. */
      turned[k] = tile.lines.point (first + turn (tile.starts[first], own.base + k - first, last - first));
  }
  SimplifyOwn result = own;
  for_contours (own, contours, [&] (uint32_t k, uint32_t end, uint32_t contour, uint32_t behind, bool shared) {
    const SimplifyKey key =
        shared ? tile.lines.slots.best[0][slot_of (contour)] : key_of_contour (tile, own, k, end, contour, behind);
    if (ctr_simplify_is_point ((int64_t) (key / SIMPLIFY_ROOM), epsilon_squared))
      result.open &= ~positions (k, end);
    else
      take_split (result, contour + point_of_key (key));
  });
  own = result;
  __syncthreads ();
#pragma unroll
  for (uint32_t k = 0; k < SIMPLIFY_EACH; k++)
    if (contours.live >> k & 1)
      tile.lines.point (own.base + k) = turned[k];
  __syncthreads ();
}

/* The point of a contour with number AT among all points before. */
__device__ inline uint32_t
source_of (const SimplifyArgs &s, Tile &tile, uint32_t number, uint32_t row, uint32_t position)
{
  const uint32_t first = s.by_row.first[row], contour = first + row - number * SIMPLIFY_SHARE;
  return first + turn (tile.starts[contour], position - contour, s.by_row.count[row]);
}

/* Lists the positions that are kept, and those that close a contour. Returns how many there are. */
__device__ inline uint32_t
list_kept (Tile &tile, const SimplifyOwn &own, const OwnContours &contours)
{
  uint32_t all, i = block_scan<SIMPLIFY_THREADS> (__popc (own.starts), tile.sums, &all);
  for (uint32_t rest = own.starts; rest; rest &= rest - 1) {
    const uint32_t k = __ffs (rest) - 1;
    tile.lines.kept[i] = (uint16_t) (own.base + k);
    if (contours.closings >> k & 1)
      atomicOr (&tile.kept_closings[i / 32], 1u << i % 32);
    i++;
  }
  __syncthreads ();
  return all;
}

__device__ inline bool
has_bit (const uint32_t *words, uint32_t i)
{
  return words[i / 32] >> i % 32 & 1;
}

/* Does kept I begin a contour? */
__device__ inline bool
begins (const Tile &tile, uint32_t i)
{
  return i == 0 || has_bit (tile.kept_closings, i - 1);
}

/* Finds those of kept FIRST and LAST, the first and the last one of a contour, that are needless, and corrects what is different in a
 * contour of three. */
__device__ inline void
mark_needless_ends (Tile &tile, uint32_t first, uint32_t last, double epsilon_squared)
{
  if (last - first < 2)
    return;
  const CtrPoint before = tile.kept_point (last), point = tile.kept_point (first), after = tile.kept_point (first + 1);
  const bool drops_first = ctr_simplify_is_needless (before, point, after, epsilon_squared);
  /* Then the first one of those that remain is the one after it. */
  const bool drops_last =
      ctr_simplify_is_needless (tile.kept_point (last - 1), before, drops_first ? after : point, epsilon_squared);
  const bool three = last - first == 2,
             drops_second = three && ctr_simplify_is_needless (point, after, before, epsilon_squared);
  if (drops_first)
    atomicOr (&tile.needless[first / 32], 1u << first % 32);
  /* Of three, two remain: nothing is dropped after another one. OpenCV leaves the second one in place of the third one, too, where the
   * first one is dropped. */
  if (three && drops_first) {
    atomicAnd (&tile.needless[(first + 1) / 32], ~(1u << (first + 1) % 32));
    tile.lines.kept[last] = tile.lines.kept[first + 1];
  } else if (drops_last && !drops_second) {
    atomicOr (&tile.needless[last / 32], 1u << last % 32);
  }
}

/* Finds those of ALL kept that are needless. Each is dropped unless the one before is. */
__device__ inline void
mark_needless (Tile &tile, uint32_t all, double epsilon_squared)
{
  const uint32_t t = threadIdx.x;
  for (uint32_t i = t; i < SIMPLIFY_ROOM; i += SIMPLIFY_THREADS) {
    bool needless = false;
    if (i + 1 < all && !begins (tile, i) && !has_bit (tile.kept_closings, i) && !has_bit (tile.kept_closings, i + 1))
      needless = ctr_simplify_is_needless (
          tile.kept_point (i - 1), tile.kept_point (i), tile.kept_point (i + 1), epsilon_squared);
    const uint32_t word = __ballot_sync (~0u, needless);
    if (t % 32 == 0)
      tile.needless[i / 32] = word;
  }
  __syncthreads ();
  for (uint32_t i = t; i < all; i += SIMPLIFY_THREADS)
    if (begins (tile, i))
      mark_needless_ends (
          tile, i, bit_from ([&] (uint32_t word) { return tile.kept_closings[word]; }, i) - 1, epsilon_squared);
  __syncthreads ();
}

/* Finds where the points of the tile's rows go, moves those of its contours, and corrects the rows. */
__device__ inline void
write_rows (
    const SimplifyArgs &s, Tile &tile, uint32_t number, const Rows &rows, uint32_t all, const ContourOutput &output)
{
  const uint32_t t = threadIdx.x, base = t * SIMPLIFY_EACH;
  const uint32_t valid = base < all ? positions (0, min (all - base, SIMPLIFY_EACH)) : 0,
                 closings = own_bits (tile.kept_closings, base), needless = own_bits (tile.needless, base);
  uint32_t remain = 0, dropped = ones_before (tile.needless, base) % 2;
  for (uint32_t k = 0; k < SIMPLIFY_EACH; k++) {
    dropped = needless >> k & ~dropped & 1;
    remain |= (dropped ^ 1) << k;
  }
  remain &= valid & ~closings;
  uint2 sums;
  uint2 before = block_scan_two<SIMPLIFY_THREADS> (__popc (closings), __popc (remain), tile.sums_of_two, &sums);
  for (uint32_t k = 0, row = before.x; k < SIMPLIFY_EACH && valid >> k; k++) {
    if (closings >> k & 1)
      row++;
    else if (begins (tile, base + k))
      tile.row_points[row] = (uint16_t) (before.y + __popc (remain & positions (0, k)));
  }
  const uint32_t of_long = rows.with_long ? s.by_row.kept[rows.first + rows.count] : 0;
  if (t < 32) {
    const uint32_t found = look_back (s.tile_states, number, sums.y + of_long);
    if (t == 0)
      tile.before = found;
  }
  __syncthreads ();
  const uint32_t first = tile.before;
  for (uint32_t k = 0, row = rows.first + before.x, to = first + before.y; k < SIMPLIFY_EACH; k++) {
    row += closings >> k & 1;
    if (!(remain >> k & 1))
      continue;
    output.simplified.points[to] = tile.kept_point (base + k);
    if (s.refines)
      output.simplified.subpixel[to] = s.subpixel[source_of (s, tile, number, row, tile.lines.kept[base + k])];
    to++;
  }
  CtrContour *const table = output.simplified.table + rows.first;
  for (uint32_t i = t; i < rows.count; i += SIMPLIFY_THREADS) {
    table[i].first = first + tile.row_points[i];
    table[i].count = (i + 1 < rows.count ? tile.row_points[i + 1] : sums.y) - tile.row_points[i];
  }
  if (t == 0 && rows.with_long) {
    table[rows.count].first = first + sums.y;
    table[rows.count].count = of_long;
  }
  if (t == 0 && number + 1 == simplify_tiles (s.counters->rows, s.counters->points))
    *s.remaining = first + sums.y + of_long;
}

__global__ void
__launch_bounds__ (SIMPLIFY_THREADS) tile_kernel (const __grid_constant__ SimplifyArgs s, const ContourOutput *result)
{
  __shared__ Tile tile;
  __shared__ uint32_t ticket;
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  const uint32_t tiles = simplify_tiles (s.counters->rows, s.counters->points);
  if (blockIdx.x >= tiles)
    return;
  if (threadIdx.x == 0)
    ticket = atomicAdd (&s.counters->ticket, 1);
  __syncthreads ();
  const uint32_t number = ticket;
  const Rows rows = rows_of_tile (s, number);
  const ContourOutput output = *result;
  uint32_t all = 0;
  if (rows.count > 0) {
    SimplifyOwn own;
    const OwnContours contours = load_contours (s, tile, number, rows, &own);
    find_starts (tile, own, contours);
    turn_contours (tile, own, contours, s.epsilon_squared);
    split_lines (tile.lines, own, 1, s.epsilon_squared);
    all = list_kept (tile, own, contours);
    mark_needless (tile, all, s.epsilon_squared);
  } else {
    for (uint32_t i = threadIdx.x; i < SIMPLIFY_WORDS; i += SIMPLIFY_THREADS)
      tile.kept_closings[i] = tile.needless[i] = 0;
    __syncthreads ();
  }
  write_rows (s, tile, number, rows, all, output);
}

} // namespace

void
simplify_lay_out (SimplifyArgs *s, ArenaLayout *arena)
{
  const uint32_t contours = s->contour_capacity, points = s->point_capacity, longs = points / SIMPLIFY_SHARE + 1,
                 pieces = 2 * longs, tiles = simplify_tiles (contours, points);
  s->by_row.first = arena->take<uint32_t> (contours);
  s->by_row.count = arena->take<uint32_t> (contours);
  s->by_row.kept = arena->take<uint32_t> (contours);
  s->tile_rows = arena->take<uint32_t> (tiles + 2);
  s->tile_states = arena->take<unsigned long long> (tiles + 1);
  s->longs = arena->take<SimplifyLong> (longs);
  s->by_piece.owner = arena->take<uint32_t> (pieces);
  s->by_piece.line = arena->take<SimplifyLine> (pieces);
  s->by_piece.farthest = arena->take<SimplifyFarthest> (2 * pieces);
  for (uint32_t **bits : {&s->by_piece.bounds, &s->by_piece.splits})
    *bits = arena->take<uint32_t> ((size_t) pieces * (SIMPLIFY_SHARE / 32));
  /* A piece is in the queue twice at most. Each CTA that works may wait for one more. */
  s->queue_capacity = 2 * pieces + SIMPLIFY_LONG_CTAS;
  s->queue = arena->take<unsigned long long> (s->queue_capacity);
  s->kept = arena->take<uint32_t> (points);
  s->points = arena->take<CtrPoint> (points);
  s->subpixel = s->refines ? arena->take<CtrSubpixelPoint> (points) : NULL;
}

void
simplify_launch (const SimplifyArgs &s, const ContourOutput *output, bool overlap, cudaStream_t stream)
{
  simplify_launch_long_lines (s, overlap, stream);
  ctr_launch_overlapped (overlap, tile_kernel, max (simplify_tiles (s.contour_capacity, s.point_capacity), 1u),
      SIMPLIFY_THREADS, 0, stream, s, output);
  simplify_launch_long_moves (s, output, overlap, stream);
}

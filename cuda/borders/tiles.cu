/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The first kernel of border following: foreground bits, passages, segments. */
#include "cuda/borders/device_state.cuh"
#include "cuda/common/pixels.cuh"

namespace
{

/* Bit fields of Tile.place: slot (2 bits), column (6), row (6), flags. */
constexpr uint32_t PLACE_SLOT = 3, PLACE_KEPT = 1 << 14, PLACE_OUTER = 1 << 15; /* An outer border may start here. */
constexpr int PLACE_X = 2, PLACE_Y = 8;

/* What a passage knows of its chain: at first about itself, in the end about all that follows it. The passages of a tile are
 * numbered in raster order, so of the passages where a ring may start, that with the least number has the smallest key: no ring
 * has an outer border's start to the right of a pixel where a hole starts, as background lies there. */
struct __align__ (8) Jump
{
  /* JUMP_DONE, JUMP_RING; the passage after the known ones, or the chain's last one; in the lower half points of the known ones. Of the
   * start of a ring, in the end, points of the ring. */
  uint32_t way;
  uint32_t
      start; /* NO_START, or the known passage where the ring may start first; in the lower half points before it */

  __device__ uint32_t passage () const
  {
    return way >> 16 & 0x3fff;
  }
  __device__ uint32_t points () const
  {
    return way & 0xffff;
  }
  __device__ uint32_t start_passage () const
  {
    return start >> 16;
  }
  __device__ uint32_t points_before_start () const
  {
    return start & 0xffff;
  }
};
constexpr uint32_t JUMP_DONE = 1u << 31; /* All that follows is known. */
constexpr uint32_t JUMP_RING = 1u << 30; /* It is a ring: its first start is known, and nothing else. */
constexpr uint32_t NO_START = 0xffffu << 16;

constexpr int MARGIN_THREADS = 2 * BORDERS_TILE; /* The first ones also have pixels to the left and to the right. */
constexpr int TILE_WORDS = BORDERS_TILE * BORDERS_TILE_WORDS, STRIDE = BORDERS_TILE_WORDS + 2;

/* A tile. A tile with more than MOST_PASSAGES passages is processed in bands of rows: "parts". Tiles of frames with MANY passages have
 * room for more, so that few are in parts, and more threads for these. Of the others four times as many share a multiprocessor. */
template <bool FOUR_CONNECTED_, bool MANY> struct Tile {
  static constexpr bool FOUR_CONNECTED = FOUR_CONNECTED_;
  /* Four or sixteen CTAs have all threads of a multiprocessor, and share its memory. Most tiles of noise are one part. */
  static constexpr int THREADS = MANY ? 512 : 128, MOST_PASSAGES = MANY ? 3248 : 704, SHARED_BY = MANY ? 4 : 16;
  static_assert (MOST_PASSAGES <= 8192, "Jump has room for twice the points of a ring");
  static_assert (THREADS >= TILE_WORDS && THREADS >= MARGIN_THREADS, "a thread a word, and a thread a pixel");
  /* An 8-connected chequerboard has two passages a pixel. A pixel of 4-connected foreground has up to four. */
  static constexpr int LEAST_ROWS = (MANY ? 16 : 4) / (FOUR_CONNECTED ? 2 : 1);
  static_assert (
      LEAST_ROWS * BORDERS_TILE * (FOUR_CONNECTED ? 4 : 2) <= MOST_PASSAGES, "a part of so few rows always has room");

  uint32_t bits[(BORDERS_TILE + 2) * STRIDE]; /* all rows, with a margin of one pixel */
  int top, rows;                              /* of the part */

  __align__ (16) uint32_t slots[TILE_WORDS][4];
  uint16_t base[TILE_WORDS]; /* earlier passages */
  Jump jump[MOST_PASSAGES];
  uint16_t place[MOST_PASSAGES];
  uint16_t segment
      [MOST_PASSAGES]; /* the next passage; in the end the number, in the part, of the segment that this one stands for */
  uint16_t heads[MOST_PASSAGES]; /* from the front: first passages of open segments; from the back: starts of rings */
  uint32_t warp_sums[TILE_WORDS / 32];
  uint32_t open, closed;
  uint32_t bases[3]; /* numbers of the part's first passage, open segment and closed segment */

  /* The eight neighbours of a pixel of the part. */
  __device__ uint32_t
  neighbours (uint32_t x, uint32_t y) const
  {
    const uint32_t at = 31 + x, shift = at % 32;
    const uint32_t *b = bits + (top + y) * STRIDE + at / 32;
    const uint32_t above = __funnelshift_r (b[0], b[1], shift),
                   same = __funnelshift_r (b[STRIDE], b[STRIDE + 1], shift),
                   below = __funnelshift_r (b[2 * STRIDE], b[2 * STRIDE + 1], shift);
    return eight_neighbours (above, same, below);
  }

  __device__ uint32_t
  passage_at (uint32_t x, uint32_t y, uint32_t slot) const
  {
    const uint32_t word = y * BORDERS_TILE_WORDS + x / 32;
    return base[word] + passages_before (slots[word], x % 32, slot);
  }

  __device__ PassageShape<FOUR_CONNECTED>
  shape (uint32_t passage) const
  {
    const uint32_t p = place[passage];
    return PassageShape<FOUR_CONNECTED> (neighbours (p >> PLACE_X & 63, p >> PLACE_Y & 63), p & PLACE_SLOT);
  }

  /* The directions that lead out of the part from a pixel, as bits. */
  __device__ uint32_t
  ways_out (uint32_t x, uint32_t y) const
  {
    return (x == 0                     ? 0x38
               : x == BORDERS_TILE - 1 ? 0x83
                                       : 0)
           | (y == 0 ? 0x0e : 0) | (y == (uint32_t) rows - 1 ? 0xe0 : 0);
  }

  __device__ Jump
  load_jump (uint32_t passage) const
  {
    const unsigned long long both = *(const volatile unsigned long long *) &jump[passage];
    return {(uint32_t) both, (uint32_t) (both >> 32)};
  }

  /* Others load the jump before or after, but never a half of it. */
  __device__ void
  store_jump (uint32_t passage, const Jump &with)
  {
    *(volatile unsigned long long *) &jump[passage] = (unsigned long long) with.start << 32 | with.way;
  }

  /* The start of the ring that is a closed segment. */
  __device__ uint16_t &
  ring (uint32_t segment_)
  {
    return heads[MOST_PASSAGES - 1 - segment_];
  }
  __device__ uint32_t
  ring (uint32_t segment_) const
  {
    return heads[MOST_PASSAGES - 1 - segment_];
  }

  __device__ bool
  kept (uint32_t passage) const
  {
    return place[passage] & PLACE_KEPT;
  }

  /* One thread begins a part of ROWS_ rows from TOP_ on. */
  __device__ void
  begin (int top_, int rows_)
  {
    top = top_;
    rows = rows_;
    open = closed = 0;
  }

  /* Coordinates in the image. */
  __device__ uint32_t
  image_x (int x) const
  {
    return blockIdx.x * BORDERS_TILE + x;
  }
  __device__ uint32_t
  image_y (int y) const
  {
    return blockIdx.y * BORDERS_TILE + top + y;
  }
};

/* Loads the foreground bits of the tile and its margin, and writes the tile's to memory. Returns whether the tile has
 * foreground. */
template <typename T>
__device__ inline bool
load_bits (const BordersKernelArgs &f, T &tile)
{
  const uint32_t threshold = f.threshold_device ? *f.threshold_device : f.threshold, t = threadIdx.x;
  const uint32_t left = blockIdx.x * BORDERS_TILE, top = blockIdx.y * BORDERS_TILE;
  /* The margin: a pixel of the rows above and below, and in some threads one to the left and one to the right. All that a thread loads is
   * under way together. */
  const uint32_t i = t - (T::THREADS - MARGIN_THREADS), margin_x = left + i % BORDERS_TILE;
  const bool has_margin = T::THREADS == MARGIN_THREADS || i < MARGIN_THREADS, is_above = i < BORDERS_TILE,
             has_sides = i < BORDERS_TILE + 2;
  LoadedPixel pixel, west, east;
  if (has_margin)
    pixel.load (f, margin_x, is_above ? top - 1 : top + BORDERS_TILE);
  if (has_sides) {
    west.load (f, left - 1, top - 1 + i);
    east.load (f, left + BORDERS_TILE, top - 1 + i);
  }
  uint32_t word = 0;
  if (T::THREADS == TILE_WORDS || t < TILE_WORDS) {
    const uint32_t row = t / BORDERS_TILE_WORDS, x = t % BORDERS_TILE_WORDS, y = top + row;
    word = load_word (f, threshold, left + x * 32, y);
    tile.bits[(row + 1) * STRIDE + 1 + x] = word;
    if (y < f.height) {
      const size_t to = (size_t) y * f.by_word.per_row + blockIdx.x * BORDERS_TILE_WORDS + x;
      f.by_word.foreground[to] = word;
      if (f.many_segments)
        f.by_word.starts[to] = 0;
    }
  }
  if (has_margin) {
    const uint32_t bits = __ballot_sync (~0u, pixel.foreground (f, threshold, margin_x));
    if (i % 32 == 0)
      tile.bits[(is_above ? 0 : BORDERS_TILE + 1) * STRIDE + 1 + i % BORDERS_TILE / 32] = bits;
  }
  if (has_sides) {
    tile.bits[i * STRIDE] = (uint32_t) west.foreground (f, threshold, left - 1) << 31;
    tile.bits[i * STRIDE + STRIDE - 1] = east.foreground (f, threshold, left + BORDERS_TILE);
  }
  return __syncthreads_or (word);
}

/* Finds the slots of the part and numbers its passages. Returns how many there are; more than MOST_PASSAGES are not
 * numbered.
 */
template <typename T>
__device__ inline uint32_t
number_passages (T &tile)
{
  const uint32_t t = threadIdx.x, lane = t % 32, warp = t / 32;
  const int row = t / BORDERS_TILE_WORDS, word = t % BORDERS_TILE_WORDS;
  uint32_t slots[4] = {0, 0, 0, 0}, count = 0, sum = 0;
  static_assert (TILE_WORDS % 32 == 0, "warps have words or not");
  constexpr uint32_t WARPS = TILE_WORDS / 32; /* that have words */
  if (row < tile.rows) {
    uint32_t rows[3][3];
#pragma unroll
    for (int j = 0; j < 3; j++)
#pragma unroll
      for (int i = 0; i < 3; i++)
        rows[j][i] = tile.bits[(tile.top + row + j) * STRIDE + word + i];
    find_slots<T::FOUR_CONNECTED> (rows, slots);
    count = __popc (slots[0]) + __popc (slots[1]) + __popc (slots[2]) + __popc (slots[3]);
  }
  if (T::THREADS == TILE_WORDS || warp < WARPS) {
    sum = sum_of_lanes (count);
    if (lane == 31)
      tile.warp_sums[warp] = sum;
  }
  __syncthreads ();
  uint32_t all = 0;
  sum -= count;
#pragma unroll
  for (uint32_t i = 0; i < WARPS; i++) {
    sum += i < warp ? tile.warp_sums[i] : 0;
    all += tile.warp_sums[i];
  }
  if (all == 0 || all > T::MOST_PASSAGES)
    return all;
  if (row < tile.rows) {
    *(uint4 *) tile.slots[t] = make_uint4 (slots[0], slots[1], slots[2], slots[3]);
    tile.base[t] = sum;
    const uint32_t first_place = row << PLACE_Y | word * 32 << PLACE_X;
    for (uint32_t rest = slots[0] | slots[1] | slots[2] | slots[3]; rest; rest &= rest - 1) {
      const uint32_t pixel = rest & (0 - rest), place = first_place + ((31 - __clz (pixel)) << PLACE_X);
#pragma unroll
      for (int k = 0; k < 4; k++)
        if (slots[k] & pixel)
          tile.place[sum++] = place + k;
    }
  }
  __syncthreads ();
  return all;
}

/* Joins A, after which not all is known, with B, which follows it. Where both know the same start, B has come round to where A found it. */
__device__ inline Jump
join (const Jump &a, const Jump &b)
{
  const uint32_t points = a.points ();
  const bool same = ((a.start ^ b.start) < 1 << 16) & (a.start < NO_START);
  return {(b.way + points) | (same ? JUMP_DONE | JUMP_RING : 0), min (a.start, b.start + points)};
}

/* Passages to chains of one: finds which one follows each. A chain begins with a passage that is entered from another tile, and its last
 * one leaves the tile; or it is a ring. The chains that begin so are the open segments. */
template <typename T>
__device__ inline void
link_passages (const BordersKernelArgs &f, T &tile, uint32_t count)
{
#pragma unroll 1
  for (uint32_t i = threadIdx.x; i < count; i += T::THREADS) {
    const uint32_t place = tile.place[i], x = place >> PLACE_X & 63, y = place >> PLACE_Y & 63;
    const PassageShape<T::FOUR_CONNECTED> s = tile.shape (i);
    const uint32_t ways_out = tile.ways_out (x, y);
    const bool alone = s.alone (), leaves = (ways_out >> s.next & 1) & !alone,
               enters = (ways_out >> s.former & 1) & !alone;
    uint32_t next = i;
    if (!(alone | leaves))
      next = tile.passage_at (x + step_x (s.next), y + step_y (s.next), s.next_slot ());
    const bool kept = !f.simple || s.corner (), outer = s.starts_outer (), starts = outer | s.starts_hole ();
    tile.place[i] = place | (kept ? PLACE_KEPT : 0) | (outer ? PLACE_OUTER : 0);
    tile.segment[i] = next;
    tile.jump[i] = {
        next << 16 | kept | (alone | leaves ? JUMP_DONE : 0) | (alone ? JUMP_RING : 0), starts ? i << 16 : NO_START};
    if (enters)
      tile.heads[atomicAdd (&tile.open, 1)] = i;
  }
  __syncthreads ();
}

/* Each passage learns the last one of its chain, or the start of its ring. No thread waits for another one: whatever the next passage
 * knows by then, if only itself, is more than was known before. */
template <typename T>
__device__ inline void
find_chains (T &tile, uint32_t count)
{
  const uint32_t most_joins =
      count <= T::THREADS ? ~0u : 2; /* of a passage, before the thread goes on to its next one */
  bool any;
  do {
    any = false;
    for (uint32_t i = threadIdx.x; i < count; i += T::THREADS) {
      Jump jump = tile.load_jump (i);
      for (uint32_t joins = 0; joins < most_joins && !(jump.way & JUMP_DONE); joins++) {
        jump = join (jump, tile.load_jump (jump.passage ()));
        tile.store_jump (i, jump);
      }
      any |= !(jump.way & JUMP_DONE);
    }
  } while (any);
  __syncthreads ();
}

/* The numbers of the segments, for the passages that stand for them; and the lengths of rings. */
template <typename T>
__device__ inline void
number_segments (T &tile, uint32_t count)
{
  for (uint32_t k = threadIdx.x; k < tile.open; k += T::THREADS)
    tile.segment[tile.jump[tile.heads[k]].passage ()] = k;
  for (uint32_t i = threadIdx.x; i < count; i += T::THREADS) {
    const Jump jump = tile.jump[i];
    if (!(jump.way & JUMP_RING) || jump.start_passage () != i)
      continue;
    const uint32_t next = tile.segment[i], number = atomicAdd (&tile.closed, 1);
    tile.jump[i].way = JUMP_RING | (tile.kept (i) + (next == i ? 0 : tile.jump[next].points_before_start ()));
    tile.segment[i] = number;
    tile.ring (number) = i;
  }
}

/* Adds to a counter of all tiles. Returns what it was. */
__device__ inline uint32_t
add_found (uint32_t *counter, uint32_t added)
{
  return added ? atomicAdd (counter, added) : 0;
}

__device__ inline bool
fits (uint32_t base, uint32_t added, uint32_t most)
{
  return added <= most && base <= most - added;
}

/* The key of the ring start that JUMP knows. */
template <typename T>
__device__ inline uint32_t
key_of (const BordersKernelArgs &f, const T &tile, const Jump &jump)
{
  if (jump.start >= NO_START)
    return NO_KEY;
  const uint32_t place = tile.place[jump.start_passage ()];
  return position_of (f, tile.image_x (place >> PLACE_X & 63), tile.image_y (place >> PLACE_Y & 63))
         + !(place & PLACE_OUTER);
}

/* By the last threads first, as the first ones have passages to write. */
template <typename T>
__device__ inline void
write_segments (const BordersKernelArgs &f, const T &tile)
{
  const uint32_t t = T::THREADS - 1 - threadIdx.x;
#pragma unroll 1
  for (uint32_t k = t; k < tile.open; k += T::THREADS) {
    const Jump jump = tile.jump[tile.heads[k]];
    const uint32_t last = jump.passage (), place = tile.place[last];
    const PassageShape<T::FOUR_CONNECTED> end = tile.shape (last);
    const int x = (place >> PLACE_X & 63) + step_x (end.next), y = (place >> PLACE_Y & 63) + step_y (end.next);
    f.ranking.segments[tile.bases[1] + k] = {position_of (f, tile.image_x (x), tile.image_y (y)), jump.points (),
        key_of (f, tile, jump), SEGMENT_UNLINKED | end.next_slot () << SEGMENT_SLOT | jump.points_before_start ()};
  }
  for (uint32_t k = t; k < tile.closed; k += T::THREADS) {
    const Jump jump = tile.jump[tile.ring (k)];
    f.by_segment.closed_key_length[tile.bases[2] + k] = make_uint2 (key_of (f, tile, jump), jump.points ());
  }
}

template <typename T>
__device__ inline void
write_passages (const BordersKernelArgs &f, const T &tile, uint32_t count)
{
  for (uint32_t i = threadIdx.x; i < count; i += T::THREADS) {
    const Jump jump = tile.jump[i];
    const uint32_t place = tile.place[i], to = tile.bases[0] + i;
    uint32_t position, segment;
    if (jump.way & JUMP_RING) {
      const uint32_t start = jump.start_passage ();
      segment = (tile.bases[2] + tile.segment[start]) | SEGMENT_CLOSED;
      position = start == i ? 0 : tile.jump[start].points () - jump.points_before_start ();
    } else {
      const uint32_t number = tile.segment[jump.passage ()];
      segment = tile.bases[1] + number;
      position = tile.jump[tile.heads[number]].points () - jump.points ();
    }
    f.by_passage.place[to] = tile.image_x (place >> PLACE_X & 63) | tile.image_y (place >> PLACE_Y & 63) << 16;
    f.by_passage.segment[to] = segment;
    f.by_passage.position[to] = position | (place & PLACE_KEPT ? PASSAGE_KEPT : 0);
  }
  const uint32_t t = threadIdx.x;
  const int row = t / BORDERS_TILE_WORDS, word = t % BORDERS_TILE_WORDS;
  if (row < tile.rows && (tile.slots[t][0] | tile.slots[t][1] | tile.slots[t][2] | tile.slots[t][3]))
    f.by_word.first_passage[(size_t) tile.image_y (row) * f.by_word.per_row + blockIdx.x * BORDERS_TILE_WORDS + word] =
        tile.bases[0] + tile.base[t];
}

/* Finds the part's segments, and writes these and the passages, if there is room. */
template <typename T>
__device__ inline void
follow_passages (const BordersKernelArgs &f, T &tile, uint32_t count)
{
  const uint32_t t = threadIdx.x;
  link_passages (f, tile, count);
  uint32_t base = 0; /* Both additions are under way together, while chains are found. */
  const uint32_t added = t == 0 ? count : tile.open;
  if (t < 2)
    base = add_found (t == 0 ? &f.found->passages : &f.found->open, added);
  find_chains (tile, count);
  bool lacks = false;
  if (t < 2) {
    tile.bases[t] = base;
    lacks = !fits (base, added, t == 0 ? f.by_passage.capacity : f.ranking.capacity);
    if (t == 0 && !fits (base, added, MOST_FRAME_PASSAGES))
      atomicOr (&f.found->too_many, 1);
  }
  number_segments (tile, count);
  lacks = __syncthreads_or (lacks);
  if (tile.closed > 0) {
    if (t == 0) {
      base = tile.bases[2] = add_found (&f.found->closed, tile.closed);
      lacks = lacks || !fits (base, tile.closed, f.by_segment.closed_capacity);
    }
    lacks = __syncthreads_or (lacks);
  }
  if (lacks)
    return;
  write_segments (f, tile);
  write_passages (f, tile, count);
}

/* One CTA a tile. Also tells later kernels of the frame where the result goes. */
template <bool FOUR_CONNECTED, bool MANY>
__global__ void
__launch_bounds__ (Tile<FOUR_CONNECTED, MANY>::THREADS,
    ctr_shared_by (Tile<FOUR_CONNECTED, MANY>::THREADS, Tile<FOUR_CONNECTED, MANY>::SHARED_BY))
    tile_kernel (const __grid_constant__ BordersKernelArgs f)
{
  __shared__ Tile<FOUR_CONNECTED, MANY> tile;
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  const uint32_t t = threadIdx.x;
  if (blockIdx.x == 0 && blockIdx.y == 0 && t == 0) {
    *f.output = f.frame_output;
    *f.applied_threshold = f.threshold_device ? *f.threshold_device : f.threshold;
  }
  int top = 0, rows = BORDERS_TILE;
  if (t == 0)
    tile.begin (top, rows);
  if (!load_bits (f, tile))
    return;
#pragma unroll 1
  for (;;) {
    const uint32_t count = number_passages (tile);
    if (count > tile.MOST_PASSAGES) {
      rows /= 2;
    } else {
      top += rows;
      if (count > 0)
        follow_passages (f, tile, count);
      if (top >= BORDERS_TILE)
        return;
    }
    __syncthreads ();
    if (t == 0)
      tile.begin (top, rows);
    __syncthreads ();
  }
}

} // namespace

void
borders_launch_tiles (const BordersKernelArgs &f, bool many_passages, bool overlap, cudaStream_t stream)
{
  const auto launch = [&] (auto *kernel, int threads) {
    ctr_launch_overlapped (overlap, kernel, dim3 (f.tiles_x, f.tiles_y), threads, 0, stream, f);
  };
  if (many_passages)
    launch (f.four_connected ? tile_kernel<true, true> : tile_kernel<false, true>, Tile<false, true>::THREADS);
  else
    launch (f.four_connected ? tile_kernel<true, false> : tile_kernel<false, false>, Tile<false, false>::THREADS);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The first kernel of border following: foreground bits, passages, segments. */
#include "cuda/borders/tile.cuh"
#include "cuda/common/pixels.cuh"

namespace
{

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

/* Joins A, after which not all is known, with B, which follows it. Where both know the same start, B has come round to where A found it:
 * then the ring has the points from there to B, and from B to there. */
__device__ inline Jump
join (const Jump &a, const Jump &b)
{
  const uint32_t points = a.points ();
  const bool same = ((a.start ^ b.start) < 1 << 16) & (a.start < NO_START);
  return {
      same ? JUMP_DONE | JUMP_RING | (points + b.start - a.start) : b.way + points, min (a.start, b.start + points)};
}

/* Finds which passage follows each. A chain begins with a passage that is entered from another tile, and its last one leaves the tile; or
 * it is a ring. The chains that begin so are the open segments. Rulers are the passages that begin chains, those where a ring may start,
 * and some in between; of few passages, all. */
template <typename T>
__device__ inline void
link_passages (const BordersKernelArgs &f, T &tile, uint32_t count)
{
  const bool all = count <= T::ALL_RULERS;
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
    const bool other = (starts | !(i % RULER_SPACING)) & !enters & !all;
    tile.place[i] = place | (kept ? PLACE_KEPT : 0) | (outer ? PLACE_OUTER : 0);
    tile.step[i] = next << STEP_PASSAGE | (kept ? STEP_KEPT : 0) | (alone | leaves ? STEP_LAST : 0)
                   | (other | enters | all ? STEP_RULER : 0);
    tile.jump[i] = {
        next << 16 | kept | (alone | leaves ? JUMP_DONE : 0) | (alone ? JUMP_RING : 0), starts ? i << 16 : NO_START};
    if (enters)
      tile.rulers[atomicAdd (&tile.open, 1)] = i;
    if (other)
      tile.rulers[T::MOST_PASSAGES - 1 - atomicAdd (&tile.others, 1)] = i;
  }
  __syncthreads ();
}

/* From each ruler to the next one: the passages between them learn how far they are from the first one. */
template <typename T>
__device__ inline void
walk_between_rulers (T &tile)
{
  const uint32_t rulers = tile.open + tile.others;
#pragma unroll 1
  for (uint32_t k = threadIdx.x; k < rulers; k += T::THREADS) {
    const uint32_t ruler = tile.ruler (k);
    uint32_t step = tile.step[ruler], way = ruler << 16, next = ruler << 16 | JUMP_DONE;
    if (step & STEP_LAST)
      continue;
    do {
      way += step & STEP_KEPT;
      const uint32_t passage = step >> STEP_PASSAGE & STEP_MOST;
      next = passage << 16;
      step = tile.step[passage];
      if (step & STEP_RULER)
        break;
      tile.jump[passage].way = way;
      next |= JUMP_DONE;
    } while (!(step & STEP_LAST));
    if (next & JUMP_DONE)
      way += step & STEP_KEPT;
    tile.jump[ruler].way = next | (way & 0xffff);
  }
  __syncthreads ();
}

/* Each ruler learns the last passage of its chain, or the start of its ring. No thread waits for another one: whatever the next ruler
 * knows by then, if only itself, is more than was known before. ALL: all of the COUNT passages are rulers. */
template <bool ALL, typename T>
__device__ inline void
find_chains (T &tile, uint32_t count)
{
  const uint32_t rulers = ALL ? count : tile.open + tile.others;
  const uint32_t most_joins =
      rulers <= T::THREADS ? ~0u : 2; /* of a ruler, before the thread goes on to its next one */
  bool any;
  do {
    any = false;
    for (uint32_t k = threadIdx.x; k < rulers; k += T::THREADS) {
      const uint32_t i = ALL ? k : tile.ruler (k);
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

/* The numbers of the segments, for the passages that stand for them. ALL: as above. */
template <bool ALL, typename T>
__device__ inline void
number_segments (T &tile, uint32_t count)
{
  for (uint32_t k = threadIdx.x; k < tile.open; k += T::THREADS) {
    uint16_t &last = tile.step[tile.jump[tile.rulers[k]].passage ()];
    last = (last & STEP_RULER) | k;
  }
  const uint32_t rulers = ALL ? count : tile.open + tile.others;
  for (uint32_t k = threadIdx.x + (ALL ? 0 : tile.open); k < rulers; k += T::THREADS) {
    const uint32_t i = ALL ? k : tile.ruler (k);
    const Jump jump = tile.jump[i];
    if (!(jump.way & JUMP_RING) || jump.start_passage () != i)
      continue;
    const uint32_t number = atomicAdd (&tile.closed, 1);
    tile.step[i] = STEP_RULER | number;
    if (ALL)
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

/* Writes the open segment that ends where JUMP leads, whose number in the part is NUMBER. */
template <typename T>
__device__ inline void
write_open (const BordersKernelArgs &f, const T &tile, uint32_t number, const Jump &jump)
{
  const uint32_t last = jump.passage (), place = tile.place[last];
  const PassageShape<T::FOUR_CONNECTED> end = tile.shape (last);
  const int x = (place >> PLACE_X & 63) + step_x (end.next), y = (place >> PLACE_Y & 63) + step_y (end.next);
  f.ranking.segments[tile.bases[1] + number] = {position_of (f, tile.image_x (x), tile.image_y (y)), jump.points (),
      key_of (f, tile, jump), SEGMENT_UNLINKED | end.next_slot () << SEGMENT_SLOT | jump.points_before_start ()};
}

/* Writes the closed segment that starts where JUMP begins. */
template <typename T>
__device__ inline void
write_closed (const BordersKernelArgs &f, const T &tile, uint32_t number, const Jump &jump)
{
  const uint32_t key = key_of (f, tile, jump);
  f.by_segment.closed_key_length[tile.bases[2] + number] = make_uint2 (key, jump.points ());
  if (f.many_segments) /* The ring and its start are in this tile, which has cleared the bit. */
    atomicOr (&f.by_word.starts[key / 32], 1u << key % 32);
}

/* The segment of the ruler I with JUMP, and points of it before: as Jump.start in the end. */
template <typename T>
__device__ inline uint32_t
result_of (const T &tile, uint32_t i, const Jump &jump)
{
  if (jump.way & JUMP_RING) {
    const uint32_t start = jump.start_passage (), number = tile.step[start] & STEP_MOST;
    return RESULT_CLOSED | number << 16 | (start == i ? 0 : tile.jump[start].points () - jump.points_before_start ());
  }
  const uint32_t number = tile.step[jump.passage ()] & STEP_MOST;
  return number << 16 | (tile.jump[tile.rulers[number]].points () - jump.points ());
}

/* Writes the segments. Where not all of the COUNT passages are rulers, finds each ruler's segment and place in it. */
template <typename T>
__device__ inline void
write_segments (const BordersKernelArgs &f, T &tile, uint32_t count)
{
  if (count <= T::ALL_RULERS) { /* by the last threads first, as the first ones have passages to write */
    const uint32_t t = T::THREADS - 1 - threadIdx.x;
#pragma unroll 1
    for (uint32_t k = t; k < tile.open; k += T::THREADS)
      write_open (f, tile, k, tile.jump[tile.rulers[k]]);
#pragma unroll 1
    for (uint32_t k = t; k < tile.closed; k += T::THREADS)
      write_closed (f, tile, k, tile.jump[tile.ring (k)]);
    return;
  }
  const uint32_t rulers = tile.open + tile.others;
#pragma unroll 1
  for (uint32_t k = threadIdx.x; k < rulers; k += T::THREADS) {
    const uint32_t i = tile.ruler (k);
    const Jump jump = tile.jump[i];
    const uint32_t result = result_of (tile, i, jump);
    if (k < tile.open)
      write_open (f, tile, k, jump);
    else if (jump.way & JUMP_RING && jump.start_passage () == i)
      write_closed (f, tile, result >> 16 & STEP_MOST, jump);
    tile.jump[i].start = result;
  }
  __syncthreads ();
}

template <typename T>
__device__ inline void
write_passages (const BordersKernelArgs &f, const T &tile, uint32_t count)
{
  for (uint32_t i = threadIdx.x; i < count; i += T::THREADS) {
    const uint32_t place = tile.place[i], to = tile.bases[0] + i;
    uint32_t result, way = 0;
    if (count <= T::ALL_RULERS) {
      result = result_of (tile, i, tile.jump[i]);
    } else {
      way = tile.step[i] & STEP_RULER ? i << 16 : tile.jump[i].way;
      result = tile.jump[way >> 16].start;
    }
    const uint32_t number = result >> 16 & STEP_MOST;
    f.by_passage.place[to] = tile.image_x (place >> PLACE_X & 63) | tile.image_y (place >> PLACE_Y & 63) << 16;
    f.by_passage.segment[to] =
        result & RESULT_CLOSED ? (tile.bases[2] + number) | SEGMENT_CLOSED : tile.bases[1] + number;
    f.by_passage.position[to] = ((result + way) & (PASSAGE_KEPT - 1)) | (place & PLACE_KEPT ? PASSAGE_KEPT : 0);
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
  const bool all_rulers = count <= T::ALL_RULERS;
  if (all_rulers) {
    find_chains<true> (tile, count);
  } else {
    walk_between_rulers (tile);
    find_chains<false> (tile, count);
  }
  bool lacks = false;
  if (t < 2) {
    tile.bases[t] = base;
    lacks = !fits (base, added, t == 0 ? f.by_passage.capacity : f.ranking.capacity);
    if (t == 0 && !fits (base, added, MOST_FRAME_PASSAGES))
      atomicOr (&f.found->too_many, 1);
  }
  if (all_rulers)
    number_segments<true> (tile, count);
  else
    number_segments<false> (tile, count);
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
  write_segments (f, tile, count);
  write_passages (f, tile, count);
}

/* Follows the borders of a tile with foreground, part by part. */
template <typename T>
__device__ inline void
follow_tile (const BordersKernelArgs &f, T &tile)
{
  int top = 0, rows = BORDERS_TILE;
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
    if (threadIdx.x == 0)
      tile.begin (top, rows);
    __syncthreads ();
  }
}

/* One CTA a tile. Also tells later kernels of the frame where the result goes. */
template <bool FOUR_CONNECTED, int THREADS>
__global__ void
__launch_bounds__ (THREADS, ctr_shared_by (THREADS, Tile<FOUR_CONNECTED, THREADS>::SHARED_BY))
    tile_kernel (const __grid_constant__ BordersKernelArgs f)
{
  __shared__ Tile<FOUR_CONNECTED, THREADS> tile;
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  const uint32_t t = threadIdx.x;
  if (blockIdx.x == 0 && blockIdx.y == 0 && t == 0) {
    *f.output = f.frame_output;
    *f.applied_threshold = f.threshold_device ? *f.threshold_device : f.threshold;
  }
  if (t == 0)
    tile.begin (0, BORDERS_TILE);
  if (load_bits (f, tile))
    follow_tile (f, tile);
}

} // namespace

void
borders_launch_tiles (const BordersKernelArgs &f, int threads, bool overlap, cudaStream_t stream)
{
  const auto launch = [&] (auto *kernel) {
    ctr_launch_overlapped (overlap, kernel, dim3 (f.tiles_x, f.tiles_y), threads, 0, stream, f);
  };
  if (threads == 512)
    launch (f.four_connected ? tile_kernel<true, 512> : tile_kernel<false, 512>);
  else if (threads == 256)
    launch (f.four_connected ? tile_kernel<true, 256> : tile_kernel<false, 256>);
  else
    launch (f.four_connected ? tile_kernel<true, 128> : tile_kernel<false, 128>);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lone runs, which touch no other run: half of all components in noise. Additions on whole rows of bits find them
 * before the rows are walked. */
#ifndef CTR_CUDA_CCA_LONE_RUNS_CUH
#define CTR_CUDA_CCA_LONE_RUNS_CUH

#include "cuda/cca/tile_task.cuh"

namespace
{

__device__ inline Row
reverse (Row r)
{
  return (Row) __brevll ((uint64_t) r) << 64 | __brevll ((uint64_t) (r >> 64));
}

/* Starts of the runs of ROW that have no pixel in CONTACT; *PIXELS: all pixels of these runs. A start added to a run
 * carries up to the first pixel in contact or, if there is none, out of the run at its far end. */
__device__ inline Row
lone_runs (Row row, Row contact, Row *pixels)
{
  const Row mirrored = reverse (row), ends = mirrored & ~(mirrored << 1);
  const Row down = ends + (mirrored & ~reverse (contact));
  const Row starts = reverse (down & ~mirrored) << 1 | (down < ends); /* the carry out of bit 0 */
  const Row up = (row & ~(row << 1)) + (row & ~contact);
  *pixels = (up & ~row) - starts; /* from each start to its far end; a carry out of bit 127 wraps to the right value */
  return starts;
}

/* The run slots of pixels at least two apart. */
__device__ inline uint64_t
slots_of (Row pixels)
{
  uint64_t halves[2];
#pragma unroll
  for (int i = 0; i < 2; i++) {
    uint64_t half = (uint64_t) (pixels >> 64 * i);
    half = (half | half >> 1) & 0x5555555555555555u;
    half = (half | half >> 1) & 0x3333333333333333u;
    half = (half | half >> 2) & 0x0f0f0f0f0f0f0f0fu;
    half = (half | half >> 4) & 0x00ff00ff00ff00ffu;
    half = (half | half >> 8) & 0x0000ffff0000ffffu;
    halves[i] = (half | half >> 16) & 0xffffffffu;
  }
  return halves[1] << 32 | halves[0];
}

/* Takes the lone runs out of the rows in shared memory, and finds the rows that change. */
template <int CONNECTIVITY, bool KEEP_RUNS>
__device__ inline TileContent
TileTask<CONNECTIVITY, KEEP_RUNS>::take_lone_runs ()
{
  Row row[TURNS];
  bool full = true, empty = true;
#pragma unroll
  for (int i = 0; i < TURNS; i++) {
    row[i] = s.rows[lane + 32 * i];
    full = full && row[i] == ~(Row) 0;
    empty = empty && row[i] == 0;
  }
  if (__all_sync (~0u, full))
    return TILE_FULL;
  if (KEEP_RUNS)
    for (uint32_t i = lane; i < TILE_H * TILE_WORDS; i += 32)
      f.by_word.foreground[tile * TILE_THREADS + i] = ((const uint32_t *) s.rows)[i];
  if (__all_sync (~0u, empty))
    return TILE_EMPTY;
  Row near[TURNS];
  bool may_be_lone = false;
#pragma unroll
  for (int i = 0; i < TURNS; i++) {
    const uint32_t y = lane + 32 * i;
    near[i] = (y > 0 ? s.rows[y - 1] : 0) | (y < TILE_H - 1 ? s.rows[y + 1] : 0);
    if (CONNECTIVITY == 8)
      near[i] |= near[i] << 1 | near[i] >> 1;
    /* At the border of the tile a run may touch one of a neighbouring tile. */
    if ((y == 0 && has_above) || (y == TILE_H - 1 && has_below))
      near[i] = ~(Row) 0;
    if (has_left)
      near[i] |= 1;
    if (has_right)
      near[i] |= (Row) 1 << (TILE_W - 1);
    lone_starts[i] = lone_pixels[i] = 0;
    may_be_lone = may_be_lone || (row[i] & ~near[i]) != 0;
  }
  has_lone = false;
  /* Where each pixel is next to another, as in blocks, no run is lone. */
  if (__any_sync (~0u, may_be_lone)) {
    Row any_lone = 0;
    __syncwarp (); /* Others have read these rows. */
#pragma unroll
    for (int i = 0; i < TURNS; i++) {
      lone_starts[i] = lone_runs (row[i], row[i] & near[i], &lone_pixels[i]);
      row[i] ^= lone_pixels[i];
      any_lone |= lone_pixels[i];
      s.rows[lane + 32 * i] = row[i];
    }
    has_lone = __any_sync (~0u, any_lone != 0);
    __syncwarp ();
  }
  changes = 0;
#pragma unroll
  for (int i = 0; i < TURNS; i++) {
    const uint32_t y = lane + 32 * i;
    const bool changed = row[i] != (y > 0 ? s.rows[y - 1] : 0);
    changes |= (uint64_t) __ballot_sync (~0u, changed) << 32 * i;
  }
  return TILE_MIXED;
}

/* Begins the starts of closed components with those of lone runs, and writes their pixels. */
template <int CONNECTIVITY, bool KEEP_RUNS>
__device__ inline void
TileTask<CONNECTIVITY, KEEP_RUNS>::write_lone_runs ()
{
  const bool limited = f.min_area > 1 || f.max_area;
  if (!has_lone) {
#pragma unroll
    for (int i = 0; i < TURNS; i++)
      s.start_slots[lane + 32 * i] = 0;
    __syncwarp ();
    return;
  }
#pragma unroll
  for (int i = 0; i < TURNS; i++) {
    const uint32_t y = lane + 32 * i;
    Row kept = lone_starts[i];
    ((Row *) f.by_tile.lone[tile].words)[y] = lone_pixels[i];
    if (limited || KEEP_RUNS)
      for (Row rest = lone_starts[i]; rest; rest &= rest - 1) {
        const uint64_t low = (uint64_t) rest;
        const uint32_t x = low ? __ffsll (low) - 1 : 63 + __ffsll ((uint64_t) (rest >> 64));
        const Row from = ~(lone_pixels[i] >> x); /* 0 if the run fills the row */
        const uint64_t first = (uint64_t) from, second = (uint64_t) (from >> 64);
        if (!is_area_kept (f, first ? __ffsll (first) - 1 : second ? 63 + __ffsll (second) : TILE_W))
          kept ^= rest & -rest;
        if (KEEP_RUNS)
          f.by_run_slot.refs[(size_t) tile * TILE_SLOTS + y * ROW_SLOTS + x / 2] = y * ROW_SLOTS + x / 2;
      }
    s.start_slots[y] = slots_of (kept);
  }
  __syncwarp ();
}

} // namespace

#endif

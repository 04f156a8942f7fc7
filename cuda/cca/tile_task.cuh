/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The share of one warp in the analysis of a tile: its state and its steps. */
#ifndef CTR_CUDA_CCA_TILE_TASK_CUH
#define CTR_CUDA_CCA_TILE_TASK_CUH

#include "cuda/cca/tile_labels.cuh"
#include "cuda/cca/tile_pixels.cuh"

namespace
{

constexpr uint32_t NO_LABEL = 0xffff; /* background pixel of a strip's or tile's outer line */
/* Marks the entry of a root once its component is numbered. Then bits 0 to 15 are the reference to the component, and
 * bit 16 is its first column modulo 2. */
constexpr uint32_t RESOLVED = 1u << 31;

enum TileContent { TILE_EMPTY, TILE_FULL, TILE_MIXED };

/* Shared memory of a tile beside its labels. */
template <int STRIPS> struct TileShared {
  Row rows[TILE_H];
  uint64_t start_slots[TILE_H]; /* as by_tile_row.starts */
  /* First record of the tile. Not beside CLOSED, which is read in one wide load while this is written. */
  uint64_t closed_base;
  uint16_t top[STRIPS][TILE_W]; /* labels of the strips' first and last rows */
  uint16_t bottom[STRIPS][TILE_W];
  uint16_t left[TILE_H]; /* labels of the outer columns; of equal rows only the first has them */
  uint16_t right[TILE_H];
  uint32_t open_count;     /* of the tile, where it has several strips */
  uint32_t closed[STRIPS]; /* number of closed components */
};

/* All warps of a tile call all functions together, every warp as a whole. */
template <int CONNECTIVITY, bool KEEP_RUNS, int STRIPS> struct TileTask {
  static constexpr int ROWS = TILE_H / STRIPS;
  static constexpr int TURNS = (ROWS + 31) / 32; /* in which each lane takes one row */

  const CcaKernelArgs &f;
  TileShared<STRIPS> &s;
  Labels labels;
  const uint32_t tile, tx, ty, lane, before_me; /* before_me: mask of the lanes before this one */
  const uint32_t strip, first_row, first_label;
  const bool has_left, has_right, has_above, has_below; /* neighbouring tiles */

  /* Of the lane's row in each turn, which is row first_row + lane + 32 * turn. */
  Row lone_starts[TURNS], lone_pixels[TURNS];
  uint32_t lone_count;
  uint64_t changes;     /* bit: this row of the strip differs from the one above; the first one: from an empty row */
  uint32_t label_count; /* of this strip, from first_label on */

  __device__
  TileTask (const CcaKernelArgs &frame, uint32_t tile_index, uint32_t strip_index, TileShared<STRIPS> &shared,
      const Labels &tile_labels)
      : f (frame), s (shared), labels (tile_labels), tile (tile_index), tx (tile_index % frame.tiles_x),
        ty (tile_index / frame.tiles_x), lane (threadIdx.x % 32), before_me ((1u << threadIdx.x % 32) - 1),
        strip (strip_index), first_row (strip_index * ROWS),
        first_label (strip_index * (tile_labels.capacity / STRIPS)), has_left (tx > 0),
        has_right (tx + 1 < frame.tiles_x), has_above (ty > 0), has_below (ty + 1 < frame.tiles_y)
  {
  }

  /* All steps. False: more labels than there is room for, and nothing written needs to be undone. */
  __device__ bool run (uint32_t threshold);

  /* lone_runs.cuh. A lone run touches no other run and no neighbouring tile. */
  __device__ TileContent take_lone_runs ();
  __device__ void write_lone_runs (uint32_t to);

  /* row_walk.cuh */
  __device__ bool walk ();
  __device__ void join_strips ();
  __device__ void sum_up ();

  /* tile_output.cuh */
  __device__ void resolve_roots (uint32_t *open, uint32_t *closed);
  __device__ uint32_t ref_of (uint32_t label) const;
  __device__ uint32_t component_of (uint32_t label) const;
  __device__ uint32_t components_of (const uint16_t *four) const;
  __device__ void write_run_refs ();
  __device__ void write_border ();
  __device__ void write_closed (uint32_t to);

  /* Waits for all warps of the tile. */
  __device__ static void
  sync ()
  {
    if (STRIPS == 1)
      __syncwarp ();
    else
      __syncthreads ();
  }

  __device__ static bool
  any (bool condition)
  {
    return STRIPS == 1 ? __any_sync (~0u, condition) : __syncthreads_or (condition);
  }

  __device__ bool
  row_of_turn (int turn, uint32_t *y) const
  {
    *y = first_row + lane + 32 * turn;
    return ROWS % 32 == 0 || lane < ROWS;
  }

  /* This lane's four pixels of row Y; *CARRY: the pixel left of them. */
  __device__ uint32_t
  pixels_of (uint32_t y, uint32_t *carry) const
  {
    const uint32_t pixels = ((const uint32_t *) s.rows)[y * TILE_WORDS + lane / 8] >> lane % 8 * 4 & 15;
    const uint32_t from_left = __shfl_up_sync (~0u, pixels >> 3, 1);
    *carry = lane ? from_left : 0;
    return pixels;
  }

  /* Contacts with the row above. Bit of AT_START: a run starts here, and the run above begins before or here. Bit of
   * LATER: a run above starts here, right of the start of the run that it touches. Every touching pair of runs has
   * exactly one contact. */
  __device__ static void
  contacts (uint32_t pixels, uint32_t carry, uint32_t above, uint32_t above_carry, uint32_t *at_start, uint32_t *later)
  {
    const uint32_t starts = pixels & ~(pixels << 1 | carry), above_starts = above & ~(above << 1 | above_carry);
    if (CONNECTIVITY == 8) {
      *at_start = starts & (above | above << 1 | above_carry);
      *later = above_starts & (pixels << 1 | carry);
    } else {
      *at_start = starts & above;
      *later = above_starts & pixels & ~starts;
    }
  }
};

} // namespace

#endif

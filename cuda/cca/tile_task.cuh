/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The analysis of a tile by one warp: its state and its steps. */
#ifndef CTR_CUDA_CCA_TILE_TASK_CUH
#define CTR_CUDA_CCA_TILE_TASK_CUH

#include "cuda/cca/tile_labels.cuh"
#include "cuda/cca/tile_pixels.cuh"
#include "cuda/common/ptx.cuh"

namespace
{

constexpr uint32_t NO_LABEL = 0xffff; /* background pixel of a tile's outer line */
/* Marks the entry of a root once its component is numbered. Then bits 0 to 15 are the reference to the component, and
 * bit 16 is its first column modulo 2. */
constexpr uint32_t RESOLVED = 1u << 31;

enum TileContent { TILE_EMPTY, TILE_FULL, TILE_MIXED };

/* The rows of a tile, with what is already known of closed components. */
struct TileShared {
  Row rows[TILE_H];
  uint64_t start_slots[TILE_H]; /* as by_tile_row.starts */
};

/* The labels of a tile's outer lines. */
struct OuterLabels {
  uint16_t top[TILE_W]; /* of the first and the last row */
  uint16_t bottom[TILE_W];
  uint16_t left[TILE_H]; /* of the outer columns; of equal rows only the first has them */
  uint16_t right[TILE_H];
};

/* The whole warp calls all functions together. */
template <int CONNECTIVITY, bool KEEP_RUNS> struct TileTask {
  static constexpr int TURNS = TILE_H / 32; /* in which each lane takes one row */

  const CcaKernelArgs &f;
  TileShared &s;
  OuterLabels *outer; /* This and LABELS: of label() */
  Labels labels;
  const uint32_t tile, tx, ty, lane, before_me;         /* before_me: mask of the lanes before this one */
  const bool has_left, has_right, has_above, has_below; /* neighbouring tiles */

  /* Of the lane's row in each turn, which is row lane + 32 * turn. */
  Row lone_starts[TURNS], lone_pixels[TURNS];
  bool has_lone;    /* of the tile */
  uint64_t changes; /* bit: this row differs from the one above; the first one: from an empty row */
  uint32_t label_count;

  __device__
  TileTask (const CcaKernelArgs &frame, uint32_t tile_index, TileShared &shared, OuterLabels *outer_labels = NULL,
      const Labels &tile_labels = {})
      : f (frame), s (shared), outer (outer_labels), labels (tile_labels), tile (tile_index),
        tx (tile_index % frame.tiles_x), ty (tile_index / frame.tiles_x), lane (threadIdx.x % 32),
        before_me ((1u << threadIdx.x % 32) - 1), has_left (tx > 0), has_right (tx + 1 < frame.tiles_x),
        has_above (ty > 0), has_below (ty + 1 < frame.tiles_y)
  {
  }

  /* Loads the tile and takes its lone runs. Writes the output of a tile that is empty or full. */
  __device__ TileContent begin (uint32_t threshold);
  /* The steps of a mixed tile by a row walk. False: more labels than there is room for, and nothing written needs to be undone. */
  __device__ bool label ();

  /* lone_runs.cuh. A lone run touches no other run and no neighbouring tile. */
  __device__ TileContent take_lone_runs ();
  __device__ void write_lone_runs ();

  /* row_walk.cuh */
  __device__ bool walk ();
  __device__ void sum_up ();

  /* tile_output.cuh */
  __device__ void resolve_roots (uint32_t *open, uint32_t *closed);
  __device__ uint32_t ref_of (uint32_t label) const;
  __device__ uint32_t component_of (uint32_t label) const;
  __device__ uint32_t components_of (const uint16_t *four) const;
  __device__ void write_run_refs ();
  __device__ void write_border ();
  __device__ void write_closed (uint32_t to);

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

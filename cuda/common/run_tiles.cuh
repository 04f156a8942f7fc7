/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Hysteresis over tiles: which components of candidates contain a strong candidate. Canny and packed masks have the last of these
 * in common.
 *
 *   run_union.cuh        components inside a tile, over runs
 *   run_components.cuh   from there to the elements of the union-find across tiles
 *   run_seams.cuh        the union-find across tiles
 *
 * This is what passes between their kernels. Nothing of it needs to be cleared between frames. */
#ifndef CTR_CUDA_COMMON_RUN_TILES_CUH
#define CTR_CUDA_COMMON_RUN_TILES_CUH

#include "cuda/common/device_buffer.cuh"
#include "cuda/common/launch.cuh"

constexpr int RUN_TILE_W = 256;                 /* columns of a tile */
constexpr int RUN_TILE_WORDS = RUN_TILE_W / 32; /* 32-pixel words of a tile's row */
constexpr int RUN_TILE_MAX_H = 128;             /* no tile has more rows */
/* Weak components of a tile that reach its border: at most (2 * 256 + 2 * 128) / 2. */
constexpr int RUN_TILE_COMPONENTS = 384;
constexpr int RUN_TILE_THREADS = 256;

/* Codes of the pixels at a tile's border: no candidate, part of a component with a strong candidate, or part of weak
 * component CODE - BORDER_COMPONENT of the tile. */
enum { BORDER_NONE, BORDER_STRONG, BORDER_COMPONENT };

struct RunTileBorder {
  uint16_t top[RUN_TILE_W], bottom[RUN_TILE_W];
  uint16_t left[RUN_TILE_MAX_H], right[RUN_TILE_MAX_H];
};

struct RunTileCounts {
  uint32_t components; /* weak ones that reach the border */
  uint32_t runs;       /* of these components */
};

/* A run of a component inside a word is packed as component << RUN_COMPONENT_SHIFT | word << 10 | first bit << 5 | last bit. */
constexpr int RUN_COMPONENT_SHIFT = 20;

/* Room for the runs of pairs of rows of a tile that has up to TILE_H rows. */
__host__ __device__ constexpr size_t
runs_of_tile (uint32_t tile_h)
{
  return (size_t) ((tile_h + 1) / 2) * (RUN_TILE_W / 2);
}

/* Element 0 of the global union-find stands for all strong candidates; component c of tile t is element
 * 1 + t * RUN_TILE_COMPONENTS + c. */
constexpr uint32_t STRONG_ROOT = 0;

namespace
{

/* The runs of BITS that contain a bit of SEEDS. An addition carries to the end of a run. */
__device__ inline uint32_t
fill_runs (uint32_t bits, uint32_t seeds)
{
  const uint32_t up = (bits & ~(bits + seeds)) | seeds;
  const uint32_t mirrored = __brev (bits), mirrored_up = __brev (up);
  return __brev ((mirrored & ~(mirrored + mirrored_up)) | mirrored_up);
}

} // namespace

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Last part of the tile kernels of Canny: from the candidates of a tile to its edges, and to what the seam kernel needs
 * of it. */
#ifndef CTR_CUDA_CANNY_TILE_EDGES_CUH
#define CTR_CUDA_CANNY_TILE_EDGES_CUH

#include "cuda/canny/hysteresis.cuh"

namespace
{

/* Do the runs, components and words of a tile of ROWS rows fit their fields? */
constexpr bool
fits_run_fields (int rows)
{
  return run_words (rows) <= (int) RUN_IS_COMPONENT && CANNY_COMPONENTS <= (int) RUN_IS_COMPONENT
         && CANNY_COMPONENTS <= 1 << (32 - RUN_COMPONENT_SHIFT)
         && rows * CANNY_WORDS <= 1 << (RUN_COMPONENT_SHIFT - 10);
}

__device__ __noinline__ void
write_bytes (uint8_t *to, uint32_t count, uint32_t bits)
{
#pragma unroll 1
  for (uint32_t i = 0; i < count; i++)
    to[i] = bits >> i & 1 ? 255 : 0;
}

/* Writes 16 pixels of the mask, or those of them that are inside the image. */
__device__ inline void
write_mask (const CannyKernelArgs &f, uint32_t x, uint32_t y, uint32_t bits)
{
  uint8_t *to = f.mask + y * f.mask_stride + x;
  if (!f.mask_aligned || x + 16 > f.width) {
    write_bytes (to, min (f.width - x, 16u), bits);
    return;
  }
  uint32_t words[4];
#pragma unroll
  for (int i = 0; i < 4; i++)
    words[i] = ((bits >> 4 * i & 15) * 0x00204081u & 0x01010101u) * 255;
  *(uint4 *) to = make_uint4 (words[0], words[1], words[2], words[3]);
}

/* Counters of a tile, in shared memory. */
struct TileCounts {
  uint32_t weak_runs;
  uint32_t components, component_runs;
};

/* After join_runs(): draws the runs that became strong. Of the other components, those that reach the tile's border,
 * where it has a neighbour, become elements of the global union-find: their roots get numbers. */
__device__ inline void
resolve_runs (const CannyKernelArgs &f, const TileRuns &runs, uint32_t tile, uint32_t tx, uint32_t ty, uint32_t count,
    TileCounts &counts)
{
  const uint32_t top_end = ty > 0 ? CANNY_WORDS : 0, bottom = ty + 1 < f.tiles_y ? runs.words - CANNY_WORDS : ~0u;
  const uint32_t left = tx > 0 ? 1 : 0, right = tx + 1 < f.tiles_x ? 1u << 31 : 0;
#pragma unroll 1
  for (uint32_t i = threadIdx.x; __any_sync (~0u, i < count); i += CANNY_THREADS) {
    const uint32_t run = runs.listed (min (i, count - 1));
    const RunPosition position = runs.position (run);
    const uint32_t root = runs.compress_path (run);
    const uint32_t column = position.word % CANNY_WORDS;
    const bool is_strong = root == STRONG_RUN;
    if (is_strong && i < count)
      atomicOr (&runs.strong[position.word], position.pixels);
    const uint32_t sides = (column == 0 ? left : 0) | (column == CANNY_WORDS - 1 ? right : 0);
    const bool at_tile_border =
        !is_strong && (position.word < top_end || position.word >= bottom || position.pixels & sides);
    constexpr uint32_t is_component = RUN_IS_COMPONENT << RUN_PARENT_SHIFT;
    if (at_tile_border && !(atomicOr (&runs.entries[root], is_component) & is_component)) {
      const uint32_t component = atomicAdd (&counts.components, 1), id = 1 + tile * CANNY_COMPONENTS + component;
      atomicXor (&runs.entries[root], (root ^ component) << RUN_PARENT_SHIFT);
      f.by_component.parents[id] = id;
    }
    __syncwarp ();
  }
  __syncthreads ();
}

/* After resolve_runs(): RUN_IS_COMPONENT | the number of RUN's component, or 0 if it has none. */
__device__ inline uint32_t
component_of_run (const TileRuns &runs, uint32_t run)
{
  const uint32_t up = runs.load (run) >> RUN_PARENT_SHIFT;
  const uint32_t at_root = runs.load (up & RUN_IS_COMPONENT ? run : up) >> RUN_PARENT_SHIFT;
  return at_root & RUN_IS_COMPONENT ? at_root : 0;
}

/* Writes the runs of the numbered components, for the promote kernel. */
__device__ inline void
write_runs (const CannyKernelArgs &f, const TileRuns &runs, uint32_t tile, uint32_t count, TileCounts &counts)
{
  uint32_t *to = f.by_tile_run.runs + (size_t) tile * f.tile_h * (CANNY_W / 2);
#pragma unroll 1
  for (uint32_t i = threadIdx.x; __any_sync (~0u, i < count); i += CANNY_THREADS) {
    const uint32_t run = runs.listed (min (i, count - 1)), component = i < count ? component_of_run (runs, run) : 0;
    if (component) {
      const RunPosition position = runs.position (run);
      to[atomicAdd (&counts.component_runs, 1)] = (component - RUN_IS_COMPONENT) << RUN_COMPONENT_SHIFT
                                                  | position.word << 10 | (__ffs (position.pixels) - 1) << 5
                                                  | (31 - __clz (position.pixels));
    }
    __syncwarp ();
  }
}

/* After resolve_runs(): writes the tile's border where it has a neighbour, for the seam kernel. A thread's three pixels
 * are processed together, so that their loads overlap. */
__device__ inline void
write_tile_border (
    const CannyKernelArgs &f, const TileRuns &runs, uint32_t tile, uint32_t tx, uint32_t ty, uint32_t rows)
{
  static_assert (CANNY_W == CANNY_THREADS && 2 * CANNY_MAX_H == CANNY_THREADS, "each thread has a pixel of every side");
  constexpr int turns = 3; /* top, bottom, sides */
  CannyTileBorder &border = f.by_tile.borders[tile];
  const uint32_t t = threadIdx.x, along = t % CANNY_MAX_H;
  const bool right = t >= CANNY_MAX_H;
  const bool follows[turns] = {ty > 0, ty + 1 < f.tiles_y, along < rows && (right ? tx + 1 < f.tiles_x : tx > 0)};
  uint16_t *const to[turns] = {&border.top[t], &border.bottom[t], right ? &border.right[along] : &border.left[along]};
  const uint32_t words[turns] = {
      t / 32, (rows - 1) * CANNY_WORDS + t / 32, min (along, rows - 1) * CANNY_WORDS + (right ? CANNY_WORDS - 1 : 0)};
  const uint32_t bits[turns] = {t % 32, t % 32, right ? 31u : 0};
  uint32_t weak[turns], code[turns];
  bool is_component[turns];
#pragma unroll
  for (int i = 0; i < turns; i++) {
    weak[i] = runs.weak[words[i]];
    code[i] = runs.strong[words[i]] >> bits[i] & 1 ? BORDER_STRONG : BORDER_NONE;
    is_component[i] = code[i] == BORDER_NONE && follows[i] && weak[i] >> bits[i] & 1;
  }
  if (__any_sync (~0u, is_component[0] || is_component[1] || is_component[2])) {
#pragma unroll
    for (int i = 0; i < turns; i++) {
      const uint32_t component =
          component_of_run (runs, is_component[i] ? runs.run_at (words[i], weak[i], bits[i]) : STRONG_RUN);
      code[i] = is_component[i] ? BORDER_COMPONENT + component - RUN_IS_COMPONENT : code[i];
    }
  }
#pragma unroll
  for (int i = 0; i < turns; i++)
    if (follows[i])
      *to[i] = code[i];
}

/* After the candidates of a tile of at most MOST_ROWS rows are in RUNS, of which ROWS are inside the image. */
template <int MOST_ROWS>
__device__ inline void
finish_tile (const CannyKernelArgs &f, const TileRuns &runs, uint32_t tile, uint32_t tx, uint32_t ty, uint32_t rows,
    TileCounts &counts)
{
  list_weak_runs<MOST_ROWS> (runs, &counts.weak_runs);
  __syncthreads ();
  const uint32_t weak_runs = counts.weak_runs;
  if (weak_runs) {
    join_runs (runs, weak_runs);
    resolve_runs (f, runs, tile, tx, ty, weak_runs, counts);
    if (counts.components) {
      write_runs (f, runs, tile, weak_runs, counts);
      __syncthreads ();
    }
  }
  if (threadIdx.x == 0)
    f.by_tile.counts[tile] = {counts.components, counts.component_runs};
  write_tile_border (f, runs, tile, tx, ty, rows);
#pragma unroll 1
  for (uint32_t i = threadIdx.x; i < 2 * runs.words; i += CANNY_THREADS) { /* threads of a warp write adjacent bytes */
    const uint32_t x = tx * CANNY_W + i % (2 * CANNY_WORDS) * 16;
    if (x < f.width)
      write_mask (f, x, ty * f.tile_h + i / (2 * CANNY_WORDS), runs.strong[i / 2] >> i % 2 * 16);
  }
}

} // namespace

#endif

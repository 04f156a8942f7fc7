/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Hysteresis inside a tile, from its candidates to what the seams need: marks what is strong inside the tile, and makes the
 * other components that reach its border elements of the union-find across tiles. ARGS has the fields width, height, tile_h,
 * tiles_x, tiles_y, by_tile.counts, by_tile.borders, by_tile_run.runs, by_tile_word.candidates and by_component.parents, as
 * run_tiles.cuh defines them. */
#ifndef CTR_CUDA_COMMON_RUN_COMPONENTS_CUH
#define CTR_CUDA_COMMON_RUN_COMPONENTS_CUH

#include "cuda/common/run_union.cuh"

namespace
{

/* Do the runs, components and words of a tile of ROWS rows fit their fields? */
constexpr bool
fits_run_fields (int rows)
{
  return run_words (rows) <= (int) RUN_IS_COMPONENT && RUN_TILE_COMPONENTS <= (int) RUN_IS_COMPONENT
         && RUN_TILE_COMPONENTS <= 1 << (32 - RUN_COMPONENT_SHIFT)
         && pair_words (rows) <= 1 << (RUN_COMPONENT_SHIFT - 10);
}

/* Counters of a tile, in shared memory. */
struct TileCounts {
  uint32_t weak_runs;
  uint32_t components, component_runs;
};

/* After join_runs(), with OWN as there: marks the runs that became strong. Of the other components, those that reach the tile's border,
 * where it has a neighbour, become elements of the global union-find: their roots get numbers. */
template <typename Args>
__device__ inline void
resolve_runs (const Args &f, const TileRuns &runs, uint32_t tile, uint32_t tx, uint32_t ty, uint32_t count,
    const ListedRun &own, TileCounts &counts)
{
  const uint32_t top_end = ty > 0 ? RUN_TILE_WORDS : 0;
  const uint32_t bottom = ty + 1 < f.tiles_y ? pair_words (runs.rows) - RUN_TILE_WORDS : ~0u;
  const uint32_t left = tx > 0 ? 1 : 0, right = tx + 1 < f.tiles_x ? 1u << 31 : 0;
#pragma unroll 1
  for (uint32_t i = threadIdx.x; __any_sync (~0u, i < count); i += RUN_TILE_THREADS) {
    const ListedRun listed = i == threadIdx.x ? own : runs.listed_run (i, count);
    const RunPosition &position = listed.position;
    const uint32_t root = runs.compress_path<true> (listed.run);
    const uint32_t column = position.word % RUN_TILE_WORDS;
    const bool is_strong = root == STRONG_RUN;
    const uint32_t of_upper = runs.candidates[position.upper] & position.columns,
                   of_lower = runs.candidates[position.lower] & position.columns;
    if (is_strong && i < count) {
      atomicOr (&runs.strong[position.upper], of_upper);
      atomicOr (&runs.strong[position.lower], of_lower);
    }
    const uint32_t sides = (column == 0 ? left : 0) | (column == RUN_TILE_WORDS - 1 ? right : 0);
    const uint32_t at_border = (position.word < top_end ? of_upper : 0) | (position.word >= bottom ? of_lower : 0)
                               | (position.columns & sides);
    const bool at_tile_border = !is_strong && at_border;
    constexpr uint32_t is_component = RUN_IS_COMPONENT << RUN_PARENT_SHIFT;
    if (at_tile_border && !(atomicOr (&runs.entries[root], is_component) & is_component)) {
      const uint32_t component = atomicAdd (&counts.components, 1), id = 1 + tile * RUN_TILE_COMPONENTS + component;
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

/* Writes the runs of the numbered components, and all candidates, for the promote kernel. */
template <typename Args>
__device__ inline void
write_runs (
    const Args &f, const TileRuns &runs, uint32_t tile, uint32_t count, const ListedRun &own, TileCounts &counts)
{
  uint4 *const candidates = (uint4 *) (f.by_tile_word.candidates + (size_t) tile * f.tile_h * RUN_TILE_WORDS);
  static_assert (RUN_TILE_MAX_H * RUN_TILE_WORDS / 4 <= RUN_TILE_THREADS, "four words a thread");
  if (threadIdx.x < runs.rows * RUN_TILE_WORDS / 4)
    candidates[threadIdx.x] = ((const uint4 *) runs.candidates)[threadIdx.x];
  uint32_t *to = f.by_tile_run.runs + tile * runs_of_tile (f.tile_h);
#pragma unroll 1
  for (uint32_t i = threadIdx.x; __any_sync (~0u, i < count); i += RUN_TILE_THREADS) {
    const ListedRun listed = i == threadIdx.x ? own : runs.listed_run (i, count);
    const uint32_t component = i < count ? component_of_run (runs, listed.run) : 0;
    if (component) {
      const RunPosition &position = listed.position;
      to[atomicAdd (&counts.component_runs, 1)] = (component - RUN_IS_COMPONENT) << RUN_COMPONENT_SHIFT
                                                  | position.word << 10 | (__ffs (position.columns) - 1) << 5
                                                  | (31 - __clz (position.columns));
    }
    __syncwarp ();
  }
}

/* After resolve_runs(): writes the tile's border where it has a neighbour, for the seam kernel. A thread's TURNS pixels, at the top,
 * at the bottom and on a side, are processed together, so that their loads overlap. */
template <int TURNS, typename Args>
__device__ inline void
write_border_pixels (const Args &f, const TileRuns &runs, uint32_t tile, uint32_t tx, uint32_t ty)
{
  RunTileBorder &border = f.by_tile.borders[tile];
  const uint32_t t = threadIdx.x, along = t % RUN_TILE_MAX_H, rows = runs.rows;
  const bool right = t >= RUN_TILE_MAX_H;
  const bool follows[] = {ty > 0, ty + 1 < f.tiles_y, along < rows && (right ? tx + 1 < f.tiles_x : tx > 0)};
  uint16_t *const to[] = {&border.top[t], &border.bottom[t], right ? &border.right[along] : &border.left[along]};
  const uint32_t at_rows[] = {0, rows - 1, min (along, rows - 1)};
  const uint32_t columns[] = {t / 32, t / 32, right ? RUN_TILE_WORDS - 1u : 0};
  const uint32_t bits[] = {t % 32, t % 32, right ? 31u : 0};
  uint32_t code[TURNS];
  bool is_component[TURNS], any = false;
#pragma unroll
  for (int i = 0; i < TURNS; i++) {
    const uint32_t word = at_rows[i] * RUN_TILE_WORDS + columns[i];
    code[i] = runs.strong[word] >> bits[i] & 1 ? BORDER_STRONG : BORDER_NONE;
    is_component[i] = code[i] == BORDER_NONE && follows[i] && runs.candidates[word] >> bits[i] & 1;
    any = any || is_component[i];
  }
  if (__any_sync (~0u, any)) {
#pragma unroll
    for (int i = 0; i < TURNS; i++) {
      const uint32_t word = at_rows[i] / 2 * RUN_TILE_WORDS + columns[i];
      const uint32_t component =
          component_of_run (runs, is_component[i] ? runs.run_at (word, runs.weak[word], bits[i]) : STRONG_RUN);
      code[i] = is_component[i] ? BORDER_COMPONENT + component - RUN_IS_COMPONENT : code[i];
    }
  }
#pragma unroll
  for (int i = 0; i < TURNS; i++)
    if (follows[i])
      *to[i] = code[i];
}

template <typename Args>
__device__ inline void
write_tile_border (const Args &f, const TileRuns &runs, uint32_t tile, uint32_t tx, uint32_t ty)
{
  static_assert (RUN_TILE_W == RUN_TILE_THREADS && 2 * RUN_TILE_MAX_H == RUN_TILE_THREADS && RUN_TILE_MAX_H % 32 == 0,
      "each thread has a pixel of every side, and a warp those of one");
  if (threadIdx.x % RUN_TILE_MAX_H / 32 * 32 < runs.rows)
    write_border_pixels<3> (f, runs, tile, tx, ty);
  else
    write_border_pixels<2> (f, runs, tile, tx, ty);
}

/* After the candidates of a tile of at most MOST_ROWS rows are in RUNS. STRONG is then what is found inside the tile. */
template <int MOST_ROWS, typename Args>
__device__ inline void
resolve_tile (const Args &f, const TileRuns &runs, uint32_t tile, uint32_t tx, uint32_t ty, TileCounts &counts)
{
  list_weak_runs<MOST_ROWS> (runs, &counts.weak_runs);
  __syncthreads ();
  const uint32_t weak_runs = counts.weak_runs;
  if (weak_runs) {
    const ListedRun own = runs.listed_run (threadIdx.x, weak_runs);
    join_runs (runs, weak_runs, own);
    resolve_runs (f, runs, tile, tx, ty, weak_runs, own, counts);
    if (counts.components)
      write_runs (f, runs, tile, weak_runs, own, counts);
  }
  write_tile_border (f, runs, tile, tx, ty);
}

/* After resolve_tile(), which does not wait until the runs are counted. */
template <typename Args>
__device__ inline void
write_counts (const Args &f, uint32_t tile, const TileCounts &counts)
{
  if (counts.components)
    __syncthreads ();
  if (threadIdx.x == 0)
    f.by_tile.counts[tile] = {counts.components, counts.component_runs};
}

} // namespace

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* First kernel of the component analysis: thresholds, packs and labels one tile of 128 x 64 pixels.
 *
 * In a large frame one warp takes a whole tile, of which it needs no more than the rows that change. A tile with more runs or components
 * than the warp has room for, as noise has them, is crowded: it is left to the whole CTA. A small frame has too few tiles to fill the
 * GPU, so the time of one warp decides: there a CTA takes each tile, with a thread a word of pixels, a run or a component. So it does
 * in a large frame if most tiles of the one before were crowded.
 *
 * A tile with more runs, contacts or components than the CTA has room for, as dots on a fine grid have them, is analysed again by one warp,
 * row by row, with its labels in all of the CTA's shared memory. More labels than fit there, which takes a pattern made for the purpose, are in global
 * memory. */
#include "cuda/cca/lone_runs.cuh"
#include "cuda/cca/row_walk.cuh"
#include "cuda/cca/tile_runs.cuh"
#include "cuda/cca/warp_runs.cuh"

namespace
{

constexpr int TILE_WARPS = 8; /* of a CTA, each with a tile, and all with those of many runs */
constexpr int TILE_CTAS = 4;  /* of an SM */
/* The first CTAs of an SM begin one after the other, so many cycles apart: some less than the GPU takes to load the tiles of a CTA of each SM. If
 * all began together, all would load at first, and then all would label while memory waits. */
constexpr uint32_t LOAD_CYCLES = 3000;
/* A frame with more tiles is large: those of a smaller one run in two waves on an H100. 2560 x 1440 has 460, 3840 x 2160 has 1020. In one of
 * few tiles more threads have each. Emulated tests have other numbers, and tests/core/cca/many_tiles.c has frames of each kind. */
#ifndef CTR_CCA_SMALL_TILES
#define CTR_CCA_SMALL_TILES 2112
#define CTR_CCA_FEW_TILES 528
#endif
constexpr unsigned SMALL_TILES = CTR_CCA_SMALL_TILES, FEW_TILES = CTR_CCA_FEW_TILES;
/* Threads of a CTA with a tile by runs. An SM has 1024, so of the 132 of an H100 each runs 4 or 8 tiles at once. Of a crowded frame it has
 * CROWDED_CTAS. */
constexpr int MORE_RUN_THREADS = 256, RUN_THREADS = 128, CROWDED_CTAS = 9;

template <int CONNECTIVITY, bool KEEP_RUNS>
__device__ inline TileContent
TileTask<CONNECTIVITY, KEEP_RUNS>::begin (uint32_t threshold)
{
  load_rows<TILE_H> (f, threshold, tx, ty, 0, s.rows);
  __syncwarp ();
  const TileContent content = take_lone_runs ();
  if (content == TILE_FULL) {
    write_full_tile (f, tile, tx, ty, KEEP_RUNS);
  } else if (content == TILE_EMPTY) {
    write_empty_border (f, tile);
    if (lane == 0)
      f.by_tile.headers[tile] = {0, 0, 0, 0};
  }
  return content;
}

template <int CONNECTIVITY, bool KEEP_RUNS>
__device__ inline bool
TileTask<CONNECTIVITY, KEEP_RUNS>::label ()
{
  const uint32_t null_label = labels.null_label ();
  if (lane == 0) {
    labels.entry[null_label] = null_label << 16;
    labels.area_sum_x[null_label] = labels.sum_y[null_label] = labels.box[null_label] = 0;
  }
  __syncwarp ();
  if (!walk ())
    return false;
  write_lone_runs ();
  sum_up ();
  __syncwarp ();
  uint32_t open_count, closed_count;
  resolve_roots (&open_count, &closed_count);

  /* Reserve the records; the result arrives while the border is written. */
  uint32_t closed_base = 0;
  if (lane == 0 && closed_count)
    closed_base = atomicAdd (&f.counters->closed, closed_count);
  __syncwarp ();

  if (KEEP_RUNS)
    write_run_refs ();
  if (open_count)
    write_border ();
  else
    write_empty_border (f, tile);

  if (lane == 0)
    f.by_tile.headers[tile] = {open_count, closed_count, closed_base, has_lone ? TILE_HAS_LONE : 0};
  if (closed_count || has_lone)
    for (uint32_t y = lane; y < TILE_H; y += 32)
      f.by_tile_row.starts[(size_t) tile * TILE_H + y] = s.start_slots[y];
  if (closed_count)
    write_closed (__shfl_sync (~0u, closed_base, 0));
  return true;
}

/* Analyses a tile by one warp. */
template <int CONNECTIVITY, bool KEEP_RUNS>
__device__ __noinline__ bool
walk_tile (
    const CcaKernelArgs &f, uint32_t threshold, uint32_t tile, TileShared &s, OuterLabels &outer, const Labels &labels)
{
  __syncwarp (); /* other lanes may still read shared memory of a former attempt */
  TileTask<CONNECTIVITY, KEEP_RUNS> task (f, tile, s, &outer, labels);
  return task.begin (threshold) != TILE_MIXED || task.label ();
}

/* Likewise, with a label for every run slot, in an overflow slot that warps hold in turn. */
template <int CONNECTIVITY, bool KEEP_RUNS>
__device__ __noinline__ void
analyse_overflow_tile (const CcaKernelArgs &f, uint32_t threshold, uint32_t tile, TileShared &s, OuterLabels &outer)
{
  uint32_t slot = tile % OVERFLOW_SLOTS;
  if (threadIdx.x % 32 == 0)
    /* The warp that holds a slot is running and will release it. */
    while (atomicExch (&f.by_overflow_slot.taken[slot], 1u))
      slot = (slot + 1) % OVERFLOW_SLOTS;
  slot = __shfl_sync (~0u, slot, 0);
  __threadfence ();
  constexpr int size = OVERFLOW_LABELS + 1;
  uint32_t *labels = f.by_overflow_slot.labels + (size_t) slot * 4 * size;
  walk_tile<CONNECTIVITY, KEEP_RUNS> (
      f, threshold, tile, s, outer, {labels, labels + size, labels + 2 * size, labels + 3 * size, OVERFLOW_LABELS});
  __syncwarp ();
  __threadfence ();
  if (threadIdx.x % 32 == 0)
    atomicExch (&f.by_overflow_slot.taken[slot], 0u);
}

/* Likewise, with LABELS in memory that the warps of the CTA use in turn, for which *BUSY is 0, and in global memory if there are more. */
template <int CONNECTIVITY, bool KEEP_RUNS>
__device__ __noinline__ void
analyse_crowded_tile (const CcaKernelArgs &f, uint32_t threshold, uint32_t tile, TileShared &s, OuterLabels &outer,
    const Labels &labels, uint32_t *busy)
{
  if (threadIdx.x % 32 == 0)
    while (atomicExch (busy, 1u))
      pause_warp (100);
  __syncwarp ();
  __threadfence_block ();
  const bool done = walk_tile<CONNECTIVITY, KEEP_RUNS> (f, threshold, tile, s, outer, labels);
  __syncwarp ();
  __threadfence_block ();
  if (threadIdx.x % 32 == 0)
    atomicExch (busy, 0u);
  if (!done)
    analyse_overflow_tile<CONNECTIVITY, KEEP_RUNS> (f, threshold, tile, s, outer);
}

enum TileState { DONE, DONE_FULL, BY_CTA, BY_CTA_WITH_LONE, TOO_MANY };

/* Joins the component of a full TILE, that of WARP, to the first one of the full tiles before it in its row, of those that the CTA has. The key of
 * that is the least. Then the seams between them have nothing left to unite. */
__device__ inline void
join_full_tiles (const CcaKernelArgs &f, uint32_t tile, const uint32_t *states, uint32_t warp)
{
  const uint32_t tx = tile % f.tiles_x, most = min (warp, tx);
  uint32_t before = 0;
  while (before < most && states[warp - before - 1] == DONE_FULL)
    before++;
  if (before)
    f.by_open_component.parents[tile * MAX_OPEN_COMPONENTS] =
        open_key (tile / f.tiles_x * TILE_H, (tx - before) * TILE_W, (tile - before) * MAX_OPEN_COMPONENTS);
}

/* A warp for each tile. Those that are left over are then analysed by the whole CTA, one after the other. */
template <int CONNECTIVITY, bool KEEP_RUNS>
__global__ void __launch_bounds__ (32 * TILE_WARPS, TILE_CTAS) tile_kernel (const __grid_constant__ CcaKernelArgs f)
{
  typedef RunShared<32 * TILE_WARPS> Runs;
  constexpr int room =
      TILE_WARPS * sizeof (WarpRunArrays) > sizeof (Runs) ? TILE_WARPS * sizeof (WarpRunArrays) : sizeof (Runs);
  constexpr int most_labels =
      (room - TILE_WARPS * sizeof (OuterLabels)) / (4 * sizeof (uint32_t)) - 1; /* of one tile */
  __shared__ TileShared shared[TILE_WARPS];
  __shared__ uint32_t states[TILE_WARPS], busy;
  __shared__ union {
    WarpRunArrays by_warp[TILE_WARPS];
    Runs runs;
    struct {
      OuterLabels outer[TILE_WARPS];
      uint32_t labels[4][most_labels + 1];
    } walk;
  } s;
  const uint32_t warp = threadIdx.x / 32, first = blockIdx.x * TILE_WARPS, tile = first + warp;
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  const uint32_t wave = multiprocessors ();
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ == 900 || __CUDA_ARCH__ == 1000 /* Others have room for fewer CTAs. */
  const uint32_t turn = blockIdx.x / wave;
  if (turn > 0 && turn < TILE_CTAS)
    pause_for_cycles (turn * LOAD_CYCLES);
#endif
  const uint32_t threshold = f.threshold_device ? *f.threshold_device : f.threshold;
  uint32_t own = DONE;
  /* Votes tell the compiler that the warp stays together. */
  if (__any_sync (~0u, tile < f.tiles_x * f.tiles_y)) {
    TileTask<CONNECTIVITY, KEEP_RUNS> task (f, tile, shared[warp]);
    const TileContent content = task.begin (threshold);
    if (content == TILE_FULL) {
      own = DONE_FULL;
    } else if (content == TILE_MIXED) {
      task.write_lone_runs ();
      WarpRuns<CONNECTIVITY, KEEP_RUNS> runs (f, tile, task.tx, task.ty, s.by_warp[warp], shared[warp]);
      if (!runs.label (task.changes, task.has_lone ? TILE_HAS_LONE : 0))
        own = task.has_lone ? BY_CTA_WITH_LONE : BY_CTA;
    }
    const uint32_t next = tile + wave * TILE_CTAS * TILE_WARPS;
    if (next < f.tiles_x * f.tiles_y)
      prefetch_rows (f, next);
  }
  const uint32_t lane = threadIdx.x % 32;
  if (lane == 0)
    states[warp] = own;
  if (threadIdx.x == 0)
    busy = 0;
  const uint32_t crowded = __syncthreads_count (lane == 0 && own > DONE_FULL);
  if (own == DONE_FULL && lane == 0)
    join_full_tiles (f, tile, states, warp);
  if (!crowded)
    return;
  if (threadIdx.x == 0)
    atomicAdd (&f.counters->crowded, crowded);
#pragma unroll 1
  for (uint32_t i = 0; i < TILE_WARPS; i++) {
    if (states[i] <= DONE_FULL)
      continue;
    RunTile<CONNECTIVITY, KEEP_RUNS, 32 * TILE_WARPS> runs (f, first + i, s.runs, shared[i]);
    const bool done = runs.template label<false, false> (states[i] == BY_CTA_WITH_LONE ? TILE_HAS_LONE : 0);
    __syncthreads ();
    if (!done && i == warp)
      own = TOO_MANY;
  }
  uint32_t (*labels)[most_labels + 1] = s.walk.labels;
  if (own == TOO_MANY)
    analyse_crowded_tile<CONNECTIVITY, KEEP_RUNS> (f, threshold, tile, shared[warp], s.walk.outer[warp],
        {labels[0], labels[1], labels[2], labels[3], most_labels}, &busy);
}

/* A CTA for each tile. CROWDED: most are likely to be crowded. */
template <int CONNECTIVITY, bool KEEP_RUNS, int THREADS, bool CROWDED>
__global__ void
__launch_bounds__ (THREADS, ctr_shared_by (THREADS, CROWDED ? CROWDED_CTAS : 1024 / THREADS))
    run_kernel (const __grid_constant__ CcaKernelArgs f)
{
  struct Runs {
    RunShared<THREADS> shared;
    TileShared tile;
  };
  static_assert (CROWDED_CTAS * (sizeof (Runs) + 1024) <= 227 * 1024, "an SM of an H100 has room for all");
  constexpr int capacity = (sizeof (Runs) - sizeof (TileShared) - sizeof (OuterLabels)) / (4 * sizeof (uint32_t)) - 1;
  __shared__ union {
    Runs runs;
    struct {
      TileShared tile;
      OuterLabels outer;
      uint32_t labels[4][capacity + 1];
    } walk;
  } s;
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  const uint32_t threshold = f.threshold_device ? *f.threshold_device : f.threshold;
  RunTile<CONNECTIVITY, KEEP_RUNS, THREADS> tile (f, blockIdx.x, s.runs.shared, s.runs.tile);
  uint32_t (*labels)[capacity + 1] = s.walk.labels;
  if (!tile.template run<CROWDED> (threshold) && threadIdx.x < 32
      && !walk_tile<CONNECTIVITY, KEEP_RUNS> (
          f, threshold, blockIdx.x, s.walk.tile, s.walk.outer, {labels[0], labels[1], labels[2], labels[3], capacity}))
    analyse_overflow_tile<CONNECTIVITY, KEEP_RUNS> (f, threshold, blockIdx.x, s.walk.tile, s.walk.outer);
  if (!f.counts_tiles)
    return;
  __syncthreads ();
  if (threadIdx.x == 0)
    count_arrival (&f.counters->labelled);
}

template <int CONNECTIVITY, bool KEEP_RUNS>
void
launch (const CcaKernelArgs &f, bool crowded, bool overlap, cudaStream_t stream)
{
  const unsigned tiles = f.tiles_x * f.tiles_y;
  if (tiles <= FEW_TILES)
    ctr_launch_overlapped (
        overlap, run_kernel<CONNECTIVITY, KEEP_RUNS, MORE_RUN_THREADS, false>, tiles, MORE_RUN_THREADS, 0, stream, f);
  else if (tiles <= SMALL_TILES)
    ctr_launch_overlapped (
        overlap, run_kernel<CONNECTIVITY, KEEP_RUNS, RUN_THREADS, false>, tiles, RUN_THREADS, 0, stream, f);
  else if (crowded)
    ctr_launch_overlapped (
        overlap, run_kernel<CONNECTIVITY, KEEP_RUNS, RUN_THREADS, true>, tiles, RUN_THREADS, 0, stream, f);
  else
    ctr_launch_overlapped (
        overlap, tile_kernel<CONNECTIVITY, KEEP_RUNS>, ctr_div_up (tiles, TILE_WARPS), 32 * TILE_WARPS, 0, stream, f);
}

} // namespace

bool
cca_has_run_kernel (const CcaKernelArgs &f)
{
  return f.tiles_x * f.tiles_y <= SMALL_TILES;
}

void
cca_launch_tiles (
    const CcaKernelArgs &f, int connectivity, bool keep_runs, bool crowded, bool overlap, cudaStream_t stream)
{
  if (connectivity == 8)
    keep_runs ? launch<8, true> (f, crowded, overlap, stream) : launch<8, false> (f, crowded, overlap, stream);
  else
    keep_runs ? launch<4, true> (f, crowded, overlap, stream) : launch<4, false> (f, crowded, overlap, stream);
}

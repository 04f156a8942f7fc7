/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The tile kernel of Canny for thresholds that are shares of the greatest |dx| + |dy|, aperture 3: one pass.
 *
 * A CTA blurs its tiles, keeps the blurred samples in shared memory, and publishes the greatest magnitude of each tile. When
 * all tiles are published, every CTA knows the thresholds and takes its tiles to edges.
 *
 * A CTA claims its tiles when it starts. Whoever waits claims tiles that nobody has: their CTA has not started yet, and may
 * not before this one ends, since other kernels use the GPU, too. So nothing can block. Such a tile is not kept, but blurred
 * again when the thresholds are known. */
#include "cuda/canny/greatest_rows.cuh"
#include "cuda/canny/tile.cuh"

#include "core/canny/thresholds.h"

namespace
{

constexpr uint32_t NOT_KEPT = 1u << 31; /* in the lower half of CannyTileState.published, beside the magnitude */
constexpr uint32_t NO_TILE = ~0u;

/* What the threads of a CTA share. */
struct CtaState {
  uint32_t own[CANNY_MOST_KEPT]; /* tiles that it claimed at its start, or NO_TILE. These slots have their samples. */
  bool last_slot_is_lost;        /* Other tiles have been in it since. */
  uint32_t greatest[2][CANNY_THREADS / 32];
  uint32_t claimed; /* the tile that is worked on, or NO_TILE */
  /* On the way to edges: */
  int low, high;       /* thresholds */
  uint32_t turn;       /* slot by slot; then, where the frame HAS_MORE, tiles that were not kept */
  bool has_more, blur; /* Is the tile to be blurred again? */
  uint32_t slot;       /* It has the tile's samples. */
};

__device__ inline uint32_t
load_flag (const uint32_t *from)
{
  return *(const volatile uint32_t *) from;
}

__device__ inline unsigned long long
load_published (const CannyOnePass &pass, uint32_t tile)
{
  return *(const volatile unsigned long long *) &pass.states[tile].published;
}

__device__ inline void
publish (const CannyOnePass &pass, uint32_t tile, uint32_t greatest)
{
  *(volatile unsigned long long *) &pass.states[tile].published = (unsigned long long) pass.frame << 32 | greatest;
}

/* Sets FLAG to the frame. Is the caller the first? */
__device__ inline bool
claim (const CannyOnePass &pass, uint32_t *flag)
{
  return atomicExch (flag, pass.frame) != pass.frame;
}

/* The greatest of the CTA's threads, in all of them. Has a barrier. OF_WARP: not that of the call before. */
__device__ inline uint32_t
greatest_in_cta (uint32_t own, uint32_t *of_warp)
{
#pragma unroll
  for (int distance = 16; distance > 0; distance /= 2)
    own = max (own, __shfl_xor_sync (~0u, own, distance));
  if (threadIdx.x % 32 == 0)
    of_warp[threadIdx.x / 32] = own;
  __syncthreads ();
#pragma unroll
  for (int i = 0; i < CANNY_THREADS / 32; i++)
    own = max (own, of_warp[i]);
  return own;
}

/* The thread's greatest magnitude of a blurred tile. */
template <typename Layout>
__device__ inline uint32_t
greatest_of_tile (const CannyKernelArgs &f, const TilePlace &tile, const uint8_t *blurred)
{
  const WarpRows rows = rows_of_warp<Layout::ROWS> ();
  return greatest_of_rows (
      f, blurred + (rows.first + PAIRS_MARGIN - 1) * BLURRED_STRIDE, tile.x, tile.y, rows.first, rows.end);
}

template <int STEPS>
__device__ __noinline__ void
blur_again (const CannyKernelArgs &f, uint32_t tile, const uint32_t *weights, uint8_t *source, uint8_t *blurred)
{
  typedef TileLayout<STEPS, SMALL_ROWS, false> Layout;
  blur_tile<STEPS, SMALL_ROWS, false> (f, place_of_tile<Layout> (f, tile), weights, source, blurred);
}

/* A number of the tile that is another one in each CTA, so that CTAs seldom choose the same tile. */
__device__ inline uint32_t
rank_of_tile (const CannyOnePass &pass, uint32_t tile)
{
  return tile < blockIdx.x ? tile + pass.tiles - blockIdx.x : tile - blockIdx.x;
}

__device__ inline uint32_t
tile_of_rank (const CannyOnePass &pass, uint32_t rank)
{
  return (rank + blockIdx.x) % pass.tiles;
}

/* What a thread knows of the tiles. */
struct Published {
  uint32_t greatest;
  bool missing, not_kept;
  uint32_t unclaimed; /* 1 + the rank of a tile that nobody has claimed; 0: there is none */
};

__device__ inline Published
look_at_tiles (const CannyOnePass &pass)
{
  constexpr int turns = 4; /* loads at a time */
  Published all = {};
#pragma unroll 1
  for (uint32_t base = threadIdx.x; base < pass.tiles; base += turns * CANNY_THREADS) {
    unsigned long long found[turns];
#pragma unroll
    for (int i = 0; i < turns; i++)
      found[i] = load_published (pass, min (base + i * CANNY_THREADS, pass.tiles - 1));
#pragma unroll
    for (int i = 0; i < turns; i++) {
      const uint32_t tile = min (base + i * CANNY_THREADS, pass.tiles - 1);
      if ((uint32_t) (found[i] >> 32) == pass.frame) {
        all.greatest = max (all.greatest, (uint32_t) found[i] & ~NOT_KEPT);
        all.not_kept = all.not_kept || (uint32_t) found[i] & NOT_KEPT;
      } else {
        all.missing = true;
        if (load_flag (&pass.states[tile].claimed) != pass.frame)
          all.unclaimed = max (all.unclaimed, 1 + rank_of_tile (pass, tile));
      }
    }
  }
  return all;
}

/* 1 + the rank of a tile of the thread's that was not kept and that nobody has claimed again; 0: there is none. */
__device__ inline uint32_t
look_for_tile_not_kept (const CannyOnePass &pass)
{
  uint32_t rank = 0;
#pragma unroll 1
  for (uint32_t tile = threadIdx.x; tile < pass.tiles; tile += CANNY_THREADS)
    if ((uint32_t) load_published (pass, tile) & NOT_KEPT && load_flag (&pass.states[tile].again) != pass.frame)
      rank = max (rank, 1 + rank_of_tile (pass, tile));
  return rank;
}

template <int STEPS>
__global__ void
__launch_bounds__ (CANNY_THREADS, STEPS <= 1 ? 3 : 1)
    relative_kernel (const __grid_constant__ CannyKernelArgs f, const __grid_constant__ CannyOnePass pass)
{
  typedef TileLayout<STEPS, SMALL_ROWS, false> Layout;
  static_assert (Layout::ROWS == CANNY_ONE_PASS_ROWS, "the host counts on it");
  static_assert (Layout::RUNS_END <= Layout::SOURCE + Layout::BLURRED, "runs lie on samples that are done with");
  extern __shared__ __align__ (16) uint8_t memory[];
  __shared__ uint32_t weights[WEIGHT_WORDS<STEPS>];
  __shared__ TileCounts counts;
  __shared__ CtaState cta;
  uint8_t *const slots = memory + Layout::SOURCE;
  uint32_t *candidates = (uint32_t *) memory, *strong = (uint32_t *) (memory + Layout::BITS);
  ctr_let_next_start ();
  if (threadIdx.x < pass.kept) {
    const uint32_t tile = blockIdx.x + threadIdx.x * gridDim.x;
    cta.own[threadIdx.x] = tile < pass.tiles && claim (pass, &pass.states[tile].claimed) ? tile : NO_TILE;
  }
  if (threadIdx.x == 0)
    cta.last_slot_is_lost = false;
  if (STEPS > 0)
    tabulate_weights<STEPS> (f, weights);

  /* The greatest magnitudes of its tiles. The next tile is on its way meanwhile. */
  start_loading<STEPS, SMALL_ROWS, false> (f, place_of_tile<Layout> (f, blockIdx.x), memory);
#pragma unroll 1
  for (uint32_t i = 0, number = blockIdx.x; number < pass.tiles; i++) {
    const TilePlace tile = place_of_tile<Layout> (f, number);
    uint8_t *blurred = slots + i * Layout::BLURRED;
    copies_done ();
    __syncthreads ();
    const bool is_own = cta.own[i] != NO_TILE;
    if (is_own)
      blur_loaded<STEPS, SMALL_ROWS, false> (f, tile, weights, memory, blurred);
    number += gridDim.x;
    if (number < pass.tiles)
      start_loading<STEPS, SMALL_ROWS, false> (f, place_of_tile<Layout> (f, number), memory);
    if (is_own) {
      const uint32_t greatest = greatest_in_cta (greatest_of_tile<Layout> (f, tile, blurred), cta.greatest[i % 2]);
      if (threadIdx.x == 0)
        publish (pass, tile.number, greatest);
    }
  }
  __syncthreads ();

  /* Those of all tiles. */
  Published all;
  for (;;) {
    all = look_at_tiles (pass);
    const uint32_t state = greatest_in_cta (all.missing + all.unclaimed, cta.greatest[0]);
    if (state == 0)
      break;
    if (all.missing)
      __nanosleep (20);
    if (threadIdx.x == 0) {
      const uint32_t tile = state > 1 ? tile_of_rank (pass, state - 2) : NO_TILE;
      cta.claimed = tile != NO_TILE && claim (pass, &pass.states[tile].claimed) ? tile : NO_TILE;
      cta.last_slot_is_lost = cta.last_slot_is_lost || cta.claimed != NO_TILE;
    }
    __syncthreads ();
    if (cta.claimed == NO_TILE)
      continue;
    uint8_t *blurred = slots + (pass.kept - 1) * Layout::BLURRED;
    blur_again<STEPS> (f, cta.claimed, weights, memory, blurred);
    const uint32_t greatest = greatest_in_cta (
        greatest_of_tile<Layout> (f, place_of_tile<Layout> (f, cta.claimed), blurred), cta.greatest[1]);
    if (threadIdx.x == 0)
      publish (pass, cta.claimed, NOT_KEPT | greatest);
    __syncthreads ();
  }
  const bool has_more = __syncthreads_or (all.not_kept);
  const uint32_t greatest = greatest_in_cta (all.greatest, cta.greatest[1]);
  if (threadIdx.x == 0) {
    const CtrCannyLimits limits = ctr_canny_relative_limits (pass.low_share, pass.high_share, false, greatest);
    if (blockIdx.x == 0)
      *pass.host = limits;
    cta.low = (int) limits.low;
    cta.high = (int) limits.high;
    cta.has_more = has_more;
    cta.turn = 0;
  }
  __syncthreads ();

  /* From the blurred samples to edges. What a tile has been in is free for the runs of those behind it. The loop's state is
   * in shared memory, because registers are short. */
  for (;;) {
    if (cta.turn >= pass.kept) {
      if (!cta.has_more)
        break;
      const uint32_t rank = greatest_in_cta (look_for_tile_not_kept (pass), cta.greatest[0]);
      if (rank == 0)
        break;
      if (threadIdx.x == 0) {
        const uint32_t tile = tile_of_rank (pass, rank - 1);
        cta.claimed = claim (pass, &pass.states[tile].again) ? tile : NO_TILE;
        cta.slot = 0;
        cta.blur = true;
      }
    } else if (threadIdx.x == 0) {
      cta.claimed = cta.own[cta.turn];
      cta.slot = cta.turn;
      cta.blur = cta.turn == pass.kept - 1 && cta.last_slot_is_lost;
    }
    if (threadIdx.x == 0)
      counts = {};
    __syncthreads ();
    if (cta.claimed != NO_TILE) {
      if (cta.blur)
        blur_again<STEPS> (f, cta.claimed, weights, memory, slots + cta.slot * Layout::BLURRED);
      find_tile_candidates<Layout> (f, place_of_tile<Layout> (f, cta.claimed), slots + cta.slot * Layout::BLURRED,
          cta.low, cta.high, candidates, strong);
      __syncthreads ();
      const TilePlace tile = place_of_tile<Layout> (f, cta.claimed);
      finish_tile<Layout::ROWS> (f,
          {candidates, strong, (uint32_t *) (memory + 2 * Layout::BITS), tile.rows * CANNY_WORDS}, tile.number, tile.tx,
          tile.ty, tile.rows, counts);
    }
    if (threadIdx.x == 0)
      cta.turn++;
    __syncthreads ();
  }
}

template <int STEPS>
constexpr size_t
shared_size (uint32_t kept)
{
  typedef TileLayout<STEPS, SMALL_ROWS, false> Layout;
  return Layout::SOURCE + (size_t) kept * Layout::BLURRED;
}

/* MOST_SHARED: of the launch's part of a CTA's shared memory. */
template <int STEPS>
cudaError_t
prepare (size_t most_shared, uint32_t processors, uint32_t *ctas)
{
  uint32_t most = CANNY_MOST_KEPT;
  while (most > 0 && shared_size<STEPS> (most) > most_shared)
    most--;
  cudaError_t status = cudaFuncSetAttribute (
      relative_kernel<STEPS>, cudaFuncAttributeMaxDynamicSharedMemorySize, (int) shared_size<STEPS> (most));
  for (uint32_t kept = 1; kept <= most && status == cudaSuccess; kept++) {
    int at_once = 0;
    status = cudaOccupancyMaxActiveBlocksPerMultiprocessor (
        &at_once, relative_kernel<STEPS>, CANNY_THREADS, shared_size<STEPS> (kept));
    ctas[kept] = at_once * processors;
  }
  return status;
}

template <int STEPS>
void
launch (const CannyKernelArgs &f, const CannyOnePass &pass, uint32_t ctas, cudaStream_t stream)
{
  const uint32_t count = ctas < pass.tiles ? ctas : pass.tiles;
  relative_kernel<STEPS><<<count, CANNY_THREADS, shared_size<STEPS> (pass.kept), stream>>> (f, pass);
}

} // namespace

cudaError_t
canny_prepare_one_pass (CannyRoom *room)
{
  constexpr int static_shared = 4096; /* more than the kernels have */
  cudaError_t (*const prepare_each[]) (size_t, uint32_t, uint32_t *) = {
      prepare<0>, prepare<1>, prepare<2>, prepare<3>, prepare<4>, prepare<5>};
  int device = 0, processors = 0, shared = 0;
  cudaError_t status = cudaGetDevice (&device);
  if (status == cudaSuccess)
    status = cudaDeviceGetAttribute (&processors, cudaDevAttrMultiProcessorCount, device);
  if (status == cudaSuccess)
    status = cudaDeviceGetAttribute (&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
  *room = {};
  for (int steps = 0; steps < CANNY_BLURS && status == cudaSuccess; steps++)
    status = prepare_each[steps](shared - static_shared, processors, room->ctas[steps]);
  return status;
}

void
canny_launch_one_pass (const CannyKernelArgs &f, const CannyOnePass &pass, const CannyRoom &room, cudaStream_t stream)
{
  void (*const launch_each[]) (const CannyKernelArgs &, const CannyOnePass &, uint32_t, cudaStream_t) = {
      launch<0>, launch<1>, launch<2>, launch<3>, launch<4>, launch<5>};
  const uint32_t steps = canny_blur_steps (f.radius);
  launch_each[steps](f, pass, room.ctas[steps][pass.kept], stream);
}

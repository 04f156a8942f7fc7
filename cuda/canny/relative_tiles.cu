/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The tile kernel of Canny for thresholds that are shares of the greatest |dx| + |dy|, aperture 3: one pass.
 *
 * A CTA blurs its tiles, keeps the blurred samples in shared memory, and publishes their greatest magnitude. When all CTAs
 * have published, every one knows the thresholds and takes its tiles to edges.
 *
 * A CTA claims its tiles when it starts. Whoever waits and finds a tile that nobody has looks at all tiles from then on, and
 * claims such ones: their CTA has not started yet, and may not before this one ends, since other kernels use the GPU, too. So
 * nothing can block. Such a tile is not kept, but blurred again when the thresholds are known. */
#include "cuda/canny/greatest_rows.cuh"
#include "cuda/canny/tile.cuh"

#include "core/canny/thresholds.h"

namespace
{

/* In the lower half of a published word, beside the magnitude. */
constexpr uint32_t NOT_KEPT = 1u << 31; /* of a tile: it is not kept */
constexpr uint32_t LOST_ONE = 1u << 31; /* of a CTA: another one has claimed a tile of it */
constexpr uint32_t NO_TILE = ~0u;
constexpr int SPINS = 4; /* looks at a published word before the thread sleeps in between */

/* What the threads of a CTA share. */
struct CtaState {
  uint32_t own[CANNY_MOST_KEPT]; /* tiles that it claimed at its start, or NO_TILE. These slots have their samples. */
  bool lost_one;                 /* Another CTA has claimed one of its tiles. */
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
load_published (const unsigned long long *from)
{
  return *(const volatile unsigned long long *) from;
}

__device__ inline void
publish (const CannyOnePass &pass, unsigned long long *to, uint32_t greatest)
{
  *(volatile unsigned long long *) to = (unsigned long long) pass.frame << 32 | greatest;
}

/* Sets FLAG to the frame. Is the caller the first? */
__device__ inline bool
claim (const CannyOnePass &pass, uint32_t *flag)
{
  return atomicExch (flag, pass.frame) != pass.frame;
}

/* What the threads of a CTA know: a magnitude, and whether something holds. */
struct Known {
  uint32_t greatest;
  bool any;
};

/* OWN of all of the CTA's threads, in all of them. Has a barrier. OF_WARP: not that of the call before. */
__device__ inline Known
known_in_cta (const Known &own, uint32_t *of_warp)
{
  const uint32_t greatest = greatest_of_lanes (own.greatest);
  if (threadIdx.x % 32 == 0)
    of_warp[threadIdx.x / 32] = greatest;
  Known all;
  all.any = __syncthreads_or (own.any);
  all.greatest = of_warp[0];
#pragma unroll
  for (int i = 1; i < CANNY_THREADS / 32; i++)
    all.greatest = max (all.greatest, of_warp[i]);
  return all;
}

__device__ inline uint32_t
greatest_in_cta (uint32_t own, uint32_t *of_warp)
{
  return known_in_cta ({own, false}, of_warp).greatest;
}

/* The thread's greatest magnitude of a blurred tile. */
template <typename Layout>
__device__ inline uint32_t
greatest_of_tile (const CannyKernelArgs &f, const TilePlace &tile, const uint8_t *blurred)
{
  const WarpRows rows = rows_of_warp<Layout::ROWS> (Layout::ROWS);
  return greatest_of_rows (
      f, blurred + (rows.first + PAIRS_MARGIN - 1) * BLURRED_STRIDE, tile.x, tile.y, rows.first, rows.end);
}

template <int STEPS, int BLURRED_ROWS>
__device__ __noinline__ void
blur_again (const CannyKernelArgs &f, uint32_t tile, const uint32_t *weights, uint8_t *source, uint8_t *blurred)
{
  typedef TileLayout<STEPS, BLURRED_ROWS, 0> Layout;
  blur_tile<STEPS, BLURRED_ROWS, Layout> (f, place_of_tile<Layout> (f, tile), weights, source, blurred);
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
      found[i] = load_published (&pass.states[min (base + i * CANNY_THREADS, pass.tiles - 1)].published);
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
    if ((uint32_t) load_published (&pass.states[tile].published) & NOT_KEPT
        && load_flag (&pass.states[tile].again) != pass.frame)
      rank = max (rank, 1 + rank_of_tile (pass, tile));
  return rank;
}

/* Waits until CTA has published, if it has not with FOUND, and returns that. LOST_ONE: or a tile of it was claimed by another
 * CTA, or can be. */
__device__ inline uint32_t
wait_for_cta (const CannyOnePass &pass, uint32_t cta, unsigned long long found)
{
#pragma unroll 1
  for (int tries = 0; (uint32_t) (found >> 32) != pass.frame; tries++) {
    if (tries >= SPINS)
      __nanosleep (20);
    /* Its first tile tells whether it has started. Another CTA that has the tile says so when it publishes it. */
    const unsigned long long of_tile = load_published (&pass.states[cta].published);
    const bool has_started = load_flag (&pass.states[cta].claimed) == pass.frame;
    const bool is_not_kept = (uint32_t) (of_tile >> 32) == pass.frame && (uint32_t) of_tile & NOT_KEPT;
    found = load_published (&pass.ctas[cta]);
    if (!has_started || is_not_kept)
      return LOST_ONE;
  }
  return (uint32_t) found;
}

/* Waits until the CTAs of the grid have published, a thread for some of them. ANY: one of them has LOST_ONE. */
__device__ inline Known
wait_for_ctas (const CannyOnePass &pass)
{
  constexpr int turns = 2; /* loads at a time */
  Known known = {};
#pragma unroll 1
  for (uint32_t base = threadIdx.x; base < gridDim.x && !known.any; base += turns * CANNY_THREADS) {
    unsigned long long found[turns];
#pragma unroll
    for (int i = 0; i < turns; i++)
      found[i] = load_published (&pass.ctas[min (base + i * CANNY_THREADS, gridDim.x - 1)]);
#pragma unroll
    for (int i = 0; i < turns; i++) {
      const uint32_t of_cta = wait_for_cta (pass, min (base + i * CANNY_THREADS, gridDim.x - 1), found[i]);
      known.any = known.any || of_cta & LOST_ONE;
      known.greatest = max (known.greatest, of_cta & ~LOST_ONE);
    }
  }
  return known;
}

/* Waits until all tiles are published, and takes tiles that nobody has claimed. ANY: some are not kept. */
template <int STEPS, int BLURRED_ROWS>
__device__ __noinline__ Known
wait_for_tiles (
    const CannyKernelArgs &f, const CannyOnePass &pass, const uint32_t *weights, uint8_t *memory, CtaState &cta)
{
  typedef TileLayout<STEPS, BLURRED_ROWS, 0> Layout;
  Published all;
  __syncthreads ();
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
    uint8_t *blurred = memory + Layout::SOURCE + (pass.kept - 1) * Layout::BLURRED;
    blur_again<STEPS, BLURRED_ROWS> (f, cta.claimed, weights, memory, blurred);
    const uint32_t greatest = greatest_in_cta (
        greatest_of_tile<Layout> (f, place_of_tile<Layout> (f, cta.claimed), blurred), cta.greatest[1]);
    if (threadIdx.x == 0)
      publish (pass, &pass.states[cta.claimed].published, NOT_KEPT | greatest);
    __syncthreads ();
  }
  return known_in_cta ({all.greatest, all.not_kept}, cta.greatest[1]);
}

template <int STEPS, int BLURRED_ROWS>
__global__ void
__launch_bounds__ (CANNY_THREADS, STEPS <= 1 ? 3 : 1)
    relative_kernel (const __grid_constant__ CannyKernelArgs f, const __grid_constant__ CannyOnePass pass)
{
  typedef TileLayout<STEPS, BLURRED_ROWS, 0> Layout;
  static_assert (Layout::ROWS == CANNY_MIDDLE_ROWS || Layout::ROWS == CANNY_TALL_ROWS, "the host counts on it");
  static_assert (Layout::RUNS_END <= Layout::SOURCE + Layout::BLURRED, "runs lie on samples that are done with");
  extern __shared__ __align__ (16) uint8_t memory[];
  __shared__ uint32_t weights[WEIGHT_WORDS<STEPS>];
  __shared__ TileCounts counts;
  __shared__ CtaState cta;
  uint8_t *const slots = memory + Layout::SOURCE;
  uint32_t *candidates = (uint32_t *) memory, *strong = (uint32_t *) (memory + Layout::BITS);
  ctr_let_next_start ();
  if (threadIdx.x < 32) {
    const uint32_t tile = blockIdx.x + threadIdx.x * gridDim.x;
    const bool is_tile = threadIdx.x < pass.kept && tile < pass.tiles;
    const bool is_own = is_tile && claim (pass, &pass.states[tile].claimed);
    if (threadIdx.x < pass.kept)
      cta.own[threadIdx.x] = is_own ? tile : NO_TILE;
    const bool lost_one = __any_sync (~0u, is_tile && !is_own);
    if (threadIdx.x == 0) {
      cta.lost_one = lost_one;
      cta.last_slot_is_lost = false;
    }
  }

  /* The greatest magnitude of its tiles. The next tile is on its way meanwhile. */
  uint32_t greatest = 0;
  start_loading<Layout> (f, place_of_tile<Layout> (f, blockIdx.x), memory);
  if (STEPS > 0)
    tabulate_weights<STEPS> (load_weights<STEPS> (f), weights);
#pragma unroll 1
  for (uint32_t i = 0, number = blockIdx.x; number < pass.tiles; i++) {
    const TilePlace tile = place_of_tile<Layout> (f, number);
    uint8_t *blurred = slots + i * Layout::BLURRED;
    finish_loading<Layout> (f, tile, memory);
    __syncthreads ();
    const bool is_own = cta.own[i] != NO_TILE;
    if (is_own)
      blur_loaded<STEPS, BLURRED_ROWS, Layout> (f, tile, weights, memory, blurred);
    number += gridDim.x;
    if (number < pass.tiles)
      start_loading<Layout> (f, place_of_tile<Layout> (f, number), memory);
    if (is_own)
      greatest = max (greatest, greatest_of_tile<Layout> (f, tile, blurred));
  }
  greatest = greatest_in_cta (greatest, cta.greatest[0]);
  if (threadIdx.x == 0)
    publish (pass, &pass.ctas[blockIdx.x], greatest | (cta.lost_one ? LOST_ONE : 0));
  if (threadIdx.x < pass.kept && cta.own[threadIdx.x] != NO_TILE)
    publish (pass, &pass.states[cta.own[threadIdx.x]].published, greatest);

  /* That of all tiles. */
  Known all = known_in_cta (wait_for_ctas (pass), cta.greatest[1]);
  if (all.any)
    all = wait_for_tiles<STEPS, BLURRED_ROWS> (f, pass, weights, memory, cta);
  if (threadIdx.x == 0) {
    const CtrCannyLimits limits = ctr_canny_relative_limits (pass.low_share, pass.high_share, false, all.greatest);
    if (blockIdx.x == 0)
      *pass.host = limits;
    cta.low = (int) limits.low;
    cta.high = (int) limits.high;
    cta.has_more = all.any;
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
        blur_again<STEPS, BLURRED_ROWS> (f, cta.claimed, weights, memory, slots + cta.slot * Layout::BLURRED);
      find_tile_candidates<Layout> (f, place_of_tile<Layout> (f, cta.claimed), slots + cta.slot * Layout::BLURRED,
          cta.low, cta.high, candidates, strong);
      __syncthreads ();
      const TilePlace tile = place_of_tile<Layout> (f, cta.claimed);
      finish_tile<Layout::ROWS> (f, memory, tile.number, tile.tx, tile.ty, tile.rows, counts);
    }
    if (threadIdx.x == 0)
      cta.turn++;
    __syncthreads ();
  }
}

template <int STEPS, int BLURRED_ROWS>
constexpr size_t
shared_size (uint32_t kept)
{
  typedef TileLayout<STEPS, BLURRED_ROWS, 0> Layout;
  return Layout::SOURCE + (size_t) kept * Layout::BLURRED;
}

/* MOST_SHARED: of the launch's part of a CTA's shared memory. */
template <int STEPS, int BLURRED_ROWS>
cudaError_t
prepare (size_t most_shared, uint32_t processors, uint32_t *ctas)
{
  uint32_t most = CANNY_MOST_KEPT;
  while (most > 0 && shared_size<STEPS, BLURRED_ROWS> (most) > most_shared)
    most--;
  if (most == 0)
    return cudaSuccess;
  cudaError_t status = cudaFuncSetAttribute (relative_kernel<STEPS, BLURRED_ROWS>,
      cudaFuncAttributeMaxDynamicSharedMemorySize, (int) shared_size<STEPS, BLURRED_ROWS> (most));
  for (uint32_t kept = 1; kept <= most && status == cudaSuccess; kept++) {
    int at_once = 0;
    status = cudaOccupancyMaxActiveBlocksPerMultiprocessor (
        &at_once, relative_kernel<STEPS, BLURRED_ROWS>, CANNY_THREADS, shared_size<STEPS, BLURRED_ROWS> (kept));
    ctas[kept] = at_once * processors;
  }
  return status;
}

template <int STEPS, int BLURRED_ROWS>
void
launch (const CannyKernelArgs &f, const CannyOnePass &pass, uint32_t ctas, cudaStream_t stream)
{
  const uint32_t count = ctas < pass.tiles ? ctas : pass.tiles;
  ctr_launch (relative_kernel<STEPS, BLURRED_ROWS>, count, CANNY_THREADS, shared_size<STEPS, BLURRED_ROWS> (pass.kept),
      stream, f, pass);
}

template <int BLURRED_ROWS>
cudaError_t
prepare_rows (size_t most_shared, uint32_t processors, CannyRoom *room)
{
  cudaError_t (*const prepare_each[]) (size_t, uint32_t, uint32_t *) = {prepare<0, BLURRED_ROWS>,
      prepare<1, BLURRED_ROWS>, prepare<2, BLURRED_ROWS>, prepare<3, BLURRED_ROWS>, prepare<4, BLURRED_ROWS>,
      prepare<5, BLURRED_ROWS>};
  cudaError_t status = cudaSuccess;
  *room = {};
  for (int steps = 0; steps < CANNY_BLURS && status == cudaSuccess; steps++)
    status = prepare_each[steps](most_shared, processors, room->ctas[steps]);
  return status;
}

template <int BLURRED_ROWS>
void
launch_rows (const CannyKernelArgs &f, const CannyOnePass &pass, const CannyRoom &room, cudaStream_t stream)
{
  void (*const launch_each[]) (const CannyKernelArgs &, const CannyOnePass &, uint32_t, cudaStream_t) = {
      launch<0, BLURRED_ROWS>, launch<1, BLURRED_ROWS>, launch<2, BLURRED_ROWS>, launch<3, BLURRED_ROWS>,
      launch<4, BLURRED_ROWS>, launch<5, BLURRED_ROWS>};
  const uint32_t steps = canny_blur_steps (f.radius);
  launch_each[steps](f, pass, room.ctas[steps][pass.kept], stream);
}

} // namespace

cudaError_t
canny_prepare_one_pass (size_t most_shared, CannyRoom *middle, CannyRoom *tall)
{
  int device = 0, processors = 0;
  cudaError_t status = cudaGetDevice (&device);
  if (status == cudaSuccess)
    status = cudaDeviceGetAttribute (&processors, cudaDevAttrMultiProcessorCount, device);
  if (status == cudaSuccess)
    status = prepare_rows<MIDDLE_ROWS> (most_shared, processors, middle);
  if (status == cudaSuccess)
    status = prepare_rows<TALL_ROWS> (most_shared, processors, tall);
  return status;
}

void
canny_launch_one_pass (const CannyKernelArgs &f, const CannyOnePass &pass, const CannyRoom &room, cudaStream_t stream)
{
  if (f.tile_h == CANNY_TALL_ROWS)
    launch_rows<TALL_ROWS> (f, pass, room, stream);
  else
    launch_rows<MIDDLE_ROWS> (f, pass, room, stream);
}

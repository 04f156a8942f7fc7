/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* First kernel of Canny: a CTA takes a tile from the image to its edges. */
#include "cuda/canny/gradient.cuh"
#include "cuda/canny/hysteresis.cuh"

namespace
{

/* Rows of blurred samples: large frames have few tiles whose seams are expensive, small frames many tiles, as there it
 * is the time one tile takes that counts. */
constexpr int LARGE_ROWS = 112, SMALL_ROWS = 48, GENERIC_ROWS = 32;
constexpr unsigned SMALL_PIXELS = 16u << 20; /* of the largest frame with small tiles */
constexpr int PAIRS_MARGIN = 2;              /* rows of blurred samples a tile needs above and below itself */
constexpr int GENERIC_MARGIN = 4;            /* the same for aperture 7 */

template <int STEPS, int BLURRED_ROWS, bool GENERIC> struct TileLayout {
  static constexpr int MARGIN = GENERIC ? GENERIC_MARGIN : PAIRS_MARGIN;
  static constexpr int ROWS = BLURRED_ROWS - 2 * MARGIN;
  static_assert (ROWS <= CANNY_RIM_H, "rims have room");
  static_assert (run_words (ROWS) <= (int) RUN_IS_NODE && CANNY_NODES <= (int) RUN_IS_NODE
                     && CANNY_NODES <= 1 << (32 - RUN_NODE_SHIFT) && ROWS * CANNY_WORDS <= 1 << (RUN_NODE_SHIFT - 10),
      "runs, nodes and words fit their fields");
  typedef SourceTile<STEPS, BLURRED_ROWS> Source;
  /* First the source and the blurred samples; when these are no longer needed, runs. Candidates are written while
   * blurred samples are read. */
  static constexpr int BITS = ROWS * CANNY_WORDS * 4;
  static constexpr int SOURCE = Source::BYTES > 2 * BITS ? Source::BYTES : 2 * BITS;
  static constexpr int MAGNITUDES = SOURCE + BLURRED_ROWS * BLURRED_STRIDE;
  static constexpr int SAMPLES_END = MAGNITUDES + (GENERIC ? (ROWS + 2) * MAGNITUDE_STRIDE * 4 : 0);
  static constexpr int RUNS_END = 2 * BITS + run_words (ROWS) * 4;
  static constexpr int BYTES = SAMPLES_END > RUNS_END ? SAMPLES_END : RUNS_END;
};

__device__ __noinline__ void
write_bytes (uint8_t *to, uint32_t count, uint32_t bits)
{
#pragma unroll 1
  for (uint32_t i = 0; i < count; i++)
    to[i] = bits >> i & 1 ? 255 : 0;
}

/* 16 pixels as bytes, those inside the image. */
__device__ inline void
write_mask (const CannyFrame &f, uint32_t x, uint32_t y, uint32_t bits)
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

/* In shared memory. */
struct TileCounts {
  uint32_t weak_runs;
  uint32_t nodes, node_runs;
};

/* After join_runs(): draws the runs that came to be strong. The other components that touch the tile's rim, where
 * another tile follows, become nodes: their roots get numbers. */
__device__ inline void
settle_runs (const CannyFrame &f, const TileRuns &runs, uint32_t tile, uint32_t tx, uint32_t ty, uint32_t count,
    TileCounts &counts)
{
  const uint32_t top_end = ty > 0 ? CANNY_WORDS : 0, bottom = ty + 1 < f.tiles_y ? runs.words - CANNY_WORDS : ~0u;
  const uint32_t left = tx > 0 ? 1 : 0, right = tx + 1 < f.tiles_x ? 1u << 31 : 0;
#pragma unroll 1
  for (uint32_t i = threadIdx.x; __any_sync (~0u, i < count); i += CANNY_THREADS) {
    const uint32_t run = runs.listed (min (i, count - 1));
    const RunPlace place = runs.place (run);
    const uint32_t root = runs.shorten (run);
    const uint32_t column = place.word % CANNY_WORDS;
    const bool is_strong = root == STRONG_RUN;
    if (is_strong && i < count)
      atomicOr (&runs.strong[place.word], place.pixels);
    const uint32_t sides = (column == 0 ? left : 0) | (column == CANNY_WORDS - 1 ? right : 0);
    const bool at_rim = !is_strong && (place.word < top_end || place.word >= bottom || place.pixels & sides);
    constexpr uint32_t is_node = RUN_IS_NODE << RUN_PARENT_SHIFT;
    if (at_rim && !(atomicOr (&runs.entries[root], is_node) & is_node)) {
      const uint32_t node = atomicAdd (&counts.nodes, 1), id = 1 + tile * CANNY_NODES + node;
      atomicXor (&runs.entries[root], (root ^ node) << RUN_PARENT_SHIFT);
      f.parents[id] = id;
    }
    __syncwarp ();
  }
  __syncthreads ();
}

/* After settle_runs(): the node of RUN with RUN_IS_NODE, or 0. */
__device__ inline uint32_t
node_of_run (const TileRuns &runs, uint32_t run)
{
  const uint32_t up = runs.load (run) >> RUN_PARENT_SHIFT;
  const uint32_t at_root = runs.load (up & RUN_IS_NODE ? run : up) >> RUN_PARENT_SHIFT;
  return at_root & RUN_IS_NODE ? at_root : 0;
}

/* The runs of the nodes, for the patch kernel. */
__device__ inline void
write_runs (const CannyFrame &f, const TileRuns &runs, uint32_t tile, uint32_t count, TileCounts &counts)
{
  uint32_t *to = f.runs + (size_t) tile * f.tile_h * (CANNY_W / 2);
#pragma unroll 1
  for (uint32_t i = threadIdx.x; __any_sync (~0u, i < count); i += CANNY_THREADS) {
    const uint32_t run = runs.listed (min (i, count - 1)), node = i < count ? node_of_run (runs, run) : 0;
    if (node) {
      const RunPlace place = runs.place (run);
      to[atomicAdd (&counts.node_runs, 1)] = (node - RUN_IS_NODE) << RUN_NODE_SHIFT | place.word << 10
                                             | (__ffs (place.pixels) - 1) << 5 | (31 - __clz (place.pixels));
    }
    __syncwarp ();
  }
}

/* After settle_runs(): the rim, for the seam kernel, where another tile follows. The steps of a thread's pixels are
 * taken side by side. */
__device__ inline void
write_rim (const CannyFrame &f, const TileRuns &runs, uint32_t tile, uint32_t tx, uint32_t ty, uint32_t rows)
{
  static_assert (CANNY_W == CANNY_THREADS && 2 * CANNY_RIM_H == CANNY_THREADS, "a thread a pixel");
  constexpr int turns = 3; /* top, bottom, sides */
  CannyRim &rim = f.rims[tile];
  const uint32_t t = threadIdx.x, along = t % CANNY_RIM_H;
  const bool right = t >= CANNY_RIM_H;
  const bool follows[turns] = {ty > 0, ty + 1 < f.tiles_y, along < rows && (right ? tx + 1 < f.tiles_x : tx > 0)};
  uint16_t *const to[turns] = {&rim.top[t], &rim.bottom[t], right ? &rim.right[along] : &rim.left[along]};
  const uint32_t words[turns] = {
      t / 32, (rows - 1) * CANNY_WORDS + t / 32, min (along, rows - 1) * CANNY_WORDS + (right ? CANNY_WORDS - 1 : 0)};
  const uint32_t bits[turns] = {t % 32, t % 32, right ? 31u : 0};
  uint32_t weak[turns], code[turns];
  bool is_node[turns];
#pragma unroll
  for (int i = 0; i < turns; i++) {
    weak[i] = runs.weak[words[i]];
    code[i] = runs.strong[words[i]] >> bits[i] & 1 ? RIM_STRONG : RIM_NONE;
    is_node[i] = code[i] == RIM_NONE && follows[i] && weak[i] >> bits[i] & 1;
  }
  if (__any_sync (~0u, is_node[0] || is_node[1] || is_node[2])) {
#pragma unroll
    for (int i = 0; i < turns; i++) {
      const uint32_t node = node_of_run (runs, is_node[i] ? runs.run_at (words[i], weak[i], bits[i]) : STRONG_RUN);
      code[i] = is_node[i] ? RIM_NODE + node - RUN_IS_NODE : code[i];
    }
  }
#pragma unroll
  for (int i = 0; i < turns; i++)
    if (follows[i])
      *to[i] = code[i];
}

template <int STEPS, int BLURRED_ROWS, bool GENERIC>
__global__ void
__launch_bounds__ (CANNY_THREADS, STEPS <= 1 && !GENERIC ? 3 : 1) tile_kernel (const __grid_constant__ CannyFrame f)
{
  typedef TileLayout<STEPS, BLURRED_ROWS, GENERIC> Layout;
  typedef typename Layout::Source Source;
  extern __shared__ __align__ (16) uint8_t memory[];
  __shared__ uint32_t weights[WEIGHT_WORDS<STEPS>];
  __shared__ TileCounts counts;
  uint8_t *source = memory, *blurred = memory + Layout::SOURCE;
  uint32_t *candidates = (uint32_t *) memory, *strong = (uint32_t *) (memory + Layout::BITS);
  const int warp = threadIdx.x / 32;
  const uint32_t tile = blockIdx.x, tx = tile % f.tiles_x, ty = tile / f.tiles_x;
  const int tile_x = tx * CANNY_W, tile_y = ty * Layout::ROWS;
  const uint32_t rows = min ((uint32_t) Layout::ROWS, f.height - tile_y); /* inside the image */
  const bool at_border = tx == 0 || ty == 0 || tile_x + CANNY_W + GENERIC_MARGIN > (int) f.width
                         || tile_y + Layout::ROWS + Layout::MARGIN > (int) f.height;
  ctr_let_next_start ();
  if (threadIdx.x == 0)
    counts = {};
  if (STEPS > 0)
    tabulate_weights<STEPS> (f, weights);

  load_grey<STEPS == 0, STEPS == 0 ? BLURRED_LEFT : Source::REACH, Source::STRIDE, Source::ROWS> (
      f, tile_x - Source::LEFT, tile_y - Layout::MARGIN - Source::REACH, source);
  __syncthreads ();
  if constexpr (STEPS > 0) {
    blur<STEPS, BLURRED_ROWS> (weights, source, blurred);
  } else {
    for (int i = threadIdx.x; i < BLURRED_ROWS * (BLURRED_STRIDE / 4); i += CANNY_THREADS)
      ((uint32_t *) blurred)[i] = *(const uint32_t *) (source + i / (BLURRED_STRIDE / 4) * Source::STRIDE + Source::LEFT
                                                       - BLURRED_LEFT + i % (BLURRED_STRIDE / 4) * 4);
  }
  __syncthreads ();
  if (STEPS > 0 && at_border) {
    replicate_border<BLURRED_ROWS> (f, tile_x - BLURRED_LEFT, tile_y - Layout::MARGIN, blurred);
    __syncthreads ();
  }

  const int low = f.thresholds ? f.thresholds[0] : f.low, high = f.thresholds ? f.thresholds[1] : f.high;
  if (GENERIC) {
    int32_t *magnitudes = (int32_t *) (memory + Layout::MAGNITUDES);
    const uint8_t *first = blurred + Layout::MARGIN * BLURRED_STRIDE + BLURRED_LEFT;
    find_magnitudes (f, first, tile_x, tile_y, magnitudes);
    __syncthreads ();
    find_candidates_generic (f, first, magnitudes, low, high, candidates, strong);
  } else {
    constexpr int warps = CANNY_THREADS / 32, share = (Layout::ROWS + warps - 1) / warps;
    const int first = warp * share, end = min (first + share, Layout::ROWS);
    if (first < end)
      find_candidates (
          f, at_border, blurred, tile_x, tile_y, first, end, low, high, (uint8_t *) candidates, (uint8_t *) strong);
  }
  __syncthreads ();

  const TileRuns runs = {candidates, strong, (uint32_t *) (memory + 2 * Layout::BITS), rows * CANNY_WORDS};
  list_weak_runs<Layout::ROWS> (runs, &counts.weak_runs);
  __syncthreads ();
  const uint32_t weak_runs = counts.weak_runs;
  if (weak_runs) {
    join_runs (runs, weak_runs);
    settle_runs (f, runs, tile, tx, ty, weak_runs, counts);
    if (counts.nodes) {
      write_runs (f, runs, tile, weak_runs, counts);
      __syncthreads ();
    }
  }
  if (threadIdx.x == 0)
    f.tiles[tile] = {counts.nodes, counts.node_runs};
  write_rim (f, runs, tile, tx, ty, rows);
#pragma unroll 1
  for (uint32_t i = threadIdx.x; i < 2 * runs.words; i += CANNY_THREADS) { /* neighbours write side by side */
    const uint32_t x = tile_x + i % (2 * CANNY_WORDS) * 16;
    if (x < f.width)
      write_mask (f, x, tile_y + i / (2 * CANNY_WORDS), strong[i / 2] >> i % 2 * 16);
  }
}

template <int STEPS, int BLURRED_ROWS, bool GENERIC>
void
launch (const CannyFrame &f, cudaStream_t stream)
{
  tile_kernel<STEPS, BLURRED_ROWS, GENERIC>
      <<<f.tiles_x * f.tiles_y, CANNY_THREADS, TileLayout<STEPS, BLURRED_ROWS, GENERIC>::BYTES, stream>>> (f);
}

template <int STEPS, int BLURRED_ROWS, bool GENERIC>
cudaError_t
prepare ()
{
  return cudaFuncSetAttribute (tile_kernel<STEPS, BLURRED_ROWS, GENERIC>, cudaFuncAttributeMaxDynamicSharedMemorySize,
      TileLayout<STEPS, BLURRED_ROWS, GENERIC>::BYTES);
}

template <int STEPS>
cudaError_t
prepare_steps ()
{
  cudaError_t status = prepare<STEPS, GENERIC_ROWS, true> ();
  if (status == cudaSuccess)
    status = prepare<STEPS, SMALL_ROWS, false> ();
  if (status == cudaSuccess)
    status = prepare<STEPS, LARGE_ROWS, false> ();
  return status;
}

template <int STEPS>
void
launch_steps (const CannyFrame &f, cudaStream_t stream)
{
  if (f.aperture != 3 || f.l2_gradient)
    launch<STEPS, GENERIC_ROWS, true> (f, stream);
  else if (f.tile_h == LARGE_ROWS - 2 * PAIRS_MARGIN)
    launch<STEPS, LARGE_ROWS, false> (f, stream);
  else
    launch<STEPS, SMALL_ROWS, false> (f, stream);
}

} // namespace

uint32_t
canny_tile_height (uint32_t width, uint32_t height, uint32_t aperture, bool l2_gradient)
{
  if (aperture != 3 || l2_gradient)
    return GENERIC_ROWS - 2 * GENERIC_MARGIN;
  return ((uint64_t) width * height <= SMALL_PIXELS ? SMALL_ROWS : LARGE_ROWS) - 2 * PAIRS_MARGIN;
}

cudaError_t
canny_prepare_tiles ()
{
  cudaError_t (*const prepare_each[]) () = {
      prepare_steps<0>, prepare_steps<1>, prepare_steps<2>, prepare_steps<3>, prepare_steps<4>, prepare_steps<5>};
  for (auto prepare : prepare_each) {
    const cudaError_t status = prepare ();
    if (status != cudaSuccess)
      return status;
  }
  return cudaSuccess;
}

void
canny_launch_tiles (const CannyFrame &f, cudaStream_t stream)
{
  void (*const launch_each[]) (const CannyFrame &, cudaStream_t) = {
      launch_steps<0>, launch_steps<1>, launch_steps<2>, launch_steps<3>, launch_steps<4>, launch_steps<5>};
  launch_each[f.radius ? (f.radius + 8 + 15) / 16 : 0](f, stream); /* 16 steps - 8 >= radius */
}

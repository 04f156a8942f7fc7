/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* First kernel of Canny: a CTA takes one tile from the image to its edges. */
#include "cuda/canny/gradient.cuh"
#include "cuda/canny/hysteresis.cuh"

namespace
{

/* Rows of blurred samples of a tile. Large frames have tall tiles, because seams are expensive. Small frames have low
 * ones, because there the time of one tile decides. */
constexpr int LARGE_ROWS = 112, SMALL_ROWS = 48, GENERIC_ROWS = 32;
constexpr unsigned SMALL_PIXELS = 16u << 20; /* a frame with more pixels is large */
constexpr int PAIRS_MARGIN = 2;              /* rows of blurred samples above and below the tile, for aperture 3 */
constexpr int GENERIC_MARGIN = 4;            /* the same for aperture 7 */

template <int STEPS, int BLURRED_ROWS, bool GENERIC> struct TileLayout {
  static constexpr int MARGIN = GENERIC ? GENERIC_MARGIN : PAIRS_MARGIN;
  static constexpr int ROWS = BLURRED_ROWS - 2 * MARGIN;
  static_assert (ROWS <= CANNY_MAX_H, "tile borders have room");
  static_assert (run_words (ROWS) <= (int) RUN_IS_COMPONENT && CANNY_COMPONENTS <= (int) RUN_IS_COMPONENT
                     && CANNY_COMPONENTS <= 1 << (32 - RUN_COMPONENT_SHIFT)
                     && ROWS * CANNY_WORDS <= 1 << (RUN_COMPONENT_SHIFT - 10),
      "runs, components and words fit their fields");
  typedef SourceTile<STEPS, BLURRED_ROWS> Source;
  /* Shared memory holds the source samples and then the blurred ones. The candidates overwrite the source, because
   * blurred samples are still read while candidates are written. Runs overwrite the rest afterwards. */
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

template <int STEPS, int BLURRED_ROWS, bool GENERIC>
__global__ void
__launch_bounds__ (CANNY_THREADS, STEPS <= 1 && !GENERIC ? 3 : 1)
    tile_kernel (const __grid_constant__ CannyKernelArgs f)
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
  const bool at_image_border = tx == 0 || ty == 0 || tile_x + CANNY_W + GENERIC_MARGIN > (int) f.width
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
  if (STEPS > 0 && at_image_border) {
    replicate_image_border<BLURRED_ROWS> (f, tile_x - BLURRED_LEFT, tile_y - Layout::MARGIN, blurred);
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
      find_candidates (f, at_image_border, blurred, tile_x, tile_y, first, end, low, high, (uint8_t *) candidates,
          (uint8_t *) strong);
  }
  __syncthreads ();

  const TileRuns runs = {candidates, strong, (uint32_t *) (memory + 2 * Layout::BITS), rows * CANNY_WORDS};
  list_weak_runs<Layout::ROWS> (runs, &counts.weak_runs);
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
    const uint32_t x = tile_x + i % (2 * CANNY_WORDS) * 16;
    if (x < f.width)
      write_mask (f, x, tile_y + i / (2 * CANNY_WORDS), strong[i / 2] >> i % 2 * 16);
  }
}

template <int STEPS, int BLURRED_ROWS, bool GENERIC>
void
launch (const CannyKernelArgs &f, cudaStream_t stream)
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
launch_steps (const CannyKernelArgs &f, cudaStream_t stream)
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
canny_launch_tiles (const CannyKernelArgs &f, cudaStream_t stream)
{
  void (*const launch_each[]) (const CannyKernelArgs &, cudaStream_t) = {
      launch_steps<0>, launch_steps<1>, launch_steps<2>, launch_steps<3>, launch_steps<4>, launch_steps<5>};
  launch_each[f.radius ? (f.radius + 8 + 15) / 16 : 0](f, stream); /* 16 steps - 8 >= radius */
}

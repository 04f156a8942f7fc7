/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* First kernel of Canny: a CTA takes a tile from the image to its edges. */
#include "cuda/canny_gradient.cuh"
#include "cuda/canny_hysteresis.cuh"

namespace
{

/* Rows of blurred samples: large frames have few tiles whose seams are expensive, small frames many tiles, as there it
 * is the time one tile takes that counts. */
constexpr int LARGE_ROWS = 112, SMALL_ROWS = 32;
constexpr unsigned SMALL_PIXELS = 16u << 20; /* of the largest frame with small tiles */
constexpr int PAIRS_MARGIN = 2;              /* rows of blurred samples a tile needs above and below itself */
constexpr int GENERIC_MARGIN = 4;            /* the same for aperture 7 */

template <int STEPS, int BLURRED_ROWS, bool GENERIC> struct TileLayout {
  static constexpr int MARGIN = GENERIC ? GENERIC_MARGIN : PAIRS_MARGIN;
  static constexpr int ROWS = BLURRED_ROWS - 2 * MARGIN;
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

/* 32 pixels as bytes, those inside the image. */
__device__ inline void
write_mask (const CannyFrame &f, uint32_t x, uint32_t y, uint32_t bits)
{
  uint8_t *to = f.mask + y * f.mask_stride + x;
  if (f.mask_aligned && x + 32 <= f.width) {
#pragma unroll
    for (int half = 0; half < 2; half++) {
      uint32_t words[4];
#pragma unroll
      for (int i = 0; i < 4; i++)
        words[i] = ((bits >> (16 * half + 4 * i) & 15) * 0x00204081u & 0x01010101u) * 255;
      ((uint4 *) to)[half] = make_uint4 (words[0], words[1], words[2], words[3]);
    }
  } else {
    for (uint32_t i = 0; i < 32 && x + i < f.width; i++)
      to[i] = bits >> i & 1 ? 255 : 0;
  }
}

/* Pixels of the tile's rim, one after the other: top, bottom, left, right. Returns false where the image ends, or where
 * no tile follows. *PLACE: where its code goes. */
__device__ inline bool
rim_pixel (const CannyFrame &f, CannyRim &rim, uint32_t tx, uint32_t ty, uint32_t rows, int i, uint32_t *x, uint32_t *y,
    uint16_t **place)
{
  if (i < 2 * CANNY_W) {
    const bool bottom = i >= CANNY_W;
    *x = i % CANNY_W;
    *y = bottom ? f.tile_h - 1 : 0;
    *place = bottom ? &rim.bottom[*x] : &rim.top[*x];
    return bottom ? ty + 1 < f.tiles_y : ty > 0;
  }
  const bool right = i >= 2 * CANNY_W + CANNY_RIM_H;
  *y = i % CANNY_RIM_H;
  *x = right ? CANNY_W - 1 : 0;
  *place = right ? &rim.right[*y] : &rim.left[*y];
  return *y < rows && (right ? tx + 1 < f.tiles_x : tx > 0);
}

/* A warp's share is rows; a tile's rim has CANNY_W * 2 + CANNY_RIM_H * 2 pixels. */
constexpr int RIM_PIXELS = 2 * CANNY_W + 2 * CANNY_RIM_H;

template <int STEPS, int BLURRED_ROWS, bool GENERIC>
__global__ void
__launch_bounds__ (CANNY_THREADS, STEPS <= 1 && !GENERIC ? 3 : 1) tile_kernel (const __grid_constant__ CannyFrame f)
{
  typedef TileLayout<STEPS, BLURRED_ROWS, GENERIC> Layout;
  typedef typename Layout::Source Source;
  extern __shared__ __align__ (16) uint8_t memory[];
  __shared__ uint32_t any_candidate, node_count;
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
    any_candidate = node_count = 0;

  load_grey<STEPS == 0, Source::STRIDE, Source::ROWS> (
      f, tile_x - Source::LEFT, tile_y - Layout::MARGIN - Source::REACH, source);
  __syncthreads ();
  if constexpr (STEPS > 0) {
    blur<STEPS, BLURRED_ROWS> (f, source, blurred);
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
    if (first < end) {
      if (at_border)
        find_candidates<true> (
            f, blurred, tile_x, tile_y, first, end, low, high, (uint8_t *) candidates, (uint8_t *) strong);
      else
        find_candidates<false> (
            f, blurred, tile_x, tile_y, first, end, low, high, (uint8_t *) candidates, (uint8_t *) strong);
    }
  }
  __syncthreads ();

  const TileRuns runs (candidates, (uint32_t *) (memory + 2 * Layout::BITS), rows);
  bool any = false;
  for (uint32_t i = threadIdx.x; i < rows * CANNY_WORDS; i += CANNY_THREADS)
    any = any || candidates[i];
  if (!__syncthreads_or (any)) {
    for (uint32_t i = threadIdx.x; i < rows * CANNY_WORDS; i += CANNY_THREADS)
      if (tile_x + i % CANNY_WORDS * 32 < f.width)
        write_mask (f, tile_x + i % CANNY_WORDS * 32, tile_y + i / CANNY_WORDS, 0);
    if (threadIdx.x == 0)
      f.tiles[tile] = {0, 0};
    return;
  }
  join_runs (runs, strong, rows);

  /* Weak components at the rim become nodes. */
  CannyRim &rim = f.rims[tile];
  for (int i = threadIdx.x; i < RIM_PIXELS; i += CANNY_THREADS) {
    uint32_t x, y;
    uint16_t *place;
    if (!rim_pixel (f, rim, tx, ty, rows, i, &x, &y, &place))
      continue;
    const uint32_t word = y * CANNY_WORDS + x / 32;
    if (!(candidates[word] >> x % 32 & 1))
      continue;
    const uint32_t root = runs.root (runs.run_at (word, x % 32));
    if (runs.load (root) & (RUN_STRONG | RUN_AT_RIM) || atomicOr (&runs.entries[root], RUN_AT_RIM) & RUN_AT_RIM)
      continue;
    const uint32_t node = atomicAdd (&node_count, 1), id = 1 + tile * CANNY_NODES + node;
    atomicXor (&runs.entries[root], ((runs.load (root) >> RUN_FIELD_SHIFT & RUN_FIELD) ^ node) << RUN_FIELD_SHIFT);
    f.parents[id] = id;
  }
  __syncthreads ();
  for (int i = threadIdx.x; i < RIM_PIXELS; i += CANNY_THREADS) {
    uint32_t x, y;
    uint16_t *place;
    if (!rim_pixel (f, rim, tx, ty, rows, i, &x, &y, &place))
      continue;
    const uint32_t word = y * CANNY_WORDS + x / 32;
    uint32_t code = RIM_NONE;
    if (candidates[word] >> x % 32 & 1) {
      const uint32_t root = runs.load (runs.root (runs.run_at (word, x % 32)));
      code = root & RUN_STRONG ? RIM_STRONG : RIM_NODE + (root >> RUN_FIELD_SHIFT & RUN_FIELD);
    }
    *place = code;
  }
  const uint32_t nodes = node_count;
  if (threadIdx.x == 0)
    f.tiles[tile] = {1, nodes};

  uint32_t *weak = f.weak + (size_t) tile * CANNY_MAX_H * CANNY_WORDS;
  for (uint32_t base = 0; base < rows * CANNY_WORDS; base += CANNY_THREADS) {
    const uint32_t i = base + threadIdx.x, x = tile_x + i % CANNY_WORDS * 32;
    const bool inside = i < rows * CANNY_WORDS && x < f.width;
    const uint32_t edges = inside ? strong_pixels (runs, i) : 0;
    __syncwarp (); /* or the lanes would write one after the other */
    if (inside)
      write_mask (f, x, tile_y + i / CANNY_WORDS, edges);
    if (inside && nodes)
      weak[i] = candidates[i] & ~edges;
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
  cudaError_t status = prepare<STEPS, SMALL_ROWS, true> ();
  if (status == cudaSuccess)
    status = prepare<STEPS, SMALL_ROWS, false> ();
  if (status == cudaSuccess)
    status = prepare<STEPS, LARGE_ROWS, false> ();
  return status;
}

template <int STEPS>
cudaError_t
launch_steps (const CannyFrame &f, cudaStream_t stream)
{
  if (f.aperture != 3 || f.l2_gradient)
    launch<STEPS, SMALL_ROWS, true> (f, stream);
  else if (f.tile_h == LARGE_ROWS - 2 * PAIRS_MARGIN)
    launch<STEPS, LARGE_ROWS, false> (f, stream);
  else
    launch<STEPS, SMALL_ROWS, false> (f, stream);
  return cudaGetLastError ();
}

} // namespace

uint32_t
canny_tile_height (uint32_t width, uint32_t height, uint32_t aperture, bool l2_gradient)
{
  if (aperture != 3 || l2_gradient)
    return SMALL_ROWS - 2 * GENERIC_MARGIN;
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

cudaError_t
canny_launch_tiles (const CannyFrame &f, cudaStream_t stream)
{
  switch (f.radius ? (f.radius + 8 + 15) / 16 : 0) { /* 16 steps - 8 >= radius */
    case 0:
      return launch_steps<0> (f, stream);
    case 1:
      return launch_steps<1> (f, stream);
    case 2:
      return launch_steps<2> (f, stream);
    case 3:
      return launch_steps<3> (f, stream);
    case 4:
      return launch_steps<4> (f, stream);
    default:
      return launch_steps<5> (f, stream);
  }
}

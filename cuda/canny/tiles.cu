/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* First kernel of Canny: a CTA takes one tile from the image to its edges. */
#include "cuda/canny/gradient.cuh"
#include "cuda/canny/tile_edges.cuh"

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
  static_assert (fits_run_fields (ROWS), "runs, components and words fit their fields");
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
  if (f.follows)
    ctr_wait_for_previous ();
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
    copy_unblurred<BLURRED_ROWS> (source, blurred);
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

  finish_tile<Layout::ROWS> (f, {candidates, strong, (uint32_t *) (memory + 2 * Layout::BITS), rows * CANNY_WORDS},
      tile, tx, ty, rows, counts);
}

template <int STEPS, int BLURRED_ROWS, bool GENERIC>
void
launch (const CannyKernelArgs &f, bool overlap, cudaStream_t stream)
{
  ctr_launch_overlapped (overlap && f.follows, tile_kernel<STEPS, BLURRED_ROWS, GENERIC>, f.tiles_x * f.tiles_y,
      CANNY_THREADS, TileLayout<STEPS, BLURRED_ROWS, GENERIC>::BYTES, stream, f);
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
launch_steps (const CannyKernelArgs &f, bool overlap, cudaStream_t stream)
{
  if (f.aperture != 3 || f.l2_gradient)
    launch<STEPS, GENERIC_ROWS, true> (f, overlap, stream);
  else if (f.tile_h == LARGE_ROWS - 2 * PAIRS_MARGIN)
    launch<STEPS, LARGE_ROWS, false> (f, overlap, stream);
  else
    launch<STEPS, SMALL_ROWS, false> (f, overlap, stream);
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
canny_launch_tiles (const CannyKernelArgs &f, bool overlap, cudaStream_t stream)
{
  void (*const launch_each[]) (const CannyKernelArgs &, bool, cudaStream_t) = {
      launch_steps<0>, launch_steps<1>, launch_steps<2>, launch_steps<3>, launch_steps<4>, launch_steps<5>};
  launch_each[canny_blur_steps (f.radius)](f, overlap, stream);
}

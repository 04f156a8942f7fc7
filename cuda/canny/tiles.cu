/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* First kernel of Canny: a CTA takes one tile from the image to its edges. */
#include "cuda/canny/sobel_tile.cuh"
#include "cuda/canny/tile.cuh"

#include "core/canny/thresholds.h"

/* A frame with up to as many pixels is small, one with more pixels is large. */
#ifndef CTR_CANNY_SMALL_FRAME
#define CTR_CANNY_SMALL_FRAME (5u << 19)
#endif
#ifndef CTR_CANNY_LARGE_FRAME
#define CTR_CANNY_LARGE_FRAME (16u << 20)
#endif

namespace
{

template <int STEPS, int BLURRED_ROWS, int RADIUS>
using TileLayoutOf = TileLayout<STEPS, BLURRED_ROWS, RADIUS, STEPS == 1 && RADIUS == 0>;

template <int STEPS, int BLURRED_ROWS, int RADIUS>
__global__ void
__launch_bounds__ (CANNY_THREADS, STEPS > 1                             ? 1
                                  : RADIUS || BLURRED_ROWS == TALL_ROWS ? 4
                                                                        : 3)
    tile_kernel (const __grid_constant__ CannyKernelArgs f)
{
  typedef TileLayoutOf<STEPS, BLURRED_ROWS, RADIUS> Layout;
  extern __shared__ __align__ (16) uint8_t memory[];
  __shared__ uint32_t weights[WEIGHT_WORDS<STEPS>];
  __shared__ TileCounts counts;
  uint8_t *source = memory + Layout::SOURCE_BEGIN, *blurred = memory + Layout::BLURRED_BEGIN;
  uint32_t *candidates = (uint32_t *) memory, *strong = (uint32_t *) (memory + Layout::BITS);
  const TilePlace tile = place_of_tile<Layout> (f, blockIdx.x);
  ctr_let_next_start ();
  if (f.follows)
    ctr_wait_for_previous ();
  if (threadIdx.x == 0)
    counts = {};
  const uint32_t own_weights =
      STEPS > 0 ? load_weights<STEPS> (f) : 0; /* under way while the tile's rows are asked for */
  start_loading<Layout> (f, tile, source);
  if (STEPS > 0)
    tabulate_weights<STEPS> (own_weights, weights);
  finish_loading<Layout> (f, tile, source);
  __syncthreads ();
  blur_loaded<STEPS, BLURRED_ROWS, Layout> (f, tile, weights, source, blurred);

  const int low = f.thresholds ? f.thresholds[0] : f.low, high = f.thresholds ? f.thresholds[1] : f.high;
  if constexpr (RADIUS > 0) {
    const uint8_t *first = blurred + Layout::MARGIN * BLURRED_STRIDE + BLURRED_LEFT;
    find_sobel_candidates<RADIUS, Layout::ROWS> (f, tile.at_image_border, first, tile.x, tile.y, low, high,
        (uint32_t *) (memory + Layout::MAGNITUDES_BEGIN), candidates, strong);
  } else {
    find_tile_candidates<Layout> (f, tile, blurred, low, high, candidates, strong);
  }
  __syncthreads ();

  finish_tile<Layout::ROWS> (f, memory, tile.number, tile.tx, tile.ty, tile.rows, counts);
}

template <int STEPS, int BLURRED_ROWS, int RADIUS>
void
launch (const CannyKernelArgs &f, bool overlap, cudaStream_t stream)
{
  ctr_launch_overlapped (overlap && f.follows, tile_kernel<STEPS, BLURRED_ROWS, RADIUS>, f.tiles_x * f.tiles_y,
      CANNY_THREADS, TileLayoutOf<STEPS, BLURRED_ROWS, RADIUS>::BYTES, stream, f);
}

template <int STEPS, int BLURRED_ROWS, int RADIUS>
cudaError_t
prepare (size_t most_shared)
{
  constexpr size_t bytes = TileLayoutOf<STEPS, BLURRED_ROWS, RADIUS>::BYTES;
  if (bytes > most_shared)
    return cudaSuccess;
  return cudaFuncSetAttribute (
      tile_kernel<STEPS, BLURRED_ROWS, RADIUS>, cudaFuncAttributeMaxDynamicSharedMemorySize, (int) bytes);
}

template <int STEPS>
cudaError_t
prepare_steps (size_t most_shared)
{
  cudaError_t status = prepare<STEPS, SOBEL_ROWS, 1> (most_shared);
  if (status == cudaSuccess)
    status = prepare<STEPS, SOBEL_ROWS, 2> (most_shared);
  if (status == cudaSuccess)
    status = prepare<STEPS, SOBEL_ROWS, 3> (most_shared);
  if (status == cudaSuccess)
    status = prepare<STEPS, LOW_ROWS, 0> (most_shared);
  if (status == cudaSuccess)
    status = prepare<STEPS, MIDDLE_ROWS, 0> (most_shared);
  if (status == cudaSuccess)
    status = prepare<STEPS, TALL_ROWS, 0> (most_shared);
  if (status == cudaSuccess)
    status = prepare<STEPS, LARGE_ROWS, 0> (most_shared);
  return status;
}

/* Does a tile of BLURRED_ROWS fit? RADIUS: of the Sobel operator of sobel_tile.cuh, or 0. */
template <int STEPS>
bool
fits (int blurred_rows, uint32_t radius, size_t most_shared)
{
  const size_t bytes = radius == 1                   ? TileLayoutOf<STEPS, SOBEL_ROWS, 1>::BYTES
                       : radius == 2                 ? TileLayoutOf<STEPS, SOBEL_ROWS, 2>::BYTES
                       : radius == 3                 ? TileLayoutOf<STEPS, SOBEL_ROWS, 3>::BYTES
                       : blurred_rows == LARGE_ROWS  ? TileLayoutOf<STEPS, LARGE_ROWS, 0>::BYTES
                       : blurred_rows == TALL_ROWS   ? TileLayoutOf<STEPS, TALL_ROWS, 0>::BYTES
                       : blurred_rows == MIDDLE_ROWS ? TileLayoutOf<STEPS, MIDDLE_ROWS, 0>::BYTES
                                                     : TileLayoutOf<STEPS, LOW_ROWS, 0>::BYTES;
  return bytes <= most_shared;
}

/* The radius of the Sobel operator of sobel_tile.cuh; 0: it is not that one's case. */
uint32_t
sobel_radius (uint32_t aperture, bool l2_gradient)
{
  return aperture != 3 || l2_gradient ? aperture / 2 : 0;
}

template <int STEPS>
void
launch_steps (const CannyKernelArgs &f, bool overlap, cudaStream_t stream)
{
  const uint32_t radius = sobel_radius (f.aperture, f.l2_gradient);
  if (radius == 1)
    launch<STEPS, SOBEL_ROWS, 1> (f, overlap, stream);
  else if (radius == 2)
    launch<STEPS, SOBEL_ROWS, 2> (f, overlap, stream);
  else if (radius == 3)
    launch<STEPS, SOBEL_ROWS, 3> (f, overlap, stream);
  else if (f.tile_h <= LOW_ROWS - 2 * PAIRS_MARGIN)
    launch<STEPS, LOW_ROWS, 0> (f, overlap, stream);
  else if (f.tile_h <= MIDDLE_ROWS - 2 * PAIRS_MARGIN)
    launch<STEPS, MIDDLE_ROWS, 0> (f, overlap, stream);
  else if (f.tile_h <= TALL_ROWS - 2 * PAIRS_MARGIN)
    launch<STEPS, TALL_ROWS, 0> (f, overlap, stream);
  else
    launch<STEPS, LARGE_ROWS, 0> (f, overlap, stream);
}

/* The fewest rows of a tile with which no processor gets more tiles of the frame than with MOST rows. A warp has three of them at
 * least. */
uint32_t
fewest_rows (uint32_t most, uint32_t width, uint32_t height, uint32_t processors)
{
  constexpr uint32_t least = 3 * CANNY_THREADS / 32;
  const uint32_t tiles_x = ctr_div_up (width, CANNY_W), tiles = tiles_x * ctr_div_up (height, most);
  const uint32_t tiles_y = ctr_div_up (tiles, processors) * processors / tiles_x;
  return min (most, max (least, ctr_div_up (height, tiles_y)));
}

/* How long a processor works on its tiles of ROWS rows, in rows. What a tile takes besides its own is as much as some more. */
uint64_t
work_of_processor (uint32_t rows, uint32_t width, uint32_t height, uint32_t processors)
{
  constexpr uint32_t besides = 12;
  const uint32_t tiles = ctr_div_up (width, CANNY_W) * ctr_div_up (height, rows);
  return (uint64_t) ctr_div_up (tiles, processors) * (rows + besides);
}

} // namespace

/* High tiles have few seams and blur few rows twice, which is what counts in large frames. With a wide blur, where fewer of them run at
 * once on a processor, they are higher; so they are behind the kernel that finds relative thresholds in a plane. In smaller frames all
 * tiles run at once, and the processor that has the most rows decides: each of 132 processors has up to three tiles of 84 rows of a frame
 * of 3840 x 2160, and two of 33 rows of one of 1920 x 1080. One high tile for each would be too few warps for all that they wait for. With
 * relative thresholds each CTA waits for all others, and low tiles gain nothing. */
uint32_t
canny_tile_height (
    uint32_t width, uint32_t height, uint32_t radius, const CtrCannyPlan &plan, const CannyLimits &limits)
{
  bool (*const fits_each[]) (int, uint32_t, size_t) = {fits<0>, fits<1>, fits<2>, fits<3>, fits<4>, fits<5>};
  const auto tile_fits = fits_each[canny_blur_steps (radius)];
  const uint64_t pixels = (uint64_t) width * height;
  const uint32_t sobel = sobel_radius (plan.aperture, plan.l2_gradient);
  if (sobel > 0)
    return tile_fits (SOBEL_ROWS, sobel, limits.most_shared) ? SOBEL_ROWS - 2 * (sobel + 1) : 0;
  int rows = MIDDLE_ROWS;
  const bool relative = plan.threshold_mode == CTR_CANNY_RELATIVE;
  if (pixels > CTR_CANNY_LARGE_FRAME && (relative || canny_blur_steps (plan.radius) > 1))
    rows = LARGE_ROWS;
  else if (pixels > CTR_CANNY_SMALL_FRAME)
    rows = TALL_ROWS;
  constexpr int heights[] = {LARGE_ROWS, TALL_ROWS, MIDDLE_ROWS, LOW_ROWS};
  uint32_t best = 0;
  uint64_t least_work = UINT64_MAX;
  for (int lower : heights) {
    if (lower > rows || !tile_fits (lower, 0, limits.most_shared))
      continue;
    if (relative)
      return lower - 2 * PAIRS_MARGIN;
    const uint32_t tile_h = fewest_rows (lower - 2 * PAIRS_MARGIN, width, height, limits.processors);
    const uint64_t work = work_of_processor (tile_h, width, height, limits.processors);
    if (work < least_work) {
      least_work = work;
      best = tile_h;
    }
  }
  return best;
}

cudaError_t
canny_find_limits (CannyLimits *limits)
{
  constexpr int static_shared = 4096; /* more than the kernels have */
  int device = 0, shared = 0, processors = 0;
  cudaError_t status = cudaGetDevice (&device);
  if (status == cudaSuccess)
    status = cudaDeviceGetAttribute (&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
  if (status == cudaSuccess)
    status = cudaDeviceGetAttribute (&processors, cudaDevAttrMultiProcessorCount, device);
  *limits = {(size_t) (shared - static_shared), (uint32_t) processors};
  return status;
}

cudaError_t
canny_prepare_tiles (size_t most_shared)
{
  cudaError_t (*const prepare_each[]) (size_t) = {
      prepare_steps<0>, prepare_steps<1>, prepare_steps<2>, prepare_steps<3>, prepare_steps<4>, prepare_steps<5>};
  for (auto prepare : prepare_each) {
    const cudaError_t status = prepare (most_shared);
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

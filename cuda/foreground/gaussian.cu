/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Thresholds of neighbourhoods with Gaussian weights, by the rule of core/foreground/adaptive.h: exact sums along the rows
 * first, which go to memory, then along the columns. */
#include "cuda/foreground/adaptive.cuh"

#include "cuda/common/launch.cuh"

#include "core/foreground/adaptive.h"

#include <string.h>

namespace
{

constexpr int GAUSS_THREADS = 128;
constexpr int GAUSS_PIXELS = 8;                               /* successive ones that a thread adds up at once */
constexpr int GAUSS_ROWS = GAUSS_THREADS / 32 * GAUSS_PIXELS; /* of a CTA that adds up columns */
constexpr int GAUSS_WEIGHTS = CTR_MAX_BLOCK_SIZE + 2 * (GAUSS_PIXELS - 1);

struct GaussArgs : AdaptiveArgs {
  void *sums; /* weighted along the rows */
  size_t sums_stride;
  uint32_t weights[CTR_MAX_BLOCK_SIZE];
};

/* A weighted sum along a row has 31 or 39 bits. */
template <typename Sample> struct RowSum;

template <> struct RowSum<uint8_t> {
  typedef uint32_t Type;
};

template <> struct RowSum<uint16_t> {
  typedef unsigned long long Type;
};

/* The weights with GAUSS_PIXELS - 1 zeros on either side, backwards: pixel k's weight of sample i is
 * weights[i + GAUSS_PIXELS - 1 - k]. */
__device__ inline void
load_weights (const GaussArgs &a, uint32_t *weights)
{
  for (int i = threadIdx.x; i < GAUSS_WEIGHTS; i += GAUSS_THREADS) {
    const int tap = i - (GAUSS_PIXELS - 1);
    weights[i] = tap >= 0 && tap <= 2 * (int) a.radius ? a.weights[tap] : 0;
  }
}

template <typename Sample, bool ATLAS>
__global__ void
__launch_bounds__ (GAUSS_THREADS) gauss_rows_kernel (const __grid_constant__ GaussArgs a)
{
  typedef typename RowSum<Sample>::Type Sum;
  constexpr int row_pixels = GAUSS_THREADS * GAUSS_PIXELS;
  __shared__ uint32_t weights[GAUSS_WEIGHTS];
  __shared__ Sample samples[row_pixels + CTR_MAX_BLOCK_SIZE];
  const int x0 = blockIdx.x * row_pixels, radius = a.radius, y = blockIdx.y;
  const Sample *row = (const Sample *) (a.pixels + y * a.stride);
  int width = (int) a.width;
  if (ATLAS) {
    const CtrAtlasRegion &region = a.places[ctr_atlas_find (a.places, a.regions, y)];
    width = y - region.top < region.height ? (int) region.width : 0;
    if (x0 >= width)
      return;
  }
  load_weights (a, weights);
  for (int i = threadIdx.x; i < row_pixels + 2 * radius; i += GAUSS_THREADS)
    samples[i] = row[min (max (x0 + i - radius, 0), width - 1)];
  __syncthreads ();
  const int first = threadIdx.x * GAUSS_PIXELS;
  Sum sums[GAUSS_PIXELS] = {};
  for (int i = 0; i < 2 * radius + GAUSS_PIXELS; i++) {
    const uint32_t sample = samples[first + i];
#pragma unroll
    for (int k = 0; k < GAUSS_PIXELS; k++)
      sums[k] += (Sum) weights[i + GAUSS_PIXELS - 1 - k] * sample;
  }
  Sum *to = (Sum *) ((uint8_t *) a.sums + y * a.sums_stride) + x0 + first;
#pragma unroll
  for (int k = 0; k < GAUSS_PIXELS; k++)
    if (x0 + first + k < width)
      to[k] = sums[k];
}

template <typename Sample, bool ATLAS>
__global__ void
__launch_bounds__ (GAUSS_THREADS) gauss_columns_kernel (const __grid_constant__ GaussArgs args)
{
  typedef typename RowSum<Sample>::Type Sum;
  __shared__ uint32_t weights[GAUSS_WEIGHTS];
  ctr_let_next_start ();
  AdaptiveArgs a = args;
  const uint8_t *all_sums = (const uint8_t *) args.sums;
  uint32_t tile_row = blockIdx.y;
  if (ATLAS) {
    const uint32_t region = region_of_tile_row (a.places, a.regions, tile_row, GAUSS_ROWS);
    tile_row -= region_tile_row (a.places, region, GAUSS_ROWS);
    all_sums += a.places[region].top * args.sums_stride;
    a.move_to_region (region);
  }
  const uint32_t lane = threadIdx.x % 32, x = blockIdx.x * 32 + lane, column = min (x, a.width - 1);
  const int y0 = (int) (tile_row * GAUSS_ROWS + threadIdx.x / 32 * GAUSS_PIXELS), radius = a.radius;
  const int height = a.height;
  load_weights (args, weights);
  __syncthreads ();
  if (y0 >= height)
    return;
  const uint8_t *from = all_sums + column * sizeof (Sum);
  uint64_t sums[GAUSS_PIXELS] = {};
#pragma unroll 4
  for (int i = 0; i < 2 * radius + GAUSS_PIXELS; i++) {
    const Sum sum = *(const Sum *) (from + min (max (y0 + i - radius, 0), height - 1) * args.sums_stride);
#pragma unroll
    for (int k = 0; k < GAUSS_PIXELS; k++)
      sums[k] += (unsigned long long) weights[i + GAUSS_PIXELS - 1 - k] * sum;
  }
#pragma unroll
  for (int k = 0; k < GAUSS_PIXELS; k++) {
    if (y0 + k >= height)
      return;
    const uint32_t sample = ((const Sample *) (a.pixels + (y0 + k) * a.stride))[column];
    constexpr uint32_t most = sizeof (Sample) == 1 ? 255 : 65535;
    const bool above = ctr_gaussian_is_below ((int64_t) sums[k], ctr_adaptive_level (sample, a.offset, most));
    const uint32_t bits = __ballot_sync (~0u, x < a.width && above != (a.flip != 0));
    if (lane == 0)
      ((uint32_t *) ((uint8_t *) a.mask.bits + (y0 + k) * a.mask.stride))[blockIdx.x] = bits;
  }
}

template <typename Sample>
size_t
row_sums_stride (uint32_t width)
{
  return ctr_aligned_row (width * sizeof (typename RowSum<Sample>::Type));
}

template <typename Sample, bool ATLAS>
bool
queue_gauss (const AdaptiveArgs &common, const Atlas *atlas, const uint32_t *weights, void *sums, cudaStream_t stream,
    CtrError *error)
{
  GaussArgs a;
  (AdaptiveArgs &) a = common;
  a.sums = sums;
  a.sums_stride = row_sums_stride<Sample> (a.width);
  memcpy (a.weights, weights, (2 * a.radius + 1) * sizeof *weights);
  ctr_launch (gauss_rows_kernel<Sample, ATLAS>, dim3 (ctr_div_up (a.width, GAUSS_THREADS * GAUSS_PIXELS), a.height),
      GAUSS_THREADS, 0, stream, a);
  CTR_CUDA (cudaGetLastError ());
  const uint32_t words = ctr_packed_row (a.width) / 4;
  const uint32_t rows =
      ATLAS ? region_tile_rows (atlas->places, a.regions, GAUSS_ROWS) : ctr_div_up (a.height, GAUSS_ROWS);
  ctr_launch (gauss_columns_kernel<Sample, ATLAS>, dim3 (words, rows), GAUSS_THREADS, 0, stream, a);
  CTR_CUDA (cudaGetLastError ());
  return true;
}

} // namespace

size_t
foreground_gaussian_room (uint32_t width, uint32_t height, bool wide)
{
  return (wide ? row_sums_stride<uint16_t> (width) : row_sums_stride<uint8_t> (width)) * height;
}

bool
foreground_queue_gaussian (const AdaptiveArgs &common, const Atlas *atlas, bool wide, const uint32_t *weights,
    void *sums, cudaStream_t stream, CtrError *error)
{
  auto queue = atlas  ? wide ? queue_gauss<uint16_t, true> : queue_gauss<uint8_t, true>
                : wide ? queue_gauss<uint16_t, false>
                      : queue_gauss<uint8_t, false>;
  return queue (common, atlas, weights, sums, stream, error);
}

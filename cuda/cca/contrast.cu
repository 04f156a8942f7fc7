/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Component analysis, on request: the samples in a ring around each component. A CTA has a tile of the label image in shared memory,
 * with as many pixels around it as a ring is wide. First each column of the tile finds the nearest component above or below, then
 * each pixel of no component finds the nearest one by the columns of its row. */
#include "cuda/cca/contrast.cuh"

#include "core/cca/cca.h"
#include "core/results/component_values.h"

namespace
{

constexpr int THREADS = 256;
constexpr uint32_t TILE_WIDTH = 64, TILE_HEIGHT = 32;
constexpr uint32_t MARGIN = CTR_CCA_MOST_RING_WIDTH, LOADED_WIDTH = TILE_WIDTH + 2 * MARGIN;

struct Tile {
  uint32_t labels[TILE_HEIGHT + 2 * MARGIN][LOADED_WIDTH];
  uint32_t nearest[TILE_HEIGHT][LOADED_WIDTH]; /* label of the nearest component in the column, 0: none so near */
  uint8_t rows[TILE_HEIGHT][LOADED_WIDTH];     /* how far away it is */
  /* Of each row: those that its rings may be in, and their width. These are of its region, or of the image. */
  uint32_t first[TILE_HEIGHT], end[TILE_HEIGHT], width[TILE_HEIGHT];
};

__device__ inline void
set_limits (const CcaKernelArgs &f, Tile &s, uint32_t row, uint32_t y)
{
  s.first[row] = 0;
  s.end[row] = f.height;
  s.width[row] = f.width;
  if (!f.regions.count || y >= f.height)
    return;
  const CtrAtlasRegion region = f.regions.places[ctr_atlas_find (f.regions.places, f.regions.count, y)];
  s.first[row] = region.top;
  s.end[row] = region.top + region.height;
  s.width[row] = y < s.end[row] ? region.width : 0; /* there is a row between two regions */
}

/* Loads the tile with RING pixels around it. Has it pixels of components and others? */
__device__ inline bool
load_tile (const CcaKernelArgs &f, Tile &s, uint32_t ring)
{
  const uint32_t wide = TILE_WIDTH + 2 * ring, high = TILE_HEIGHT + 2 * ring;
  bool some = false, others = false;
  for (uint32_t i = threadIdx.x; i < wide * high; i += THREADS) {
    const uint32_t column = i % wide, row = i / wide;
    /* Left of the image and above it, these wrap around. */
    const uint32_t x = blockIdx.x * TILE_WIDTH + column - ring, y = blockIdx.y * TILE_HEIGHT + row - ring;
    const bool inside = x < f.width && y < f.height;
    const uint32_t label = inside ? f.by_pixel.labels[(size_t) y * f.width + x] : 0;
    s.labels[row][column] = label;
    some |= label != 0;
    others |= inside && label == 0;
  }
  if (threadIdx.x < TILE_HEIGHT)
    set_limits (f, s, threadIdx.x, blockIdx.y * TILE_HEIGHT + threadIdx.x);
  some = __syncthreads_or (some);
  return __syncthreads_or (others) && some;
}

/* Finds the nearest component of a column of the tile, above or below ROW; of two as near, that with the lower label. */
__device__ inline void
search_column (Tile &s, uint32_t ring, uint32_t row, uint32_t column, uint32_t y)
{
  uint32_t found = s.labels[row + ring][column], rows = 0;
  while (!found && rows < ring) {
    rows++;
    const uint32_t above = y >= s.first[row] + rows ? s.labels[row + ring - rows][column] : 0,
                   below = y + rows < s.end[row] ? s.labels[row + ring + rows][column] : 0;
    found = above && below ? min (above, below) : above | below;
  }
  s.nearest[row][column] = found;
  s.rows[row][column] = (uint8_t) rows;
}

/* The label of the component in whose ring a pixel is, or 0. */
__device__ inline uint32_t
search_row (const Tile &s, uint32_t ring, uint32_t row, uint32_t column)
{
  unsigned long long best = ctr_ring_key (ring * ring + 1, 0);
  for (uint32_t aside = 0; aside <= ring && aside * aside <= best >> 32; aside++)
    for (int side = 0; side < (aside > 0 ? 2 : 1); side++) {
      const uint32_t at = side ? column + ring + aside : column + ring - aside, label = s.nearest[row][at],
                     rows = s.rows[row][at];
      if (label)
        best = min (best, (unsigned long long) ctr_ring_key (aside * aside + rows * rows, label));
    }
  return (uint32_t) best;
}

/* By a warp: adds the samples of its pixels to the rings of LABEL, 0: of none. */
__device__ inline void
add_samples (const CcaKernelArgs &f, uint32_t label, uint32_t sample)
{
  uint32_t left = __ballot_sync (~0u, label != 0);
  while (left) {
    const uint32_t one = __shfl_sync (~0u, label, __ffs (left) - 1), same = __ballot_sync (~0u, label == one);
    uint32_t sum = label == one ? sample : 0;
#pragma unroll
    for (int lanes = 16; lanes > 0; lanes /= 2)
      sum += __shfl_xor_sync (~0u, sum, lanes);
    if (threadIdx.x % 32 == 0) {
      CtrComponentContrast *row = &f.by_table_row.contrast[one - 1];
      atomicAdd ((unsigned long long *) &row->ring_sum, (unsigned long long) sum);
      atomicAdd (&row->ring_area, (uint32_t) __popc (same));
    }
    left &= ~same;
  }
}

__global__ void
__launch_bounds__ (THREADS) rings_kernel (const __grid_constant__ CcaKernelArgs f, uint32_t ring)
{
  __shared__ Tile s;
  if (!f.header->rows_complete || !load_tile (f, s, ring))
    return;
  const uint32_t left = blockIdx.x * TILE_WIDTH, top = blockIdx.y * TILE_HEIGHT, wide = TILE_WIDTH + 2 * ring;
  for (uint32_t i = threadIdx.x; i < wide * TILE_HEIGHT; i += THREADS)
    search_column (s, ring, i / wide, i % wide, top + i / wide);
  __syncthreads ();
  for (uint32_t i = threadIdx.x; i < TILE_WIDTH * TILE_HEIGHT; i += THREADS) {
    const uint32_t column = i % TILE_WIDTH, row = i / TILE_WIDTH, x = left + column, y = top + row;
    const bool outside = x < s.width[row] && y < f.height && !s.labels[row + ring][column + ring];
    const uint32_t label = outside ? search_row (s, ring, row, column) : 0;
    uint32_t sample = 0;
    if (label) {
      const uint8_t *samples = f.samples.pixels + (size_t) y * f.samples.stride;
      sample = f.samples.wide ? ((const uint16_t *) samples)[x] : samples[x];
    }
    add_samples (f, label, sample);
  }
}

} // namespace

bool
cca_queue_contrast (const CcaKernelArgs &f, uint32_t width, cudaStream_t stream, CtrError *error)
{
  if (!f.by_table_row.contrast)
    return true;
  CTR_CUDA (
      cudaMemsetAsync (f.by_table_row.contrast, 0, (size_t) f.table.capacity * sizeof (CtrComponentContrast), stream));
  ctr_launch (rings_kernel, dim3 (ctr_div_up (f.width, TILE_WIDTH), ctr_div_up (f.height, TILE_HEIGHT)), THREADS, 0,
      stream, f, width);
  return true;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Last part of the tile kernels of Canny: from the candidates of a tile to its edges, and to what the seam kernel needs
 * of it. */
#ifndef CTR_CUDA_CANNY_TILE_EDGES_CUH
#define CTR_CUDA_CANNY_TILE_EDGES_CUH

#include "cuda/canny/device_state.cuh"
#include "cuda/common/ptx.cuh"
#include "cuda/common/run_components.cuh"

namespace
{

__device__ __noinline__ void
write_bytes (uint8_t *to, uint32_t count, uint32_t bits)
{
#pragma unroll 1
  for (uint32_t i = 0; i < count; i++)
    to[i] = bits >> i & 1 ? 255 : 0;
}

/* 16 pixels of the mask. Each product has a pixel's bit at the top of each byte. */
__device__ inline uint4
mask_of_bits (uint32_t bits)
{
  const uint32_t next = bits >> 8;
  return make_uint4 (signs_of_bytes ((bits & 0xf) * 0x10204080u), signs_of_bytes ((bits & 0xf0) * 0x01020408u),
      signs_of_bytes ((next & 0xf) * 0x10204080u), signs_of_bytes ((next & 0xf0) * 0x01020408u));
}

/* Writes the mask of a tile whose edges are in STRONG, as far as it is inside the image. A thread writes 16 pixels of every
 * 16th row, and threads of a warp write adjacent ones. */
__device__ inline void
write_mask (const CannyKernelArgs &f, const uint32_t *strong, uint32_t tx, uint32_t ty, uint32_t rows)
{
  constexpr uint32_t chunks = CANNY_W / 16, at_once = CANNY_THREADS / chunks; /* of a row; rows */
  const uint32_t chunk = threadIdx.x % chunks, first = threadIdx.x / chunks, x = tx * CANNY_W + chunk * 16;
  if (x >= f.width)
    return;
  const uint32_t inside = min (f.width - x, 16u);
  const uint16_t *from = (const uint16_t *) strong + first * chunks + chunk;
  const size_t step = at_once * f.mask_stride;
  uint8_t *to = f.mask + (size_t) (ty * f.tile_h + first) * f.mask_stride + x;
  if (f.mask_aligned && inside == 16) {
#pragma unroll 2
    for (uint32_t row = first; row < rows; row += at_once, from += at_once * chunks, to += step)
      *(uint4 *) to = mask_of_bits (*from);
  } else {
#pragma unroll 1
    for (uint32_t row = first; row < rows; row += at_once, from += at_once * chunks, to += step)
      write_bytes (to, inside, *from);
  }
}

/* After the candidates of a tile of at most MOST_ROWS rows are in MEMORY (TileRuns), of which ROWS are inside the image. */
template <int MOST_ROWS>
__device__ inline void
finish_tile (
    const CannyKernelArgs &f, void *memory, uint32_t tile, uint32_t tx, uint32_t ty, uint32_t rows, TileCounts &counts)
{
  const TileRuns runs (memory, MOST_ROWS, rows);
  resolve_tile<MOST_ROWS> (f, runs, tile, tx, ty, counts);
  write_mask (f, runs.strong, tx, ty, rows);
  write_counts (f, tile, counts);
}

} // namespace

#endif

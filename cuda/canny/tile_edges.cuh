/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Last part of the tile kernels of Canny: from the candidates of a tile to its edges, and to what the seam kernel needs
 * of it. */
#ifndef CTR_CUDA_CANNY_TILE_EDGES_CUH
#define CTR_CUDA_CANNY_TILE_EDGES_CUH

#include "cuda/canny/device_state.cuh"
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

/* After the candidates of a tile of at most MOST_ROWS rows are in RUNS, of which ROWS are inside the image. */
template <int MOST_ROWS>
__device__ inline void
finish_tile (const CannyKernelArgs &f, const TileRuns &runs, uint32_t tile, uint32_t tx, uint32_t ty, uint32_t rows,
    TileCounts &counts)
{
  resolve_tile<MOST_ROWS> (f, runs, tile, tx, ty, rows, counts);
#pragma unroll 1
  for (uint32_t i = threadIdx.x; i < 2 * runs.words; i += CANNY_THREADS) { /* threads of a warp write adjacent bytes */
    const uint32_t x = tx * CANNY_W + i % (2 * CANNY_WORDS) * 16;
    if (x < f.width)
      write_mask (f, x, ty * f.tile_h + i / (2 * CANNY_WORDS), runs.strong[i / 2] >> i % 2 * 16);
  }
}

} // namespace

#endif

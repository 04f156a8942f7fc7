/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From samples to a tile of foreground bits. */
#ifndef CTR_CUDA_CCA_TILE_PIXELS_CUH
#define CTR_CUDA_CCA_TILE_PIXELS_CUH

#include "cuda/cca/device_state.cuh"
#include "cuda/common/pixels.cuh"
#include "cuda/common/ptx.cuh"

namespace
{

typedef unsigned __int128 Row; /* 128 pixels, the leftmost in bit 0 */

/* Packs the foreground of ROWS rows of the tile, from FIRST on, by one warp. Where a warp has a part of a tile, the frame is small, and waits for
 * its slowest tile: there those that reach beyond the image are loaded as fast as the others. */
template <int ROWS>
__device__ inline void
load_rows (const CcaKernelArgs &f, uint32_t threshold, uint32_t tx, uint32_t ty, uint32_t first, Row *rows)
{
  uint16_t *chunks = (uint16_t *) (rows + first);
  const uint32_t lane = threadIdx.x % 32, x = tx * TILE_W + lane % 8 * 16, y = ty * TILE_H + first + lane / 8;
  const bool whole = (tx + 1) * TILE_W <= f.width && (ty + 1) * TILE_H <= f.height;
  constexpr int loads = ROWS / 4, at_once = loads < 8 ? loads : 8; /* Registers have no room for more. */
  constexpr bool has_part = ROWS < TILE_H;
  if (f.depth == 8 && (whole || (has_part && f.width % 16 == 0)) && (((uintptr_t) f.pixels | f.stride) & 15) == 0) {
    const uint8_t *p = f.pixels + y * f.stride + x;
    const uint32_t mask = threshold > 255 ? 0 : 0xffff, invert = f.invert ? 0xffff : 0;
    const uint32_t low = keep_in_register ((threshold & 127) * 0x01010101u);
    auto load = [&] (auto is_small, auto is_whole) {
      const uint32_t end = decltype (is_whole)::value || x < f.width ? f.height : 0;
#pragma unroll 1
      for (int base = 0; base < loads; base += at_once) {
        uint4 v[at_once]; /* all loads are issued before any is used */
#pragma unroll
        for (int i = 0; i < at_once; i++, p += 4 * f.stride)
          v[i] = decltype (is_whole)::value || y + 4 * (base + i) < end ? __ldcs ((const uint4 *) p)
                                                                        : make_uint4 (0, 0, 0, 0);
#pragma unroll
        for (int i = 0; i < at_once; i++) {
          const uint32_t pixels = (compare16 (v[i], low, decltype (is_small)::value ? ~0u : 0u) & mask) ^ invert;
          chunks[(base + i) * 32 + lane] = decltype (is_whole)::value || y + 4 * (base + i) < end ? pixels : 0;
        }
      }
    };
    /* Each way takes an instruction less for four pixels than both in one. */
    if (has_part && !whole)
      threshold & 128 ? load (std::false_type (), std::false_type ()) : load (std::true_type (), std::false_type ());
    else if (threshold & 128)
      load (std::false_type (), std::true_type ());
    else
      load (std::true_type (), std::true_type ());
  } else {
    for (int i = 0; i < loads; i++)
      chunks[i * 32 + lane] = load_chunk (f, threshold, x, y + i * 4);
  }
}

/* Brings the rows of a tile of bytes, which another warp is going to load, to the second cache. */
__device__ inline void
prefetch_rows (const CcaKernelArgs &f, uint32_t tile)
{
  constexpr uint32_t piece = 64; /* bytes */
  const uint32_t x = tile % f.tiles_x * TILE_W, y = tile / f.tiles_x * TILE_H;
  if (f.depth != 8 || x + TILE_W > f.width || y + TILE_H > f.height)
    return;
#pragma unroll
  for (uint32_t i = threadIdx.x % 32; i < TILE_H * TILE_W / piece; i += 32)
    prefetch (f.pixels + (y + i / (TILE_W / piece)) * f.stride + x + i % (TILE_W / piece) * piece);
}

} // namespace

#endif

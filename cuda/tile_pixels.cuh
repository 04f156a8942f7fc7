/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From samples to a tile of foreground bits. */
#ifndef CTR_TILE_PIXELS_CUH
#define CTR_TILE_PIXELS_CUH

#include "cuda/cca_layout.cuh"

namespace
{

typedef unsigned __int128 Row; /* 128 pixels, the leftmost in bit 0 */

/* Bit i: byte i of V >= the threshold. T_LOW: its low seven bits in every byte; T_SMALL: all ones if its bit 7 is
 * clear. */
__device__ inline uint32_t
compare16 (uint4 v, uint32_t t_low, uint32_t t_small)
{
  const uint32_t high = 0x80808080u;
  auto ge = [&] (uint32_t x) {
    uint32_t c = (x | high) - t_low; /* bit 7 of each byte: low seven bits >= */
    return ((x & c) | (t_small & (x | c))) & high;
  };
  uint32_t low = __dp4a (ge (v.y), 0x80402010u, __dp4a (ge (v.x), 0x08040201u, 0u));
  uint32_t top = __dp4a (ge (v.w), 0x80402010u, __dp4a (ge (v.z), 0x08040201u, 0u));
  return low >> 7 | top << 1;
}

/* Foreground of 16 pixels from column X on; bits beyond the image are 0. */
__device__ inline uint32_t
load_chunk (const CcaFrame &f, uint32_t threshold, uint32_t x, uint32_t y)
{
  if (y >= f.height || x >= f.width)
    return 0;
  const uint32_t inside = f.width - x;
  uint32_t bits = 0;
  if (f.depth == 8) {
    const uint8_t *p = f.pixels + y * f.stride + x;
    if (inside >= 16 && ((uintptr_t) p & 15) == 0) {
      uint4 v = __ldcs ((const uint4 *) p);
      uint32_t t_low = (threshold & 127) * 0x01010101u;
      bits = compare16 (v, t_low, threshold & 128 ? 0u : ~0u);
      if (threshold > 255)
        bits = 0;
    } else {
      for (uint32_t i = 0; i < 16 && i < inside; i++)
        bits |= (uint32_t) (p[i] >= threshold) << i;
    }
  } else {
    const uint16_t *p = (const uint16_t *) (f.pixels + y * f.stride) + x;
    if (inside >= 16 && ((uintptr_t) p & 15) == 0) {
#pragma unroll
      for (int half = 0; half < 2; half++) {
        uint4 v = __ldcs ((const uint4 *) p + half);
        const uint32_t words[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
        for (int i = 0; i < 4; i++) {
          bits |= (uint32_t) ((words[i] & 0xffff) >= threshold) << (8 * half + 2 * i);
          bits |= (uint32_t) (words[i] >> 16 >= threshold) << (8 * half + 2 * i + 1);
        }
      }
    } else {
      for (uint32_t i = 0; i < 16 && i < inside; i++)
        bits |= (uint32_t) (p[i] >= threshold) << i;
    }
  }
  if (f.invert)
    bits = ~bits & 0xffff;
  return inside >= 16 ? bits : bits & ((1u << inside) - 1);
}

/* Foreground of ROWS rows of the tile, from FIRST on, by one warp. */
template <int ROWS>
__device__ inline void
load_rows (const CcaFrame &f, uint32_t threshold, uint32_t tx, uint32_t ty, uint32_t first, Row *rows)
{
  uint16_t *chunks = (uint16_t *) (rows + first);
  const uint32_t lane = threadIdx.x % 32, x = tx * TILE_W + lane % 8 * 16, y = ty * TILE_H + first + lane / 8;
  const bool whole = (tx + 1) * TILE_W <= f.width && (ty + 1) * TILE_H <= f.height;
  constexpr int loads = ROWS / 4;
  if (f.depth == 8 && whole && (((uintptr_t) f.pixels | f.stride) & 15) == 0) {
    const uint8_t *p = f.pixels + y * f.stride + x;
    const uint32_t t_low = (threshold & 127) * 0x01010101u, t_small = threshold & 128 ? 0u : ~0u;
    const uint32_t mask = threshold > 255 ? 0 : 0xffff, invert = f.invert ? 0xffff : 0;
    uint4 v[loads]; /* all under way together */
#pragma unroll
    for (int i = 0; i < loads; i++)
      v[i] = __ldcs ((const uint4 *) (p + (size_t) i * 4 * f.stride));
#pragma unroll
    for (int i = 0; i < loads; i++)
      chunks[i * 32 + lane] = (compare16 (v[i], t_low, t_small) & mask) ^ invert;
  } else {
    for (int i = 0; i < loads; i++)
      chunks[i * 32 + lane] = load_chunk (f, threshold, x, y + i * 4);
  }
}

} // namespace

#endif

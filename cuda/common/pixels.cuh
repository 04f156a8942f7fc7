/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Samples to foreground bits. ARGS have pixels, stride, width, height, depth (8 or 16) and invert. With depth 1, PIXELS are
 * a packed mask (core/foreground/foreground.h), and the threshold is ignored. */
#ifndef CTR_CUDA_COMMON_PIXELS_CUH
#define CTR_CUDA_COMMON_PIXELS_CUH

#include "cuda/common/launch.cuh"

namespace
{

/* Bit i of the result: byte i of V >= the threshold. T_LOW: the threshold's low seven bits in every byte. T_SMALL: all
 * ones if the threshold's bit 7 is clear. */
__device__ inline uint32_t
compare16 (uint4 v, uint32_t t_low, uint32_t t_small)
{
  const uint32_t high = 0x80808080u;
  auto ge = [&] (uint32_t x) {
    uint32_t c = (x | high) - t_low; /* Bit 7 of each byte: its low seven bits are >=. */
    return ((x & c) | (t_small & (x | c))) & high;
  };
  uint32_t low = __dp4a (ge (v.y), 0x80402010u, __dp4a (ge (v.x), 0x08040201u, 0u));
  uint32_t top = __dp4a (ge (v.w), 0x80402010u, __dp4a (ge (v.z), 0x08040201u, 0u));
  return (low >> 7) + (top << 1);
}

/* Foreground of 16 pixels from column X on, a multiple of 16. Bits beyond the image are 0. */
template <typename Args>
__device__ inline uint32_t
load_chunk (const Args &f, uint32_t threshold, uint32_t x, uint32_t y)
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
  } else if (f.depth == 1) {
    bits = ((const uint16_t *) (f.pixels + y * f.stride))[x / 16];
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

/* Foreground of 32 pixels from column X on, a multiple of 32, as of load_chunk(). Bytes are loaded together, and so are bits, unless they
 * reach beyond the image or rows are not aligned. */
template <typename Args>
__device__ inline uint32_t
load_word (const Args &f, uint32_t threshold, uint32_t x, uint32_t y)
{
  if (y >= f.height || x >= f.width)
    return 0;
  const uint8_t *row = f.pixels + y * f.stride;
  const bool whole = f.width - x >= 32 && ((uintptr_t) row & 15) == 0;
  uint32_t bits = 0;
  if (whole && f.depth == 1) {
    bits = ((const uint32_t *) row)[x / 32];
  } else if (whole && f.depth == 8) {
    const uint4 low = __ldcs ((const uint4 *) (row + x)), high = __ldcs ((const uint4 *) (row + x) + 1);
    const uint32_t t_low = (threshold & 127) * 0x01010101u, t_small = threshold & 128 ? 0u : ~0u;
    bits = compare16 (low, t_low, t_small) | compare16 (high, t_low, t_small) << 16;
    if (threshold > 255)
      bits = 0;
  } else {
    return load_chunk (f, threshold, x, y) | load_chunk (f, threshold, x + 16, y) << 16;
  }
  return f.invert ? ~bits : bits;
}

/* A pixel whose sample is loaded, or the byte of a packed mask that has it: several can be under way together, as nothing waits for the
 * sample before foreground() does. */
struct LoadedPixel {
  uint32_t sample = 0;
  bool inside = false;

  template <typename Args>
  __device__ void
  load (const Args &f, uint32_t x, uint32_t y)
  {
    const uint8_t *from = f.pixels + y * f.stride + x * f.depth / 8;
    inside = x < f.width && y < f.height;
    if (inside && f.depth == 16)
      sample = *(const uint16_t *) from;
    if (inside && f.depth != 16)
      sample = *from;
  }

  /* Is the pixel, of column X, foreground? Pixels outside the image are not. */
  template <typename Args>
  __device__ bool
  foreground (const Args &f, uint32_t threshold, uint32_t x) const
  {
    const bool bit = f.depth == 1 ? sample >> x % 8 & 1 : (sample >= threshold) != (bool) f.invert;
    return inside && bit;
  }
};

} // namespace

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pieces of a row: 16 samples, and a bit for each. ARGS have pixels, stride, width and height of a plane of samples. */
#ifndef CTR_CUDA_FOREGROUND_GREY_PIECES_CUH
#define CTR_CUDA_FOREGROUND_GREY_PIECES_CUH

#include "cuda/common/pixels.cuh"

namespace
{

constexpr int PIXELS = 16; /* of a piece */

/* Bit i: byte i of WORDS >= LEVEL. */
__device__ inline uint32_t
at_least (const uint32_t words[4], uint32_t level)
{
  if (level > 255)
    return 0;
  return compare16 (
      make_uint4 (words[0], words[1], words[2], words[3]), (level & 127) * 0x01010101u, level & 128 ? 0u : ~0u);
}

/* The same of 16-bit samples. */
__device__ inline uint32_t
at_least (const uint32_t words[8], uint32_t level, uint16_t)
{
  uint32_t bits = 0;
#pragma unroll
  for (int i = 0; i < 8; i++) {
    bits |= (uint32_t) ((words[i] & 0xffff) >= level) << (2 * i);
    bits |= (uint32_t) (words[i] >> 16 >= level) << (2 * i + 1);
  }
  return bits;
}

__device__ inline uint32_t
at_least (const uint32_t words[4], uint32_t level, uint8_t)
{
  return at_least (words, level);
}

constexpr uint32_t NO_LEVEL = 1 << 16; /* above all samples */

/* The samples that a threshold takes: THRESHOLD <= sample < END. END is NO_LEVEL without an upper threshold. */
template <typename Sample>
__device__ inline uint32_t
between_levels (const uint32_t words[4 * sizeof (Sample)], uint32_t threshold, uint32_t end)
{
  uint32_t bits = at_least (words, threshold, Sample ());
  if (end < NO_LEVEL)
    bits &= ~at_least (words, end, Sample ());
  return bits;
}

/* END for a foreground with a fixed or a found threshold. */
inline uint32_t
end_of_levels (const CtrForeground *foreground)
{
  const bool limited = foreground->mode == CTR_THRESHOLD_FIXED && foreground->upper_threshold;
  return limited ? min (foreground->upper_threshold, NO_LEVEL) + 1 : NO_LEVEL;
}

/* The bits of a piece from column X on that are inside the image. */
template <typename Args>
__device__ inline uint32_t
inside (const Args &a, uint32_t x)
{
  return x >= a.width ? 0 : a.width - x >= PIXELS ? 0xffff : (1u << (a.width - x)) - 1;
}

/* Loads 16 samples. Those outside of the image are 0. */
template <typename Sample, typename Args>
__device__ inline void
load_grey (const Args &a, uint32_t x, uint32_t y, uint32_t words[4 * sizeof (Sample)])
{
  constexpr int count = 4 * sizeof (Sample), per_word = 4 / sizeof (Sample);
  const Sample *from = (const Sample *) (a.pixels + y * a.stride) + x;
  if (x + PIXELS <= a.width && (uintptr_t) from % 16 == 0) {
#pragma unroll
    for (int i = 0; i < count / 4; i++) {
      const uint4 v = __ldcs ((const uint4 *) from + i);
      words[4 * i] = v.x;
      words[4 * i + 1] = v.y;
      words[4 * i + 2] = v.z;
      words[4 * i + 3] = v.w;
    }
    return;
  }
#pragma unroll
  for (int i = 0; i < count; i++) {
    words[i] = 0;
#pragma unroll
    for (int k = 0; k < per_word; k++)
      if (x + i * per_word + k < a.width)
        words[i] |= (uint32_t) from[i * per_word + k] << (32 / per_word * k);
  }
}

} // namespace

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The picture of a packed mask, piece by piece: mask.cu, which has the whole mask, and connected.cu, which paints each tile as soon
 * as its pixels are known. */
#ifndef CTR_CUDA_FOREGROUND_MASK_PICTURE_CUH
#define CTR_CUDA_FOREGROUND_MASK_PICTURE_CUH

#include "core/canny/canny.h"

#include "cuda/common/launch.cuh"

/* The arguments of a kernel that paints. */
struct MaskPicture {
  CtrEdgePlane planes[CTR_EDGE_MAX_PLANES];
  uint32_t plane_count;
  uint32_t width, height; /* of the image */
  const uint32_t *found;  /* the threshold, or NULL: */
  uint32_t threshold;
  uint32_t *applied; /* page-locked memory of the host, which gets it */
};

constexpr uint32_t PAINTED_PIXELS = 16; /* of a thread */

static inline __host__ __device__ uint32_t
painted_width (const MaskPicture &a, const CtrEdgePlane &plane)
{
  return ((a.width - 1) >> plane.x_shift) + 1;
}

static inline __host__ __device__ uint32_t
painted_height (const MaskPicture &a, const CtrEdgePlane &plane)
{
  return ((a.height - 1) >> plane.y_shift) + 1;
}

/* One thread of the picture calls it. */
__device__ inline void
tell_threshold (const MaskPicture &a)
{
  *(volatile uint32_t *) a.applied = a.found ? *a.found : a.threshold;
}

/* Which of the PAINTED_PIXELS pixels from column X of row Y of a plane cover foreground? X is a multiple of them. LOAD_WORD (x, y): 32
 * pixels of the image. */
template <typename LoadWord>
__device__ inline uint32_t
load_covered (const MaskPicture &a, const CtrEdgePlane &plane, uint32_t x, uint32_t y, LoadWord load_word)
{
  const uint32_t first = y << plane.y_shift, end = min (first + (1u << plane.y_shift), a.height);
  const uint32_t words = ctr_div_up (a.width, 32), from = (x << plane.x_shift) / 32;
  const uint32_t count = (PAINTED_PIXELS << plane.x_shift) / 32; /* words; 0: half a one */
  uint64_t bits = 0;
  for (uint32_t v = first; v < end; v++)
    bits |= load_word (32 * from, v)
            | (count > 1 && from + 1 < words ? (uint64_t) load_word (32 * (from + 1), v) << 32 : 0);
  if (count == 0)
    return bits >> x % 32 & 0xffff;
  uint32_t covered = 0;
#pragma unroll
  for (uint32_t i = 0; i < PAINTED_PIXELS; i++)
    covered |= (uint32_t) ((bits >> (i << plane.x_shift) & ((1u << (1u << plane.x_shift)) - 1)) != 0) << i;
  return covered;
}

/* Writes COUNT pixels of a plane. */
__device__ inline void
write_pixels (const CtrEdgePlane &plane, uint32_t x, uint32_t y, uint32_t count, uint32_t bits)
{
  const uint8_t *source =
      plane.source ? (const uint8_t *) plane.source + y * plane.source_stride + (size_t) x * plane.pixel_size : NULL;
  uint8_t *to = (uint8_t *) plane.data + y * plane.stride + (size_t) x * plane.pixel_size;
  if (plane.pixel_size == 1 && !source && count == PAINTED_PIXELS && ((uintptr_t) to & 15) == 0) {
    const uint32_t background = plane.background[0] * 0x01010101u;
    const uint32_t change = (plane.edge[0] ^ plane.background[0]) * 0x01010101u;
    uint32_t words[4];
#pragma unroll
    for (int i = 0; i < 4; i++)
      words[i] = (((bits >> 4 * i & 15) * 0x00204081u & 0x01010101u) * 255 & change) ^ background;
    *(uint4 *) to = make_uint4 (words[0], words[1], words[2], words[3]);
    return;
  }
#pragma unroll 1
  for (uint32_t i = 0; i < count; i++)
    for (uint32_t k = 0; k < plane.pixel_size; k++) {
      const uint32_t at = i * plane.pixel_size + k;
      to[at] = !(bits >> i & 1) ? plane.background[k] : source ? source[at] : plane.edge[k];
    }
}

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The mask of a whole image, of an atlas of few regions, word by word: regions_whole.cu, mask.cu. */
#ifndef CTR_CUDA_FOREGROUND_CROSSING_REGIONS_CUH
#define CTR_CUDA_FOREGROUND_CROSSING_REGIONS_CUH

#include "cuda/foreground/foreground.h"

/* So many regions, at most, a word of the image is gathered from, and threads a CTA has that does. */
constexpr uint32_t GATHERED_REGIONS = 256;

/* The regions that some rows of the image cross, in shared memory. */
struct CrossingRegions {
  CtrAtlasRegion list[GATHERED_REGIONS];
  uint32_t count;

  /* A CTA of GATHERED_REGIONS threads looks for those of rows FIRST to END - 1, of at most GATHERED_REGIONS. */
  __device__ void
  find (const DeviceRegions &regions, uint32_t first, uint32_t end)
  {
    __syncthreads (); /* The former ones are not needed any more. */
    if (threadIdx.x == 0)
      count = 0;
    __syncthreads ();
    if (threadIdx.x < regions.count) {
      const CtrAtlasRegion region = regions.places[threadIdx.x];
      if (region.y < end && first < region.y + region.height)
        list[atomicAdd (&count, 1)] = region;
    }
    __syncthreads ();
  }

  /* The 32 pixels from column X on, a multiple of 32, of row Y of the image. */
  __device__ uint32_t
  load_word (const PackedMask &atlas, uint32_t x, uint32_t y) const
  {
    uint32_t bits = 0;
    for (uint32_t k = 0; k < count; k++) {
      const uint32_t row = y - list[k].y;
      if (row < list[k].height)
        bits |= load_from (list[k], atlas, x, list[k].top + row);
    }
    return bits;
  }

  /* The same of a region whose row of the atlas is ROW. */
  __device__ static uint32_t
  load_from (const CtrAtlasRegion &region, const PackedMask &atlas, uint32_t x, uint32_t row)
  {
    const int ahead = (int) (x - region.x), words = (int) (atlas.stride / sizeof (uint32_t)), word = ahead >> 5;
    if (ahead <= -32 || ahead >= (int) region.width)
      return 0;
    const uint32_t *from = (const uint32_t *) ((const uint8_t *) atlas.bits + row * atlas.stride);
    const uint32_t low = word >= 0 ? from[word] : 0, high = word + 1 < words ? from[word + 1] : 0;
    return __funnelshift_r (low, high, ahead & 31);
  }
};

#endif

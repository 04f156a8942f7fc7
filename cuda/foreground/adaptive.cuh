/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the thresholds of neighbourhoods have in common: adaptive.cu, gaussian.cu. */
#ifndef CTR_CUDA_FOREGROUND_ADAPTIVE_CUH
#define CTR_CUDA_FOREGROUND_ADAPTIVE_CUH

#include "cuda/foreground/foreground.h"

struct AdaptiveArgs {
  const uint8_t *pixels; /* of the image, or of the atlas of REGIONS, each by itself */
  size_t stride;
  uint32_t width, height;
  PackedMask mask;
  uint32_t radius;
  int32_t offset;
  uint32_t flip;                /* all ones: inverted */
  const CtrAtlasRegion *places; /* of REGIONS of the atlas; NULL: the image is whole */
  uint32_t regions;

  /* Makes these the arguments of region I, as if it were an image. */
  __device__ void
  move_to_region (uint32_t i)
  {
    const CtrAtlasRegion region = places[i];
    pixels += region.top * stride;
    mask.bits += region.top * (mask.stride / sizeof *mask.bits);
    width = region.width;
    height = region.height;
  }
};

/* gaussian.cu: bytes for sums, and the mean of samples of 16 bits, if WIDE, or 8, by the WEIGHTS of a block. ATLAS: what COMMON has
 * regions of; NULL: none. */
size_t foreground_gaussian_room (uint32_t width, uint32_t height, bool wide);
bool foreground_queue_gaussian (const AdaptiveArgs &common, const Atlas *atlas, bool wide, const uint32_t *weights,
    void *sums, cudaStream_t stream, CtrError *error);

#endif

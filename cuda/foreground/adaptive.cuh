/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the thresholds of neighbourhoods have in common: adaptive.cu, gaussian.cu. */
#ifndef CTR_CUDA_FOREGROUND_ADAPTIVE_CUH
#define CTR_CUDA_FOREGROUND_ADAPTIVE_CUH

#include "cuda/foreground/foreground.h"

struct AdaptiveArgs {
  const uint8_t *pixels;
  size_t stride;
  uint32_t width, height;
  PackedMask mask;
  uint32_t radius;
  int32_t offset;
  uint32_t flip; /* all ones: inverted */
};

/* gaussian.cu: bytes for sums, and the mean of samples of 16 bits, if WIDE, or 8, by the WEIGHTS of a block. */
size_t foreground_gaussian_room (uint32_t width, uint32_t height, bool wide);
bool foreground_queue_gaussian (
    const AdaptiveArgs &common, bool wide, const uint32_t *weights, void *sums, cudaStream_t stream, CtrError *error);

#endif

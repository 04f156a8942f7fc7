/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What passes between the kernels that split touching parts: distance.cu, split.cu. */
#ifndef CTR_CUDA_FOREGROUND_SPLIT_CUH
#define CTR_CUDA_FOREGROUND_SPLIT_CUH

#include "cuda/common/launch.cuh"
#include "cuda/foreground/foreground.h"

#include "core/foreground/split.h"

constexpr uint32_t SPLIT_WORD =
    32; /* pixels of a word of a packed mask; rows of the arrays by pixel are multiples of it */
constexpr uint32_t SPLIT_WARPS = 8;    /* of a CTA whose warps take a word each */
constexpr uint32_t SPLIT_NONE = 65535; /* No pixel of a column is background. */

struct SplitArgs {
  CtrSplit split; /* STRIDE: a multiple of SPLIT_WORD, so that rows are aligned */
  uint32_t *mask;
  uint32_t mask_stride;    /* words */
  uint32_t words;          /* that a row has pixels in */
  uint32_t *saddles;       /* a bit a pixel, in rows of WORDS */
  uint16_t *columns;       /* by pixel: distance within the column; in the memory of the labels, which come later */
  uint16_t *least_columns; /* by word: the least of them */

  const CtrAtlasRegion *places; /* of REGIONS of an atlas, each by itself; NULL: the image is whole */
  uint32_t regions;
};

/* The word of a row that the warp takes. */
struct SplitWord {
  uint32_t lane, number, x, y;

  __device__
  SplitWord (uint32_t words)
  {
    lane = threadIdx.x % SPLIT_WORD;
    number = blockIdx.x * SPLIT_WARPS + threadIdx.x / SPLIT_WORD;
    x = number % words;
    y = number / words;
  }
};

/* Queues a kernel whose warps take COUNT words. */
static inline void
split_launch (const SplitArgs &f, bool overlap, void (*kernel) (SplitArgs), uint32_t count, cudaStream_t stream)
{
  ctr_launch_overlapped (overlap, kernel, ctr_div_up (count, SPLIT_WARPS), SPLIT_WORD * SPLIT_WARPS, 0, stream, f);
}

/* distance.cu: the distances of all pixels, in their region, and zeros around them. ATLAS: what F has regions of, or NULL. */
void split_queue_distances (const SplitArgs &f, const Atlas *atlas, bool overlap, cudaStream_t stream);

/* Numbers before the first row of distances. */
constexpr size_t SPLIT_MARGIN = SPLIT_WORD;

#endif

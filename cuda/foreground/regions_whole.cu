/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The mask of a whole image, of an atlas: the pixels that are foreground in one of the regions. */
#include "cuda/foreground/regions.h"

#include "cuda/foreground/foreground.h"

#include "cuda/common/launch.cuh"

namespace
{

constexpr int THREADS = 256;
constexpr uint32_t GATHERED = THREADS; /* regions, at most, that a word of the image is gathered from */
constexpr uint32_t GATHER_ROWS = 2;    /* of the image, of a CTA: with a camera's width a thread has one word, or few */
constexpr unsigned MOST_CTAS = 132 * 16;

struct WholeArgs {
  DeviceRegions regions;
  PackedMask atlas, to;
  uint32_t words; /* of a row of the atlas */
};

__device__ inline uint32_t *
word_at (const PackedMask &mask, uint32_t row, uint32_t word)
{
  return (uint32_t *) ((uint8_t *) mask.bits + row * mask.stride) + word;
}

/* A thread has a word of the atlas, which lies in one word of the image or in two. */
__global__ void
__launch_bounds__ (THREADS) whole_kernel (const __grid_constant__ WholeArgs a)
{
  const uint32_t words = a.words, step = gridDim.x * THREADS;
  ctr_let_next_start ();
  for (uint32_t i = blockIdx.x * THREADS + threadIdx.x; i < words * a.regions.height; i += step) {
    const uint32_t bits = *word_at (a.atlas, i / words, i % words);
    if (!bits)
      continue;
    const CtrAtlasRegion region = a.regions.places[ctr_atlas_find (a.regions.places, a.regions.count, i / words)];
    const uint32_t x = region.x + i % words * 32, y = region.y + i / words - region.top;
    uint32_t *at = word_at (a.to, y, x / 32);
    atomicOr (at, bits << x % 32);
    if (x % 32 && bits >> (32 - x % 32))
      atomicOr (at + 1, bits >> (32 - x % 32));
  }
}

/* The 32 pixels from column X of the image on that REGION, whose row of the atlas is ROW, has. */
__device__ inline uint32_t
gather (const WholeArgs &a, const CtrAtlasRegion &region, uint32_t x, uint32_t row)
{
  const int ahead = (int) (x - region.x), words = (int) a.words, word = ahead >> 5;
  if (ahead <= -32 || ahead >= (int) region.width)
    return 0;
  const uint32_t *from = word_at (a.atlas, row, 0);
  const uint32_t low = word >= 0 ? from[word] : 0, high = word + 1 < words ? from[word + 1] : 0;
  return __funnelshift_r (low, high, ahead & 31);
}

/* The same for few regions, without clearing the image first. A CTA has some rows, and looks for the regions that reach them. */
__global__ void
__launch_bounds__ (THREADS) gather_kernel (const __grid_constant__ WholeArgs a)
{
  __shared__ CtrAtlasRegion regions[GATHERED];
  __shared__ uint32_t found;
  const uint32_t t = threadIdx.x, first = blockIdx.x * GATHER_ROWS, rows = min (GATHER_ROWS, a.to.height - first);
  if (t == 0)
    found = 0;
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  __syncthreads ();
  if (t < a.regions.count) {
    const CtrAtlasRegion region = a.regions.places[t];
    if (region.y < first + rows && first < region.y + region.height)
      regions[atomicAdd (&found, 1)] = region;
  }
  __syncthreads ();
  const uint32_t count = found, words = (uint32_t) (a.to.stride / sizeof (uint32_t));
  for (uint32_t i = t; i < rows * words; i += THREADS) {
    const uint32_t y = first + i / words, word = i % words;
    uint32_t bits = 0;
    for (uint32_t k = 0; k < count; k++) {
      const uint32_t row = y - regions[k].y;
      if (row < regions[k].height)
        bits |= gather (a, regions[k], 32 * word, regions[k].top + row);
    }
    *word_at (a.to, y, word) = bits;
  }
}

} // namespace

bool
regions_queue_whole (const DeviceRegions *regions, const PackedMask *from, const PackedMask *to, bool overlap,
    cudaStream_t stream, CtrError *error)
{
  const WholeArgs a = {*regions, *from, *to, (uint32_t) (ctr_packed_row (regions->width) / sizeof (uint32_t))};
  if (regions->count <= GATHERED) {
    ctr_launch_overlapped (overlap, gather_kernel, ctr_div_up (to->height, GATHER_ROWS), THREADS, 0, stream, a);
  } else {
    CTR_CUDA (cudaMemsetAsync (to->bits, 0, to->stride * to->height, stream));
    whole_kernel<<<min (ctr_div_up (a.words * regions->height, THREADS), MOST_CTAS), THREADS, 0, stream>>> (a);
  }
  CTR_CUDA (cudaGetLastError ());
  return true;
}

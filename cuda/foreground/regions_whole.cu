/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The mask of a whole image, of an atlas: the pixels that are foreground in one of the regions. */
#include "cuda/foreground/crossing_regions.cuh"

#include "cuda/common/launch.cuh"

namespace
{

constexpr int THREADS = GATHERED_REGIONS;
constexpr uint32_t GATHER_ROWS = 2; /* of the image, of a CTA: with a camera's width a thread has one word, or few */
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

/* The same for few regions, without clearing the image first. A CTA has some rows. */
__global__ void
__launch_bounds__ (THREADS) gather_kernel (const __grid_constant__ WholeArgs a)
{
  __shared__ CrossingRegions crossing;
  const uint32_t first = blockIdx.x * GATHER_ROWS, rows = min (GATHER_ROWS, a.to.height - first);
  const uint32_t words = (uint32_t) (a.to.stride / sizeof (uint32_t));
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  crossing.find (a.regions, first, first + rows);
  for (uint32_t i = threadIdx.x; i < rows * words; i += THREADS)
    *word_at (a.to, first + i / words, i % words) = crossing.load_word (a.atlas, 32 * (i % words), first + i / words);
}

} // namespace

bool
regions_queue_whole (const DeviceRegions *regions, const PackedMask *from, const PackedMask *to, bool overlap,
    cudaStream_t stream, CtrError *error)
{
  const WholeArgs a = {*regions, *from, *to, (uint32_t) (ctr_packed_row (regions->width) / sizeof (uint32_t))};
  if (regions->count <= GATHERED_REGIONS) {
    ctr_launch_overlapped (overlap, gather_kernel, ctr_div_up (to->height, GATHER_ROWS), THREADS, 0, stream, a);
  } else {
    CTR_CUDA (cudaMemsetAsync (to->bits, 0, to->stride * to->height, stream));
    ctr_launch (whole_kernel, min (ctr_div_up (a.words * regions->height, THREADS), MOST_CTAS), THREADS, 0, stream, a);
  }
  CTR_CUDA (cudaGetLastError ());
  return true;
}

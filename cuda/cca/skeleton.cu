/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Component analysis, on request: the lengths and widths of skeletons. The pixels that thinning (thinning.cu) leaves are few: each finds
 * its distance by the columns to either side, as far as one of them may be nearer. */
#include "cuda/cca/skeleton.cuh"

#include "core/results/component_values.h"

namespace
{

constexpr int THREADS = 256;
constexpr uint32_t NEAR = 4, FAR_STEPS = 8; /* of a search */

/* The squared distance of pixel X. Far away the search goes several steps at a time, whose loads do not wait for each other. */
__device__ inline uint32_t
measure_distance (const LabelRow &row, uint32_t x, uint32_t label)
{
  uint32_t found = row.columns[x] * row.columns[x], aside = 1;
  for (; aside <= NEAR && aside * aside < found; aside++)
    found = row.nearer (row.nearer (found, label, x - aside, aside), label, x + aside, aside);
  for (; aside * aside < found; aside += FAR_STEPS)
#pragma unroll
    for (uint32_t k = 0; k < FAR_STEPS; k++)
      found = row.nearer (row.nearer (found, label, x - aside - k, aside + k), label, x + aside + k, aside + k);
  return found;
}

/* The pairs that the pixels of a word make with those to the east and below, as bits. */
struct Pairs {
  uint32_t east, south, south_east, south_west;

  /* HERE: word X of row Y. */
  __device__
  Pairs (const CcaKernelArgs &f, const ThinningArgs &t, uint32_t here, uint32_t x, uint32_t y)
  {
    const auto word_at = [&] (uint32_t column, uint32_t row) {
      return column < t.words && row < f.height ? t.pixels[0][(size_t) row * t.words + column] : 0;
    };
    const ThinningLinks links = t.links[(size_t) y * t.words + x];
    const uint32_t below = word_at (x, y + 1);
    const uint32_t west = __funnelshift_l (word_at (x - 1, y), here, 1) & links.to_south.z;
    east = here & __funnelshift_r (here, word_at (x + 1, y), 1) & links.to_north.z;
    south = here & below & links.to_south.x;
    south_east = here & __funnelshift_r (below, word_at (x + 1, y + 1), 1) & links.to_north.w & ~east & ~south;
    south_west = here & __funnelshift_l (word_at (x - 1, y + 1), below, 1) & links.to_south.y & ~west & ~south;
  }
};

/* A warp a word. */
__global__ void
__launch_bounds__ (THREADS) skeleton_kernel (const __grid_constant__ CcaKernelArgs f,
    const __grid_constant__ ColumnArgs c, const __grid_constant__ ThinningArgs t)
{
  const uint32_t lane = threadIdx.x % 32, number = (blockIdx.x * THREADS + threadIdx.x) / 32;
  const uint32_t word = number % t.words, x = word * THINNING_WORD + lane, y = number / t.words;
  if (!f.header->rows_complete || y >= f.height)
    return;
  const uint32_t here = t.pixels[0][number];
  if (!here)
    return;
  const Pairs pairs (f, t, here, word, y);
  const LabelRow row (f, c, y);
  const uint32_t label = here >> lane & 1 ? row.labels[x] : 0;
  const unsigned long long distance = label ? ctr_skeleton_distance (measure_distance (row, x, label)) : 0;
  for (uint32_t left = here; left;) {
    const uint32_t one = __shfl_sync (~0u, label, __ffs (left) - 1), same = __ballot_sync (~0u, label == one);
    unsigned long long sum = label == one ? distance : 0;
#pragma unroll
    for (int lanes = 16; lanes > 0; lanes /= 2)
      sum += __shfl_xor_sync (~0u, sum, lanes);
    if (lane == 0) {
      CtrComponentSkeleton *to = &f.by_table_row.skeleton[one - 1];
      atomicAdd ((unsigned long long *) &to->distance_sum, sum);
      atomicAdd ((unsigned long long *) &to->straight,
          (unsigned long long) (__popc (pairs.east & same) + __popc (pairs.south & same)));
      atomicAdd ((unsigned long long *) &to->diagonal,
          (unsigned long long) (__popc (pairs.south_east & same) + __popc (pairs.south_west & same)));
      atomicAdd (&to->pixels, (uint32_t) __popc (same));
    }
    left &= ~same;
  }
}

} // namespace

bool
cca_queue_skeletons (
    const CcaKernelArgs &f, const ColumnArgs &c, const ThinningArgs &t, cudaStream_t stream, CtrError *error)
{
  if (!f.by_table_row.skeleton)
    return true;
  CTR_CUDA (
      cudaMemsetAsync (f.by_table_row.skeleton, 0, (size_t) f.table.capacity * sizeof (CtrComponentSkeleton), stream));
  if (!cca_queue_thinning (f, t, stream, error))
    return false;
  ctr_launch (skeleton_kernel, ctr_div_up (t.words * f.height, THREADS / 32), THREADS, 0, stream, f, c, t);
  return true;
}

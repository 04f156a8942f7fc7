/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The sums of the components of equal samples in a tile, on their way to those of the whole components. */
#ifndef CTR_CUDA_CCA_VALUE_SUMS_CUH
#define CTR_CUDA_CCA_VALUE_SUMS_CUH

#include "cuda/cca/values.cuh"

namespace
{

constexpr uint32_t SUM_TABLE_SLOTS = 256;

/* 0 + 1 + 4 + ... + (n - 1)^2 */
__device__ inline unsigned long long
squares_before (unsigned long long n)
{
  return n ? (n - 1) * n * (2 * n - 1) / 6 : 0;
}

/* Sums of pixels, in image coordinates. */
struct PixelSums {
  unsigned long long sum_x, sum_y, xx, xy, yy;
  uint32_t area, left, right, bottom;
};

template <bool MOMENTS>
__device__ inline void
add_to_component (const ValueArgs &v, uint32_t number, const PixelSums &s)
{
  OpenSums *to = &v.by_component.sums[number];
  atomicAdd (&to->sum_x, s.sum_x);
  atomicAdd (&to->sum_y, s.sum_y);
  atomicAdd (&to->area, s.area);
  /* A read first makes most of the updates needless. */
  if (s.left < __ldcg (&to->left))
    atomicMin (&to->left, s.left);
  if (s.right > __ldcg (&to->right))
    atomicMax (&to->right, s.right);
  if (s.bottom > __ldcg (&to->bottom))
    atomicMax (&to->bottom, s.bottom);
  if (MOMENTS) {
    unsigned long long *m = (unsigned long long *) &v.by_component.moments[number];
    atomicAdd (m, s.xx);
    atomicAdd (m + 1, s.xy);
    atomicAdd (m + 2, s.yy);
  }
}

/* The components of a tile, added up before they go to global memory: atomics on one address are serialised. Components
 * that find no slot are slower, not wrong. */
template <bool MOMENTS> struct ValueSums {
  uint32_t numbers[SUM_TABLE_SLOTS];
  PixelSums sums[SUM_TABLE_SLOTS];

  __device__ void
  clear ()
  {
    for (uint32_t i = threadIdx.x; i < SUM_TABLE_SLOTS; i += blockDim.x) {
      numbers[i] = NO_COMPONENT;
      sums[i] = {0, 0, 0, 0, 0, 0, ~0u, 0, 0};
    }
  }

  __device__ void
  add (const ValueArgs &v, uint32_t number, const PixelSums &s)
  {
    uint32_t slot = number % SUM_TABLE_SLOTS;
    uint32_t owner = atomicCAS (&numbers[slot], NO_COMPONENT, number);
    if (owner != NO_COMPONENT && owner != number) { /* the second and last slot */
      slot ^= SUM_TABLE_SLOTS / 2;
      owner = atomicCAS (&numbers[slot], NO_COMPONENT, number);
    }
    if (owner != NO_COMPONENT && owner != number) {
      add_to_component<MOMENTS> (v, number, s);
      return;
    }
    PixelSums &to = sums[slot];
    atomicAdd (&to.sum_x, s.sum_x);
    atomicAdd (&to.sum_y, s.sum_y);
    atomicAdd (&to.area, s.area);
    atomicMin (&to.left, s.left);
    atomicMax (&to.right, s.right);
    atomicMax (&to.bottom, s.bottom);
    if (MOMENTS) {
      atomicAdd (&to.xx, s.xx);
      atomicAdd (&to.xy, s.xy);
      atomicAdd (&to.yy, s.yy);
    }
  }

  __device__ void
  flush (const ValueArgs &v)
  {
    for (uint32_t i = threadIdx.x; i < SUM_TABLE_SLOTS; i += blockDim.x)
      if (numbers[i] != NO_COMPONENT)
        add_to_component<MOMENTS> (v, numbers[i], sums[i]);
  }
};

} // namespace

#endif

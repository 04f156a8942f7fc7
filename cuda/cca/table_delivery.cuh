/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How a few CTAs, which have made the table of components, bring it to the host. All of its threads call these. */
#ifndef CTR_CUDA_CCA_TABLE_DELIVERY_CUH
#define CTR_CUDA_CCA_TABLE_DELIVERY_CUH

#include "cuda/cca/device_state.cuh"
#include "cuda/common/cluster.cuh"
#include "cuda/common/ptx.cuh"

namespace
{

/* Sets the CTA's flag of the host behind all that it has written: the barrier orders it before what thread 0 does, and its fence passes that
 * on to the host. The host waits for the flags of all CTAs, which takes less than a barrier for these. */
__device__ inline void
set_flag (const CcaKernelArgs &f)
{
  __syncthreads ();
  if (threadIdx.x == 0) {
    fence_system ();
    ((volatile uint32_t *) f.host.flag)[blockIdx.x] = 1;
  }
}

/* Writes a ROW of the table. EARLY: to the host, too. */
__device__ inline void
write_row (const CcaKernelArgs &f, const CtrComponent &c, uint32_t row, bool early)
{
  const uint4 *const from = (const uint4 *) &c;
  for (int half = 0; half < 2; half++) {
    ((uint4 *) &f.table.components[row])[half] = from[half];
    if (early)
      ((uint4 *) &f.host.components[row])[half] = from[half];
  }
}

/* Copies the table, which the cluster has written, to the host. */
template <int THREADS>
__device__ inline void
copy_table (const CcaKernelArgs &f, uint32_t rows)
{
  static_assert (sizeof (CtrComponent) == 2 * sizeof (uint4), "two words a row");
  const uint4 *from = (const uint4 *) f.table.components;
  uint4 *to = (uint4 *) f.host.components;
  for (uint32_t i = blockIdx.x * THREADS + threadIdx.x; i < 2 * rows; i += gridDim.x * THREADS)
    to[i] = from[i];
}

} // namespace

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Two stages that do not depend on one another, in one launch. */
#ifndef CTR_CUDA_CRACKS_STAGES_CUH
#define CTR_CUDA_CRACKS_STAGES_CUH

#include "cuda/cracks/device_state.cuh"

namespace
{

/* Runs FIRST on the first CTAS CTAs and, if there is room for all contours, SECOND on the others. A sort as the first stage finds that
 * out by itself, with loads that overlap with its own. */
template <typename First, typename Second>
__device__ inline void
run_both (const CracksKernelArgs &f, uint32_t ctas, First first, Second second)
{
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  if (blockIdx.x < ctas)
    first (Ctas{blockIdx.x, ctas});
  else if (contours_fit (f))
    second (Ctas{blockIdx.x - ctas, gridDim.x - ctas});
}

/* Launches KERNEL with CTAS CTAs for its first stage, and for the second a thread an item, as far as they run at once: in MOST CTAs. */
template <typename... More>
void
launch_both (void (*kernel) (CracksKernelArgs, uint32_t, More...), uint32_t ctas, uint64_t items, int threads,
    uint64_t most, const CracksKernelArgs &f, bool overlap, cudaStream_t stream, More... more)
{
  ctr_launch_overlapped (
      overlap, kernel, ctas + (unsigned) min (items / threads + 1, most), threads, 0, stream, f, ctas, more...);
}

} // namespace

#endif

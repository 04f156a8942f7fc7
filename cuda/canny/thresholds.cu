/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Thresholds of Canny that follow from the histogram. */
#include "cuda/canny/greatest.cuh"

namespace
{

constexpr int THRESHOLD_THREADS = 256;

/* One CTA derives the two thresholds from the histogram of 8-bit samples, or its Otsu threshold. */
__global__ void
__launch_bounds__ (THRESHOLD_THREADS)
    threshold_kernel (const uint32_t *histogram, const uint32_t *otsu, uint64_t pixels, uint32_t mode,
        uint32_t aperture, bool l2_gradient, uint32_t unit_shift, CannyDerived *derived, CtrCannyLimits *host)
{
  __shared__ uint32_t counts[THRESHOLD_THREADS];
  counts[threadIdx.x] = histogram[threadIdx.x];
  __syncthreads ();
  if (threadIdx.x > 0)
    return;
  const uint32_t level = mode == CTR_CANNY_OTSU ? *otsu - 1 : ctr_canny_level (CTR_CANNY_MEDIAN, counts, pixels);
  write_derived (
      ctr_canny_auto_limits ((CtrCannyThresholdMode) mode, aperture, l2_gradient, unit_shift, level), derived, host);
}

} // namespace

void
canny_launch_thresholds (const uint32_t *histogram, const uint32_t *otsu, uint64_t pixels, const CtrCannyPlan &plan,
    CannyDerived *derived, CtrCannyLimits *host, cudaStream_t stream)
{
  ctr_launch (threshold_kernel, 1, THRESHOLD_THREADS, 0, stream, histogram, otsu, pixels, plan.threshold_mode,
      plan.aperture, plan.l2_gradient, plan.wide ? plan.sample_shift : 0, derived, host);
}

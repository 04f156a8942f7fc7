/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where a contour's measures are gathered. */
#ifndef CTR_CUDA_CONTOURS_CONTOUR_ACCUMULATOR_CUH
#define CTR_CUDA_CONTOURS_CONTOUR_ACCUMULATOR_CUH

#include "cuda/common/launch.cuh"

/* Of a contour, while its points are summed up. */
struct __align__ (16) ContourAccumulator
{
  long long area2;
  unsigned long long length;
  uint32_t min_x, min_y, max_x, max_y;
};

#endif

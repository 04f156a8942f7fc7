/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Non-maximum suppression from the magnitudes of a tile and of one pixel around it, in rows of MAGNITUDE_STRIDE. The lowest
 * two bits of each are the sector of its gradient (core/canny/values.h), the others the magnitude. */
#ifndef CTR_CUDA_CANNY_MAXIMA_CUH
#define CTR_CUDA_CANNY_MAXIMA_CUH

#include "cuda/canny/device_state.cuh"

#include "core/canny/values.h"

namespace
{

constexpr int MAGNITUDE_STRIDE = CANNY_W + 2;

/* Is the packed magnitude *AT a maximum along its gradient? A packed magnitude without its sector is greater than another one if its
 * magnitude is. */
template <typename Magnitude>
__device__ inline bool
is_maximum (const Magnitude *at)
{
  static_assert (
      CTR_SECTOR_FALLING == 1 && CTR_SECTOR_UPRIGHT == 2 && CTR_SECTOR_RISING == 3, "a column further left each");
  const uint32_t sector = (uint32_t) *at & 3;
  const int behind = sector == CTR_SECTOR_ACROSS ? 1 : MAGNITUDE_STRIDE + 2 - (int) sector;
  const Magnitude m = *at - sector, before = at[-behind], after = at[behind];
  const Magnitude least =
      m + (~sector & 1) * 4; /* It may equal the one behind it, but not where the gradient is diagonal. */
  return m > before && least > after;
}

} // namespace

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The gradient of a column of a blurred plane, from top to bottom: a thread keeps the horizontal halves of the Sobel
 * operator for the rows that it needs. */
#ifndef CTR_CUDA_CANNY_COLUMN_CUH
#define CTR_CUDA_CANNY_COLUMN_CUH

#include "cuda/canny/device_state.cuh"
#include "cuda/common/ptx.cuh"

#include "core/canny/values.h"

/* The weights of the Sobel operator of aperture 2 RADIUS + 1. */
template <int RADIUS>
__device__ constexpr int
smooth_weight (int i)
{
  const int distance = i < RADIUS ? RADIUS - i : i - RADIUS;
  return RADIUS == 1   ? 2 - distance
         : RADIUS == 2 ? (distance == 0   ? 6
                          : distance == 1 ? 4
                                          : 1)
                       : (distance == 0    ? 20
                           : distance == 1 ? 15
                           : distance == 2 ? 6
                                           : 1);
}

template <int RADIUS>
__device__ constexpr int
slope_weight (int i)
{
  const int distance = i < RADIUS ? RADIUS - i : i - RADIUS;
  const int weight = distance == 0 ? 0
                     : RADIUS == 1 ? 1
                     : RADIUS == 2 ? 3 - distance
                                   : (distance == 1    ? 5
                                       : distance == 2 ? 4
                                                       : 1);
  return i < RADIUS ? -weight : weight;
}

/* The horizontal halves of the Sobel operator in the rows that a gradient needs. */
template <int RADIUS> class SobelRows
{
  static constexpr int TAPS = 2 * RADIUS + 1;
  int32_t smooths[TAPS] = {}, slopes[TAPS] = {};

  /* N / 16, rounded to the nearest integer, to an even one if there are two. IS_SMALL: |N| is below 2^22. Then it is what a
   * floating-point sum does to the last bits of 3 * 2^22 + N / 16, of which the compiler knows nothing: it would take more
   * instructions for |dx|. */
  template <bool IS_SMALL>
  static __device__ int32_t
  round_sixteenth (int32_t n)
  {
    constexpr int32_t big = 0x4b400000; /* 3 * 2^22 */
    if (IS_SMALL)
      return keep_in_register (
          __float_as_int (__fmaf_rn (__int_as_float (big + n), 0.0625f, 0.9375f * (3 << 22))) - big);
    return (n + 7 + (n >> 4 & 1)) >> 4;
  }

public:
  __device__ void
  add (int32_t smooth, int32_t slope)
  {
#pragma unroll
    for (int i = 0; i + 1 < TAPS; i++) {
      smooths[i] = smooths[i + 1];
      slopes[i] = slopes[i + 1];
    }
    smooths[TAPS - 1] = smooth;
    slopes[TAPS - 1] = slope;
  }

  /* The gradient in the middle of the rows added last. BYTES: samples have 8 bits. */
  template <bool BYTES>
  __device__ void
  gradient (int32_t *dx, int32_t *dy) const
  {
    int32_t across = 0, down = 0;
#pragma unroll
    for (int i = 0; i < TAPS; i++) {
      across += smooth_weight<RADIUS> (i) * slopes[i];
      down += slope_weight<RADIUS> (i) * smooths[i];
    }
    *dx = RADIUS == 3 ? round_sixteenth<BYTES> (across) : across;
    *dy = RADIUS == 3 ? round_sixteenth<BYTES> (down) : down;
  }
};

template <typename Sample, int RADIUS> class GradientColumn
{
  static constexpr int TAPS = 2 * RADIUS + 1;
  const CannyPlane &plane;
  int columns[TAPS];
  SobelRows<RADIUS> rows;

public:
  /* The rows that are taken first are those above and below the first pixel, its own included, but for the last one. */
  __device__
  GradientColumn (const CannyPlane &p, int x)
      : plane (p)
  {
#pragma unroll
    for (int i = 0; i < TAPS; i++)
      columns[i] = min (max (x + i - RADIUS, 0), (int) p.width - 1);
  }

  __device__ void
  take_row (int y)
  {
    const Sample *row = (const Sample *) (plane.data + min (max (y, 0), (int) plane.height - 1) * plane.stride);
    int32_t smooth = 0, slope = 0;
#pragma unroll
    for (int i = 0; i < TAPS; i++) {
      const int32_t sample = __ldg (row + columns[i]);
      smooth += smooth_weight<RADIUS> (i) * sample;
      slope += slope_weight<RADIUS> (i) * sample;
    }
    rows.add (smooth, slope);
  }

  /* The gradient in the middle of the rows taken last. */
  __device__ void
  gradient (int32_t *dx, int32_t *dy) const
  {
    rows.template gradient<sizeof (Sample) == 1> (dx, dy);
  }
};

#endif

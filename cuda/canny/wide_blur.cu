/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The blur of 16-bit samples of Canny. A CTA sums a tile vertically, into 32 bits in shared memory, and then
 * horizontally, in 64 bits. A thread makes several results side by side, so that it reads each number once for all of
 * them; the weights move through its registers. */
#include "cuda/canny/blur.cuh"

namespace
{

constexpr int WIDE_W = 192, WIDE_H = 32; /* of a tile */
constexpr int WIDE_THREADS = 256;
constexpr int WIDE_SIDE = 8; /* results of a thread side by side */
constexpr int WIDE_TAPS = 2 * CTR_CANNY_MAX_WIDE_RADIUS + 1;
/* An odd stride: lanes work on different rows, without bank conflicts. */
constexpr int WIDE_STRIDE = (WIDE_W + 2 * CTR_CANNY_MAX_WIDE_RADIUS) | 1;
static_assert (WIDE_H == 32 && WIDE_W % WIDE_SIDE == 0, "a lane has a row");

struct WideBlurArgs {
  CannyPlane samples, plane;
  uint32_t radius;
  uint16_t weights[WIDE_TAPS];
};

/* Adds WIDE_SIDE results up. GET returns number I, WEIGHTS are followed by zeros up to a multiple of WIDE_SIDE. */
template <typename Sum, typename Get>
__device__ inline void
sum_side_by_side (const uint32_t *weights, int numbers, Sum sums[WIDE_SIDE], Get get)
{
  uint32_t window[WIDE_SIDE] = {};
#pragma unroll
  for (int j = 0; j < WIDE_SIDE; j++)
    sums[j] = 0;
#pragma unroll 1
  for (int begin = 0; begin < numbers; begin += WIDE_SIDE)
#pragma unroll
    for (int i = 0; i < WIDE_SIDE; i++) {
      const uint32_t number = get (begin + i);
      window[i] = weights[begin + i];
#pragma unroll
      for (int j = 0; j < WIDE_SIDE; j++)
        sums[j] += (Sum) window[(i - j) & (WIDE_SIDE - 1)] * number;
    }
}

__global__ void
__launch_bounds__ (WIDE_THREADS) wide_blur_kernel (const __grid_constant__ WideBlurArgs f)
{
  __shared__ uint32_t weights[(WIDE_TAPS / WIDE_SIDE + 2) * WIDE_SIDE];
  __shared__ uint32_t sums[WIDE_H * WIDE_STRIDE];
  const int radius = f.radius, width = f.plane.width, height = f.plane.height;
  const int tile_x = blockIdx.x * WIDE_W, tile_y = blockIdx.y * WIDE_H;
  const int numbers = 2 * radius + WIDE_SIDE, columns = WIDE_W + 2 * radius;
  for (int i = threadIdx.x; i < (int) (sizeof weights / sizeof *weights); i += WIDE_THREADS)
    weights[i] = i <= 2 * radius ? f.weights[i] : 0;
  __syncthreads ();

  for (int i = threadIdx.x; i < columns * (WIDE_H / WIDE_SIDE); i += WIDE_THREADS) {
    const int column = i % columns, first = i / columns * WIDE_SIDE;
    /* No pixel inside the image depends on what is farther away. */
    const int x = reflect (min (tile_x + column - radius, width + radius), width);
    const int y = tile_y + first - radius;
    uint32_t own[WIDE_SIDE];
    sum_side_by_side (weights, numbers, own, [&] (int k) -> uint32_t {
      const int row = reflect (min (y + k, height + radius), height);
      return __ldg ((const uint16_t *) (f.samples.data + row * f.samples.stride) + x);
    });
#pragma unroll
    for (int j = 0; j < WIDE_SIDE; j++)
      sums[(first + j) * WIDE_STRIDE + column] = own[j];
  }
  __syncthreads ();

  const int row = threadIdx.x % 32;
  for (int x = threadIdx.x / 32 * WIDE_SIDE; x < WIDE_W; x += WIDE_THREADS / 32 * WIDE_SIDE) {
    if (tile_x + x >= width)
      break;
    const uint32_t *from = sums + row * WIDE_STRIDE + x;
    uint64_t own[WIDE_SIDE];
    /* Numbers behind the last weight are not read: there may be none. */
    sum_side_by_side (weights, numbers, own, [&] (int k) -> uint32_t { return from[min (k, numbers - 1)]; });
    if (tile_y + row >= height)
      continue;
    uint16_t *to = (uint16_t *) (f.plane.data + (size_t) (tile_y + row) * f.plane.stride) + tile_x + x;
    uint32_t pairs[WIDE_SIDE / 2];
#pragma unroll
    for (int j = 0; j < WIDE_SIDE / 2; j++) {
      const uint32_t first = (uint32_t) ((own[2 * j] + (1u << 31)) >> 32);
      const uint32_t second = (uint32_t) ((own[2 * j + 1] + (1u << 31)) >> 32);
      pairs[j] = first | second << 16;
    }
    *(uint4 *) to = make_uint4 (pairs[0], pairs[1], pairs[2], pairs[3]); /* rows have room for whole tiles */
  }
}

} // namespace

void
canny_launch_wide_blur (
    const CannyPlane &samples, const CannyPlane &plane, const CtrCannyPlan &plan, cudaStream_t stream)
{
  WideBlurArgs f = {samples, plane, plan.radius, {}};
  for (uint32_t i = 0; i < 2 * plan.radius + 1; i++)
    f.weights[i] = plan.wide_weights[i];
  const dim3 grid (ctr_div_up (plane.width, WIDE_W), ctr_div_up (plane.height, WIDE_H));
  ctr_launch (wide_blur_kernel, grid, WIDE_THREADS, 0, stream, f);
}

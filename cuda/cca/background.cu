/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The pixels that are in no component, on request: a pass over the picture of its own. */
#include "cuda/cca/device_state.cuh"

namespace
{

constexpr int BACKGROUND_THREADS = 256;
constexpr unsigned MOST_BACKGROUND_CTAS = 512;

__device__ inline void
add_to_sums (BackgroundSums *to, const BackgroundSums &s)
{
  atomicAdd (&to->sum_x, s.sum_x);
  atomicAdd (&to->sum_y, s.sum_y);
  atomicAdd (&to->area, s.area);
  atomicMax (&to->not_left, s.not_left);
  atomicMax (&to->right, s.right);
  atomicMax (&to->bottom, s.bottom);
  atomicMax (&to->not_first, s.not_first);
}

/* What the background is: samples of one value, or samples or bits that are no foreground. */
enum BackgroundOf { OF_VALUES, OF_SAMPLES, OF_BITS };

/* A warp takes every so many rows, a lane every 32nd column. */
template <BackgroundOf OF>
__global__ void
__launch_bounds__ (BACKGROUND_THREADS) background_kernel (const __grid_constant__ CcaKernelArgs f, int32_t background)
{
  __shared__ BackgroundSums all;
  const uint32_t t = threadIdx.x, lane = t % 32, warps = gridDim.x * (BACKGROUND_THREADS / 32);
  if (t == 0)
    all = {};
  __syncthreads ();
  const uint32_t threshold = f.threshold_device ? *f.threshold_device : f.threshold;
  BackgroundSums s = {};
  for (uint32_t y = blockIdx.x * (BACKGROUND_THREADS / 32) + t / 32; y < f.height; y += warps) {
    const uint8_t *row = f.pixels + y * f.stride;
    uint32_t area = 0;
    for (uint32_t x = lane; x < f.width; x += 32) {
      bool is_background;
      if (OF == OF_BITS) {
        is_background = !(row[x / 8] >> x % 8 & 1);
      } else {
        const uint32_t sample = f.depth == 8 ? row[x] : ((const uint16_t *) row)[x];
        is_background = OF == OF_VALUES ? (int32_t) sample == background : (sample >= threshold) == (bool) f.invert;
      }
      if (!is_background)
        continue;
      area++;
      s.sum_x += x;
      s.not_left = max (s.not_left, ~x);
      s.right = max (s.right, x);
      s.bottom = y;
      s.not_first = max (s.not_first, ~(y * f.width + x));
    }
    s.area += area;
    s.sum_y += (unsigned long long) area * y;
  }
  if (s.area)
    add_to_sums (&all, s);
  __syncthreads ();
  if (t == 0 && all.area)
    add_to_sums (f.background, all);
}

} // namespace

void
cca_launch_background (const CcaKernelArgs &f, bool equal, int32_t background, cudaStream_t stream)
{
  const unsigned needed = ctr_div_up (f.height, BACKGROUND_THREADS / 32);
  const unsigned ctas = needed < MOST_BACKGROUND_CTAS ? needed : MOST_BACKGROUND_CTAS;
  auto kernel = equal          ? background_kernel<OF_VALUES>
                : f.depth == 1 ? background_kernel<OF_BITS>
                               : background_kernel<OF_SAMPLES>;
  ctr_launch (kernel, ctas, BACKGROUND_THREADS, 0, stream, f, background);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What Canny finds from a blurred plane without looking at neighbouring gradients: the greatest magnitude, gradient and
 * direction. */
#include "cuda/canny/column.cuh"
#include "cuda/canny/greatest.cuh"

namespace
{

constexpr int PLANE_THREADS = 128, PLANE_ROWS = 32; /* that a thread goes down */

template <typename Sample, int RADIUS>
__global__ void
__launch_bounds__ (PLANE_THREADS) greatest_kernel (const __grid_constant__ CannyPlaneArgs f)
{
  const int x = blockIdx.x * PLANE_THREADS + threadIdx.x, first = blockIdx.y * PLANE_ROWS;
  const int end = min (first + PLANE_ROWS, (int) f.plane.height);
  int64_t greatest = 0;
  ctr_let_next_start ();
  GradientColumn<Sample, RADIUS> column (f.plane, x);
  for (int y = first - RADIUS; y < first + RADIUS; y++)
    column.take_row (y);
  for (int y = first; y < end; y++) {
    int32_t dx, dy;
    column.take_row (y + RADIUS);
    column.gradient (&dx, &dy);
    greatest = max (greatest, ctr_canny_magnitude (dx, dy, f.l2_gradient));
  }
  add_greatest (f.relative, x < (int) f.plane.width ? greatest : 0);
}

template <typename Sample, int RADIUS>
__global__ void
__launch_bounds__ (PLANE_THREADS) values_kernel (const __grid_constant__ CannyPlaneArgs f)
{
  const int x = blockIdx.x * PLANE_THREADS + threadIdx.x, first = blockIdx.y * PLANE_ROWS;
  const int end = min (first + PLANE_ROWS, (int) f.plane.height);
  if (x >= (int) f.plane.width)
    return;
  const int64_t low = f.derived ? f.derived->limits.low : f.low;
  GradientColumn<Sample, RADIUS> column (f.plane, x);
  for (int y = first - RADIUS; y < first + RADIUS; y++)
    column.take_row (y);
  for (int y = first; y < end; y++) {
    int32_t dx, dy;
    column.take_row (y + RADIUS);
    column.gradient (&dx, &dy);
    const int64_t m = ctr_canny_magnitude (dx, dy, f.l2_gradient);
    uint16_t value = 0;
    if (f.output == CTR_CANNY_GRADIENT)
      value = ctr_canny_gradient_value (m, f.aperture, f.l2_gradient, f.plane.wide);
    else if (m > low)
      value = ctr_canny_direction_value (dx, dy);
    f.values[(size_t) y * f.plane.width + x] = value;
  }
}

typedef void PlaneKernel (CannyPlaneArgs);

/* [wide][aperture] */
void
launch (PlaneKernel *const kernels[2][3], const CannyPlaneArgs &f, cudaStream_t stream)
{
  const dim3 grid (ctr_div_up (f.plane.width, PLANE_THREADS), ctr_div_up (f.plane.height, PLANE_ROWS));
  PlaneKernel *kernel = kernels[f.plane.wide][f.aperture / 2 - 1];
  ctr_launch (kernel, grid, PLANE_THREADS, 0, stream, f);
}

} // namespace

void
canny_launch_greatest (const CannyPlaneArgs &f, cudaStream_t stream)
{
  static PlaneKernel *const kernels[2][3] = {
      {greatest_kernel<uint8_t, 1>, greatest_kernel<uint8_t, 2>, greatest_kernel<uint8_t, 3>},
      {greatest_kernel<uint16_t, 1>, greatest_kernel<uint16_t, 2>, greatest_kernel<uint16_t, 3>}};
  launch (kernels, f, stream);
}

void
canny_launch_values (const CannyPlaneArgs &f, cudaStream_t stream)
{
  static PlaneKernel *const kernels[2][3] = {
      {values_kernel<uint8_t, 1>, values_kernel<uint8_t, 2>, values_kernel<uint8_t, 3>},
      {values_kernel<uint16_t, 1>, values_kernel<uint16_t, 2>, values_kernel<uint16_t, 3>}};
  launch (kernels, f, stream);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Hysteresis across the tiles of Canny: unites the components that touch at seams, and draws the new edges. */
#include "cuda/canny/device_state.cuh"
#include "cuda/common/run_seams.cuh"

namespace
{

constexpr int SEAM_WARPS = 4;
constexpr int MOST_STEPS = CANNY_MAX_H / 32; /* of a right seam */

/* Warp WARP of WARPS fills its rows. */
__device__ void
fill_rows (const CannyFill &fill, uint32_t warp, uint32_t warps)
{
  const uint32_t lane = threadIdx.x % 32;
  const bool aligned = (((uintptr_t) fill.data | fill.stride) & 15) == 0;
  for (uint32_t y = warp; y < fill.height; y += warps) {
    uint8_t *row = fill.data + y * fill.stride;
    const size_t wide = aligned ? fill.row / 16 : 0;
    for (size_t x = lane; x < wide; x += 32)
      ((uint4 *) row)[x] = make_uint4 (fill.value, fill.value, fill.value, fill.value);
    for (size_t x = 16 * wide + lane; x < fill.row; x += 32)
      row[x] = (uint8_t) fill.value;
  }
}

/* Each warp unites the components across 32 pixels of a tile's right or bottom seam. While the tiles are still being worked
 * on, it fills planes that do not depend on them. RIGHT_STEPS: warps for a right seam. */
template <uint32_t RIGHT_STEPS>
__global__ void __launch_bounds__ (32 * SEAM_WARPS) seam_kernel (const __grid_constant__ CannyKernelArgs f)
{
  __shared__ uint2 joins[SEAM_WARPS][3 * 16];
  const uint32_t warp = blockIdx.x * SEAM_WARPS + threadIdx.x / 32;
  const SeamPart<RIGHT_STEPS> part (warp, f.tiles_x);
  ctr_let_next_start ();
  for (uint32_t i = 0; i < f.fill_count; i++)
    fill_rows (f.fills[i], warp, gridDim.x * SEAM_WARPS);
  ctr_wait_for_previous ();
  join_seam<8> (f, part, joins[threadIdx.x / 32]);
}

typedef void SeamKernel (CannyKernelArgs);

constexpr int PROMOTE_THREADS = 128;

/* Draws the components of a tile that became strong, a CTA a tile. */
__global__ void
__launch_bounds__ (PROMOTE_THREADS) promote_kernel (const CannyKernelArgs f)
{
  const uint32_t tile = blockIdx.x, tx = tile % f.tiles_x, ty = tile / f.tiles_x;
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  promote_runs<PROMOTE_THREADS> (f, tile, [&] (uint32_t word, uint32_t begin, uint32_t end) {
    uint8_t *to =
        f.mask + ((size_t) ty * f.tile_h + word / CANNY_WORDS) * f.mask_stride + tx * CANNY_W + word % CANNY_WORDS * 32;
    for (uint32_t x = begin; x <= end; x++)
      to[x] = 255;
  });
}

} // namespace

void
canny_launch_seams (const CannyKernelArgs &f, bool overlap, cudaStream_t stream)
{
  static SeamKernel *const seam_kernels[] = {seam_kernel<1>, seam_kernel<2>, seam_kernel<3>, seam_kernel<MOST_STEPS>};
  static_assert (sizeof seam_kernels / sizeof *seam_kernels == MOST_STEPS, "one for each height");
  const unsigned tiles = f.tiles_x * f.tiles_y, right_steps = ctr_div_up (f.tile_h, 32);
  const unsigned warps = tiles * (right_steps + CANNY_WORDS);
  ctr_launch_overlapped (
      overlap, seam_kernels[right_steps - 1], ctr_div_up (warps, SEAM_WARPS), 32 * SEAM_WARPS, 0, stream, f);
  ctr_launch_overlapped (overlap, promote_kernel, tiles, PROMOTE_THREADS, 0, stream, f);
}

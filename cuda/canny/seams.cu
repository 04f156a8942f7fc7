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
  const SeamPart<RIGHT_STEPS> part (f, warp);
  for (uint32_t i = 0; i < f.fill_count; i++)
    fill_rows (f.fills[i], warp, gridDim.x * SEAM_WARPS);
  ctr_wait_for_previous ();
  ctr_let_next_start (); /* The promote kernel loads what the tile kernel has written. */
  join_seam (f, part, joins[threadIdx.x / 32]);
}

typedef void SeamKernel (CannyKernelArgs);

constexpr int PROMOTE_THREADS = 256;

/* A quarter of a run of a component of a tile, which has two rows of a word: 16 columns of one of them. */
constexpr uint32_t RUN_PARTS = 4;
struct RunPart {
  uint32_t component;
  uint32_t row, column; /* of its word's first pixel in the tile */
  uint32_t pixels;
};

/* Part I of TILE, which has ROWS rows. From L2: the tile kernel need not be the kernel before this one. */
__device__ inline RunPart
load_run_part (const CannyKernelArgs &f, uint32_t tile, uint32_t rows, uint32_t i)
{
  const uint32_t run = __ldcg (f.by_tile_run.runs + tile * runs_of_tile (f.tile_h) + i / RUN_PARTS),
                 word = run >> 10 & 1023;
  const uint32_t columns = (2u << (run & 31)) - (1u << (run >> 5 & 31)), half = i % 2 ? 0xffff0000u : 0xffffu;
  RunPart r;
  r.component = run >> RUN_COMPONENT_SHIFT;
  r.row = word / CANNY_WORDS * 2 + i / 2 % 2;
  r.column = word % CANNY_WORDS * 32;
  r.pixels = 0;
  if (r.row < rows)
    r.pixels =
        __ldcg (f.by_tile_word.candidates + ((size_t) tile * f.tile_h + r.row) * CANNY_WORDS + word % CANNY_WORDS)
        & columns & half;
  return r;
}

__device__ inline void
draw_pixels (uint8_t *to, uint32_t pixels)
{
#pragma unroll 1
  for (; pixels; pixels &= pixels - 1)
    to[__ffs (pixels) - 1] = 255;
}

/* Draws the components of a tile that became strong, a CTA a tile. What does not depend on the seams is loaded before they are
 * joined: the seam kernel lets this one start when the tile kernel is complete. */
__global__ void
__launch_bounds__ (PROMOTE_THREADS) promote_kernel (const __grid_constant__ CannyKernelArgs f)
{
  __shared__ bool promoted[RUN_TILE_COMPONENTS];
  const uint32_t tile = blockIdx.x, ty = f.by_tiles_x.quotient_of (tile), tx = tile - ty * f.tiles_x;
  const uint32_t rows = min (f.tile_h, f.height - ty * f.tile_h), first = 1 + tile * RUN_TILE_COMPONENTS;
  ctr_let_next_start ();
  const uint32_t components = __ldcg (&f.by_tile.counts[tile].components),
                 parts = RUN_PARTS * __ldcg (&f.by_tile.counts[tile].runs);
  RunPart part = {};
  if (threadIdx.x < parts)
    part = load_run_part (f, tile, rows, threadIdx.x);
  ctr_wait_for_previous ();
  bool any = false;
  for (uint32_t i = threadIdx.x; i < components; i += PROMOTE_THREADS) {
    const uint32_t parent = load_parent (f.by_component.parents, first + i);
    promoted[i] = find_root (f.by_component.parents, first + i, parent) == STRONG_ROOT;
    any = any || promoted[i];
  }
  if (!__syncthreads_or (any))
    return;
  uint8_t *const mask = f.mask + (size_t) ty * f.tile_h * f.mask_stride + tx * CANNY_W;
  for (uint32_t i = threadIdx.x; i < parts;) {
    if (promoted[part.component])
      draw_pixels (mask + part.row * f.mask_stride + part.column, part.pixels);
    i += PROMOTE_THREADS;
    if (i < parts)
      part = load_run_part (f, tile, rows, i);
  }
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

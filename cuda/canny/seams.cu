/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Hysteresis across the tiles of Canny: unites the components that touch at seams, and draws the new edges. */
#include "cuda/canny/device_state.cuh"

namespace
{

__device__ inline uint32_t
load_parent (const uint32_t *parents, uint32_t component)
{
  return __ldcg (parents + component); /* from L2, where atomics take effect */
}

/* The root of COMPONENT, whose parent is UP. Halves the path on the way. A plain store suffices: any ancestor is a
 * valid parent. */
__device__ inline uint32_t
find_root (uint32_t *parents, uint32_t component, uint32_t up)
{
  while (up != component && up != STRONG_ROOT) {
    const uint32_t next = load_parent (parents, up);
    if (next == up)
      return up;
    *(volatile uint32_t *) &parents[component] = next;
    component = next;
    up = next == STRONG_ROOT ? next : load_parent (parents, next);
  }
  return up;
}

__device__ inline uint32_t
load_unless_strong (const uint32_t *parents, uint32_t component)
{
  return component == STRONG_ROOT ? component : load_parent (parents, component);
}

__device__ inline void
unite (uint32_t *parents, uint32_t component_a, uint32_t component_b)
{
  /* Issue both loads before either walk. */
  uint32_t a = load_unless_strong (parents, component_a), b = load_unless_strong (parents, component_b);
  a = find_root (parents, component_a, a);
  b = find_root (parents, component_b, b);
  while (a != b) {
    if (a < b) {
      const uint32_t t = a;
      a = b;
      b = t;
    }
    const uint32_t old = atomicMin (&parents[a], b);
    if (old == a)
      return;
    a = find_root (parents, old, load_unless_strong (parents, old));
  }
}

constexpr int SEAM_WARPS = 4;
constexpr int RIGHT_STEPS = CANNY_MAX_H / 32, BELOW_STEPS = CANNY_W / 32; /* of 32 pixels along the seams */
constexpr int SEAM_STEPS = RIGHT_STEPS + BELOW_STEPS;

/* Element of the global union-find for CODE at a tile's border. */
__device__ inline uint32_t
component_index (uint32_t tile, uint32_t code)
{
  return code == BORDER_STRONG ? STRONG_ROOT : 1 + tile * CANNY_COMPONENTS + code - BORDER_COMPONENT;
}

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

/* Each warp unites the components across 32 pixels of a tile's right or bottom seam. It finds all contacts first, so
 * that the unions overlap. While the tiles are still being worked on, it fills planes that do not depend on them. */
__global__ void __launch_bounds__ (32 * SEAM_WARPS) seam_kernel (const __grid_constant__ CannyKernelArgs f)
{
  __shared__ uint2 joins[SEAM_WARPS][3 * 32];
  const uint32_t lane = threadIdx.x % 32, warp = blockIdx.x * SEAM_WARPS + threadIdx.x / 32;
  const uint32_t tile = warp / SEAM_STEPS, step = warp % SEAM_STEPS;
  const uint32_t tx = tile % f.tiles_x, ty = tile / f.tiles_x;
  const bool right = step < RIGHT_STEPS;
  ctr_let_next_start ();
  for (uint32_t i = 0; i < f.fill_count; i++)
    fill_rows (f.fills[i], warp, gridDim.x * SEAM_WARPS);
  ctr_wait_for_previous ();
  if (tile >= f.tiles_x * f.tiles_y || !(right ? tx + 1 < f.tiles_x : ty + 1 < f.tiles_y))
    return;
  const uint32_t at = (right ? step : step - RIGHT_STEPS) * 32 + lane;
  const uint32_t length =
      right ? min (f.tile_h, f.height - ty * f.tile_h) : min ((uint32_t) CANNY_W, f.width - tx * CANNY_W);
  uint32_t code = BORDER_NONE;
  if (at < length)
    code = right ? f.by_tile.borders[tile].right[at] : f.by_tile.borders[tile].bottom[at];
  uint32_t other_codes[3], other_tiles[3];
#pragma unroll
  for (int i = 0; i < 3; i++) {
    /* A right seam ends with its tile. A bottom seam extends to the diagonal neighbours, so it includes the corners. */
    const int there = (int) at + i - 1;
    other_codes[i] = BORDER_NONE;
    other_tiles[i] = right ? tile + 1 : tile + f.tiles_x;
    if (right) {
      if (at < length && there >= 0 && there < (int) length)
        other_codes[i] = f.by_tile.borders[tile + 1].left[there];
    } else {
      const int x = tx * CANNY_W + there;
      if (at < length && x >= 0 && x < (int) f.width) {
        other_tiles[i] = (ty + 1) * f.tiles_x + x / CANNY_W;
        other_codes[i] = f.by_tile.borders[other_tiles[i]].top[x % CANNY_W];
      }
    }
  }
  uint2 *list = joins[threadIdx.x / 32];
  uint32_t count = 0;
#pragma unroll
  for (int i = 0; i < 3; i++) {
    const bool meet = code && other_codes[i] && (code != BORDER_STRONG || other_codes[i] != BORDER_STRONG);
    if (!__any_sync (~0u, meet))
      continue;
    /* A pair often meets at many pixels: unite it once. */
    const uint2 pair = make_uint2 (component_index (tile, code), component_index (other_tiles[i], other_codes[i]));
    const uint32_t same = __match_any_sync (~0u, meet ? (unsigned long long) pair.x << 32 | pair.y : ~0ull);
    const bool join = meet && !(same & ((1u << lane) - 1));
    const uint32_t all = __ballot_sync (~0u, join);
    if (join)
      list[count + __popc (all & ((1u << lane) - 1))] = pair;
    count += __popc (all);
  }
  __syncwarp ();
  for (uint32_t i = lane; i < count; i += 32)
    unite (f.by_component.parents, list[i].x, list[i].y);
}

constexpr int PROMOTE_THREADS = 128;

/* Draws the components of a tile that became strong, a CTA a tile. */
__global__ void
__launch_bounds__ (PROMOTE_THREADS) promote_kernel (const CannyKernelArgs f)
{
  __shared__ uint8_t promoted[CANNY_COMPONENTS];
  const uint32_t tile = blockIdx.x, tx = tile % f.tiles_x, ty = tile / f.tiles_x;
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  const CannyTileCounts t = f.by_tile.counts[tile];
  bool any = false;
  for (uint32_t i = threadIdx.x; i < t.components; i += PROMOTE_THREADS) {
    const uint32_t component = 1 + tile * CANNY_COMPONENTS + i;
    promoted[i] =
        find_root (f.by_component.parents, component, load_parent (f.by_component.parents, component)) == STRONG_ROOT;
    any = any || promoted[i];
  }
  if (!__syncthreads_or (any))
    return;
  const uint32_t *runs = f.by_tile_run.runs + (size_t) tile * f.tile_h * (CANNY_W / 2);
  for (uint32_t i = threadIdx.x; i < t.runs; i += PROMOTE_THREADS) {
    const uint32_t run = runs[i], word = run >> 10 & 1023, begin = run >> 5 & 31, end = run & 31;
    if (!promoted[run >> RUN_COMPONENT_SHIFT])
      continue;
    uint8_t *to =
        f.mask + ((size_t) ty * f.tile_h + word / CANNY_WORDS) * f.mask_stride + tx * CANNY_W + word % CANNY_WORDS * 32;
    for (uint32_t x = begin; x <= end; x++)
      to[x] = 255;
  }
}

} // namespace

void
canny_launch_seams (const CannyKernelArgs &f, bool overlap, cudaStream_t stream)
{
  const unsigned tiles = f.tiles_x * f.tiles_y;
  ctr_launch_overlapped (
      overlap, seam_kernel, ctr_div_up (tiles * SEAM_STEPS, SEAM_WARPS), 32 * SEAM_WARPS, 0, stream, f);
  ctr_launch_overlapped (overlap, promote_kernel, tiles, PROMOTE_THREADS, 0, stream, f);
}

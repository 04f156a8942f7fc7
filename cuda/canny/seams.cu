/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Hysteresis across the tiles of Canny: join what touches at their seams, draw what came to be strong. */
#include "cuda/canny/device_state.cuh"

namespace
{

__device__ inline uint32_t
load_parent (const uint32_t *parents, uint32_t node)
{
  return __ldcg (parents + node); /* from L2, where the atomics are */
}

/* The root of NODE, whose parent is UP. Halves the path on its way: whoever comes next walks half as far. A plain store
 * will do: any ancestor is right. */
__device__ inline uint32_t
find_root (uint32_t *parents, uint32_t node, uint32_t up)
{
  while (up != node && up != STRONG_ROOT) {
    const uint32_t next = load_parent (parents, up);
    if (next == up)
      return up;
    *(volatile uint32_t *) &parents[node] = next;
    node = next;
    up = next == STRONG_ROOT ? next : load_parent (parents, next);
  }
  return up;
}

__device__ inline uint32_t
load_unless_strong (const uint32_t *parents, uint32_t node)
{
  return node == STRONG_ROOT ? node : load_parent (parents, node);
}

__device__ inline void
unite (uint32_t *parents, uint32_t node_a, uint32_t node_b)
{
  /* Both loads under way together. */
  uint32_t a = load_unless_strong (parents, node_a), b = load_unless_strong (parents, node_b);
  a = find_root (parents, node_a, a);
  b = find_root (parents, node_b, b);
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
constexpr int RIGHT_STEPS = CANNY_RIM_H / 32, BELOW_STEPS = CANNY_W / 32; /* of 32 pixels along the seams */
constexpr int SEAM_STEPS = RIGHT_STEPS + BELOW_STEPS;

/* Node of the global union-find for CODE of a tile's rim. */
__device__ inline uint32_t
node_of (uint32_t tile, uint32_t code)
{
  return code == RIM_STRONG ? STRONG_ROOT : 1 + tile * CANNY_NODES + code - RIM_NODE;
}

/* A warp for 32 pixels along a tile's right or bottom seam. All contacts are gathered first, so that they are joined at
 * the same time. */
__global__ void __launch_bounds__ (32 * SEAM_WARPS) seam_kernel (const CannyFrame f)
{
  __shared__ uint2 joins[SEAM_WARPS][3 * 32];
  const uint32_t lane = threadIdx.x % 32, warp = blockIdx.x * SEAM_WARPS + threadIdx.x / 32;
  const uint32_t tile = warp / SEAM_STEPS, step = warp % SEAM_STEPS;
  const uint32_t tx = tile % f.tiles_x, ty = tile / f.tiles_x;
  const bool right = step < RIGHT_STEPS;
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  if (tile >= f.tiles_x * f.tiles_y || !(right ? tx + 1 < f.tiles_x : ty + 1 < f.tiles_y))
    return;
  const uint32_t at = (right ? step : step - RIGHT_STEPS) * 32 + lane;
  const uint32_t length =
      right ? min (f.tile_h, f.height - ty * f.tile_h) : min ((uint32_t) CANNY_W, f.width - tx * CANNY_W);
  uint32_t code = RIM_NONE;
  if (at < length)
    code = right ? f.rims[tile].right[at] : f.rims[tile].bottom[at];
  uint32_t other_codes[3], other_tiles[3];
#pragma unroll
  for (int i = 0; i < 3; i++) {
    /* Below a tile's end its neighbour's seam goes on; beside it, the corner is the bottom seam's business. */
    const int there = (int) at + i - 1;
    other_codes[i] = RIM_NONE;
    other_tiles[i] = right ? tile + 1 : tile + f.tiles_x;
    if (right) {
      if (at < length && there >= 0 && there < (int) length)
        other_codes[i] = f.rims[tile + 1].left[there];
    } else {
      const int x = tx * CANNY_W + there;
      if (at < length && x >= 0 && x < (int) f.width) {
        other_tiles[i] = (ty + 1) * f.tiles_x + x / CANNY_W;
        other_codes[i] = f.rims[other_tiles[i]].top[x % CANNY_W];
      }
    }
  }
  uint2 *list = joins[threadIdx.x / 32];
  uint32_t count = 0;
#pragma unroll
  for (int i = 0; i < 3; i++) {
    const bool meet = code && other_codes[i] && (code != RIM_STRONG || other_codes[i] != RIM_STRONG);
    if (!__any_sync (~0u, meet))
      continue;
    /* One pair often meets at many places. */
    const uint2 pair = make_uint2 (node_of (tile, code), node_of (other_tiles[i], other_codes[i]));
    const uint32_t same = __match_any_sync (~0u, meet ? (unsigned long long) pair.x << 32 | pair.y : ~0ull);
    const bool join = meet && !(same & ((1u << lane) - 1));
    const uint32_t all = __ballot_sync (~0u, join);
    if (join)
      list[count + __popc (all & ((1u << lane) - 1))] = pair;
    count += __popc (all);
  }
  __syncwarp ();
  for (uint32_t i = lane; i < count; i += 32)
    unite (f.parents, list[i].x, list[i].y);
}

constexpr int PATCH_THREADS = 128;

/* A CTA a tile: draws the nodes that came to be strong. */
__global__ void
__launch_bounds__ (PATCH_THREADS) patch_kernel (const CannyFrame f)
{
  __shared__ uint8_t promoted[CANNY_NODES];
  const uint32_t tile = blockIdx.x, tx = tile % f.tiles_x, ty = tile / f.tiles_x;
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  const CannyTile t = f.tiles[tile];
  bool any = false;
  for (uint32_t i = threadIdx.x; i < t.nodes; i += PATCH_THREADS) {
    const uint32_t node = 1 + tile * CANNY_NODES + i;
    promoted[i] = find_root (f.parents, node, load_parent (f.parents, node)) == STRONG_ROOT;
    any = any || promoted[i];
  }
  if (!__syncthreads_or (any))
    return;
  const uint32_t *runs = f.runs + (size_t) tile * f.tile_h * (CANNY_W / 2);
  for (uint32_t i = threadIdx.x; i < t.runs; i += PATCH_THREADS) {
    const uint32_t run = runs[i], word = run >> 10 & 1023, begin = run >> 5 & 31, end = run & 31;
    if (!promoted[run >> RUN_NODE_SHIFT])
      continue;
    uint8_t *to =
        f.mask + ((size_t) ty * f.tile_h + word / CANNY_WORDS) * f.mask_stride + tx * CANNY_W + word % CANNY_WORDS * 32;
    for (uint32_t x = begin; x <= end; x++)
      to[x] = 255;
  }
}

} // namespace

void
canny_launch_seams (const CannyFrame &f, bool overlap, cudaStream_t stream)
{
  const unsigned tiles = f.tiles_x * f.tiles_y;
  ctr_launch_overlapped (
      overlap, seam_kernel, ctr_div_up (tiles * SEAM_STEPS, SEAM_WARPS), 32 * SEAM_WARPS, 0, stream, f);
  ctr_launch_overlapped (overlap, patch_kernel, tiles, PATCH_THREADS, 0, stream, f);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Hysteresis across the tiles of Canny: join what touches at their seams, draw what came to be strong. */
#include "cuda/canny_hysteresis.cuh"

namespace
{

__device__ inline uint32_t
load_parent (const uint32_t *parents, uint32_t node)
{
  return __ldcg (parents + node); /* from L2, where the atomics are */
}

__device__ inline uint32_t
find_root (uint32_t *parents, uint32_t node)
{
  while (node != STRONG_ROOT) {
    const uint32_t up = load_parent (parents, node);
    if (up == node)
      break;
    const uint32_t next = up == STRONG_ROOT ? up : load_parent (parents, up);
    if (next != up)
      *(volatile uint32_t *) &parents[node] = next; /* whoever comes next walks half as far; any ancestor is right */
    node = next;
  }
  return node;
}

__device__ inline void
unite (uint32_t *parents, uint32_t a, uint32_t b)
{
  a = find_root (parents, a);
  b = find_root (parents, b);
  while (a != b) {
    if (a < b) {
      const uint32_t t = a;
      a = b;
      b = t;
    }
    const uint32_t old = atomicMin (&parents[a], b);
    if (old == a)
      return;
    a = find_root (parents, old);
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

/* A warp for 32 pixels along a tile's right or bottom seam. */
__global__ void __launch_bounds__ (32 * SEAM_WARPS) seam_kernel (const CannyFrame f)
{
  const uint32_t lane = threadIdx.x % 32, warp = blockIdx.x * SEAM_WARPS + threadIdx.x / 32;
  const uint32_t tile = warp / SEAM_STEPS, step = warp % SEAM_STEPS;
  const uint32_t tx = tile % f.tiles_x, ty = tile / f.tiles_x;
  const bool right = step < RIGHT_STEPS;
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  if (tile >= f.tiles_x * f.tiles_y || !(right ? tx + 1 < f.tiles_x : ty + 1 < f.tiles_y))
    return;
  /* Across the seam lies tile + 1; or, for one pixel each way, what is left and right of the one below. */
  const uint32_t other = right ? tile + 1 : tile + f.tiles_x, at = (right ? step : step - RIGHT_STEPS) * 32 + lane;
  const CannyTile mine = f.tiles[tile], theirs = f.tiles[other];
  uint32_t code = RIM_NONE;
  if (mine.any && (!right || at < f.tile_h))
    code = right ? f.rims[tile].right[at] : f.rims[tile].bottom[at];
  if (right && ty * f.tile_h + at >= f.height)
    code = RIM_NONE;
  if (!right && tx * CANNY_W + at >= f.width)
    code = RIM_NONE;
#pragma unroll
  for (int offset = -1; offset <= 1; offset++) {
    const int there = (int) at + offset;
    uint32_t other_tile = other, other_code = RIM_NONE;
    if (right) {
      /* Around the corner it is a bottom seam's business. */
      if (code && theirs.any && there >= 0 && there < (int) f.tile_h && ty * f.tile_h + there < f.height)
        other_code = f.rims[other].left[there];
    } else if (code) {
      const int x = tx * CANNY_W + there;
      if (x >= 0 && x < (int) f.width) {
        other_tile = (ty + 1) * f.tiles_x + x / CANNY_W;
        if (f.tiles[other_tile].any)
          other_code = f.rims[other_tile].top[x % CANNY_W];
      }
    }
    const bool meet = code && other_code && (code != RIM_STRONG || other_code != RIM_STRONG);
    if (!__any_sync (~0u, meet))
      continue;
    /* One pair often meets at many places. */
    const uint64_t pair = meet ? (uint64_t) node_of (tile, code) << 32 | node_of (other_tile, other_code) : ~0ull;
    const uint32_t same = __match_any_sync (~0u, pair);
    if (meet && !(same & ((1u << lane) - 1)))
      unite (f.parents, pair >> 32, (uint32_t) pair);
    __syncwarp ();
  }
}

/* A CTA a tile: where nodes came to be strong, their components, found again among the weak candidates, are edges. */
__global__ void
__launch_bounds__ (CANNY_THREADS) patch_kernel (const CannyFrame f)
{
  extern __shared__ __align__ (16) uint8_t memory[];
  __shared__ uint8_t promoted[CANNY_NODES];
  const uint32_t tile = blockIdx.x, tx = tile % f.tiles_x, ty = tile / f.tiles_x;
  const uint32_t rows = min (f.tile_h, f.height - ty * f.tile_h), words = rows * CANNY_WORDS;
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  const uint32_t nodes = f.tiles[tile].nodes;
  bool any = false;
  for (uint32_t i = threadIdx.x; i < nodes; i += CANNY_THREADS) {
    promoted[i] = find_root (f.parents, 1 + tile * CANNY_NODES + i) == STRONG_ROOT;
    any = any || promoted[i];
  }
  if (!__syncthreads_or (any))
    return;

  uint32_t *candidates = (uint32_t *) memory, *strong = candidates + words;
  const TileRuns runs (candidates, strong + words, rows);
  const uint32_t *weak = f.weak + (size_t) tile * CANNY_MAX_H * CANNY_WORDS;
  for (uint32_t i = threadIdx.x; i < words; i += CANNY_THREADS) {
    candidates[i] = tx * CANNY_W + i % CANNY_WORDS * 32 < f.width ? weak[i] : 0;
    strong[i] = 0;
  }
  __syncthreads ();
  const CannyRim &rim = f.rims[tile];
  auto seed = [&] (uint32_t code, uint32_t x, uint32_t y) {
    if (code >= RIM_NODE && promoted[code - RIM_NODE])
      atomicOr (&strong[y * CANNY_WORDS + x / 32], 1u << x % 32);
  };
  for (uint32_t x = threadIdx.x; x < CANNY_W && tx * CANNY_W + x < f.width; x += CANNY_THREADS) {
    if (ty > 0)
      seed (rim.top[x], x, 0);
    if (ty + 1 < f.tiles_y)
      seed (rim.bottom[x], x, f.tile_h - 1);
  }
  for (uint32_t y = threadIdx.x; y < rows; y += CANNY_THREADS) {
    if (tx > 0)
      seed (rim.left[y], 0, y);
    if (tx + 1 < f.tiles_x)
      seed (rim.right[y], CANNY_W - 1, y);
  }
  __syncthreads ();
  join_runs (runs, strong, rows);
  for (uint32_t i = threadIdx.x; i < words; i += CANNY_THREADS) {
    uint8_t *to =
        f.mask + ((size_t) ty * f.tile_h + i / CANNY_WORDS) * f.mask_stride + tx * CANNY_W + i % CANNY_WORDS * 32;
    for (uint32_t edges = strong_pixels (runs, i); edges; edges &= edges - 1)
      to[__ffs (edges) - 1] = 255;
  }
}

size_t
patch_bytes (uint32_t rows)
{
  return (2 * rows * CANNY_WORDS + run_words (rows)) * sizeof (uint32_t);
}

} // namespace

cudaError_t
canny_prepare_seams ()
{
  return cudaFuncSetAttribute (patch_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, patch_bytes (CANNY_MAX_H));
}

cudaError_t
canny_launch_seams (const CannyFrame &f, bool overlap, cudaStream_t stream)
{
  const unsigned tiles = f.tiles_x * f.tiles_y;
  ctr_launch_overlapped (
      overlap, seam_kernel, ctr_div_up (tiles * SEAM_STEPS, SEAM_WARPS), 32 * SEAM_WARPS, 0, stream, f);
  ctr_launch_overlapped (overlap, patch_kernel, tiles, CANNY_THREADS, patch_bytes (f.tile_h), stream, f);
  return cudaGetLastError ();
}

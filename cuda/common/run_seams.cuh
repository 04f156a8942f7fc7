/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Hysteresis across tiles: a union-find over the components that reach the border of their tile. */
#ifndef CTR_CUDA_COMMON_RUN_SEAMS_CUH
#define CTR_CUDA_COMMON_RUN_SEAMS_CUH

#include "cuda/common/run_tiles.cuh"

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

/* Element of the global union-find for CODE at a tile's border. */
__device__ inline uint32_t
component_index (uint32_t tile, uint32_t code)
{
  return code == BORDER_STRONG ? STRONG_ROOT : 1 + tile * RUN_TILE_COMPONENTS + code - BORDER_COMPONENT;
}

/* 32 pixels of a tile's right seam, in STEPs < RIGHT_STEPS, or of its bottom seam. */
template <uint32_t RIGHT_STEPS> struct SeamPart {
  static constexpr uint32_t STEPS = RIGHT_STEPS + RUN_TILE_W / 32; /* of a tile */
  uint32_t lane, tile, step, tx, ty;
  bool right;

  /* Of all, the one with this NUMBER. */
  __device__
  SeamPart (uint32_t number, uint32_t tiles_x)
  {
    lane = threadIdx.x % 32;
    tile = number / STEPS;
    step = number % STEPS;
    tx = tile % tiles_x;
    ty = tile / tiles_x;
    right = step < RIGHT_STEPS;
  }
};

/* A warp lists the pairs of components that meet at successive pixels of a seam. CODE: a lane's pixel, of TILE; OTHER_CODES: those of
 * OTHER_TILES that touch it, from the one before to the one behind. LIST has COUNT pairs, and gets at most 16 for each of
 * OTHER_CODES. Returns how many it has then. */
template <int CONNECTIVITY>
__device__ inline uint32_t
list_contacts (
    uint32_t code, uint32_t tile, const uint32_t *other_codes, const uint32_t *other_tiles, uint2 *list, uint32_t count)
{
  constexpr int contacts = CONNECTIVITY == 8 ? 3 : 1;
  const uint32_t lane = threadIdx.x % 32;
  const uint32_t straight = other_codes[contacts / 2], before = __shfl_up_sync (~0u, code, 1),
                 behind = __shfl_down_sync (~0u, code, 1);
#pragma unroll
  for (int i = 0; i < contacts; i++) {
    bool meet = code && other_codes[i] && (code != BORDER_STRONG || other_codes[i] != BORDER_STRONG);
    /* A pixel next to both makes a diagonal contact a second one. */
    if (i < contacts / 2)
      meet = meet && !straight && !(lane > 0 && before);
    if (i > contacts / 2)
      meet = meet && !straight && !(lane < 31 && behind);
    /* Where two successive pixels meet others, these are successive, too, and of the same component: one contact suffices. */
    const uint32_t meeting = __ballot_sync (~0u, meet), all = meeting & ~(meeting << 1);
    if (all >> lane & 1)
      list[count + __popc (all & ((1u << lane) - 1))] =
          make_uint2 (component_index (tile, code), component_index (other_tiles[i], other_codes[i]));
    count += __popc (all);
  }
  return count;
}

/* A warp unites COUNT pairs of components. Where all contacts are found first, the unions overlap. */
__device__ inline void
unite_listed (uint32_t *parents, const uint2 *list, uint32_t count)
{
  __syncwarp ();
  for (uint32_t i = threadIdx.x % 32; i < count; i += 32)
    unite (parents, list[i].x, list[i].y);
}

/* A warp unites the components across PART. LIST: room for 3 * 16 pairs. */
template <int CONNECTIVITY, uint32_t RIGHT_STEPS, typename Args>
__device__ inline void
join_seam (const Args &f, const SeamPart<RIGHT_STEPS> &part, uint2 *list)
{
  const uint32_t lane = part.lane, tile = part.tile, step = part.step, tx = part.tx, ty = part.ty;
  const bool right = part.right;
  if (tile >= f.tiles_x * f.tiles_y || !(right ? tx + 1 < f.tiles_x : ty + 1 < f.tiles_y))
    return;
  const uint32_t at = (right ? step : step - RIGHT_STEPS) * 32 + lane;
  const uint32_t length =
      right ? min (f.tile_h, f.height - ty * f.tile_h) : min ((uint32_t) RUN_TILE_W, f.width - tx * RUN_TILE_W);
  uint32_t code = BORDER_NONE;
  if (at < length)
    code = right ? f.by_tile.borders[tile].right[at] : f.by_tile.borders[tile].bottom[at];
  constexpr int contacts = CONNECTIVITY == 8 ? 3 : 1;
  uint32_t other_codes[contacts], other_tiles[contacts];
#pragma unroll
  for (int i = 0; i < contacts; i++) {
    /* A right seam ends with its tile. A bottom seam extends to the diagonal neighbours, so it includes the corners. */
    const int there = (int) at + i - contacts / 2;
    other_codes[i] = BORDER_NONE;
    other_tiles[i] = right ? tile + 1 : tile + f.tiles_x;
    if (right) {
      if (at < length && there >= 0 && there < (int) length)
        other_codes[i] = f.by_tile.borders[tile + 1].left[there];
    } else {
      const int x = tx * RUN_TILE_W + there;
      if (at < length && x >= 0 && x < (int) f.width) {
        other_tiles[i] = (ty + 1) * f.tiles_x + x / RUN_TILE_W;
        other_codes[i] = f.by_tile.borders[other_tiles[i]].top[x % RUN_TILE_W];
      }
    }
  }
  unite_listed (
      f.by_component.parents, list, list_contacts<CONNECTIVITY> (code, tile, other_codes, other_tiles, list, 0));
}

/* Calls DRAW (word, first bit, last bit) for the runs of TILE's components that have become strong. A CTA of THREADS threads
 * calls it. */
template <int THREADS, typename Args, typename Draw>
__device__ inline void
promote_runs (const Args &f, uint32_t tile, Draw draw)
{
  __shared__ uint8_t promoted[RUN_TILE_COMPONENTS];
  const RunTileCounts t = f.by_tile.counts[tile];
  bool any = false;
  for (uint32_t i = threadIdx.x; i < t.components; i += THREADS) {
    const uint32_t component = 1 + tile * RUN_TILE_COMPONENTS + i;
    promoted[i] =
        find_root (f.by_component.parents, component, load_parent (f.by_component.parents, component)) == STRONG_ROOT;
    any = any || promoted[i];
  }
  if (!__syncthreads_or (any))
    return;
  const uint32_t *runs = f.by_tile_run.runs + (size_t) tile * f.tile_h * (RUN_TILE_W / 2);
  for (uint32_t i = threadIdx.x; i < t.runs; i += THREADS) {
    const uint32_t run = runs[i];
    if (promoted[run >> RUN_COMPONENT_SHIFT])
      draw (run >> 10 & 1023, run >> 5 & 31, run & 31);
  }
}

} // namespace

#endif

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

/* Most components are roots: the first link is made before it is known. If the greater one was none, it remains to unite the parent
 * that it had. Any element of the same component is a valid parent. */
__device__ inline void
unite (uint32_t *parents, uint32_t component_a, uint32_t component_b)
{
  const uint32_t high = max (component_a, component_b), low = min (component_a, component_b);
  uint32_t b = load_unless_strong (parents, low), old = atomicMin (&parents[high], low);
  if (old == high)
    return;
  uint32_t a = find_root (parents, old, load_unless_strong (parents, old));
  b = find_root (parents, low, b);
  while (a != b) {
    if (a < b) {
      const uint32_t t = a;
      a = b;
      b = t;
    }
    old = atomicMin (&parents[a], b);
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

  /* Of all those of ARGS, the one with this NUMBER. */
  template <typename Args>
  __device__
  SeamPart (const Args &f, uint32_t number)
  {
    lane = threadIdx.x % 32;
    tile = number / STEPS;
    step = number % STEPS;
    ty = f.by_tiles_x.quotient_of (tile);
    tx = tile - ty * f.tiles_x;
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
    static_assert (BORDER_NONE == 0 && BORDER_STRONG == 1, "two that are strong have no other bit");
    bool meet = code && other_codes[i] && (code | other_codes[i]) > BORDER_STRONG;
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
template <uint32_t RIGHT_STEPS, typename Args>
__device__ inline void
join_seam (const Args &f, const SeamPart<RIGHT_STEPS> &part, uint2 *list)
{
  const uint32_t lane = part.lane, tile = part.tile, tx = part.tx, ty = part.ty;
  const bool right = part.right;
  if (tile >= f.tiles_x * f.tiles_y || !(right ? tx + 1 < f.tiles_x : ty + 1 < f.tiles_y))
    return;
  const uint32_t at = (right ? part.step : part.step - RIGHT_STEPS) * 32 + lane;
  const uint32_t length =
      right ? min (f.tile_h, f.height - ty * f.tile_h) : min ((uint32_t) RUN_TILE_W, f.width - tx * RUN_TILE_W);
  const uint32_t other = right ? tile + 1 : tile + f.tiles_x;
  const RunTileBorder *const borders = f.by_tile.borders;
  uint32_t code = BORDER_NONE, straight = BORDER_NONE, beyond = BORDER_NONE, tile_beyond = other;
  if (at < length) {
    code = right ? borders[tile].right[at] : borders[tile].bottom[at];
    straight = right ? borders[other].left[at] : borders[other].top[at];
  }
  /* The first and the last lane have the pixels before and behind these. A right seam ends with its tile. A bottom seam extends to
   * the diagonal neighbours, so it includes the corners. */
  if (lane == 0 || lane == 31) {
    const uint32_t there = lane == 0 ? at - 1 : at + 1;
    if (right) {
      beyond = there < length ? borders[other].left[there] : (uint32_t) BORDER_NONE;
    } else if (tx * RUN_TILE_W + there < f.width) { /* not before the first column, either */
      tile_beyond = ty * f.tiles_x + f.tiles_x + (tx * RUN_TILE_W + there) / RUN_TILE_W;
      beyond = borders[tile_beyond].top[there % RUN_TILE_W];
    }
  }
  const uint32_t before = __shfl_up_sync (~0u, straight, 1), behind = __shfl_down_sync (~0u, straight, 1);
  const uint32_t other_codes[] = {lane == 0 ? beyond : before, straight, lane == 31 ? beyond : behind};
  const uint32_t other_tiles[] = {lane == 0 ? tile_beyond : other, other, lane == 31 ? tile_beyond : other};
  if (__any_sync (~0u, code && (other_codes[0] | other_codes[1] | other_codes[2])))
    unite_listed (f.by_component.parents, list, list_contacts<8> (code, tile, other_codes, other_tiles, list, 0));
}

} // namespace

#endif

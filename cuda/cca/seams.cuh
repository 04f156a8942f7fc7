/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Union-find over open components, and the seams between tiles at which they meet. */
#ifndef CTR_CUDA_CCA_SEAMS_CUH
#define CTR_CUDA_CCA_SEAMS_CUH

#include "cuda/cca/device_state.cuh"

namespace
{

__device__ inline OpenKey
load_parent (const OpenKey *parents, uint32_t component)
{
  return __ldcg (parents + component); /* from L2, where atomics take effect */
}

/* The key of COMPONENT's root; UP: its parent's key. Halves the path on the way. A plain store suffices: a component
 * with a parent never becomes a root again, and any ancestor is a valid parent. */
__device__ inline OpenKey
find_root (OpenKey *parents, uint32_t component, OpenKey up)
{
  while ((uint32_t) up != component) {
    OpenKey next = load_parent (parents, (uint32_t) up);
    if (next == up)
      return up;
    *(volatile OpenKey *) &parents[component] = next;
    component = (uint32_t) next;
    up = load_parent (parents, component);
  }
  return up;
}

__device__ void
unite (OpenKey *parents, uint32_t component_a, uint32_t component_b)
{
  /* Issue both loads before either walk. */
  OpenKey a = load_parent (parents, component_a), b = load_parent (parents, component_b);
  a = find_root (parents, component_a, a);
  b = find_root (parents, component_b, b);
  while (a != b) {
    if (a < b) {
      OpenKey t = a;
      a = b;
      b = t;
    }
    OpenKey old = atomicMin (&parents[(uint32_t) a], b);
    if (old == a)
      return;
    a = old;
  }
}

/* Contacts between two neighbouring lines of pixels, 32 at a time, as TileTask::contacts() finds them between two rows.
 * Bit 31 of LINE_BEFORE and ABOVE_BEFORE is the pixel before bit 0. At a bit of AT_START, the line's pixel touches the
 * pixel above it or, where that one is background, the one before that. At a bit of LATER (8-connected only), the pixel
 * above touches the line's previous pixel. */
template <int CONNECTIVITY>
__device__ inline void
contacts (
    uint32_t line, uint32_t line_before, uint32_t above, uint32_t above_before, uint32_t *at_start, uint32_t *later)
{
  uint32_t line_carry = line_before >> 31, above_carry = above_before >> 31;
  uint32_t starts = line & ~(line << 1 | line_carry), above_starts = above & ~(above << 1 | above_carry);
  if (CONNECTIVITY == 8) {
    *at_start = starts & (above | above << 1 | above_carry);
    *later = above_starts & (line << 1 | line_carry);
  } else {
    *at_start = line & above & (starts | above_starts);
    *later = 0;
  }
}

constexpr int RIGHT_STEPS = TILE_H / 32, BELOW_STEPS = TILE_W / 32; /* of 32 pixels along the seams */
constexpr int SEAM_STEPS = RIGHT_STEPS + BELOW_STEPS;
constexpr uint32_t NO_PAIR = ~0u;
/* The most pairs that a warp finds: contacts of a kind are at least two pixels apart. */
template <int CONNECTIVITY, int STEPS> constexpr int SEAM_JOINS = 16 * (CONNECTIVITY == 8 ? 2 : 1) * STEPS + 2;

/* A warp unites the components across STEPS times 32 pixels of a tile's right and bottom seams. For 8-connectivity, the
 * last step includes the bottom right corner. The warp finds all contacts before it unites any, so that their loads
 * overlap, and then their unions. LIST: shared memory for SEAM_JOINS. */
template <int CONNECTIVITY, int STEPS, bool EAGER>
__device__ inline void
unite_seams (const CcaKernelArgs &f, uint2 *list, uint32_t tile, uint32_t first_step)
{
  constexpr int kinds = CONNECTIVITY == 8 ? 2 : 1;
  const uint32_t lane = threadIdx.x % 32, before_me = (1u << lane) - 1;
  const uint32_t tx = tile % f.tiles_x, ty = tile / f.tiles_x;
  const bool has_right = tx + 1 < f.tiles_x, has_below = ty + 1 < f.tiles_y;
  const TileBorder &border = f.by_tile.borders[tile];

  /* This lane's contacts: open component of this tile << 8 | that of the other tile. */
  uint32_t pairs[STEPS][2];
#pragma unroll
  for (int i = 0; i < STEPS; i++) {
    const uint32_t step = first_step + i;
    const bool right = step < RIGHT_STEPS;
    pairs[i][0] = pairs[i][1] = NO_PAIR;
    if (!(right ? has_right : has_below))
      continue;
    const TileBorder &other = f.by_tile.borders[right ? tile + 1 : tile + f.tiles_x];
    const uint32_t *above = right ? (const uint32_t *) &border.right : border.bottom;
    const uint32_t *line = right ? (const uint32_t *) &other.left : other.top;
    const uint8_t *above_component = right ? border.right_component : border.bottom_component;
    const uint8_t *line_component = right ? other.left_component : other.top_component;
    const uint32_t word = right ? step : step - RIGHT_STEPS, at = word * 32 + lane, above_word = above[word];
    /* Where few warps hide little, the components of all pixels arrive together with the pixels. */
    uint32_t above_is[2] = {}, line_is[2] = {};
    if (EAGER) {
      above_is[0] = above_component[at];
      above_is[1] = above_component[at ? at - 1 : 0];
      line_is[0] = line_component[at];
      line_is[1] = line_component[at ? at - 1 : 0];
    }
    uint32_t at_start, later;
    contacts<CONNECTIVITY> (
        line[word], word ? line[word - 1] : 0, above_word, word ? above[word - 1] : 0, &at_start, &later);
    if (at_start >> lane & 1) {
      const bool before = CONNECTIVITY == 8 && !(above_word >> lane & 1);
      pairs[i][0] = (EAGER ? (before ? above_is[1] : above_is[0]) : above_component[at - before]) << 8
                    | (EAGER ? line_is[0] : line_component[at]);
    }
    if (CONNECTIVITY == 8 && later >> lane & 1)
      pairs[i][1] = (EAGER ? above_is[0] : above_component[at]) << 8 | (EAGER ? line_is[1] : line_component[at - 1]);
  }

  /* A pair of components often meets at many pixels: unite it once. */
  uint32_t count = 0;
  auto gather = [&] (bool join, uint32_t a, uint32_t b) {
    const uint32_t all = __ballot_sync (~0u, join);
    if (join)
      list[count + __popc (all & before_me)] = make_uint2 (a, b);
    count += __popc (all);
  };
#pragma unroll
  for (int i = 0; i < STEPS; i++)
#pragma unroll
    for (int kind = 0; kind < kinds; kind++) {
      const uint32_t pair = pairs[i][kind], same = __match_any_sync (~0u, pair);
      const uint32_t other = first_step + i < RIGHT_STEPS ? tile + 1 : tile + f.tiles_x;
      gather (pair != NO_PAIR && !(same & before_me), tile * MAX_OPEN_COMPONENTS + (pair >> 8),
          other * MAX_OPEN_COMPONENTS + (pair & 255));
    }
  if (CONNECTIVITY == 8 && has_right && has_below && first_step == SEAM_STEPS - STEPS) {
    /* Lane 0: this tile and the one to the lower right. Lane 1: the right tile and the one below. */
    const uint32_t upper = tile + lane % 2, lower = tile + f.tiles_x + 1 - lane % 2;
    const uint32_t upper_x = lane % 2 ? 0 : TILE_W - 1, lower_x = TILE_W - 1 - upper_x;
    const TileBorder &up = f.by_tile.borders[upper], &low = f.by_tile.borders[lower];
    const bool join = lane < 2 && up.bottom[upper_x / 32] >> upper_x % 32 & low.top[lower_x / 32] >> lower_x % 32 & 1;
    gather (join, join ? upper * MAX_OPEN_COMPONENTS + up.bottom_component[upper_x] : 0,
        join ? lower * MAX_OPEN_COMPONENTS + low.top_component[lower_x] : 0);
  }
  __syncwarp ();
  for (uint32_t i = lane; i < count; i += 32)
    unite (f.by_open_component.parents, list[i].x, list[i].y);
}

} // namespace

#endif

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

constexpr int NEAR_STEPS = 8; /* each halves the path; noise hardly ever takes more */

/* The key of COMPONENT's root or, after NEAR_STEPS, of any ancestor; UP: its parent's key. Halves the path on the way. A plain store
 * suffices: a component with a parent never becomes a root again, and any ancestor is a valid parent. */
__device__ inline OpenKey
find_near_root (OpenKey *parents, uint32_t component, OpenKey up)
{
  for (int i = 0; i < NEAR_STEPS && (uint32_t) up != component; i++) {
    OpenKey next = load_parent (parents, (uint32_t) up);
    if (next == up)
      return up;
    *(volatile OpenKey *) &parents[component] = next;
    component = (uint32_t) next;
    up = load_parent (parents, component);
  }
  return up;
}

/* Where a line winds through thousands of tiles, its root is thousands of steps away, and moves on while other threads unite. So
 * both walks end soon, at any ancestors. From there only the greater key goes on, until it is a root or meets the other one.
 * That takes no more steps than there are tiles in a row: before others join them, the components of a line are chains along it. */
__device__ inline void
unite (OpenKey *parents, uint32_t component_a, uint32_t component_b)
{
  /* Issue both loads before either walk. */
  OpenKey a = load_parent (parents, component_a), b = load_parent (parents, component_b);
  if (a == b)
    return;
  a = find_near_root (parents, component_a, a);
  b = find_near_root (parents, component_b, b);
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

/* The pixels of two tiles along their seam, and the tiles' components to which they belong. A right seam is one of columns:
 * ABOVE is the left one. */
struct Seam {
  const uint32_t *above, *line;
  const uint8_t *above_component, *line_component;
};

__device__ inline Seam
right_seam (const CcaKernelArgs &f, uint32_t tile)
{
  const TileBorder *border = f.by_tile.borders + tile, *other = border + 1;
  return {(const uint32_t *) &border->right, (const uint32_t *) &other->left, border->right_component,
      other->left_component};
}

__device__ inline Seam
bottom_seam (const CcaKernelArgs &f, uint32_t tile)
{
  const TileBorder *border = f.by_tile.borders + tile, *other = border + f.tiles_x;
  return {border->bottom, other->top, border->bottom_component, other->top_component};
}

/* The two diagonal contacts where four tiles meet, of lanes 0 and 1. */
struct Corner {
  uint32_t upper, lower; /* tiles */
  uint32_t is_contact, upper_component, lower_component;
};

/* The bottom right corner of TILE, which has one. If one of the other two pixels is set, it touches both of a diagonal contact across the
 * seams, which unites them. The whole warp calls it. */
__device__ inline Corner
load_corner (const CcaKernelArgs &f, uint32_t tile)
{
  Corner c = {};
  const uint32_t lane = threadIdx.x % 32;
  uint32_t upper = 0, lower = 0; /* the two pixels */
  if (lane < 2) {
    /* Lane 0: this tile and the one to the lower right. Lane 1: the right tile and the one below. */
    c.upper = tile + lane;
    c.lower = tile + f.tiles_x + 1 - lane;
    const uint32_t upper_x = lane ? 0 : TILE_W - 1, lower_x = TILE_W - 1 - upper_x;
    const TileBorder &up = f.by_tile.borders[c.upper], &low = f.by_tile.borders[c.lower];
    upper = up.bottom[upper_x / 32] >> upper_x % 32 & 1;
    lower = low.top[lower_x / 32] >> lower_x % 32 & 1;
    c.upper_component = up.bottom_component[upper_x];
    c.lower_component = low.top_component[lower_x];
  }
  c.is_contact = upper & lower & !__shfl_xor_sync (~0u, upper | lower, 1);
  return c;
}

/* A warp unites the components across STEPS times 32 pixels of a tile's right and bottom seams and, with the last of
 * them, of the corner, if there is one, which GET_CORNER () returns. It finds all contacts before it unites any, so that their loads overlap, and
 * then their unions. LIST: shared memory for SEAM_JOINS. */
template <int CONNECTIVITY, int STEPS, typename GetCorner>
__device__ inline void
unite_seams (const CcaKernelArgs &f, uint2 *list, const Seam &to_right, const Seam &to_bottom,
    const GetCorner &get_corner, uint32_t tile, uint32_t first_step)
{
  constexpr int kinds = CONNECTIVITY == 8 ? 2 : 1;
  const uint32_t lane = threadIdx.x % 32, before_me = (1u << lane) - 1;
  const uint32_t tx = tile % f.tiles_x, ty = tile / f.tiles_x;
  const bool has_right = tx + 1 < f.tiles_x, has_below = ty + 1 < f.tiles_y;

  /* This lane's contacts: open component of this tile << 8 | that of the other tile. */
  uint32_t pairs[STEPS][2];
#pragma unroll
  for (int i = 0; i < STEPS; i++) {
    const uint32_t step = first_step + i;
    const bool right = step < RIGHT_STEPS;
    pairs[i][0] = pairs[i][1] = NO_PAIR;
    if (!(right ? has_right : has_below))
      continue;
    const Seam seam = {right ? to_right.above : to_bottom.above, right ? to_right.line : to_bottom.line,
        right ? to_right.above_component : to_bottom.above_component,
        right ? to_right.line_component : to_bottom.line_component};
    const uint32_t word = right ? step : step - RIGHT_STEPS, at = word * 32 + lane, above_word = seam.above[word];
    uint32_t at_start, later;
    contacts<CONNECTIVITY> (seam.line[word], word ? seam.line[word - 1] : 0, above_word,
        word ? seam.above[word - 1] : 0, &at_start, &later);
    if (at_start >> lane & 1)
      pairs[i][0] = seam.above_component[CONNECTIVITY == 4 || above_word >> lane & 1 ? at : at - 1] << 8
                    | seam.line_component[at];
    if (CONNECTIVITY == 8 && later >> lane & 1)
      pairs[i][1] = seam.above_component[at] << 8 | seam.line_component[at - 1];
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
      const uint32_t pair = pairs[i][kind];
      if (!__any_sync (~0u, pair != NO_PAIR))
        continue;
      const uint32_t same = __match_any_sync (~0u, pair);
      const uint32_t other = first_step + i < RIGHT_STEPS ? tile + 1 : tile + f.tiles_x;
      gather (pair != NO_PAIR && !(same & before_me), tile * MAX_OPEN_COMPONENTS + (pair >> 8),
          other * MAX_OPEN_COMPONENTS + (pair & 255));
    }
  if (CONNECTIVITY == 8 && first_step == SEAM_STEPS - STEPS && has_right && has_below) {
    const Corner corner = get_corner ();
    gather (corner.is_contact, corner.upper * MAX_OPEN_COMPONENTS + corner.upper_component,
        corner.lower * MAX_OPEN_COMPONENTS + corner.lower_component);
  }
  __syncwarp ();
  for (uint32_t i = lane; i < count; i += 32)
    unite (f.by_open_component.parents, list[i].x, list[i].y);
}

} // namespace

#endif

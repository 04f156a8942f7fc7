/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The seams of a tile of a large frame, by one warp. A lane has 32 pixels of a seam, and then one contact of all: so no load waits for another but
 * that of its own contact. */
#ifndef CTR_CUDA_CCA_TILE_SEAMS_CUH
#define CTR_CUDA_CCA_TILE_SEAMS_CUH

#include "cuda/cca/seams.cuh"
#include "cuda/common/ptx.cuh"

namespace
{

/* A contact in a list: the pixel above << 7 | that of the line, and these. */
constexpr uint32_t OF_RIGHT_SEAM = 1 << 16, IS_UNITED = 1 << 17;
template <int CONNECTIVITY> constexpr int SEAM_CONTACTS = 16 * (CONNECTIVITY == 8 ? 2 : 1) * SEAM_STEPS;

/* Unites the components across the right and the bottom seam of TILE. LIST: shared memory for SEAM_CONTACTS. */
template <int CONNECTIVITY>
__device__ inline void
unite_tile_seams (const CcaKernelArgs &f, uint32_t *list, uint32_t tile)
{
  constexpr uint32_t right_word = offsetof (TileBorder, right) / 4, top_word = offsetof (TileBorder, top) / 4,
                     bottom_word = offsetof (TileBorder, bottom) / 4;
  const uint32_t lane = threadIdx.x % 32, tx = tile % f.tiles_x, ty = tile / f.tiles_x;
  const bool has_right = tx + 1 < f.tiles_x, has_below = ty + 1 < f.tiles_y;
  const uint32_t to_right = tile + 1, to_below = tile + f.tiles_x;
  const TileBorder *borders = f.by_tile.borders;

  /* The lane behind the words of both seams has the last one before the bottom seam. */
  const bool right = lane < RIGHT_STEPS, before = lane == SEAM_STEPS;
  const uint32_t word = right ? lane : before ? BELOW_STEPS - 1 : lane - RIGHT_STEPS;
  uint32_t above = 0, line = 0;
  if (right ? has_right : has_below && lane <= SEAM_STEPS && (tx > 0 || !before)) {
    above = ((const uint32_t *) (borders + tile - before))[(right ? right_word : bottom_word) + word];
    line = ((const uint32_t *) (borders + (right ? to_right : to_below) - before))[(right ? 0 : top_word) + word];
  }
  Corner corner = {};
  if (CONNECTIVITY == 8 && has_right && has_below)
    corner = load_corner (f, tile);
  uint32_t above_before = __shfl_up_sync (~0u, above, 1), line_before = __shfl_up_sync (~0u, line, 1);
  if (word == 0)
    above_before = line_before = 0;
  uint32_t at_start, later;
  contacts<CONNECTIVITY> (line, line_before, above, above_before, &at_start, &later);
  if (lane >= SEAM_STEPS)
    at_start = later = 0;

  const uint32_t own = __popc (at_start) + __popc (later), sums = sum_of_lanes (own);
  const uint32_t count = __shfl_sync (~0u, sums, 31);
  /* Of four pixels where tiles meet, three contacts unite all. Where the two before a bottom seam touch, the seam there unites them, and right
   * seams unite each with its neighbour: so the first two of the seam are united, too. */
  const uint32_t touch_before = __shfl_sync (~0u, above & line, SEAM_STEPS) >> 31;
  const uint32_t at = word * 32, of_right = right ? OF_RIGHT_SEAM : 0;
  uint32_t next = sums - own, united = lane == RIGHT_STEPS && touch_before && above & line & 1 ? IS_UNITED : 0;
  for (; at_start; at_start &= at_start - 1) {
    const uint32_t bit = __ffs (at_start) - 1, above_at = CONNECTIVITY == 4 || above >> bit & 1 ? bit : bit - 1;
    list[next++] = united | of_right | (at + above_at) << 7 | (at + bit);
    united = 0;
  }
  if (CONNECTIVITY == 8)
    for (; later; later &= later - 1) {
      const uint32_t bit = __ffs (later) - 1;
      list[next++] = of_right | (at + bit) << 7 | (at + bit - 1);
    }
  __syncwarp ();

#pragma unroll 1
  for (uint32_t i = lane; i - lane < count; i += 32) {
    uint32_t contact = IS_UNITED, a = 0, b = 0;
    bool to_the_right = false;
    if (i < count) {
      contact = list[i];
      to_the_right = contact & OF_RIGHT_SEAM;
      const TileBorder &own_border = borders[tile], &other = borders[to_the_right ? to_right : to_below];
      a = (to_the_right ? own_border.right_component : own_border.bottom_component)[contact >> 7 & 127];
      b = (to_the_right ? other.left_component : other.top_component)[contact & 127];
    }
    /* A pair of components often meets at many pixels: unite it once, and not if the first ones are united. */
    const uint32_t same = __match_any_sync (~0u, i < count ? (contact & OF_RIGHT_SEAM) | a << 8 | b : ~0u);
    if (!(contact & IS_UNITED) && !(same & ((1u << lane) - 1)))
      unite (f.by_open_component.parents, tile * MAX_OPEN_COMPONENTS + a,
          (to_the_right ? to_right : to_below) * MAX_OPEN_COMPONENTS + b);
    __syncwarp ();
  }
  if (CONNECTIVITY == 8 && corner.is_contact)
    unite (f.by_open_component.parents, corner.upper * MAX_OPEN_COMPONENTS + corner.upper_component,
        corner.lower * MAX_OPEN_COMPONENTS + corner.lower_component);
}

} // namespace

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reconstruction across tiles, in the kernel that works on the tiles: the last tile to arrive at a seam, or at a corner of four
 * tiles, unites what touches there. So no tile waits for another, and seams are joined while other tiles are still at work. */
#ifndef CTR_CUDA_FOREGROUND_CONNECTED_SEAMS_CUH
#define CTR_CUDA_FOREGROUND_CONNECTED_SEAMS_CUH

#include "cuda/common/ptx.cuh"
#include "cuda/common/run_seams.cuh"
#include "cuda/foreground/connected_tile.cuh"
#include "cuda/foreground/regions.h"

namespace
{

constexpr uint32_t TILE_RUNS = TILE_ROWS * (RUN_TILE_W / 2);

/* How many tiles have arrived at the right and the lower seam of a tile, and at the corner between them. All are 0 between two
 * launches. */
struct TileArrivals {
  uint32_t right, bottom, corner;
};

struct ConnectedArgs {
  const uint32_t *mask, *marker;     /* MARKER NULL: the border of the image */
  size_t mask_stride, marker_stride; /* words */
  const uint8_t *pixels;             /* or samples; */
  size_t stride;
  uint32_t threshold, strong; /* the least sample of the mask; of the marker */
  uint32_t *to;
  size_t to_stride;              /* words */
  uint32_t width, height, words; /* pixels; of a packed row */
  uint32_t invert_mask;          /* ~0: the mask is taken inverted */
  uint32_t remove;               /* ~0: the result are the components without a marker */
  uint32_t invert_result;        /* ~0: the result is inverted */

  const CtrAtlasRegion *places; /* regions of an atlas, each by itself; NULL: the image is whole */
  uint32_t regions;
  uint32_t tiles_x, tiles_y;
  TileArrivals *arrivals;
  struct {
    RunTileCounts *counts; /* components that reach the border and are not decided, and their runs */
    RunTileBorder *borders;
  } by_tile;
  struct {
    uint32_t *runs; /* as run_tiles.cuh packs them; words are by columns */
  } by_tile_run;
  struct {
    uint32_t *parents;
  } by_component;
};

/* A tile, and the image or region that it is of. Behind the tiles of a region may be some of no use. */
struct TilePlace {
  uint32_t tile, tx, ty;
  uint32_t tiles_x, tiles_y; /* of the region */
  uint32_t width, height, words;
  uint32_t first_row; /* of the region, in the atlas */

  __device__ bool
  exists () const
  {
    return tx < tiles_x && ty < tiles_y;
  }
};

template <bool ATLAS>
__device__ inline TilePlace
place_tile (const ConnectedArgs &f)
{
  const uint32_t tile = blockIdx.x, tx = tile % f.tiles_x, row = tile / f.tiles_x;
  if (!ATLAS)
    return {tile, tx, row, f.tiles_x, f.tiles_y, f.width, f.height, f.words, 0};
  const uint32_t first = region_of_tile_row (f.places, f.regions, row, TILE_ROWS);
  const CtrAtlasRegion &region = f.places[first];
  return {tile, tx, row - region_tile_row (f.places, first, TILE_ROWS), ctr_div_up (region.width, RUN_TILE_W),
      ctr_div_up (region.height, TILE_ROWS), region.width, region.height, ctr_div_up (region.width, 32), region.top};
}

/* A thread's pixels at the tile's border. SIDE: with the first warp the left one, with the last one the right one. */
struct BorderCodes {
  uint32_t top, bottom, side;
};

enum Seam { SEAM_LEFT, SEAM_RIGHT, SEAM_TOP, SEAM_BOTTOM, CORNERS }; /* CORNERS: from there on, by rows */

/* Counts the arrival of the tile at its seams, and with CONNECTIVITY 8 at its corners. A warp calls it, behind a barrier behind
 * all that the CTA leaves for other tiles. Returns in each lane, as a bit for each seam and corner, where the tile is the last. What
 * the others have left there may be read behind another barrier. */
template <int CONNECTIVITY>
__device__ inline uint32_t
arrive (const ConnectedArgs &f, const TilePlace &p)
{
  const uint32_t lane = threadIdx.x % 32, tile = p.tile;
  const bool has_left = p.tx > 0, has_right = p.tx + 1 < p.tiles_x;
  const bool has_top = p.ty > 0, has_bottom = p.ty + 1 < p.tiles_y;
  uint32_t *counter = NULL, members = 2;
  if (lane == SEAM_LEFT && has_left)
    counter = &f.arrivals[tile - 1].right;
  if (lane == SEAM_RIGHT && has_right)
    counter = &f.arrivals[tile].right;
  if (lane == SEAM_TOP && has_top)
    counter = &f.arrivals[tile - f.tiles_x].bottom;
  if (lane == SEAM_BOTTOM && has_bottom)
    counter = &f.arrivals[tile].bottom;
  if (CONNECTIVITY == 8 && lane >= CORNERS && lane < CORNERS + 4) {
    const bool right = lane & 1, below = (lane - CORNERS) & 2;
    members = 4;
    if ((right ? has_right : has_left) && (below ? has_bottom : has_top))
      counter = &f.arrivals[tile - (right ? 0 : 1) - (below ? 0 : f.tiles_x)].corner;
  }
  const bool last = counter && count_arrival (counter) + 1 == members;
  if (last)
    *counter = 0;
  return __ballot_sync (~0u, last);
}

/* A lane unites two pixels that touch at a corner of four tiles. WHICH < 8: the corner of TILE, and the two or the other two. */
__device__ inline void
join_corner (const ConnectedArgs &f, uint32_t tile, uint32_t which)
{
  const uint32_t corner = which / 2, falls = which % 2;
  const uint32_t upper = tile - (corner & 1 ? 0 : 1) - (corner & 2 ? 0 : f.tiles_x); /* left one of two */
  const uint32_t a = falls ? upper : upper + 1, b = upper + f.tiles_x + falls;
  const RunTileBorder *above = &f.by_tile.borders[a], *below = &f.by_tile.borders[b];
  const uint32_t code_a = __ldcg (falls ? &above->bottom[RUN_TILE_W - 1] : &above->bottom[0]);
  const uint32_t code_b = __ldcg (falls ? &below->top[0] : &below->top[RUN_TILE_W - 1]);
  if (code_a && code_b && (code_a != BORDER_STRONG || code_b != BORDER_STRONG))
    unite (f.by_component.parents, component_index (a, code_a), component_index (b, code_b));
}

/* What lies across a seam from a lane's pixel, of tile OTHER. */
template <int CONNECTIVITY> struct AcrossSeam {
  static constexpr int contacts = CONNECTIVITY == 8 ? 3 : 1;
  uint32_t code; /* of the own pixel; BORDER_NONE: the seam is not for this warp */
  uint32_t other;
  uint32_t codes[contacts];

  /* CODES_THERE: of the other tile's LENGTH pixels there, of which the lane's is number AT. */
  __device__ void
  load (uint32_t own, uint32_t tile, const uint16_t *codes_there, uint32_t at, uint32_t length)
  {
    code = own;
    other = tile;
#pragma unroll
    for (int i = 0; i < contacts; i++) {
      const uint32_t there = at + i - contacts / 2;
      codes[i] = code && there < length ? __ldcg (codes_there + there) : (uint32_t) BORDER_NONE;
    }
  }

  /* As list_contacts(). */
  __device__ uint32_t
  list_contacts_of (uint32_t tile, uint2 *list, uint32_t count) const
  {
    uint32_t tiles[contacts];
#pragma unroll
    for (int i = 0; i < contacts; i++)
      tiles[i] = other;
    return list_contacts<CONNECTIVITY> (code, tile, codes, tiles, list, count);
  }
};

/* A CTA calls it behind a barrier behind arrive(), which has returned COMPLETE; the nodes of MEMORY are not needed any more. Each
 * wait for other memory is one for all seams. */
template <int CONNECTIVITY>
__device__ inline void
join_seams (const ConnectedArgs &f, const TilePlace &p, TileMemory *memory, const BorderCodes &codes, uint32_t complete)
{
  typedef AcrossSeam<CONNECTIVITY> Across;
  constexpr uint32_t room = 3 * Across::contacts * 16; /* pairs of a warp */
  static_assert (RUN_TILE_WORDS * room * 2 <= NODES, "the lists fit where the nodes were");
  const uint32_t t = threadIdx.x, warp = t / 32, lane = t % 32, tile = p.tile;
  uint2 *const list = (uint2 *) memory->nodes + warp * room;
  if (!complete)
    return;
  const RunTileBorder *const borders = f.by_tile.borders;
  const auto own = [&] (Seam seam, uint32_t code) { return complete >> seam & 1 ? code : (uint32_t) BORDER_NONE; };
  Across top, bottom, side;
  top.load (own (SEAM_TOP, codes.top), tile - f.tiles_x, borders[tile - f.tiles_x].bottom, t, RUN_TILE_W);
  bottom.load (own (SEAM_BOTTOM, codes.bottom), tile + f.tiles_x, borders[tile + f.tiles_x].top, t, RUN_TILE_W);
  if (warp == 0)
    side.load (own (SEAM_LEFT, codes.side), tile - 1, borders[tile - 1].right, lane, TILE_ROWS);
  else
    side.load (own (SEAM_RIGHT, codes.side), tile + 1, borders[tile + 1].left, lane, TILE_ROWS);
  uint32_t count = top.list_contacts_of (tile, list, 0);
  count = bottom.list_contacts_of (tile, list, count);
  count = side.list_contacts_of (tile, list, count);
  unite_listed (f.by_component.parents, list, count);
  if (CONNECTIVITY == 8 && warp == 1 && lane < 8 && complete >> (CORNERS + lane / 2) & 1)
    join_corner (f, tile, lane);
}

} // namespace

#endif

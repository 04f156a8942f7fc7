/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The next line of a level to the west of a pixel, by one thread: blocks of pixels without an end of the walk are passed by their
 * ranges, and what a vertex and a crack are numbered from has been noted by the kernels before. */
#ifndef CTR_CUDA_CRACKS_WALK_CUH
#define CTR_CUDA_CRACKS_WALK_CUH

#include "cuda/cracks/vertex.cuh"

namespace
{

/* Which level indices are in a level, with one comparison: from FIRST to LAST. */
struct Level {
  uint32_t first, last;

  __device__
  Level (uint32_t level_index, bool equal)
      : first (level_index), last (equal ? level_index : ~0u)
  {
  }

  __device__ bool
  has (uint32_t index) const
  {
    return index - first <= last - first;
  }
};

/* Which pixels of a block are in the level, as bits. */
template <bool LABELS>
__device__ inline uint32_t
block_in_level (const CracksKernelArgs &f, const Level &level, uint32_t block, uint32_t y)
{
  constexpr int EACH = LABELS ? 4 : 8; /* pixels in one load */
  const size_t from = (size_t) y * f.by_pixel.stride + block * BLOCK;
  const uint4 *pixels =
      LABELS ? (const uint4 *) (f.label_by_pixel + from) : (const uint4 *) (f.by_pixel.level_index + from);
  uint32_t in = 0;
#pragma unroll
  for (uint32_t k = 0; k < BLOCK / EACH; k++) {
    const uint4 loaded = pixels[k];
    const uint32_t words[4] = {loaded.x, loaded.y, loaded.z, loaded.w};
#pragma unroll
    for (uint32_t i = 0; i < EACH; i++) {
      const uint32_t index = LABELS ? words[i % 4] : words[i / 2] >> 16 * (i % 2) & 0xffff;
      in |= level.has (index) ? 1u << (k * EACH + i) : 0;
    }
  }
  return in;
}

/* The first block from BLOCK on to the west that may have a pixel in the level, or with HOLE one that is not; -1: none. */
template <bool LABELS>
__device__ inline int
block_to_west (const CracksKernelArgs &f, const Level &level, int block, uint32_t y, bool hole)
{
  constexpr int EACH = LABELS ? 2 : 4; /* ranges in one load */
  const size_t from = (size_t) y * f.by_block.stride;
  const uint4 *ranges =
      LABELS ? (const uint4 *) (f.by_block.label_range + from) : (const uint4 *) (f.by_block.range + from);
  for (int base = block / BLOCKS_AT_ONCE * BLOCKS_AT_ONCE; base >= 0; base -= BLOCKS_AT_ONCE) {
    uint4 loaded[BLOCKS_AT_ONCE / EACH];
#pragma unroll
    for (int k = 0; k < BLOCKS_AT_ONCE / EACH; k++)
      loaded[k] = ranges[base / EACH + k];
    uint32_t ends = 0;
#pragma unroll
    for (int i = 0; i < BLOCKS_AT_ONCE; i++) {
      const uint4 own = loaded[i / EACH];
      const uint32_t words[4] = {own.x, own.y, own.z, own.w};
      const uint32_t least = LABELS ? words[i % 2 * 2] : words[i % 4] & 0xffff,
                     greatest = LABELS ? words[i % 2 * 2 + 1] : words[i % 4] >> 16;
      /* With HOLE, one is outside of the level; without, all are below it or all above it, with the roles changed. */
      const uint32_t low = hole ? least : greatest, high = hole ? greatest : least;
      ends |= low < level.first || high > level.last ? 1u << i : 0;
    }
    ends = (hole ? ends : ~ends) & ((2u << min (block - base, (int) BLOCKS_AT_ONCE - 1)) - 1);
    if (ends)
      return base + 31 - __clz ((int) ends);
  }
  return -1;
}

/* The first pixel from (X, Y) on to the west that is in the level, or with HOLE that is not; -1: none, as if X is below 0. */
template <bool LABELS>
__device__ inline int
walk_west (const CracksKernelArgs &f, uint32_t level_index, int x, uint32_t y, bool hole)
{
  const Level level (level_index, by_equal<LABELS> (f));
  int block = x < 0 ? -1 : x / (int) BLOCK;
  uint32_t sought = ~0u >> (31 - (uint32_t) x % BLOCK); /* pixels of the block */
  while (block >= 0) {
    const uint32_t in = block_in_level<LABELS> (f, level, block, y), ends = (hole ? ~in : in) & sought;
    if (ends)
      return block * (int) BLOCK + 31 - __clz ((int) ends);
    block = block > 0 ? block_to_west<LABELS> (f, level, block - 1, y, hole) : -1;
    sought = ~0u;
  }
  return -1;
}

/* The first corner of the contour whose line of LEVEL_INDEX runs between vertices (X, Y) and (X, Y + 1). It is followed up to its next
 * corner in the tile, or to where it enters or leaves the tile. */
template <bool LABELS>
__device__ inline uint32_t
start_of_line_at (const CracksKernelArgs &f, uint32_t level_index, uint32_t x, uint32_t y)
{
  constexpr uint32_t AT_ONCE = 4; /* vertices */
  const bool equal = by_equal<LABELS> (f);
  const Level level (level_index, equal);
  const auto *pixels = pixels_of<LABELS> (f);
  const size_t stride = f.by_pixel.stride;
  const auto *right = pixels + y * stride + x; /* of the line */
  const bool left_in = x > 0 && level.has (right[-1]);
  uint32_t left = y % VERTEX_TILE + 1, turns = 0; /* vertices to look at, which of them turn the line */
  for (;;) {
#pragma unroll
    for (uint32_t k = 0; k < AT_ONCE; k++) {
      uint32_t upper_left = 0, upper_right = 0;
      if (y > k) {
        right -= stride;
        upper_right = *right;
        if (x > 0)
          upper_left = right[-1];
      }
      turns |= level.has (upper_left) != left_in || level.has (upper_right) == left_in ? 1u << k : 0;
    }
    turns &= (1u << min (left, AT_ONCE)) - 1;
    if (turns || left <= AT_ONCE)
      break;
    y -= AT_ONCE;
    left -= AT_ONCE;
  }
  if (!turns) { /* at the tile's upper end */
    y = y / VERTEX_TILE * VERTEX_TILE;
    const uint32_t before = crossings_before (
        index_at<LABELS> (f, (int) x - 1, (int) y - 1), index_at<LABELS> (f, x, (int) y - 1), level_index, equal);
    return f.ranking.views[f.by_vertex.passage[(size_t) y / VERTEX_TILE * f.by_vertex.stride + x] + before].key;
  }
  y -= __ffs ((int) turns) - 1;
  const Around around = Around::vertex<LABELS> (f, x, y);
  const uint32_t mask = around.mask (level_index, equal);
  /* Where two lines turn, the one with the southern arm may be the second. */
  const bool second = mask == MASK_ACROSS ? !f.four_connected : mask == MASK_ALONG && f.four_connected;
  return start_of_ring (f, f.by_vertex.first_corner[(size_t) y * f.by_vertex.stride + x]
                               + around.corners_before (level_index, equal) + second);
}

} // namespace

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Squared Euclidean distances to the background (core/foreground/split.h).
 *
 *   columns kernel   Finds the distance within the column. A warp turns 32 x 32 pixels, so that each lane has a column as a word.
 *   rows kernel      Finds the distance. A thread walks away from its pixel to both sides, as far as a column may be nearer than
 *                    what it has found. From 32 pixels on it passes over words whose columns are all too far away.
 *
 * Pixels of parts as usual take about two steps for each pixel of their distance. A pixel never takes more than one for each
 * pixel of the row. */
#include "cuda/foreground/split.cuh"

namespace
{

/* Lane I's bit J becomes lane J's bit I. */
__device__ inline uint32_t
turn (uint32_t word)
{
  const uint32_t lane = threadIdx.x % 32;
  uint32_t low = 0x0000ffff;
#pragma unroll
  for (uint32_t side = 16; side > 0; side /= 2) {
    const uint32_t other = __shfl_xor_sync (~0u, word, side);
    word = lane & side ? (word & ~low) | (other >> side & low) : (word & low) | (other << side & ~low);
    low ^= low << (side / 2);
  }
  return word;
}

/* The least of the warp's numbers. */
__device__ inline uint32_t
least_of_warp (uint32_t number)
{
#if __CUDA_ARCH__ >= 800
  return __reduce_min_sync (~0u, number);
#else
  for (int lanes = 16; lanes > 0; lanes /= 2)
    number = min (number, __shfl_xor_sync (~0u, number, lanes));
  return number;
#endif
}

/* The image, or a region of the atlas. */
struct SplitPart {
  uint32_t top; /* in the atlas */
  uint32_t width, height;

  /* The pixels of word X of a row that are in it. */
  __device__ uint32_t
  inside (uint32_t x) const
  {
    if (SPLIT_WORD * x >= width)
      return 0;
    const uint32_t rest = width - SPLIT_WORD * x;
    return rest >= SPLIT_WORD ? ~0u : (1u << rest) - 1;
  }
};

__device__ inline SplitPart
part_of_region (const CtrAtlasRegion &region)
{
  return {region.top, region.width, region.height};
}

/* The background of rows 32 * BAND to 32 * BAND + 31 of PART in the column of the lane, of word X. Outside is none. */
__device__ inline uint32_t
load_column (const SplitArgs &f, const SplitPart &part, uint32_t x, uint32_t band)
{
  const uint32_t y = SPLIT_WORD * band + threadIdx.x % 32;
  return turn (y < part.height ? ~f.mask[(size_t) (part.top + y) * f.mask_stride + x] & part.inside (x) : 0);
}

template <bool ATLAS>
__global__ void
__launch_bounds__ (SPLIT_WORD *SPLIT_WARPS) columns_kernel (const __grid_constant__ SplitArgs f, uint32_t all_bands)
{
  const SplitWord word (f.words);
  const uint32_t lane = word.lane, x = word.x;
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  if (word.y >= all_bands)
    return;
  SplitPart part = {0, f.split.width, f.split.height};
  uint32_t band = word.y;
  if (ATLAS) {
    const uint32_t region = region_of_tile_row (f.places, f.regions, band, SPLIT_WORD);
    band -= region_tile_row (f.places, region, SPLIT_WORD);
    part = part_of_region (f.places[region]);
  }
  const uint32_t bands = ctr_div_up (part.height, SPLIT_WORD);
  if (band >= bands)
    return;
  const bool inside = part.inside (x) >> lane & 1;
  const uint32_t background = load_column (f, part, x, band);
  uint32_t above = SPLIT_NONE, below = SPLIT_NONE; /* from the rows beside the band on */
  bool looks = inside && !(background & 1);
#pragma unroll 1
  for (uint32_t i = 1; i <= band && __any_sync (~0u, looks); i++) {
    const uint32_t found = load_column (f, part, x, band - i);
    if (looks && found) {
      above = SPLIT_WORD * (i - 1) + __clz (found);
      looks = false;
    }
  }
  looks = inside && !(background >> 31);
#pragma unroll 1
  for (uint32_t i = 1; band + i < bands && __any_sync (~0u, looks); i++) {
    const uint32_t found = load_column (f, part, x, band + i);
    if (looks && found) {
      below = SPLIT_WORD * (i - 1) + __ffs (found) - 1;
      looks = false;
    }
  }
  const uint32_t rows = min (SPLIT_WORD, part.height - SPLIT_WORD * band), first = part.top + SPLIT_WORD * band;
  uint16_t *to = f.columns + (size_t) first * f.split.stride + SPLIT_WORD * x + lane;
  uint32_t least = SPLIT_NONE;
#pragma unroll 4
  for (uint32_t row = 0; row < rows; row++, to += f.split.stride) {
    const uint32_t upwards = background << (31 - row), downwards = background >> row;
    const uint32_t up = upwards ? (uint32_t) __clz (upwards) : above < SPLIT_NONE ? above + row + 1 : SPLIT_NONE;
    const uint32_t down = downwards            ? (uint32_t) __ffs (downwards) - 1
                          : below < SPLIT_NONE ? below + SPLIT_WORD - row
                                               : SPLIT_NONE;
    const uint32_t nearest = min (up, down), least_of_row = least_of_warp (nearest);
    *to = (uint16_t) nearest;
    if (lane == row)
      least = least_of_row;
  }
  if (lane < rows)
    f.least_columns[(size_t) (first + lane) * f.words + x] = (uint16_t) least;
}

/* The distance by a column that is ASIDE pixels away, where the background is COLUMN pixels away, if less than FOUND. */
__device__ inline uint32_t
nearer (uint32_t found, uint32_t aside, uint32_t column)
{
  const uint32_t along = aside * aside, distance = along + column * column;
  return column < SPLIT_NONE && distance >= along ? min (found, distance) : found;
}

/* Walks over the WORDS of a row farther and farther away from that with pixel X. */
__device__ inline uint32_t
search_words (uint32_t words, const uint16_t *row, const uint16_t *least, uint32_t x, uint32_t found)
{
  const uint32_t own = x / SPLIT_WORD;
  bool goes_on = true;
  for (uint32_t i = 1; goes_on; i++) {
    goes_on = false;
#pragma unroll
    for (int side = 0; side < 2; side++) {
      if (side ? own + i >= words : i > own)
        continue;
      const uint32_t word = side ? own + i : own - i, first = SPLIT_WORD * word;
      const uint32_t aside = side ? first - x : x - (first + SPLIT_WORD - 1);
      if ((uint64_t) aside * aside >= found)
        continue;
      goes_on = true;
      if (nearer (found, aside, least[word]) < found)
#pragma unroll 4
        for (uint32_t k = 0; k < SPLIT_WORD; k++)
          found = nearer (found, side ? aside + k : aside + SPLIT_WORD - 1 - k, row[first + k]);
    }
  }
  return found;
}

/* The first warp writes zeros before the first row; that row, the ones behind the image, and the ends of rows are zeros, too, and all
 * that is beside the regions of an atlas. */
template <bool ATLAS>
__global__ void
__launch_bounds__ (SPLIT_WORD *SPLIT_WARPS) rows_kernel (const __grid_constant__ SplitArgs f)
{
  const uint32_t across = f.split.stride / SPLIT_WORD;
  const SplitWord word (across);
  const uint32_t number = word.number - 1, y = number / across - 1, x = number % across * SPLIT_WORD + word.lane;
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  if (word.number > (f.split.height + 2) * across)
    return;
  uint32_t *to = f.split.distances - f.split.stride - SPLIT_MARGIN + (size_t) word.number * SPLIT_WORD + word.lane;
  uint32_t found = 0;
  SplitPart part = {0, f.split.width, f.split.height};
  if (ATLAS)
    part = part_of_region (f.places[ctr_atlas_find (f.places, f.regions, y < f.split.height ? y : 0)]);
  if (word.number > 0 && y < f.split.height && y - part.top < part.height && x < part.width) {
    const uint16_t *row = f.columns + (size_t) y * f.split.stride;
    const uint32_t own = row[x];
    found = own < SPLIT_NONE ? own * own : CTR_SPLIT_FAR;
#pragma unroll 1
    for (uint32_t aside = 1; aside <= SPLIT_WORD && aside * aside < found; aside++) {
      const uint32_t before = x >= aside ? row[x - aside] : SPLIT_NONE;
      const uint32_t behind = x + aside < part.width ? row[x + aside] : SPLIT_NONE;
      found = nearer (found, aside, min (before, behind));
    }
    if (found > SPLIT_WORD * SPLIT_WORD)
      found = search_words (ctr_div_up (part.width, SPLIT_WORD), row, f.least_columns + (size_t) y * f.words, x, found);
  }
  *to = found;
}

} // namespace

void
split_queue_distances (const SplitArgs &f, const Atlas *atlas, bool overlap, cudaStream_t stream)
{
  const uint32_t bands =
      atlas ? region_tile_rows (atlas->places, f.regions, SPLIT_WORD) : ctr_div_up (f.split.height, SPLIT_WORD);
  const uint32_t across = f.split.stride / SPLIT_WORD;
  ctr_launch_overlapped (overlap, atlas ? columns_kernel<true> : columns_kernel<false>,
      ctr_div_up (bands * f.words, SPLIT_WARPS), SPLIT_WORD * SPLIT_WARPS, 0, stream, f, bands);
  split_launch (f, overlap, atlas ? rows_kernel<true> : rows_kernel<false>, (f.split.height + 2) * across + 1, stream);
}

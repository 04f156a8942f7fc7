/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The second pass: paints the pixels of marked tiles, and leaves tiles and ink clean. A lane of a warp has a block of 4 x 2
 * pixels of the tile. Nearly always one shape covers what is painted of a block: a lane finds the colour of a word once,
 * and paints all pixels that have this word. */
#include "cuda/paint/device_state.cuh"

namespace
{

constexpr uint32_t THREADS = 128, WARPS = THREADS / 32;
constexpr uint32_t FEW_CTAS = 1024; /* a large GPU runs them all at once */
constexpr uint32_t ACROSS = 4, DOWN = 2, BLOCK = ACROSS * DOWN, BLOCKS_ACROSS = CTR_PAINT_TILE_WIDTH / ACROSS;

static_assert (CTR_MAX_SIDE / CTR_PAINT_TILE_HEIGHT < 1 << 16, "the place of a tile has 16 bits each way");
static_assert (CTR_PAINT_TILE_PIXELS == 32 * BLOCK, "a lane a block");
static_assert (sizeof (uint4) == ACROSS * sizeof (uint32_t), "a row of a block is one load");
static_assert (sizeof (CtrPaintColour) == sizeof (uint4), "a colour is one load");

/* What the compiler knows of a picture. */
enum Form {
  FORM_ANY,
  FORM_TRANSPARENT, /* on a transparent background */
  FORM_SEMIPLANAR /* a plane with component 0 of each pixel, and one with 1 and 2 of 2 x 2 pixels: NV12, NV21, P010, … */
};

/* How the pixels of one word are painted. */
struct Paint {
  uint2 colour; /* four samples of 16 bits each, letters included */
  uint32_t alpha;
};

/* Mixes two samples. */
__device__ uint32_t
mix_pair (uint32_t below, uint32_t above, uint32_t alpha)
{
  return ctr_paint_mix (below & 0xffff, above & 0xffff, alpha) | ctr_paint_mix (below >> 16, above >> 16, alpha) << 16;
}

__device__ Paint
find_paint (const CtrPaintTarget &target, uint32_t word)
{
  const uint4 found = __ldg ((const uint4 *) target.colours + (word & 255)); /* shape, text */
  const uint32_t coverage = word >> 8 & 255;
  Paint paint = {make_uint2 (found.x, found.y), target.alphas[(word >> 26) - 1]};
  if (coverage > 0)
    paint.colour = make_uint2 (mix_pair (found.x, found.z, coverage), mix_pair (found.y, found.w, coverage));
  return paint;
}

/* COMPONENT of a colour. */
template <Form FORM, uint32_t SAMPLES>
__device__ uint32_t
find_sample (const Paint &paint, int component)
{
  if (FORM == FORM_SEMIPLANAR && SAMPLES == 1) /* It is 0, */
    return paint.colour.x & 0xffff;
  if (FORM == FORM_SEMIPLANAR) /* 1 or 2. */
    return component == 1 ? paint.colour.x >> 16 : paint.colour.y & 0xffff;
  const uint32_t pair = component < 2 ? paint.colour.x : paint.colour.y;
  return component % 2 ? pair >> 16 : pair & 0xffff;
}

/* Paints those pixels of a block whose bits are set in PAINTED, in PLANE, where the block's first pixel is X, Y. SAMPLES, and
 * with it X_SHIFT, are those of PLANE if the compiler knows them, otherwise 0. Subsampled pixels have the bits of every second or
 * fourth one. */
template <typename Sample, Form FORM, uint32_t SAMPLES, uint32_t X_SHIFT>
__device__ void
paint_plane (const CtrPaintTarget &target, const CtrPaintPlane &plane, const Paint &paint, uint32_t painted, uint32_t x,
    uint32_t y)
{
  const uint32_t samples = SAMPLES ? SAMPLES : plane.samples, x_shift = SAMPLES ? X_SHIFT : plane.x_shift;
  const uint32_t mask = target.picture.sample_mask;
  uint8_t *const first = (uint8_t *) plane.data + y * plane.stride + (size_t) x * samples * sizeof (Sample);
#pragma unroll(SAMPLES ? SAMPLES : 1)
  for (uint32_t i = 0; i < samples; i++) {
    const int component = plane.component[i];
    if (FORM != FORM_SEMIPLANAR && component < 0)
      continue;
    const uint32_t colour = find_sample<FORM, SAMPLES> (paint, component);
    const bool mixed = paint.alpha < 255 && !(FORM == FORM_TRANSPARENT && component < 3);
    Sample *row = (Sample *) first + i;
    for (uint32_t left = painted; left; left >>= ACROSS, row = (Sample *) ((uint8_t *) row + plane.stride)) {
      if (!mixed) {
#pragma unroll
        for (uint32_t j = 0; j < ACROSS; j++)
          if (j % (1u << X_SHIFT) == 0 && left >> j & 1)
            row[(j >> x_shift) * samples] = (Sample) (colour & mask);
        continue;
      }
      uint32_t below[ACROSS] = {};
#pragma unroll
      for (uint32_t j = 0; j < ACROSS; j++)
        if (j % (1u << X_SHIFT) == 0 && left >> j & 1)
          below[j] = row[(j >> x_shift) * samples];
#pragma unroll
      for (uint32_t j = 0; j < ACROSS; j++)
        if (j % (1u << X_SHIFT) == 0 && left >> j & 1)
          row[(j >> x_shift) * samples] = (Sample) (ctr_paint_mix (below[j], colour, paint.alpha) & mask);
    }
  }
}

__device__ bool
has_words (const uint32_t *words)
{
  uint32_t all = 0;
#pragma unroll
  for (uint32_t j = 0; j < BLOCK; j++)
    all |= words[j];
  return all != 0;
}

/* Returns the highest word of a block. *PAINTED: which pixels have it, a bit each; they become 0. */
__device__ uint32_t
take_highest (uint32_t *words, uint32_t *painted)
{
  uint32_t highest = 0;
#pragma unroll
  for (uint32_t j = 0; j < BLOCK; j++)
    highest = max (highest, words[j]);
  *painted = 0;
#pragma unroll
  for (uint32_t j = 0; j < BLOCK; j++)
    if (words[j] == highest) {
      *painted |= 1u << j;
      words[j] = 0;
    }
  return highest;
}

/* Which pixels of planes subsampled by these shifts cover a pixel of PIXELS, a bit each: that of the upper left pixel under it. */
__device__ uint32_t
cover (uint32_t x_shift, uint32_t y_shift, uint32_t pixels)
{
  if (y_shift > 0)
    pixels = (pixels | pixels >> ACROSS) & 0x0f;
  if (x_shift > 0)
    pixels = (pixels | pixels >> 1) & 0x55;
  if (x_shift > 1)
    pixels = (pixels | pixels >> 2) & 0x11;
  return pixels;
}

/* A subsampled pixel four rows high is that of two lanes. Returns which ones the other lane paints. The whole warp calls it. */
__device__ uint32_t
find_foreign (const CtrPaintTarget &target, const uint32_t *words)
{
  const uint32_t half = BLOCKS_ACROSS; /* from a lane's block to the one below */
  const bool lower = threadIdx.x & half;
  uint32_t highest[ACROSS], foreign = 0;
#pragma unroll
  for (uint32_t j = 0; j < ACROSS; j++)
    highest[j] = max (words[j], words[j + ACROSS]);
  for (uint32_t d = 1; d < 1u << target.x_shift; d *= 2) {
#pragma unroll
    for (uint32_t j = 0; j < ACROSS; j++)
      highest[j] = max (highest[j], highest[j ^ d]);
  }
#pragma unroll
  for (uint32_t j = 0; j < ACROSS; j++) {
    const uint32_t other = __shfl_xor_sync (~0u, highest[j], half);
    if (other > highest[j] || (lower && other == highest[j]))
      foreign |= 1u << j;
  }
  return foreign;
}

/* Paints the pixels PAINTED of the block X, Y, and the pixels COVERED of subsampled planes. */
template <typename Sample, Form FORM>
__device__ void
paint_planes (
    const CtrPaintTarget &target, const Paint &paint, uint32_t painted, uint32_t covered, uint32_t x, uint32_t y)
{
  const CtrPaintPlane *const planes = target.picture.planes;
  if constexpr (FORM == FORM_SEMIPLANAR) {
    paint_plane<Sample, FORM, 1, 0> (target, planes[0], paint, painted, x, y);
    paint_plane<Sample, FORM, 2, 1> (target, planes[1], paint, covered, x / 2, y / 2);
  } else {
    for (uint32_t p = 0; p < target.picture.plane_count; p++)
      paint_plane<Sample, FORM, 0, 0> (target, planes[p], paint,
          ctr_paint_is_subsampled (&planes[p]) ? covered : painted, x >> planes[p].x_shift, y >> planes[p].y_shift);
  }
}

/* Paints the block X, Y of a tile's pixels. A subsampled pixel has the highest word of those under it. The first word that
 * covers it is that, as words come from the highest to the lowest. DONE: the subsampled pixels that are not to be painted. */
template <typename Sample, Form FORM>
__device__ void
paint_block (const CtrPaintTarget &target, uint32_t *words, uint32_t done, uint32_t x, uint32_t y)
{
  const uint32_t x_shift = FORM == FORM_SEMIPLANAR ? 1 : target.x_shift;
  const uint32_t y_shift = FORM == FORM_SEMIPLANAR ? 1 : target.y_shift;
  while (has_words (words)) {
    uint32_t painted;
    const uint32_t word = take_highest (words, &painted);
    const uint32_t covered = cover (x_shift, y_shift, painted) & ~done;
    done |= covered;
    paint_planes<Sample, FORM> (target, find_paint (target, word), painted, covered, x, y);
  }
}

/* Takes the words of this lane's block out of the ink of TILE. */
__device__ void
take_words (const CtrPaintTarget &target, uint32_t tile, uint32_t *words)
{
  const uint32_t lane = threadIdx.x % 32;
  uint4 *const ink = (uint4 *) (target.ink[0] + (size_t) tile * CTR_PAINT_TILE_PIXELS)
                     + lane / BLOCKS_ACROSS * DOWN * BLOCKS_ACROSS + lane % BLOCKS_ACROSS;
  uint4 rows[DOWN];
#pragma unroll
  for (uint32_t j = 0; j < DOWN; j++)
    rows[j] = ink[j * BLOCKS_ACROSS];
#pragma unroll
  for (uint32_t j = 0; j < DOWN; j++) {
    words[ACROSS * j] = rows[j].x;
    words[ACROSS * j + 1] = rows[j].y;
    words[ACROSS * j + 2] = rows[j].z;
    words[ACROSS * j + 3] = rows[j].w;
    if (rows[j].x | rows[j].y | rows[j].z | rows[j].w)
      ink[j * BLOCKS_ACROSS] = make_uint4 (0, 0, 0, 0);
  }
}

/* Blocks that a warp has yet to paint, in shared memory: few blocks of a tile have something to paint, so a warp collects those of
 * several tiles, and each lane paints one. */
struct Blocks {
  uint4 rows[2 * 32][DOWN]; /* 31 that were left, and those of a tile */
  uint2 places[2 * 32];     /* of the first pixel, 16 bits each way; which subsampled pixels another lane paints */
};

/* Adds the blocks of TILE, whose first pixel is X, Y, to COUNT others. Returns how many there are then. The whole warp calls it. */
template <Form FORM>
__device__ uint32_t
collect_blocks (const CtrPaintTarget &target, uint32_t tile, uint32_t x, uint32_t y, Blocks *blocks, uint32_t count)
{
  const uint32_t lane = threadIdx.x % 32;
  uint32_t words[BLOCK];
  take_words (target, tile, words);
  const uint32_t foreign = FORM != FORM_SEMIPLANAR && target.y_shift > 1 ? find_foreign (target, words) : 0;
  const bool painted = has_words (words);
  const uint32_t all = __ballot_sync (~0u, painted);
  if (painted) {
    const uint32_t i = count + (uint32_t) __popc (all & ((1u << lane) - 1));
#pragma unroll
    for (uint32_t j = 0; j < DOWN; j++)
      blocks->rows[i][j] =
          make_uint4 (words[ACROSS * j], words[ACROSS * j + 1], words[ACROSS * j + 2], words[ACROSS * j + 3]);
    blocks->places[i] =
        make_uint2 ((x + lane % BLOCKS_ACROSS * ACROSS) | (y + lane / BLOCKS_ACROSS * DOWN) << 16, foreign);
  }
  return count + (uint32_t) __popc (all);
}

/* Paints the last 32 of COUNT blocks, or all. Returns how many are left. The whole warp calls it. */
template <typename Sample, Form FORM>
__device__ uint32_t
paint_blocks (const CtrPaintTarget &target, const Blocks *blocks, uint32_t count)
{
  const uint32_t lane = threadIdx.x % 32, left = count > 32 ? count - 32 : 0;
  uint32_t words[BLOCK] = {};
  uint2 place = make_uint2 (0, 0);
  __syncwarp ();
  if (left + lane < count) {
#pragma unroll
    for (uint32_t j = 0; j < DOWN; j++) {
      const uint4 row = blocks->rows[left + lane][j];
      words[ACROSS * j] = row.x;
      words[ACROSS * j + 1] = row.y;
      words[ACROSS * j + 2] = row.z;
      words[ACROSS * j + 3] = row.w;
    }
    place = blocks->places[left + lane];
  }
  __syncwarp (); /* Other blocks may take their place. */
  paint_block<Sample, FORM> (target, words, place.y, place.x & 0xffff, place.x >> 16);
  return left;
}

/* The tiles of a CTA, at most one a lane, lie far apart, so that all CTAs have about as many marked ones. Its warps take those
 * in turn. */
template <typename Sample, Form FORM>
__global__ void
__launch_bounds__ (THREADS, 8) blend_kernel (const __grid_constant__ CtrPaintTarget target, uint32_t tiles)
{
  __shared__ Blocks blocks[WARPS];
  const uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32, tile = blockIdx.x + lane * gridDim.x;
  const uint32_t place = tile % target.tiles_across | tile / target.tiles_across << 16;
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  const bool marked = tile < tiles && target.tiles[tile];
  uint32_t left = __ballot_sync (~0u, marked);
  if (left == 0)
    return;
  __syncthreads (); /* All warps have read the marks. */
  if (warp == 0 && marked)
    target.tiles[tile] = 0;
  for (uint32_t i = 0; i < warp; i++)
    left &= left - 1;
  uint32_t count = 0;
  while (left || count > 0) {
    while (left && count < 32) {
      const uint32_t next = (uint32_t) __ffs ((int) left) - 1, at = __shfl_sync (~0u, place, next);
      count = collect_blocks<FORM> (target, blockIdx.x + next * gridDim.x, (at & 0xffff) * CTR_PAINT_TILE_WIDTH,
          (at >> 16) * CTR_PAINT_TILE_HEIGHT, &blocks[warp], count);
#pragma unroll
      for (uint32_t i = 0; i < WARPS; i++)
        left &= left - 1;
    }
    count = paint_blocks<Sample, FORM> (target, &blocks[warp], count);
  }
}

bool
is_semiplanar (const CtrPaintPicture &picture)
{
  const CtrPaintPlane &first = picture.planes[0], &second = picture.planes[1];
  return picture.plane_count == 2 && first.samples == 1 && !ctr_paint_is_subsampled (&first) && second.samples == 2
         && second.x_shift == 1 && second.y_shift == 1 && first.component[0] == 0 && second.component[0] >= 1
         && second.component[0] + second.component[1] == 3 && second.component[1] >= 1;
}

template <Form FORM>
void
launch (const CtrPaintTarget &target, const CudaSession &session)
{
  const uint32_t tiles = paint_tile_count (target);
  const uint32_t share = max (WARPS, min (32u, ctr_div_up (tiles, FEW_CTAS)));
  const auto kernel = target.picture.sample_size == 1 ? blend_kernel<uint8_t, FORM> : blend_kernel<uint16_t, FORM>;
  ctr_launch_overlapped (
      session.overlap, kernel, dim3 (ctr_div_up (tiles, share)), dim3 (THREADS), 0, session.stream, target, tiles);
}

} // namespace

void
paint_launch_blend (const CtrPaintTarget &target, const CudaSession &session)
{
  if (target.picture.background == CTR_BACKGROUND_TRANSPARENT)
    launch<FORM_TRANSPARENT> (target, session);
  else if (is_semiplanar (target.picture))
    launch<FORM_SEMIPLANAR> (target, session);
  else
    launch<FORM_ANY> (target, session);
}

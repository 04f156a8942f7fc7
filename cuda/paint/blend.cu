/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The second pass: paints the pixels of marked tiles, and leaves tiles and ink clean. A lane of a warp has a block of 4 x 2
 * pixels of a tile. Nearly always one shape covers what is painted of a block: a lane finds the colour of a word once,
 * and paints all pixels that have this word. */
#include "cuda/paint/device_state.cuh"

namespace
{

constexpr uint32_t THREADS = 128, WARPS = THREADS / 32;
constexpr uint32_t FEW_CTAS = 1024; /* a large GPU runs them all at once */
constexpr uint32_t ACROSS = 4, DOWN = 2, BLOCK = ACROSS * DOWN;
constexpr uint32_t BLOCKS = CTR_PAINT_TILE_PIXELS / BLOCK, AT_ONCE = 32 / BLOCKS; /* of a tile; tiles of a warp */
constexpr uint32_t MARKS = 2;                                                     /* that a thread loads */
constexpr uint32_t THREADS_OF_GROUP = PAINT_TILE_GROUP / MARKS, MOST_GROUPS = THREADS / THREADS_OF_GROUP;

static_assert (CTR_MAX_SIDE / CTR_PAINT_TILE_HEIGHT < 1 << 16, "the place of a tile has 16 bits each way");
static_assert (CTR_PAINT_TILE_WIDTH == 2 * ACROSS && CTR_PAINT_TILE_HEIGHT == 2 * DOWN, "the order of blocks");
static_assert (sizeof (uint4) == ACROSS * sizeof (uint32_t), "a row of a block is one load");
static_assert (sizeof (CtrPaintColour) == sizeof (uint4), "a colour is one load");

/* What the compiler knows of a picture. In the latter two, rows of a block are aligned, so that a thread stores neighbouring samples
 * together: a store takes the memory as long whatever its size. */
enum Form {
  FORM_ANY,
  FORM_SEMIPLANAR, /* a plane with component 0 of each pixel, and one with 1 and 2 of 2 x 2 pixels: NV12, NV21, P010, … */
  FORM_PACKED      /* a plane with words of four components of 8 bits: RGBA, BGRA, … */
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
__device__ uint32_t
find_sample (const Paint &paint, int component)
{
  const uint32_t pair = component < 2 ? paint.colour.x : paint.colour.y;
  return component % 2 ? pair >> 16 : pair & 0xffff;
}

/* Paints those pixels of a block whose bits are set in PAINTED, in PLANE, where the block's first pixel is X, Y. Subsampled
 * pixels have the bits of every second or fourth one. */
template <typename Sample>
__device__ void
paint_plane (const CtrPaintTarget &target, const CtrPaintPlane &plane, const Paint &paint, uint32_t painted, uint32_t x,
    uint32_t y)
{
  const uint32_t samples = plane.samples, mask = target.picture.sample_mask;
  uint8_t *const first = (uint8_t *) plane.data + y * plane.stride + (size_t) x * samples * sizeof (Sample);
  for (uint32_t i = 0; i < samples; i++) {
    const int component = plane.component[i];
    if (component < 0)
      continue;
    const uint32_t colour = find_sample (paint, component);
    const bool mixed = paint.alpha < 255 && !ctr_paint_is_unmixed (&target.picture, component);
    Sample *row = (Sample *) first + i;
    for (uint32_t left = painted; left; left >>= ACROSS, row = (Sample *) ((uint8_t *) row + plane.stride)) {
      if (!mixed) {
#pragma unroll
        for (uint32_t j = 0; j < ACROSS; j++)
          if (left >> j & 1)
            row[(j >> plane.x_shift) * samples] = (Sample) (colour & mask);
        continue;
      }
      uint32_t below[ACROSS] = {};
#pragma unroll
      for (uint32_t j = 0; j < ACROSS; j++)
        if (left >> j & 1)
          below[j] = row[(j >> plane.x_shift) * samples];
#pragma unroll
      for (uint32_t j = 0; j < ACROSS; j++)
        if (left >> j & 1)
          row[(j >> plane.x_shift) * samples] = (Sample) (ctr_paint_mix (below[j], colour, paint.alpha) & mask);
    }
  }
}

/* Four neighbouring samples, or packed pixels; pairs of them, and all at once. */
template <typename Sample, typename Pair, typename All> union RowOf {
  Sample samples[ACROSS];
  Pair pairs[2];
  All all;
};
template <typename Sample> struct RowTypes;
template <> struct RowTypes<uint8_t> {
  typedef RowOf<uint8_t, uint16_t, uint32_t> Row;
};
template <> struct RowTypes<uint16_t> {
  typedef RowOf<uint16_t, uint32_t, uint2> Row;
};
template <> struct RowTypes<uint32_t> {
  typedef RowOf<uint32_t, uint2, uint4> Row;
};

/* Copies those samples whose bits are set in WHICH: neighbours together, and no others, of which there may be none in memory. */
template <typename Row>
__device__ void
copy_row (Row *to, const Row *from, uint32_t which)
{
  if (which == 15) {
    to->all = from->all;
    return;
  }
#pragma unroll
  for (uint32_t i = 0; i < 2; i++, which >>= 2) {
    if ((which & 3) == 3)
      to->pairs[i] = from->pairs[i];
    if ((which & 3) == 1)
      to->samples[2 * i] = from->samples[2 * i];
    if ((which & 3) == 2)
      to->samples[2 * i + 1] = from->samples[2 * i + 1];
  }
}

/* Paints those samples of two rows whose bits are set in WHICH, in PLANE, from byte X of row Y on. MIXED: sample J becomes
 * VALUE (what it was, J), otherwise VALUE (0, J). */
template <typename Sample, typename Value>
__device__ void
paint_rows (const CtrPaintPlane &plane, uint32_t which, uint32_t x, uint32_t y, bool mixed, const Value &value)
{
  typedef typename RowTypes<Sample>::Row Row;
  uint8_t *at = (uint8_t *) plane.data + y * plane.stride + x;
  for (; which; which >>= ACROSS, at += plane.stride) {
    Row row = {};
    if (mixed)
      copy_row (&row, (const Row *) at, which & 15);
#pragma unroll
    for (uint32_t j = 0; j < ACROSS; j++)
      row.samples[j] = (Sample) value (row.samples[j], j);
    copy_row ((Row *) at, &row, which & 15);
  }
}

/* Paints pixels of a block, COVERED those of the subsampled plane. */
template <typename Sample>
__device__ void
paint_semiplanar (
    const CtrPaintTarget &target, const Paint &paint, uint32_t painted, uint32_t covered, uint32_t x, uint32_t y)
{
  const CtrPaintPlane *const planes = target.picture.planes;
  const uint32_t alpha = paint.alpha, mask = target.picture.sample_mask;
  const uint32_t luma = find_sample (paint, 0),
                 chroma[2] = {find_sample (paint, planes[1].component[0]), find_sample (paint, planes[1].component[1])};
  const bool mixed = alpha < 255;
  paint_rows<Sample> (planes[0], painted, x * (uint32_t) sizeof (Sample), y, mixed,
      [=] (uint32_t below, uint32_t) { return (mixed ? ctr_paint_mix (below, luma, alpha) : luma) & mask; });
  paint_rows<Sample> (
      planes[1], 3 * covered, x * (uint32_t) sizeof (Sample), y / 2, mixed, [&] (uint32_t below, uint32_t j) {
        return (mixed ? ctr_paint_mix (below, chroma[j % 2], alpha) : chroma[j % 2]) & mask;
      });
}

/* Paints pixels of a block whose pixels are words. */
__device__ void
paint_packed (const CtrPaintTarget &target, const Paint &paint, uint32_t painted, uint32_t x, uint32_t y)
{
  const CtrPaintPlane &plane = target.picture.planes[0];
  const uint32_t mask = target.picture.sample_mask & 255;
  uint32_t colours[4], alphas[4], word = 0;
  bool mixed = false;
#pragma unroll
  for (uint32_t i = 0; i < 4; i++) {
    colours[i] = find_sample (paint, plane.component[i]);
    alphas[i] = ctr_paint_is_unmixed (&target.picture, plane.component[i]) ? 255 : paint.alpha;
    word |= (colours[i] & mask) << 8 * i;
    mixed = mixed || alphas[i] < 255;
  }
  paint_rows<uint32_t> (plane, painted, 4 * x, y, mixed, [&] (uint32_t below, uint32_t) {
    uint32_t bytes = 0;
#pragma unroll
    for (uint32_t i = 0; i < 4; i++)
      bytes |= (ctr_paint_mix (below >> 8 * i & 255, colours[i], alphas[i]) & mask) << 8 * i;
    return mixed ? bytes : word;
  });
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
  const bool lower = threadIdx.x % 2; /* The lane before has the block above. */
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
    const uint32_t other = __shfl_xor_sync (~0u, highest[j], 1);
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
  if constexpr (FORM == FORM_SEMIPLANAR) {
    paint_semiplanar<Sample> (target, paint, painted, covered, x, y);
  } else if constexpr (FORM == FORM_PACKED) {
    paint_packed (target, paint, painted, x, y);
  } else {
    for (uint32_t p = 0; p < target.picture.plane_count; p++) {
      const CtrPaintPlane &plane = target.picture.planes[p];
      paint_plane<Sample> (target, plane, paint, ctr_paint_is_subsampled (&plane) ? covered : painted,
          x >> plane.x_shift, y >> plane.y_shift);
    }
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

/* Takes the words of BLOCK out of the ink. */
__device__ void
take_words (uint4 *block, uint32_t *words)
{
  uint4 rows[DOWN];
#pragma unroll
  for (uint32_t j = 0; j < DOWN; j++)
    rows[j] = block[j];
#pragma unroll
  for (uint32_t j = 0; j < DOWN; j++) {
    words[ACROSS * j] = rows[j].x;
    words[ACROSS * j + 1] = rows[j].y;
    words[ACROSS * j + 2] = rows[j].z;
    words[ACROSS * j + 3] = rows[j].w;
    if (rows[j].x | rows[j].y | rows[j].z | rows[j].w)
      block[j] = make_uint4 (0, 0, 0, 0);
  }
}

/* The marked tiles of a CTA, in any order. */
struct Tiles {
  uint32_t count;
  uint2 list[MOST_GROUPS * PAINT_TILE_GROUP]; /* number; column and row, 16 bits each */
};

/* Lists the marked ones of this thread's tiles, if they are THERE, and clears their marks. The FIRST is in column X and row Y. The
 * whole warp calls it. */
__device__ void
list_tiles (const CtrPaintTarget &target, uint32_t first, uint32_t x, uint32_t y, bool there, Tiles *tiles)
{
  const uint32_t lane = threadIdx.x % 32;
  uint16_t *const marks = (uint16_t *) (target.tiles + first);
  const uint32_t marked = there ? *marks : 0;
  if (marked)
    *marks = 0;
#pragma unroll
  for (uint32_t k = 0; k < MARKS; k++) {
    const bool own = marked >> 8 * k & 255;
    const uint32_t all = __ballot_sync (~0u, own);
    uint32_t begin = 0;
    if (all && lane == 0)
      begin = atomicAdd (&tiles->count, (uint32_t) __popc (all));
    begin = __shfl_sync (~0u, begin, 0);
    if (own)
      tiles->list[begin + (uint32_t) __popc (all & ((1u << lane) - 1))] =
          x + k < target.tiles_across ? make_uint2 (first + k, (x + k) | y << 16)
                                      : make_uint2 (first + k, (y + 1) << 16);
  }
}

/* The groups of tiles of a CTA lie far apart, so that all CTAs have about as many marked tiles. Warps take eight of those at once,
 * and each lane a block. */
template <typename Sample, Form FORM>
__global__ void
__launch_bounds__ (THREADS, 8) blend_kernel (const __grid_constant__ CtrPaintTarget target, uint32_t tile_count)
{
  __shared__ Tiles tiles;
  const uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32, block = lane % BLOCKS;
  const uint32_t group = blockIdx.x + threadIdx.x / THREADS_OF_GROUP * gridDim.x;
  const uint32_t first = group * PAINT_TILE_GROUP + threadIdx.x % THREADS_OF_GROUP * MARKS;
  const uint32_t x = first % target.tiles_across, y = first / target.tiles_across;
  if (threadIdx.x == 0)
    tiles.count = 0;
  __syncthreads ();
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  list_tiles (target, first, x, y, first < tile_count, &tiles);
  __syncthreads ();
  for (uint32_t i = warp * AT_ONCE; i < tiles.count; i += WARPS * AT_ONCE) {
    const uint32_t own = i + lane / BLOCKS;
    uint32_t words[BLOCK] = {}, place = 0;
    if (own < tiles.count) {
      const uint2 tile = tiles.list[own];
      place = tile.y;
      take_words ((uint4 *) (target.ink[0] + (size_t) tile.x * CTR_PAINT_TILE_PIXELS + block * BLOCK), words);
    }
    const uint32_t foreign = FORM == FORM_ANY && target.y_shift > 1 ? find_foreign (target, words) : 0;
    paint_block<Sample, FORM> (target, words, foreign, (place & 0xffff) * CTR_PAINT_TILE_WIDTH + block / 2 * ACROSS,
        (place >> 16) * CTR_PAINT_TILE_HEIGHT + block % 2 * DOWN);
  }
}

/* Do rows of a block begin at multiples of SIZE bytes? */
bool
is_aligned (const CtrPaintPlane &plane, size_t size)
{
  return ((uintptr_t) plane.data | plane.stride) % size == 0;
}

bool
is_semiplanar (const CtrPaintPicture &picture)
{
  const CtrPaintPlane &first = picture.planes[0], &second = picture.planes[1];
  const size_t size = ACROSS * picture.sample_size;
  return picture.plane_count == 2 && first.samples == 1 && !ctr_paint_is_subsampled (&first) && second.samples == 2
         && second.x_shift == 1 && second.y_shift == 1 && first.component[0] == 0 && second.component[0] >= 1
         && second.component[0] + second.component[1] == 3 && second.component[1] >= 1 && is_aligned (first, size)
         && is_aligned (second, size);
}

bool
is_packed (const CtrPaintPicture &picture)
{
  const CtrPaintPlane &plane = picture.planes[0];
  for (uint32_t i = 0; i < plane.samples; i++)
    if (plane.component[i] < 0)
      return false;
  return picture.plane_count == 1 && picture.sample_size == 1 && plane.samples == 4 && !ctr_paint_is_subsampled (&plane)
         && is_aligned (plane, ACROSS * sizeof (uint32_t));
}

template <typename Sample, Form FORM>
void
launch (const CtrPaintTarget &target, const CudaSession &session)
{
  const uint32_t tiles = paint_tile_count (target), groups = tiles / PAINT_TILE_GROUP;
  const uint32_t share = max (WARPS, min (MOST_GROUPS, ctr_div_up (groups, FEW_CTAS)));
  ctr_launch_overlapped (session.overlap, blend_kernel<Sample, FORM>, dim3 (ctr_div_up (groups, share)), dim3 (THREADS),
      0, session.stream, target, tiles);
}

} // namespace

void
paint_launch_blend (const CtrPaintTarget &target, const CudaSession &session)
{
  const bool bytes = target.picture.sample_size == 1;
  if (is_packed (target.picture))
    launch<uint8_t, FORM_PACKED> (target, session);
  else if (is_semiplanar (target.picture))
    bytes ? launch<uint8_t, FORM_SEMIPLANAR> (target, session) : launch<uint16_t, FORM_SEMIPLANAR> (target, session);
  else
    bytes ? launch<uint8_t, FORM_ANY> (target, session) : launch<uint16_t, FORM_ANY> (target, session);
}

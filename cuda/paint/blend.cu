/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The second pass: paints the pixels of marked tiles, and leaves tiles and ink clean. A lane of a warp has a column of
 * the tile. All loads of a step are independent of one another, because a warp waits long for each. */
#include "cuda/paint/device_state.cuh"

namespace
{

constexpr uint32_t THREADS = 128, WARPS = THREADS / 32, MAX_CTAS = 4096;
constexpr uint32_t ROWS = CTR_PAINT_TILE_HEIGHT;

static_assert (CTR_PAINT_TILE_WIDTH == 32, "a lane a column");
static_assert (sizeof (CtrPaintColour) == sizeof (uint4), "a colour is one load");

/* How the pixels of a lane are painted. */
struct Column {
  uint2 colours[ROWS];   /* four samples of 16 bits each, letters included */
  uint32_t alphas[ROWS]; /* 0: the pixel is not painted */
};

/* Mixes two samples. */
__device__ uint32_t
mix_pair (uint32_t below, uint32_t above, uint32_t alpha)
{
  return ctr_paint_mix (below & 0xffff, above & 0xffff, alpha) | ctr_paint_mix (below >> 16, above >> 16, alpha) << 16;
}

__device__ void
find_colours (const CtrPaintTarget &target, const uint32_t *words, Column *column)
{
  uint4 found[ROWS]; /* shape, text */
#pragma unroll
  for (uint32_t j = 0; j < ROWS; j++) {
    found[j] = make_uint4 (0, 0, 0, 0);
    column->alphas[j] = 0;
    if (words[j]) {
      found[j] = __ldg ((const uint4 *) target.colours + (words[j] & 255));
      column->alphas[j] = target.alphas[(words[j] >> 26) - 1];
    }
  }
#pragma unroll
  for (uint32_t j = 0; j < ROWS; j++) {
    const uint32_t coverage = words[j] >> 8 & 255;
    column->colours[j] = make_uint2 (found[j].x, found[j].y);
    if (coverage > 0)
      column->colours[j] =
          make_uint2 (mix_pair (found[j].x, found[j].z, coverage), mix_pair (found[j].y, found[j].w, coverage));
  }
}

/* Paints pixels X, Y .. Y + ROWS - 1 of PLANE. TRANSPARENT: the background is. */
template <typename Sample, bool TRANSPARENT>
__device__ void
paint_plane (const CtrPaintTarget &target, const CtrPaintPlane &plane, const Column &column, uint32_t x, uint32_t y)
{
  uint8_t *const pixels = (uint8_t *) plane.data + y * plane.stride;
  for (uint32_t i = 0; i < plane.samples; i++) {
    const int component = plane.component[i];
    const size_t offset = ((size_t) x * plane.samples + i) * sizeof (Sample);
    uint32_t below[ROWS];
    if (component < 0)
      continue;
    const bool unmixed = TRANSPARENT && component < 3;
#pragma unroll
    for (uint32_t j = 0; j < ROWS; j++) {
      const bool shows_through = column.alphas[j] - 1 < 254 && !unmixed;
      below[j] = 0;
      if (shows_through)
        below[j] = *(const Sample *) (pixels + j * plane.stride + offset);
    }
#pragma unroll
    for (uint32_t j = 0; j < ROWS; j++) {
      const uint32_t pair = component < 2 ? column.colours[j].x : column.colours[j].y;
      const uint32_t colour = component % 2 ? pair >> 16 : pair & 0xffff;
      if (column.alphas[j] > 0)
        *(Sample *) (pixels + j * plane.stride + offset) =
            (Sample) (ctr_paint_mix (below[j], colour, unmixed ? 255 : column.alphas[j]) & target.picture.sample_mask);
    }
  }
}

/* Leaves half as many rows, each the maximum of two. */
__device__ void
fold_rows (uint32_t *words)
{
#pragma unroll
  for (uint32_t j = 0; j < ROWS; j++)
    words[j] = j < ROWS / 2 ? max (words[2 * j], words[2 * j + 1]) : 0;
}

/* Turns the words of a tile into those of a subsampled plane: each is the highest word of the pixels that it covers. The
 * first of the lanes that share a pixel gets its word, the others 0. */
__device__ void
subsample (const CtrPaintTarget &target, uint32_t *words)
{
  const uint32_t lanes = 1u << target.x_shift;
  if (target.y_shift > 0)
    fold_rows (words);
  if (target.y_shift > 1)
    fold_rows (words);
  for (uint32_t d = 1; d < lanes; d *= 2) {
#pragma unroll
    for (uint32_t j = 0; j < ROWS; j++)
      words[j] = max (words[j], __shfl_xor_sync (~0u, words[j], d));
  }
#pragma unroll
  for (uint32_t j = 0; j < ROWS; j++)
    words[j] = threadIdx.x % lanes == 0 ? words[j] : 0;
}

/* Takes the words of this lane's column out of the ink of TILE. */
__device__ void
take_words (const CtrPaintTarget &target, uint32_t tile, uint32_t *words)
{
  uint32_t *const ink = target.ink[0] + (size_t) tile * CTR_PAINT_TILE_PIXELS + threadIdx.x % 32;
#pragma unroll
  for (uint32_t j = 0; j < ROWS; j++)
    words[j] = ink[j * CTR_PAINT_TILE_WIDTH];
#pragma unroll
  for (uint32_t j = 0; j < ROWS; j++)
    if (words[j])
      ink[j * CTR_PAINT_TILE_WIDTH] = 0;
}

/* Paints the pixels of TILE in all planes. */
template <typename Sample, bool TRANSPARENT>
__device__ void
paint_tile (const CtrPaintTarget &target, uint32_t tile)
{
  const uint32_t x = tile % target.tiles_across * CTR_PAINT_TILE_WIDTH + threadIdx.x % 32;
  const uint32_t y = tile / target.tiles_across * CTR_PAINT_TILE_HEIGHT;
  const bool has_subsampled = target.x_shift > 0 || target.y_shift > 0;
  uint32_t words[ROWS];
  Column column;
  take_words (target, tile, words);
#pragma unroll 1
  for (int subsampled = 0; subsampled <= (int) has_subsampled; subsampled++) {
    if (subsampled)
      subsample (target, words);
    find_colours (target, words, &column);
    for (uint32_t p = 0; p < target.picture.plane_count; p++) {
      const CtrPaintPlane &plane = target.picture.planes[p];
      if (ctr_paint_is_subsampled (&plane) == (subsampled > 0))
        paint_plane<Sample, TRANSPARENT> (target, plane, column, x >> plane.x_shift, y >> plane.y_shift);
    }
  }
}

template <typename Sample, bool TRANSPARENT>
__global__ void
__launch_bounds__ (THREADS) blend_kernel (const __grid_constant__ CtrPaintTarget target, uint32_t tiles)
{
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  for (uint32_t tile = blockIdx.x * WARPS + threadIdx.x / 32; tile < tiles; tile += gridDim.x * WARPS) {
    const bool marked = target.tiles[tile];
    __syncwarp ();
    if (!marked)
      continue;
    if (threadIdx.x % 32 == 0)
      target.tiles[tile] = 0;
    paint_tile<Sample, TRANSPARENT> (target, tile);
  }
}

template <bool TRANSPARENT>
void
launch (const CtrPaintTarget &target, const CudaSession &session)
{
  const uint32_t tiles = paint_tile_count (target), ctas = ctr_div_up (tiles, WARPS);
  const auto kernel =
      target.picture.sample_size == 1 ? blend_kernel<uint8_t, TRANSPARENT> : blend_kernel<uint16_t, TRANSPARENT>;
  ctr_launch_overlapped (session.overlap, kernel, dim3 (ctas < MAX_CTAS ? ctas : MAX_CTAS), dim3 (THREADS), 0,
      session.stream, target, tiles);
}

} // namespace

void
paint_launch_blend (const CtrPaintTarget &target, const CudaSession &session)
{
  if (target.picture.background == CTR_BACKGROUND_TRANSPARENT)
    launch<true> (target, session);
  else
    launch<false> (target, session);
}

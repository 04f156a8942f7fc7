/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Steps of the tile kernels of Canny for 8-bit samples, by all threads of a CTA. */
#ifndef CTR_CUDA_CANNY_TILE_CUH
#define CTR_CUDA_CANNY_TILE_CUH

#include "cuda/canny/gradient.cuh"
#include "cuda/canny/maxima.cuh"
#include "cuda/canny/tile_edges.cuh"

namespace
{

/* Rows of blurred samples of a tile. canny_tile_height() chooses among the first four. */
constexpr int LARGE_ROWS = 112, TALL_ROWS = 96, MIDDLE_ROWS = 48, LOW_ROWS = 32, SOBEL_ROWS = 32;
constexpr int PAIRS_MARGIN = 2; /* rows of blurred samples above and below the tile, for aperture 3 */
constexpr int MOST_MARGIN = 4;  /* the same for aperture 7 */

/* RADIUS: of the Sobel operator of sobel_tile.cuh; 0: gradient.cuh has the gradients. IN_PLACE: the blurred samples lie where the
 * source samples were. */
template <int STEPS, int BLURRED_ROWS, int RADIUS, bool IN_PLACE = false> struct TileLayout {
  static constexpr bool BLURS_IN_PLACE = IN_PLACE;
  static constexpr int MARGIN = RADIUS ? RADIUS + 1 : PAIRS_MARGIN;
  static constexpr int ROWS = BLURRED_ROWS - 2 * MARGIN;
  static_assert (ROWS <= CANNY_MAX_H, "tile borders have room");
  static_assert (fits_run_fields (ROWS), "runs, components and words fit their fields");
  static_assert (!IN_PLACE || STEPS == 1, "otherwise a warp has no registers for two blocks");
  typedef SourceTile<STEPS, BLURRED_ROWS> Source;
  /* Shared memory holds the source samples and then the blurred ones. The candidates overwrite the source, because
   * blurred samples are still read while candidates are written; where both are in one place, they precede it. So they do where
   * magnitudes have overwritten the source. Runs overwrite the rest afterwards. */
  static constexpr int BITS = ROWS * CANNY_WORDS * 4;
  static constexpr int MAGNITUDES = RADIUS ? (ROWS + 2) * MAGNITUDE_STRIDE * 4 : 0, MAGNITUDES_BEGIN = 2 * BITS;
  static constexpr int SOURCE_BEGIN = IN_PLACE || RADIUS ? 2 * BITS : 0;
  static constexpr int LEAST = RADIUS ? MAGNITUDES : 2 * BITS; /* bytes of what overwrites the source */
  static constexpr int SOURCE = IN_PLACE || Source::BYTES > LEAST ? Source::BYTES : (LEAST + 15) / 16 * 16;
  static constexpr int STRIDE = IN_PLACE ? Source::STRIDE : BLURRED_STRIDE; /* of the blurred samples */
  static constexpr int BLURRED_BEGIN = IN_PLACE ? SOURCE_BEGIN : SOURCE_BEGIN + SOURCE;
  static constexpr int BLURRED = BLURRED_ROWS * STRIDE;
  static constexpr int SAMPLES_END = SOURCE_BEGIN + SOURCE + (IN_PLACE ? 0 : BLURRED);
  static constexpr int RUNS_END = run_bytes (ROWS);
  static constexpr int BYTES = SAMPLES_END > RUNS_END ? SAMPLES_END : RUNS_END;
};

/* Where a tile is. */
struct TilePlace {
  uint32_t number, tx, ty;
  int x, y;             /* of its first pixel */
  uint32_t rows;        /* inside the image */
  bool at_image_border; /* The tile or its surroundings reach beyond the image. */
  bool leaves_image;    /* Of the tile's columns, some pixels in its rows or in those above and below are outside. */
};

template <typename Layout>
__device__ inline TilePlace
place_of_tile (const CannyKernelArgs &f, uint32_t tile)
{
  TilePlace p;
  p.number = tile;
  p.ty = f.by_tiles_x.quotient_of (tile);
  p.tx = tile - p.ty * f.tiles_x;
  p.x = p.tx * CANNY_W;
  p.y = p.ty * f.tile_h;
  p.rows = min (f.tile_h, f.height - p.y);
  p.at_image_border = p.tx == 0 || p.ty == 0 || p.x + CANNY_W + MOST_MARGIN > (int) f.width
                      || p.y + Layout::ROWS + Layout::MARGIN > (int) f.height;
  p.leaves_image = p.ty == 0 || p.x + CANNY_W > (int) f.width || p.y + p.rows >= f.height;
  return p;
}

/* The rows of source samples that count for a tile: none beyond the radius of the blur, nor behind the tile's last row. */
template <typename Layout>
__device__ inline RowRange
wanted_rows (const CannyKernelArgs &f, const TilePlace &tile)
{
  constexpr int reach = Layout::Source::REACH;
  const int radius = (int) f.radius;
  return {reach - radius, reach + 2 * Layout::MARGIN + (int) tile.rows + radius};
}

/* Starts to load a tile of the image into SOURCE, in shared memory. */
template <typename Layout>
__device__ inline void
start_loading (const CannyKernelArgs &f, const TilePlace &tile, uint8_t *source)
{
  typedef typename Layout::Source Source;
  constexpr int first_rows = Layout::BLURS_IN_PLACE ? Source::FIRST_ROWS : Source::ROWS;
  load_grey<Source::REACH == 0, Source::STRIDE, Source::ROWS, first_rows> (
      f, tile.x - Source::LEFT, tile.y - Layout::MARGIN - Source::REACH, wanted_rows<Layout> (f, tile), source);
}

/* The tile is loaded behind the next barrier, or if it is blurred in place, as much of it as that begins with. */
template <typename Layout>
__device__ inline void
finish_loading (const CannyKernelArgs &f, const TilePlace &tile, uint8_t *source)
{
  typedef typename Layout::Source Source;
  constexpr bool replicate = Source::REACH == 0; /* there is no blur */
  finish_grey<replicate, replicate ? BLURRED_LEFT : Source::REACH, Source::STRIDE, Source::ROWS,
      Layout::BLURS_IN_PLACE> (f, tile.x - Source::LEFT, source);
}

/* Blurs SOURCE, which has been loaded, into BLURRED; they are one where Layout is in place. WEIGHTS: of tabulate_weights().
 * Ends with a barrier. */
template <int STEPS, int BLURRED_ROWS, typename Layout>
__device__ inline void
blur_loaded (
    const CannyKernelArgs &f, const TilePlace &tile, const uint32_t *weights, uint8_t *source, uint8_t *blurred)
{
  if constexpr (Layout::BLURS_IN_PLACE) {
    blur_in_place<BLURRED_ROWS> (weights, source);
  } else if constexpr (STEPS > 0) {
    blur<STEPS, BLURRED_ROWS> (weights, source, blurred);
  } else {
    copy_unblurred<BLURRED_ROWS> (source, blurred);
  }
  __syncthreads ();
  if (STEPS > 0 && tile.at_image_border) {
    replicate_image_border<BLURRED_ROWS, Layout::STRIDE> (f, tile.x - BLURRED_LEFT, tile.y - Layout::MARGIN, blurred);
    __syncthreads ();
  }
}

/* All three. */
template <int STEPS, int BLURRED_ROWS, typename Layout>
__device__ inline void
blur_tile (const CannyKernelArgs &f, const TilePlace &tile, const uint32_t *weights, uint8_t *source, uint8_t *blurred)
{
  start_loading<Layout> (f, tile, source);
  finish_loading<Layout> (f, tile, source);
  __syncthreads ();
  blur_loaded<STEPS, BLURRED_ROWS, Layout> (f, tile, weights, source, blurred);
}

/* The warp's share of a tile's ROWS rows, which are at most MOST_ROWS. */
struct WarpRows {
  int first, end;
};

template <int MOST_ROWS>
__device__ inline WarpRows
rows_of_warp (int rows)
{
  constexpr int warps = CANNY_THREADS / 32;
  static_assert ((MOST_ROWS + warps - 1) / warps + 2 <= BESIDE_ROWS, "a lane for each row's magnitude beside the tile");
  const int warp = (int) warp_index ();
  return {warp * rows / warps, (warp + 1) * rows / warps};
}

/* The candidates of a tile from its blurred samples, with aperture 3 and |dx| + |dy|. */
template <typename Layout>
__device__ inline void
find_tile_candidates (const CannyKernelArgs &f, const TilePlace &tile, const uint8_t *blurred, int low, int high,
    uint32_t *candidates, uint32_t *strong)
{
  const WarpRows rows = rows_of_warp<Layout::ROWS> ((int) tile.rows);
  if (rows.first < rows.end)
    find_candidates<Layout::STRIDE> (f, tile.at_image_border, tile.leaves_image, blurred, tile.x, tile.y, rows.first,
        rows.end, low, high, (uint8_t *) candidates, (uint8_t *) strong);
}

} // namespace

#endif

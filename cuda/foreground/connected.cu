/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reconstruction of a packed mask from a marker: the components of the mask that have a pixel of the marker. It is Canny's
 * hysteresis: the mask has the candidates, and those in the marker are strong.
 *
 *   tile kernel      Finds the components of a tile, and decides those that have a strong pixel there, or do not reach its
 *                    border.
 *   seam kernel      Unites the others across the seams between tiles.
 *   promote kernel   Changes the pixels of those that have become strong.
 *
 * Room: the arrays of run_tiles.cuh. Its contents do not matter, so nothing is cleared between frames. */
#include "cuda/common/graph.cuh"
#include "cuda/common/run_components.cuh"
#include "cuda/common/run_seams.cuh"
#include "cuda/foreground/foreground.h"

namespace
{

constexpr int TILE_ROWS = 48; /* so that the tiles of a 4K image run at once on a GPU with 132 multiprocessors */
static_assert (
    TILE_ROWS <= RUN_TILE_MAX_H && fits_run_fields (TILE_ROWS), "tile borders, runs and components have room");

struct ConnectedArgs {
  const uint32_t *mask, *marker; /* MARKER NULL: the border of the image */
  uint32_t *to;
  size_t mask_stride, marker_stride, to_stride; /* words */
  uint32_t width, height, words;                /* pixels; of a packed row */
  uint32_t invert_mask;                         /* ~0: the mask is taken inverted */
  uint32_t remove;                              /* ~0: the result are the components without a marker */
  uint32_t invert_result;                       /* ~0: the result is inverted */

  uint32_t tile_h, tiles_x, tiles_y;
  struct {
    RunTileCounts *counts;
    RunTileBorder *borders;
  } by_tile;
  struct {
    uint32_t *runs;
  } by_tile_run;
  struct {
    uint32_t *parents;
  } by_component;
};

struct TileMemory {
  uint32_t weak[TILE_ROWS * RUN_TILE_WORDS], strong[TILE_ROWS * RUN_TILE_WORDS], runs[run_words (TILE_ROWS)];
};
static_assert (sizeof (TileMemory) < 40 << 10, "fits shared memory without being asked for");

/* The pixels of word X of a row that are in the image. */
__device__ inline uint32_t
pixels_inside (const ConnectedArgs &f, uint32_t x)
{
  if (32 * x >= f.width)
    return 0;
  return f.width - 32 * x >= 32 ? ~0u : (1u << (f.width - 32 * x)) - 1;
}

/* The strong pixels among all INSIDE the image of word X of row Y. */
__device__ inline uint32_t
load_marker (const ConnectedArgs &f, uint32_t x, uint32_t y, uint32_t inside)
{
  if (f.marker)
    return f.marker[y * f.marker_stride + x];
  const uint32_t last = (f.width - 1) / 32;
  if (y == 0 || y + 1 == f.height)
    return inside;
  return (x == 0 ? 1 : 0) | (x == last ? 1u << (f.width - 1) % 32 : 0);
}

template <int CONNECTIVITY>
__global__ void
__launch_bounds__ (RUN_TILE_THREADS, 4) tile_kernel (const __grid_constant__ ConnectedArgs f)
{
  __shared__ TileMemory memory;
  __shared__ TileCounts counts;
  const uint32_t tile = blockIdx.x, tx = tile % f.tiles_x, ty = tile / f.tiles_x;
  const uint32_t rows = min ((uint32_t) TILE_ROWS, f.height - ty * TILE_ROWS), words = rows * RUN_TILE_WORDS;
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  if (threadIdx.x == 0)
    counts = {};
  for (uint32_t i = threadIdx.x; i < words; i += RUN_TILE_THREADS) {
    const uint32_t x = tx * RUN_TILE_WORDS + i % RUN_TILE_WORDS, y = ty * TILE_ROWS + i / RUN_TILE_WORDS;
    const uint32_t inside = pixels_inside (f, x);
    uint32_t mask = 0, marker = 0;
    if (inside) {
      mask = (f.mask[y * f.mask_stride + x] ^ f.invert_mask) & inside;
      marker = load_marker (f, x, y, inside);
    }
    memory.weak[i] = mask;
    memory.strong[i] = mask & marker;
  }
  __syncthreads ();
  const TileRuns runs = {memory.weak, memory.strong, memory.runs, words};
  resolve_tile<CONNECTIVITY, TILE_ROWS> (f, runs, tile, tx, ty, rows, counts);
  for (uint32_t i = threadIdx.x; i < words; i += RUN_TILE_THREADS) {
    const uint32_t x = tx * RUN_TILE_WORDS + i % RUN_TILE_WORDS, y = ty * TILE_ROWS + i / RUN_TILE_WORDS;
    const uint32_t found = memory.strong[i], mask = memory.weak[i] | found;
    if (x < f.words)
      f.to[y * f.to_stride + x] = found ^ (f.remove & mask) ^ (f.invert_result & pixels_inside (f, x));
  }
}

constexpr int SEAM_WARPS = 4;
typedef SeamPart<(TILE_ROWS + 31) / 32> Part;

template <int CONNECTIVITY>
__global__ void __launch_bounds__ (32 * SEAM_WARPS) seam_kernel (const __grid_constant__ ConnectedArgs f)
{
  __shared__ uint2 joins[SEAM_WARPS][3 * 32];
  const Part part (blockIdx.x * SEAM_WARPS + threadIdx.x / 32, f.tiles_x);
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  join_seam<CONNECTIVITY> (f, part, joins[threadIdx.x / 32]);
}

constexpr int PROMOTE_THREADS = 128;

/* Whether pixels found are set or removed, inverted or not, finding them later changes them. A CTA takes a tile. */
__global__ void
__launch_bounds__ (PROMOTE_THREADS) promote_kernel (const __grid_constant__ ConnectedArgs f)
{
  const uint32_t tile = blockIdx.x, tx = tile % f.tiles_x, ty = tile / f.tiles_x;
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  promote_runs<PROMOTE_THREADS> (f, tile, [&] (uint32_t word, uint32_t first, uint32_t last) {
    const uint32_t x = tx * RUN_TILE_WORDS + word % RUN_TILE_WORDS, y = ty * TILE_ROWS + word / RUN_TILE_WORDS;
    atomicXor (&f.to[y * f.to_stride + x], (2u << last) - (1u << first));
  });
}

size_t
lay_out (ConnectedArgs *f, uint8_t *base)
{
  f->tile_h = TILE_ROWS;
  f->tiles_x = ctr_div_up (f->width, RUN_TILE_W);
  f->tiles_y = ctr_div_up (f->height, TILE_ROWS);
  const size_t tiles = (size_t) f->tiles_x * f->tiles_y;
  ArenaLayout c = {base, 0};
  f->by_tile.counts = c.take<RunTileCounts> (tiles);
  f->by_tile.borders = c.take<RunTileBorder> (tiles);
  f->by_tile_run.runs = c.take<uint32_t> (tiles * TILE_ROWS * (RUN_TILE_W / 2));
  f->by_component.parents = c.take<uint32_t> (1 + tiles * RUN_TILE_COMPONENTS);
  return c.used;
}

template <int CONNECTIVITY>
void
launch (const ConnectedArgs &f, bool overlap, cudaStream_t stream)
{
  const unsigned tiles = f.tiles_x * f.tiles_y;
  ctr_launch_overlapped (overlap, tile_kernel<CONNECTIVITY>, tiles, RUN_TILE_THREADS, 0, stream, f);
  if (tiles == 1)
    return;
  ctr_launch_overlapped (
      overlap, seam_kernel<CONNECTIVITY>, ctr_div_up (tiles * Part::STEPS, SEAM_WARPS), 32 * SEAM_WARPS, 0, stream, f);
  ctr_launch_overlapped (overlap, promote_kernel, tiles, PROMOTE_THREADS, 0, stream, f);
}

} // namespace

size_t
foreground_reconstruction_room (uint32_t width, uint32_t height)
{
  ConnectedArgs f = {};
  f.width = width;
  f.height = height;
  return lay_out (&f, NULL);
}

bool
foreground_queue_reconstruction (const PackedMask *mask, const PackedMask *marker, const PackedMask *to,
    const Reconstruction *what, void *room, cudaStream_t stream, CtrError *error)
{
  ConnectedArgs f = {};
  f.mask = mask->bits;
  f.mask_stride = mask->stride / sizeof (uint32_t);
  if (marker) {
    f.marker = marker->bits;
    f.marker_stride = marker->stride / sizeof (uint32_t);
  }
  f.to = to->bits;
  f.to_stride = to->stride / sizeof (uint32_t);
  f.width = mask->width;
  f.height = mask->height;
  f.words = (uint32_t) (ctr_packed_row (mask->width) / sizeof (uint32_t));
  f.invert_mask = what->invert_mask ? ~0u : 0;
  f.remove = what->remove ? ~0u : 0;
  f.invert_result = what->invert_result ? ~0u : 0;
  lay_out (&f, (uint8_t *) room);
  int device = 0, major = 0;
  CTR_CUDA (cudaGetDevice (&device));
  CTR_CUDA (cudaDeviceGetAttribute (&major, cudaDevAttrComputeCapabilityMajor, device));
  const bool overlap = major >= 9 && cuda_graph_takes_overlap ();
  what->eight_connected ? launch<8> (f, overlap, stream) : launch<4> (f, overlap, stream);
  CTR_CUDA (cudaGetLastError ());
  return true;
}

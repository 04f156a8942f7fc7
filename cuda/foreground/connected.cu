/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reconstruction of a packed mask from a marker: the components of the mask that have a pixel of the marker. It is Canny's
 * hysteresis: the mask has the candidates, and those in the marker are strong.
 *
 *   tile kernel      Finds the components of a tile, and decides those that have a strong pixel there, or do not reach its
 *                    border.
 *   seam kernel      Unites the others across the seams between tiles.
 *   promote kernel   Changes the pixels of those that have become strong.
 *
 * Room: what passes between them. Its contents do not matter, so nothing is cleared between frames. */
#include "cuda/common/graph.cuh"
#include "cuda/common/run_seams.cuh"
#include "cuda/foreground/connected_tile.cuh"
#include "cuda/foreground/foreground.h"

namespace
{

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
    uint32_t *components; /* how many reach the border and are not decided */
    RunTileBorder *borders;
  } by_tile;
  struct {
    uint32_t *undecided; /* runs of these components, by columns of words */
    uint16_t *labels;    /* and the components: of the first runs of all words, of the second ... */
  } by_tile_word;
  struct {
    uint32_t *parents;
  } by_component;
};

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

/* After resolve_runs(): writes the undecided runs and their components, for the promote kernel. */
__device__ inline void
write_undecided (const ConnectedArgs &f, const TileMemory &memory, uint32_t tile, uint32_t first, uint32_t weak)
{
  uint16_t *label = f.by_tile_word.labels + (size_t) tile * WORD_RUNS * TILE_WORDS + threadIdx.x;
  uint32_t undecided = 0;
#pragma unroll 1
  for (uint32_t rest = weak; rest;) {
    const uint32_t node = first + (__ffs (rest) - 1) / 2, run = take_run (&rest);
    const uint32_t component = component_of (memory, node);
    if (component & NODE_IS_COMPONENT) {
      undecided |= run;
      *label = (uint16_t) component;
      label += TILE_WORDS;
    }
  }
  __syncwarp ();
  f.by_tile_word.undecided[tile * TILE_WORDS + threadIdx.x] = undecided;
}

/* The code of pixel BIT of the tile's word in COLUMN and ROW. */
__device__ inline uint16_t
border_code (const TileMemory &memory, uint32_t column, uint32_t row, uint32_t bit)
{
  const uint32_t place = column * COLUMN_ROOM + row, weak = memory.weak[place];
  if (memory.found[place] >> bit & 1)
    return BORDER_STRONG;
  if (!(weak >> bit & 1))
    return BORDER_NONE;
  const uint32_t node = node_before ((column * TILE_ROWS + row + 1) * WORD_NODES, starts_of (weak), 1u << bit);
  return (uint16_t) (BORDER_COMPONENT + (component_of (memory, node) & ~NODE_IS_COMPONENT));
}

/* After resolve_runs(): writes the tile's border where it has a neighbour, for the seam kernel. */
__device__ inline void
write_border (const ConnectedArgs &f, const TileMemory &memory, uint32_t tile, uint32_t tx, uint32_t ty, uint32_t rows)
{
  static_assert (RUN_TILE_W == RUN_TILE_THREADS, "each thread has a pixel of the top and one of the bottom");
  RunTileBorder &border = f.by_tile.borders[tile];
  const uint32_t t = threadIdx.x, warp = t / 32, lane = t % 32;
  if (ty > 0)
    border.top[t] = border_code (memory, warp, 0, lane);
  if (ty + 1 < f.tiles_y)
    border.bottom[t] = border_code (memory, warp, rows - 1, lane);
  if (warp == 0 && tx > 0)
    border.left[lane] = border_code (memory, 0, lane, 0);
  if (warp == RUN_TILE_WORDS - 1 && tx + 1 < f.tiles_x)
    border.right[lane] = border_code (memory, warp, lane, 31);
}

/* Threads have words by rows to load and to store, and by columns in between. */
template <int CONNECTIVITY>
__global__ void
__launch_bounds__ (RUN_TILE_THREADS, 8) tile_kernel (const __grid_constant__ ConnectedArgs f)
{
  __shared__ TileMemory memory;
  const uint32_t t = threadIdx.x, column = t / 32, row = t % 32, own = column * COLUMN_ROOM + row;
  const uint32_t tile = blockIdx.x, tx = tile % f.tiles_x, ty = tile / f.tiles_x;
  const uint32_t rows = min (TILE_ROWS, f.height - ty * TILE_ROWS);
  const uint32_t x = tx * RUN_TILE_WORDS + t % RUN_TILE_WORDS, y = ty * TILE_ROWS + t / RUN_TILE_WORDS;
  const uint32_t place = t % RUN_TILE_WORDS * COLUMN_ROOM + t / RUN_TILE_WORDS;
  const uint32_t inside = y < f.height ? pixels_inside (f, x) : 0;
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  uint32_t mask = 0, marker = 0;
  if (inside) {
    mask = (f.mask[y * f.mask_stride + x] ^ f.invert_mask) & inside;
    marker = load_marker (f, x, y, inside);
  }
  memory.weak[place] = mask;
  memory.found[place] = mask & marker;
  if (t == 0) {
    memory.components = 0;
    memory.nodes[FOUND_NODE] = FOUND_NODE;
  }
  __syncthreads ();
  uint32_t weak = memory.weak[own], found = spread_found<CONNECTIVITY> (weak, memory.found[own]);
  weak &= ~found;
  memory.weak[own] = weak;
  memory.found[own] = found;
  uint32_t components = 0;
  if (__syncthreads_or (weak)) {
    LaneRuns<CONNECTIVITY> runs (memory, weak, found);
    runs.plant (&memory);
    __syncthreads ();
    shorten_paths (&memory, runs.first, weak);
    __syncthreads ();
    unite_contacts (&memory, &runs);
    __syncthreads ();
    const bool at_end = (row == 0 && ty > 0) || (row + 1 == rows && ty + 1 < f.tiles_y);
    const uint32_t left = column == 0 && tx > 0, right = column + 1 == RUN_TILE_WORDS && tx + 1 < f.tiles_x;
    memory.found[own] =
        found | resolve_runs (&memory, runs.first, weak, at_end ? ~0u : left | right << 31, [&] (uint32_t component) {
          const uint32_t element = 1 + tile * RUN_TILE_COMPONENTS + component;
          f.by_component.parents[element] = element;
        });
    __syncthreads ();
    components = memory.components;
    if (components)
      write_undecided (f, memory, tile, runs.first, weak);
  }
  if (t == 0)
    f.by_tile.components[tile] = components;
  write_border (f, memory, tile, tx, ty, rows);
  if (y < f.height && x < f.words)
    f.to[y * f.to_stride + x] = memory.found[place] ^ (f.remove & mask) ^ (f.invert_result & inside);
}

constexpr int SEAM_WARPS = 4;
typedef SeamPart<TILE_ROWS / 32> Part;

template <int CONNECTIVITY>
__global__ void __launch_bounds__ (32 * SEAM_WARPS) seam_kernel (const __grid_constant__ ConnectedArgs f)
{
  __shared__ uint2 joins[SEAM_WARPS][3 * 32];
  const Part part (blockIdx.x * SEAM_WARPS + threadIdx.x / 32, f.tiles_x);
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  join_seam<CONNECTIVITY> (f, part, joins[threadIdx.x / 32]);
}

/* Whether pixels found are set or removed, inverted or not, finding them later changes them. A CTA takes a tile, a thread one
 * of its words. */
__global__ void
__launch_bounds__ (RUN_TILE_THREADS) promote_kernel (const __grid_constant__ ConnectedArgs f)
{
  __shared__ bool promoted[RUN_TILE_COMPONENTS];
  const uint32_t t = threadIdx.x, tile = blockIdx.x, tx = tile % f.tiles_x, ty = tile / f.tiles_x;
  const uint32_t x = tx * RUN_TILE_WORDS + t % RUN_TILE_WORDS, y = ty * TILE_ROWS + t / RUN_TILE_WORDS;
  const size_t word = (size_t) tile * TILE_WORDS + t % RUN_TILE_WORDS * TILE_ROWS + t / RUN_TILE_WORDS;
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  const uint32_t components = f.by_tile.components[tile];
  uint32_t rest = f.by_tile_word.undecided[word]; /* without components it has no meaning, but the loads overlap */
  if (!components)
    return;
  uint32_t changed = 0;
  bool any = false;
  for (uint32_t i = t; i < components; i += RUN_TILE_THREADS) {
    const uint32_t element = 1 + tile * RUN_TILE_COMPONENTS + i;
    promoted[i] =
        find_root (f.by_component.parents, element, load_parent (f.by_component.parents, element)) == STRONG_ROOT;
    any = any || promoted[i];
  }
  if (!__syncthreads_or (any))
    return;
  const uint16_t *label = f.by_tile_word.labels + (size_t) tile * WORD_RUNS * TILE_WORDS + word % TILE_WORDS;
  for (; rest; label += TILE_WORDS) {
    const uint32_t run = take_run (&rest);
    changed |= promoted[*label] ? run : 0;
  }
  if (changed)
    f.to[y * f.to_stride + x] ^= changed;
}

size_t
lay_out (ConnectedArgs *f, uint8_t *base)
{
  f->tile_h = TILE_ROWS;
  f->tiles_x = ctr_div_up (f->width, RUN_TILE_W);
  f->tiles_y = ctr_div_up (f->height, TILE_ROWS);
  const size_t tiles = (size_t) f->tiles_x * f->tiles_y;
  ArenaLayout c = {base, 0};
  f->by_tile.components = c.take<uint32_t> (tiles);
  f->by_tile.borders = c.take<RunTileBorder> (tiles);
  f->by_tile_word.undecided = c.take<uint32_t> (tiles * TILE_WORDS);
  f->by_tile_word.labels = c.take<uint16_t> (tiles * TILE_WORDS * WORD_RUNS);
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
  ctr_launch_overlapped (overlap, promote_kernel, tiles, RUN_TILE_THREADS, 0, stream, f);
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

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reconstruction of a packed mask from a marker: the components of the mask that have a pixel of the marker. It is Canny's
 * hysteresis: the mask has the candidates, and those in the marker are strong. Both may be what samples reach.
 *
 *   tile kernel      Finds the components of a tile, and decides those that have a strong pixel there, or do not reach its
 *                    border. The last tile to arrive at a seam unites the others across it.
 *   promote kernel   Changes the pixels of those that have become strong, or paints the picture of the mask with them changed.
 *
 * Room: what passes between tiles. Its contents do not matter, but for the counters of arrivals: the last tile to arrive clears
 * them. */
#include "cuda/common/graph.cuh"
#include "cuda/common/ptx.cuh"
#include "cuda/foreground/connected_seams.cuh"
#include "cuda/foreground/foreground.h"
#include "cuda/foreground/grey_pieces.cuh"

namespace
{

/* The pixels of word X of a row that are in an image of this WIDTH. */
__device__ inline uint32_t
pixels_inside (uint32_t width, uint32_t x)
{
  if (32 * x >= width)
    return 0;
  return width - 32 * x >= 32 ? ~0u : (1u << (width - 32 * x)) - 1;
}

/* The strong pixels among all INSIDE the image of word X of row Y. */
__device__ inline uint32_t
load_marker (const ConnectedArgs &f, const TilePlace &p, uint32_t x, uint32_t y, uint32_t inside)
{
  if (f.marker)
    return f.marker[(p.first_row + y) * f.marker_stride + x];
  const uint32_t last = (p.width - 1) / 32;
  if (y == 0 || y + 1 == p.height)
    return inside;
  return (x == 0 ? 1 : 0) | (x == last ? 1u << (p.width - 1) % 32 : 0);
}

/* Where a tile's mask comes from: packed, a thread a word, */
struct PackedSource {
  __device__ static void
  load (const ConnectedArgs &f, const TilePlace &p, TileMemory *memory)
  {
    const uint32_t column = threadIdx.x % RUN_TILE_WORDS, row = threadIdx.x / RUN_TILE_WORDS;
    const uint32_t x = p.tx * RUN_TILE_WORDS + column, y = p.ty * TILE_ROWS + row;
    const uint32_t inside = y < p.height ? pixels_inside (p.width, x) : 0;
    uint32_t mask = 0, marker = 0;
    if (inside) {
      mask = (f.mask[(p.first_row + y) * f.mask_stride + x] ^ f.invert_mask) & inside;
      marker = load_marker (f, p, x, y, inside);
    }
    memory->mask[column * COLUMN_ROOM + row] = mask;
    memory->found[column * COLUMN_ROOM + row] = mask & marker;
  }
};

/* or samples and two thresholds, a thread two half words. */
template <typename Sample> struct GreySource {
  __device__ static void
  load (const ConnectedArgs &f, const TilePlace &p, TileMemory *memory)
  {
    constexpr int pieces = TILE_WORDS * 2 / RUN_TILE_THREADS;
    uint32_t words[pieces][4 * sizeof (Sample)];
#pragma unroll
    for (int i = 0; i < pieces; i++) {
      const uint32_t piece = i * RUN_TILE_THREADS + threadIdx.x, y = p.ty * TILE_ROWS + piece / (2 * RUN_TILE_WORDS);
      if (y < f.height)
        load_grey<Sample> (f, p.tx * RUN_TILE_W + piece % (2 * RUN_TILE_WORDS) * PIXELS, y, words[i]);
    }
#pragma unroll
    for (int i = 0; i < pieces; i++) {
      const uint32_t piece = i * RUN_TILE_THREADS + threadIdx.x, y = p.ty * TILE_ROWS + piece / (2 * RUN_TILE_WORDS);
      const uint32_t column = piece % (2 * RUN_TILE_WORDS), x = p.tx * RUN_TILE_W + column * PIXELS;
      const uint32_t valid = y < f.height ? inside (f, x) : 0;
      uint32_t mask = 0, strong = 0;
      if (valid) {
        mask = at_least (words[i], f.threshold, Sample ()) & valid;
        strong = mask & at_least (words[i], f.strong, Sample ());
      }
      const uint32_t place = 2 * (column / 2 * COLUMN_ROOM + piece / (2 * RUN_TILE_WORDS)) + column % 2;
      ((uint16_t *) memory->mask)[place] = (uint16_t) mask;
      ((uint16_t *) memory->found)[place] = (uint16_t) strong;
    }
  }
};

/* After resolve_runs(): writes the runs of the undecided components, for the promote kernel. */
__device__ inline void
write_undecided (const ConnectedArgs &f, TileMemory *memory, uint32_t tile, uint32_t count)
{
  uint32_t *to = f.by_tile_run.runs + (size_t) tile * TILE_RUNS;
#pragma unroll 1
  for (uint32_t node = 1 + threadIdx.x; node <= count; node += RUN_TILE_THREADS) {
    const uint32_t component = component_of (*memory, node);
    if (component & NODE_IS_COMPONENT) {
      const NodeRun run (*memory, memory->load (node));
      to[atomicAdd (&memory->component_runs, 1)] = component_number (component) << RUN_COMPONENT_SHIFT | run.word << 10
                                                   | run.first_bit << 5 | (31 - __clz (run.pixels));
    }
  }
  __syncwarp ();
}

/* The code of pixel BIT of the tile's word in COLUMN and ROW. */
__device__ inline uint32_t
border_code (const TileMemory &memory, uint32_t column, uint32_t row, uint32_t bit)
{
  const uint32_t place = column * COLUMN_ROOM + row, weak = memory.weak[place];
  if (memory.found[place] >> bit & 1)
    return BORDER_STRONG;
  if (!(weak >> bit & 1))
    return BORDER_NONE;
  const uint32_t node = node_before (memory.first[column * TILE_ROWS + row], starts_of (weak), 1u << bit);
  return BORDER_COMPONENT + component_number (component_of (memory, node));
}

/* After resolve_runs(): writes the tile's border where it has a neighbour, for the tiles that arrive after this one. */
__device__ inline BorderCodes
write_border (const ConnectedArgs &f, const TilePlace &p, const TileMemory &memory, uint32_t rows)
{
  static_assert (RUN_TILE_W == RUN_TILE_THREADS, "each thread has a pixel of the top and one of the bottom");
  RunTileBorder &border = f.by_tile.borders[p.tile];
  const uint32_t t = threadIdx.x, warp = t / 32, lane = t % 32;
  BorderCodes codes = {BORDER_NONE, BORDER_NONE, BORDER_NONE};
  if (p.ty > 0)
    border.top[t] = (uint16_t) (codes.top = border_code (memory, warp, 0, lane));
  if (p.ty + 1 < p.tiles_y)
    border.bottom[t] = (uint16_t) (codes.bottom = border_code (memory, warp, rows - 1, lane));
  if (warp == 0 && p.tx > 0)
    border.left[lane] = (uint16_t) (codes.side = border_code (memory, 0, lane, 0));
  if (warp == RUN_TILE_WORDS - 1 && p.tx + 1 < p.tiles_x)
    border.right[lane] = (uint16_t) (codes.side = border_code (memory, warp, lane, 31));
  return codes;
}

/* Threads have words by rows to load and to store, and by columns in between. */
template <int CONNECTIVITY, typename Source, bool ATLAS>
__global__ void
__launch_bounds__ (RUN_TILE_THREADS, ctr_shared_by (RUN_TILE_THREADS, 8))
    tile_kernel (const __grid_constant__ ConnectedArgs f)
{
  __shared__ TileMemory memory;
  const uint32_t t = threadIdx.x, column = t / 32, row = t % 32, own = column * COLUMN_ROOM + row;
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  const TilePlace p = place_tile<ATLAS> (f);
  if (ATLAS && !p.exists ())
    return;
  const uint32_t rows = min (TILE_ROWS, p.height - p.ty * TILE_ROWS);
  Source::load (f, p, &memory);
  if (t == 0) {
    memory.components = memory.component_runs = 0;
    memory.nodes[FOUND_NODE] = FOUND_NODE;
  }
  __syncthreads ();
  const uint32_t mask = memory.mask[own], found = spread_found<CONNECTIVITY> (mask, memory.found[own]);
  /* The pixels of a word that are at a seam. */
  const uint32_t first_row = p.ty > 0 ? 0 : TILE_ROWS, last_row = p.ty + 1 < p.tiles_y ? rows - 1 : TILE_ROWS;
  const bool has_left = p.tx > 0, has_right = p.tx + 1 < p.tiles_x;
  const auto border = [&] (uint32_t word) {
    const uint32_t y = word % TILE_ROWS, x = word / TILE_ROWS;
    return y == first_row || y == last_row
               ? ~0u
               : (uint32_t) (x == 0 && has_left) | (uint32_t) (x + 1 == RUN_TILE_WORDS && has_right) << 31;
  };
  uint32_t components = 0, all_runs = 0; /* that are not decided; runs of the tile, unless all are decided */
  {
    const uint32_t weak = drop_lone_runs<CONNECTIVITY> (memory, mask & ~found, mask, border (t));
    const uint32_t count = __popc (starts_of (weak)), until = sum_of_lanes (count);
    memory.weak[own] = weak;
    memory.found[own] = found;
    if (row == 31)
      memory.runs[column] = until;
    if (__syncthreads_or (weak)) {
      uint32_t first = 1 + until - count, all = 0;
#pragma unroll
      for (uint32_t i = 0; i < RUN_TILE_WORDS; i++) {
        first += i < column ? memory.runs[i] : 0;
        all += memory.runs[i];
      }
      LaneRuns<CONNECTIVITY> runs (memory, weak, found, first);
      runs.plant (&memory);
      __syncthreads ();
      shorten_paths (&memory, all);
      __syncthreads ();
      unite_contacts (&memory, &runs);
      __syncthreads ();
      resolve_runs (&memory, all, border, [&] (uint32_t component) {
        const uint32_t element = 1 + p.tile * RUN_TILE_COMPONENTS + component;
        f.by_component.parents[element] = element;
      });
      __syncthreads ();
      components = memory.components;
      all_runs = components ? all : 0;
    }
  }
  const BorderCodes codes = write_border (f, p, memory, rows);
  __syncthreads ();
  /* While the first warp waits for the tile's arrival, the others write what no other tile needs. */
  if (column == 0) {
    const uint32_t last = arrive<CONNECTIVITY> (f, p);
    if (row == 0)
      memory.complete = last;
  }
  write_undecided (f, &memory, p.tile, all_runs);
  const uint32_t x = p.tx * RUN_TILE_WORDS + t % RUN_TILE_WORDS, y = p.ty * TILE_ROWS + t / RUN_TILE_WORDS;
  const uint32_t place = t % RUN_TILE_WORDS * COLUMN_ROOM + t / RUN_TILE_WORDS;
  if (y < p.height && x < p.words)
    f.to[(p.first_row + y) * f.to_stride + x] =
        memory.found[place] ^ (f.remove & memory.mask[place]) ^ (f.invert_result & pixels_inside (p.width, x));
  __syncthreads ();
  if (t == 0)
    f.by_tile.counts[p.tile] = {components, memory.component_runs};
  join_seams<CONNECTIVITY> (f, p, &memory, codes, memory.complete);
}

/* The promote kernel's shared memory. */
struct PromoteMemory {
  bool promoted[RUN_TILE_COMPONENTS];
  uint32_t changed[TILE_WORDS]; /* by columns */
};

/* A CTA takes tile P, a thread one of its words. Returns the thread's word, and sets *CHANGE to its pixels that change: whether pixels
 * found are set or removed, inverted or not, finding them later changes them. */
__device__ inline uint32_t
find_change (const ConnectedArgs &f, const TilePlace &p, PromoteMemory *memory, uint32_t *change)
{
  const uint32_t t = threadIdx.x;
  const uint32_t *runs = f.by_tile_run.runs + (size_t) p.tile * TILE_RUNS;
  const RunTileCounts counts = f.by_tile.counts[p.tile];
  /* If there are so few, a run or parent has no meaning, but the loads overlap. */
  const uint32_t first = 1 + p.tile * RUN_TILE_COMPONENTS;
  const uint32_t first_parent = load_parent (f.by_component.parents, first + t);
  uint32_t run = runs[t];
  const uint32_t x = p.tx * RUN_TILE_WORDS + t % RUN_TILE_WORDS, y = p.ty * TILE_ROWS + t / RUN_TILE_WORDS;
  const uint32_t word = y < p.height && x < p.words ? f.to[(p.first_row + y) * f.to_stride + x] : 0;
  *change = 0;
  if (!counts.components)
    return word;
  memory->changed[t] = 0;
  bool any = false;
  for (uint32_t i = t; i < counts.components; i += RUN_TILE_THREADS) {
    const uint32_t parent = i == t ? first_parent : load_parent (f.by_component.parents, first + i);
    memory->promoted[i] = find_root (f.by_component.parents, first + i, parent) == STRONG_ROOT;
    any = any || memory->promoted[i];
  }
  if (!__syncthreads_or (any))
    return word;
  for (uint32_t i = t; i < counts.runs;) {
    if (memory->promoted[run >> RUN_COMPONENT_SHIFT])
      atomicOr (&memory->changed[run >> 10 & (TILE_WORDS - 1)], (2u << (run & 31)) - (1u << (run >> 5 & 31)));
    i += RUN_TILE_THREADS;
    run = i < counts.runs ? runs[i] : 0;
  }
  __syncthreads ();
  *change = memory->changed[t % RUN_TILE_WORDS * TILE_ROWS + t / RUN_TILE_WORDS];
  return word;
}

template <bool ATLAS>
__global__ void
__launch_bounds__ (RUN_TILE_THREADS) promote_kernel (const __grid_constant__ ConnectedArgs f)
{
  __shared__ PromoteMemory memory;
  const uint32_t t = threadIdx.x;
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  const TilePlace p = place_tile<ATLAS> (f);
  if (ATLAS && !p.exists ())
    return;
  uint32_t change;
  const uint32_t word = find_change (f, p, &memory, &change);
  if (change)
    f.to[(p.first_row + p.ty * TILE_ROWS + t / RUN_TILE_WORDS) * f.to_stride + p.tx * RUN_TILE_WORDS
         + t % RUN_TILE_WORDS] = word ^ change;
}

/* As promote_kernel() of a whole image, whose mask stays as it is, while its picture becomes complete. A pixel of a plane covers pixels
 * of one tile. */
__global__ void
__launch_bounds__ (RUN_TILE_THREADS)
    promote_and_paint_kernel (const __grid_constant__ ConnectedArgs f, const __grid_constant__ MaskPicture picture)
{
  __shared__ PromoteMemory memory;
  __shared__ uint32_t words[TILE_WORDS]; /* by rows */
  const uint32_t t = threadIdx.x;
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  const TilePlace p = place_tile<false> (f);
  if (p.tile == 0 && t == 0)
    tell_threshold (picture);
  uint32_t change;
  const uint32_t word = find_change (f, p, &memory, &change);
  words[t] = word ^ change;
  __syncthreads ();
  const uint32_t left = p.tx * RUN_TILE_W, top = p.ty * TILE_ROWS;
  const auto load_word = [&] (uint32_t x, uint32_t y) { return words[(y - top) * RUN_TILE_WORDS + (x - left) / 32]; };
#pragma unroll 1
  for (uint32_t i = 0; i < picture.plane_count; i++) {
    const CtrEdgePlane &plane = picture.planes[i];
    const uint32_t width = painted_width (picture, plane), height = painted_height (picture, plane);
    const uint32_t pieces = (RUN_TILE_W >> plane.x_shift) / PAINTED_PIXELS, rows = TILE_ROWS >> plane.y_shift;
    for (uint32_t k = t; k < pieces * rows; k += RUN_TILE_THREADS) {
      const uint32_t x = (left >> plane.x_shift) + k % pieces * PAINTED_PIXELS, y = (top >> plane.y_shift) + k / pieces;
      if (x < width && y < height)
        write_pixels (plane, x, y, min (width - x, PAINTED_PIXELS), load_covered (picture, plane, x, y, load_word));
    }
  }
}

constexpr uint32_t MOST_REGIONS =
    256; /* of a launch, so that those of a few rows do not need much more memory than others */

/* The tiles of an image of this size, or of REGIONS of an atlas. */
void
count_tiles (ConnectedArgs *f, uint32_t width, uint32_t height, uint32_t regions)
{
  f->width = width;
  f->height = height;
  f->words = (uint32_t) (ctr_packed_row (width) / sizeof (uint32_t));
  f->tiles_x = ctr_div_up (width, RUN_TILE_W);
  f->tiles_y = ctr_div_up (height, TILE_ROWS) + min (regions, MOST_REGIONS);
}

size_t
lay_out (ConnectedArgs *f, uint8_t *base)
{
  const size_t tiles = (size_t) f->tiles_x * f->tiles_y;
  ArenaLayout c = {base, 0};
  f->by_tile.counts = c.take<RunTileCounts> (tiles);
  f->by_tile.borders = c.take<RunTileBorder> (tiles);
  f->by_tile_run.runs = c.take<uint32_t> (tiles * TILE_RUNS);
  f->by_component.parents = c.take<uint32_t> (1 + tiles * RUN_TILE_COMPONENTS);
  return c.used;
}

/* PICTURE: NULL, or what the promote kernel paints. */
bool
launch (void (*tile_kernel) (ConnectedArgs), void (*promote_kernel) (ConnectedArgs), ConnectedArgs *f,
    const PackedMask *to, const ReconstructionRoom *room, const MaskPicture *picture, cudaStream_t stream,
    CtrError *error)
{
  f->to = to->bits;
  f->to_stride = to->stride / sizeof (uint32_t);
  f->arrivals = (TileArrivals *) room->arrivals;
  lay_out (f, (uint8_t *) room->labels);
  int device = 0, major = 0;
  CTR_CUDA (cudaGetDevice (&device));
  CTR_CUDA (cudaDeviceGetAttribute (&major, cudaDevAttrComputeCapabilityMajor, device));
  const bool overlap = major >= 9 && cuda_graph_takes_overlap ();
  const unsigned tiles = f->tiles_x * f->tiles_y;
  ctr_launch_overlapped (overlap, tile_kernel, tiles, RUN_TILE_THREADS, 0, stream, *f);
  if (picture)
    ctr_launch_overlapped (overlap, promote_and_paint_kernel, tiles, RUN_TILE_THREADS, 0, stream, *f, *picture);
  else if (tiles > 1)
    ctr_launch_overlapped (overlap, promote_kernel, tiles, RUN_TILE_THREADS, 0, stream, *f);
  CTR_CUDA (cudaGetLastError ());
  return true;
}

/* All regions, some after the other. */
bool
launch_atlas (ConnectedArgs *f, const Atlas *atlas, bool eight_connected, const PackedMask *to,
    const ReconstructionRoom *room, cudaStream_t stream, CtrError *error)
{
  for (uint32_t i = 0; i < atlas->regions.count; i += MOST_REGIONS) {
    const CtrAtlasRegion *const places = atlas->places + i;
    f->places = atlas->regions.places + i;
    f->regions = min (atlas->regions.count - i, MOST_REGIONS);
    f->tiles_y = region_tile_rows (places, f->regions, TILE_ROWS);
    if (!launch (eight_connected ? tile_kernel<8, PackedSource, true> : tile_kernel<4, PackedSource, true>,
            promote_kernel<true>, f, to, room, NULL, stream, error))
      return false;
  }
  return true;
}

} // namespace

size_t
foreground_reconstruction_labels (uint32_t width, uint32_t height, uint32_t regions)
{
  ConnectedArgs f = {};
  count_tiles (&f, width, height, regions);
  return lay_out (&f, NULL);
}

size_t
foreground_reconstruction_arrivals (uint32_t width, uint32_t height, uint32_t regions)
{
  ConnectedArgs f = {};
  count_tiles (&f, width, height, regions);
  return (size_t) f.tiles_x * f.tiles_y * sizeof (TileArrivals);
}

bool
foreground_queue_reconstruction (const PackedMask *mask, const PackedMask *marker, const PackedMask *to,
    const Reconstruction *what, const Atlas *atlas, const ReconstructionRoom *room, const MaskPicture *picture,
    cudaStream_t stream, CtrError *error)
{
  ConnectedArgs f = {};
  count_tiles (&f, mask->width, mask->height, 0);
  f.mask = mask->bits;
  f.mask_stride = mask->stride / sizeof (uint32_t);
  if (marker) {
    f.marker = marker->bits;
    f.marker_stride = marker->stride / sizeof (uint32_t);
  }
  f.invert_mask = what->invert_mask ? ~0u : 0;
  f.remove = what->remove ? ~0u : 0;
  f.invert_result = what->invert_result ? ~0u : 0;
  if (atlas)
    return launch_atlas (&f, atlas, what->eight_connected, to, room, stream, error);
  return launch (what->eight_connected ? tile_kernel<8, PackedSource, false> : tile_kernel<4, PackedSource, false>,
      promote_kernel<false>, &f, to, room, picture, stream, error);
}

bool
foreground_queue_hysteresis (const CtrImage *plane, const CtrForeground *foreground, const PackedMask *to,
    const ReconstructionRoom *room, const MaskPicture *picture, cudaStream_t stream, CtrError *error)
{
  ConnectedArgs f = {};
  count_tiles (&f, plane->width, plane->height, 0);
  f.pixels = (const uint8_t *) plane->data;
  f.stride = plane->stride;
  f.threshold = foreground->threshold;
  f.strong = foreground->upper_threshold;
  f.invert_result = foreground->invert ? ~0u : 0;
  return launch (plane->format == CTR_FORMAT_GRAY16 ? tile_kernel<4, GreySource<uint16_t>, false>
                                                    : tile_kernel<4, GreySource<uint8_t>, false>,
      promote_kernel<false>, &f, to, room, picture, stream, error);
}

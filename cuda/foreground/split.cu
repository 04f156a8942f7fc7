/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Splitting of touching parts on the GPU: the steps of core/foreground/split.h.
 *
 *   columns kernel, rows kernel   The distances: distance.cu. All that is beside the regions of an atlas is background, so the others
 *                   need not know of them.
 *   basins kernel   Finds where each pixel ascends to, as far as the tile goes, and the saddles.
 *   links kernel    Follows the paths to their peaks, across tiles, and adds the pairs of the saddles.
 *   parts kernel    Makes parts of basins, a thread a peak.
 *   cut kernel      Makes background of pixels between parts.
 *
 * Room: 12 bytes a pixel and a bit. Its contents do not matter, so nothing is cleared between frames. */
#include "cuda/foreground/split.cuh"

#include "cuda/common/graph.cuh"

namespace
{

constexpr uint32_t TILE_W = 64, TILE_H = 32, TILE_PIXELS = TILE_W * TILE_H;
constexpr uint32_t AROUND_W = TILE_W + 2, AROUND_PIXELS = AROUND_W * (TILE_H + 2);
constexpr uint32_t THREADS = 256, SHARE = TILE_PIXELS / THREADS;
static_assert (THREADS % TILE_W == 0 && TILE_W % SPLIT_WORD == 0, "a warp takes words of rows");

struct BasinsMemory {
  uint32_t distances[AROUND_PIXELS];
  uint32_t ups[TILE_PIXELS];       /* a pixel on the way to the last one of the tile; that one: itself */
  uint8_t directions[TILE_PIXELS]; /* to where a pixel ascends */
};

/* Loads the tile from X, Y on and the pixels around it. */
__device__ inline void
load_tile (const SplitArgs &f, uint32_t x, uint32_t y, uint32_t *to)
{
  const CtrSplit &split = f.split;
  for (uint32_t i = threadIdx.x; i < AROUND_PIXELS; i += THREADS) {
    const uint32_t right = x + i % AROUND_W, below = y + i / AROUND_W; /* of the pixel in question, by one */
    const bool is_there = right <= split.width + 1 && below <= split.height + 1;
    to[i] = is_there ? split.distances[(int64_t) (below - 1ll) * split.stride + right - 1] : 0;
  }
}

/* Where the path from pixel I of the tile ends in it. Any thread may shorten paths: any pixel farther on is as good. */
__device__ inline uint32_t
find_last (uint32_t *ups, uint32_t i)
{
  uint32_t up = ctr_split_load (&ups[i]);
  for (;;) {
    const uint32_t next = ctr_split_load (&ups[up]);
    if (next == up)
      return up;
    atomicExch (&ups[i], next);
    i = up;
    up = next;
  }
}

__global__ void
__launch_bounds__ (THREADS) basins_kernel (const __grid_constant__ SplitArgs f)
{
  __shared__ BasinsMemory memory;
  const CtrSplit &split = f.split;
  const uint32_t x = blockIdx.x * TILE_W, y = blockIdx.y * TILE_H;
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  load_tile (f, x, y, memory.distances);
  __syncthreads ();
#pragma unroll 1
  for (uint32_t k = 0; k < SHARE; k++) {
    const uint32_t i = k * THREADS + threadIdx.x, column = i % TILE_W, row = i / TILE_W;
    const uint32_t *at = memory.distances + (row + 1) * AROUND_W + column + 1;
    uint32_t around[8], higher = 0, direction = CTR_SPLIT_PEAK, up = i;
    if (*at) {
      ctr_split_load_around (at, AROUND_W, around);
      direction = ctr_split_ascend (around, *at, &higher);
      if (direction != CTR_SPLIT_PEAK) {
        const uint32_t place = (uint32_t) ((at - memory.distances) + ctr_split_step (AROUND_W, direction));
        const uint32_t to_column = place % AROUND_W - 1, to_row = place / AROUND_W - 1;
        if (to_column < TILE_W && to_row < TILE_H)
          up = to_row * TILE_W + to_column;
      } else {
        const uint32_t block = (y + row) / 2 * split.blocks_x + (x + column) / 2;
        split.peaks[block] = (y + row) * split.stride + x + column;
        split.parts[block] = block;
        split.links[block] = 0;
      }
    }
    memory.ups[i] = up;
    memory.directions[i] = (uint8_t) direction;
    const uint32_t saddles = __ballot_sync (~0u, ctr_split_is_saddle (higher)), word = (x + column) / SPLIT_WORD;
    if (column % SPLIT_WORD == 0 && word < f.words && y + row < split.height)
      f.saddles[(size_t) (y + row) * f.words + word] = saddles;
  }
  __syncthreads ();
#pragma unroll 1
  for (uint32_t k = 0; k < SHARE; k++) {
    const uint32_t i = k * THREADS + threadIdx.x, column = i % TILE_W, row = i / TILE_W;
    if (!memory.distances[(row + 1) * AROUND_W + column + 1])
      continue;
    const uint32_t last = find_last (memory.ups, i), direction = memory.directions[last];
    const uint32_t pixel = (y + last / TILE_W) * split.stride + x + last % TILE_W;
    split.labels[(y + row) * split.stride + x + column] =
        direction == CTR_SPLIT_PEAK ? pixel : (uint32_t) (pixel + ctr_split_step (split.stride, direction));
  }
}

/* The number of the lane's pixel, if it is foreground. */
struct Pixel {
  uint32_t word, number; /* of the mask */
  bool is_set;

  __device__
  Pixel (const SplitArgs &f, const SplitWord &at)
  {
    word = at.y < f.split.height ? f.mask[(size_t) at.y * f.mask_stride + at.x] : 0;
    number = at.y * f.split.stride + SPLIT_WORD * at.x + at.lane;
    is_set = word >> at.lane & 1;
  }
};

__global__ void
__launch_bounds__ (SPLIT_WORD *SPLIT_WARPS) links_kernel (const __grid_constant__ SplitArgs f)
{
  const SplitWord at (f.words);
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  const Pixel pixel (f, at);
  if (!pixel.is_set)
    return;
  ctr_split_store (&f.split.labels[pixel.number], ctr_split_find_peak (&f.split, pixel.number));
  if (f.saddles[at.number] >> at.lane & 1)
    ctr_split_add_saddle (&f.split, pixel.number);
}

__global__ void
__launch_bounds__ (SPLIT_WORD *SPLIT_WARPS) parts_kernel (const __grid_constant__ SplitArgs f)
{
  const SplitWord at (f.words);
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  const Pixel pixel (f, at);
  if (pixel.is_set && f.split.labels[pixel.number] == pixel.number)
    ctr_split_decide (&f.split, pixel.number);
}

__global__ void
__launch_bounds__ (SPLIT_WORD *SPLIT_WARPS) cut_kernel (const __grid_constant__ SplitArgs f)
{
  const SplitWord at (f.words);
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  const Pixel pixel (f, at);
  const uint32_t cut = __ballot_sync (~0u, pixel.is_set && ctr_split_is_cut (&f.split, pixel.number));
  __syncwarp (); /* all lanes have read the word */
  if (cut && at.lane == 0)
    f.mask[(size_t) at.y * f.mask_stride + at.x] = pixel.word & ~cut;
}

size_t
lay_out (SplitArgs *f, uint8_t *base)
{
  CtrSplit &split = f->split;
  const size_t pixels = (size_t) split.stride * split.height;
  const size_t blocks = (size_t) split.blocks_x * ctr_div_up (split.height, 2);
  ArenaLayout c = {base, 0};
  split.links = c.take<unsigned long long> (blocks);
  split.distances = c.take<uint32_t> (SPLIT_MARGIN + pixels + 2 * (size_t) split.stride);
  split.labels = c.take<uint32_t> (pixels);
  split.peaks = c.take<uint32_t> (blocks);
  split.parts = c.take<uint32_t> (blocks);
  f->saddles = c.take<uint32_t> ((size_t) f->words * split.height);
  f->columns = (uint16_t *) split.labels;
  if (base) {
    f->least_columns = f->columns + pixels;
    split.distances += SPLIT_MARGIN + split.stride;
  }
  return c.used;
}

SplitArgs
args_for (uint32_t width, uint32_t height)
{
  SplitArgs f = {};
  f.split.width = width;
  f.split.height = height;
  f.split.stride = ctr_div_up (width + 1, SPLIT_WORD) * SPLIT_WORD;
  f.split.blocks_x = ctr_div_up (width, 2);
  f.words = ctr_div_up (width, SPLIT_WORD);
  return f;
}

} // namespace

size_t
foreground_split_room (uint32_t width, uint32_t height)
{
  SplitArgs f = args_for (width, height);
  return lay_out (&f, NULL);
}

bool
foreground_queue_split (
    const PackedMask *mask, uint32_t depth, const Atlas *atlas, void *room, cudaStream_t stream, CtrError *error)
{
  SplitArgs f = args_for (mask->width, mask->height);
  const uint32_t words = f.words * mask->height;
  int device = 0, major = 0;
  f.split.depth = depth;
  if (atlas) {
    f.places = atlas->regions.places;
    f.regions = atlas->regions.count;
  }
  f.mask = mask->bits;
  f.mask_stride = (uint32_t) (mask->stride / sizeof (uint32_t));
  lay_out (&f, (uint8_t *) room);
  CTR_CUDA (cudaGetDevice (&device));
  CTR_CUDA (cudaDeviceGetAttribute (&major, cudaDevAttrComputeCapabilityMajor, device));
  const bool overlap = major >= 9 && cuda_graph_takes_overlap ();
  split_queue_distances (f, atlas, overlap, stream);
  ctr_launch_overlapped (overlap, basins_kernel,
      dim3 (ctr_div_up (mask->width, TILE_W), ctr_div_up (mask->height, TILE_H)), THREADS, 0, stream, f);
  split_launch (f, overlap, links_kernel, words, stream);
  split_launch (f, overlap, parts_kernel, words, stream);
  split_launch (f, overlap, cut_kernel, words, stream);
  CTR_CUDA (cudaGetLastError ());
  return true;
}

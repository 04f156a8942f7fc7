/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* First kernel of Canny: a CTA takes a tile from the image to its edges. */
#include "cuda/canny_gradient.cuh"
#include "cuda/canny_hysteresis.cuh"

namespace
{

/* Rows of blurred samples: large frames have few tiles whose seams are expensive, small frames many tiles, as there it
 * is the time one tile takes that counts. */
constexpr int LARGE_ROWS = 112, SMALL_ROWS = 48, GENERIC_ROWS = 32;
constexpr unsigned SMALL_PIXELS = 16u << 20; /* of the largest frame with small tiles */
constexpr int PAIRS_MARGIN = 2;              /* rows of blurred samples a tile needs above and below itself */
constexpr int GENERIC_MARGIN = 4;            /* the same for aperture 7 */

template <int STEPS, int BLURRED_ROWS, bool GENERIC> struct TileLayout {
  static constexpr int MARGIN = GENERIC ? GENERIC_MARGIN : PAIRS_MARGIN;
  static constexpr int ROWS = BLURRED_ROWS - 2 * MARGIN;
  static_assert (ROWS <= CANNY_RIM_H, "rims have room");
  static_assert (ROWS * CANNY_W / 2 <= 1 << (32 - RUN_PARENT_SHIFT) && ROWS * CANNY_W <= RUN_FIELD + 1
                     && CANNY_NODES <= 1 << (32 - RUN_NODE_SHIFT),
      "runs, where they start, and nodes fit their fields");
  typedef SourceTile<STEPS, BLURRED_ROWS> Source;
  /* First the source and the blurred samples; when these are no longer needed, runs. Candidates are written while
   * blurred samples are read. */
  static constexpr int BITS = ROWS * CANNY_WORDS * 4;
  static constexpr int SOURCE = Source::BYTES > 2 * BITS ? Source::BYTES : 2 * BITS;
  static constexpr int MAGNITUDES = SOURCE + BLURRED_ROWS * BLURRED_STRIDE;
  static constexpr int SAMPLES_END = MAGNITUDES + (GENERIC ? (ROWS + 2) * MAGNITUDE_STRIDE * 4 : 0);
  static constexpr int RUNS_END = 2 * BITS + run_words (ROWS) * 4;
  static constexpr int BYTES = SAMPLES_END > RUNS_END ? SAMPLES_END : RUNS_END;
};

__device__ __noinline__ void
write_bytes (uint8_t *to, uint32_t count, uint32_t bits)
{
#pragma unroll 1
  for (uint32_t i = 0; i < count; i++)
    to[i] = bits >> i & 1 ? 255 : 0;
}

/* 32 pixels as bytes, those inside the image. */
__device__ inline void
write_mask (const CannyFrame &f, uint32_t x, uint32_t y, uint32_t bits)
{
  uint8_t *to = f.mask + y * f.mask_stride + x;
  if (!f.mask_aligned || x + 32 > f.width) {
    write_bytes (to, min (f.width - x, 32u), bits);
    return;
  }
#pragma unroll
  for (int half = 0; half < 2; half++) {
    uint32_t words[4];
#pragma unroll
    for (int i = 0; i < 4; i++)
      words[i] = ((bits >> (16 * half + 4 * i) & 15) * 0x00204081u & 0x01010101u) * 255;
    ((uint4 *) to)[half] = make_uint4 (words[0], words[1], words[2], words[3]);
  }
}

/* Pixels of the tile's rim, one after the other: top, bottom, left, right. Returns false where the image ends, or where
 * no tile follows. *PLACE: where its code goes. */
__device__ inline bool
rim_pixel (const CannyFrame &f, CannyRim &rim, uint32_t tx, uint32_t ty, uint32_t rows, int i, uint32_t *x, uint32_t *y,
    uint16_t **place)
{
  if (i < 2 * CANNY_W) {
    const bool bottom = i >= CANNY_W;
    *x = i % CANNY_W;
    *y = bottom ? f.tile_h - 1 : 0;
    *place = bottom ? &rim.bottom[*x] : &rim.top[*x];
    return bottom ? ty + 1 < f.tiles_y : ty > 0;
  }
  const bool right = i >= 2 * CANNY_W + CANNY_RIM_H;
  *y = i % CANNY_RIM_H;
  *x = right ? CANNY_W - 1 : 0;
  *place = right ? &rim.right[*y] : &rim.left[*y];
  return *y < rows && (right ? tx + 1 < f.tiles_x : tx > 0);
}

constexpr int RIM_PIXELS = 2 * CANNY_W + 2 * CANNY_RIM_H, RIM_TURNS = RIM_PIXELS / CANNY_THREADS;
static_assert (RIM_PIXELS % CANNY_THREADS == 0, "a thread has as many as any other");

/* In shared memory. */
struct RimNodes {
  uint32_t count, runs;
  uint16_t starts[CANNY_NODES]; /* of the first run, whose entry has the node's number instead */
};

/* The rim, for the seam kernel. Weak components there become nodes. */
__device__ inline void
write_rim (const CannyFrame &f, const TileRuns &runs, uint32_t tile, uint32_t rows, RimNodes &nodes)
{
  constexpr uint32_t nothing = ~0u;
  CannyRim &rim = f.rims[tile];
  const uint32_t tx = tile % f.tiles_x, ty = tile / f.tiles_x;
  uint16_t *place[RIM_TURNS]; /* of the pixel's code; NULL: it is no pixel of the rim */
  uint32_t root[RIM_TURNS];   /* of its run, or nothing */
#pragma unroll
  for (int i = 0; i < RIM_TURNS; i++) {
    uint32_t x, y;
    root[i] = nothing;
    if (!rim_pixel (f, rim, tx, ty, rows, threadIdx.x + i * CANNY_THREADS, &x, &y, &place[i])) {
      place[i] = NULL;
      continue;
    }
    const uint32_t word = y * CANNY_WORDS + x / 32;
    if (!(runs.bits[word] >> x % 32 & 1))
      continue;
    root[i] = runs.root (runs.run_at (word, x % 32));
    if (runs.load (root[i]) & (RUN_STRONG | RUN_AT_RIM) || atomicOr (&runs.entries[root[i]], RUN_AT_RIM) & RUN_AT_RIM)
      continue;
    const uint32_t node = atomicAdd (&nodes.count, 1), id = 1 + tile * CANNY_NODES + node;
    const uint32_t start = runs.load (root[i]) >> RUN_FIELD_SHIFT & RUN_FIELD;
    nodes.starts[node] = start;
    atomicXor (&runs.entries[root[i]], (start ^ node) << RUN_FIELD_SHIFT);
    f.parents[id] = id;
  }
  __syncthreads ();
#pragma unroll
  for (int i = 0; i < RIM_TURNS; i++) {
    const uint32_t entry = root[i] == nothing ? 0 : runs.load (root[i]);
    if (place[i])
      *place[i] = root[i] == nothing   ? RIM_NONE
                  : entry & RUN_STRONG ? RIM_STRONG
                                       : RIM_NODE + (entry >> RUN_FIELD_SHIFT & RUN_FIELD);
  }
}

/* The runs of the nodes, for the patch kernel. */
__device__ inline void
write_runs (const CannyFrame &f, const TileRuns &runs, uint32_t tile, uint32_t count, RimNodes &nodes)
{
  uint32_t *to = f.runs + (size_t) tile * f.tile_h * (CANNY_W / 2);
  const uint32_t lane = threadIdx.x % 32;
#pragma unroll 1
  for (uint32_t i = threadIdx.x; __any_sync (~0u, i < count); i += CANNY_THREADS) {
    const uint32_t root = i < count ? runs.root (i) : 0, entry = i < count ? runs.load (root) : 0;
    const uint32_t all = __ballot_sync (~0u, entry & RUN_AT_RIM);
    if (!all)
      continue;
    uint32_t place = 0;
    if (lane == 0)
      place = atomicAdd (&nodes.runs, __popc (all));
    place = __shfl_sync (~0u, place, 0) + __popc (all & ((1u << lane) - 1));
    if (entry & RUN_AT_RIM) {
      const uint32_t node = entry >> RUN_FIELD_SHIFT & RUN_FIELD;
      const uint32_t at = root == i ? nodes.starts[node] : runs.load (i) >> RUN_FIELD_SHIFT & RUN_FIELD;
      const uint32_t gaps = ~runs.bits[at / 32] & ~((1u << at % 32) - 1), end = gaps ? __ffs (gaps) - 2 : 31;
      to[place] = node << RUN_NODE_SHIFT | at << 5 | end;
    }
    __syncwarp ();
  }
}

template <int STEPS, int BLURRED_ROWS, bool GENERIC>
__global__ void
__launch_bounds__ (CANNY_THREADS, STEPS <= 1 && !GENERIC ? 3 : 1) tile_kernel (const __grid_constant__ CannyFrame f)
{
  typedef TileLayout<STEPS, BLURRED_ROWS, GENERIC> Layout;
  typedef typename Layout::Source Source;
  extern __shared__ __align__ (16) uint8_t memory[];
  __shared__ uint32_t weights[WEIGHT_WORDS<STEPS>];
  __shared__ RimNodes nodes;
  uint8_t *source = memory, *blurred = memory + Layout::SOURCE;
  uint32_t *candidates = (uint32_t *) memory, *strong = (uint32_t *) (memory + Layout::BITS);
  const int warp = threadIdx.x / 32;
  const uint32_t tile = blockIdx.x, tx = tile % f.tiles_x, ty = tile / f.tiles_x;
  const int tile_x = tx * CANNY_W, tile_y = ty * Layout::ROWS;
  const uint32_t rows = min ((uint32_t) Layout::ROWS, f.height - tile_y); /* inside the image */
  const bool at_border = tx == 0 || ty == 0 || tile_x + CANNY_W + GENERIC_MARGIN > (int) f.width
                         || tile_y + Layout::ROWS + Layout::MARGIN > (int) f.height;
  ctr_let_next_start ();
  if (threadIdx.x == 0)
    nodes.count = nodes.runs = 0;
  if (STEPS > 0)
    tabulate_weights<STEPS> (f, weights);

  load_grey<STEPS == 0, STEPS == 0 ? BLURRED_LEFT : Source::REACH, Source::STRIDE, Source::ROWS> (
      f, tile_x - Source::LEFT, tile_y - Layout::MARGIN - Source::REACH, source);
  __syncthreads ();
  if constexpr (STEPS > 0) {
    blur<STEPS, BLURRED_ROWS> (weights, source, blurred);
  } else {
    for (int i = threadIdx.x; i < BLURRED_ROWS * (BLURRED_STRIDE / 4); i += CANNY_THREADS)
      ((uint32_t *) blurred)[i] = *(const uint32_t *) (source + i / (BLURRED_STRIDE / 4) * Source::STRIDE + Source::LEFT
                                                       - BLURRED_LEFT + i % (BLURRED_STRIDE / 4) * 4);
  }
  __syncthreads ();
  if (STEPS > 0 && at_border) {
    replicate_border<BLURRED_ROWS> (f, tile_x - BLURRED_LEFT, tile_y - Layout::MARGIN, blurred);
    __syncthreads ();
  }

  const int low = f.thresholds ? f.thresholds[0] : f.low, high = f.thresholds ? f.thresholds[1] : f.high;
  if (GENERIC) {
    int32_t *magnitudes = (int32_t *) (memory + Layout::MAGNITUDES);
    const uint8_t *first = blurred + Layout::MARGIN * BLURRED_STRIDE + BLURRED_LEFT;
    find_magnitudes (f, first, tile_x, tile_y, magnitudes);
    __syncthreads ();
    find_candidates_generic (f, first, magnitudes, low, high, candidates, strong);
  } else {
    constexpr int warps = CANNY_THREADS / 32, share = (Layout::ROWS + warps - 1) / warps;
    const int first = warp * share, end = min (first + share, Layout::ROWS);
    if (first < end)
      find_candidates (
          f, at_border, blurred, tile_x, tile_y, first, end, low, high, (uint8_t *) candidates, (uint8_t *) strong);
  }
  __syncthreads ();

  const TileRuns runs (candidates, (uint32_t *) (memory + 2 * Layout::BITS), rows);
  const uint32_t count = number_runs (runs, rows * CANNY_WORDS);
  if (count)
    join_runs (runs, strong, count);
  write_rim (f, runs, tile, rows, nodes);
  if (nodes.count)
    write_runs (f, runs, tile, count, nodes);

#pragma unroll 1
  for (uint32_t base = 0; base < rows * CANNY_WORDS; base += CANNY_THREADS) {
    const uint32_t i = base + threadIdx.x, x = tile_x + i % CANNY_WORDS * 32;
    const bool inside = i < rows * CANNY_WORDS && x < f.width;
    const uint32_t edges = inside ? strong_pixels (runs, i) : 0;
    __syncwarp (); /* or the lanes would write one after the other */
    if (inside)
      write_mask (f, x, tile_y + i / CANNY_WORDS, edges);
  }
  __syncthreads ();
  if (threadIdx.x == 0)
    f.tiles[tile] = {nodes.count, nodes.runs};
}

template <int STEPS, int BLURRED_ROWS, bool GENERIC>
void
launch (const CannyFrame &f, cudaStream_t stream)
{
  tile_kernel<STEPS, BLURRED_ROWS, GENERIC>
      <<<f.tiles_x * f.tiles_y, CANNY_THREADS, TileLayout<STEPS, BLURRED_ROWS, GENERIC>::BYTES, stream>>> (f);
}

template <int STEPS, int BLURRED_ROWS, bool GENERIC>
cudaError_t
prepare ()
{
  return cudaFuncSetAttribute (tile_kernel<STEPS, BLURRED_ROWS, GENERIC>, cudaFuncAttributeMaxDynamicSharedMemorySize,
      TileLayout<STEPS, BLURRED_ROWS, GENERIC>::BYTES);
}

template <int STEPS>
cudaError_t
prepare_steps ()
{
  cudaError_t status = prepare<STEPS, GENERIC_ROWS, true> ();
  if (status == cudaSuccess)
    status = prepare<STEPS, SMALL_ROWS, false> ();
  if (status == cudaSuccess)
    status = prepare<STEPS, LARGE_ROWS, false> ();
  return status;
}

template <int STEPS>
void
launch_steps (const CannyFrame &f, cudaStream_t stream)
{
  if (f.aperture != 3 || f.l2_gradient)
    launch<STEPS, GENERIC_ROWS, true> (f, stream);
  else if (f.tile_h == LARGE_ROWS - 2 * PAIRS_MARGIN)
    launch<STEPS, LARGE_ROWS, false> (f, stream);
  else
    launch<STEPS, SMALL_ROWS, false> (f, stream);
}

} // namespace

uint32_t
canny_tile_height (uint32_t width, uint32_t height, uint32_t aperture, bool l2_gradient)
{
  if (aperture != 3 || l2_gradient)
    return GENERIC_ROWS - 2 * GENERIC_MARGIN;
  return ((uint64_t) width * height <= SMALL_PIXELS ? SMALL_ROWS : LARGE_ROWS) - 2 * PAIRS_MARGIN;
}

cudaError_t
canny_prepare_tiles ()
{
  cudaError_t (*const prepare_each[]) () = {
      prepare_steps<0>, prepare_steps<1>, prepare_steps<2>, prepare_steps<3>, prepare_steps<4>, prepare_steps<5>};
  for (auto prepare : prepare_each) {
    const cudaError_t status = prepare ();
    if (status != cudaSuccess)
      return status;
  }
  return cudaSuccess;
}

void
canny_launch_tiles (const CannyFrame &f, cudaStream_t stream)
{
  void (*const launch_each[]) (const CannyFrame &, cudaStream_t) = {
      launch_steps<0>, launch_steps<1>, launch_steps<2>, launch_steps<3>, launch_steps<4>, launch_steps<5>};
  launch_each[f.radius ? (f.radius + 8 + 15) / 16 : 0](f, stream); /* 16 steps - 8 >= radius */
}

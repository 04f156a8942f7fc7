/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Component analysis beyond the tiles: unites open components across seams, adds up their sums, numbers all components
 * in raster order. */
#include "cuda/cca/open_sums.cuh"
#include "cuda/cca/tile_seams.cuh"
#include "cuda/common/scan.cuh"

namespace
{

constexpr int SEAM_WARPS = 4;

/* Each warp unites the components across a tile's seams or, in a small frame, in which the time of one warp decides, across 32 pixels of
 * them. */
template <int CONNECTIVITY, bool SMALL>
__global__ void __launch_bounds__ (32 * SEAM_WARPS) seam_kernel (const CcaKernelArgs f)
{
  constexpr uint32_t parts = SMALL ? SEAM_STEPS : 1;
  __shared__ union {
    uint2 joins[SEAM_JOINS<CONNECTIVITY, 1>];
    uint32_t contacts[SEAM_CONTACTS<CONNECTIVITY>];
  } shared[SEAM_WARPS];
  const uint32_t warp = blockIdx.x * SEAM_WARPS + threadIdx.x / 32, tile = warp / parts;
  auto &s = shared[threadIdx.x / 32];
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  /* The order kernel needs these at 0. */
  if (warp < f.tiles_y && threadIdx.x % 32 == 0)
    f.by_band.counts[warp] = 0;
  if (tile >= f.tiles_x * f.tiles_y)
    return;
  if (SMALL)
    unite_seams<CONNECTIVITY, 1> (
        f, s.joins, right_seam (f, tile), bottom_seam (f, tile), [&] { return load_corner (f, tile); }, tile,
        warp % parts);
  else
    unite_tile_seams<CONNECTIVITY> (f, s.contacts, tile);
}

constexpr int ORDER_THREADS = 1024;
constexpr int ORDER_WARPS = ORDER_THREADS / 32;
static_assert (ORDER_WARPS == 32, "a lane a warp");
constexpr uint32_t ROW_THREADS = ORDER_THREADS / TILE_H; /* of a row of a band */
/* Half a warp marks the starts of a tile: so a CTA has as many tiles at once as a row of 8192 pixels. */
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ == 750 /* has shared memory for half of them, where rows are long */
constexpr uint32_t ORDER_WARP_TILES = 1;
#else
constexpr uint32_t ORDER_WARP_TILES = 2;
#endif
constexpr uint32_t ORDER_LANES = 32 / ORDER_WARP_TILES, ORDER_TILES = ORDER_THREADS / ORDER_LANES;

/* The tiles whose counts a thread adds up in a row of a band: whole words of bytes. */
__host__ __device__ inline uint32_t
cells_of_thread (uint32_t tiles_x)
{
  return (tiles_x + 4 * ROW_THREADS - 1) / (4 * ROW_THREADS) * 4;
}

/* Bytes of a row of counts: an odd number of words, so that the rows of a tile lie in different banks. */
__host__ __device__ inline uint32_t
row_of_counts (uint32_t tiles_x)
{
  return ROW_THREADS * cells_of_thread (tiles_x) + 4;
}

/* How many tiles of a band a CTA adds up. */
__host__ __device__ constexpr uint32_t
sum_tiles_of (int warp_tiles)
{
  return ORDER_WARPS * warp_tiles;
}

/* Adds the sums of every open component of some tiles to its root's. A warp has WARP_TILES, 1 or 2. Coordinates are relative to the first tile, so
 * that sums fit 32 bits. */
template <int WARP_TILES>
__device__ void
sum_tiles (const CcaKernelArgs &f, SumTable &table, uint32_t first_tx, uint32_t ty)
{
  const uint32_t lane = threadIdx.x % 32, tx = first_tx + threadIdx.x / 32 * WARP_TILES, tile = ty * f.tiles_x + tx;
  const uint32_t base_x = first_tx * TILE_W, base_y = ty * TILE_H;
  const uint32_t open = tx < f.tiles_x ? f.by_tile.headers[tile].open : 0;
  const uint32_t both = open + (WARP_TILES == 2 && tx + 1 < f.tiles_x ? f.by_tile.headers[tile + 1].open : 0);
  table.clear ();
  __syncthreads ();
  for (uint32_t i = lane; i < both; i += 32) {
    const uint32_t component = tile * MAX_OPEN_COMPONENTS + (i < open ? i : MAX_OPEN_COMPONENTS + i - open);
    /* Where components are few, their sums come while roots are found. In noise roots are many, and need none. */
    OpenSums sums = {};
    if (WARP_TILES == 2)
      sums = load_sums (&f.by_open_component.sums[component]);
    const uint32_t root = (uint32_t) take_root (f, component);
    if (root != component)
      table.add (f, root, WARP_TILES == 2 ? sums : f.by_open_component.sums[component], base_x, base_y);
  }
  __syncthreads ();
  table.flush<true> (f, base_x, base_y);
}

struct OrderShared {
  union {
    uint4 rows[ORDER_TILES][TILE_H / 2];
    uint32_t bases[TILE_H][ROW_THREADS + 1]; /* rows of the table; an odd number of words, as a row of counts has */
  };
  uint32_t warp_sums[ORDER_WARPS];
  uint32_t band;
};
constexpr size_t MOST_PLAIN_COUNTS = 12 * 1024;
static_assert (sizeof (OrderShared) + MOST_PLAIN_COUNTS <= 48 * 1024, "without an attribute of the kernel");

/* The components of all bands before BAND, which has OWN. A thread reads what a band has: there are no more bands than threads. */
__device__ inline uint32_t
sum_of_bands (const CcaKernelArgs &f, OrderShared &s, uint32_t band, uint32_t own)
{
  static_assert (CTR_MAX_SIDE <= TILE_H * ORDER_THREADS, "a thread a band");
  constexpr unsigned long long COUNTED = 1ull << 32;
  const uint32_t t = threadIdx.x;
  if (t == 0)
    atomicExch (&f.by_band.counts[band], COUNTED | own);
  unsigned long long count = 0;
  while (t < band && count == 0)
    count = poll (&f.by_band.counts[t]);
  __syncwarp ();
  const uint32_t sum = total_of_lanes ((uint32_t) count);
  if (t % 32 == 0)
    s.warp_sums[t / 32] = sum;
  __syncthreads ();
  return total_of_lanes (s.warp_sums[t % 32]);
}

/* Draws the CTA's band, in the order in which CTAs start, so that all bands before it are running or done, and clears COUNTS. This need not wait for
 * the kernel before: since the last frame, whose kernels are complete, nothing else has used the ticket. */
__device__ void
prepare_band (const CcaKernelArgs &f, OrderShared &s, uint8_t *counts)
{
  if (threadIdx.x == 0)
    s.band = atomicAdd (&f.counters->ticket, 1);
  for (uint32_t i = threadIdx.x; i < TILE_H * row_of_counts (f.tiles_x) / 4; i += ORDER_THREADS)
    ((uint32_t *) counts)[i] = 0; /* beyond the image, too */
}

/* Numbers the components of a band, by a CTA: marks the first pixels of the open components beside those of the closed
 * ones, counts the marks of each tile's rows and scans the counts in raster order. COUNTS: [TILE_H][row_of_counts()]. */
__device__ void
order_band (const CcaKernelArgs &f, OrderShared &s, uint8_t *counts)
{
  const uint32_t t = threadIdx.x, lane = t % 32;
  const bool limited = f.min_area > 1 || f.max_area; /* only then are areas read here, and must be complete */
  const uint32_t stride = row_of_counts (f.tiles_x);
  __syncthreads ();
  const uint32_t band = s.band;

  const TileHeader *headers = f.by_tile.headers + (size_t) band * f.tiles_x;
  OpenKey *parents = f.by_open_component.parents;
  const uint32_t place = lane % ORDER_LANES, slot = t / ORDER_LANES;
  uint4 *rows = s.rows[slot];
#pragma unroll 1
  for (uint32_t tx = slot; tx - slot % ORDER_WARP_TILES < f.tiles_x; tx += ORDER_TILES) {
    const uint32_t tile = band * f.tiles_x + tx;
    const TileHeader header = tx < f.tiles_x ? headers[tx] : TileHeader ();
    const bool has_any = header.open || has_closed (header);
    if (!__any_sync (~0u, has_any))
      continue;
    uint4 *starts = (uint4 *) &f.by_tile_row.starts[(size_t) tile * TILE_H];
    OpenKey key = place < header.open ? load_parent (parents, tile * MAX_OPEN_COMPONENTS + place) : 0;
#pragma unroll
    for (uint32_t i = place; i < TILE_H / 2; i += ORDER_LANES)
      if (has_closed (header))
        copy_16 (&rows[i], &starts[i]);
      else
        rows[i] = make_uint4 (0, 0, 0, 0);
    copies_done ();
    __syncwarp ();
    bool emits = false;
    for (uint32_t i = place; i < header.open; i += ORDER_LANES) {
      const uint32_t component = tile * MAX_OPEN_COMPONENTS + i;
      if (i != place)
        key = load_parent (parents, component);
      emits = emits || (uint32_t) key == component; /* one that area limits drop, too: it has a label */
      if ((uint32_t) key == component && (!limited || is_area_kept (f, f.by_open_component.sums[component].area)))
        mark_start ((uint32_t *) rows, key);
    }
    __syncwarp ();
    if (has_any) {
#pragma unroll
      for (uint32_t i = place; i < TILE_H / 2; i += ORDER_LANES) {
        const uint4 two = rows[i];
        counts[2 * i * stride + tx] = __popc (two.x) + __popc (two.y);
        counts[(2 * i + 1) * stride + tx] = __popc (two.z) + __popc (two.w);
        emits = emits || two.x | two.y | two.z | two.w;
        if (header.open)
          starts[i] = two;
      }
    }
    const uint32_t emitting = __ballot_sync (~0u, emits) >> (lane - place);
    if (place == 0 && has_any)
      f.by_tile.headers[tile].marks = header.marks | (emitting & (~0u >> (32 - ORDER_LANES)) ? TILE_EMITS : 0);
    __syncwarp ();
  }
  __syncthreads ();

  /* Threads take the cells in raster order. */
  const uint32_t y = t / ROW_THREADS, share = cells_of_thread (f.tiles_x), begin = t % ROW_THREADS * share;
  const uint32_t *words = (const uint32_t *) (counts + y * stride + begin);
  uint32_t sum = 0;
  for (uint32_t i = 0; i < share / 4; i++)
    sum = __dp4a (words[i], 0x01010101u, sum);
  uint32_t band_sum;
  sum = block_scan<ORDER_THREADS> (sum, s.warp_sums, &band_sum);
  uint32_t closed = 0, crowded = 0, runs = 0, threshold = f.threshold;
  if (t == 0 && band == f.tiles_y - 1) { /* They come while other bands are counted. */
    closed = f.counters->closed;
    crowded = f.counters->crowded;
    runs = f.counters->runs;
    if (f.threshold_device)
      threshold = *f.threshold_device;
  }
  const uint32_t before = sum_of_bands (f, s, band, band_sum);
  if (t == 0 && band == f.tiles_y - 1) {
    const uint32_t count = before + band_sum, complete = count <= f.table.capacity && closed <= f.closed.capacity;
    *f.header = {count, closed, threshold, complete, crowded, 0, 0, runs};
    *f.numbers = {complete, count, 0};
    /* For the next frame. All tiles have reserved their records and all bands have drawn their tickets. */
    f.counters->closed = f.counters->crowded = f.counters->runs = 0;
    f.counters->ticket = 0;
  }
  if (band_sum == 0) /* Nobody needs the rows. */
    return;
  s.bases[y][t % ROW_THREADS] = before + sum;
  __syncthreads ();
  /* A warp writes rows of one tile. */
  const uint32_t tile_y = t % TILE_H, part = t / TILE_H;
  uint32_t base = s.bases[tile_y][part];
  uint32_t *out = f.by_tile_row.table_rows + ((size_t) band * f.tiles_x + part * share) * TILE_H + tile_y;
  for (uint32_t i = 0; i < share && part * share + i < f.tiles_x; i++) {
    out[i * TILE_H] = base;
    base += counts[tile_y * stride + part * share + i];
  }
}

/* Adds up components (SUM) and numbers them (ORDER), each in CTAs of its own: both need no more than the united
 * components. With area limits, ORDER needs the complete areas and is a launch of its own. */
template <bool SUM, bool ORDER, int WARP_TILES>
__global__ void
__launch_bounds__ (ORDER_THREADS) sum_and_order_kernel (const CcaKernelArgs f)
{
  extern __shared__ uint8_t counts[];
  __shared__ union {
    SumTable sum;
    OrderShared order;
  } s;
  const uint32_t bands = ORDER ? f.tiles_y : 0;
  ctr_let_next_start ();
  if (ORDER && blockIdx.x < bands)
    prepare_band (f, s.order, counts);
  ctr_wait_for_previous ();
  if (ORDER && blockIdx.x < bands) {
    order_band (f, s.order, counts);
  } else if (SUM) {
    constexpr uint32_t tiles = sum_tiles_of (WARP_TILES);
    const uint32_t i = blockIdx.x - bands, a_row = ctr_div_up (f.tiles_x, tiles);
    sum_tiles<WARP_TILES> (f, s.sum, i % a_row * tiles, i / a_row);
  }
}

} // namespace

void
cca_launch_merge (const CcaKernelArgs &f, int connectivity, bool few, bool overlap, cudaStream_t stream)
{
  const unsigned tiles = f.tiles_x * f.tiles_y;
  const bool small = tiles <= SMALL_FRAME; /* in which each step has a warp of its own */
  auto seam = connectivity == 8 ? small ? seam_kernel<8, true> : seam_kernel<8, false>
              : small ? seam_kernel<4, true>
                                : seam_kernel<4, false>;
  ctr_launch_overlapped (
      overlap, seam, ctr_div_up (small ? tiles * SEAM_STEPS : tiles, SEAM_WARPS), 32 * SEAM_WARPS, 0, stream, f);
  const int counts = TILE_H * row_of_counts (f.tiles_x);
  const bool limited = f.min_area > 1 || f.max_area;
  /* With two tiles a warp all CTAs run at once. Noise has so many open components that more warps are better. */
  const bool pairs = few && !limited;
  const unsigned sum_ctas = ctr_div_up (f.tiles_x, sum_tiles_of (pairs ? 2 : 1)) * f.tiles_y;
  auto order = limited ? sum_and_order_kernel<false, true, 1>
               : pairs ? sum_and_order_kernel<true, true, 2>
                       : sum_and_order_kernel<true, true, 1>;
  /* Together with the static part this may exceed 48 KB, which an attribute of the kernel has to allow. It is set for
   * the widest image, because other threads and graphs may launch the same kernel for larger frames than this one. */
  const int max_counts = TILE_H * row_of_counts (ctr_div_up (CTR_MAX_SIDE, TILE_W));
  if ((size_t) counts > MOST_PLAIN_COUNTS)
    cudaFuncSetAttribute (order, cudaFuncAttributeMaxDynamicSharedMemorySize, max_counts);
  if (limited)
    ctr_launch_overlapped (overlap, sum_and_order_kernel<true, false, 1>, sum_ctas, ORDER_THREADS, 0, stream, f);
  ctr_launch_overlapped (overlap, order, f.tiles_y + (limited ? 0 : sum_ctas), ORDER_THREADS, counts, stream, f);
}

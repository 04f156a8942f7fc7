/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* All of the component analysis beyond the tiles in one kernel, for frames of few tiles. In these a kernel takes longer to
 * start, and to find its data, than to do its work. One cluster of CTAs has the frame: a barrier of the cluster takes a
 * fraction of a microsecond. */
#include "cuda/cca/analyser.cuh"
#include "cuda/cca/table_delivery.cuh"
#include "cuda/cca/emit.cuh"
#include "cuda/common/scan.cuh"

namespace
{

constexpr int FINISH_THREADS = 512;
constexpr int FINISH_WARPS = FINISH_THREADS / 32; /* each with a tile or, of fewer tiles, with a part of one */
constexpr uint32_t FINISH_CTAS = CTR_MOST_CLUSTER_CTAS;
constexpr int CELLS_A_WORD = 16; /* elements of by_image_row.counts that a thread adds up at once */
constexpr int CELL_WORDS = FINISH_CTAS * FINISH_WARPS * TILE_H / CELLS_A_WORD;
static_assert (CELL_WORDS == 2 * FINISH_THREADS, "two words a thread");
/* A CTA's pixels times their greatest coordinate: the tile count limits both. */
static_assert ((uint64_t) FINISH_WARPS * TILE_W * TILE_H * (FINISH_CTAS * FINISH_WARPS * TILE_W) <= 1ull << 32,
    "sums of a CTA fit 32 bits");

/* The seams of a tile, from its own border and those of its neighbours: all that finding contacts needs, so that it
 * arrives at once. */
struct SeamCopy {
  uint64_t right, left;
  uint32_t bottom[TILE_WORDS], top[TILE_WORDS];
  uint8_t right_component[TILE_H], left_component[TILE_H], bottom_component[TILE_W], top_component[TILE_W];
  Corner corner[2]; /* by lane */
};

/* A lane's words of them. */
struct SeamWords {
  uint32_t bits, right, bottom, top;
  Corner corner; /* of lanes 0 and 1 */
};

template <int CONNECTIVITY, int STEPS> struct FinishShared {
  union {
    uint2 joins[FINISH_WARPS][SEAM_JOINS<CONNECTIVITY, STEPS>];
    struct {
      uint4 words[CELL_WORDS];     /* by_image_row.counts */
      uint32_t before[CELL_WORDS]; /* components before each word's first cell */
      uint32_t warp_sums[FINISH_WARPS];
    } counts;
  };
  SumTable sums;
  union {
    SeamCopy seams;
    TileRows rows; /* of the CTA's tile */
  } by_warp[FINISH_WARPS];
  TileHeader headers[FINISH_WARPS];
};

__device__ inline uint32_t
sum_of_bytes (uint32_t word, uint32_t sum)
{
  return __dp4a (word, 0x01010101u, sum);
}

__device__ inline SeamWords
load_seams (const CcaKernelArgs &f, uint32_t tile)
{
  static_assert (TILE_W == 128 && TILE_H == 64, "a lane a word");
  const uint32_t lane = threadIdx.x % 32;
  const bool has_right = tile % f.tiles_x + 1 < f.tiles_x, has_below = tile / f.tiles_x + 1 < f.tiles_y;
  const Seam right = right_seam (f, tile), bottom = bottom_seam (f, tile);
  SeamWords w = {};
  if (has_right) {
    w.right = ((const uint32_t *) (lane < 16 ? right.above_component : right.line_component))[lane % 16];
    if (lane < 4)
      w.bits = lane < 2 ? right.above[lane] : right.line[lane - 2];
  }
  if (has_below) {
    w.bottom = ((const uint32_t *) bottom.above_component)[lane];
    w.top = ((const uint32_t *) bottom.line_component)[lane];
    if (lane >= 4 && lane < 12)
      w.bits = lane < 8 ? bottom.above[lane - 4] : bottom.line[lane - 8];
  }
  if (has_right && has_below)
    w.corner = load_corner (f, tile);
  return w;
}

__device__ inline void
store_seams (SeamCopy &to, const SeamWords &w)
{
  const uint32_t lane = threadIdx.x % 32;
  if (lane < offsetof (SeamCopy, right_component) / 4)
    ((uint32_t *) &to)[lane] = w.bits;
  ((uint32_t *) to.right_component)[lane] = w.right; /* and LEFT_COMPONENT, which follows */
  ((uint32_t *) to.bottom_component)[lane] = w.bottom;
  ((uint32_t *) to.top_component)[lane] = w.top;
  if (lane < 2)
    to.corner[lane] = w.corner;
  __syncwarp ();
}

/* Adds the sums of a tile's open components to their roots', and marks the first pixels of the roots in STARTS, by a
 * warp. With area limits the marks wait until the sums are complete. OWN: the sums of this lane's first component. */
__device__ inline void
sum_tile (const CcaKernelArgs &f, SumTable &table, uint32_t *starts, uint32_t tile, uint32_t open, const OpenSums &own,
    bool limited)
{
  const uint32_t lane = threadIdx.x % 32;
  for (uint32_t i = lane; i < open; i += 32) {
    const uint32_t component = tile * MAX_OPEN_COMPONENTS + i;
    const OpenKey key = take_root (f, component);
    if ((uint32_t) key != component) {
      OpenSums n = own;
      if (i != lane)
        n = f.by_open_component.sums[component];
      table.add (f, (uint32_t) key, n, 0, 0);
    } else if (!limited) {
      mark_start (starts, key);
    }
  }
}

__device__ inline void
mark_kept_roots (const CcaKernelArgs &f, uint32_t *starts, uint32_t tile, uint32_t open)
{
  for (uint32_t i = threadIdx.x % 32; i < open; i += 32) {
    const uint32_t component = tile * MAX_OPEN_COMPONENTS + i;
    const OpenKey key = load_parent (f.by_open_component.parents, component);
    if ((uint32_t) key == component && is_area_kept (f, __ldcg (&f.by_open_component.sums[component].area)))
      mark_start (starts, key);
  }
}

/* Takes the counts of all cells of the image into shared memory and scans them. Returns their sum. */
template <typename Counts>
__device__ inline uint32_t
scan_counts (const CcaKernelArgs &f, Counts &s, uint32_t tiles)
{
  const uint32_t t = threadIdx.x, words = tiles * TILE_H / CELLS_A_WORD;
  uint32_t own[2] = {}, all;
#pragma unroll
  for (int i = 0; i < 2; i++) {
    uint4 w = make_uint4 (0, 0, 0, 0);
    if (2 * t + i < words)
      w = ((const uint4 *) f.by_image_row.counts)[2 * t + i];
    s.words[2 * t + i] = w;
    own[i] = sum_of_bytes (w.x, sum_of_bytes (w.y, sum_of_bytes (w.z, sum_of_bytes (w.w, 0))));
  }
  const uint32_t before = block_scan<FINISH_THREADS> (own[0] + own[1], s.warp_sums, &all);
  s.before[2 * t] = before;
  s.before[2 * t + 1] = before + own[0];
  __syncthreads ();
  return all;
}

/* The number of components that start before CELL. */
template <typename Counts>
__device__ inline uint32_t
components_before (const Counts &s, uint32_t cell)
{
  const uint32_t word = cell / CELLS_A_WORD, bytes = cell % CELLS_A_WORD;
  const uint32_t *parts = (const uint32_t *) &s.words[word];
  uint32_t sum = s.before[word];
#pragma unroll
  for (uint32_t i = 0; i < CELLS_A_WORD / 4; i++) {
    const uint32_t n = bytes > 4 * i ? bytes - 4 * i : 0; /* bytes of this part that count */
    sum = sum_of_bytes (n >= 4 ? parts[i] : parts[i] & ((1u << 8 * n) - 1), sum);
  }
  return sum;
}

/* One cluster. Warp W of a CTA has the CTA's tile W. */
template <int CONNECTIVITY, int STEPS>
__global__ void
__launch_bounds__ (FINISH_THREADS, 1)
    finish_kernel (const __grid_constant__ CcaKernelArgs f, const __grid_constant__ PictureCopy copy)
{
  __shared__ FinishShared<CONNECTIVITY, STEPS> s;
  const uint32_t t = threadIdx.x, lane = t % 32, warp = t / 32, cta = blockIdx.x;
  const uint32_t tiles = f.tiles_x * f.tiles_y, share = ctr_div_up (tiles, gridDim.x);
  const uint32_t first = min (cta * share, tiles), own_tiles = min (share, tiles - first);
  const uint32_t tile = first + warp, tx = tile % f.tiles_x, ty = tile / f.tiles_x;
  const bool has_tile = warp < own_tiles;
  const bool limited = f.min_area > 1 || f.max_area;
  s.sums.clear ();
  ctr_let_next_start ();
  if (f.counts_tiles) {
    /* The run kernel's CTAs have all started. Its end would take longer to arrive than their counts. */
    if (t == 0)
      wait_for_arrivals (&f.counters->labelled, tiles);
    __syncthreads ();
  } else {
    ctr_wait_for_previous ();
  }
  const uint32_t closed = f.counters->closed, threshold = f.threshold_device ? *f.threshold_device : f.threshold;
  const uint32_t runs = f.counters->runs;
  const uint32_t crowded = f.counts_tiles ? 0 : f.counters->crowded; /* The run kernel of small frames has none. */
  constexpr uint32_t parts = SEAM_STEPS / STEPS;
  const uint32_t seam = cta * FINISH_WARPS + warp, seam_tile = seam / parts, first_step = seam % parts * STEPS;
  const bool has_seam = seam_tile < tiles;
  /* What is loaded here arrives with the seams. */
  TileHeader header = {};
  unsigned long long row_starts[TILE_H / 32] = {};
  if (has_tile) {
    header = f.by_tile.headers[tile];
    for (int i = 0; i < TILE_H / 32; i++)
      row_starts[i] = f.by_tile_row.starts[(size_t) tile * TILE_H + lane + 32 * i];
  }
  if (has_seam) {
    SeamCopy &c = s.by_warp[warp].seams;
    store_seams (c, load_seams (f, seam_tile));
    unite_seams<CONNECTIVITY, STEPS> (
        f, s.joins[warp],
        {(const uint32_t *) &c.right, (const uint32_t *) &c.left, c.right_component, c.left_component},
        {c.bottom, c.top, c.bottom_component, c.top_component}, [&] { return lane < 2 ? c.corner[lane] : Corner (); },
        seam_tile, first_step);
  }
  TileRows &rows = s.by_warp[warp].rows;
  for (int i = 0; i < TILE_H / 32; i++)
    rows.starts[lane + 32 * i] = has_closed (header) ? row_starts[i] : 0;
  if (lane == 0)
    s.headers[warp] = header;
  OpenSums own = {};
  if (lane < header.open)
    own = f.by_open_component.sums[tile * MAX_OPEN_COMPONENTS + lane];
  cluster_barrier ();

  uint32_t *starts = (uint32_t *) rows.starts;
  sum_tile (f, s.sums, starts, tile, header.open, own, limited);
  __syncthreads ();
  s.sums.template flush<false> (f, 0, 0);
  if (limited) {
    cluster_barrier ();
    mark_kept_roots (f, starts, tile, header.open);
  }
  __syncwarp ();
  const size_t first_cell = (size_t) ty * TILE_H * f.tiles_x + tx;
  for (uint32_t y = lane; has_tile && y < TILE_H; y += 32)
    f.by_image_row.counts[first_cell + y * f.tiles_x] = __popcll (rows.starts[y]);
  cluster_barrier ();

  const uint32_t warps = FINISH_WARPS / share, emitted = warp / warps; /* of a tile; tile of the CTA */
  const uint32_t emitter = t - emitted * warps * 32;
  FirstComponents first_components = {};
  if (emitted < own_tiles)
    first_components = load_first (f, s.headers[emitted], first + emitted, emitter);
  const uint32_t count = scan_counts (f, s.counts, tiles);
  for (uint32_t y = lane; has_tile && y < TILE_H; y += 32)
    rows.bases[y] = components_before (s.counts, first_cell + y * f.tiles_x);
  const CcaHeader result = {
      count, closed, threshold, count <= f.table.capacity && closed <= f.closed.capacity, crowded, 0, 0, runs};
  if (cta == 0 && t == 0) {
    *f.header = *f.host.header = result;
    *f.numbers = {result.rows_complete, count, 0};
    f.counters->closed = f.counters->crowded = f.counters->runs = f.counters->labelled = 0; /* for the next frame */
  }
  __syncthreads ();
  const bool early = is_early (f, result);
  if (emitted < own_tiles) {
    RowWriter writer (f, s.by_warp[emitted].rows, first + emitted, early);
    emit_tile<true> (f, writer, s.headers[emitted], first_components, first + emitted, emitter, warps * 32,
        [&] (const uint32_t *words) { writer.write_few_lone_runs (words, emitter, warps * 32); });
  }
  if (result.rows_complete && !early && count <= f.host.rows) {
    cluster_barrier ();
    copy_table<FINISH_THREADS> (f, count);
  }
  set_flag (f);
  if (copy.from && !result.rows_complete)
    delivery_keep (copy);
  if (f.counts_tiles)
    ctr_wait_for_previous ();
}

typedef void (*FinishKernel) (CcaKernelArgs, PictureCopy);

} // namespace

uint32_t
cca_finish_ctas ()
{
  const FinishKernel kernels[] = {
      finish_kernel<4, 1>, finish_kernel<4, SEAM_STEPS>, finish_kernel<8, 1>, finish_kernel<8, SEAM_STEPS>};
  return ctr_cluster_ctas (kernels, FINISH_THREADS);
}

uint32_t
cca_most_tiles_to_finish (uint32_t ctas)
{
  return ctas * FINISH_WARPS;
}

void
cca_launch_finish (
    const CcaKernelArgs &f, int connectivity, uint32_t ctas, const PictureCopy &copy, cudaStream_t stream)
{
  const bool split = f.tiles_x * f.tiles_y * SEAM_STEPS <= ctas * FINISH_WARPS;
  const FinishKernel kernel = connectivity == 8 ? split ? finish_kernel<8, 1> : finish_kernel<8, SEAM_STEPS>
                              : split ? finish_kernel<4, 1>
                                                : finish_kernel<4, SEAM_STEPS>;
  cudaLaunchAttribute attributes[2];
  const cudaLaunchConfig_t config = ctr_cluster_config (ctas, FINISH_THREADS, stream, attributes);
  ctr_launch_configured (config, kernel, f, copy);
}

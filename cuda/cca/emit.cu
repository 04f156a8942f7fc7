/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Component analysis: the table of components, in device memory and, if it is short, on the host. */
#include "cuda/cca/emit.cuh"
#include "cuda/common/ptx.cuh"

namespace
{

constexpr int SINGLE_THREADS = 128, SHARED_THREADS = 64; /* of a tile, alone in its CTA and together with others */
constexpr int MANY_TILES = 4;                            /* of a CTA in larger frames */
constexpr int CROWDED_THREADS = 256; /* of a tile with many components, so that L2 holds what all CTAs are writing */
/* Where few components start in each tile: lanes of a tile, tiles that a CTA has at once, its threads, and the most tiles of a band. */
constexpr uint32_t FEW_LANES = 16, BAND_TILES = 64, BAND_THREADS = BAND_TILES * FEW_LANES;
constexpr uint32_t MOST_BAND_TILES = 4 * BAND_TILES,
                   LEAST_BANDS = 32; /* Fewer would leave most multiprocessors idle. */

/* Brings HEADER to the host, and sets its flag behind all that this thread has written or learnt of. */
__device__ inline void
deliver_header (const CcaKernelArgs &f, const CcaHeader &header)
{
  *f.host.header = header;
  fence_system ();
  *(volatile uint32_t *) f.host.flag = 1;
}

/* Counts what a CTA has brought to the host, behind it. Of ALL the last one sets the flag. */
__device__ inline void
count_delivered (const CcaKernelArgs &f, const CcaHeader &header, uint32_t count, uint32_t all)
{
  if (count < all) {
    if (atomicAdd (&f.counters->emitted, count) + count < all)
      return;
    f.counters->emitted = 0;
  }
  deliver_header (f, header);
}

/* To be called by all threads of every CTA. */
__device__ inline void
finish_early (const CcaKernelArgs &f, const CcaHeader &header, bool has_rows)
{
  __syncthreads ();
  if (threadIdx.x != 0)
    return;
  if (has_rows)
    fence_system ();
  count_delivered (f, header, 1, gridDim.x);
}

/* Of the last kernel: what is left to do but for rows. Its first CTA has no tiles. Unless it BRINGS_ROWS to the host, that CTA tells the host of them at
 * once: a copy waits for this kernel. Returns whether this is that CTA. */
__device__ inline bool
end_frame (const CcaKernelArgs &f, const CcaHeader &header, bool brings_rows, const PictureCopy &copy)
{
  if (copy.from && !header.rows_complete)
    delivery_keep (copy);
  if (blockIdx.x > 0)
    return false;
  if (threadIdx.x == 0 && !brings_rows)
    deliver_header (f, header);
  return true;
}

/* A CTA for TILES tiles. Most have nothing to write where components are large, and a CTA takes longer to start than to find that
 * out. */
template <int TILES, uint32_t THREADS>
__global__ void
__launch_bounds__ (TILES *THREADS, ctr_shared_by (TILES *THREADS, TILES *THREADS == 256 ? 6 : 12))
    emit_kernel (const __grid_constant__ CcaKernelArgs f, const PictureCopy copy)
{
  __shared__ TileRows shared[TILES];
  __shared__ WriteList lists[TILES * THREADS / 32];
  TileRows &rows = shared[threadIdx.x / THREADS];
  WriteList &list = lists[threadIdx.x / 32];
  const uint32_t t = threadIdx.x % THREADS, tile = (blockIdx.x - f.emits_last) * TILES + threadIdx.x / THREADS;
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  TileHeader own = {};
  if (tile < f.tiles_x * f.tiles_y)
    own = f.by_tile.headers[tile];
  const CcaHeader header = *f.header;
  if (f.emits_last && end_frame (f, header, false, copy))
    return;
  const bool early = is_early (f, header), has_rows = own.marks & TILE_EMITS;
  FirstComponents first = {};
  if (has_rows) {
    if (t < 32)
      copy_rows<32> (f, tile, t, rows);
    copy_records (f, own, t, THREADS, list);
    if (t < own.open)
      first.key = load_parent (f.by_open_component.parents, tile * MAX_OPEN_COMPONENTS + t);
    copies_done ();
  }
  const bool any_has = __syncthreads_or (has_rows);
  if (has_rows) {
    RowWriter writer (f, rows, tile, early);
    write_records (f, writer, own, t, THREADS, list);
    emit_tile<false> (f, writer, own, first, tile, t, THREADS,
        [&] (const uint32_t *words) { writer.template write_lone_runs<THREADS> (words, t, list); });
  }
  if (early)
    finish_early (f, header, any_has);
}

/* Half a warp for each tile, of a large frame in which few components start in each. A CTA has a band, whose rows of the table follow one another, so
 * that it brings whole lines to the host. */
__global__ void
__launch_bounds__ (BAND_THREADS) emit_band_kernel (const __grid_constant__ CcaKernelArgs f, const PictureCopy copy)
{
  __shared__ TileRows shared[BAND_TILES];
  const uint32_t t = threadIdx.x % FEW_LANES, slot = threadIdx.x / FEW_LANES, band = blockIdx.x - f.emits_last;
  TileRows &rows = shared[slot];
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  TileHeader next = {};
  if (band < f.tiles_y && slot < f.tiles_x)
    next = load_header (f, band * f.tiles_x + slot);
  const CcaHeader header = *f.header;
  const bool brings_rows = f.emits_last && header.count && header.rows_complete && header.count <= f.host.rows;
  if (f.emits_last && end_frame (f, header, brings_rows, copy))
    return;
#pragma unroll 1
  for (uint32_t tx = slot; tx - slot % 2 < f.tiles_x; tx += BAND_TILES) {
    const uint32_t tile = band * f.tiles_x + tx;
    TileHeader own = next;
    next = {};
    if (tx + BAND_TILES < f.tiles_x)
      next = load_header (f, tile + BAND_TILES);
    const bool has_rows = own.marks & TILE_EMITS;
    if (!__any_sync (~0u, has_rows))
      continue;
    if (has_rows)
      copy_rows<FEW_LANES> (f, tile, t, rows);
    else
      own = {};
    const FirstComponents first = load_first (f, own, tile, t);
    copies_done ();
    __syncwarp ();
    RowWriter writer (f, rows, tile, false);
    emit_tile<true> (f, writer, own, first, tile, t, FEW_LANES,
        [&] (const uint32_t *words) { writer.write_few_lone_runs (words, t, FEW_LANES); });
    __syncwarp ();
  }
  if (!brings_rows)
    return;
  const uint32_t count = (uint32_t) f.by_band.counts[band];
  if (count == 0)
    return;
  const uint32_t first = f.by_tile_row.table_rows[(size_t) band * f.tiles_x * TILE_H];
  __syncthreads ();
  static_assert (sizeof (CtrComponent) == 2 * sizeof (uint4), "two words of 16 bytes");
  for (uint32_t i = threadIdx.x; i < 2 * count; i += BAND_THREADS)
    ((uint4 *) &f.host.components[first])[i] = ((const uint4 *) &f.table.components[first])[i];
  __syncthreads ();
  if (threadIdx.x != 0)
    return;
  if (count < header.count)
    fence_system ();
  count_delivered (f, header, count, header.count);
}

} // namespace

bool
cca_emits_by_bands (const CcaKernelArgs &f, bool few)
{
  return few && f.tiles_x <= MOST_BAND_TILES && f.tiles_y >= LEAST_BANDS;
}

void
cca_launch_emit (
    const CcaKernelArgs &f, bool few, bool crowded, const PictureCopy &copy, bool overlap, cudaStream_t stream)
{
  const unsigned tiles = f.tiles_x * f.tiles_y, last = f.emits_last;
  if (tiles <= SMALL_FRAME) /* each tile has a CTA of its own, which all run at once */
    ctr_launch_overlapped (overlap, emit_kernel<1, SINGLE_THREADS>, tiles + last, SINGLE_THREADS, 0, stream, f, copy);
  else if (cca_emits_by_bands (f, few))
    ctr_launch_overlapped (overlap, emit_band_kernel, f.tiles_y + last, BAND_THREADS, 0, stream, f, copy);
  else if (crowded)
    ctr_launch_overlapped (overlap, emit_kernel<1, CROWDED_THREADS>, tiles + last, CROWDED_THREADS, 0, stream, f, copy);
  else
    ctr_launch_overlapped (overlap, emit_kernel<MANY_TILES, SHARED_THREADS>, ctr_div_up (tiles, MANY_TILES) + last,
        MANY_TILES * SHARED_THREADS, 0, stream, f, copy);
}

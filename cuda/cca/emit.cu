/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Component analysis: the table of components, in device memory and, if it is short, on the host. */
#include "cuda/cca/emit.cuh"
#include "cuda/common/ptx.cuh"

namespace
{

constexpr int SINGLE_THREADS = 128, SHARED_THREADS = 64; /* of a tile, alone in its CTA and together with others */
constexpr int MANY_TILES = 4;                            /* of a CTA in larger frames */
constexpr uint32_t FEW_TILES = 32, FEW_LANES = 16; /* of a CTA, and of a tile, where few components start in each */

/* To be called by all threads of every CTA. The last CTA sets the host's flag behind the rows of all. */
__device__ inline void
finish_early (const CcaKernelArgs &f, const CcaHeader &header, bool has_rows)
{
  __syncthreads ();
  if (threadIdx.x != 0)
    return;
  if (has_rows)
    fence_system ();
  if (atomicAdd (&f.counters->emitted, 1) != gridDim.x - 1)
    return;
  f.counters->emitted = 0;
  *f.host.header = header;
  fence_system ();
  *(volatile uint32_t *) f.host.flag = 1;
}

/* A CTA for TILES tiles. Most have nothing to write where components are large, and a CTA takes longer to start than to find that
 * out. */
template <int TILES, uint32_t THREADS>
__global__ void
__launch_bounds__ (TILES *THREADS, ctr_shared_by (TILES *THREADS, TILES *THREADS == 256 ? 6 : 12))
    emit_kernel (const __grid_constant__ CcaKernelArgs f)
{
  __shared__ TileRows shared[TILES];
  __shared__ WriteList lists[TILES * THREADS / 32];
  TileRows &rows = shared[threadIdx.x / THREADS];
  WriteList &list = lists[threadIdx.x / 32];
  const uint32_t t = threadIdx.x % THREADS, tile = blockIdx.x * TILES + threadIdx.x / THREADS;
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  TileHeader own = {};
  if (TILES == 1 || tile < f.tiles_x * f.tiles_y)
    own = f.by_tile.headers[tile];
  const CcaHeader header = *f.header;
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

/* Half a warp for each tile, of a large frame in which few components start in each. */
__global__ void
__launch_bounds__ (FEW_TILES *FEW_LANES, ctr_shared_by (FEW_TILES *FEW_LANES, 3))
    emit_few_kernel (const __grid_constant__ CcaKernelArgs f)
{
  __shared__ TileRows shared[FEW_TILES];
  const uint32_t t = threadIdx.x % FEW_LANES, tile = blockIdx.x * FEW_TILES + threadIdx.x / FEW_LANES;
  TileRows &rows = shared[threadIdx.x / FEW_LANES];
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  TileHeader own = {};
  if (tile < f.tiles_x * f.tiles_y)
    own = load_header (f, tile);
  const bool has_rows = own.marks & TILE_EMITS;
  if (!__any_sync (~0u, has_rows))
    return;
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
}

} // namespace

void
cca_launch_emit (const CcaKernelArgs &f, bool few, bool overlap, cudaStream_t stream)
{
  const unsigned tiles = f.tiles_x * f.tiles_y;
  if (few && !f.host.flag)
    ctr_launch_overlapped (
        overlap, emit_few_kernel, ctr_div_up (tiles, FEW_TILES), FEW_TILES * FEW_LANES, 0, stream, f);
  else if (tiles <= SMALL_FRAME) /* each tile has a CTA of its own, which all run at once */
    ctr_launch_overlapped (overlap, emit_kernel<1, SINGLE_THREADS>, tiles, SINGLE_THREADS, 0, stream, f);
  else
    ctr_launch_overlapped (overlap, emit_kernel<MANY_TILES, SHARED_THREADS>, ctr_div_up (tiles, MANY_TILES),
        MANY_TILES * SHARED_THREADS, 0, stream, f);
}

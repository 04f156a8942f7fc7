/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Component analysis: the table of components, in device memory and, if it is short, on the host. */
#include "cuda/cca/emit.cuh"
#include "cuda/common/ptx.cuh"

namespace
{

constexpr int SINGLE_THREADS = 128, SHARED_THREADS = 64; /* of a tile, alone in its CTA and together with others */
constexpr unsigned MAX_SINGLE_TILES =
    2048;                     /* up to 16 megapixels each tile has a CTA of its own, which all run at once */
constexpr int MANY_TILES = 4; /* of a CTA in larger frames */

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
__launch_bounds__ (TILES *THREADS) emit_kernel (const __grid_constant__ CcaKernelArgs f)
{
  static_assert (THREADS >= TILE_H, "a thread a row");
  __shared__ TileRows shared[TILES];
  __shared__ LoneList lists[TILES * THREADS / 32];
  TileRows &rows = shared[threadIdx.x / THREADS];
  const uint32_t t = threadIdx.x % THREADS, tile = blockIdx.x * TILES + threadIdx.x / THREADS;
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  TileHeader own = {};
  if (TILES == 1 || tile < f.tiles_x * f.tiles_y)
    own = f.by_tile.headers[tile];
  const CcaHeader header = *f.header;
  const bool early = is_early (f, header), has_rows = own.marks & TILE_EMITS;
  if (has_rows && t < TILE_H) {
    const uint32_t tx = tile % f.tiles_x, ty = tile / f.tiles_x;
    rows.starts[t] = f.by_tile_row.starts[(size_t) tile * TILE_H + t];
    rows.bases[t] = f.by_image_row.table_rows[((size_t) ty * TILE_H + t) * f.tiles_x + tx];
  }
  const bool any_has = __syncthreads_or (has_rows);
  if (has_rows) {
    RowWriter writer (f, rows, tile, early);
    emit_tile<false> (f, writer, own, {}, tile, t, THREADS,
        [&] (const uint32_t *words) { writer.template write_lone_runs<THREADS> (words, t, lists[threadIdx.x / 32]); });
  }
  if (early)
    finish_early (f, header, any_has);
}

} // namespace

void
cca_launch_emit (const CcaKernelArgs &f, bool overlap, cudaStream_t stream)
{
  const unsigned tiles = f.tiles_x * f.tiles_y;
  if (tiles <= MAX_SINGLE_TILES)
    ctr_launch_overlapped (overlap, emit_kernel<1, SINGLE_THREADS>, tiles, SINGLE_THREADS, 0, stream, f);
  else
    ctr_launch_overlapped (overlap, emit_kernel<MANY_TILES, SHARED_THREADS>, ctr_div_up (tiles, MANY_TILES),
        MANY_TILES * SHARED_THREADS, 0, stream, f);
}

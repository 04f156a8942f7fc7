/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Component analysis: the table of components, in device memory and, if it is short, on the host. */
#include "cuda/cca/emit.cuh"
#include "cuda/common/ptx.cuh"

namespace
{

constexpr int EMIT_THREADS = 128;

/* To be called by all threads of every CTA. The last CTA sets the host's flag behind the rows of all. */
__device__ inline void
finish_early (const CcaKernelArgs &f, const CcaHeader &header, bool has_rows)
{
  __syncthreads ();
  if (threadIdx.x != 0)
    return;
  if (has_rows)
    fence_system ();
  if (atomicAdd (&f.counters->emitted, 1) != gridDim.x * gridDim.y - 1)
    return;
  f.counters->emitted = 0;
  *f.host.header = header;
  fence_system ();
  *(volatile uint32_t *) f.host.flag = 1;
}

/* A CTA a tile. */
__global__ void
__launch_bounds__ (EMIT_THREADS) emit_kernel (const __grid_constant__ CcaKernelArgs f)
{
  __shared__ TileRows rows;
  const uint32_t t = threadIdx.x, tx = blockIdx.x, ty = blockIdx.y, tile = ty * f.tiles_x + tx;
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  const TileHeader tile_header = f.by_tile.headers[tile];
  const CcaHeader header = *f.header;
  const bool early = is_early (f, header), has_rows = tile_header.open || tile_header.closed;
  if (has_rows) {
    if (t < TILE_H) {
      rows.starts[t] = f.by_tile_row.starts[(size_t) tile * TILE_H + t];
      rows.bases[t] = f.by_image_row.table_rows[((size_t) ty * TILE_H + t) * f.tiles_x + tx];
    }
    __syncthreads ();
    emit_tile<false> (f, rows, tile_header, {}, tile, early, t, EMIT_THREADS);
  }
  if (early)
    finish_early (f, header, has_rows);
}

} // namespace

void
cca_launch_emit (const CcaKernelArgs &f, bool overlap, cudaStream_t stream)
{
  ctr_launch_overlapped (overlap, emit_kernel, dim3 (f.tiles_x, f.tiles_y), EMIT_THREADS, 0, stream, f);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Component analysis: the table of components, in device memory and, if it is short, on the host. */
#include "cuda/cca/emit.cuh"
#include "cuda/common/ptx.cuh"

namespace
{

constexpr int EMIT_THREADS = 128;
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

/* A CTA for TILES tiles. Most have nothing to write where components are large, and a CTA takes longer to start than to find
 * that out. */
template <int TILES>
__global__ void
__launch_bounds__ (EMIT_THREADS) emit_kernel (const __grid_constant__ CcaKernelArgs f)
{
  __shared__ TileRows rows[TILES];
  const uint32_t t = threadIdx.x, first = blockIdx.x * TILES, tiles = f.tiles_x * f.tiles_y;
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  bool emits[TILES], has_rows = false;
#pragma unroll
  for (int i = 0; i < TILES; i++)
    emits[i] = first + i < tiles && f.by_tile.headers[first + i].marks & TILE_EMITS;
  const CcaHeader header = *f.header;
  const bool early = is_early (f, header);
#pragma unroll
  for (int i = 0; i < TILES; i++) {
    const uint32_t tile = first + i;
    has_rows = has_rows || emits[i];
    if (emits[i] && t / TILE_H == i % (EMIT_THREADS / TILE_H)) {
      const uint32_t y = t % TILE_H, tx = tile % f.tiles_x, ty = tile / f.tiles_x;
      rows[i].starts[y] = f.by_tile_row.starts[(size_t) tile * TILE_H + y];
      rows[i].bases[y] = f.by_image_row.table_rows[((size_t) ty * TILE_H + y) * f.tiles_x + tx];
    }
  }
  if (has_rows) {
    __syncthreads ();
#pragma unroll 1
    for (uint32_t i = 0; i < min ((uint32_t) TILES, tiles - first); i++) {
      const TileHeader tile_header = f.by_tile.headers[first + i];
      if (tile_header.marks & TILE_EMITS)
        emit_tile<false> (f, rows[i], tile_header, {}, first + i, early, t, EMIT_THREADS);
    }
  }
  if (early)
    finish_early (f, header, has_rows);
}

} // namespace

void
cca_launch_emit (const CcaKernelArgs &f, bool overlap, cudaStream_t stream)
{
  const unsigned tiles = f.tiles_x * f.tiles_y;
  if (tiles <= MAX_SINGLE_TILES)
    ctr_launch_overlapped (overlap, emit_kernel<1>, tiles, EMIT_THREADS, 0, stream, f);
  else
    ctr_launch_overlapped (
        overlap, emit_kernel<MANY_TILES>, ctr_div_up (tiles, MANY_TILES), EMIT_THREADS, 0, stream, f);
}

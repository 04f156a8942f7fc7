/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Component analysis: the table of components, in device memory and, if it is short, on the host. */
#include "cuda/cca/device_state.cuh"

namespace
{

constexpr int EMIT_THREADS = 128;

/* What a CTA of the emit kernel shares: its tile's rows, as by_tile_row.starts and by_image_row.table_rows. */
struct EmitShared {
  unsigned long long starts[TILE_H];
  uint32_t bases[TILE_H];
};

/* Writes the table rows of the components that start in a tile, a CTA a tile. EARLY: to the host, too. */
__device__ inline void
emit_tile (const CcaKernelArgs &f, EmitShared &s, const TileHeader &header, uint32_t tile, uint32_t tx, uint32_t ty,
    bool early)
{
  const uint32_t t = threadIdx.x, tile_x = tx * TILE_W, tile_y = ty * TILE_H;
  if (t < TILE_H) {
    s.starts[t] = f.by_tile_row.starts[(size_t) tile * TILE_H + t];
    s.bases[t] = f.by_image_row.table_rows[((size_t) ty * TILE_H + t) * f.tiles_x + tx];
  }
  __syncthreads ();

  /* The table row of the component that starts at column X of row Y of the tile; ~0 if the area limits drop it. */
  auto table_row = [&] (uint32_t x, uint32_t y) {
    unsigned long long bit = 1ull << x / 2;
    return s.starts[y] & bit ? s.bases[y] + __popcll (s.starts[y] & (bit - 1)) : ~0u;
  };
  auto write = [&] (uint32_t row, const CtrComponent &component) {
    if (row >= f.table.capacity)
      return;
    const uint4 *from = (const uint4 *) &component;
    uint4 *to = (uint4 *) &f.table.components[row];
    to[0] = from[0];
    to[1] = from[1];
    if (early) {
      to = (uint4 *) &f.early.components[row];
      to[0] = from[0];
      to[1] = from[1];
    }
    if (f.by_table_row.moments)
      f.by_table_row.moments[row] = {0, 0, 0};
    if (f.by_table_row.grey)
      f.by_table_row.grey[row] = {0, 0, 0xffff, 0, 0};
  };

  const uint32_t records =
      header.closed_base < f.closed.capacity ? min (header.closed, f.closed.capacity - header.closed_base) : 0;
  for (uint32_t i = t; i < records; i += EMIT_THREADS) {
    const ClosedRecord r = unpack_closed (__ldcs (&f.closed.records[header.closed_base + i]));
    CtrComponent c;
    c.sum_x = (uint64_t) r.area * tile_x + r.sum_x;
    c.sum_y = (uint64_t) r.area * tile_y + r.sum_y;
    c.area = r.area;
    c.left = tile_x + r.left;
    c.top = tile_y + r.start_y;
    c.width = r.right - r.left + 1;
    c.height = r.bottom - r.start_y + 1;
    c.start_x = tile_x + r.start_x;
    c.reserved = 0;
    write (table_row (r.start_x, r.start_y), c);
  }
  for (uint32_t i = t; i < header.open; i += EMIT_THREADS) {
    const uint32_t component = tile * MAX_OPEN_COMPONENTS + i;
    const OpenKey key = f.by_open_component.parents[component];
    if ((uint32_t) key != component)
      continue;
    const OpenSums &n = f.by_open_component.sums[component];
    const uint32_t y = key >> 48, x = key >> 32 & 0xffff;
    CtrComponent c;
    c.sum_x = n.sum_x;
    c.sum_y = n.sum_y;
    c.area = n.area;
    c.left = n.left;
    c.top = y;
    c.width = n.right - n.left + 1;
    c.height = n.bottom - y + 1;
    c.start_x = x;
    c.reserved = 0;
    const uint32_t row = table_row (x - tile_x, y - tile_y);
    write (row, c);
    if (f.by_open_root.labels)
      f.by_open_root.labels[component] = row + 1; /* 0: dropped */
  }
}

/* To be called by all threads of every CTA. The last CTA sets the host's flag behind the rows of all. */
__device__ inline void
finish_early (const CcaKernelArgs &f, const CcaHeader &header, bool has_rows)
{
  __syncthreads ();
  if (threadIdx.x != 0)
    return;
  if (has_rows)
    __threadfence_system ();
  if (atomicAdd (&f.counters->emitted, 1) != gridDim.x * gridDim.y - 1)
    return;
  f.counters->emitted = 0;
  *f.early.header = header;
  __threadfence_system ();
  *(volatile uint32_t *) f.early.flag = 1;
}

__global__ void
__launch_bounds__ (EMIT_THREADS) emit_kernel (const __grid_constant__ CcaKernelArgs f)
{
  __shared__ EmitShared s;
  const uint32_t tx = blockIdx.x, ty = blockIdx.y, tile = ty * f.tiles_x + tx;
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  const TileHeader tile_header = f.by_tile.headers[tile];
  const CcaHeader header = *f.header;
  const bool early = is_early (f, header), has_rows = tile_header.open || tile_header.closed;
  if (has_rows)
    emit_tile (f, s, tile_header, tile, tx, ty, early);
  if (early)
    finish_early (f, header, has_rows);
}

} // namespace

void
cca_launch_emit (const CcaKernelArgs &f, bool overlap, cudaStream_t stream)
{
  ctr_launch_overlapped (overlap, emit_kernel, dim3 (f.tiles_x, f.tiles_y), EMIT_THREADS, 0, stream, f);
}

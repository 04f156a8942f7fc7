/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From components to rows of the table. */
#ifndef CTR_CUDA_CCA_EMIT_CUH
#define CTR_CUDA_CCA_EMIT_CUH

#include "cuda/cca/open_sums.cuh"

namespace
{

/* What the components of a tile need to find their rows, as by_tile_row.starts and by_image_row.table_rows. */
struct TileRows {
  unsigned long long starts[TILE_H];
  uint32_t bases[TILE_H];
};

/* A thread's first closed and its first open component. */
struct FirstComponents {
  uint4 record;
  OpenKey key;
  OpenSums sums;
};

/* How many closed components of a tile have records? */
__device__ inline uint32_t
count_records (const CcaKernelArgs &f, const TileHeader &header)
{
  return header.closed_base < f.closed.capacity ? min (header.closed, f.closed.capacity - header.closed_base) : 0;
}

/* Loads what emit_tile() needs first of all, while the caller still finds the tile's rows. */
__device__ inline FirstComponents
load_first (const CcaKernelArgs &f, const TileHeader &header, uint32_t tile, uint32_t t)
{
  FirstComponents first = {};
  if (t < count_records (f, header))
    first.record = __ldcs (&f.closed.records[header.closed_base + t]);
  if (t < header.open) {
    const uint32_t component = tile * MAX_OPEN_COMPONENTS + t;
    first.key = load_parent (f.by_open_component.parents, component);
    first.sums = load_sums (&f.by_open_component.sums[component]);
  }
  return first;
}

/* Writes the table rows of the components that start in a tile, by THREADS threads, of which this one is number T. ROWS:
 * in shared memory. EARLY: to the host, too. LOADED: FIRST has been loaded. */
template <bool LOADED>
__device__ inline void
emit_tile (const CcaKernelArgs &f, const TileRows &rows, const TileHeader &header, const FirstComponents &first,
    uint32_t tile, bool early, uint32_t t, uint32_t threads)
{
  const uint32_t tile_x = tile % f.tiles_x * TILE_W, tile_y = tile / f.tiles_x * TILE_H;

  /* The table row of the component that starts at column X of row Y of the tile; ~0 if the area limits drop it. */
  auto table_row = [&] (uint32_t x, uint32_t y) {
    unsigned long long bit = 1ull << x / 2;
    return rows.starts[y] & bit ? rows.bases[y] + __popcll (rows.starts[y] & (bit - 1)) : ~0u;
  };
  auto write = [&] (uint32_t row, const CtrComponent &component) {
    if (row >= f.table.capacity)
      return;
    const uint4 *from = (const uint4 *) &component;
    uint4 *to = (uint4 *) &f.table.components[row];
    to[0] = from[0];
    to[1] = from[1];
    if (early) {
      to = (uint4 *) &f.host.components[row];
      to[0] = from[0];
      to[1] = from[1];
    }
    if (f.by_table_row.moments)
      f.by_table_row.moments[row] = {0, 0, 0};
    if (f.by_table_row.grey)
      f.by_table_row.grey[row] = {0, 0, 0xffff, 0, 0};
  };

  const uint32_t records = count_records (f, header);
  for (uint32_t i = t; i < records; i += threads) {
    const ClosedRecord r =
        unpack_closed (LOADED && i == t ? first.record : __ldcs (&f.closed.records[header.closed_base + i]));
    CtrComponent c;
    c.sum_x = (uint64_t) r.area * tile_x + r.sum_x;
    c.sum_y = (uint64_t) r.area * tile_y + r.sum_y;
    c.area = r.area;
    c.left = tile_x + r.left;
    c.top = tile_y + r.start_y;
    c.width = r.right - r.left + 1;
    c.height = r.bottom - r.start_y + 1;
    c.start_x = tile_x + r.start_x;
    c.value = 0;
    write (table_row (r.start_x, r.start_y), c);
  }
  if (header.marks & TILE_HAS_LONE)
    for (uint32_t i = t; i < TILE_THREADS; i += threads) {
      const uint32_t *words = f.by_tile.lone[tile].words;
      const uint32_t word = i % TILE_WORDS, y = i / TILE_WORDS;
      uint32_t rest = __ldcs (&words[i]);
      const uint32_t before = __shfl_up_sync (~0u, rest, 1); /* the first lane has the first word of a row */
      if (word && before >> 31)
        rest &= rest + 1; /* the end of a run that starts there */
      while (rest) {
        const uint32_t low = rest & -rest, others = rest & (rest + low);
        const uint32_t x = word * 32 + __ffs (low) - 1;
        uint32_t length = __popc (rest ^ others);
        rest = others;
        if (x % 32 + length == 32)
          for (uint32_t k = word + 1; k < TILE_WORDS; k++) {
            const uint32_t gaps = ~words[i - word + k];
            length += gaps ? __ffs (gaps) - 1 : 32;
            if (gaps)
              break;
          }
        CtrComponent c;
        c.sum_x = length * tile_x + length * (2 * x + length - 1) / 2;
        c.sum_y = (uint64_t) length * (tile_y + y);
        c.area = c.width = length;
        c.left = c.start_x = tile_x + x;
        c.top = tile_y + y;
        c.height = 1;
        c.value = 0;
        write (table_row (x, y), c);
      }
    }
  for (uint32_t i = t; i < header.open; i += threads) {
    const uint32_t component = tile * MAX_OPEN_COMPONENTS + i;
    const OpenKey key = LOADED && i == t ? first.key : load_parent (f.by_open_component.parents, component);
    if ((uint32_t) key != component)
      continue;
    const OpenSums n = LOADED && i == t ? first.sums : load_sums (&f.by_open_component.sums[component]);
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
    c.value = 0;
    const uint32_t row = table_row (x - tile_x, y - tile_y);
    write (row, c);
    if (f.by_open_root.labels)
      f.by_open_root.labels[component] = row + 1; /* 0: dropped */
  }
}

} // namespace

#endif

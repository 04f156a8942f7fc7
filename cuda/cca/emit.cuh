/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From components to rows of the table. */
#ifndef CTR_CUDA_CCA_EMIT_CUH
#define CTR_CUDA_CCA_EMIT_CUH

#include "cuda/cca/open_sums.cuh"
#include "cuda/common/ptx.cuh"

namespace
{

/* What the components of a tile need to find their rows, as by_tile_row. */
struct alignas (16) TileRows {
  unsigned long long starts[TILE_H];
  uint32_t bases[TILE_H];
};

/* Begins to copy them, by LANES lanes, 16 or 32, of which this one is number T. */
template <uint32_t LANES>
__device__ inline void
copy_rows (const CcaKernelArgs &f, uint32_t tile, uint32_t t, TileRows &rows)
{
  static_assert (sizeof rows.starts == 32 * 16 && sizeof rows.bases == 16 * 16, "a lane has 16 bytes");
  const size_t first = (size_t) tile * TILE_H;
#pragma unroll
  for (uint32_t i = t; i < 32; i += LANES)
    copy_16 (&rows.starts[2 * i], &f.by_tile_row.starts[first + 2 * i]);
  if (t < 16)
    copy_16 (&rows.bases[4 * t], &f.by_tile_row.table_rows[first + 4 * t]);
}

/* All of a tile's header at once: of single words the compiler loads some only when the others have come. */
__device__ inline TileHeader
load_header (const CcaKernelArgs &f, uint32_t tile)
{
  const uint4 words = load_16 (&f.by_tile.headers[tile]);
  return {words.x, words.y, words.z, words.w};
}

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

/* What a warp is about to write. */
union WriteList {
  static constexpr uint32_t RECORDS = 8; /* of a lane */
  uint4 records[RECORDS * 32];
  uint32_t runs[2 * 32 * 16]; /* lone ones of two turns: length << 16 | y << 7 | x */
};

/* The table rows of the components that start in a tile, written by some warps. The whole warp calls all functions. EARLY: to the host, too.
 * ROWS: in shared memory. */
struct RowWriter {
  const CcaKernelArgs &f;
  const TileRows &rows;
  const uint32_t tile_x, tile_y, lane;
  const bool early;

  __device__
  RowWriter (const CcaKernelArgs &frame, const TileRows &tile_rows, uint32_t tile, bool is_early)
      : f (frame), rows (tile_rows), tile_x (tile % frame.tiles_x * TILE_W), tile_y (tile / frame.tiles_x * TILE_H),
        lane (threadIdx.x % 32), early (is_early)
  {
  }

  /* The table row of the component that starts at column X of row Y of the tile; ~0 if the area limits drop it. */
  __device__ uint32_t
  table_row (uint32_t x, uint32_t y) const
  {
    const unsigned long long bit = 1ull << x / 2;
    return rows.starts[y] & bit ? rows.bases[y] + __popcll (rows.starts[y] & (bit - 1)) : ~0u;
  }

  /* Two lanes write the component of one, then that of the other, so that memory receives whole sectors. */
  __device__ static void
  store (CtrComponent *table, uint32_t capacity, uint32_t even_row, uint32_t odd_row, const uint4 &of_even,
      const uint4 &of_odd, uint32_t half)
  {
    if (even_row < capacity)
      ((uint4 *) &table[even_row])[half] = of_even;
    if (odd_row < capacity)
      ((uint4 *) &table[odd_row])[half] = of_odd;
  }

  /* ROW: ~0 if the lane has none. */
  __device__ void
  write (uint32_t row, const CtrComponent &component)
  {
    const uint4 *own = (const uint4 *) &component;
    const bool odd = lane & 1;
    uint4 other = odd ? own[0] : own[1];
    other.x = __shfl_xor_sync (~0u, other.x, 1);
    other.y = __shfl_xor_sync (~0u, other.y, 1);
    other.z = __shfl_xor_sync (~0u, other.z, 1);
    other.w = __shfl_xor_sync (~0u, other.w, 1);
    const uint32_t other_row = __shfl_xor_sync (~0u, row, 1);
    const uint32_t even_row = odd ? other_row : row, odd_row = odd ? row : other_row;
    const uint4 of_even = odd ? other : own[0], of_odd = odd ? own[1] : other;
    store (f.table.components, f.table.capacity, even_row, odd_row, of_even, of_odd, odd);
    if (early)
      store (f.host.components, f.table.capacity, even_row, odd_row, of_even, of_odd, odd);
    if (row >= f.table.capacity)
      return;
    if (f.by_table_row.moments)
      f.by_table_row.moments[row] = {0, 0, 0};
    if (f.by_table_row.grey)
      f.by_table_row.grey[row] = {0, 0, 0xffff, 0, 0};
  }

  __device__ void
  write_closed (bool has, const uint4 &packed)
  {
    const ClosedRecord r = unpack_closed (packed);
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
    write (has ? table_row (r.start_x, r.start_y) : ~0u, c);
  }

  __device__ void
  write_lone (bool has, uint32_t run)
  {
    const uint32_t length = run >> 16, x = run & 127, y = run >> 7 & (TILE_H - 1);
    CtrComponent c;
    c.sum_x = length * tile_x + length * (2 * x + length - 1) / 2;
    c.sum_y = (uint64_t) length * (tile_y + y);
    c.area = c.width = length;
    c.left = c.start_x = tile_x + x;
    c.top = tile_y + y;
    c.height = 1;
    c.value = 0;
    write (has ? table_row (x, y) : ~0u, c);
  }

  __device__ void
  write_open (bool has, uint32_t component, OpenKey key, const OpenSums &n)
  {
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
    const uint32_t row = has ? table_row (x - tile_x, y - tile_y) : ~0u;
    write (row, c);
    if (has && f.by_open_root.labels)
      f.by_open_root.labels[component] = row + 1; /* 0: dropped */
  }

  /* The first lone run of *REST, what is left of word I, with BEYOND as length_beyond() has it; takes it out of *REST. */
  __device__ static uint32_t
  take_lone_run (uint32_t i, uint32_t beyond, uint32_t *rest)
  {
    const uint32_t column = i % TILE_WORDS, y = i / TILE_WORDS;
    const uint32_t low = *rest & -*rest, others = *rest & (*rest + low), x = column * 32 + __ffs (low) - 1;
    const uint32_t piece = *rest ^ others;
    *rest = others;
    return (__popc (piece) + (piece >> 31 ? beyond : 0)) << 16 | y << 7 | x;
  }

  /* WORD without the end of a run that starts in the word before. */
  __device__ static uint32_t
  without_end (uint32_t i, uint32_t word)
  {
    const uint32_t before = __shfl_up_sync (~0u, word, 1); /* the first lane has the first word of a row */
    return i % TILE_WORDS && before >> 31 ? word & (word + 1) : word;
  }

  /* How many pixels of words behind this one belong to its last lone run, if that reaches the word's end. The lane has WORD, number I, the next
   * ones have those behind it. */
  __device__ static uint32_t
  length_beyond (uint32_t i, uint32_t word)
  {
    const bool has_next = i % TILE_WORDS < TILE_WORDS - 1;
    const uint32_t gaps = ~word, own = gaps ? __ffs (gaps) - 1 : 32, next = __shfl_down_sync (~0u, own, 1);
    uint32_t beyond = has_next ? next : 0;
#pragma unroll
    for (int k = 2; k < TILE_WORDS; k++) {
      const uint32_t beyond_next = __shfl_down_sync (~0u, beyond, 1);
      beyond = has_next ? next + (next == 32 ? beyond_next : 0) : 0;
    }
    return beyond;
  }

  /* The lone runs by THREADS threads, of which this one is number T: each those of its words. WORDS: NULL if there are none. */
  __device__ void
  write_few_lone_runs (const uint32_t *words, uint32_t t, uint32_t threads)
  {
    for (uint32_t i = t; i < TILE_THREADS; i += threads) {
      const uint32_t word = words ? __ldcs (&words[i]) : 0, beyond = length_beyond (i, word);
      for (uint32_t rest = without_end (i, word); __any_sync (~0u, rest);) {
        const bool has = rest;
        write_lone (has, has ? take_lone_run (i, beyond, &rest) : 0);
      }
    }
  }

  /* The lone runs by THREADS threads, of which this one is number T. Those of 64 words are listed first, so that neighbouring lanes have
   * neighbouring rows of the table. */
  template <uint32_t THREADS>
  __device__ void
  write_lone_runs (const uint32_t *words, uint32_t t, WriteList &list)
  {
    constexpr uint32_t turns = TILE_THREADS / THREADS, at_once = turns > 1 ? 2 : 1;
    uint32_t loaded[turns];
#pragma unroll
    for (uint32_t turn = 0; turn < turns; turn++)
      loaded[turn] = __ldcs (&words[turn * THREADS + t]);
#pragma unroll
    for (uint32_t turn = 0; turn < turns; turn += at_once) {
      const uint32_t i[2] = {turn * THREADS + t, (turn + 1) * THREADS + t};
      uint32_t rest[at_once], beyond[at_once], counts = 0; /* of the second turn << 16 */
#pragma unroll
      for (uint32_t k = 0; k < at_once; k++) {
        rest[k] = without_end (i[k], loaded[turn + k]);
        beyond[k] = length_beyond (i[k], loaded[turn + k]);
        counts |= __popc (rest[k] & ~(rest[k] << 1)) << 16 * k;
      }
      const uint32_t sums = sum_of_lanes (counts), all = __shfl_sync (~0u, sums, 31);
      const uint32_t first_turn = all & 0xffff, both = first_turn + (all >> 16), before = sums - counts;
      uint32_t next[2] = {before & 0xffff, first_turn + (before >> 16)};
#pragma unroll
      for (uint32_t k = 0; k < at_once; k++)
        while (rest[k])
          list.runs[next[k]++] = take_lone_run (i[k], beyond[k], &rest[k]);
      __syncwarp ();
#pragma unroll 1
      for (uint32_t k = lane; k - lane < both; k += 32)
        write_lone (k < both, list.runs[k]);
      __syncwarp ();
    }
  }
};

/* Begins to copy the tile's records from FIRST on to LIST, THREADS apart. */
__device__ inline void
copy_records (const CcaKernelArgs &f, const TileHeader &header, uint32_t first, uint32_t threads, WriteList &list)
{
  const uint32_t records = count_records (f, header);
#pragma unroll
  for (uint32_t k = 0; k < WriteList::RECORDS; k++)
    if (first + k * threads < records)
      copy_16 (&list.records[k * 32 + first % 32], &f.closed.records[header.closed_base + first + k * threads]);
}

/* Writes the rows of closed components with records, by THREADS threads, of which this one is number T. The first records have been copied. */
__device__ inline void
write_records (
    const CcaKernelArgs &f, RowWriter &writer, const TileHeader &header, uint32_t t, uint32_t threads, WriteList &list)
{
  constexpr uint32_t most = WriteList::RECORDS;
  const uint32_t lane = t % 32, records = count_records (f, header);
#pragma unroll 1
  for (uint32_t first = t; first - lane < records; first += most * threads) {
    if (first != t) {
      copy_records (f, header, first, threads, list);
      copies_done ();
    }
#pragma unroll 1
    for (uint32_t k = 0; k < most && first - lane + k * threads < records; k++)
      writer.write_closed (first + k * threads < records, list.records[k * 32 + lane]);
  }
  __syncwarp ();
}

/* Writes the table rows of the components that start in a tile, by THREADS threads, of which this one is number T. LOADED: FIRST has been
 * loaded; otherwise its key, and records have been written. Half a warp may have a tile. */
template <bool LOADED, typename WriteLoneRuns>
__device__ inline void
emit_tile (const CcaKernelArgs &f, RowWriter &writer, const TileHeader &header, const FirstComponents &first,
    uint32_t tile, uint32_t t, uint32_t threads, const WriteLoneRuns &write_lone_runs)
{
  if (LOADED) {
    const uint32_t records = count_records (f, header);
    for (uint32_t i = t; __any_sync (~0u, i < records); i += threads) {
      const bool has = i < records;
      writer.write_closed (has, has && i != t ? __ldcs (&f.closed.records[header.closed_base + i]) : first.record);
    }
  }
  const bool has_lone = header.marks & TILE_HAS_LONE;
  if (__any_sync (~0u, has_lone))
    write_lone_runs (has_lone ? f.by_tile.lone[tile].words : NULL);
  for (uint32_t i = t; __any_sync (~0u, i < header.open); i += threads) {
    const uint32_t component = tile * MAX_OPEN_COMPONENTS + i;
    OpenKey key = first.key;
    OpenSums sums = first.sums;
    if (i < header.open && i != t)
      key = load_parent (f.by_open_component.parents, component);
    const bool is_root = i < header.open && (uint32_t) key == component;
    if (is_root && !(LOADED && i == t))
      sums = load_sums (&f.by_open_component.sums[component]);
    if (__any_sync (~0u, is_root))
      writer.write_open (is_root, component, key, sums);
  }
}

} // namespace

#endif

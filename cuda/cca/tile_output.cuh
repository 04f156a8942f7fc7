/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The output of a labelled tile: closed components as records, open ones as elements of the global union-find, the
 * components at its border and, on request, a reference for each run. */
#ifndef CTR_CUDA_CCA_TILE_OUTPUT_CUH
#define CTR_CUDA_CCA_TILE_OUTPUT_CUH

#include "cuda/cca/tile_task.cuh"

namespace
{

/* Writes the border of a tile without open components. */
__device__ inline void
write_empty_border (const CcaKernelArgs &f, uint32_t tile)
{
  constexpr uint32_t bit_words = offsetof (TileBorder, left_component) / 4;
  if (threadIdx.x % 32 < bit_words)
    ((uint32_t *) &f.by_tile.borders[tile])[threadIdx.x % 32] = 0;
}

/* Writes the output of a tile that is all foreground: one component, in closed form. */
__device__ void
write_full_tile (const CcaKernelArgs &f, uint32_t tile, uint32_t tx, uint32_t ty, bool keep_runs)
{
  const uint32_t lane = threadIdx.x % 32;
  const bool alone = f.tiles_x == 1 && f.tiles_y == 1;
  const uint32_t area = TILE_W * TILE_H;
  const uint32_t sum_x = area * (TILE_W - 1) / 2, sum_y = area * (TILE_H - 1) / 2;
  if (alone) {
    write_empty_border (f, tile);
    for (uint32_t y = lane; y < TILE_H; y += 32)
      f.by_tile_row.starts[tile * TILE_H + y] = y == 0 && is_area_kept (f, area);
    if (lane == 0) {
      uint32_t base = atomicAdd (&f.counters->closed, 1);
      if (base < f.closed.capacity)
        f.closed.records[base] = pack_closed ({area, sum_x, sum_y, 0, 0, 0, TILE_W - 1, TILE_H - 1});
      f.by_tile.headers[tile] = {0, 1, base, 0};
    }
  } else {
    uint32_t *border = (uint32_t *) &f.by_tile.borders[tile];
    constexpr uint32_t bit_words = offsetof (TileBorder, left_component) / 4;
    for (uint32_t i = lane; i < sizeof (TileBorder) / 4; i += 32)
      border[i] = i < bit_words ? ~0u : 0u;
    if (lane == 0) {
      uint32_t x = tx * TILE_W, y = ty * TILE_H, component = tile * MAX_OPEN_COMPONENTS;
      f.by_tile.headers[tile] = {1, 0, 0, 0};
      f.by_open_component.parents[component] = open_key (y, x, component);
      f.by_open_component.sums[component] = {(unsigned long long) area * x + sum_x,
          (unsigned long long) area * y + sum_y, area, x, x + TILE_W - 1, y + TILE_H - 1};
    }
  }
  if (keep_runs) {
    for (uint32_t i = lane; i < TILE_THREADS; i += 32)
      f.by_word.foreground[tile * TILE_THREADS + i] = ~0u;
    for (uint32_t y = lane; y < TILE_H; y += 32)
      f.by_run_slot.refs[(size_t) tile * TILE_SLOTS + y * ROW_SLOTS] = alone ? 0 : OPEN_REF;
  }
}

/* Numbers the open components, writes their sums, counts the closed ones and marks their starts. */
template <int CONNECTIVITY, bool KEEP_RUNS>
__device__ inline void
TileTask<CONNECTIVITY, KEEP_RUNS>::resolve_roots (uint32_t *open, uint32_t *closed)
{
  const uint32_t tile_x = tx * TILE_W, tile_y = ty * TILE_H;
  *open = *closed = 0;
  for (uint32_t base = 0; base < label_count; base += 32) {
    const uint32_t label = base + lane, entry = label < label_count ? labels.load (label) : 0;
    const bool root = label < label_count && entry >> 16 == label;
    const uint32_t box = root ? *(volatile uint32_t *) &labels.box[label] : 0;
    const bool is_open = root && box >> 24, is_closed = root && !is_open;
    const uint32_t opens = __ballot_sync (~0u, is_open);
    if (root) {
      const uint32_t area_sum_x = *(volatile uint32_t *) &labels.area_sum_x[label];
      const uint32_t area = area_sum_x >> 19, x = entry & 127, y = entry >> 7 & 63;
      uint32_t ref = y * ROW_SLOTS + x / 2;
      if (is_open) {
        const uint32_t sum_y = *(volatile uint32_t *) &labels.sum_y[label];
        const uint32_t local = *open + __popc (opens & before_me), n = tile * MAX_OPEN_COMPONENTS + local;
        f.by_open_component.parents[n] = open_key (tile_y + y, tile_x + x, n);
        f.by_open_component.sums[n] = {(unsigned long long) area * tile_x + (area_sum_x & 0x7ffff),
            (unsigned long long) area * tile_y + sum_y, area, tile_x + TILE_W - 1 - (box >> 16 & 255),
            tile_x + (box >> 8 & 255), tile_y + (box & 255)};
        ref = OPEN_REF | local;
      } else if (is_area_kept (f, area)) {
        atomicOr (&((uint32_t *) &s.start_slots[y])[x / 64], 1u << x / 2 % 32);
      }
      *(volatile uint32_t *) &labels.entry[label] = RESOLVED | (x & 1) << 16 | ref;
    }
    *open += __popc (opens);
    *closed += __popc (__ballot_sync (~0u, is_closed));
  }
}

/* After resolve_roots(): the reference to the component with LABEL. */
template <int CONNECTIVITY, bool KEEP_RUNS>
__device__ inline uint32_t
TileTask<CONNECTIVITY, KEEP_RUNS>::ref_of (uint32_t label) const
{
  const uint32_t entry = labels.load (label);
  return (entry & RESOLVED ? entry : labels.load (entry >> 16)) & 0xffff;
}

/* The tile's open component with LABEL, as a byte of TileBorder. */
template <int CONNECTIVITY, bool KEEP_RUNS>
__device__ inline uint32_t
TileTask<CONNECTIVITY, KEEP_RUNS>::component_of (uint32_t label) const
{
  return label == NO_LABEL ? NOT_OPEN : ref_of (label) & 255;
}

template <int CONNECTIVITY, bool KEEP_RUNS>
__device__ inline uint32_t
TileTask<CONNECTIVITY, KEEP_RUNS>::components_of (const uint16_t *four) const
{
  const uint2 l = *(const uint2 *) four;
  return component_of (l.x & 0xffff) | component_of (l.x >> 16) << 8 | component_of (l.y & 0xffff) << 16
         | component_of (l.y >> 16) << 24;
}

/* Turns labels into references, for the feature kernel. write_lone_runs() writes those of lone runs. */
template <int CONNECTIVITY, bool KEEP_RUNS>
__device__ inline void
TileTask<CONNECTIVITY, KEEP_RUNS>::write_run_refs ()
{
  for (uint32_t y = 0; y < TILE_H; y++) {
    uint32_t carry;
    const uint32_t pixels = pixels_of (y, &carry);
    for (uint32_t starts = pixels & ~(pixels << 1 | carry); starts; starts &= starts - 1) {
      uint16_t *run =
          &f.by_run_slot.refs[(size_t) tile * TILE_SLOTS + y * ROW_SLOTS + (lane * 4 + __ffs (starts) - 1) / 2];
      *run = ref_of (*run);
    }
  }
}

template <int CONNECTIVITY, bool KEEP_RUNS>
__device__ inline void
TileTask<CONNECTIVITY, KEEP_RUNS>::write_border ()
{
  TileBorder &border = f.by_tile.borders[tile];
  const uint32_t *words = (const uint32_t *) s.rows;
  if (has_above)
    *(uint32_t *) &border.top_component[lane * 4] = components_of (&outer->top[lane * 4]);
  if (lane < TILE_WORDS) {
    border.top[lane] = words[lane];
    border.bottom[lane] = words[(TILE_H - 1) * TILE_WORDS + lane];
  }
#pragma unroll
  for (int half = 0; half < TILE_H / 32; half++) {
    const uint32_t y = lane + 32 * half;
    const uint32_t left = __ballot_sync (~0u, words[y * TILE_WORDS] & 1);
    const uint32_t right = __ballot_sync (~0u, words[y * TILE_WORDS + TILE_WORDS - 1] >> 31);
    if (lane == 0) {
      ((uint32_t *) &border.left)[half] = left;
      ((uint32_t *) &border.right)[half] = right;
    }
  }
  if (has_below)
    *(uint32_t *) &border.bottom_component[lane * 4] = components_of (&outer->bottom[lane * 4]);
#pragma unroll
  for (int i = 0; i < TURNS; i++) {
    const uint32_t y = lane + 32 * i;
    /* Only the first of equal rows has labels; rows above all changes are empty. */
    const uint64_t changes_to_y = changes & (~0ull >> (63 - y));
    const uint32_t first_equal = changes_to_y ? 63 - __clzll (changes_to_y) : 0;
    border.left_component[y] =
        component_of (has_left && words[y * TILE_WORDS] & 1 ? outer->left[first_equal] : NO_LABEL);
    border.right_component[y] =
        component_of (has_right && words[y * TILE_WORDS + TILE_WORDS - 1] >> 31 ? outer->right[first_equal] : NO_LABEL);
  }
}

/* Writes the records of the closed components with labels, from record TO on. */
template <int CONNECTIVITY, bool KEEP_RUNS>
__device__ inline void
TileTask<CONNECTIVITY, KEEP_RUNS>::write_closed (uint32_t to)
{
  for (uint32_t base = 0; base < label_count; base += 32) {
    const uint32_t label = base + lane, entry = label < label_count ? labels.load (label) : 0;
    const bool closed = entry & RESOLVED && !(entry & OPEN_REF);
    const uint32_t closeds = __ballot_sync (~0u, closed), i = to + __popc (closeds & before_me);
    if (closed && i < f.closed.capacity) {
      const uint32_t area_sum_x = *(volatile uint32_t *) &labels.area_sum_x[label];
      const uint32_t sum_y = *(volatile uint32_t *) &labels.sum_y[label];
      const uint32_t box = *(volatile uint32_t *) &labels.box[label];
      const uint32_t slot = entry & (TILE_SLOTS - 1), x = slot % ROW_SLOTS * 2 + (entry >> 16 & 1);
      f.closed.records[i] = pack_closed ({area_sum_x >> 19, area_sum_x & 0x7ffff, sum_y, x, slot / ROW_SLOTS,
          TILE_W - 1 - (box >> 16 & 255), box >> 8 & 255, box & 255});
    }
    to += __popc (closeds);
  }
}

} // namespace

#endif

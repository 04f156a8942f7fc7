/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Labels of a tile, row by row.
 *
 * A warp goes down its rows one by one, a lane holding four columns. So the row above is always resolved: a run that
 * continues one above takes its label, a run that does not gets a new label, and only where two labels meet is a union
 * needed. Labels are given in raster order, so a component's least label is that of its first pixel. Two things make
 * it fast:
 *  - Rows equal to the one above are not visited: they only multiply what the first of them adds to the sums.
 *  - A lane keeps the sums of its current component in registers and hands them over when the component changes (the
 *    paper's conflict detection, over time instead of across lanes). */
#ifndef CTR_CUDA_CCA_ROW_WALK_CUH
#define CTR_CUDA_CCA_ROW_WALK_CUH

#include "cuda/cca/tile_task.cuh"

namespace
{

/* Goes down the tile's rows: assigns and unites labels, and adds up their sums. False: more labels than there is room
 * for. */
template <int CONNECTIVITY, bool KEEP_RUNS>
__device__ inline bool
TileTask<CONNECTIVITY, KEEP_RUNS>::walk ()
{
  /* Of the row above: this lane's four pixels, which of them start runs, the pixel left of them, the label of the last
   * run that starts left of them, and those of the (at most two) runs that start in them. */
  uint32_t above = 0, above_starts = 0, above_carry = 0, above_in = 0, above_0 = 0, above_1 = 0;
  const uint32_t null_label = labels.null_label ();
  LaneSums g = {null_label, 0, 0, 0, 0, 0, 0};
  label_count = 0;
  if (!(changes & 1))
    *(uint2 *) &outer->top[lane * 4] = make_uint2 (~0u, ~0u);

  for (uint64_t rest = changes; rest;) {
    const uint32_t y = __ffsll (rest) - 1;
    rest &= rest - 1;
    const uint32_t last_y = rest ? __ffsll (rest) - 2 : TILE_H - 1; /* rows y .. last_y are equal */
    uint32_t carry, at_start, later;
    const uint32_t pixels = pixels_of (y, &carry);
    const uint32_t starts = pixels & ~(pixels << 1 | carry);
    const uint32_t start_0 = starts & -starts, start_1 = starts ^ start_0;
    contacts (pixels, carry, above, above_carry, &at_start, &later);
    /* Label of the last run above that starts at the pixel BIT or before it. */
    auto label_above = [&] (uint32_t bit) {
      uint32_t n = __popc (above_starts & (bit | (bit - 1)));
      return n == 0 ? above_in : n == 1 ? above_0 : above_1;
    };

    /* Four pixels hold at most two segments. SEGMENT_0 includes the run that reaches in from the left, if one does. */
    const bool reaches_in = carry & pixels;
    const uint32_t segment_0 = pixels & ~(pixels + (pixels & -pixels)), segment_1 = pixels ^ segment_0;

    /* A run takes its label from the contact at its start, else from its first contact in this lane. */
    uint32_t from_0 = at_start & start_0, from_1 = at_start & start_1;
    if (!from_0) {
      from_0 = later & (reaches_in ? segment_1 : segment_0);
      from_0 &= -from_0;
      later ^= from_0;
    }
    if (!from_1) {
      from_1 = start_1 ? later & segment_1 : 0;
      from_1 &= -from_1;
      later ^= from_1;
    }
    const bool new_0 = start_0 && !from_0, new_1 = start_1 && !from_1;
    const uint32_t news_0 = __ballot_sync (~0u, new_0), news_1 = __ballot_sync (~0u, new_1);
    const uint32_t new_count = __popc (news_0) + __popc (news_1);
    if (label_count + new_count > labels.capacity)
      return false;
    const uint32_t next = label_count + __popc (news_0 & before_me) + __popc (news_1 & before_me);
    label_count += new_count;
    auto create = [&] (uint32_t label, uint32_t bit) {
      labels.entry[label] = label << 16 | y << 7 | (lane * 4 + __ffs (bit) - 1);
      labels.area_sum_x[label] = 0;
      labels.sum_y[label] = 0;
      labels.box[label] = 0;
    };
    uint32_t label_0 = label_above (from_0), label_1 = label_above (from_1);
    if (new_0) {
      label_0 = next;
      create (label_0, start_0);
    }
    if (new_1) {
      label_1 = next + new_0;
      create (label_1, start_1);
    }
    const uint32_t starters = __ballot_sync (~0u, starts != 0) & before_me;
    uint32_t label_in = __shfl_sync (~0u, start_1 ? label_1 : label_0, starters ? 31 - __clz (starters) : 0);
    __syncwarp ();

    if (__any_sync (~0u, later)) {
      do {
        uint32_t a = null_label, b = null_label;
        if (later) {
          const uint32_t bit = later & -later, n = __popc (starts & (bit - 1));
          later ^= bit;
          a = n == 0 ? label_in : n == 1 ? label_0 : label_1;
          b = label_above (bit);
        }
        labels.unite (a, b);
      } while (__any_sync (~0u, later));
      /* The next row and the sums need roots. */
      label_in = carry ? label_in : null_label;
      label_0 = start_0 ? label_0 : null_label;
      label_1 = start_1 ? label_1 : null_label;
      labels.find (&label_in, &label_0, &label_1);
    }

    const uint32_t segment_label_0 = reaches_in ? label_in : label_0;
    const uint32_t segment_label_1 = reaches_in ? label_0 : label_1;
    const uint32_t height = last_y - y + 1, y_sum = (y + last_y) * height / 2;
    const bool open_row = (y == 0 && has_above) || (last_y == TILE_H - 1 && has_below);
    auto gather = [&] (uint32_t segment, uint32_t label) {
      const bool leaving = segment && label != g.label;
      g.flush (labels, lane, leaving);
      if (leaving)
        g = {label, 0, 0, 0, 0, 0, 0};
      const uint32_t n = __popc (segment);
      g.area += n * height;
      g.columns += (__popc (segment & 10) + 2 * __popc (segment & 12)) * height;
      g.sum_y += n * y_sum;
      g.mask |= segment;
      g.bottom = segment ? last_y : g.bottom;
      g.open |=
          (segment && open_row) | (has_left && lane == 0 && segment & 1) | (has_right && lane == 31 && segment & 8);
      __syncwarp ();
    };
    gather (segment_0, segment_label_0);
    if (__any_sync (~0u, segment_1))
      gather (segment_1, segment_label_1);

    auto label_at = [&] (uint32_t bit) {
      return segment_0 & bit ? segment_label_0 : segment_1 & bit ? segment_label_1 : NO_LABEL;
    };
    if (y == 0)
      *(uint2 *) &outer->top[lane * 4] =
          make_uint2 (label_at (1) | label_at (2) << 16, label_at (4) | label_at (8) << 16);
    if (lane == 0)
      outer->left[y] = label_at (1);
    if (lane == 31)
      outer->right[y] = label_at (8);
    if (KEEP_RUNS) {
      for (uint32_t i = y; i <= last_y; i++) {
        uint16_t *row = f.by_run_slot.refs + (size_t) tile * TILE_SLOTS + i * ROW_SLOTS;
        if (start_0)
          row[(lane * 4 + __ffs (start_0) - 1) / 2] = label_0;
        if (start_1)
          row[(lane * 4 + __ffs (start_1) - 1) / 2] = label_1;
      }
    }

    above = pixels;
    above_starts = starts;
    above_carry = carry;
    above_in = label_in;
    above_0 = label_0;
    above_1 = label_1;
  }
  g.flush (labels, lane, true);
  uint32_t last[4];
#pragma unroll
  for (int i = 0; i < 4; i++) {
    const uint32_t n = __popc (above_starts & ((2u << i) - 1));
    last[i] = above >> i & 1 ? (n == 0 ? above_in : n == 1 ? above_0 : above_1) : NO_LABEL;
  }
  *(uint2 *) &outer->bottom[lane * 4] = make_uint2 (last[0] | last[1] << 16, last[2] | last[3] << 16);
  return true;
}

/* Adds the sums of all labels to those of their roots. */
template <int CONNECTIVITY, bool KEEP_RUNS>
__device__ inline void
TileTask<CONNECTIVITY, KEEP_RUNS>::sum_up ()
{
  const uint32_t null_label = labels.null_label ();
  for (uint32_t base = 0; base < label_count; base += 32) {
    const uint32_t label = base + lane, entry = label < label_count ? labels.load (label) : 0;
    const bool joined = label < label_count && entry >> 16 != label;
    if (!__any_sync (~0u, joined))
      continue;
    uint32_t root = joined ? entry >> 16 : null_label, none = null_label;
    labels.find (&root, &none);
    if (joined)
      atomicMin (&labels.entry[label], root << 16 | (entry & 0xffff));
    const uint32_t from = joined ? label : null_label;
    labels.add (joined, root, *(volatile uint32_t *) &labels.area_sum_x[from],
        *(volatile uint32_t *) &labels.sum_y[from], *(volatile uint32_t *) &labels.box[from]);
    __syncwarp ();
  }
}

} // namespace

#endif

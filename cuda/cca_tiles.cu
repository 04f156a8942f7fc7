/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* First kernel of the component analysis: threshold, pack and analyse one 128 x 64 tile a warp.
 *
 * A warp goes down its tile row by row, a lane holding four columns. So the row above is always resolved: a run that
 * continues one above takes its label, one that does not gets a new label, and only where two labels meet a union is
 * needed. Labels are given in raster order, so a component's least label is that of its first pixel. Three things make
 * it fast:
 *  - runs that touch nothing, half of all components in noise, are found beforehand by additions on whole rows of bits;
 *  - rows equal to the one above are not visited: they only multiply what the first of them adds to the sums;
 *  - a lane keeps the sums of its current component in registers and hands them over when the component changes (the
 *    paper's conflict detection, over time instead of across lanes).
 *
 * A tile with more labels than shared memory has room for, which takes a pattern made for it, is begun again with its
 * labels in global memory. */
#include "cuda/cca_layout.cuh"
#include "cuda/tile_labels.cuh"
#include "cuda/tile_pixels.cuh"

namespace
{

constexpr int TILE_WARPS = 2; /* a CTA */
/* Labels a tile may have in shared memory: noise of any density stays five standard deviations below. */
template <int CONNECTIVITY> constexpr int WARP_LABELS = CONNECTIVITY == 8 ? 768 : 640;

constexpr uint32_t NO_LABEL = 0xffff; /* in the notes along the rim */
constexpr uint32_t DONE =
    1u << 31; /* in a root's entry, at the end: bits 0..15 are what run_roots says, bit 16 its x % 2 */

struct WarpShared {
  Row rows[TILE_H];
  uint32_t root_slots[TILE_H][2]; /* as frame.roots */
  uint16_t top[TILE_W];           /* labels along the rim */
  uint16_t left[TILE_H];          /* these at the first of equal rows only */
  uint16_t right[TILE_H];
};

__device__ inline Row
reverse (Row r)
{
  return (Row) __brevll ((uint64_t) r) << 64 | __brevll ((uint64_t) (r >> 64));
}

/* Runs of ROW none of whose pixels is in CONTACT: where they start; *PIXELS: what they cover. A start added to a run
 * ripples up to the first pixel in contact, or out of the run at its far end if there is none. */
__device__ inline Row
lone_runs (Row row, Row contact, Row *pixels)
{
  const Row mirrored = reverse (row), ends = mirrored & ~(mirrored << 1);
  const Row down = ends + (mirrored & ~reverse (contact));
  const Row starts = reverse (down & ~mirrored) << 1 | (down < ends); /* out of bit 0: the carry */
  const Row up = (row & ~(row << 1)) + (row & ~contact);
  *pixels = (up & ~row) - starts; /* from each start to before its far end; out of bit 127 wraps rightly */
  return starts;
}

__device__ inline uint32_t
popcount (Row r)
{
  return __popcll ((uint64_t) r) + __popcll ((uint64_t) (r >> 64));
}

/* The rim of a tile without open components. */
__device__ inline void
empty_rim (const CcaFrame &f, uint32_t tile)
{
  constexpr uint32_t bit_words = offsetof (TileRim, left_node) / 4;
  if (threadIdx.x % 32 < bit_words)
    ((uint32_t *) &f.rims[tile])[threadIdx.x % 32] = 0;
}

/* A tile that is all foreground: one component, in closed form. */
__device__ void
full_tile (const CcaFrame &f, uint32_t tile, uint32_t tx, uint32_t ty, bool keep_runs)
{
  const uint32_t lane = threadIdx.x % 32;
  const bool alone = f.tiles_x == 1 && f.tiles_y == 1;
  const uint32_t area = TILE_W * TILE_H;
  const uint32_t sum_x = area * (TILE_W - 1) / 2, sum_y = area * (TILE_H - 1) / 2;
  if (alone) {
    empty_rim (f, tile);
    for (uint32_t y = lane; y < TILE_H; y += 32)
      f.roots[tile * TILE_H + y] = y == 0 && area_kept (f, area);
    if (lane == 0) {
      uint32_t base = atomicAdd (&f.counters->closed, 1);
      if (base < f.closed_capacity)
        f.closed[base] = pack_closed ({area, sum_x, sum_y, 0, 0, 0, TILE_W - 1, TILE_H - 1});
      f.headers[tile] = {0, 1, base, 0};
    }
  } else {
    uint32_t *rim = (uint32_t *) &f.rims[tile];
    constexpr uint32_t bit_words = offsetof (TileRim, left_node) / 4;
    for (uint32_t i = lane; i < sizeof (TileRim) / 4; i += 32)
      rim[i] = i < bit_words ? ~0u : 0u;
    if (lane == 0) {
      uint32_t x = tx * TILE_W, y = ty * TILE_H, node = tile * MAX_NODES;
      f.headers[tile] = {1, 0, 0, 0};
      f.parents[node] = node_key (y, x, node);
      f.nodes[node] = {(unsigned long long) area * x + sum_x, (unsigned long long) area * y + sum_y, area, x,
          x + TILE_W - 1, y + TILE_H - 1};
    }
  }
  if (keep_runs) {
    for (uint32_t i = lane; i < TILE_THREADS; i += 32)
      f.tile_bits[tile * TILE_THREADS + i] = ~0u;
    for (uint32_t y = lane; y < TILE_H; y += 32)
      f.run_roots[(size_t) tile * TILE_SLOTS + y * ROW_SLOTS] = alone ? 0 : OPEN_RUN;
  }
}

/* The whole of one tile, by one warp. False: it needs more labels than there is room for; nothing was written that
 * counts. */
template <int CONNECTIVITY, bool KEEP_RUNS>
__device__ __forceinline__ bool
analyse_tile (const CcaFrame &f, uint32_t threshold, uint32_t tile, WarpShared &s, Labels labels)
{
  const uint32_t lane = threadIdx.x % 32, before_me = (1u << lane) - 1;
  const uint32_t tx = tile % f.tiles_x, ty = tile / f.tiles_x;
  const bool has_left = tx > 0, has_right = tx + 1 < f.tiles_x, has_above = ty > 0, has_below = ty + 1 < f.tiles_y;

  load_tile (f, threshold, tx, ty, s.rows);

  /* Lone runs leave the rows. This lane's are rows lane and lane + 32. */
  Row lone_starts[2], lone_pixels[2], changed[2];
  uint32_t lone_count = 0;
  {
    Row row[2];
    row[0] = s.rows[lane];
    row[1] = s.rows[lane + 32];
    if (__all_sync (~0u, (row[0] & row[1]) == ~(Row) 0)) {
      full_tile (f, tile, tx, ty, KEEP_RUNS);
      return true;
    }
    if (!__any_sync (~0u, (row[0] | row[1]) != 0)) {
      if (lane == 0)
        f.headers[tile] = {0, 0, 0, 0};
      empty_rim (f, tile);
      if (KEEP_RUNS)
        for (uint32_t i = lane; i < TILE_THREADS; i += 32)
          f.tile_bits[tile * TILE_THREADS + i] = 0;
      return true;
    }
    if (KEEP_RUNS)
      for (uint32_t i = lane; i < TILE_THREADS; i += 32)
        f.tile_bits[tile * TILE_THREADS + i] = ((const uint32_t *) s.rows)[i];
#pragma unroll
    for (int half = 0; half < 2; half++) {
      const uint32_t y = lane + 32 * half;
      Row near = (y > 0 ? s.rows[y - 1] : 0) | (y < TILE_H - 1 ? s.rows[y + 1] : 0);
      if (CONNECTIVITY == 8)
        near |= near << 1 | near >> 1;
      /* At the rim a run may touch what is not seen here. */
      if ((y == 0 && has_above) || (y == TILE_H - 1 && has_below))
        near = ~(Row) 0;
      if (has_left)
        near |= 1;
      if (has_right)
        near |= (Row) 1 << (TILE_W - 1);
      lone_starts[half] = lone_runs (row[half], row[half] & near, &lone_pixels[half]);
      row[half] ^= lone_pixels[half];
      lone_count += popcount (lone_starts[half]);
    }
    __syncwarp ();
    s.rows[lane] = row[0];
    s.rows[lane + 32] = row[1];
    __syncwarp ();
    changed[0] = row[0] ^ (lane > 0 ? s.rows[lane - 1] : 0);
    changed[1] = row[1] ^ s.rows[lane + 31];
  }
  const uint64_t changes = __ballot_sync (~0u, changed[0] != 0) | (uint64_t) __ballot_sync (~0u, changed[1] != 0) << 32;

  /* The row above, as this lane sees it: its four pixels, which of them start runs, the pixel left of them, and the
   * labels of the last run to start left of them and of the (at most two) runs that start in them. */
  uint32_t above = 0, above_starts = 0, above_carry = 0, above_in = 0, above_0 = 0, above_1 = 0;
  uint32_t label_count = 0;
  const uint32_t nobody = labels.nobody ();
  if (lane == 0)
    labels.entry[nobody] = nobody << 16;
  Gathered g = {nobody, 0, 0, 0, 0, 0, 0};
  if (has_above && !(changes & 1))
    *(uint2 *) &s.top[lane * 4] = make_uint2 (~0u, ~0u);

  for (uint64_t rest = changes; rest;) {
    const uint32_t y = __ffsll (rest) - 1;
    rest &= rest - 1;
    const uint32_t last_y = rest ? __ffsll (rest) - 2 : TILE_H - 1; /* rows y .. last_y are equal */
    const uint32_t pixels = ((const uint32_t *) s.rows)[y * 4 + lane / 8] >> lane % 8 * 4 & 15;
    const uint32_t from_left = __shfl_up_sync (~0u, pixels >> 3, 1), carry = lane ? from_left : 0;
    const uint32_t starts = pixels & ~(pixels << 1 | carry);
    const uint32_t start_0 = starts & -starts, start_1 = starts ^ start_0;

    /* Contacts with the row above: at a run's start, where the run above began before or there; or at the start of a
     * run above that lies further right. Every touching pair of runs has exactly one. */
    uint32_t at_start, later;
    if (CONNECTIVITY == 8) {
      at_start = starts & (above | above << 1 | above_carry);
      later = above_starts & (pixels << 1 | carry);
    } else {
      at_start = starts & above;
      later = above_starts & pixels & ~starts;
    }
    /* Label of the run above that holds, or ended before, the pixel BIT; and of this row's before it. */
    auto label_above = [&] (uint32_t bit) {
      uint32_t n = __popc (above_starts & (bit | (bit - 1)));
      return n == 0 ? above_in : n == 1 ? above_0 : above_1;
    };

    /* At most two segments: SEGMENT_0 begins with what reaches in from the left, if anything does. */
    const bool reaches_in = carry & pixels;
    const uint32_t segment_0 = pixels & ~(pixels + (pixels & -pixels)), segment_1 = pixels ^ segment_0;

    /* A run takes its label from its contact at the start, else from the first one this lane sees. */
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
        uint32_t a = nobody, b = nobody;
        if (later) {
          const uint32_t bit = later & -later, n = __popc (starts & (bit - 1));
          later ^= bit;
          a = n == 0 ? label_in : n == 1 ? label_0 : label_1;
          b = label_above (bit);
        }
        labels.unite (a, b);
      } while (__any_sync (~0u, later));
      /* The next row, and the sums, want roots. */
      label_in = carry ? label_in : nobody;
      label_0 = start_0 ? label_0 : nobody;
      label_1 = start_1 ? label_1 : nobody;
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
    if (y == 0 && has_above)
      *(uint2 *) &s.top[lane * 4] = make_uint2 (label_at (1) | label_at (2) << 16, label_at (4) | label_at (8) << 16);
    if (lane == 0)
      s.left[y] = label_at (1);
    if (lane == 31)
      s.right[y] = label_at (8);
    if (KEEP_RUNS) {
      for (uint32_t i = y; i <= last_y; i++) {
        uint16_t *row = f.run_roots + (size_t) tile * TILE_SLOTS + i * ROW_SLOTS;
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
  __syncwarp ();

  /* All labels' sums to their roots. */
  for (uint32_t base = 0; base < label_count; base += 32) {
    const uint32_t label = base + lane, entry = label < label_count ? labels.load (label) : 0;
    const bool joined = label < label_count && entry >> 16 != label;
    if (!__any_sync (~0u, joined))
      continue;
    uint32_t root = joined ? entry >> 16 : nobody, none = nobody;
    labels.find (&root, &none);
    if (joined)
      atomicMin (&labels.entry[label], root << 16 | (entry & 0xffff));
    const uint32_t from = joined ? label : 0;
    labels.add (joined, root, *(volatile uint32_t *) &labels.area_sum_x[from],
        *(volatile uint32_t *) &labels.sum_y[from], *(volatile uint32_t *) &labels.box[from]);
    __syncwarp ();
  }
  __syncwarp ();

  /* Roots: open components become nodes, closed ones are counted. */
  *(uint64_t *) s.root_slots[lane] = *(uint64_t *) s.root_slots[lane + 32] = 0;
  __syncwarp ();
  const uint32_t tile_x = tx * TILE_W, tile_y = ty * TILE_H;
  uint32_t open_count = 0, closed_count = 0;
  for (uint32_t base = 0; base < label_count; base += 32) {
    const uint32_t label = base + lane, entry = label < label_count ? labels.load (label) : 0;
    const bool root = label < label_count && entry >> 16 == label;
    const uint32_t box = root ? *(volatile uint32_t *) &labels.box[label] : 0;
    const bool open = root && box >> 24, closed = root && !open;
    const uint32_t opens = __ballot_sync (~0u, open);
    if (root) {
      const uint32_t area_sum_x = *(volatile uint32_t *) &labels.area_sum_x[label];
      const uint32_t area = area_sum_x >> 19, x = entry & 127, y = entry >> 7 & 63;
      uint32_t code = y * ROW_SLOTS + x / 2;
      if (open) {
        const uint32_t sum_y = *(volatile uint32_t *) &labels.sum_y[label];
        const uint32_t local = open_count + __popc (opens & before_me), n = tile * MAX_NODES + local;
        f.parents[n] = node_key (tile_y + y, tile_x + x, n);
        f.nodes[n] = {(unsigned long long) area * tile_x + (area_sum_x & 0x7ffff),
            (unsigned long long) area * tile_y + sum_y, area, tile_x + TILE_W - 1 - (box >> 16 & 255),
            tile_x + (box >> 8 & 255), tile_y + (box & 255)};
        code = OPEN_RUN | local;
      } else if (area_kept (f, area)) {
        atomicOr (&s.root_slots[y][x / 64], 1u << x / 2 % 32);
      }
      *(volatile uint32_t *) &labels.entry[label] = DONE | (x & 1) << 16 | code;
    }
    open_count += __popc (opens);
    closed_count += __popc (__ballot_sync (~0u, closed));
  }
  uint32_t lone_before = lone_count; /* inclusive, then exclusive, sum over the lanes */
#pragma unroll
  for (int d = 1; d < 32; d *= 2) {
    uint32_t n = __shfl_up_sync (~0u, lone_before, d);
    lone_before += lane >= d ? n : 0;
  }
  const uint32_t lone_total = __shfl_sync (~0u, lone_before, 31);
  lone_before -= lone_count;
  closed_count += lone_total;
  uint32_t closed_base = 0; /* arrives while the rim is written */
  if (lane == 0 && closed_count)
    closed_base = atomicAdd (&f.counters->closed, closed_count);
  __syncwarp ();

  /* OPEN_RUN | node, or the first run's slot, of the component with LABEL. */
  auto code_of = [&] (uint32_t label) {
    uint32_t entry = labels.load (label);
    return (entry & DONE ? entry : labels.load (entry >> 16)) & 0xffff;
  };
  if (KEEP_RUNS) {
    for (uint32_t y = 0; y < TILE_H; y++) {
      const uint32_t pixels = ((const uint32_t *) s.rows)[y * 4 + lane / 8] >> lane % 8 * 4 & 15;
      const uint32_t from_left = __shfl_up_sync (~0u, pixels >> 3, 1), carry = lane ? from_left : 0;
      for (uint32_t starts = pixels & ~(pixels << 1 | carry); starts; starts &= starts - 1) {
        uint16_t *run = &f.run_roots[(size_t) tile * TILE_SLOTS + y * ROW_SLOTS + (lane * 4 + __ffs (starts) - 1) / 2];
        *run = code_of (*run);
      }
    }
  }
  if (!open_count) {
    empty_rim (f, tile);
  } else {
    TileRim &rim = f.rims[tile];
    auto node_of = [&] (uint32_t label) { return label == NO_LABEL ? NO_NODE : code_of (label) & 255; };
    if (has_above) {
      const uint2 l = *(const uint2 *) &s.top[lane * 4];
      *(uint32_t *) &rim.top_node[lane * 4] =
          node_of (l.x & 0xffff) | node_of (l.x >> 16) << 8 | node_of (l.y & 0xffff) << 16 | node_of (l.y >> 16) << 24;
    }
    if (has_below) {
      /* The last row is still in the registers of the loop. */
      uint32_t nodes = 0;
#pragma unroll
      for (int i = 0; i < 4; i++) {
        uint32_t n = __popc (above_starts & ((2u << i) - 1));
        uint32_t label = n == 0 ? above_in : n == 1 ? above_0 : above_1;
        nodes |= node_of (above >> i & 1 ? label : NO_LABEL) << 8 * i;
      }
      *(uint32_t *) &rim.bottom_node[lane * 4] = nodes;
    }
    if (lane < TILE_WORDS) {
      rim.top[lane] = ((const uint32_t *) s.rows)[lane];
      rim.bottom[lane] = ((const uint32_t *) s.rows)[(TILE_H - 1) * TILE_WORDS + lane];
    }
#pragma unroll
    for (int half = 0; half < 2; half++) {
      const uint32_t y = lane + 32 * half;
      const Row row = s.rows[y];
      const uint32_t left = __ballot_sync (~0u, row & 1), right = __ballot_sync (~0u, (uint32_t) (row >> 96) >> 31);
      if (lane == 0) {
        ((uint32_t *) &rim.left)[half] = left;
        ((uint32_t *) &rim.right)[half] = right;
      }
      /* Labels were noted at the first of equal rows; rows above all changes are empty. */
      const uint64_t so_far = changes & (~0ull >> (63 - y));
      const uint32_t first = so_far ? 63 - __clzll (so_far) : 0;
      rim.left_node[y] = node_of (has_left && row & 1 ? s.left[first] : NO_LABEL);
      rim.right_node[y] = node_of (has_right && (uint32_t) (row >> 96) >> 31 ? s.right[first] : NO_LABEL);
    }
  }
  /* Records of closed components: lone runs, then those with labels. */
  closed_base = __shfl_sync (~0u, closed_base, 0);
  if (lane == 0)
    f.headers[tile] = {open_count, closed_count, closed_base, 0};
  if (!closed_count)
    return true;
  if (lone_total) {
    uint32_t to = closed_base + lone_before;
#pragma unroll
    for (int half = 0; half < 2; half++) {
      const uint32_t y = lane + 32 * half;
      uint64_t slots = *(const uint64_t *) s.root_slots[y];
#pragma unroll
      for (int side = 0; side < 2; side++) {
        const Row covered = lone_pixels[half] >> 64 * side;
        for (uint64_t rest = (uint64_t) (lone_starts[half] >> 64 * side); rest; rest &= rest - 1) {
          const uint32_t bit = __ffsll (rest) - 1, x = side * 64 + bit;
          const Row from = ~(covered >> bit); /* 0 if the run fills the row */
          const uint64_t low = (uint64_t) from, high = (uint64_t) (from >> 64);
          const uint32_t length = low ? __ffsll (low) - 1 : high ? 63 + __ffsll (high) : TILE_W;
          if (to < f.closed_capacity)
            f.closed[to] =
                pack_closed ({length, length * (2 * x + length - 1) / 2, length * y, x, y, x, x + length - 1, y});
          to++;
          if (area_kept (f, length))
            slots |= 1ull << x / 2;
          if (KEEP_RUNS)
            f.run_roots[(size_t) tile * TILE_SLOTS + y * ROW_SLOTS + x / 2] = y * ROW_SLOTS + x / 2;
        }
      }
      *(uint64_t *) s.root_slots[y] = slots;
    }
  }
#pragma unroll
  for (uint32_t y = lane; y < TILE_H; y += 32)
    f.roots[(size_t) tile * TILE_H + y] = *(const uint64_t *) s.root_slots[y];
  __syncwarp ();
  uint32_t to = closed_base + lone_total;
  for (uint32_t base = 0; base < label_count; base += 32) {
    const uint32_t label = base + lane, entry = label < label_count ? labels.load (label) : 0;
    const bool closed = entry & DONE && !(entry & OPEN_RUN);
    const uint32_t closeds = __ballot_sync (~0u, closed), i = to + __popc (closeds & before_me);
    if (closed && i < f.closed_capacity) {
      const uint32_t area_sum_x = *(volatile uint32_t *) &labels.area_sum_x[label];
      const uint32_t sum_y = *(volatile uint32_t *) &labels.sum_y[label];
      const uint32_t box = *(volatile uint32_t *) &labels.box[label];
      const uint32_t slot = entry & (TILE_SLOTS - 1), x = slot % ROW_SLOTS * 2 + (entry >> 16 & 1);
      f.closed[i] = pack_closed ({area_sum_x >> 19, area_sum_x & 0x7ffff, sum_y, x, slot / ROW_SLOTS,
          TILE_W - 1 - (box >> 16 & 255), box >> 8 & 255, box & 255});
    }
    to += __popc (closeds);
  }
  return true;
}

/* With labels for every slot, in one of HARD_PLACES places in global memory, which warps hold in turn. */
template <int CONNECTIVITY, bool KEEP_RUNS>
__device__ __noinline__ void
analyse_hard_tile (const CcaFrame &f, uint32_t threshold, uint32_t tile, WarpShared &s)
{
  uint32_t place = tile % HARD_PLACES;
  if (threadIdx.x % 32 == 0)
    /* Whoever holds a place is running and will give it back. */
    while (atomicExch (&f.hard_taken[place], 1u))
      place = (place + 1) % HARD_PLACES;
  place = __shfl_sync (~0u, place, 0);
  __threadfence ();
  constexpr int size = HARD_LABELS + 1;
  uint32_t *labels = f.hard_labels + (size_t) place * 4 * size;
  analyse_tile<CONNECTIVITY, KEEP_RUNS> (
      f, threshold, tile, s, {labels, labels + size, labels + 2 * size, labels + 3 * size, HARD_LABELS});
  __syncwarp ();
  __threadfence ();
  if (threadIdx.x % 32 == 0)
    atomicExch (&f.hard_taken[place], 0u);
}

template <int CONNECTIVITY, bool KEEP_RUNS>
__global__ void __launch_bounds__ (32 * TILE_WARPS) tile_kernel (const __grid_constant__ CcaFrame f)
{
  __shared__ WarpShared shared[TILE_WARPS];
  __shared__ uint32_t labels[TILE_WARPS][4][WARP_LABELS<CONNECTIVITY> + 1];
  const uint32_t warp = threadIdx.x / 32, tile = blockIdx.x * TILE_WARPS + warp;
  ctr_let_next_start ();
  if (tile >= f.tiles_x * f.tiles_y)
    return;
  const uint32_t threshold = f.threshold_device ? *f.threshold_device : f.threshold;
  if (!analyse_tile<CONNECTIVITY, KEEP_RUNS> (f, threshold, tile, shared[warp],
          {labels[warp][0], labels[warp][1], labels[warp][2], labels[warp][3], WARP_LABELS<CONNECTIVITY>}))
    analyse_hard_tile<CONNECTIVITY, KEEP_RUNS> (f, threshold, tile, shared[warp]);
}

} // namespace

void
cca_launch_tiles (const CcaFrame &f, int connectivity, bool keep_runs, cudaStream_t stream)
{
  const unsigned ctas = ctr_div_up (f.tiles_x * f.tiles_y, TILE_WARPS), threads = 32 * TILE_WARPS;
  if (connectivity == 8)
    keep_runs ? tile_kernel<8, true><<<ctas, threads, 0, stream>>> (f)
              : tile_kernel<8, false><<<ctas, threads, 0, stream>>> (f);
  else
    keep_runs ? tile_kernel<4, true><<<ctas, threads, 0, stream>>> (f)
              : tile_kernel<4, false><<<ctas, threads, 0, stream>>> (f);
}

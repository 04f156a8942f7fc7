/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* First kernel of the component analysis: threshold, pack and analyse one tile of 128 x 64 pixels.
 *
 * A warp goes down its rows one by one, a lane holding four columns. So the row above is always resolved: a run that
 * continues one above takes its label, one that does not gets a new label, and only where two labels meet a union is
 * needed. Labels are given in raster order, so a component's least label is that of its first pixel. Three things make
 * it fast:
 *  - runs that touch nothing, half of all components in noise, are found beforehand by additions on whole rows of bits;
 *  - rows equal to the one above are not visited: they only multiply what the first of them adds to the sums;
 *  - a lane keeps the sums of its current component in registers and hands them over when the component changes (the
 *    paper's conflict detection, over time instead of across lanes).
 *
 * In a large frame one warp takes a whole tile. A small one has too few tiles to fill the GPU, and the time one warp
 * takes is what counts: there a tile is cut into strips of rows, a warp each, which are joined at the end.
 *
 * A tile with more labels than shared memory has room for, which takes a pattern made for it, is begun again with its
 * labels in global memory. */
#include "cuda/cca/device_state.cuh"
#include "cuda/cca/tile_labels.cuh"
#include "cuda/cca/tile_pixels.cuh"

namespace
{

constexpr int TILE_WARPS = 2;         /* a CTA of whole tiles */
constexpr int SMALL_STRIPS = 8;       /* a tile of a small frame */
constexpr unsigned SMALL_TILES = 640; /* tiles of the largest small frame: 2560 x 1440 has 460 */

/* Labels a tile may have in shared memory: noise of any density stays several standard deviations below. */
template <int CONNECTIVITY, int STRIPS>
constexpr int SHARED_LABELS = STRIPS > 1          ? 160 * STRIPS
                              : CONNECTIVITY == 8 ? 768
                                                  : 624;

constexpr uint32_t NO_LABEL = 0xffff; /* in the notes along the rim */
/* Marks a root's entry, at the end; then bits 0..15 are what run_roots says, and bit 16 is its first column modulo 2.
 */
constexpr uint32_t DONE = 1u << 31;

template <int STRIPS> struct TileShared {
  Row rows[TILE_H];
  uint64_t root_slots[TILE_H]; /* as frame.roots */
  /* Of the tile. Away from the counts below, which are read in one wide load while this is written. */
  uint64_t closed_base;
  uint16_t top[STRIPS][TILE_W]; /* labels of the strips' first and last rows */
  uint16_t bottom[STRIPS][TILE_W];
  uint16_t left[TILE_H]; /* and of the outer columns, noted at the first of equal rows only */
  uint16_t right[TILE_H];
  uint32_t open_count; /* of the tile, where it has several strips */
  uint32_t closed[STRIPS];
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

/* One warp's share of a tile. All of its functions are called by the whole warp, by all warps of the tile together. */
template <int CONNECTIVITY, bool KEEP_RUNS, int STRIPS> struct TileTask {
  static constexpr int ROWS = TILE_H / STRIPS;
  static constexpr int TURNS = (ROWS + 31) / 32; /* for the lanes to take a row each */
  enum Content { EMPTY, FULL, MIXED };

  const CcaFrame &f;
  TileShared<STRIPS> &s;
  Labels labels;
  const uint32_t tile, tx, ty, lane, before_me; /* before_me: mask of the lanes before this one */
  const uint32_t strip, first_row, first_label;
  const bool has_left, has_right, has_above, has_below; /* neighbouring tiles */

  /* In each turn one row a lane, first_row + lane + 32 * turn, where there is one. */
  Row lone_starts[TURNS], lone_pixels[TURNS];
  uint32_t lone_count;
  uint64_t changes;     /* bit: the strip's row differs from the one above; above the first: nothing */
  uint32_t label_count; /* of this strip, from first_label on */

  __device__
  TileTask (const CcaFrame &frame, uint32_t tile_index, uint32_t strip_index, TileShared<STRIPS> &shared,
      const Labels &tile_labels)
      : f (frame), s (shared), labels (tile_labels), tile (tile_index), tx (tile_index % frame.tiles_x),
        ty (tile_index / frame.tiles_x), lane (threadIdx.x % 32), before_me ((1u << threadIdx.x % 32) - 1),
        strip (strip_index), first_row (strip_index * ROWS),
        first_label (strip_index * (tile_labels.capacity / STRIPS)), has_left (tx > 0),
        has_right (tx + 1 < frame.tiles_x), has_above (ty > 0), has_below (ty + 1 < frame.tiles_y)
  {
  }

  /* All warps of the tile. */
  __device__ static void
  sync ()
  {
    if (STRIPS == 1)
      __syncwarp ();
    else
      __syncthreads ();
  }

  __device__ static bool
  any (bool condition)
  {
    return STRIPS == 1 ? __any_sync (~0u, condition) : __syncthreads_or (condition);
  }

  __device__ bool
  row_of_turn (int turn, uint32_t *y) const
  {
    *y = first_row + lane + 32 * turn;
    return ROWS % 32 == 0 || lane < ROWS;
  }

  /* Takes the lone runs out of the rows. */
  __device__ Content
  take_lone_runs ()
  {
    Row row[TURNS];
    bool full = true, empty = true;
#pragma unroll
    for (int i = 0; i < TURNS; i++) {
      uint32_t y;
      const bool mine = row_of_turn (i, &y);
      row[i] = mine ? s.rows[y] : 0;
      full = full && (!mine || row[i] == ~(Row) 0);
      empty = empty && row[i] == 0;
    }
    if (!any (!full))
      return FULL;
    if (KEEP_RUNS)
      for (uint32_t i = first_row * TILE_WORDS + lane; i < (first_row + ROWS) * TILE_WORDS; i += 32)
        f.tile_bits[tile * TILE_THREADS + i] = ((const uint32_t *) s.rows)[i];
    if (!any (!empty))
      return EMPTY;
    lone_count = 0;
#pragma unroll
    for (int i = 0; i < TURNS; i++) {
      uint32_t y;
      lone_starts[i] = lone_pixels[i] = 0;
      if (!row_of_turn (i, &y))
        continue;
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
      lone_starts[i] = lone_runs (row[i], row[i] & near, &lone_pixels[i]);
      row[i] ^= lone_pixels[i];
      lone_count += popcount (lone_starts[i]);
    }
    sync ();
    changes = 0;
#pragma unroll
    for (int i = 0; i < TURNS; i++) {
      uint32_t y;
      if (row_of_turn (i, &y))
        s.rows[y] = row[i];
    }
    sync ();
#pragma unroll
    for (int i = 0; i < TURNS; i++) {
      uint32_t y;
      const bool mine = row_of_turn (i, &y);
      const bool changed = mine && row[i] != (y > first_row ? s.rows[y - 1] : 0);
      changes |= (uint64_t) __ballot_sync (~0u, changed) << 32 * i;
    }
    return MIXED;
  }

  /* This lane's four pixels of row Y; *CARRY: the pixel left of them. */
  __device__ uint32_t
  pixels_of (uint32_t y, uint32_t *carry) const
  {
    const uint32_t pixels = ((const uint32_t *) s.rows)[y * TILE_WORDS + lane / 8] >> lane % 8 * 4 & 15;
    const uint32_t from_left = __shfl_up_sync (~0u, pixels >> 3, 1);
    *carry = lane ? from_left : 0;
    return pixels;
  }

  /* Contacts with the row above: at a run's start, where the run above began before or there; or at the start of a run
   * above that lies further right. Every touching pair of runs has exactly one. */
  __device__ static void
  contacts (uint32_t pixels, uint32_t carry, uint32_t above, uint32_t above_carry, uint32_t *at_start, uint32_t *later)
  {
    const uint32_t starts = pixels & ~(pixels << 1 | carry), above_starts = above & ~(above << 1 | above_carry);
    if (CONNECTIVITY == 8) {
      *at_start = starts & (above | above << 1 | above_carry);
      *later = above_starts & (pixels << 1 | carry);
    } else {
      *at_start = starts & above;
      *later = above_starts & pixels & ~starts;
    }
  }

  /* Down the rows: labels, unions, sums. False: more labels than there is room for. */
  __device__ bool
  walk ()
  {
    /* The row above, as this lane sees it: its four pixels, which of them start runs, the pixel left of them, and the
     * labels of the last run to start left of them and of the (at most two) runs that start in them. */
    uint32_t above = 0, above_starts = 0, above_carry = 0, above_in = 0, above_0 = 0, above_1 = 0;
    const uint32_t nobody = labels.nobody ();
    Gathered g = {nobody, 0, 0, 0, 0, 0, 0};
    label_count = 0;
    if (!(changes & 1))
      *(uint2 *) &s.top[strip][lane * 4] = make_uint2 (~0u, ~0u);

    for (uint64_t rest = changes; rest;) {
      const uint32_t y = first_row + __ffsll (rest) - 1;
      rest &= rest - 1;
      const uint32_t last_y = first_row + (rest ? __ffsll (rest) - 2 : ROWS - 1); /* rows y .. last_y are equal */
      uint32_t carry, at_start, later;
      const uint32_t pixels = pixels_of (y, &carry);
      const uint32_t starts = pixels & ~(pixels << 1 | carry);
      const uint32_t start_0 = starts & -starts, start_1 = starts ^ start_0;
      contacts (pixels, carry, above, above_carry, &at_start, &later);
      /* Label of the run above that holds, or ended before, the pixel BIT. */
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
      if (label_count + new_count > labels.capacity / STRIPS)
        return false;
      const uint32_t next = first_label + label_count + __popc (news_0 & before_me) + __popc (news_1 & before_me);
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
      if (y == first_row)
        *(uint2 *) &s.top[strip][lane * 4] =
            make_uint2 (label_at (1) | label_at (2) << 16, label_at (4) | label_at (8) << 16);
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
    uint32_t last[4];
#pragma unroll
    for (int i = 0; i < 4; i++) {
      const uint32_t n = __popc (above_starts & ((2u << i) - 1));
      last[i] = above >> i & 1 ? (n == 0 ? above_in : n == 1 ? above_0 : above_1) : NO_LABEL;
    }
    *(uint2 *) &s.bottom[strip][lane * 4] = make_uint2 (last[0] | last[1] << 16, last[2] | last[3] << 16);
    return true;
  }

  /* Joins the strip to the one above. */
  __device__ void
  join ()
  {
    if (strip == 0)
      return;
    uint32_t carry, above_carry, at_start, later;
    const uint32_t pixels = pixels_of (first_row, &carry), above = pixels_of (first_row - 1, &above_carry);
    contacts (pixels, carry, above, above_carry, &at_start, &later);
    while (__any_sync (~0u, at_start | later)) {
      const uint32_t events = at_start ? at_start : later, bit = events & -events;
      uint32_t a = labels.nobody (), b = a;
      if (events) {
        /* Of the two pixels that touch, one may be a column further left. */
        const uint32_t x = lane * 4 + __ffs (bit) - 1;
        a = s.top[strip][x - (!at_start && !(CONNECTIVITY == 4))];
        b = s.bottom[strip - 1][x - (at_start && !(above & bit))];
        at_start ? at_start ^= bit : later ^= bit;
      }
      labels.unite (a, b);
    }
  }

  /* All labels' sums to their roots. */
  __device__ void
  sum_up ()
  {
    const uint32_t end = first_label + label_count, nobody = labels.nobody ();
    for (uint32_t base = first_label; base < end; base += 32) {
      const uint32_t label = base + lane, entry = label < end ? labels.load (label) : 0;
      const bool joined = label < end && entry >> 16 != label;
      if (!__any_sync (~0u, joined))
        continue;
      uint32_t root = joined ? entry >> 16 : nobody, none = nobody;
      labels.find (&root, &none);
      if (joined)
        atomicMin (&labels.entry[label], root << 16 | (entry & 0xffff));
      const uint32_t from = joined ? label : nobody;
      labels.add (joined, root, *(volatile uint32_t *) &labels.area_sum_x[from],
          *(volatile uint32_t *) &labels.sum_y[from], *(volatile uint32_t *) &labels.box[from]);
      __syncwarp ();
    }
  }

  /* Roots: open components become nodes, closed ones are counted. The counts are this strip's, *OPEN the tile's where
   * it is one strip. */
  __device__ void
  settle (uint32_t *open, uint32_t *closed)
  {
    const uint32_t tile_x = tx * TILE_W, tile_y = ty * TILE_H, end = first_label + label_count;
    for (uint32_t y = first_row + lane; y < first_row + ROWS; y += 32)
      s.root_slots[y] = 0;
    __syncwarp ();
    *open = *closed = 0;
    for (uint32_t base = first_label; base < end; base += 32) {
      const uint32_t label = base + lane, entry = label < end ? labels.load (label) : 0;
      const bool root = label < end && entry >> 16 == label;
      const uint32_t box = root ? *(volatile uint32_t *) &labels.box[label] : 0;
      const bool is_open = root && box >> 24, is_closed = root && !is_open;
      const uint32_t opens = __ballot_sync (~0u, is_open);
      uint32_t first_node = *open;
      if (STRIPS > 1) {
        if (lane == 0 && opens)
          first_node = atomicAdd (&s.open_count, __popc (opens));
        first_node = __shfl_sync (~0u, first_node, 0);
      }
      if (root) {
        const uint32_t area_sum_x = *(volatile uint32_t *) &labels.area_sum_x[label];
        const uint32_t area = area_sum_x >> 19, x = entry & 127, y = entry >> 7 & 63;
        uint32_t code = y * ROW_SLOTS + x / 2;
        if (is_open) {
          const uint32_t sum_y = *(volatile uint32_t *) &labels.sum_y[label];
          const uint32_t local = first_node + __popc (opens & before_me), n = tile * MAX_NODES + local;
          f.parents[n] = node_key (tile_y + y, tile_x + x, n);
          f.nodes[n] = {(unsigned long long) area * tile_x + (area_sum_x & 0x7ffff),
              (unsigned long long) area * tile_y + sum_y, area, tile_x + TILE_W - 1 - (box >> 16 & 255),
              tile_x + (box >> 8 & 255), tile_y + (box & 255)};
          code = OPEN_RUN | local;
        } else if (area_kept (f, area)) {
          atomicOr (&((uint32_t *) &s.root_slots[y])[x / 64], 1u << x / 2 % 32);
        }
        *(volatile uint32_t *) &labels.entry[label] = DONE | (x & 1) << 16 | code;
      }
      *open += __popc (opens);
      *closed += __popc (__ballot_sync (~0u, is_closed));
    }
  }

  /* After settle(): OPEN_RUN | node, or the first run's slot, of the component with LABEL. */
  __device__ uint32_t
  code_of (uint32_t label) const
  {
    const uint32_t entry = labels.load (label);
    return (entry & DONE ? entry : labels.load (entry >> 16)) & 0xffff;
  }

  __device__ uint32_t
  node_of (uint32_t label) const
  {
    return label == NO_LABEL ? NO_NODE : code_of (label) & 255;
  }

  /* From labels to codes, for features.cu; lone runs are done elsewhere. */
  __device__ void
  write_run_roots ()
  {
    for (uint32_t y = first_row; y < first_row + ROWS; y++) {
      uint32_t carry;
      const uint32_t pixels = pixels_of (y, &carry);
      for (uint32_t starts = pixels & ~(pixels << 1 | carry); starts; starts &= starts - 1) {
        uint16_t *run = &f.run_roots[(size_t) tile * TILE_SLOTS + y * ROW_SLOTS + (lane * 4 + __ffs (starts) - 1) / 2];
        *run = code_of (*run);
      }
    }
  }

  __device__ uint32_t
  nodes_of (const uint16_t *four) const
  {
    const uint2 l = *(const uint2 *) four;
    return node_of (l.x & 0xffff) | node_of (l.x >> 16) << 8 | node_of (l.y & 0xffff) << 16 | node_of (l.y >> 16) << 24;
  }

  __device__ void
  write_rim ()
  {
    TileRim &rim = f.rims[tile];
    const uint32_t *words = (const uint32_t *) s.rows;
    if (strip == 0) {
      if (has_above)
        *(uint32_t *) &rim.top_node[lane * 4] = nodes_of (&s.top[0][lane * 4]);
      if (lane < TILE_WORDS) {
        rim.top[lane] = words[lane];
        rim.bottom[lane] = words[(TILE_H - 1) * TILE_WORDS + lane];
      }
#pragma unroll
      for (int half = 0; half < TILE_H / 32; half++) {
        const uint32_t y = lane + 32 * half;
        const uint32_t left = __ballot_sync (~0u, words[y * TILE_WORDS] & 1);
        const uint32_t right = __ballot_sync (~0u, words[y * TILE_WORDS + TILE_WORDS - 1] >> 31);
        if (lane == 0) {
          ((uint32_t *) &rim.left)[half] = left;
          ((uint32_t *) &rim.right)[half] = right;
        }
      }
    }
    if (strip == STRIPS - 1 && has_below)
      *(uint32_t *) &rim.bottom_node[lane * 4] = nodes_of (&s.bottom[STRIPS - 1][lane * 4]);
#pragma unroll
    for (int i = 0; i < TURNS; i++) {
      uint32_t y;
      if (!row_of_turn (i, &y))
        continue;
      /* Labels were noted at the first of equal rows; rows above all changes are empty. */
      const uint64_t so_far = changes & (~0ull >> (63 - (y - first_row)));
      const uint32_t noted = first_row + (so_far ? 63 - __clzll (so_far) : 0);
      rim.left_node[y] = node_of (has_left && words[y * TILE_WORDS] & 1 ? s.left[noted] : NO_LABEL);
      rim.right_node[y] =
          node_of (has_right && words[y * TILE_WORDS + TILE_WORDS - 1] >> 31 ? s.right[noted] : NO_LABEL);
    }
  }

  /* Records of this lane's lone runs, from record TO on. */
  __device__ void
  write_lone_runs (uint32_t to)
  {
#pragma unroll
    for (int i = 0; i < TURNS; i++) {
      uint32_t y;
      if (!row_of_turn (i, &y))
        continue;
      uint64_t slots = s.root_slots[y];
#pragma unroll
      for (int side = 0; side < 2; side++) {
        const Row covered = lone_pixels[i] >> 64 * side;
        for (uint64_t rest = (uint64_t) (lone_starts[i] >> 64 * side); rest; rest &= rest - 1) {
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
      s.root_slots[y] = slots;
    }
  }

  /* Records of the closed components with labels, from record TO on. */
  __device__ void
  write_closed (uint32_t to)
  {
    const uint32_t end = first_label + label_count;
    for (uint32_t base = first_label; base < end; base += 32) {
      const uint32_t label = base + lane, entry = label < end ? labels.load (label) : 0;
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
  }

  /* All of it. False: more labels than there is room for; nothing was written that counts. */
  __device__ bool
  run (uint32_t threshold)
  {
    const uint32_t nobody = labels.nobody ();
    if (lane == 0 && strip == 0) {
      labels.entry[nobody] = nobody << 16;
      labels.area_sum_x[nobody] = labels.sum_y[nobody] = labels.box[nobody] = 0;
      s.open_count = 0;
    }
    load_rows<ROWS> (f, threshold, tx, ty, first_row, s.rows);
    sync ();
    const Content content = take_lone_runs ();
    if (content != MIXED) {
      if (strip == 0 && content == FULL) {
        full_tile (f, tile, tx, ty, KEEP_RUNS);
      } else if (strip == 0) {
        empty_rim (f, tile);
        if (lane == 0)
          f.headers[tile] = {0, 0, 0, 0};
      }
      return true;
    }
    if (any (!walk ()))
      return false;
    if (STRIPS > 1)
      join ();
    sync ();
    sum_up ();
    sync ();
    uint32_t open_count, closed_count;
    settle (&open_count, &closed_count);

    /* Places for the records; they arrive while the rim is written. */
    uint32_t lone_before = lone_count; /* inclusive, then exclusive, sum over the lanes */
#pragma unroll
    for (int d = 1; d < 32; d *= 2) {
      const uint32_t n = __shfl_up_sync (~0u, lone_before, d);
      lone_before += lane >= d ? n : 0;
    }
    const uint32_t lone_total = __shfl_sync (~0u, lone_before, 31);
    lone_before -= lone_count;
    uint32_t closed_before = 0; /* in the strips before */
    closed_count += lone_total;
    if (STRIPS > 1) {
      if (lane == 0)
        s.closed[strip] = closed_count;
      sync ();
      open_count = s.open_count;
      closed_count = 0;
#pragma unroll
      for (uint32_t i = 0; i < STRIPS; i++) {
        closed_before += i < strip ? s.closed[i] : 0;
        closed_count += s.closed[i];
      }
    }
    uint32_t closed_base = 0;
    if (strip == 0 && lane == 0 && closed_count)
      closed_base = atomicAdd (&f.counters->closed, closed_count);
    __syncwarp ();

    if (KEEP_RUNS)
      write_run_roots ();
    if (open_count)
      write_rim ();
    else if (strip == 0)
      empty_rim (f, tile);

    if (strip == 0 && lane == 0) {
      f.headers[tile] = {open_count, closed_count, closed_base, 0};
      s.closed_base = closed_base;
    }
    if (!closed_count)
      return true;
    sync ();
    closed_base = s.closed_base + closed_before;
    if (lone_total)
      write_lone_runs (closed_base + lone_before);
    __syncwarp ();
    for (uint32_t y = first_row + lane; y < first_row + ROWS; y += 32)
      f.roots[(size_t) tile * TILE_H + y] = s.root_slots[y];
    write_closed (closed_base + lone_total);
    return true;
  }
};

/* By one warp, with labels for every slot, in one of HARD_PLACES places in global memory, which warps hold in turn. */
template <int CONNECTIVITY, bool KEEP_RUNS>
__device__ __noinline__ void
analyse_hard_tile (const CcaFrame &f, uint32_t threshold, uint32_t tile, TileShared<1> &s)
{
  __syncwarp (); /* the first attempt may still be reading what this one writes */
  uint32_t place = tile % HARD_PLACES;
  if (threadIdx.x % 32 == 0)
    /* Whoever holds a place is running and will give it back. */
    while (atomicExch (&f.hard_taken[place], 1u))
      place = (place + 1) % HARD_PLACES;
  place = __shfl_sync (~0u, place, 0);
  __threadfence ();
  constexpr int size = HARD_LABELS + 1;
  uint32_t *labels = f.hard_labels + (size_t) place * 4 * size;
  TileTask<CONNECTIVITY, KEEP_RUNS, 1> (
      f, tile, 0, s, {labels, labels + size, labels + 2 * size, labels + 3 * size, HARD_LABELS})
      .run (threshold);
  __syncwarp ();
  __threadfence ();
  if (threadIdx.x % 32 == 0)
    atomicExch (&f.hard_taken[place], 0u);
}

/* A warp a tile. */
template <int CONNECTIVITY, bool KEEP_RUNS>
__global__ void __launch_bounds__ (32 * TILE_WARPS) tile_kernel (const __grid_constant__ CcaFrame f)
{
  constexpr int capacity = SHARED_LABELS<CONNECTIVITY, 1>;
  __shared__ TileShared<1> shared[TILE_WARPS];
  __shared__ uint32_t labels[TILE_WARPS][4][capacity + 1];
  const uint32_t warp = threadIdx.x / 32, tile = blockIdx.x * TILE_WARPS + warp;
  ctr_let_next_start ();
  if (tile >= f.tiles_x * f.tiles_y)
    return;
  const uint32_t threshold = f.threshold_device ? *f.threshold_device : f.threshold;
  TileTask<CONNECTIVITY, KEEP_RUNS, 1> task (
      f, tile, 0, shared[warp], {labels[warp][0], labels[warp][1], labels[warp][2], labels[warp][3], capacity});
  if (!task.run (threshold))
    analyse_hard_tile<CONNECTIVITY, KEEP_RUNS> (f, threshold, tile, shared[warp]);
}

/* A warp a strip, a CTA a tile. */
template <int CONNECTIVITY, bool KEEP_RUNS>
__global__ void __launch_bounds__ (32 * SMALL_STRIPS) strip_kernel (const __grid_constant__ CcaFrame f)
{
  constexpr int capacity = SHARED_LABELS<CONNECTIVITY, SMALL_STRIPS>;
  __shared__ TileShared<SMALL_STRIPS> shared;
  __shared__ TileShared<1> shared_hard;
  __shared__ uint32_t labels[4][capacity + 1];
  const uint32_t warp = threadIdx.x / 32, tile = blockIdx.x;
  ctr_let_next_start ();
  const uint32_t threshold = f.threshold_device ? *f.threshold_device : f.threshold;
  TileTask<CONNECTIVITY, KEEP_RUNS, SMALL_STRIPS> task (
      f, tile, warp, shared, {labels[0], labels[1], labels[2], labels[3], capacity});
  if (!task.run (threshold) && warp == 0)
    analyse_hard_tile<CONNECTIVITY, KEEP_RUNS> (f, threshold, tile, shared_hard);
}

template <int CONNECTIVITY, bool KEEP_RUNS>
void
launch (const CcaFrame &f, cudaStream_t stream)
{
  const unsigned tiles = f.tiles_x * f.tiles_y;
  if (tiles <= SMALL_TILES)
    strip_kernel<CONNECTIVITY, KEEP_RUNS><<<tiles, 32 * SMALL_STRIPS, 0, stream>>> (f);
  else
    tile_kernel<CONNECTIVITY, KEEP_RUNS><<<ctr_div_up (tiles, TILE_WARPS), 32 * TILE_WARPS, 0, stream>>> (f);
}

} // namespace

void
cca_launch_tiles (const CcaFrame &f, int connectivity, bool keep_runs, cudaStream_t stream)
{
  if (connectivity == 8)
    keep_runs ? launch<8, true> (f, stream) : launch<8, false> (f, stream);
  else
    keep_runs ? launch<4, true> (f, stream) : launch<4, false> (f, stream);
}

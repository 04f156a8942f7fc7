/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* First kernel of the component analysis: threshold, pack and analyse one 128 x 64 tile a CTA, in shared memory.
 *
 * Thread t owns the 32-pixel word t % 4 of tile row t / 4, and the runs that start in it. A run is named by its slot,
 * (y * 128 + x of its first pixel) / 2, so that slots ascend in raster order and need no counting. A component's root
 * is its least slot: its first run in raster order.
 *
 * Two runs of adjacent rows that touch are found once, at one column, by word operations ("contacts" below). The first
 * contact of most runs is a plain store: nobody else writes a run's link before the next barrier. Only what is left
 * needs the lock-free union (Komura; Playne and Hawick). */
#include "cuda/cca_layout.cuh"

namespace
{

constexpr int ACC_SLOTS = 512; /* component sums held at a time; more take further rounds */
constexpr uint32_t SLOT_MASK = TILE_SLOTS - 1;
/* What a root's link says besides its slot, once unions are over: */
constexpr uint32_t SUMMED = 1u << 31; /* has an accumulator (bits 0..11) instead of the slot */
constexpr uint32_t OPEN = 1u << 30;   /* touches a neighbouring tile; bits 16..23: its node */

struct Shared {
  uint32_t link[TILE_SLOTS]; /* union-find over the slots of run starts; others are never read */
  uint32_t bits[TILE_THREADS];
  int8_t before[TILE_THREADS];    /* column of the row's last run start left of the word, -1: none */
  uint32_t open[TILE_SLOTS / 32]; /* bit: the component with this root touches a neighbouring tile */
  union {
    uint8_t child[TILE_SLOTS]; /* the run that starts here has another linked to it, or a piece in the next word */
    struct {
      uint32_t area_sum_x[ACC_SLOTS]; /* area << 19 | sum_x: a tile that is all foreground, which alone needs more bits,
                                         takes its own way */
      uint32_t sum_y[ACC_SLOTS];
      uint32_t left[ACC_SLOTS];
      uint32_t right[ACC_SLOTS];
      uint32_t bottom[ACC_SLOTS];
    };
  };
  uint32_t summed_count, open_count, closed_count, closed_base;
};

/* Links are read while others join them by atomics; any value seen is a valid ancestor. */
__device__ inline uint32_t
load_link (const uint32_t *link, uint32_t slot)
{
  return *(const volatile uint32_t *) (link + slot);
}

__device__ inline uint32_t
find_root (const uint32_t *link, uint32_t slot)
{
  uint32_t up;
  while ((up = load_link (link, slot)) != slot)
    slot = up;
  return slot;
}

__device__ inline void
unite (Shared &s, uint32_t a, uint32_t b)
{
  a = find_root (s.link, a);
  b = find_root (s.link, b);
  while (a != b) {
    if (a < b) {
      uint32_t t = a;
      a = b;
      b = t;
    }
    s.child[b] = 1;
    uint32_t old = atomicMin (&s.link[a], b);
    if (old == a)
      return;
    a = old;
  }
}

/* Bit i: byte i of V >= the threshold. T_LOW: its low seven bits in every byte; T_SMALL: all ones if its bit 7 is
 * clear. */
__device__ inline uint32_t
compare16 (uint4 v, uint32_t t_low, uint32_t t_small)
{
  const uint32_t high = 0x80808080u;
  auto ge = [&] (uint32_t x) {
    uint32_t c = (x | high) - t_low; /* bit 7 of each byte: low seven bits >= */
    return ((x & c) | (t_small & (x | c))) & high;
  };
  uint32_t low = __dp4a (ge (v.y), 0x80402010u, __dp4a (ge (v.x), 0x08040201u, 0u));
  uint32_t top = __dp4a (ge (v.w), 0x80402010u, __dp4a (ge (v.z), 0x08040201u, 0u));
  return low >> 7 | top << 1;
}

/* Foreground of 16 pixels from column X on; bits beyond the image are 0. */
__device__ inline uint32_t
load_chunk (const CcaFrame &f, uint32_t threshold, uint32_t x, uint32_t y)
{
  if (y >= f.height || x >= f.width)
    return 0;
  const uint32_t inside = f.width - x;
  uint32_t bits = 0;
  if (f.depth == 8) {
    const uint8_t *p = f.pixels + y * f.stride + x;
    if (inside >= 16 && ((uintptr_t) p & 15) == 0) {
      uint4 v = __ldcs ((const uint4 *) p);
      uint32_t t_low = (threshold & 127) * 0x01010101u;
      bits = compare16 (v, t_low, threshold & 128 ? 0u : ~0u);
      if (threshold > 255)
        bits = 0;
    } else {
      for (uint32_t i = 0; i < 16 && i < inside; i++)
        bits |= (uint32_t) (p[i] >= threshold) << i;
    }
  } else {
    const uint16_t *p = (const uint16_t *) (f.pixels + y * f.stride) + x;
    if (inside >= 16 && ((uintptr_t) p & 15) == 0) {
#pragma unroll
      for (int half = 0; half < 2; half++) {
        uint4 v = __ldcs ((const uint4 *) p + half);
        const uint32_t words[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
        for (int i = 0; i < 4; i++) {
          bits |= (uint32_t) ((words[i] & 0xffff) >= threshold) << (8 * half + 2 * i);
          bits |= (uint32_t) (words[i] >> 16 >= threshold) << (8 * half + 2 * i + 1);
        }
      }
    } else {
      for (uint32_t i = 0; i < 16 && i < inside; i++)
        bits |= (uint32_t) (p[i] >= threshold) << i;
    }
  }
  if (f.invert)
    bits = ~bits & 0xffff;
  return inside >= 16 ? bits : bits & ((1u << inside) - 1);
}

/* A tile that is all foreground: one component, in closed form. */
__device__ void
full_tile (const CcaFrame &f, uint32_t tile, uint32_t tx, uint32_t ty, bool keep_runs)
{
  const uint32_t t = threadIdx.x;
  const bool alone = f.tiles_x == 1 && f.tiles_y == 1;
  const uint32_t area = TILE_W * TILE_H;
  const uint32_t sum_x = area * (TILE_W - 1) / 2, sum_y = area * (TILE_H - 1) / 2;
  if (alone) {
    if (t < TILE_H)
      f.roots[tile * TILE_H + t] = t == 0 && area_kept (f, area);
    if (t == 0) {
      uint32_t base = atomicAdd (&f.counters->closed, 1);
      if (base < f.closed_capacity)
        f.closed[base] = pack_closed ({area, sum_x, sum_y, 0, 0, 0, TILE_W - 1, TILE_H - 1});
      f.headers[tile] = {0, 1, base, 0};
    }
  } else {
    uint32_t *rim = (uint32_t *) &f.rims[tile];
    constexpr uint32_t bit_words = offsetof (TileRim, left_node) / 4;
    if (t < sizeof (TileRim) / 4)
      rim[t] = t < bit_words ? ~0u : 0u;
    if (t == 0) {
      uint32_t x = tx * TILE_W, y = ty * TILE_H, node = tile * MAX_NODES;
      f.headers[tile] = {1, 0, 0, 0};
      f.parents[node] = node_key (y, x, node);
      f.nodes[node] = {(unsigned long long) area * x + sum_x, (unsigned long long) area * y + sum_y, area, x,
          x + TILE_W - 1, y + TILE_H - 1};
    }
  }
  if (keep_runs) {
    f.tile_bits[tile * TILE_THREADS + t] = ~0u;
    if (t < TILE_H)
      f.run_roots[(size_t) tile * TILE_SLOTS + t * ROW_SLOTS] = alone ? 0 : OPEN_RUN;
  }
}

template <int CONNECTIVITY, bool KEEP_RUNS>
__global__ void
__launch_bounds__ (TILE_THREADS, 6) tile_kernel (const CcaFrame f)
{
  __shared__ Shared s;
  const uint32_t t = threadIdx.x, row = t / TILE_WORDS, word = t % TILE_WORDS;
  const uint32_t tx = blockIdx.x, ty = blockIdx.y, tile = ty * f.tiles_x + tx;
  ctr_let_next_start ();
  const uint32_t threshold = f.threshold_device ? *f.threshold_device : f.threshold;

  /* 16 pixels a load: neighbouring lanes read neighbouring 16 bytes, and the halves meet in shared memory. */
  {
    uint32_t y = ty * TILE_H + row, x = tx * TILE_W + word * 16;
    uint32_t a = load_chunk (f, threshold, x, y);
    uint32_t b = load_chunk (f, threshold, x + TILE_W / 2, y);
    uint16_t *halves = (uint16_t *) s.bits + row * 2 * TILE_WORDS;
    halves[word] = a;
    halves[word + TILE_WORDS] = b;
  }
  ((uint4 *) s.child)[t] = make_uint4 (0, 0, 0, 0);
  if (t < TILE_SLOTS / 32)
    s.open[t] = 0;
  if (t == 0)
    s.summed_count = s.open_count = s.closed_count = 0;
  __syncwarp ();
  const uint32_t w = s.bits[t];
  if (__syncthreads_and (w == ~0u)) {
    full_tile (f, tile, tx, ty, KEEP_RUNS);
    return;
  }
  if (!__syncthreads_or (w)) {
    if (t == 0)
      f.headers[tile] = {0, 0, 0, 0};
    if (KEEP_RUNS)
      f.tile_bits[tile * TILE_THREADS + t] = 0;
    return;
  }

  /* Runs of this word and of the word above. */
  const uint32_t carry = word ? s.bits[t - 1] >> 31 : 0;
  const uint32_t starts = w & ~(w << 1 | carry);
  const uint32_t above = row ? s.bits[t - TILE_WORDS] : 0;
  const uint32_t above_carry = row && word ? s.bits[t - TILE_WORDS - 1] >> 31 : 0;
  const uint32_t above_starts = above & ~(above << 1 | above_carry);
  int before = starts ? (int) (word * 32 + 31 - __clz (starts)) : -1;
  {
    int n = __shfl_up_sync (~0u, before, 1, TILE_WORDS);
    before = word >= 1 ? max (before, n) : before;
    n = __shfl_up_sync (~0u, before, 2, TILE_WORDS);
    before = word >= 2 ? max (before, n) : before;
    before = __shfl_up_sync (~0u, before, 1, TILE_WORDS);
    before = word ? before : -1;
  }
  s.before[t] = before;
  __syncthreads ();
  const int above_before = row ? s.before[t - TILE_WORDS] : -1;

  const uint32_t row_slot = row * ROW_SLOTS;
  /* Slot of this row's run that holds, or ended before, bit B of this word; and of the row above's. */
  auto slot_at = [&] (uint32_t mask_to_b) {
    uint32_t m = starts & mask_to_b;
    return row_slot + (m ? word * 32 + 31 - __clz (m) : before) / 2;
  };
  auto slot_above = [&] (uint32_t mask_to_b) {
    uint32_t m = above_starts & mask_to_b;
    return row_slot - ROW_SLOTS + (m ? word * 32 + 31 - __clz (m) : above_before) / 2;
  };

  /* Contacts of a run with the row above: at its own start, where the run above began before or there; or at the start
   * of a run above that lies further right. Every touching pair has exactly one. */
  uint32_t at_start, later;
  if (CONNECTIVITY == 8) {
    at_start = starts & (above | above << 1 | above_carry);
    later = above_starts & (w << 1 | carry);
  } else {
    at_start = starts & above;
    later = above_starts & w & ~starts;
  }
  for (uint32_t rest = starts; rest;) {
    uint32_t low = rest & -rest;
    rest ^= low;
    uint32_t bit = __ffs (low) - 1;
    uint32_t range = (rest & -rest) - low; /* from this start to before the next */
    uint32_t slot = row_slot + (word * 32 + bit) / 2, up = slot;
    if (at_start & low) {
      up = slot_above (low | (low - 1));
    } else if (later & range) {
      uint32_t first = later & range;
      first &= -first;
      up = row_slot - ROW_SLOTS + (word * 32 + __ffs (first) - 1) / 2;
      later ^= first;
    }
    s.link[slot] = up;
    if (up != slot)
      s.child[up] = 1;
  }
  if (w & carry)
    s.child[slot_at (1)] = 1;
  __syncthreads ();

  auto slot_of = [&] (uint32_t low) { return row_slot + (word * 32 + __ffs (low) - 1) / 2; };
  /* Shortens the paths of the runs that start at REST's bits by pointer jumping: all threads at once, each leaving its
   * progress where others pick it up, so that a path of n runs takes about log2 n rounds. Returns the starts that are
   * roots. No unions may be under way. */
  auto jump = [&] (uint32_t rest, int rounds) {
    uint32_t roots = 0;
    for (int round = 0; round < rounds && __any_sync (~0u, rest); round++) {
      for (uint32_t todo = rest; todo; todo &= todo - 1) {
        uint32_t low = todo & -todo, slot = slot_of (low), up = load_link (s.link, slot);
        uint32_t next = load_link (s.link, up);
        if (next == up) {
          rest ^= low;
          if (up == slot)
            roots |= low;
        } else {
          atomicMin (&s.link[slot], next);
        }
      }
    }
    return roots;
  };
  jump (starts, 3);
  __syncthreads ();
  for (uint32_t rest = later; rest; rest &= rest - 1) {
    uint32_t low = rest & -rest;
    unite (s, slot_at (low - 1), row_slot - ROW_SLOTS + (word * 32 + __ffs (low) - 1) / 2);
  }
  __syncthreads ();
  const uint32_t my_roots = jump (starts, TILE_SLOTS);

  /* Links are final but for their flags. */
  {
    auto mark_open = [&] (uint32_t slot) {
      uint32_t root = find_root (s.link, slot);
      atomicOr (&s.open[root / 32], 1u << root % 32);
    };
    const bool rim_row = (row == 0 && ty > 0) || (row == TILE_H - 1 && ty + 1 < f.tiles_y);
    if (rim_row)
      for (uint32_t rest = starts; rest; rest &= rest - 1)
        mark_open (slot_of (rest & -rest));
    if (word == 0 && tx > 0 && w & 1)
      mark_open (slot_at (1));
    if (word == TILE_WORDS - 1 && tx + 1 < f.tiles_x && w >> 31)
      mark_open (slot_at (~0u));
  }
  __syncthreads ();

  /* Roots of this word: each is summed (has an accumulator), open (has a node), closed (has a record). */
  uint32_t my_summed = 0, my_open = 0;
  for (uint32_t rest = my_roots; rest; rest &= rest - 1) {
    uint32_t low = rest & -rest, slot = slot_of (low);
    if (s.open[slot / 32] >> slot % 32 & 1)
      my_open |= low;
    if (s.child[slot])
      my_summed |= low;
  }
  my_summed |= my_open;
  uint32_t summed_index, open_index, closed_index;
  {
    /* Three counts of at most 512 a warp in one word. */
    const uint32_t mine = __popc (my_summed) | __popc (my_open) << 10 | __popc (my_roots ^ my_open) << 20;
    uint32_t sum = mine;
    const uint32_t lane = t % 32;
#pragma unroll
    for (int d = 1; d < 32; d *= 2) {
      uint32_t n = __shfl_up_sync (~0u, sum, d);
      sum += lane >= d ? n : 0;
    }
    uint32_t summed_base = 0, open_base = 0, closed_base = 0;
    if (lane == 31 && sum) {
      summed_base = atomicAdd (&s.summed_count, sum & 1023);
      open_base = atomicAdd (&s.open_count, sum >> 10 & 1023);
      closed_base = atomicAdd (&s.closed_count, sum >> 20);
    }
    sum -= mine;
    summed_index = __shfl_sync (~0u, summed_base, 31) + (sum & 1023);
    open_index = __shfl_sync (~0u, open_base, 31) + (sum >> 10 & 1023);
    closed_index = __shfl_sync (~0u, closed_base, 31) + (sum >> 20);
  }
  {
    uint32_t summed = summed_index, node = open_index;
    for (uint32_t rest = my_summed; rest; rest &= rest - 1) {
      uint32_t low = rest & -rest, link = SUMMED | summed;
      if (my_open & low)
        link |= OPEN | node++ << 16;
      s.link[slot_of (low)] = link;
      summed++;
    }
  }
  __syncthreads ();
  const uint32_t summed_count = s.summed_count, open_count = s.open_count, closed_count = s.closed_count;
  if (t == 0) {
    uint32_t base = closed_count ? atomicAdd (&f.counters->closed, closed_count) : 0;
    f.headers[tile] = {open_count, closed_count, base, 0};
    s.closed_base = base;
  }

  /* Link of the root of the piece that begins at LOW: SUMMED | … or a lone piece's own slot. */
  auto root_link = [&] (uint32_t low) {
    uint32_t link = s.link[slot_at (low | (low - 1))];
    return link & SUMMED ? link : s.link[link & SLOT_MASK];
  };

  /* Pieces: the parts of runs in this word. Only some can lie at an edge of their component's box: those that no run of
   * the rows next to them, touching, reaches beyond. */
  const uint32_t pieces = starts | (w & carry);
  uint32_t may_be_left, may_be_right, not_bottom;
  {
    const uint32_t below = row < TILE_H - 1 ? s.bits[t + TILE_WORDS] : 0;
    const uint32_t next = word < TILE_WORDS - 1 ? s.bits[t + 1] & 1 : 0;
    const uint32_t ends = w & ~(w >> 1 | next << 31);
    uint32_t left = above << 1 | below << 1, right = above >> 1 | below >> 1;
    if (CONNECTIVITY == 4) {
      left = (above & above << 1) | (below & below << 1);
      right = (above & above >> 1) | (below & below >> 1);
    }
    may_be_left = starts & ~left;
    may_be_right = ends & ~right;
    not_bottom = CONNECTIVITY == 8 ? below | below << 1 | below >> 1 : below;
  }

  const uint32_t tile_x = tx * TILE_W, tile_y = ty * TILE_H;
  uint32_t kept_roots = 0; /* starts of this word's closed components that the area limits keep */
  /* Rounds of ACC_SLOTS accumulators; almost always one. Lone pieces are written in the first. */
  for (uint32_t round = 0; round == 0 || round < summed_count; round += ACC_SLOTS) {
    for (uint32_t i = t; i < min (summed_count - round, (uint32_t) ACC_SLOTS); i += TILE_THREADS) {
      s.area_sum_x[i] = 0;
      s.sum_y[i] = 0;
      s.left[i] = TILE_W;
      s.right[i] = 0;
      s.bottom[i] = 0;
    }
    __syncthreads ();

    /* One component of the warp's words, the most frequent of four tried, is summed in registers and across lanes (the
     * paper's conflict detection, where it pays); the others go to shared memory piece by piece. */
    uint32_t main_index = ~0u;
    {
      uint32_t first = ~0u;
      if (pieces) {
        uint32_t link = root_link (pieces & -pieces);
        if (link & SUMMED)
          first = (link & SLOT_MASK) - round;
      }
      int best = 1; /* one lane alone gains nothing */
#pragma unroll
      for (int i = 0; i < 4; i++) {
        uint32_t candidate = __shfl_sync (~0u, first, i * 10);
        int lanes = __popc (__ballot_sync (~0u, first == candidate));
        if (candidate < ACC_SLOTS && lanes > best) {
          best = lanes;
          main_index = candidate;
        }
      }
    }
    uint32_t main_area_sum_x = 0, main_left = TILE_W, main_right = 0;
    for (uint32_t rest = pieces; rest;) {
      uint32_t low = rest & -rest;
      rest ^= low;
      uint32_t link = root_link (low);
      uint32_t index = (link & SLOT_MASK) - round;
      if (!(link & SUMMED) || index >= ACC_SLOTS)
        continue;
      uint32_t piece = w & ((rest & -rest) - low), length = __popc (piece);
      uint32_t left = word * 32 + __ffs (low) - 1, right = left + length - 1;
      uint32_t area_sum_x = length << 19 | length * (left + right) / 2;
      if (index == main_index) {
        main_area_sum_x += area_sum_x;
        main_left = min (main_left, left);
        main_right = max (main_right, right);
      } else {
        atomicAdd (&s.area_sum_x[index], area_sum_x);
        atomicAdd (&s.sum_y[index], length * row);
        if (low & may_be_left)
          atomicMin (&s.left[index], left);
        if (piece & may_be_right)
          atomicMax (&s.right[index], right);
        if (!(piece & not_bottom))
          atomicMax (&s.bottom[index], row);
      }
    }
    if (main_index != ~0u) {
      uint32_t area_sum_x = __reduce_add_sync (~0u, main_area_sum_x);
      uint32_t sum_y = __reduce_add_sync (~0u, (main_area_sum_x >> 19) * row);
      uint32_t left = __reduce_min_sync (~0u, main_left);
      uint32_t right = __reduce_max_sync (~0u, main_right);
      uint32_t bottom = __reduce_max_sync (~0u, main_area_sum_x ? row : 0);
      if (t % 32 == 0) {
        atomicAdd (&s.area_sum_x[main_index], area_sum_x);
        atomicAdd (&s.sum_y[main_index], sum_y);
        atomicMin (&s.left[main_index], left);
        atomicMax (&s.right[main_index], right);
        atomicMax (&s.bottom[main_index], bottom);
      }
    }
    __syncthreads ();

    uint32_t closed = s.closed_base + closed_index, summed = summed_index, node = open_index;
    for (uint32_t rest = my_roots; rest; rest &= rest - 1) {
      uint32_t low = rest & -rest, x = word * 32 + __ffs (low) - 1;
      bool is_open = my_open & low, is_summed = my_summed & low;
      uint32_t index = summed - round;
      ClosedRecord r;
      bool here;
      if (is_summed) {
        here = index < ACC_SLOTS;
        if (here)
          r = {s.area_sum_x[index] >> 19, s.area_sum_x[index] & 0x7ffff, s.sum_y[index], x, row, s.left[index],
              s.right[index], s.bottom[index]};
      } else {
        here = round == 0;
        uint32_t length = __popc ((w ^ (w + low)) & w); /* the piece that begins at LOW */
        r = {length, length * (2 * x + length - 1) / 2, length * row, x, row, x, x + length - 1, row};
      }
      if (here && is_open) {
        uint32_t n = tile * MAX_NODES + node;
        f.parents[n] = node_key (tile_y + row, tile_x + x, n);
        f.nodes[n] = {(unsigned long long) r.area * tile_x + r.sum_x, (unsigned long long) r.area * tile_y + r.sum_y,
            r.area, tile_x + r.left, tile_x + r.right, tile_y + r.bottom};
      } else if (here) {
        if (closed < f.closed_capacity)
          f.closed[closed] = pack_closed (r);
        if (area_kept (f, r.area))
          kept_roots |= low;
      }
      summed += is_summed;
      node += is_open;
      closed += !is_open;
    }
    __syncthreads ();
  }

  if (closed_count) {
    /* Slot bits: the start at column x sets bit x / 2. */
    uint32_t slots = kept_roots | kept_roots >> 1; /* even bits: any of the pair */
    slots &= 0x55555555u;
    slots = (slots | slots >> 1) & 0x33333333u;
    slots = (slots | slots >> 2) & 0x0f0f0f0fu;
    slots = (slots | slots >> 4) & 0x00ff00ffu;
    slots = (slots | slots >> 8) & 0xffffu;
    ((uint16_t *) f.roots)[(size_t) tile * TILE_THREADS + t] = slots;
  }
  if (KEEP_RUNS) {
    f.tile_bits[tile * TILE_THREADS + t] = w;
    for (uint32_t rest = starts; rest; rest &= rest - 1) {
      uint32_t slot = slot_of (rest & -rest), link = s.link[slot], root = slot;
      if (!(link & SUMMED)) {
        root = link & SLOT_MASK;
        link = s.link[root];
      }
      f.run_roots[(size_t) tile * TILE_SLOTS + slot] = link & OPEN ? OPEN_RUN | (link >> 16 & 255) : root;
    }
  }
  if (open_count) {
    TileRim &rim = f.rims[tile];
    /* Node of the rim pixel at column X of row Y. */
    auto rim_node = [&] (uint32_t x, uint32_t y) {
      uint32_t i = y * TILE_WORDS + x / 32, bits = s.bits[i];
      if (!(bits >> x % 32 & 1))
        return NO_NODE;
      uint32_t left_bit = x >= 32 ? s.bits[i - 1] >> 31 : 0;
      uint32_t m = bits & ~(bits << 1 | left_bit) & (~0u >> (31 - x % 32));
      uint32_t slot = y * ROW_SLOTS + (m ? x / 32 * 32 + 31 - __clz (m) : s.before[i]) / 2;
      uint32_t link = s.link[slot];
      if (!(link & SUMMED))
        link = s.link[link & SLOT_MASK];
      return link & OPEN ? link >> 16 & 255 : NO_NODE;
    };
    if (t < TILE_W) {
      rim.top_node[t] = rim_node (t, 0);
      rim.bottom_node[t] = rim_node (t, TILE_H - 1);
      if (t < TILE_WORDS) {
        rim.top[t] = s.bits[t];
        rim.bottom[t] = s.bits[TILE_THREADS - TILE_WORDS + t];
      }
    } else {
      const bool right = t >= TILE_W + TILE_H;
      const uint32_t y = t % TILE_H;
      uint32_t node = rim_node (right ? TILE_W - 1 : 0, y);
      (right ? rim.right_node : rim.left_node)[y] = node;
      uint32_t column = right ? s.bits[y * TILE_WORDS + TILE_WORDS - 1] >> 31 : s.bits[y * TILE_WORDS] & 1;
      uint32_t half = __ballot_sync (~0u, column);
      if (t % 32 == 0)
        ((uint32_t *) (right ? &rim.right : &rim.left))[y / 32] = half;
    }
  }
}

} // namespace

void
cca_launch_tiles (const CcaFrame &frame, int connectivity, bool keep_runs, cudaStream_t stream)
{
  dim3 grid (frame.tiles_x, frame.tiles_y);
  if (connectivity == 8)
    keep_runs ? tile_kernel<8, true><<<grid, TILE_THREADS, 0, stream>>> (frame)
              : tile_kernel<8, false><<<grid, TILE_THREADS, 0, stream>>> (frame);
  else
    keep_runs ? tile_kernel<4, true><<<grid, TILE_THREADS, 0, stream>>> (frame)
              : tile_kernel<4, false><<<grid, TILE_THREADS, 0, stream>>> (frame);
}

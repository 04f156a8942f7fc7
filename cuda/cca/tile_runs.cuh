/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A tile by the threads of one CTA, a thread a run: many short steps at once, where row_walk.cuh has few long ones. It is
 * the quicker way where the GPU is not full, as with a small frame.
 *
 * Every run links itself to the leftmost run above that it touches: a plain store, since a run has only one. What is left
 * are the runs above that touch a run, but not as its leftmost: these unite the two. Each has one such contact at most, at
 * its own start, so no thread has more to do than another. Runs are numbered in raster order, so a component's least run is
 * that of its first pixel.
 *
 * Before that, bit operations find lone pixels, which touch no others: half of all components in noise.
 *
 * Rows equal to the one above have no runs of their own: those of the first one stand for them, too. Sums have room for
 * components only, of which there are few, so that many CTAs share an SM. */
#ifndef CTR_CUDA_CCA_TILE_RUNS_CUH
#define CTR_CUDA_CCA_TILE_RUNS_CUH

#include "cuda/cca/tile_output.cuh"
#include "cuda/common/scan.cuh"

namespace
{

constexpr int RUN_CAPACITY = 2240; /* Noise has 2048 runs at most, give or take 23. */
/* Noise has 1050 or 590 components at most, give or take 25. */
template <int CONNECTIVITY> constexpr int RUN_COMPONENTS = CONNECTIVITY == 8 ? 768 : 1152;
constexpr int OPEN_RUNS = 19; /* the bit of RunShared::sum_y from which on they are counted */
constexpr uint32_t IS_COMPONENT =
    0x80000000u; /* marks a root's entry, whose lower half is then the component's number */

/* Arrays of runs and of components. Where threads race, accesses are volatile or atomic. */
template <int CONNECTIVITY, int THREADS> struct RunShared {
  Row rows[TILE_H];
  uint64_t start_slots[TILE_H];       /* as by_tile_row.starts */
  uint32_t changes[TILE_H / 32];      /* bit: this row differs from the one above; the first one: from an empty row */
  uint32_t entry[RUN_CAPACITY];       /* parent << 16 | first pixel (y << 7 | x); see IS_COMPONENT */
  uint16_t before_word[TILE_THREADS]; /* runs that start before this word of the tile; of rows that change */
  uint32_t warp_sums[THREADS / 32];
  uint32_t components, open, closed, closed_written;
  uint32_t closed_base; /* record of the first closed one */

  /* By component. */
  uint32_t area_sum_x[RUN_COMPONENTS<CONNECTIVITY>]; /* area << 19 | sum_x */
  uint32_t sum_y[RUN_COMPONENTS<CONNECTIVITY>];      /* runs at neighbouring tiles << OPEN_RUNS | sum_y */
  uint32_t box[RUN_COMPONENTS<CONNECTIVITY>];        /* bytes: 0, 127 - left, right, bottom */
  uint16_t place[RUN_COMPONENTS<CONNECTIVITY>];      /* first pixel, of open ones then OPEN_REF | index among these */
};

/* --- Pixels of a row in words --- */

/* The first pixel from X on; TILE_W: none. */
__device__ inline uint32_t
first_pixel (const uint32_t *row, uint32_t x)
{
  uint32_t word = x / 32, ones = row[word] & ~0u << x % 32;
  while (!ones && ++word < TILE_WORDS)
    ones = row[word];
  return word * 32 + (ones ? __ffs (ones) - 1 : 0);
}

/* One more than the last pixel up to X; 0: none. */
__device__ inline uint32_t
behind_last_pixel (const uint32_t *row, uint32_t x)
{
  uint32_t word = x / 32, ones = row[word] & ((2u << x % 32) - 1);
  while (!ones && word-- > 0)
    ones = row[word];
  return ones ? word * 32 + 32 - __clz (ones) : 0;
}

/* The first pixel of the run to which X belongs. */
__device__ inline uint32_t
run_start (const uint32_t *row, uint32_t x)
{
  uint32_t word = x / 32, gaps = ~row[word] & ((2u << x % 32) - 1);
  while (!gaps && word-- > 0)
    gaps = ~row[word];
  return gaps ? word * 32 + 32 - __clz (gaps) : 0;
}

/* Its last pixel. */
__device__ inline uint32_t
run_end (const uint32_t *row, uint32_t x)
{
  uint32_t word = x / 32, gaps = ~row[word] & ~0u << x % 32;
  while (!gaps && ++word < TILE_WORDS)
    gaps = ~row[word];
  return word * 32 + (gaps ? __ffs (gaps) - 1 : 0) - 1;
}

__device__ inline uint32_t
starts_of_word (const uint32_t *row, uint32_t word)
{
  return row[word] & ~(row[word] << 1 | (word ? row[word - 1] >> 31 : 0));
}

/* Over all lanes of the warp. */
__device__ inline uint32_t
sum_of_lanes (uint32_t value)
{
#if __CUDA_ARCH__ >= 800
  return __reduce_add_sync (~0u, value);
#else
  for (int d = 16; d; d /= 2)
    value += __shfl_xor_sync (~0u, value, d);
  return value;
#endif
}

__device__ inline uint32_t
max_of_lanes (uint32_t value)
{
#if __CUDA_ARCH__ >= 800
  return __reduce_max_sync (~0u, value);
#else
  for (int d = 16; d; d /= 2)
    value = max (value, __shfl_xor_sync (~0u, value, d));
  return value;
#endif
}

/* Sums of a run and its repetitions in the rows below. */
struct RunSums {
  uint32_t area_sum_x, sum_y, box; /* as in RunShared */
};

/* All threads of the CTA call all functions of for_all() and run() together. */
template <int CONNECTIVITY, bool KEEP_RUNS, int THREADS> struct RunTile {
  static constexpr int WORDS = TILE_THREADS > THREADS ? TILE_THREADS / THREADS : 1; /* of a thread */

  const CcaKernelArgs &f;
  RunShared<CONNECTIVITY, THREADS> &s;
  const uint32_t tile, tx, ty, lane, before_me; /* before_me: mask of the lanes before this one */
  const bool has_left, has_right, has_above, has_below;
  uint32_t count; /* runs */

  __device__
  RunTile (const CcaKernelArgs &frame, uint32_t tile_index, RunShared<CONNECTIVITY, THREADS> &shared)
      : f (frame), s (shared), tile (tile_index), tx (tile_index % frame.tiles_x), ty (tile_index / frame.tiles_x),
        lane (threadIdx.x % 32), before_me ((1u << threadIdx.x % 32) - 1), has_left (tx > 0),
        has_right (tx + 1 < frame.tiles_x), has_above (ty > 0), has_below (ty + 1 < frame.tiles_y)
  {
  }

  __device__ const uint32_t *
  row (uint32_t y) const
  {
    return (const uint32_t *) &s.rows[y];
  }

  __device__ uint64_t
  changes () const
  {
    return (uint64_t) s.changes[1] << 32 | s.changes[0];
  }

  /* The first of the equal rows up to Y, which are not empty. */
  __device__ uint32_t
  first_equal (uint32_t y) const
  {
    return 63 - __clzll (changes () & ~0ull >> (63 - y));
  }

  /* The last row that equals row Y, and all between. */
  __device__ uint32_t
  last_equal (uint32_t y) const
  {
    const uint64_t below = changes () >> y >> 1;
    return below ? y + __ffsll (below) - 1 : TILE_H - 1;
  }

  /* The run of row Y, which changes, to which pixel X belongs. */
  __device__ uint32_t
  run_at (uint32_t y, uint32_t x) const
  {
    const uint32_t start = run_start (row (y), x), word = start / 32;
    return s.before_word[y * TILE_WORDS + word] + __popc (starts_of_word (row (y), word) & ((1u << start % 32) - 1));
  }

  __device__ uint32_t
  load (uint32_t run) const
  {
    return *(volatile uint32_t *) &s.entry[run];
  }

  __device__ uint32_t
  find (uint32_t run) const
  {
    for (;;) {
      const uint32_t up = load (run) >> 16;
      if (up == run)
        return run;
      run = up;
    }
  }

  __device__ void
  unite (uint32_t a, uint32_t b)
  {
    for (;;) {
      a = find (a);
      b = find (b);
      if (a == b)
        return;
      const uint32_t high = max (a, b), low = min (a, b);
      const uint32_t old = atomicMin (&s.entry[high], low << 16 | (load (high) & 0xffff)) >> 16;
      if (old == high)
        return;
      a = old; /* HIGH was no root any more: unite its parent, too. */
      b = low;
    }
  }

  /* Calls WORK (i, whether there is one) for all i < END, by whole warps. */
  template <typename Work>
  __device__ void
  for_all (uint32_t end, const Work &work)
  {
#pragma unroll 1
    for (uint32_t base = threadIdx.x - lane; base < end; base += THREADS)
      work (base + lane, base + lane < end);
  }

  /* The pixels of a word that touch no others. The whole warp calls it. */
  __device__ uint32_t
  lone_pixels (uint32_t y, uint32_t word) const
  {
    const uint32_t *own = row (y), pixels = own[word];
    const uint32_t left = word ? own[word - 1] >> 31 : has_left;
    const uint32_t right = word < TILE_WORDS - 1 ? own[word + 1] & 1 : has_right;
    uint32_t lone = pixels & ~(pixels << 1 | left | pixels >> 1 | right << 31);
    /* At the border of the tile a pixel may touch one of a neighbouring tile. */
    if ((y == 0 && has_above) || (y == TILE_H - 1 && has_below))
      lone = 0;
    if (!__any_sync (~0u, lone))
      return 0;
    auto touching = [&] (uint32_t other_y) {
      const uint32_t *other = row (other_y), straight = other[word];
      if (CONNECTIVITY == 4)
        return straight;
      return straight | straight << 1 | straight >> 1 | (word ? other[word - 1] >> 31 : 0)
             | (word < TILE_WORDS - 1 ? other[word + 1] << 31 : 0);
    };
    return lone & ~((y > 0 ? touching (y - 1) : 0) | (y < TILE_H - 1 ? touching (y + 1) : 0));
  }

  /* Takes the lone pixels out of the rows, and marks their starts. Are there any? */
  __device__ bool
  take_lone_pixels ()
  {
    const uint32_t first = threadIdx.x * WORDS;
    uint32_t lone[WORDS], all = 0;
#pragma unroll
    for (int i = 0; i < WORDS; i++) {
      lone[i] = first < TILE_THREADS ? lone_pixels (first / TILE_WORDS, first % TILE_WORDS + i) : 0;
      all |= lone[i];
    }
    const bool any = __syncthreads_or (all != 0);
    if (first < TILE_THREADS) {
      const bool kept = is_area_kept (f, 1);
#pragma unroll
      for (int i = 0; i < WORDS; i++) {
        uint32_t slots = kept ? (lone[i] | lone[i] >> 1) & 0x55555555u : 0;
        slots = (slots | slots >> 1) & 0x33333333u;
        slots = (slots | slots >> 2) & 0x0f0f0f0fu;
        slots = (slots | slots >> 4) & 0x00ff00ffu;
        ((uint16_t *) s.start_slots)[first + i] = slots | slots >> 8;
        if (!any)
          continue;
        ((uint32_t *) s.rows)[first + i] ^= lone[i];
        f.by_tile.lone[tile].words[first + i] = lone[i];
        if (KEEP_RUNS)
          for (uint32_t rest = lone[i]; rest; rest &= rest - 1) {
            const uint32_t slot = (first + i) * 16 + (__ffs (rest) - 1) / 2;
            f.by_run_slot.refs[(size_t) tile * TILE_SLOTS + slot] = slot;
          }
      }
    }
    if (any)
      __syncthreads ();
    return any;
  }

  /* Writes the starts of closed components. */
  __device__ void
  write_starts ()
  {
    if (threadIdx.x < TILE_H)
      f.by_tile_row.starts[(size_t) tile * TILE_H + threadIdx.x] = s.start_slots[threadIdx.x];
  }

  /* Numbers the runs that start in this thread's words, in rows that change. False: too many. */
  __device__ bool
  list_runs ()
  {
    const uint32_t t = threadIdx.x, first = t * WORDS, y = first / TILE_WORDS, word = first % TILE_WORDS;
    static_assert (TILE_WORDS % WORDS == 0, "all words of a thread lie in one row");
    uint32_t starts[WORDS], own = 0;
#pragma unroll
    for (int i = 0; i < WORDS; i++) {
      starts[i] = 0;
      if (first < TILE_THREADS && s.rows[y] != (y > 0 ? s.rows[y - 1] : 0))
        starts[i] = starts_of_word (row (y), word + i);
      own += __popc (starts[i]);
    }
    /* The scan's barriers are behind this. */
    if (t < TILE_H) {
      const uint32_t changing = __ballot_sync (~0u, s.rows[t] != (t > 0 ? s.rows[t - 1] : 0));
      if (lane == 0)
        s.changes[t / 32] = changing;
    }
    uint32_t next = block_scan<THREADS> (own, s.warp_sums, &count);
    if (count > RUN_CAPACITY)
      return false;
#pragma unroll
    for (int i = 0; i < WORDS; i++) {
      if (first < TILE_THREADS)
        s.before_word[first + i] = next;
      for (uint32_t rest = starts[i]; rest; rest &= rest - 1)
        s.entry[next++] = y << 7 | ((word + i) * 32 + __ffs (rest) - 1);
    }
    __syncthreads ();
    return true;
  }

  /* Links RUN to the leftmost run above that it touches. */
  __device__ void
  begin_run (uint32_t run)
  {
    const uint32_t pixel = s.entry[run], y = pixel >> 7, x = pixel & 127;
    uint32_t parent = run;
    if (y > 0) {
      const uint32_t end = run_end (row (y), x);
      const uint32_t from = CONNECTIVITY == 8 && x > 0 ? x - 1 : x, to = CONNECTIVITY == 8 ? end + 1 : end;
      const uint32_t contact = first_pixel (row (y - 1), from);
      if (contact <= to && contact < TILE_W)
        parent = run_at (first_equal (y - 1), contact);
    }
    s.entry[run] = parent << 16 | pixel;
  }

  /* Makes RUN's parent a root. All runs do so at once, and double their steps. */
  __device__ void
  shorten (uint32_t run)
  {
    for (;;) {
      const uint32_t entry = load (run), up = entry >> 16, next = load (up) >> 16;
      if (next == up)
        return;
      atomicMin (&s.entry[run], next << 16 | (entry & 0xffff));
    }
  }

  /* Unites RUN with the run below that its start touches, unless that has linked itself to RUN. */
  __device__ void
  unite_below (uint32_t run)
  {
    const uint32_t pixel = load (run) & 0xffff, y = pixel >> 7, x = pixel & 127, last = last_equal (y);
    if (last == TILE_H - 1 || x == 0)
      return;
    const uint32_t *below = row (last + 1);
    auto is_below = [&] (uint32_t column) { return below[column / 32] >> column % 32 & 1; };
    if (!is_below (x - 1) || (CONNECTIVITY == 4 && !is_below (x)))
      return;
    /* Is there a run before this one that the run below touches? */
    const uint32_t start = run_start (below, x - 1), before = behind_last_pixel (row (y), x - 1);
    if (before && before + (CONNECTIVITY == 8) > start)
      unite (run, run_at (last + 1, x - 1));
  }

  __device__ RunSums
  sums_of (uint32_t pixel) const
  {
    const uint32_t y = pixel >> 7, x = pixel & 127, end = run_end (row (y), x), last = last_equal (y);
    const uint32_t length = end - x + 1, height = last - y + 1, area = length * height;
    const bool is_open = (y == 0 && has_above) || (last == TILE_H - 1 && has_below) || (x == 0 && has_left)
                         || (end == TILE_W - 1 && has_right);
    return {area << 19 | area * (x + end) / 2, is_open << OPEN_RUNS | area * (y + last) / 2,
        (TILE_W - 1 - x) << 16 | end << 8 | last};
  }

  /* Numbers the components in any order, and begins their sums with those of their first run. */
  __device__ void
  number_component (uint32_t run, bool has)
  {
    const uint32_t entry = has ? load (run) : 0;
    const bool root = has && entry >> 16 == run;
    const uint32_t roots = __ballot_sync (~0u, root);
    uint32_t first = 0;
    if (lane == 0 && roots)
      first = atomicAdd (&s.components, __popc (roots));
    const uint32_t n = __shfl_sync (~0u, first, 0) + __popc (roots & before_me);
    if (!root || n >= RUN_COMPONENTS<CONNECTIVITY>)
      return;
    const uint32_t pixel = entry & 0xffff;
    const RunSums sums = sums_of (pixel);
    s.area_sum_x[n] = sums.area_sum_x;
    s.sum_y[n] = sums.sum_y;
    s.box[n] = sums.box;
    s.place[n] = pixel;
    /* Other lanes only ask for their own entry here. */
    *(volatile uint32_t *) &s.entry[run] = IS_COMPONENT | n;
  }

  __device__ void
  add (uint32_t n, const RunSums &sums)
  {
    atomicAdd (&s.area_sum_x[n], sums.area_sum_x);
    atomicAdd (&s.sum_y[n], sums.sum_y);
    uint32_t old = *(volatile uint32_t *) &s.box[n];
    for (;;) {
      const uint32_t wider = __vmaxu4 (old, sums.box);
      if (wider == old)
        return;
      const uint32_t seen = atomicCAS (&s.box[n], old, wider);
      if (seen == old)
        return;
      old = seen;
    }
  }

  /* Adds the sums of a warp's runs to those of their components. Up to two components get those of several lanes at once. The lower
   * half of all entries is then the component. */
  __device__ void
  sum_up (uint32_t run, bool has)
  {
    uint32_t up = has ? load (run) : IS_COMPONENT;
    bool pending = !(up & IS_COMPONENT);
    if (!__any_sync (~0u, pending))
      return;
    RunSums sums = {0, 0, 0};
    if (pending) {
      sums = sums_of (up & 0xffff);
      do
        up = load (up >> 16);
      while (!(up & IS_COMPONENT));
    }
    const uint32_t n = up & ~IS_COMPONENT;
    /* Others may pass here: the parent stays. */
    if (pending)
      *(volatile uint16_t *) &s.entry[run] = n;
#pragma unroll 1
    for (int i = 0; i < 2; i++) {
      const uint32_t lanes = __ballot_sync (~0u, pending);
      if (!lanes)
        return;
      const uint32_t common = __shfl_sync (~0u, n, __ffs (lanes) - 1);
      const bool mine = pending && n == common;
      if (__popc (__ballot_sync (~0u, mine)) < 4)
        break;
      RunSums all;
      all.area_sum_x = sum_of_lanes (mine ? sums.area_sum_x : 0);
      all.sum_y = sum_of_lanes (mine ? sums.sum_y : 0);
      const uint32_t bounds = mine ? sums.box : 0;
      all.box = max_of_lanes (bounds >> 16) << 16 | max_of_lanes (bounds >> 8 & 255) << 8 | max_of_lanes (bounds & 255);
      if (lane == 0)
        add (common, all);
      pending = pending && !mine;
    }
    if (pending)
      add (n, sums);
  }

  /* Numbers the open components, writes their sums, counts the closed ones and marks their starts. */
  __device__ void
  resolve (uint32_t n, bool has)
  {
    const uint32_t sum_y = has ? s.sum_y[n] : 0;
    const bool is_open = sum_y >> OPEN_RUNS, is_closed = has && !is_open;
    const uint32_t opens = __ballot_sync (~0u, is_open), closeds = __ballot_sync (~0u, is_closed);
    uint32_t first = 0;
    if (lane == 0 && opens)
      first = atomicAdd (&s.open, __popc (opens));
    if (lane == 0 && closeds)
      atomicAdd (&s.closed, __popc (closeds));
    first = __shfl_sync (~0u, first, 0);
    if (!has)
      return;
    const uint32_t pixel = s.place[n], x = pixel & 127, y = pixel >> 7;
    const uint32_t area_sum_x = s.area_sum_x[n], area = area_sum_x >> 19;
    if (is_open) {
      const uint32_t tile_x = tx * TILE_W, tile_y = ty * TILE_H, box = s.box[n];
      const uint32_t local = first + __popc (opens & before_me), i = tile * MAX_OPEN_COMPONENTS + local;
      f.by_open_component.parents[i] = open_key (tile_y + y, tile_x + x, i);
      f.by_open_component.sums[i] = {(unsigned long long) area * tile_x + (area_sum_x & 0x7ffff),
          (unsigned long long) area * tile_y + (sum_y & ((1u << OPEN_RUNS) - 1)), area,
          tile_x + TILE_W - 1 - (box >> 16), tile_x + (box >> 8 & 255), tile_y + (box & 255)};
      s.place[n] = OPEN_REF | local;
    } else if (is_area_kept (f, area)) {
      atomicOr (&((uint32_t *) &s.start_slots[y])[x / 64], 1u << x / 2 % 32);
    }
  }

  /* After resolve(): the reference to the component of RUN. */
  __device__ uint32_t
  ref_of (uint32_t run) const
  {
    static_assert (ROW_SLOTS == TILE_W / 2, "half a pixel's place is its slot");
    const uint32_t place = s.place[s.entry[run] & 0xffff];
    return place & OPEN_REF ? place : place / 2;
  }

  /* The tile's open component at a pixel of its border, as a byte of TileBorder. */
  __device__ uint32_t
  component_at (uint32_t y, uint32_t x) const
  {
    return row (y)[x / 32] >> x % 32 & 1 ? ref_of (run_at (first_equal (y), x)) & 255 : NOT_OPEN;
  }

  __device__ void
  write_border ()
  {
    TileBorder &border = f.by_tile.borders[tile];
#pragma unroll 1
    for (uint32_t i = threadIdx.x; i < 2 * TILE_W + 2 * TILE_H + TILE_WORDS; i += THREADS) {
      const uint32_t y = i % TILE_H, x = i % TILE_W;
      if (i < TILE_W) {
        if (has_above)
          border.top_component[x] = component_at (0, x);
      } else if (i < 2 * TILE_W) {
        if (has_below)
          border.bottom_component[x] = component_at (TILE_H - 1, x);
      } else if (i < 2 * TILE_W + TILE_H) {
        const uint32_t left = __ballot_sync (~0u, row (y)[0] & 1);
        if (lane == 0)
          ((uint32_t *) &border.left)[y / 32] = left;
        if (has_left)
          border.left_component[y] = component_at (y, 0);
      } else if (i < 2 * TILE_W + 2 * TILE_H) {
        const uint32_t right = __ballot_sync (~0u, row (y)[TILE_WORDS - 1] >> 31);
        if (lane == 0)
          ((uint32_t *) &border.right)[y / 32] = right;
        if (has_right)
          border.right_component[y] = component_at (y, TILE_W - 1);
      } else {
        border.top[i % TILE_WORDS] = row (0)[i % TILE_WORDS];
        border.bottom[i % TILE_WORDS] = row (TILE_H - 1)[i % TILE_WORDS];
      }
    }
  }

  /* The references of all runs, for the feature kernel. */
  __device__ void
  write_run_refs ()
  {
#pragma unroll 1
    for (uint32_t i = threadIdx.x; i < TILE_THREADS; i += THREADS) {
      const uint32_t y = i / TILE_WORDS, word = i % TILE_WORDS;
      uint32_t starts = starts_of_word (row (y), word);
      if (!starts)
        continue;
      uint16_t *refs = &f.by_run_slot.refs[(size_t) tile * TILE_SLOTS + y * ROW_SLOTS + word * 16];
      uint32_t run = s.before_word[first_equal (y) * TILE_WORDS + word];
      for (; starts; starts &= starts - 1)
        refs[(__ffs (starts) - 1) / 2] = ref_of (run++);
    }
  }

  /* Writes the record of component N if it is closed. */
  __device__ void
  write_closed (uint32_t n, bool has)
  {
    const uint32_t place = has ? s.place[n] : OPEN_REF;
    const bool closed = !(place & OPEN_REF);
    const uint32_t closeds = __ballot_sync (~0u, closed);
    uint32_t first = 0;
    if (lane == 0 && closeds)
      first = atomicAdd (&s.closed_written, __popc (closeds));
    first = __shfl_sync (~0u, first, 0);
    const uint32_t i = s.closed_base + first + __popc (closeds & before_me);
    if (!closed || i >= f.closed.capacity)
      return;
    const uint32_t area_sum_x = s.area_sum_x[n], box = s.box[n];
    f.closed.records[i] = pack_closed ({area_sum_x >> 19, area_sum_x & 0x7ffff, s.sum_y[n], place & 127, place >> 7,
        TILE_W - 1 - (box >> 16), box >> 8 & 255, box & 255});
  }

  /* All steps. False: more runs or components than there is room for, and nothing written needs to be undone. */
  __device__ bool
  run (uint32_t threshold)
  {
    const uint32_t t = threadIdx.x, warp = t / 32;
    constexpr int rows = TILE_H / (THREADS / 32);
    static_assert (THREADS >= TILE_H, "a thread a row");
    if (t == 0)
      s.components = s.open = s.closed = s.closed_written = 0;
    load_rows<rows> (f, threshold, tx, ty, warp * rows, s.rows);
    __syncthreads ();
    bool full = true;
    for (uint32_t i = t; i < TILE_THREADS; i += THREADS) {
      const uint32_t word = ((const uint32_t *) s.rows)[i];
      full = full && word == ~0u;
      if (KEEP_RUNS)
        f.by_word.foreground[tile * TILE_THREADS + i] = word;
    }
    if (__syncthreads_and (full)) {
      if (warp == 0)
        write_full_tile (f, tile, tx, ty, KEEP_RUNS);
      return true;
    }
    const bool lone = take_lone_pixels ();
    const uint32_t marks = lone ? TILE_HAS_LONE : 0;
    if (!list_runs ())
      return false;
    if (count == 0) {
      if (warp == 0)
        write_empty_border (f, tile);
      if (t == 0)
        f.by_tile.headers[tile] = {0, 0, 0, marks};
      if (lone)
        write_starts ();
      return true;
    }
    for_all (count, [&] (uint32_t i, bool has) {
      if (has)
        begin_run (i);
    });
    __syncthreads ();
    for_all (count, [&] (uint32_t i, bool has) {
      if (has)
        shorten (i);
    });
    __syncthreads ();
    for_all (count, [&] (uint32_t i, bool has) {
      if (has)
        unite_below (i);
    });
    __syncthreads ();
    for_all (count, [&] (uint32_t i, bool has) { number_component (i, has); });
    __syncthreads ();
    const uint32_t components = s.components;
    if (components > RUN_COMPONENTS<CONNECTIVITY>) {
      __syncthreads (); /* The caller's shared memory takes the place of this. */
      return false;
    }
    for_all (count, [&] (uint32_t i, bool has) { sum_up (i, has); });
    __syncthreads ();
    for_all (components, [&] (uint32_t n, bool has) { resolve (n, has); });
    __syncthreads ();

    /* The records' place arrives while the border is written. */
    const uint32_t open = s.open, closed = s.closed;
    if (t == THREADS - 1) {
      const uint32_t base = closed ? atomicAdd (&f.counters->closed, closed) : 0;
      f.by_tile.headers[tile] = {open, closed, base, marks};
      s.closed_base = base;
    }
    if (open)
      write_border ();
    else if (warp == 0)
      write_empty_border (f, tile);
    if (KEEP_RUNS)
      write_run_refs ();
    if (closed || lone)
      write_starts ();
    if (!closed)
      return true;
    __syncthreads ();
    for_all (components, [&] (uint32_t n, bool has) { write_closed (n, has); });
    return true;
  }
};

} // namespace

#endif

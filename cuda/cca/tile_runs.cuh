/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A tile by the threads of one CTA: many short steps at once, where row_walk.cuh has few long ones.
 *
 * Bit operations on words of 32 pixels find where runs start, and where they touch runs of the row above: one contact for each pair
 * of runs. A run's number is the number of starts before it, so a population count leads from a pixel to its run. The first contact
 * of a run links it to the run above: a plain store, since a run has only one. All others are listed, and unite two runs. Runs
 * are numbered in raster order, so a component's least run is that of its first pixel. Runs without a link may be such: these
 * have a place for the sums of a component. Sums are those of pieces: the pixels of a run in one word.
 *
 * Before that, bit operations find lone pixels, which touch no others: half of all components in noise.
 *
 * Longer than 500 lines: all steps share the state of a tile. */
#ifndef CTR_CUDA_CCA_TILE_RUNS_CUH
#define CTR_CUDA_CCA_TILE_RUNS_CUH

#include "cuda/cca/seams.cuh"
#include "cuda/cca/tile_output.cuh"
#include "cuda/common/scan.cuh"

namespace
{

/* Noise, of 3800 tiles of all densities, has 2121 runs at most, 604 tops and 1106 joins beside lone pixels. */
constexpr int RUN_CAPACITY = 2240;
constexpr int RUN_TOPS = 704; /* runs without a link */
constexpr int RUN_JOINS = 1536;
constexpr int OPEN_RUNS = 19; /* the bit of RunShared::sum_y from which on they are counted */

/* Arrays of runs, of words of the tile, and of the runs that may be the least of a component. Where threads race, accesses are volatile or
 * atomic. */
template <int THREADS> struct RunShared {
  uint32_t entry[RUN_CAPACITY];  /* parent << 16 | top: of a run without a link, in the end of all of the component */
  uint32_t starts[TILE_THREADS]; /* bit: a run starts */
  uint16_t before_word[TILE_THREADS]; /* runs that start before this word of the tile */
  unsigned long long warp_sums[THREADS / 32];
  uint32_t open, closed, closed_written; /* components */
  uint32_t closed_base;                  /* record of the first closed one */
  uint16_t place[RUN_TOPS];              /* first pixel (y << 7 | x), of open ones then OPEN_REF | index among these */
  union alignas (16) {
    uint32_t joins[RUN_JOINS]; /* two runs that touch */
    struct {
      uint32_t area_sum_x[RUN_TOPS]; /* area << 19 | sum_x; 0: no component */
      uint32_t sum_y[RUN_TOPS];      /* pieces at neighbouring tiles << OPEN_RUNS | sum_y */
      uint32_t not_left[RUN_TOPS];   /* 127 - left */
      uint32_t right[RUN_TOPS], bottom[RUN_TOPS];
    } by_top;
  };
};

/* The rows of the tile, with what is already known of closed components. With RunShared they take less than an eighth of the shared memory
 * of an H100's SM. */
struct RunRows {
  Row rows[TILE_H];
  uint64_t start_slots[TILE_H]; /* as by_tile_row.starts */
};

/* All threads of the CTA call all functions of for_all() and run() together. */
template <int CONNECTIVITY, bool KEEP_RUNS, int THREADS> struct RunTile {
  static constexpr int WORDS = TILE_THREADS > THREADS ? TILE_THREADS / THREADS : 1; /* of a thread */
  static_assert (THREADS <= TILE_THREADS && TILE_WORDS % WORDS == 0, "all words of a thread lie in one row");

  const CcaKernelArgs &f;
  RunShared<THREADS> &s;
  Row (&rows)[TILE_H];
  uint64_t (&start_slots)[TILE_H];
  const uint32_t tile, tx, ty, lane, before_me; /* before_me: mask of the lanes before this one */
  const bool has_left, has_right, has_above, has_below;
  uint32_t count; /* runs */

  __device__
  RunTile (const CcaKernelArgs &frame, uint32_t tile_index, RunShared<THREADS> &shared, Row (&tile_rows)[TILE_H],
      uint64_t (&tile_start_slots)[TILE_H])
      : f (frame), s (shared), rows (tile_rows), start_slots (tile_start_slots), tile (tile_index),
        tx (tile_index % frame.tiles_x), ty (tile_index / frame.tiles_x), lane (threadIdx.x % 32),
        before_me ((1u << threadIdx.x % 32) - 1), has_left (tx > 0), has_right (tx + 1 < frame.tiles_x),
        has_above (ty > 0), has_below (ty + 1 < frame.tiles_y)
  {
  }

  __device__ const uint32_t *
  row (uint32_t y) const
  {
    return (const uint32_t *) &rows[y];
  }

  /* The pixel before a word of a row, in bit 31. */
  __device__ static uint32_t
  word_before (const uint32_t *row, uint32_t word)
  {
    return word ? row[word - 1] : 0;
  }

  /* The run to which pixel X of row Y belongs. */
  __device__ uint32_t
  run_at (uint32_t y, uint32_t x) const
  {
    const uint32_t i = y * TILE_WORDS + x / 32;
    return s.before_word[i] + __popc (s.starts[i] & ((2u << x % 32) - 1)) - 1;
  }

  __device__ uint32_t
  parent (uint32_t run) const
  {
    return ((volatile uint16_t *) s.entry)[2 * run + 1];
  }

  /* Only of a root or, in the end, of any run. */
  __device__ uint32_t
  top (uint32_t run) const
  {
    return ((volatile uint16_t *) s.entry)[2 * run];
  }

  __device__ uint32_t
  find (uint32_t run) const
  {
    for (;;) {
      const uint32_t up = parent (run);
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
      const uint32_t high = max (a, b), low = min (a, b), old = atomicMin (&s.entry[high], low << 16) >> 16;
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

  /* Marks the starts of LONE pixels of word I, and writes them if the tile has any. */
  __device__ void
  take_lone_pixels (uint32_t i, uint32_t lone, bool any)
  {
    uint32_t slots = is_area_kept (f, 1) ? (lone | lone >> 1) & 0x55555555u : 0;
    slots = (slots | slots >> 1) & 0x33333333u;
    slots = (slots | slots >> 2) & 0x0f0f0f0fu;
    slots = (slots | slots >> 4) & 0x00ff00ffu;
    ((uint16_t *) start_slots)[i] = slots | slots >> 8;
    if (!any)
      return;
    f.by_tile.lone[tile].words[i] = lone;
    if (KEEP_RUNS)
      for (uint32_t rest = lone; rest; rest &= rest - 1) {
        const uint32_t slot = i * 16 + (__ffs (rest) - 1) / 2;
        f.by_run_slot.refs[(size_t) tile * TILE_SLOTS + slot] = slot;
      }
  }

  /* Writes the starts of closed components. */
  __device__ void
  write_starts ()
  {
    if (threadIdx.x < TILE_H)
      f.by_tile_row.starts[(size_t) tile * TILE_H + threadIdx.x] = start_slots[threadIdx.x];
  }

  /* Contacts of a word with the row above. Each touching pair of runs has one, and at it the runs of both rows are the last ones that
   * start there or before. */
  struct Contacts {
    uint32_t firsts; /* the first one of a run that starts in this word */
    uint32_t others;
  };

  /* STARTS: of the runs, without lone pixels. These touch nothing, so they may still be in the rows. */
  __device__ Contacts
  contacts_of (uint32_t y, uint32_t word, uint32_t starts) const
  {
    if (y == 0)
      return {0, 0};
    const uint32_t *own = row (y), *above = row (y - 1);
    uint32_t at_start, later;
    contacts<CONNECTIVITY> (
        own[word], word_before (own, word), above[word], word_before (above, word), &at_start, &later);
    const uint32_t all = at_start | later, own_starts = all & starts;
    /* From the other starts carries go up to the next contact. */
    const uint32_t firsts = own_starts | (((starts & ~own_starts) + ~all) & all);
    return {firsts, all & ~firsts};
  }

  /* Calls WORK (run, root) for all runs. Each thread follows the links of some at once, and no warp diverges: the loads take most of the
   * time. SHORTEN: others pass here meanwhile, and have fewer steps to go. */
  template <bool SHORTEN, uint32_t AT_ONCE, typename Work>
  __device__ void
  for_all_roots_by (const Work &work)
  {
#pragma unroll 1
    for (uint32_t base = threadIdx.x; base - lane < count; base += AT_ONCE * THREADS) {
      uint32_t root[AT_ONCE];
#pragma unroll
      for (uint32_t k = 0; k < AT_ONCE; k++) {
        const uint32_t run = base + k * THREADS;
        root[k] = run < count ? parent (run) : 0; /* The first run is always a root. */
      }
      bool moving;
      do {
        moving = false;
#pragma unroll
        for (uint32_t k = 0; k < AT_ONCE; k++) {
          const uint32_t up = parent (root[k]);
          if (up == root[k])
            continue;
          if (SHORTEN)
            atomicMin (&s.entry[base + k * THREADS], up << 16);
          root[k] = up;
          moving = true;
        }
      } while (__any_sync (~0u, moving));
#pragma unroll
      for (uint32_t k = 0; k < AT_ONCE; k++)
        if (base + k * THREADS < count)
          work (base + k * THREADS, root[k]);
    }
  }

  template <bool SHORTEN, typename Work>
  __device__ void
  for_all_roots (const Work &work)
  {
    if (count > THREADS)
      for_all_roots_by<SHORTEN, 4> (work);
    else
      for_all_roots_by<SHORTEN, 1> (work);
  }

  __device__ void
  add (uint32_t n, uint32_t area_sum_x, uint32_t sum_y, uint32_t not_left, uint32_t right, uint32_t bottom)
  {
    atomicAdd (&s.by_top.area_sum_x[n], area_sum_x);
    atomicAdd (&s.by_top.sum_y[n], sum_y);
    atomicMax (&s.by_top.not_left[n], not_left);
    atomicMax (&s.by_top.right[n], right);
    atomicMax (&s.by_top.bottom[n], bottom);
  }

  /* The top of most runs, as a sample of 32 has it. The whole warp calls it. */
  __device__ uint32_t
  common_top () const
  {
    const uint32_t n = top (count * (2 * lane + 1) / 64);
    const uint32_t votes = __popc (__match_any_sync (~0u, n));
    return greatest_of_lanes (votes << 16 | n) & 0xffff;
  }

  /* Adds the sums of all pieces to those of their components. Past the percolation threshold nearly all belong to one, and atomics on one
   * address are serialised: its sums stay in registers till the end. */
  __device__ void
  sum_up ()
  {
    const uint32_t common = common_top ();
    uint32_t common_area_sum_x = 0, common_sum_y = 0, common_left = TILE_W - 1, common_right = 0, common_bottom = 0;
#pragma unroll 1
    for (uint32_t i = threadIdx.x; i < TILE_THREADS; i += THREADS) {
      const uint32_t y = i / TILE_WORDS, word = i % TILE_WORDS;
      const bool open_row = (y == 0 && has_above) || (y == TILE_H - 1 && has_below);
      const uint32_t at_neighbours =
          open_row ? ~0u : (word == 0 && has_left) | (word == TILE_WORDS - 1 && has_right ? 1u << 31 : 0);
      uint32_t rest = row (y)[word], run = s.before_word[i] - (rest & ~s.starts[i] & 1);
      while (rest) {
        const uint32_t low = rest & -rest, others = rest & (rest + low), piece = rest ^ others;
        const uint32_t left = word * 32 + 31 - __clz (low), right = word * 32 + 31 - __clz (piece);
        const uint32_t n = top (run), length = right - left + 1;
        const uint32_t area_sum_x = length << 19 | length * (left + right) / 2;
        const uint32_t sum_y = (piece & at_neighbours ? 1u << OPEN_RUNS : 0) + length * y;
        if (n == common) {
          common_area_sum_x += area_sum_x;
          common_sum_y += sum_y;
          common_left = min (common_left, left);
          common_right = max (common_right, right);
          common_bottom = y;
        } else {
          add (n, area_sum_x, sum_y, TILE_W - 1 - left, right, y);
        }
        rest = others;
        run++;
      }
    }
    if (!__any_sync (~0u, common_area_sum_x))
      return;
    common_area_sum_x = total_of_lanes (common_area_sum_x);
    common_sum_y = total_of_lanes (common_sum_y);
    common_left = greatest_of_lanes (TILE_W - 1 - common_left);
    common_right = greatest_of_lanes (common_right);
    common_bottom = greatest_of_lanes (common_bottom);
    if (lane == 0)
      add (common, common_area_sum_x, common_sum_y, common_left, common_right, common_bottom);
  }

  /* Numbers the open components, writes their sums, counts the closed ones and marks their starts. */
  __device__ void
  resolve (uint32_t n, bool is_top)
  {
    const uint32_t area_sum_x = is_top ? s.by_top.area_sum_x[n] : 0, sum_y = area_sum_x ? s.by_top.sum_y[n] : 0;
    const bool is_open = sum_y >> OPEN_RUNS, is_closed = area_sum_x && !is_open;
    const uint32_t opens = __ballot_sync (~0u, is_open), closeds = __ballot_sync (~0u, is_closed);
    uint32_t first = 0;
    if (lane == 0 && opens)
      first = atomicAdd (&s.open, __popc (opens));
    if (lane == 0 && closeds)
      atomicAdd (&s.closed, __popc (closeds));
    first = __shfl_sync (~0u, first, 0);
    if (!area_sum_x)
      return;
    const uint32_t pixel = s.place[n], x = pixel & 127, y = pixel >> 7, area = area_sum_x >> 19;
    if (is_open) {
      const uint32_t tile_x = tx * TILE_W, tile_y = ty * TILE_H;
      const uint32_t local = first + __popc (opens & before_me), i = tile * MAX_OPEN_COMPONENTS + local;
      f.by_open_component.parents[i] = open_key (tile_y + y, tile_x + x, i);
      f.by_open_component.sums[i] = {(unsigned long long) area * tile_x + (area_sum_x & 0x7ffff),
          (unsigned long long) area * tile_y + (sum_y & ((1u << OPEN_RUNS) - 1)), area,
          tile_x + TILE_W - 1 - s.by_top.not_left[n], tile_x + s.by_top.right[n], tile_y + s.by_top.bottom[n]};
      s.place[n] = OPEN_REF | local;
    } else if (is_area_kept (f, area)) {
      atomicOr (&((uint32_t *) &start_slots[y])[x / 64], 1u << x / 2 % 32);
    }
  }

  /* After resolve(): the reference to the component of RUN. */
  __device__ uint32_t
  ref_of (uint32_t run) const
  {
    static_assert (ROW_SLOTS == TILE_W / 2, "half a pixel's place is its slot");
    const uint32_t place = s.place[top (run)];
    return place & OPEN_REF ? place : place / 2;
  }

  /* The tile's open component at a pixel of its border, as a byte of TileBorder. */
  __device__ uint32_t
  component_at (uint32_t y, uint32_t x) const
  {
    return row (y)[x / 32] >> x % 32 & 1 ? ref_of (run_at (y, x)) & 255 : NOT_OPEN;
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
      uint32_t run = s.before_word[i];
      for (uint32_t starts = s.starts[i]; starts; starts &= starts - 1)
        f.by_run_slot.refs[(size_t) tile * TILE_SLOTS + i * 16 + (__ffs (starts) - 1) / 2] = ref_of (run++);
    }
  }

  /* Writes the record of the component at top N if there is one, and it is closed. */
  __device__ void
  write_closed (uint32_t n, bool is_top)
  {
    const uint32_t area_sum_x = is_top ? s.by_top.area_sum_x[n] : 0, place = area_sum_x ? s.place[n] : OPEN_REF;
    const bool closed = !(place & OPEN_REF);
    const uint32_t closeds = __ballot_sync (~0u, closed);
    uint32_t first = 0;
    if (lane == 0 && closeds)
      first = atomicAdd (&s.closed_written, __popc (closeds));
    first = __shfl_sync (~0u, first, 0);
    const uint32_t i = s.closed_base + first + __popc (closeds & before_me);
    if (!closed || i >= f.closed.capacity)
      return;
    f.closed.records[i] = pack_closed ({area_sum_x >> 19, area_sum_x & 0x7ffff, s.by_top.sum_y[n], place & 127,
        place >> 7, TILE_W - 1 - s.by_top.not_left[n], s.by_top.right[n], s.by_top.bottom[n]});
  }

  /* All steps. False: more runs, contacts or tops than there is room for, and nothing written needs to be undone. */
  __device__ bool
  run (uint32_t threshold)
  {
    constexpr int warp_rows = TILE_H / (THREADS / 32);
    const uint32_t warp = threadIdx.x / 32;
    load_rows<warp_rows> (f, threshold, tx, ty, warp * warp_rows, rows);
    __syncthreads ();
    return label<true> (0);
  }

  /* All steps behind the rows. LONE: takes lone pixels out of them. Otherwise that has been done, the tile is not full, and MARKS are
   * those of its header. */
  template <bool LONE>
  __device__ bool
  label (uint32_t marks)
  {
    const uint32_t t = threadIdx.x, warp = t / 32;
    static_assert (THREADS >= TILE_H, "a thread a row");
    if (t == 0)
      s.open = s.closed = s.closed_written = 0;

    const uint32_t first = t * WORDS, y = first / TILE_WORDS, word = first % TILE_WORDS;
    uint32_t pixels[WORDS], lone[WORDS], starts[WORDS], all_lone = 0;
    Contacts touches[WORDS];
    uint32_t sums = 0, link_sums = 0; /* runs, and warps with lone pixels << 16; tops, and listed contacts << 16 */
    bool full = true;
#pragma unroll
    for (int i = 0; i < WORDS; i++) {
      pixels[i] = row (y)[word + i];
      if (LONE) {
        full = full && pixels[i] == ~0u;
        if (KEEP_RUNS)
          f.by_word.foreground[tile * TILE_THREADS + first + i] = pixels[i];
        lone[i] = lone_pixels (y, word + i);
        all_lone |= lone[i];
        pixels[i] ^= lone[i];
      }
      starts[i] = pixels[i] & ~(pixels[i] << 1 | word_before (row (y), word + i) >> 31);
      touches[i] = contacts_of (y, word + i, starts[i]);
      sums += __popc (starts[i]);
      link_sums += (__popc (starts[i]) - __popc (touches[i].firsts)) | __popc (touches[i].others) << 16;
    }
    if (LONE) {
      const bool warp_has_lone = __any_sync (~0u, all_lone);
      sums += lane == 0 && warp_has_lone ? 1u << 16 : 0;
    }
    uint2 all;
    const uint2 before = block_scan_two<THREADS> (sums, link_sums, s.warp_sums, &all);
    if (LONE && all.x >> 16)
      marks = TILE_HAS_LONE;
    const uint32_t join_count = all.y >> 16, top_count = all.y & 0xffff;
    count = all.x & 0xffff;
    if (LONE && count == TILE_H && __syncthreads_and (full)) {
      if (warp == 0)
        write_full_tile (f, tile, tx, ty, KEEP_RUNS);
      return true;
    }
    if (count > RUN_CAPACITY || join_count > RUN_JOINS || top_count > RUN_TOPS) {
      __syncthreads (); /* The caller's shared memory takes the place of this. */
      return false;
    }
    uint32_t next = before.x & 0xffff, next_join = before.y >> 16, next_top = before.y & 0xffff;
#pragma unroll
    for (int i = 0; i < WORDS; i++) {
      if (LONE) {
        take_lone_pixels (first + i, lone[i], marks);
        ((uint32_t *) rows)[first + i] = pixels[i];
      }
      s.starts[first + i] = starts[i];
      s.before_word[first + i] = next;
      next += __popc (starts[i]);
    }
    __syncthreads ();
    if (count == 0) {
      if (warp == 0)
        write_empty_border (f, tile);
      if (t == 0)
        f.by_tile.headers[tile] = {0, 0, 0, marks};
      if (marks)
        write_starts ();
      return true;
    }

#pragma unroll
    for (int i = 0; i < WORDS; i++) {
      if (!(starts[i] | touches[i].others))
        continue;
      const uint32_t own = s.before_word[first + i] - 1;
      const bool is_first_row = y == 0; /* whose runs touch none above */
      const uint32_t starts_above = is_first_row ? 0 : s.starts[first + i - TILE_WORDS];
      const uint32_t above = is_first_row ? 0 : s.before_word[first + i - TILE_WORDS] - 1;
      uint32_t tops = starts[i];
      for (uint32_t rest = touches[i].firsts; rest; rest &= rest - 1) {
        const uint32_t up_to = rest ^ (rest - 1), before = starts[i] & up_to;
        s.entry[own + __popc (before)] = (above + __popc (starts_above & up_to)) << 16;
        tops ^= 1u << (31 - __clz (before));
      }
      for (; tops; tops &= tops - 1) {
        const uint32_t run = own + __popc (starts[i] & (tops ^ (tops - 1)));
        s.entry[run] = run << 16 | next_top;
        s.place[next_top++] = y << 7 | (word + i) * 32 | (31 - __clz (tops & -tops));
      }
      for (uint32_t rest = touches[i].others; rest; rest &= rest - 1) {
        const uint32_t up_to = rest ^ (rest - 1);
        s.joins[next_join++] = (own + __popc (starts[i] & up_to)) << 16 | (above + __popc (starts_above & up_to));
      }
    }
    __syncthreads ();
    for_all_roots<true> ([] (uint32_t, uint32_t) {});
    __syncthreads ();
    for_all (join_count, [&] (uint32_t i, bool has) {
      if (has)
        unite (s.joins[i] >> 16, s.joins[i] & 0xffff);
    });
    __syncthreads ();
    for (uint32_t i = t; i < sizeof s.by_top / sizeof (uint4); i += THREADS)
      ((uint4 *) &s.by_top)[i] = make_uint4 (0, 0, 0, 0);
    for_all_roots<false> ([&] (uint32_t run, uint32_t root) {
      if (root != run)
        ((volatile uint16_t *) s.entry)[2 * run] = top (root);
    });
    __syncthreads ();
    sum_up ();
    __syncthreads ();
    for_all (top_count, [&] (uint32_t n, bool is_top) { resolve (n, is_top); });
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
    if (closed || marks)
      write_starts ();
    if (!closed)
      return true;
    __syncthreads ();
    for_all (top_count, [&] (uint32_t n, bool is_top) { write_closed (n, is_top); });
    return true;
  }
};

} // namespace

#endif

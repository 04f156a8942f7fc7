/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The runs of a tile and what joins them to components: the steps that are the same by a CTA (tile_runs.cuh) and by a warp
 * (warp_runs.cuh).
 *
 * Bit operations on words of 32 pixels find where runs start, and where they touch runs of the row above: one contact for each pair
 * of runs. A run's number is the number of starts before it, so a population count leads from a pixel to its run. The first contact
 * of a run links it to the run above: a plain store, since a run has only one. All others are listed, and unite two runs. Runs
 * are numbered in raster order, so a component's least run is that of its first pixel. Runs without a link may be such: these
 * have a place for the sums of a component. Sums are those of pieces: the pixels of a run in one word. */
#ifndef CTR_CUDA_CCA_RUN_LABELS_CUH
#define CTR_CUDA_CCA_RUN_LABELS_CUH

#include "cuda/cca/seams.cuh"
#include "cuda/cca/tile_output.cuh"
#include "cuda/cca/unite_runs.cuh"

namespace
{

constexpr int OPEN_RUNS = 19; /* the bit of RunArrays::sum_y from which on they are counted */

/* Arrays of RUNS runs, of words of the tile, of TOPS runs that may be the least of a component, and of JOINS contacts. Where threads race,
 * accesses are volatile or atomic. */
template <int RUNS, int TOPS, int JOINS> struct RunArrays {
  static constexpr uint32_t run_capacity = RUNS, top_capacity = TOPS, join_capacity = JOINS;
  uint32_t entry[RUNS]; /* parent << 16 | top: of a run without a link, in the end of all of the component */
  uint32_t components;  /* open ones, and closed ones << 16 */
  uint32_t closed_base; /* record of the first closed one */
  alignas (8) uint16_t before_word[TILE_THREADS]; /* runs that start before this word */
  uint16_t place[TOPS]; /* first pixel (y << 7 | x), of open ones then OPEN_REF | index among these */
  union alignas (16) {
    uint32_t joins[JOINS]; /* two runs that touch */
    struct {
      uint32_t area_sum_x[TOPS]; /* area << 19 | sum_x; 0: no component */
      uint32_t sum_y[TOPS];      /* pieces at neighbouring tiles << OPEN_RUNS | sum_y */
      uint32_t not_left[TOPS];   /* 127 - left */
      uint32_t right[TOPS], bottom[TOPS];
    } by_top;
  };
};

/* By THREADS threads: a warp, or all of a CTA. Where a comment says nothing else, they call a function together. SHARED: RunArrays, or
 * derived of it. */
template <int CONNECTIVITY, int THREADS, typename Shared> struct RunLabels {
  const CcaKernelArgs &f;
  Shared &s;
  Row (&rows)[TILE_H];
  uint64_t (&start_slots)[TILE_H];                 /* as by_tile_row.starts */
  const uint32_t tile, tx, ty, t, lane, before_me; /* t: the thread; before_me: mask of the lanes before this one */
  const bool has_left, has_right, has_above, has_below;
  uint32_t count; /* runs */

  __device__
  RunLabels (const CcaKernelArgs &frame, uint32_t tile_index, uint32_t column, uint32_t band, Shared &shared,
      TileShared &tile_shared)
      : f (frame), s (shared), rows (tile_shared.rows), start_slots (tile_shared.start_slots), tile (tile_index),
        tx (column), ty (band), t (threadIdx.x % THREADS), lane (threadIdx.x % 32),
        before_me ((1u << threadIdx.x % 32) - 1), has_left (tx > 0), has_right (tx + 1 < frame.tiles_x),
        has_above (ty > 0), has_below (ty + 1 < frame.tiles_y)
  {
  }

  __device__
  RunLabels (const CcaKernelArgs &frame, uint32_t tile_index, Shared &shared, TileShared &tile_shared)
      : RunLabels (frame, tile_index, tile_index % frame.tiles_x, tile_index / frame.tiles_x, shared, tile_shared)
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

  /* The starts of runs in a word of row Y. */
  __device__ uint32_t
  starts_of (uint32_t y, uint32_t word) const
  {
    const uint32_t pixels = row (y)[word];
    return pixels & ~(pixels << 1 | this->word_before (row (y), word) >> 31);
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

  /* Where only one thread sets what belongs to RUN. */
  __device__ void
  set_parent (uint32_t run, uint32_t up)
  {
    ((volatile uint16_t *) s.entry)[2 * run + 1] = up;
  }

  __device__ void
  set_top (uint32_t run, uint32_t n)
  {
    ((volatile uint16_t *) s.entry)[2 * run] = n;
  }

  __device__ void
  unite (uint32_t a, uint32_t b)
  {
    unite_runs (*this, s.entry, a, b);
  }

  /* Calls WORK (i, whether there is one) for all i < END, by whole warps. Behind a loop in it the compiler alone does not bring the
   * warp together. */
  template <typename Work>
  __device__ void
  for_all (uint32_t end, const Work &work)
  {
#pragma unroll 1
    for (uint32_t base = t - lane; base < end; base += THREADS) {
      work (base + lane, base + lane < end);
      if (THREADS > 32)
        __syncwarp ();
    }
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

  /* Links the runs that start in WORD of row Y to those above, gives the others tops, and lists the other contacts. OWN: the last run
   * before the word, ABOVE: the same of the row above, in which STARTS_ABOVE start. */
  __device__ void
  link (uint32_t y, uint32_t word, uint32_t starts, const Contacts &touches, uint32_t own, uint32_t starts_above,
      uint32_t above, uint32_t next_top, uint32_t next_join)
  {
    for (uint32_t rest = touches.firsts; rest; rest &= rest - 1) {
      const uint32_t up_to = rest ^ (rest - 1);
      s.entry[own + __popc (starts & up_to)] = (above + __popc (starts_above & up_to)) << 16;
    }
    /* In reverse, carries go up from the contacts to the starts of their runs. */
    const uint32_t turned_starts = __brev (starts), turned_firsts = __brev (touches.firsts);
    const uint32_t linked = turned_firsts | (((turned_firsts & ~turned_starts) + ~turned_starts) & turned_starts);
    for (uint32_t tops = starts & ~__brev (linked); tops; tops &= tops - 1) {
      const uint32_t run = own + __popc (starts & (tops ^ (tops - 1)));
      s.entry[run] = run << 16 | next_top;
      s.place[next_top++] = y << 7 | word * 32 | (31 - __clz (tops & -tops));
    }
    for (uint32_t rest = touches.others; rest; rest &= rest - 1) {
      const uint32_t up_to = rest ^ (rest - 1);
      s.joins[next_join++] = (own + __popc (starts & up_to)) << 16 | (above + __popc (starts_above & up_to));
    }
  }

  /* The parents of AT_ONCE runs from FIRST on, THREADS apart. Behind the last run: the first one, which is always a root. */
  template <uint32_t AT_ONCE>
  __device__ void
  load_parents (uint32_t first, uint32_t *parents) const
  {
#pragma unroll
    for (uint32_t k = 0; k < AT_ONCE; k++) {
      const uint32_t run = first + k * THREADS;
      parents[k] = run < count ? parent (run) : 0;
    }
  }

  /* Calls WORK (runs of a thread at once, its first run) for all runs, THREADS apart. The loads of links take most of the time, so all of a step
   * are issued before any is used. */
  template <typename Work>
  __device__ void
  for_all_runs (const Work &work)
  {
    if (count > THREADS)
#pragma unroll 1
      for (uint32_t first = t; first - lane < count; first += 4 * THREADS)
        work (std::integral_constant<uint32_t, 4> (), first);
    else if (t - lane < count)
      work (std::integral_constant<uint32_t, 1> (), t);
  }

  /* Lets links skip runs: each step as many as the links of all others skip meanwhile. After four of them few are left that do not lead to
   * roots. */
  __device__ void
  shorten_links ()
  {
    for_all_runs ([&] (auto count_at_once, uint32_t first) {
      constexpr uint32_t at_once = decltype (count_at_once)::value;
      uint32_t up[at_once];
      load_parents<at_once> (first, up);
#pragma unroll
      for (int step = 0; step < 4; step++) {
        uint32_t next[at_once];
#pragma unroll
        for (uint32_t k = 0; k < at_once; k++)
          next[k] = parent (up[k]);
#pragma unroll
        for (uint32_t k = 0; k < at_once; k++) {
          up[k] = next[k];
          if (first + k * THREADS < count)
            set_parent (first + k * THREADS, up[k]);
        }
      }
    });
  }

  /* Gives all runs the tops of their roots. No warp diverges on the way there. */
  __device__ void
  spread_tops ()
  {
    for_all_runs ([&] (auto count_at_once, uint32_t first) {
      constexpr uint32_t at_once = decltype (count_at_once)::value;
      uint32_t root[at_once], next[at_once];
      load_parents<at_once> (first, root);
      uint32_t moves;
      do {
#pragma unroll
        for (uint32_t k = 0; k < at_once; k++)
          next[k] = parent (root[k]);
        moves = 0;
#pragma unroll
        for (uint32_t k = 0; k < at_once; k++) {
          moves |= next[k] ^ root[k];
          root[k] = next[k];
        }
      } while (__any_sync (~0u, moves));
#pragma unroll
      for (uint32_t k = 0; k < at_once; k++)
        next[k] = top (root[k]);
#pragma unroll
      for (uint32_t k = 0; k < at_once; k++) {
        const uint32_t run = first + k * THREADS;
        if (run < count && run != root[k])
          set_top (run, next[k]);
      }
    });
  }

  /* Where the list of contacts was. */
  __device__ void
  clear_sums (uint32_t top_count)
  {
#pragma unroll 1
    for (uint32_t n = t; n < top_count; n += THREADS)
      s.by_top.area_sum_x[n] = s.by_top.sum_y[n] = s.by_top.not_left[n] = s.by_top.right[n] = s.by_top.bottom[n] = 0;
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

  static constexpr uint32_t FEW_VOTES = 3, NO_TOP = 0xffff;

  /* The top of most runs, as a sample of 32 has it; NO_TOP if that is no more than FEW_VOTES of them. The whole warp calls it. */
  __device__ uint32_t
  common_top () const
  {
    const uint32_t n = top (count * (2 * lane + 1) / 64);
    const uint32_t votes = __popc (__match_any_sync (~0u, n)), most = greatest_of_lanes (votes << 16 | n);
    return most >> 16 > FEW_VOTES ? most & 0xffff : NO_TOP;
  }

  /* What a word, of those of a row, adds to the sums: its pixels in rows FIRST to LAST, which are equal. Y_SUM: the sum of these rows. RUN: that of
   * the first pixel. */
  struct Word {
    uint32_t word, first, last, height, y_sum, pixels, run;
  };

  /* Adds the sums of all pieces to those of their components. Past the percolation threshold nearly all belong to one, and atomics on one
   * address are serialised: its sums stay in registers till the end. Elsewhere warps need not diverge for it. WORD_OF (i): word i of WORDS.
   * Each thread of a CTA has as many. */
  template <typename WordOf>
  __device__ void
  sum_up (uint32_t words, const WordOf &word_of)
  {
    const uint32_t common = common_top ();
    uint32_t common_area_sum_x = 0, common_sum_y = 0, common_left = TILE_W - 1, common_right = 0, common_bottom = 0;
#pragma unroll 1
    for (uint32_t i = t; i < words; i += THREADS) {
      const Word w = word_of (i);
      const bool open_row = (w.first == 0 && has_above) || (w.last == TILE_H - 1 && has_below);
      const uint32_t at_neighbours =
          open_row ? ~0u : (w.word == 0 && has_left) | (w.word == TILE_WORDS - 1 && has_right ? 1u << 31 : 0);
      uint32_t rest = w.pixels, run = w.run;
      while (rest) {
        const uint32_t low = rest & -rest, others = rest & (rest + low), piece = rest ^ others;
        const uint32_t left = w.word * 32 + 31 - __clz (low), right = w.word * 32 + 31 - __clz (piece);
        const uint32_t n = top (run), length = right - left + 1;
        const uint32_t area_sum_x = (length << 19 | length * (left + right) / 2) * w.height;
        const uint32_t sum_y = (piece & at_neighbours ? 1u << OPEN_RUNS : 0) + length * w.y_sum;
        if (n == common) {
          common_area_sum_x += area_sum_x;
          common_sum_y += sum_y;
          common_left = min (common_left, left);
          common_right = max (common_right, right);
          common_bottom = max (common_bottom, w.last);
        } else {
          add (n, area_sum_x, sum_y, TILE_W - 1 - left, right, w.last);
        }
        rest = others;
        run++;
      }
      if (THREADS > 32)
        __syncwarp (); /* as in for_all() */
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

  /* Numbers the components, writes the sums of open ones and marks the starts of closed ones. No run needs its parent any more: that of run N
   * is the number of the closed component at top N. */
  __device__ void
  resolve (uint32_t n, bool is_top)
  {
    const uint32_t area_sum_x = is_top ? s.by_top.area_sum_x[n] : 0, sum_y = area_sum_x ? s.by_top.sum_y[n] : 0;
    const bool is_open = sum_y >> OPEN_RUNS, is_closed = area_sum_x && !is_open;
    const uint32_t opens = __ballot_sync (~0u, is_open), closeds = __ballot_sync (~0u, is_closed);
    uint32_t first = 0;
    if (lane == 0 && (opens | closeds))
      first = atomicAdd (&s.components, __popc (opens) | __popc (closeds) << 16);
    first = __shfl_sync (~0u, first, 0);
    if (!area_sum_x)
      return;
    const uint32_t pixel = s.place[n], x = pixel & 127, y = pixel >> 7, area = area_sum_x >> 19;
    if (is_open) {
      const uint32_t tile_x = tx * TILE_W, tile_y = ty * TILE_H;
      const uint32_t local = (first & 0xffff) + __popc (opens & before_me), i = tile * MAX_OPEN_COMPONENTS + local;
      f.by_open_component.parents[i] = open_key (tile_y + y, tile_x + x, i);
      f.by_open_component.sums[i] = {(unsigned long long) area * tile_x + (area_sum_x & 0x7ffff),
          (unsigned long long) area * tile_y + (sum_y & ((1u << OPEN_RUNS) - 1)), area,
          tile_x + TILE_W - 1 - s.by_top.not_left[n], tile_x + s.by_top.right[n], tile_y + s.by_top.bottom[n]};
      s.place[n] = OPEN_REF | local;
      return;
    }
    set_parent (n, (first >> 16) + __popc (closeds & before_me));
    if (is_area_kept (f, area))
      atomicOr (&((uint32_t *) &start_slots[y])[x / 64], 1u << x / 2 % 32);
  }

  /* After resolve(): the reference to the component of RUN. */
  __device__ uint32_t
  ref_of (uint32_t run) const
  {
    static_assert (ROW_SLOTS == TILE_W / 2, "half a pixel's place is its slot");
    const uint32_t place = s.place[top (run)];
    return place & OPEN_REF ? place : place / 2;
  }

  /* The tile's open component of RUN, which is of one, as a byte of TileBorder. */
  __device__ uint32_t
  component_of (uint32_t run) const
  {
    return s.place[top (run)] & 255;
  }

  /* The components at this lane's four pixels of row Y, whose number is N: of two runs at most. */
  __device__ uint32_t
  components_at (uint32_t y, uint32_t n) const
  {
    const uint32_t word = lane / 8, shift = lane % 8 * 4, pixels = row (y)[word], starts = starts_of (y, word);
    const uint32_t own = pixels >> shift & 15, first = own & -own, second = (starts >> shift & 15) & ~first;
    if (own == 0)
      return 0;
    const uint32_t run = s.before_word[n * TILE_WORDS + word] - 1 + __popc (starts & ((first << shift << 1) - 1));
    const uint32_t component = component_of (run), next = second ? component_of (run + 1) : component;
    /* The second one starts at the third pixel or the last. */
    return __byte_perm (component, next, second & 4 ? 0x4400 : 0x4000);
  }

  /* A warp has the first row, the last one, or half of both columns or, with more warps, of one. NUMBER_OF (y): words are those of the row with
   * this number that is equal to row Y. Components of the background, and at the borders of the image, mean nothing. */
  template <typename NumberOf>
  __device__ void
  write_border (const NumberOf &number_of)
  {
    static_assert (TILE_H == 64, "two halves");
    constexpr bool single = THREADS >= 6 * 32;
    TileBorder &border = f.by_tile.borders[tile];
#pragma unroll(THREADS == 32 ? 4 : 1)
    for (uint32_t part = t / 32; part < (single ? 6 : 4); part += THREADS / 32) {
      if (part < 2) {
        const uint32_t y = part ? TILE_H - 1 : 0;
        if (lane < TILE_WORDS)
          (part ? border.bottom : border.top)[lane] = row (y)[lane];
        *(uint32_t *) &(part ? border.bottom_component : border.top_component)[lane * 4] =
            components_at (y, number_of (y));
        continue;
      }
      const uint32_t half = part % 2, y = lane + half * 32;
      const uint4 own = *(const uint4 *) row (y);
      const uint2 before = *(const uint2 *) &s.before_word[number_of (y) * TILE_WORDS];
      if (!single || part < 4) {
        const bool has = own.x & 1;
        const uint32_t bits = __ballot_sync (~0u, has);
        if (lane == 0)
          ((uint32_t *) &border.left)[half] = bits;
        border.left_component[y] = has ? component_of (before.x & 0xffff) : 0;
      }
      if (!single || part >= 4) {
        const bool has = own.w >> 31;
        const uint32_t bits = __ballot_sync (~0u, has);
        if (lane == 0)
          ((uint32_t *) &border.right)[half] = bits;
        const uint32_t starts = own.w & ~(own.w << 1 | own.z >> 31);
        border.right_component[y] = has ? component_of ((before.y >> 16) + __popc (starts) - 1) : 0;
      }
    }
  }

  /* Writes the starts of closed components. */
  __device__ void
  write_starts ()
  {
#pragma unroll 1
    for (uint32_t y = t; y < TILE_H; y += THREADS)
      f.by_tile_row.starts[(size_t) tile * TILE_H + y] = start_slots[y];
  }

  /* Writes the records of closed components. */
  __device__ void
  write_closed (uint32_t top_count)
  {
#pragma unroll 1
    for (uint32_t n = t; n < top_count; n += THREADS) {
      const uint32_t area_sum_x = s.by_top.area_sum_x[n], place = s.place[n], i = s.closed_base + parent (n);
      if (area_sum_x && !(place & OPEN_REF) && i < f.closed.capacity)
        f.closed.records[i] = pack_closed ({area_sum_x >> 19, area_sum_x & 0x7ffff, s.by_top.sum_y[n], place & 127,
            place >> 7, TILE_W - 1 - s.by_top.not_left[n], s.by_top.right[n], s.by_top.bottom[n]});
    }
  }
};

} // namespace

#endif

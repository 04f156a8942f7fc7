/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A tile by the threads of one CTA: one with more runs than a warp has room for, or any of a frame with too few tiles for all warps.
 *
 * Before that, bit operations find lone pixels, which touch no others: half of all components in noise. */
#ifndef CTR_CUDA_CCA_TILE_RUNS_CUH
#define CTR_CUDA_CCA_TILE_RUNS_CUH

#include "cuda/cca/warp_runs.cuh"

namespace
{

/* Beside lone pixels noise has 2137 runs at most, of 12000 tiles of each density of 30, 35, .. 60 %, and 604 tops and 1106 joins, of 3800 tiles
 * of all densities. */
template <int THREADS> struct RunShared : RunArrays<2176, 632, 1536> {
  uint2 warp_sums[THREADS / 32];
};

/* All threads of the CTA call run() and label() together. */
template <int CONNECTIVITY, bool KEEP_RUNS, int THREADS>
struct RunTile : RunLabels<CONNECTIVITY, THREADS, RunShared<THREADS>> {
  typedef RunLabels<CONNECTIVITY, THREADS, RunShared<THREADS>> Base;
  typedef typename Base::Contacts Contacts;
  typedef typename Base::Word Word;
  using Base::count, Base::f, Base::has_above, Base::has_below, Base::has_left, Base::has_right, Base::lane,
      Base::ref_of, Base::row, Base::rows, Base::s, Base::start_slots, Base::t, Base::tile, Base::tx, Base::ty;
  static constexpr int WORDS = TILE_THREADS > THREADS ? TILE_THREADS / THREADS : 1; /* of a thread */
  static_assert (THREADS <= TILE_THREADS && TILE_WORDS % WORDS == 0, "all words of a thread lie in one row");

  using Base::Base;

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

  /* The references of all runs, for the feature kernel. */
  __device__ void
  write_run_refs ()
  {
#pragma unroll 1
    for (uint32_t i = threadIdx.x; i < TILE_THREADS; i += THREADS) {
      uint32_t run = s.before_word[i];
      for (uint32_t starts = this->starts_of (i / TILE_WORDS, i % TILE_WORDS); starts; starts &= starts - 1)
        f.by_run_slot.refs[(size_t) tile * TILE_SLOTS + i * 16 + (__ffs (starts) - 1) / 2] = ref_of (run++);
    }
  }

  /* The sums of both numbers of the threads before this one. *ALL: the totals. Has a barrier. */
  __device__ uint2
  sums_before (uint2 own, uint2 *all)
  {
    constexpr uint32_t warps = THREADS / 32;
    const uint32_t warp = t / 32;
    const uint2 sums = {sum_of_lanes (own.x), sum_of_lanes (own.y)};
    if (lane == 31)
      s.warp_sums[warp] = sums;
    __syncthreads ();
    const uint2 of_warp = lane < warps ? s.warp_sums[lane] : make_uint2 (0, 0);
    *all = {total_of_lanes (of_warp.x), total_of_lanes (of_warp.y)};
    return {total_of_lanes (lane < warp ? of_warp.x : 0) + sums.x - own.x,
        total_of_lanes (lane < warp ? of_warp.y : 0) + sums.y - own.y};
  }

  /* All steps. CROWDED: the tile is likely to be crowded, and is counted if it is. False: more runs, contacts or tops than there is room for,
   * and nothing written needs to be undone. */
  template <bool CROWDED>
  __device__ bool
  run (uint32_t threshold)
  {
    constexpr int warp_rows = TILE_H / (THREADS / 32);
    const uint32_t warp = threadIdx.x / 32;
    load_rows<warp_rows> (f, threshold, tx, ty, warp * warp_rows, rows);
    __syncthreads ();
    return label<true, CROWDED> (0);
  }

  /* All steps behind the rows. LONE: takes lone pixels out of them. Otherwise that has been done, the tile is not full, and MARKS are
   * those of its header. */
  template <bool LONE, bool CROWDED>
  __device__ bool
  label (uint32_t marks)
  {
    const uint32_t warp = t / 32;
    if (t == 0)
      s.components = 0;

    const uint32_t first = t * WORDS, y = first / TILE_WORDS, word = first % TILE_WORDS;
    uint32_t pixels[WORDS], lone[WORDS], starts[WORDS], all_lone = 0;
    Contacts touches[WORDS];
    /* Runs, and tops << 16; listed contacts, warps with lone pixels << 13, and runs in words that differ from those above << 17 */
    uint32_t sums = 0, more_sums = 0;
    bool full = true;
#pragma unroll
    for (int i = 0; i < WORDS; i++) {
      pixels[i] = row (y)[word + i];
      const bool changed = y == 0 || pixels[i] != row (y - 1)[word + i];
      if (LONE) {
        full = full && pixels[i] == ~0u;
        if (KEEP_RUNS)
          f.by_word.foreground[tile * TILE_THREADS + first + i] = pixels[i];
        lone[i] = lone_pixels (y, word + i);
        all_lone |= lone[i];
        pixels[i] ^= lone[i];
      }
      starts[i] = pixels[i] & ~(pixels[i] << 1 | this->word_before (row (y), word + i) >> 31);
      touches[i] = this->contacts_of (y, word + i, starts[i]);
      sums += __popc (starts[i]) | (__popc (starts[i]) - __popc (touches[i].firsts)) << 16;
      more_sums += __popc (touches[i].others) + (CROWDED && changed ? __popc (starts[i]) << 17 : 0);
    }
    if (LONE) {
      const bool warp_has_lone = __any_sync (~0u, all_lone);
      more_sums += lane == 0 && warp_has_lone ? 1u << 13 : 0;
    }
    uint2 all;
    const uint2 before = sums_before ({sums, more_sums}, &all);
    const uint32_t join_count = all.y & 0x1fff, top_count = all.x >> 16;
    count = all.x & 0xffff;
    if (LONE && all.y >> 13 & 15)
      marks = TILE_HAS_LONE;
    if (f.counts_runs && t == 0 && count)
      atomicAdd (&f.counters->runs, count);
    if (CROWDED && t == 0 && (all.y >> 17 > WarpRunArrays::run_capacity || top_count > WarpRunArrays::top_capacity))
      atomicAdd (&f.counters->crowded, 1);
    if (LONE && count == TILE_H && __syncthreads_and (full)) {
      if (warp == 0)
        write_full_tile (f, tile, tx, ty, KEEP_RUNS);
      return true;
    }
    if (count > s.run_capacity || join_count > s.join_capacity || top_count > s.top_capacity) {
      __syncthreads (); /* The caller's shared memory takes the place of this. */
      return false;
    }
    uint32_t next = before.x & 0xffff, next_top = before.x >> 16, next_join = before.y & 0x1fff;
#pragma unroll
    for (int i = 0; i < WORDS; i++) {
      if (LONE) {
        take_lone_pixels (first + i, lone[i], marks);
        ((uint32_t *) rows)[first + i] = pixels[i];
      }
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
        this->write_starts ();
      return true;
    }

#pragma unroll
    for (int i = 0; i < WORDS; i++) {
      if (!(starts[i] | touches[i].others))
        continue;
      const uint32_t own = s.before_word[first + i] - 1;
      const bool is_first_row = y == 0; /* whose runs touch none above */
      const uint32_t starts_above = is_first_row ? 0 : this->starts_of (y - 1, word + i);
      const uint32_t above = is_first_row ? 0 : s.before_word[first + i - TILE_WORDS] - 1;
      this->link (y, word + i, starts[i], touches[i], own, starts_above, above, next_top, next_join);
      next_top += __popc (starts[i]) - __popc (touches[i].firsts);
      next_join += __popc (touches[i].others);
    }
    __syncthreads ();
    this->shorten_links ();
    __syncthreads ();
    this->for_all (join_count, [&] (uint32_t i, bool has) {
      if (has)
        this->unite (s.joins[i] >> 16, s.joins[i] & 0xffff);
    });
    __syncthreads ();
    this->clear_sums (top_count);
    this->spread_tops ();
    __syncthreads ();
    /* In crowded tiles the words of a warp lie in rows far from one another, since sums of one component wait for one another, and in all
     * banks of shared memory. */
    this->sum_up (TILE_THREADS, [&] (uint32_t i) {
      const uint32_t eighth = i / TILE_WORDS % 8, word = i % TILE_WORDS;
      const uint32_t y = CROWDED ? eighth * (TILE_H / 8) + (eighth + i / 32) % 8 : i / TILE_WORDS,
                     pixels = row (y)[word];
      const uint32_t continues = pixels & this->word_before (row (y), word) >> 31;
      return Word{word, y, y, 1, y, pixels, s.before_word[y * TILE_WORDS + word] - continues};
    });
    __syncthreads ();
    this->for_all (top_count, [&] (uint32_t n, bool is_top) { this->resolve (n, is_top); });
    __syncthreads ();

    /* The records' place arrives while the border is written. */
    const uint32_t open = s.components & 0xffff, closed = s.components >> 16;
    if (t == THREADS - 1) {
      const uint32_t base = closed ? atomicAdd (&f.counters->closed, closed) : 0;
      f.by_tile.headers[tile] = {open, closed, base, marks};
      s.closed_base = base;
    }
    if (open)
      this->write_border ([] (uint32_t y) { return y; });
    else if (warp == 0)
      write_empty_border (f, tile);
    if (KEEP_RUNS)
      write_run_refs ();
    if (closed || marks)
      this->write_starts ();
    if (!closed)
      return true;
    __syncthreads ();
    this->write_closed (top_count);
    return true;
  }
};

} // namespace

#endif

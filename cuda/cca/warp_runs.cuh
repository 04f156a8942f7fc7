/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A tile by one warp: its runs, of those rows that differ from the one above. Pictures of large parts have few of them, and few runs in each, so
 * that one warp takes fewer instructions than a CTA, and waits for no other. Rows that are equal to the one above only multiply what
 * the first of them adds to the sums. */
#ifndef CTR_CUDA_CCA_WARP_RUNS_CUH
#define CTR_CUDA_CCA_WARP_RUNS_CUH

#include "cuda/cca/run_labels.cuh"

namespace
{

/* Noise of 4 x 4 pixels of all densities has 149 runs and 86 tops at most, noise of single pixels with 10 % 226 and 127. */
struct WarpRunArrays : RunArrays<288, 128, 640> {
  static_assert (640 >= 2 * 288, "of the contacts of a run, one is its first, and one the last of the run above");
  uint8_t first_y[TILE_H + 1]; /* of a row that changes, its place in the tile, then the tile's end */
};

/* The whole warp calls all functions together. Words are those of rows that change, in the rows' order. */
template <int CONNECTIVITY, bool KEEP_RUNS> struct WarpRuns : RunLabels<CONNECTIVITY, 32, WarpRunArrays> {
  typedef RunLabels<CONNECTIVITY, 32, WarpRunArrays> Base;
  typedef typename Base::Contacts Contacts;
  typedef typename Base::Word Word;
  using Base::Base, Base::count, Base::f, Base::lane, Base::ref_of, Base::row, Base::s, Base::tile;

  /* The number of the last row that changes up to row Y; 0 if there is none, and these rows are empty. */
  __device__ static uint32_t
  number_of (uint64_t changes, uint32_t y)
  {
    const uint32_t upper = (uint32_t) changes, lower = (uint32_t) (changes >> 32), to_y = ~0u >> (31 - y % 32);
    const uint32_t count = y < 32 ? __popc (upper & to_y) : __popc (upper) + __popc (lower & to_y);
    return max (count, 1u) - 1;
  }

  /* The references of all runs, for the feature kernel. */
  __device__ void
  write_run_refs (uint64_t changes)
  {
#pragma unroll 1
    for (uint32_t i = lane; i < TILE_THREADS; i += 32) {
      const uint32_t y = i / TILE_WORDS, word = i % TILE_WORDS;
      uint32_t starts = this->starts_of (y, word);
      if (!starts)
        continue;
      for (uint32_t run = s.before_word[number_of (changes, y) * TILE_WORDS + word]; starts; starts &= starts - 1)
        f.by_run_slot.refs[(size_t) tile * TILE_SLOTS + i * 16 + (__ffs (starts) - 1) / 2] = ref_of (run++);
    }
  }

  /* All steps behind the rows, without lone runs. CHANGES: bit: this row differs from the one above; the first one: from an empty row.
   * MARKS: of the tile's header. False: more runs or tops than there is room for, and nothing written needs to be undone. */
  __device__ bool
  label (uint64_t changes, uint32_t marks)
  {
    const uint32_t words = __popcll (changes) * TILE_WORDS;
#pragma unroll
    for (uint32_t i = 0; i < TILE_H / 32; i++)
      if ((uint32_t) (changes >> 32 * i) >> lane & 1)
        s.first_y[number_of (changes, lane + 32 * i)] = lane + 32 * i;
    if (lane == 0) {
      s.first_y[words / TILE_WORDS] = TILE_H;
      s.components = 0;
    }
    __syncwarp ();

    uint32_t top_count = 0, join_count = 0;
    count = 0;
#pragma unroll 1
    for (uint32_t base = 0; base < words; base += 32) {
      const uint32_t i = base + lane, word = lane % TILE_WORDS;
      /* Lanes behind the last word have an empty row, if there is one, without contacts. */
      const bool has = i < words;
      const uint32_t y = has ? s.first_y[i / TILE_WORDS] : 0;
      const uint32_t starts = has ? this->starts_of (y, word) : 0;
      const uint32_t starts_above = y > 0 ? this->starts_of (y - 1, word) : 0;
      const Contacts touches = this->contacts_of (y, word, starts);
      /* Runs, tops << 10 and listed contacts << 20: of 32 words 512 at most */
      const uint32_t counts =
          __popc (starts) | (__popc (starts) - __popc (touches.firsts)) << 10 | __popc (touches.others) << 20;
      const uint32_t sums = sum_of_lanes (counts), all = __shfl_sync (~0u, sums, 31), before = sums - counts;
      const uint32_t run = count + (before & 1023), next_top = top_count + (before >> 10 & 1023);
      const uint32_t next_join = join_count + (before >> 20);
      count += all & 1023;
      top_count += all >> 10 & 1023;
      join_count += all >> 20;
      if (__any_sync (~0u, count > s.run_capacity || top_count > s.top_capacity))
        return false;
      if (has)
        s.before_word[i] = run;
      __syncwarp ();
      if (starts | touches.others)
        this->link (y, word, starts, touches, run - 1, starts_above,
            i >= TILE_WORDS ? s.before_word[i - TILE_WORDS] - 1 : 0, next_top, next_join);
    }
    __syncwarp ();
    this->shorten_links ();
    __syncwarp ();
    this->for_all (join_count, [&] (uint32_t i, bool has) {
      if (has)
        this->unite (s.joins[i] >> 16, s.joins[i] & 0xffff);
    });
    __syncwarp ();
    this->clear_sums (top_count);
    this->spread_tops ();
    __syncwarp ();
    this->sum_up (words, [&] (uint32_t i) {
      const uint32_t y = s.first_y[i / TILE_WORDS], last = s.first_y[i / TILE_WORDS + 1] - 1, word = i % TILE_WORDS;
      const uint32_t height = last - y + 1, pixels = row (y)[word];
      const uint32_t continues = pixels & this->word_before (row (y), word) >> 31;
      return Word{word, y, last, height, (y + last) * height / 2, pixels, s.before_word[i] - continues};
    });
    __syncwarp ();
    this->for_all (top_count, [&] (uint32_t n, bool is_top) { this->resolve (n, is_top); });
    __syncwarp ();

    /* The records' place arrives while the border is written. */
    const uint32_t open = s.components & 0xffff, closed = s.components >> 16;
    if (lane == 0) {
      const uint32_t base = closed ? atomicAdd (&f.counters->closed, closed) : 0;
      f.by_tile.headers[tile] = {open, closed, base, marks};
      s.closed_base = base;
    }
    if (open)
      this->write_border ([changes] (uint32_t y) { return number_of (changes, y); });
    else
      write_empty_border (f, tile);
    if (KEEP_RUNS)
      write_run_refs (changes);
    if (closed || marks)
      this->write_starts ();
    __syncwarp ();
    if (closed)
      this->write_closed (top_count);
    return true;
  }
};

} // namespace

#endif

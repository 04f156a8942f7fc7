/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Hysteresis inside a tile, by a CTA in shared memory: the 8-connected components of the candidates, and which of them
 * hold a strong one. By union-find over runs of candidates, so that the time hardly depends on how they wind. */
#ifndef CTR_CANNY_HYSTERESIS_CUH
#define CTR_CANNY_HYSTERESIS_CUH

#include "cuda/canny_layout.cuh"

namespace
{

constexpr uint32_t RUN_PARENT = 0xffff;
constexpr uint32_t RUN_STRONG = 1u << 16;
constexpr uint32_t RUN_AT_RIM = 1u << 17;
constexpr int RUN_NODE_SHIFT = 18;

/* Memory for a tile of ROWS rows; a row has at most CANNY_W / 2 runs. */
constexpr int
run_words (int rows)
{
  return rows * CANNY_WORDS + rows * CANNY_W / 2;
}

/* Runs of candidates, numbered in raster order. */
struct TileRuns {
  const uint32_t *bits; /* rows of CANNY_WORDS words, the leftmost pixel in bit 0 */
  uint32_t *bases;      /* a word: runs that start before it */
  uint32_t *parents; /* a run: a run of its component that starts before it, or itself: the root, which has the flags */

  __device__
  TileRuns (const uint32_t *candidates, uint32_t *memory, uint32_t rows)
      : bits (candidates), bases (memory), parents (memory + rows * CANNY_WORDS)
  {
  }

  __device__ uint32_t
  before (uint32_t word) const /* the pixel left of bit 0 */
  {
    return word % CANNY_WORDS ? bits[word - 1] >> 31 : 0;
  }

  __device__ uint32_t
  starts (uint32_t word) const
  {
    return bits[word] & ~(bits[word] << 1 | before (word));
  }

  /* The run that holds BIT of WORD, whose starts are STARTS. */
  __device__ uint32_t
  run (uint32_t word, uint32_t starts, uint32_t bit) const
  {
    return bases[word] + __popc (starts & ((2u << bit) - 1)) - 1;
  }

  __device__ uint32_t
  run_at (uint32_t word, uint32_t bit) const
  {
    return run (word, starts (word), bit);
  }

  __device__ uint32_t
  load (uint32_t run) const
  {
    return *(volatile uint32_t *) &parents[run];
  }

  __device__ uint32_t
  root (uint32_t run) const
  {
    uint32_t up = load (run) & RUN_PARENT;
    while (up != run) {
      run = up;
      up = load (run) & RUN_PARENT;
    }
    return run;
  }

  /* While no flags are set yet. */
  __device__ void
  unite (uint32_t a, uint32_t b) const
  {
    a = root (a);
    b = root (b);
    while (a != b) {
      if (a < b) {
        const uint32_t t = a;
        a = b;
        b = t;
      }
      const uint32_t old = atomicMin (&parents[a], b);
      if (old == a)
        return;
      a = root (old);
    }
  }
};

/* Where the runs of a row touch those of the row above, exactly once for each pair: at the start of a run, which has a
 * run above it or before that; and at the start of a run above, which has one left of it. */
struct Contacts {
  uint32_t starts, above_starts, at_start, later;

  __device__
  Contacts (const TileRuns &runs, uint32_t word)
  {
    const uint32_t over = word - CANNY_WORDS, line = runs.bits[word], above = runs.bits[over];
    const uint32_t left = line << 1 | runs.before (word), above_left = above << 1 | runs.before (over);
    starts = line & ~left;
    above_starts = above & ~above_left;
    at_start = starts & (above | above_left);
    later = above_starts & left;
  }
};

/* Numbers the runs; ends in a barrier. A thread has CANNY_WORDS_A_THREAD words in a row. */
__device__ inline void
number_runs (const TileRuns &runs, uint32_t words)
{
  __shared__ uint32_t warp_sums[CANNY_THREADS / 32];
  const uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32, share = ctr_div_up (words, CANNY_THREADS);
  const uint32_t begin = min (threadIdx.x * share, words), end = min (begin + share, words);
  uint32_t own = 0;
  for (uint32_t word = begin; word < end; word++)
    own += __popc (runs.starts (word));
  uint32_t sum = own;
  for (int d = 1; d < 32; d *= 2) {
    const uint32_t n = __shfl_up_sync (~0u, sum, d);
    sum += lane >= d ? n : 0;
  }
  if (lane == 31)
    warp_sums[warp] = sum;
  __syncthreads ();
  uint32_t base = sum - own;
  for (uint32_t i = 0; i < warp; i++)
    base += warp_sums[i];
  for (uint32_t word = begin; word < end; word++) {
    runs.bases[word] = base;
    base += __popc (runs.starts (word));
  }
  __syncthreads ();
}

/* Of ROWS rows; begins after a barrier and ends in one. Then every run's parent is its root, and roots with a pixel of
 * STRONG say so. */
__device__ inline void
join_runs (const TileRuns &runs, const uint32_t *strong, uint32_t rows)
{
  const uint32_t words = rows * CANNY_WORDS;
  number_runs (runs, words);
  /* Most runs touch one run above: that becomes the parent at once. */
  for (uint32_t word = threadIdx.x; word < words; word += CANNY_THREADS) {
    if (!runs.bits[word])
      continue;
    if (word < CANNY_WORDS) {
      for (uint32_t i = 0; i < __popc (runs.starts (word)); i++)
        runs.parents[runs.bases[word] + i] = runs.bases[word] + i;
      continue;
    }
    const uint32_t over = word - CANNY_WORDS;
    const Contacts c (runs, word);
    uint32_t i = runs.bases[word];
    for (uint32_t rest = c.starts; rest; rest &= rest - 1, i++) {
      const uint32_t start = rest & -rest, next = rest & (rest - 1);
      /* Contacts further right, as far as this word's bits tell that they are of this run. */
      const uint32_t later = c.later & ~(start | (start - 1)) & (next ? (next & -next) - 1 : ~0u);
      uint32_t parent = i;
      if (c.at_start & start)
        parent = runs.run (over, c.above_starts, __ffs (start) - 1);
      else if (later)
        parent = runs.run (over, c.above_starts, __ffs (later) - 1);
      runs.parents[i] = parent;
    }
  }
  __syncthreads ();
  /* Chains down the rows become short: each step halves what is left. */
  const uint32_t count = runs.bases[words - 1] + __popc (runs.starts (words - 1));
  for (uint32_t i = threadIdx.x; i < count; i += CANNY_THREADS) {
    uint32_t up = runs.load (i);
    for (uint32_t next = runs.load (up); next != up; next = runs.load (up)) {
      atomicMin (&runs.parents[i], next); /* others walk through: any ancestor is right */
      up = next;
    }
  }
  __syncthreads ();
  for (uint32_t word = threadIdx.x + CANNY_WORDS; word < words; word += CANNY_THREADS) {
    const uint32_t over = word - CANNY_WORDS;
    const Contacts c (runs, word);
    for (uint32_t rest = c.later; rest; rest &= rest - 1) {
      const uint32_t bit = __ffs (rest) - 1;
      runs.unite (
          bit ? runs.run (word, c.starts, bit - 1) : runs.bases[word] - 1, runs.run (over, c.above_starts, bit));
    }
  }
  __syncthreads ();
  for (uint32_t word = threadIdx.x; word < words; word += CANNY_THREADS) {
    const uint32_t starts = runs.starts (word);
    for (uint32_t rest = strong[word]; rest;) {
      const uint32_t bit = __ffs (rest) - 1, root = runs.root (runs.run (word, starts, bit));
      if (!(runs.load (root) & RUN_STRONG))
        atomicOr (&runs.parents[root], RUN_STRONG);
      /* On to the next run: past the first gap after BIT. */
      const uint32_t gaps = ~runs.bits[word] & ~((2u << bit) - 1);
      rest &= gaps ? ~((gaps & -gaps) - 1) : 0;
    }
  }
  __syncthreads ();
}

/* After join_runs(): the pixels of WORD whose component is strong. */
__device__ inline uint32_t
strong_pixels (const TileRuns &runs, uint32_t word)
{
  uint32_t result = 0;
  const uint32_t starts = runs.starts (word);
  for (uint32_t rest = runs.bits[word]; rest;) {
    const uint32_t bit = __ffs (rest) - 1, gaps = ~rest & ~((1u << bit) - 1);
    const uint32_t pixels = rest & (gaps ? (gaps & -gaps) - 1 : ~0u);
    if (runs.load (runs.root (runs.run (word, starts, bit))) & RUN_STRONG)
      result |= pixels;
    rest ^= pixels;
  }
  return result;
}

} // namespace

#endif

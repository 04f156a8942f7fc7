/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Hysteresis inside a tile, by a CTA in shared memory: the 8-connected components of the candidates, and which of them
 * hold a strong one. By union-find over runs of candidates, so that the time hardly depends on how they wind. */
#ifndef CTR_CANNY_HYSTERESIS_CUH
#define CTR_CANNY_HYSTERESIS_CUH

#include "cuda/canny_layout.cuh"

namespace
{

/* A run's entry: its parent, a run of its component that starts before it, or itself, in the upper bits; where it
 * starts; flags. Of a root that is a node of the rim, the node's number takes the start's place in the end. */
constexpr int RUN_PARENT_SHIFT = 18, RUN_FIELD_SHIFT = 3;
constexpr uint32_t RUN_FIELD = 0x7fff, RUN_REST = (1u << RUN_PARENT_SHIFT) - 1;
constexpr uint32_t RUN_STRONG = 1, RUN_AT_RIM = 2;

/* Memory for a tile of ROWS rows; a row has at most CANNY_W / 2 runs. */
constexpr int
run_words (int rows)
{
  return rows * CANNY_WORDS + rows * CANNY_W / 2 + rows * CANNY_W / 64;
}

/* Runs of candidates inside words, numbered in raster order. */
struct TileRuns {
  const uint32_t *bits; /* rows of CANNY_WORDS words, the leftmost pixel in bit 0 */
  uint32_t *bases;      /* a word: runs before it */
  uint32_t *entries;    /* a run */
  uint32_t *edges;      /* a bit a run: its component is strong */

  __device__
  TileRuns (const uint32_t *candidates, uint32_t *memory, uint32_t rows)
      : bits (candidates), bases (memory), entries (memory + rows * CANNY_WORDS), edges (entries + rows * CANNY_W / 2)
  {
  }

  __device__ uint32_t
  starts (uint32_t word) const
  {
    return bits[word] & ~(bits[word] << 1);
  }

  /* The run that holds BIT of WORD. */
  __device__ uint32_t
  run_at (uint32_t word, uint32_t bit) const
  {
    return bases[word] + __popc (starts (word) & ((2u << bit) - 1)) - 1;
  }

  __device__ uint32_t
  load (uint32_t run) const
  {
    return *(volatile uint32_t *) &entries[run];
  }

  __device__ uint32_t
  parent (uint32_t run) const
  {
    return load (run) >> RUN_PARENT_SHIFT;
  }

  __device__ uint32_t
  root (uint32_t run) const
  {
    uint32_t up = parent (run);
    while (up != run) {
      run = up;
      up = parent (run);
    }
    return run;
  }

  /* While flags do not change. */
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
      const uint32_t old = atomicMin (&entries[a], b << RUN_PARENT_SHIFT | (load (a) & RUN_REST)) >> RUN_PARENT_SHIFT;
      if (old == a)
        return;
      a = root (old);
    }
  }
};

/* What a run touches of what comes before it. */
struct RunContacts {
  uint32_t word, pixels; /* of the run */
  uint32_t above;        /* where it begins to touch each run of the word above */
  bool left, above_left, above_right;

  /* AT: where the run starts. */
  __device__
  RunContacts (const TileRuns &runs, uint32_t at)
  {
    word = at / 32;
    const uint32_t line = runs.bits[word], start = line & ~((1u << at % 32) - 1),
                   gaps = ~start & ~((1u << at % 32) - 1);
    pixels = start & (gaps ? (gaps & -gaps) - 1 : ~0u);
    const bool first = word % CANNY_WORDS == 0, last = word % CANNY_WORDS == CANNY_WORDS - 1, top = word < CANNY_WORDS;
    const bool at_begin = !first && pixels & 1, at_end = !last && pixels >> 31;
    const uint32_t touched = top ? 0 : runs.bits[word - CANNY_WORDS] & (pixels | pixels << 1 | pixels >> 1);
    above = touched & ~(touched << 1);
    left = at_begin && runs.bits[word - 1] >> 31;
    above_left = at_begin && !top && runs.bits[word - CANNY_WORDS - 1] >> 31;
    above_right = at_end && !top && runs.bits[word - CANNY_WORDS + 1] & 1;
  }

  __device__ bool
  any () const
  {
    return above || left || above_left || above_right;
  }

  /* One of the runs it touches, which is left out the next time. */
  __device__ uint32_t
  take (const TileRuns &runs)
  {
    const uint32_t over = word - CANNY_WORDS;
    if (above) {
      const uint32_t bit = __ffs (above) - 1;
      above &= above - 1;
      return runs.run_at (over, bit);
    }
    /* The last run of the word before, or the first of the next one. */
    const uint32_t from = left ? word : above_left ? over : over + 1;
    const uint32_t back = left || above_left;
    above_right = above_right && back;
    above_left = above_left && left;
    left = false;
    return runs.bases[from] - back;
  }
};

/* Numbers the runs and notes where they start; ends in a barrier. Returns how many there are. */
__device__ inline uint32_t
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
  uint32_t base = sum - own, count = 0;
  for (uint32_t i = 0; i < CANNY_THREADS / 32; i++) {
    base += i < warp ? warp_sums[i] : 0;
    count += warp_sums[i];
  }
  for (uint32_t word = begin; word < end; word++) {
    runs.bases[word] = base;
    for (uint32_t starts = runs.starts (word); starts; starts &= starts - 1)
      runs.entries[base++] = (word * 32 + __ffs (starts) - 1) << RUN_FIELD_SHIFT;
  }
  __syncthreads ();
  return count;
}

constexpr uint32_t JOINS = 512; /* pairs of runs to be joined, gathered so that lanes do the same */

/* COUNT runs, numbered; ends in a barrier. Then runs.edges tells the runs of components with a pixel of STRONG, and
 * their roots say so. A thread a run. */
__device__ inline void
join_runs (const TileRuns &runs, const uint32_t *strong, uint32_t count)
{
  __shared__ uint2 joins[JOINS];
  __shared__ uint32_t join_count;
  const uint32_t t = threadIdx.x;
  if (t == 0)
    join_count = 0;
  __syncthreads ();
  /* Most runs touch one run before them: that becomes the parent at once. */
#pragma unroll 1
  for (uint32_t i = t; i < count; i += CANNY_THREADS) {
    const uint32_t at = runs.entries[i] >> RUN_FIELD_SHIFT;
    RunContacts contacts (runs, at);
    const uint32_t parent = contacts.any () ? contacts.take (runs) : i;
    const bool is_strong = strong[contacts.word] & contacts.pixels;
    runs.entries[i] = parent << RUN_PARENT_SHIFT | at << RUN_FIELD_SHIFT | (is_strong ? RUN_STRONG : 0);
    while (contacts.any ()) {
      const uint32_t place = atomicAdd (&join_count, 1), other = contacts.take (runs);
      if (place < JOINS)
        joins[place] = make_uint2 (i, other);
    }
  }
  __syncthreads ();
  /* Chains down the rows become short: each step halves what is left. The lanes of a warp stay together. */
#pragma unroll 1
  for (uint32_t i = t; __any_sync (~0u, i < count); i += CANNY_THREADS) {
    const uint32_t entry = i < count ? runs.load (i) : 0;
    uint32_t up = entry >> RUN_PARENT_SHIFT, next = i < count ? runs.parent (up) : up;
#pragma unroll 1
    while (__any_sync (~0u, next != up)) {
      if (next != up)
        atomicMin (&runs.entries[i], next << RUN_PARENT_SHIFT | (entry & RUN_REST)); /* others walk through: */
      up = next;                                                                     /* any ancestor is right */
      next = i < count ? runs.parent (up) : up;
    }
  }
  __syncthreads ();
  if (join_count > JOINS) /* not all could be noted */
#pragma unroll 1
    for (uint32_t i = t; i < count; i += CANNY_THREADS) {
      RunContacts contacts (runs, runs.load (i) >> RUN_FIELD_SHIFT & RUN_FIELD);
      while (contacts.any ())
        runs.unite (i, contacts.take (runs));
    }
#pragma unroll 1
  for (uint32_t i = t; i < min (join_count, JOINS); i += CANNY_THREADS)
    runs.unite (joins[i].x, joins[i].y);
  __syncthreads ();
#pragma unroll 1
  for (uint32_t i = t; __any_sync (~0u, i < count); i += CANNY_THREADS) {
    const bool is_strong = i < count && runs.load (i) & RUN_STRONG;
    const uint32_t root = is_strong ? runs.root (i) : ~0u, same = __match_any_sync (~0u, root);
    if (is_strong && (same & -same) == 1u << t % 32 && !(runs.load (root) & RUN_STRONG))
      atomicOr (&runs.entries[root], RUN_STRONG);
  }
  __syncthreads ();
#pragma unroll 1
  for (uint32_t i = t; __any_sync (~0u, i < count); i += CANNY_THREADS) {
    const bool edge = i < count && runs.load (runs.root (i)) & RUN_STRONG;
    const uint32_t edges = __ballot_sync (~0u, edge);
    if (t % 32 == 0)
      runs.edges[i / 32] = edges;
  }
  __syncthreads ();
}

/* After join_runs(): the pixels of WORD whose component is strong. */
__device__ inline uint32_t
strong_pixels (const TileRuns &runs, uint32_t word)
{
  const uint32_t bits = runs.bits[word], starts = runs.starts (word), count = __popc (starts);
  const uint32_t first = runs.bases[word], offset = first % 32;
  if (!count)
    return 0;
  const uint32_t all = (1u << count) - 1; /* at most 16 */
  const uint32_t next = offset + count > 32 ? runs.edges[first / 32 + 1] : 0;
  const uint32_t edges = __funnelshift_r (runs.edges[first / 32], next, offset) & all;
  if (edges == 0 || edges == all)
    return edges ? bits : 0;
  uint32_t result = 0, rest = starts;
  for (uint32_t left = edges; left; rest &= rest - 1, left >>= 1)
    if (left & 1)
      result |= bits & ~(bits + (rest & -rest)); /* the carry runs to the end of the run */
  return result;
}

} // namespace

#endif

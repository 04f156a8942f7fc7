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

  /* A lower parent for RUN; what it was. The rest of its entry must not change meanwhile. */
  __device__ uint32_t
  lower_parent (uint32_t run, uint32_t to) const
  {
    return atomicMin (&entries[run], to << RUN_PARENT_SHIFT | (load (run) & RUN_REST)) >> RUN_PARENT_SHIFT;
  }

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
      const uint32_t old = lower_parent (a, b);
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
    if (left) {
      left = false;
      return runs.bases[word] - 1;
    }
    if (above_left) {
      above_left = false;
      return runs.bases[over] - 1;
    }
    above_right = false;
    return runs.bases[over + 1];
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

/* Of ROWS rows; begins after a barrier and ends in one. Then runs.edges tells the runs of components with a pixel of
 * STRONG, and their roots say so. A thread a run, so that lanes do the same. */
__device__ inline void
join_runs (const TileRuns &runs, const uint32_t *strong, uint32_t rows)
{
  const uint32_t t = threadIdx.x, count = number_runs (runs, rows * CANNY_WORDS);
  /* Most runs touch one run before them: that becomes the parent at once. */
  for (uint32_t i = t; i < count; i += CANNY_THREADS) {
    const uint32_t at = runs.entries[i] >> RUN_FIELD_SHIFT;
    RunContacts contacts (runs, at);
    const uint32_t parent = contacts.any () ? contacts.take (runs) : i;
    const bool is_strong = strong[contacts.word] & contacts.pixels;
    runs.entries[i] = parent << RUN_PARENT_SHIFT | at << RUN_FIELD_SHIFT | (is_strong ? RUN_STRONG : 0);
  }
  __syncthreads ();
  /* Chains down the rows become short: each step halves what is left. */
  for (uint32_t i = t; i < count; i += CANNY_THREADS) {
    uint32_t up = runs.parent (i);
    for (uint32_t next = runs.parent (up); next != up; next = runs.parent (up)) {
      runs.lower_parent (i, next); /* others walk through: any ancestor is right */
      up = next;
    }
  }
  __syncthreads ();
  for (uint32_t i = t; i < count; i += CANNY_THREADS) {
    RunContacts contacts (runs, runs.load (i) >> RUN_FIELD_SHIFT & RUN_FIELD);
    if (contacts.any ())
      contacts.take (runs);
    while (contacts.any ())
      runs.unite (i, contacts.take (runs));
  }
  __syncthreads ();
  for (uint32_t i = t; i < count; i += CANNY_THREADS)
    if (runs.load (i) & RUN_STRONG) {
      const uint32_t root = runs.root (i);
      if (!(runs.load (root) & RUN_STRONG))
        atomicOr (&runs.entries[root], RUN_STRONG);
    }
  __syncthreads ();
  for (uint32_t base = t - t % 32; base < count; base += CANNY_THREADS) {
    const uint32_t i = base + t % 32;
    const bool edge = i < count && runs.load (runs.root (i)) & RUN_STRONG;
    const uint32_t edges = __ballot_sync (~0u, edge);
    if (t % 32 == 0)
      runs.edges[base / 32] = edges;
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

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Hysteresis inside a tile, by a CTA in shared memory: the 8-connected components of the candidates, and which of them
 * hold a strong one. By union-find over runs of candidates, so that the time hardly depends on how they wind. A run
 * with a strong pixel of its own is an edge at once and has no part in it; the others are the weak runs. */
#ifndef CTR_CUDA_CANNY_HYSTERESIS_CUH
#define CTR_CUDA_CANNY_HYSTERESIS_CUH

#include "cuda/canny/device_state.cuh"

namespace
{

/* A weak run inside a word: (word + 1) * RUNS_A_WORD + first bit / 2. Runs start two bits apart, or more. */
constexpr uint32_t RUNS_A_WORD = 16;
constexpr uint32_t STRONG_RUN = 0; /* whatever touches a strong pixel joins it */

/* The entry of a run has in its upper half its parent, a run of its component with a lesser number, or itself; of a
 * root that is a node of the rim, the node's number instead. The lower half is another matter: that of entry i is the
 * i-th run of a list of all weak ones. */
constexpr int RUN_PARENT_SHIFT = 16;
constexpr uint32_t RUN_LISTED = (1u << RUN_PARENT_SHIFT) - 1;
constexpr uint32_t RUN_IS_NODE = 0x8000; /* in the parent's place, with the node */

/* Memory for a tile of ROWS rows. */
constexpr int
run_words (int rows)
{
  return (rows * CANNY_WORDS + 1) * RUNS_A_WORD;
}

/* BITS, whole runs where they hold a bit of SEEDS. A carry runs to the end of a run. */
__device__ inline uint32_t
fill_runs (uint32_t bits, uint32_t seeds)
{
  const uint32_t up = (bits & ~(bits + seeds)) | seeds;
  const uint32_t mirrored = __brev (bits), mirrored_up = __brev (up);
  return __brev ((mirrored & ~(mirrored + mirrored_up)) | mirrored_up);
}

/* Where a run lies. */
struct RunPlace {
  uint32_t word, pixels;
};

struct TileRuns {
  uint32_t *weak; /* rows of CANNY_WORDS words, the leftmost pixel in bit 0; runs that have become strong stay */
  uint32_t *strong;
  uint32_t *entries;
  uint32_t words;

  __device__ uint32_t
  load (uint32_t run) const
  {
    return *(volatile uint32_t *) &entries[run];
  }

  __device__ volatile uint16_t *
  half (uint32_t index, int upper) const
  {
    return (volatile uint16_t *) entries + 2 * index + upper;
  }

  /* The I-th of the list. */
  __device__ uint32_t
  listed (uint32_t i) const
  {
    return *half (i, 0);
  }

  __device__ RunPlace
  place (uint32_t run) const
  {
    RunPlace p;
    p.word = run / RUNS_A_WORD - 1;
    const uint32_t bits = weak[p.word], even = run % RUNS_A_WORD * 2, first = even + (~bits >> even & 1);
    const uint32_t from = bits & (~0u << first);
    p.pixels = from & ~(from + (1u << first));
    return p;
  }

  /* The run that holds BIT of WORD, whose weak pixels are BITS. */
  __device__ uint32_t
  run_at (uint32_t word, uint32_t bits, uint32_t bit) const
  {
    const uint32_t starts = bits & ~(bits << 1) & ((2u << bit) - 1);
    return (word + 1) * RUNS_A_WORD + (31u - __clz (starts)) / 2;
  }

  /* What the ENTRY of RUN says. */
  __device__ static uint32_t
  parent (uint32_t run, uint32_t entry)
  {
    const uint32_t up = entry >> RUN_PARENT_SHIFT;
    return up & RUN_IS_NODE ? run : up;
  }

  /* The root of RUN, which becomes its parent; each step halves what is left of a long way. Others walk through: any
   * ancestor is right. The lanes of a warp stay together. */
  __device__ uint32_t
  shorten (uint32_t run) const
  {
    const uint32_t entry = load (run), rest = entry & RUN_LISTED;
    uint32_t up = parent (run, entry), next = parent (up, load (up));
#pragma unroll 1
    while (__any_sync (~0u, next != up)) {
      const uint32_t after = parent (next, load (next)); /* on its way first */
      if (next != up)
        atomicMin (&entries[run], next << RUN_PARENT_SHIFT | rest);
      up = next;
      next = after;
    }
    return up;
  }

  /* As long as there are no nodes. By the whole warp; a run with itself: nothing. */
  __device__ void
  unite (uint32_t a, uint32_t b) const
  {
#pragma unroll 1
    while (__any_sync (~0u, a != b)) {
      uint32_t entry_a, entry_b;
      bool moving;
#pragma unroll 1
      do {
        entry_a = load (a);
        entry_b = load (b);
        moving = entry_a >> RUN_PARENT_SHIFT != a || entry_b >> RUN_PARENT_SHIFT != b;
        a = entry_a >> RUN_PARENT_SHIFT;
        b = entry_b >> RUN_PARENT_SHIFT;
      } while (__any_sync (~0u, moving));
      if (a != b) {
        const uint32_t high = max (a, b), low = min (a, b), rest = (a > b ? entry_a : entry_b) & RUN_LISTED;
        const uint32_t old = atomicMin (&entries[high], low << RUN_PARENT_SHIFT | rest) >> RUN_PARENT_SHIFT;
        a = old == high ? low : old; /* not a root any more: what it was linked to is still to be joined */
        b = low;
      }
      __syncwarp ();
    }
  }
};

/* What a run touches: of strong pixels whatever is around it, of weak ones what comes before it. Two runs that touch
 * each other need not be named both: a pixel above a corner goes with the one beside it. */
struct RunContacts {
  uint32_t run, over;        /* word above */
  uint32_t over_bits, above; /* its weak pixels, and where the run begins to touch each of their runs */
  uint32_t strong, beside;   /* the run itself: none */
  uint32_t above_right;

  __device__
  RunContacts (const TileRuns &runs, uint32_t id)
  {
    const RunPlace place = runs.place (id);
    const uint32_t word = place.word, column = word % CANNY_WORDS;
    const uint32_t spread = place.pixels | place.pixels << 1 | place.pixels >> 1;
    /* Beyond the first and last row the run's own word stands in, where it touches no other run. */
    const uint32_t under = word + CANNY_WORDS < runs.words ? word + CANNY_WORDS : word;
    over = word < CANNY_WORDS ? word : word - CANNY_WORDS;
    over_bits = runs.weak[over];
    run = beside = above_right = id;
    uint32_t touched = (runs.strong[over] | runs.strong[under]) & spread;
    const uint32_t touched_over = over == word ? 0 : over_bits & spread;
    above = touched_over & ~(touched_over << 1);
    if (place.pixels & 1 && column > 0) {
      const uint32_t left = runs.weak[word - 1], over_left = runs.weak[over - 1];
      touched |= (runs.strong[over - 1] | runs.strong[word - 1] | runs.strong[under - 1]) >> 31;
      const bool is_left = left >> 31;
      above &= is_left ? ~1u : ~0u;
      if (is_left || (over_left >> 31 && !(over_bits & 1)))
        beside = runs.run_at ((is_left ? word : over) - 1, is_left ? left : over_left, 31);
    }
    if (place.pixels >> 31 && column < CANNY_WORDS - 1) {
      touched |= (runs.strong[over + 1] | runs.strong[word + 1] | runs.strong[under + 1]) & 1;
      if (runs.weak[over + 1] & 1 && !(over_bits >> 31))
        above_right = (over + 2) * RUNS_A_WORD;
    }
    strong = touched ? STRONG_RUN : id;
    __syncwarp ();
  }

  /* One of them, which is left out the next time; the run itself: there are no more. */
  __device__ uint32_t
  take (const TileRuns &runs)
  {
    uint32_t other = strong;
    strong = run;
    if (other == run && above) {
      other = runs.run_at (over, over_bits, __ffs (above) - 1);
      above &= above - 1;
    }
    if (other == run) {
      other = beside;
      beside = run;
    }
    if (other == run) {
      other = above_right;
      above_right = run;
    }
    return other;
  }
};

/* Fills the runs with a strong pixel, and lists the others: adds to *COUNT how many there are. ROWS: the most a tile
 * has. */
template <int ROWS>
__device__ inline void
list_weak_runs (const TileRuns &runs, uint32_t *count)
{
  constexpr int share = (ROWS * CANNY_WORDS + CANNY_THREADS - 1) / CANNY_THREADS;
  const uint32_t lane = threadIdx.x % 32;
  uint32_t starts[share], own = 0;
#pragma unroll
  for (int k = 0; k < share; k++) {
    const uint32_t word = threadIdx.x + k * CANNY_THREADS;
    starts[k] = 0;
    if (word < runs.words) {
      const uint32_t bits = runs.weak[word], strong = fill_runs (bits, runs.strong[word]), weak = bits & ~strong;
      runs.strong[word] = strong;
      runs.weak[word] = weak;
      starts[k] = weak & ~(weak << 1);
      own += __popc (starts[k]);
    }
  }
  if (threadIdx.x == 0)
    *runs.half (STRONG_RUN, 1) = STRONG_RUN;
  if (!__any_sync (~0u, own))
    return;
  uint32_t before = 0;
#pragma unroll
  for (int bit = 0; 1 << bit <= share * (int) RUNS_A_WORD; bit++)
    before += __popc (__ballot_sync (~0u, own >> bit & 1) & ((1u << lane) - 1)) << bit;
  uint32_t place = 0;
  if (lane == 31)
    place = atomicAdd (count, before + own);
  place = __shfl_sync (~0u, place, 31) + before;
#pragma unroll
  for (int k = 0; k < share; k++) {
    const uint32_t first = (threadIdx.x + k * CANNY_THREADS + 1) * RUNS_A_WORD;
#pragma unroll 1
    for (; starts[k]; starts[k] &= starts[k] - 1)
      *runs.half (place++, 0) = first + (__ffs (starts[k]) - 1) / 2;
    __syncwarp ();
  }
}

constexpr uint32_t JOINS = 64; /* pairs of runs to be joined, of a warp, gathered so that lanes do the same */

/* One root for the runs that belong together, of the COUNT in the list, at least one. A thread a run. Needs a barrier
 * before it and ends in one. */
__device__ inline void
join_runs (const TileRuns &runs, uint32_t count)
{
  __shared__ uint32_t joins[CANNY_THREADS / 32][JOINS];
  const uint32_t t = threadIdx.x, lane = t % 32;
  uint32_t *const list = joins[t / 32];
  uint32_t noted = 0; /* by the warp */
  /* Most runs touch one other: that becomes the parent at once. */
#pragma unroll 1
  for (uint32_t i = t; __any_sync (~0u, i < count); i += CANNY_THREADS) {
    const uint32_t run = runs.listed (min (i, count - 1));
    RunContacts contacts (runs, run);
    const uint32_t parent = contacts.take (runs);
    if (i < count)
      *runs.half (run, 1) = parent;
#pragma unroll 1
    for (;;) {
      const uint32_t other = i < count ? contacts.take (runs) : run;
      const uint32_t having = __ballot_sync (~0u, other != run);
      if (!having)
        break;
      const uint32_t place = noted + __popc (having & ((1u << lane) - 1));
      if (other != run && place < JOINS)
        list[place] = run << 16 | other;
      noted += __popc (having);
    }
  }
  __syncthreads ();
#pragma unroll 1
  for (uint32_t i = t; __any_sync (~0u, i < count); i += CANNY_THREADS)
    runs.shorten (i < count ? runs.listed (i) : STRONG_RUN);
  if (noted > JOINS) { /* not all could be noted */
#pragma unroll 1
    for (uint32_t i = t; __any_sync (~0u, i < count); i += CANNY_THREADS) {
      const uint32_t run = runs.listed (min (i, count - 1));
      RunContacts contacts (runs, run);
      uint32_t other;
#pragma unroll 1
      while (__any_sync (~0u, (other = contacts.take (runs)) != run))
        runs.unite (run, other);
    }
    noted = 0;
  }
#pragma unroll 1
  for (uint32_t i = lane; __any_sync (~0u, i < noted); i += 32) {
    const uint32_t pair = i < noted ? list[i] : 0;
    runs.unite (pair >> 16, pair & 0xffff);
  }
  __syncthreads ();
}

} // namespace

#endif

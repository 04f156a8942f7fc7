/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Hysteresis inside a tile, by a CTA in shared memory: finds the components of the candidates, and those of them that
 * contain a strong candidate. It is a union-find over runs of candidates, so the time hardly depends on the shape of the
 * components. A run with a strong pixel of its own is found at once and not part of the union-find; the other runs are
 * called weak. */
#ifndef CTR_CUDA_COMMON_RUN_UNION_CUH
#define CTR_CUDA_COMMON_RUN_UNION_CUH

#include "cuda/common/ptx.cuh"
#include "cuda/common/run_tiles.cuh"

namespace
{

/* A weak run inside a word has number (word + 1) * RUNS_A_WORD + first bit / 2. Runs start at least two bits apart. */
constexpr uint32_t RUNS_A_WORD = 16;
constexpr uint32_t STRONG_RUN = 0; /* stands for all strong runs */

/* The upper half of a run's entry is its parent: a run of its component with a lower number, or the run itself. A root
 * whose component is numbered has RUN_IS_COMPONENT | that number instead. The lower halves are independent of this:
 * that of entry i is the i-th run in the list of all weak runs. */
constexpr int RUN_PARENT_SHIFT = 16;
constexpr uint32_t RUN_LISTED = (1u << RUN_PARENT_SHIFT) - 1;
constexpr uint32_t RUN_IS_COMPONENT = 0x8000;

/* Number of entries for a tile of ROWS rows. */
constexpr int
run_words (int rows)
{
  return (rows * RUN_TILE_WORDS + 1) * RUNS_A_WORD;
}

struct RunPosition {
  uint32_t word, pixels;
};

struct TileRuns {
  uint32_t *weak; /* rows of RUN_TILE_WORDS words, the leftmost pixel in bit 0; runs that have become strong stay */
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

  /* The I-th run of the list. */
  __device__ uint32_t
  listed (uint32_t i) const
  {
    return *half (i, 0);
  }

  __device__ RunPosition
  position (uint32_t run) const
  {
    RunPosition p;
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

  /* The parent in RUN's ENTRY. */
  __device__ static uint32_t
  parent (uint32_t run, uint32_t entry)
  {
    const uint32_t up = entry >> RUN_PARENT_SHIFT;
    return up & RUN_IS_COMPONENT ? run : up;
  }

  /* Returns RUN's root and makes it RUN's parent. Each step halves the rest of the path. Other threads may walk through
   * the same runs: any ancestor is a valid parent. The lanes of a warp stay together. NUMBERED: roots may have numbers. */
  template <bool NUMBERED>
  __device__ uint32_t
  compress_path (uint32_t run) const
  {
    auto parent_of = [&] (uint32_t of, uint32_t entry) {
      return NUMBERED ? parent (of, entry) : entry >> RUN_PARENT_SHIFT;
    };
    const uint32_t entry = load (run), rest = entry & RUN_LISTED;
    uint32_t up = parent_of (run, entry), next = parent_of (up, load (up));
#pragma unroll 1
    while (__any_sync (~0u, next != up)) {
      const uint32_t after = parent_of (next, load (next)); /* issue the load before the atomic */
      if (next != up)
        atomicMin (&entries[run], next << RUN_PARENT_SHIFT | rest);
      up = next;
      next = after;
    }
    return up;
  }

  /* Before components are numbered. The whole warp calls it; nothing happens where A is B. */
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
        a = old == high ? low : old; /* HIGH was no root any more: unite its parent, too */
        b = low;
      }
      __syncwarp ();
    }
  }
};

/* The runs that a run touches: strong ones on all sides, weak ones that come before it. Where two of these touch each
 * other, one of them suffices. */
struct RunContacts {
  uint32_t run, over;        /* word above */
  uint32_t over_bits, above; /* weak pixels of the word above, and the first touching pixel of each of their runs */
  uint32_t strong, beside;   /* STRONG_RUN and a run to the left; the run itself: none */
  uint32_t above_right;

  __device__
  RunContacts (const TileRuns &runs, uint32_t id)
  {
    const RunPosition position = runs.position (id);
    const uint32_t word = position.word, column = word % RUN_TILE_WORDS;
    const uint32_t spread = position.pixels | position.pixels << 1 | position.pixels >> 1;
    /* Above the first and below the last row, the run's own word stands in: there the run touches no other run. */
    const uint32_t under = word + RUN_TILE_WORDS < runs.words ? word + RUN_TILE_WORDS : word;
    over = word < RUN_TILE_WORDS ? word : word - RUN_TILE_WORDS;
    over_bits = runs.weak[over];
    run = beside = above_right = id;
    uint32_t touched = (runs.strong[over] | runs.strong[under]) & spread;
    const uint32_t touched_over = over == word ? 0 : over_bits & spread;
    above = touched_over & ~(touched_over << 1);
    if (position.pixels & 1 && column > 0) {
      const uint32_t left = runs.weak[word - 1], over_left = runs.weak[over - 1];
      touched |= (runs.strong[over - 1] | runs.strong[word - 1] | runs.strong[under - 1]) >> 31;
      const bool is_left = left >> 31;
      above &= is_left ? ~1u : ~0u;
      if (is_left || (over_left >> 31 && !(over_bits & 1)))
        beside = runs.run_at ((is_left ? word : over) - 1, is_left ? left : over_left, 31);
    }
    if (position.pixels >> 31 && column < RUN_TILE_WORDS - 1) {
      touched |= (runs.strong[over + 1] | runs.strong[word + 1] | runs.strong[under + 1]) & 1;
      if (runs.weak[over + 1] & 1 && !(over_bits >> 31))
        above_right = (over + 2) * RUNS_A_WORD;
    }
    strong = touched ? STRONG_RUN : id;
    __syncwarp ();
  }

  __device__ bool
  has_next () const
  {
    return strong != run || above || beside != run || above_right != run;
  }

  /* Removes and returns one of the touched runs; the run itself: there are no more. */
  __device__ uint32_t
  next (const TileRuns &runs)
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

/* WEAK has all candidates, and STRONG those that are strong, among others. Makes whole runs strong that contain a strong pixel. Lists the other runs and adds their number to *COUNT. ROWS: the
 * largest number of rows of a tile. */
template <int ROWS>
__device__ inline void
list_weak_runs (const TileRuns &runs, uint32_t *count)
{
  constexpr int share = (ROWS * RUN_TILE_WORDS + RUN_TILE_THREADS - 1) / RUN_TILE_THREADS;
  const uint32_t lane = threadIdx.x % 32;
  uint32_t starts[share], own = 0;
#pragma unroll
  for (int k = 0; k < share; k++) {
    const uint32_t word = threadIdx.x + k * RUN_TILE_THREADS;
    starts[k] = 0;
    if (word < runs.words) {
      const uint32_t bits = runs.weak[word], strong = fill_runs (bits, runs.strong[word] & bits), weak = bits & ~strong;
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
  const uint32_t up_to_this = sum_of_lanes (own);
  uint32_t slot = 0;
  if (lane == 31)
    slot = atomicAdd (count, up_to_this);
  slot = __shfl_sync (~0u, slot, 31) + up_to_this - own;
#pragma unroll
  for (int k = 0; k < share; k++) {
    const uint32_t first = (threadIdx.x + k * RUN_TILE_THREADS + 1) * RUNS_A_WORD;
#pragma unroll 1
    for (; starts[k]; starts[k] &= starts[k] - 1)
      *runs.half (slot++, 0) = first + (__ffs (starts[k]) - 1) / 2;
    __syncwarp ();
  }
}

constexpr uint32_t MAX_PAIRS = 64; /* of runs to be united, gathered by a warp so that its lanes stay together */

/* Unites the COUNT > 0 runs of the list where they touch, a thread a run. The caller needs a barrier before it; there
 * is one at its end. */
__device__ inline void
join_runs (const TileRuns &runs, uint32_t count)
{
  __shared__ uint32_t joins[RUN_TILE_THREADS / 32][MAX_PAIRS];
  const uint32_t t = threadIdx.x, lane = t % 32;
  uint32_t *const list = joins[t / 32];
  uint32_t pairs = 0; /* that the warp found */
  /* Most runs touch one other run, which becomes the parent at once. */
#pragma unroll 1
  for (uint32_t i = t; __any_sync (~0u, i < count); i += RUN_TILE_THREADS) {
    const uint32_t run = runs.listed (min (i, count - 1));
    RunContacts contacts (runs, run);
    const uint32_t parent = contacts.next (runs);
    if (i < count)
      *runs.half (run, 1) = parent;
#pragma unroll 1
    for (;;) {
      const bool has = i < count && contacts.has_next ();
      const uint32_t having = __ballot_sync (~0u, has);
      if (!having)
        break;
      const uint32_t other = contacts.next (runs), at = pairs + __popc (having & ((1u << lane) - 1));
      if (has && at < MAX_PAIRS)
        list[at] = run << 16 | other;
      pairs += __popc (having);
    }
  }
  __syncthreads ();
#pragma unroll 1
  for (uint32_t i = t; __any_sync (~0u, i < count); i += RUN_TILE_THREADS)
    runs.compress_path<false> (i < count ? runs.listed (i) : STRONG_RUN);
  if (pairs > MAX_PAIRS) { /* the list had no room for all */
#pragma unroll 1
    for (uint32_t i = t; __any_sync (~0u, i < count); i += RUN_TILE_THREADS) {
      const uint32_t run = runs.listed (min (i, count - 1));
      RunContacts contacts (runs, run);
      uint32_t other;
#pragma unroll 1
      while (__any_sync (~0u, (other = contacts.next (runs)) != run))
        runs.unite (run, other);
    }
    pairs = 0;
  }
#pragma unroll 1
  for (uint32_t i = lane; __any_sync (~0u, i < pairs); i += 32) {
    const uint32_t pair = i < pairs ? list[i] : 0;
    runs.unite (pair >> 16, pair & 0xffff);
  }
  __syncthreads ();
}

} // namespace

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Hysteresis inside a tile, by a CTA in shared memory: finds the components of the candidates, and those of them that
 * contain a strong candidate. It is a union-find over runs of candidates, so the time hardly depends on the shape of the
 * components. Rows are taken in pairs: a run is of columns that have a candidate in either row, which are connected, as neighbours
 * touch at least at a corner. So there are half as many runs, and paths are half as long. A run with a strong pixel of its own is
 * found at once and not part of the union-find; the other runs are called weak. */
#ifndef CTR_CUDA_COMMON_RUN_UNION_CUH
#define CTR_CUDA_COMMON_RUN_UNION_CUH

#include "cuda/common/ptx.cuh"
#include "cuda/common/run_tiles.cuh"

namespace
{

/* A weak run inside a word of a pair of rows has number (word + 1) * RUNS_A_WORD + first bit / 2. Runs start at least two bits apart. */
constexpr uint32_t RUNS_A_WORD = 16;
constexpr uint32_t STRONG_RUN = 0; /* stands for all strong runs */

/* The upper half of a run's entry is its parent: a run of its component with a lower number, or the run itself. A root
 * whose component is numbered has RUN_IS_COMPONENT | that number instead. The lower halves are independent of this:
 * that of entry i is the i-th run in the list of all weak runs. */
constexpr int RUN_PARENT_SHIFT = 16;
constexpr uint32_t RUN_LISTED = (1u << RUN_PARENT_SHIFT) - 1;
constexpr uint32_t RUN_IS_COMPONENT = 0x8000;

/* Of a tile of ROWS rows: words of pairs of rows, and entries. */
__host__ __device__ constexpr int
pair_words (int rows)
{
  return (rows + 1) / 2 * RUN_TILE_WORDS;
}

constexpr int
run_words (int rows)
{
  return (pair_words (rows) + 1) * RUNS_A_WORD;
}

/* Bytes of the shared memory for TileRuns of at most ROWS rows. It begins with the candidates, and then the strong ones. */
constexpr int
run_bytes (int rows)
{
  return (2 * rows * RUN_TILE_WORDS + pair_words (rows) + run_words (rows)) * 4;
}

struct RunPosition {
  uint32_t word, columns; /* of a pair of rows */
  uint32_t upper, lower;  /* its words in both rows. Where there is no lower row, both are the same. */
};

struct ListedRun {
  uint32_t run;
  RunPosition position;
};

struct TileRuns {
  uint32_t *candidates; /* rows of RUN_TILE_WORDS words, the leftmost pixel in bit 0 */
  uint32_t *strong;     /* likewise */
  uint32_t *weak;       /* pairs of rows, likewise: the columns of weak runs. Those that have become strong stay. */
  uint32_t *entries;
  uint32_t rows;

  /* MEMORY: run_bytes() of MOST_ROWS. */
  __device__
  TileRuns (void *memory, uint32_t most_rows, uint32_t r)
      : candidates ((uint32_t *) memory), strong (candidates + most_rows * RUN_TILE_WORDS),
        weak (strong + most_rows * RUN_TILE_WORDS), entries (weak + pair_words (most_rows)), rows (r)
  {
  }

  /* The words of the rows of a pair's WORD. */
  __device__ static uint32_t
  upper_word (uint32_t word)
  {
    return word + (word & ~(RUN_TILE_WORDS - 1u));
  }

  __device__ uint32_t
  lower_word (uint32_t upper) const
  {
    return upper + RUN_TILE_WORDS < rows * RUN_TILE_WORDS ? upper + RUN_TILE_WORDS : upper;
  }

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
    p.upper = upper_word (p.word);
    p.lower = lower_word (p.upper);
    const uint32_t bits = weak[p.word], even = run % RUNS_A_WORD * 2, first = even + (~bits >> even & 1);
    const uint32_t from = bits & (~0u << first);
    p.columns = from & ~(from + (1u << first));
    return p;
  }

  /* The I-th run of COUNT, or the last one. */
  __device__ ListedRun
  listed_run (uint32_t i, uint32_t count) const
  {
    const uint32_t run = listed (min (i, count - 1));
    return {run, position (run)};
  }

  /* The run that holds column BIT of WORD, whose weak columns are BITS. */
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
   * the same runs: any ancestor is a valid parent. No other thread writes RUN's entry, unless RUN is a root. The lanes of a warp stay
   * together. NUMBERED: roots may have numbers. */
  template <bool NUMBERED>
  __device__ uint32_t
  compress_path (uint32_t run) const
  {
    auto parent_of = [&] (uint32_t of) { return NUMBERED ? parent (of, load (of)) : load (of) >> RUN_PARENT_SHIFT; };
    uint32_t up = parent_of (run), next = parent_of (up);
#pragma unroll 1
    while (__any_sync (~0u, next != up)) {
      const uint32_t after = parent_of (next); /* issue the load before the store */
      if (next != up)
        *half (run, 1) = (uint16_t) next;
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
  enum { LEFT = 1, ABOVE_RIGHT = RUN_TILE_WORDS - 1, ABOVE = RUN_TILE_WORDS, ABOVE_LEFT = RUN_TILE_WORDS + 1 };
  uint32_t run, word;
  uint32_t above; /* a column of each run in the word above that it touches */
  uint32_t sides; /* 1 << those of words, so many before its own, that it touches at their end */
  bool is_strong; /* It touches a strong one. */

  __device__
  RunContacts (const TileRuns &runs, const ListedRun &listed)
  {
    const RunPosition &position = listed.position;
    const uint32_t columns = position.columns, column = position.word % RUN_TILE_WORDS;
    run = listed.run;
    word = position.word;
    const bool is_first = word < RUN_TILE_WORDS;
    const uint32_t own_upper = runs.candidates[position.upper] & columns,
                   own_lower = runs.candidates[position.lower] & columns;
    /* Rows above and below. Above the first and below the last one the run's own stands in: there the run touches no other run. */
    const uint32_t over = is_first ? position.upper : position.upper - RUN_TILE_WORDS;
    const uint32_t below = position.upper + 2 * RUN_TILE_WORDS;
    const uint32_t under = below < runs.rows * RUN_TILE_WORDS ? below : position.upper;
    const uint32_t over_weak = is_first ? 0 : runs.weak[word - ABOVE];
    const uint32_t upper_spread = own_upper | own_upper << 1 | own_upper >> 1;
    const uint32_t lower_spread = own_lower | own_lower << 1 | own_lower >> 1;
    uint32_t touched = (runs.strong[over] & upper_spread) | (runs.strong[under] & lower_spread);
    const uint32_t touched_weak = runs.candidates[over] & upper_spread & over_weak;
    const uint32_t from_there = (over_weak & ~(over_weak + touched_weak)) | touched_weak; /* to the end of the runs */
    above = from_there & ~(from_there << 1);
    sides = 0;
    if (columns & 1 && column > 0) {
      touched |= (runs.strong[position.upper - 1] | runs.strong[position.lower - 1]
                     | (runs.strong[over - 1] & own_upper << 31) | (runs.strong[under - 1] & own_lower << 31))
                 >> 31;
      sides |= runs.weak[word - 1] >> 31 << LEFT;
      if (!is_first && own_upper & ~touched_weak & 1)
        sides |= (runs.candidates[over - 1] & runs.weak[word - ABOVE_LEFT]) >> 31 << ABOVE_LEFT;
    }
    if (columns >> 31 && column < RUN_TILE_WORDS - 1) {
      touched |= (runs.strong[position.upper + 1] | runs.strong[position.lower + 1]
                     | (runs.strong[over + 1] & own_upper >> 31) | (runs.strong[under + 1] & own_lower >> 31))
                 & 1;
      if (!is_first && (own_upper & ~touched_weak) >> 31)
        sides |= (runs.candidates[over + 1] & runs.weak[word - ABOVE_RIGHT] & 1) << ABOVE_RIGHT;
    }
    is_strong = touched;
    __syncwarp ();
  }

  __device__ bool
  has_next () const
  {
    return is_strong || (above | sides);
  }

  /* Removes and returns one of the touched runs; the run itself: there are no more. */
  __device__ uint32_t
  next (const TileRuns &runs)
  {
    if (is_strong) {
      is_strong = false;
      return STRONG_RUN;
    }
    if (!(above | sides))
      return run;
    const bool is_above = above;
    const uint32_t bit = __ffs (is_above ? above : sides) - 1, there = word - (is_above ? (uint32_t) ABOVE : bit);
    sides = is_above ? sides : sides & (sides - 1);
    above = is_above ? above & (above - 1) : 0;
    return runs.run_at (there, runs.weak[there], is_above ? bit : bit == ABOVE_RIGHT ? 0 : 31);
  }
};

/* STRONG has those candidates that are strong, among others. Makes whole runs strong that contain a strong pixel. Lists the other
 * runs, which are weak then, and adds their number to *COUNT. ROWS: the largest number of rows of a tile. */
template <int ROWS>
__device__ inline void
list_weak_runs (const TileRuns &runs, uint32_t *count)
{
  constexpr int share = (pair_words (ROWS) + RUN_TILE_THREADS - 1) / RUN_TILE_THREADS;
  const uint32_t lane = threadIdx.x % 32;
  uint32_t starts[share], own = 0;
#pragma unroll
  for (int k = 0; k < share; k++) {
    const uint32_t word = threadIdx.x + k * RUN_TILE_THREADS, upper = TileRuns::upper_word (word);
    starts[k] = 0;
    if (upper < runs.rows * RUN_TILE_WORDS) {
      const uint32_t lower = runs.lower_word (upper), of_upper = runs.candidates[upper],
                     of_lower = runs.candidates[lower];
      const uint32_t bits = of_upper | of_lower;
      const uint32_t strong = fill_runs (bits, (runs.strong[upper] & of_upper) | (runs.strong[lower] & of_lower));
      runs.strong[upper] = strong & of_upper;
      runs.strong[lower] = strong & of_lower;
      const uint32_t weak = bits & ~strong;
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

/* Unites the COUNT > 0 runs of the list where they touch, a thread a run. OWN: this thread's first one. The caller needs a barrier before
 * it; there is one at its end. */
__device__ inline void
join_runs (const TileRuns &runs, uint32_t count, const ListedRun &own)
{
  __shared__ uint32_t joins[RUN_TILE_THREADS / 32][MAX_PAIRS];
  const uint32_t t = threadIdx.x, lane = t % 32;
  uint32_t *const list = joins[t / 32];
  uint32_t pairs = 0; /* that the warp found */
  /* Most runs touch one other run, which becomes the parent at once. */
#pragma unroll 1
  for (uint32_t i = t; __any_sync (~0u, i < count); i += RUN_TILE_THREADS) {
    const ListedRun listed = i == t ? own : runs.listed_run (i, count);
    const uint32_t run = listed.run;
    RunContacts contacts (runs, listed);
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
    runs.compress_path<false> (i >= count ? STRONG_RUN : i == t ? own.run : runs.listed (i));
  if (pairs > MAX_PAIRS) { /* the list had no room for all */
#pragma unroll 1
    for (uint32_t i = t; __any_sync (~0u, i < count); i += RUN_TILE_THREADS) {
      const ListedRun listed = runs.listed_run (i, count);
      const uint32_t run = listed.run;
      RunContacts contacts (runs, listed);
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

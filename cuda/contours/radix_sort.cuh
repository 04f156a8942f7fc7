/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A stable radix sort of words, each with a value, by their digits from the least significant one on. Only the device
 * knows how many words there are: the work follows their number, not the room for them.
 *
 * The kernel that makes the words counts the digits of all passes. Then each pass is a kernel: a CTA counts the digits
 * of its tile, learns from the tiles before it, by decoupled look-back, how many of each digit these have, and writes
 * its words to their places. */
#ifndef CTR_CUDA_CONTOURS_RADIX_SORT_CUH
#define CTR_CUDA_CONTOURS_RADIX_SORT_CUH

#include "cuda/common/device_buffer.cuh"
#include "cuda/common/scan.cuh"
#include "cuda/contours/contour_kernels.cuh"

/* Of a digit, at most. */
constexpr int RADIX_BITS = 9, RADIX_DIGITS = 1 << RADIX_BITS, RADIX_MOST_PASSES = (32 + RADIX_BITS - 1) / RADIX_BITS;
constexpr uint32_t RADIX_LEAST_BITS = 5;    /* Whole warps have digits or not. */
constexpr int RADIX_THREADS = RADIX_DIGITS; /* a thread a digit */
constexpr uint32_t RADIX_TILE = 2048;       /* words, at most */
constexpr uint32_t RADIX_FEW_TILES = 64;    /* Tiles are smaller where there would be fewer of them. */
/* CTAs of a multiprocessor, where a pass shares its kernel with work that needs them. */
constexpr int RADIX_SHARED_CTAS = ctr_shared_by (RADIX_THREADS, 2);

/* Digits of all passes: how many words have them. */
struct RadixHistograms {
  uint32_t counts[RADIX_MOST_PASSES][RADIX_DIGITS];
};

/* On the device; zero at first. */
struct RadixCounters {
  RadixHistograms histograms;
  uint32_t tickets[RADIX_MOST_PASSES];
};

/* What is to be sorted, and the memory for that. A pass goes from one of the arrays to the other. */
struct RadixSort {
  const uint32_t *count; /* With more than there is room for nothing is done. */
  uint32_t capacity, passes;
  uint32_t bits; /* of a digit: fewer are ranked and looked up sooner */
  uint32_t *keys[2], *values[2];
  uint32_t *states; /* by pass, tile and digit */
  RadixCounters *counters;
};

__host__ __device__ inline uint32_t
radix_digits (const RadixSort &sort)
{
  return 1u << sort.bits;
}

/* The digit of KEY in a pass. */
__device__ inline uint32_t
radix_digit (const RadixSort &sort, uint32_t key, uint32_t pass)
{
  return key >> sort.bits * pass & (radix_digits (sort) - 1);
}

/* The index of the sorted arrays. */
__host__ __device__ inline uint32_t
radix_sorted (const RadixSort &sort)
{
  return sort.passes % 2;
}

/* The one of two arrays from which PASS goes. Without an index, a sort may be in registers. */
__device__ inline uint32_t *
radix_from (uint32_t *const arrays[2], uint32_t pass)
{
  return pass % 2 ? arrays[1] : arrays[0];
}

/* The words of a tile. Where there are few in all, tiles are small, so that many multiprocessors share them. */
__host__ __device__ inline uint32_t
radix_tile (uint32_t words)
{
  uint32_t tile = RADIX_THREADS;
  while (tile < RADIX_TILE && words > tile * RADIX_FEW_TILES)
    tile *= 2;
  return tile;
}

/* The most tiles that up to so many words have. */
__host__ __device__ inline uint32_t
radix_most_tiles (uint32_t words)
{
  const uint32_t large = words / RADIX_TILE, small = words / RADIX_THREADS;
  return (large > RADIX_FEW_TILES ? large : small < RADIX_FEW_TILES ? small : RADIX_FEW_TILES) + 1;
}

/* The states of a pass for so many words. */
__host__ __device__ inline size_t
radix_states (uint32_t words)
{
  return (size_t) radix_most_tiles (words) * RADIX_DIGITS;
}

/* Sets the passes that keys below KEY_COUNT need, and as short digits as these allow. */
__host__ __device__ inline void
radix_set_digits (RadixSort *sort, uint64_t key_count)
{
  uint32_t bits = 1;
  while (key_count > 1ull << bits)
    bits++;
  sort->passes = (bits + RADIX_BITS - 1) / RADIX_BITS;
  sort->bits = (bits + sort->passes - 1) / sort->passes;
  if (sort->bits < RADIX_LEAST_BITS)
    sort->bits = RADIX_LEAST_BITS;
}

/* Sets the memory for CAPACITY words whose keys are below KEY_COUNT. Kernels that know of fewer keys may have other digits, and leave out
 * passes. */
static inline void
radix_lay_out (RadixSort *sort, ArenaLayout *arena, uint32_t capacity, uint64_t key_count)
{
  sort->capacity = capacity;
  radix_set_digits (sort, key_count);
  for (int i = 0; i < 2; i++) {
    sort->keys[i] = arena->take<uint32_t> (capacity);
    sort->values[i] = arena->take<uint32_t> (capacity);
  }
  sort->states = arena->take<uint32_t> (sort->passes * radix_states (capacity));
}

namespace
{

/* In the kernel that writes keys[0] and values[0], with any number of threads: first, with a barrier; for each key;
 * last. H is in shared memory. */
__device__ inline void
radix_begin_count (RadixHistograms &h)
{
  for (uint32_t i = threadIdx.x; i < RADIX_MOST_PASSES * RADIX_DIGITS; i += blockDim.x)
    (&h.counts[0][0])[i] = 0;
  __syncthreads ();
}

__device__ inline void
radix_count (const RadixSort &s, RadixHistograms &h, uint32_t key)
{
  for (uint32_t pass = 0; pass < s.passes; pass++)
    atomicAdd (&h.counts[pass][radix_digit (s, key, pass)], 1);
}

/* The same by whole warps, each lane with a key if it HAS one. What many lanes have is counted at once. */
__device__ inline void
radix_count_by_warp (const RadixSort &s, RadixHistograms &h, uint32_t key, bool has)
{
  const uint32_t all = __ballot_sync (~0u, has);
  if (!all)
    return;
  const uint32_t lane = threadIdx.x % 32, leader = __ffs (all) - 1, common = __shfl_sync (~0u, key, leader),
                 alike = __ballot_sync (~0u, has && key == common);
  if (!has || (key == common && lane != leader))
    return;
  for (uint32_t pass = 0; pass < s.passes; pass++)
    atomicAdd (&h.counts[pass][radix_digit (s, key, pass)], lane == leader ? __popc (alike) : 1);
}

__device__ inline void
radix_end_count (const RadixSort &s, RadixHistograms &h)
{
  __syncthreads ();
  for (uint32_t i = threadIdx.x; i < s.passes * RADIX_DIGITS; i += blockDim.x)
    if (const uint32_t n = (&h.counts[0][0])[i])
      atomicAdd (&s.counters->histograms.counts[0][0] + i, n);
}

/* Also there: clears the states for MOST words, by the first CTAS CTAs of the grid. */
__device__ inline void
radix_clear_states (const RadixSort &s, uint32_t most, uint32_t ctas)
{
  const uint32_t first = blockIdx.x * blockDim.x + threadIdx.x, step = ctas * blockDim.x;
  const size_t states = (size_t) radix_most_tiles (min (most, s.capacity)) * radix_digits (s);
  for (uint32_t pass = 0; pass < s.passes; pass++)
    for (size_t i = first; i < states; i += step)
      s.states[pass * radix_states (s.capacity) + i] = 0;
}

/* A tile's state of a digit: words that have it, in this tile or in all up to it. */
constexpr uint32_t RADIX_STATE_SUM = 1u << 30, RADIX_STATE_PREFIX = 2u << 30, RADIX_STATE_VALUE = RADIX_STATE_SUM - 1;

/* Publishes OWN, of one digit in a tile, and returns how many words the tiles before it have of that digit. STATES are
 * those of the digit, DIGITS apart; ANY: some word of any tile has it. Called by a whole warp, each lane with a
 * digit of its own. */
__device__ inline uint32_t
radix_look_back (uint32_t *states, uint32_t digits, uint32_t tile, uint32_t own, bool any)
{
  constexpr int AT_ONCE = 8;
  if (any && tile > 0)
    atomicExch (&states[tile * digits], RADIX_STATE_SUM | own);
  uint32_t sum = 0;
  int at = (int) tile - 1;
  bool searching = any;
  while (__any_sync (~0u, searching)) {
    uint32_t found[AT_ONCE];
#pragma unroll
    for (int i = 0; i < AT_ONCE; i++) {
      found[i] = RADIX_STATE_PREFIX; /* Before the first tile there is nothing. */
      if (searching && at - i >= 0)
        found[i] = *(const volatile uint32_t *) &states[(at - i) * digits];
    }
    bool known = true;
#pragma unroll
    for (int i = 0; i < AT_ONCE; i++) {
      known = known && found[i];
      if (!searching || !known)
        continue;
      sum += found[i] & RADIX_STATE_VALUE;
      searching = !(found[i] & RADIX_STATE_PREFIX);
      at--;
    }
  }
  if (any)
    atomicExch (&states[tile * digits], RADIX_STATE_PREFIX | (sum + own));
  return sum;
}

/* The lanes with the same digit of so many BITS as this one, of those THERE. */
__device__ inline uint32_t
radix_lanes_alike (uint32_t digit, uint32_t bits, bool there)
{
  uint32_t alike = __ballot_sync (~0u, there);
#pragma unroll
  for (uint32_t i = 0; i < RADIX_BITS; i++) {
    if (i >= RADIX_LEAST_BITS && i >= bits)
      break;
    const bool one = digit >> i & 1;
    const uint32_t ones = __ballot_sync (~0u, one);
    alike &= one ? ones : ~ones;
  }
  return alike;
}

/* A thread's words of a tile, in the order in which its warp has them: 32 in a row at a time. */
struct RadixWords {
  static constexpr int MOST = RADIX_TILE / RADIX_THREADS;
  uint32_t keys[MOST], values[MOST], ranks[MOST], there; /* as bits: which there are */

  /* EACH words, number FIRST of COUNT and every 32nd behind it. */
  __device__
  RadixWords (const uint32_t *all_keys, const uint32_t *all_values, uint32_t first, uint32_t each, uint32_t count)
      : there (0)
  {
#pragma unroll
    for (int k = 0; k < MOST; k++) {
      const uint32_t i = first + 32 * k;
      const bool is_there = k < each && i < count;
      keys[k] = is_there ? all_keys[i] : 0;
      values[k] = is_there ? all_values[i] : 0;
      there |= (uint32_t) is_there << k;
    }
  }

  /* Ranks the words among those of their warp with the same digit. COUNTS: zero at first; then the warp's words, by
   * digit. */
  __device__ void
  rank (const RadixSort &s, uint32_t *counts, uint32_t pass, uint32_t each)
  {
    const uint32_t lane = threadIdx.x % 32;
#pragma unroll
    for (int k = 0; k < MOST; k++) {
      if (k >= each)
        break;
      const uint32_t digit = radix_digit (s, keys[k], pass);
      const bool is_there = there >> k & 1;
      const uint32_t alike = radix_lanes_alike (digit, s.bits, is_there), leader = is_there ? __ffs (alike) - 1 : lane;
      uint32_t before = 0;
      if (is_there && lane == leader) {
        before = counts[digit];
        counts[digit] = before + __popc (alike);
      }
      ranks[k] = __shfl_sync (~0u, before, leader) + __popc (alike & ((1u << lane) - 1));
      __syncwarp ();
    }
  }
};

struct RadixShared {
  static constexpr int WARPS = RADIX_THREADS / 32;
  uint32_t ticket, sums[WARPS], counts[WARPS][RADIX_DIGITS];
};

/* A pass, by all threads of CTAS, which have RADIX_THREADS. Calls PUT (place, key, value, prepared) for each word, after
 * PREPARE (values, there, prepared) for all that a thread has, of which those of bits THERE count: its loads are under way
 * at once while the words are ranked. H is in shared memory. */
template <typename Prepare, typename Put>
__device__ inline void
radix_pass (const RadixSort &s, RadixShared &h, uint32_t pass, const Ctas &ctas, Prepare prepare, Put put)
{
  const uint32_t count = *s.count, warp = threadIdx.x / 32, own_digit = threadIdx.x, digits = radix_digits (s);
  const uint32_t words_of_digit = s.counters->histograms.counts[pass][own_digit];
  if (threadIdx.x == 0) /* whether or not there is a tile for it, so that the loads overlap */
    h.ticket = atomicAdd (&s.counters->tickets[pass], 1);
  if (count > s.capacity)
    return;
  if (__syncthreads_or (words_of_digit == count)) { /* All have the same digit. */
    for (uint32_t i = ctas.first_index (); i < count; i += ctas.index_step ()) {
      const uint32_t value[1] = {radix_from (s.values, pass)[i]};
      uint32_t prepared[1];
      prepare (value, 1, prepared);
      put (i, radix_from (s.keys, pass)[i], value[0], prepared[0]);
    }
    return;
  }
  const bool has_digit = own_digit < digits;
  uint32_t *states = s.states + pass * radix_states (s.capacity) + own_digit;
  uint32_t all;
  const uint32_t smaller = block_scan<RADIX_THREADS> (words_of_digit, h.sums, &all); /* digits */
  const uint32_t size = radix_tile (count), each = size / RADIX_THREADS;
  for (;;) {
    const uint32_t tile = h.ticket;
    if ((uint64_t) tile * size >= count)
      return;
    RadixWords words (radix_from (s.keys, pass), radix_from (s.values, pass),
        tile * size + warp * 32 * each + threadIdx.x % 32, each, count);
    if (has_digit)
      for (int w = 0; w < RadixShared::WARPS; w++)
        h.counts[w][own_digit] = 0;
    __syncthreads ();
    uint32_t prepared[RadixWords::MOST];
    prepare (words.values, words.there, prepared);
    words.rank (s, h.counts[warp], pass, each);
    __syncthreads ();
    if (has_digit) {
      uint32_t own = 0;
#pragma unroll
      for (int w = 0; w < RadixShared::WARPS; w++) {
        const uint32_t n = h.counts[w][own_digit];
        h.counts[w][own_digit] = own;
        own += n;
      }
      const uint32_t before = smaller + radix_look_back (states, digits, tile, own, words_of_digit > 0);
#pragma unroll
      for (int w = 0; w < RadixShared::WARPS; w++)
        h.counts[w][own_digit] += before;
    }
    __syncthreads ();
#pragma unroll
    for (int k = 0; k < RadixWords::MOST; k++)
      if (words.there >> k & 1)
        put (h.counts[warp][radix_digit (s, words.keys[k], pass)] + words.ranks[k], words.keys[k], words.values[k],
            prepared[k]);
    if ((uint64_t) ctas.count * size >= count)
      return; /* Each tile has its CTA. */
    __syncthreads ();
    if (threadIdx.x == 0)
      h.ticket = atomicAdd (&s.counters->tickets[pass], 1);
    __syncthreads ();
  }
}

/* A pass that only sorts. */
__device__ inline void
radix_pass (const RadixSort &s, RadixShared &h, uint32_t pass, const Ctas &ctas)
{
  uint32_t *keys = radix_from (s.keys, pass + 1), *values = radix_from (s.values, pass + 1);
  const auto nothing = [] (const auto &, uint32_t, auto &prepared) {
    for (uint32_t &p : prepared)
      p = 0;
  };
  radix_pass (s, h, pass, ctas, nothing, [=] (uint32_t to, uint32_t key, uint32_t value, uint32_t) {
    keys[to] = key;
    values[to] = value;
  });
}

/* The CTAs of a pass for so much room: as many as run at once. */
inline unsigned
radix_ctas (const RadixSort &s)
{
  return min (radix_most_tiles (s.capacity), 264u);
}

} // namespace

#endif

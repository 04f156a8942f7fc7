/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The kernels of the radix sort. */
#include "cuda/contours/radix_sort.cuh"
#include "cuda/common/scan.cuh"

namespace
{

constexpr int THREADS = RADIX_DIGITS, WARPS = THREADS / 32; /* a thread a digit */
constexpr int WORDS = RADIX_TILE / THREADS;                 /* of a thread */
constexpr unsigned CTAS = 528;

/* A tile's state of a digit: words that have it, in this tile or in all up to it. */
constexpr uint32_t STATE_SUM = 1u << 30, STATE_PREFIX = 2u << 30, STATE_VALUE = STATE_SUM - 1;

/* Counts the digits of all passes, and clears the states of as many tiles as there are. */
__global__ void
__launch_bounds__ (THREADS) histogram_kernel (const __grid_constant__ RadixSort s)
{
  __shared__ uint32_t histograms[RADIX_MOST_PASSES][RADIX_DIGITS];
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  const uint32_t count = *s.count, step = gridDim.x * THREADS, first = blockIdx.x * THREADS + threadIdx.x;
  if (count > s.capacity || blockIdx.x * THREADS >= count)
    return;
  for (uint32_t pass = 0; pass < s.passes; pass++) {
    const size_t states = (size_t) (s.capacity / RADIX_TILE + 1) * RADIX_DIGITS * pass;
    for (uint32_t i = first; i < (count + RADIX_TILE - 1) / RADIX_TILE * RADIX_DIGITS; i += step)
      s.states[states + i] = 0;
    histograms[pass][threadIdx.x] = 0;
  }
  __syncthreads ();
  for (uint32_t i = first; i < count; i += step) {
    const uint32_t key = s.keys[0][i];
    for (uint32_t pass = 0; pass < s.passes; pass++)
      atomicAdd (&histograms[pass][key >> RADIX_BITS * pass & (RADIX_DIGITS - 1)], 1);
  }
  __syncthreads ();
  for (uint32_t pass = 0; pass < s.passes; pass++)
    if (const uint32_t n = histograms[pass][threadIdx.x])
      atomicAdd (&s.counters->histograms[pass][threadIdx.x], n);
}

/* Publishes OWN, of one digit in a tile, and returns how many words the tiles before it have of that digit. STATES are
 * those of the digit. Called by a whole warp, each lane with a digit of its own. */
__device__ inline uint32_t
look_back_at (uint32_t *states, uint32_t tile, uint32_t own)
{
  constexpr int AT_ONCE = 8;
  if (tile > 0)
    atomicExch (&states[tile * RADIX_DIGITS], STATE_SUM | own);
  uint32_t sum = 0;
  int at = (int) tile - 1;
  bool searching = true;
  while (__any_sync (~0u, searching)) {
    uint32_t found[AT_ONCE];
#pragma unroll
    for (int i = 0; i < AT_ONCE; i++) {
      found[i] = STATE_PREFIX; /* Before the first tile there is nothing. */
      if (searching && at - i >= 0)
        found[i] = *(const volatile uint32_t *) &states[(at - i) * RADIX_DIGITS];
    }
    bool known = true;
#pragma unroll
    for (int i = 0; i < AT_ONCE; i++) {
      known = known && found[i];
      if (!searching || !known)
        continue;
      sum += found[i] & STATE_VALUE;
      searching = !(found[i] & STATE_PREFIX);
      at--;
    }
  }
  atomicExch (&states[tile * RADIX_DIGITS], STATE_PREFIX | (sum + own));
  return sum;
}

/* The lanes with the same digit as this one, of those THERE. */
__device__ inline uint32_t
lanes_alike (uint32_t digit, bool there)
{
  uint32_t alike = __ballot_sync (~0u, there);
#pragma unroll
  for (int i = 0; i < RADIX_BITS; i++) {
    const bool one = digit >> i & 1;
    const uint32_t ones = __ballot_sync (~0u, one);
    alike &= one ? ones : ~ones;
  }
  return alike;
}

/* A thread's words of a tile, in the order in which its warp has them: 32 in a row at a time. */
struct TileWords {
  uint32_t keys[WORDS], values[WORDS], ranks[WORDS];

  __device__
  TileWords (const uint32_t *all_keys, const uint32_t *all_values, uint32_t first, uint32_t count)
  {
#pragma unroll
    for (int k = 0; k < WORDS; k++) {
      const uint32_t i = first + 32 * k;
      keys[k] = i < count ? all_keys[i] : 0;
      values[k] = i < count ? all_values[i] : 0;
    }
  }

  /* Ranks the words among those of their warp with the same digit. COUNTS: zero at first; then the warp's words, by
   * digit. */
  __device__ void
  rank (uint32_t *counts, uint32_t shift, uint32_t first, uint32_t count)
  {
    const uint32_t lane = threadIdx.x % 32;
#pragma unroll
    for (int k = 0; k < WORDS; k++) {
      const uint32_t digit = keys[k] >> shift & (RADIX_DIGITS - 1);
      const bool there = first + 32 * k < count;
      const uint32_t alike = lanes_alike (digit, there), leader = there ? __ffs (alike) - 1 : lane;
      uint32_t before = 0;
      if (there && lane == leader) {
        before = counts[digit];
        counts[digit] = before + __popc (alike);
      }
      ranks[k] = __shfl_sync (~0u, before, leader) + __popc (alike & ((1u << lane) - 1));
      __syncwarp ();
    }
  }
};

__global__ void
__launch_bounds__ (THREADS) pass_kernel (const __grid_constant__ RadixSort s, uint32_t pass)
{
  __shared__ uint32_t ticket, sums[WARPS], counts[WARPS][RADIX_DIGITS];
  ctr_let_next_start ();
  ctr_wait_for_previous ();
  const uint32_t count = *s.count, warp = threadIdx.x / 32, shift = RADIX_BITS * pass, own_digit = threadIdx.x;
  if (count > s.capacity || blockIdx.x * RADIX_TILE >= count)
    return;
  const uint32_t *from_keys = s.keys[pass % 2], *from_values = s.values[pass % 2];
  uint32_t *to_keys = s.keys[(pass + 1) % 2], *to_values = s.values[(pass + 1) % 2];
  uint32_t *states = s.states + (size_t) (s.capacity / RADIX_TILE + 1) * RADIX_DIGITS * pass + own_digit;
  uint32_t all;
  const uint32_t smaller =
      block_scan<THREADS> (s.counters->histograms[pass][own_digit], sums, &all); /* words of smaller digits */
  for (;;) {
    if (threadIdx.x == 0)
      ticket = atomicAdd (&s.counters->tickets[pass], 1);
    for (int w = 0; w < WARPS; w++)
      counts[w][own_digit] = 0;
    __syncthreads ();
    const uint32_t tile = ticket, first = tile * RADIX_TILE + warp * 32 * WORDS + threadIdx.x % 32;
    if (tile * RADIX_TILE >= count)
      return;
    TileWords words (from_keys, from_values, first, count);
    words.rank (counts[warp], shift, first, count);
    __syncthreads ();
    uint32_t own = 0;
#pragma unroll
    for (int w = 0; w < WARPS; w++) {
      const uint32_t n = counts[w][own_digit];
      counts[w][own_digit] = own;
      own += n;
    }
    const uint32_t before = smaller + look_back_at (states, tile, own);
#pragma unroll
    for (int w = 0; w < WARPS; w++)
      counts[w][own_digit] += before;
    __syncthreads ();
#pragma unroll
    for (int k = 0; k < WORDS; k++) {
      if (first + 32 * k >= count)
        continue;
      const uint32_t to = counts[warp][words.keys[k] >> shift & (RADIX_DIGITS - 1)] + words.ranks[k];
      to_keys[to] = words.keys[k];
      to_values[to] = words.values[k];
    }
    __syncthreads ();
  }
}

} // namespace

void
radix_sort_launch (const RadixSort &s, bool overlap, cudaStream_t stream)
{
  const unsigned ctas = min (s.capacity / RADIX_TILE + 1, CTAS);
  ctr_launch_overlapped (overlap, histogram_kernel, ctas, THREADS, 0, stream, s);
  for (uint32_t pass = 0; pass < s.passes; pass++)
    ctr_launch_overlapped (overlap, pass_kernel, ctas, THREADS, 0, stream, s, pass);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A stable radix sort of words, each with a value, by their digits from the least significant one on. Only the device
 * knows how many words there are: the work follows their number, not the room for them.
 *
 * One kernel counts the digits of all passes. Then each pass is a kernel: a CTA counts the digits of its tile, learns
 * from the tiles before it, by decoupled look-back, how many of each digit these have, and writes its words to their
 * places. */
#ifndef CTR_CUDA_CONTOURS_RADIX_SORT_CUH
#define CTR_CUDA_CONTOURS_RADIX_SORT_CUH

#include "cuda/common/device_buffer.cuh"
#include "cuda/common/launch.cuh"

constexpr int RADIX_BITS = 8, RADIX_DIGITS = 1 << RADIX_BITS, RADIX_MOST_PASSES = 4;
constexpr uint32_t RADIX_TILE = 2048; /* words */

/* On the device; zero at first. */
struct RadixCounters {
  uint32_t histograms[RADIX_MOST_PASSES][RADIX_DIGITS];
  uint32_t tickets[RADIX_MOST_PASSES];
};

/* What is to be sorted, and the memory for that. A pass goes from one of the arrays to the other. */
struct RadixSort {
  const uint32_t *count; /* With more than there is room for nothing is done. */
  uint32_t capacity, passes;
  uint32_t *keys[2], *values[2];
  uint32_t *states; /* by pass, tile and digit */
  RadixCounters *counters;
};

/* Sets the memory for CAPACITY words whose keys are below KEY_COUNT. */
static inline void
radix_lay_out (RadixSort *sort, ArenaLayout *arena, uint32_t capacity, uint64_t key_count)
{
  sort->capacity = capacity;
  for (sort->passes = 1; key_count > 1ull << RADIX_BITS * sort->passes;)
    sort->passes++;
  for (int i = 0; i < 2; i++) {
    sort->keys[i] = arena->take<uint32_t> (capacity);
    sort->values[i] = arena->take<uint32_t> (capacity);
  }
  sort->states = arena->take<uint32_t> ((size_t) sort->passes * (capacity / RADIX_TILE + 1) * RADIX_DIGITS);
}

/* Queues the kernels, which sort from keys[0] and values[0]. */
void radix_sort_launch (const RadixSort &sort, bool overlap, cudaStream_t stream);

/* The index of the sorted ones. */
static inline uint32_t
radix_sorted (const RadixSort &sort)
{
  return sort.passes % 2;
}

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lines in the shared memory of a CTA, split at their farthest points until all are straight.
 *
 * Each thread has some consecutive positions. It splits lines inside these alone. A line that lies in several threads' positions is
 * split by all of them: each finds its farthest point there, and they agree on one by way of a slot. Of the thread in whose positions
 * it begins, it is the last line, so that thread has a slot for it. */
#ifndef CTR_CUDA_CONTOURS_SIMPLIFY_LINES_CUH
#define CTR_CUDA_CONTOURS_SIMPLIFY_LINES_CUH

#include "cuda/contours/simplify.cuh"

#include "core/results/simplify_rule.h"

namespace
{

typedef unsigned long long SimplifyKey; /* orders points by their distance; 0: none */

constexpr uint32_t NO_POSITION = ~0u, ALL_POSITIONS = (1u << SIMPLIFY_EACH) - 1;
constexpr uint32_t SIMPLIFY_WORDS = SIMPLIFY_ROOM / 32;

struct SimplifySlots {
  SimplifyKey best[2][SIMPLIFY_THREADS]; /* two take turns */
  uint32_t split[2][SIMPLIFY_THREADS];   /* where the line is split, or NO_POSITION */
};

struct SimplifyShared {
  CtrPoint points[SIMPLIFY_ROOM + SIMPLIFY_ROOM / SIMPLIFY_EACH];
  union {
    SimplifySlots slots;
    uint16_t kept[SIMPLIFY_ROOM]; /* when all lines are straight: the positions that are kept */
  };

  /* By position. Threads with successive positions are in different banks. */
  __device__ CtrPoint &
  point (uint32_t position)
  {
    return points[position + position / SIMPLIFY_EACH];
  }
};

/* What a thread knows of its positions. */
struct SimplifyOwn {
  uint32_t base;           /* its first position */
  uint32_t starts, open;   /* bits: where lines begin, and where lines go on that may have to be split */
  uint32_t before, behind; /* where the last line before begins, and the first one behind; NO_POSITION */
};

/* The last bit before position P, or NO_POSITION. WORD (i): a word of bits. */
template <typename Word>
__device__ inline uint32_t
bit_before (const Word &word, uint32_t p)
{
  uint32_t i = p / 32, bits = p % 32 ? word (i) & ((1u << p % 32) - 1) : 0;
  while (!bits && i > 0)
    bits = word (--i);
  return bits ? i * 32 + 31 - __clz (bits) : NO_POSITION;
}

/* The first bit from position P on, or NO_POSITION. */
template <typename Word>
__device__ inline uint32_t
bit_from (const Word &word, uint32_t p)
{
  uint32_t i = p / 32, bits = i < SIMPLIFY_WORDS ? word (i) & ~0u << p % 32 : 0;
  while (!bits && ++i < SIMPLIFY_WORDS)
    bits = word (i);
  return bits ? i * 32 + __ffs (bits) - 1 : NO_POSITION;
}

/* The bits of a thread's positions, from words of those of all. */
__device__ inline uint32_t
own_bits (const uint32_t *words, uint32_t base)
{
  return words[base / 32] >> base % 32 & ALL_POSITIONS;
}

/* The length of the run of ones that ends before bit E. */
__device__ inline uint32_t
ones_before (const uint32_t *words, uint32_t e)
{
  const uint32_t zero = bit_before ([&] (uint32_t i) { return ~words[i]; }, e);
  return zero == NO_POSITION ? e : e - zero - 1;
}

__device__ inline void
clear_slots (SimplifySlots &slots, uint32_t turn)
{
  slots.best[turn][threadIdx.x] = 0;
  slots.split[turn][threadIdx.x] = NO_POSITION;
}

/* Bits: positions from FROM to before TO. */
__device__ inline uint32_t
positions (uint32_t from, uint32_t to)
{
  return ((1u << to) - 1) & ~((1u << from) - 1);
}

/* Of a thread's positions, those before its first line begins, and those behind the beginning of its last line. */
__device__ inline uint32_t
entering_positions (const SimplifyOwn &own)
{
  return own.starts ? (own.starts & (0 - own.starts)) - 1 : ALL_POSITIONS;
}

__device__ inline uint32_t
leaving_positions (const SimplifyOwn &own)
{
  return own.starts ? ALL_POSITIONS & ~((2u << (31 - __clz (own.starts))) - 1) : 0;
}

/* Where the line ends that enters, or begins before, a thread's first position. */
__device__ inline uint32_t
end_of_entering (const SimplifyOwn &own)
{
  return own.starts ? own.base + __ffs (own.starts) - 1 : own.behind;
}

__device__ inline uint32_t
slot_of (uint32_t position)
{
  return position / SIMPLIFY_EACH;
}

/* Raises the keys of the lines that lie in several threads' positions: ENTERING is the greatest one of a thread's positions in the line
 * that enters them, LEAVING of the line that leaves them; a line that passes enters. A warp raises each key once. */
__device__ inline void
raise_keys (SimplifyKey *best, const SimplifyOwn &own, SimplifyKey entering, SimplifyKey leaving)
{
  if (!__any_sync (~0u, (entering | leaving) != 0))
    return;
  const uint32_t lane = threadIdx.x % 32;
  SimplifyKey key = entering;
  bool passes = own.starts == 0;
#pragma unroll
  for (uint32_t d = 1; d < 32; d *= 2) {
    const SimplifyKey other = __shfl_down_sync (~0u, key, d);
    const bool other_passes = __shfl_down_sync (~0u, (int) passes, d);
    if (passes && lane + d < 32) {
      key = max (key, other);
      passes = other_passes;
    } else {
      passes = false;
    }
  }
  const SimplifyKey behind = __shfl_down_sync (~0u, key, 1);
  if (own.starts) {
    const SimplifyKey all = max (leaving, lane < 31 ? behind : 0);
    if (all)
      atomicMax (&best[threadIdx.x], all);
  }
  if (lane == 0 && key)
    atomicMax (&best[slot_of (own.before)], key);
}

/* The line from FIRST to LAST is split at SPLIT. */
__device__ inline void
take_split (SimplifyOwn &own, uint32_t split)
{
  if (split == NO_POSITION)
    return;
  if (split < own.base) {
    own.before = split;
  } else if (split < own.base + SIMPLIFY_EACH) {
    own.starts |= 1u << (split - own.base);
    own.open &= ~(1u << (split - own.base));
  } else {
    own.behind = split;
  }
}

/* The first one of the farthest points of a thread's positions from K to before END, in the line from FIRST to LAST. */
__device__ inline SimplifyFarthest
farthest_of_line (
    SimplifyShared &shared, const SimplifyOwn &own, uint32_t k, uint32_t end, uint32_t first, uint32_t last)
{
  const CtrPoint from = shared.point (first);
  const CtrSimplifyVector line = ctr_simplify_from_to (from, shared.point (last));
  const int64_t whole = ctr_simplify_dot (line, line);
  SimplifyFarthest farthest = {0, NO_POSITION};
  for (; k < end; k++) {
    const double distance =
        ctr_simplify_scaled_distance (line, whole, ctr_simplify_from_to (from, shared.point (own.base + k)));
    if (distance > farthest.most)
      farthest = {distance, own.base + k};
  }
  return farthest;
}

__device__ inline bool
is_straight (SimplifyShared &shared, double most, uint32_t first, uint32_t last, double epsilon_squared)
{
  return ctr_simplify_is_straight (
      most, ctr_simplify_distance2 (shared.point (first), shared.point (last)), epsilon_squared);
}

struct FarthestOfOthers {
  SimplifyFarthest entering, leaving;
};

/* Splits the lines inside a thread's positions. Returns the farthest points of its positions in the other two. */
__device__ inline FarthestOfOthers
split_own_lines (SimplifyShared &shared, SimplifyOwn &own, double epsilon_squared)
{
  FarthestOfOthers others = {{0, NO_POSITION}, {0, NO_POSITION}};
  for (uint32_t k = 0; own.open >> k;) {
    const bool enters = !(own.starts >> k & 1);
    const uint32_t from = enters ? k : k + 1, later = own.starts >> from,
                   end = later ? from + __ffs (later) - 1 : SIMPLIFY_EACH;
    if (own.open & positions (from, end)) {
      const uint32_t first = enters ? own.before : own.base + k,
                     last = end < SIMPLIFY_EACH ? own.base + end : own.behind;
      const SimplifyFarthest farthest = farthest_of_line (shared, own, from, end, first, last);
      if (enters) {
        others.entering = farthest;
      } else if (last > own.base + SIMPLIFY_EACH) {
        others.leaving = farthest;
      } else if (is_straight (shared, farthest.most, first, last, epsilon_squared)) {
        own.open &= ~positions (from, end);
      } else {
        take_split (own, farthest.at);
        continue;
      }
    }
    k = end;
  }
  return others;
}

/* What a thread does where all have raised the key of a line from FIRST to LAST, which has POSITIONS of its own, with FARTHEST there. */
__device__ inline void
settle_line (SimplifyShared &shared, SimplifyOwn &own, uint32_t turn, uint32_t own_positions, uint32_t first,
    uint32_t last, SimplifyFarthest farthest, double epsilon_squared)
{
  if (!(own.open & own_positions))
    return;
  const double most = __longlong_as_double ((long long) shared.slots.best[turn][slot_of (first)]);
  if (is_straight (shared, most, first, last, epsilon_squared))
    own.open &= ~own_positions;
  else if (farthest.most == most)
    atomicMin (&shared.slots.split[turn][slot_of (first)], farthest.at);
}

/* Splits all lines. The slots of TURN are clear. Has a barrier behind the last use of the slots. */
__device__ inline void
split_lines (SimplifyShared &shared, SimplifyOwn &own, uint32_t turn, double epsilon_squared)
{
  for (;; turn ^= 1) {
    const FarthestOfOthers others = split_own_lines (shared, own, epsilon_squared);
    raise_keys (shared.slots.best[turn], own, (SimplifyKey) __double_as_longlong (others.entering.most),
        (SimplifyKey) __double_as_longlong (others.leaving.most));
    if (!__syncthreads_or (own.open != 0))
      return;
    settle_line (shared, own, turn, entering_positions (own), own.before, end_of_entering (own), others.entering,
        epsilon_squared);
    settle_line (shared, own, turn, leaving_positions (own), own.base + 31 - __clz (own.starts | 1), own.behind,
        others.leaving, epsilon_squared);
    clear_slots (shared.slots, turn ^ 1);
    __syncthreads ();
    const bool enters = !(own.starts & 1) && own.before != NO_POSITION, leaves = own.starts != 0;
    const uint32_t entering = enters ? shared.slots.split[turn][slot_of (own.before)] : NO_POSITION,
                   leaving = leaves ? shared.slots.split[turn][threadIdx.x] : NO_POSITION;
    take_split (own, entering);
    take_split (own, leaving);
  }
}

} // namespace

#endif

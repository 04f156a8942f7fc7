/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Hysteresis inside a tile, by a CTA in shared memory: the 8-connected components of the candidates, and which of them
 * hold a strong one. By union-find over runs of candidates, so that the time hardly depends on how they wind. */
#ifndef CTR_CANNY_HYSTERESIS_CUH
#define CTR_CANNY_HYSTERESIS_CUH

#include "cuda/canny_layout.cuh"

namespace
{

constexpr int RUN_SLOTS = CANNY_W / 2; /* of a row: runs start at least two pixels apart, so x / 2 numbers them */
constexpr uint32_t RUN_PARENT = 0xffff;
constexpr uint32_t RUN_STRONG = 1u << 16;
constexpr uint32_t RUN_AT_RIM = 1u << 17;
constexpr int RUN_NODE_SHIFT = 18;

/* Candidates of a tile in shared memory, a row of CANNY_WORDS words after the other, the leftmost pixel in bit 0. */
struct TileRuns {
  const uint32_t *bits;
  uint32_t
      *parents; /* RUN_SLOTS a row: at the start of each run the slot of its parent, and of roots the flags above */

  __device__ uint32_t
  before (uint32_t word) const /* the pixel left of bit 0, in bit 0 */
  {
    return word % CANNY_WORDS ? bits[word - 1] >> 31 : 0;
  }

  __device__ uint32_t
  starts (uint32_t word) const
  {
    return bits[word] & ~(bits[word] << 1 | before (word));
  }

  /* Slot of the run that holds BIT of WORD. */
  __device__ uint32_t
  slot (uint32_t word, uint32_t bit) const
  {
    uint32_t gaps = ~bits[word] & ((1u << bit) - 1);
    while (!gaps && word % CANNY_WORDS && bits[word - 1] >> 31)
      gaps = ~bits[--word];
    const uint32_t x = word % CANNY_WORDS * 32 + (gaps ? 32 - __clz (gaps) : 0);
    return word / CANNY_WORDS * RUN_SLOTS + x / 2;
  }

  __device__ uint32_t
  load (uint32_t slot) const
  {
    return *(volatile uint32_t *) &parents[slot];
  }

  __device__ uint32_t
  root (uint32_t slot) const
  {
    uint32_t up = load (slot) & RUN_PARENT;
    while (up != slot) {
      slot = up;
      up = load (slot) & RUN_PARENT;
    }
    return slot;
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

/* Of ROWS rows; ends in a barrier. Afterwards every run's parent is its root, and roots with a pixel of STRONG say so.
 */
__device__ inline void
join_runs (const TileRuns &runs, const uint32_t *strong, uint32_t rows)
{
  const uint32_t words = rows * CANNY_WORDS;
  for (uint32_t word = threadIdx.x; word < words; word += CANNY_THREADS)
    for (uint32_t starts = runs.starts (word); starts; starts &= starts - 1) {
      const uint32_t slot = word / CANNY_WORDS * RUN_SLOTS + (word % CANNY_WORDS * 32 + __ffs (starts) - 1) / 2;
      runs.parents[slot] = slot;
    }
  __syncthreads ();
  /* Contacts with the row above, exactly one for each pair of runs that touch: where a run starts, with what is above
   * or before that; and where one above starts, with what is left of it. */
  for (uint32_t word = threadIdx.x + CANNY_WORDS; word < words; word += CANNY_THREADS) {
    const uint32_t line = runs.bits[word], over = word - CANNY_WORDS, above = runs.bits[over];
    const uint32_t line_before = runs.before (word), above_before = runs.before (over);
    const uint32_t starts = line & ~(line << 1 | line_before);
    for (uint32_t rest = starts & (above | above << 1 | above_before); rest; rest &= rest - 1) {
      const uint32_t bit = __ffs (rest) - 1;
      const uint32_t other = above >> bit & 1 ? runs.slot (over, bit)
                             : bit            ? runs.slot (over, bit - 1)
                                              : runs.slot (over - 1, 31);
      runs.unite (word / CANNY_WORDS * RUN_SLOTS + (word % CANNY_WORDS * 32 + bit) / 2, other);
    }
    for (uint32_t rest = above & ~(above << 1 | above_before) & (line << 1 | line_before); rest; rest &= rest - 1) {
      const uint32_t bit = __ffs (rest) - 1;
      runs.unite (bit ? runs.slot (word, bit - 1) : runs.slot (word - 1, 31),
          over / CANNY_WORDS * RUN_SLOTS + (over % CANNY_WORDS * 32 + bit) / 2);
    }
  }
  __syncthreads ();
  for (uint32_t word = threadIdx.x; word < words; word += CANNY_THREADS) {
    for (uint32_t starts = runs.starts (word); starts; starts &= starts - 1) {
      const uint32_t slot = word / CANNY_WORDS * RUN_SLOTS + (word % CANNY_WORDS * 32 + __ffs (starts) - 1) / 2;
      const uint32_t root = runs.root (slot);
      if (root != slot)
        *(volatile uint32_t *) &runs.parents[slot] = root; /* others may walk through: any ancestor is right */
    }
    uint32_t rest = strong[word];
    while (rest) {
      const uint32_t bit = __ffs (rest) - 1, root = runs.root (runs.slot (word, bit));
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
  for (uint32_t rest = runs.bits[word]; rest;) {
    const uint32_t bit = __ffs (rest) - 1, gaps = ~rest & ~((1u << bit) - 1);
    const uint32_t run = rest & (gaps ? (gaps & -gaps) - 1 : ~0u);
    if (runs.load (runs.root (runs.slot (word, bit))) & RUN_STRONG)
      result |= run;
    rest ^= run;
  }
  return result;
}

} // namespace

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reconstruction inside a tile, by a CTA in shared memory: a union-find over runs. A warp has a column of the tile's words, a
 * lane one row of it. So the lane knows which runs touch without a list of them, and nothing but the union-find itself is
 * random access. */
#ifndef CTR_CUDA_FOREGROUND_CONNECTED_TILE_CUH
#define CTR_CUDA_FOREGROUND_CONNECTED_TILE_CUH

#include "cuda/common/run_tiles.cuh"

namespace
{

constexpr uint32_t TILE_ROWS = 32, TILE_WORDS = TILE_ROWS * RUN_TILE_WORDS;
static_assert (TILE_WORDS == RUN_TILE_THREADS, "each thread has one word");

/* Room for a column of words: threads that are in the order of rows and those that are in the order of columns reach it
 * without bank conflicts. */
constexpr uint32_t COLUMN_ROOM = 36;

/* Runs are numbered by columns of words, then rows: those above and to the left of a run come before it. A word has 16; one more
 * is left out, against bank conflicts. Number 0 stands for all that is found. */
constexpr uint32_t WORD_RUNS = 16, WORD_NODES = WORD_RUNS + 1, NODES = (TILE_WORDS + 1) * WORD_NODES, FOUND_NODE = 0;

/* A node's entry is its parent, a node with a lower number of the same component, or itself: it is a root. A root whose
 * component has a number has this bit and that number. */
constexpr uint32_t NODE_IS_COMPONENT = 1u << 31;

/* How many rows at most what is found spreads before the union-find takes over, which needs longer for a run. */
constexpr int SPREAD_ROUNDS = 4;

/* The word of the lane before, or behind, in the same column; 0 outside of the tile. */
__device__ inline uint32_t
word_above (uint32_t word)
{
  const uint32_t above = __shfl_up_sync (~0u, word, 1);
  return threadIdx.x % 32 ? above : 0;
}

__device__ inline uint32_t
word_below (uint32_t word)
{
  const uint32_t below = __shfl_down_sync (~0u, word, 1);
  return threadIdx.x % 32 < 31 ? below : 0;
}

__device__ inline uint32_t
starts_of (uint32_t bits)
{
  return bits & ~(bits << 1);
}

/* Removes the lowest run from *REST, which has one, and returns it. */
__device__ inline uint32_t
take_run (uint32_t *rest)
{
  const uint32_t carried = *rest + (*rest & -*rest), run = *rest & ~carried;
  *rest &= carried;
  return run;
}

/* The runs of BITS, the lane's word, that contain a bit of SEEDS or are at most so many rows away from one. */
template <int CONNECTIVITY>
__device__ inline uint32_t
spread_found (uint32_t bits, uint32_t seeds)
{
  uint32_t found = fill_runs (bits, seeds);
#pragma unroll 1
  for (int round = 0; round < SPREAD_ROUNDS; round++) {
    uint32_t vertical = word_above (found) | word_below (found);
    if (CONNECTIVITY == 8)
      vertical |= vertical << 1 | vertical >> 1;
    const uint32_t next = fill_runs (bits, found | (bits & vertical));
    if (!__any_sync (~0u, next != found))
      break;
    found = next;
  }
  return found;
}

struct TileMemory {
  uint32_t weak[RUN_TILE_WORDS * COLUMN_ROOM], found[RUN_TILE_WORDS * COLUMN_ROOM];
  uint32_t nodes[NODES];
  uint32_t components;

  __device__ uint32_t
  load (uint32_t node) const
  {
    return *(const volatile uint32_t *) &nodes[node];
  }

  /* Other threads may walk through the same nodes: any ancestor is a valid parent, and ancestors are lower. */
  __device__ void
  lower (uint32_t node, uint32_t ancestor)
  {
    atomicMin (&nodes[node], ancestor);
  }
};

/* The run of a word, whose runs begin at STARTS, that begins last at or before the lowest of BITS. FIRST: the word's first
 * node. */
__device__ inline uint32_t
node_before (uint32_t first, uint32_t starts, uint32_t bits)
{
  return first + (31u - __clz (starts & (bits ^ (bits - 1)))) / 2;
}

/* A lane's word and what its runs touch. */
template <int CONNECTIVITY> struct LaneRuns {
  uint32_t weak;
  uint32_t place;        /* of the word in the tile's memory */
  uint32_t first;        /* node of the word */
  uint32_t above_starts; /* of the runs of the word above */
  uint32_t contacts;     /* a bit for each run and one of the word above that touch: where the later one begins */
  enum { LEFT = 1, ABOVE_LEFT, BELOW_LEFT }; /* words in which a run touches the one at bit 0 */
  uint32_t sides;                            /* 1 << those; not where other contacts say the same */
  uint32_t touched;                          /* pixels that touch what is found */

  /* OWN and FOUND: the lane's words. Those of the tile's memory are complete. */
  __device__
  LaneRuns (const TileMemory &memory, uint32_t own, uint32_t found)
  {
    constexpr bool diagonal = CONNECTIVITY == 8;
    const uint32_t column = threadIdx.x / 32;
    weak = own;
    place = column * COLUMN_ROOM + threadIdx.x % 32;
    first = (threadIdx.x + 1) * WORD_NODES;
    const uint32_t above = word_above (weak), below = word_below (weak);
    above_starts = starts_of (above);
    contacts = starts_of (weak & above);
    if (diagonal)
      contacts |= (starts_of (weak) & above << 1 & ~above) | (above_starts & weak << 1 & ~weak);

    const uint32_t left = column > 0 ? memory.weak[place - COLUMN_ROOM] >> 31 : 0;
    const uint32_t above_left = word_above (left), below_left = word_below (left);
    sides = (weak & left & ~(above & above_left)) << LEFT;
    if (diagonal)
      sides |= (weak & ~left & above_left & ~above & 1) << ABOVE_LEFT
               | (weak & ~left & below_left & ~below & 1) << BELOW_LEFT;

    uint32_t vertical = word_above (found) | word_below (found);
    uint32_t at_left = column > 0 ? memory.found[place - COLUMN_ROOM] >> 31 : 0,
             at_right = column + 1 < RUN_TILE_WORDS ? memory.found[place + COLUMN_ROOM] << 31 : 0;
    if (diagonal) {
      vertical |= vertical << 1 | vertical >> 1;
      at_left |= word_above (at_left) | word_below (at_left);
      at_right |= word_above (at_right) | word_below (at_right);
    }
    touched = weak & (vertical | at_left | at_right);
  }

  /* Gives each run its first parent. The contacts that do not become one remain. */
  __device__ void
  plant (TileMemory *memory)
  {
#pragma unroll 1
    for (uint32_t rest = weak; rest;) {
      const uint32_t node = first + (__ffs (rest) - 1) / 2, run = take_run (&rest);
      const uint32_t reached = contacts & (CONNECTIVITY == 8 ? run | run << 1 : run);
      const bool is_found = run & touched;
      const uint32_t contact = is_found ? 0 : reached & -reached;
      contacts ^= contact;
      const uint32_t above = node_before (first - WORD_NODES, above_starts, contact);
      memory->nodes[node] = is_found ? FOUND_NODE : contact ? above : node;
    }
    __syncwarp ();
  }

  /* Removes a contact; *A and *B become its nodes. */
  __device__ bool
  take_contact (const TileMemory &memory, uint32_t *a, uint32_t *b)
  {
    if (contacts) {
      *a = node_before (first, starts_of (weak), contacts);
      *b = node_before (first - WORD_NODES, above_starts, contacts);
      contacts &= contacts - 1;
      return true;
    }
    if (!sides)
      return false;
    const int side = __ffs (sides) - 1, down = side == LEFT ? 0 : side == ABOVE_LEFT ? -1 : 1;
    *a = first;
    *b = node_before (first + (down - (int) TILE_ROWS) * (int) WORD_NODES,
        starts_of (memory.weak[place + down - (int) COLUMN_ROOM]), 1u << 31);
    sides &= sides - 1;
    return true;
  }
};

/* While nothing is united: gives all runs of WEAK, whose first node is FIRST, their roots as parents. Other lanes walk through
 * the same runs: any ancestor is a valid parent, and each step halves the rest of a path. */
__device__ inline void
shorten_paths (TileMemory *memory, uint32_t first, uint32_t weak)
{
#pragma unroll 1
  for (uint32_t starts = starts_of (weak); starts; starts &= starts - 1) {
    const uint32_t node = first + (__ffs (starts) - 1) / 2;
    uint32_t up = memory->load (node);
#pragma unroll 1
    for (uint32_t next; (next = memory->load (up)) != up; up = next)
      memory->lower (node, next);
  }
  __syncwarp ();
}

template <int CONNECTIVITY>
__device__ inline void
unite_contacts (TileMemory *memory, LaneRuns<CONNECTIVITY> *runs)
{
  uint32_t a = FOUND_NODE, b = FOUND_NODE;
#pragma unroll 1
  while (a != b || runs->take_contact (*memory, &a, &b)) {
    const uint32_t up_a = memory->load (a), up_b = memory->load (b);
    if (up_a == a && up_b == b) {
      const uint32_t high = max (a, b), low = min (a, b), old = atomicMin (&memory->nodes[high], low);
      a = old == high ? low : old; /* HIGH was no root any more: unite its parent, too */
      b = low;
    } else {
      a = up_a;
      b = up_b;
    }
  }
  __syncwarp ();
}

/* After all is united: returns the runs of WEAK, whose first node is FIRST, that are found. The components of the others that have
 * a pixel of BORDER get numbers, for which NEW_COMPONENT is called. */
template <typename NewComponent>
__device__ inline uint32_t
resolve_runs (TileMemory *memory, uint32_t first, uint32_t weak, uint32_t border, NewComponent new_component)
{
  uint32_t found = 0;
#pragma unroll 1
  for (uint32_t rest = weak; rest;) {
    const uint32_t node = first + (__ffs (rest) - 1) / 2, run = take_run (&rest);
    uint32_t root = node, entry = memory->load (node);
#pragma unroll 1
    while (!(entry & NODE_IS_COMPONENT) && entry != root) {
      root = entry;
      entry = memory->load (root);
    }
    if (root != node)
      memory->lower (node, root);
    if (root == FOUND_NODE)
      found |= run;
    else if (run & border && !(entry & NODE_IS_COMPONENT)
             && !(atomicOr (&memory->nodes[root], NODE_IS_COMPONENT) & NODE_IS_COMPONENT)) {
      const uint32_t component = atomicAdd (&memory->components, 1);
      atomicExch (&memory->nodes[root], NODE_IS_COMPONENT | component);
      new_component (component);
    }
  }
  __syncwarp ();
  return found;
}

/* After resolve_runs(): NODE_IS_COMPONENT | the number of the component of NODE, or something else if it has none. */
__device__ inline uint32_t
component_of (const TileMemory &memory, uint32_t node)
{
  const uint32_t entry = memory.load (node);
  return entry & NODE_IS_COMPONENT ? entry : memory.load (entry);
}

} // namespace

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reconstruction inside a tile, by a CTA in shared memory: a union-find over runs. A warp has a column of the tile's words, a
 * lane one row of it. So the lane knows which runs touch without a list of them. Where nothing but the union-find itself is left,
 * the runs are shared out evenly: in noise some words have many. */
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

/* Runs are numbered from 1 on, by columns of words, then rows: those above and to the left of a run come before it. Number 0
 * stands for all that is found. */
constexpr uint32_t NODES = 1 + TILE_WORDS * 16, FOUND_NODE = 0;

/* A node's entry has its parent, a node with a lower number of the same component, or itself: it is a root. Below it are the run's
 * word and first bit. A root whose component has a number has NODE_IS_COMPONENT and that number in place of a parent. */
constexpr int NODE_PARENT_SHIFT = 16;
constexpr uint32_t NODE_RUN = (1u << NODE_PARENT_SHIFT) - 1, NODE_IS_COMPONENT = 1u << 31;

/* How often at most what is found spreads along columns and then rows, before the union-find takes over, which needs longer for a
 * run. */
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

/* What SEEDS, some of BITS, reach of the lane's BITS up and down their columns, by prefixes over the lanes: a seed goes as many rows
 * farther as all are known to be set. */
__device__ inline uint32_t
fill_columns (uint32_t bits, uint32_t seeds)
{
  uint32_t down = seeds, up = seeds, above = bits, below = bits;
#pragma unroll
  for (int rows = 1; rows < 32; rows *= 2) {
    down |= above & __shfl_up_sync (~0u, down, rows);
    up |= below & __shfl_down_sync (~0u, up, rows);
    above &= __shfl_up_sync (~0u, above, rows);
    below &= __shfl_down_sync (~0u, below, rows);
  }
  return down | up;
}

/* The runs of BITS, the lane's word, that contain a bit of SEEDS or are connected to one in the words of the warp, if not in too
 * winding a way. */
template <int CONNECTIVITY>
__device__ inline uint32_t
spread_found (uint32_t bits, uint32_t seeds)
{
  uint32_t found = fill_runs (bits, seeds);
#pragma unroll 1
  for (int round = __any_sync (~0u, found) ? 0 : SPREAD_ROUNDS; round < SPREAD_ROUNDS; round++) {
    uint32_t next = fill_columns (bits, found);
    if (CONNECTIVITY == 8) {
      const uint32_t vertical = word_above (next) | word_below (next);
      next |= bits & (vertical << 1 | vertical >> 1);
    }
    next = fill_runs (bits, next);
    if (!__any_sync (~0u, next != found))
      break;
    found = next;
  }
  return found;
}

/* Words are by columns. */
struct TileMemory {
  __align__ (16) uint32_t nodes[NODES];
  uint32_t mask[RUN_TILE_WORDS * COLUMN_ROOM];
  uint32_t found[RUN_TILE_WORDS * COLUMN_ROOM]; /* at first: the marker */
  uint32_t weak[RUN_TILE_WORDS * COLUMN_ROOM];  /* what is neither found nor known to be alone */
  uint16_t first[TILE_WORDS];                   /* nodes of the words, by columns */
  __align__ (16) uint32_t runs[RUN_TILE_WORDS]; /* of the columns. Aligned: wide loads take nothing else along. */
  uint32_t components, component_runs;
  uint32_t complete; /* seams: both tiles are ready */

  __device__ uint32_t
  load (uint32_t node) const
  {
    return *(const volatile uint32_t *) &nodes[node];
  }

  __device__ uint32_t
  parent (uint32_t node) const
  {
    return load (node) >> NODE_PARENT_SHIFT;
  }

  /* ENTRY: one that NODE had. Other threads may walk through the same nodes: any ancestor is a valid parent, and ancestors are
   * lower. */
  __device__ void
  lower (uint32_t node, uint32_t entry, uint32_t ancestor)
  {
    atomicMin (&nodes[node], ancestor << NODE_PARENT_SHIFT | (entry & NODE_RUN));
  }
};

/* The run of a node with this ENTRY: its WORD, by columns, and its first and last BIT. */
struct NodeRun {
  uint32_t word, place, pixels, first_bit;

  __device__
  NodeRun (const TileMemory &memory, uint32_t entry)
  {
    word = entry >> 5 & (TILE_WORDS - 1);
    place = word / TILE_ROWS * COLUMN_ROOM + word % TILE_ROWS;
    first_bit = entry & 31;
    const uint32_t from = memory.weak[place] & (~0u << first_bit);
    pixels = from & ~(from + (1u << first_bit));
  }
};

/* The run of a word, whose runs begin at STARTS, that begins last at or before the lowest of BITS. FIRST: the word's first
 * node. */
__device__ inline uint32_t
node_before (uint32_t first, uint32_t starts, uint32_t bits)
{
  return first + __popc (starts & (bits ^ (bits - 1))) - 1;
}

/* The runs of BITS, the lane's word, that touch something in the tile, with ALL pixels of the word, or have a pixel of BORDER. The
 * others are components by themselves. */
template <int CONNECTIVITY>
__device__ inline uint32_t
drop_lone_runs (const TileMemory &memory, uint32_t bits, uint32_t all, uint32_t border)
{
  const uint32_t column = threadIdx.x / 32, place = column * COLUMN_ROOM + threadIdx.x % 32;
  uint32_t vertical = word_above (all) | word_below (all);
  uint32_t left = column > 0 ? memory.mask[place - COLUMN_ROOM] >> 31 : 0,
           right = column + 1 < RUN_TILE_WORDS ? memory.mask[place + COLUMN_ROOM] << 31 : 0;
  if (CONNECTIVITY == 8) {
    vertical |= vertical << 1 | vertical >> 1;
    left |= word_above (left) | word_below (left);
    right |= word_above (right) | word_below (right);
  }
  return fill_runs (bits, bits & (vertical | left | right | border));
}

/* A lane's word and what its runs touch. */
template <int CONNECTIVITY> struct LaneRuns {
  uint32_t weak;
  uint32_t place;        /* of the word in the tile's memory */
  uint32_t first;        /* node of the word */
  uint32_t above_first;  /* of the word above */
  uint32_t above_starts; /* of the runs of the word above */
  uint32_t contacts;     /* a bit for each run and one of the word above that touch: where the later one begins */
  enum { LEFT = 1, ABOVE_LEFT, BELOW_LEFT }; /* words in which a run touches the one at bit 0 */
  uint32_t sides;                            /* 1 << those; not where other contacts say the same */
  uint32_t touched;                          /* pixels that touch what is found */

  /* OWN and FOUND: the lane's words, FIRST_NODE: of OWN. Words of the tile's memory are complete. */
  __device__
  LaneRuns (const TileMemory &memory, uint32_t own, uint32_t found, uint32_t first_node)
  {
    constexpr bool diagonal = CONNECTIVITY == 8;
    const uint32_t column = threadIdx.x / 32;
    weak = own;
    place = column * COLUMN_ROOM + threadIdx.x % 32;
    first = first_node;
    above_first = __shfl_up_sync (~0u, first, 1);
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
    uint32_t node = first;
#pragma unroll 1
    for (uint32_t rest = weak; rest; node++) {
      const uint32_t place_in_tile = threadIdx.x << 5 | (__ffs (rest) - 1), run = take_run (&rest);
      const uint32_t reached = contacts & (CONNECTIVITY == 8 ? run | run << 1 : run);
      const bool is_found = run & touched;
      const uint32_t contact = is_found ? 0 : reached & -reached;
      contacts ^= contact;
      const uint32_t above = node_before (above_first, above_starts, contact);
      memory->nodes[node] = (is_found ? FOUND_NODE : contact ? above : node) << NODE_PARENT_SHIFT | place_in_tile;
    }
    memory->first[threadIdx.x] = (uint16_t) first;
    __syncwarp ();
  }

  /* Removes a contact; *A and *B become its nodes. */
  __device__ bool
  take_contact (const TileMemory &memory, uint32_t *a, uint32_t *b)
  {
    if (contacts) {
      *a = node_before (first, starts_of (weak), contacts);
      *b = node_before (above_first, above_starts, contacts);
      contacts &= contacts - 1;
      return true;
    }
    if (!sides)
      return false;
    const int side = __ffs (sides) - 1, down = side == LEFT ? 0 : side == ABOVE_LEFT ? -1 : 1;
    *a = first;
    *b = node_before (memory.first[(int) threadIdx.x + down - (int) TILE_ROWS],
        starts_of (memory.weak[place + down - (int) COLUMN_ROOM]), 1u << 31);
    sides &= sides - 1;
    return true;
  }
};

/* While nothing is united: gives the nodes 1 to COUNT their roots as parents. Other threads walk through the same nodes: any
 * ancestor is a valid parent, and each step halves the rest of a path. */
__device__ inline void
shorten_paths (TileMemory *memory, uint32_t count)
{
#pragma unroll 1
  for (uint32_t node = 1 + threadIdx.x; node <= count; node += RUN_TILE_THREADS) {
    const uint32_t entry = memory->load (node);
    uint32_t up = entry >> NODE_PARENT_SHIFT;
#pragma unroll 1
    for (uint32_t next; (next = memory->parent (up)) != up; up = next)
      memory->lower (node, entry, next);
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
    const uint32_t entry_a = memory->load (a), entry_b = memory->load (b);
    const uint32_t up_a = entry_a >> NODE_PARENT_SHIFT, up_b = entry_b >> NODE_PARENT_SHIFT;
    if (up_a == a && up_b == b) {
      const uint32_t high = max (a, b), low = min (a, b), rest = (a > b ? entry_a : entry_b) & NODE_RUN;
      const uint32_t old = atomicMin (&memory->nodes[high], low << NODE_PARENT_SHIFT | rest) >> NODE_PARENT_SHIFT;
      a = old == high ? low : old; /* HIGH was no root any more: unite its parent, too */
      b = low;
    } else {
      a = up_a;
      b = up_b;
    }
  }
  __syncwarp ();
}

/* After all is united: adds the runs of the nodes 1 to COUNT that are found to what is found. The components of the others that have
 * a pixel of BORDER (word, by columns) get numbers, for which NEW_COMPONENT is called. */
template <typename Border, typename NewComponent>
__device__ inline void
resolve_runs (TileMemory *memory, uint32_t count, Border border, NewComponent new_component)
{
#pragma unroll 1
  for (uint32_t node = 1 + threadIdx.x; node <= count; node += RUN_TILE_THREADS) {
    const uint32_t own = memory->load (node);
    uint32_t root = node, entry = own;
#pragma unroll 1
    while (!(entry & NODE_IS_COMPONENT) && entry >> NODE_PARENT_SHIFT != root) {
      root = entry >> NODE_PARENT_SHIFT;
      entry = memory->load (root);
    }
    if (root != node)
      memory->lower (node, own, root);
    const NodeRun run (*memory, own);
    if (root == FOUND_NODE)
      atomicOr (&memory->found[run.place], run.pixels);
    else if (run.pixels & border (run.word) && !(entry & NODE_IS_COMPONENT)
             && !(atomicOr (&memory->nodes[root], NODE_IS_COMPONENT) & NODE_IS_COMPONENT)) {
      const uint32_t component = atomicAdd (&memory->components, 1);
      atomicExch (&memory->nodes[root], NODE_IS_COMPONENT | component << NODE_PARENT_SHIFT | (entry & NODE_RUN));
      new_component (component);
    }
  }
  __syncwarp ();
}

/* After resolve_runs(): NODE_IS_COMPONENT and the number of the component of NODE, or something else if it has none. */
__device__ inline uint32_t
component_of (const TileMemory &memory, uint32_t node)
{
  const uint32_t entry = memory.load (node);
  return entry & NODE_IS_COMPONENT ? entry : memory.load (entry >> NODE_PARENT_SHIFT);
}

/* Its number. */
__device__ inline uint32_t
component_number (uint32_t entry)
{
  return (entry & ~NODE_IS_COMPONENT) >> NODE_PARENT_SHIFT;
}

} // namespace

#endif

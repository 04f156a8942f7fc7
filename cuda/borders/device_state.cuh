/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Border following on the GPU: the data that passes between its kernels.
 *
 * A border is a ring of nodes, each with a next one that its pixel's eight neighbours tell: nobody has to follow
 * anything. A node is a pixel and one of its sides ("slot"), the first cross direction 2 * slot of a run of neighbours
 * outside the foreground. A ring starts where its smallest key is: the position of an outer border's first pixel in
 * raster order, of a hole's first background pixel. Only nodes that look like that to their neighbours have a key.
 *
 *   tiles.cu   image to bits; tiles to nodes; chains of nodes inside a tile to segments, each from a node that
 *                      is entered from another tile, or has a key, to the next such node
 *   list_ranking.cu           segments to rings
 *   assemble.cu   keys to an order, lengths to places, nodes to points, points to areas, lengths, boxes
 *   hierarchy.cu    who is inside whom
 *
 * Directions: 0 east, 1 north-east, 2 north .. 7 south-east. */
#ifndef CTR_CUDA_BORDERS_DEVICE_STATE_CUH
#define CTR_CUDA_BORDERS_DEVICE_STATE_CUH

#include "cuda/common/device_buffer.cuh"
#include "cuda/contours/contour_accumulator.cuh"
#include "cuda/contours/list_ranking.cuh"

#include "core/borders/borders.h"

constexpr int BORDERS_TILE = 64, BORDERS_TILE_WORDS = BORDERS_TILE / 32;
constexpr uint32_t COUNT_SHARE = 1024, OFFSET_SHARE = 1024; /* words, contours a CTA of the scans */

/* Scans over the contours. */
enum { SCAN_MEASURED, SCAN_SELECTED, SCAN_OFFSETS, BORDERS_SCANS };

constexpr uint32_t NO_CONTOUR = ~0u;

constexpr uint32_t FEW_CONTOURS = 1024, FEW_POINTS = 8192; /* that one CTA takes alone */

/* Of BordersFrame.node_ring: the ring is one closed segment, with its own numbers. */
constexpr uint32_t RING_CLOSED = 1u << 31;
/* Of BordersFrame.node_rank: the node's pixel is a point of the list. */
constexpr uint32_t NODE_KEPT = 1u << 31;

enum BordersLack { LACKS_MANY_RINGS = 1, LACKS_ROUNDS = 2 };

/* What a frame needs, whether or not there is room for it. */
struct BordersHeader {
  uint32_t nodes, open, closed; /* nodes and segments */
  uint32_t contours;            /* in the result */
  uint32_t all_contours;        /* in the image */
  uint32_t points;
  uint32_t threshold;
  uint32_t incomplete; /* BordersLack: kernels that were needed and not queued */
  uint32_t unmeasured; /* so were those for many points */
  uint32_t rounds;     /* of the rings that were needed */
  uint32_t listed;     /* one CTA has put rings and contours in order */
};

struct BordersCounters {
  BordersHeader header;
  uint32_t count_ticket, scan_tickets[BORDERS_SCANS], point_ticket;
  RingProgress progress, order_progress;
};

/* Everything the kernels share, by value. Device pointers. */
struct BordersFrame {
  const uint8_t *pixels;
  size_t stride;
  uint32_t width, height;
  uint32_t depth; /* 8 or 16 bits a sample */
  uint32_t threshold;
  const uint32_t *threshold_device; /* takes the place of threshold, or NULL */
  uint32_t invert;
  uint32_t simple; /* approximation */
  uint32_t mode;   /* CtrRetrieval */

  uint32_t words;      /* 32-pixel words a row of the following, the leftmost pixel in bit 0; an even number */
  uint32_t *bits;      /* foreground */
  uint32_t *starts;    /* keys of rings, as positions; of no use where one CTA has put them in order */
  uint32_t *before;    /* a word: keys before it */
  uint32_t *node_base; /* a word with nodes: the number of its first one. In a word, slot by slot */

  BordersCounters *counters, *next_counters; /* this frame clears them for the next one */
  uint32_t tiles_x, tiles_y;
  uint32_t many_rings, many_points; /* the kernels for these are queued */

  uint32_t node_capacity;
  uint32_t *node_place; /* x | y << 16 */
  uint32_t *node_ring;  /* segment */
  uint32_t *node_rank;  /* points before it in the segment */

  Rings rings;
  uint32_t closed_capacity;
  uint2 *closed;                       /* key, length */
  uint32_t *open_ranks, *closed_ranks; /* of the segments' contours */

  /* Contours. Their rank is their place in descending order of their keys, which is OpenCV's where no hierarchy changes
   * it; their row that in the table. */
  uint32_t contour_capacity;
  uint32_t *rank_lengths, *rank_keys;
  uint32_t *rows;                   /* by rank: NO_CONTOUR where dropped. NULL: all rows are ranks */
  uint32_t *ranks;                  /* by row, then not NULL either */
  uint32_t *row_lengths, *row_keys; /* otherwise, those by rank */
  uint32_t *firsts;                 /* by row */
  ContourAccumulator *accumulators; /* by row; by rank where limits ask for them first */
  unsigned long long *count_states, *scan_states[BORDERS_SCANS];
  uint32_t count_ctas;

  /* Limits. */
  uint32_t limited;
  uint64_t min_area2, max_area2, min_length;
  uint32_t min_width, min_height;
  CtrPoint *all_points; /* of contours that may be dropped */

  /* Hierarchy, by rank at first. */
  uint32_t *parents;                 /* while they are looked for, with flag PARENT_OF */
  uint32_t *ordered;                 /* ranks in the order of the hierarchy, before any is dropped */
  uint32_t *next, *previous, *child; /* siblings; by row where limits changed who is whose */
  uint32_t *sort_keys[2], *sort_values[2];
  Rings order; /* the one that goes through all contours */

  CtrContour *table;
  CtrPoint *points;
  CtrContourSums *sums; /* NULL: not asked for */
  uint32_t measuring;   /* these points are to be measured */
  uint32_t final;       /* and they are the result's */
  uint32_t point_capacity;
};

/* Of BordersFrame.parents: not the contour itself, but the one around it. */
constexpr uint32_t PARENT_OF = 1u << 31, NO_PARENT = PARENT_OF - 1;

/* Is there room for all nodes and segments? If not, the frame is done again. */
__device__ inline bool
nodes_fit (const BordersFrame &f)
{
  const BordersHeader &h = f.counters->header;
  return h.nodes <= f.node_capacity && h.open <= f.rings.capacity && h.closed <= f.closed_capacity;
}

/* And for all contours? */
__device__ inline bool
contours_fit (const BordersFrame &f)
{
  const BordersHeader &h = f.counters->header;
  return nodes_fit (f) && !h.incomplete && h.all_contours <= f.contour_capacity;
}

/* And for all points? */
__device__ inline bool
points_fit (const BordersFrame &f)
{
  return contours_fit (f) && f.counters->header.points <= f.point_capacity;
}

/* Position in a bit plane. */
__device__ inline uint32_t
position_of (const BordersFrame &f, uint32_t x, uint32_t y)
{
  return y * (f.words * 32) + x;
}

__device__ inline uint32_t
word_at (const BordersFrame &f, int word, int y)
{
  return word >= 0 && word < (int) f.words && y >= 0 && y < (int) f.height ? f.bits[(size_t) y * f.words + word] : 0;
}

/* How many rings have smaller keys. */
__device__ inline uint32_t
keys_before (const BordersFrame &f, uint32_t key)
{
  return f.before[key / 32] + __popc (f.starts[key / 32] & ((1u << key % 32) - 1));
}

__device__ inline uint32_t
rank_of (const BordersFrame &f, uint32_t key)
{
  return f.counters->header.all_contours - 1 - keys_before (f, key);
}

__device__ inline bool
is_hole (const BordersFrame &f, uint32_t key)
{
  return !(f.bits[key / 32] >> key % 32 & 1);
}

/* The slots of 32 pixels as bits. ROWS: of the words left, at, and right of them; the row above, theirs, below. */
__device__ inline void
find_slots (const uint32_t rows[3][3], uint32_t slots[4])
{
  uint32_t z[8];
  auto west = [] (const uint32_t *r) { return ~(r[1] << 1 | r[0] >> 31); };
  auto east = [] (const uint32_t *r) { return ~(r[1] >> 1 | r[2] << 31); };
  z[0] = east (rows[1]);
  z[1] = east (rows[0]);
  z[2] = ~rows[0][1];
  z[3] = west (rows[0]);
  z[4] = west (rows[1]);
  z[5] = west (rows[2]);
  z[6] = ~rows[2][1];
  z[7] = east (rows[2]);
#pragma unroll
  for (int k = 0; k < 4; k++)
    slots[k] = rows[1][1] & z[2 * k] & ~(z[(2 * k + 7) % 8] & z[(2 * k + 6) % 8]);
  slots[2] |= rows[1][1] & z[0] & z[1] & z[2] & z[3] & z[4] & z[5] & z[6] & z[7]; /* alone */
}

/* From three rows with the pixel in bit 1. */
__device__ inline uint32_t
eight_neighbours (uint32_t above, uint32_t same, uint32_t below)
{
  return (same >> 2 & 1) | (above >> 1 & 2) | (above << 1 & 4) | (above << 3 & 8) | (same << 4 & 16)
         | (below << 5 & 224);
}

/* What a node's eight neighbours tell. NEIGHBOURS: bit d is set where the one in direction d is foreground. */
struct NodeShape {
  uint32_t neighbours, slot;
  uint32_t next, former; /* directions */

  __device__
  NodeShape (uint32_t neighbours_, uint32_t slot_)
      : neighbours (neighbours_), slot (slot_)
  {
    const uint32_t twice = neighbours | neighbours << 8;
    next = (2 * slot + __ffs (twice >> (2 * slot + 1) & 255)) & 7;
    former = (2 * slot + 31 - __clz (twice >> 2 * slot & 255)) & 7;
  }

  __device__ bool
  alone () const
  {
    return !neighbours;
  }

  /* Is it a corner of the line? */
  __device__ bool
  corner () const
  {
    return alone () || next != ((former + 4) & 7);
  }

  /* Is the neighbour in direction D, a cross direction, in the run? */
  __device__ bool
  faces (uint32_t d) const
  {
    return alone () || ((d - 2 * slot) & 7) < ((next - 2 * slot) & 7);
  }

  /* May the ring start here? An outer border where nothing before the pixel touches it; a hole where the background
   * pixel to the east has none above it. */
  __device__ bool
  starts_outer () const
  {
    return !(neighbours & 0x1e) && faces (4);
  }
  __device__ bool
  starts_hole () const
  {
    return neighbours & 2 && faces (0);
  }

  __device__ uint32_t
  next_slot () const
  {
    const uint32_t back = (next + 4) & 7;
    return (((back | 1) + 1) & 7) >> 1;
  }
};

/* The slot of the node whose run has the neighbour in cross direction D, which is no foreground. */
__device__ inline uint32_t
slot_facing (uint32_t neighbours, uint32_t d)
{
  if (!neighbours)
    return 2;
  for (int i = 0; i < 4; i++) {
    if (neighbours >> ((d + 7) & 7) & 1 || neighbours >> ((d + 6) & 7) & 1)
      break;
    d = (d + 6) & 7;
  }
  return d / 2;
}

__device__ inline int
step_x (uint32_t direction)
{
  return (direction == 0 || direction == 1 || direction == 7) - (direction >= 3 && direction <= 5);
}

__device__ inline int
step_y (uint32_t direction)
{
  return (direction >= 5) - (direction >= 1 && direction <= 3);
}

/* The number of the node at a pixel, anywhere in the image. */
__device__ inline uint32_t
find_node (const BordersFrame &f, uint32_t x, uint32_t y, uint32_t slot)
{
  const int word = x / 32;
  uint32_t rows[3][3], slots[4];
#pragma unroll
  for (int j = 0; j < 3; j++)
#pragma unroll
    for (int i = 0; i < 3; i++)
      rows[j][i] = word_at (f, word + i - 1, (int) y + j - 1);
  find_slots (rows, slots);
  uint32_t node = f.node_base[(size_t) y * f.words + word];
#pragma unroll
  for (int k = 0; k < 4; k++)
    node += __popc (k < (int) slot ? slots[k] : k == (int) slot ? slots[k] & ((1u << x % 32) - 1) : 0);
  return node;
}

/* Nothing is known of row ROW's points yet, unless limits asked for it. */
__device__ inline void
clear_contour (const BordersFrame &f, uint32_t row)
{
  if (f.measuring) {
    uint4 *to = (uint4 *) &f.accumulators[row];
    to[0] = make_uint4 (0, 0, 0, 0);
    to[1] = make_uint4 (~0u, ~0u, 0, 0);
  }
  if (f.sums)
    f.sums[row] = {};
}

/* Is it a frame whose points the last CTA of the point kernel may measure? */
__device__ inline bool
has_few_points (const BordersFrame &f)
{
  const BordersHeader &h = f.counters->header;
  return h.points <= FEW_POINTS && h.contours <= FEW_CONTOURS;
}

/* Queue the kernels. OVERLAP: the GPU has overlapped launches. */
void borders_launch_tiles (const BordersFrame &frame, cudaStream_t stream);
/* Rings and ranks, by one CTA if there are few segments and contours. */
void borders_launch_few (const BordersFrame &frame, bool overlap, cudaStream_t stream);
/* Otherwise: links the segments; after the rings, every contour's rank. */
void borders_launch_links (const BordersFrame &frame, bool overlap, cudaStream_t stream);
void borders_launch_ranks (const BordersFrame &frame, bool overlap, cudaStream_t stream);
/* Points and table of the contours in their order. */
void borders_launch_lists (const BordersFrame &frame, bool overlap, cudaStream_t stream);
/* Area, length and box of all contours by rank, with points in memory that is not the result's. */
void borders_launch_measures (const BordersFrame &frame, bool overlap, cudaStream_t stream);
/* Which contours there are, in which order, and who is inside whom. TEMPORARY: memory for sorting. */
bool borders_launch_tree (
    const BordersFrame &frame, CtrDeviceBuffer *temporary, bool overlap, cudaStream_t stream, CtrError *error);
bool borders_reserve_tree (const BordersFrame &frame, CtrDeviceBuffer *temporary, CtrError *error);

/* Does the frame have rows that are not ranks? */
__host__ __device__ inline bool
borders_reorders (const BordersFrame &f)
{
  return f.mode != CTR_RETRIEVE_LIST || f.limited;
}

__host__ __device__ inline bool
borders_nests (const BordersFrame &f)
{
  return f.mode == CTR_RETRIEVE_CCOMP || f.mode == CTR_RETRIEVE_TREE;
}

#endif

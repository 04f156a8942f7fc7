/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the kernels of edge linking share.
 *
 *   mark      the mask becomes bits, 32 pixels a word
 *   count     the nodes of each word, and those before it
 *   link      a node for each link of each pixel, in the direction that leaves the pixel; a pixel without links has one node
 *   ranking   contours/list_ranking.cuh
 *   lengths   only with a minimum length: diagonal links of chains that are neither too short nor long enough by their number
 *   number    the chains that stay get rows, in the order of their first nodes
 *   offset    contours/rows.cuh: where each row's points begin
 *   emit      points
 *   measure   contours/contour_measures.cuh
 *   table     the rows of the result
 *   refine    only with subpixels: where the edge is beside each point
 *
 * Nodes are numbered by their pixel in raster order, then by direction, which is the order of chains by their starts. The node
 * of a link from P to Q is followed by that of the other link of Q, if Q has two, and otherwise by that of the link from Q back to
 * P. So an open chain is a ring of nodes: to one end and back; a closed chain is two rings, one in each direction; and a pixel
 * alone is a ring of one node. */
#ifndef CTR_CUDA_EDGECHAINS_DEVICE_STATE_CUH
#define CTR_CUDA_EDGECHAINS_DEVICE_STATE_CUH

#include "cuda/contours/contour_args.cuh"
#include "cuda/contours/list_ranking.cuh"

#include "core/edgechains/links.h"

/* Of the keys of nodes: the pixel has two links. A ring with an end begins at one, as its key is smaller. */
constexpr uint32_t KEY_INSIDE = 1u << 31;

/* Delivered to the host. */
struct EdgeChainsHeader {
  uint32_t nodes;
  uint32_t all_contours; /* that stay */
  uint32_t contours;     /* the same, for the kernels of contours/ */
  uint32_t all_points;   /* of these */
  uint32_t points;       /* the same, once they are counted */
};

constexpr int CHAIN_SCAN = 0, OFFSET_SCAN = 1, SCANS = 2; /* of scan_tickets and scan_states */

struct EdgeChainsCounters {
  EdgeChainsHeader header;
  uint32_t ranked_nodes; /* All, if there is room for them. */
  uint32_t count_ticket;
  uint32_t scan_tickets[SCANS];
};

struct EdgeChainsArgs {
  const uint8_t *mask;
  size_t stride;
  uint32_t width, height;
  uint64_t min_length; /* CTR_LENGTH_UNIT */
  struct {
    uint32_t per_row, count;
    uint32_t *edges;      /* bits, the leftmost pixel in the lowest one */
    uint32_t *first_node; /* number of nodes before the word's */
  } by_word;
  struct {
    uint32_t *rows; /* of a chain's first node: its row or NO_CONTOUR; before the rows are known its diagonal links */
  } by_node;
  struct {
    uint32_t *starts;  /* first nodes */
    uint32_t *lengths; /* points */
    uint32_t *firsts;
    ContourAccumulator *accumulators;
  } by_row;
  ListRanking ranking; /* of nodes: a segment's maker_data is its pixel, x | y << 16 */
  EdgeChainsCounters *counters;
  unsigned long long *count_states, *scan_states[SCANS];
  uint32_t count_ctas;
  uint32_t contour_capacity, point_capacity;
  ContourOutput *output;
  ContourOutput frame_output;
  bool measuring, final; /* true; for contours/contour_kernels.cuh and contour_measures.cuh, as the next two */
  uint32_t summing;      /* 0 */
  CtrPoint *all_points;  /* NULL */
};

__device__ inline bool
nodes_fit (const EdgeChainsArgs &f)
{
  return f.counters->header.nodes <= f.ranking.capacity;
}

/* Is there also room for the chains? */
__device__ inline bool
contours_fit (const EdgeChainsArgs &f)
{
  const EdgeChainsHeader &h = f.counters->header;
  return nodes_fit (f) && h.all_contours <= f.contour_capacity;
}

__device__ inline bool
points_fit (const EdgeChainsArgs &f)
{
  return contours_fit (f) && f.counters->header.all_points <= f.point_capacity;
}

/* The word at (X, Y) in words; 0 outside the mask. */
__device__ inline uint32_t
load_edges (const EdgeChainsArgs &f, int x, int y)
{
  const bool inside = x >= 0 && y >= 0 && x < (int) f.by_word.per_row && y < (int) f.height;
  return inside ? f.by_word.edges[(size_t) y * f.by_word.per_row + x] : 0;
}

/* The links of an edge pixel. */
__device__ inline uint32_t
links_of_pixel (const EdgeChainsArgs &f, uint32_t x, uint32_t y)
{
  const int word = (int) (x / 32), bit = (int) (x % 32);
  uint32_t three[3]; /* by row: the pixels at the left, here and at the right */
  for (int k = 0; k < 3; k++) {
    const int row = (int) y + k - 1;
    const uint32_t left = bit == 0 ? load_edges (f, word - 1, row) >> 31 : 0,
                   right = bit == 31 ? load_edges (f, word + 1, row) << 2 : 0;
    const uint64_t here = (uint64_t) load_edges (f, word, row) << 1;
    three[k] = ((uint32_t) (here >> bit) | left | right) & 7;
  }
  const uint32_t a = three[0], h = three[1], b = three[2];
  return ctr_links_of ((h >> 2 & 1) | (b >> 2 & 1) << 1 | (b >> 1 & 1) << 2 | (b & 1) << 3 | (h & 1) << 4 | (a & 1) << 5
                       | (a >> 1 & 1) << 6 | (a >> 2 & 1) << 7);
}

void edge_chains_launch_links (const EdgeChainsArgs &f, bool overlap, cudaStream_t stream);
void edge_chains_launch_assembly (const EdgeChainsArgs &f, bool overlap, cudaStream_t stream);
void edge_chains_launch_subpixel (
    const EdgeChainsArgs &f, const CtrSubpixelRule &rule, bool overlap, cudaStream_t stream);

#endif

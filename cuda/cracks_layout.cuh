/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Contours of levels on the GPU: the data that passes between its kernels.
 *
 * Four pixels meet at a vertex. At each level where lines turn there, each such line is a node: it has one arm to the
 * west or east and one to the north or south. Sorted by level, then by rows, each node with an arm to the east is
 * followed by the one that this arm meets; sorted by columns, likewise to the south. So every node finds its next one
 * without walking. The nodes of all contours of all levels are rings then (rings.cuh), which start where the first node
 * in the order of levels and rows is.
 *
 *   cracks_nodes.cu   samples to ranks of levels, vertices to nodes, nodes to rings
 *   cracks_lists.cu   rings to contours, their points, what these enclose, who is inside whom */
#ifndef CTR_CRACKS_LAYOUT_CUH
#define CTR_CRACKS_LAYOUT_CUH

#include "cuda/contour_accumulator.cuh"
#include "cuda/rings.cuh"

#include <contours/cracks.h>

constexpr uint32_t SCAN_SHARE = 1024; /* of everything that is scanned, by a CTA */
constexpr uint32_t CRACKS_MOST_NODES = 1u << 30;

/* Scans: the nodes by rows and by columns of vertices; contours among nodes; places of points, for the measures and for
 * the result; contours that stay. */
enum { SCAN_ROWS, SCAN_COLUMNS, SCAN_CONTOURS, SCAN_MEASURED, SCAN_STAYING, SCAN_POINTS, CRACKS_SCANS };

struct CracksHeader {
  unsigned long long nodes; /* needed, whether or not there is room */
  uint32_t all_contours;    /* in the image */
  uint32_t contours;        /* in the result */
  uint32_t points;
  uint32_t incomplete; /* the rings need more rounds */
  uint32_t rounds;     /* they took */
  uint32_t unused;
};

struct CracksCounters {
  CracksHeader header;
  uint32_t tickets[CRACKS_SCANS];
  RingProgress progress;
};

/* Of a node: what its line does there. */
enum {
  NODE_GOES_VERTICALLY = 1 << 0, /* the next node is the one its vertical arm meets */
  NODE_STARTS_OUTSIDE = 1 << 1,  /* a contour may begin here */
  NODE_STARTS_HOLE = 1 << 2
};

constexpr uint32_t NO_CONTOUR = ~0u;
/* Of CracksFrame.parents: not the contour itself, but the one around it. */
constexpr uint32_t PARENT_OF = 1u << 31, NO_PARENT = PARENT_OF - 1;

/* Everything the kernels share, by value. Device pointers. */
struct CracksFrame {
  const uint8_t *pixels;
  size_t stride;
  uint32_t width, height;
  uint32_t depth; /* 8 or 16 bits a sample */
  const uint16_t *sample_ranks, *levels;
  uint32_t level_count;
  uint32_t equal, four_connected, zero_frame;

  CracksCounters *counters;
  uint16_t *ranks;                  /* of the pixels */
  uint32_t *counts;                 /* of nodes, by vertex */
  uint32_t *row_base, *column_base; /* nodes before, in either order, by vertex */
  unsigned long long *scan_states[CRACKS_SCANS];

  uint32_t node_capacity;
  uint32_t *keys[2], *values[2];      /* for sorting, and sorted */
  uint32_t *found_place, *found_kind; /* nodes in the order of vertices: x | y << 16; flags */
  uint32_t *by_columns;               /* their numbers, by columns of vertices */
  uint32_t *place, *kind, *rank;      /* nodes in the order of levels and rows: that of all that follows */
  uint32_t *down_columns;             /* nodes by levels and columns */
  uint32_t *vertical;                 /* the node that the vertical arm meets */
  uint32_t *started;                  /* contours that start before the node, or at it */
  Rings rings;

  uint32_t contour_capacity;
  uint32_t *starts, *lengths;        /* by contour: its first node; its points */
  uint32_t *rows;                    /* by contour: NO_CONTOUR where dropped. NULL: its own number */
  uint32_t *row_contours;            /* by row, then not NULL either */
  uint32_t *row_lengths;             /* otherwise, lengths */
  uint32_t *parents;                 /* by contour */
  uint32_t *next, *previous, *child; /* by row */
  uint32_t *sort_keys[2], *sort_values[2];
  uint32_t *firsts;                 /* by row */
  ContourAccumulator *accumulators; /* by row; by contour where limits ask for them first */
  uint32_t limited, measuring;
  uint64_t min_area2, max_area2, min_length;
  CtrPoint *all_points; /* of contours that may be dropped */

  CtrContour *table;
  CtrPoint *points; /* room for as many as nodes */
  CtrContourSums *sums;
};

__host__ __device__ inline uint64_t
cracks_vertices (const CracksFrame &f)
{
  return (uint64_t) (f.width + 1) * (f.height + 1);
}

__device__ inline bool
nodes_fit (const CracksFrame &f)
{
  return f.counters->header.nodes <= f.node_capacity;
}

__device__ inline bool
contours_fit (const CracksFrame &f)
{
  const CracksHeader &h = f.counters->header;
  return nodes_fit (f) && !h.incomplete && h.all_contours <= f.contour_capacity;
}

__device__ inline uint32_t
rank_at (const CracksFrame &f, int x, int y)
{
  return x >= 0 && y >= 0 && x < (int) f.width && y < (int) f.height ? f.ranks[(size_t) y * f.width + x] : 0;
}

/* Queue the kernels. TEMPORARY: memory for both sorts. */
bool cracks_launch_nodes (const CracksFrame &frame, CtrBuffer *temporary, cudaStream_t stream, CtrError *error);
bool cracks_launch_lists (const CracksFrame &frame, CtrBuffer *temporary, cudaStream_t stream, CtrError *error);

/* Stable, from keys[0] and values[0] to keys[1] and values[1]. TEMPORARY NULL: tells its SIZE. */
cudaError_t cracks_sort (uint32_t *const keys[2], uint32_t *const values[2], uint32_t count, uint64_t largest_key,
    void *temporary, size_t *size, cudaStream_t stream);

#endif

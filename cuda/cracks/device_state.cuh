/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Contours of levels on the GPU: the data that passes between its kernels.
 *
 * Four pixels meet at a vertex. At each level where lines turn there, each such line is a node: it has one arm to the
 * west or east and one to the north or south. Sorted by level, then by rows, each node with an arm to the east is
 * followed by the one that this arm meets; sorted by columns, likewise to the south. So every node finds its next one
 * without walking. The nodes of all contours of all levels are rings then (list_ranking.cuh), which start where the
 * first node in the order of levels and rows is.
 *
 *   corners.cu   samples to ranks of levels, vertices to nodes, nodes to rings
 *   assemble.cu   rings to contours, their points, what these enclose, who is inside whom */
#ifndef CTR_CUDA_CRACKS_DEVICE_STATE_CUH
#define CTR_CUDA_CRACKS_DEVICE_STATE_CUH

#include "cuda/common/device_buffer.cuh"
#include "cuda/contours/contour_accumulator.cuh"
#include "cuda/contours/list_ranking.cuh"

#include "core/cracks/cracks.h"

constexpr uint32_t SCAN_SHARE = 1024, NODE_SCAN_SHARE = 4096; /* of what is scanned, by a CTA; of nodes, 16 a thread */
constexpr uint32_t CRACKS_MOST_NODES = 1u << 30;

/* Scans: nodes of tiles, by rows and by columns of vertices; contours among nodes; places of points, for the measures
 * and for the result; contours that stay. */
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

/* Of a node: what its line does there. Where contours may begin outsides go east, holes south. */
enum {
  NODE_GOES_VERTICALLY = 1 << 0, /* the next node is the one its vertical arm meets */
  NODE_STARTS = 1 << 1
};
constexpr int KIND_SHIFT = 30; /* in values of the sort */

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
  uint16_t *ranks;                  /* of the pixels; rows are a multiple of 16 bytes */
  uint32_t rank_stride;             /* samples */
  uint32_t tiles_x, tiles_y;        /* of the vertices */
  uint32_t *row_sums, *column_sums; /* nodes of a tile's row or column of vertices, then those before it, all over */
  unsigned long long *scan_states[CRACKS_SCANS];

  uint32_t node_capacity;
  /* For sorting, and sorted, by rows and by columns of vertices: level; node in the order of rows, with its kind in the
   * sort by rows. */
  uint32_t *keys[2][2], *values[2][2];
  uint32_t *found_place; /* x | y << 16, nodes in the order of rows */
  uint32_t *sorted_as;   /* nodes in that order: their numbers */
  uint32_t *place;       /* nodes in the order of levels and rows: that of all that follows */
  uint16_t *rank;
  uint8_t *kind;
  uint32_t *vertical;                /* the node that the vertical arm meets; where it goes there only */
  uint32_t *down;                    /* nodes by levels and columns */
  uint32_t *level_first, *level_end; /* by rank - 1: its nodes; of ranks that have any */
  uint32_t *started;                 /* by first node: its contour */
  Rings rings;                       /* without segments */

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

constexpr uint32_t VERTEX_TILE = 32; /* by as many */

/* Of row_sums and column_sums. */
__host__ __device__ inline uint32_t
cracks_sums (const CracksFrame &f, bool columns)
{
  return columns ? (f.width + 1) * f.tiles_y : (f.height + 1) * f.tiles_x;
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
  return x >= 0 && y >= 0 && x < (int) f.width && y < (int) f.height ? f.ranks[(size_t) y * f.rank_stride + x] : 0;
}

/* After node I, of that KIND. */
__device__ inline uint32_t
next_node (const CracksFrame &f, uint32_t i, uint32_t kind)
{
  return kind & NODE_GOES_VERTICALLY ? f.vertical[i] : i ^ 1;
}

/* Queue the kernels. TEMPORARY: memory for the sorts. OVERLAP: the GPU has overlapped launches. */
bool cracks_launch_nodes (
    const CracksFrame &frame, CtrDeviceBuffer *temporary, bool overlap, cudaStream_t stream, CtrError *error);
bool cracks_launch_lists (
    const CracksFrame &frame, CtrDeviceBuffer *temporary, bool overlap, cudaStream_t stream, CtrError *error);

/* Stable, from keys[0] and values[0] to keys[1] and values[1]; keys are below KEY_COUNT. TEMPORARY NULL: tells its
 * SIZE. */
cudaError_t cracks_sort (uint32_t *const keys[2], uint32_t *const values[2], uint32_t count, uint64_t key_count,
    void *temporary, size_t *size, cudaStream_t stream);

#endif

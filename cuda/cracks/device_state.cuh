/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Level contours on the GPU: the data that passes between its kernels, and the order of the kernels.
 *
 * Four pixels meet at a vertex of the lattice. At each level whose lines turn there, each such line has a corner there:
 * with one arm to the west or east and one to the north or south. Corners are numbered by rows of vertices, those of a
 * vertex by levels. A CTA has the corners of a tile, and follows the line of each one to the next. The corners of all
 * contours of all levels are rings then, each of which starts at its first corner. What of a ring lies in a tile becomes
 * a segment, so that the list ranking has segments only of the lines that pass from tile to tile. The contours are
 * found in the order of their first corners, and sorted by level.
 *
 *   cracks.cu      launches and results, on the host
 *   memory.cu      memory, on the host
 *   labels.cu      where the labels of a label image are, on the host
 *   corners.cu     samples to level indices; the numbers of corners and segments
 *   tiles.cu       vertices to corners, corners to segments of rings
 *   assemble.cu    rings to contours, points, measures, the table
 *   unlimited.cu   points and hierarchy together, where all contours stay
 *   hierarchy.cu   who is inside whom, which contours have a row
 *   nesting.cu     the same over all levels, and the branches
 *   vertex.cuh     the lines at a vertex and at a crack
 *   walk.cuh       the next line to the west
 *   parents.cuh    who is inside whom
 *   siblings.cuh   which contours have the same parent
 *   stages.cuh     two stages in one launch
 *   points.cuh     points, and rows of the table
 *   measures.cuh   measures
 * and in cuda/contours/:
 *   list_ranking.cu  ranks the rings
 *   radix_sort.cuh  sorts contours by level, and brings siblings together
 *   hierarchy.cuh, rows.cuh, row_shares.cuh, contour_sums.cuh  kernels shared with the borders
 *
 * Of a label image, the level indices are its labels, in 32 bits. There may be as many as pixels, so no array is indexed
 * by them. Kernels that read level indices are templates: with LABELS they read these. */
#ifndef CTR_CUDA_CRACKS_DEVICE_STATE_CUH
#define CTR_CUDA_CRACKS_DEVICE_STATE_CUH

#include "cuda/common/device_buffer.cuh"
#include "cuda/contours/contour_args.cuh"
#include "cuda/contours/list_ranking.cuh"
#include "cuda/contours/radix_sort.cuh"

#include "core/cracks/nesting.h"
#include "core/cracks/cracks.h"

constexpr uint32_t CORNER_SCAN_SHARE = 2048;      /* corners that a CTA scans, 8 a thread */
constexpr uint32_t CRACKS_MAX_CORNERS = 1u << 30; /* and segments */
/* Corners of a tile that shared memory has room for: at least, by dense frames at most, and steps between them. */
constexpr uint32_t LEAST_TILE_NODES = 2048, MOST_TILE_NODES = 12288, TILE_NODES_STEP = 1024;
/* Passages on all sides of a tile; with more of them, or of corners, each corner is a segment. */
constexpr uint32_t MOST_TILE_PASSAGES = 1 << 14;

/* Scans: corners of tiles, by rows of vertices; contours among corners; offsets of points, for the measures and for the
 * result; contours that stay. */
enum { SCAN_ROWS, SCAN_CONTOURS, SCAN_MEASURED, SCAN_SELECTED, SCAN_OFFSETS, CRACKS_SCANS };

/* What a frame needs, whether or not there is room for it. */
struct CracksHeader {
  unsigned long long corners, segments;
  uint32_t all_contours; /* in the image */
  uint32_t contours;     /* in the result */
  uint32_t points;
  uint32_t unused;
};

/* What the count kernel has found so far. Two frames take turns: each clears what the next one adds to. */
struct CracksFound {
  unsigned long long corners[2], segments[2];
  uint32_t early_tiles[2];
  uint32_t turn;
};

struct CracksCounters {
  CracksHeader header;
  uint32_t scan_tickets[CRACKS_SCANS];
  uint32_t ranked_segments; /* All, if there is room for them. */
  RadixCounters levels, siblings;
  unsigned long long long_rows; /* chunks of LONG_CHUNK points in them, and << 32 how many rows */
};

/* Of a corner: what its line does there. Where a contour may start, an outer one goes east and a hole goes south. */
enum {
  CORNER_GOES_VERTICALLY = 1 << 0, /* The next corner is the one that the vertical arm meets. */
  CORNER_MAY_START = 1 << 1
};
constexpr uint16_t STEPS_CLOSED = 1 << 15; /* in by_corner.steps: the ring is closed in its tile */

/* For CracksHeader.corners: the label image was not complete. It is more than there may be room for. */
constexpr unsigned long long CORNERS_UNKNOWN = 1ull << 63;

/* The points of a contour in the result. */
struct __align__ (8) ContourPoints
{
  uint32_t first, count;
};

/* A row with more than LONG_POINTS points. */
struct __align__ (8) LongRow
{
  uint32_t first_chunk; /* of its LONG_CHUNK points each, among all such rows' */
  uint32_t row;
};

/* The arguments of all kernels, by value. Only the count kernel's have the picture and the memory of the result, which
 * are others with every frame. Pointers are to device memory; "by_X" says what indexes the arrays. Contours are
 * numbered in the order of levels and first corners. */
struct CracksKernelArgs {
  const uint8_t *pixels;
  size_t stride;
  uint32_t width, height;
  uint32_t depth;                        /* bits of a sample: 8 or 16 */
  const uint16_t *level_index_by_sample; /* 0: no level; see CtrCracksPlan */
  const uint16_t *level_by_index;        /* of level index 1, 2, .. */
  uint32_t level_count;
  uint32_t equal, four_connected, zero_frame;

  uint32_t turn; /* of the frame, which the count kernel copies to found->turn */
  CracksFound *found;
  CracksCounters *counters;
  struct {
    unsigned long long *first;
    uint32_t count;
  } zeroed[2]; /* all scan_states: the count kernel clears them */
  struct {
    uint16_t *level_index;
    uint32_t stride; /* samples; a row is a multiple of BLOCK of them, those behind the image are 0 */
  } by_pixel;
  struct {
    uint32_t *range;    /* of level indices, as range_of_block() has it: the least one | the greatest one << 16 */
    uint2 *label_range; /* likewise, of a label image */
    uint32_t stride;    /* blocks; a multiple of BLOCKS_AT_ONCE */
  } by_block;           /* BLOCK pixels in a row */
  struct {
    uint32_t *first_corner; /* the number of its first corner, where the tile has corners */
    uint32_t *passage;      /* by rows of tiles: the first segment at the crack above the tile's first row */
    uint32_t stride;        /* vertices */
  } by_vertex;
  uint32_t tiles_x, tiles_y; /* of the vertices */
  uint32_t tile_nodes;       /* Corners of a tile that shared memory has room for. */
  uint32_t *row_sums;        /* corners in a tile's row of vertices; then those before it, all over */
  struct {
    uint32_t *left, *top; /* the first segment of the lines into and out of the tile there */
    uint8_t *is_early;    /* The tile is one of early_tiles. */
  } by_tile;
  uint32_t early_corners; /* A tile with more is worked on early, so that not all wait for it in the end, */
  uint32_t *early_tiles;  /* if it is among the first EARLY_TILES that are found. */
  unsigned long long *scan_states[CRACKS_SCANS];

  struct {
    uint32_t capacity;
    uint32_t *place; /* x | y << 16 */
    uint8_t *kind;
    uint32_t *level_index; /* set where a contour may start */
    /* The segment with which the ring goes on behind this tile, and how many corners there are until then, this one
     * included. With STEPS_CLOSED, the start of the ring, and how many there are until then; of the start, the corner
     * behind it, and 0. */
    uint32_t *exit;
    uint16_t *steps;
  } by_corner;
  uint32_t *contour_by_start; /* by first corner */
  uint32_t *
      neighbour_by_start; /* likewise: the first corner of the parent, or of a sibling with SAME_PARENT_AS; NO_PARENT */
  ContourPoints *points_by_start; /* likewise; only where all contours stay and are nested in those of their level */
  LongRow *long_rows;             /* only there */
  ListRanking ranking;            /* of the segments, which have views only */

  uint32_t contour_capacity;
  RadixSort levels; /* contours in the order of their first corners: keys are levels, values first corners */
  struct {
    uint32_t *starts, *lengths; /* first corner; points */
    uint32_t *rows;             /* NO_CONTOUR where the contour is dropped. NULL: row and number are equal. */
  } by_contour;
  struct {
    uint32_t *contours;               /* NULL: row and number are equal */
    uint32_t *lengths;                /* then those by contour */
    uint32_t *firsts;                 /* index of the first point */
    ContourAccumulator *accumulators; /* by contour while limits decide which contours stay */
  } by_row;
  ContourHierarchyArgs hierarchy;
  RadixSort siblings; /* rows in order: keys are parents, or levels of contours without one */
  uint32_t limited, measuring;
  uint64_t min_area2, max_area2, min_length;
  CtrPoint *all_points; /* of contours that may be dropped */

  ContourOutput
      frame_output; /* which the count kernel copies to *output. Its points have room for as many as corners. */
  ContourOutput *output;
  uint32_t summing; /* SUMMING_MOMENTS: this pass clears and adds up the sums. */
  uint32_t final;   /* This pass writes the result's points. */

  /* CTR_HIERARCHY_LEVELS. Of contours, by number, as core/cracks/nesting.h defines them. */
  uint32_t nested, min_persistence, max_depth;
  struct {
    uint32_t *links;
    uint32_t *jumps[2]; /* links over several contours, of the last round and of this one */
    uint32_t *extremes;
    uint32_t *ends; /* of an extreme: the contour at the other end of the branch */
    unsigned long long
        *depths; /* a contour around it, and << 32 how far up; in the end CTR_NESTING_NONE, and the depth */
  } nesting;

  uint32_t labels;          /* Pixels are those of a label image. by_pixel.level_index is NULL. */
  uint32_t *label_by_pixel; /* rows as in by_pixel */
  const uint32_t *complete; /* the count kernel's: is the label image complete? NULL: it is */
};

constexpr uint32_t VERTEX_TILE = 32; /* vertices in each direction */
constexpr uint32_t BLOCK = VERTEX_TILE, BLOCKS_AT_ONCE = 8;
constexpr uint32_t EARLY_TILES = 128, LEAST_EARLY_CORNERS = 1024;

/* The number of row_sums. */
__host__ __device__ inline uint32_t
cracks_row_sums (const CracksKernelArgs &f)
{
  return (f.height + 1) * f.tiles_x;
}

__device__ inline bool
corners_fit (const CracksKernelArgs &f)
{
  const CracksHeader &h = f.counters->header;
  return (h.corners <= f.by_corner.capacity) & (h.segments <= f.ranking.capacity);
}

__device__ inline bool
contours_fit (const CracksKernelArgs &f)
{
  const CracksHeader &h = f.counters->header;
  /* Without a branch, so that the loads overlap. */
  return corners_fit (f) & (h.all_contours <= f.contour_capacity);
}

__device__ inline uint32_t
level_index_at (const CracksKernelArgs &f, int x, int y)
{
  return x >= 0 && y >= 0 && x < (int) f.width && y < (int) f.height
             ? f.by_pixel.level_index[(size_t) y * f.by_pixel.stride + x]
             : 0;
}

__device__ inline uint32_t
label_at (const CracksKernelArgs &f, int x, int y)
{
  return x >= 0 && y >= 0 && x < (int) f.width && y < (int) f.height
             ? f.label_by_pixel[(size_t) y * f.by_pixel.stride + x]
             : 0;
}

/* The start of the ring of corner I. */
__device__ inline uint32_t
start_of_ring (const CracksKernelArgs &f, uint32_t i)
{
  const uint32_t exit = f.by_corner.exit[i], steps = f.by_corner.steps[i];
  return steps == STEPS_CLOSED ? i : steps & STEPS_CLOSED ? exit : f.ranking.views[exit].key;
}

/* Does the contour that starts at this corner enclose a hole? */
__device__ inline bool
is_hole (const CracksKernelArgs &f, uint32_t start)
{
  return f.by_corner.kind[start] & CORNER_GOES_VERTICALLY;
}

/* Queue the kernels, in this order. OVERLAP: the GPU has programmatic dependent launch. The first one reads the
 * picture. Without capacity for contours only the first two do anything, and the frame is done again. */
void cracks_launch_count (const CracksKernelArgs &args, bool overlap, cudaStream_t stream);
void cracks_launch_sums (const CracksKernelArgs &args, bool overlap, cudaStream_t stream);
/* Once in each context. *MOST_NODES: the most that args.tile_nodes may be. */
bool cracks_prepare_tiles (uint32_t *most_nodes, CtrError *error);
void cracks_launch_tiles (const CracksKernelArgs &args, bool overlap, cudaStream_t stream);
/* Numbers the contours, and finds the neighbour of each one. */
void cracks_launch_contours (const CracksKernelArgs &args, bool overlap, cudaStream_t stream);
/* Then, if all contours stay and are nested in those of their level: the rest. */
void cracks_launch_unlimited (const CracksKernelArgs &args, bool overlap, cudaStream_t stream);

/* If not: measures all contours, before limits decide which stay. */
void cracks_launch_measures (const CracksKernelArgs &args, bool overlap, cudaStream_t stream);
/* The parents of contours in their levels. */
void cracks_launch_parents (const CracksKernelArgs &args, bool overlap, cudaStream_t stream);
/* These, which contours stay, and the sort of siblings. */
void cracks_launch_hierarchy (const CracksKernelArgs &args, bool overlap, cudaStream_t stream);
/* The same over all levels, with or without limits; writes the nesting, too. */
void cracks_launch_nesting (const CracksKernelArgs &args, bool overlap, cudaStream_t stream);
/* Points, the sums behind moments, if they are asked for, and the table but for siblings and children. */
void cracks_launch_assembly (const CracksKernelArgs &args, bool overlap, cudaStream_t stream);
/* These; in the hierarchy of each level, and in that over all levels. */
void cracks_launch_links (const CracksKernelArgs &args, bool overlap, cudaStream_t stream);
void cracks_launch_nested_links (const CracksKernelArgs &args, bool overlap, cudaStream_t stream);

#endif

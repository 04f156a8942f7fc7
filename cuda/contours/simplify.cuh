/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Simplification of all closed contours of a result, equal to ctr_simplify() (core/results/simplify.h).
 *
 * A contour's line begins and ends at one of two points that are far apart. Its positions are counted from there; the last one, which
 * closes it, is the first point again. A line is split at its farthest point into two, until all are straight. So the points where
 * lines begin are the ones that are kept, in whatever order the lines are split. Then those are dropped that are needless.
 *
 *   begin      the rows that begin in each tile; which contours are long
 *   long lines a CTA takes part of a long line at a time, from a queue: ends of contours, and lines that are too long for one CTA
 *   long rest  a CTA splits the shorter lines of a piece of a long contour,
 *   long drops drops what is needless of a long contour,
 *   tiles      simplifies the other contours of a tile in shared memory, finds where all rows' points go, and moves those of the others
 *   long move  moves the points of long contours
 *
 * No thread walks along a line. The work is that of the host, which looks at each point once for each line that it has been in: many
 * times in a comb whose teeth become longer and longer. So a line is split by all CTAs that are free. */
#ifndef CTR_CUDA_CONTOURS_SIMPLIFY_CUH
#define CTR_CUDA_CONTOURS_SIMPLIFY_CUH

#include "cuda/common/device_buffer.cuh"
#include "cuda/contours/contour_args.cuh"

#ifndef CTR_SIMPLIFY_THREADS
#define CTR_SIMPLIFY_THREADS 512
#endif

constexpr int SIMPLIFY_THREADS = CTR_SIMPLIFY_THREADS;
constexpr uint32_t SIMPLIFY_EACH = 8; /* consecutive positions that a thread has */
constexpr uint32_t SIMPLIFY_ROOM = SIMPLIFY_THREADS * SIMPLIFY_EACH;
/* The points of a contour that is not long; the positions of a tile, and of a piece of a long contour. A CTA has room for those that
 * begin in a tile, and end behind it. */
constexpr uint32_t SIMPLIFY_SHARE = SIMPLIFY_ROOM / 2;

constexpr uint32_t SIMPLIFY_LONG_CTAS = 528; /* at most, that take parts of long lines */

/* A contour of more than SIMPLIFY_SHARE points. */
struct SimplifyLong {
  uint32_t row, first, count;
  uint32_t piece, pieces;  /* the first one of its pieces */
  uint32_t start;          /* its point at position 0 */
  uint32_t round, arrived; /* of the search for it; pieces that have been searched in this round */
  unsigned long long best; /* in this round: distance and point */
};

/* A long line, in place of the piece where it begins: only one begins there. Positions are the contour's. */
struct SimplifyLine {
  uint32_t first, last, arrived;
};

/* The farthest point of a line in a piece, and its distance; 0: none */
struct __align__ (16) SimplifyFarthest
{
  double most;
  uint32_t at;
};

/* Zero when a frame begins. */
struct SimplifyCounters {
  uint32_t rows, points;    /* of the contours before; 0 where these are incomplete */
  uint32_t ticket;          /* of tiles */
  uint32_t unfinished;      /* long contours and long lines */
  unsigned long long longs; /* long contours << 32 | their pieces */
  unsigned long long taken, queued;
};

/* The arguments of all kernels. Pointers are to device memory. Where the result goes says ContourOutput. */
struct SimplifyArgs {
  double epsilon_squared;
  uint32_t contour_capacity, point_capacity;
  uint32_t queue_capacity;
  SimplifyCounters *counters;
  uint32_t *remaining; /* becomes the number of points */
  CtrPoint *points;    /* of the contours before */
  CtrSubpixelPoint *subpixel;
  uint32_t refines; /* There are subpixels. */
  struct {
    uint32_t *first, *count; /* points before */
    uint32_t *kept;          /* of long contours */
  } by_row;
  uint32_t *tile_rows; /* by tile: the first row that begins in it or behind it */
  unsigned long long *tile_states;
  SimplifyLong *longs;
  struct {
    uint32_t *owner; /* long contour */
    SimplifyLine *line;
    SimplifyFarthest *farthest; /* two: of a line that began before, and of one that begins here */
    uint32_t *bounds,
        *splits; /* bits by position: where lines begin that are long, or longer ones have been; and where others begin */
  } by_piece;
  unsigned long long *queue; /* a ring */
  uint32_t *kept;            /* by point: positions that a long contour keeps */
};

/* Rows begin at positions of tiles: that of their first point, with one position more for each row before. */
__host__ __device__ inline uint32_t
simplify_tiles (uint32_t rows, uint32_t points)
{
  return (uint32_t) (((uint64_t) rows + points + SIMPLIFY_SHARE - 1) / SIMPLIFY_SHARE);
}

/* Places the arrays, but for those of another part of the frame, for contour_capacity and point_capacity. */
void simplify_lay_out (SimplifyArgs *args, ArenaLayout *arena);

/* Queues the kernels behind the one that calls simplify_begin() (simplify_begin.cuh). OUTPUT is in device memory. */
void simplify_launch (const SimplifyArgs &args, const ContourOutput *output, bool overlap, cudaStream_t stream);
/* The first ones of them, for long contours, and the last one. */
void simplify_launch_long_lines (const SimplifyArgs &args, bool overlap, cudaStream_t stream);
void simplify_launch_long_moves (
    const SimplifyArgs &args, const ContourOutput *output, bool overlap, cudaStream_t stream);

#endif

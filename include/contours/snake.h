/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Outlines of objects as polygons that part two regions: a target inside, the rest of a window outside (Chesnaud,
 * Refregier, Boulet: "Statistical region snake-based segmentation adapted to different physical noise models"; Perrot,
 * Domas, Couturier, Bertaux: "GPU implementation of a region-based algorithm for large images segmentation"; Galland,
 * Bertaux, Refregier: "Minimum description length synthetic aperture radar image segmentation"). No edge is looked for:
 * a line is good where the samples on either side of it, as a whole, are alike. It segments two homogeneous regions and
 * nothing more, so the window should hold little else than the target and its background.
 *
 * The criterion C is the negative logarithm of the likelihood of both regions, each with the parameters that fit it
 * best, in nats and without constant terms. For N pixels of samples z, S = sum of z, Q = sum of z^2:
 *   Gaussian   1/2 N ln v, v = Q / N - (S / N)^2, at least 1/12, the variance of rounding
 *   speckle    looks N ln m, m = S / N, at least 1/12
 *   Poisson    -S ln (S / N), 0 where S = 0
 *   Bernoulli  -N (p ln p + q ln q), p = S / N / 255 (16-bit: 65535), q = 1 - p
 * The description length L of a polygon of p points adds what the line itself takes, W being the window's pixels:
 *   L = C + ln W + 2 ln p + p (2 ln 2e + ln (mx my))
 * mx: sum of |dx| over its edges, at least 1, divided by p; my likewise.
 *
 * Points are corners of pixels (CTR_COORDINATES_CORNERS). An edge with its upper end at (xa, ya) and its lower one at
 * (xb, yb) passes the rows ya <= y < yb, each at column xa + ceil ((y - ya) (xb - xa) / (yb - ya)). A pixel (x, y) is
 * inside where, of the edges that pass row y at column x or before, one more runs up than down. So polygons that share
 * an edge share no pixel there, and leave none out.
 *
 * The polygon never touches itself. From a start, its points move by steps in eight directions, all at once where they
 * are not in each other's way, as long as C falls; then its long edges get points in their middles and the steps become
 * half as long. What the line takes is not part of C there: pruning afterwards removes points as long as L falls. What
 * both do exactly, down to equal values, is in core/snake/criterion.h and core/snake/snake.h; all backends find the
 * same polygons.
 *
 * A target is found where L of the result is less than C of the whole window, as one region, plus ln W.
 *
 * There is a row for each object whose target was found, in the objects' order; no row for one whose target was not, or
 * whose window lies off the image. Each polygon runs clockwise on the screen from its upmost, of these its leftmost,
 * point. Rows are one another's `next` and `previous`; level is 0. */
#ifndef CONTOURS_SNAKE_H
#define CONTOURS_SNAKE_H

#include <contours/contourlist.h>
#include <contours/image.h>

CTR_BEGIN_DECLS

/* How the samples of a region are spread. */
typedef enum {
  CTR_SNAKE_GAUSSIAN, /* a mean and a variance of its own: regions may differ in either */
  CTR_SNAKE_SPECKLE,  /* gamma: intensity of coherent imaging, radar, ultrasound */
  CTR_SNAKE_POISSON,  /* counts of photons */
  CTR_SNAKE_BERNOULLI /* two values, 0 and the largest; between them: as a share of pixels of the largest */
} CtrSnakeModel;

/* Most points of a polygon: starts may have no more, and splitting adds none beyond. */
#define CTR_SNAKE_MAX_POINTS 16384

typedef struct {
  CtrSnakeModel model;
  double looks;            /* of SPECKLE: the order of the gamma distribution, > 0 */
  uint32_t min_segment;    /* edges longer than two of these are split, pixels; 0: the power of two at or below 1/240 of
                              the window's longer side, at least 4 */
  uint32_t max_step;       /* the first steps, pixels; 0: the power of two at or below 1/32 of that side, at least 1 */
  bool prune;              /* remove points that do not shorten the description */
  uint32_t max_iterations; /* steps and rounds of pruning for an object in all, >= 1 */
  /* What one image may cost; 0: no limit. Above either of them nothing is looked for: the result is empty, with
   * CTR_LIMIT_OBJECTS or CTR_LIMIT_WINDOW_SIDES and how many there are. */
  uint32_t max_objects;      /* objects, wherever their windows lie */
  uint64_t max_window_sides; /* pixels: width and height of all windows' parts inside the image, added up */
} CtrSnakeParams;

#define CTR_SNAKE_DEFAULT_MAX_OBJECTS 4096
#define CTR_SNAKE_DEFAULT_MAX_WINDOW_SIDES (UINT64_C (1) << 18)

/* GAUSSIAN, one look, automatic sizes, pruning, 10000 iterations, the default limits. */
CTR_API void ctr_snake_params_init (CtrSnakeParams *params);

/* In the image's corners; may reach over its ends. */
typedef struct {
  int32_t x;
  int32_t y;
  int32_t width;
  int32_t height;
} CtrSnakeRect;

typedef enum {
  CTR_SNAKE_START_AUTO,      /* the best of all rectangles of whole cells, 32 x 32 cells to a window */
  CTR_SNAKE_START_RECTANGLE, /* its part inside the window; none is inside: the target is not found from it */
  CTR_SNAKE_START_POLYGON
} CtrSnakeStart;

typedef struct {
  CtrSnakeRect window; /* its part inside the image; all 0: the whole image */
  CtrSnakeStart start;
  CtrSnakeRect rectangle; /* width and height >= 1 */
  /* 3 to CTR_SNAKE_MAX_POINTS points of a line that encloses an area, does not touch itself and stays in the window's
   * part inside the image. Either way round: one that runs anticlockwise is taken from its first point the other way
   * round. Read during the call only. */
  const CtrPoint *points;
  uint32_t point_count;
  uint32_t first_step; /* of this start, instead of the params' max_step; 0: that one. To follow a target from frame to
                          frame: its last polygon and a first step of 8 */
  bool retry;          /* where this start finds no target, look for it again with AUTO */
} CtrSnakeObject;

enum {                          /* of CtrSnakeRegion.flags */
  CTR_SNAKE_CONVERGED = 1 << 0, /* it ended by itself, not by the limit on its iterations */
  CTR_SNAKE_RESTARTED = 1 << 1  /* the given start lost the target: this is what was found without it */
};

/* What a contour of snake.h parts: the target inside the line, and the rest of the object's window. */
typedef struct {
  uint32_t object;       /* its number among those asked for */
  uint32_t flags;        /* CTR_SNAKE_.. */
  uint32_t iterations;   /* steps and rounds of pruning, those of a lost start among them */
  uint32_t reserved;     /* 0 */
  int64_t inside_count;  /* pixels, >= 1 */
  int64_t inside_sum;    /* of their samples (or luma) */
  uint64_t inside_sum2;  /* of the squares of these */
  int64_t outside_count; /* >= 1 */
  int64_t outside_sum;
  uint64_t outside_sum2;
  double criterion; /* that of the two regions, see snake.h; the lower, the better */
  double gain;      /* how much shorter the description with the line is than that without, nats: > 0 */
} CtrSnakeRegion;

/* A snake keeps its working memory from frame to frame: after the first frame of a size it allocates only where
 * polygons have more points than any before. One thread at a time; any number of snakes side by side. */
typedef struct CtrSnake CtrSnake;

/* transfer full: free with ctr_snake_free(); results may outlive it. The CUDA backend belongs to the CUDA context that
 * is current now (none: the primary context of device 0); the same one must be current in every later call. NULL and
 * error when unavailable. */
CTR_API CtrSnake *ctr_snake_new (CtrBackend backend, CtrError *error);
CTR_API void ctr_snake_free (CtrSnake *snake);

/* Looks for COUNT objects in IMAGE; OBJECTS are read during the call only. CUDA backend: the work is queued on STREAM
 * (a cudaStream_t or CUstream; NULL: one of its own). What writes IMAGE must be done or queued on STREAM before; IMAGE
 * must stay untouched and STREAM alive until ctr_snake_finish(); a host image is uploaded. CPU backend: the image must
 * be in host memory, STREAM is ignored. A wrong object is an error that names it; more than max_objects are not even
 * looked at, and may be NULL. On failure nothing is pending. */
CTR_API bool ctr_snake_enqueue (CtrSnake *snake, const CtrImage *image, const CtrSnakeParams *params,
    const CtrSnakeObject *objects, uint32_t count, void *stream, CtrError *error);

/* Waits for the queued work and returns its result (transfer full), with CTR_CONTOUR_FEATURE_REGIONS. */
CTR_API CtrContours *ctr_snake_finish (CtrSnake *snake, CtrError *error);

/* Both in one. */
CTR_API CtrContours *ctr_snake_run (CtrSnake *snake, const CtrImage *image, const CtrSnakeParams *params,
    const CtrSnakeObject *objects, uint32_t count, void *stream, CtrError *error);

/* The contours' regions in host memory: count rows in the table's order; see ctr_contours_map_table(). NULL without
 * CTR_CONTOUR_FEATURE_REGIONS. */
CTR_API const CtrSnakeRegion *ctr_contours_map_regions (CtrContours *contours, CtrError *error);

/* Of the samples inside the line, or outside. The variance is the mean squared distance from the mean. */
CTR_API double ctr_snake_region_mean (const CtrSnakeRegion *region, bool inside);
CTR_API double ctr_snake_region_variance (const CtrSnakeRegion *region, bool inside);

CTR_END_DECLS

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Region snakes: outlines of objects as polygons that separate a target from its background by region statistics, even
 * at a contrast-to-noise ratio of 1 (Chesnaud, Refregier, Boulet: "Statistical region snake-based segmentation adapted
 * to different physical noise models"; Perrot, Domas, Couturier, Bertaux: "GPU implementation of a region-based
 * algorithm for large images segmentation"; Galland, Bertaux, Refregier: "Minimum description length synthetic aperture
 * radar image segmentation"). See contours.h for how to call an analyser.
 *
 * Model. A window of the image consists of two homogeneous regions, the target inside the polygon and the background
 * outside. No edges are detected. The window should therefore contain little else than the target and its background.
 *
 * Criterion. The criterion C is the negative log-likelihood of both regions, each with its best-fitting parameters, in
 * nats and without constant terms. For N samples z with S = sum of z and Q = sum of z^2, a region adds:
 *   Gaussian   1/2 N ln v, with v = Q / N - (S / N)^2, at least 1/12 (the variance of rounding)
 *   speckle    looks N ln m, with m = S / N, at least 1/12
 *   Poisson    -S ln (S / N), or 0 if S = 0
 *   Bernoulli  -N (p ln p + q ln q), with p = S / N / M, at most 1, and q = 1 - p, where M is the largest sample: 255, of
 *              16-bit samples 2^significant_bits - 1
 * The description length L of a polygon of p points in a window of W pixels adds the cost of the polygon itself:
 *   L = C + ln W + 2 ln p + p (2 ln 2e + ln (mx my))
 * where mx is the sum of |dx| over the polygon's edges, at least 1, divided by p, and my likewise.
 *
 * Geometry. Points are corners of pixels (CTR_COORDINATES_CORNERS). An edge with its upper end at (xa, ya) and its
 * lower end at (xb, yb) passes the rows ya <= y < yb, each at column xa + ceil ((y - ya) (xb - xa) / (yb - ya)). A
 * pixel (x, y) is inside if, of the edges that pass row y at column x or before, one more runs up than down. Polygons
 * that share an edge therefore neither overlap nor leave gaps there. A polygon never touches itself.
 *
 * Search. From its start, a polygon evolves with decreasing step sizes. In each iteration its points move by one step
 * in one of eight directions, all of them at once unless their moves conflict, as long as C falls. Then long edges get
 * a point in the middle, and the step is halved. C ignores the cost of the polygon; pruning afterwards removes points
 * as long as L falls. The target is found if L is less than C of the whole window as one region, plus ln W. All
 * decisions are exact, so both backends find the same polygons.
 *
 * Result. There is a row for each object whose target was found, in the order of the objects. An object whose target
 * was not found, or whose window lies outside the image, has no row. Each polygon runs clockwise on the screen from its
 * topmost point, the leftmost of several. The rows are siblings: `next` and `previous` are the neighbouring rows. Their
 * level is 0. */
#ifndef CONTOURS_SNAKE_H
#define CONTOURS_SNAKE_H

#include <contours/contourlist.h>
#include <contours/image.h>

CTR_BEGIN_DECLS

/* The distribution of the samples of a region. */
typedef enum {
  CTR_SNAKE_GAUSSIAN, /* normal: the regions differ in mean or variance */
  CTR_SNAKE_SPECKLE,  /* gamma: the intensity of coherent imaging, such as radar or ultrasound */
  CTR_SNAKE_POISSON,  /* photon counts */
  CTR_SNAKE_BERNOULLI /* binary: 0 or the largest value; a sample between them counts as that share of a pixel */
} CtrSnakeModel;

/* The maximum number of points of a polygon, for starts and for splitting. */
#define CTR_SNAKE_MAX_POINTS 16384

typedef struct {
  CtrSnakeModel model;
  double looks;            /* SPECKLE: the shape of the gamma distribution, > 0 */
  uint32_t min_segment;    /* edges longer than two of these are split, pixels; 0: the power of two at or below 1/240 of
                              the window's longer side, at least 4 */
  uint32_t max_step;       /* first step size, pixels; 0: the power of two at or below 1/32 of that side, at least 1 */
  bool prune;              /* remove points that do not shorten the description */
  uint32_t max_iterations; /* moves and rounds of pruning per object, >= 1 */
  bool history;            /* keep the polygon of every iteration: CTR_CONTOUR_FEATURE_HISTORY */
  /* Limits on the cost of an image; 0: no limit. If one is exceeded nothing is analysed: the result is empty, with
   * CTR_LIMIT_OBJECTS or CTR_LIMIT_WINDOW_SIDES exceeded. */
  uint32_t max_objects;      /* number of objects, wherever their windows lie */
  uint64_t max_window_sides; /* sum of the widths and heights of all windows inside the image, pixels */
  /* BERNOULLI: the number of low bits in use in 16-bit samples, 8 .. 16, such as 10, 12 or 14 for many cameras. Otherwise
   * without effect. */
  uint32_t significant_bits;
} CtrSnakeParams;

#define CTR_SNAKE_DEFAULT_MAX_OBJECTS 4096
#define CTR_SNAKE_DEFAULT_MAX_WINDOW_SIDES (UINT64_C (1) << 18)

/* Defaults: GAUSSIAN, one look, automatic sizes, pruning, no history, 10000 iterations, the default limits, 16 significant
 * bits. */
CTR_API void ctr_snake_params_init (CtrSnakeParams *params);

/* A rectangle in corner coordinates; it may exceed the image. */
typedef struct {
  int32_t x;
  int32_t y;
  int32_t width;
  int32_t height;
} CtrSnakeRect;

typedef enum {
  CTR_SNAKE_START_AUTO,      /* the outline of those blocks of the window that differ, or the best rectangle */
  CTR_SNAKE_START_RECTANGLE, /* the part of `rectangle` inside the window; if there is none, no target is found */
  CTR_SNAKE_START_POLYGON    /* `points` */
} CtrSnakeStart;

typedef struct {
  CtrSnakeRect window; /* clipped to the image; all 0: the whole image */
  CtrSnakeStart start;
  CtrSnakeRect rectangle; /* width and height >= 1 */
  /* A starting polygon of 3 to CTR_SNAKE_MAX_POINTS points that encloses an area, does not touch itself, and lies in
   * the clipped window. An anticlockwise polygon is reversed, keeping its first point. Read during the call only. */
  const CtrPoint *points;
  uint32_t point_count;
  uint32_t first_step; /* first step size from this start; 0: max_step. To track a target, start from its last polygon
                          with a first step of 8. */
  bool retry;          /* if this start finds no target, search again with CTR_SNAKE_START_AUTO */
} CtrSnakeObject;

enum {                          /* CtrSnakeRegion.flags */
  CTR_SNAKE_CONVERGED = 1 << 0, /* the search converged before max_iterations */
  CTR_SNAKE_RESTARTED = 1 << 1  /* the given start found no target; this is the result of CTR_SNAKE_START_AUTO */
};

/* The statistics of the two regions that a polygon separates. */
typedef struct {
  uint32_t object;       /* index of the object */
  uint32_t flags;        /* CTR_SNAKE_* */
  uint32_t iterations;   /* moves and rounds of pruning, including those of a start that found no target */
  uint32_t reserved;     /* 0 */
  int64_t inside_count;  /* pixels, >= 1 */
  int64_t inside_sum;    /* sum of the samples (or luma) */
  uint64_t inside_sum2;  /* sum of their squares */
  int64_t outside_count; /* >= 1 */
  int64_t outside_sum;
  uint64_t outside_sum2;
  double criterion; /* C; lower is better */
  double gain;      /* how much shorter the description is with the polygon than without it, nats, > 0 */
} CtrSnakeRegion;

/* What made a polygon of the history. */
typedef enum {
  CTR_SNAKE_STARTED, /* the start, or where that found no target, the automatic one */
  CTR_SNAKE_MOVED,   /* an iteration of moves */
  CTR_SNAKE_SPLIT,   /* points in the middle of long edges */
  CTR_SNAKE_PRUNED   /* a round of pruning */
} CtrSnakeChangeKind;

/* One polygon of the history. Iterations that change nothing have none of their own. */
typedef struct {
  uint64_t first;       /* index of its first point in CtrSnakeHistory.points */
  uint32_t count;       /* points */
  uint32_t row;         /* of the table */
  uint32_t kind;        /* CtrSnakeChangeKind */
  uint32_t iteration;   /* how many iterations there have been, its own included */
  uint32_t step;        /* pixels: of these moves; of the moves that follow a start, a split or pruning */
  uint32_t reserved;    /* 0 */
  int64_t inside_count; /* pixels */
  double criterion;     /* C, infinite where a region has no pixel */
} CtrSnakeState;

/* The way of the outlines, from the start to the last polygon: row by row, in the order of time. A moving point keeps
 * its place in the polygon, so the points are those of the result from another one on. Objects without a row have no
 * history. It takes 4 bytes a point and 56 bytes a polygon, for max_iterations at most. */
typedef struct {
  const CtrSnakeState *states;
  uint64_t state_count;
  const CtrPoint *points;
  uint64_t point_count;
} CtrSnakeHistory;

typedef struct CtrSnake CtrSnake;

CTR_API CtrSnake *ctr_snake_new (CtrBackend backend, CtrError *error);
CTR_API void ctr_snake_free (CtrSnake *snake);

/* Searches for COUNT objects in IMAGE; OBJECTS are read during the call only. An invalid object is an error that names
 * its index. If COUNT exceeds max_objects, OBJECTS are not read and may be NULL. */
CTR_API bool ctr_snake_enqueue (CtrSnake *snake, const CtrImage *image, const CtrSnakeParams *params,
    const CtrSnakeObject *objects, uint32_t count, void *stream, CtrError *error);

/* The result has CTR_CONTOUR_FEATURE_REGIONS. */
CTR_API CtrContours *ctr_snake_finish (CtrSnake *snake, CtrError *error);

CTR_API CtrContours *ctr_snake_run (CtrSnake *snake, const CtrImage *image, const CtrSnakeParams *params,
    const CtrSnakeObject *objects, uint32_t count, void *stream, CtrError *error);

/* The regions in host memory, one per row of the table. NULL without CTR_CONTOUR_FEATURE_REGIONS. Copied on demand like
 * the arrays of contourlist.h. */
CTR_API const CtrSnakeRegion *ctr_contours_map_regions (CtrContours *contours, CtrError *error);

/* The history (transfer none, valid as long as the reference), in host memory. False, with a history of nothing, without
 * CTR_CONTOUR_FEATURE_HISTORY. */
CTR_API bool ctr_contours_get_history (CtrContours *contours, CtrSnakeHistory *history);

/* Mean and population variance of the samples INSIDE the polygon, or else outside. */
CTR_API double ctr_snake_region_mean (const CtrSnakeRegion *region, bool inside);
CTR_API double ctr_snake_region_variance (const CtrSnakeRegion *region, bool inside);

CTR_END_DECLS

#endif

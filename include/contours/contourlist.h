/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The contours of an image: the result of border following (borders.h), of level contours (cracks.h), of region
 * snakes (snake.h) and of edge linking (edgechains.h).
 *
 * Both backends deliver the same exact integers. The functions below derive all floating-point values from them, so
 * these are identical to the last bit, too. */
#ifndef CONTOURS_CONTOURLIST_H
#define CONTOURS_CONTOURLIST_H

#include <contours/types.h>

CTR_BEGIN_DECLS

/* What a point's coordinates mean. x points right, y points down. */
typedef enum {
  CTR_COORDINATES_PIXELS,  /* a pixel of the contour, given by its centre */
  CTR_COORDINATES_CORNERS, /* a corner between pixels: the upper left corner of the pixel with the same coordinates */
} CtrCoordinates;

/* Which points of its line a contour lists. */
typedef enum {
  CTR_VERTICES_ANY,   /* the corners of a polygon, whose sides run in any direction; also of strips */
  CTR_VERTICES_STEPS, /* all of them: each is a neighbour of the one before */
  CTR_VERTICES_TURNS, /* those where the line turns; its segments are horizontal, vertical or diagonal */
} CtrVertices;

typedef struct {
  uint16_t x;
  uint16_t y;
} CtrPoint;

/* CtrContour.flags */
enum {
  CTR_CONTOUR_HOLE = 1 << 0, /* the contour encloses a hole of the foreground */
  /* No segment goes from the last point to the first one. Of a strip: the contour goes on below, as another one. */
  CTR_CONTOUR_OPEN = 1 << 1,
  /* Of an open chain (edgechains.h): its first and its last point is a junction. */
  CTR_CONTOUR_START_JUNCTION = 1 << 2,
  CTR_CONTOUR_END_JUNCTION = 1 << 3
};

/* The unit of CtrContour.length: 2^-23 pixels. The length of every segment, rounded to float, is a multiple of it. */
#define CTR_LENGTH_UNIT (1.0 / (1 << 23))

/* A contour: 64 bytes, with the same layout on the GPU. Unless it has CTR_CONTOUR_OPEN, it is closed: the first point follows
 * the last one. */
typedef struct {
  uint64_t first;   /* index of its first point in the list of all points */
  int64_t area2;    /* twice the signed enclosed area; positive if the contour runs clockwise on the screen */
  uint64_t length;  /* perimeter in CTR_LENGTH_UNIT: the sum of its segments' lengths, each rounded to float */
  uint32_t count;   /* points, >= 1 */
  int32_t next;     /* OpenCV's hierarchy, as rows of the table or -1: the next contour with the same parent, */
  int32_t previous; /* the previous one, */
  int32_t child;    /* the first child, */
  int32_t parent;   /* and the enclosing contour */
  uint32_t flags;   /* CTR_CONTOUR_* */
  uint32_t level;   /* level of a level contour, else 0 */
  uint16_t left;    /* bounding box. CTR_COORDINATES_PIXELS: width and height count pixels, so they are >= 1. */
  uint16_t top;     /* CTR_COORDINATES_CORNERS: they are the largest differences of coordinates. */
  uint16_t width;
  uint16_t height;
  uint32_t region; /* number of its region (regions.h), 0 without regions */
} CtrContour;

/* Sums over the segments of a contour from (x0, y0) to (x1, y1), the closing one included; c = x0 y1 - x1 y0:
 *   0  a00  c
 *   1  a10  c (x0 + x1)
 *   2  a01  c (y0 + y1)
 *   3  a20  c (x0^2 + x0 x1 + x1^2)
 *   4  a11  c (x0 (2 y0 + y1) + x1 (y0 + 2 y1))
 *   5  a02  c (y0^2 + y0 y1 + y1^2)
 *   6  a30  c (x0 + x1) (x0^2 + x1^2)
 *   7  a21  c (x0^2 (3 y0 + y1) + 2 x0 x1 (y0 + y1) + x1^2 (y0 + 3 y1))
 *   8  a12  c (y0^2 (3 x0 + x1) + 2 y0 y1 (x0 + x1) + y1^2 (x0 + 3 x1))
 *   9  a03  c (y0 + y1) (y0^2 + y1^2)
 * Each sum is a 128-bit two's complement number, low word first. a00 is CtrContour.area2. */
typedef struct {
  uint64_t words[10][2];
} CtrContourSums;

/* A contour in the tree of all levels, see cracks.h. The tree and its branches are those of all contours of the image,
 * before limits drop some. */
typedef struct {
  uint32_t depth; /* number of contours around it in the tree: 0 without a parent */
  uint32_t birth; /* the lowest level of its branch, */
  uint32_t death; /* the highest level: its persistence is death - birth */
} CtrContourNesting;

/* Features computed on request. The table and the points are always computed. */
typedef enum {
  CTR_CONTOUR_FEATURE_MOMENTS = 1 << 0, /* CtrContourSums */
  CTR_CONTOUR_FEATURE_REGIONS = 1 << 1, /* CtrSnakeRegion (snake.h); only and always with region snakes */
  CTR_CONTOUR_FEATURE_HISTORY = 1 << 2, /* CtrSnakeHistory (snake.h); region snakes on request */
  CTR_CONTOUR_FEATURE_NESTING = 1 << 3, /* CtrContourNesting; only and always with CTR_HIERARCHY_LEVELS (cracks.h) */
  /* Parts of CtrContourShape (shapes.h), of borders that are no strips; HOLES only with CTR_RETRIEVE_CCOMP and _TREE. */
  CTR_CONTOUR_FEATURE_HULL = 1 << 4,
  CTR_CONTOUR_FEATURE_DEFECT = 1 << 5,
  CTR_CONTOUR_FEATURE_RECTANGLE = 1 << 6,
  CTR_CONTOUR_FEATURE_FERET = 1 << 7,
  CTR_CONTOUR_FEATURE_CIRCLE = 1 << 8,
  CTR_CONTOUR_FEATURE_DISTANCES = 1 << 9,
  CTR_CONTOUR_FEATURE_HOLES = 1 << 10,
  CTR_CONTOUR_FEATURE_FITS = 1 << 11, /* CtrContourFits (shapes.h), of borders that are no strips */
  CTR_CONTOUR_FEATURE_SUBPIXEL =
      1 << 12, /* CtrSubpixelPoint (subpixel.h); only and always with subpixel of CtrBordersParams or
                  CtrEdgeChainsParams */
  CTR_CONTOUR_FEATURE_CHAINS = 1 << 13 /* Contours are chains of edge pixels; only and always of edgechains.h. */
} CtrContourFeatures;

/* The limit on the cost of an image that a result exceeds. */
typedef enum {
  CTR_LIMIT_NONE,        /* the result is complete */
  CTR_LIMIT_POINTS,      /* CtrCracksParams.max_points */
  CTR_LIMIT_OBJECTS,     /* CtrSnakeParams.max_objects */
  CTR_LIMIT_WINDOW_SIDES /* CtrSnakeParams.max_window_sides */
} CtrLimit;

/* Immutable and reference-counted. Of a pending result (see contours.h), size, coordinates, features, origin_row, region_count, vertices and connectivity are
 * valid; the other fields are 0 until ctr_contours_wait() has returned. The order of the rows is described in borders.h, cracks.h,
 * snake.h and edgechains.h. */
typedef struct {
  uint32_t width; /* of the analysed image, pixels */
  uint32_t height;
  uint32_t count;       /* contours */
  uint32_t threshold;   /* foreground threshold applied, fixed or from Otsu; 0 without foreground */
  uint64_t point_count; /* points of all contours */
  CtrCoordinates coordinates;
  uint32_t features; /* CtrContourFeatures computed */
  CtrLimit exceeded; /* unless CTR_LIMIT_NONE, the image was not analysed and count is 0 */
  uint64_t needed;   /* what the image needs of the exceeded limit, else 0 */
  /* Of strips: the row of the web that y = 0 stands for; the last row of the strip is height - 1. Otherwise 0. */
  uint64_t origin_row;
  uint32_t unfinished;          /* of strips: rows with CTR_CONTOUR_OPEN */
  CtrVertices vertices;         /* Chain and crack codes (codes.h) give these back. */
  CtrConnectivity connectivity; /* of the foreground; 0 for region snakes, which have none */
  uint32_t region_count;        /* regions that were analysed (regions.h); 0: the whole image, or nothing of it */
} CtrContours;

/* Was ROW of CONTOURS reported before it was closed? */
static inline bool
ctr_contour_is_unfinished (const CtrContours *contours, const CtrContour *row)
{
  return contours->unfinished && row->flags & CTR_CONTOUR_OPEN;
}

/* ref() returns a new reference (transfer full). Both are thread-safe. */
CTR_API CtrContours *ctr_contours_ref (CtrContours *contours);
CTR_API void ctr_contours_unref (CtrContours *contours);

/* Contours of COUNT closed polygons that the caller has, such as lines to paint, in host memory (transfer full). Polygon i has the
 * next COUNTS[i] POINTS, one or more. They are not nested; table and points are those of an image of WIDTH x HEIGHT pixels. NULL and
 * an error if there is no memory. */
CTR_API CtrContours *ctr_contours_new_polygons (const CtrPoint *points, const uint32_t *counts, uint32_t count,
    CtrCoordinates coordinates, uint32_t width, uint32_t height, CtrError *error);

/* Waits until a pending result (see contours.h) is complete. Any thread may call it; it does not matter which one is
 * first. False and the error of the analysis if it has failed: then there are no contours. */
CTR_API bool ctr_contours_wait (CtrContours *contours, CtrError *error);

/* Would ctr_contours_wait() return at once? */
CTR_API bool ctr_contours_is_complete (const CtrContours *contours);

/* CUDA backend: makes STREAM, a cudaStream_t or CUstream, wait for the analysis of pending contours instead of the host. Who
 * writes the analysed image in device memory on another stream than the analysis calls it first. Any thread may call
 * it, with a context of the stream being current. */
CTR_API bool ctr_contours_lead (CtrContours *contours, void *stream, CtrError *error);

/* The arrays in host memory (transfer none, valid as long as the reference): count rows; point_count points, contour by
 * contour in the order of the rows; count sums, NULL without CTR_CONTOUR_FEATURE_MOMENTS. The first call waits for a
 * pending result, and copies an array from GPU memory, on any thread, with or without the CUDA context current. NULL and error if that fails. */
CTR_API const CtrContour *ctr_contours_map_table (CtrContours *contours, CtrError *error);
CTR_API const CtrPoint *ctr_contours_map_points (CtrContours *contours, CtrError *error);
CTR_API const CtrContourSums *ctr_contours_map_sums (CtrContours *contours, CtrError *error);

/* Likewise, count rows, NULL without CTR_CONTOUR_FEATURE_NESTING. */
CTR_API const CtrContourNesting *ctr_contours_map_nesting (CtrContours *contours, CtrError *error);

struct CtrContourShape;  /* shapes.h */
struct CtrContourFits;   /* likewise */
struct CtrSubpixelPoint; /* subpixel.h */

/* The arrays in GPU memory, for work in the same CUDA context (transfer none). The reference must outlive that work.
 * Returns false if the arrays are in host memory only, or in another CUDA context than the current one. */
typedef struct {
  const CtrContour *table;
  const CtrPoint *points;
  const CtrContourSums *sums;              /* NULL without CTR_CONTOUR_FEATURE_MOMENTS */
  const CtrContourNesting *nesting;        /* NULL without CTR_CONTOUR_FEATURE_NESTING */
  const struct CtrContourShape *shapes;    /* NULL without one of CTR_CONTOUR_SHAPE_FEATURES */
  const struct CtrSubpixelPoint *subpixel; /* by point; NULL without CTR_CONTOUR_FEATURE_SUBPIXEL */
  const struct CtrContourFits *fits;       /* NULL without CTR_CONTOUR_FEATURE_FITS */
} CtrDeviceContours;
CTR_API bool ctr_contours_get_device (CtrContours *contours, CtrDeviceContours *device);

/* Ties OBJECT to the contours, such as the owner of their CUDA context: RELEASE (OBJECT) is called after the memory of
 * the contours has been freed with the last reference. Call this once, before the contours are shared. */
CTR_API void ctr_contours_set_owner (CtrContours *contours, void *object, void (*release) (void *object));

/* The area as cv::contourArea() computes it, in pixels^2; signed if ORIENTED. */
CTR_API double ctr_contour_area (const CtrContour *contour, bool oriented);

/* The perimeter as cv::arcLength() computes it for a closed curve, or if the contour is open for an open one, in pixels. */
CTR_API double ctr_contour_perimeter (const CtrContour *contour);

/* The moments as cv::moments() computes them, but from exact sums, whereas OpenCV rounds each step. Spatial moments
 * differ by at most 1e-12 of their value, and by OpenCV's rounding errors in images of tens of thousands of pixels per
 * side. All moments are 0 if the area is 0. */
typedef struct {
  double m[10]; /* spatial: 00 10 01 20 11 02 30 21 12 03 */
  double mu[7]; /* central: 20 11 02 30 21 12 03 */
  double nu[7]; /* normalised central, in the same order */
} CtrContourMoments;
CTR_API void ctr_contour_moments (const CtrContourSums *sums, CtrContourMoments *moments);

CTR_END_DECLS

#endif

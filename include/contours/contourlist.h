/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Contours of one image: the result of border following (borders.h), of tracing its levels (cracks.h) and of fitting
 * outlines to its objects (snake.h).
 *
 * Both backends deliver the integers below, exact and identical; every quantity in floating point is derived from them
 * here, in one place, so the backends agree to the last bit. */
#ifndef CONTOURS_CONTOURLIST_H
#define CONTOURS_CONTOURLIST_H

#include <contours/types.h>

CTR_BEGIN_DECLS

/* What a point's coordinates mean. x runs right, y down. */
typedef enum {
  CTR_COORDINATES_PIXELS,  /* of a pixel of the contour: its centre */
  CTR_COORDINATES_CORNERS, /* of a corner between pixels: the upper left corner of the pixel of the same coordinates */
} CtrCoordinates;

typedef struct {
  uint16_t x;
  uint16_t y;
} CtrPoint;

enum { CTR_CONTOUR_HOLE = 1 << 0 /* of CtrContour.flags: around a hole of the foreground, not around its outside */ };

/* Of CtrContour.length: 2^-23 pixels. Every segment's length, rounded to float, is a whole number of these. */
#define CTR_LENGTH_UNIT (1.0 / (1 << 23))

/* One contour: 64 bytes, the same on the GPU. A closed line: its last point is followed by its first. */
typedef struct {
  uint64_t first;   /* of its points, in the list of all points */
  int64_t area2;    /* twice the signed area inside the line: positive where it runs clockwise on the screen */
  uint64_t length;  /* of the line, in CTR_LENGTH_UNIT: the sum of its segments' lengths, each rounded to float */
  uint32_t count;   /* points, >= 1 */
  int32_t next;     /* contour of the same parent, or -1. These four are OpenCV's hierarchy, rows of the table */
  int32_t previous; /* the same before it */
  int32_t child;    /* first contour inside */
  int32_t parent;   /* contour around it */
  uint32_t flags;   /* CTR_CONTOUR_.. */
  uint32_t level;   /* of the image's levels; 0 for a binary image */
  uint16_t left;    /* bounding box of the points. In pixels, its width and height are counted in pixels, so >= 1; */
  uint16_t top;     /* in corners, they are the distances of the outermost ones */
  uint16_t width;
  uint16_t height;
  uint32_t reserved; /* 0 */
} CtrContour;

/* Sums over the line's segments from (x0, y0) to (x1, y1), the last one closing it; c = x0 y1 - x1 y0:
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
 * Each is a 128-bit two's complement number, the lower word first. a00 is CtrContour.area2. */
typedef struct {
  uint64_t words[10][2];
} CtrContourSums;

/* What is computed on request; the rest of a contour always is. */
typedef enum {
  CTR_CONTOUR_FEATURE_MOMENTS = 1 << 0, /* CtrContourSums */
  CTR_CONTOUR_FEATURE_REGIONS = 1 << 1  /* CtrSnakeRegion; snake.h's contours always have it, no others do */
} CtrContourFeatures;

/* Which limit on what one image may cost a result exceeded. */
typedef enum {
  CTR_LIMIT_NONE,        /* none: the result is complete */
  CTR_LIMIT_POINTS,      /* CtrCracksParams.max_points */
  CTR_LIMIT_OBJECTS,     /* CtrSnakeParams.max_objects */
  CTR_LIMIT_WINDOW_SIDES /* CtrSnakeParams.max_window_sides */
} CtrLimit;

/* Immutable once published; shared by reference. The rows are in OpenCV's order, those of levels in that of cracks.h,
 * those of objects in that of the objects. */
typedef struct {
  uint32_t width; /* of the analysed image, pixels */
  uint32_t height;
  uint32_t count;       /* contours */
  uint32_t threshold;   /* the threshold applied; with Otsu, the one found */
  uint64_t point_count; /* points of all contours */
  CtrCoordinates coordinates;
  uint32_t features; /* CtrContourFeatures delivered */
  CtrLimit exceeded; /* not CTR_LIMIT_NONE: nothing was looked for, so there are no contours */
  uint64_t needed;   /* what the image takes of what is limited; 0 where no limit was exceeded */
} CtrContours;

/* transfer full: drop with ctr_contours_unref(). Thread-safe. */
CTR_API CtrContours *ctr_contours_ref (CtrContours *contours);
CTR_API void ctr_contours_unref (CtrContours *contours);

/* The arrays on the host (transfer none, valid as long as the reference): count rows; point_count points, contour by
 * contour in the table's order; count rows each, NULL without CTR_CONTOUR_FEATURE_MOMENTS and .._REGIONS. What lies on
 * the GPU is fetched by the first call, once, by whichever thread; the CUDA context need not be current there. Never
 * NULL otherwise, unless that fails: error then says why. */
CTR_API const CtrContour *ctr_contours_map_table (CtrContours *contours, CtrError *error);
CTR_API const CtrPoint *ctr_contours_map_points (CtrContours *contours, CtrError *error);
CTR_API const CtrContourSums *ctr_contours_map_sums (CtrContours *contours, CtrError *error);

/* The arrays in GPU memory, for work in the same CUDA context; valid as long as the reference, which must outlast that
 * work. False where they are only on the host, or in another context than the one that is current. */
typedef struct {
  const CtrContour *table;
  const CtrPoint *points;
  const CtrContourSums *sums; /* NULL without CTR_CONTOUR_FEATURE_MOMENTS */
} CtrDeviceContours;
CTR_API bool ctr_contours_get_device (CtrContours *contours, CtrDeviceContours *device);

/* RELEASE (OBJECT) is called after the last reference is gone and its memory is freed: an object that must live as long
 * as the contours, such as what owns their CUDA context. Once, before the contours are shared. */
CTR_API void ctr_contours_set_owner (CtrContours *contours, void *object, void (*release) (void *object));

/* As cv::contourArea(), of the same sign with ORIENTED. Pixels^2. */
CTR_API double ctr_contour_area (const CtrContour *contour, bool oriented);

/* As cv::arcLength() of the closed line. Pixels. */
CTR_API double ctr_contour_perimeter (const CtrContour *contour);

/* As cv::moments() of the line: spatial, central, normalised central; in order 00 10 01 20 11 02 30 21 12 03, 20 11 02
 * 30 21 12 03, 20 11 02 30 21 12 03. From exact sums, where OpenCV rounds each step: spatial ones differ by 1e-12 of
 * their value at most, and by what that rounding amounts to in images of tens of thousands of pixels a side. All 0
 * where the area is. */
typedef struct {
  double m[10];
  double mu[7];
  double nu[7];
} CtrContourMoments;
CTR_API void ctr_contour_moments (const CtrContourSums *sums, CtrContourMoments *moments);

CTR_END_DECLS

#endif

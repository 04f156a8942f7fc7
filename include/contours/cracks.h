/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Level contours: the contours of all levels of an image, as closed lines of cracks between its pixels (Butt, Morris,
 * Patel, Biglari-Abhari: "Contour generation for multivalued streamed images using crack codes on a GPU"). See
 * contours.h for how to call an analyser.
 *
 * Each level defines a binary image, whose foreground are the pixels of that level or above, or of exactly that level.
 * A contour runs along the sides of pixels with the foreground on its right: clockwise on the screen around a
 * component, anticlockwise around a hole. Where two foreground pixels touch only at a corner, the connectivity of the
 * foreground decides whether the contour joins or separates them; contours pass such a corner twice.
 *
 * Points. The points are the corners of the contour, and only these, in CTR_COORDINATES_CORNERS: x is 0 .. width, y is
 * 0 .. height. The first point is the topmost one, the leftmost of several: the upper left corner of the first pixel of
 * the component or hole in raster order. From there the contour of a component runs right, that of a hole down. The
 * signed areas of a level's contours add up to its number of foreground pixels.
 *
 * Order and hierarchy. The rows are ordered by level, then by first point (y, then x), which is unique in a level. The
 * type and the first point of an 8-connected level's contours follow from OpenCV's findContours() of the binary image:
 * the first point of an outer contour is the first pixel of OpenCV's, that of a hole is one pixel right of OpenCV's.
 * Parent, child, next and previous are those of OpenCV's RETR_TREE: `next` is the preceding sibling in the order of the
 * rows, and `child` the last child. Contours of different levels are not related. */
#ifndef CONTOURS_CRACKS_H
#define CONTOURS_CRACKS_H

#include <contours/components.h>
#include <contours/contourlist.h>
#include <contours/image.h>

CTR_BEGIN_DECLS

/* Which pixels are the foreground of a level. */
typedef enum {
  CTR_LEVELS_AT_LEAST, /* sample (or luma) >= level */
  CTR_LEVELS_EQUAL     /* sample == level: for object masks and label images */
} CtrLevelMode;

/* How contours close at the border of the image. */
typedef enum {
  CTR_IMAGE_BORDER_PAD, /* the image is surrounded by background, as in OpenCV */
  CTR_IMAGE_BORDER_ZERO /* the image's first and last row and column are background, whatever their samples, as in the
                           paper */
} CtrImageBorder;

typedef struct {
  CtrLevelMode mode;
  CtrConnectivity connectivity; /* of the foreground */
  CtrImageBorder frame;
  /* The levels, 1 or more, as level 0 is the background: minimum, minimum + step, ... up to maximum, or, unless levels
   * is NULL, a strictly ascending list. A level above all samples has no contours. */
  uint32_t minimum;
  uint32_t maximum;
  uint32_t step;
  const uint32_t *levels; /* read during the call only */
  uint32_t level_count;
  /* Limits on contours, as in borders.h. */
  double min_area; /* pixels^2, see ctr_contour_area() */
  double max_area;
  double min_length; /* pixels, see ctr_contour_perimeter() */
  /* The maximum number of points of all levels together, before contours are dropped; 0: no limit. The result of an
   * image with more points is empty, with CTR_LIMIT_POINTS exceeded and the number of points needed. Points are counted
   * before memory is allocated for them. */
  uint64_t max_points;
  uint32_t features; /* CtrContourFeatures */
} CtrCracksParams;

/* Default of max_points: enough for 255 levels of a 3840 x 2160 photograph without strong noise. */
#define CTR_CRACKS_DEFAULT_MAX_POINTS (UINT64_C (1) << 26)

/* Defaults: AT_LEAST, 8-connected, PAD, every level from 1 to 65535, no limits on contours, no extra features, default
 * max_points. */
CTR_API void ctr_cracks_params_init (CtrCracksParams *params);

typedef struct CtrCracks CtrCracks;

CTR_API CtrCracks *ctr_cracks_new (CtrBackend backend, CtrError *error);
CTR_API void ctr_cracks_free (CtrCracks *cracks);

/* Without max_points, 16-bit noise at many levels may need more memory than there is: CTR_ERROR_OUT_OF_MEMORY. The same
 * error is returned from 2^32 points on or 2^30 points of a level; on the CUDA backend, from 2^30 points on in all. */
CTR_API bool ctr_cracks_enqueue (
    CtrCracks *cracks, const CtrImage *image, const CtrCracksParams *params, void *stream, CtrError *error);

/* Each row of the result has its level; the threshold is 0. CUDA backend: table and points stay in GPU memory until
 * they are mapped. */
CTR_API CtrContours *ctr_cracks_finish (CtrCracks *cracks, CtrError *error);

CTR_API CtrContours *ctr_cracks_submit (
    CtrCracks *cracks, const CtrImage *image, const CtrCracksParams *params, void *stream, CtrError *error);

CTR_API bool ctr_cracks_settle (CtrCracks *cracks, CtrError *error);

CTR_API CtrContours *ctr_cracks_run (
    CtrCracks *cracks, const CtrImage *image, const CtrCracksParams *params, void *stream, CtrError *error);

CTR_END_DECLS

#endif

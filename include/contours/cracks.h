/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Contours of all levels of an image at once, as lines of cracks between its pixels (Butt, Morris, Patel,
 * Biglari-Abhari: "Contour generation for multivalued streamed images using crack codes on a GPU").
 *
 * Each level makes a binary image: its foreground are the pixels of that level or above, or those of exactly that
 * level. A contour is a closed line along the sides of pixels, foreground on its right: around an outside it runs
 * clockwise on the screen, around a hole anticlockwise. Where the foreground touches itself at a corner of two pixels
 * only, its connectivity tells whether the line joins them or parts them; such a corner is then passed twice.
 *
 * The points are the corners of the line, and no others, in CTR_COORDINATES_CORNERS: x is 0 .. width, y is 0 .. height.
 * The first one is the upmost, of these the leftmost: upper left corner of the first pixel, in raster order, of the
 * component or of the hole. From there an outside's line runs right, a hole's down. The signed areas of a level's
 * contours add up to its number of foreground pixels.
 *
 * The rows are in the order of their levels, then of their first points (y, then x; no two of a level have the same).
 * Type and first point of an 8-connected level's contours are those of OpenCV's findContours() of its binary image: an
 * outside's first point is the first pixel of its contour, a hole's one right of that. Parent, child, next and previous
 * are OpenCV's TREE of that level by the same relation, so `next` has the sibling that begins before, `child` the last
 * to begin; contours of different levels know nothing of each other. */
#ifndef CONTOURS_CRACKS_H
#define CONTOURS_CRACKS_H

#include <contours/components.h>
#include <contours/contourlist.h>
#include <contours/image.h>

CTR_BEGIN_DECLS

/* Which pixels are a level's foreground. */
typedef enum {
  CTR_LEVELS_AT_LEAST, /* sample (or luma) >= level */
  CTR_LEVELS_EQUAL     /* sample == level: masks of objects, label images */
} CtrLevelMode;

/* What the lines run along at the ends of the image. */
typedef enum {
  CTR_IMAGE_BORDER_PAD, /* background around the image, as OpenCV has it */
  CTR_IMAGE_BORDER_ZERO /* the image's first and last row and column themselves, background whatever they hold: as the
                           paper */
} CtrImageBorder;

typedef struct {
  CtrLevelMode mode;
  CtrConnectivity connectivity; /* of the foreground */
  CtrImageBorder frame;
  /* Either every step-th level from minimum on that is not above maximum, or a list: level_count of them, ascending, no
   * two equal; NULL: no list. All are 1 or more: 0 is the background. Levels above all samples have no contours. */
  uint32_t minimum;
  uint32_t maximum;
  uint32_t step;
  const uint32_t *levels; /* read during the call only */
  uint32_t level_count;
  /* Contours outside these limits are dropped before anything is fetched from the GPU; what was inside a dropped one
   * belongs to the next one around it that remains. 0: no limit. */
  double min_area; /* pixels^2, of ctr_contour_area() */
  double max_area;
  double min_length; /* pixels, of ctr_contour_perimeter() */
  /* The most points of all levels together, before any contour is dropped; 0: no limit. An image that has more gives no
   * contours at all but an empty result with CTR_LIMIT_POINTS, whose `needed` is how many there are. They are counted
   * before there is memory for any. */
  uint64_t max_points;
  uint32_t features; /* CtrContourFeatures */
} CtrCracksParams;

/* Of max_points: what pictures of 3840 x 2160 pixels have at 255 levels, noise aside. */
#define CTR_CRACKS_DEFAULT_MAX_POINTS (UINT64_C (1) << 26)

/* AT_LEAST, 8-connected, PAD, every level from 1 to 65535, no contour dropped, no extra features, the default
 * max_points. */
CTR_API void ctr_cracks_params_init (CtrCracksParams *params);

/* A tracer keeps its working memory from frame to frame: after the first frame of a size it allocates only where a
 * frame has more contours or points than any before, or its results are kept. One thread at a time; any number of
 * tracers side by side. */
typedef struct CtrCracks CtrCracks;

/* transfer full: free with ctr_cracks_free(); results may outlive it. The CUDA backend belongs to the CUDA context that
 * is current now (none: the primary context of device 0); the same one must be current in every later call. NULL and
 * error when unavailable. */
CTR_API CtrCracks *ctr_cracks_new (CtrBackend backend, CtrError *error);
CTR_API void ctr_cracks_free (CtrCracks *cracks);

/* Traces the contours of IMAGE. CUDA backend: the work is queued on STREAM (a cudaStream_t or CUstream; NULL: one of
 * its own). What writes IMAGE must be done or queued on STREAM before; IMAGE must stay untouched and STREAM alive until
 * ctr_cracks_finish(); a host image is uploaded. CPU backend: the image must be in host memory, STREAM is ignored. On
 * failure nothing is pending. All points are counted before any is written; where there are more than memory for them,
 * which without max_points 16-bit noise of many levels comes to, it is CTR_ERROR_OUT_OF_MEMORY: nothing is ever cut
 * off. So it is from 2^32 points on, 2^30 a level; on the CUDA backend, from 2^30 on in all. */
CTR_API bool ctr_cracks_enqueue (
    CtrCracks *cracks, const CtrImage *image, const CtrCracksParams *params, void *stream, CtrError *error);

/* Waits for the queued work and returns its result (transfer full), growing buffers and redoing the image where it had
 * more points than room. Its threshold is 0, each row has its level. CUDA backend: table and points stay on the GPU
 * until they are mapped. */
CTR_API CtrContours *ctr_cracks_finish (CtrCracks *cracks, CtrError *error);

/* Both in one. */
CTR_API CtrContours *ctr_cracks_run (
    CtrCracks *cracks, const CtrImage *image, const CtrCracksParams *params, void *stream, CtrError *error);

CTR_END_DECLS

#endif

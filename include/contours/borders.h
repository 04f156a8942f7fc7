/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Borders of a binary image as ordered lists of points, with their hierarchy (García-Molla, Alonso-Jordá,
 * García-Laguía: "Parallel border tracking in binary images using GPUs"; Suzuki, Abe: "Topological structural analysis
 * of digitized binary images by border following"). Equal to OpenCV's findContours: points, order and hierarchy. */
#ifndef CONTOURS_BORDERS_H
#define CONTOURS_BORDERS_H

#include <contours/contourlist.h>
#include <contours/foreground.h>
#include <contours/image.h>

CTR_BEGIN_DECLS

/* OpenCV's RETR_..: which borders, and what the hierarchy says. */
typedef enum {
  CTR_RETRIEVE_EXTERNAL = 0, /* the outer borders that nothing encloses */
  CTR_RETRIEVE_LIST = 1,     /* all, without hierarchy: next and previous are the neighbours in the list */
  CTR_RETRIEVE_CCOMP = 2,    /* all, in two levels: outer borders, each followed by the holes inside */
  CTR_RETRIEVE_TREE = 3      /* all, fully nested */
} CtrRetrieval;

/* OpenCV's CHAIN_APPROX_.. */
typedef enum {
  CTR_APPROXIMATION_NONE = 1,  /* every pixel of the border */
  CTR_APPROXIMATION_SIMPLE = 2 /* the ends of its horizontal, vertical and diagonal segments */
} CtrApproximation;

typedef struct {
  CtrForeground foreground;
  CtrRetrieval mode;
  CtrApproximation approximation;
  /* Above 0: every contour becomes what cv::approxPolyDP() of OpenCV 4.13 and newer makes of its points, closed, with
   * this largest distance to the segment, in pixels. Area, length, bounding box, sums and the limits below are those
   * of the contour before. */
  double epsilon;
  /* Contours outside these limits are dropped before anything is fetched from the GPU; what was inside a dropped one
   * belongs to the next one around it that remains. 0: no limit. */
  double min_area; /* pixels^2, of ctr_contour_area() */
  double max_area;
  double min_length;  /* pixels, of ctr_contour_perimeter() */
  uint32_t min_width; /* of the bounding box, pixels */
  uint32_t min_height;
  uint32_t features; /* CtrContourFeatures */
} CtrBordersParams;

/* Fixed threshold 128, LIST, SIMPLE, no limits, no extra features. */
CTR_API void ctr_borders_params_init (CtrBordersParams *params);

/* A border follower keeps its working memory from frame to frame: after the first frame of a size it allocates only
 * where a frame has more borders or points than any before, or its results are kept. One thread at a time; any number
 * of followers side by side. */
typedef struct CtrBorders CtrBorders;

/* transfer full: free with ctr_borders_free(); results may outlive it. The CUDA backend belongs to the CUDA context
 * that is current now (none: the primary context of device 0); the same one must be current in every later call. NULL
 * and error when unavailable. */
CTR_API CtrBorders *ctr_borders_new (CtrBackend backend, CtrError *error);
CTR_API void ctr_borders_free (CtrBorders *borders);

/* Analyses IMAGE. CUDA backend: the work is queued on STREAM (a cudaStream_t or CUstream; NULL: one of its own). What
 * writes IMAGE must be done or queued on STREAM before; IMAGE must stay untouched and STREAM alive until
 * ctr_borders_finish(); a host image is uploaded. CPU backend: the image must be in host memory, STREAM is ignored. On
 * failure nothing is pending. */
CTR_API bool ctr_borders_enqueue (
    CtrBorders *borders, const CtrImage *image, const CtrBordersParams *params, void *stream, CtrError *error);

/* Waits for the queued work and returns its result (transfer full), growing buffers and redoing the image where it had
 * more borders or points than room: nothing is ever cut off. CUDA backend: table and points stay on the GPU until they
 * are mapped, unless epsilon is set. */
CTR_API CtrContours *ctr_borders_finish (CtrBorders *borders, CtrError *error);

/* Both in one. */
CTR_API CtrContours *ctr_borders_run (
    CtrBorders *borders, const CtrImage *image, const CtrBordersParams *params, void *stream, CtrError *error);

CTR_END_DECLS

#endif

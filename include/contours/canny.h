/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Canny edges of one image (Canny 1986; on GPUs Luo and Duraiswami 2008, Lam 2021: "Edge detection - Canny filter
 * implementation"). Bit for bit cv::GaussianBlur() followed by cv::Canny(), with complete hysteresis. */
#ifndef CONTOURS_CANNY_H
#define CONTOURS_CANNY_H

#include <contours/image.h>

CTR_BEGIN_DECLS

#define CTR_CANNY_MAX_SIGMA 20.0
#define CTR_CANNY_MIN_BITS 8

/* Where the two thresholds come from. The automatic ones follow the light: they come from the histogram of the frame's
 * 8-bit samples, before the blur, times the gain of the aperture (1, 12 and 160 for 3, 5 and 7), so that a step of the
 * same height is an edge with each. */
typedef enum {
  CTR_CANNY_ABSOLUTE, /* low_threshold and high_threshold */
  CTR_CANNY_OTSU,     /* high: OpenCV's THRESH_OTSU value; low: half of it */
  CTR_CANNY_MEDIAN    /* 0.67 and 1.33 times the (lower) median, the latter at most 255 */
} CtrCannyThresholdMode;

typedef struct {
  double sigma;      /* of the Gaussian blur, in pixels, 0 .. CTR_CANNY_MAX_SIGMA; 0: no blur */
  uint32_t aperture; /* of the Sobel operator: 3, 5 or 7 */
  bool l2_gradient;  /* magnitude sqrt (dx^2 + dy^2) instead of |dx| + |dy| */
  CtrCannyThresholdMode threshold_mode;
  /* Of the gradient's magnitude, both >= 0, in the units of cv::Canny(): an edge has a magnitude > low_threshold
   * everywhere and > high_threshold somewhere. Swapped where low is above high. */
  double low_threshold;
  double high_threshold;
  /* Of 16-bit samples, CTR_CANNY_MIN_BITS .. 16: how many of their lower bits the source uses, as cameras of 10, 12 and
   * 14 bits do. The upper 8 of these are analysed; a sample beyond them counts as the greatest. */
  uint32_t significant_bits;
} CtrCannyParams;

/* Sigma 2 as in the paper, thresholds 50 and 150, aperture 3, |dx| + |dy|, 16 significant bits. */
CTR_API void ctr_canny_params_init (CtrCannyParams *params);

/* One plane of the picture that is made of the edges. A plane may be subsampled: a pixel of it then is an edge where
 * any of the image's pixels under it is. */
typedef struct {
  void *data;
  size_t stride;        /* bytes, >= the plane's width * pixel_size */
  const void *source;   /* what shows where there is an edge, laid out like data and in the same memory; may be data
                           itself; NULL: the colour edge */
  size_t source_stride; /* bytes */
  uint32_t pixel_size;  /* bytes, 1 .. 4 */
  uint32_t x_shift;     /* width: (image width + (1 << x_shift) - 1) >> x_shift; 0 .. 2 */
  uint32_t y_shift;
  uint8_t edge[4]; /* bytes of a pixel */
  uint8_t background[4];
} CtrEdgePlane;

#define CTR_EDGE_MAX_PLANES 4

typedef struct {
  CtrEdgePlane planes[CTR_EDGE_MAX_PLANES];
  uint32_t plane_count; /* 1 .. CTR_EDGE_MAX_PLANES */
  CtrMemory memory;     /* of all planes; device: in the context of the edge detector */
} CtrEdgePicture;

/* A plain mask: one byte a pixel, 255 where there is an edge, else 0. */
CTR_API void ctr_edge_picture_init_mask (CtrEdgePicture *picture, void *data, size_t stride, CtrMemory memory);

/* An edge detector keeps its working memory from frame to frame; after the first frame of a size it allocates nothing.
 * One thread at a time; any number of detectors side by side. */
typedef struct CtrCanny CtrCanny;

/* transfer full: free with ctr_canny_free(). The CUDA backend belongs to the CUDA context that is current now (none:
 * the primary context of device 0); the same one must be current in every later call. NULL and error when unavailable.
 */
CTR_API CtrCanny *ctr_canny_new (CtrBackend backend, CtrError *error);
CTR_API void ctr_canny_free (CtrCanny *canny);

/* Finds the edges of IMAGE and paints them into PICTURE, whose planes must not overlap IMAGE, except where they are
 * host memory and IMAGE too. 16-bit samples are taken as 8 of their bits (significant_bits), packed RGB as its luma
 * (CtrFormat).
 *
 * CUDA backend: the work is queued on STREAM (a cudaStream_t or CUstream; NULL: one of its own), without waiting for
 * anything there. What writes IMAGE must be done or queued on STREAM before; IMAGE, PICTURE's planes and STREAM must
 * stay until ctr_canny_finish(). A device picture is complete in stream order, a host picture after ctr_canny_finish().
 * CPU backend: image and picture must be in host memory, STREAM is ignored. On failure nothing is pending. */
CTR_API bool ctr_canny_enqueue (CtrCanny *canny, const CtrImage *image, const CtrCannyParams *params,
    const CtrEdgePicture *picture, void *stream, CtrError *error);

/* Waits for the queued work. After a failure the picture's contents are undefined. */
CTR_API bool ctr_canny_finish (CtrCanny *canny, CtrError *error);

/* Both in one. */
CTR_API bool ctr_canny_run (CtrCanny *canny, const CtrImage *image, const CtrCannyParams *params,
    const CtrEdgePicture *picture, void *stream, CtrError *error);

CTR_END_DECLS

#endif

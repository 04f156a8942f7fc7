/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Canny edge detection (Canny 1986; on GPUs Luo and Duraiswami 2008, Lam 2021: "Edge detection - Canny filter
 * implementation"). The edges equal those of cv::GaussianBlur() followed by cv::Canny() bit for bit, with complete
 * hysteresis. See contours.h for how to call an analyser. */
#ifndef CONTOURS_CANNY_H
#define CONTOURS_CANNY_H

#include <contours/image.h>

CTR_BEGIN_DECLS

#define CTR_CANNY_MAX_SIGMA 20.0
#define CTR_CANNY_MIN_BITS 8

/* Where the hysteresis thresholds come from. Automatic thresholds are derived from each image's histogram: that of its
 * 8-bit samples before the blur. They are multiplied by the gain of the aperture (1, 12 and 160 for apertures 3, 5 and
 * 7), so that a step edge of the same height is found with each aperture. */
typedef enum {
  CTR_CANNY_ABSOLUTE, /* low_threshold and high_threshold */
  CTR_CANNY_OTSU,     /* high: OpenCV's THRESH_OTSU value; low: half of it */
  CTR_CANNY_MEDIAN    /* low: 0.67 times the (lower) median; high: 1.33 times the median, at most 255 */
} CtrCannyThresholdMode;

typedef struct {
  double sigma;      /* of the Gaussian blur, in pixels, 0 .. CTR_CANNY_MAX_SIGMA; 0: no blur */
  uint32_t aperture; /* of the Sobel operator: 3, 5 or 7 */
  bool l2_gradient;  /* magnitude sqrt (dx^2 + dy^2) instead of |dx| + |dy| */
  CtrCannyThresholdMode threshold_mode;
  /* Hysteresis thresholds on the gradient magnitude, >= 0, in the units of cv::Canny(). Every pixel of an edge exceeds
   * low_threshold, and at least one exceeds high_threshold. If low is above high they are swapped. */
  double low_threshold;
  double high_threshold;
  /* The number of low bits in use in 16-bit samples, CTR_CANNY_MIN_BITS .. 16, such as 10, 12 or 14 for many cameras.
   * The upper 8 of these bits are analysed. Larger samples saturate. */
  uint32_t significant_bits;
} CtrCannyParams;

/* Defaults: sigma 2 (the paper's), thresholds 50 and 150, aperture 3, |dx| + |dy|, 16 significant bits. */
CTR_API void ctr_canny_params_init (CtrCannyParams *params);

/* A plane of the edge picture. A plane may be subsampled: its pixel is an edge if any of the image's pixels that it
 * covers is. */
typedef struct {
  void *data;
  size_t stride;        /* bytes, >= the plane's width * pixel_size */
  const void *source;   /* pixels to show on edges, in the layout and memory of data, may be data; NULL: colour edge */
  size_t source_stride; /* bytes */
  uint32_t pixel_size;  /* bytes, 1 .. 4 */
  uint32_t x_shift;     /* 0 .. 2; the plane is (image width + (1 << x_shift) - 1) >> x_shift pixels wide */
  uint32_t y_shift;
  uint8_t edge[4]; /* the bytes of a pixel */
  uint8_t background[4];
} CtrEdgePlane;

#define CTR_EDGE_MAX_PLANES 4

typedef struct {
  CtrEdgePlane planes[CTR_EDGE_MAX_PLANES];
  uint32_t plane_count; /* 1 .. CTR_EDGE_MAX_PLANES */
  CtrMemory memory;     /* of all planes; device memory: in the edge detector's CUDA context */
} CtrEdgePicture;

/* A mask: one byte per pixel, 255 on edges, else 0. */
CTR_API void ctr_edge_picture_init_mask (CtrEdgePicture *picture, void *data, size_t stride, CtrMemory memory);

typedef struct CtrCanny CtrCanny;

CTR_API CtrCanny *ctr_canny_new (CtrBackend backend, CtrError *error);
CTR_API void ctr_canny_free (CtrCanny *canny);

/* Finds the edges of IMAGE and paints them into PICTURE. The planes of PICTURE may overlap IMAGE only if both are in
 * host memory. On the CPU backend both must be in host memory.
 *
 * The planes must exist until ctr_canny_finish(). A picture in device memory is complete in stream order, a picture in
 * host memory after ctr_canny_finish(). */
CTR_API bool ctr_canny_enqueue (CtrCanny *canny, const CtrImage *image, const CtrCannyParams *params,
    const CtrEdgePicture *picture, void *stream, CtrError *error);

/* CUDA backend: orders the queued work before all later work on the context's default stream, and on the streams that
 * synchronise with it (all but those created with CU_STREAM_NON_BLOCKING). For readers of the picture, and writers of
 * IMAGE, that do not know STREAM. */
CTR_API bool ctr_canny_lead_default (CtrCanny *canny, CtrError *error);

/* Waits for the queued work, not for later work on STREAM, which may be gone. After a failure the contents of the picture are undefined. */
CTR_API bool ctr_canny_finish (CtrCanny *canny, CtrError *error);

CTR_API bool ctr_canny_run (CtrCanny *canny, const CtrImage *image, const CtrCannyParams *params,
    const CtrEdgePicture *picture, void *stream, CtrError *error);

CTR_END_DECLS

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Canny edge detection (Canny 1986; on GPUs Luo and Duraiswami 2008, Lam 2021: "Edge detection - Canny filter
 * implementation"). The edges equal those of cv::GaussianBlur() followed by cv::Canny() bit for bit, with complete
 * hysteresis. See contours.h for how to call an analyser.
 *
 * Samples of 16 bits are analysed in 8 bits, or with all their bits (native_depth). Natively, the edges equal those of
 * cv::GaussianBlur() on CV_16U, cv::Sobel() with BORDER_REPLICATE (for aperture 7 with a scale of 1/16) and
 * cv::Canny (dx, dy, ...) wherever these are exact: cv::Canny() takes gradients of 16 bits with a sign, and its test of
 * the direction overflows where |dx| is 27146 or more. All other gradients follow the same definition in wider integers:
 *   - the blur has round (8 sigma + 1) | 1 taps instead of round (6 sigma + 1) | 1, with weights of 1/65536;
 *   - gradients have 32 bits; the magnitude |dx| + |dy| has 32, and dx^2 + dy^2 has 64;
 *   - no threshold is limited to 32767. */
#ifndef CONTOURS_CANNY_H
#define CONTOURS_CANNY_H

#include <contours/image.h>

CTR_BEGIN_DECLS

#define CTR_CANNY_MAX_SIGMA 20.0
#define CTR_CANNY_MIN_BITS 8

/* The unit of shares: they are rounded to multiples of 1 / CTR_CANNY_SHARES. */
#define CTR_CANNY_SHARES 100000

/* Where the hysteresis thresholds come from. CTR_CANNY_OTSU and CTR_CANNY_MEDIAN derive them from each image's
 * histogram: that of its 8-bit samples before the blur. They are multiplied by the gain of the aperture (1, 12 and 160
 * for apertures 3, 5 and 7), so that a step edge of the same height is found with each aperture, and with native_depth
 * by 2^(significant_bits - 8).
 *
 * CTR_CANNY_RELATIVE takes shares of the greatest gradient magnitude of all pixels of the image. With the greatest
 * magnitude M in integers and a share of s / CTR_CANNY_SHARES, the threshold is floor (s M / CTR_CANNY_SHARES) for
 * |dx| + |dy|, and floor (s^2 M / CTR_CANNY_SHARES^2) for dx^2 + dy^2. */
typedef enum {
  CTR_CANNY_ABSOLUTE, /* low_threshold and high_threshold */
  CTR_CANNY_OTSU,     /* high: OpenCV's THRESH_OTSU value; low: half of it */
  CTR_CANNY_MEDIAN,   /* low: 0.67 times the (lower) median; high: 1.33 times the median, at most 255 */
  CTR_CANNY_RELATIVE  /* low_share and high_share of the greatest gradient magnitude */
} CtrCannyThresholdMode;

/* What the picture shows. The others than CTR_CANNY_EDGES give each pixel a grey value of 16 bits. Where the picture
 * has samples of 8 bits, they are its upper 8 bits. */
typedef enum {
  CTR_CANNY_EDGES,
  /* The gradient magnitude in the units of the thresholds, divided by the gain of the aperture and rounded down. The
   * unit is one grey level of the samples analysed, 8-bit or native ones. Greater values than white are white. */
  CTR_CANNY_GRADIENT,
  /* Where the magnitude exceeds the low threshold: the direction along which it must be a maximum. Left to right is
   * 64, upper left to lower right 128, up and down 192, upper right to lower left 255, times 257; elsewhere 0. */
  CTR_CANNY_DIRECTION,
  /* The candidates, the maxima that exceed the low threshold: strong ones, which exceed the high threshold, 65535, weak
   * ones 128 * 257; elsewhere 0. */
  CTR_CANNY_CANDIDATES
} CtrCannyOutput;

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
   * The upper 8 of these bits are analysed. Larger samples saturate. With native_depth, only CTR_CANNY_OTSU and
   * CTR_CANNY_MEDIAN use this number. */
  uint32_t significant_bits;
  /* Samples of 16 bits are analysed as they are. Thresholds have the unit of their gradient, so a threshold for 8-bit
   * samples is multiplied by 2^(significant_bits - 8). Without effect on other formats. */
  bool native_depth;
  double low_share,
      high_share; /* of CTR_CANNY_RELATIVE, 0 .. 1; if the low one is above the high one they are swapped */
  CtrCannyOutput output;
} CtrCannyParams;

/* Defaults: sigma 2, shares 0.2 and 0.4 (the paper's), thresholds 50 and 150, aperture 3, |dx| + |dy|, 16 significant
 * bits, analysed in 8 bits, absolute thresholds, edges. */
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
  /* Bytes of a sample, 1 or 2 (little endian); 0 stands for 1. Only for other outputs than CTR_CANNY_EDGES: each sample
   * of a pixel is then (value AND edge) OR (NOT value AND background), where the value is the greatest one of the
   * pixels that it covers. SOURCE is not used. */
  uint32_t sample_size;
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

/* CUDA backend: where the image that is queued and its edges are in device memory, for work that follows on STREAM. SAMPLES is
 * IMAGE, or its upload. EDGES has CTR_FORMAT_GRAY8, 255 on edges, else 0. They are to be left as they are, and exist until the
 * next ctr_canny_enqueue() and ctr_canny_free(), and as long as IMAGE and the picture do. Fails on the CPU backend, with another
 * output than CTR_CANNY_EDGES, and if no image is queued. */
CTR_API bool ctr_canny_get_device_views (const CtrCanny *canny, CtrImage *samples, CtrImage *edges, CtrError *error);

/* What the thresholds of one image were. As CTR_CANNY_ABSOLUTE thresholds, low and high find the same edges in it. */
typedef struct {
  double low, high;
  double greatest; /* the greatest gradient magnitude, in the same units, with CTR_CANNY_RELATIVE; otherwise 0 */
} CtrCannyThresholds;

/* The thresholds of the image that ctr_canny_finish() has completed last. */
CTR_API bool ctr_canny_get_thresholds (const CtrCanny *canny, CtrCannyThresholds *thresholds, CtrError *error);

CTR_END_DECLS

#endif

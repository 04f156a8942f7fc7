/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Canny edge detection (include/contours/canny.h): its plan, and where its stages are. Internal.
 *
 *   stage                           core                    cpu                    cuda
 *   arguments, plan, backend        canny/canny.c
 *   samples                         -                       common/luma.c          common/input_stage.cu
 *   rows of one thread              -                       canny/rows.c
 *   the same, of 16-bit samples     -                       canny/wide_rows.c
 *   derived thresholds              canny/thresholds.h      canny/canny.c          canny/thresholds.cu, canny/blurred.cu
 *   blur                            -                       canny/blur.c           canny/blur.cuh
 *   gradient, maxima                -                       canny/gradient.c       canny/gradient.cuh
 *   blur, gradient of 16 bits       -                       canny/wide.c           canny/wide_blur.cu, canny/wide_tiles.cu
 *   hysteresis                      -                       canny/hysteresis.c     common/run_union.cuh, canny/seams.cu
 *   edge picture                    canny/edge_picture.c    canny/canny.c          canny/tile_edges.cuh, canny/seams.cu
 *   other outputs                   canny/values.h          canny/canny.c          canny/values.cu
 *   host side of the GPU            -                       -                      canny/canny.cu
 *
 * The backends compute in integers only, as OpenCV does (section 2 of the paper):
 *
 *  1. Grey samples of 8 bits. 16-bit samples are converted by ctr_canny_grey(), or stay as they are: the plan is wide.
 *  2. Blur: (sum over rows and columns of weight * weight * sample + 2^15) >> 16. The image is extended by
 *     BORDER_REFLECT_101, repeatedly if necessary. The sum is rounded once, so the order of the passes is irrelevant.
 *     Wide: 2^31 and >> 32.
 *  3. Sobel operator, with the blurred image extended by BORDER_REPLICATE. For aperture 7 the result is divided by
 *     16 and rounded half to even.
 *  4. Magnitude m: |dx| + |dy|, or dx^2 + dy^2 (without the square root). Outside the image m is 0.
 *  5. A pixel is a candidate if m > low and m is a maximum along the gradient. With X = |dx|, Y = |dy|:
 *       32768 Y < 13573 X:           m > left and m >= right
 *       32768 Y > 13573 X + 65536 X: m > above and m >= below
 *       else, with s = -1 if dx and dy have different signs, or 1:
 *                                    m > m (x - s, y - 1) and m > m (x + s, y + 1)
 *  6. Edges are the 8-connected components of candidates that have at least one m > high. */
#ifndef CTR_CORE_CANNY_CANNY_H
#define CTR_CORE_CANNY_CANNY_H

#include "core/common/backend.h"

#include <contours/canny.h>

#ifdef __CUDACC__
#define CTR_CANNY_FUNC static inline __host__ __device__
#else
#define CTR_CANNY_FUNC static inline
#endif

/* The radii of the blur with CTR_CANNY_MAX_SIGMA. */
#define CTR_CANNY_MAX_RADIUS 60
#define CTR_CANNY_MAX_WIDE_RADIUS 80

typedef struct {
  uint32_t radius; /* of the blur; 0: no blur */
  bool wide;       /* samples of 16 bits are analysed as they are: wide_weights, else weights */
  union {
    uint8_t weights[2 * CTR_CANNY_MAX_RADIUS + 1];            /* 2 radius + 1 weights, with the sum 256 */
    uint16_t wide_weights[2 * CTR_CANNY_MAX_WIDE_RADIUS + 1]; /* with the sum 65536 */
  };
  uint32_t aperture;
  bool l2_gradient;
  CtrCannyThresholdMode threshold_mode;
  int64_t low, high;              /* thresholds on m, with CTR_CANNY_ABSOLUTE only */
  uint32_t low_share, high_share; /* with CTR_CANNY_RELATIVE only; in 1 / CTR_CANNY_SHARES */
  uint32_t sample_shift;          /* number of significant bits of 16-bit samples - 8 */
  CtrCannyOutput output;
} CtrCannyPlan;

/* Thresholds on m, as they were derived from an image. */
typedef struct {
  int64_t low, high;
  int64_t greatest; /* m, with CTR_CANNY_RELATIVE only; otherwise 0 */
} CtrCannyLimits;

CTR_BEGIN_DECLS

/* PARAMS are valid, and for an image of FORMAT. */
void ctr_canny_plan_init (CtrCannyPlan *plan, const CtrCannyParams *params, CtrFormat format);

/* The upper 8 significant bits of a 16-bit SAMPLE. */
CTR_CANNY_FUNC uint32_t
ctr_canny_grey (uint32_t sample, uint32_t sample_shift)
{
  const uint32_t grey = sample >> sample_shift;
  return grey < 255 ? grey : 255;
}

/* Are the planes of PICTURE valid for IMAGE, which is valid? */
bool ctr_edge_picture_check (const CtrEdgePicture *picture, const CtrImage *image, CtrError *error);

/* Paints the planes of PICTURE, in host memory, from MASK: a byte of 0 or 255 for each pixel of a WIDTH x HEIGHT image.
 * Skips a plane that is the mask itself. */
void ctr_edge_picture_paint (
    const CtrEdgePicture *picture, const uint8_t *mask, size_t mask_stride, uint32_t width, uint32_t height);

/* Painting in two steps, of which the first needs no edges: fills planes of PICTURE, in host memory, with their
 * background. */
void ctr_edge_picture_clear (const CtrEdgePicture *picture, uint32_t width, uint32_t height);

/* The second step: paints the edges from BITS. Bit i of word w of a row is pixel 64 w + i; bits behind the row are 0.
 * STRIDE: words from one row to the next. */
void ctr_edge_picture_draw (
    const CtrEdgePicture *picture, const uint64_t *bits, size_t stride, uint32_t width, uint32_t height);

/* Paints PICTURE, in host memory, from VALUES of 16 bits, one for each pixel: ROWS rows of WIDTH pixels from FIRST_ROW
 * on, which VALUES begins with. FIRST_ROW is a multiple of the rows that a pixel of any plane covers. STRIDE: values from
 * one row to the next. */
void ctr_edge_picture_paint_values (const CtrEdgePicture *picture, const uint16_t *values, size_t stride,
    uint32_t width, uint32_t first_row, uint32_t rows);

/* The core has checked the arguments. finish() waits, and completes a picture in host memory. enqueue() may be called
 * again before finish(): it then first completes the pending picture in host memory. */
typedef struct {
  CtrBackendOps base;
  bool (*enqueue) (void *state, const CtrImage *image, const CtrCannyPlan *plan, const CtrEdgePicture *picture,
      void *stream, CtrError *error);
  bool (*lead_default) (void *state, CtrError *error); /* only in the GPU backend */
  bool (*finish) (void *state, CtrError *error);
  /* The thresholds of the frame that finish() has completed last, whose plan derived them. */
  CtrCannyLimits (*limits) (const void *state);
  /* ctr_canny_get_device_views() of a queued image; only in the GPU backend. */
  void (*device_views) (const void *state, CtrImage *samples, CtrImage *edges);
} CtrCannyOps;

extern const CtrCannyOps ctr_canny_ops_cpu;
extern const CtrCannyOps ctr_canny_ops_cuda; /* only where CTR_HAVE_CUDA */

CTR_END_DECLS

/* Is PLANE a mask as ctr_edge_picture_init_mask() makes it? Then edges can be written to it directly. */
CTR_CANNY_FUNC bool
ctr_edge_plane_is_mask (const CtrEdgePlane *plane)
{
  return !plane->source && plane->pixel_size == 1 && plane->x_shift == 0 && plane->y_shift == 0 && plane->edge[0] == 255
         && plane->background[0] == 0;
}

/* Byte I of a pixel of PLANE, for other outputs than CTR_CANNY_EDGES. */
CTR_CANNY_FUNC uint8_t
ctr_edge_plane_blend (const CtrEdgePlane *plane, uint32_t i, uint16_t value)
{
  const uint8_t shown = (uint8_t) (plane->sample_size == 2 && i % 2 == 0 ? value : value >> 8);
  return (uint8_t) ((shown & plane->edge[i]) | (~shown & plane->background[i]));
}

#endif

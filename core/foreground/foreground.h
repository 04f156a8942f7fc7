/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Foreground masks (include/contours/foreground.h): where their stages are. Internal.
 *
 *   stage                           core                    cpu                      cuda
 *   arguments                       foreground/foreground.c
 *   channels, ranges of colours     foreground/colour.h     foreground/channels.c    foreground/levels.cu
 *   fixed, Otsu's, triangle's       common/otsu.h,          foreground/levels.c      foreground/levels.cu
 *   threshold                       foreground/triangle.h
 *   thresholds of neighbourhoods    foreground/gaussian.c   foreground/adaptive.c    foreground/adaptive.cu
 *                                                                                    foreground/gaussian.cu
 *   opening, closing                foreground/shapes.c     foreground/morphology.c  foreground/morphology.cu
 *   hysteresis, holes, border       -                       foreground/connected.c   foreground/connected.cu
 *   splitting of touching parts     foreground/split.h      foreground/distance.c    foreground/distance.cu
 *                                                           foreground/split.c       foreground/split.cu
 *   steps of a mask                 -                       foreground/foreground.c  foreground/foreground.cu
 *   the picture of a mask           foreground/mask.c       foreground/mask.c        foreground/mask.cu
 *   regions                         foreground/regions.h    foreground/regions.c     foreground/regions.cu
 *
 * A packed mask has a bit for each pixel. Bit i of the 32-bit word w of a row is pixel 32 w + i. Rows are multiples of 16
 * bytes, aligned to 16 bytes; bits behind the last pixel of a row are 0 (so on a little-endian host a row is an array of
 * 64-bit words as well).
 *
 * Hysteresis, holes and border are one operation, the reconstruction of a mask from a marker: the connected components
 * of the mask that have a pixel of the marker.
 *   hysteresis     mask: samples >= threshold; marker: samples >= upper_threshold; 4-connected
 *   fill_holes     mask: background; marker: its pixels on the image's border; 4-connected; what is not found is foreground
 *   clear_border   mask: foreground; marker: its pixels on the image's border; 8-connected; what is found is removed */
#ifndef CTR_CORE_FOREGROUND_FOREGROUND_H
#define CTR_CORE_FOREGROUND_FOREGROUND_H

#include "core/common/backend.h"

#include <contours/mask.h>

CTR_BEGIN_DECLS

/* Is FOREGROUND valid for IMAGE, which is valid? */
bool ctr_foreground_check (const CtrForeground *foreground, const CtrImage *image, CtrError *error);

/* The channels that FOREGROUND depends on: bit c for channel c. */
uint32_t ctr_foreground_channels (const CtrForeground *foreground);

/* Does FOREGROUND have thresholds of neighbourhoods? Hysteresis? Not if it has ranges. */
bool ctr_foreground_is_adaptive (const CtrForeground *foreground);
bool ctr_foreground_has_hysteresis (const CtrForeground *foreground);

/* Does FOREGROUND change the mask that its thresholds or ranges have made? */
bool ctr_foreground_has_steps (const CtrForeground *foreground);

/* Does FOREGROUND depend on more of an image than its luma? */
static inline bool
ctr_foreground_uses_colour (const CtrForeground *foreground)
{
  return ctr_foreground_channels (foreground) != 1u << CTR_CHANNEL_LUMA;
}

/* The threshold that results report where it is not found in the image. That of no regions is found nowhere. */
static inline uint32_t
ctr_foreground_given_threshold (const CtrForeground *foreground)
{
  if (foreground->regions && !foreground->ranges
      && (foreground->mode == CTR_THRESHOLD_OTSU || foreground->mode == CTR_THRESHOLD_TRIANGLE))
    return 1;
  const bool given = foreground->mode == CTR_THRESHOLD_FIXED || foreground->mode == CTR_THRESHOLD_HYSTERESIS;
  return given && !foreground->ranges ? foreground->threshold : 0;
}

/* The regions that are analysed; 0: the whole image, or nothing of it. */
static inline uint32_t
ctr_foreground_region_count (const CtrForeground *foreground)
{
  return foreground->regions ? ctr_regions_get_count (foreground->regions) : 0;
}

/* Bytes of a packed row. */
static inline size_t
ctr_packed_row (uint32_t width)
{
  return ((size_t) width + 127) / 128 * 16;
}

/* The rows of a structuring element: row I of SIZE has the pixels FIRST[I] to LAST[I], inclusive, relative to its left
 * side. The anchor is (SIZE / 2, SIZE / 2). */
typedef struct {
  uint32_t size;
  uint8_t first[CTR_MAX_SHAPE_SIZE], last[CTR_MAX_SHAPE_SIZE];
} CtrShapeRows;

/* OpenCV's getStructuringElement (SHAPE, Size (SIZE, SIZE)). */
void ctr_shape_rows (CtrShapeRows *rows, CtrShape shape, uint32_t size);

#define CTR_GAUSSIAN_BITS 23

/* The BLOCK_SIZE weights of CTR_THRESHOLD_ADAPTIVE_GAUSSIAN, with the sum 2^CTR_GAUSSIAN_BITS. gaussian.c defines the
 * mean. */
void ctr_gaussian_weights (uint32_t block_size, uint32_t *weights);

/* Weights that are kept from frame to frame; zeroed before first use. */
typedef struct {
  uint32_t block_size; /* 0: none yet */
  uint32_t weights[CTR_MAX_BLOCK_SIZE];
} CtrKeptWeights;

/* Makes KEPT those of BLOCK_SIZE, if they are not, and returns them. */
const uint32_t *ctr_gaussian_keep_weights (CtrKeptWeights *kept, uint32_t block_size);

/* The core has checked the arguments. As CtrCannyOps. */
typedef struct {
  CtrBackendOps base;
  bool (*enqueue) (void *state, const CtrImage *image, const CtrForeground *foreground, const CtrEdgePicture *picture,
      void *stream, CtrError *error);
  bool (*lead_default) (void *state, CtrError *error); /* only in the GPU backend */
  bool (*finish) (void *state, CtrError *error);
  uint32_t (*threshold) (const void *state);
} CtrMaskOps;

extern const CtrMaskOps ctr_mask_ops_cpu;
extern const CtrMaskOps ctr_mask_ops_cuda; /* only where CTR_HAVE_CUDA */

CTR_END_DECLS

#endif

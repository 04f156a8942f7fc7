/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The reference of edges follows the definition alone, slowly. It shares no code with the backends. */
#ifndef CTR_TESTS_CANNY_REFERENCE_H
#define CTR_TESTS_CANNY_REFERENCE_H

#include <contours/contours.h>

/* The edges of a host IMAGE: 255 or 0 a pixel, width * height, transfer full (free). */
uint8_t *reference_canny (const CtrImage *image, const CtrCannyParams *params);

/* The thresholds of IMAGE on |dx| + |dy| or dx^2 + dy^2, where gradients of aperture 7 are divided by 16, and the
 * greatest of these magnitudes. */
typedef struct {
  int64_t low, high, greatest;
} ReferenceLimits;

ReferenceLimits reference_canny_limits (const CtrImage *image, const CtrCannyParams *params);

/* The values of IMAGE for an output other than CTR_CANNY_EDGES: 16 bits a pixel, width * height, transfer full (free). */
uint16_t *reference_canny_values (const CtrImage *image, const CtrCannyParams *params);

/* Paints PICTURE, in host memory, from VALUES of WIDTH x HEIGHT. */
void reference_paint_values (const CtrEdgePicture *picture, const uint16_t *values, uint32_t width, uint32_t height);

/* Paints PICTURE, in host memory, from MASK of WIDTH x HEIGHT. */
void reference_paint (const CtrEdgePicture *picture, const uint8_t *mask, uint32_t width, uint32_t height);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The reference of edges follows the definition alone, slowly. It shares no code with the backends. */
#ifndef CTR_TESTS_CANNY_REFERENCE_H
#define CTR_TESTS_CANNY_REFERENCE_H

#include <contours/contours.h>

/* The edges of a host IMAGE: 255 or 0 a pixel, width * height, transfer full (free). */
uint8_t *reference_canny (const CtrImage *image, const CtrCannyParams *params);

/* Paints PICTURE, in host memory, from MASK of WIDTH x HEIGHT. */
void reference_paint (const CtrEdgePicture *picture, const uint8_t *mask, uint32_t width, uint32_t height);

#endif

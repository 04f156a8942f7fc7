/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The reference of masks follows the definition alone, slowly. It shares no code with the backends. */
#ifndef CTR_TESTS_FOREGROUND_REFERENCE_H
#define CTR_TESTS_FOREGROUND_REFERENCE_H

#include <contours/contours.h>

CTR_BEGIN_DECLS

/* The mask of a host IMAGE: 255 or 0 a pixel, width * height, transfer full (free). THRESHOLD may be NULL. */
uint8_t *reference_mask (const CtrImage *image, const CtrForeground *foreground, uint32_t *threshold);

/* Splits touching parts of MASK in place, a byte a pixel, with a depth in pixels. Returns how many parts there are. */
uint32_t reference_split (uint8_t *mask, uint32_t width, uint32_t height, double depth);

CTR_END_DECLS

#endif

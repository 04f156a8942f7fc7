/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Samples and Otsu's threshold by their definition, with which all references begin. */
#ifndef CTR_TESTS_COMMON_REFERENCE_H
#define CTR_TESTS_COMMON_REFERENCE_H

#include <contours/contours.h>

CTR_BEGIN_DECLS

/* The sample (or luma) of one pixel of a host image. */
uint32_t reference_sample (const CtrImage *image, uint32_t x, uint32_t y);

/* The Cb sample of a pixel of packed YUV, or with CR the Cr sample. */
uint32_t reference_packed_chroma (const CtrImage *image, bool cr, uint32_t x, uint32_t y);

/* Otsu's threshold of a host image, every level visited. */
uint32_t reference_otsu (const CtrImage *image);

CTR_END_DECLS

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Component analysis straight from its definition, pixel by pixel: what the backends are measured against. It shares no
 * code with them. */
#ifndef CTR_TESTS_REFERENCE_H
#define CTR_TESTS_REFERENCE_H

#include <contours/contours.h>

/* The sample (or luma) of one pixel of a host image. */
uint32_t reference_sample (const CtrImage *image, uint32_t x, uint32_t y);

/* Otsu's threshold of a host image, every level visited. */
uint32_t reference_otsu (const CtrImage *image);

/* transfer full: free with reference_free(), not with ctr_components_unref(). */
CtrComponents *reference_cca (const CtrImage *image, const CtrCcaParams *params);
void reference_free (CtrComponents *components);

#endif

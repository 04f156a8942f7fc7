/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The reference of components follows the definition alone, pixel by pixel. It shares no code with the backends. */
#ifndef CTR_TESTS_CCA_REFERENCE_H
#define CTR_TESTS_CCA_REFERENCE_H

#include <contours/contours.h>

/* transfer full: free with reference_components_free(), not with ctr_components_unref(). */
CtrComponents *reference_cca (const CtrImage *image, const CtrCcaParams *params);
void reference_components_free (CtrComponents *components);

/* The percentiles of COUNT components of a PART of IMAGE, whose label image is LABELS, from all samples in order. transfer full */
CtrComponentPercentiles *reference_percentiles (
    const CtrImage *image, const CtrRegion *part, const CtrComponent *table, uint32_t count, const uint32_t *labels);

/* The largest inscribed circles of COUNT components whose label image is LABELS, from the distance of each pixel to all others around
 * it. transfer full */
CtrComponentInscribed *reference_inscribed (uint32_t width, uint32_t height, uint32_t count, const uint32_t *labels);

/* The skeletons of COUNT components whose label image is LABELS, by the paper's rule and the list of what scikit-image has otherwise, of one
 * component after the other. transfer full */
CtrComponentSkeleton *reference_skeletons (
    uint32_t width, uint32_t height, const CtrComponent *table, uint32_t count, const uint32_t *labels);

/* The rings around COUNT components of a PART of IMAGE, whose label image is LABELS, by all pixels around each pixel. transfer full */
CtrComponentContrast *reference_contrast (
    const CtrImage *image, const CtrRegion *part, uint32_t count, const uint32_t *labels, uint32_t ring_width);

#endif

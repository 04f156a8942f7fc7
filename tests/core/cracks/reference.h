/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The reference of contours of levels follows the definition alone, level by level and pixel side by pixel side. It
 * shares no code with the backends. */
#ifndef CTR_TESTS_CRACKS_REFERENCE_H
#define CTR_TESTS_CRACKS_REFERENCE_H

#include "tests/core/results/contours.h"

/* The contours of a host IMAGE. Free with reference_contours_free(). */
Contours reference_cracks (const CtrImage *image, const CtrCracksParams *params);

/* The contours of each label from 1 to COUNT, each found alone, as those of a mask: LABELS are width * height. */
Contours reference_label_cracks (
    const uint32_t *labels, uint32_t width, uint32_t height, uint32_t count, const CtrCracksParams *params);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Edge chains by their definition in contours/edgechains.h, in another way than the backends find them: all links of a mask are
 * sorted into chains by union-find, and each chain is read from the smallest of all its starts. */
#ifndef CTR_TESTS_EDGECHAINS_REFERENCE_H
#define CTR_TESTS_EDGECHAINS_REFERENCE_H

#include "tests/core/results/contours.h"

/* The chains of MASK in host memory, without their subpixels (../borders/reference_subpixel.h has these);
 * reference_contours_free() frees them. */
Contours reference_edge_chains (const CtrImage *mask, const CtrEdgeChainsParams *params);

#endif

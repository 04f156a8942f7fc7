/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Contours of levels with the hierarchy over all levels, from its definition. It shares no code with the backends. */
#ifndef CTR_TESTS_CRACKS_NESTED_REFERENCE_H
#define CTR_TESTS_CRACKS_NESTED_REFERENCE_H

#include "tests/core/results/contours.h"

/* For reference_cracks(). */
Contours reference_nested_cracks (const CtrImage *image, const CtrCracksParams *params);

#endif

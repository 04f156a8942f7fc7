/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Is what bytes say of contours something that an analysis could have found? Internal.
 *
 * Readers of results rely on this: they follow indices and links without looking. */
#ifndef CTR_CORE_RESULTS_CHECKING_H
#define CTR_CORE_RESULTS_CHECKING_H

#include "core/results/contourlist.h"

CTR_BEGIN_DECLS

/* Each function returns NULL, or says what is wrong. */

/* Size, numbers and enumerations, before the arrays are known. */
const char *ctr_check_contours (const CtrContours *contours);

/* All arrays of the host: CONTOURS describes them. */
const char *ctr_check_contour_arrays (const CtrContours *contours, const CtrContourArrays *arrays);

const char *ctr_check_history (const CtrContours *contours, const CtrSnakeHistory *history);

CTR_END_DECLS

#endif

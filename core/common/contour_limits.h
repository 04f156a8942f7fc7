/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Limits on contours, from parameters to integers. Internal. */
#ifndef CTR_CORE_COMMON_CONTOUR_LIMITS_H
#define CTR_CORE_COMMON_CONTOUR_LIMITS_H

#include <contours/types.h>

CTR_BEGIN_DECLS

/* Is LIMIT one a user may set? NAME begins the error's sentence. */
bool ctr_contour_limit_check (const char *name, double limit, CtrError *error);

/* A limit in whole numbers of UNITs: the least one that, as a double, is LIMIT or more; the largest one that is LIMIT
 * or less, where 0 is no limit. UINT64_MAX where there is none. */
uint64_t ctr_contour_limit_min (double limit, double unit);
uint64_t ctr_contour_limit_max (double limit, double unit);

CTR_END_DECLS

#endif

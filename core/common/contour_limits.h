/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Limits on contours: from parameters in floating point to integers. Internal. */
#ifndef CTR_CORE_COMMON_CONTOUR_LIMITS_H
#define CTR_CORE_COMMON_CONTOUR_LIMITS_H

#include <contours/types.h>

CTR_BEGIN_DECLS

/* Is LIMIT valid? NAME is the subject of the error message. */
bool ctr_contour_limit_check (const char *name, double limit, CtrError *error);

/* LIMIT in units of UNIT. Minimum: the smallest integer that is LIMIT or more as a double. Maximum: the largest integer
 * that is LIMIT or less; UINT64_MAX if LIMIT is 0, which means no limit. */
uint64_t ctr_contour_limit_min (double limit, double unit);
uint64_t ctr_contour_limit_max (double limit, double unit);

CTR_END_DECLS

#endif

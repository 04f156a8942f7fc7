/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Failing with a message. Internal. */
#ifndef CTR_CORE_COMMON_ERROR_H
#define CTR_CORE_COMMON_ERROR_H

#include <contours/types.h>

CTR_BEGIN_DECLS

/* Fills ERROR (may be NULL) and returns false, so that callers can "return ctr_fail (...)". */
bool ctr_fail (CtrError *error, CtrStatus status, const char *format, ...) __attribute__ ((format (printf, 3, 4)));

CTR_END_DECLS

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/common/contour_limits.h"

#include "core/common/error.h"

#include <math.h>

bool
ctr_contour_limit_check (const char *name, double limit, CtrError *error)
{
  if (limit >= 0 && isfinite (limit))
    return true;
  return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT, "%s is %g: it must be 0 (no limit) or more", name, limit);
}

uint64_t
ctr_contour_limit_min (double limit, double unit)
{
  uint64_t low = 0, high = UINT64_MAX;
  while (low < high) {
    const uint64_t middle = low + (high - low) / 2;
    if ((double) middle * unit >= limit)
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

uint64_t
ctr_contour_limit_max (double limit, double unit)
{
  return limit > 0 ? ctr_contour_limit_min (nextafter (limit, INFINITY), unit) - 1 : UINT64_MAX;
}

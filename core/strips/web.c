/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/strips/web.h"

#include "core/common/error.h"
#include "core/foreground/foreground.h"

bool
ctr_web_init (CtrWeb *web, uint32_t max_open_rows, CtrError *error)
{
  *web = (CtrWeb){.max_open_rows = max_open_rows};
  return (max_open_rows >= 1 && max_open_rows < CTR_MAX_SIDE)
         || ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT, "the maximum of open rows is %u: it must be from 1 to %d",
             max_open_rows, CTR_MAX_SIDE - 1);
}

bool
ctr_web_check (const CtrWeb *web, const CtrImage *image, CtrError *error)
{
  if (web->width && image->width != web->width)
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT,
        "the strip is %u pixels wide, and those before it %u: end the web before the width changes", image->width,
        web->width);
  return image->height <= CTR_MAX_SIDE - web->max_open_rows
         || ctr_fail (error, CTR_ERROR_TOO_LARGE,
             "a strip of %u rows and a maximum of %u open rows are more than %d rows: reduce the maximum or the strips",
             image->height, web->max_open_rows, CTR_MAX_SIDE);
}

bool
ctr_web_check_foreground (const CtrForeground *foreground, CtrError *error)
{
  if (foreground->regions)
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT,
        "strips are analysed as a whole, without regions: leave out the regions, or strip-mode");
  return ctr_foreground_is_plain (foreground)
         || ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT,
             "the foreground of strips is that of one threshold on the luma, fixed or Otsu's: neighbourhoods, "
             "connected "
             "parts and colours are not joined at the seams; leave out all other properties of the foreground, or "
             "strip-mode");
}

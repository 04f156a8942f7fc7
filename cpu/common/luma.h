/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The luma of packed RGB. Internal. */
#ifndef CTR_CPU_COMMON_LUMA_H
#define CTR_CPU_COMMON_LUMA_H

#include <contours/image.h>

static inline bool
ctr_format_is_rgb (CtrFormat format)
{
  return format >= CTR_FORMAT_RGB;
}

/* Converts WIDTH pixels of packed RGB to luma, as defined for CtrFormat. */
void ctr_luma_row (CtrFormat format, const uint8_t *pixels, uint32_t width, uint8_t *luma);

#endif

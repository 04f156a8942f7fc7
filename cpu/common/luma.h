/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The luma of packed RGB and packed YUV. Internal. */
#ifndef CTR_CPU_COMMON_LUMA_H
#define CTR_CPU_COMMON_LUMA_H

#include "core/common/format.h"

/* The luma of WIDTH pixels of packed RGB or packed YUV, as defined for CtrFormat. */
void ctr_luma_row (CtrFormat format, const uint8_t *pixels, uint32_t width, uint8_t *luma);

#endif

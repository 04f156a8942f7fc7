/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cpu/luma.h"

/* Constant offsets let the compiler make one tight loop per format. */
static inline __attribute__ ((always_inline)) void
luma_row (const uint8_t *pixels, uint32_t width, uint8_t *luma, int size, int red, int green, int blue)
{
  for (uint32_t x = 0; x < width; x++, pixels += size)
    luma[x] = (uint8_t) ((4899u * pixels[red] + 9617u * pixels[green] + 1868u * pixels[blue] + 8192u) >> 14);
}

void
ctr_luma_row (CtrFormat format, const uint8_t *pixels, uint32_t width, uint8_t *luma)
{
  switch (format) {
    case CTR_FORMAT_RGB:
      luma_row (pixels, width, luma, 3, 0, 1, 2);
      break;
    case CTR_FORMAT_BGR:
      luma_row (pixels, width, luma, 3, 2, 1, 0);
      break;
    case CTR_FORMAT_RGBX:
      luma_row (pixels, width, luma, 4, 0, 1, 2);
      break;
    case CTR_FORMAT_BGRX:
      luma_row (pixels, width, luma, 4, 2, 1, 0);
      break;
    case CTR_FORMAT_XRGB:
      luma_row (pixels, width, luma, 4, 1, 2, 3);
      break;
    case CTR_FORMAT_XBGR:
      luma_row (pixels, width, luma, 4, 3, 2, 1);
      break;
    case CTR_FORMAT_GRAY8:
    case CTR_FORMAT_GRAY16:
      break;
  }
}

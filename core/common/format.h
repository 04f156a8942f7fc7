/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Kinds of formats, and where packed YUV has its samples. Internal. */
#ifndef CTR_CORE_COMMON_FORMAT_H
#define CTR_CORE_COMMON_FORMAT_H

#include <contours/image.h>

/* Are the pixels red, green and blue? */
static inline bool
ctr_format_is_rgb (CtrFormat format)
{
  return format >= CTR_FORMAT_RGB && format <= CTR_FORMAT_XBGR;
}

static inline bool
ctr_format_is_packed_yuv (CtrFormat format)
{
  return format >= CTR_FORMAT_YUYV && format <= CTR_FORMAT_VYUY;
}

/* Is there a plane of grey samples only after its luma has been taken from the pixels? */
static inline bool
ctr_format_is_packed (CtrFormat format)
{
  return format >= CTR_FORMAT_RGB;
}

/* The bytes of the four samples in a pair of pixels of packed YUV. */
typedef struct {
  uint8_t luma; /* of the first pixel; that of the second one is two bytes behind it */
  uint8_t cb, cr;
} CtrYuvOrder;

static inline CtrYuvOrder
ctr_yuv_order (CtrFormat format)
{
  const uint8_t luma = format == CTR_FORMAT_UYVY || format == CTR_FORMAT_VYUY;
  const bool reversed = format == CTR_FORMAT_YVYU || format == CTR_FORMAT_VYUY;
  CtrYuvOrder order;
  order.luma = luma;
  order.cb = (uint8_t) (1 - luma + (reversed ? 2 : 0));
  order.cr = (uint8_t) (1 - luma + (reversed ? 0 : 2));
  return order;
}

/* Where the chroma of IMAGE is: that of packed YUV in its pixels, unless it has been copied to planes. */
static inline CtrChroma
ctr_image_chroma (const CtrImage *image)
{
  CtrChroma chroma = image->chroma;
  if (ctr_format_is_packed_yuv (image->format) && !chroma.cb) {
    const CtrYuvOrder order = ctr_yuv_order (image->format);
    chroma.cb = (const uint8_t *) image->data + order.cb;
    chroma.cr = (const uint8_t *) image->data + order.cr;
    chroma.stride = image->stride;
    chroma.step = 4;
    chroma.shift_x = 1;
    chroma.shift_y = 0;
  }
  return chroma;
}

#endif

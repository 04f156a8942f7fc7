/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <contours/image.h>

#include "core/common/error.h"
#include "core/common/format.h"

size_t
ctr_format_pixel_size (CtrFormat format)
{
  switch (format) {
    case CTR_FORMAT_GRAY8:
      return 1;
    case CTR_FORMAT_GRAY16:
    case CTR_FORMAT_YUYV:
    case CTR_FORMAT_YVYU:
    case CTR_FORMAT_UYVY:
    case CTR_FORMAT_VYUY:
      return 2;
    case CTR_FORMAT_RGB:
    case CTR_FORMAT_BGR:
      return 3;
    case CTR_FORMAT_RGBX:
    case CTR_FORMAT_BGRX:
    case CTR_FORMAT_XRGB:
    case CTR_FORMAT_XBGR:
      return 4;
  }
  return 0;
}

size_t
ctr_format_row_size (CtrFormat format, uint32_t width)
{
  const size_t pixels = ctr_format_is_packed_yuv (format) ? ((size_t) width + 1) & ~(size_t) 1 : width;
  return pixels * ctr_format_pixel_size (format);
}

bool
ctr_image_check (const CtrImage *image, CtrError *error)
{
  if (!image || !image->data)
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT, "the image has no pixels: data is NULL");
  if (image->width == 0 || image->height == 0)
    return ctr_fail (
        error, CTR_ERROR_INVALID_ARGUMENT, "the image is empty: %u x %u pixels", image->width, image->height);
  if (image->width > CTR_MAX_SIDE || image->height > CTR_MAX_SIDE)
    return ctr_fail (error, CTR_ERROR_TOO_LARGE, "the image is too large: %u x %u pixels, at most %d per side",
        image->width, image->height, CTR_MAX_SIDE);
  if (ctr_format_pixel_size (image->format) == 0)
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT, "unknown image format %d", (int) image->format);
  if (image->memory != CTR_MEMORY_HOST && image->memory != CTR_MEMORY_DEVICE)
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT, "unknown image memory %d", (int) image->memory);
  const size_t row = ctr_format_row_size (image->format, image->width);
  if (image->stride < row)
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT, "the stride of %zu bytes is shorter than a row of %zu bytes",
        image->stride, row);
  if (image->format == CTR_FORMAT_GRAY16 && (((uintptr_t) image->data | image->stride) & 1))
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT, "16-bit samples must be 2-byte aligned, in every row");
  return true;
}

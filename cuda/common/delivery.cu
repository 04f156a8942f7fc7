/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cuda/common/delivery.cuh"

#include <string.h>

void
delivery_init (Delivery *delivery)
{
  memset (delivery, 0, sizeof *delivery);
  delivery->host.pinned = true;
}

void
delivery_free (Delivery *delivery)
{
  ctr_device_buffer_free (&delivery->host);
  ctr_device_buffer_free (&delivery->picture);
}

static bool
is_own (const CtrImage *image)
{
  return image->memory == CTR_MEMORY_HOST || (image->format != CTR_FORMAT_GRAY8 && image->format != CTR_FORMAT_GRAY16);
}

static size_t
picture_size (const CtrImage *image)
{
  return !image || is_own (image)
             ? 0
             : ctr_aligned_row (image->width * ctr_format_pixel_size (image->format)) * image->height;
}

bool
delivery_reserve (Delivery *delivery, const CtrImage *image, size_t size, CtrError *error)
{
  return ctr_device_buffer_reserve (&delivery->host, DELIVERY_HEADER + size, error)
         && ctr_device_buffer_reserve (&delivery->picture, picture_size (image), error);
}

bool
delivery_has_room (const Delivery *delivery, const CtrImage *image, size_t size)
{
  return DELIVERY_HEADER + size <= delivery->host.size && picture_size (image) <= delivery->picture.size;
}

PictureCopy
delivery_copy_of (const Delivery *delivery, const CtrImage *image, const CtrImage *plane)
{
  PictureCopy copy = {};
  if (!plane->data || is_own (image) || image->data == delivery->picture.data)
    return copy;
  copy.from = (const uint8_t *) plane->data;
  copy.to = (uint8_t *) delivery->picture.data;
  copy.stride = plane->stride;
  copy.row = plane->width * ctr_format_pixel_size (plane->format);
  copy.to_stride = ctr_aligned_row (copy.row);
  copy.height = plane->height;
  return copy;
}

CtrImage
delivery_image (const PictureCopy &copy, const CtrImage *plane)
{
  CtrImage image = *plane;
  if (copy.from) {
    image.data = copy.to;
    image.stride = copy.to_stride;
  }
  return image;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/core/common/reference.h"

#include <stdlib.h>
#include <string.h>

uint32_t
reference_sample (const CtrImage *image, uint32_t x, uint32_t y)
{
  const uint8_t *p = (const uint8_t *) image->data + y * image->stride + x * ctr_format_pixel_size (image->format);
  uint32_t r, g, b;
  uint16_t wide;
  switch (image->format) {
    case CTR_FORMAT_GRAY8:
      return p[0];
    case CTR_FORMAT_GRAY16:
      memcpy (&wide, p, 2);
      return wide;
    case CTR_FORMAT_YUYV:
    case CTR_FORMAT_YVYU:
      return p[0];
    case CTR_FORMAT_UYVY:
    case CTR_FORMAT_VYUY:
      return p[1];
    case CTR_FORMAT_RGB:
    case CTR_FORMAT_RGBX:
      r = p[0], g = p[1], b = p[2];
      break;
    case CTR_FORMAT_BGR:
    case CTR_FORMAT_BGRX:
      b = p[0], g = p[1], r = p[2];
      break;
    case CTR_FORMAT_XRGB:
      r = p[1], g = p[2], b = p[3];
      break;
    case CTR_FORMAT_XBGR:
      b = p[1], g = p[2], r = p[3];
      break;
    default:
      abort ();
  }
  return (9798 * r + 19235 * g + 3735 * b + 16384) >> 15;
}

uint32_t
reference_packed_chroma (const CtrImage *image, bool cr, uint32_t x, uint32_t y)
{
  const uint8_t *pair = (const uint8_t *) image->data + y * image->stride + x / 2 * 4;
  switch (image->format) {
    case CTR_FORMAT_YUYV:
      return pair[cr ? 3 : 1];
    case CTR_FORMAT_YVYU:
      return pair[cr ? 1 : 3];
    case CTR_FORMAT_UYVY:
      return pair[cr ? 2 : 0];
    case CTR_FORMAT_VYUY:
      return pair[cr ? 0 : 2];
    default:
      abort ();
  }
}

uint32_t
reference_otsu (const CtrImage *image)
{
  const uint32_t levels = image->format == CTR_FORMAT_GRAY16 ? 65536 : 256;
  const double epsilon = 1.1920928955078125e-07;
  double *histogram = calloc (levels, sizeof *histogram);
  double mean = 0;
  for (uint32_t y = 0; y < image->height; y++)
    for (uint32_t x = 0; x < image->width; x++) {
      uint32_t sample = reference_sample (image, x, y);
      histogram[sample]++;
      mean += sample;
    }
  const double scale = 1 / ((double) image->width * image->height);
  mean *= scale;
  double below = 0, mean_below = 0, best = 0;
  uint32_t threshold = 0;
  for (uint32_t i = 0; i < levels; i++) {
    double p = histogram[i] * scale;
    mean_below *= below;
    below += p;
    double above = 1 - below;
    double smaller = below < above ? below : above, larger = below < above ? above : below;
    if (smaller < epsilon || larger > 1 - epsilon)
      continue;
    mean_below = (mean_below + i * p) / below;
    double mean_above = (mean - below * mean_below) / above;
    double variance = below * above * (mean_below - mean_above) * (mean_below - mean_above);
    if (variance > best) {
      best = variance;
      threshold = i;
    }
  }
  free (histogram);
  return threshold + 1;
}

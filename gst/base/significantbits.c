/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/base/significantbits.h"

#include <contours/cancel.h>

GParamSpec *
significant_bits_property_new (GParamFlags flags)
{
  return g_param_spec_uint ("significant-bits", "Significant bits",
      "Significant bits of GRAY16_LE samples, counted from the lowest, 8 to 16 (0 = automatic: 10, 12, 14 or 16, from "
      "the largest sample)",
      0, SIGNIFICANT_BITS_ALL, 0, flags);
}

guint
significant_bits_clamp (GstElement *element, guint value)
{
  if (value == 0 || value >= SIGNIFICANT_BITS_MIN)
    return value;
  GST_WARNING_OBJECT (element, "significant-bits=%u is not supported: using 8; set it to 0 or to 8..16", value);
  return SIGNIFICANT_BITS_MIN;
}

guint
significant_bits_of_format (const GstVideoFormatInfo *format)
{
  if (GST_VIDEO_FORMAT_INFO_FORMAT (format) == GST_VIDEO_FORMAT_GRAY16_LE)
    return 0;
  return GST_VIDEO_FORMAT_INFO_DEPTH (format, 0) + GST_VIDEO_FORMAT_INFO_SHIFT (format, 0);
}

/* The bitwise or of all samples: it has as many bits as the largest sample. */
static guint
join_samples (const CtrImage *image)
{
  guint16 joined = 0;

  for (guint y = 0; y < image->height && joined < 1 << 14 && !ctr_cancelled (); y++) {
    const guint16 *row = (const guint16 *) ((const guint8 *) image->data + y * image->stride);
    for (guint x = 0; x < image->width; x++)
      joined |= row[x];
  }
  return joined;
}

guint
significant_bits_find (const CtrImage *image, guint known)
{
  guint bits = 10, joined;

  if (known == SIGNIFICANT_BITS_ALL)
    return known;
  joined = join_samples (image);
  while (joined >> bits)
    bits += 2;
  return MAX (bits, known);
}

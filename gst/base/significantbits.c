/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gst/base/significantbits.h"

#include <contours/cancel.h>

#if GST_CHECK_VERSION(1, 25, 1)
#define HAVE_GRAY10_LE16
#endif

GParamSpec *
significant_bits_property_new (GParamFlags flags)
{
  return g_param_spec_uint ("significant-bits", "Significant bits",
      "Significant bits of GRAY16_LE samples, counted from the lowest, 8 to 16 (0 = automatic: 10, 12, 14 or 16, from "
      "the largest sample so far)",
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

gboolean
significant_bits_vary (GstVideoFormat format)
{
#ifdef HAVE_GRAY10_LE16
  if (format == GST_VIDEO_FORMAT_GRAY10_LE16)
    return TRUE;
#endif
  return format == GST_VIDEO_FORMAT_GRAY16_LE;
}

/* The bitwise or of all samples: it has as many bits as the largest sample. */
static guint
join_samples (const GstVideoFrame *frame)
{
  const guint width = GST_VIDEO_FRAME_WIDTH (frame), height = GST_VIDEO_FRAME_HEIGHT (frame);
  guint16 joined = 0;

  for (guint y = 0; y < height && joined < 1 << 14 && !ctr_cancelled (); y++) {
    const guint16 *row = (const guint16 *) ((const guint8 *) GST_VIDEO_FRAME_PLANE_DATA (frame, 0)
                                            + (gsize) y * GST_VIDEO_FRAME_PLANE_STRIDE (frame, 0));
    for (guint x = 0; x < width; x++)
      joined |= row[x];
  }
  return joined;
}

guint
significant_bits_find (const GstVideoFrame *frame, guint known)
{
  guint bits = 10, joined;

#ifdef HAVE_GRAY10_LE16
  if (GST_VIDEO_FRAME_FORMAT (frame) == GST_VIDEO_FORMAT_GRAY10_LE16)
    return 10;
#endif
  if (known == SIGNIFICANT_BITS_ALL)
    return known;
  joined = join_samples (frame);
  while (joined >> bits)
    bits += 2;
  return MAX (bits, known);
}

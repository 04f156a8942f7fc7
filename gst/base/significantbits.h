/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How many bits of their 16-bit samples frames use. Cameras of 10, 12 and 14 bits deliver GRAY16_LE with these bits at
 * the lower end, and the caps do not tell how many they are. */
#ifndef GST_BASE_SIGNIFICANTBITS_H
#define GST_BASE_SIGNIFICANTBITS_H

#include <gst/video/video.h>

G_BEGIN_DECLS

#define SIGNIFICANT_BITS_MIN 8
#define SIGNIFICANT_BITS_ALL 16

/* A property of elements that scale samples to 8 bits, or colours to samples: 0 is automatic. */
GParamSpec *significant_bits_property_new (GParamFlags flags);

/* What ELEMENT makes of a VALUE of that property: less than SIGNIFICANT_BITS_MIN bits are warned about and set to it.
 */
guint significant_bits_clamp (GstElement *element, guint value);

/* May the samples of FORMAT's 16 bits lie at the lower end? Else all of them are used. */
gboolean significant_bits_vary (GstVideoFormat format);

/* The bits that FRAME, in host memory and of such a format, needs in any case: 10, 12, 14 or 16, by its greatest sample
 * or its format, and not less than KNOWN. */
guint significant_bits_find (const GstVideoFrame *frame, guint known);

G_END_DECLS

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Significant bits of 16-bit samples. Cameras with 10, 12 or 14 bits deliver GRAY16_LE with the value in the lower
 * bits, and caps cannot express how many bits are significant. */
#ifndef GST_BASE_SIGNIFICANTBITS_H
#define GST_BASE_SIGNIFICANTBITS_H

#include <gst/video/video.h>

G_BEGIN_DECLS

#define SIGNIFICANT_BITS_MIN 8
#define SIGNIFICANT_BITS_ALL 16

/* The property significant-bits of elements that scale samples to 8 bits, or colours to samples. 0: automatic. */
GParamSpec *significant_bits_property_new (GParamFlags flags);

/* VALUE, raised to SIGNIFICANT_BITS_MIN with a warning of ELEMENT if it is below; 0 stays. */
guint significant_bits_clamp (GstElement *element, guint value);

/* Whether the samples of FORMAT may use only the lower of their 16 bits. */
gboolean significant_bits_vary (GstVideoFormat format);

/* The significant bits of FRAME, 10, 12, 14 or 16, from its format or largest sample, and at least KNOWN. FRAME is in
 * host memory and significant_bits_vary() holds for its format. */
guint significant_bits_find (const GstVideoFrame *frame, guint known);

G_END_DECLS

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Significant bits of 16-bit samples. Cameras with 10, 12 or 14 bits deliver GRAY16_LE with the value in the lower
 * bits, and caps cannot express how many bits are significant. */
#ifndef GST_BASE_SIGNIFICANTBITS_H
#define GST_BASE_SIGNIFICANTBITS_H

#include <contours/image.h>
#include <gst/video/video.h>

G_BEGIN_DECLS

#define SIGNIFICANT_BITS_MIN 8
#define SIGNIFICANT_BITS_ALL 16

/* The property significant-bits of elements that take the upper bits of samples, or need the largest possible one. 0:
 * automatic. */
GParamSpec *significant_bits_property_new (GParamFlags flags);

/* VALUE, raised to SIGNIFICANT_BITS_MIN with a warning of ELEMENT if it is below; 0 stays. */
guint significant_bits_clamp (GstElement *element, guint value);

/* The bits that the samples of FORMAT's first component use, counted from the lowest, those below its own included: 16
 * for P010, whose 10 bits are the upper ones. 0: the format does not tell. CUDA memory has no such format. */
guint significant_bits_of_format (const GstVideoFormatInfo *format);

/* The significant bits of IMAGE, of 16-bit samples in host memory, 10, 12, 14 or 16, from its largest sample, and at
 * least KNOWN. */
guint significant_bits_find (const CtrImage *image, guint known);

G_END_DECLS

#endif

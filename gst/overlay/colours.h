/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The overlay's colours, and a video frame as a picture to paint them into. */
#ifndef GST_OVERLAY_COLOURS_H
#define GST_OVERLAY_COLOURS_H

#include <contours/paint.h>
#include <gst/video/video.h>

G_BEGIN_DECLS

/* The table of colours has one of the user's choice; seven for things that have no order (Okabe and Ito, "Color
 * universal design"), which people with any kind of colour blindness can tell apart; black and white for edges around
 * what lies on its own colour; and a scale for things that have an order, from dark blue to yellow (viridis, without
 * its darkest part), whose lightness rises all the way. */
enum {
  OVERLAY_COLOUR_FIXED = 0,
  OVERLAY_COLOUR_IDS = 1,
  OVERLAY_COLOUR_ID_COUNT = 7,
  OVERLAY_COLOUR_BLACK = OVERLAY_COLOUR_IDS + OVERLAY_COLOUR_ID_COUNT,
  OVERLAY_COLOUR_WHITE,
  OVERLAY_COLOUR_SCALE,
  OVERLAY_COLOUR_SCALE_COUNT = CTR_PAINT_COLOURS - OVERLAY_COLOUR_SCALE
};

/* 0xRRGGBB of table entry INDEX; FIXED: the user's choice. */
guint overlay_colours_get_rgb (guint index, guint fixed);

/* Black or white, whichever contrasts more with table entry INDEX. */
guint8 overlay_colours_get_edge (guint8 index, guint fixed);

/* Fills a table of CTR_PAINT_COLOURS for frames like INFO. BITS: of 16-bit grey samples, the lower ones that are used.
 */
void overlay_colours_fill (CtrPaintColour *colours, const GstVideoInfo *info, guint bits, guint fixed);

/* FRAME, mapped for writing, as a picture. */
void overlay_picture_init (CtrPaintPicture *picture, GstVideoFrame *frame, CtrMemory memory);

G_END_DECLS

#endif

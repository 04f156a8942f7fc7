/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The overlay's colour table in a video format, and a video frame as the picture to paint on. */
#ifndef GST_OVERLAY_COLOURS_H
#define GST_OVERLAY_COLOURS_H

#include "gst/overlay/layers.h"

#include <contours/paint.h>
#include <gst/video/video.h>

G_BEGIN_DECLS

/* The colour table has the colour that the user chose; a categorical palette of seven colours (Okabe and Ito, "Color
 * universal design"), which people with any kind of colour blindness can tell apart; black and white for edges around
 * marks; and a sequential colour map, viridis without its darkest part, whose lightness rises throughout. */
enum {
  OVERLAY_COLOUR_FIXED = 0,
  OVERLAY_COLOUR_IDS = 1,
  OVERLAY_COLOUR_ID_COUNT = 7,
  OVERLAY_COLOUR_BLACK = OVERLAY_COLOUR_IDS + OVERLAY_COLOUR_ID_COUNT,
  OVERLAY_COLOUR_WHITE,
  OVERLAY_COLOUR_SCALE,
  OVERLAY_COLOUR_SCALE_COUNT = CTR_PAINT_COLOURS - OVERLAY_COLOUR_SCALE
};

/* 0xRRGGBB of table entry INDEX; FIXED is the colour that the user chose. */
guint overlay_colours_get_rgb (guint index, guint fixed);

/* Black or white, whichever has the higher contrast to table entry INDEX. */
guint8 overlay_colours_get_edge (guint8 index, guint fixed);

/* Fills a table of CTR_PAINT_COLOURS for frames like INFO. BITS: significant bits of 16-bit grey samples. */
void overlay_colours_fill (CtrPaintColour *colours, const GstVideoInfo *info, guint bits, guint fixed);

/* Describes FRAME, which is mapped for writing, as a picture. */
void overlay_picture_init (CtrPaintPicture *picture, GstVideoFrame *frame, CtrMemory memory);

/* Gives PICTURE, a frame like INFO, its background, from the table COLOURS. Fails if it cannot be transparent. */
gboolean overlay_picture_set_background (CtrPaintPicture *picture, const GstVideoInfo *info,
    OverlayBackground background, const CtrPaintColour *colours, CtrError *error);

G_END_DECLS

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the overlay's colours stand for. */
#ifndef GST_OVERLAY_LEGEND_H
#define GST_OVERLAY_LEGEND_H

#include "gst/overlay/text.h"

#include <gst/video/video.h>

G_BEGIN_DECLS

/* Appends to GLYPHS plates in the colours of SCALE with what they stand for, in the lower left corner of a frame like
 * INFO. OPEN_ENDED: there may be levels above the scale's last one, which have its colour. Adds nothing where the
 * colours have no order. */
void overlay_legend_add (
    OverlayText *text, GArray *glyphs, const CtrColouring *scale, gboolean open_ended, const GstVideoInfo *info);

G_END_DECLS

#endif

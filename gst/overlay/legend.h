/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The legend of a colour scale. */
#ifndef GST_OVERLAY_LEGEND_H
#define GST_OVERLAY_LEGEND_H

#include "gst/overlay/text.h"

#include <gst/video/video.h>

G_BEGIN_DECLS

/* Appends to GLYPHS the legend of SCALE in the lower left corner of a frame like INFO: plates in its colours with their
 * values. OPEN_ENDED: levels above the last one have its colour. Appends nothing if the colours are not a scale. */
void overlay_legend_add (
    OverlayText *text, GArray *glyphs, const CtrColouring *scale, gboolean open_ended, const GstVideoInfo *info);

G_END_DECLS

#endif

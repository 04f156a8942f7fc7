/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Boxes of metadata that any element may attach: regions of interest and detections. */
#ifndef GST_OVERLAY_BOXES_H
#define GST_OVERLAY_BOXES_H

#include "gst/overlay/marks.h"

G_BEGIN_DECLS

/* Adds boxes, labels and dimensions of the regions of interest and the detections in BUFFER that the style wants. */
void overlay_boxes_add (const OverlayFrame *frame, GstBuffer *buffer);

G_END_DECLS

#endif

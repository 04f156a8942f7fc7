/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The mapping of a meta in the units of the painter. */
#ifndef GST_OVERLAY_MAPPING_H
#define GST_OVERLAY_MAPPING_H

#include <contours/paint.h>
#include <gst/contours/gstcontours.h>

G_BEGIN_DECLS

/* Converts MAPPING to fixed point. Returns FALSE if it is out of range: the result would be far outside the frame. */
gboolean overlay_mapping_to_paint (const GstContoursMapping *mapping, CtrPaintMapping *paint);

/* Area in the frame of one pixel of the analysed image. */
gdouble overlay_mapping_area_scale (const GstContoursMapping *mapping);

/* Twice the area in the analysed image that corresponds to AREA in the frame, rounded up. */
guint64 overlay_mapping_min_area2 (const GstContoursMapping *mapping, gdouble area);

/* The least number of pixels of the analysed image that have AREA in the frame. */
guint32 overlay_mapping_min_pixels (const GstContoursMapping *mapping, gdouble area);

G_END_DECLS

#endif

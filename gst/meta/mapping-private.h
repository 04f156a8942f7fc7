/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Transformations of the frame, inside the library. */
#ifndef __GST_CONTOURS_MAPPING_PRIVATE_H__
#define __GST_CONTOURS_MAPPING_PRIVATE_H__

#include <gst/gst.h>
#include <gst/contours/gstcontoursmapping.h>
#include <math.h>

G_BEGIN_DECLS

/* Initialises MAPPING with the identity. */
G_GNUC_INTERNAL
void gst_contours_mapping_init (GstContoursMapping *mapping, guint width, guint height);

/* Applies the transformation TYPE with DATA, the arguments of a GstMetaTransformFunction, to MAPPING. Returns FALSE if
 * the transformation of positions is unknown; the metadata must be dropped then. */
G_GNUC_INTERNAL
gboolean gst_contours_mapping_transform (
    const GstContoursMapping *mapping, GQuark type, gpointer data, GstContoursMapping *transformed);

/* Whether M scales lengths in all directions alike, by hypot (xx, yx). */
static inline gboolean
scales_evenly (const GstContoursMapping *m)
{
  return fabs (m->xx) == fabs (m->yy) && fabs (m->xy) == fabs (m->yx) && m->xx * m->xy + m->yx * m->yy == 0;
}

G_END_DECLS

#endif /* __GST_CONTOURS_MAPPING_PRIVATE_H__ */

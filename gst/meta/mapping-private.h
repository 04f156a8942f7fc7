/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the metadata types share inside the library: following the frame through transformations. */
#ifndef __GST_CONTOURS_MAPPING_PRIVATE_H__
#define __GST_CONTOURS_MAPPING_PRIVATE_H__

#include <gst/gst.h>
#include <gst/contours/gstcontoursmapping.h>

G_BEGIN_DECLS

/* The analysed image is the frame itself. */
G_GNUC_INTERNAL
void gst_contours_mapping_init (GstContoursMapping *mapping, guint width, guint height);

/* The mapping after the metadata transformation TYPE with its DATA, as a GstMetaTransformFunction gets them. FALSE: the
 * metadata must be dropped, since nothing tells where its positions went. */
G_GNUC_INTERNAL
gboolean gst_contours_mapping_transform (
    const GstContoursMapping *mapping, GQuark type, gpointer data, GstContoursMapping *transformed);

G_END_DECLS

#endif /* __GST_CONTOURS_MAPPING_PRIVATE_H__ */

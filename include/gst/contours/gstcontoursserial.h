/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef __GST_CONTOURS_SERIAL_H__
#define __GST_CONTOURS_SERIAL_H__

#include <gst/contours/gstcomponentmeta.h>
#include <gst/contours/gstcontourmeta.h>

G_BEGIN_DECLS

GST_CONTOURS_API
GBytes *gst_contours_component_meta_serialize (GstContoursComponentMeta *meta, GError **error);

GST_CONTOURS_API
GBytes *gst_contours_contour_meta_serialize (GstContoursContourMeta *meta, GError **error);

GST_CONTOURS_API
gboolean gst_buffer_deserialize_contours_meta (GstBuffer *buffer, GBytes *bytes, GError **error);

G_END_DECLS

#endif /* __GST_CONTOURS_SERIAL_H__ */

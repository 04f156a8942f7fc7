/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GST_ELEMENTS_GSTCONTOUREXPORT_H
#define GST_ELEMENTS_GSTCONTOUREXPORT_H

#include <gst/base/gstbasetransform.h>

G_BEGIN_DECLS

#define GST_TYPE_CONTOUR_EXPORT (gst_contour_export_get_type ())
G_DECLARE_FINAL_TYPE (GstContourExport, gst_contour_export, GST, CONTOUR_EXPORT, GstBaseTransform)

GST_ELEMENT_REGISTER_DECLARE (contourexport);

G_END_DECLS

#endif

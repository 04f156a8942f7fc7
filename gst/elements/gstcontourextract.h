/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GST_ELEMENTS_GSTCONTOUREXTRACT_H
#define GST_ELEMENTS_GSTCONTOUREXTRACT_H

#include <gst/gst.h>

G_BEGIN_DECLS

#define GST_TYPE_CONTOUR_EXTRACT (gst_contour_extract_get_type ())
G_DECLARE_FINAL_TYPE (GstContourExtract, gst_contour_extract, GST, CONTOUR_EXTRACT, GstElement)

GST_ELEMENT_REGISTER_DECLARE (contourextract);

G_END_DECLS

#endif

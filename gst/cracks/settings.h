/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The types of cudacrackcontour's properties, and which of their values do not go together. */
#ifndef GST_CRACKS_SETTINGS_H
#define GST_CRACKS_SETTINGS_H

#include <contours/cracks.h>
#include <glib-object.h>

G_BEGIN_DECLS

#define GST_TYPE_CUDA_CRACK_CONTOUR_MODE (gst_cuda_crack_contour_mode_get_type ())
GType gst_cuda_crack_contour_mode_get_type (void);

#define GST_TYPE_CUDA_CRACK_CONTOUR_CONNECTIVITY (gst_cuda_crack_contour_connectivity_get_type ())
GType gst_cuda_crack_contour_connectivity_get_type (void);

#define GST_TYPE_CUDA_CRACK_CONTOUR_BORDER (gst_cuda_crack_contour_border_get_type ())
GType gst_cuda_crack_contour_border_get_type (void);

#define GST_TYPE_CUDA_CRACK_CONTOUR_HIERARCHY (gst_cuda_crack_contour_hierarchy_get_type ())
GType gst_cuda_crack_contour_hierarchy_get_type (void);

/* The warning about values that give no contours, or NULL (transfer full). HAS_LIST: a list replaces the range of levels.
 */
gchar *crack_settings_describe_error (const CtrCracksParams *params, gboolean has_list);

G_END_DECLS

#endif

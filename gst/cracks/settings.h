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

#define GST_TYPE_CUDA_CRACK_CONTOUR_FEATURES (gst_cuda_crack_contour_features_get_type ())
GType gst_cuda_crack_contour_features_get_type (void);

/* What is traced. */
typedef enum { CRACK_TRACE_FRAME, CRACK_TRACE_LABELS, CRACK_TRACE_SEGMENTATION } CrackTrace;

#define GST_TYPE_CUDA_CRACK_CONTOUR_TRACE (gst_cuda_crack_contour_trace_get_type ())
GType gst_cuda_crack_contour_trace_get_type (void);

/* Installs the properties of the tree of all levels, with these ids. */
void crack_settings_install_tree (
    GObjectClass *object_class, guint hierarchy, guint min_persistence, guint max_depth, GParamFlags flags);

/* Installs the property trace. */
void crack_settings_install_trace (GObjectClass *object_class, guint id, GParamFlags flags);

/* The warning about values that give no contours, or NULL (transfer full). HAS_LIST: a list replaces the range of levels.
 */
gchar *crack_settings_describe_error (const CtrCracksParams *params, gboolean has_list);

/* Likewise with CRACK_TRACE_LABELS or CRACK_TRACE_SEGMENTATION, where levels have no effect. HAS_LABELS: the frame has the label
 * image that is traced, if one is. */
gchar *crack_settings_describe_label_error (const CtrCracksParams *params, gboolean has_labels);

G_END_DECLS

#endif

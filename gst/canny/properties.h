/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The types of cudacanny's properties. */
#ifndef GST_CANNY_PROPERTIES_H
#define GST_CANNY_PROPERTIES_H

#include <glib-object.h>

G_BEGIN_DECLS

#define GST_TYPE_CUDA_CANNY_THRESHOLD_MODE (gst_cuda_canny_threshold_mode_get_type ())
GType gst_cuda_canny_threshold_mode_get_type (void);

#define GST_TYPE_CUDA_CANNY_DEPTH (gst_cuda_canny_depth_get_type ())
GType gst_cuda_canny_depth_get_type (void);

#define GST_TYPE_CUDA_CANNY_OUTPUT (gst_cuda_canny_output_get_type ())
GType gst_cuda_canny_output_get_type (void);

#define GST_TYPE_CUDA_CANNY_SUBPIXEL (gst_cuda_canny_subpixel_get_type ())
GType gst_cuda_canny_subpixel_get_type (void);

enum { DEPTH_8_BIT, DEPTH_NATIVE };

enum { OUTPUT_EDGES, OUTPUT_MASK, OUTPUT_GRADIENT, OUTPUT_DIRECTION, OUTPUT_CANDIDATES };

G_END_DECLS

#endif

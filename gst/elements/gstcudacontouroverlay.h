/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GST_ELEMENTS_GSTCUDACONTOUROVERLAY_H
#define GST_ELEMENTS_GSTCUDACONTOUROVERLAY_H

#include "gst/base/gstcontoursfilter.h"

G_BEGIN_DECLS

#define GST_TYPE_CUDA_CONTOUR_OVERLAY (gst_cuda_contour_overlay_get_type ())
G_DECLARE_FINAL_TYPE (GstCudaContourOverlay, gst_cuda_contour_overlay, GST, CUDA_CONTOUR_OVERLAY, GstContoursFilter)

GST_ELEMENT_REGISTER_DECLARE (cudacontouroverlay)

G_END_DECLS

#endif

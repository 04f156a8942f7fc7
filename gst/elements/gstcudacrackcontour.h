/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GST_ELEMENTS_GSTCUDACRACKCONTOUR_H
#define GST_ELEMENTS_GSTCUDACRACKCONTOUR_H

#include "gst/base/gstcontoursfilter.h"

G_BEGIN_DECLS

#define GST_TYPE_CUDA_CRACK_CONTOUR (gst_cuda_crack_contour_get_type ())
G_DECLARE_FINAL_TYPE (GstCudaCrackContour, gst_cuda_crack_contour, GST, CUDA_CRACK_CONTOUR, GstContoursFilter)

GST_ELEMENT_REGISTER_DECLARE (cudacrackcontour)

G_END_DECLS

#endif

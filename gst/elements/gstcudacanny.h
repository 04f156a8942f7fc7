/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GST_ELEMENTS_GSTCUDACANNY_H
#define GST_ELEMENTS_GSTCUDACANNY_H

#include "gst/base/gstcontoursfilter.h"

G_BEGIN_DECLS

#define GST_TYPE_CUDA_CANNY (gst_cuda_canny_get_type ())
G_DECLARE_FINAL_TYPE (GstCudaCanny, gst_cuda_canny, GST, CUDA_CANNY, GstContoursFilter)

GST_ELEMENT_REGISTER_DECLARE (cudacanny)

G_END_DECLS

#endif

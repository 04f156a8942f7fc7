/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GST_ELEMENTS_GSTCUDABACKGROUND_H
#define GST_ELEMENTS_GSTCUDABACKGROUND_H

#include "gst/base/gstcontoursfilter.h"

G_BEGIN_DECLS

#define GST_TYPE_CUDA_BACKGROUND (gst_cuda_background_get_type ())
G_DECLARE_FINAL_TYPE (GstCudaBackground, gst_cuda_background, GST, CUDA_BACKGROUND, GstContoursFilter)

GST_ELEMENT_REGISTER_DECLARE (cudabackground)

G_END_DECLS

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GST_ELEMENTS_GSTCUDAFOREGROUND_H
#define GST_ELEMENTS_GSTCUDAFOREGROUND_H

#include "gst/base/gstforegroundfilter.h"

G_BEGIN_DECLS

#define GST_TYPE_CUDA_FOREGROUND (gst_cuda_foreground_get_type ())
G_DECLARE_FINAL_TYPE (GstCudaForeground, gst_cuda_foreground, GST, CUDA_FOREGROUND, GstForegroundFilter)

GST_ELEMENT_REGISTER_DECLARE (cudaforeground)

G_END_DECLS

#endif

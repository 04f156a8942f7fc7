/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GST_ELEMENTS_GSTCUDABORDERS_H
#define GST_ELEMENTS_GSTCUDABORDERS_H

#include "gst/base/gstforegroundfilter.h"

G_BEGIN_DECLS

#define GST_TYPE_CUDA_BORDERS (gst_cuda_borders_get_type ())
G_DECLARE_FINAL_TYPE (GstCudaBorders, gst_cuda_borders, GST, CUDA_BORDERS, GstForegroundFilter)

GST_ELEMENT_REGISTER_DECLARE (cudaborders)

G_END_DECLS

#endif

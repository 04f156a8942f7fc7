/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GST_ELEMENTS_GSTCUDASNAKE_H
#define GST_ELEMENTS_GSTCUDASNAKE_H

#include "gst/base/gstcontoursfilter.h"

G_BEGIN_DECLS

#define GST_TYPE_CUDA_SNAKE (gst_cuda_snake_get_type ())
G_DECLARE_FINAL_TYPE (GstCudaSnake, gst_cuda_snake, GST, CUDA_SNAKE, GstContoursFilter)

GST_ELEMENT_REGISTER_DECLARE (cudasnake)

G_END_DECLS

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GST_ELEMENTS_GSTCUDACCA_H
#define GST_ELEMENTS_GSTCUDACCA_H

#include "gst/base/gstforegroundfilter.h"

G_BEGIN_DECLS

#define GST_TYPE_CUDA_CCA (gst_cuda_cca_get_type ())
G_DECLARE_FINAL_TYPE (GstCudaCca, gst_cuda_cca, GST, CUDA_CCA, GstForegroundFilter)

GST_ELEMENT_REGISTER_DECLARE (cudacca)

G_END_DECLS

#endif

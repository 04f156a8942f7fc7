/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The table of the functions that are compiled together with this file. */
#include "cpu/canny/kernels.h"
#include "cpu/common/simd.h"

const CtrCannyKernels CTR_KERNEL (ctr_canny_kernels) = {
    .widen_row = CTR_KERNEL (ctr_widen_row),
    .blur_down = CTR_KERNEL (ctr_blur_down),
    .blur_across = CTR_KERNEL (ctr_blur_across),
    .gradient_row = CTR_KERNEL (ctr_gradient_row),
    .maxima_row = CTR_KERNEL (ctr_maxima_row),
};

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Rings around components on the GPU. */
#ifndef CTR_CUDA_CCA_CONTRAST_CUH
#define CTR_CUDA_CCA_CONTRAST_CUH

#include "cuda/cca/device_state.cuh"

/* Queues the kernel, behind those that write the label image, if the rings are asked for. WIDTH: of a ring. */
bool cca_queue_contrast (const CcaKernelArgs &f, uint32_t width, cudaStream_t stream, CtrError *error);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Skeletons of components on the GPU. */
#ifndef CTR_CUDA_CCA_SKELETON_CUH
#define CTR_CUDA_CCA_SKELETON_CUH

#include "cuda/cca/columns.cuh"
#include "cuda/cca/thinning.cuh"

/* Queues the kernels, behind those of the columns, if the skeletons are asked for. */
bool cca_queue_skeletons (
    const CcaKernelArgs &f, const ColumnArgs &c, const ThinningArgs &t, cudaStream_t stream, CtrError *error);

#endif

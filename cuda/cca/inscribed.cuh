/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Largest inscribed circles of components on the GPU: what their kernels share. */
#ifndef CTR_CUDA_CCA_INSCRIBED_CUH
#define CTR_CUDA_CCA_INSCRIBED_CUH

#include "cuda/cca/columns.cuh"

/* Pointers are to device memory. */
struct InscribedArgs {
  struct {
    unsigned long long *bounds; /* a key that the row's greatest one reaches at least */
    unsigned long long *keys;   /* the greatest one so far */
  } by_row;                     /* [table.capacity] */
  size_t row_bytes;             /* bytes of BY_ROW, which each frame sets to 0 first */
};

/* Takes the arrays of P for the frame F in an arena. */
size_t cca_lay_out_inscribed (const CcaKernelArgs *f, InscribedArgs *p, uint8_t *base);

/* Queues the kernels, behind those of the columns, if the circles are asked for. */
bool cca_queue_inscribed (
    const CcaKernelArgs &f, const ColumnArgs &c, const InscribedArgs &p, cudaStream_t stream, CtrError *error);

#endif

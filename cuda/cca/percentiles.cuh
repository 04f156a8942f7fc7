/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Percentiles of the samples of components on the GPU: what their kernels share. */
#ifndef CTR_CUDA_CCA_PERCENTILES_CUH
#define CTR_CUDA_CCA_PERCENTILES_CUH

#include "cuda/cca/device_state.cuh"

constexpr int PLACE_THREADS = 512; /* of the place kernel: a thread a row */

/* Pointers are to device memory. All are NULL if the samples of a component are equal. */
struct PercentileArgs {
  struct {
    unsigned long long *states; /* look-back of the place kernel, [table.capacity / PLACE_THREADS + 1] */
    uint32_t *ticket;           /* CTAs of the place kernel that have begun */
    uint32_t *long_rows;        /* number of LISTED */
    size_t size;                /* bytes: these arrays, which each frame sets to 0 first */
  } counts;
  struct {
    uint32_t *ends;   /* of the row's samples so far */
    uint32_t *listed; /* rows with more samples than a warp has lanes, in any order */
  } by_row;           /* [table.capacity] */
  uint16_t *samples;  /* of the components: those of one lie side by side. [pixels] */
};

/* Takes the arrays of P for the frame F in an arena. */
size_t cca_lay_out_percentiles (const CcaKernelArgs *f, PercentileArgs *p, uint8_t *base);

/* Queues the kernels, behind those that write the label image, if the percentiles are asked for. */
bool cca_queue_percentiles (const CcaKernelArgs &f, const PercentileArgs &p, cudaStream_t stream, CtrError *error);

#endif

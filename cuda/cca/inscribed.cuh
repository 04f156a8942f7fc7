/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Largest inscribed circles of components on the GPU: what their kernels share. */
#ifndef CTR_CUDA_CCA_INSCRIBED_CUH
#define CTR_CUDA_CCA_INSCRIBED_CUH

#include "cuda/cca/device_state.cuh"

constexpr uint32_t INSCRIBED_BAND = 32; /* rows whose changes are a word */

/* Pointers are to device memory. */
struct InscribedArgs {
  uint32_t *
      changes; /* bit: the pixel in this row of the band has another label than the one above it. [height / 32 + 1][width] */
  uint16_t *columns; /* by pixel: its distance within the column */
  struct {
    unsigned long long *bounds; /* a key that the row's greatest one reaches at least */
    unsigned long long *keys;   /* the greatest one so far */
  } by_row;                     /* [table.capacity] */
  size_t row_bytes;             /* bytes of BY_ROW, which each frame sets to 0 first */
};

/* Takes the arrays of P for the frame F in an arena. */
size_t cca_lay_out_inscribed (const CcaKernelArgs *f, InscribedArgs *p, uint8_t *base);

/* Queues the kernels, behind those that write the label image, if the circles are asked for. */
bool cca_queue_inscribed (const CcaKernelArgs &f, const InscribedArgs &p, cudaStream_t stream, CtrError *error);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Percentiles of the samples of components on the GPU: what their kernels share. */
#ifndef CTR_CUDA_CCA_PERCENTILES_CUH
#define CTR_CUDA_CCA_PERCENTILES_CUH

#include "cuda/cca/device_state.cuh"

#include "core/results/component_values.h"

constexpr int PLACE_THREADS = 512; /* of the place kernel: a thread a row */

constexpr uint32_t PART_SAMPLES = 16384; /* that a CTA counts, of a row that has more: a large one */

/* A large row. LEFT: of its parts, those that have not been counted. BINS: of lower bytes, of a percentile's upper byte each;
 * the last ones of upper bytes. */
struct LargeRow {
  uint32_t row, first_part, left, padding;
  uint32_t bins[CTR_PERCENTILES + 1][256];
};

/* Pointers are to device memory. All are NULL if the samples of a component are equal. */
struct PercentileArgs {
  struct {
    unsigned long long *states; /* look-back of the place kernel, [table.capacity / PLACE_THREADS + 1] */
    uint32_t *ticket;           /* CTAs of the place kernel that have begun */
    uint32_t *long_rows;        /* number of LISTED */
    uint32_t *large_rows;       /* number of BY_LARGE */
    uint32_t *parts;            /* number of BY_PART */
    size_t size;                /* bytes: these arrays, which each frame sets to 0 first */
  } counts;
  struct {
    uint32_t *ends;   /* of the row's samples so far */
    uint32_t *listed; /* rows with more samples than a warp has lanes, in any order */
  } by_row;           /* [table.capacity] */
  LargeRow *by_large; /* in any order */
  uint32_t *by_part;  /* the large row of each part, one row's side by side */
  uint16_t *samples;  /* of the components: those of one lie side by side. [pixels] */
};

/* Takes the arrays of P for the frame F in an arena. */
size_t cca_lay_out_percentiles (const CcaKernelArgs *f, PercentileArgs *p, uint8_t *base);

/* Queues the kernels, behind those that write the label image, if the percentiles are asked for. */
bool cca_queue_percentiles (const CcaKernelArgs &f, const PercentileArgs &p, cudaStream_t stream, CtrError *error);

#endif

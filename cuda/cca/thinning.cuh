/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Thinning of the components of the label image on the GPU, each by itself. */
#ifndef CTR_CUDA_CCA_THINNING_CUH
#define CTR_CUDA_CCA_THINNING_CUH

#include "cuda/cca/device_state.cuh"

#include "core/cca/skeleton.h"

constexpr uint32_t THINNING_WORD = 32; /* pixels */

/* All are 0 when the kernel starts. */
struct ThinningCounters {
  unsigned long long ticket; /* tiles that CTAs have taken, round by round */
  unsigned long long done;   /* of these, those that are complete */
  uint32_t changed;          /* the last round that has removed pixels, from 1; 0: none */
};

/* A word's pixels that have the same label as a neighbour, by neighbour. */
struct ThinningLinks {
  uint4 to_north; /* CTR_NORTH and the next three */
  uint4 to_south; /* CTR_SOUTH and the next three */
};

/* Pointers are to device memory. */
struct ThinningArgs {
  uint32_t words;       /* of a row */
  ThinningLinks *links; /* by word */
  uint32_t *
      pixels[2]; /* by word: those that remain, before and after a round in turn. In the end both have the skeletons. */
  uint32_t tiles_x, tiles_y;
  uint8_t *changed[2]; /* by tile: has a round removed pixels of it? Of the round before and the present one in turn */
  ThinningCounters *counters;
};

/* Takes the arrays of T for the frame F in an arena. */
size_t cca_lay_out_thinning (const CcaKernelArgs *f, ThinningArgs *t, uint8_t *base);

/* Queues the kernels, behind those that write the label image. */
bool cca_queue_thinning (const CcaKernelArgs &f, const ThinningArgs &t, cudaStream_t stream, CtrError *error);

#endif

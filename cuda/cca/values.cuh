/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Components of equal samples (CTR_COMPONENTS_EQUAL) on the GPU: the data that passes between their kernels.
 *
 *   tile kernel      Labels a tile of 64 x 32 pixels in shared memory.
 *   seam kernel      Unites the components that touch across the seams between tiles.
 *   number kernel    Gives every pixel its root, and numbers the roots in raster order.
 *   sum kernel       Adds up the pixels of each component.
 *   row kernel       Applies the area limits and writes the table.
 *   label kernel     On request: the label image.
 *
 * The kernels of the foreground pack pixels to bits and keep runs apart by gaps. Here any two neighbours may differ, so a
 * tile may have as many components as pixels, and the union-find has an element a pixel: the array that becomes the label
 * image. A pixel's index is y * width + x, and the least index of a component is its root, so roots ascend in raster
 * order. */
#ifndef CTR_CUDA_CCA_VALUES_CUH
#define CTR_CUDA_CCA_VALUES_CUH

#include "cuda/cca/device_state.cuh"

constexpr uint32_t NO_COMPONENT = ~0u; /* the parent of a background pixel; no image has a pixel of this index */
constexpr int NUMBER_THREADS = 256;
constexpr int NUMBER_PIXELS = NUMBER_THREADS * 32; /* of a CTA of the number kernel: a word a thread */
constexpr int ROW_THREADS = 256;
constexpr int ROWS_A_THREAD = 4;
constexpr int ROW_COMPONENTS = ROW_THREADS * ROWS_A_THREAD; /* of a CTA of the row kernel */

/* All are set to 0 by the tile kernel. */
struct ValueCounters {
  uint32_t number_ticket, row_ticket;
  uint32_t found; /* components, before area limits */
};

/* Pointers are to device memory. Components have numbers, from 0, in the order of their roots. */
struct ValueArgs {
  int32_t background;
  uint32_t *parents; /* by pixel; then its root or, at last, the label image */
  struct {
    uint32_t *roots;   /* bit: this pixel is a root */
    uint32_t *numbers; /* roots before this word */
  } by_word;           /* of 32 consecutive pixel indices */
  struct {
    OpenSums *sums;
    uint32_t *roots; /* pixels */
    CtrComponentMoments *moments;
    uint32_t *labels;                /* after the area limits; 0: dropped */
  } by_component;                    /* f.closed.capacity */
  unsigned long long *number_states; /* look-back, [pixels / NUMBER_PIXELS] */
  unsigned long long *row_states;    /* [f.closed.capacity / ROW_COMPONENTS] */
  ValueCounters *counters;
};

/* Takes the arrays of V for the frame F in an arena. */
size_t cca_lay_out_values (const CcaKernelArgs *f, bool moments, ValueArgs *v, uint8_t *base);

/* Queues the kernels. */
void cca_launch_values (const CcaKernelArgs &f, const ValueArgs &v, int connectivity, cudaStream_t stream);

#endif

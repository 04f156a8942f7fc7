/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Distances within the columns of the label image on the GPU: what inscribed circles and skeletons begin with. */
#ifndef CTR_CUDA_CCA_COLUMNS_CUH
#define CTR_CUDA_CCA_COLUMNS_CUH

#include "cuda/cca/device_state.cuh"

constexpr uint32_t COLUMN_BAND = 32; /* rows whose changes are a word */

/* Pointers are to device memory. */
struct ColumnArgs {
  uint32_t *
      changes; /* bit: the pixel in this row of the band has another label than the one above it. [height / 32 + 1][width] */
  uint16_t *columns; /* by pixel: its distance within the column. NULL: not asked for */
};

/* The row of an image that a search for the nearest pixel with another label goes along. */
struct LabelRow {
  const uint32_t *labels;
  const uint16_t *columns;
  uint32_t width, y;

  __device__
  LabelRow (const CcaKernelArgs &f, const ColumnArgs &c, uint32_t y)
      : labels (f.by_pixel.labels + (size_t) y * f.width), columns (c.columns + (size_t) y * f.width), width (f.width),
        y (y)
  {
  }

  /* The squared distance of a pixel with LABEL by way of the column of X, ASIDE pixels away, if less than FOUND. */
  __device__ uint32_t
  nearer (uint32_t found, uint32_t label, uint32_t x, uint32_t aside) const
  {
    const uint32_t column = x < width && labels[x] == label ? columns[x] : 0; /* also of one before the first */
    return min (found, aside * aside + column * column);
  }
};

/* Takes the arrays of C for the frame F in an arena. */
size_t cca_lay_out_columns (const CcaKernelArgs *f, ColumnArgs *c, uint8_t *base);

/* Queues the kernels, behind those that write the label image, if the distances are asked for. */
void cca_queue_columns (const CcaKernelArgs &f, const ColumnArgs &c, cudaStream_t stream);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The model of a background on the GPU, and the kernels that learn and correct.
 *
 * A thread has 16 bytes of a row: 16 samples of 8 bits, or 8 of 16. Rows of the model are whole vectors of these, so only
 * the image and the corrected picture are checked for alignment and for the end of a row. The averages of a vector are
 * spread over its row: its i-th four lie in the i-th part of the row, where neighbouring threads have neighbouring fours. */
#ifndef CTR_CUDA_BACKGROUND_PLANES_CUH
#define CTR_CUDA_BACKGROUND_PLANES_CUH

#include "cuda/common/device_buffer.cuh"
#include "cuda/common/launch.cuh"

#include "core/background/background.h"

constexpr uint32_t BACKGROUND_VECTOR = 16; /* bytes */

/* One pass over an image. */
struct BackgroundPass {
  const uint8_t *samples;
  size_t stride; /* bytes, as all strides here */
  uint8_t *corrected;
  size_t corrected_stride;
  uint32_t width, height; /* in samples */
  uint32_t row_size;      /* bytes of samples in a row of the image */
  uint32_t vectors;       /* of a row */
  bool aligned;           /* Rows of the image begin at multiples of a vector; */
  bool corrected_aligned; /* likewise those of the corrected picture. */

  /* The model, of which there is what it needs. Its rows of samples have VECTORS vectors. */
  float *average;
  uint8_t *plane;   /* the background */
  uint8_t *history; /* images, one behind the other */

  CtrBackgroundMode mode;
  CtrBackgroundModel model;
  bool start, learn; /* as in the plan */
  bool correct;      /* Otherwise the background is added to SUM. */
  float rate, keep;
  uint32_t slot, count, frames, zeros; /* of the median */
  int32_t offset;
  uint32_t limit;
  unsigned long long *sum; /* of CTR_BACKGROUND_DIVIDE */
};

/* Samples have 16 bits if WIDE. */
void background_launch_pass (const BackgroundPass &pass, bool wide, cudaStream_t stream);

/* Puts LUMA into pixels of packed RGB of PIXEL bytes. The three from byte FIRST on are colours; the other one, if any, is
 * that of SOURCE. */
struct BackgroundSpread {
  const uint8_t *luma;
  size_t luma_stride;
  const uint8_t *source;
  size_t source_stride;
  uint8_t *pixels;
  size_t stride;
  uint32_t width, height, luma_width; /* WIDTH has the pixel that ends a pair of packed YUV */
  uint32_t pixel, first, colours;     /* bytes of a pixel; where its luma begins; how many bytes have it */
};

void background_launch_spread (const BackgroundSpread &spread, cudaStream_t stream);

#endif

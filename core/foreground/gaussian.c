/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The weights of CTR_THRESHOLD_ADAPTIVE_GAUSSIAN.
 *
 * The mean of a pixel is S / 4^CTR_GAUSSIAN_BITS, rounded to the nearest integer, halves to even, where S is the exact sum of
 * weight (row) * weight (column) * sample over the block. With 16 bits S is below 2^62.
 *
 * OpenCV takes the weights of getGaussianKernel (block_size, 0) as float, filters rows and then columns in float, and
 * rounds. Up to a block size of 9 its weights are fixed multiples of 1/256. They are exact here as well, and so are OpenCV's
 * sums: all masks are the same. For a larger block of b x b pixels let u be 2^-24, and M the largest sample.
 *   - Here a weight differs from the true one by at most 2 u: by its rounding error, of at most u, and by the one that it takes
 *     over from its neighbour; the centre takes over those of both sides. So a mean differs by at most 2 * 2 u b M.
 *   - In OpenCV a weight has a relative error of u, and a sum of b positive products one of at most b u. So a mean differs by
 *     at most 2 (b + 1) u M.
 * The two means differ by less than (6 b + 4) u M: 0.001 at b = 11 and 0.024 at b = 255, with 8 bits. The mask of a pixel
 * differs only where OpenCV's mean is as close as that to the middle between two integers. The test foreground-oracle looks
 * for that; in its images it is one pixel of two million.
 */
#include "core/foreground/foreground.h"

#include <math.h>

enum { FIXED_SIZES = 9 };

/* OpenCV's weights of small blocks, in 1/256, from the end to the centre. */
static const uint8_t fixed_weights[4][5] = {{64, 128}, {16, 64, 96}, {8, 28, 56, 72}, {4, 13, 30, 51, 60}};

void
ctr_gaussian_weights (uint32_t block_size, uint32_t *weights)
{
  const uint32_t radius = block_size / 2, unit = UINT32_C (1) << CTR_GAUSSIAN_BITS;
  const double sigma = 0.3 * ((block_size - 1) * 0.5 - 1) + 0.8;
  double kernel[CTR_MAX_BLOCK_SIZE / 2 + 1], sum = 0, error = 0;
  uint32_t centre = unit;

  for (uint32_t i = 0; i <= radius; i++) {
    const double x = (double) radius - i;
    kernel[i] = block_size <= FIXED_SIZES ? fixed_weights[radius - 1][i] : exp (-0.5 * x * x / (sigma * sigma));
    sum += i < radius ? 2 * kernel[i] : kernel[i];
  }
  for (uint32_t i = 0; i < radius; i++) {
    const double wanted = unit * (kernel[i] / sum) + error, weight = nearbyint (wanted);
    error = wanted - weight;
    weights[i] = weights[2 * radius - i] = (uint32_t) weight;
    centre -= 2 * (uint32_t) weight;
  }
  weights[radius] = centre;
}

const uint32_t *
ctr_gaussian_keep_weights (CtrKeptWeights *kept, uint32_t block_size)
{
  if (kept->block_size != block_size)
    ctr_gaussian_weights (block_size, kept->weights);
  kept->block_size = block_size;
  return kept->weights;
}

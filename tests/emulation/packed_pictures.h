/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Packed masks on the device, for the tests of the kernels that work on them. A source includes cuda/foreground/foreground.h
 * first, which the emulator has elsewhere. */
#ifndef EMULATED_PACKED_PICTURES_H
#define EMULATED_PACKED_PICTURES_H

#include "tests/core/common/testing.h"

#include <stdlib.h>
#include <string.h>

namespace
{

Random rng = {18};
cudaStream_t stream;
bool quick;

/* One byte a pixel. */
struct Picture8 {
  uint32_t width, height;
  uint8_t *pixels;

  uint8_t
  at (int x, int y, uint8_t outside) const
  {
    return x < 0 || y < 0 || x >= (int) width || y >= (int) height ? outside : pixels[(size_t) y * width + x];
  }
};

Picture8
picture_new (uint32_t width, uint32_t height)
{
  return {width, height, (uint8_t *) calloc ((size_t) width * height, 1)};
}

constexpr uint8_t FILLING = 0xa5; /* of memory that does not belong to a mask */

/* Words of garbage behind each row: rows stay aligned to 16 bytes. */
PackedMask
packed_new (uint32_t width, uint32_t height)
{
  PackedMask mask = {NULL, ctr_packed_row (width) + 16 * random_below (&rng, 3), width, height};
  CHECK (cudaMalloc ((void **) &mask.bits, mask.stride * height) == cudaSuccess);
  cudaMemsetAsync (mask.bits, FILLING, mask.stride * height, stream);
  return mask;
}

PackedMask
pack (const Picture8 *picture)
{
  const PackedMask mask = packed_new (picture->width, picture->height);
  uint8_t *rows = (uint8_t *) malloc (mask.stride * mask.height);
  memset (rows, FILLING, mask.stride * mask.height);
  for (uint32_t y = 0; y < mask.height; y++) {
    uint8_t *row = rows + y * mask.stride;
    memset (row, 0, ctr_packed_row (mask.width));
    for (uint32_t x = 0; x < mask.width; x++)
      row[x / 8] |= picture->at (x, y, 0) << x % 8;
  }
  cudaMemcpyAsync (mask.bits, rows, mask.stride * mask.height, cudaMemcpyHostToDevice, stream);
  cudaStreamSynchronize (stream);
  free (rows);
  return mask;
}

/* All of MASK's pixels are those of EXPECTED, all bits behind them 0, and nothing else has changed. */
void
check_packed (const PackedMask *mask, const Picture8 *expected)
{
  uint8_t *rows = (uint8_t *) malloc (mask->stride * mask->height);
  cudaMemcpyAsync (rows, mask->bits, mask->stride * mask->height, cudaMemcpyDeviceToHost, stream);
  cudaStreamSynchronize (stream);
  for (uint32_t y = 0; y < mask->height; y++) {
    const uint8_t *row = rows + y * mask->stride;
    for (uint32_t x = 0; x < 8 * ctr_packed_row (mask->width); x++)
      CHECK ((row[x / 8] >> x % 8 & 1) == expected->at (x, y, 0));
    for (size_t i = ctr_packed_row (mask->width); i < mask->stride; i++)
      CHECK (row[i] == FILLING);
  }
  free (rows);
}

/* Noise of any density and grain, or a shape. */
Picture8
random_picture (uint32_t width, uint32_t height)
{
  static const uint8_t densities[] = {50, 50, 20, 80, 40, 60, 1, 99, 5, 95};
  if (random_below (&rng, 4) == 0)
    return {width, height, shape_new ((Shape) random_below (&rng, SHAPE_COUNT), width, height)};
  const uint32_t density = densities[random_below (&rng, LENGTH (densities))];
  Picture8 picture = {width, height, noise_new (&rng, width, height, density, 1 << random_below (&rng, 5))};
  if (random_below (&rng, 3) == 0) /* single pixels of the other kind */
    for (uint32_t i = 0; i < 1 + width * height / 400; i++)
      picture.pixels[random_below (&rng, width * height)] ^= 1;
  return picture;
}

} // namespace

#endif

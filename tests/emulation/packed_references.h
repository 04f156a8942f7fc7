/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Opening, closing and reconstruction by their definitions, pixel by pixel, and memory for reconstruction on the device. */
#ifndef EMULATED_PACKED_REFERENCES_H
#define EMULATED_PACKED_REFERENCES_H

#include "tests/emulation/packed_pictures.h"

#include <math.h>

namespace
{

/* OpenCV's getStructuringElement(). */
void
make_element (uint8_t *element, CtrShape shape, int size)
{
  const int radius = size / 2;
  for (int i = 0; i < size; i++) {
    int first = 0, end = 0;
    if (shape == CTR_SHAPE_RECTANGLE || (shape == CTR_SHAPE_CROSS && i == radius)) {
      end = size;
    } else if (shape == CTR_SHAPE_CROSS) {
      first = radius;
      end = first + 1;
    } else if (abs (i - radius) <= radius) {
      const int dy = i - radius;
      const double inverse = radius ? 1. / ((double) radius * radius) : 0;
      const int dx = (int) lrint (radius * sqrt ((radius * radius - dy * dy) * inverse));
      first = max (radius - dx, 0);
      end = min (radius + dx + 1, size);
    }
    for (int j = 0; j < size; j++)
      element[i * size + j] = j >= first && j < end;
  }
}

/* Erosion or dilation: the extreme over the element's pixels that are in the image. */
Picture8
pass (const Picture8 *from, const uint8_t *element, int size, bool dilation)
{
  Picture8 to = picture_new (from->width, from->height);
  for (int y = 0; y < (int) to.height; y++)
    for (int x = 0; x < (int) to.width; x++) {
      bool found = false; /* a pixel that decides */
      for (int i = 0; i < size && !found; i++)
        for (int j = 0; j < size && !found; j++)
          found = element[i * size + j] && from->at (x + j - size / 2, y + i - size / 2, !dilation) == dilation;
      to.pixels[(size_t) y * to.width + x] = found == dilation;
    }
  return to;
}

void
apply (Picture8 *picture, CtrShape shape, uint32_t size, bool dilation)
{
  static uint8_t element[CTR_MAX_SHAPE_SIZE * CTR_MAX_SHAPE_SIZE];
  if (size < 2)
    return;
  make_element (element, shape, size);
  const Picture8 result = pass (picture, element, size, dilation);
  free (picture->pixels);
  *picture = result;
}

CtrShape
random_shape ()
{
  return (CtrShape) random_below (&rng, 3);
}

/* The pixels of MASK that a path of its pixels joins with one of MARKER's, NULL: the border of the image. */
Picture8
reconstruct (const Picture8 *mask, const Picture8 *marker, bool eight_connected)
{
  const uint32_t width = mask->width, height = mask->height;
  Picture8 found = picture_new (width, height);
  uint32_t *stack = (uint32_t *) malloc ((size_t) width * height * sizeof *stack), used = 0;
  for (uint32_t i = 0; i < width * height; i++) {
    const uint32_t x = i % width, y = i / width;
    const bool seed = marker ? marker->pixels[i] : x == 0 || y == 0 || x + 1 == width || y + 1 == height;
    if (!seed || !mask->pixels[i])
      continue;
    found.pixels[i] = 1;
    stack[used++] = i;
  }
  while (used) {
    const uint32_t i = stack[--used];
    for (int dy = -1; dy <= 1; dy++)
      for (int dx = -1; dx <= 1; dx++) {
        const int x = (int) (i % width) + dx, y = (int) (i / width) + dy;
        if ((!eight_connected && dx && dy) || !mask->at (x, y, 0) || found.at (x, y, 0))
          continue;
        found.pixels[y * width + x] = 1;
        stack[used++] = y * width + x;
      }
  }
  free (stack);
  return found;
}

/* The last tile to arrive clears a counter of arrivals. */
void
check_zero (const void *counters, size_t size)
{
  uint8_t *host = (uint8_t *) malloc (size);
  CHECK (cudaMemcpyAsync (host, counters, size, cudaMemcpyDeviceToHost, stream) == cudaSuccess
         && cudaStreamSynchronize (stream) == cudaSuccess);
  for (size_t i = 0; i < size; i++)
    CHECK (host[i] == 0);
  free (host);
}

ReconstructionRoom
room_new (uint32_t width, uint32_t height, uint32_t regions = 0)
{
  const size_t labels = foreground_reconstruction_labels (width, height, regions);
  const size_t arrivals = foreground_reconstruction_arrivals (width, height, regions);
  ReconstructionRoom room;
  CHECK (cudaMalloc (&room.labels, labels) == cudaSuccess && cudaMalloc (&room.arrivals, arrivals) == cudaSuccess);
  cudaMemsetAsync (room.labels, (int) random_next (&rng), labels, stream);
  cudaMemsetAsync (room.arrivals, 0, arrivals, stream);
  return room;
}

void
room_free (ReconstructionRoom *room, uint32_t width, uint32_t height, uint32_t regions = 0)
{
  check_zero (room->arrivals, foreground_reconstruction_arrivals (width, height, regions));
  cudaFree (room->labels);
  cudaFree (room->arrivals);
}

} // namespace

#endif

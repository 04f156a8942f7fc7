/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/bench/common/outlines.h"

#include "tests/bench/common/masks.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Taps are whole numbers of 1 / UNIT, so that the sums are exact everywhere; 255 * UNIT^2 fits in 32 bits. */
enum { UNIT = 4096, MAX_RADIUS = 64 };

typedef struct {
  uint32_t radius;
  uint32_t taps[2 * MAX_RADIUS + 1];
} Kernel;

static Kernel
kernel_of (double sigma)
{
  Kernel kernel = {.radius = (uint32_t) ceil (3 * sigma)};
  double weights[MAX_RADIUS + 1], sum = -1;
  for (uint32_t i = 0; i <= kernel.radius; i++)
    sum += 2 * (weights[i] = exp (-0.5 * i * i / (sigma * sigma)));
  uint32_t rest = UNIT;
  for (uint32_t i = kernel.radius; i > 0; i--) {
    const uint32_t tap = (uint32_t) (UNIT * weights[i] / sum + 0.5);
    kernel.taps[kernel.radius - i] = kernel.taps[kernel.radius + i] = tap;
    rest -= 2 * tap;
  }
  kernel.taps[kernel.radius] = rest;
  return kernel;
}

static uint32_t
clamped (int64_t position, uint32_t count)
{
  return position < 0 ? 0 : position >= count ? count - 1 : (uint32_t) position;
}

static void
blur_row (const Kernel *kernel, const uint8_t *row, uint32_t width, uint32_t *sums)
{
  const int64_t radius = kernel->radius;
  memset (sums, 0, width * sizeof *sums);
  for (int64_t offset = -radius; offset <= radius; offset++) {
    const uint32_t tap = kernel->taps[offset + radius];
    for (uint32_t x = 0; x < width; x++)
      sums[x] += tap * row[clamped (x + offset, width)];
  }
}

static void
blur_column (const Kernel *kernel, const uint32_t *rows, uint32_t y, uint32_t width, uint32_t height, uint32_t *sums)
{
  memset (sums, 0, width * sizeof *sums);
  for (uint32_t i = 0; i <= 2 * kernel->radius; i++) {
    const uint32_t *row = rows + (size_t) clamped ((int64_t) y + i - kernel->radius, height) * width;
    for (uint32_t x = 0; x < width; x++)
      sums[x] += kernel->taps[i] * row[x];
  }
}

/* The one with half of the others below. COUNTS has room for 2^16. */
static uint32_t
median_of (const uint32_t *values, size_t count, uint32_t *counts)
{
  size_t below = 0;
  uint32_t high = 0, low = 0;
  memset (counts, 0, (sizeof *counts) << 16);
  for (size_t i = 0; i < count; i++)
    counts[values[i] >> 16]++;
  while (below + counts[high] <= count / 2)
    below += counts[high++];
  memset (counts, 0, (sizeof *counts) << 16);
  for (size_t i = 0; i < count; i++)
    if (values[i] >> 16 == high)
      counts[values[i] & 0xffff]++;
  while (below + counts[low] <= count / 2)
    below += counts[low++];
  return high << 16 | low;
}

bool
bench_blobs_mask (double sigma, uint32_t width, uint32_t height, uint8_t *mask)
{
  const size_t pixels = (size_t) width * height;
  const Kernel kernel = kernel_of (sigma);
  uint32_t *counts = malloc ((sizeof *counts) << 16);
  uint32_t *rows = malloc (pixels * sizeof *rows), *sums = malloc (pixels * sizeof *sums);
  const bool ok = counts && rows && sums;
  if (ok) {
    bench_random_numbers (0, pixels, rows);
    for (size_t i = 0; i < pixels; i++)
      mask[i] = rows[i] >> 24;
    for (uint32_t y = 0; y < height; y++)
      blur_row (&kernel, mask + (size_t) y * width, width, rows + (size_t) y * width);
    for (uint32_t y = 0; y < height; y++)
      blur_column (&kernel, rows, y, width, height, sums + (size_t) y * width);
    const uint32_t median = median_of (sums, pixels, counts);
    for (size_t i = 0; i < pixels; i++)
      mask[i] = sums[i] >= median ? 255 : 0;
  } else {
    fprintf (stderr, "no host memory to make an image of %zu pixels\n", pixels);
  }
  free (counts);
  free (rows);
  free (sums);
  return ok;
}

static void
draw_column (uint32_t x, uint32_t first, uint32_t last, uint32_t width, uint8_t *mask)
{
  for (uint32_t y = first; y <= last; y++)
    mask[(size_t) y * width + x] = 255;
}

void
bench_coil_mask (uint32_t period, uint32_t width, uint32_t height, uint8_t *mask)
{
  uint32_t left = 0, top = 0, right = width - 1, bottom = height - 1, from = 0;
  memset (mask, 0, (size_t) width * height);
  for (;;) {
    memset (mask + (size_t) top * width + from, 255, right - from + 1);
    draw_column (right, top, bottom, width, mask);
    memset (mask + (size_t) bottom * width + left, 255, right - left + 1);
    if (right - left < 3 * period || bottom - top < 3 * period)
      return;
    draw_column (left, top + period, bottom, width, mask);
    from = left;
    left += period;
    top += period;
    right -= period;
    bottom -= period;
  }
}

static uint32_t
smaller (uint32_t a, uint32_t b)
{
  return a < b ? a : b;
}

void
bench_rings_mask (uint32_t period, uint32_t width, uint32_t height, uint8_t *mask)
{
  for (uint32_t y = 0; y < height; y++)
    for (uint32_t x = 0; x < width; x++) {
      const uint32_t from_edge = smaller (smaller (y, height - 1 - y), smaller (x, width - 1 - x));
      mask[(size_t) y * width + x] = from_edge % period ? 0 : 255;
    }
}

/* One pixel of a cell with its centre at (0, 0). KIND, 0 .. 24, says which cell. */
static bool
board_pixel (int32_t x, int32_t y, int32_t kind)
{
  if (kind % 4 == 0) { /* two rows of eight */
    const int32_t along = x + 60, across = abs (y);
    return along >= 12 && along < 108 && along % 12 >= 3 && along % 12 < 9 && across >= 18 && across < 32;
  }
  const int32_t distance = x * x + y * y, radius = 8 + kind / 2, drill = radius / 3;
  if (distance < radius * radius)
    return distance >= drill * drill;
  return (kind % 3 && x > 0 && abs (y) <= 1) || (kind % 5 == 0 && y > 0 && abs (x) <= 1);
}

void
bench_board_mask (uint32_t width, uint32_t height, uint8_t *mask)
{
  for (uint32_t y = 0; y < height; y++)
    for (uint32_t x = 0; x < width; x++) {
      const int32_t cx = (int32_t) (x / 120 * 120 + 60), cy = (int32_t) (y / 100 * 100 + 50);
      mask[(size_t) y * width + x] =
          board_pixel ((int32_t) x - cx, (int32_t) y - cy, (7 * cx + 13 * cy) / 10 % 25) ? 255 : 0;
    }
}

void
bench_enlarge (const uint8_t *image, uint32_t width, uint32_t height, uint32_t scale, uint8_t *mask)
{
  const size_t stride = (size_t) width * scale;
  for (uint32_t y = 0; y < height * scale; y++) {
    uint8_t *row = mask + y * stride;
    if (y % scale) {
      memcpy (row, row - stride, stride);
      continue;
    }
    for (size_t x = 0; x < stride; x++)
      row[x] = image[(size_t) (y / scale) * width + x / scale];
  }
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/bench/cracks/levels.h"

#include "tests/bench/common/masks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void
bench_stripes (uint32_t size, bool vertical, uint32_t width, uint32_t height, uint8_t *samples)
{
  for (uint32_t y = 0; y < height; y++)
    for (uint32_t x = 0; x < width; x++)
      samples[(size_t) y * width + x] = (vertical ? x : y) / size % 2 ? 0 : 1;
}

void
bench_chequers (uint32_t size, uint32_t across, uint32_t down, uint32_t width, uint32_t height, uint8_t *samples)
{
  for (uint32_t y = 0; y < height; y++)
    for (uint32_t x = 0; x < width; x++) {
      const uint32_t column = x / size - 1, row = y / size - 1; /* the first ones wrap around: outside */
      samples[(size_t) y * width + x] = column < across && row < down && (column + row) % 2 == 0 ? 1 : 0;
    }
}

/* 0 .. TOP, then back. */
static uint32_t
to_and_fro (uint32_t position, uint32_t top)
{
  const uint32_t phase = position % (2 * top);
  return phase <= top ? phase : 2 * top - phase;
}

void
bench_grey_chequers (uint32_t size, uint32_t levels, uint32_t width, uint32_t height, uint8_t *samples)
{
  for (uint32_t y = 0; y < height; y++)
    for (uint32_t x = 0; x < width; x++)
      samples[(size_t) y * width + x] = 1 + to_and_fro (3 * (x / size) + 2 * (y / size), levels - 2);
}

/* A thing of the map: an ellipse or a rectangle, leaning to one side. */
static void
draw_thing (const uint32_t *random, uint32_t width, uint32_t height, uint8_t *samples)
{
  const int64_t cx = random[0] % width, cy = random[1] % height;
  const int64_t rx = 12 + random[2] % (width / 12), ry = 12 + random[3] % (height / 5);
  const int32_t near = 20 + random[4] % 100, lean = (int32_t) (random[5] % 9) - 4;
  for (int64_t y = cy < ry ? 0 : cy - ry; y < height && y <= cy + ry; y++)
    for (int64_t x = cx < rx ? 0 : cx - rx; x < width && x <= cx + rx; x++) {
      const int64_t dx = x - cx, dy = y - cy;
      uint8_t *sample = samples + y * width + x;
      if (random[6] % 2 && dx * dx * ry * ry + dy * dy * rx * rx > rx * rx * ry * ry)
        continue;
      const int32_t value = near + (int32_t) (lean * dx / 32);
      if (value > *sample)
        *sample = value > 127 ? 127 : (uint8_t) value;
    }
}

static void
add_speckles (const uint32_t *random, uint32_t width, uint32_t height, uint8_t *samples)
{
  for (size_t i = 0; i < (size_t) width * height; i++) {
    const uint32_t left = width - (uint32_t) (i % width), chance = random[i] % 1000;
    const uint32_t run = chance < 14 ? 1 : chance < 17 ? 3 + (random[i] >> 10) % 12 : 0;
    const int32_t step = 1 + (int32_t) ((random[i] >> 16) % 3), change = random[i] >> 31 ? step : -step;
    for (uint32_t k = 0; k < run && k < left; k++) {
      const int32_t value = samples[i + k] + change;
      samples[i + k] = value < 1 ? 1 : value > 127 ? 127 : (uint8_t) value;
    }
  }
}

bool
bench_disparity (uint32_t width, uint32_t height, uint8_t *samples)
{
  enum { THINGS = 60, NUMBERS = 7 };
  const size_t pixels = (size_t) width * height;
  uint32_t *random = malloc ((pixels + THINGS * NUMBERS) * sizeof *random);
  if (!random) {
    fprintf (stderr, "no host memory to make an image of %zu pixels\n", pixels);
    return false;
  }
  bench_random_numbers (1, pixels + THINGS * NUMBERS, random);
  for (uint32_t y = 0; y < height; y++)
    for (uint32_t x = 0; x < width; x++) {
      const uint32_t floor = 90 * y / height, wall = 12 + 20 * x / width;
      samples[(size_t) y * width + x] = (uint8_t) (floor > wall ? floor : wall);
    }
  for (uint32_t i = 0; i < THINGS; i++)
    draw_thing (random + pixels + (size_t) i * NUMBERS, width, height, samples);
  add_speckles (random, width, height, samples);
  free (random);
  return true;
}

bool
bench_photo (uint32_t width, uint32_t height, uint8_t *samples)
{
  static const struct {
    uint32_t grid, weight; /* of 1024 together */
  } grids[] = {{256, 477}, {128, 220}, {64, 140}, {32, 80}, {16, 46}, {8, 22}, {4, 10}, {1, 5}};
  const size_t pixels = (size_t) width * height;
  uint32_t *random = malloc ((size_t) (width + 2) * (height + 2) * sizeof *random);
  uint32_t *sums = calloc (pixels, sizeof *sums);
  const bool ok = random && sums;
  for (uint32_t g = 0; ok && g < sizeof grids / sizeof *grids; g++) {
    const uint32_t grid = grids[g].grid, across = width / grid + 2, down = height / grid + 2;
    bench_random_numbers (g, (uint64_t) across * down, random);
    for (uint32_t y = 0; y < height; y++)
      for (uint32_t x = 0; x < width; x++) {
        const uint32_t *knot = random + (size_t) (y / grid) * across + x / grid, right = x % grid, below = y % grid;
        const uint32_t upper = (knot[0] >> 24) * (grid - right) + (knot[1] >> 24) * right;
        const uint32_t lower = (knot[across] >> 24) * (grid - right) + (knot[across + 1] >> 24) * right;
        sums[(size_t) y * width + x] += (upper * (grid - below) + lower * below) / grid * grids[g].weight / grid;
      }
  }
  for (size_t i = 0; ok && i < pixels; i++) {
    /* The sums crowd around their middle. */
    const int32_t value = 128 + ((int32_t) (sums[i] >> 2) - 128 * 256) / 128;
    samples[i] = value < 0 ? 0 : value > 255 ? 255 : (uint8_t) value;
  }
  if (!ok)
    fprintf (stderr, "no host memory to make an image of %zu pixels\n", pixels);
  free (random);
  free (sums);
  return ok;
}

void
bench_labels (uint32_t cell, uint32_t distinct, uint32_t width, uint32_t height, uint16_t *samples)
{
  const uint32_t across = (width + cell - 1) / cell;
  for (uint32_t y = 0; y < height; y++)
    for (uint32_t x = 0; x < width; x++) {
      const int32_t dx = abs ((int32_t) (2 * (x % cell) + 1) - (int32_t) cell);
      const int32_t dy = abs ((int32_t) (2 * (y % cell) + 1) - (int32_t) cell);
      const bool inside = dx < (int32_t) cell - 2 && dy < (int32_t) cell - 2 && 2 * (dx + dy) < 3 * (int32_t) cell - 4;
      const uint32_t number = y / cell * across + x / cell;
      samples[(size_t) y * width + x] = inside ? (uint16_t) (1 + number % distinct) : 0;
    }
}

void
bench_resize (const void *image, uint32_t width, uint32_t height, uint32_t bytes, uint32_t new_width,
    uint32_t new_height, void *samples)
{
  uint8_t *to = samples;
  for (uint32_t y = 0; y < new_height; y++) {
    const uint8_t *row = (const uint8_t *) image + (uint64_t) y * height / new_height * width * bytes;
    for (uint32_t x = 0; x < new_width; x++, to += bytes)
      memcpy (to, row + (uint64_t) x * width / new_width * bytes, bytes);
  }
}

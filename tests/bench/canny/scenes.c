/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/bench/canny/scenes.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

const char *
bench_scene_name (BenchScene scene)
{
  static const char *const names[] = {"scene", "noise", "blurred-noise", "flat", "serpentine"};
  return names[scene];
}

/* SplitMix64 (Steele, Lea, Flood). */
static uint64_t
random_bits (uint64_t *state)
{
  uint64_t z = *state += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/* low <= result < high */
static double
random_between (uint64_t *state, double low, double high)
{
  return low + (high - low) * (double) (random_bits (state) >> 11) * 0x1p-53;
}

static void
fill_random (uint64_t *state, size_t size, uint8_t *samples)
{
  size_t i = 0;
  for (; i + 8 <= size; i += 8) {
    uint64_t bits = random_bits (state);
    memcpy (samples + i, &bits, 8);
  }
  uint64_t bits = random_bits (state);
  memcpy (samples + i, &bits, size - i);
}

typedef struct {
  double centre_x, centre_y;
  double radius_x, radius_y;
  double shear;              /* shift to the right a row */
  int32_t first[4], last[4]; /* samples at the left and right end of a row, 16.16 */
} Ellipse;

static void
paint_ellipse (const Ellipse *ellipse, uint32_t width, uint32_t height, uint32_t channels, uint8_t *pixels)
{
  const double top = fmax (ceil (ellipse->centre_y - ellipse->radius_y), 0),
               bottom = fmin (floor (ellipse->centre_y + ellipse->radius_y), height - 1.0);
  for (double y = top; y <= bottom; y++) {
    const double dy = y - ellipse->centre_y, t = dy / ellipse->radius_y;
    const double half = ellipse->radius_x * sqrt (fmax (1 - t * t, 0)),
                 middle = ellipse->centre_x + ellipse->shear * dy;
    const double left = ceil (middle - half), right = floor (middle + half);
    if (right < left || right < 0 || left > width - 1.0)
      continue;
    const uint32_t begin = left > 0 ? (uint32_t) left : 0, skipped = left < 0 ? (uint32_t) -left : 0,
                   end = right < width - 1.0 ? (uint32_t) right + 1 : width;
    uint8_t *row = pixels + (size_t) y * width * channels;
    for (uint32_t c = 0; c < channels; c++) {
      const int32_t step = (int32_t) ((ellipse->last[c] - ellipse->first[c]) / (right - left + 1));
      int32_t value = ellipse->first[c] + step * (int32_t) skipped;
      for (uint32_t x = begin; x < end; x++, value += step)
        row[(size_t) x * channels + c] = (uint8_t) (value >> 16);
    }
  }
}

/* From the largest to the smallest; the ellipses of each size would cover an eighth of the image. */
static void
draw_shapes (uint32_t width, uint32_t height, uint32_t channels, uint8_t *pixels)
{
  uint64_t state = 1;
  for (uint32_t y = 0; y < height; y++)
    for (uint32_t x = 0; x < width; x++)
      for (uint32_t c = 0; c < channels; c++)
        pixels[((size_t) y * width + x) * channels + c] =
            (uint8_t) (50 + 20 * c + (uint64_t) 50 * x / width + (uint64_t) 50 * y / height);

  const double pi = 3.14159265358979323846;
  for (double radius = (width < height ? width : height) / 4.0; radius >= 4; radius /= 2) {
    const uint32_t count = (uint32_t) (0.125 * width * height / (pi * radius * radius)) + 1;
    for (uint32_t i = 0; i < count; i++) {
      Ellipse ellipse = {
          .centre_x = random_between (&state, 0, width),
          .centre_y = random_between (&state, 0, height),
          .radius_x = radius * random_between (&state, 0.5, 1.5),
          .radius_y = radius * random_between (&state, 0.5, 1.5),
          .shear = random_between (&state, -1, 1),
      };
      for (uint32_t c = 0; c < channels; c++) {
        ellipse.first[c] = (int32_t) (65536 * random_between (&state, 20, 220));
        ellipse.last[c] = ellipse.first[c] + (int32_t) (65536 * random_between (&state, -12, 12));
      }
      paint_ellipse (&ellipse, width, height, channels, pixels);
    }
  }

  /* The sum of two random numbers of three bits: deviation 3.2. */
  const size_t size = (size_t) width * height * channels;
  for (size_t i = 0; i < size; i += 8) {
    const uint64_t bits = random_bits (&state), three = 0x0707070707070707u;
    uint8_t noise[8];
    const uint64_t sums = (bits & three) + ((bits >> 3) & three);
    memcpy (noise, &sums, 8);
    for (size_t j = 0; j < 8 && i + j < size; j++)
      pixels[i + j] = (uint8_t) (pixels[i + j] + noise[j] - 7);
  }
}

enum { LATTICE = 6, LATTICE_MAX = 1 << 16 };

/* Bilinear between random samples LATTICE pixels apart. */
static void
draw_blurred_noise (uint32_t width, uint32_t height, uint32_t channels, uint8_t *pixels)
{
  static uint8_t upper[LATTICE_MAX], lower[LATTICE_MAX];
  const uint32_t across = (width / LATTICE + 2) * channels;
  uint64_t state = 2;
  fill_random (&state, across, lower);
  for (uint32_t y = 0; y < height; y++) {
    const int32_t down = y % LATTICE;
    if (down == 0) {
      memcpy (upper, lower, across);
      fill_random (&state, across, lower);
    }
    uint8_t *row = pixels + (size_t) y * width * channels;
    for (uint32_t x = 0; x < width; x++)
      for (uint32_t c = 0; c < channels; c++) {
        const uint32_t left = x / LATTICE * channels + c, right = left + channels;
        const int32_t along = x % LATTICE, above = (LATTICE - along) * upper[left] + along * upper[right],
                      below = (LATTICE - along) * lower[left] + along * lower[right];
        row[x * channels + c] = (uint8_t) (((LATTICE - down) * above + down * below) / (LATTICE * LATTICE));
      }
  }
}

static void
fill_rectangle (uint8_t value, uint32_t x, uint32_t y, uint32_t columns, uint32_t rows, uint32_t width,
    uint32_t channels, uint8_t *pixels)
{
  for (uint32_t i = 0; i < rows; i++)
    memset (pixels + ((size_t) (y + i) * width + x) * channels, value, (size_t) columns * channels);
}

/* Bars 4 pixels wide and 4 apart, joined alternately at the right and left. Blurred with sigma 2 and at the usual
 * thresholds, all of their outline is weak, save where the first bar is brighter. */
static void
draw_serpentine (uint32_t width, uint32_t height, uint32_t channels, uint8_t *pixels)
{
  enum { THICK = 4, PERIOD = 8, BACKGROUND = 60, WEAK = 140, STRONG = 255 };
  memset (pixels, BACKGROUND, (size_t) width * height * channels);
  if (width < 4 * PERIOD || height < 4 * PERIOD)
    return;
  const uint32_t columns = width - 2 * PERIOD, count = (height - 2 * PERIOD - THICK) / PERIOD + 1;
  for (uint32_t i = 0; i < count; i++) {
    const uint32_t y = PERIOD + i * PERIOD;
    fill_rectangle (WEAK, PERIOD, y, columns, THICK, width, channels, pixels);
    if (i + 1 < count)
      fill_rectangle (
          WEAK, i % 2 ? PERIOD : width - PERIOD - THICK, y + THICK, THICK, PERIOD - THICK, width, channels, pixels);
  }
  fill_rectangle (STRONG, PERIOD, PERIOD, 2 * PERIOD, THICK, width, channels, pixels);
}

void
bench_scene (BenchScene scene, uint32_t width, uint32_t height, uint32_t channels, uint8_t *pixels)
{
  const size_t size = (size_t) width * height * channels;
  uint64_t state = 3;
  if (scene == BENCH_SHAPES)
    draw_shapes (width, height, channels, pixels);
  else if (scene == BENCH_NOISE)
    fill_random (&state, size, pixels);
  else if (scene == BENCH_BLURRED_NOISE)
    draw_blurred_noise (width, height, channels, pixels);
  else if (scene == BENCH_FLAT)
    memset (pixels, 128, size);
  else
    draw_serpentine (width, height, channels, pixels);
}

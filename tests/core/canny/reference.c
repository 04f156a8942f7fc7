/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/core/canny/reference.h"

#include "tests/core/common/reference.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  int64_t width, height;
  int32_t *at; /* width * height */
} Plane;

static Plane
plane_new (int64_t width, int64_t height)
{
  return (Plane){width, height, calloc ((size_t) (width * height), sizeof (int32_t))};
}

static int32_t
replicated (const Plane *plane, int64_t x, int64_t y)
{
  x = x < 0 ? 0 : x >= plane->width ? plane->width - 1 : x;
  y = y < 0 ? 0 : y >= plane->height ? plane->height - 1 : y;
  return plane->at[y * plane->width + x];
}

static int32_t
or_zero (const Plane *plane, int64_t x, int64_t y)
{
  return x < 0 || y < 0 || x >= plane->width || y >= plane->height ? 0 : plane->at[y * plane->width + x];
}

/* ... 2 1 0 1 2 ... n - 2, n - 1, n - 2 ...: a period of 2 n - 2. */
static int64_t
reflected (int64_t i, int64_t size)
{
  const int64_t period = 2 * size - 2;
  if (period == 0)
    return 0;
  i = ((i % period) + period) % period;
  return i < size ? i : period - i;
}

static Plane
grey_of (const CtrImage *image, const CtrCannyParams *params)
{
  const uint32_t unit = image->format == CTR_FORMAT_GRAY16 ? 1u << params->significant_bits >> 8 : 1;
  Plane grey = plane_new (image->width, image->height);
  for (uint32_t y = 0; y < image->height; y++)
    for (uint32_t x = 0; x < image->width; x++)
      grey.at[(size_t) y * image->width + x] = (int32_t) (reference_sample (image, x, y) / unit);
  for (size_t i = 0; i < (size_t) image->width * image->height; i++)
    grey.at[i] = grey.at[i] > 255 ? 255 : grey.at[i];
  return grey;
}

/* Returns the radius. */
static int
weights_of (double sigma, int *weights)
{
  const int size = (int) lrint (6 * sigma + 1) | 1, radius = size / 2;
  long double total = 0, left_over = 0;
  int given = 0;
  for (int i = -radius; i <= radius; i++)
    total += expl (-(long double) i * i / (2 * (long double) sigma * sigma));
  for (int i = radius; i > 0; i--) {
    const long double exact = 256 * expl (-(long double) i * i / (2 * (long double) sigma * sigma)) / total + left_over;
    weights[radius - i] = weights[radius + i] = (int) rintl (exact);
    left_over = exact - weights[radius - i];
    given += 2 * weights[radius - i];
  }
  weights[radius] = 256 - given;
  return radius;
}

static Plane
blurred_of (const Plane *grey, double sigma)
{
  int weights[128];
  const int radius = sigma > 0 ? weights_of (sigma, weights) : 0;
  Plane sums = plane_new (grey->width, grey->height), blurred = plane_new (grey->width, grey->height);
  if (sigma == 0)
    weights[0] = 256;
  for (int64_t y = 0; y < grey->height; y++)
    for (int64_t x = 0; x < grey->width; x++)
      for (int i = -radius; i <= radius; i++)
        sums.at[y * grey->width + x] +=
            weights[radius + i] * grey->at[y * grey->width + reflected (x + i, grey->width)];
  for (int64_t y = 0; y < grey->height; y++)
    for (int64_t x = 0; x < grey->width; x++) {
      int32_t sum = 1 << 15;
      for (int i = -radius; i <= radius; i++)
        sum += weights[radius + i] * sums.at[reflected (y + i, grey->height) * grey->width + x];
      blurred.at[y * grey->width + x] = sum >> 16;
    }
  free (sums.at);
  return blurred;
}

static void
sobel (const Plane *picture, int aperture, Plane *dx, Plane *dy)
{
  static const int smooths[][7] = {{1, 2, 1}, {1, 4, 6, 4, 1}, {1, 6, 15, 20, 15, 6, 1}},
                   slopes[][7] = {{-1, 0, 1}, {-1, -2, 0, 2, 1}, {-1, -4, -5, 0, 5, 4, 1}};
  const int *smooth = smooths[aperture / 2 - 1], *slope = slopes[aperture / 2 - 1];
  for (int64_t y = 0; y < picture->height; y++)
    for (int64_t x = 0; x < picture->width; x++) {
      int32_t across = 0, down = 0;
      for (int j = 0; j < aperture; j++)
        for (int i = 0; i < aperture; i++) {
          const int32_t sample = replicated (picture, x + i - aperture / 2, y + j - aperture / 2);
          across += slope[i] * smooth[j] * sample;
          down += smooth[i] * slope[j] * sample;
        }
      /* rint() rounds half to even. */
      dx->at[y * picture->width + x] = aperture == 7 ? (int32_t) rint (across / 16.) : across;
      dy->at[y * picture->width + x] = aperture == 7 ? (int32_t) rint (down / 16.) : down;
    }
}

static uint32_t
lower_median (const Plane *grey)
{
  const size_t pixels = (size_t) (grey->width * grey->height);
  for (int32_t level = 0;; level++) {
    size_t not_above = 0;
    for (size_t i = 0; i < pixels; i++)
      not_above += grey->at[i] <= level;
    if (not_above >= pixels - not_above)
      return (uint32_t) level;
  }
}

static uint32_t
otsu_of (const Plane *grey)
{
  const size_t pixels = (size_t) (grey->width * grey->height);
  uint8_t *samples = malloc (pixels);
  for (size_t i = 0; i < pixels; i++)
    samples[i] = (uint8_t) grey->at[i];
  const CtrImage image = {.data = samples,
      .stride = (size_t) grey->width,
      .width = (uint32_t) grey->width,
      .height = (uint32_t) grey->height,
      .format = CTR_FORMAT_GRAY8};
  const uint32_t level = reference_otsu (&image) - 1;
  free (samples);
  return level;
}

static void
thresholds_of (const Plane *grey, const CtrCannyParams *params, int64_t *low, int64_t *high)
{
  double a, b;
  if (params->threshold_mode == CTR_CANNY_ABSOLUTE) {
    const double scale = params->aperture == 7 ? 16 : 1;
    a = fmin (params->low_threshold, params->high_threshold) / scale;
    b = fmax (params->low_threshold, params->high_threshold) / scale;
    a = fmin (a, 32767);
    b = fmin (b, 32767);
    *low = (int64_t) floor (params->l2_gradient ? a * a : a);
    *high = (int64_t) floor (params->l2_gradient ? b * b : b);
    return;
  }
  /* The gain of 160 and the 16 by which the gradient is divided. */
  const int64_t gain = params->aperture == 3 ? 1 : params->aperture == 5 ? 12 : 160 / 16;
  int64_t low_100, high_100;
  if (params->threshold_mode == CTR_CANNY_OTSU) {
    high_100 = 100 * gain * otsu_of (grey);
    low_100 = high_100 / 2;
  } else {
    const int64_t median = lower_median (grey);
    low_100 = 67 * gain * median;
    high_100 = gain * (133 * median < 25500 ? 133 * median : 25500);
  }
  *low = params->l2_gradient ? low_100 * low_100 / 10000 : low_100 / 100;
  *high = params->l2_gradient ? high_100 * high_100 / 10000 : high_100 / 100;
}

static bool
is_maximum (const Plane *dx, const Plane *dy, const Plane *magnitude, int64_t x, int64_t y)
{
  const int64_t across = dx->at[y * dx->width + x], down = dy->at[y * dy->width + x];
  const int64_t t = 13573 * llabs (across), steep = 32768 * llabs (down);
  const int32_t m = magnitude->at[y * dx->width + x];
  if (steep < t)
    return m > or_zero (magnitude, x - 1, y) && m >= or_zero (magnitude, x + 1, y);
  if (steep > t + 65536 * llabs (across))
    return m > or_zero (magnitude, x, y - 1) && m >= or_zero (magnitude, x, y + 1);
  const int s = (across < 0) != (down < 0) ? -1 : 1;
  return m > or_zero (magnitude, x - s, y - 1) && m > or_zero (magnitude, x + s, y + 1);
}

uint8_t *
reference_canny (const CtrImage *image, const CtrCannyParams *params)
{
  const int64_t width = image->width, height = image->height;
  const size_t pixels = (size_t) (width * height);
  Plane grey = grey_of (image, params), blurred = blurred_of (&grey, params->sigma);
  Plane dx = plane_new (width, height), dy = plane_new (width, height), magnitude = plane_new (width, height);
  int64_t low, high;
  sobel (&blurred, (int) params->aperture, &dx, &dy);
  for (size_t i = 0; i < pixels; i++)
    magnitude.at[i] = params->l2_gradient ? dx.at[i] * dx.at[i] + dy.at[i] * dy.at[i] : abs (dx.at[i]) + abs (dy.at[i]);
  thresholds_of (&grey, params, &low, &high);

  /* From the strong candidates to all candidates that hang on them, the nearest first. */
  enum { CANDIDATE = 1, EDGE = 255 };
  uint8_t *mask = calloc (pixels, 1);
  int64_t *queue = malloc (pixels * sizeof *queue);
  size_t first = 0, last = 0;
  for (int64_t y = 0; y < height; y++)
    for (int64_t x = 0; x < width; x++) {
      const int64_t i = y * width + x;
      if (magnitude.at[i] <= low || !is_maximum (&dx, &dy, &magnitude, x, y))
        continue;
      mask[i] = CANDIDATE;
      if (magnitude.at[i] > high) {
        mask[i] = EDGE;
        queue[last++] = i;
      }
    }
  while (first < last) {
    const int64_t x = queue[first] % width, y = queue[first] / width;
    first++;
    for (int64_t j = y > 0 ? y - 1 : 0; j <= y + 1 && j < height; j++)
      for (int64_t i = x > 0 ? x - 1 : 0; i <= x + 1 && i < width; i++)
        if (mask[j * width + i] == CANDIDATE) {
          mask[j * width + i] = EDGE;
          queue[last++] = j * width + i;
        }
  }
  for (size_t i = 0; i < pixels; i++)
    if (mask[i] == CANDIDATE)
      mask[i] = 0;
  free (queue);
  free (grey.at);
  free (blurred.at);
  free (dx.at);
  free (dy.at);
  free (magnitude.at);
  return mask;
}

void
reference_paint (const CtrEdgePicture *picture, const uint8_t *mask, uint32_t width, uint32_t height)
{
  for (uint32_t p = 0; p < picture->plane_count; p++) {
    const CtrEdgePlane *plane = &picture->planes[p];
    const uint32_t block_width = 1 << plane->x_shift, block_height = 1 << plane->y_shift;
    for (uint32_t y = 0; y * block_height < height; y++)
      for (uint32_t x = 0; x * block_width < width; x++) {
        bool edge = false;
        for (uint32_t j = y * block_height; j < (y + 1) * block_height && j < height; j++)
          for (uint32_t i = x * block_width; i < (x + 1) * block_width && i < width; i++)
            edge |= mask[(size_t) j * width + i] != 0;
        uint8_t *to = (uint8_t *) plane->data + y * plane->stride + x * plane->pixel_size;
        if (!edge)
          memcpy (to, plane->background, plane->pixel_size);
        else if (!plane->source)
          memcpy (to, plane->edge, plane->pixel_size);
        else
          memmove (to, (const uint8_t *) plane->source + y * plane->source_stride + x * plane->pixel_size,
              plane->pixel_size);
      }
  }
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/core/canny/reference.h"

#include "tests/core/common/reference.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  int64_t width, height;
  int64_t *at; /* width * height */
} Plane;

static Plane
plane_new (int64_t width, int64_t height)
{
  return (Plane){width, height, calloc ((size_t) (width * height), sizeof (int64_t))};
}

static int64_t
replicated (const Plane *plane, int64_t x, int64_t y)
{
  x = x < 0 ? 0 : x >= plane->width ? plane->width - 1 : x;
  y = y < 0 ? 0 : y >= plane->height ? plane->height - 1 : y;
  return plane->at[y * plane->width + x];
}

static int64_t
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

static bool
is_native (const CtrImage *image, const CtrCannyParams *params)
{
  return params->native_depth && image->format == CTR_FORMAT_GRAY16;
}

/* The samples in 8 bits. */
static Plane
grey_of (const CtrImage *image, const CtrCannyParams *params)
{
  const uint32_t unit = image->format == CTR_FORMAT_GRAY16 ? 1u << params->significant_bits >> 8 : 1;
  Plane grey = plane_new (image->width, image->height);
  for (uint32_t y = 0; y < image->height; y++)
    for (uint32_t x = 0; x < image->width; x++)
      grey.at[(size_t) y * image->width + x] = reference_sample (image, x, y) / unit;
  for (size_t i = 0; i < (size_t) image->width * image->height; i++)
    grey.at[i] = grey.at[i] > 255 ? 255 : grey.at[i];
  return grey;
}

static Plane
samples_of (const CtrImage *image, const CtrCannyParams *params)
{
  if (!is_native (image, params))
    return grey_of (image, params);
  Plane samples = plane_new (image->width, image->height);
  for (uint32_t y = 0; y < image->height; y++)
    for (uint32_t x = 0; x < image->width; x++)
      samples.at[(size_t) y * image->width + x] = reference_sample (image, x, y);
  return samples;
}

/* Weights of 1/UNIT, of taps that reach REACH sigma. Returns the radius. */
static int
weights_of (double sigma, int reach, int unit, int *weights)
{
  const int size = (int) lrint (2 * reach * sigma + 1) | 1, radius = size / 2;
  long double total = 0, left_over = 0;
  int given = 0;
  for (int i = -radius; i <= radius; i++)
    total += expl (-(long double) i * i / (2 * (long double) sigma * sigma));
  for (int i = radius; i > 0; i--) {
    const long double exact =
        unit * expl (-(long double) i * i / (2 * (long double) sigma * sigma)) / total + left_over;
    weights[radius - i] = weights[radius + i] = (int) rintl (exact);
    left_over = exact - weights[radius - i];
    given += 2 * weights[radius - i];
  }
  weights[radius] = unit - given;
  return radius;
}

static Plane
blurred_of (const Plane *grey, double sigma, bool native)
{
  const int unit = native ? 65536 : 256;
  int weights[256];
  const int radius = sigma > 0 ? weights_of (sigma, native ? 4 : 3, unit, weights) : 0;
  Plane sums = plane_new (grey->width, grey->height), blurred = plane_new (grey->width, grey->height);
  if (sigma == 0)
    weights[0] = unit;
  for (int64_t y = 0; y < grey->height; y++)
    for (int64_t x = 0; x < grey->width; x++)
      for (int i = -radius; i <= radius; i++)
        sums.at[y * grey->width + x] +=
            weights[radius + i] * grey->at[y * grey->width + reflected (x + i, grey->width)];
  for (int64_t y = 0; y < grey->height; y++)
    for (int64_t x = 0; x < grey->width; x++) {
      int64_t sum = (int64_t) unit * unit / 2;
      for (int i = -radius; i <= radius; i++)
        sum += weights[radius + i] * sums.at[reflected (y + i, grey->height) * grey->width + x];
      blurred.at[y * grey->width + x] = sum / ((int64_t) unit * unit);
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
      int64_t across = 0, down = 0;
      for (int j = 0; j < aperture; j++)
        for (int i = 0; i < aperture; i++) {
          const int64_t sample = replicated (picture, x + i - aperture / 2, y + j - aperture / 2);
          across += slope[i] * smooth[j] * sample;
          down += smooth[i] * slope[j] * sample;
        }
      /* rint() rounds half to even. */
      dx->at[y * picture->width + x] = aperture == 7 ? (int64_t) rint ((double) across / 16) : across;
      dy->at[y * picture->width + x] = aperture == 7 ? (int64_t) rint ((double) down / 16) : down;
    }
}

static uint32_t
lower_median (const Plane *grey)
{
  const size_t pixels = (size_t) (grey->width * grey->height);
  for (int64_t level = 0;; level++) {
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

/* The greatest magnitude's share, of which a hundred-thousandth is the smallest unit. */
static int64_t
share_of (double share, bool l2, int64_t greatest)
{
  const int64_t parts = llround (share * 100000);
  __int128 product = (__int128) parts * greatest;
  if (l2)
    product = product * parts / 100000;
  return (int64_t) (product / 100000);
}

/* GREY: the samples in 8 bits. */
static ReferenceLimits
limits_of (const CtrImage *image, const Plane *grey, const Plane *magnitude, const CtrCannyParams *params)
{
  const bool l2 = params->l2_gradient;
  ReferenceLimits limits = {0};
  double a, b;
  for (size_t i = 0; i < (size_t) (magnitude->width * magnitude->height); i++)
    limits.greatest = magnitude->at[i] > limits.greatest ? magnitude->at[i] : limits.greatest;
  if (params->threshold_mode == CTR_CANNY_RELATIVE) {
    limits.low = share_of (fmin (params->low_share, params->high_share), l2, limits.greatest);
    limits.high = share_of (fmax (params->low_share, params->high_share), l2, limits.greatest);
    return limits;
  }
  if (params->threshold_mode == CTR_CANNY_ABSOLUTE) {
    const double scale = params->aperture == 7 ? 16 : 1, most = is_native (image, params) ? 1e9 : 32767;
    a = fmin (params->low_threshold, params->high_threshold) / scale;
    b = fmax (params->low_threshold, params->high_threshold) / scale;
    a = fmin (a, most);
    b = fmin (b, most);
    limits.low = (int64_t) floor (l2 ? a * a : a);
    limits.high = (int64_t) floor (l2 ? b * b : b);
    return limits;
  }
  /* The gain of 160 and the 16 by which the gradient is divided. */
  const int64_t unit = is_native (image, params) ? 1 << (params->significant_bits - 8) : 1;
  const int64_t gain = unit * (params->aperture == 3 ? 1 : params->aperture == 5 ? 12 : 160 / 16);
  int64_t low_100, high_100;
  if (params->threshold_mode == CTR_CANNY_OTSU) {
    high_100 = 100 * gain * otsu_of (grey);
    low_100 = high_100 / 2;
  } else {
    const int64_t median = lower_median (grey);
    low_100 = 67 * gain * median;
    high_100 = gain * (133 * median < 25500 ? 133 * median : 25500);
  }
  limits.low = l2 ? low_100 * low_100 / 10000 : low_100 / 100;
  limits.high = l2 ? high_100 * high_100 / 10000 : high_100 / 100;
  return limits;
}

static bool
is_maximum (const Plane *dx, const Plane *dy, const Plane *magnitude, int64_t x, int64_t y)
{
  const int64_t across = dx->at[y * dx->width + x], down = dy->at[y * dy->width + x];
  const int64_t t = 13573 * llabs (across), steep = 32768 * llabs (down);
  const int64_t m = magnitude->at[y * dx->width + x];
  if (steep < t)
    return m > or_zero (magnitude, x - 1, y) && m >= or_zero (magnitude, x + 1, y);
  if (steep > t + 65536 * llabs (across))
    return m > or_zero (magnitude, x, y - 1) && m >= or_zero (magnitude, x, y + 1);
  const int s = (across < 0) != (down < 0) ? -1 : 1;
  return m > or_zero (magnitude, x - s, y - 1) && m > or_zero (magnitude, x + s, y + 1);
}

/* What leads to the candidates. */
typedef struct {
  Plane dx, dy, magnitude;
  ReferenceLimits limits;
} Gradient;

static Gradient
gradient_of (const CtrImage *image, const CtrCannyParams *params)
{
  const int64_t width = image->width, height = image->height;
  const size_t pixels = (size_t) (width * height);
  Plane grey = grey_of (image, params), samples = samples_of (image, params);
  Plane blurred = blurred_of (&samples, params->sigma, is_native (image, params));
  Gradient g = {plane_new (width, height), plane_new (width, height), plane_new (width, height), {0}};
  sobel (&blurred, (int) params->aperture, &g.dx, &g.dy);
  for (size_t i = 0; i < pixels; i++)
    g.magnitude.at[i] = params->l2_gradient ? g.dx.at[i] * g.dx.at[i] + g.dy.at[i] * g.dy.at[i]
                                            : llabs (g.dx.at[i]) + llabs (g.dy.at[i]);
  g.limits = limits_of (image, &grey, &g.magnitude, params);
  free (grey.at);
  free (samples.at);
  free (blurred.at);
  return g;
}

static void
gradient_free (Gradient *g)
{
  free (g->dx.at);
  free (g->dy.at);
  free (g->magnitude.at);
}

ReferenceLimits
reference_canny_limits (const CtrImage *image, const CtrCannyParams *params)
{
  Gradient g = gradient_of (image, params);
  gradient_free (&g);
  return g.limits;
}

uint8_t *
reference_canny (const CtrImage *image, const CtrCannyParams *params)
{
  const int64_t width = image->width, height = image->height;
  const size_t pixels = (size_t) (width * height);
  Gradient g = gradient_of (image, params);

  /* From the strong candidates to all candidates that hang on them, the nearest first. */
  enum { CANDIDATE = 1, EDGE = 255 };
  uint8_t *mask = calloc (pixels, 1);
  int64_t *queue = malloc (pixels * sizeof *queue);
  size_t first = 0, last = 0;
  for (int64_t y = 0; y < height; y++)
    for (int64_t x = 0; x < width; x++) {
      const int64_t i = y * width + x;
      if (g.magnitude.at[i] <= g.limits.low || !is_maximum (&g.dx, &g.dy, &g.magnitude, x, y))
        continue;
      mask[i] = CANDIDATE;
      if (g.magnitude.at[i] > g.limits.high) {
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
  gradient_free (&g);
  return mask;
}

/* The angle of the gradient, in sectors of 45 degrees whose bounds are those of OpenCV. */
static uint16_t
direction_value (int64_t dx, int64_t dy)
{
  const double slope = dx ? fabs ((double) dy / (double) dx) : INFINITY;
  const bool opposite = (dx < 0) != (dy < 0);
  return slope < 13573 / 32768. ? 64 * 257 : slope > 2 + 13573 / 32768. ? 192 * 257 : opposite ? 65535 : 128 * 257;
}

static uint16_t
gradient_value (int64_t m, const CtrCannyParams *params, bool native)
{
  const int64_t gain = params->aperture == 3 ? 1 : params->aperture == 5 ? 12 : 10;
  const int64_t level = (int64_t) (params->l2_gradient ? floor (sqrt ((double) m)) : (double) m) / gain;
  if (native)
    return (uint16_t) (level < 65535 ? level : 65535);
  return (uint16_t) (level < 255 ? 257 * level : 65535);
}

uint16_t *
reference_canny_values (const CtrImage *image, const CtrCannyParams *params)
{
  Gradient g = gradient_of (image, params);
  uint16_t *values = malloc ((size_t) image->width * image->height * sizeof *values);
  for (int64_t y = 0; y < image->height; y++)
    for (int64_t x = 0; x < image->width; x++) {
      const int64_t i = y * image->width + x, m = g.magnitude.at[i];
      values[i] = 0;
      if (params->output == CTR_CANNY_GRADIENT)
        values[i] = gradient_value (m, params, is_native (image, params));
      else if (m <= g.limits.low)
        continue;
      else if (params->output == CTR_CANNY_DIRECTION)
        values[i] = direction_value (g.dx.at[i], g.dy.at[i]);
      else if (is_maximum (&g.dx, &g.dy, &g.magnitude, x, y))
        values[i] = m > g.limits.high ? 65535 : 128 * 257;
    }
  gradient_free (&g);
  return values;
}

void
reference_paint_values (const CtrEdgePicture *picture, const uint16_t *values, uint32_t width, uint32_t height)
{
  for (uint32_t p = 0; p < picture->plane_count; p++) {
    const CtrEdgePlane *plane = &picture->planes[p];
    const uint32_t block_width = 1 << plane->x_shift, block_height = 1 << plane->y_shift;
    for (uint32_t y = 0; y * block_height < height; y++)
      for (uint32_t x = 0; x * block_width < width; x++) {
        uint16_t value = 0;
        for (uint32_t j = y * block_height; j < (y + 1) * block_height && j < height; j++)
          for (uint32_t i = x * block_width; i < (x + 1) * block_width && i < width; i++)
            value = values[(size_t) j * width + i] > value ? values[(size_t) j * width + i] : value;
        uint8_t *to = (uint8_t *) plane->data + y * plane->stride + x * plane->pixel_size;
        for (uint32_t k = 0; k < plane->pixel_size; k++) {
          const uint8_t shown = plane->sample_size < 2 || k % 2 ? value >> 8 : value & 255;
          to[k] = (uint8_t) ((shown & plane->edge[k]) | (plane->background[k] & (255 - shown)));
        }
      }
  }
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

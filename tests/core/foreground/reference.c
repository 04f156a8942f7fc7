/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/core/foreground/reference.h"

#include "tests/core/common/reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Samples or a mask of a picture, a number a pixel. */
typedef struct {
  uint32_t *at;
  uint32_t width, height;
  uint32_t most; /* the largest sample */
} Plane;

static Plane
plane_new (uint32_t width, uint32_t height, uint32_t most)
{
  return (Plane){calloc ((size_t) width * height, sizeof (uint32_t)), width, height, most};
}

static uint32_t *
at (const Plane *plane, int64_t x, int64_t y)
{
  return plane->at + y * plane->width + x;
}

/* Outside the image, its border is repeated. */
static uint32_t
replicated (const Plane *plane, int64_t x, int64_t y)
{
  x = x < 0 ? 0 : x >= plane->width ? plane->width - 1 : x;
  y = y < 0 ? 0 : y >= plane->height ? plane->height - 1 : y;
  return *at (plane, x, y);
}

static void
read_rgb (const CtrImage *image, uint32_t x, uint32_t y, int *r, int *g, int *b)
{
  const size_t size = ctr_format_pixel_size (image->format);
  const uint8_t *p = (const uint8_t *) image->data + y * image->stride + x * size;
  p += image->format == CTR_FORMAT_XRGB || image->format == CTR_FORMAT_XBGR;
  const bool blue_first =
      image->format == CTR_FORMAT_BGR || image->format == CTR_FORMAT_BGRX || image->format == CTR_FORMAT_XBGR;
  *r = p[blue_first ? 2 : 0];
  *g = p[1];
  *b = p[blue_first ? 0 : 2];
}

/* cvtColor() with COLOR_RGB2HSV: quotients in 1/4096, rounded. */
static uint32_t
hsv (int channel, int r, int g, int b)
{
  const int most = r > g ? (r > b ? r : b) : (g > b ? g : b), least = r < g ? (r < b ? r : b) : (g < b ? g : b);
  const int spread = most - least;
  if (channel == CTR_CHANNEL_VALUE)
    return (uint32_t) most;
  if (channel == CTR_CHANNEL_SATURATION)
    return most == 0 ? 0 : (uint32_t) floor ((spread * nearbyint (255 * 4096. / most) + 2048) / 4096);
  if (spread == 0)
    return 0;
  int turn;
  if (most == r)
    turn = g - b;
  else if (most == g)
    turn = 2 * spread + b - r;
  else
    turn = 4 * spread + r - g;
  const int hue = (int) floor ((turn * nearbyint (180 * 4096. / (6. * spread)) + 2048) / 4096);
  return (uint32_t) (hue < 0 ? hue + 180 : hue);
}

/* COLOR_RGB2YCrCb. */
static uint32_t
colour_difference (int channel, int r, int g, int b)
{
  const double luma = floor ((4899. * r + 9617. * g + 1868. * b) / 16384 + 0.5);
  const double scaled = channel == CTR_CHANNEL_CB ? (b - luma) * 9241 : (r - luma) * 11682;
  const double sample = floor (scaled / 16384 + 128 + 0.5);
  return sample < 0 ? 0 : sample > 255 ? 255 : (uint32_t) sample;
}

static uint32_t
sample_of (const CtrImage *image, int channel, uint32_t x, uint32_t y)
{
  int r, g, b;
  if (channel == CTR_CHANNEL_LUMA)
    return reference_sample (image, x, y);
  if (image->format < CTR_FORMAT_RGB) {
    const CtrChroma *c = &image->chroma;
    const uint8_t *first = channel == CTR_CHANNEL_CB ? c->cb : c->cr;
    return first[(size_t) (y >> c->shift_y) * c->stride + (size_t) (x >> c->shift_x) * c->step];
  }
  if (image->format >= CTR_FORMAT_YUYV)
    return reference_packed_chroma (image, channel == CTR_CHANNEL_CR, x, y);
  read_rgb (image, x, y, &r, &g, &b);
  if (channel <= CTR_CHANNEL_BLUE)
    return (uint32_t) (channel == CTR_CHANNEL_RED ? r : channel == CTR_CHANNEL_GREEN ? g : b);
  if (channel <= CTR_CHANNEL_VALUE)
    return hsv (channel, r, g, b);
  return colour_difference (channel, r, g, b);
}

static Plane
samples_of (const CtrImage *image, int channel)
{
  Plane plane = plane_new (image->width, image->height, image->format == CTR_FORMAT_GRAY16 ? 65535 : 255);
  for (uint32_t y = 0; y < plane.height; y++)
    for (uint32_t x = 0; x < plane.width; x++)
      *at (&plane, x, y) = sample_of (image, channel, x, y);
  return plane;
}

static uint32_t
otsu_of (const Plane *samples)
{
  uint16_t *copy = malloc ((size_t) samples->width * samples->height * sizeof *copy);
  uint8_t *bytes = (uint8_t *) copy;
  const bool wide = samples->most > 255;
  for (size_t i = 0; i < (size_t) samples->width * samples->height; i++)
    if (wide)
      copy[i] = (uint16_t) samples->at[i];
    else
      bytes[i] = (uint8_t) samples->at[i];
  const CtrImage image = {.data = copy,
      .stride = samples->width * (wide ? 2u : 1u),
      .width = samples->width,
      .height = samples->height,
      .format = wide ? CTR_FORMAT_GRAY16 : CTR_FORMAT_GRAY8};
  const uint32_t threshold = reference_otsu (&image);
  free (copy);
  return threshold;
}

/* What a sample is divided by for a histogram of 256 levels. */
static int
triangle_divisor (const Plane *samples, uint32_t significant_bits)
{
  uint32_t largest = 0;
  if (samples->most == 255)
    return 1;
  for (size_t i = 0; i < (size_t) samples->width * samples->height; i++)
    largest = samples->at[i] > largest ? samples->at[i] : largest;
  if (significant_bits == 0)
    significant_bits = largest < 1024 ? 10 : largest < 4096 ? 12 : largest < 16384 ? 14 : 16;
  return (1 << significant_bits) / 256;
}

/* OpenCV's getThreshVal_Triangle_8u() + 1: the histogram itself is turned round. */
static uint32_t
triangle_of (const Plane *samples, uint32_t significant_bits)
{
  enum { levels = 256 };
  const int divisor = triangle_divisor (samples, significant_bits);
  double count[levels] = {0};
  int left = 0, right = 0, peak = 0;
  for (size_t i = 0; i < (size_t) samples->width * samples->height; i++) {
    const int level = (int) samples->at[i] / divisor;
    count[level < levels ? level : levels - 1]++;
  }
  while (count[left] == 0)
    left++;
  for (int i = levels - 1; i > 0 && right == 0; i--)
    right = count[i] > 0 ? i : 0;
  left -= left > 0;
  right += right < levels - 1;
  for (int i = 0; i < levels; i++)
    peak = count[i] > count[peak] ? i : peak;
  const bool turned = peak - left < right - peak;
  if (turned) {
    for (int i = 0, j = levels - 1; i < j; i++, j--) {
      const double swapped = count[i];
      count[i] = count[j];
      count[j] = swapped;
    }
    left = levels - 1 - right;
    peak = levels - 1 - peak;
  }
  double most = 0;
  int threshold = left;
  for (int i = left + 1; i <= peak; i++) {
    const double distance = count[peak] * i + (double) (left - peak) * count[i];
    if (distance > most) {
      most = distance;
      threshold = i;
    }
  }
  threshold--;
  return (uint32_t) (((turned ? levels - 1 - threshold : threshold) + 1) * divisor);
}

/* The weights of gaussian.c, for a sum of 2^23. */
static void
gaussian_weights (int size, double *weights)
{
  static const double small[4][5] = {
      {0.25, 0.5}, {0.0625, 0.25, 0.375}, {0.03125, 0.109375, 0.21875, 0.28125}, {4, 13, 30, 51, 60}};
  const int radius = size / 2;
  const double sigma = 0.3 * ((size - 1) * 0.5 - 1) + 0.8, unit = 8388608;
  double sum = 0, carried = 0, centre = unit;
  for (int i = 0; i < size; i++) {
    const int from_end = i <= radius ? i : size - 1 - i;
    weights[i] = size <= 9 ? small[radius - 1][from_end] : exp (-0.5 * (i - radius) * (i - radius) / (sigma * sigma));
  }
  for (int i = 0; i < radius; i++)
    sum += 2 * weights[i];
  sum += weights[radius];
  for (int i = 0; i < radius; i++) {
    const double wanted = unit * (weights[i] / sum) + carried;
    weights[i] = weights[size - 1 - i] = nearbyint (wanted);
    carried = wanted - weights[i];
    centre -= 2 * weights[i];
  }
  weights[radius] = centre;
}

/* The mean of the block around each pixel, rounded. */
static void
find_means (const Plane *samples, const CtrForeground *foreground, Plane *means)
{
  const int size = (int) foreground->block_size, radius = size / 2;
  const bool gaussian = foreground->mode == CTR_THRESHOLD_ADAPTIVE_GAUSSIAN;
  const uint32_t width = samples->width, height = samples->height;
  int64_t *rows = malloc ((size_t) width * (height + 2 * (size_t) radius) * sizeof *rows), total = 0;
  double weights[CTR_MAX_BLOCK_SIZE];
  gaussian_weights (size, weights);
  for (int i = 0; i < size; i++) {
    weights[i] = gaussian ? weights[i] : 1;
    total += (int64_t) weights[i];
  }
  total *= total;
  for (int64_t y = -radius; y < (int64_t) height + radius; y++)
    for (uint32_t x = 0; x < width; x++) {
      int64_t sum = 0;
      for (int i = 0; i < size; i++)
        sum += (int64_t) weights[i] * replicated (samples, (int64_t) x + i - radius, y);
      rows[(y + radius) * width + x] = sum;
    }
  for (uint32_t y = 0; y < height; y++)
    for (uint32_t x = 0; x < width; x++) {
      int64_t sum = 0;
      for (int i = 0; i < size; i++)
        sum += (int64_t) weights[i] * rows[((size_t) y + (size_t) i) * width + x];
      const int64_t mean = sum / total, rest = sum % total;
      const bool up = rest > total - rest || (rest == total - rest && mean % 2 == 1);
      *at (means, x, y) = (uint32_t) (mean + up);
    }
  free (rows);
}

/* The 4- or 8-connected components of MASK that have a pixel of SEEDS, which becomes them. */
static void
flood (const Plane *mask, Plane *seeds, bool diagonal)
{
  const size_t pixels = (size_t) mask->width * mask->height;
  uint32_t *stack = malloc (pixels * sizeof *stack);
  size_t depth = 0;
  for (size_t i = 0; i < pixels; i++) {
    seeds->at[i] = seeds->at[i] && mask->at[i];
    if (seeds->at[i])
      stack[depth++] = (uint32_t) i;
  }
  while (depth > 0) {
    const uint32_t i = stack[--depth];
    const int64_t x = i % mask->width, y = i / mask->width;
    for (int dy = -1; dy <= 1; dy++)
      for (int dx = -1; dx <= 1; dx++) {
        const int64_t u = x + dx, v = y + dy;
        if (u < 0 || v < 0 || u >= mask->width || v >= mask->height || (!diagonal && dx != 0 && dy != 0))
          continue;
        if (*at (mask, u, v) && !*at (seeds, u, v)) {
          *at (seeds, u, v) = 1;
          stack[depth++] = (uint32_t) (v * mask->width + u);
        }
      }
  }
  free (stack);
}

/* The components of MASK that touch the border. */
static Plane
border_of (const Plane *mask, bool diagonal)
{
  Plane seeds = plane_new (mask->width, mask->height, 1);
  for (uint32_t y = 0; y < mask->height; y++)
    for (uint32_t x = 0; x < mask->width; x++)
      *at (&seeds, x, y) = x == 0 || y == 0 || x == mask->width - 1 || y == mask->height - 1;
  flood (mask, &seeds, diagonal);
  return seeds;
}

static void
invert (Plane *mask)
{
  for (size_t i = 0; i < (size_t) mask->width * mask->height; i++)
    mask->at[i] = !mask->at[i];
}

/* Is pixel X of row Y in getStructuringElement (shape, Size (size, size))? */
static bool
is_in_shape (CtrShape shape, int size, int x, int y)
{
  const int centre = size / 2;
  if (shape == CTR_SHAPE_RECTANGLE || size == 1)
    return true;
  if (shape == CTR_SHAPE_CROSS)
    return x == centre || y == centre;
  const int dy = y - centre,
            dx = (int) nearbyint (centre * sqrt ((centre * centre - dy * dy) / ((double) centre * centre)));
  return abs (x - centre) <= dx;
}

/* Is a pixel of the structuring element around pixel X, Y equal to VALUE? */
static bool
has_neighbour (const Plane *mask, CtrShape shape, int size, int64_t x, int64_t y, uint32_t value)
{
  for (int j = 0; j < size; j++)
    for (int i = 0; i < size; i++) {
      const int64_t u = x + i - size / 2, v = y + j - size / 2;
      if (u >= 0 && v >= 0 && u < mask->width && v < mask->height && *at (mask, u, v) == value
          && is_in_shape (shape, size, i, j))
        return true;
    }
  return false;
}

/* The greatest or least pixel of the structuring element around each. */
static void
extreme (Plane *mask, CtrShape shape, int size, bool greatest)
{
  Plane before = plane_new (mask->width, mask->height, 1);
  memcpy (before.at, mask->at, (size_t) mask->width * mask->height * sizeof *mask->at);
  for (int64_t y = 0; y < mask->height; y++)
    for (int64_t x = 0; x < mask->width; x++)
      *at (mask, x, y) = has_neighbour (&before, shape, size, x, y, greatest) == greatest;
  free (before.at);
}

static void
apply_ranges (const CtrImage *image, const CtrForeground *foreground, Plane *mask)
{
  for (size_t i = 0; i < (size_t) mask->width * mask->height; i++)
    mask->at[i] = 1;
  for (int c = 0; c < CTR_CHANNELS; c++) {
    const uint32_t lower = foreground->lower[c], upper = foreground->upper[c];
    for (uint32_t y = 0; (foreground->ranges >> c & 1) && y < mask->height; y++)
      for (uint32_t x = 0; x < mask->width; x++) {
        const uint32_t sample = sample_of (image, c, x, y);
        const bool inside = lower <= upper ? lower <= sample && sample <= upper : lower <= sample || sample <= upper;
        *at (mask, x, y) &= inside;
      }
  }
}

static uint32_t
threshold_of (const Plane *samples, const CtrForeground *foreground)
{
  switch (foreground->mode) {
    case CTR_THRESHOLD_OTSU:
      return otsu_of (samples);
    case CTR_THRESHOLD_TRIANGLE:
      return triangle_of (samples, foreground->significant_bits);
    case CTR_THRESHOLD_FIXED:
    case CTR_THRESHOLD_HYSTERESIS:
      return foreground->threshold;
    default:
      return 0;
  }
}

static uint32_t
apply_threshold (const CtrImage *image, const CtrForeground *foreground, Plane *mask)
{
  Plane samples = samples_of (image, foreground->channel), means = plane_new (mask->width, mask->height, 0);
  Plane strong = plane_new (mask->width, mask->height, 1);
  const bool adaptive =
      foreground->mode == CTR_THRESHOLD_ADAPTIVE_MEAN || foreground->mode == CTR_THRESHOLD_ADAPTIVE_GAUSSIAN;
  const uint32_t threshold = threshold_of (&samples, foreground), upper = foreground->upper_threshold;
  if (adaptive)
    find_means (&samples, foreground, &means);
  for (size_t i = 0; i < (size_t) mask->width * mask->height; i++) {
    const uint32_t sample = samples.at[i];
    mask->at[i] = adaptive ? (int64_t) sample > (int64_t) means.at[i] - foreground->offset : sample >= threshold;
    if (foreground->mode == CTR_THRESHOLD_FIXED && upper > 0 && sample > upper)
      mask->at[i] = 0;
    strong.at[i] = sample >= upper;
  }
  if (foreground->mode == CTR_THRESHOLD_HYSTERESIS) {
    flood (mask, &strong, false);
    memcpy (mask->at, strong.at, (size_t) mask->width * mask->height * sizeof *mask->at);
  }
  free (samples.at);
  free (means.at);
  free (strong.at);
  return threshold;
}

static void
fill_holes (Plane *mask)
{
  invert (mask);
  Plane outside = border_of (mask, false);
  memcpy (mask->at, outside.at, (size_t) mask->width * mask->height * sizeof *mask->at);
  invert (mask);
  free (outside.at);
}

static void
split_touching (Plane *mask, uint32_t depth)
{
  const size_t pixels = (size_t) mask->width * mask->height;
  uint8_t *bytes = malloc (pixels);
  for (size_t i = 0; i < pixels; i++)
    bytes[i] = mask->at[i] != 0;
  reference_split (bytes, mask->width, mask->height, depth / 16.);
  for (size_t i = 0; i < pixels; i++)
    mask->at[i] = bytes[i];
  free (bytes);
}

static void
clear_border (Plane *mask)
{
  Plane touching = border_of (mask, true);
  for (size_t i = 0; i < (size_t) mask->width * mask->height; i++)
    mask->at[i] &= !touching.at[i];
  free (touching.at);
}

uint8_t *
reference_mask (const CtrImage *image, const CtrForeground *foreground, uint32_t *threshold)
{
  const size_t pixels = (size_t) image->width * image->height;
  Plane mask = plane_new (image->width, image->height, 1);
  uint8_t *bytes = malloc (pixels);
  uint32_t found = 0;
  if (foreground->ranges)
    apply_ranges (image, foreground, &mask);
  else
    found = apply_threshold (image, foreground, &mask);
  if (foreground->invert)
    invert (&mask);
  if (foreground->open_size > 1) {
    extreme (&mask, foreground->shape, (int) foreground->open_size, false);
    extreme (&mask, foreground->shape, (int) foreground->open_size, true);
  }
  if (foreground->close_size > 1) {
    extreme (&mask, foreground->shape, (int) foreground->close_size, true);
    extreme (&mask, foreground->shape, (int) foreground->close_size, false);
  }
  if (foreground->fill_holes)
    fill_holes (&mask);
  if (foreground->split_touching)
    split_touching (&mask, foreground->split_touching);
  if (foreground->clear_border)
    clear_border (&mask);
  for (size_t i = 0; i < pixels; i++)
    bytes[i] = mask.at[i] ? 255 : 0;
  free (mask.at);
  if (threshold)
    *threshold = found;
  return bytes;
}

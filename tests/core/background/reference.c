/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/core/background/reference.h"

#include "tests/core/common/reference.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint32_t
greatest_of (CtrFormat format)
{
  return format == CTR_FORMAT_GRAY16 ? 65535 : 255;
}

static void
forget (ReferenceBackground *reference)
{
  free (reference->average);
  free (reference->background);
  for (int i = 0; i < CTR_BACKGROUND_MAX_FRAMES; i++) {
    free (reference->history[i]);
    reference->history[i] = NULL;
  }
  reference->average = NULL;
  reference->background = NULL;
}

void
reference_background_release (ReferenceBackground *reference)
{
  forget (reference);
  free (reference->picture);
  *reference = (ReferenceBackground){0};
}

static uint16_t *
samples_of (const CtrImage *image)
{
  uint16_t *samples = malloc ((size_t) image->width * image->height * sizeof *samples);
  for (uint32_t y = 0; y < image->height; y++)
    for (uint32_t x = 0; x < image->width; x++)
      samples[(size_t) y * image->width + x] = (uint16_t) reference_sample (image, x, y);
  return samples;
}

void
reference_background_set_picture (ReferenceBackground *reference, const CtrImage *picture)
{
  free (reference->picture);
  reference->picture = samples_of (picture);
  reference->begun = reference->begun && reference->model != CTR_BACKGROUND_GIVEN;
}

static int
by_size (const void *a, const void *b)
{
  return *(const uint16_t *) a - *(const uint16_t *) b;
}

static void
find_median (ReferenceBackground *reference, size_t pixels)
{
  uint32_t count = 0;
  while (count < reference->frames && reference->history[count])
    count++;
  for (size_t i = 0; i < pixels; i++) {
    uint16_t values[CTR_BACKGROUND_MAX_FRAMES];
    for (uint32_t f = 0; f < count; f++)
      values[f] = reference->history[f][i];
    qsort (values, count, sizeof *values, by_size);
    reference->background[i] = values[(count - 1) / 2];
  }
}

static void
learn (ReferenceBackground *reference, const uint16_t *samples, size_t pixels, const CtrBackgroundParams *params,
    bool start)
{
  const size_t size = pixels * sizeof *samples;
  const float rate = (float) params->learning_rate, keep = 1 - rate;
  switch (params->model) {
    case CTR_BACKGROUND_AVERAGE:
      for (size_t i = 0; i < pixels && (start || params->learning); i++) {
        /* Stored, so no compiler fuses them. */
        volatile float kept = reference->average[i] * keep, added = samples[i] * rate;
        reference->average[i] = start ? (float) samples[i] : kept + added;
      }
      for (size_t i = 0; i < pixels; i++)
        reference->background[i] =
            (uint16_t) fminf (nearbyintf (reference->average[i]), (float) greatest_of (reference->format));
      break;
    case CTR_BACKGROUND_MEDIAN:
      if (!start && (!params->learning || ++reference->since < params->interval))
        break;
      reference->since = 0;
      free (reference->history[reference->frames - 1]);
      memmove (reference->history + 1, reference->history, (reference->frames - 1) * sizeof *reference->history);
      reference->history[0] = malloc (size);
      memcpy (reference->history[0], samples, size);
      find_median (reference, pixels);
      break;
    default:
      if (start)
        memcpy (reference->background, params->model == CTR_BACKGROUND_GIVEN ? reference->picture : samples, size);
  }
}

__extension__ typedef __int128 Wide;

/* a / b, rounded to nearest, halves upwards. */
static int64_t
rounded (Wide a, Wide b)
{
  return (int64_t) ((2 * a + b) / (2 * b));
}

static uint16_t
correct (uint32_t sample, uint32_t background, int64_t mean, const CtrBackgroundParams *params, CtrFormat format)
{
  const int64_t greatest = greatest_of (format), limit = params->sample_mask & greatest;
  int64_t most = limit;
  for (int64_t bit = 1; (limit & bit) == 0; bit *= 2)
    most += bit;
  int64_t value = (int64_t) sample - background;
  if (params->mode == CTR_BACKGROUND_ABSDIFF)
    value = llabs (value);
  if (params->mode == CTR_BACKGROUND_DIVIDE && background == 0)
    value = sample == 0 ? 0 : most;
  else if (params->mode == CTR_BACKGROUND_DIVIDE)
    value = rounded ((Wide) sample * mean, (Wide) background * (greatest == 255 ? 256 : 1));
  if (params->mode == CTR_BACKGROUND_DIVIDE && value > most)
    value = most;
  value += params->offset;
  value = value < 0 ? 0 : value > limit ? limit : value;
  return (uint16_t) (value & limit);
}

uint16_t *
reference_background (ReferenceBackground *reference, const CtrImage *image, const CtrBackgroundParams *params)
{
  const size_t pixels = (size_t) image->width * image->height;
  uint16_t *samples = samples_of (image);
  const bool start = !reference->begun || reference->width != image->width || reference->height != image->height
                     || reference->format != image->format || reference->model != params->model
                     || reference->frames != params->frames;
  if (start) {
    forget (reference);
    reference->average = malloc (pixels * sizeof (float));
    reference->background = malloc (pixels * sizeof (uint16_t));
    reference->begun = true;
    reference->width = image->width;
    reference->height = image->height;
    reference->format = image->format;
    reference->model = params->model;
    reference->frames = params->frames;
    reference->since = 0;
  }
  learn (reference, samples, pixels, params, start);
  Wide sum = 0;
  for (size_t i = 0; i < pixels; i++)
    sum += reference->background[i];
  const int64_t mean = rounded (sum * (greatest_of (image->format) == 255 ? 256 : 1), pixels);
  for (size_t i = 0; i < pixels; i++)
    samples[i] = correct (samples[i], reference->background[i], mean, params, image->format);
  return samples;
}

/* Byte I of a pixel whose sample is SAMPLE and that was SOURCE. */
static uint8_t
pixel_byte (CtrFormat format, uint16_t sample, const uint8_t *source, size_t i)
{
  uint8_t bytes[2];
  switch (format) {
    case CTR_FORMAT_GRAY16:
      memcpy (bytes, &sample, sizeof bytes);
      return bytes[i];
    case CTR_FORMAT_RGBX:
    case CTR_FORMAT_BGRX:
      return i == 3 ? source[i] : (uint8_t) sample;
    case CTR_FORMAT_YUYV:
    case CTR_FORMAT_YVYU:
      return i == 0 ? (uint8_t) sample : source[i];
    case CTR_FORMAT_UYVY:
    case CTR_FORMAT_VYUY:
      return i == 1 ? (uint8_t) sample : source[i];
    case CTR_FORMAT_XRGB:
    case CTR_FORMAT_XBGR:
      return i == 0 ? source[i] : (uint8_t) sample;
    default:
      return (uint8_t) sample;
  }
}

void
check_corrected_rows (const CtrImage *image, const uint16_t *samples, const uint8_t *pixels, size_t stride)
{
  const size_t size = ctr_format_pixel_size (image->format);
  for (uint32_t y = 0; y < image->height; y++)
    for (uint32_t x = 0; x < image->width; x++)
      for (size_t i = 0; i < size; i++) {
        const uint8_t *source = (const uint8_t *) image->data + y * image->stride + x * size;
        const uint8_t wanted = pixel_byte (image->format, samples[(size_t) y * image->width + x], source, i);
        const uint8_t found = pixels[y * stride + x * size + i];
        if (found != wanted) {
          fprintf (stderr, "column %u, row %u, byte %zu is %u, not %u\n", x, y, i, found, wanted);
          fail (__FILE__, __LINE__, "the corrected picture is as defined");
        }
      }
}

CtrBackgroundParams
random_background_params (Random *random)
{
  static const double rates[] = {0, 1, 0.05, 0.5, 1e-6, 0.999999};
  CtrBackgroundParams params;
  ctr_background_params_init (&params);
  params.mode = (CtrBackgroundMode) random_below (random, 3);
  params.model = (CtrBackgroundModel) random_below (random, 4);
  params.learning_rate =
      random_below (random, 2) ? rates[random_below (random, LENGTH (rates))] : random_below (random, 1001) / 1000.0;
  params.learning = random_below (random, 4);
  params.frames = 3 + 2 * random_below (random, 7);
  params.interval = 1 + random_below (random, 3);
  if (random_below (random, 2))
    params.offset = (int32_t) random_below (random, 600) - 300;
  if (random_below (random, 16) == 0)
    params.offset = random_below (random, 2) ? CTR_BACKGROUND_MAX_OFFSET : -CTR_BACKGROUND_MAX_OFFSET;
  if (random_below (random, 4) == 0)
    params.sample_mask = random_below (random, 2) ? 0xffc0 : 0x3ff;
  return params;
}

void
describe_background (const char *name, const CtrImage *image, const CtrBackgroundParams *params)
{
  describe ("%s: %u x %u, stride %zu, format %d; mode %d, model %d, rate %.9g, learning %d, frames %u, interval %u, "
            "offset %d, mask 0x%x",
      name, image->width, image->height, image->stride, (int) image->format, (int) params->mode, (int) params->model,
      params->learning_rate, params->learning, params->frames, params->interval, params->offset, params->sample_mask);
}

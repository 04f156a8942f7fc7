/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Channels of rows. */
#include "core/common/poll.h"
#include "core/foreground/colour.h"
#include "cpu/common/luma.h"
#include "cpu/foreground/kernels.h"
#include "cpu/foreground/steps.h"

#include <string.h>

enum { PART = 512 }; /* pixels that are converted together; a multiple of those of all vectors */

static inline __attribute__ ((always_inline)) void
extract (const uint8_t *pixels, uint32_t width, uint32_t size, uint8_t *to)
{
  for (uint32_t x = 0; x < width; x++)
    to[x] = pixels[x * size];
}

/* A byte of each pixel. Constant sizes give one tight loop each. */
static void
extract_byte (const uint8_t *pixels, uint32_t width, size_t size, uint8_t *to)
{
  if (size == 3)
    extract (pixels, width, 3, to);
  else
    extract (pixels, width, 4, to);
}

/* A part of a row of packed RGB. */
typedef struct {
  uint8_t red[PART], green[PART], blue[PART];
} Colours;

/* Splits COUNT pixels from pixel X of ROW on. */
static void
split (
    const CtrForegroundKernels *kernels, CtrFormat format, const uint8_t *row, uint32_t x, uint32_t count, Colours *to)
{
  const uint32_t size = (uint32_t) ctr_format_pixel_size (format);
  const CtrRgbOrder order = ctr_rgb_order (format);
  const uint32_t first = order.red < order.blue ? order.red : order.blue;
  uint8_t *const samples[3] = {
      first == order.red ? to->red : to->blue, to->green, first == order.red ? to->blue : to->red};
  kernels->split_colours (row + (size_t) x * size, size, first, count, samples);
}

/* Channels from hue on. */
static void
convert_row (const CtrImage *image, CtrChannel channel, const uint8_t *row, uint8_t *to)
{
  const CtrForegroundKernels *kernels = ctr_foreground_choose_kernels ();
  Colours colours = {0};
  uint8_t samples[PART];
  for (uint32_t x = 0; x < image->width; x += PART) {
    const uint32_t count = image->width - x < PART ? image->width - x : PART;
    split (kernels, image->format, row, x, count, &colours);
    kernels->convert_colours (channel, colours.red, colours.green, colours.blue, count, samples);
    memcpy (to + x, samples, count);
  }
}

void
ctr_channels_select (const CtrImage *image, const CtrForeground *foreground, uint32_t y, uint64_t *bits)
{
  const CtrForegroundKernels *kernels = ctr_foreground_choose_kernels ();
  const uint8_t *row = (const uint8_t *) image->data + y * image->stride;
  Colours colours = {0};
  for (uint32_t x = 0; x < image->width; x += PART) {
    const uint32_t count = image->width - x < PART ? image->width - x : PART;
    split (kernels, image->format, row, x, count, &colours);
    kernels->select_colours (foreground, colours.red, colours.green, colours.blue, count, bits + x / 64);
  }
}

static void
rgb_row (const CtrImage *image, CtrChannel channel, const uint8_t *pixels, uint8_t *to)
{
  const size_t size = ctr_format_pixel_size (image->format);
  const CtrRgbOrder order = ctr_rgb_order (image->format);
  switch (channel) {
    case CTR_CHANNEL_LUMA:
      ctr_luma_row (image->format, pixels, image->width, to);
      break;
    case CTR_CHANNEL_RED:
      extract_byte (pixels + order.red, image->width, size, to);
      break;
    case CTR_CHANNEL_GREEN:
      extract_byte (pixels + order.green, image->width, size, to);
      break;
    case CTR_CHANNEL_BLUE:
      extract_byte (pixels + order.blue, image->width, size, to);
      break;
    default:
      convert_row (image, channel, pixels, to);
  }
}

static void
chroma_row (const CtrImage *image, CtrChannel channel, uint32_t y, uint8_t *to)
{
  const CtrChroma chroma = ctr_image_chroma (image);
  const uint8_t *row =
      (channel == CTR_CHANNEL_CB ? chroma.cb : chroma.cr) + (size_t) (y >> chroma.shift_y) * chroma.stride;
  for (uint32_t x = 0; x < image->width; x++)
    to[x] = row[(size_t) (x >> chroma.shift_x) * chroma.step];
}

bool
ctr_channel_is_direct (const CtrImage *image, CtrChannel channel)
{
  return channel == CTR_CHANNEL_LUMA && !ctr_format_is_packed (image->format);
}

const void *
ctr_channel_row (const CtrImage *image, CtrChannel channel, uint32_t y, uint8_t *scratch)
{
  const uint8_t *row = (const uint8_t *) image->data + y * image->stride;
  if (ctr_channel_is_direct (image, channel))
    return row;
  if (ctr_format_is_rgb (image->format))
    rgb_row (image, channel, row, scratch);
  else if (channel == CTR_CHANNEL_LUMA)
    ctr_luma_row (image->format, row, image->width, scratch);
  else
    chroma_row (image, channel, y, scratch);
  return scratch;
}

typedef struct {
  const CtrImage *image;
  CtrChannel channel;
  uint8_t *to;
  size_t stride;
} Conversion;

static bool
convert_band (void *context, void *scratch, uint32_t first, uint32_t end)
{
  const Conversion *conversion = context;
  for (uint32_t y = first; y < end; y++) {
    if (ctr_cancelled ())
      return false;
    ctr_channel_row (conversion->image, conversion->channel, y, conversion->to + y * conversion->stride);
  }
  return true;
}

bool
ctr_channel_write (const CtrRowsPlan *plan, const CtrImage *image, CtrChannel channel, uint8_t *to, size_t stride)
{
  Conversion conversion = {image, channel, to, stride};
  return ctr_rows_run (plan, image->height, convert_band, &conversion);
}

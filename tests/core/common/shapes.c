/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/core/common/shapes.h"

#include <stdlib.h>
#include <string.h>

uint64_t
random_next (Random *random)
{
  uint64_t z = random->state += 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return z ^ z >> 31;
}

uint32_t
random_below (Random *random, uint32_t bound)
{
  return (uint32_t) ((random_next (random) >> 32) * bound >> 32);
}

const char *const shape_names[SHAPE_COUNT] = {
    [SHAPE_ZEROS] = "zeros",
    [SHAPE_ONES] = "ones",
    [SHAPE_CHEQUERBOARD] = "chequerboard",
    [SHAPE_CHEQUERBOARD_SHIFTED] = "shifted chequerboard",
    [SHAPE_DOTS] = "dots",
    [SHAPE_COLUMNS] = "columns",
    [SHAPE_ROWS] = "rows",
    [SHAPE_COMB] = "comb",
    [SHAPE_COMB_DOWN] = "hanging comb",
    [SHAPE_SPIRAL] = "spiral",
    [SHAPE_SERPENTINE] = "serpentine",
    [SHAPE_SERPENTINE_UPRIGHT] = "upright serpentine",
    [SHAPE_RINGS] = "rings",
    [SHAPE_DIAGONALS] = "diagonals",
    [SHAPE_LATTICE] = "lattice",
    [SHAPE_ARCHES] = "arches",
    [SHAPE_CUPS] = "cups",
    [SHAPE_STAIRS] = "stairs",
    [SHAPE_DOMINOES] = "dominoes",
};

static uint32_t
min4 (uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
  uint32_t ab = a < b ? a : b, cd = c < d ? c : d;
  return ab < cd ? ab : cd;
}

/* The number of the square ring around the picture's centre that holds (X, Y), 0 at the border. */
static uint32_t
ring (uint32_t x, uint32_t y, uint32_t width, uint32_t height)
{
  return min4 (x, y, width - 1 - x, height - 1 - y);
}

/* Rings joined to one line: each even ring is cut below its first corner and bridged from there to the next one. */
static bool
spiral (uint32_t x, uint32_t y, uint32_t width, uint32_t height)
{
  uint32_t r = ring (x, y, width, height);
  if (r % 2 == 0)
    return !(x == r && y == r + 1);
  return x == r && y == r + 1;
}

static bool
serpentine (uint32_t along, uint32_t across, uint32_t length)
{
  if (across % 2 == 0)
    return true;
  return across % 4 == 1 ? along == length - 1 : along == 0;
}

static bool
shape_at (Shape shape, uint32_t x, uint32_t y, uint32_t width, uint32_t height)
{
  switch (shape) {
    case SHAPE_ZEROS:
      return false;
    case SHAPE_ONES:
      return true;
    case SHAPE_CHEQUERBOARD:
      return (x + y) % 2 == 0;
    case SHAPE_CHEQUERBOARD_SHIFTED:
      return (x + y) % 2 == 1;
    case SHAPE_DOTS:
      return x % 2 == 0 && y % 2 == 0;
    case SHAPE_COLUMNS:
      return x % 2 == 0;
    case SHAPE_ROWS:
      return y % 2 == 0;
    case SHAPE_COMB:
      return x % 2 == 0 || y == height - 1;
    case SHAPE_COMB_DOWN:
      return x % 2 == 0 || y == 0;
    case SHAPE_SPIRAL:
      return spiral (x, y, width, height);
    case SHAPE_SERPENTINE:
      return serpentine (x, y, width);
    case SHAPE_SERPENTINE_UPRIGHT:
      return serpentine (y, x, height);
    case SHAPE_RINGS:
      return ring (x, y, width, height) % 2 == 0;
    case SHAPE_DIAGONALS:
      return (x + y) % 3 == 0;
    case SHAPE_LATTICE:
      return (x + y) % 6 == 0 || (x + 6 * (size_t) height - y) % 6 == 0;
    case SHAPE_ARCHES:
      return min4 (x, width - 1 - x, y, y) % 2 == 0;
    case SHAPE_CUPS:
      return min4 (x, width - 1 - x, height - 1 - y, height - 1 - y) % 2 == 0;
    case SHAPE_DOMINOES:
      return x % 2 == 0 && y % 3 < 2;
    case SHAPE_STAIRS:
      return (x + y) % 3 < 2;
    case SHAPE_COUNT:
      break;
  }
  abort ();
}

uint8_t *
shape_new (Shape shape, uint32_t width, uint32_t height)
{
  uint8_t *mask = malloc ((size_t) width * height);
  for (uint32_t y = 0; y < height; y++)
    for (uint32_t x = 0; x < width; x++)
      mask[(size_t) y * width + x] = shape_at (shape, x, y, width, height);
  return mask;
}

uint8_t *
noise_new (Random *random, uint32_t width, uint32_t height, uint32_t density, uint32_t grain)
{
  uint8_t *mask = malloc ((size_t) width * height);
  for (uint32_t y = 0; y < height; y++) {
    uint8_t *row = mask + (size_t) y * width;
    for (uint32_t x = 0; x < width; x++)
      if (y % grain)
        row[x] = row[(ptrdiff_t) x - (ptrdiff_t) width];
      else
        row[x] = x % grain ? row[x - 1] : random_below (random, 100) < density;
  }
  return mask;
}

uint8_t *
grey_new (Random *random, uint32_t width, uint32_t height)
{
  const size_t pixels = (size_t) width * height;
  const uint32_t kind = random_below (random, 6), grain = 1 + random_below (random, 9);
  const int a = (int) random_below (random, 9) - 4, b = (int) random_below (random, 9) - 4;
  const uint8_t levels[2] = {(uint8_t) random_next (random), (uint8_t) random_next (random)};
  uint8_t *grey;
  if (kind == 0) {
    grey = noise_new (random, width, height, random_below (random, 101), grain);
  } else if (kind == 1) {
    grey = shape_new ((Shape) random_below (random, SHAPE_COUNT), width, height);
  } else {
    grey = malloc (pixels);
    for (size_t i = 0; i < pixels; i++)
      grey[i] = (uint8_t) random_next (random);
  }
  for (uint32_t y = 0; y < height; y++)
    for (uint32_t x = 0; x < width; x++) {
      uint8_t *sample = grey + (size_t) y * width + x;
      if (kind <= 1)
        *sample = levels[*sample];
      else if (kind == 2)
        *sample = (uint8_t) ((a * (int) x + b * (int) y) / 2);
      else if (kind == 3)
        *sample = (uint8_t) (64 * (*sample / 64));
      else if (kind == 4)
        /* Noise that hangs together: each new level is mostly its left and upper neighbours'. */
        *sample =
            (uint8_t) ((2 * *sample + 7 * (x ? sample[-1] : *sample) + 7 * (y ? sample[-(int64_t) width] : *sample))
                       / 16);
    }
  return grey;
}

Layout
random_layout (Random *random)
{
  Layout layout = {.format = (CtrFormat) random_below (random, CTR_FORMAT_VYUY + 1),
      .offset = random_below (random, 40),
      .padding = random_below (random, 2) ? random_below (random, 70) : 0};
  if (layout.format == CTR_FORMAT_GRAY16) {
    layout.offset &= ~1u;
    layout.padding &= ~1u;
  }
  return layout;
}

Picture
picture_random (Random *random, uint32_t width, uint32_t height, Layout layout)
{
  const size_t row = ctr_format_row_size (layout.format, width), stride = row + layout.padding;
  Picture picture = {.bytes = layout.offset + (height - 1) * stride + row};
  uint8_t *bytes = picture.memory = malloc (picture.bytes);
  for (size_t i = 0; i < picture.bytes; i++)
    bytes[i] = (uint8_t) random_next (random);
  picture.view = (CtrImage){.data = bytes + layout.offset,
      .stride = stride,
      .width = width,
      .height = height,
      .format = layout.format,
      .memory = CTR_MEMORY_HOST};
  return picture;
}

Picture
picture_of_mask (Random *random, const uint8_t *mask, uint32_t width, uint32_t height, Layout layout,
    uint32_t threshold, bool invert)
{
  Picture picture = picture_random (random, width, height, layout);
  const uint32_t levels = layout.format == CTR_FORMAT_GRAY16 ? 65536 : 256;
  const size_t pixel = ctr_format_pixel_size (layout.format);
  for (uint32_t y = 0; y < height; y++)
    for (uint32_t x = 0; x < width; x++) {
      const bool high = mask[(size_t) y * width + x] != invert;
      const uint16_t sample =
          (uint16_t) (high ? threshold + random_below (random, levels - threshold) : random_below (random, threshold));
      uint8_t *p = (uint8_t *) picture.view.data + y * picture.view.stride + x * pixel;
      /* The luma of a grey pixel is its grey; the fourth byte stays random. */
      switch (layout.format) {
        case CTR_FORMAT_GRAY8:
          p[0] = (uint8_t) sample;
          break;
        case CTR_FORMAT_GRAY16:
          memcpy (p, &sample, 2);
          break;
        case CTR_FORMAT_YUYV:
        case CTR_FORMAT_YVYU:
          p[0] = (uint8_t) sample;
          break;
        case CTR_FORMAT_UYVY:
        case CTR_FORMAT_VYUY:
          p[1] = (uint8_t) sample;
          break;
        case CTR_FORMAT_RGB:
        case CTR_FORMAT_BGR:
        case CTR_FORMAT_RGBX:
        case CTR_FORMAT_BGRX:
          memset (p, sample, 3);
          break;
        case CTR_FORMAT_XRGB:
        case CTR_FORMAT_XBGR:
          memset (p + 1, sample, 3);
          break;
      }
    }
  return picture;
}

Picture
picture_of_grey (Random *random, const uint8_t *grey, uint32_t width, uint32_t height, Layout layout)
{
  const size_t size = ctr_format_pixel_size (layout.format);
  Picture picture = picture_random (random, width, height, layout);
  for (uint32_t y = 0; y < height; y++)
    for (uint32_t x = 0; x < width; x++) {
      uint8_t *p = (uint8_t *) picture.view.data + y * picture.view.stride + x * size;
      const uint8_t sample = grey[(size_t) y * width + x];
      const uint16_t wide = (uint16_t) (sample << 8 | p[0]);
      switch (layout.format) {
        case CTR_FORMAT_GRAY8:
          p[0] = sample;
          break;
        case CTR_FORMAT_GRAY16:
          memcpy (p, &wide, 2);
          break;
        case CTR_FORMAT_YUYV:
        case CTR_FORMAT_YVYU:
          p[0] = sample;
          break;
        case CTR_FORMAT_UYVY:
        case CTR_FORMAT_VYUY:
          p[1] = sample;
          break;
        case CTR_FORMAT_XRGB:
        case CTR_FORMAT_XBGR:
          memset (p + 1, sample, 3);
          break;
        default:
          memset (p, sample, 3);
      }
    }
  return picture;
}

void
picture_free (Picture *picture)
{
  free (picture->memory);
}

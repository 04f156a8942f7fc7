/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* layouts BACKEND
 *
 * The same picture in every layout: rows of every stride from the least one to 64 pixels more, first pixels at every
 * alignment, a part of a wider picture, and zeros, ones or random bytes around the rows. Every algorithm has the same result,
 * and what is around the rows stays as it is. Padding on both sides has the size of the widest loads, so a result that
 * depends on it differs with one of its fillings. */
#include "tests/core/common/gpu.h"
#include "tests/core/common/hashed.h"

#include <stdlib.h>
#include <string.h>

enum { MARGIN = 64, MOST_PADDING = 64 };

typedef enum { FILL_ZEROS, FILL_ONES, FILL_RANDOM, FILL_COUNT } Fill;

static Setup setup;
static Random rng = {11};

/* Blobs in noise, so that every algorithm finds something. Rows of WIDTH pixels without padding, transfer full (free). */
static uint8_t *
pixels_new (uint32_t width, uint32_t height, size_t pixel_size)
{
  uint8_t *pixels = malloc (width * height * pixel_size);
  for (uint32_t y = 0; y < height; y++)
    for (uint32_t x = 0; x < width; x++) {
      const bool bright = (x / 7 + y / 5) % 3 == 0;
      for (size_t i = 0; i < pixel_size; i++)
        pixels[(y * width + x) * pixel_size + i] = (uint8_t) ((bright ? 120 : 10) + random_below (&rng, 125));
    }
  return pixels;
}

static uint64_t
run (const HashedCase *c, void *analyser, const CtrImage *image)
{
  uint64_t hash = HASH_SEED;
  CtrError error;
  if (!c->run (analyser, image, &hash, &error))
    fail (__FILE__, __LINE__, error.message);
  return hash;
}

static void
fill (uint8_t *memory, size_t size, Fill with)
{
  if (with == FILL_RANDOM)
    for (size_t i = 0; i < size; i++)
      memory[i] = (uint8_t) random_next (&rng);
  else
    memset (memory, with == FILL_ONES ? 255 : 0, size);
}

/* The result of PIXELS in rows of STRIDE bytes, OFFSET bytes behind an aligned address. */
static uint64_t
run_laid_out (const HashedCase *c, void *analyser, const CtrImage *image, size_t offset, size_t stride, Fill with)
{
  const size_t row = ctr_format_row_size (image->format, image->width);
  const size_t size = 2 * MARGIN + offset + stride * image->height;
  uint8_t *memory = aligned_alloc (MARGIN, (size + MARGIN - 1) / MARGIN * MARGIN), *before = malloc (size);
  fill (memory, size, with);
  CtrImage laid_out = *image;
  laid_out.data = memory + MARGIN + offset;
  laid_out.stride = stride;
  for (uint32_t y = 0; y < image->height; y++)
    memcpy (memory + MARGIN + offset + y * stride, (const uint8_t *) image->data + y * image->stride, row);
  memcpy (before, memory, size);
  const uint64_t hash = run (c, analyser, &laid_out);
  CHECK (memcmp (before, memory, size) == 0);
  free (memory);
  free (before);
  return hash;
}

static void
check_layouts (const HashedCase *c, CtrFormat format, uint32_t width, uint32_t height)
{
  const size_t pixel_size = ctr_format_pixel_size (format), row = ctr_format_row_size (format, width);
  const size_t unit = format == CTR_FORMAT_GRAY16 ? 2 : 1;
  uint8_t *pixels = pixels_new (width + 1, height, pixel_size); /* a row of packed YUV may end with half a pair */
  const CtrImage image = {
      .data = pixels, .stride = (width + 1) * pixel_size, .width = width, .height = height, .format = format};
  void *analyser = c->create ();
  CHECK (analyser);
  const uint64_t expected = run (c, analyser, &image);
  for (uint32_t padding = 0; padding <= MOST_PADDING; padding += setup.quick ? 21 : 1) {
    const size_t stride = row + padding * (format == CTR_FORMAT_GRAY8 ? 1 : pixel_size);
    const size_t offset = padding * unit % MARGIN;
    const Fill with = padding % FILL_COUNT;
    describe ("%s, format %d, %u x %u, stride %zu, offset %zu, filling %d", c->name, format, width, height, stride,
        offset, with);
    CHECK (run_laid_out (c, analyser, &image, offset, stride, with) == expected);
  }
  c->destroy (analyser);
  free (pixels);
}

int
main (int argc, char **argv)
{
  static const CtrFormat formats[] = {
      CTR_FORMAT_GRAY8, CTR_FORMAT_GRAY16, CTR_FORMAT_RGB, CTR_FORMAT_XBGR, CTR_FORMAT_UYVY};
  static const uint32_t widths[] = {17, 45, 64, 67};
  setup = setup_open (argv[1], false);
  hashed_open (&setup);
  for (size_t i = 0; i < hashed_case_count; i++) {
    /* The edge chains of these cases take their mask from bytes of pixels. */
    const size_t count = strcmp (hashed_cases[i].name, "edge chains") == 0 ? 1 : LENGTH (formats);
    for (size_t f = 0; f < count; f += setup.quick ? 4 : 1)
      check_layouts (&hashed_cases[i], formats[f], widths[(i + f) % LENGTH (widths)], setup.quick ? 9 : 11);
  }
  return 0;
}

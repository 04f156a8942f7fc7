/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/core/foreground/testing.h"

#include "tests/core/canny/testing.h"
#include "tests/core/foreground/reference.h"

#include <stdlib.h>
#include <string.h>

Scene
scene_new (Random *random, Picture picture)
{
  Scene scene = {.picture = picture};
  CtrChroma *chroma = &scene.picture.view.chroma;
  if (picture.view.format != CTR_FORMAT_GRAY8)
    return scene;
  chroma->shift_x = (uint8_t) random_below (random, 3);
  chroma->shift_y = (uint8_t) random_below (random, 3);
  chroma->step = (uint8_t) (1 + random_below (random, 2));
  const size_t columns = ((picture.view.width - 1) >> chroma->shift_x) + 1u;
  const size_t rows = ((picture.view.height - 1) >> chroma->shift_y) + 1u;
  chroma->stride = (columns - 1) * chroma->step + 1 + random_below (random, 9);
  /* The block ends with the last sample. */
  const size_t plane = (rows - 1) * chroma->stride + (columns - 1) * chroma->step + 1;
  scene.chroma_bytes = chroma->step == 2 ? plane + 1 : 2 * plane;
  scene.chroma = malloc (scene.chroma_bytes);
  for (size_t i = 0; i < scene.chroma_bytes; i++)
    scene.chroma[i] = (uint8_t) random_next (random);
  const uint8_t *second = scene.chroma + (chroma->step == 2 ? 1 : plane);
  const bool cr_first = random_below (random, 2);
  chroma->cb = cr_first ? second : scene.chroma;
  chroma->cr = cr_first ? scene.chroma : second;
  return scene;
}

void
scene_free (Scene *scene)
{
  picture_free (&scene->picture);
  free (scene->chroma);
}

/* Leaves the upper BITS of 16-bit samples, at the lower end. */
static void
move_down (const Picture *picture, uint32_t bits)
{
  const CtrImage *view = &picture->view;
  uint8_t *rows = (uint8_t *) picture->memory + ((const uint8_t *) view->data - (uint8_t *) picture->memory);
  for (uint32_t y = 0; y < view->height; y++)
    for (uint32_t x = 0; x < view->width; x++)
      ((uint16_t *) (rows + y * view->stride))[x] >>= 16 - bits;
}

Scene
random_scene (Random *random, uint32_t width, uint32_t height)
{
  const Layout layout = random_layout (random);
  uint8_t *grey = random_below (random, 3) ? grey_new (random, width, height) : NULL;
  const Picture picture =
      grey ? picture_of_grey (random, grey, width, height, layout) : picture_random (random, width, height, layout);
  free (grey);
  if (picture.view.format == CTR_FORMAT_GRAY16)
    move_down (&picture, 8 + random_below (random, 9));
  return scene_new (random, picture);
}

static uint32_t
random_channels (Random *random, const CtrImage *image)
{
  if (image->format == CTR_FORMAT_GRAY16 || (image->format == CTR_FORMAT_GRAY8 && !image->chroma.cb))
    return 1 << CTR_CHANNEL_LUMA;
  if (image->format == CTR_FORMAT_GRAY8 || image->format >= CTR_FORMAT_YUYV)
    return UINT32_C (1) << (random_below (random, 2) ? CTR_CHANNEL_LUMA : CTR_CHANNEL_CB + random_below (random, 2));
  return UINT32_C (1) << random_below (random, CTR_CHANNELS);
}

static void
random_ranges (Random *random, const CtrImage *image, CtrForeground *foreground)
{
  const uint32_t count = 1 + random_below (random, 3);
  for (uint32_t i = 0; i < count; i++)
    foreground->ranges |= random_channels (random, image);
  for (int c = 0; c < CTR_CHANNELS; c++) {
    const uint32_t levels = c == CTR_CHANNEL_HUE ? 180 : 256;
    foreground->lower[c] = (uint8_t) random_below (random, levels);
    foreground->upper[c] = (uint8_t) random_below (random, levels);
    if (random_below (random, 8) == 0)
      foreground->lower[c] = 0;
    if (random_below (random, 8) == 0)
      foreground->upper[c] = 255;
  }
}

static uint32_t
random_shape_size (Random *random, uint32_t most)
{
  if (random_below (random, 2))
    return random_below (random, 2);
  return random_below (random, random_below (random, 3) ? (most < 8 ? most : 8) + 1 : most + 1);
}

CtrForeground
random_foreground (Random *random, const CtrImage *image, uint32_t most)
{
  const uint32_t levels = image->format == CTR_FORMAT_GRAY16 ? 65536 : 256;
  CtrForeground foreground = {.mode = random_below (random, CTR_THRESHOLD_HYSTERESIS + 1),
      .threshold = random_below (random, levels),
      .invert = random_below (random, 2)};
  if (random_below (random, 16) == 0)
    foreground.threshold = random_below (random, 2) ? levels + random_below (random, 2) : UINT32_MAX;
  if (foreground.mode == CTR_THRESHOLD_HYSTERESIS)
    foreground.upper_threshold =
        foreground.threshold + random_below (random, foreground.threshold < levels ? levels - foreground.threshold : 1);
  else if (random_below (random, 2))
    foreground.upper_threshold = random_below (random, 8) ? random_below (random, levels + 2) : UINT32_MAX;
  foreground.block_size = 3 + 2 * random_below (random, random_below (random, 4) ? 12 : 127);
  foreground.offset = (int32_t) random_below (random, 41) - 20;
  if (levels > 256)
    foreground.offset *= 1 + (int32_t) random_below (random, 300);
  if (random_below (random, 8) == 0)
    foreground.offset = random_below (random, 2) ? 65535 : -65535;
  for (uint32_t bit = random_channels (random, image); bit > 1; bit >>= 1)
    foreground.channel++;
  if (levels == 256 && random_below (random, 4) == 0)
    random_ranges (random, image, &foreground);
  if (random_below (random, 2)) {
    foreground.shape = random_below (random, 3);
    foreground.open_size = random_shape_size (random, most);
    foreground.close_size = random_shape_size (random, most);
  }
  foreground.fill_holes = random_below (random, 4) == 0;
  if (random_below (random, 4) == 0)
    foreground.split_touching = 1 + random_below (random, random_below (random, 2) ? 48 : 400);
  foreground.clear_border = random_below (random, 4) == 0;
  foreground.significant_bits = random_below (random, 2) ? 0 : 8 + random_below (random, 9);
  return foreground;
}

void
describe_mask (const char *name, const CtrImage *image, const CtrForeground *foreground)
{
  const CtrForeground *f = foreground;
  describe (
      "%s, %u x %u, format %d, stride %zu; mode %d, %u to %u%s, block %u, offset %d, channel %d, ranges 0x%x, shape "
      "%d, open %u, close %u%s, split %u%s, %u bits",
      name, image->width, image->height, image->format, image->stride, f->mode, f->threshold, f->upper_threshold,
      f->invert ? ", inverted" : "", f->block_size, f->offset, f->channel, f->ranges, f->shape, f->open_size,
      f->close_size, f->fill_holes ? ", holes filled" : "", f->split_touching,
      f->clear_border ? ", border cleared" : "", f->significant_bits);
}

CtrMask *
mask_maker_new (const Setup *setup)
{
  CtrError error;
  CtrMask *mask = ctr_mask_new (setup->backend, &error);
  if (!mask)
    fail (__FILE__, __LINE__, error.message);
  return mask;
}

uint8_t *
make_mask (CtrMask *mask, const Setup *setup, const CtrImage *image, const CtrForeground *foreground)
{
  CtrError error;
  CtrEdgePicture picture;
  uint8_t *bytes = malloc ((size_t) image->width * image->height);
  ctr_edge_picture_init_mask (&picture, bytes, image->width, CTR_MEMORY_HOST);
  if (!ctr_mask_run (mask, image, foreground, &picture, setup->stream, &error))
    fail (__FILE__, __LINE__, error.message);
  return bytes;
}

uint32_t
check_mask (CtrMask *mask, const Setup *setup, const CtrImage *image, const CtrForeground *foreground)
{
  uint32_t threshold, expected_threshold, count = 0;
  uint8_t *expected = reference_mask (image, foreground, &expected_threshold);
  uint8_t *actual = make_mask (mask, setup, image, foreground);
  check_masks_equal (expected, actual, image->width, image->height);
  CHECK (ctr_mask_get_threshold (mask, &threshold, NULL) && threshold == expected_threshold);
  for (size_t i = 0; i < (size_t) image->width * image->height; i++)
    count += expected[i] != 0;
  free (expected);
  free (actual);
  return count;
}

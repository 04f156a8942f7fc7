/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* This program gives a test in another language the core's masks. It reads images from stdin, each as its width, height and
 * CtrFormat (uint32_t), the fields of CtrForeground from mode to clear_border (int32_t or uint32_t, all in order; lower and
 * upper as they are), and the packed pixels. It writes a byte of 0 or 255 for each pixel to stdout. */
#include <contours/contours.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What comes before the pixels. */
typedef struct {
  uint32_t width, height, format;
  uint32_t mode, threshold, invert, upper_threshold, block_size;
  int32_t offset;
  uint32_t channel, ranges;
  uint8_t lower[CTR_CHANNELS], upper[CTR_CHANNELS];
  uint8_t unused[2];
  uint32_t open_size, close_size, shape, fill_holes, split_touching, clear_border;
} Header;

static bool
make_mask (CtrMask *mask, const Header *header)
{
  const size_t pixels = (size_t) header->width * header->height;
  const size_t size = ctr_format_pixel_size ((CtrFormat) header->format);
  uint8_t *samples = malloc (pixels * size), *bytes = malloc (pixels);
  const CtrImage image = {.data = samples,
      .stride = header->width * size,
      .width = header->width,
      .height = header->height,
      .format = (CtrFormat) header->format};
  CtrForeground foreground = {.mode = (CtrThresholdMode) header->mode,
      .threshold = header->threshold,
      .invert = header->invert,
      .upper_threshold = header->upper_threshold,
      .block_size = header->block_size,
      .offset = header->offset,
      .channel = (CtrChannel) header->channel,
      .ranges = header->ranges,
      .open_size = header->open_size,
      .close_size = header->close_size,
      .shape = (CtrShape) header->shape,
      .fill_holes = header->fill_holes,
      .split_touching = header->split_touching,
      .clear_border = header->clear_border};
  CtrEdgePicture picture;
  CtrError error = {.message = "an image that cannot be read"};
  memcpy (foreground.lower, header->lower, sizeof foreground.lower);
  memcpy (foreground.upper, header->upper, sizeof foreground.upper);
  ctr_edge_picture_init_mask (&picture, bytes, header->width, CTR_MEMORY_HOST);
  const bool ok = samples && bytes && fread (samples, size, pixels, stdin) == pixels
                  && ctr_mask_run (mask, &image, &foreground, &picture, NULL, &error)
                  && fwrite (bytes, 1, pixels, stdout) == pixels;
  if (!ok)
    fprintf (stderr, "%s\n", error.message);
  free (samples);
  free (bytes);
  return ok;
}

int
main (void)
{
  CtrError error;
  CtrMask *mask = ctr_mask_new (CTR_BACKEND_CPU, &error);
  Header header;
  bool ok = mask;
  if (!mask)
    fprintf (stderr, "%s\n", error.message);
  while (ok && fread (&header, sizeof header, 1, stdin) == 1)
    ok = make_mask (mask, &header);
  ctr_mask_free (mask);
  return !ok || ferror (stdin) || fflush (stdout) ? 1 : 0;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* PNG pictures: those of mask-location and of a given background. The first bytes say what is wanted. */
#include "tests/fuzz/fuzz.h"

#include "gst/background/pngfile.h"

#include <contours/regions.h>

int
LLVMFuzzerTestOneInput (const uint8_t *bytes, size_t size)
{
  FuzzInput input = {bytes, size};
  const CtrImage wanted = {.format = fuzz_take_byte (&input) % 2 ? CTR_FORMAT_GRAY16 : CTR_FORMAT_GRAY8,
      .width = 1 + fuzz_take_byte (&input) % 64,
      .height = 1 + fuzz_take_byte (&input) % 64};
  gchar *path = fuzz_write_file ("mask.png", input.bytes, input.size);
  CtrError error;
  CtrImage image;
  if (png_file_read (path, "mask", &wanted, &image, &error)) {
    FUZZ_CHECK (image.width == wanted.width && image.height == wanted.height && image.stride >= image.width);
    if (wanted.format == CTR_FORMAT_GRAY8) {
      const CtrRegionMask mask = {image.data, image.stride, image.width, image.height};
      CtrRegions *regions = ctr_regions_new (NULL, 0, &mask, &error);
      FUZZ_CHECK (regions || error.message[0]);
      ctr_regions_unref (regions);
    }
    g_free ((gpointer) image.data);
  } else {
    FUZZ_CHECK (error.message[0] && g_utf8_validate (error.message, -1, NULL));
  }
  g_free (path);
  return 0;
}

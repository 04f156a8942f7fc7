/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* This program gives a test in another language the rings of components. It reads images from stdin, each as the header below and
 * the packed samples. For each it writes to stdout the number of components (uint32_t), then for each its area, first column and
 * first row (uint32_t), ring_area (uint32_t), ring_sum (uint64_t), and the mean of the ring and the contrast (double). */
#include <contours/contours.h>

#include <stdio.h>
#include <stdlib.h>

/* What comes before the samples. */
typedef struct {
  uint32_t width, height, format;
  uint32_t mode, threshold, connectivity;
  int32_t background;
  uint32_t min_area, max_area, ring_width;
} Header;

typedef struct {
  uint32_t area, first_x, first_y, ring_area;
  uint64_t ring_sum;
  double ring_mean, contrast;
} Row;

static bool
write_rings (const CtrComponents *components)
{
  bool ok = fwrite (&components->count, sizeof components->count, 1, stdout) == 1;
  for (uint32_t i = 0; ok && i < components->count; i++) {
    const CtrComponent *c = components->table + i;
    const CtrComponentContrast *ring = components->contrast + i;
    Row row = {c->area, c->start_x, c->top, ring->ring_area, ring->ring_sum, 0, 0};
    ctr_component_contrast (c, components->grey + i, ring, &row.ring_mean, &row.contrast);
    ok = fwrite (&row, sizeof row, 1, stdout) == 1;
  }
  return ok;
}

static bool
find_rings (CtrCca *cca, const Header *header)
{
  const size_t pixels = (size_t) header->width * header->height;
  const size_t size = ctr_format_pixel_size ((CtrFormat) header->format);
  uint8_t *samples = malloc (pixels * size);
  const CtrImage image = {.data = samples,
      .stride = header->width * size,
      .width = header->width,
      .height = header->height,
      .format = (CtrFormat) header->format};
  CtrComponents *components = NULL;
  CtrCcaParams params;
  CtrError error = {.message = "an image that cannot be read, or rings that cannot be written"};
  ctr_cca_params_init (&params);
  params.foreground.threshold = header->threshold;
  params.connectivity = (CtrConnectivity) header->connectivity;
  params.mode = (CtrComponentMode) header->mode;
  params.background = header->background;
  params.min_area = header->min_area;
  params.max_area = header->max_area;
  params.features = CTR_FEATURE_CONTRAST;
  params.ring_width = header->ring_width;
  const bool ok = samples && fread (samples, size, pixels, stdin) == pixels
                  && (components = ctr_cca_run (cca, &image, &params, NULL, &error)) && write_rings (components);
  if (!ok)
    fprintf (stderr, "%s\n", error.message);
  ctr_components_unref (components);
  free (samples);
  return ok;
}

int
main (void)
{
  CtrError error;
  CtrCca *cca = ctr_cca_new (CTR_BACKEND_CPU, &error);
  Header header;
  bool ok = cca;
  if (!cca)
    fprintf (stderr, "%s\n", error.message);
  while (ok && fread (&header, sizeof header, 1, stdin) == 1)
    ok = find_rings (cca, &header);
  ctr_cca_free (cca);
  return !ok || ferror (stdin) || fflush (stdout) ? 1 : 0;
}

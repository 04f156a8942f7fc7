/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/core/cca/testing.h"

#include "tests/core/cca/reference.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

CtrCca *
analyser_new (const Setup *setup)
{
  CtrError error;
  CtrCca *cca = ctr_cca_new (setup->backend, &error);
  if (!cca)
    fail (__FILE__, __LINE__, error.message);
  return cca;
}

CtrComponents *
analyse (CtrCca *cca, const Setup *setup, const CtrImage *image, const CtrCcaParams *params)
{
  CtrError error;
  CtrComponents *components = ctr_cca_run (cca, image, params, setup->stream, &error);
  if (!components)
    fail (__FILE__, __LINE__, error.message);
  return components;
}

static void
check_rows (const char *what, const void *expected, const void *actual, size_t count, size_t size)
{
  if (count == 0 || memcmp (expected, actual, count * size) == 0)
    return;
  for (size_t i = 0; i < count; i++) {
    const uint8_t *e = (const uint8_t *) expected + i * size, *a = (const uint8_t *) actual + i * size;
    if (memcmp (e, a, size) == 0)
      continue;
    fprintf (stderr, "%s differs first at %zu of %zu\n  expected:", what, i, count);
    for (size_t k = 0; k < size; k++)
      fprintf (stderr, " %02x", e[k]);
    fprintf (stderr, "\n  actual:  ");
    for (size_t k = 0; k < size; k++)
      fprintf (stderr, " %02x", a[k]);
    fprintf (stderr, "\n");
    fail (__FILE__, __LINE__, "results are equal");
  }
}

/* The labels of a backend's result, or of the reference, which is no result. */
static const uint32_t *
labels_of (const CtrComponents *components)
{
  return components->labels ? components->labels : ctr_components_map_labels ((CtrComponents *) components, NULL);
}

void
check_components_equal (const CtrComponents *expected, const CtrComponents *actual)
{
  CHECK (actual->width == expected->width && actual->height == expected->height);
  CHECK (actual->threshold == expected->threshold);
  CHECK (actual->connectivity == expected->connectivity);
  if (actual->count != expected->count)
    fprintf (stderr, "%u components instead of %u\n", actual->count, expected->count);
  CHECK (actual->count == expected->count);
  CHECK (actual->features == expected->features);
  CHECK (!actual->moments == !(actual->features & CTR_FEATURE_MOMENTS));
  CHECK (!actual->grey == !(actual->features & CTR_FEATURE_GREY));
  if (actual->features & CTR_FEATURE_BACKGROUND)
    check_rows ("background", &expected->background, &actual->background, 1, sizeof actual->background);
  check_rows ("table", expected->table, actual->table, actual->count, sizeof *actual->table);
  if (actual->moments)
    check_rows ("moments", expected->moments, actual->moments, actual->count, sizeof *actual->moments);
  if (actual->grey)
    check_rows ("grey", expected->grey, actual->grey, actual->count, sizeof *actual->grey);
  CHECK (!actual->percentiles == !(actual->features & CTR_FEATURE_PERCENTILES));
  if (actual->percentiles)
    check_rows ("percentiles", expected->percentiles, actual->percentiles, actual->count, sizeof *actual->percentiles);
  CHECK (!actual->inscribed == !(actual->features & CTR_FEATURE_INSCRIBED));
  if (actual->inscribed)
    check_rows ("inscribed", expected->inscribed, actual->inscribed, actual->count, sizeof *actual->inscribed);
  CHECK (!actual->contrast == !(actual->features & CTR_FEATURE_CONTRAST));
  if (actual->contrast)
    check_rows ("contrast", expected->contrast, actual->contrast, actual->count, sizeof *actual->contrast);
  CHECK (!actual->skeleton == !(actual->features & CTR_FEATURE_SKELETON));
  if (actual->skeleton)
    check_rows ("skeleton", expected->skeleton, actual->skeleton, actual->count, sizeof *actual->skeleton);
  if (actual->features & CTR_FEATURE_LABELS)
    check_rows ("labels", labels_of (expected), labels_of (actual), (size_t) actual->width * actual->height,
        sizeof *actual->labels);
}

void
check_cca (CtrCca *cca, const Setup *setup, const CtrImage *image, const CtrCcaParams *params)
{
  CtrComponents *expected = reference_cca (image, params);
  CtrComponents *actual = analyse (cca, setup, image, params);
  check_components_equal (expected, actual);
  ctr_components_unref (actual);
  reference_components_free (expected);
}

CtrCcaParams
params_of (CtrConnectivity connectivity, uint32_t threshold, bool invert, uint32_t features)
{
  CtrCcaParams params;
  ctr_cca_params_init (&params);
  params.connectivity = connectivity;
  params.foreground.threshold = threshold;
  params.foreground.invert = invert;
  params.features = features;
  return params;
}

Picture
picture_of_values (Random *random, const uint16_t *values, uint32_t width, uint32_t height, Layout layout)
{
  const size_t pixels = (size_t) width * height, size = ctr_format_pixel_size (layout.format);
  uint8_t *grey = malloc (pixels);
  for (size_t i = 0; i < pixels; i++)
    grey[i] = (uint8_t) values[i];
  Picture picture = picture_of_grey (random, grey, width, height, layout);
  if (layout.format == CTR_FORMAT_GRAY16)
    for (uint32_t y = 0; y < height; y++)
      memcpy ((uint8_t *) picture.view.data + y * picture.view.stride, values + (size_t) y * width, width * size);
  free (grey);
  return picture;
}

Picture
values_new (Random *random, uint32_t width, uint32_t height, Layout layout, uint32_t count, uint32_t grain)
{
  uint16_t palette[16] = {0};
  const uint32_t columns = (width + grain - 1) / grain, rows = (height + grain - 1) / grain;
  uint16_t *squares = malloc ((size_t) columns * rows * sizeof *squares);
  uint16_t *values = malloc ((size_t) width * height * sizeof *values);
  for (uint32_t i = 1; i < count; i++)
    palette[i] = (uint16_t) (random_below (random, 4) ? random_below (random, 65536) : 65535 - i);
  for (size_t i = 0; i < (size_t) columns * rows; i++)
    squares[i] = palette[random_below (random, count)];
  for (uint32_t y = 0; y < height; y++)
    for (uint32_t x = 0; x < width; x++)
      values[(size_t) y * width + x] = squares[(size_t) (y / grain) * columns + x / grain];
  Picture picture = picture_of_values (random, values, width, height, layout);
  free (squares);
  free (values);
  return picture;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/core/cca/testing.h"

#include "tests/core/cca/reference.h"

#include <stdio.h>
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
  if (memcmp (expected, actual, count * size) == 0)
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
  CHECK (!actual->labels == !(actual->features & CTR_FEATURE_LABELS));
  check_rows ("table", expected->table, actual->table, actual->count, sizeof *actual->table);
  if (actual->moments)
    check_rows ("moments", expected->moments, actual->moments, actual->count, sizeof *actual->moments);
  if (actual->grey)
    check_rows ("grey", expected->grey, actual->grey, actual->count, sizeof *actual->grey);
  if (actual->labels)
    check_rows (
        "labels", expected->labels, actual->labels, (size_t) actual->width * actual->height, sizeof *actual->labels);
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

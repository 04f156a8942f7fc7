/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A chequerboard with more passages than can be numbered, of which this build has fewer than others (CTR_BORDERS_MOST_PASSAGES): there is
 * one error that names the limit, and the next picture has the contours that the host finds. */
#include <contours/borders.h>

#include "tests/core/common/testing.h"

#include <stdio.h>
#include <string.h>

#define SIDE 720 /* of the chequerboard, with two passages a pixel */

static CtrContours *
run (CtrBorders *borders, const uint8_t *pixels, uint32_t side, CtrConnectivity connectivity, CtrError *error)
{
  const CtrImage image = {
      .data = (void *) pixels, .stride = SIDE, .width = side, .height = side, .format = CTR_FORMAT_GRAY8};
  CtrBordersParams params;
  ctr_borders_params_init (&params);
  params.connectivity = connectivity;
  return ctr_borders_run (borders, &image, &params, NULL, error);
}

int
main (void)
{
  static uint8_t pixels[SIDE * SIDE];
  CtrBorders *gpu = ctr_borders_new (CTR_BACKEND_CUDA, NULL), *host = ctr_borders_new (CTR_BACKEND_CPU, NULL);
  for (uint32_t i = 0; i < SIDE * SIDE; i++)
    pixels[i] = (i / SIDE + i) % 2 ? 255 : 0;
  CHECK (gpu && host);
  for (int i = 0; i < 4; i++) {
    CtrError error = {CTR_OK, ""};
    CHECK (!run (gpu, pixels, SIDE, CTR_CONNECTIVITY_8, &error));
    CHECK (error.status == CTR_ERROR_OUT_OF_MEMORY);
    CHECK (strstr (error.message, "720 x 720") && strstr (error.message, "1000000"));
    /* A picture with fewer follows. */
    CtrContours *found = run (gpu, pixels, i % 2 ? 300 : 17, CTR_CONNECTIVITY_8, &error);
    CtrContours *expected = run (host, pixels, i % 2 ? 300 : 17, CTR_CONNECTIVITY_8, NULL);
    CHECK (found && expected);
    CHECK (found->count == expected->count && found->point_count == expected->point_count);
    const CtrContour *table = ctr_contours_map_table (found, NULL), *rows = ctr_contours_map_table (expected, NULL);
    const CtrPoint *points = ctr_contours_map_points (found, NULL), *places = ctr_contours_map_points (expected, NULL);
    CHECK (table && rows && points && places);
    CHECK (!memcmp (table, rows, found->count * sizeof *table)
           && !memcmp (points, places, found->point_count * sizeof *points));
    ctr_contours_unref (found);
    ctr_contours_unref (expected);
  }
  ctr_borders_free (gpu);
  ctr_borders_free (host);
  puts ("too many passages are refused");
  return 0;
}

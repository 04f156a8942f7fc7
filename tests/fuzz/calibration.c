/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Calibration files: YAML and JSON. What is accepted converts every pixel. */
#include "tests/fuzz/fuzz.h"

#include "gst/meta/calibration-private.h"

#include <contours/calibration.h>
#include <math.h>
#include <string.h>

int
LLVMFuzzerTestOneInput (const uint8_t *bytes, size_t size)
{
  static const double places[] = {0, 1.5, 320, 65535};
  CtrCalibration model = {0};
  CtrError error;
  /* A copy of just these bytes, so that a read beyond them is found. */
  gchar *text = g_memdup2 (bytes, size), *problem = gst_contours_calibration_read_text (text, size, &model);
  FUZZ_CHECK (!problem || (*problem && g_utf8_validate (problem, -1, NULL)));
  if (!problem && ctr_calibration_check (&model, &error)) {
    FUZZ_CHECK (memchr (model.unit, 0, sizeof model.unit));
    for (gsize i = 0; i < G_N_ELEMENTS (places); i++)
      for (gsize k = 0; k < G_N_ELEMENTS (places); k++) {
        double x, y;
        if (ctr_calibration_point (&model, places[i], places[k], &x, &y))
          FUZZ_CHECK (isfinite (x) && isfinite (y));
      }
  }
  g_free (problem);
  g_free (text);
  return 0;
}

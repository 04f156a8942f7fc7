/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cpu/common/samples.h"

#include "core/common/otsu.h"
#include "core/common/poll.h"
#include "cpu/common/luma.h"

#include <stdlib.h>
#include <string.h>

void
ctr_samples_release (CtrSamples *samples)
{
  free (samples->histogram);
  samples->histogram = NULL;
}

const void *
ctr_samples_row (CtrSamples *samples, const CtrImage *image, uint32_t y)
{
  const uint8_t *row = (const uint8_t *) image->data + y * image->stride;
  if (!ctr_format_is_rgb (image->format))
    return row;
  ctr_luma_row (image->format, row, image->width, samples->luma);
  return samples->luma;
}

bool
ctr_samples_threshold (
    CtrSamples *samples, const CtrImage *image, const CtrForeground *foreground, uint32_t *threshold, CtrError *error)
{
  if (foreground->mode == CTR_THRESHOLD_FIXED) {
    *threshold = foreground->threshold;
    return true;
  }
  const bool wide = image->format == CTR_FORMAT_GRAY16;
  const uint32_t levels = wide ? 65536 : 256;
  if (!samples->histogram && !(samples->histogram = malloc (65536 * sizeof *samples->histogram)))
    return ctr_fail (error, CTR_ERROR_OUT_OF_MEMORY, "no host memory for a histogram");
  uint32_t *histogram = samples->histogram;
  memset (histogram, 0, levels * sizeof *histogram);
  for (uint32_t y = 0; y < image->height; y++) {
    if (!ctr_go_on (error))
      return false;
    const void *row = ctr_samples_row (samples, image, y);
    if (wide)
      for (uint32_t x = 0; x < image->width; x++)
        histogram[((const uint16_t *) row)[x]]++;
    else
      for (uint32_t x = 0; x < image->width; x++)
        histogram[((const uint8_t *) row)[x]]++;
  }
  uint64_t sum = 0;
  for (uint32_t i = 0; i < levels; i++)
    sum += (uint64_t) i * histogram[i];
  CtrOtsu otsu;
  ctr_otsu_init (&otsu, (uint64_t) image->width * image->height, sum);
  for (uint32_t i = 0; i < levels; i++)
    if (histogram[i])
      ctr_otsu_add (&otsu, i, histogram[i]);
  *threshold = ctr_otsu_threshold (&otsu);
  return true;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The samples an image is thresholded by, row by row, on the host. Internal. */
#ifndef CTR_CPU_COMMON_SAMPLES_H
#define CTR_CPU_COMMON_SAMPLES_H

#include "cpu/common/runs.h"

#include <contours/foreground.h>
#include <contours/image.h>

/* Scratch memory; zeroed before first use. */
typedef struct {
  uint8_t luma[CTR_MAX_SIDE];
  uint32_t *histogram; /* 65536 bins, from the first frame that needs it */
} CtrSamples;

void ctr_samples_release (CtrSamples *samples);

/* The samples of row Y: the image's own, or the luma of its pixels. 16-bit for GRAY16, 8-bit else. */
const void *ctr_samples_row (CtrSamples *samples, const CtrImage *image, uint32_t y);

/* Sets the bits of a row's samples that are foreground, as ctr_pack_row_8() does. */
static inline void
ctr_samples_pack (const CtrImage *image, const void *row, uint32_t threshold, bool invert, uint64_t *bits)
{
  if (image->format == CTR_FORMAT_GRAY16)
    ctr_pack_row_16 (row, image->width, threshold, invert, bits);
  else
    ctr_pack_row_8 (row, image->width, threshold, invert, bits);
}

/* The threshold FOREGROUND asks for; false when there is no memory or it is cancelled. */
bool ctr_samples_threshold (
    CtrSamples *samples, const CtrImage *image, const CtrForeground *foreground, uint32_t *threshold, CtrError *error);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Rows of samples, and the foreground threshold. Internal. */
#ifndef CTR_CPU_COMMON_SAMPLES_H
#define CTR_CPU_COMMON_SAMPLES_H

#include "cpu/common/host_buffer.h"
#include "cpu/common/runs.h"

#include <contours/foreground.h>
#include <contours/image.h>

/* Working memory, zeroed before first use. */
typedef struct {
  uint8_t luma[CTR_MAX_SIDE];
  CtrHostBuffer counts; /* for histograms; empty before the first image that needs one */
} CtrSamples;

void ctr_samples_release (CtrSamples *samples);

/* The image to analyse: IMAGE, or where this is packed RGB and the thread's current shared input serves it, its luma
 * there, of which PLANE becomes a view. */
const CtrImage *ctr_samples_share (const CtrImage *image, CtrImage *plane);

/* The samples of row Y: those of the image, or the luma of packed RGB. 16-bit for GRAY16, otherwise 8-bit. */
const void *ctr_samples_row (CtrSamples *samples, const CtrImage *image, uint32_t y);

/* Sets the foreground bits of a row, as ctr_pack_row_8() does. */
static inline void
ctr_samples_pack (const CtrImage *image, const void *row, uint32_t threshold, bool invert, uint64_t *bits)
{
  if (image->format == CTR_FORMAT_GRAY16)
    ctr_pack_row_16 (row, image->width, threshold, invert, bits);
  else
    ctr_pack_row_8 (row, image->width, threshold, invert, bits);
}

/* Determines the foreground threshold. False if there is no memory or the work is cancelled. */
bool ctr_samples_threshold (
    CtrSamples *samples, const CtrImage *image, const CtrForeground *foreground, uint32_t *threshold, CtrError *error);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Rows of samples, and the foreground threshold. Internal. */
#ifndef CTR_CPU_COMMON_SAMPLES_H
#define CTR_CPU_COMMON_SAMPLES_H

#include "cpu/common/runs.h"
#include "cpu/foreground/foreground.h"
#include "cpu/foreground/regions.h"

#include <string.h>

/* Working memory, zeroed before first use. */
typedef struct {
  uint8_t luma[CTR_MAX_SIDE];
  CtrHostBuffer counts; /* for histograms; empty before the first image that needs one */
  CtrHostBuffer mask;   /* packed; likewise */
  CtrForegroundState masking;
  CtrAtlasState atlas;
} CtrSamples;

/* Where the foreground bits of an image come from. */
typedef struct {
  uint32_t threshold;   /* of the result */
  bool invert;          /* without a mask, samples below the threshold are foreground */
  const uint64_t *mask; /* packed, with WORDS of a row; NULL: none, samples are compared with the threshold */
  size_t words;
} CtrForegroundRows;

void ctr_samples_release (CtrSamples *samples);

/* Gives back memory at the end of a period: see ctr_host_buffer_give_back(). */
bool ctr_samples_give_back (CtrSamples *samples);

/* The image to analyse: IMAGE, or where this has packed pixels and the thread's current shared input serves it, its luma
 * there, of which PLANE becomes a view. */
const CtrImage *ctr_samples_share (const CtrImage *image, CtrImage *plane);

/* The samples of row Y: those of the image, or the luma of packed pixels. 16-bit for GRAY16, otherwise 8-bit. */
const void *ctr_samples_row (CtrSamples *samples, const CtrImage *image, uint32_t y);

/* Finds what the foreground of IMAGE is decided by: a threshold, or a mask, which it makes. PLANE: what
 * ctr_samples_share() has returned for it. A current shared input gives and takes both. False if there is no memory or the
 * work is cancelled. */
bool ctr_samples_foreground (CtrSamples *samples, const CtrImage *image, const CtrImage *plane,
    const CtrForeground *foreground, CtrForegroundRows *rows, CtrError *error);

/* Likewise, of an image with regions: ATLAS is to be analysed in its place. GREY: its samples are read. */
bool ctr_samples_regions (CtrSamples *samples, const CtrImage *image, const CtrForeground *foreground, bool reversed,
    bool grey, CtrAtlas *atlas, CtrForegroundRows *rows, CtrError *error);

/* As ctr_samples_foreground(), always with a mask, which has the size of the image. */
bool ctr_samples_mask (CtrSamples *samples, const CtrImage *image, const CtrForeground *foreground,
    CtrForegroundRows *rows, CtrError *error);

/* Sets the foreground bits of a row with the samples ROW, as ctr_pack_row_8() does. */
static inline void
ctr_samples_pack (const CtrImage *image, const void *row, uint32_t threshold, bool invert, uint64_t *bits)
{
  if (image->format == CTR_FORMAT_GRAY16)
    ctr_pack_row_16 (row, image->width, threshold, invert, bits);
  else
    ctr_pack_row_8 (row, image->width, threshold, invert, bits);
}

/* Sets the foreground bits of row Y with the samples ROW, which are not read if there is a mask. */
static inline void
ctr_samples_set_bits (const CtrImage *image, const CtrForegroundRows *rows, uint32_t y, const void *row, uint64_t *bits)
{
  if (rows->mask)
    memcpy (bits, rows->mask + y * rows->words, CTR_ROW_WORDS (image->width) * sizeof *bits);
  else
    ctr_samples_pack (image, row, rows->threshold, rows->invert, bits);
}

/* Finds the threshold of FOREGROUND, whose mode is CTR_THRESHOLD_OTSU or CTR_THRESHOLD_TRIANGLE, in the samples of IMAGE,
 * without a look into a shared input. COUNTS is memory for it. */
bool ctr_samples_find_threshold (CtrHostBuffer *counts, const CtrImage *image, const CtrForeground *foreground,
    uint32_t *threshold, CtrError *error);

/* The threshold of FOREGROUND in a HISTOGRAM of PIXELS. */
uint32_t ctr_samples_threshold_of (
    const uint32_t *histogram, uint32_t levels, uint64_t pixels, const CtrForeground *foreground);

#endif

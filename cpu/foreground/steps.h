/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The steps of a mask on the CPU, each on several threads. Internal. */
#ifndef CTR_CPU_FOREGROUND_STEPS_H
#define CTR_CPU_FOREGROUND_STEPS_H

#include "core/foreground/foreground.h"

/* A packed mask. */
typedef struct {
  uint64_t *bits;
  size_t stride; /* words */
  uint32_t width, height;
} CtrPacked;

static inline uint64_t *
ctr_packed_bits (const CtrPacked *mask, uint32_t y)
{
  return mask->bits + y * mask->stride;
}

/* The pixels of word I of a row of WIDTH pixels. */
static inline uint64_t
ctr_packed_pixels (uint32_t width, size_t i)
{
  const size_t first = 64 * i;
  return first + 64 <= width ? ~UINT64_C (0) : first < width ? (UINT64_C (1) << (width - first)) - 1 : 0;
}

/* How the rows of an image are shared among threads, which take bands of rows, and the memory of each thread. */
typedef struct {
  uint32_t threads, bands;
  uint8_t *scratch;
  size_t scratch_bytes; /* of a thread; a multiple of 64 */
} CtrRowsPlan;

static inline void *
ctr_rows_scratch (const CtrRowsPlan *plan, uint32_t thread)
{
  return plan->scratch + thread * plan->scratch_bytes;
}

/* Calls BODY for all bands: the rows from FIRST to END - 1 of an image of HEIGHT rows. A body that returns false, because the
 * work is cancelled, ends all. Is the work complete? */
bool ctr_rows_run (const CtrRowsPlan *plan, uint32_t height,
    bool (*body) (void *context, void *scratch, uint32_t first, uint32_t end), void *context);

/* channels.c */

/* The samples of CHANNEL in row Y: those of the image, or SCRATCH, to which they are written. */
const void *ctr_channel_row (const CtrImage *image, CtrChannel channel, uint32_t y, uint8_t *scratch);

/* Are the samples of CHANNEL those of the image? */
bool ctr_channel_is_direct (const CtrImage *image, CtrChannel channel);

/* Writes the samples of CHANNEL to a plane. */
bool ctr_channel_write (const CtrRowsPlan *plan, const CtrImage *image, CtrChannel channel, uint8_t *to, size_t stride);

/* levels.c: the samples from THRESHOLD on, within the upper threshold and the ranges of FOREGROUND. MARKER: with hysteresis
 * the strong ones. Only CtrForeground.invert is not yet done for hysteresis. */
size_t ctr_levels_scratch (uint32_t width);
bool ctr_levels_pack (const CtrRowsPlan *plan, const CtrImage *image, const CtrForeground *foreground,
    uint32_t threshold, const CtrPacked *mask, const CtrPacked *marker);

/* adaptive.c: IMAGE has the samples of the channel. */
size_t ctr_adaptive_scratch (uint32_t width, const CtrForeground *foreground);
bool ctr_adaptive_pack (
    const CtrRowsPlan *plan, const CtrImage *image, const CtrForeground *foreground, const CtrPacked *mask);

/* morphology.c: TO, other memory, becomes the dilation or erosion of MASK. */
size_t ctr_morphology_scratch (uint32_t width, uint32_t size);
bool ctr_packed_dilate (
    const CtrRowsPlan *plan, const CtrPacked *mask, const CtrPacked *to, const CtrShapeRows *shape, bool erode);

/* connected.c: MARKER, a subset of MASK, grows to the connected components of MASK that have a pixel of it. */
size_t ctr_reconstruction_room (const CtrPacked *mask);
bool ctr_packed_reconstruct (
    const CtrRowsPlan *plan, const CtrPacked *mask, const CtrPacked *marker, bool eight_connected, void *room);

#endif

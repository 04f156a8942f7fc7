/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The steps of a mask on the CPU, each on several threads. Internal. */
#ifndef CTR_CPU_FOREGROUND_STEPS_H
#define CTR_CPU_FOREGROUND_STEPS_H

#include "cpu/foreground/foreground.h"

/* The pixels of word I of a row of WIDTH pixels. */
static inline uint64_t
ctr_packed_pixels (uint32_t width, size_t i)
{
  const size_t first = 64 * i;
  return first + 64 <= width ? ~UINT64_C (0) : first < width ? (UINT64_C (1) << (width - first)) - 1 : 0;
}

/* An image that is one region of several. */
typedef struct {
  CtrPacked inside;   /* the pixels that are in the region; bits NULL: all are */
  uint32_t threshold; /* of OTSU and TRIANGLE */
} CtrMaskPart;

/* foreground.c: as ctr_foreground_make(), into MASK, whose rows may be longer, and without a look into a shared input. PART
 * NULL: the image is whole. */
bool ctr_mask_make (CtrForegroundState *state, const CtrImage *image, const CtrForeground *foreground,
    const CtrPacked *mask, const CtrMaskPart *part, uint32_t *threshold, CtrError *error);

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

/* Clears BITS of the pixels of row Y of packed RGB that are not in all ranges of FOREGROUND but that of the luma. */
void ctr_channels_select (const CtrImage *image, const CtrForeground *foreground, uint32_t y, uint64_t *bits);

/* levels.c: the samples from THRESHOLD on, within the upper threshold and the ranges of FOREGROUND. MARKER: with hysteresis
 * the strong ones. Only CtrForeground.invert is not yet done for hysteresis. */
size_t ctr_levels_scratch (uint32_t width);
bool ctr_levels_pack (const CtrRowsPlan *plan, const CtrImage *image, const CtrForeground *foreground,
    uint32_t threshold, const CtrPacked *mask, const CtrPacked *marker);

/* adaptive.c: IMAGE has the samples of the channel. */
size_t ctr_adaptive_scratch (uint32_t width, const CtrForeground *foreground);
bool ctr_adaptive_pack (const CtrRowsPlan *plan, const CtrImage *image, const CtrForeground *foreground,
    CtrKeptWeights *weights, const CtrPacked *mask);

/* morphology.c: TO, other memory, becomes the dilation or erosion of MASK. */
size_t ctr_morphology_scratch (uint32_t width, uint32_t size);
bool ctr_packed_dilate (
    const CtrRowsPlan *plan, const CtrPacked *mask, const CtrPacked *to, const CtrShapeRows *shape, bool erode);

/* connected.c: MARKER, a subset of MASK, grows to the connected components of MASK that have a pixel of it. */
size_t ctr_reconstruction_room (const CtrPacked *mask);
bool ctr_packed_reconstruct (
    const CtrRowsPlan *plan, const CtrPacked *mask, const CtrPacked *marker, bool eight_connected, void *room);

/* split.c: cuts touching parts of MASK apart, see core/foreground/split.h. SADDLES: another mask, for its own use. ROOM: so many
 * bytes, aligned as by malloc(). */
size_t ctr_split_room (uint32_t width, uint32_t height);
size_t ctr_split_scratch (uint32_t width);
bool ctr_packed_split (
    const CtrRowsPlan *plan, const CtrPacked *mask, const CtrPacked *saddles, uint32_t depth, void *room);

/* distance.c: the squared distances of all pixels, by pixel as in CtrSplit; 0 behind each row. */
size_t ctr_distance_scratch (uint32_t width);
bool ctr_packed_distances (const CtrRowsPlan *plan, const CtrPacked *mask, uint32_t *distances);

#endif

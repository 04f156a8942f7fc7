/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The atlas of an image's regions on the CPU (core/foreground/regions.h). Internal. */
#ifndef CTR_CPU_FOREGROUND_REGIONS_H
#define CTR_CPU_FOREGROUND_REGIONS_H

#include "core/foreground/regions.h"
#include "cpu/foreground/foreground.h"

/* Working memory, zeroed before first use. */
typedef struct {
  CtrHostBuffer buffers[5]; /* regions.c says what for */
} CtrAtlasState;

/* What is analysed in the place of an image. It is valid until the next one is made. */
typedef struct {
  CtrImage image; /* its data are the samples, or NULL */
  CtrPacked mask;
  uint32_t threshold;
  const CtrAtlasRegion *places; /* in the order of their rows */
  uint32_t count;
} CtrAtlas;

void ctr_atlas_release (CtrAtlasState *state);

/* Gives back memory at the end of a period: see ctr_host_buffer_give_back(). */
bool ctr_atlas_give_back (CtrAtlasState *state);

/* Makes the atlas of IMAGE, in grey or packed RGB. SAMPLES: the image's samples are wanted, too. False: no memory, or
 * cancelled. */
bool ctr_atlas_make (CtrAtlasState *state, CtrForegroundState *masking, const CtrImage *image,
    const CtrForeground *foreground, bool reversed, bool samples, CtrAtlas *atlas, CtrError *error);

/* moves.c: what moves into the image. All return false if the work is cancelled. */

/* MASK, of the size of the image, becomes the pixels that are foreground in a region. */
bool ctr_atlas_move_mask (const CtrAtlas *atlas, const CtrPacked *mask);

/* COMPONENTS of the host become those of IMAGE. Also false if there is no memory for its labels. */
bool ctr_atlas_move_components (
    const CtrAtlas *atlas, CtrComponents *components, const CtrImage *image, CtrError *error);

/* The rows and points of contours, of which SUMS, which may be NULL, are computed again. */
bool ctr_atlas_move_contours (
    const CtrAtlas *atlas, CtrContour *table, uint32_t count, CtrPoint *points, CtrContourSums *sums);

#endif

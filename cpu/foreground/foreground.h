/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Packed masks on the CPU. Internal. */
#ifndef CTR_CPU_FOREGROUND_FOREGROUND_H
#define CTR_CPU_FOREGROUND_FOREGROUND_H

#include "core/foreground/foreground.h"

#include "cpu/common/host_buffer.h"

/* Working memory, zeroed before first use. It grows with the images. */
typedef struct CtrForegroundState {
  CtrHostBuffer buffers[6]; /* foreground.c says what for */
  CtrKeptWeights weights;
} CtrForegroundState;

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

void ctr_foreground_release (CtrForegroundState *state);

/* Gives back memory at the end of a period: see ctr_host_buffer_give_back(). */
bool ctr_foreground_give_back (CtrForegroundState *state);

/* Makes the packed mask of IMAGE: BITS has rows of ctr_packed_row() bytes. Works on as many threads as the calling one has
 * set. *THRESHOLD: the one of FIXED, OTSU, TRIANGLE and HYSTERESIS, otherwise 0. False: no memory, or cancelled. */
bool ctr_foreground_make (CtrForegroundState *state, const CtrImage *image, const CtrForeground *foreground,
    uint64_t *bits, uint32_t *threshold, CtrError *error);

#endif

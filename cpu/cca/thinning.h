/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Thinning of the components of a label image on the host, each by itself. Internal. */
#ifndef CTR_CPU_CCA_THINNING_H
#define CTR_CPU_CCA_THINNING_H

#include "core/cca/skeleton.h"
#include "cpu/common/host_buffer.h"

/* Working memory, zeroed before first use. */
typedef struct {
  CtrHostBuffer planes;  /* uint64_t: see CtrThinning */
  CtrHostBuffer queued;  /* uint8_t; by word: a bit for each pass that has it in its list */
  CtrHostBuffer lists;   /* uint32_t; of words: those to look at by either pass, and those that lose pixels */
  CtrHostBuffer removed; /* uint64_t; the pixels that these lose */
  CtrHostBuffer bands;
} CtrThinningWork;

/* Planes of bits in rows of STRIDE words of 64 pixels, with a row of zeros above and below, and a word of zeros at either end. */
typedef struct {
  uint32_t width, height, words, stride;
  uint64_t *pixels;           /* those of the skeleton */
  uint64_t *links[CTR_LINKS]; /* have this pixel and its neighbour the same label, other than 0? */
} CtrThinning;

void ctr_thinning_release (CtrThinningWork *work);

/* Gives back memory at the end of a period: see ctr_host_buffer_give_back(). */
bool ctr_thinning_give_back (CtrThinningWork *work);

/* Sets T to the skeletons of the components in LABELS. It is valid until the next call. A thread works on each of so many BANDS of
 * rows. False and ERROR if there is no memory or the work is cancelled. */
bool ctr_thin (CtrThinningWork *work, const uint32_t *labels, uint32_t width, uint32_t height, uint32_t bands,
    CtrThinning *t, CtrError *error);

/* The index of the first word of row Y. */
static inline uint32_t
ctr_thinning_row (const CtrThinning *t, uint32_t y)
{
  return (y + 1) * t->stride + 1;
}

/* The bits of the pixels one to the west, and to the east. */
static inline uint64_t
ctr_thinning_west (const uint64_t *word)
{
  return word[0] << 1 | word[-1] >> 63;
}

static inline uint64_t
ctr_thinning_east (const uint64_t *word)
{
  return word[0] >> 1 | word[1] << 63;
}

/* Sets AROUND[I] to the pixels of word AT that have neighbour I of their component in the skeleton. */
static inline void
ctr_thinning_look_around (const CtrThinning *t, uint32_t at, uint64_t around[CTR_NEIGHBOURS])
{
  const uint64_t *here = t->pixels + at, *above = here - t->stride, *below = here + t->stride;
  const uint64_t *east = t->links[CTR_LINK_EAST] + at, *south = t->links[CTR_LINK_SOUTH] + at,
                 *south_east = t->links[CTR_LINK_SOUTH_EAST] + at, *south_west = t->links[CTR_LINK_SOUTH_WEST] + at;
  around[CTR_NORTH] = *above & *(south - t->stride);
  around[CTR_NORTH_EAST] = ctr_thinning_east (above) & ctr_thinning_east (south_west - t->stride);
  around[CTR_EAST] = ctr_thinning_east (here) & *east;
  around[CTR_SOUTH_EAST] = ctr_thinning_east (below) & *south_east;
  around[CTR_SOUTH] = *below & *south;
  around[CTR_SOUTH_WEST] = ctr_thinning_west (below) & *south_west;
  around[CTR_WEST] = ctr_thinning_west (here) & ctr_thinning_west (east);
  around[CTR_NORTH_WEST] = ctr_thinning_west (above) & ctr_thinning_west (south_east - t->stride);
}

#endif

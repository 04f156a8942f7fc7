/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Rules of skeletons that both backends share. Internal.
 *
 * Thinning is that of Zhang and Suen, "A fast parallel algorithm for thinning digital patterns", Communications of the ACM 27(3), 1984:
 * two passes in turn, each of which removes pixels by their eight neighbours, all at once, until neither removes one. Which
 * neighbourhoods these are is as in scikit-image's skeletonize(): for 25 of the 256 that is not the paper's rule. A component never
 * disappears, as a square of 2 x 2 pixels does with the paper's.
 *
 * Rows are words of pixels, a bit a pixel. Four planes say which neighbours have the same label, so that components that touch are
 * thinned each by itself. */
#ifndef CTR_CORE_CCA_SKELETON_H
#define CTR_CORE_CCA_SKELETON_H

#include "core/results/component_values.h"

CTR_BEGIN_DECLS

/* A pixel's neighbours, clockwise. */
enum {
  CTR_NORTH,
  CTR_NORTH_EAST,
  CTR_EAST,
  CTR_SOUTH_EAST,
  CTR_SOUTH,
  CTR_SOUTH_WEST,
  CTR_WEST,
  CTR_NORTH_WEST,
  CTR_NEIGHBOURS
};

/* Planes of bits: is the pixel in the skeleton still, and have it and its neighbour the same label? */
enum { CTR_LINK_EAST, CTR_LINK_SOUTH, CTR_LINK_SOUTH_EAST, CTR_LINK_SOUTH_WEST, CTR_LINKS };

/* A bit for each neighbourhood, whose bit I is neighbour I: does the first or the second pass remove such a pixel? */
#ifdef __cplusplus
constexpr
#else
static const
#endif
    uint32_t ctr_skeleton_removes[2][8] = {
        {0x4010c0e8, 0x51000000, 0x0001000a, 0x0100000a, 0x000080aa, 0x00000000, 0x0001808a, 0x030b008b},
        {0xd010f020, 0xd1510000, 0x01010002, 0x51010001, 0x80008088, 0x00000000, 0x00000008, 0x1101000b},
};

CTR_END_DECLS

#endif

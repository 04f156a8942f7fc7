/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Metamorphic identities: what must hold between the results of a picture and those of the same picture mirrored, turned,
 * moved, cropped or inverted, or between the results and the picture. They need no reference, so pictures may be large,
 * and any program may check them with pictures of its own, such as a fuzzer.
 *
 * A violation ends the process by fail() of the core's tests, with exit status 1: libFuzzer reports that as a finding. */
#ifndef CTR_TESTS_RELIABILITY_IDENTITIES_H
#define CTR_TESTS_RELIABILITY_IDENTITIES_H

#include "tests/core/common/testing.h"

/* What analyses the pictures: objects of one backend, used again for all pictures. */
typedef struct {
  Setup setup;
  CtrCca *cca;
  CtrBorders *borders;
  CtrCracks *cracks;
} Identities;

void identities_open (Identities *identities, const Setup *setup);
void identities_close (Identities *identities);

/* One byte a pixel, 0 or 1, rows without padding. */
typedef struct {
  const uint8_t *pixels;
  uint32_t width, height; /* 1 .. CTR_MAX_SIDE - 2 */
} Mask;

/* With 4- and 8-connected foreground. The areas of the components, and of the contours, add up to the number of foreground
 * pixels. */
void identities_check_areas (const Identities *identities, const Mask *mask);

/* The outlines, filled, are the mask: those of cracks, and those of borders with their pixels. */
void identities_check_redrawn (const Identities *identities, const Mask *mask);

/* The seven symmetries of the square lattice: bit 0 mirrors x, bit 1 mirrors y, then bit 2 swaps them. */
enum { IDENTITIES_SYMMETRIES = 8 }; /* with 0, that of every mask */

/* The mask mirrored, turned by 90, 180 or 270 degrees, or transposed, as SYMMETRY has it, has the same components and
 * contours, mirrored and so on. */
void identities_check_symmetry (const Identities *identities, const Mask *mask, unsigned symmetry);

/* A mask that is moved to the right by DX and down by DY pixels has the same results, in the same order. */
void identities_check_translation (const Identities *identities, const Mask *mask, uint32_t dx, uint32_t dy);

/* Components less holes are Euler's number, which the 2 x 2 squares of the mask count. The inverted mask has the holes as
 * components of the other connectivity, and inverting the rule equals inverting the mask. */
void identities_check_inversion (const Identities *identities, const Mask *mask);

/* A part of the mask, pixels. It lies in the mask. */
typedef struct {
  uint32_t x, y, width, height;
} MaskPart;

/* The part alone has all components and borders, with the same values, that lie in it in the whole mask. */
void identities_check_crop (const Identities *identities, const Mask *mask, MaskPart part);

/* All of the above, with a random symmetry, move and part. */
void identities_check (const Identities *identities, const Mask *mask, Random *random);

/* Grey levels, rows without padding. The contours of all levels enclose, level by level, the samples of the level and
 * above, or with mode EQUAL those of the level: added up, the samples, or the pixels that are not 0. */
void identities_check_levels (const Identities *identities, const uint8_t *grey, uint32_t width, uint32_t height);

#endif

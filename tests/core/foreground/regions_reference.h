/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The reference of regions: each is cropped by a copy, masked by the reference of masks, and analysed without regions. */
#ifndef CTR_TESTS_FOREGROUND_REGIONS_REFERENCE_H
#define CTR_TESTS_FOREGROUND_REGIONS_REFERENCE_H

#include "tests/core/foreground/testing.h"

enum { MOST_REGIONS = 9, MOST_CORNERS = 9 };

/* Regions, and what they were made of. */
typedef struct {
  CtrRegions *regions;
  CtrRegion list[MOST_REGIONS];
  CtrRegionPoint corners[MOST_REGIONS][MOST_CORNERS];
  uint32_t count;
  CtrRegionMask mask; /* data NULL: none */
  bool only_mask;     /* LIST is its rectangle */
} RegionCase;

/* Rectangles, polygons and masks in an image of WIDTH x HEIGHT. */
RegionCase random_regions (Random *random, uint32_t width, uint32_t height);
void region_case_free (RegionCase *regions);

/* The rectangle of a region; a polygon's is found here. */
CtrRegion region_bounds (const RegionCase *regions, uint32_t number);

/* What the regions of a host image should be. MASKS: of each region's rectangle, 255 or 0 a pixel. */
typedef struct {
  uint8_t *masks[MOST_REGIONS];
  uint32_t threshold;
} RegionMasks;
RegionMasks reference_region_masks (const CtrImage *image, const CtrForeground *foreground, const RegionCase *regions);
void region_masks_free (RegionMasks *masks);

#endif

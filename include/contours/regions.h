/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Regions of interest: the parts of an image in which a foreground (foreground.h) is looked for.
 *
 * Each region is analysed exactly as if the image had been cropped to the region's rectangle: what crosses its edge is cut
 * there, and the steps of the mask treat the edge as the border of an image. The pixels of the rectangle that are not in the
 * region, those outside of its polygon or of the mask, become background when the threshold has been applied and inverted,
 * before the opening. All regions are analysed at once, and their results have the coordinates of the image:
 *
 *   - Regions may overlap. Each is analysed on its own.
 *   - Otsu's and the triangle threshold are one threshold, of the histogram of the pixels of all regions. Where regions
 *     overlap, a pixel counts in each. Without any region it is 1.
 *   - Components and contours are ordered by region, and within one as without regions. They carry their region's number.
 *     Contours of different regions are not inside one another; those without a parent are siblings.
 *   - In a label image the label of the last region counts, of those that have a component there. In the picture of a mask
 *     a pixel is foreground if it is in one region.
 *
 * The cost is that of an image as wide as the widest region, with the regions one below the other. */
#ifndef CONTOURS_REGIONS_H
#define CONTOURS_REGIONS_H

#include <contours/types.h>

CTR_BEGIN_DECLS

/* A corner between pixels: the upper left corner of the pixel with the same coordinates. */
typedef struct {
  uint32_t x, y;
} CtrRegionPoint;

/* A rectangle, or a polygon. A pixel is in a polygon if its centre is, by the even-odd rule: polygons may cross themselves. A
 * centre on an edge is in what is to the right of the edge. */
typedef struct {
  uint32_t x, y, width, height; /* pixels; ignored with POINTS */
  const CtrRegionPoint *points; /* at least 3; NULL: a rectangle */
  uint32_t point_count;
} CtrRegion;

/* A picture of the image's size, a byte a pixel. The pixels with 0 are in no region. */
typedef struct {
  const uint8_t *data;
  size_t stride; /* bytes */
  uint32_t width, height;
} CtrRegionMask;

/* Immutable and reference-counted. */
typedef struct CtrRegions CtrRegions;

/* COUNT regions, which are copied; 0: no pixel is analysed. REGIONS NULL: one, the pixels of MASK. MASK may be NULL; otherwise it
 * applies to all regions. The rectangle of a polygon is the smallest one around it, that of a mask alone the smallest one
 * around its pixels. NULL and error if a region has no pixel, or all of them together are too high:
 * CTR_MAX_SIDE rows, with one between two. */
CTR_API CtrRegions *ctr_regions_new (
    const CtrRegion *regions, uint32_t count, const CtrRegionMask *mask, CtrError *error);

/* ref() returns a new reference (transfer full). Both are thread-safe; unref() accepts NULL. */
CTR_API CtrRegions *ctr_regions_ref (CtrRegions *regions);
CTR_API void ctr_regions_unref (CtrRegions *regions);

CTR_API uint32_t ctr_regions_get_count (const CtrRegions *regions);

/* Sets the rectangle of BOUNDS to that of a region, without points. NUMBER: less than the count. */
CTR_API void ctr_regions_get_bounds (const CtrRegions *regions, uint32_t number, CtrRegion *bounds);

/* Do A and B have the same pixels in the same regions? NULL, the whole image, is only equal to itself. */
CTR_API bool ctr_regions_is_equal (const CtrRegions *a, const CtrRegions *b);

CTR_END_DECLS

#endif

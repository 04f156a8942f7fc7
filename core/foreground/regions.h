/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Regions of a foreground (include/contours/regions.h) as one image, the atlas. Internal.
 *
 * The rectangles of all regions lie one below the other in the atlas, at its left side, with an empty row between two. So
 * they are analysed by the same pass, and no part of one touches a part of another. What is not in a region is background.
 * Then the results move into the image.
 *
 * Components are found from the top to the bottom, so the first region is at the top. Contours are listed from the bottom to
 * the top: the atlas of borders is reversed, with the first region at the bottom.
 *
 *   stage                           core                    cpu                      cuda
 *   arguments, pixels of polygons   foreground/regions.c
 *   masks, samples                  -                       foreground/regions.c     foreground/regions.cu,
 *                                                                                    common/input_regions.cu
 *   components move into the image  here                    foreground/moves.c       cca/regions.cu
 *   contours move into the image    here                    foreground/moves.c       borders/assemble.cu */
#ifndef CTR_CORE_FOREGROUND_REGIONS_H
#define CTR_CORE_FOREGROUND_REGIONS_H

#include <contours/components.h>
#include <contours/contourlist.h>
#include <contours/image.h>
#include <contours/regions.h>

#ifdef __CUDACC__
#define CTR_REGIONS_FUNC static inline __host__ __device__
#else
#define CTR_REGIONS_FUNC static inline
#endif

CTR_BEGIN_DECLS

/* A region's rectangle in the image, its first row in the atlas, and its number. */
typedef struct {
  uint32_t x, y, width, height;
  uint32_t top;
  uint32_t number;
} CtrAtlasRegion;

/* The size of the atlas, 1 x 1 without regions, and the pixels of all regions together. */
void ctr_regions_get_size (const CtrRegions *regions, uint32_t *width, uint32_t *height);
uint64_t ctr_regions_get_pixels (const CtrRegions *regions);

/* A number that no other regions have had. */
uint64_t ctr_regions_get_id (const CtrRegions *regions);

/* The regions in the order of their numbers, which is that of their rows in an atlas that is not reversed. */
const CtrAtlasRegion *ctr_regions_get_places (const CtrRegions *regions);

/* Sets TO to the regions in the order of their rows. */
void ctr_regions_lay_out (const CtrRegions *regions, bool reversed, CtrAtlasRegion *to);

/* The packed mask of the pixels that are in their region, of an atlas that is not reversed, in rows of ctr_packed_row()
 * bytes. NULL: all pixels of the rectangles are. */
const uint64_t *ctr_regions_get_inside (const CtrRegions *regions);

/* Do the regions lie in IMAGE? */
bool ctr_regions_check (const CtrRegions *regions, const CtrImage *image, CtrError *error);

/* The index of the region with ROW of the atlas, or of the one above it, in the order of their rows. */
CTR_REGIONS_FUNC uint32_t
ctr_atlas_find (const CtrAtlasRegion *places, uint32_t count, uint32_t row)
{
  uint32_t first = 0, end = count;
  while (end - first > 1) {
    const uint32_t middle = (first + end) / 2;
    if (places[middle].top <= row)
      first = middle;
    else
      end = middle;
  }
  return first;
}

/* The following move results from the atlas into the image. Differences of coordinates wrap around. MOMENTS and
 * INSCRIBED may be NULL. */
CTR_REGIONS_FUNC void
ctr_atlas_move_component (
    const CtrAtlasRegion *region, CtrComponent *c, CtrComponentMoments *moments, CtrComponentInscribed *inscribed)
{
  const uint64_t dx = region->x, dy = (uint64_t) region->y - region->top;
  if (moments) {
    moments->sum_xx += 2 * dx * c->sum_x + dx * dx * c->area;
    moments->sum_xy += dx * c->sum_y + dy * c->sum_x + dx * dy * c->area;
    moments->sum_yy += 2 * dy * c->sum_y + dy * dy * c->area;
  }
  if (inscribed) {
    inscribed->x = (uint16_t) (inscribed->x + dx);
    inscribed->y = (uint16_t) (inscribed->y + dy);
  }
  c->sum_x += dx * c->area;
  c->sum_y += dy * c->area;
  c->left = (uint16_t) (c->left + dx);
  c->top = (uint16_t) (c->top + dy);
  c->start_x = (uint16_t) (c->start_x + dx);
  c->region = (uint16_t) region->number;
}

CTR_REGIONS_FUNC void
ctr_atlas_move_contour (const CtrAtlasRegion *region, CtrContour *c)
{
  c->left = (uint16_t) (c->left + region->x);
  c->top = (uint16_t) (c->top + region->y - region->top);
  c->region = region->number;
}

CTR_REGIONS_FUNC CtrPoint
ctr_atlas_move_point (const CtrAtlasRegion *region, CtrPoint point)
{
  point.x = (uint16_t) (point.x + region->x);
  point.y = (uint16_t) (point.y + region->y - region->top);
  return point;
}

CTR_END_DECLS

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Regions: what they must be, which pixels they have, and where they are in the atlas. */
#include "core/foreground/regions.h"

#include "core/common/error.h"
#include "core/foreground/foreground.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct CtrRegions {
  atomic_int refs;
  uint64_t id;
  uint32_t count;
  uint32_t width, height; /* of the atlas */
  uint64_t pixels;
  CtrAtlasRegion *places;           /* in the order of their numbers */
  uint64_t *inside;                 /* packed; NULL: rectangles */
  uint32_t mask_width, mask_height; /* 0: without a mask */
};

static atomic_uint_fast64_t last_id;

CtrRegions *
ctr_regions_ref (CtrRegions *regions)
{
  atomic_fetch_add_explicit (&regions->refs, 1, memory_order_relaxed);
  return regions;
}

void
ctr_regions_unref (CtrRegions *regions)
{
  if (!regions || atomic_fetch_sub_explicit (&regions->refs, 1, memory_order_acq_rel) != 1)
    return;
  free (regions->places);
  free (regions->inside);
  free (regions);
}

/* The smallest rectangle around the points of REGION. */
static CtrRegion
bounds_of_polygon (const CtrRegion *region)
{
  uint32_t left = UINT32_MAX, top = UINT32_MAX, right = 0, bottom = 0;
  for (uint32_t i = 0; i < region->point_count; i++) {
    const CtrRegionPoint p = region->points[i];
    left = p.x < left ? p.x : left;
    right = p.x > right ? p.x : right;
    top = p.y < top ? p.y : top;
    bottom = p.y > bottom ? p.y : bottom;
  }
  return (CtrRegion){.x = left, .y = top, .width = right - left, .height = bottom - top};
}

/* The smallest rectangle around the pixels of MASK; without one it is empty. */
static CtrRegion
bounds_of_mask (const CtrRegionMask *mask)
{
  uint32_t left = mask->width, top = mask->height, right = 0, bottom = 0;
  for (uint32_t y = 0; y < mask->height; y++) {
    const uint8_t *row = mask->data + y * mask->stride;
    for (uint32_t x = 0; x < mask->width; x++)
      if (row[x]) {
        left = x < left ? x : left;
        right = x + 1 > right ? x + 1 : right;
        top = y < top ? y : top;
        bottom = y + 1;
      }
  }
  return left < right ? (CtrRegion){.x = left, .y = top, .width = right - left, .height = bottom - top}
                      : (CtrRegion){0};
}

static bool
fail_without_pixels (uint32_t number, CtrError *error)
{
  return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT,
      "region %u has no pixel: make its width and height at least 1, or give it the corners of a larger polygon, and "
      "have "
      "pixels of the mask in it",
      number);
}

/* Places region NUMBER, below those before it. */
static bool
place (CtrRegions *regions, uint32_t number, const CtrRegion *region, CtrError *error)
{
  CtrAtlasRegion *to = &regions->places[number];
  CtrRegion bounds = *region;
  if (region->points && region->point_count < 3)
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT, "the polygon of region %u has %u points: it needs at least 3",
        number, region->point_count);
  if (region->points)
    bounds = bounds_of_polygon (region);
  if (bounds.width == 0 || bounds.height == 0)
    return fail_without_pixels (number, error);
  if ((uint64_t) bounds.x + bounds.width > CTR_MAX_SIDE || (uint64_t) bounds.y + bounds.height > CTR_MAX_SIDE)
    return ctr_fail (error, CTR_ERROR_TOO_LARGE,
        "region %u reaches from (%u, %u) over %u x %u pixels: it must end at %d or before", number, bounds.x, bounds.y,
        bounds.width, bounds.height, CTR_MAX_SIDE);
  const uint32_t top = number ? to[-1].top + to[-1].height + 1 : 0;
  if (top + bounds.height > CTR_MAX_SIDE)
    return ctr_fail (error, CTR_ERROR_TOO_LARGE,
        "the first %u regions have more than %d rows together, with one between two: use fewer or lower regions",
        number + 1, CTR_MAX_SIDE);
  *to = (CtrAtlasRegion){bounds.x, bounds.y, bounds.width, bounds.height, top, number};
  regions->width = bounds.width > regions->width ? bounds.width : regions->width;
  regions->height = top + bounds.height;
  return true;
}

/* The first pixel whose centre is at the edge from A to B, which passes row Y, or to the right of it: the edge is at
 * A.x + (Y + 1/2 - A.y) (B.x - A.x) / (B.y - A.y). */
static int64_t
first_pixel_behind (CtrRegionPoint a, CtrRegionPoint b, uint32_t y)
{
  const int64_t height = 2 * ((int64_t) b.y - a.y), rows = 2 * ((int64_t) y - a.y) + 1;
  const int64_t twice = (2 * (int64_t) a.x - 1) * height / 2 + rows * ((int64_t) b.x - a.x); /* less half a pixel */
  return twice <= 0 ? 0 : (twice + height - 1) / height;
}

/* Turns each bit into the parity of the bits up to it. */
static void
fill_row (uint64_t *row, size_t words)
{
  uint64_t before = 0;
  for (size_t i = 0; i < words; i++) {
    uint64_t bits = row[i];
    for (int shift = 1; shift < 64; shift *= 2)
      bits ^= bits << shift;
    row[i] = bits ^ before;
    before = row[i] >> 63 ? ~UINT64_C (0) : 0;
  }
}

/* Sets the bits of the pixels of row Y of the image that are in the polygon. ROW is 0. */
static void
draw_polygon_row (const CtrRegion *region, const CtrAtlasRegion *at, uint32_t y, uint64_t *row, size_t words)
{
  for (uint32_t i = 0; i < region->point_count; i++) {
    CtrRegionPoint a = region->points[i], b = region->points[i + 1 < region->point_count ? i + 1 : 0];
    if (a.y > b.y) {
      const CtrRegionPoint lower = a;
      a = b;
      b = lower;
    }
    if (y < a.y || y >= b.y)
      continue;
    const int64_t first = first_pixel_behind (a, b, y) - at->x;
    if (first < at->width)
      row[first / 64] ^= UINT64_C (1) << first % 64;
  }
  fill_row (row, words);
  if (at->width % 64)
    row[at->width / 64] &= (UINT64_C (1) << at->width % 64) - 1;
  for (size_t i = (at->width + 63u) / 64; i < words; i++)
    row[i] = 0;
}

static void
set_bits (uint64_t *row, uint32_t count)
{
  memset (row, 0xff, count / 64 * sizeof *row);
  if (count % 64)
    row[count / 64] |= (UINT64_C (1) << count % 64) - 1;
}

static void
draw_row (const CtrRegion *region, const CtrRegionMask *mask, const CtrAtlasRegion *at, uint32_t y, uint64_t *row,
    size_t words)
{
  if (region && region->points)
    draw_polygon_row (region, at, y, row, words);
  else
    set_bits (row, at->width);
  for (uint32_t x = 0; mask && x < at->width; x++)
    if (y >= mask->height || at->x + x >= mask->width || !mask->data[y * mask->stride + at->x + x])
      row[x / 64] &= ~(UINT64_C (1) << x % 64);
}

/* Draws the pixels of a region. REGION NULL: those of the mask. False if there are none. */
static bool
draw (CtrRegions *regions, const CtrRegion *region, const CtrRegionMask *mask, uint32_t number)
{
  const CtrAtlasRegion *at = &regions->places[number];
  const size_t words = ctr_packed_row (regions->width) / sizeof (uint64_t);
  const uint64_t before = regions->pixels;
  for (uint32_t i = 0; i < at->height; i++) {
    uint64_t *row = regions->inside + (at->top + i) * words;
    draw_row (region, mask, at, at->y + i, row, words);
    for (size_t k = 0; k < words; k++)
      regions->pixels += (uint32_t) __builtin_popcountll (row[k]);
  }
  return regions->pixels > before;
}

/* Fills in REGIONS, which has places for all. */
static bool
make (CtrRegions *regions, const CtrRegion *from, const CtrRegionMask *mask, CtrError *error)
{
  bool polygons = false;
  const CtrRegion whole = from || !mask ? (CtrRegion){0} : bounds_of_mask (mask);
  for (uint32_t i = 0; i < regions->count; i++) {
    if (!place (regions, i, from ? from + i : &whole, error))
      return false;
    polygons = polygons || (from && from[i].points);
    if (!mask && !polygons)
      regions->pixels += (uint64_t) regions->places[i].width * regions->places[i].height;
  }
  if (!mask && !polygons)
    return true;
  regions->pixels = 0;
  regions->inside = calloc (regions->height, ctr_packed_row (regions->width));
  if (!regions->inside)
    return ctr_fail (error, CTR_ERROR_OUT_OF_MEMORY, "no host memory for %u regions of up to %u pixels in %u rows",
        regions->count, regions->width, regions->height);
  for (uint32_t i = 0; i < regions->count; i++)
    if (!draw (regions, from ? from + i : NULL, mask, i))
      return fail_without_pixels (i, error);
  return true;
}

CtrRegions *
ctr_regions_new (const CtrRegion *from, uint32_t count, const CtrRegionMask *mask, CtrError *error)
{
  if (!from && count) {
    ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT, "there are to be %u regions, but they are NULL", count);
    return NULL;
  }
  if (!from && mask)
    count = 1;
  CtrRegions *regions = calloc (1, sizeof *regions);
  if (!regions || !(regions->places = calloc (count + 1, sizeof *regions->places))) {
    ctr_fail (error, CTR_ERROR_OUT_OF_MEMORY, "no host memory for %u regions", count);
    free (regions);
    return NULL;
  }
  atomic_init (&regions->refs, 1);
  regions->id = atomic_fetch_add (&last_id, 1) + 1;
  regions->count = count;
  regions->width = regions->height = 1;
  if (mask) {
    regions->mask_width = mask->width;
    regions->mask_height = mask->height;
  }
  if (make (regions, from, mask, error))
    return regions;
  ctr_regions_unref (regions);
  return NULL;
}

uint32_t
ctr_regions_get_count (const CtrRegions *regions)
{
  return regions->count;
}

void
ctr_regions_get_bounds (const CtrRegions *regions, uint32_t number, CtrRegion *bounds)
{
  const CtrAtlasRegion *at = &regions->places[number];
  *bounds = (CtrRegion){.x = at->x, .y = at->y, .width = at->width, .height = at->height};
}

bool
ctr_regions_is_equal (const CtrRegions *a, const CtrRegions *b)
{
  if (a == b || !a || !b)
    return a == b;
  return a->count == b->count && a->mask_width == b->mask_width && a->mask_height == b->mask_height
         && memcmp (a->places, b->places, a->count * sizeof *a->places) == 0 && !a->inside == !b->inside
         && (!a->inside || memcmp (a->inside, b->inside, a->height * ctr_packed_row (a->width)) == 0);
}

void
ctr_regions_get_size (const CtrRegions *regions, uint32_t *width, uint32_t *height)
{
  *width = regions->width;
  *height = regions->height;
}

uint64_t
ctr_regions_get_pixels (const CtrRegions *regions)
{
  return regions->pixels;
}

uint64_t
ctr_regions_get_id (const CtrRegions *regions)
{
  return regions->id;
}

const CtrAtlasRegion *
ctr_regions_get_places (const CtrRegions *regions)
{
  return regions->places;
}

void
ctr_regions_lay_out (const CtrRegions *regions, bool reversed, CtrAtlasRegion *to)
{
  for (uint32_t i = 0; i < regions->count; i++) {
    CtrAtlasRegion *at = &to[reversed ? regions->count - 1 - i : i];
    *at = regions->places[i];
    if (reversed)
      at->top = regions->height - at->top - at->height;
  }
}

const uint64_t *
ctr_regions_get_inside (const CtrRegions *regions)
{
  return regions->inside;
}

bool
ctr_regions_check (const CtrRegions *regions, const CtrImage *image, CtrError *error)
{
  if (regions->mask_width && (regions->mask_width != image->width || regions->mask_height != image->height))
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT,
        "the mask of the regions has %u x %u pixels, but the image has %u x %u: use one of this size",
        regions->mask_width, regions->mask_height, image->width, image->height);
  for (uint32_t i = 0; i < regions->count; i++) {
    const CtrAtlasRegion *at = &regions->places[i];
    if (at->x + at->width > image->width || at->y + at->height > image->height)
      return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT,
          "region %u reaches from (%u, %u) to (%u, %u), but the image has %u x %u pixels: keep it inside", i, at->x,
          at->y, at->x + at->width, at->y + at->height, image->width, image->height);
  }
  return true;
}

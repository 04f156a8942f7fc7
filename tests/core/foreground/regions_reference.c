/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tests/core/foreground/regions_reference.h"

#include "tests/core/common/reference.h"
#include "tests/core/foreground/reference.h"

#include <stdlib.h>
#include <string.h>

/* Is the centre of pixel (X, Y) in the polygon? In halves of pixels. */
static bool
is_in_polygon (const CtrRegion *region, uint32_t x, uint32_t y)
{
  const int64_t cx = 2 * (int64_t) x + 1, cy = 2 * (int64_t) y + 1;
  bool odd = false;
  for (uint32_t i = 0; i < region->point_count; i++) {
    const CtrRegionPoint p = region->points[i], q = region->points[(i + 1) % region->point_count];
    const int64_t ax = 2 * (int64_t) (p.y < q.y ? p.x : q.x), ay = 2 * (int64_t) (p.y < q.y ? p.y : q.y);
    const int64_t bx = 2 * (int64_t) (p.y < q.y ? q.x : p.x), by = 2 * (int64_t) (p.y < q.y ? q.y : p.y);
    if (ay < cy && cy < by && ax * (by - ay) + (cy - ay) * (bx - ax) <= cx * (by - ay))
      odd = !odd;
  }
  return odd;
}

static bool
is_inside (const RegionCase *regions, uint32_t number, uint32_t x, uint32_t y)
{
  const CtrRegion *region = &regions->list[number];
  const CtrRegionMask *mask = &regions->mask;
  return (!region->points || is_in_polygon (region, x, y)) && (!mask->data || mask->data[y * mask->stride + x]);
}

CtrRegion
region_bounds (const RegionCase *regions, uint32_t number)
{
  CtrRegion bounds = regions->list[number];
  if (!bounds.points)
    return bounds;
  bounds = (CtrRegion){.x = UINT32_MAX, .y = UINT32_MAX};
  for (int pass = 0; pass < 2; pass++)
    for (uint32_t i = 0; i < regions->list[number].point_count; i++) {
      const CtrRegionPoint p = regions->corners[number][i];
      if (pass == 0 && p.x < bounds.x)
        bounds.x = p.x;
      if (pass == 0 && p.y < bounds.y)
        bounds.y = p.y;
      if (pass == 1 && p.x - bounds.x > bounds.width)
        bounds.width = p.x - bounds.x;
      if (pass == 1 && p.y - bounds.y > bounds.height)
        bounds.height = p.y - bounds.y;
    }
  return bounds;
}

/* One side of a rectangle: mostly somewhere, sometimes all. */
static void
random_span (Random *random, uint32_t size, uint32_t *first, uint32_t *length)
{
  const uint32_t kind = random_below (random, 6);
  *first = kind < 2 ? 0 : random_below (random, size);
  *length = kind == 1 || kind == 2 ? size - *first : 1 + random_below (random, size - *first);
}

static bool
has_pixels (const RegionCase *regions, uint32_t number)
{
  const CtrRegion b = region_bounds (regions, number);
  for (uint32_t y = b.y; y < b.y + b.height; y++)
    for (uint32_t x = b.x; x < b.x + b.width; x++)
      if (is_inside (regions, number, x, y))
        return true;
  return false;
}

static void
random_region (Random *random, RegionCase *regions, uint32_t i, uint32_t width, uint32_t height)
{
  CtrRegion *region = &regions->list[i];
  random_span (random, width, &region->x, &region->width);
  random_span (random, height, &region->y, &region->height);
  if (random_below (random, 2))
    return;
  region->point_count = 3 + random_below (random, MOST_CORNERS - 2);
  region->points = regions->corners[i];
  for (uint32_t k = 0; k < region->point_count; k++)
    regions->corners[i][k] = (CtrRegionPoint){
        region->x + random_below (random, region->width + 1), region->y + random_below (random, region->height + 1)};
}

static void
random_mask (Random *random, RegionCase *regions, uint32_t width, uint32_t height)
{
  const size_t stride = width + random_below (random, 3);
  uint8_t *data = malloc (stride * height),
          *noise = noise_new (random, width, height, 20 + random_below (random, 75), 4);
  memset (data, 77, stride * height);
  for (uint32_t y = 0; y < height; y++)
    for (uint32_t x = 0; x < width; x++)
      data[y * stride + x] = noise[(size_t) y * width + x] ? (uint8_t) (1 + random_below (random, 255)) : 0;
  free (noise);
  regions->mask = (CtrRegionMask){data, stride, width, height};
}

RegionCase
random_regions (Random *random, uint32_t width, uint32_t height)
{
  RegionCase regions = {.only_mask = random_below (random, 8) == 0};
  CtrError error;
  if (regions.only_mask || random_below (random, 5) == 0)
    random_mask (random, &regions, width, height);
  const uint32_t wanted = regions.only_mask ? 1 : random_below (random, MOST_REGIONS + 1);
  for (uint32_t i = 0; i < wanted; i++) {
    CtrRegion *region = &regions.list[regions.count];
    *region = (CtrRegion){.width = width, .height = height};
    if (!regions.only_mask)
      random_region (random, &regions, regions.count, width, height);
    if (has_pixels (&regions, regions.count))
      regions.count++;
  }
  if (regions.only_mask && regions.count) {
    /* The smallest rectangle around the pixels. */
    CtrRegion *b = &regions.list[0];
    uint32_t left = width, top = height, right = 0, bottom = 0;
    for (uint32_t y = 0; y < height; y++)
      for (uint32_t x = 0; x < width; x++)
        if (is_inside (&regions, 0, x, y)) {
          left = x < left ? x : left;
          right = x > right ? x : right;
          top = y < top ? y : top;
          bottom = y > bottom ? y : bottom;
        }
    *b = (CtrRegion){.x = left, .y = top, .width = right - left + 1, .height = bottom - top + 1};
  }
  regions.only_mask = regions.only_mask && regions.count;
  for (uint32_t i = 0; i < regions.count; i++)
    if (regions.list[i].points)
      regions.list[i].points = regions.corners[i];
  regions.regions = ctr_regions_new (regions.only_mask ? NULL : regions.list, regions.only_mask ? 0 : regions.count,
      regions.mask.data ? &regions.mask : NULL, &error);
  if (!regions.regions)
    fail (__FILE__, __LINE__, error.message);
  CHECK (ctr_regions_get_count (regions.regions) == regions.count);
  return regions;
}

void
region_case_free (RegionCase *regions)
{
  ctr_regions_unref (regions->regions);
  free ((void *) regions->mask.data);
}

/* Some pixels of an image, with a chroma sample for each; its memory is one block. */
typedef struct {
  CtrImage image;
  uint8_t *memory;
} Copy;

static Copy
copy_new (const CtrImage *image, uint32_t width, uint32_t height)
{
  const bool packed_yuv = image->format >= CTR_FORMAT_YUYV;
  const size_t size = packed_yuv ? 1 : ctr_format_pixel_size (image->format), pixels = (size_t) width * height;
  Copy copy = {.image = *image, .memory = malloc (pixels * (size + 2))};
  copy.image.data = copy.memory;
  copy.image.stride = width * size;
  copy.image.width = width;
  copy.image.height = height;
  if (packed_yuv)
    copy.image.format = CTR_FORMAT_GRAY8; /* with chroma for each pixel */
  if (packed_yuv || image->chroma.cb)
    copy.image.chroma = (CtrChroma){
        .cb = copy.memory + pixels * size, .cr = copy.memory + pixels * (size + 1), .stride = width, .step = 1};
  return copy;
}

static void
copy_pixel (const CtrImage *from, uint32_t x, uint32_t y, const Copy *to, size_t at)
{
  const size_t size = ctr_format_pixel_size (from->format);
  const CtrChroma *c = &from->chroma;
  if (from->format >= CTR_FORMAT_YUYV) {
    to->memory[at] = (uint8_t) reference_sample (from, x, y);
    ((uint8_t *) to->image.chroma.cb)[at] = (uint8_t) reference_packed_chroma (from, false, x, y);
    ((uint8_t *) to->image.chroma.cr)[at] = (uint8_t) reference_packed_chroma (from, true, x, y);
    return;
  }
  memcpy (to->memory + at * size, (const uint8_t *) from->data + y * from->stride + x * size, size);
  if (!c->cb)
    return;
  const size_t sample = (y >> c->shift_y) * c->stride + (size_t) (x >> c->shift_x) * c->step;
  ((uint8_t *) to->image.chroma.cb)[at] = c->cb[sample];
  ((uint8_t *) to->image.chroma.cr)[at] = c->cr[sample];
}

/* The threshold of the pixels of all regions, one after the other, as an image. */
static uint32_t
find_threshold (const CtrImage *image, const CtrForeground *foreground, const RegionCase *regions)
{
  const CtrForeground how = {
      .mode = foreground->mode, .channel = foreground->channel, .significant_bits = foreground->significant_bits};
  uint32_t threshold = 1;
  size_t count = 0;
  for (int pass = 0; pass < 2; pass++) {
    /* Factors of the count, so that it is a rectangle. */
    uint32_t width = 1;
    while (count / width > CTR_MAX_SIDE || count % width)
      width++;
    Copy copy = copy_new (image, width, (uint32_t) (count / width));
    size_t at = 0;
    for (uint32_t i = 0; i < regions->count; i++) {
      const CtrRegion b = region_bounds (regions, i);
      for (uint32_t y = b.y; y < b.y + b.height; y++)
        for (uint32_t x = b.x; x < b.x + b.width; x++)
          if (is_inside (regions, i, x, y)) {
            if (pass)
              copy_pixel (image, x, y, &copy, at);
            at++;
          }
    }
    count = at;
    if (pass && count)
      free (reference_mask (&copy.image, &how, &threshold));
    free (copy.memory);
  }
  return threshold;
}

/* The mask of one region. */
static uint8_t *
mask_region (const CtrImage *image, const CtrForeground *foreground, uint32_t threshold, const RegionCase *regions,
    uint32_t number)
{
  const CtrRegion b = region_bounds (regions, number);
  Copy copy = copy_new (image, b.width, b.height);
  for (uint32_t y = 0; y < b.height; y++)
    for (uint32_t x = 0; x < b.width; x++)
      copy_pixel (image, b.x + x, b.y + y, &copy, (size_t) y * b.width + x);
  CtrForeground first = *foreground;
  first.regions = NULL;
  first.open_size = first.close_size = 0;
  first.fill_holes = first.clear_border = false;
  first.split_touching = 0;
  if (!first.ranges && (first.mode == CTR_THRESHOLD_OTSU || first.mode == CTR_THRESHOLD_TRIANGLE)) {
    first.mode = CTR_THRESHOLD_FIXED;
    first.threshold = threshold;
    first.upper_threshold = 0;
  }
  uint8_t *bytes = reference_mask (&copy.image, &first, NULL);
  free (copy.memory);
  for (uint32_t y = 0; y < b.height; y++)
    for (uint32_t x = 0; x < b.width; x++)
      if (!is_inside (regions, number, b.x + x, b.y + y))
        bytes[(size_t) y * b.width + x] = 0;
  const CtrImage middle = {
      .data = bytes, .stride = b.width, .width = b.width, .height = b.height, .format = CTR_FORMAT_GRAY8};
  const CtrForeground steps = {.threshold = 128,
      .open_size = foreground->open_size,
      .close_size = foreground->close_size,
      .shape = foreground->shape,
      .fill_holes = foreground->fill_holes,
      .split_touching = foreground->split_touching,
      .clear_border = foreground->clear_border};
  uint8_t *mask = reference_mask (&middle, &steps, NULL);
  free (bytes);
  return mask;
}

RegionMasks
reference_region_masks (const CtrImage *image, const CtrForeground *foreground, const RegionCase *regions)
{
  RegionMasks masks = {.threshold = 0};
  const bool finds =
      !foreground->ranges && (foreground->mode == CTR_THRESHOLD_OTSU || foreground->mode == CTR_THRESHOLD_TRIANGLE);
  if (finds)
    masks.threshold = find_threshold (image, foreground, regions);
  else if (!foreground->ranges
           && (foreground->mode == CTR_THRESHOLD_FIXED || foreground->mode == CTR_THRESHOLD_HYSTERESIS))
    masks.threshold = foreground->threshold;
  for (uint32_t i = 0; i < regions->count; i++)
    masks.masks[i] = mask_region (image, foreground, masks.threshold, regions, i);
  return masks;
}

void
region_masks_free (RegionMasks *masks)
{
  for (uint32_t i = 0; i < MOST_REGIONS; i++)
    free (masks->masks[i]);
}

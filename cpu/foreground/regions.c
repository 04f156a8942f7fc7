/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The atlas on the CPU: each region is masked as an image of its own, into its rows. */
#include "cpu/foreground/regions.h"

#include "core/common/format.h"
#include "core/common/poll.h"
#include "cpu/common/samples.h"
#include "cpu/foreground/steps.h"

#include <string.h>

enum {
  BITS,    /* the mask */
  SAMPLES, /* those of the image */
  PLACES,  /* CtrAtlasRegion */
  COUNTS,  /* Counts */
  CHROMA   /* of one region, a sample for each pixel */
};

typedef struct {
  uint32_t bins[65536];
  uint8_t row[CTR_MAX_SIDE];
} Counts;

typedef struct {
  CtrAtlasState *state;
  CtrForegroundState *masking;
  const CtrImage *image;
  const CtrForeground *foreground;
  CtrAtlas *atlas;
  CtrError *error;
} Making;

void
ctr_atlas_release (CtrAtlasState *state)
{
  for (size_t i = 0; i < sizeof state->buffers / sizeof *state->buffers; i++)
    ctr_host_buffer_release (&state->buffers[i]);
}

bool
ctr_atlas_give_back (CtrAtlasState *state)
{
  bool some = false;
  for (size_t i = 0; i < sizeof state->buffers / sizeof *state->buffers; i++)
    some |= ctr_host_buffer_give_back (&state->buffers[i]);
  return some;
}

static bool
fail_without_memory (const Making *making)
{
  return ctr_fail (making->error, CTR_ERROR_OUT_OF_MEMORY, "no host memory for %u regions of a %u x %u image",
      making->atlas->count, making->image->width, making->image->height);
}

/* Copies the chroma of a region, which may begin within a chroma sample. */
static bool
copy_chroma (const Making *making, const CtrAtlasRegion *at, CtrImage *view)
{
  const CtrChroma from = ctr_image_chroma (making->image);
  CtrHostBuffer *buffer = &making->state->buffers[CHROMA];
  if (!ctr_host_buffer_reserve (buffer, at->height, 2 * (size_t) at->width))
    return fail_without_memory (making);
  uint8_t *cb = buffer->data, *cr = cb + (size_t) at->width * at->height;
  view->chroma = (CtrChroma){.cb = cb, .cr = cr, .stride = at->width, .step = 1};
  for (uint32_t y = 0; y < at->height; y++) {
    const size_t row = (size_t) ((at->y + y) >> from.shift_y) * from.stride;
    if (ctr_cancelled ())
      return ctr_fail_cancelled (making->error);
    for (uint32_t x = 0; x < at->width; x++) {
      const size_t sample = row + (size_t) ((at->x + x) >> from.shift_x) * from.step;
      *cb++ = from.cb[sample];
      *cr++ = from.cr[sample];
    }
  }
  return true;
}

/* Sets VIEW to a region of the image. */
static bool
view_region (const Making *making, const CtrAtlasRegion *at, CtrImage *view)
{
  const CtrImage *image = making->image;
  *view = *image;
  view->data = (const uint8_t *) image->data + at->y * image->stride + at->x * ctr_format_pixel_size (image->format);
  view->width = at->width;
  view->height = at->height;
  const bool chroma = !ctr_format_is_rgb (image->format) && ctr_foreground_uses_colour (making->foreground);
  return !chroma || copy_chroma (making, at, view);
}

/* The part of the mask or of the pixels inside, whose first row in BITS is TOP, that a region has. */
static CtrPacked
rows_of (const Making *making, const uint64_t *bits, const CtrAtlasRegion *at, uint32_t top)
{
  const size_t stride = making->atlas->mask.stride;
  return (CtrPacked){bits ? (uint64_t *) bits + top * stride : NULL, stride, at->width, at->height};
}

static void
count_row (const void *samples, bool wide, const uint64_t *inside, uint32_t width, uint32_t *bins)
{
  for (uint32_t x = 0; x < width; x++)
    if (!inside || inside[x / 64] >> x % 64 & 1)
      bins[wide ? ((const uint16_t *) samples)[x] : ((const uint8_t *) samples)[x]]++;
}

static bool
count_region (const Making *making, const CtrAtlasRegion *at, const CtrPacked *inside, Counts *counts)
{
  CtrImage view;
  if (!view_region (making, at, &view))
    return false;
  for (uint32_t y = 0; y < at->height; y++) {
    if (!ctr_go_on (making->error))
      return false;
    const void *row = ctr_channel_row (&view, making->foreground->channel, y, counts->row);
    count_row (row, view.format == CTR_FORMAT_GRAY16, inside->bits ? ctr_packed_bits (inside, y) : NULL, at->width,
        counts->bins);
  }
  return true;
}

/* The threshold of all regions, if it is found in them. */
static bool
find_threshold (const Making *making, uint32_t *threshold)
{
  const CtrForeground *foreground = making->foreground;
  const CtrRegions *regions = foreground->regions;
  CtrHostBuffer *buffer = &making->state->buffers[COUNTS];
  const bool found = foreground->mode == CTR_THRESHOLD_OTSU || foreground->mode == CTR_THRESHOLD_TRIANGLE;
  *threshold = ctr_foreground_given_threshold (foreground);
  if (!found || foreground->ranges || making->atlas->count == 0)
    return true;
  if (!ctr_host_buffer_reserve (buffer, 1, sizeof (Counts)))
    return fail_without_memory (making);
  Counts *counts = buffer->data;
  const uint32_t levels = making->image->format == CTR_FORMAT_GRAY16 ? 65536 : 256;
  memset (counts->bins, 0, levels * sizeof *counts->bins);
  for (uint32_t i = 0; i < making->atlas->count; i++) {
    const CtrAtlasRegion *at = &ctr_regions_get_places (regions)[i];
    const CtrPacked inside = rows_of (making, ctr_regions_get_inside (regions), at, at->top);
    if (!count_region (making, at, &inside, counts))
      return false;
  }
  *threshold = ctr_samples_threshold_of (counts->bins, levels, ctr_regions_get_pixels (regions), foreground);
  return true;
}

static bool
copy_samples (const Making *making, const CtrAtlasRegion *at)
{
  const CtrImage *to = &making->atlas->image;
  CtrImage view = *making->image;
  view.data = (const uint8_t *) view.data + at->y * view.stride + at->x * ctr_format_pixel_size (view.format);
  view.width = at->width;
  for (uint32_t y = 0; y < at->height; y++) {
    uint8_t *row = (uint8_t *) to->data + (at->top + y) * to->stride;
    if (!ctr_go_on (making->error))
      return false;
    const void *from = ctr_channel_row (&view, CTR_CHANNEL_LUMA, y, row);
    if (from != row)
      memcpy (row, from, at->width * ctr_format_pixel_size (to->format));
  }
  return true;
}

/* Lays out the atlas and makes room for it. */
static bool
reserve (const Making *making, bool reversed, bool samples)
{
  const CtrRegions *regions = making->foreground->regions;
  CtrHostBuffer *buffers = making->state->buffers;
  CtrAtlas *atlas = making->atlas;
  uint32_t width, height;
  ctr_regions_get_size (regions, &width, &height);
  *atlas = (CtrAtlas){.count = ctr_regions_get_count (regions)};
  atlas->image = (CtrImage){
      .width = width,
      .height = height,
      .format = making->image->format == CTR_FORMAT_GRAY16 ? CTR_FORMAT_GRAY16 : CTR_FORMAT_GRAY8,
      .memory = CTR_MEMORY_HOST,
  };
  atlas->image.stride = width * ctr_format_pixel_size (atlas->image.format);
  if (!ctr_host_buffer_reserve (&buffers[PLACES], atlas->count + 1, sizeof (CtrAtlasRegion))
      || !ctr_host_buffer_reserve (&buffers[BITS], height, ctr_packed_row (width))
      || (samples && !ctr_host_buffer_reserve (&buffers[SAMPLES], height, atlas->image.stride)))
    return fail_without_memory (making);
  ctr_regions_lay_out (regions, reversed, buffers[PLACES].data);
  atlas->places = buffers[PLACES].data;
  atlas->image.data = samples ? buffers[SAMPLES].data : NULL;
  atlas->mask = (CtrPacked){buffers[BITS].data, ctr_packed_row (width) / sizeof (uint64_t), width, height};
  memset (atlas->mask.bits, 0, height * ctr_packed_row (width));
  return true;
}

/* The mask of a region, in its rows of the atlas, and what is reported as its threshold. */
static bool
mask_region (const Making *making, const CtrAtlasRegion *at, uint32_t found)
{
  const CtrRegions *regions = making->foreground->regions;
  const CtrAtlasRegion *place = &ctr_regions_get_places (regions)[at->number];
  const CtrMaskPart part = {
      .inside = rows_of (making, ctr_regions_get_inside (regions), place, place->top), .threshold = found};
  const CtrPacked mask = rows_of (making, making->atlas->mask.bits, at, at->top);
  uint32_t threshold;
  CtrImage view;
  return view_region (making, at, &view)
         && ctr_mask_make (making->masking, &view, making->foreground, &mask, &part, &threshold, making->error);
}

bool
ctr_atlas_make (CtrAtlasState *state, CtrForegroundState *masking, const CtrImage *image,
    const CtrForeground *foreground, bool reversed, bool samples, CtrAtlas *atlas, CtrError *error)
{
  const Making making = {state, masking, image, foreground, atlas, error};
  uint32_t found;
  if (!reserve (&making, reversed, samples) || !find_threshold (&making, &found))
    return false;
  atlas->threshold = found;
  for (uint32_t i = 0; i < atlas->count; i++)
    if (!mask_region (&making, &atlas->places[i], found) || (samples && !copy_samples (&making, &atlas->places[i])))
      return false;
  return true;
}

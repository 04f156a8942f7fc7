/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Results of the atlas move into the image. */
#include "core/common/memory.h"
#include "core/common/poll.h"
#include "cpu/contours/contour_measures.h"
#include "cpu/foreground/regions.h"

#include <stdlib.h>

/* Adds the COUNT bits of FROM, behind which there are none, to TO, from bit X on. */
static void
add_bits (uint64_t *to, uint32_t x, const uint64_t *from, uint32_t count)
{
  const uint32_t shift = x % 64;
  to += x / 64;
  for (uint32_t i = 0; i < (count + 63) / 64; i++) {
    to[i] |= from[i] << shift;
    if (shift && from[i] >> (64 - shift))
      to[i + 1] |= from[i] >> (64 - shift);
  }
}

bool
ctr_atlas_move_mask (const CtrAtlas *atlas, const CtrPacked *mask)
{
  if (!ctr_clear (mask->bits, mask->height * mask->stride * sizeof *mask->bits))
    return false;
  for (uint32_t i = 0; i < atlas->count; i++) {
    const CtrAtlasRegion *at = &atlas->places[i];
    for (uint32_t y = 0; y < at->height; y++) {
      if (ctr_cancelled ())
        return false;
      add_bits (mask->bits + (at->y + y) * mask->stride, at->x, atlas->mask.bits + (at->top + y) * atlas->mask.stride,
          at->width);
    }
  }
  return true;
}

static bool
move_rows (const CtrAtlas *atlas, CtrComponents *components)
{
  CtrComponent *table = (CtrComponent *) components->table;
  CtrComponentMoments *moments = (CtrComponentMoments *) components->moments;
  CtrComponentInscribed *inscribed = (CtrComponentInscribed *) components->inscribed;
  uint64_t work = 0;
  for (uint32_t i = 0; i < components->count; i++) {
    if (ctr_poll (&work, 4))
      return false;
    const uint32_t region = ctr_atlas_find (atlas->places, atlas->count, table[i].top);
    ctr_atlas_move_component (
        &atlas->places[region], &table[i], moments ? &moments[i] : NULL, inscribed ? &inscribed[i] : NULL);
  }
  return true;
}

/* TO, with rows of WIDTH labels, becomes the labels of the atlas. */
static bool
move_labels (const CtrAtlas *atlas, const uint32_t *from, uint32_t *to, uint32_t width)
{
  for (uint32_t i = 0; i < atlas->count; i++) {
    const CtrAtlasRegion *at = &atlas->places[i];
    for (uint32_t y = 0; y < at->height; y++) {
      const uint32_t *labels = from + (size_t) (at->top + y) * atlas->image.width;
      uint32_t *row = to + (size_t) (at->y + y) * width + at->x;
      if (ctr_cancelled ())
        return false;
      for (uint32_t x = 0; x < at->width; x++)
        row[x] = labels[x] ? labels[x] : row[x];
    }
  }
  return true;
}

bool
ctr_atlas_move_components (const CtrAtlas *atlas, CtrComponents *components, const CtrImage *image, CtrError *error)
{
  const size_t pixels = (size_t) image->width * image->height;
  uint32_t *labels = NULL;
  components->width = image->width;
  components->height = image->height;
  if (components->labels && !(labels = ctr_alloc_array (pixels, sizeof *labels)))
    return ctr_fail (error, CTR_ERROR_OUT_OF_MEMORY, "no host memory for the labels of a %u x %u image", image->width,
        image->height);
  const bool ok = move_rows (atlas, components)
                  && (!labels
                      || (ctr_clear (labels, pixels * sizeof *labels)
                          && move_labels (atlas, components->labels, labels, image->width)));
  free ((void *) components->labels);
  components->labels = labels;
  return ok || ctr_fail_cancelled (error);
}

bool
ctr_atlas_move_contours (
    const CtrAtlas *atlas, CtrContour *table, uint32_t count, CtrPoint *points, CtrContourSums *sums)
{
  uint64_t work = 0;
  for (uint32_t i = 0; i < count; i++) {
    const CtrAtlasRegion *at = &atlas->places[ctr_atlas_find (atlas->places, atlas->count, table[i].top)];
    CtrPoint *line = points + table[i].first;
    if (ctr_poll (&work, 4 + table[i].count))
      return false;
    for (uint32_t k = 0; k < table[i].count; k++)
      line[k] = ctr_atlas_move_point (at, line[k]);
    ctr_atlas_move_contour (at, &table[i]);
    if (sums && !ctr_contour_sums (line, table[i].count, &sums[i]))
      return false;
  }
  return true;
}

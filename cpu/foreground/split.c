/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Splitting of touching parts on the CPU: the steps of core/foreground/split.h, each in bands of rows. */
#include "core/foreground/split.h"

#include "core/common/poll.h"
#include "cpu/common/simd.h"
#include "cpu/foreground/steps.h"

#include <string.h>

/* What a pixel's neighbours say of it: the direction of the one that it ascends to, and whether it is a saddle. */
enum { DIRECTION = 15, SADDLE = 16 };

#define NO_LABEL UINT32_MAX /* of the background, and of what surrounds the image */

typedef struct {
  CtrSplit split;
  int64_t steps[CTR_SPLIT_PEAK]; /* from a pixel to its neighbours */
  const CtrPacked *mask, *saddles;
  bool divides; /* atomic: some of the links are not shallow */
} Splitting;

static size_t
aligned (size_t bytes)
{
  return (bytes + 63) & ~(size_t) 63;
}

/* Lays out the arrays in ROOM, or with NULL measures them. */
static size_t
lay_out (CtrSplit *split, uint8_t *room)
{
  const size_t pixels = (size_t) split->stride * split->height;
  const size_t blocks = (size_t) split->blocks_x * ((split->height + 1) / 2);
  size_t used = 0;
  uint8_t *const links = room;
  used += aligned (blocks * sizeof *split->links);
  const size_t distances = used;
  used += aligned ((pixels + 2 * (size_t) split->stride + 1) * sizeof *split->distances);
  const size_t labels = used;
  used += aligned ((pixels + 2 * (size_t) split->stride + 1) * sizeof *split->labels);
  const size_t peaks = used;
  used += aligned (blocks * sizeof *split->peaks);
  const size_t parts = used;
  used += aligned (blocks * sizeof *split->parts);
  if (!room)
    return used;
  split->links = (unsigned long long *) links;
  split->distances = (uint32_t *) (room + distances) + split->stride + 1;
  split->labels = (uint32_t *) (room + labels) + split->stride + 1;
  split->peaks = (uint32_t *) (room + peaks);
  split->parts = (uint32_t *) (room + parts);
  return used;
}

static CtrSplit
split_of (uint32_t width, uint32_t height, uint32_t depth)
{
  return (CtrSplit){.width = width, .height = height, .stride = width + 1, .blocks_x = (width + 1) / 2, .depth = depth};
}

size_t
ctr_split_room (uint32_t width, uint32_t height)
{
  CtrSplit split = split_of (width, height, 0);
  return lay_out (&split, NULL);
}

size_t
ctr_split_scratch (uint32_t width)
{
  return ctr_distance_scratch (width);
}

/* The first pixel of BITS in word I of row Y. */
static uint32_t
pixel_of (const CtrSplit *split, uint32_t y, size_t i, uint64_t bits)
{
  return y * split->stride + 64 * (uint32_t) i + (uint32_t) __builtin_ctzll (bits);
}

/* Of all pixels of a row. */
WIDEST static void
choose_directions (const uint32_t *row, uint32_t stride, uint32_t width, uint8_t *codes)
{
  for (uint32_t x = 0; x < width; x++) {
    uint32_t around[8], higher;
    ctr_split_load_around (row + x, stride, around);
    const uint32_t direction = ctr_split_ascend (around, row[x], &higher);
    codes[x] = (uint8_t) (direction | (uint32_t) ctr_split_is_saddle (higher) * SADDLE);
  }
}

/* Which pixels have a neighbour in another basin. */
WIDEST static void
find_seams (const uint32_t *row, uint32_t stride, uint32_t width, uint8_t *seams)
{
  for (uint32_t x = 0; x < width; x++) {
    uint32_t differ = 0;
    for (int dy = -1; dy <= 1; dy++)
      for (int dx = -1; dx <= 1; dx++) {
        const uint32_t other = (row + dy * (int64_t) stride + dx)[x];
        differ |= (uint32_t) (other != row[x]) & (uint32_t) (other != NO_LABEL);
      }
    seams[x] = (uint8_t) differ;
  }
}

/* Labels the pixels of row Y with the neighbours that they ascend to, and marks the saddles. */
static void
ascend_row (const Splitting *splitting, uint32_t y, uint8_t *codes)
{
  const CtrSplit *split = &splitting->split;
  const uint64_t *row = ctr_packed_bits (splitting->mask, y);
  uint64_t *saddles = ctr_packed_bits (splitting->saddles, y);
  uint32_t *labels = split->labels + (size_t) y * split->stride;
  choose_directions (split->distances + (size_t) y * split->stride, split->stride, split->width, codes);
  memset (labels, 0xff, split->stride * sizeof *labels);
  for (size_t i = 0; i < splitting->mask->stride; i++) {
    saddles[i] = 0;
    for (uint64_t bits = row[i]; bits; bits &= bits - 1) {
      const uint32_t pixel = pixel_of (split, y, i, bits), code = codes[64 * i + (uint32_t) __builtin_ctzll (bits)];
      if (code == CTR_SPLIT_PEAK) {
        const uint32_t block = ctr_split_block (split, pixel);
        split->labels[pixel] = split->peaks[block] = pixel;
        split->parts[block] = block;
        split->links[block] = 0;
        continue;
      }
      split->labels[pixel] = (uint32_t) (pixel + splitting->steps[code & DIRECTION]);
      if (code & SADDLE)
        saddles[i] |= bits & -bits;
    }
  }
}

/* Labels PIXEL with the peak that it ascends to, or with the first pixel on the way that is none of COUNT from FIRST on, those of
 * a band. */
static void
shorten_path (CtrSplit *split, uint32_t pixel, uint32_t first, uint64_t count)
{
  uint32_t *labels = split->labels, at = pixel, up = labels[at];
  while ((uint64_t) up - first < count && labels[up] != up) {
    const uint32_t next = labels[up];
    labels[at] = next;
    at = up;
    up = next;
  }
  labels[pixel] = up;
}

static bool
ascend (void *context, void *scratch, uint32_t first, uint32_t end)
{
  Splitting *splitting = context;
  CtrSplit *split = &splitting->split;
  for (uint32_t y = first; y < end; y++) {
    if (ctr_cancelled ())
      return false;
    ascend_row (splitting, y, scratch);
  }
  for (uint32_t y = first; y < end; y++) {
    const uint64_t *row = ctr_packed_bits (splitting->mask, y);
    if (ctr_cancelled ())
      return false;
    for (size_t i = 0; i < splitting->mask->stride; i++)
      for (uint64_t bits = row[i]; bits; bits &= bits - 1)
        shorten_path (
            split, pixel_of (split, y, i, bits), first * split->stride, (uint64_t) (end - first) * split->stride);
  }
  return true;
}

/* Labels become peaks, and saddles add their pairs. */
static bool
link_peaks (void *context, void *scratch, uint32_t first, uint32_t end)
{
  const Splitting *splitting = context;
  const CtrSplit *split = &splitting->split;
  uint64_t work = 0;
  for (uint32_t y = first; y < end; y++) {
    const uint64_t *row = ctr_packed_bits (splitting->mask, y), *saddles = ctr_packed_bits (splitting->saddles, y);
    if (ctr_cancelled ())
      return false;
    for (size_t i = 0; i < splitting->mask->stride; i++) {
      for (uint64_t bits = row[i]; bits; bits &= bits - 1) {
        const uint32_t pixel = pixel_of (split, y, i, bits);
        ctr_split_store (&split->labels[pixel], ctr_split_find_peak (split, pixel));
      }
      for (uint64_t bits = saddles[i]; bits; bits &= bits - 1) {
        if (ctr_poll (&work, 64))
          return false;
        ctr_split_add_saddle (split, pixel_of (split, y, i, bits));
      }
    }
  }
  return true;
}

static bool
decide (void *context, void *scratch, uint32_t first, uint32_t end)
{
  Splitting *splitting = context;
  const CtrSplit *split = &splitting->split;
  bool divides = false;
  for (uint32_t y = first; y < end; y++) {
    const uint64_t *row = ctr_packed_bits (splitting->mask, y);
    if (ctr_cancelled ())
      return false;
    for (size_t i = 0; i < splitting->mask->stride; i++)
      for (uint64_t bits = row[i]; bits; bits &= bits - 1) {
        const uint32_t pixel = pixel_of (split, y, i, bits);
        if (split->labels[pixel] == pixel)
          divides = ctr_split_decide (split, pixel) || divides;
      }
  }
  if (divides)
    __atomic_store_n (&splitting->divides, true, __ATOMIC_RELAXED);
  return true;
}

static bool
cut (void *context, void *scratch, uint32_t first, uint32_t end)
{
  const Splitting *splitting = context;
  const CtrSplit *split = &splitting->split;
  const uint8_t *seams = scratch;
  for (uint32_t y = first; y < end; y++) {
    uint64_t *row = ctr_packed_bits (splitting->mask, y);
    if (ctr_cancelled ())
      return false;
    find_seams (split->labels + (size_t) y * split->stride, split->stride, split->width, scratch);
    for (size_t i = 0; i < splitting->mask->stride; i++)
      for (uint64_t bits = row[i]; bits; bits &= bits - 1)
        if (seams[64 * i + (uint32_t) __builtin_ctzll (bits)] && ctr_split_is_cut (split, pixel_of (split, y, i, bits)))
          row[i] ^= bits & -bits;
  }
  return true;
}

/* The rows before and behind the image, and the first one's neighbour on the left. */
static void
surround (uint32_t *pixels, const CtrSplit *split, int byte)
{
  const size_t row = split->stride * sizeof *pixels;
  memset (pixels - split->stride - 1, byte, row + sizeof *pixels);
  memset (pixels + (size_t) split->height * split->stride, byte, row);
}

bool
ctr_packed_split (const CtrRowsPlan *plan, const CtrPacked *mask, const CtrPacked *saddles, uint32_t depth, void *room)
{
  Splitting splitting = {.split = split_of (mask->width, mask->height, depth), .mask = mask, .saddles = saddles};
  CtrSplit *split = &splitting.split;
  lay_out (split, room);
  surround (split->distances, split, 0);
  surround (split->labels, split, 0xff);
  for (uint32_t i = 0; i < CTR_SPLIT_PEAK; i++)
    splitting.steps[i] = ctr_split_step (split->stride, i);
  return ctr_packed_distances (plan, mask, split->distances) && ctr_rows_run (plan, mask->height, ascend, &splitting)
         && ctr_rows_run (plan, mask->height, link_peaks, &splitting)
         && ctr_rows_run (plan, mask->height, decide, &splitting)
         && (!splitting.divides || ctr_rows_run (plan, mask->height, cut, &splitting));
}

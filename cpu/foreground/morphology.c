/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Dilation and erosion of packed masks.
 *
 * The dilation with a structuring element is the union of those with its parts. Successive rows of the element that are
 * alike make a rectangle. The dilation with a rectangle is one along the rows and one along the columns; each takes a
 * logarithmic number of steps, since a run of 2 k pixels is two runs of k pixels. An erosion is the dilation of the
 * background.
 *
 * The image is taken in strips of rows, whose rows lie between two empty words in scratch memory. */
#include "core/common/poll.h"
#include "cpu/common/simd.h"
#include "cpu/foreground/steps.h"

#include <string.h>

enum { STRIP = 128 }; /* rows of a result */

typedef struct {
  const CtrPacked *mask, *to;
  const CtrShapeRows *shape;
  uint64_t flip; /* all bits for an erosion */
} Dilation;

/* The rows of a strip. Words are from one row to the next. */
typedef struct {
  uint64_t *strip, *part;
  size_t words; /* of a row, with a word on both sides */
} Rows;

static size_t
row_words (uint32_t width)
{
  return ((size_t) width + 63) / 64 + 2;
}

size_t
ctr_morphology_scratch (uint32_t width, uint32_t size)
{
  const size_t bytes = 2 * (STRIP + size) * row_words (width) * sizeof (uint64_t);
  return (bytes + 63) & ~(size_t) 63;
}

/* Row Y of the mask, or of the background for an erosion; empty outside the image. */
static void
load_row (const Dilation *dilation, int64_t y, uint64_t *row, size_t words)
{
  const CtrPacked *mask = dilation->mask;
  if (y < 0 || y >= mask->height) {
    memset (row, 0, words * sizeof *row);
    return;
  }
  const uint64_t *bits = ctr_packed_bits (mask, (uint32_t) y);
  row[0] = row[words - 1] = 0;
  for (size_t i = 0; i + 2 < words; i++)
    row[1 + i] = (bits[i] ^ dilation->flip) & ctr_packed_pixels (mask->width, i);
}

/* Each pixel becomes the union of LENGTH pixels from itself on to the right. */
WIDEST static void
widen_row (uint64_t *row, size_t words, uint32_t length)
{
  for (uint32_t done = 1; done < length;) {
    const uint32_t step = 2 * done <= length ? done : length - done;
    for (size_t i = 0; i + 1 < words; i++)
      row[i] |= row[i] >> step | row[i + 1] << (64 - step);
    row[words - 1] |= row[words - 1] >> step;
    done += step;
  }
}

WIDEST static void
unite (uint64_t *row, const uint64_t *other, size_t words)
{
  for (size_t i = 0; i < words; i++)
    row[i] |= other[i];
}

/* Each row becomes the union of LENGTH rows from itself on downwards, of ROWS rows that are there. */
static void
widen_columns (uint64_t *rows, size_t words, uint32_t count, uint32_t length)
{
  for (uint32_t done = 1; done < length;) {
    const uint32_t step = 2 * done <= length ? done : length - done;
    for (uint32_t y = 0; y + step < count; y++)
      unite (rows + y * words, rows + (y + step) * words, words);
    done += step;
  }
}

/* Adds a row of a part whose pixel X contributes to X - SHIFT. */
static void
add_row (uint64_t *bits, const uint64_t *row, size_t words, int shift)
{
  for (size_t i = 1; i + 1 < words; i++)
    bits[i - 1] |= shift == 0  ? row[i]
                   : shift > 0 ? row[i] >> shift | row[i + 1] << (64 - shift)
                               : row[i] << -shift | row[i - 1] >> (64 + shift);
}

/* The dilation of COUNT rows from row Y on with rows FIRST to LAST of the element, which are alike. */
static void
add_part (const Dilation *dilation, const Rows *rows, uint32_t y, uint32_t count, uint32_t first, uint32_t last)
{
  const CtrShapeRows *shape = dilation->shape;
  const uint32_t height = last - first + 1, length = shape->last[first] - shape->first[first] + 1u;
  const size_t words = rows->words;
  memcpy (rows->part, rows->strip + first * words, (count + height - 1) * words * sizeof *rows->part);
  for (uint32_t i = 0; i < count + height - 1; i++)
    widen_row (rows->part + i * words, words, length);
  widen_columns (rows->part, words, count + height - 1, height);
  for (uint32_t i = 0; i < count; i++)
    add_row (ctr_packed_bits (dilation->to, y + i), rows->part + i * words, words,
        shape->first[first] - (int) (shape->size / 2));
}

/* COUNT rows of the result from row Y on. */
static void
dilate_strip (const Dilation *dilation, const Rows *rows, uint32_t y, uint32_t count)
{
  const CtrShapeRows *shape = dilation->shape;
  const CtrPacked *to = dilation->to;
  const uint32_t size = shape->size;
  for (uint32_t i = 0; i < count + size - 1; i++)
    load_row (dilation, (int64_t) y + i - size / 2, rows->strip + i * rows->words, rows->words);
  memset (ctr_packed_bits (to, y), 0, count * to->stride * sizeof *to->bits);
  for (uint32_t first = 0, last; first < size; first = last + 1) {
    last = first;
    while (
        last + 1 < size && shape->first[last + 1] == shape->first[first] && shape->last[last + 1] == shape->last[first])
      last++;
    add_part (dilation, rows, y, count, first, last);
  }
  for (uint32_t i = 0; i < count; i++) {
    uint64_t *bits = ctr_packed_bits (to, y + i);
    for (size_t k = 0; k < to->stride; k++)
      bits[k] = (bits[k] ^ dilation->flip) & ctr_packed_pixels (to->width, k);
  }
}

static bool
dilate_band (void *context, void *scratch, uint32_t first, uint32_t end)
{
  const Dilation *dilation = context;
  const size_t words = row_words (dilation->mask->width);
  const Rows rows = {
      .strip = scratch, .part = (uint64_t *) scratch + (STRIP + dilation->shape->size) * words, .words = words};
  for (uint32_t y = first; y < end; y += STRIP) {
    if (ctr_cancelled ())
      return false;
    dilate_strip (dilation, &rows, y, end - y < STRIP ? end - y : STRIP);
  }
  return true;
}

bool
ctr_packed_dilate (
    const CtrRowsPlan *plan, const CtrPacked *mask, const CtrPacked *to, const CtrShapeRows *shape, bool erode)
{
  Dilation dilation = {mask, to, shape, erode ? ~UINT64_C (0) : 0};
  return ctr_rows_run (plan, mask->height, dilate_band, &dilation);
}

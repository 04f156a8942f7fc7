/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Squared Euclidean distances to the background (core/foreground/split.h).
 *
 * The distance within the column comes first, downwards and upwards. A row's distances are then the lower envelope of
 * parabolas (cpu/common/envelope.h). Between two background pixels of a row nothing beyond them is nearer, so that each run of
 * foreground has an envelope of its own. */
#include "core/common/poll.h"
#include "core/foreground/split.h"
#include "cpu/common/envelope.h"
#include "cpu/foreground/steps.h"

#include <string.h>

enum { NO_BACKGROUND = UINT16_MAX }; /* in a column; no distance is as great */

typedef struct {
  const CtrPacked *mask;
  uint32_t *distances;
  uint32_t stride;
} Distances;

/* What a thread works with. */
typedef struct {
  const Distances *all;
  uint16_t *column; /* distance of each column to the background above or below */
  CtrParabola *parabolas;
} Rows;

static size_t
column_bytes (uint32_t width)
{
  return (width * sizeof (uint16_t) + 15) & ~(size_t) 15;
}

size_t
ctr_distance_scratch (uint32_t width)
{
  return column_bytes (width) + ((size_t) width + 2) * sizeof (CtrParabola);
}

/* The first pixel from X on that is SET, or the width. */
static uint32_t
find_pixel (const CtrPacked *mask, const uint64_t *row, uint32_t x, bool set)
{
  const uint64_t flip = set ? 0 : ~UINT64_C (0);
  while (x < mask->width) {
    const uint64_t rest = (row[x / 64] ^ flip) >> x % 64;
    if (rest) {
      x += (uint32_t) __builtin_ctzll (rest);
      break;
    }
    x = (x / 64 + 1) * 64;
  }
  return x < mask->width ? x : mask->width;
}

/* Of a row to the next one. */
static void
advance_columns (const Rows *rows, uint32_t y)
{
  const CtrPacked *mask = rows->all->mask;
  const uint64_t *bits = ctr_packed_bits (mask, y);
  uint16_t *column = rows->column;
  for (uint32_t x = 0, end; x < mask->width; x = end) {
    const uint32_t first = find_pixel (mask, bits, x, true);
    end = find_pixel (mask, bits, first, false);
    memset (column + x, 0, (first - x) * sizeof *column);
    for (uint32_t i = first; i < end; i++)
      column[i] = (uint16_t) (column[i] + (column[i] < NO_BACKGROUND));
  }
}

/* The distances of the row beside the band to the background on its other side: STEP rows on from row Y, there are COUNT. */
static void
enter_columns (const Rows *rows, uint32_t y, int step, uint32_t count)
{
  const CtrPacked *mask = rows->all->mask;
  uint32_t missing = mask->width;
  memset (rows->column, 0xff, mask->width * sizeof *rows->column);
  for (uint32_t i = 0; i < count && missing > 0; i++, y += (uint32_t) step) {
    const uint64_t *bits = ctr_packed_bits (mask, y);
    for (uint32_t x = find_pixel (mask, bits, 0, false); x < mask->width; x = find_pixel (mask, bits, x + 1, false))
      if (rows->column[x] == NO_BACKGROUND) {
        rows->column[x] = (uint16_t) i;
        missing--;
      }
  }
}

/* The pixels from FIRST to END - 1 of a row are a run. COLUMN has the distances within the columns, and so has the row those on
 * the other side. */
static void
write_run (const Rows *rows, uint32_t *row, uint32_t first, uint32_t end)
{
  const uint32_t width = rows->all->mask->width;
  CtrParabola *parabolas = rows->parabolas;
  size_t count = 0;
  for (uint32_t x = first > 0 ? first - 1 : 0; x < end + (end < width); x++) {
    const uint32_t above = row[x], below = rows->column[x], nearest = above < below ? above : below;
    if (nearest != NO_BACKGROUND)
      count = ctr_envelope_add (parabolas, count, x, nearest, end);
  }
  size_t k = 0;
  for (uint32_t x = first; x < end; x++) {
    const uint64_t distance = count > 0 ? ctr_envelope_at (parabolas, count, &k, x) : CTR_SPLIT_FAR;
    row[x] = distance < CTR_SPLIT_FAR ? (uint32_t) distance : CTR_SPLIT_FAR;
  }
}

static void
write_row (const Rows *rows, uint32_t y)
{
  const CtrPacked *mask = rows->all->mask;
  const uint64_t *bits = ctr_packed_bits (mask, y);
  uint32_t *row = rows->all->distances + (size_t) y * rows->all->stride;
  for (uint32_t x = 0, end; x < mask->width; x = end) {
    const uint32_t first = find_pixel (mask, bits, x, true);
    end = find_pixel (mask, bits, first, false);
    if (first < end)
      write_run (rows, row, first, end);
  }
}

/* The pixel behind each row, which is before the next one, too, is background. */
static bool
find_distances (void *context, void *scratch, uint32_t first, uint32_t end)
{
  const Distances *all = context;
  const uint32_t width = all->mask->width;
  const Rows rows = {all, scratch, (CtrParabola *) ((uint8_t *) scratch + column_bytes (width))};
  enter_columns (&rows, first - 1, -1, first);
  for (uint32_t y = first; y < end; y++) {
    uint32_t *row = all->distances + (size_t) y * all->stride;
    if (ctr_cancelled ())
      return false;
    advance_columns (&rows, y);
    for (uint32_t x = 0; x < width; x++)
      row[x] = rows.column[x];
    row[width] = 0;
  }
  enter_columns (&rows, end, 1, all->mask->height - end);
  for (uint32_t y = end; y-- > first;) {
    if (ctr_cancelled ())
      return false;
    advance_columns (&rows, y);
    write_row (&rows, y);
  }
  return true;
}

bool
ctr_packed_distances (const CtrRowsPlan *plan, const CtrPacked *mask, uint32_t *distances)
{
  Distances all = {mask, distances, mask->width + 1};
  return ctr_rows_run (plan, mask->height, find_distances, &all);
}

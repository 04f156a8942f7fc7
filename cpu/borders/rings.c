/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Parts of borders to whole borders: each part is linked to the next one, then the rings of parts are gone through, one
 * after the other. There are at most four parts for each column and each limit between two bands. */
#include "cpu/borders/bands.h"

#include "core/common/poll.h"
#include "cpu/common/parallel.h"
#include "cpu/contours/contour_measures.h"

#include <stdlib.h>

/* Fewer parts are not worth waking other threads. */
enum { PARTS_FOR_THREADS = 4096 };

typedef struct {
  CtrBorderRings *rings;
  const CtrBorderLines *lines;
  CtrBand *bands;
  uint32_t band_count;
  const CtrBordersPlan *plan;
} Work;

void
ctr_border_rings_release (CtrBorderRings *rings)
{
  ctr_host_buffer_release (&rings->list);
  ctr_host_buffer_release (&rings->parts);
}

bool
ctr_border_rings_give_back (CtrBorderRings *rings)
{
  const bool some = ctr_host_buffer_give_back (&rings->list);
  return ctr_host_buffer_give_back (&rings->parts) || some;
}

static inline uint32_t
entry_key (CtrBorderPassage passage)
{
  return (uint32_t) passage.x << 2 | passage.slot;
}

/* The part of BAND that begins at ENTRY. It exists: the passage before and this one are neighbours. */
static uint32_t
find_part (const CtrBand *band, CtrBorderPassage entry, bool from_above)
{
  const CtrBandPart *parts = band->parts.data;
  uint32_t low = from_above ? 0 : band->from_above, high = from_above ? band->from_above : band->part_count;
  while (high - low > 1) {
    const uint32_t middle = low + (high - low) / 2;
    if (entry_key (parts[middle].line.entry) <= entry_key (entry))
      low = middle;
    else
      high = middle;
  }
  return band->first_part + low;
}

static void
link_parts (void *context, uint32_t index)
{
  const Work *work = context;
  CtrBand *band = work->bands + index;
  CtrBandPart *parts = band->parts.data, **by_number = (CtrBandPart **) work->rings->parts.data + band->first_part;
  uint64_t operations = 0;
  band->ok = false;
  for (uint32_t i = 0; i < band->part_count; i++) {
    if (ctr_poll (&operations, 16))
      return;
    const CtrBorderPassage next = parts[i].line.next;
    const bool down = next.y >= band->strip.end;
    by_number[i] = parts + i;
    parts[i].next = find_part (band + (down ? 1 : -1), next, down);
  }
  band->ok = true;
}

/* The band with row Y. */
static uint32_t
find_band (const Work *work, uint32_t y)
{
  uint32_t low = 0, high = work->band_count;
  while (high - low > 1) {
    const uint32_t middle = low + (high - low) / 2;
    if (work->bands[middle].strip.top <= y)
      low = middle;
    else
      high = middle;
  }
  return low;
}

/* Finds where the ring with part ANY starts, and enters RING into its parts. False if the work is cancelled. */
static bool
find_start (CtrBandPart *const *parts, uint32_t any, uint32_t ring, uint32_t *start, uint64_t *operations)
{
  uint32_t i = any;
  *start = any;
  do {
    if (ctr_poll (operations, 8))
      return false;
    parts[i]->ring = ring;
    if (parts[i]->line.first_edge < parts[*start]->line.first_edge)
      *start = i;
    i = parts[i]->next;
  } while (i != any);
  return true;
}

/* Adds up the parts of RING. False if the work is cancelled or there are too many points. */
static bool
measure_ring (const Work *work, CtrBorderRing *ring, uint64_t *operations)
{
  CtrBandPart *const *parts = work->rings->parts.data;
  const CtrBandPart *last = NULL, *first = NULL;
  CtrLineMeasures measures = {0};
  uint64_t count = parts[ring->start]->line.count - parts[ring->start]->line.first_edge_points;
  uint32_t i = ring->start;
  do {
    CtrBandPart *part = parts[i];
    if (ctr_poll (operations, 8))
      return false;
    part->before = count;
    count += i == ring->start ? 0 : part->line.count;
    if (part->line.count > 0) {
      if (last)
        ctr_measures_join (&measures, last->to, part->from, &part->measures);
      else
        measures = part->measures;
      first = first ? first : part;
      last = part;
    }
    i = part->next;
  } while (i != ring->start);
  parts[i]->before = count;
  count += parts[i]->line.first_edge_points;
  if (!first || count > UINT32_MAX)
    return false;
  ctr_measures_close (&measures, last->to, first->from);
  const uint32_t hole = ring->row.flags;
  ring->row = ctr_measures_row (&measures, (uint32_t) count);
  ring->row.flags = hole;
  ring->kept = ctr_measures_kept (&ring->row, work->plan);
  return true;
}

static bool
sum_ring (const Work *work, CtrBorderRing *ring, uint64_t *operations)
{
  CtrBandPart *const *parts = work->rings->parts.data;
  const CtrBandPart *last = NULL, *first = NULL;
  uint32_t i = ring->start;
  ring->sums = (CtrContourSums){0};
  do {
    const CtrBandPart *part = parts[i];
    if (ctr_poll (operations, 32))
      return false;
    if (part->line.count > 0) {
      const CtrBand *band = work->bands + find_band (work, part->line.entry.y);
      ctr_contour_sums_add (&ring->sums, (const CtrContourSums *) band->part_sums.data + (i - band->first_part));
      if (last)
        ctr_contour_sums_add_segment (&ring->sums, last->to, part->from);
      first = first ? first : part;
      last = part;
    }
    i = part->next;
  } while (i != ring->start);
  ctr_contour_sums_add_segment (&ring->sums, last->to, first->from);
  return true;
}

static bool
add_ring (const Work *work, uint32_t any, uint64_t *operations)
{
  CtrBorderRings *rings = work->rings;
  CtrBandPart *const *parts = rings->parts.data;
  const size_t row_bits = 64 * work->lines->words;
  if (!ctr_host_buffer_reserve (&rings->list, (size_t) rings->count + 1, sizeof (CtrBorderRing)))
    return false;
  CtrBorderRing *ring = (CtrBorderRing *) rings->list.data + rings->count;
  if (!find_start (parts, any, rings->count, &ring->start, operations))
    return false;
  const size_t edge = parts[ring->start]->line.first_edge;
  const uint32_t x = (uint32_t) (edge % row_bits), y = (uint32_t) (edge / row_bits);
  const uint64_t word = le64toh (ctr_border_lines_row (work->lines, y)[x / 64]);
  ring->row.flags = word >> x % 64 & 1 ? 0 : CTR_CONTOUR_HOLE;
  ring->key = y << 16 | x;
  ring->band = find_band (work, y);
  if (!measure_ring (work, ring, operations)
      || (ring->kept && (work->plan->features & CTR_CONTOUR_FEATURE_MOMENTS) && !sum_ring (work, ring, operations)))
    return false;
  rings->count++;
  work->bands[ring->band].ring_count++;
  return true;
}

static int
compare_keys (const void *a, const void *b)
{
  const CtrBorderRing *one = *(const CtrBorderRing *const *) a, *other = *(const CtrBorderRing *const *) b;
  return one->key < other->key ? -1 : one->key > other->key;
}

/* The first row of BAND that starts after KEY. */
static uint32_t
find_row (const CtrBand *band, uint32_t key)
{
  const CtrContour *rows = band->rows.data;
  uint32_t low = 0, high = band->row_count;
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    if ((uint32_t) rows[middle].next < key)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* Makes the list of the rings that start in a band, and counts what is before each of them. */
static void
order_rings (void *context, uint32_t index)
{
  const Work *work = context;
  CtrBand *band = work->bands + index;
  CtrBorderRing *rings = work->rings->list.data;
  const CtrBandPart *parts = band->parts.data;
  const CtrContour *rows = band->rows.data;
  uint32_t count = 0;
  uint64_t operations = 0;
  band->ok = !ctr_cancelled () && ctr_host_buffer_reserve (&band->rings, band->ring_count, sizeof (CtrBorderRing *));
  if (!band->ok)
    return;
  CtrBorderRing **list = band->rings.data;
  for (uint32_t i = 0; i < band->part_count; i++)
    if (rings[parts[i].ring].start == band->first_part + i)
      list[count++] = rings + parts[i].ring;
  if (count > 1)
    qsort (list, count, sizeof *list, compare_keys);
  for (uint32_t i = 0; i < count; i++) {
    const uint32_t row = find_row (band, list[i]->key);
    list[i]->rows_before = row + band->ring_rows;
    list[i]->points_before = band->ring_points;
    if (row > 0)
      list[i]->points_before += rows[row - 1].first + rows[row - 1].count - rows[0].first;
    if (list[i]->kept) {
      band->ring_rows++;
      band->ring_points += list[i]->row.count;
    }
    if (ctr_poll (&operations, 64)) {
      band->ok = false;
      return;
    }
  }
}

bool
ctr_border_bands_join (CtrBorderBands *bands, const CtrBordersPlan *plan, unsigned threads)
{
  CtrBorderRings *rings = &bands->rings;
  Work work = {rings, &bands->lines, bands->bands, bands->band_count, plan};
  uint64_t part_count = 0, operations = 0;
  rings->count = 0;
  for (uint32_t i = 0; i < bands->band_count; i++) {
    bands->bands[i].first_part = (uint32_t) part_count;
    part_count += bands->bands[i].part_count;
  }
  if (part_count == 0)
    return true;
  if (part_count >= CTR_NO_RING || !ctr_host_buffer_reserve (&rings->parts, part_count, sizeof (CtrBandPart *)))
    return false;
  if (part_count < PARTS_FOR_THREADS)
    threads = 1;
  ctr_parallel_for (threads, bands->band_count, link_parts, &work);
  if (!ctr_border_bands_ok (bands))
    return false;
  CtrBandPart *const *parts = rings->parts.data;
  for (uint32_t i = 0; i < part_count; i++)
    if (parts[i]->ring == CTR_NO_RING && !add_ring (&work, i, &operations))
      return false;
  ctr_parallel_for (threads, bands->band_count, order_rings, &work);
  return ctr_border_bands_ok (bands);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cpu/borders/bands.h"

#include "core/common/poll.h"
#include "cpu/borders/owners.h"
#include "cpu/contours/contour_measures.h"

typedef struct {
  CtrBand *band;
  const CtrBorderLines *lines;
  const CtrBordersPlan *plan;
  bool only_ends;
} Work;

void
ctr_band_release (CtrBand *band)
{
  ctr_border_strip_release (&band->strip);
  ctr_host_buffer_release (&band->parts);
  ctr_host_buffer_release (&band->part_sums);
  ctr_host_buffer_release (&band->borders);
  ctr_host_buffer_release (&band->rows);
  ctr_host_buffer_release (&band->sums);
  ctr_host_buffer_release (&band->rings);
}

bool
ctr_band_give_back (CtrBand *band)
{
  CtrHostBuffer *const buffers[] = {
      &band->parts, &band->part_sums, &band->borders, &band->rows, &band->sums, &band->rings};
  const bool some = ctr_border_strip_give_back (&band->strip);
  return ctr_host_buffers_give_back (buffers, sizeof buffers / sizeof *buffers) || some;
}

static bool
add_part (void *context, CtrBorderPassage entry)
{
  CtrBand *band = context;
  if (band->part_count == INT32_MAX
      || !ctr_host_buffer_reserve (&band->parts, (size_t) band->part_count + 1, sizeof (CtrBandPart)))
    return false;
  ((CtrBandPart *) band->parts.data)[band->part_count++] = (CtrBandPart){.line = {.entry = entry}, .ring = CTR_NO_RING};
  return true;
}

static bool
find_parts (const Work *work)
{
  CtrBand *band = work->band;
  const CtrBorderStrip *strip = &band->strip;
  if (strip->top > 0 && !ctr_border_lines_find_entries (work->lines, strip->top, false, add_part, band))
    return false;
  band->from_above = band->part_count;
  return strip->end == work->lines->height
         || ctr_border_lines_find_entries (work->lines, strip->end - 1, true, add_part, band);
}

static bool
follow_parts (const Work *work)
{
  CtrBand *band = work->band;
  CtrBandPart *parts = band->parts.data;
  const bool with_sums = work->plan->features & CTR_CONTOUR_FEATURE_MOMENTS;
  uint64_t operations = 0;
  if (with_sums && !ctr_host_buffer_reserve (&band->part_sums, band->part_count, sizeof (CtrContourSums)))
    return false;
  for (uint32_t i = 0; i < band->part_count; i++) {
    CtrBandPart *part = parts + i;
    if (!ctr_border_strip_follow_part (&band->strip, work->lines, &part->line, work->only_ends, i + 1))
      return false;
    const CtrPoint *points = (const CtrPoint *) band->strip.points.data + part->line.first;
    const uint64_t count = part->line.count;
    if (ctr_poll (&operations, 16 + count))
      return false;
    if (count == 0)
      continue;
    part->from = points[0];
    part->to = points[count - 1];
    if (!ctr_measure_line (points, count, false, !work->only_ends, &part->measures)
        || (with_sums && !ctr_contour_part_sums (points, count, (CtrContourSums *) band->part_sums.data + i)))
      return false;
  }
  return true;
}

/* Follows the border whose first edge is at X in row Y, and adds it. */
static bool
add_border (const Work *work, uint32_t x, uint32_t y, bool hole, uint32_t around)
{
  CtrBand *band = work->band;
  CtrBorderStrip *strip = &band->strip;
  const uint32_t line = band->part_count + band->border_count + 1;
  const uint64_t first = strip->point_count;
  if (line > INT32_MAX
      || (work->lines->numbered
          && !ctr_host_buffer_reserve (&band->borders, (size_t) band->border_count + 1, sizeof (CtrBandBorder)))
      || !ctr_host_buffer_reserve (&band->rows, (size_t) band->row_count + 1, sizeof (CtrContour))
      || !ctr_border_strip_follow (strip, work->lines, hole ? x - 1 : x, y, hole, work->only_ends, line))
    return false;
  const uint64_t count = strip->point_count - first;
  const CtrPoint *points = (const CtrPoint *) strip->points.data + first;
  CtrLineMeasures measures;
  if (count > UINT32_MAX || !ctr_measure_line (points, count, true, !work->only_ends, &measures))
    return false;
  CtrContour *row = (CtrContour *) band->rows.data + band->row_count;
  *row = ctr_measures_row (&measures, (uint32_t) count);
  const bool kept = ctr_measures_kept (row, work->plan);
  const uint32_t key = y << 16 | x;
  if (work->lines->numbered)
    ((CtrBandBorder *) band->borders.data)[band->border_count] =
        (CtrBandBorder){around, kept ? band->row_count : CTR_BORDER_NO_ROW, hole, key};
  band->border_count++;
  if (!kept) {
    strip->point_count = first;
    return true;
  }
  row->first = first;
  row->flags = hole ? CTR_CONTOUR_HOLE : 0;
  row->next = (int32_t) key;
  if (work->plan->features & CTR_CONTOUR_FEATURE_MOMENTS) {
    if (!ctr_host_buffer_reserve (&band->sums, (size_t) band->row_count + 1, sizeof (CtrContourSums))
        || !ctr_contour_sums (points, row->count, (CtrContourSums *) band->sums.data + band->row_count))
      return false;
  }
  band->row_count++;
  return true;
}

/* Follows all borders of row Y that have a free edge: the first free edge is a border's first one. */
static bool
scan_row (const Work *work, uint32_t y)
{
  const CtrBorderLines *lines = work->lines;
  const uint64_t *bits = ctr_border_lines_row (lines, y);
  const size_t row = y * lines->words;
  const uint16_t *busy;
  const uint32_t count = ctr_border_lines_busy (lines, y, &busy);
  for (uint32_t i = 0; i < count; i++)
    for (uint64_t free; (free = ctr_border_lines_free (lines, row + busy[i])) != 0;) {
      const uint32_t in_word = (uint32_t) __builtin_ctzll (free), x = 64u * busy[i] + in_word;
      const bool hole = !(le64toh (bits[busy[i]]) >> in_word & 1);
      const uint32_t around = lines->numbered ? ctr_border_strip_owner_before (&work->band->strip, lines, x, y) : 0;
      if (!add_border (work, x, y, hole, around))
        return false;
    }
  return true;
}

/* The free edges of a word at which an outermost border may begin: foreground begins there, and the previous edge of the
 * row, where foreground ends, is not free. That edge plus the run of background that it begins is the bit after this
 * run. CARRY comes from the word before; it is 1 at the start of a row. */
static inline uint64_t
find_starts (uint64_t bits, uint64_t free, uint64_t before, uint64_t carry, uint64_t *carry_after)
{
  const uint64_t ends = ~bits & (bits << 1 | before) & ~free;
  uint64_t sum;
  const bool one = __builtin_add_overflow (~bits, ends, &sum), other = __builtin_add_overflow (sum, carry, &sum);
  *carry_after = one | other;
  return sum & bits & free;
}

/* Follows the outermost borders of row Y. Only these own edges, and parts of other borders that cross bands: whether a
 * border begins outside such a part is decided later. */
static bool
scan_row_outside (const Work *work, uint32_t y)
{
  const CtrBorderLines *lines = work->lines;
  const uint64_t *bits = ctr_border_lines_row (lines, y);
  const size_t row = y * lines->words;
  const uint16_t *busy;
  const uint32_t count = ctr_border_lines_busy (lines, y, &busy);
  uint64_t carry = 1, carry_after = 1;
  for (uint32_t i = 0; i < count; i++, carry = carry_after) {
    const uint64_t word = le64toh (bits[busy[i]]), before = busy[i] > 0 ? le64toh (bits[busy[i] - 1]) >> 63 : 0;
    for (uint64_t starts;
         (starts = find_starts (word, ctr_border_lines_free (lines, row + busy[i]), before, carry, &carry_after))
         != 0;) {
      const uint32_t x = 64u * busy[i] + (uint32_t) __builtin_ctzll (starts);
      const uint32_t around = lines->numbered ? ctr_border_strip_owner_before (&work->band->strip, lines, x, y) : 0;
      if (!add_border (work, x, y, false, around))
        return false;
    }
  }
  return true;
}

static bool
follow (const Work *work)
{
  const CtrBorderStrip *strip = &work->band->strip;
  if (!find_parts (work)
      || (work->lines->numbered
          && !ctr_border_strip_make_owners (&work->band->strip, work->lines, work->plan->mode == CTR_RETRIEVE_EXTERNAL))
      || !follow_parts (work))
    return false;
  for (uint32_t y = strip->top; y < strip->end; y++)
    if (ctr_cancelled ()
        || !(work->plan->mode == CTR_RETRIEVE_EXTERNAL ? scan_row_outside (work, y) : scan_row (work, y)))
      return false;
  return true;
}

void
ctr_band_follow (CtrBand *band, const CtrBorderLines *lines, const CtrBordersPlan *plan)
{
  const Work work = {band, lines, plan, plan->approximation == CTR_APPROXIMATION_SIMPLE};
  band->part_count = band->from_above = band->border_count = band->row_count = 0;
  band->ring_count = band->ring_rows = 0;
  band->ring_points = 0;
  band->ok = follow (&work);
}

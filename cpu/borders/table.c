/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The order of all borders, their hierarchy, and the result.
 *
 * Borders are numbered from 1 in the order of their first edges: the borders of a band and the rings that start there,
 * merged. A list is in the reverse order, so the place of a contour follows from counts. In a hierarchy, a pass over
 * the borders finds the parents, and three more the places. */
#include "cpu/borders/bands.h"

#include "core/common/memory.h"
#include "core/common/poll.h"
#include "cpu/borders/owners.h"
#include "cpu/common/parallel.h"

/* A border of a hierarchy, by number. Number 0 is the border around the image, as a hole. */
typedef struct {
  uint32_t parent : 31; /* in the requested hierarchy, before contours are dropped; a lower number */
  uint32_t hole : 1;    /* CTR_RETRIEVE_EXTERNAL: a hole, or inside another border */
} Nested;

/* The contours of a border and of its descendants that are kept are consecutive in the table, its own first. */
typedef struct {
  uint32_t kept; /* the number of these contours */
  uint32_t end;  /* one after those that have no row yet */
  uint32_t row; /* in the table: of the border or of its nearest ancestor that is kept, or NO_ROW; at first of itself */
} Place;

#define NO_ROW UINT32_MAX

typedef struct {
  CtrBorderBands *bands;
  const CtrBordersPlan *plan;
  uint32_t border_count; /* including number 0 */
  uint32_t row_count;
  uint64_t point_count;
  CtrContourArrays arrays;
} Table;

/* Goes through the borders of a band and its rings in the order of their first edges. */
typedef struct {
  CtrBandBorder *border, *border_end;
  CtrBorderRing **ring, **ring_end;
} Merge;

static Merge
merge_begin (const CtrBand *band)
{
  CtrBandBorder *border = band->borders.data;
  CtrBorderRing **ring = band->rings.data;
  return (Merge){border, border + band->border_count, ring, ring + band->ring_count};
}

/* The number of the border that owns the edge before another border's first edge; NO_ROW if there is no owner. */
static uint32_t
number_around (const Table *table, const CtrBand *band, uint32_t owner)
{
  if (owner == CTR_BORDER_FRAME)
    return 0;
  if (owner == CTR_BORDER_FREE)
    return NO_ROW;
  if (owner > band->part_count)
    return ((const CtrBandBorder *) band->borders.data)[owner - band->part_count - 1].key;
  const uint32_t ring = ((const CtrBandPart *) band->parts.data)[owner - 1].ring;
  return ((const CtrBorderRing *) table->bands->rings.list.data)[ring].number;
}

/* Adds a border to the hierarchy. False if it is not an outermost one, where only these are wanted. */
static bool
nest (const Table *table, uint32_t number, bool hole, uint32_t around)
{
  Nested *nested = table->bands->nested.data;
  const CtrRetrieval mode = table->plan->mode;
  uint32_t parent = 0;
  if (mode == CTR_RETRIEVE_EXTERNAL)
    hole = hole || around == NO_ROW || nested[around].hole;
  else if (mode == CTR_RETRIEVE_TREE || hole)
    parent = nested[around].hole == hole ? nested[around].parent : around;
  nested[number] = (Nested){.parent = parent, .hole = hole};
  return mode != CTR_RETRIEVE_EXTERNAL || !hole;
}

/* Numbers the borders of a band. This and the functions below return false if the work is cancelled. */
static bool
number_borders (Table *table, const CtrBand *band, uint64_t *operations)
{
  Place *places = table->bands->places.data;
  Merge merge = merge_begin (band);
  while (merge.border < merge.border_end || merge.ring < merge.ring_end) {
    const uint32_t number = table->border_count++;
    if (ctr_poll (operations, 4))
      return false;
    if (merge.ring < merge.ring_end && (merge.border == merge.border_end || (*merge.ring)->key < merge.border->key)) {
      CtrBorderRing *ring = *merge.ring++;
      const uint32_t owner =
          ctr_border_strip_owner_before (&band->strip, &table->bands->lines, ring->key & UINT16_MAX, ring->key >> 16);
      ring->number = number;
      ring->kept &= nest (table, number, ring->row.flags & CTR_CONTOUR_HOLE, number_around (table, band, owner));
      places[number].kept = ring->kept;
      table->point_count += ring->kept ? ring->row.count : 0;
    } else {
      CtrBandBorder *border = merge.border++;
      border->key = number;
      if (!nest (table, number, border->hole, number_around (table, band, border->around)))
        border->row = CTR_BORDER_NO_ROW;
      places[number].kept = border->row != CTR_BORDER_NO_ROW;
      if (places[number].kept)
        table->point_count += ((const CtrContour *) band->rows.data)[border->row].count;
    }
    places[number].row = places[number].kept ? 0 : NO_ROW;
    table->row_count += places[number].kept;
  }
  return true;
}

/* Orders the contours depth-first, siblings in reverse order of discovery. */
static bool
find_places (const Table *table)
{
  const Nested *nested = table->bands->nested.data;
  Place *places = table->bands->places.data;
  uint64_t operations = 0;
  for (uint32_t i = table->border_count - 1; i > 0; i--) {
    if (ctr_poll (&operations, 1))
      return false;
    places[nested[i].parent].kept += places[i].kept;
  }
  places[0].end = places[0].kept;
  places[0].row = NO_ROW;
  for (uint32_t i = 1; i < table->border_count; i++) {
    if (ctr_poll (&operations, 1))
      return false;
    Place *around = places + nested[i].parent;
    const bool kept = places[i].row != NO_ROW;
    places[i].end = around->end;
    around->end -= places[i].kept;
    places[i].row = kept ? around->end : around->row;
  }
  return true;
}

static bool
make_hierarchy (Table *table)
{
  CtrBorderBands *bands = table->bands;
  uint64_t count = 1, operations = 0;
  for (uint32_t i = 0; i < bands->band_count; i++)
    count += bands->bands[i].border_count + bands->bands[i].ring_count;
  if (count > INT32_MAX || !ctr_host_buffer_reserve (&bands->nested, count, sizeof (Nested))
      || !ctr_host_buffer_reserve (&bands->places, count, sizeof (Place)))
    return false;
  ((Nested *) bands->nested.data)[0] = (Nested){.hole = table->plan->mode != CTR_RETRIEVE_EXTERNAL};
  ((Place *) bands->places.data)[0] = (Place){.kept = 0};
  table->border_count = 1;
  for (uint32_t i = 0; i < bands->band_count; i++)
    if (!number_borders (table, bands->bands + i, &operations))
      return false;
  return find_places (table);
}

/* Counts the contours of a list, and finds the places of rings. */
static bool
make_list (Table *table)
{
  CtrBorderBands *bands = table->bands;
  CtrBorderRing *rings = bands->rings.list.data;
  uint64_t row_count = 0, operations = 0;
  for (uint32_t i = 0; i < bands->band_count; i++) {
    CtrBand *band = bands->bands + i;
    const CtrContour *rows = band->rows.data;
    const uint32_t last = band->row_count - 1;
    band->rows_before = (uint32_t) row_count;
    band->points_before = table->point_count;
    row_count += band->row_count + band->ring_rows;
    if (row_count > INT32_MAX)
      return false;
    table->point_count +=
        band->ring_points + (band->row_count > 0 ? rows[last].first + rows[last].count - rows[0].first : 0);
  }
  table->row_count = (uint32_t) row_count;
  for (uint32_t i = 0; i < bands->rings.count; i++) {
    if (ctr_poll (&operations, 4))
      return false;
    if (!rings[i].kept)
      continue;
    const CtrBand *band = bands->bands + rings[i].band;
    rings[i].place = table->row_count - 1 - band->rows_before - rings[i].rows_before;
    rings[i].row.first = table->point_count - band->points_before - rings[i].points_before - rings[i].row.count;
  }
  return true;
}

static void
write_list_row (const Table *table, uint32_t place, const CtrContour *row, uint64_t first, const CtrContourSums *sums)
{
  CtrContour *to = table->arrays.table + place;
  *to = *row;
  to->first = first;
  to->next = place + 1 < table->row_count ? (int32_t) place + 1 : -1;
  to->previous = (int32_t) place - 1;
  to->child = to->parent = -1;
  if (sums)
    table->arrays.sums[place] = *sums;
}

/* Copies the points of the rings in a band. */
static bool
copy_parts (const Table *table, const CtrBand *band, uint64_t *operations)
{
  const CtrBorderRing *rings = table->bands->rings.list.data;
  const CtrBandPart *parts = band->parts.data;
  const CtrPoint *points = band->strip.points.data;
  for (uint32_t i = 0; i < band->part_count; i++) {
    const CtrBorderRing *ring = rings + parts[i].ring;
    const CtrBorderPart *line = &parts[i].line;
    if (!ring->kept)
      continue;
    /* The ring begins in the middle of its first part. */
    const bool start = ring->start == band->first_part + i;
    const uint64_t last = start ? line->first_edge_points : line->count;
    CtrPoint *to = table->arrays.points + ring->row.first;
    if (ctr_poll (operations, 8 + line->count / 16)
        || !ctr_copy (to + parts[i].before, points + line->first, last * sizeof *to)
        || !ctr_copy (to, points + line->first + last, (line->count - last) * sizeof *to))
      return false;
  }
  return true;
}

static bool
fill_list (const Table *table, const CtrBand *band)
{
  const CtrContour *rows = band->rows.data;
  const CtrContourSums *sums = band->sums.data;
  const CtrPoint *points = band->strip.points.data;
  CtrBorderRing **ring = band->rings.data, **const end = ring + band->ring_count;
  uint32_t place = table->row_count - band->rows_before;
  uint64_t first = table->point_count - band->points_before, operations = 0;
  for (uint32_t i = 0; i <= band->row_count; i++) {
    for (; ring < end && (i == band->row_count || (*ring)->key < (uint32_t) rows[i].next); ring++)
      if ((*ring)->kept) {
        place--;
        first -= (*ring)->row.count;
        write_list_row (table, place, &(*ring)->row, first, table->arrays.sums ? &(*ring)->sums : NULL);
      }
    if (i == band->row_count)
      break;
    place--;
    first -= rows[i].count;
    write_list_row (table, place, rows + i, first, table->arrays.sums ? sums + i : NULL);
    if (ctr_poll (&operations, 4 + rows[i].count / 16)
        || !ctr_copy (table->arrays.points + first, points + rows[i].first, rows[i].count * sizeof *points))
      return false;
  }
  return copy_parts (table, band, &operations);
}

static void
fill_list_of_band (void *context, uint32_t index)
{
  const Table *table = context;
  CtrBand *band = table->bands->bands + index;
  band->ok = fill_list (table, band);
}

/* Fills a row except for siblings and children, and for its first point. */
static void
write_nested_row (const Table *table, uint32_t number, const CtrContour *row, const CtrContourSums *sums)
{
  const Nested *nested = table->bands->nested.data;
  const Place *places = table->bands->places.data;
  CtrContour *to = table->arrays.table + places[number].row;
  *to = *row;
  to->next = to->previous = to->child = -1;
  to->parent = (int32_t) places[nested[number].parent].row;
  if (sums)
    table->arrays.sums[places[number].row] = *sums;
}

static void
fill_nested_rows (void *context, uint32_t index)
{
  const Table *table = context;
  CtrBand *band = table->bands->bands + index;
  const CtrBandBorder *borders = band->borders.data;
  const CtrContour *rows = band->rows.data;
  const CtrContourSums *sums = band->sums.data;
  CtrBorderRing **rings = band->rings.data;
  uint64_t operations = 0;
  band->ok = false;
  for (uint32_t i = 0; i < band->border_count; i++) {
    if (ctr_poll (&operations, 4))
      return;
    if (borders[i].row != CTR_BORDER_NO_ROW)
      write_nested_row (
          table, borders[i].key, rows + borders[i].row, table->arrays.sums ? sums + borders[i].row : NULL);
  }
  for (uint32_t i = 0; i < band->ring_count; i++) {
    if (ctr_poll (&operations, 4))
      return;
    if (rings[i]->kept)
      write_nested_row (table, rings[i]->number, &rings[i]->row, table->arrays.sums ? &rings[i]->sums : NULL);
  }
  band->ok = true;
}

/* Links siblings and children from the last row to the first, so that the first child of its parent is the next sibling
 * of a row, and gives each row its points. */
static bool
link_rows (const Table *table)
{
  const Place *places = table->bands->places.data;
  CtrBorderRing *rings = table->bands->rings.list.data;
  uint64_t end = table->point_count, operations = 0;
  int32_t top = -1;
  for (uint32_t i = table->row_count; i-- > 0;) {
    CtrContour *row = table->arrays.table + i;
    if (ctr_poll (&operations, 4))
      return false;
    int32_t *first_child = row->parent < 0 ? &top : &table->arrays.table[row->parent].child;
    row->next = *first_child;
    if (row->next >= 0)
      table->arrays.table[row->next].previous = (int32_t) i;
    *first_child = (int32_t) i;
    end -= row->count;
    row->first = end;
  }
  for (uint32_t i = 0; i < table->bands->rings.count; i++) {
    if (ctr_poll (&operations, 4))
      return false;
    if (rings[i].kept)
      rings[i].row.first = table->arrays.table[places[rings[i].number].row].first;
  }
  return true;
}

static void
copy_nested_points (void *context, uint32_t index)
{
  const Table *table = context;
  CtrBand *band = table->bands->bands + index;
  const Place *places = table->bands->places.data;
  const CtrBandBorder *borders = band->borders.data;
  const CtrContour *rows = band->rows.data;
  const CtrPoint *points = band->strip.points.data;
  uint64_t operations = 0;
  band->ok = false;
  for (uint32_t i = 0; i < band->border_count; i++) {
    if (borders[i].row == CTR_BORDER_NO_ROW)
      continue;
    const CtrContour *row = rows + borders[i].row;
    const uint64_t first = table->arrays.table[places[borders[i].key].row].first;
    if (ctr_poll (&operations, 4 + row->count / 16)
        || !ctr_copy (table->arrays.points + first, points + row->first, row->count * sizeof *points))
      return;
  }
  band->ok = copy_parts (table, band, &operations);
}

static bool
fill (Table *table, unsigned threads)
{
  const uint32_t band_count = table->bands->band_count;
  if (!table->bands->lines.numbered) {
    ctr_parallel_for (threads, band_count, fill_list_of_band, table);
    return ctr_border_bands_ok (table->bands);
  }
  ctr_parallel_for (threads, band_count, fill_nested_rows, table);
  if (!ctr_border_bands_ok (table->bands) || !link_rows (table))
    return false;
  ctr_parallel_for (threads, band_count, copy_nested_points, table);
  return ctr_border_bands_ok (table->bands);
}

CtrContours *
ctr_border_bands_result (
    CtrBorderBands *bands, const CtrContours *info, const CtrBordersPlan *plan, unsigned threads, CtrError *error)
{
  Table table = {.bands = bands, .plan = plan};
  if (!(bands->lines.numbered ? make_hierarchy (&table) : make_list (&table))) {
    if (ctr_go_on (error))
      ctr_fail (error, CTR_ERROR_OUT_OF_MEMORY, "no host memory for the borders of a %u x %u image", info->width,
          info->height);
    return NULL;
  }
  CtrContours whole = *info;
  whole.count = table.row_count;
  whole.point_count = table.point_count;
  CtrContours *result = ctr_contours_alloc (&whole, &table.arrays, error);
  if (!result || fill (&table, threads))
    return result;
  ctr_contours_unref (result);
  ctr_fail_cancelled (error);
  return NULL;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How the components of a strip join those that are open above it.
 *
 * A node is an open component, with the number that it has, or a component of the strip that touches its first or last
 * row, numbered behind these. The runs on both sides of the seam say which nodes touch. Two open components join in one of
 * the strip, which then belongs to them: so a union-find over the open ones is enough, and each node of the strip keeps one
 * of them, or none. The earlier of two open components is the root, so that roots are in raster order of first pixels, and
 * the components that begin in the strip follow all of them. Nothing has to be sorted. */
#include "core/strips/seam.h"

#include "core/cca/cca.h"
#include "core/common/poll.h"
#include "core/results/components.h"

#include <stdlib.h>
#include <string.h>

/* Of CtrSeam.nodes: 0, or LINKED + an open component, of which there are at most 32768, as many as runs in a row; and
 * TOUCHES_LAST_ROW. */
enum { TOUCHES_LAST_ROW = 1 << 30, LINKED = 1 };

void
ctr_seam_clear (CtrSeam *seam)
{
  seam->open_count = seam->run_count = 0;
}

void
ctr_seam_release (CtrSeam *seam)
{
  free (seam->open);
  free (seam->next);
  free (seam->runs);
  free (seam->nodes);
  *seam = (CtrSeam){0};
}

/* Makes room for COUNT elements of SIZE bytes; new memory is zero. */
static bool
reserve (void *array, size_t *room, size_t count, size_t size)
{
  if (count <= *room)
    return true;
  const size_t wanted = count + count / 4 + 64;
  size_t bytes;
  if (wanted < count || __builtin_mul_overflow (wanted, size, &bytes))
    return false;
  char *grown = realloc (*(void **) array, bytes);
  if (!grown)
    return false;
  memset (grown + *room * size, 0, (wanted - *room) * size);
  *(void **) array = grown;
  *room = wanted;
  return true;
}

/* Moves sums down by D rows, modulo 2^64; D may stand for a negative number. */
static void
move_sums (CtrComponent *c, CtrComponentMoments *moments, uint64_t d)
{
  moments->sum_xy += d * c->sum_x;
  moments->sum_yy += 2 * d * c->sum_y + d * d * c->area;
  c->sum_y += d * c->area;
}

static uint32_t
find_root (const CtrSeam *seam, uint32_t i)
{
  CtrOpenComponent *open = seam->open;
  while (open[i].parent != i)
    i = open[i].parent = open[open[i].parent].parent;
  return i;
}

/* Links ROW of the strip's table to open component I. */
static void
link_row (CtrSeam *seam, uint32_t row, uint32_t i)
{
  uint32_t *node = &seam->nodes[row];
  i = find_root (seam, i);
  if (*node == 0) {
    *node = LINKED + i;
    return;
  }
  const uint32_t other = find_root (seam, *node - LINKED);
  const uint32_t low = i < other ? i : other, high = i < other ? other : i;
  seam->open[high].parent = low;
  *node = LINKED + low;
}

/* The end of the run of equal labels of ROW that begins at X. Runs that touch have one label, so such a run is one of
 * foreground pixels. */
static uint32_t
run_end (const uint32_t *row, uint32_t width, uint32_t x)
{
  const uint32_t label = row[x];
  while (x < width && row[x] == label)
    x++;
  return x;
}

/* Links the rows of the strip's table to the open components that their runs touch. */
static void
link_runs (CtrSeam *seam, const uint32_t *row, uint32_t width, uint32_t reach)
{
  const CtrSeamRun *up = seam->runs, *end = up + seam->run_count;
  for (uint32_t x = 0, next; x < width && up < end; x = next) {
    next = run_end (row, width, x);
    if (row[x] == 0)
      continue;
    while (up < end && up->end + reach <= x)
      up++;
    for (const CtrSeamRun *run = up; run < end && run->start < next + reach; run++)
      link_row (seam, row[x] - 1, run->component);
  }
}

static void
mark_last_row (CtrSeam *seam, const uint32_t *row, uint32_t width)
{
  for (uint32_t x = 0; x < width; x++)
    if (row[x] && (x == 0 || row[x] != row[x - 1]))
      seam->nodes[row[x] - 1] |= TOUCHES_LAST_ROW;
}

static void
add_grey (CtrComponentGrey *to, const CtrComponentGrey *from)
{
  to->sum += from->sum;
  to->sum_sq += from->sum_sq;
  to->min = from->min < to->min ? from->min : to->min;
  to->max = from->max > to->max ? from->max : to->max;
}

/* Adds the sums of FROM to those of TO, which begins earlier. */
static void
add (CtrOpenComponent *to, const CtrOpenComponent *from)
{
  to->sums.sum_x += from->sums.sum_x;
  to->sums.sum_y += from->sums.sum_y;
  to->sums.area += from->sums.area;
  to->sums.left = from->sums.left < to->sums.left ? from->sums.left : to->sums.left;
  to->right = from->right > to->right ? from->right : to->right;
  to->bottom = from->bottom > to->bottom ? from->bottom : to->bottom;
  to->moments.sum_xx += from->moments.sum_xx;
  to->moments.sum_xy += from->moments.sum_xy;
  to->moments.sum_yy += from->moments.sum_yy;
  add_grey (&to->grey, &from->grey);
}

/* Row I of FOUND in the coordinates of the web. */
static CtrOpenComponent
take_row (const CtrComponents *found, uint32_t i, uint64_t first_row)
{
  const CtrComponent *row = &found->table[i];
  CtrOpenComponent c = {.sums = *row, .top = first_row + row->top, .right = (uint32_t) row->left + row->width};
  c.bottom = c.top + row->height;
  if (found->moments)
    c.moments = found->moments[i];
  if (found->grey)
    c.grey = found->grey[i];
  move_sums (&c.sums, &c.moments, first_row);
  return c;
}

/* Adds up all open components and rows that belong to another one. Open components that go on know it then. Like the
 * functions below, it returns false if it was cancelled. */
static bool
add_up (CtrSeam *seam, const CtrComponents *found, uint64_t first_row)
{
  uint64_t work = 0;
  for (uint32_t i = 0; i < seam->open_count; i++) {
    seam->open[i].goes_on = false;
    const uint32_t root = find_root (seam, i);
    if (root != i)
      add (&seam->open[root], &seam->open[i]);
  }
  for (uint32_t i = 0; i < found->count; i++) {
    const uint32_t node = seam->nodes[i] & ~TOUCHES_LAST_ROW;
    if (ctr_poll (&work, 1))
      return false;
    if (node == 0)
      continue;
    const CtrOpenComponent part = take_row (found, i, first_row);
    const uint32_t root = find_root (seam, node - LINKED);
    add (&seam->open[root], &part);
    seam->open[root].goes_on |= (seam->nodes[i] & TOUCHES_LAST_ROW) != 0;
  }
  return true;
}

/* What is reported of a component. */
typedef enum { OPEN, CLOSED, UNFINISHED } End;

static End
end_of (const CtrSeamStrip *strip, uint64_t top, bool goes_on)
{
  if (!goes_on)
    return CLOSED;
  return strip->end_row - top > strip->max_open_rows ? UNFINISHED : OPEN;
}

/* The end of row I of FOUND, which belongs to no open component. */
static inline End
end_of_row (const CtrSeam *seam, const CtrComponents *found, uint32_t i, const CtrSeamStrip *strip)
{
  return end_of (strip, strip->first_row + found->table[i].top, seam->nodes[i] != 0);
}

static inline bool
is_kept (const CtrSeamStrip *strip, uint32_t area)
{
  return area >= strip->min_area && (strip->max_area == 0 || area <= strip->max_area);
}

/* Counts the rows of the result. */
static bool
count (const CtrSeam *seam, const CtrComponents *found, const CtrSeamStrip *strip, uint32_t *reported)
{
  uint64_t work = 0;
  *reported = 0;
  for (uint32_t i = 0; i < seam->open_count; i++) {
    const CtrOpenComponent *c = &seam->open[i];
    *reported += c->parent == i && end_of (strip, c->top, c->goes_on) != OPEN && is_kept (strip, c->sums.area);
  }
  for (uint32_t i = 0; found && i < found->count; i++) {
    if (ctr_poll (&work, 1))
      return false;
    *reported += !(seam->nodes[i] & ~TOUCHES_LAST_ROW) && end_of_row (seam, found, i, strip) != OPEN
                 && is_kept (strip, found->table[i].area);
  }
  return true;
}

/* A result that is being written: its first COUNT rows are. */
typedef struct {
  CtrComponents *result;
  uint32_t count;
} Writer;

static void
write_row (Writer *writer, const CtrComponent *row, const CtrComponentMoments *moments, const CtrComponentGrey *grey)
{
  const CtrComponents *to = writer->result;
  ((CtrComponent *) to->table)[writer->count] = *row;
  if (to->moments)
    ((CtrComponentMoments *) to->moments)[writer->count] = *moments;
  if (to->grey)
    ((CtrComponentGrey *) to->grey)[writer->count] = *grey;
  writer->count++;
}

/* Writes row I of FOUND, which lies in the strip as a whole. */
static void
report_row (Writer *writer, const CtrComponents *found, uint32_t i, const CtrSeamStrip *strip)
{
  const uint64_t d = strip->first_row - strip->origin_row;
  CtrComponent row = found->table[i];
  CtrComponentMoments moments = {0};
  if (!is_kept (strip, row.area))
    return;
  if (found->moments)
    moments = found->moments[i];
  move_sums (&row, &moments, d);
  row.top = (uint16_t) (row.top + d);
  write_row (writer, &row, &moments, found->grey ? &found->grey[i] : NULL);
}

static void
report (Writer *writer, const CtrOpenComponent *c, const CtrSeamStrip *strip, End end)
{
  CtrComponent row = c->sums;
  CtrComponentMoments moments = c->moments;
  if (!is_kept (strip, row.area))
    return;
  move_sums (&row, &moments, -strip->origin_row);
  row.top = (uint16_t) (c->top - strip->origin_row);
  row.width = (uint16_t) (c->right - row.left);
  row.height = (uint16_t) (c->bottom - c->top);
  writer->result->unfinished += end == UNFINISHED;
  write_row (writer, &row, &moments, &c->grey);
}

/* Reports C, or keeps it open. Returns 1 + its new index, 0: it is not open. */
static uint32_t
end_component (CtrSeam *seam, Writer *writer, const CtrOpenComponent *c, const CtrSeamStrip *strip, End end)
{
  if (end != OPEN) {
    report (writer, c, strip, end);
    return 0;
  }
  seam->next[seam->next_count] = *c;
  seam->next[seam->next_count].parent = seam->next_count;
  return ++seam->next_count;
}

/* Reports open components that the strip has closed, and gathers the others in seam->next. The parent of each becomes 1 +
 * the new index of its root, or 0. */
static void
end_open (CtrSeam *seam, const CtrSeamStrip *strip, Writer *writer)
{
  seam->next_count = 0;
  for (uint32_t i = 0; i < seam->open_count; i++) {
    CtrOpenComponent *c = &seam->open[i];
    /* A parent comes first, and has its new index by now. */
    c->parent = c->parent == i ? end_component (seam, writer, c, strip, end_of (strip, c->top, c->goes_on))
                               : seam->open[c->parent].parent;
  }
}

/* Likewise for the rows of FOUND, whose nodes take the new indices. */
static bool
end_rows (CtrSeam *seam, const CtrComponents *found, const CtrSeamStrip *strip, Writer *writer)
{
  uint64_t work = 0;
  for (uint32_t i = 0; i < found->count; i++) {
    const uint32_t node = seam->nodes[i] & ~TOUCHES_LAST_ROW;
    if (ctr_poll (&work, 4))
      return false;
    if (node) {
      seam->nodes[i] = seam->open[node - LINKED].parent;
    } else if (seam->nodes[i]) {
      const CtrOpenComponent c = take_row (found, i, strip->first_row);
      seam->nodes[i] = end_component (seam, writer, &c, strip, end_of_row (seam, found, i, strip));
    } else {
      report_row (writer, found, i, strip);
    }
  }
  return true;
}

/* Makes the strip's last row that above the next seam. Leaves all nodes 0. */
static void
take_last_row (CtrSeam *seam, const CtrComponents *found, const uint32_t *row)
{
  const uint32_t width = found->width;
  seam->run_count = 0;
  for (uint32_t x = 0, next; x < width; x = next) {
    next = run_end (row, width, x);
    if (row[x] && seam->nodes[row[x] - 1])
      seam->runs[seam->run_count++] = (CtrSeamRun){x, next, seam->nodes[row[x] - 1] - 1};
  }
  if (found->count)
    memset (seam->nodes, 0, found->count * sizeof *seam->nodes);
  CtrOpenComponent *open = seam->open;
  const size_t room = seam->open_room;
  seam->open = seam->next;
  seam->open_room = seam->next_room;
  seam->next = open;
  seam->next_room = room;
  seam->open_count = seam->next_count;
}

static CtrComponents *
new_result (uint32_t width, uint32_t count, const CtrSeamStrip *strip, CtrError *error)
{
  CtrComponents *result =
      ctr_components_alloc (width, (uint32_t) (strip->end_row - strip->origin_row), count, strip->features, error);
  if (result) {
    result->connectivity = strip->connectivity;
    result->origin_row = strip->origin_row;
  }
  return result;
}

/* At the end of a period: gives back what an intricate strip took. Between strips all nodes are 0. */
static void
give_back (CtrSeam *seam)
{
  if (ctr_room_is_excess (seam->node_room * sizeof *seam->nodes, seam->used_nodes * sizeof *seam->nodes)) {
    free (seam->nodes);
    seam->nodes = NULL;
    seam->node_room = 0;
    ctr_room_period_double (&seam->period);
  }
  seam->used_nodes = 0;
}

/* False if there is no memory. */
static bool
reserve_for_strip (CtrSeam *seam, const CtrComponents *found)
{
  if (ctr_room_period_ends (&seam->period))
    give_back (seam);
  if (seam->used_nodes < found->count)
    seam->used_nodes = found->count;
  return reserve (&seam->nodes, &seam->node_room, found->count, sizeof *seam->nodes)
         && reserve (&seam->runs, &seam->run_room, (found->width + 1) / 2, sizeof *seam->runs)
         /* A component that is open has a run of the last row. */
         && reserve (&seam->next, &seam->next_room, (found->width + 1) / 2, sizeof *seam->next);
}

static CtrComponents *
join (CtrSeam *seam, const CtrComponents *found, const CtrSeamStrip *strip, CtrError *error)
{
  const uint32_t width = found->width, *first = found->labels, *last = first + width;
  uint32_t reported;
  if (!strip->is_cut)
    link_runs (seam, first, width, strip->connectivity == CTR_CONNECTIVITY_8);
  mark_last_row (seam, last, width);
  if (!add_up (seam, found, strip->first_row) || !count (seam, found, strip, &reported)) {
    ctr_fail_cancelled (error);
    return NULL;
  }
  Writer writer = {new_result (width, reported, strip, error), 0};
  if (!writer.result)
    return NULL;
  writer.result->threshold = found->threshold;
  end_open (seam, strip, &writer);
  if (end_rows (seam, found, strip, &writer)) {
    take_last_row (seam, found, last);
    return writer.result;
  }
  ctr_components_unref (writer.result);
  ctr_fail_cancelled (error);
  return NULL;
}

CtrComponents *
ctr_seam_join (CtrSeam *seam, const CtrComponents *found, const CtrSeamStrip *strip, CtrError *error)
{
  CtrComponents *result = NULL;
  if (reserve_for_strip (seam, found))
    result = join (seam, found, strip, error);
  else
    ctr_fail (error, CTR_ERROR_OUT_OF_MEMORY, "no host memory to join the %u components of a strip", found->count);
  if (!result)
    ctr_seam_release (seam);
  return result;
}

bool
ctr_seam_close (CtrSeam *seam, uint32_t width, const CtrSeamStrip *strip, CtrComponents **rest, CtrError *error)
{
  uint32_t reported;
  *rest = NULL;
  for (uint32_t i = 0; i < seam->open_count; i++)
    seam->open[i].goes_on = false;
  count (seam, NULL, strip, &reported);
  if (reported && (*rest = new_result (width, reported, strip, error)))
    end_open (seam, strip, &(Writer){*rest, 0});
  ctr_seam_clear (seam);
  return !reported || *rest;
}

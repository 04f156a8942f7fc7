/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "core/strips/stitcher.h"

#include "core/common/poll.h"

#include <string.h>

void
ctr_stitcher_begin (CtrStitcher *stitcher, const CtrLineKind *kind)
{
  ctr_chains_clear (&stitcher->chains);
  ctr_stitcher_take (stitcher);
  stitcher->kind = *kind;
  stitcher->seam = 0;
}

void
ctr_stitcher_release (CtrStitcher *stitcher)
{
  ctr_chains_release (&stitcher->chains);
  ctr_host_buffer_release (&stitcher->joined);
  ctr_host_buffer_release (&stitcher->points);
  ctr_host_buffer_release (&stitcher->line);
}

/* A contour of the window that is being cut. */
typedef struct {
  CtrStitcher *stitcher;
  int64_t row;         /* low bits of the web row of y = 0 */
  int32_t first_owned; /* rows of the window */
  int32_t end_owned;
  uint32_t level;
  uint32_t chain; /* the piece at hand, or CTR_NO_CHAIN outside the owned rows */
  CtrWebPoint last;
} Cut;

typedef struct {
  int32_t x;
  int32_t y;
} Vertex;

static inline Vertex
vertex_of (CtrPoint point)
{
  return (Vertex){point.x, point.y};
}

static inline bool
is_owned (const Cut *cut, int32_t y)
{
  return y >= cut->first_owned && y < cut->end_owned;
}

static CtrSeamStep
step_between (const Cut *cut, Vertex from, Vertex to)
{
  const bool down = to.y > from.y;
  const Vertex upper = down ? from : to, lower = down ? to : from;
  return (CtrSeamStep){cut->level, (uint32_t) upper.x, lower.x - upper.x, down};
}

static bool
push (Cut *cut, Vertex at)
{
  return ctr_chain_push (
      &cut->stitcher->chains, cut->chain, (CtrWebPoint){(uint32_t) at.x, (uint32_t) (cut->row + at.y)});
}

/* Enters the owned rows by the step between two vertices. */
static bool
enter (Cut *cut, Vertex from, Vertex to)
{
  CtrChains *chains = &cut->stitcher->chains;
  const CtrSeamStep step = step_between (cut, from, to);
  const uint32_t above = step.down ? ctr_chains_take (chains, &step) : CTR_NO_CHAIN;
  cut->chain = above != CTR_NO_CHAIN ? above : ctr_chain_new (chains, cut->level);
  if (cut->chain == CTR_NO_CHAIN)
    return false;
  if (step.down && above == CTR_NO_CHAIN)
    ctr_chain_at (chains, cut->chain)->head_lost = true;
  if (!step.down && !ctr_chains_leave (chains, cut->chain, &step))
    return false;
  return push (cut, to);
}

/* Leaves the owned rows by the step between two vertices: the piece is complete. */
static bool
leave (Cut *cut, Vertex from, Vertex to)
{
  CtrChains *chains = &cut->stitcher->chains;
  const CtrSeamStep step = step_between (cut, from, to);
  const uint32_t index = cut->chain;
  cut->chain = CTR_NO_CHAIN;
  if (step.down)
    return ctr_chains_leave (chains, index, &step);
  const uint32_t above = ctr_chains_take (chains, &step);
  if (above == index)
    return ctr_stitcher_close (cut->stitcher, index, false);
  if (above == CTR_NO_CHAIN)
    ctr_chain_at (chains, index)->tail_lost = true;
  else
    ctr_chains_join (chains, index, above);
  const CtrChain *chain = ctr_chain_at (chains, index);
  return !(chain->head_lost && chain->tail_lost) || ctr_stitcher_close (cut->stitcher, index, true);
}

static inline int32_t
sign (int32_t value)
{
  return (value > 0) - (value < 0);
}

static inline Vertex
on_way (Vertex from, Vertex to, int32_t steps)
{
  return (Vertex){from.x + sign (to.x - from.x) * steps, from.y + sign (to.y - from.y) * steps};
}

/* Goes from a vertex to the next one of the contour, a straight line. */
static bool
go (Cut *cut, Vertex from, Vertex to)
{
  const int32_t dy = to.y - from.y, length = dy > 0 ? dy : -dy;
  if (cut->chain == CTR_NO_CHAIN) {
    /* The first owned row on the way. */
    const int32_t row = dy > 0 ? cut->first_owned : cut->end_owned - 1, steps = dy > 0 ? row - from.y : from.y - row;
    if (dy == 0 || steps < 1 || steps > length)
      return true;
    const Vertex entered = on_way (from, to, steps);
    if (!enter (cut, on_way (from, to, steps - 1), entered))
      return false;
    if (steps == length)
      return true;
    from = entered;
  }
  if (is_owned (cut, to.y))
    return push (cut, to);
  const int32_t row = dy > 0 ? cut->end_owned - 1 : cut->first_owned, steps = dy > 0 ? row - from.y : from.y - row;
  const Vertex last = on_way (from, to, steps);
  return (steps == 0 || push (cut, last)) && leave (cut, last, on_way (from, to, steps + 1));
}

/* Cuts a contour that has points outside the owned rows. */
static bool
cut_contour (Cut *cut, const CtrContour *row, const CtrPoint *points, uint64_t *work)
{
  uint32_t start = 0;
  while (is_owned (cut, points[start].y))
    start++;
  cut->level = row->level;
  cut->chain = CTR_NO_CHAIN;
  Vertex from = vertex_of (points[start]);
  for (uint32_t i = 1; i <= row->count; i++) {
    const uint32_t at = start + i < row->count ? start + i : start + i - row->count;
    const Vertex to = vertex_of (points[at]);
    if (ctr_poll (work, 4) || !go (cut, from, to))
      return false;
    from = to;
  }
  return true;
}

/* Takes a closed contour over. */
static bool
copy_contour (CtrStitcher *stitcher, const CtrWindow *window, const CtrContour *row)
{
  if (!ctr_host_buffer_reserve (&stitcher->joined, (size_t) stitcher->joined_count + 1, sizeof (CtrJoined))
      || !ctr_host_buffer_reserve (&stitcher->points, stitcher->point_count + row->count, sizeof (CtrPoint)))
    return false;
  const CtrPoint *from = window->points + row->first;
  CtrPoint *to = (CtrPoint *) stitcher->points.data + stitcher->point_count;
  CtrJoined *joined = (CtrJoined *) stitcher->joined.data + stitcher->joined_count;
  *joined = (CtrJoined){.row = *row, .top = window->row + row->top, .ordinal = stitcher->joined_count};
  joined->key =
      ctr_start_key (stitcher->kind.coordinates, window->row + from->y, from->x, row->flags & CTR_CONTOUR_HOLE);
  if (stitcher->kind.coordinates == CTR_COORDINATES_PIXELS && row->count > 1
      && !ctr_stitcher_find_key (stitcher, from, row->count, window->row, &joined->key))
    return false;
  joined->row.first = stitcher->point_count;
  joined->row.top = 0;
  for (uint32_t i = 0; i < row->count; i++)
    to[i] = (CtrPoint){from[i].x, (uint16_t) (from[i].y - row->top)};
  stitcher->point_count += row->count;
  stitcher->joined_count++;
  return true;
}

static bool
close_lost (void *context, uint32_t index)
{
  return ctr_stitcher_close (context, index, true);
}

bool
ctr_stitcher_add (CtrStitcher *stitcher, const CtrWindow *window, bool all)
{
  Cut cut = {
      .stitcher = stitcher,
      .row = (int64_t) (uint32_t) window->row,
      .first_owned = (int32_t) (window->first_owned - window->row),
      .end_owned = (int32_t) (window->end_owned - window->row),
  };
  uint64_t work = 0;
  for (uint32_t i = 0; i < window->count; i++) {
    const CtrContour *row = window->table + i;
    if (!ctr_window_owns (window, stitcher->kind.coordinates, row)) {
      if (!cut_contour (&cut, row, window->points + row->first, &work))
        return false;
    } else if (all && !copy_contour (stitcher, window, row)) {
      return false;
    }
  }
  stitcher->seam = window->end_owned;
  return ctr_chains_next_seam (&stitcher->chains, close_lost, stitcher);
}

bool
ctr_stitcher_give_up (CtrStitcher *stitcher, uint64_t top)
{
  return ctr_chains_drop_old (&stitcher->chains, (uint32_t) top, close_lost, stitcher);
}

/* By level, closed ones first, then by place. Borders have no levels. */
static int
compare (const void *a, const void *b, bool descending)
{
  const CtrJoined *one = a, *other = b;
  const uint32_t open_one = one->row.flags & CTR_CONTOUR_OPEN, open_other = other->row.flags & CTR_CONTOUR_OPEN;
  if (one->row.level != other->row.level)
    return one->row.level < other->row.level ? -1 : 1;
  if (open_one != open_other)
    return open_one < open_other ? -1 : 1;
  if (one->key != other->key)
    return (one->key < other->key) != descending ? -1 : 1;
  return one->ordinal < other->ordinal ? -1 : 1;
}

static int
compare_ascending (const void *a, const void *b)
{
  return compare (a, b, false);
}

static int
compare_descending (const void *a, const void *b)
{
  return compare (a, b, true);
}

void
ctr_stitcher_sort (CtrStitcher *stitcher)
{
  if (stitcher->joined_count > 0)
    qsort (stitcher->joined.data, stitcher->joined_count, sizeof (CtrJoined),
        stitcher->kind.coordinates == CTR_COORDINATES_PIXELS ? compare_descending : compare_ascending);
}

void
ctr_stitcher_take (CtrStitcher *stitcher)
{
  CtrHostBuffer *const buffers[] = {&stitcher->joined, &stitcher->points, &stitcher->line};
  stitcher->joined_count = 0;
  stitcher->point_count = 0;
  if (!ctr_room_period_ends (&stitcher->period))
    return;
  bool some = ctr_host_buffers_give_back (buffers, sizeof buffers / sizeof *buffers);
  some |= ctr_chains_give_back (&stitcher->chains);
  if (some)
    ctr_room_period_double (&stitcher->period);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From a chain to a contour: its corners, its first point, type and measures. */
#include "core/common/poll.h"
#include "core/strips/stitcher.h"
#include "cpu/borders/measures.h"

/* Directions, anticlockwise on the screen. */
enum { EAST = 0, NORTH_EAST, NORTH, NORTH_WEST, WEST, SOUTH_WEST, SOUTH, SOUTH_EAST };

static uint32_t
direction (CtrWebPoint from, CtrWebPoint to)
{
  static const uint8_t directions[3][3] = {
      {NORTH_WEST, NORTH, NORTH_EAST}, {WEST, EAST, EAST}, {SOUTH_WEST, SOUTH, SOUTH_EAST}};
  const int32_t dx = (int32_t) (to.x - from.x), dy = (int32_t) (to.y - from.y);
  return directions[(dy > 0) - (dy < 0) + 1][(dx > 0) - (dx < 0) + 1];
}

static inline CtrWebPoint
stepped (CtrWebPoint point, uint32_t direction, uint32_t steps)
{
  static const int8_t dx[8] = {1, 1, 0, -1, -1, -1, 0, 1}, dy[8] = {0, -1, -1, -1, 0, 1, 1, 1};
  return (CtrWebPoint){point.x + (uint32_t) dx[direction] * steps, point.y + (uint32_t) dy[direction] * steps};
}

static inline uint32_t
distance (CtrWebPoint from, CtrWebPoint to)
{
  const int32_t dx = (int32_t) (to.x - from.x), dy = (int32_t) (to.y - from.y);
  const uint32_t x = (uint32_t) (dx < 0 ? -dx : dx), y = (uint32_t) (dy < 0 ? -dy : dy);
  return x > y ? x : y;
}

/* The points of a chain as a line, rows counted from its top. 0 if there is no memory or the work is cancelled. */
static uint64_t
take_line (CtrStitcher *stitcher, const CtrChain *chain)
{
  uint64_t count = 0, work = 0;
  for (uint32_t i = chain->first_block; i != CTR_NO_CHAIN; i = ctr_block_at (&stitcher->chains, i)->next)
    count += ctr_block_at (&stitcher->chains, i)->count;
  if (count >= INT32_MAX || !ctr_host_buffer_reserve (&stitcher->line, count, sizeof (CtrWebPoint)))
    return 0;
  CtrWebPoint *line = stitcher->line.data;
  for (uint32_t i = chain->first_block; i != CTR_NO_CHAIN; i = ctr_block_at (&stitcher->chains, i)->next) {
    const CtrPointBlock *block = ctr_block_at (&stitcher->chains, i);
    for (uint32_t k = 0; k < block->count; k++)
      *line++ = (CtrWebPoint){block->points[k].x, block->points[k].y - chain->top};
    if (ctr_poll (&work, 16))
      return 0;
  }
  return count;
}

/* Leaves the points where the line turns, and those at its ends if it is open. A closed line has two points at least,
 * as it crosses a seam. */
static uint32_t
keep_corners (CtrWebPoint *line, uint32_t count, bool open)
{
  if (count < 3)
    return count;
  uint32_t kept = 0, in = open ? 8 : direction (line[count - 1], line[0]);
  const CtrWebPoint first = line[0];
  for (uint32_t i = 0; i < count; i++) {
    const bool is_last = i == count - 1;
    const uint32_t out = is_last && open ? 9 : direction (line[i], is_last ? first : line[i + 1]);
    if (in != out)
      line[kept++] = line[i];
    in = out;
  }
  return kept;
}

typedef struct {
  uint64_t key;  /* its place among all possible ones; the smallest is the start */
  uint32_t from; /* the corner at or before it */
  uint32_t steps;
  bool hole;
} Start;

static inline void
offer (Start *start, CtrWebPoint point, bool hole, uint32_t from, uint32_t steps)
{
  const uint64_t key = ctr_start_key (CTR_COORDINATES_PIXELS, point.y, point.x, hole);
  if (key < start->key)
    *start = (Start){key, from, steps, hole};
}

/* A border passes a pixel with the background between the former pixel and the next one, anticlockwise. Where this
 * contains the pixel at the west an outer border may start, where it contains the one at the east a hole's. */
static void
offer_corner (Start *start, CtrWebPoint point, uint32_t in, uint32_t out, uint32_t index)
{
  const uint32_t former = in ^ 4, background = (out - former - 1) & 7;
  if (((WEST - former - 1) & 7) < background)
    offer (start, point, false, index, 0);
  if (((EAST - former - 1) & 7) < background)
    offer (start, point, true, index, 0);
}

/* An outer border turns at its start, as nothing of it is above or to the west. A hole may pass its start straight,
 * upwards; of the pixels between two corners, the topmost one comes first. */
static void
offer_segment (Start *start, CtrWebPoint from, uint32_t out, uint32_t length, uint32_t index)
{
  if (length > 1 && out >= NORTH_EAST && out <= NORTH_WEST)
    offer (start, stepped (from, out, length - 1), true, index, length - 1);
}

static Start
find_border_start (const CtrWebPoint *line, uint32_t count)
{
  Start start = {.key = UINT64_MAX};
  uint32_t in = direction (line[count - 1], line[0]);
  for (uint32_t i = 0; i < count; i++) {
    const CtrWebPoint next = line[i + 1 < count ? i + 1 : 0];
    const uint32_t out = direction (line[i], next);
    offer_corner (&start, line[i], in, out, i);
    offer_segment (&start, line[i], out, distance (line[i], next), i);
    in = out;
  }
  return start;
}

/* The topmost corner, the leftmost of several. There the contour of a component turns right from north to east, that of
 * a hole left from west to south; another visit of the corner turns otherwise. */
static Start
find_crack_start (const CtrWebPoint *line, uint32_t count)
{
  Start start = {.key = UINT64_MAX};
  uint32_t in = direction (line[count - 1], line[0]);
  for (uint32_t i = 0; i < count; i++) {
    const uint32_t out = direction (line[i], line[i + 1 < count ? i + 1 : 0]);
    const bool hole = in == WEST && out == SOUTH;
    const uint64_t key = ctr_start_key (CTR_COORDINATES_CORNERS, line[i].y, line[i].x, hole);
    if ((hole || (in == NORTH && out == EAST)) && key < start.key)
      start = (Start){key, i, 0, hole};
    in = out;
  }
  return start;
}

/* The points of a contour of COUNT corners from START on, as borders.h and cracks.h define them. */
static bool
write_points (CtrStitcher *stitcher, uint32_t count, const Start *start, bool open, CtrContour *row)
{
  const bool every = stitcher->kind.approximation == CTR_APPROXIMATION_NONE;
  const CtrWebPoint *line = stitcher->line.data;
  uint64_t points = count, work = 0;
  for (uint32_t i = 0; every && i + open < count; i++)
    points += distance (line[i], line[i + 1 < count ? i + 1 : 0]) - 1;
  if (points >= INT32_MAX
      || !ctr_host_buffer_reserve (&stitcher->points, stitcher->point_count + points, sizeof (CtrPoint)))
    return false;
  row->first = stitcher->point_count;
  row->count = (uint32_t) points;
  CtrPoint *to = (CtrPoint *) stitcher->points.data + stitcher->point_count;
  /* With all points, the first one may lie between two corners. Else it is the corner that follows. */
  uint32_t at = start->from, skip = every ? start->steps : 0;
  if (!every && start->steps > 0)
    at = at + 1 < count ? at + 1 : 0;
  for (uint64_t i = 0; i < points;) {
    const uint32_t next = at + 1 < count ? at + 1 : 0;
    const bool is_end = open && next == 0;
    const uint32_t way = every && !is_end ? direction (line[at], line[next]) : 0;
    const uint32_t length = every && !is_end && count > 1 ? distance (line[at], line[next]) : 1;
    for (uint32_t k = skip; k < length && i < points; k++, i++) {
      const CtrWebPoint point = stepped (line[at], way, k);
      to[i] = (CtrPoint){(uint16_t) point.x, (uint16_t) point.y};
    }
    if (ctr_poll (&work, 4 + length))
      return false;
    skip = 0;
    at = next;
  }
  stitcher->point_count += points;
  return true;
}

static bool
measure (const CtrStitcher *stitcher, bool open, CtrContour *row)
{
  CtrLineMeasures measures;
  const CtrPoint *points = (const CtrPoint *) stitcher->points.data + row->first;
  const bool pixels = stitcher->kind.coordinates == CTR_COORDINATES_PIXELS;
  if (!ctr_measure_line (points, row->count, !open, stitcher->kind.approximation == CTR_APPROXIMATION_NONE, &measures))
    return false;
  row->area2 = open ? 0 : measures.area2;
  row->length = row->count > 1 ? measures.length : 0;
  row->left = measures.left;
  row->top = measures.top;
  row->width = (uint16_t) (measures.right - measures.left + pixels);
  row->height = (uint16_t) (measures.bottom - measures.top + pixels);
  return true;
}

bool
ctr_stitcher_find_key (CtrStitcher *stitcher, const CtrPoint *points, uint32_t count, uint64_t row, uint64_t *key)
{
  if (!ctr_host_buffer_reserve (&stitcher->line, count, sizeof (CtrWebPoint)))
    return false;
  CtrWebPoint *line = stitcher->line.data;
  for (uint32_t i = 0; i < count; i++)
    line[i] = (CtrWebPoint){points[i].x, points[i].y};
  *key = (row << 20) + find_border_start (line, count).key;
  return true;
}

bool
ctr_stitcher_close (CtrStitcher *stitcher, uint32_t index, bool open)
{
  const CtrChain chain = *ctr_chain_at (&stitcher->chains, index);
  const uint64_t length = take_line (stitcher, &chain);
  if (length == 0
      || !ctr_host_buffer_reserve (&stitcher->joined, (size_t) stitcher->joined_count + 1, sizeof (CtrJoined)))
    return false;
  CtrWebPoint *line = stitcher->line.data;
  const bool pixels = stitcher->kind.coordinates == CTR_COORDINATES_PIXELS;
  const uint32_t count = keep_corners (line, (uint32_t) length, open);
  Start start = {0};
  if (!open)
    start = pixels ? find_border_start (line, count) : find_crack_start (line, count);
  CtrJoined joined = {
      .row = {.next = -1, .previous = -1, .child = -1, .parent = -1, .level = chain.level},
      .ordinal = stitcher->joined_count,
  };
  joined.row.flags = open ? CTR_CONTOUR_OPEN : start.hole ? CTR_CONTOUR_HOLE : 0;
  if (!write_points (stitcher, count, &start, open, &joined.row) || !measure (stitcher, open, &joined.row))
    return false;
  /* The chain's rows are less than 2^31 above the seam. */
  joined.top = stitcher->seam + UINT64_C (0x80000000) - (uint32_t) (stitcher->seam + UINT64_C (0x80000000) - chain.top);
  const CtrPoint *points = (const CtrPoint *) stitcher->points.data + joined.row.first;
  joined.key = open ? ctr_start_key (stitcher->kind.coordinates, joined.top + points->y, points->x, false)
                    : start.key + (joined.top << 20);
  ((CtrJoined *) stitcher->joined.data)[stitcher->joined_count++] = joined;
  ctr_chain_free (&stitcher->chains, index);
  return true;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cpu/borders/lines.h"

#include "core/common/memory.h"
#include "core/common/poll.h"
#include "cpu/common/runs.h"

#include <endian.h>
#include <string.h>

/* Directions, anticlockwise from the east. The surroundings of a pixel are three bits from each of three rows, with the
 * pixel itself in the middle. */
static const uint8_t direction_bit[8] = {5, 2, 1, 0, 3, 6, 7, 8};
static const int8_t direction_x[8] = {1, 1, 0, -1, -1, -1, 0, 1};
static const int8_t direction_y[8] = {0, -1, -1, -1, 0, 1, 1, 1};
enum { EAST = 0, WEST = 4 };

/* Points between two polls: the segment between two points may be as long as the image. */
enum { POINTS_AT_ONCE = 256 };

/* The slot of a passage is the first of the directions east, north, west, south in its run of background, divided by 2.
 * CtrBorderLines.steps describes the continuation of a passage, at index slot << 9 | surroundings. */
enum {
  STEP_DIRECTION = 7,     /* to the next pixel */
  STEP_END = 1 << 3,      /* the border turns here */
  STEP_WEST = 1 << 4,     /* the run contains the west */
  STEP_EAST = 1 << 5,     /* and the east */
  STEP_ISOLATED = 1 << 6, /* there is no next pixel */
  STEP_SLOT = 9,          /* the slot of the next passage, at the bits of the index */
  STEP_OWN_SLOT = 11,     /* the slot of this passage */
};

/* The slot of the passage whose run follows a foreground pixel in DIRECTION. */
static uint32_t
slot_after (uint32_t direction)
{
  return (((direction | 1) + 1) & 7) >> 1;
}

static uint16_t
make_step (uint32_t slot, uint32_t surroundings)
{
  bool foreground[8], any = false;
  for (int d = 0; d < 8; d++)
    any |= foreground[d] = surroundings >> direction_bit[d] & 1;
  if (foreground[2 * slot])
    return 0;
  if (!any)
    return STEP_END | STEP_WEST | STEP_EAST | STEP_ISOLATED;
  uint32_t next = 2 * slot, former = 2 * slot, step = 0;
  while (!foreground[next])
    next = (next + 1) & 7;
  while (!foreground[former])
    former = (former - 1) & 7;
  for (uint32_t d = (former + 1) & 7; d != next; d = (d + 1) & 7)
    step |= d == WEST ? STEP_WEST : d == EAST ? STEP_EAST : 0;
  step |= next | (next != ((former + 4) & 7) ? STEP_END : 0);
  return (uint16_t) (step | slot_after ((next + 4) & 7) << STEP_SLOT | slot_after (former) << STEP_OWN_SLOT);
}

void
ctr_border_lines_init (CtrBorderLines *lines)
{
  for (uint32_t slot = 0; slot < 4; slot++)
    for (uint32_t surroundings = 0; surroundings < 512; surroundings++)
      lines->steps[slot << 9 | surroundings] = make_step (slot, surroundings);
}

void
ctr_border_lines_release (CtrBorderLines *lines)
{
  ctr_host_buffer_release (&lines->bits);
  ctr_host_buffer_release (&lines->edges);
  ctr_host_buffer_release (&lines->busy);
  ctr_host_buffer_release (&lines->busy_counts);
  ctr_host_buffer_release (&lines->borders);
  ctr_host_buffer_release (&lines->points);
}

bool
ctr_border_lines_begin (CtrBorderLines *lines, uint32_t width, uint32_t height)
{
  lines->width = width;
  lines->height = height;
  lines->words = CTR_ROW_WORDS (width) + 1;
  lines->edge_count = 0;
  lines->point_count = 0;
  const size_t words = (height + 2) * lines->words + 1;
  if (!ctr_host_buffer_reserve (&lines->bits, words, sizeof (uint64_t))
      || !ctr_host_buffer_reserve (&lines->edges, height * lines->words, sizeof (CtrEdgeWord))
      || !ctr_host_buffer_reserve (&lines->busy, height * lines->words, sizeof (uint16_t))
      || !ctr_host_buffer_reserve (&lines->busy_counts, height, sizeof (uint16_t)))
    return false;
  uint64_t *bits = lines->bits.data;
  memset (bits, 0, (lines->words + 1) * sizeof *bits);
  memset (bits + words - lines->words, 0, lines->words * sizeof *bits);
  return true;
}

uint64_t *
ctr_border_lines_row (CtrBorderLines *lines, uint32_t y)
{
  return (uint64_t *) lines->bits.data + 1 + (y + 1) * lines->words;
}

static inline uint32_t
count_bits (uint64_t bits)
{
  bits -= bits >> 1 & 0x5555555555555555;
  bits = (bits & 0x3333333333333333) + (bits >> 2 & 0x3333333333333333);
  bits = (bits + (bits >> 4)) & 0x0f0f0f0f0f0f0f0f;
  return (uint32_t) (bits * 0x0101010101010101 >> 56);
}

void
ctr_border_lines_end_row (CtrBorderLines *lines, uint32_t y)
{
  uint64_t *bits = ctr_border_lines_row (lines, y);
  CtrEdgeWord *edges = (CtrEdgeWord *) lines->edges.data + y * lines->words;
  uint16_t *busy = (uint16_t *) lines->busy.data + y * lines->words;
  uint64_t before = 0, bit_rank = lines->edge_count;
  uint32_t count = 0;
  bits[lines->words - 1] = 0;
  for (uint32_t i = 0; i < lines->words; i++) {
    const uint64_t word = bits[i], changes = word ^ (word << 1 | before);
    before = word >> 63;
    if (changes) {
      edges[i] = (CtrEdgeWord){changes, bit_rank};
      bit_rank += count_bits (changes);
      busy[count++] = (uint16_t) i;
    }
    /* Borders are followed in bytes. */
    bits[i] = htole64 (word);
  }
  ((uint16_t *) lines->busy_counts.data)[y] = (uint16_t) count;
  lines->edge_count = bit_rank;
}

bool
ctr_border_lines_end (CtrBorderLines *lines)
{
  return ctr_host_buffer_reserve (&lines->borders, lines->edge_count, sizeof (uint32_t))
         && ctr_clear (lines->borders.data, lines->edge_count * sizeof (uint32_t));
}

static inline void
own_edge (const CtrEdgeWord *edges, uint32_t *borders, size_t at, uint32_t border)
{
  const CtrEdgeWord *word = edges + at / 64;
  borders[word->bit_rank + count_bits (word->edges & (((uint64_t) 1 << at % 64) - 1))] = border;
}

static inline uint32_t
load_3 (const uint8_t *bytes, size_t at)
{
  uint16_t word;
  memcpy (&word, bytes + at / 8, sizeof word);
  return (uint32_t) le16toh (word) >> at % 8 & 7;
}

/* Makes room for MORE points than COUNT; 0 if there is no memory or the work is cancelled. */
static uint64_t
make_room (CtrBorderLines *lines, uint64_t count, uint64_t more)
{
  return !ctr_cancelled () && ctr_host_buffer_reserve (&lines->points, count + more, sizeof (CtrPoint)) ? count + more
                                                                                                        : 0;
}

static inline __attribute__ ((always_inline)) bool
follow (CtrBorderLines *lines, uint32_t first_x, uint32_t first_y, bool hole, bool only_ends, uint32_t border)
{
  const size_t row = 64 * lines->words;
  const size_t begin = first_y * row + first_x; /* index of a bit of the edges */
  /* The bit of a pixel in these rows is that of its upper left neighbour. */
  const uint8_t *above = (const uint8_t *) lines->bits.data + 7, *middle = above + row / 8, *below = middle + row / 8;
  const CtrEdgeWord *edges = lines->edges.data;
  uint32_t *borders = lines->borders.data;
  const uint16_t *steps = lines->steps;
  CtrPoint *points = lines->points.data;
  uint64_t count = lines->point_count, room = count;
  /* What a step adds to a position and to a point, by direction. */
  size_t move[8];
  uint32_t move_point[8];
  for (int d = 0; d < 8; d++) {
    move[d] = (size_t) (direction_y[d] * (ptrdiff_t) row + direction_x[d]);
    move_point[d] = (uint32_t) (direction_y[d] * 65536 + direction_x[d]);
  }

  const uint32_t own = hole ? STEP_EAST : STEP_WEST;
  uint32_t slot = (hole ? EAST : WEST) / 2u << 9, direction = 8;
  uint32_t point = first_y << 16 | first_x, to_next_point = 0;
  size_t at = begin, to_next = 0;
  for (bool first = true;; first = false) {
    const size_t bit = at + 7; /* of the first of three pixels, relative to ABOVE */
    const uint32_t surroundings = load_3 (above, bit) | load_3 (middle, bit) << 3 | load_3 (below, bit) << 6;
    const uint32_t step = steps[slot | surroundings];
    if (at == begin && (step & own) && !first)
      break;
    if (count == room) {
      room = make_room (lines, count, POINTS_AT_ONCE);
      if (room == 0)
        return false;
      points = lines->points.data;
    }
    points[count] = (CtrPoint){(uint16_t) point, (uint16_t) (point >> 16)};
    count += only_ends ? step / STEP_END % 2 : 1;
    if (step & STEP_WEST)
      own_edge (edges, borders, at, border);
    if (step & STEP_EAST)
      own_edge (edges, borders, at + 1, border);
    /* This must stay a branch: on straight segments the processor then need not wait for the surroundings. */
    if ((step & STEP_DIRECTION) != direction) {
      if (step & STEP_ISOLATED)
        break;
      direction = step & STEP_DIRECTION;
      slot = step & 3u << STEP_SLOT;
      to_next = move[direction];
      to_next_point = move_point[direction];
    }
    at += to_next;
    point += to_next_point;
  }
  lines->point_count = count;
  return true;
}

bool
ctr_border_lines_follow (CtrBorderLines *lines, uint32_t x, uint32_t y, bool hole, bool only_ends, uint32_t border)
{
  return only_ends ? follow (lines, x, y, hole, true, border) : follow (lines, x, y, hole, false, border);
}

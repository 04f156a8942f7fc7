/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cpu/borders/lines.h"

#include "core/common/poll.h"
#include "cpu/borders/owners.h"
#include "cpu/borders/steps.h"
#include "cpu/common/runs.h"

#include <string.h>

/* Points between two polls: the segment between two points may be as long as the image. */
enum { POINTS_AT_ONCE = 256 };

void
ctr_border_lines_init (CtrBorderLines *lines)
{
  for (uint32_t slot = 0; slot < 4; slot++)
    for (uint32_t surroundings = 0; surroundings < 512; surroundings++) {
      lines->steps_8[slot << 9 | surroundings] = make_step (slot, surroundings);
      lines->steps_4[slot << 9 | surroundings] = make_step_4 (slot, surroundings);
    }
}

void
ctr_border_lines_release (CtrBorderLines *lines)
{
  ctr_host_buffer_release (&lines->bits);
  ctr_host_buffer_release (&lines->free);
  ctr_host_buffer_release (&lines->asked);
  ctr_host_buffer_release (&lines->ranks);
  ctr_host_buffer_release (&lines->busy);
  ctr_host_buffer_release (&lines->busy_counts);
}

void
ctr_border_strip_release (CtrBorderStrip *strip)
{
  ctr_host_buffer_release (&strip->owners);
  ctr_host_buffer_release (&strip->points);
}

bool
ctr_border_lines_give_back (CtrBorderLines *lines)
{
  CtrHostBuffer *const buffers[] = {
      &lines->bits, &lines->free, &lines->asked, &lines->ranks, &lines->busy, &lines->busy_counts};
  return ctr_host_buffers_give_back (buffers, sizeof buffers / sizeof *buffers);
}

bool
ctr_border_strip_give_back (CtrBorderStrip *strip)
{
  const bool some = ctr_host_buffer_give_back (&strip->owners);
  return ctr_host_buffer_give_back (&strip->points) || some;
}

bool
ctr_border_lines_begin (
    CtrBorderLines *lines, uint32_t width, uint32_t height, CtrConnectivity connectivity, bool numbered, bool counted)
{
  lines->width = width;
  lines->height = height;
  lines->connectivity = connectivity;
  lines->steps = connectivity == CTR_CONNECTIVITY_4 ? lines->steps_4 : lines->steps_8;
  lines->numbered = numbered;
  lines->counted = counted;
  lines->words = CTR_ROW_WORDS (width) + 1;
  /* One more word, as follow() reads eight bytes from any byte on. */
  const size_t words = (height + 2) * lines->words + 2;
  if (!ctr_host_buffer_reserve (&lines->bits, words, sizeof (uint64_t))
      || !ctr_host_buffer_reserve (&lines->free, height * lines->words, sizeof (uint64_t))
      || (numbered && !ctr_host_buffer_reserve (&lines->asked, height * lines->words, sizeof (uint64_t)))
      || (numbered && !ctr_host_buffer_reserve (&lines->ranks, height * lines->words, sizeof (uint32_t)))
      || !ctr_host_buffer_reserve (&lines->busy, height * lines->words, sizeof (uint16_t))
      || !ctr_host_buffer_reserve (&lines->busy_counts, height, sizeof (uint16_t)))
    return false;
  uint64_t *bits = lines->bits.data;
  memset (bits, 0, (lines->words + 1) * sizeof *bits);
  memset (bits + words - lines->words - 1, 0, (lines->words + 1) * sizeof *bits);
  return true;
}

void
ctr_border_strip_begin (CtrBorderStrip *strip, uint32_t top, uint32_t end)
{
  strip->top = top;
  strip->end = end;
  strip->asked_count = 0;
  strip->edge_count = 0;
  strip->limited = false;
  strip->point_count = 0;
}

uint64_t *
ctr_border_lines_row (const CtrBorderLines *lines, uint32_t y)
{
  return (uint64_t *) lines->bits.data + 1 + (y + 1) * lines->words;
}

void
ctr_border_strip_end_row (CtrBorderStrip *strip, const CtrBorderLines *lines, uint32_t y)
{
  uint64_t *bits = ctr_border_lines_row (lines, y), *free = (uint64_t *) lines->free.data + y * lines->words;
  uint16_t *busy = (uint16_t *) lines->busy.data + y * lines->words;
  const bool counted = lines->counted;
  uint64_t before = 0, edges = 0;
  uint32_t count = 0;
  bits[lines->words - 1] = 0;
  for (uint32_t i = 0; i < lines->words; i++) {
    const uint64_t word = bits[i], changes = word ^ (word << 1 | before);
    before = word >> 63;
    if (changes) {
      free[i] = htole64 (changes);
      edges += counted ? ctr_count_bits (changes) : 0;
      busy[count++] = (uint16_t) i;
    }
    bits[i] = htole64 (word);
  }
  ((uint16_t *) lines->busy_counts.data)[y] = (uint16_t) count;
  strip->edge_count += edges;
  /* Another thread may be at the row above the strip. */
  if (lines->numbered && (y > strip->top || y == 0))
    ctr_border_strip_ask_row (strip, lines, y);
}

static inline uint32_t
load_3 (const uint8_t *bytes, size_t at)
{
  uint16_t word;
  memcpy (&word, bytes + at / 8, sizeof word);
  return (uint32_t) le16toh (word) >> at % 8 & 7;
}

static inline uint64_t
load_64 (const uint8_t *bytes)
{
  uint64_t word;
  memcpy (&word, bytes, sizeof word);
  return le64toh (word);
}

bool
ctr_border_lines_find_entries (const CtrBorderLines *lines, uint32_t y, bool from_below,
    bool (*found) (void *context, CtrBorderPassage entry), void *context)
{
  const uint64_t *row = ctr_border_lines_row (lines, y), *next = row + lines->words, *last = row - lines->words;
  const uint64_t *other = from_below ? next : last;
  const uint32_t wanted = from_below ? STEP_FROM_BELOW : STEP_FROM_ABOVE;
  uint64_t before = 0;
  for (uint32_t i = 0; i < lines->words; i++) {
    const uint64_t word = le64toh (other[i]), after = i + 1 < lines->words ? le64toh (other[i + 1]) : 0;
    uint64_t pixels = le64toh (row[i]) & (word | word << 1 | before >> 63 | word >> 1 | after << 63);
    before = word;
    for (; pixels; pixels &= pixels - 1) {
      const uint32_t x = 64 * i + (uint32_t) __builtin_ctzll (pixels);
      const size_t bit = x + 63; /* of the left one of three pixels, from the word before the row on */
      const uint32_t surroundings = load_3 ((const uint8_t *) (last - 1), bit)
                                    | load_3 ((const uint8_t *) (row - 1), bit) << 3
                                    | load_3 ((const uint8_t *) (next - 1), bit) << 6;
      for (uint32_t slot = 0; slot < 4; slot++) {
        const uint32_t step = lines->steps[slot << 9 | surroundings];
        if ((step & wanted) && (step >> STEP_OWN_SLOT & 3) == slot
            && !found (context, (CtrBorderPassage){(uint16_t) x, (uint16_t) y, slot}))
          return false;
      }
    }
  }
  return true;
}

/* What following does besides. */
typedef enum {
  PLAIN,
  NUMBERED, /* enters owners */
  LIMITED   /* counts steps */
} Kind;

/* Where following has come. */
typedef struct {
  const CtrBorderLines *lines;
  CtrBorderStrip *strip;
  CtrBorderPart *part; /* NULL: a whole border */
  size_t row;          /* bits of a row */
  uint32_t owner;
  size_t at;            /* index of a bit of the edges */
  uint32_t point;       /* y << 16 | x */
  CtrPoint *points;     /* of the strip */
  uint64_t count, room; /* of points */
  int64_t steps_left;   /* a straight piece may take more */
} Walk;

/* This does not take a walk, whose members the compiler then keeps in registers. */
static inline __attribute__ ((always_inline)) void
enter_owners (const CtrBorderLines *lines, uint32_t *owners, size_t at, uint32_t sides, uint32_t owner)
{
  if (sides & 1)
    owners[ctr_border_lines_rank (lines, at)] = owner;
  if (sides & 2)
    owners[ctr_border_lines_rank (lines, at + 1)] = owner;
}

/* Enters the edges of a passage: bit 0 of SIDES for the western, bit 1 for the eastern one. */
static inline __attribute__ ((always_inline)) void
own_edges (Walk *walk, uint32_t sides, Kind kind)
{
  uint8_t *free = (uint8_t *) walk->lines->free.data + walk->at / 8;
  uint16_t word;
  memcpy (&word, free, sizeof word);
  word = htole16 ((uint16_t) (le16toh (word) & ~(sides << walk->at % 8)));
  memcpy (free, &word, sizeof word);
  if (walk->part && sides) {
    const size_t edge = walk->at + (sides == 2);
    if (edge < walk->part->first_edge) {
      walk->part->first_edge = edge;
      walk->part->first_edge_points = walk->count - walk->part->first;
    }
  }
  if (kind == LIMITED)
    walk->steps_left--;
  if (kind != NUMBERED)
    return;
  const uint32_t asked = ctr_border_lines_asked (walk->lines, walk->at) & sides;
  if (asked)
    enter_owners (walk->lines, walk->strip->owners.data, walk->at, asked, walk->owner);
}

/* Makes room for at least MORE points, up to 64. False if there is no memory or the work is cancelled. */
static inline __attribute__ ((always_inline)) bool
make_room (Walk *walk, uint64_t more)
{
  if (walk->room - walk->count >= more)
    return true;
  if (ctr_cancelled ()
      || !ctr_host_buffer_reserve (&walk->strip->points, walk->count + POINTS_AT_ONCE, sizeof (CtrPoint)))
    return false;
  walk->points = walk->strip->points.data;
  walk->room = walk->count + POINTS_AT_ONCE;
  return true;
}

static inline void
write_point (const Walk *walk)
{
  walk->points[walk->count] = (CtrPoint){(uint16_t) walk->point, (uint16_t) (walk->point >> 16)};
}

/* Passes pixels to the south while the border is straight: the next pixel is foreground, its western neighbour is not.
 * This and the functions below return false if there is no memory or the work is cancelled. */
static inline __attribute__ ((always_inline)) bool
run_south (Walk *walk, bool only_ends, Kind kind)
{
  const uint8_t *below = (const uint8_t *) walk->lines->bits.data + 7 + walk->row / 4;
  while ((load_3 (below, walk->at + 7) & 3) == 2 && (walk->point >> 16) + 1 < walk->strip->end) {
    own_edges (walk, 1, kind);
    if (!only_ends) {
      if (!make_room (walk, 1))
        return false;
      write_point (walk);
      walk->count++;
    }
    walk->at += walk->row;
    walk->point += 1 << 16;
  }
  return true;
}

static inline __attribute__ ((always_inline)) bool
run_north (Walk *walk, bool only_ends, Kind kind)
{
  const uint8_t *above = (const uint8_t *) walk->lines->bits.data + 7;
  while (load_3 (above, walk->at + 7) >> 1 == 1 && walk->point >> 16 > walk->strip->top) {
    own_edges (walk, 2, kind);
    if (!only_ends) {
      if (!make_room (walk, 1))
        return false;
      write_point (walk);
      walk->count++;
    }
    walk->at -= walk->row;
    walk->point -= 1 << 16;
  }
  return true;
}

/* Passes COUNT pixels to the east, or with DX = -1 to the west. */
static inline __attribute__ ((always_inline)) bool
run_along_row (Walk *walk, uint32_t count, int dx, bool only_ends)
{
  if (!only_ends) {
    if (!make_room (walk, count))
      return false;
    const uint16_t x = (uint16_t) walk->point, y = (uint16_t) (walk->point >> 16);
    for (uint32_t i = 0; i < count; i++)
      walk->points[walk->count + i] = (CtrPoint){(uint16_t) (x + dx * (int) i), y};
    walk->count += count;
  }
  walk->at += (size_t) (dx * (ptrdiff_t) count);
  walk->point += (uint32_t) (dx * (int) count);
  return true;
}

static inline __attribute__ ((always_inline)) bool
run_east (Walk *walk, bool only_ends)
{
  const uint8_t *middle = (const uint8_t *) walk->lines->bits.data + 7 + walk->row / 8, *below = middle + walk->row / 8;
  uint32_t count, read;
  do {
    const size_t bit = walk->at + 9; /* of the pixel to the east */
    const uint64_t passed = (load_64 (middle + bit / 8) & ~load_64 (below + bit / 8)) >> bit % 8;
    read = 64 - bit % 8;
    count = ~passed ? (uint32_t) __builtin_ctzll (~passed) : 64;
    if (!run_along_row (walk, count, 1, only_ends))
      return false;
  } while (count == read);
  return true;
}

static inline __attribute__ ((always_inline)) bool
run_west (Walk *walk, bool only_ends)
{
  const uint8_t *above = (const uint8_t *) walk->lines->bits.data, *middle = above + walk->row / 8;
  uint32_t count, read;
  do {
    const size_t bit = walk->at + 7; /* of the pixel to the west, seven bytes later */
    const uint64_t passed = (load_64 (middle + bit / 8) & ~load_64 (above + bit / 8)) << (7 - bit % 8);
    read = 57 + bit % 8;
    count = ~passed ? (uint32_t) __builtin_clzll (~passed) : 64;
    if (!run_along_row (walk, count, -1, only_ends))
      return false;
  } while (count == read);
  return true;
}

static inline __attribute__ ((always_inline)) bool
run_straight (Walk *walk, uint32_t direction, bool only_ends, Kind kind)
{
  switch (direction) {
    case EAST:
      return run_east (walk, only_ends);
    case NORTH:
      return run_north (walk, only_ends, kind);
    case WEST:
      return run_west (walk, only_ends);
    case SOUTH:
      return run_south (walk, only_ends, kind);
    default:
      return true;
  }
}

/* Follows from passage FROM until this passage comes again, which owns an edge at the sides OWN; or with WALK's part,
 * until the border leaves the strip. */
static inline __attribute__ ((always_inline)) bool
follow (Walk *walk, CtrBorderPassage from, uint32_t own, bool only_ends, Kind kind)
{
  /* The bit of a pixel in these rows is that of its upper left neighbour. */
  const uint8_t *above = (const uint8_t *) walk->lines->bits.data + 7, *middle = above + walk->row / 8;
  const uint8_t *below = middle + walk->row / 8;
  const uint16_t *steps = walk->lines->steps;
  const uint32_t top = walk->strip->top, rows = walk->strip->end - top;
  const size_t begin = from.y * walk->row + from.x;
  /* What a step adds to a position and to a point, by direction. */
  size_t move[8];
  uint32_t move_point[8];
  for (int d = 0; d < 8; d++) {
    move[d] = (size_t) (direction_y[d] * (ptrdiff_t) walk->row + direction_x[d]);
    move_point[d] = (uint32_t) (direction_y[d] * 65536 + direction_x[d]);
  }

  uint32_t slot = from.slot << STEP_SLOT, direction = 8;
  uint32_t to_next_point = 0;
  size_t to_next = 0;
  walk->at = begin;
  walk->point = (uint32_t) from.y << 16 | from.x;
  for (bool first = true;; first = false) {
    const size_t bit = walk->at + 7; /* of the first of three pixels, relative to ABOVE */
    const uint32_t surroundings = load_3 (above, bit) | load_3 (middle, bit) << 3 | load_3 (below, bit) << 6;
    const uint32_t step = steps[slot | surroundings];
    if (!walk->part && walk->at == begin && (step & own) && !first)
      return true;
    if ((kind == LIMITED && walk->steps_left <= 0) || !make_room (walk, 1))
      return false;
    own_edges (walk, step / STEP_WEST % 4, kind);
    write_point (walk);
    walk->count += only_ends ? step / STEP_END % 2 : 1;
    /* This must stay a branch: on straight segments the processor then need not wait for the surroundings. */
    const bool straight = (step & (STEP_DIRECTION | STEP_APART)) == direction;
    if (!straight) {
      if (step & STEP_ISOLATED)
        return true;
      direction = step & STEP_DIRECTION;
      slot = step & 3u << STEP_SLOT;
      to_next = move[direction];
      to_next_point = move_point[direction];
    }
    walk->at += to_next;
    walk->point += to_next_point;
    if (walk->part && (walk->point >> 16) - top >= rows) {
      walk->part->next = (CtrBorderPassage){(uint16_t) walk->point, (uint16_t) (walk->point >> 16), slot >> STEP_SLOT};
      return true;
    }
    if (straight && !run_straight (walk, direction, only_ends, kind))
      return false;
  }
}

static bool
follow_from (CtrBorderStrip *strip, const CtrBorderLines *lines, CtrBorderPassage from, uint32_t own, bool only_ends,
    uint32_t owner)
{
  Walk walk = {.lines = lines, .strip = strip, .row = 64 * lines->words, .owner = owner, .points = strip->points.data};
  walk.count = walk.room = strip->point_count;
  walk.steps_left = (int64_t) strip->steps_left;
  const bool ok = lines->numbered ? only_ends ? follow (&walk, from, own, true, NUMBERED)
                                              : follow (&walk, from, own, false, NUMBERED)
                  : strip->limited
                      ? only_ends ? follow (&walk, from, own, true, LIMITED) : follow (&walk, from, own, false, LIMITED)
                  : only_ends ? follow (&walk, from, own, true, PLAIN)
                              : follow (&walk, from, own, false, PLAIN);
  strip->steps_left = walk.steps_left > 0 ? (uint64_t) walk.steps_left : 0;
  strip->point_count = walk.count;
  return ok;
}

bool
ctr_border_strip_follow (CtrBorderStrip *strip, const CtrBorderLines *lines, uint32_t x, uint32_t y, bool hole,
    bool only_ends, uint32_t owner)
{
  const CtrBorderPassage from = {(uint16_t) x, (uint16_t) y, hole ? EAST / 2 : WEST / 2};
  return follow_from (strip, lines, from, hole ? STEP_EAST : STEP_WEST, only_ends, owner);
}

bool
ctr_border_strip_follow_part (
    CtrBorderStrip *strip, const CtrBorderLines *lines, CtrBorderPart *part, bool only_ends, uint32_t owner)
{
  Walk walk = {.lines = lines,
      .strip = strip,
      .part = part,
      .row = 64 * lines->words,
      .owner = owner,
      .points = strip->points.data};
  walk.count = walk.room = strip->point_count;
  part->first = walk.count;
  part->first_edge = part->first_edge_points = UINT64_MAX;
  const bool ok = lines->numbered ? only_ends ? follow (&walk, part->entry, 0, true, NUMBERED)
                                              : follow (&walk, part->entry, 0, false, NUMBERED)
                  : only_ends ? follow (&walk, part->entry, 0, true, PLAIN)
                                  : follow (&walk, part->entry, 0, false, PLAIN);
  part->count = walk.count - part->first;
  strip->point_count = walk.count;
  return ok;
}

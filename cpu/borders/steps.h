/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The table of steps from one passage of a border to the next one. Internal to lines.c. */
#ifndef CTR_CPU_BORDERS_STEPS_H
#define CTR_CPU_BORDERS_STEPS_H

#include <stdbool.h>
#include <stdint.h>

/* Directions, anticlockwise from the east. The surroundings of a pixel are three bits from each of three rows, with the
 * pixel itself in the middle. */
static const uint8_t direction_bit[8] = {5, 2, 1, 0, 3, 6, 7, 8};
static const int8_t direction_x[8] = {1, 1, 0, -1, -1, -1, 0, 1};
static const int8_t direction_y[8] = {0, -1, -1, -1, 0, 1, 1, 1};
enum { EAST = 0, NORTH = 2, WEST = 4, SOUTH = 6 };

/* The slot of a passage is the first of the directions east, north, west, south in its run of background, divided by 2.
 * 4-connected, it is the direction to the former pixel, divided by 2; of an isolated pixel it is 2. CtrBorderLines.steps
 * describes the continuation of a passage, at index slot << 9 | surroundings. */
enum {
  STEP_DIRECTION = 7,       /* to the next pixel */
  STEP_END = 1 << 3,        /* the border turns here */
  STEP_WEST = 1 << 4,       /* the run contains the west */
  STEP_EAST = 1 << 5,       /* and the east */
  STEP_ISOLATED = 1 << 6,   /* there is no next pixel */
  STEP_FROM_ABOVE = 1 << 7, /* the previous pixel is in the row above */
  STEP_FROM_BELOW = 1 << 8,
  STEP_SLOT = 9,        /* the slot of the next passage, at the bits of the index */
  STEP_OWN_SLOT = 11,   /* the slot of this passage */
  STEP_APART = 1 << 13, /* 4-connected: there is foreground beside the next pixel, so no run_...() begins there */
};

/* The slot of the passage whose run follows a foreground pixel in DIRECTION. */
static inline uint32_t
slot_after (uint32_t direction)
{
  return (((direction | 1) + 1) & 7) >> 1;
}

static inline uint16_t
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
  step |= direction_y[former] < 0 ? STEP_FROM_ABOVE : direction_y[former] > 0 ? STEP_FROM_BELOW : 0;
  return (uint16_t) (step | slot_after ((next + 4) & 7) << STEP_SLOT | slot_after (former) << STEP_OWN_SLOT);
}

/* The same where foreground is 4-connected. A slot that points to background also names the passage with it. */
static inline uint16_t
make_step_4 (uint32_t slot, uint32_t surroundings)
{
  bool foreground[8], any = false;
  for (int d = 0; d < 8; d++) {
    foreground[d] = surroundings >> direction_bit[d] & 1;
    any |= d % 2 == 0 && foreground[d];
  }
  if (!any)
    return STEP_END | STEP_WEST | STEP_EAST | STEP_ISOLATED;
  uint32_t former = 2 * slot, step = 0;
  while (!foreground[former])
    former = (former - 2) & 7;
  uint32_t next = (former + 2) & 7;
  if (foreground[next] && foreground[former + 1])
    return 0;
  for (; !foreground[next]; next = (next + 2) & 7)
    step |= next == WEST ? STEP_WEST : next == EAST ? STEP_EAST : 0;
  step |= next | (next != ((former + 4) & 7) ? STEP_END : 0);
  step |= former == NORTH ? STEP_FROM_ABOVE : former == SOUTH ? STEP_FROM_BELOW : 0;
  step |= foreground[(next - 1) & 7] ? STEP_APART : 0;
  return (uint16_t) (step | ((next + 4) & 7) / 2 << STEP_SLOT | former / 2 << STEP_OWN_SLOT);
}

#endif

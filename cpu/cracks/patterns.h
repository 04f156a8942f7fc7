/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The foreground at a vertex, as a mask of its four pixels, and with EQUAL the groups of pixels of one level. Internal. */
#ifndef CTR_CPU_CRACKS_PATTERNS_H
#define CTR_CPU_CRACKS_PATTERNS_H

#include <stdbool.h>
#include <stdint.h>

/* The pixels around a vertex, as bits of a mask. */
enum { UPPER_LEFT = 8, UPPER_RIGHT = 4, LOWER_LEFT = 2, LOWER_RIGHT = 1 };
enum { RISING = UPPER_RIGHT | LOWER_LEFT, FALLING = UPPER_LEFT | LOWER_RIGHT }; /* the diagonals */

static inline bool
is_diagonal (uint32_t mask)
{
  return mask == RISING || mask == FALLING;
}

/* The number of corners of a vertex with the foreground MASK: two bits for each mask. */
static inline uint32_t
corners_of (uint32_t mask)
{
  const uint32_t numbers =
      1 << 2 | 1 << 4 | 1 << 8 | 1 << 16 | 1 << 14 | 1 << 22 | 1 << 26 | 1 << 28 | 2 << 2 * RISING | 2 << 2 * FALLING;
  return numbers >> 2 * mask & 3;
}

/* Which pixels of a vertex have the same level index, as groups. Only groups with corners. */
typedef struct {
  uint8_t count;
  uint8_t pixels[4]; /* the first one of each group, as index into the vertex's level indices */
  uint8_t masks[4];  /* the foreground at the level of the group */
} Groups;

/* Groups by pattern, see pattern_of(). */
typedef struct {
  Groups of[64];
} Patterns;

/* A bit for each two of four pixels that have the same level index. */
static inline uint32_t
pattern_of (uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
  return (uint32_t) ((a == b) | (a == c) << 1 | (a == d) << 2 | (b == c) << 3 | (b == d) << 4 | (c == d) << 5);
}

static inline void
patterns_init (Patterns *patterns)
{
  static const uint8_t pairs[4][4] = {{0, 1, 2, 4}, {1, 0, 8, 16}, {2, 8, 0, 32}, {4, 16, 32, 0}};
  *patterns = (Patterns){0};
  for (uint32_t pattern = 0; pattern < 64; pattern++) {
    Groups *groups = patterns->of + pattern;
    for (uint32_t i = 0; i < 4; i++) {
      uint32_t mask = UPPER_LEFT >> i;
      for (uint32_t k = 0; k < 4; k++)
        mask |= pattern & pairs[i][k] ? UPPER_LEFT >> k : 0;
      if (mask >= 2u * UPPER_LEFT >> i || corners_of (mask) == 0)
        continue;
      groups->pixels[groups->count] = (uint8_t) i;
      groups->masks[groups->count++] = (uint8_t) mask;
    }
  }
}

#endif

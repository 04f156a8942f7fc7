/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the parts of the reference share. Internal. */
#ifndef CTR_TESTS_BORDERS_REFERENCE_RULE_H
#define CTR_TESTS_BORDERS_REFERENCE_RULE_H

#include <contours/borders.h>

/* Directions, anticlockwise from the east. */
static const int reference_step_x[8] = {1, 1, 0, -1, -1, -1, 0, 1}, reference_step_y[8] = {0, -1, -1, -1, 0, 1, 1, 1};

typedef struct {
  int width, height;
  bool *foreground;
} Mask;

static inline bool
reference_is_foreground (const Mask *mask, int x, int y)
{
  return x >= 0 && y >= 0 && x < mask->width && y < mask->height && mask->foreground[(size_t) y * mask->width + x];
}

/* What borders consist of: elements that form cycles. Their numbers are 4 * pixel + 0 .. 3. */
typedef struct {
  bool (*exists) (const Mask *mask, size_t element);
  bool (*contains) (const Mask *mask, size_t element, int direction); /* the background neighbour in DIRECTION */
  size_t (*at) (const Mask *mask, int x, int y, int direction);       /* the element that contains it */
  size_t (*next) (const Mask *mask, size_t element);
  /* Writes the points of the cycle, and returns how many: at most two for each element. */
  uint32_t (*list) (const Mask *mask, size_t start, CtrApproximation approximation, CtrPoint *points);
} Rule;

extern const Rule reference_rule_of_cracks;

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Structuring elements. */
#include "core/foreground/foreground.h"

/* The nearest integer to the square root of N. No root is halfway between two integers, since (k + 1/2)^2 = k^2 + k + 1/4 is
 * none; so OpenCV's floating point finds the same. */
static uint32_t
rounded_root (uint32_t n)
{
  uint32_t root = 0;
  while (root * root + root < n)
    root++;
  return root;
}

void
ctr_shape_rows (CtrShapeRows *rows, CtrShape shape, uint32_t size)
{
  const uint32_t centre = size / 2;
  rows->size = size;
  for (uint32_t i = 0; i < size; i++) {
    const uint32_t distance = i < centre ? centre - i : i - centre;
    uint32_t reach = 0;
    if (shape == CTR_SHAPE_RECTANGLE || (shape == CTR_SHAPE_CROSS && distance == 0))
      reach = size;
    else if (shape == CTR_SHAPE_ELLIPSE)
      reach = rounded_root (centre * centre - distance * distance);
    rows->first[i] = (uint8_t) (reach < centre ? centre - reach : 0);
    rows->last[i] = (uint8_t) (centre + reach < size ? centre + reach : size - 1);
  }
}

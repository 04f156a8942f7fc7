/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Borders of 4-connected foreground by the cracks between foreground and background, which form closed lines with the
 * foreground on their left. A crack is a number: pixel * 4 + side of the pixel: 0 east, 1 north, 2 west, 3 south. The
 * points are the pixels along the line; where it turns around a pixel of background, also the one that lies in between. */
#include "tests/core/borders/reference_rule.h"

static bool
exists (const Mask *mask, size_t crack)
{
  const int x = crack / 4 % mask->width, y = (int) (crack / 4 / mask->width), d = crack % 4 * 2;
  return reference_is_foreground (mask, x, y)
         && !reference_is_foreground (mask, x + reference_step_x[d], y + reference_step_y[d]);
}

static bool
contains (const Mask *mask, size_t crack, int direction)
{
  return (int) (crack % 4 * 2) == direction;
}

static size_t
at (const Mask *mask, int x, int y, int direction)
{
  return ((size_t) y * mask->width + x) * 4 + direction / 2;
}

static size_t
next_crack (const Mask *mask, size_t crack, bool *around_background)
{
  const int x = crack / 4 % mask->width, y = (int) (crack / 4 / mask->width), side = crack % 4;
  const int ahead = (side + 1) % 4 * 2, beside = ahead - 1; /* directions to pixels */
  const int ax = x + reference_step_x[ahead], ay = y + reference_step_y[ahead];
  const int bx = x + reference_step_x[beside & 7], by = y + reference_step_y[beside & 7];
  *around_background = false;
  if (!reference_is_foreground (mask, ax, ay))
    return at (mask, x, y, ahead);
  if (!reference_is_foreground (mask, bx, by))
    return at (mask, ax, ay, 2 * side);
  *around_background = true;
  return at (mask, bx, by, (2 * side + 6) & 7);
}

static size_t
next (const Mask *mask, size_t crack)
{
  bool around_background;
  return next_crack (mask, crack, &around_background);
}

static CtrPoint
point_of (const Mask *mask, size_t crack)
{
  return (CtrPoint){(uint16_t) (crack / 4 % mask->width), (uint16_t) (crack / 4 / mask->width)};
}

static bool
is_straight (CtrPoint a, CtrPoint b, CtrPoint c)
{
  return b.x - a.x == c.x - b.x && b.y - a.y == c.y - b.y;
}

static uint32_t
list (const Mask *mask, size_t start, CtrApproximation approximation, CtrPoint *points)
{
  uint32_t count = 1;
  size_t crack = start;
  points[0] = point_of (mask, start);
  do {
    bool around_background;
    const size_t pixel = crack / 4;
    const CtrPoint from = point_of (mask, crack);
    const int ahead = (crack % 4 + 1) % 4 * 2;
    crack = next_crack (mask, crack, &around_background);
    if (around_background)
      points[count++] =
          (CtrPoint){(uint16_t) (from.x + reference_step_x[ahead]), (uint16_t) (from.y + reference_step_y[ahead])};
    if (crack / 4 != pixel)
      points[count++] = point_of (mask, crack);
  } while (crack != start);
  if (count > 1)
    count--; /* the first pixel again */
  if (approximation == CTR_APPROXIMATION_NONE || count == 1)
    return count;
  const CtrPoint first = points[0];
  CtrPoint before = points[count - 1];
  uint32_t kept = 0;
  for (uint32_t i = 0; i < count; i++) {
    const CtrPoint here = points[i];
    if (!is_straight (before, here, i + 1 < count ? points[i + 1] : first))
      points[kept++] = here;
    before = here;
  }
  return kept;
}

const Rule reference_rule_of_cracks = {exists, contains, at, next, list};

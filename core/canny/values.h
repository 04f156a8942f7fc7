/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a pixel is worth in the outputs of Canny other than its edges (CtrCannyOutput), for both backends. Internal. */
#ifndef CTR_CORE_CANNY_VALUES_H
#define CTR_CORE_CANNY_VALUES_H

#include "core/canny/canny.h"

/* The direction of the gradient, by the rules in canny.h. */
enum {
  CTR_SECTOR_ACROSS,  /* left to right */
  CTR_SECTOR_FALLING, /* upper left to lower right */
  CTR_SECTOR_UPRIGHT, /* up and down */
  CTR_SECTOR_RISING   /* upper right to lower left */
};

CTR_CANNY_FUNC uint32_t
ctr_canny_sector (int32_t dx, int32_t dy)
{
  const int64_t x = dx < 0 ? -(int64_t) dx : dx, y = 32768 * (dy < 0 ? -(int64_t) dy : (int64_t) dy);
  if (y < 13573 * x)
    return CTR_SECTOR_ACROSS;
  if (y > (13573 + 65536) * x)
    return CTR_SECTOR_UPRIGHT;
  return (dx ^ dy) < 0 ? CTR_SECTOR_RISING : CTR_SECTOR_FALLING;
}

CTR_CANNY_FUNC int64_t
ctr_canny_magnitude (int32_t dx, int32_t dy, bool l2_gradient)
{
  if (l2_gradient)
    return (int64_t) dx * dx + (int64_t) dy * dy;
  return (dx < 0 ? -(int64_t) dx : (int64_t) dx) + (dy < 0 ? -(int64_t) dy : (int64_t) dy);
}

/* The square root, rounded down. */
CTR_CANNY_FUNC uint32_t
ctr_canny_root (uint64_t square)
{
  uint64_t root = 0;
  for (uint64_t bit = (uint64_t) 1 << 31; bit; bit >>= 1)
    if ((root | bit) * (root | bit) <= square)
      root |= bit;
  return (uint32_t) root;
}

/* The value of a pixel with magnitude M, for CTR_CANNY_GRADIENT. */
CTR_CANNY_FUNC uint16_t
ctr_canny_gradient_value (int64_t m, uint32_t aperture, bool l2_gradient, bool wide)
{
  const uint32_t gain = aperture == 3 ? 1 : aperture == 5 ? 12 : 10, white = wide ? 65535 : 255;
  const uint64_t level = (l2_gradient ? ctr_canny_root ((uint64_t) m) : (uint64_t) m) / gain;
  return (uint16_t) ((level < white ? level : white) * (wide ? 1 : 257));
}

/* The value of a pixel whose magnitude exceeds the low threshold, for CTR_CANNY_DIRECTION. */
CTR_CANNY_FUNC uint16_t
ctr_canny_direction_value (int32_t dx, int32_t dy)
{
  const uint32_t sector = ctr_canny_sector (dx, dy);
  return (uint16_t) ((sector == CTR_SECTOR_RISING ? 255 : 64 * (sector + 1)) * 257);
}

/* The value of a candidate, for CTR_CANNY_CANDIDATES. */
CTR_CANNY_FUNC uint16_t
ctr_canny_candidate_value (bool strong)
{
  return strong ? 65535 : 128 * 257;
}

#endif

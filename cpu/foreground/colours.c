/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The rules of core/foreground/colour.h on vectors. Products and quotients are those of floating point, whose integers are
 * exact up to 2^24. A quotient of OpenCV's tables is at least 0.5 / divisor from the middle between two integers, and its
 * rounding error is less than 0.02 / divisor. */
#include "core/foreground/colour.h"

#include "cpu/foreground/kernels.h"
#include "cpu/foreground/lanes.h"

typedef float Reals __attribute__ ((vector_size (VECTOR_BYTES)));

ALWAYS_INLINE Reals
reals_of (Int32s numbers)
{
  return __builtin_convertvector(numbers, Reals);
}

ALWAYS_INLINE Int32s
select_numbers (Int32s condition, Int32s yes, Int32s no)
{
  return (yes & condition) | (no & ~condition);
}

ALWAYS_INLINE Int32s
greatest (Int32s a, Int32s b)
{
  return select_numbers (a > b, a, b);
}

ALWAYS_INLINE Int32s
least (Int32s a, Int32s b)
{
  return select_numbers (a < b, a, b);
}

/* (FACTOR * round (NUMERATOR / DIVISOR) + 2^11) >> 12; where the divisor is 0, so is the factor. */
ALWAYS_INLINE Int32s
scale (Int32s factor, float numerator, Int32s divisor)
{
  const Reals quotient = numerator / reals_of (greatest (divisor, (Int32s){0} + 1));
  const Reals rounded = reals_of (__builtin_convertvector(quotient + 0.5f, Int32s));
  return (__builtin_convertvector(reals_of (factor) * rounded, Int32s) + (1 << 11)) >> 12;
}

ALWAYS_INLINE Int32s
hue (Int32s r, Int32s g, Int32s b)
{
  const Int32s value = greatest (r, greatest (g, b)), chroma = value - least (r, least (g, b));
  const Int32s sixths =
      select_numbers (value == r, g - b, select_numbers (value == g, b - r + 2 * chroma, r - g + 4 * chroma));
  const Int32s found = scale (sixths, CTR_HUE_NUMERATOR, chroma);
  return found + (180 & (found < 0));
}

ALWAYS_INLINE Int32s
saturation (Int32s r, Int32s g, Int32s b)
{
  const Int32s value = greatest (r, greatest (g, b));
  return scale (value - least (r, least (g, b)), CTR_SATURATION_NUMERATOR, value);
}

/* ctr_colour_difference() of COLOUR to the luma. */
ALWAYS_INLINE Int32s
difference (Int32s r, Int32s g, Int32s b, Int32s colour, float weight)
{
  const Reals weighted = 4899 * reals_of (r) + 9617 * reals_of (g) + 1868 * reals_of (b);
  const Int32s luma = (__builtin_convertvector(weighted, Int32s) + (1 << 13)) >> 14;
  const Int32s product = __builtin_convertvector(weight * reals_of (colour - luma), Int32s);
  const Int32s sample = (product + (128 << 14) + (1 << 13)) >> 14;
  return greatest ((Int32s){0}, least ((Int32s){0} + 255, sample));
}

ALWAYS_INLINE Int32s
convert (CtrChannel channel, Int32s r, Int32s g, Int32s b)
{
  switch (channel) {
    case CTR_CHANNEL_HUE:
      return hue (r, g, b);
    case CTR_CHANNEL_SATURATION:
      return saturation (r, g, b);
    case CTR_CHANNEL_CB:
      return difference (r, g, b, b, 9241);
    case CTR_CHANNEL_CR:
      return difference (r, g, b, r, 11682);
    default:
      return greatest (r, greatest (g, b));
  }
}

ALWAYS_INLINE void
convert_row (
    CtrChannel channel, const uint8_t *red, const uint8_t *green, const uint8_t *blue, uint32_t width, uint8_t *to)
{
  for (uint32_t x = 0; x < width; x += LANES) {
    const Halves r = widen (load_samples (red + x)), g = widen (load_samples (green + x)),
                 b = widen (load_samples (blue + x));
    store_samples (
        to + x, (Halves){convert (channel, r.first, g.first, b.first), convert (channel, r.last, g.last, b.last)});
  }
}

/* Constant arguments give one loop for each channel. */
void
CTR_KERNEL (ctr_convert_colours) (
    CtrChannel channel, const uint8_t *red, const uint8_t *green, const uint8_t *blue, uint32_t width, uint8_t *to)
{
  switch (channel) {
    case CTR_CHANNEL_HUE:
      convert_row (CTR_CHANNEL_HUE, red, green, blue, width, to);
      break;
    case CTR_CHANNEL_SATURATION:
      convert_row (CTR_CHANNEL_SATURATION, red, green, blue, width, to);
      break;
    case CTR_CHANNEL_CB:
      convert_row (CTR_CHANNEL_CB, red, green, blue, width, to);
      break;
    case CTR_CHANNEL_CR:
      convert_row (CTR_CHANNEL_CR, red, green, blue, width, to);
      break;
    default:
      convert_row (CTR_CHANNEL_VALUE, red, green, blue, width, to);
  }
}

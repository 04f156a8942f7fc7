/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The rules of core/foreground/colour.h on vectors. Products and quotients are those of floating point, whose integers are
 * exact up to 2^24. A quotient of OpenCV's tables is at least 0.5 / divisor from the middle between two integers, and its
 * rounding error is less than 0.02 / divisor. */
#include "core/foreground/colour.h"

#include "cpu/foreground/kernels.h"
#include "cpu/foreground/lanes.h"

typedef float Reals __attribute__ ((vector_size (VECTOR_BYTES)));

/* LANES pixels. */
typedef struct {
  Int16s r, g, b;
  Int16s value, chroma; /* of HSV */
} Colours;

ALWAYS_INLINE Colours
load_colours (const uint8_t *red, const uint8_t *green, const uint8_t *blue)
{
  const Int16s r = (Int16s) load_samples (red), g = (Int16s) load_samples (green), b = (Int16s) load_samples (blue);
  const Int16s value = greatest_int16s (r, greatest_int16s (g, b));
  return (Colours){r, g, b, value, value - least_int16s (r, least_int16s (g, b))};
}

ALWAYS_INLINE Reals
reals_of (Int32s numbers)
{
  return __builtin_convertvector(numbers, Reals);
}

/* (FACTOR * round (NUMERATOR / DIVISOR) + 2^11) >> 12, of a divisor above 0. */
ALWAYS_INLINE Int32s
scale_half (Int32s factor, float numerator, Int32s divisor)
{
  const float rounding = 1 << 23; /* A sum above it has no room for a fraction. */
  const Reals rounded = (numerator / reals_of (divisor) + rounding) - rounding;
  return (__builtin_convertvector(reals_of (factor) * rounded, Int32s) + (1 << 11)) >> 12;
}

/* Where the divisor is 0, so is the factor. */
ALWAYS_INLINE Int16s
scale (Int16s factor, float numerator, Int16s divisor)
{
  const Halves factors = widen_signed (factor);
  const Halves divisors = widen ((UInt16s) greatest_int16s (divisor, (Int16s){0} + 1));
  return narrow ((Halves){
      scale_half (factors.first, numerator, divisors.first), scale_half (factors.last, numerator, divisors.last)});
}

ALWAYS_INLINE Int16s
select_int16s (Int16s condition, Int16s yes, Int16s no)
{
  return (yes & condition) | (no & ~condition);
}

ALWAYS_INLINE Int16s
hue (Colours c)
{
  const Int16s sixths = select_int16s (
      c.value == c.r, c.g - c.b, select_int16s (c.value == c.g, c.b - c.r + 2 * c.chroma, c.r - c.g + 4 * c.chroma));
  const Int16s found = scale (sixths, CTR_HUE_NUMERATOR, c.chroma);
  return found + (180 & (found < 0));
}

ALWAYS_INLINE Int16s
saturation (Colours c)
{
  return scale (c.chroma, CTR_SATURATION_NUMERATOR, c.value);
}

/* ctr_colour_difference() of COLOUR to the luma, but for its limits. */
ALWAYS_INLINE Int32s
difference_half (Int32s r, Int32s g, Int32s b, Int32s colour, float weight)
{
  const Reals weighted = 4899 * reals_of (r) + 9617 * reals_of (g) + 1868 * reals_of (b);
  const Int32s luma = (__builtin_convertvector(weighted, Int32s) + (1 << 13)) >> 14;
  const Int32s product = __builtin_convertvector(weight * reals_of (colour - luma), Int32s);
  return (product + (128 << 14) + (1 << 13)) >> 14;
}

ALWAYS_INLINE Int16s
difference (Colours c, Int16s colour, float weight)
{
  const Halves r = widen ((UInt16s) c.r), g = widen ((UInt16s) c.g), b = widen ((UInt16s) c.b),
               from = widen ((UInt16s) colour);
  const Int16s sample = narrow ((Halves){difference_half (r.first, g.first, b.first, from.first, weight),
      difference_half (r.last, g.last, b.last, from.last, weight)});
  return greatest_int16s ((Int16s){0}, least_int16s ((Int16s){0} + 255, sample));
}

/* The samples of a channel but the luma. */
ALWAYS_INLINE Int16s
samples_of (CtrChannel channel, Colours c)
{
  switch (channel) {
    case CTR_CHANNEL_RED:
      return c.r;
    case CTR_CHANNEL_GREEN:
      return c.g;
    case CTR_CHANNEL_BLUE:
      return c.b;
    case CTR_CHANNEL_HUE:
      return hue (c);
    case CTR_CHANNEL_SATURATION:
      return saturation (c);
    case CTR_CHANNEL_CB:
      return difference (c, c.b, 9241);
    case CTR_CHANNEL_CR:
      return difference (c, c.r, 11682);
    default:
      return c.value;
  }
}

ALWAYS_INLINE void
convert_row (
    CtrChannel channel, const uint8_t *red, const uint8_t *green, const uint8_t *blue, uint32_t width, uint8_t *to)
{
  for (uint32_t x = 0; x < width; x += LANES)
    store_samples (to + x, samples_of (channel, load_colours (red + x, green + x, blue + x)));
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

/* Which of LANES pixels are in the range of CHANNEL, if it has one? -1 or 0. */
ALWAYS_INLINE Int16s
in_range (const CtrForeground *foreground, CtrChannel channel, Colours colours)
{
  if (!(foreground->ranges >> channel & 1))
    return (Int16s){0} - 1;
  /* Modulo 256 a range that goes through 0 is like any other. */
  const int16_t lower = foreground->lower[channel], length = (uint8_t) (foreground->upper[channel] - lower);
  return ((samples_of (channel, colours) - lower) & 255) <= (Int16s){0} + length;
}

/* In all ranges but that of the luma? Constant channels leave only what each needs. */
ALWAYS_INLINE Int16s
in_ranges (const CtrForeground *f, Colours c)
{
  return in_range (f, CTR_CHANNEL_RED, c) & in_range (f, CTR_CHANNEL_GREEN, c) & in_range (f, CTR_CHANNEL_BLUE, c)
         & in_range (f, CTR_CHANNEL_HUE, c) & in_range (f, CTR_CHANNEL_SATURATION, c)
         & in_range (f, CTR_CHANNEL_VALUE, c) & in_range (f, CTR_CHANNEL_CB, c) & in_range (f, CTR_CHANNEL_CR, c);
}

void
CTR_KERNEL (ctr_select_colours) (const CtrForeground *foreground, const uint8_t *red, const uint8_t *green,
    const uint8_t *blue, uint32_t width, uint64_t *bits)
{
  for (uint32_t x = 0; x < width; x += 64) {
    uint64_t word = 0;
    for (uint32_t i = x; i < x + 64; i += 2 * LANES) {
      const uint32_t next = i + LANES;
      const Int16s first = in_ranges (foreground, load_colours (red + i, green + i, blue + i)),
                   last = in_ranges (foreground, load_colours (red + next, green + next, blue + next));
      word |= (uint64_t) mask_to_bits (first, last) << (i - x);
    }
    bits[x / 64] &= word;
  }
}

#ifdef CTR_AVX2
/* 16 pixels of 3 bytes. */
ALWAYS_INLINE void
split_16_of_3 (const uint8_t *pixels, const uint8_t places[3][3][16], __m128i samples[3])
{
  __m128i from[3];
  memcpy (from, pixels, sizeof from);
  for (int colour = 0; colour < 3; colour++) {
    samples[colour] = _mm_setzero_si128 ();
    for (int i = 0; i < 3; i++)
      samples[colour] = _mm_or_si128 (
          samples[colour], _mm_shuffle_epi8 (from[i], _mm_loadu_si128 ((const __m128i *) places[colour][i])));
  }
}

/* 16 pixels of 4 bytes, of which the colours begin with byte FIRST, 0 or 1. */
ALWAYS_INLINE void
split_16_of_4 (const uint8_t *pixels, int first, __m128i samples[3])
{
  const __m128i places = _mm_add_epi8 (_mm_setr_epi8 (0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, -1, -1, -1, -1),
      _mm_set1_epi8 ((char) first)); /* the last ones do not matter */
  __m128i from[4];
  memcpy (from, pixels, sizeof from);
  for (int i = 0; i < 4; i++)
    from[i] = _mm_shuffle_epi8 (from[i], places);
  const __m128i low = _mm_unpacklo_epi32 (from[0], from[1]), next_low = _mm_unpacklo_epi32 (from[2], from[3]);
  const __m128i high = _mm_unpackhi_epi32 (from[0], from[1]), next_high = _mm_unpackhi_epi32 (from[2], from[3]);
  samples[0] = _mm_unpacklo_epi64 (low, next_low);
  samples[1] = _mm_unpackhi_epi64 (low, next_low);
  samples[2] = _mm_unpacklo_epi64 (high, next_high);
}
#endif

/* Splits whole groups of 16 pixels. Returns the number of pixels. */
ALWAYS_INLINE uint32_t
split_groups (const uint8_t *pixels, uint32_t size, uint32_t first, uint32_t width, uint8_t *const to[3])
{
  uint32_t x = 0;
#ifdef CTR_AVX2
  uint8_t places[3][3][16]; /* of each colour: in a vector of pixels, that of a sample, or none */
  memset (places, 0x80, sizeof places);
  for (int i = 0; i < 48; i++)
    places[i % 3][i / 16][i / 3] = (uint8_t) (i % 16);
  for (; x + 16 <= width; x += 16) {
    __m128i samples[3];
    if (size == 3)
      split_16_of_3 (pixels + (size_t) x * size, places, samples);
    else
      split_16_of_4 (pixels + (size_t) x * size, (int) first, samples);
    for (int colour = 0; colour < 3; colour++)
      _mm_storeu_si128 ((__m128i *) (to[colour] + x), samples[colour]);
  }
#endif
  return x;
}

ALWAYS_INLINE void
split_row (const uint8_t *pixels, uint32_t size, uint32_t first, uint32_t width, uint8_t *const to[3])
{
  const uint32_t done = split_groups (pixels, size, first, width, to);
  for (uint32_t colour = 0; colour < 3; colour++) {
    const uint8_t *from = pixels + first + colour;
    uint8_t *samples = to[colour];
    for (uint32_t x = done; x < width; x++)
      samples[x] = from[(size_t) x * size];
  }
}

/* Constant sizes give one tight loop each. */
void
CTR_KERNEL (ctr_split_colours) (
    const uint8_t *pixels, uint32_t size, uint32_t first, uint32_t width, uint8_t *const to[3])
{
  if (size == 3)
    split_row (pixels, 3, 0, width, to);
  else
    split_row (pixels, 4, first, width, to);
}

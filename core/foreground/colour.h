/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Channels of packed RGB (CtrChannel), for the host and for CUDA device code: OpenCV's cvtColor() with COLOR_RGB2HSV and
 * COLOR_RGB2YCrCb on 8 bits, for every colour. Internal. */
#ifndef CTR_CORE_FOREGROUND_COLOUR_H
#define CTR_CORE_FOREGROUND_COLOUR_H

#include <contours/foreground.h>
#include <contours/image.h>

#ifdef __CUDACC__
#define CTR_COLOUR_FUNC static inline __host__ __device__
#else
#define CTR_COLOUR_FUNC static inline
#endif

/* OpenCV's tables, in 1/4096: 255 / I for the saturation, 180 / (6 I) for the hue, rounded to the nearest integer, and 0
 * for I = 0. No quotient is halfway between two integers. */
CTR_COLOUR_FUNC int32_t
ctr_colour_quotient (int32_t numerator, int32_t i)
{
  return i ? (numerator + i / 2) / i : 0;
}
#define CTR_SATURATION_NUMERATOR (255 << 12)
#define CTR_HUE_NUMERATOR ((180 << 12) / 6)

CTR_COLOUR_FUNC int32_t
ctr_colour_max (int32_t a, int32_t b)
{
  return a > b ? a : b;
}

CTR_COLOUR_FUNC int32_t
ctr_colour_min (int32_t a, int32_t b)
{
  return a < b ? a : b;
}

CTR_COLOUR_FUNC int32_t
ctr_colour_value (int32_t r, int32_t g, int32_t b)
{
  return ctr_colour_max (r, ctr_colour_max (g, b));
}

CTR_COLOUR_FUNC int32_t
ctr_colour_chroma (int32_t r, int32_t g, int32_t b)
{
  return ctr_colour_value (r, g, b) - ctr_colour_min (r, ctr_colour_min (g, b));
}

/* QUOTIENT: ctr_colour_quotient (CTR_SATURATION_NUMERATOR, value). */
CTR_COLOUR_FUNC int32_t
ctr_colour_saturation (int32_t r, int32_t g, int32_t b, int32_t quotient)
{
  return (ctr_colour_chroma (r, g, b) * quotient + (1 << 11)) >> 12;
}

/* QUOTIENT: ctr_colour_quotient (CTR_HUE_NUMERATOR, chroma). */
CTR_COLOUR_FUNC int32_t
ctr_colour_hue (int32_t r, int32_t g, int32_t b, int32_t quotient)
{
  const int32_t value = ctr_colour_value (r, g, b), chroma = ctr_colour_chroma (r, g, b);
  const int32_t sixths = value == r ? g - b : value == g ? b - r + 2 * chroma : r - g + 4 * chroma;
  const int32_t hue = (sixths * quotient + (1 << 11)) >> 12; /* towards minus infinity */
  return hue < 0 ? hue + 180 : hue;
}

/* The luma of Y'CrCb, whose weights have a bit less than those of CTR_CHANNEL_LUMA. */
CTR_COLOUR_FUNC int32_t
ctr_colour_y (int32_t r, int32_t g, int32_t b)
{
  return (4899 * r + 9617 * g + 1868 * b + (1 << 13)) >> 14;
}

CTR_COLOUR_FUNC int32_t
ctr_colour_difference (int32_t difference, int32_t weight)
{
  const int32_t sample = (difference * weight + (128 << 14) + (1 << 13)) >> 14;
  return ctr_colour_max (0, ctr_colour_min (255, sample));
}

CTR_COLOUR_FUNC int32_t
ctr_colour_cb (int32_t r, int32_t g, int32_t b)
{
  return ctr_colour_difference (b - ctr_colour_y (r, g, b), 9241);
}

CTR_COLOUR_FUNC int32_t
ctr_colour_cr (int32_t r, int32_t g, int32_t b)
{
  return ctr_colour_difference (r - ctr_colour_y (r, g, b), 11682);
}

/* The sample of CHANNEL of a colour. LUMA is that of image.h. */
CTR_COLOUR_FUNC int32_t
ctr_colour_channel (CtrChannel channel, int32_t r, int32_t g, int32_t b)
{
  switch (channel) {
    case CTR_CHANNEL_RED:
      return r;
    case CTR_CHANNEL_GREEN:
      return g;
    case CTR_CHANNEL_BLUE:
      return b;
    case CTR_CHANNEL_HUE:
      return ctr_colour_hue (r, g, b, ctr_colour_quotient (CTR_HUE_NUMERATOR, ctr_colour_chroma (r, g, b)));
    case CTR_CHANNEL_SATURATION:
      return ctr_colour_saturation (
          r, g, b, ctr_colour_quotient (CTR_SATURATION_NUMERATOR, ctr_colour_value (r, g, b)));
    case CTR_CHANNEL_VALUE:
      return ctr_colour_value (r, g, b);
    case CTR_CHANNEL_CB:
      return ctr_colour_cb (r, g, b);
    case CTR_CHANNEL_CR:
      return ctr_colour_cr (r, g, b);
    case CTR_CHANNEL_LUMA:
      break;
  }
  return (9798 * r + 19235 * g + 3735 * b + (1 << 14)) >> 15;
}

/* The bytes of red, green and blue in a pixel of packed RGB. */
typedef struct {
  uint8_t red, green, blue;
} CtrRgbOrder;

CTR_COLOUR_FUNC CtrRgbOrder
ctr_rgb_order (CtrFormat format)
{
  const uint8_t first = format == CTR_FORMAT_XRGB || format == CTR_FORMAT_XBGR;
  const bool reversed = format == CTR_FORMAT_BGR || format == CTR_FORMAT_BGRX || format == CTR_FORMAT_XBGR;
  CtrRgbOrder order;
  order.red = (uint8_t) (first + (reversed ? 2 : 0));
  order.green = (uint8_t) (first + 1);
  order.blue = (uint8_t) (first + (reversed ? 0 : 2));
  return order;
}

#endif

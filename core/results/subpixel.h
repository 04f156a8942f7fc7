/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Subpixel contours (include/contours/subpixel.h): what both backends compute alike, point by point. Internal.
 *
 * All is done in integers, but for square roots, which both backends round correctly. Samples outside the image are those at its
 * edge. An axis is a row or a column in the direction of the background: A counts pixels along it, B across. */
#ifndef CTR_CORE_RESULTS_SUBPIXEL_H
#define CTR_CORE_RESULTS_SUBPIXEL_H

#include <contours/foreground.h>
#include <contours/subpixel.h>

#include <math.h>

CTR_BEGIN_DECLS

#ifdef __CUDACC__
#define CTR_SUBPIXEL_RULE static inline __host__ __device__
#else
#define CTR_SUBPIXEL_RULE static inline
#endif

#ifdef __CUDA_ARCH__
#define CTR_SUBPIXEL_UNROLL _Pragma ("unroll")
#else
#define CTR_SUBPIXEL_UNROLL
#endif

enum {
  CTR_SUBPIXEL_REACH = 2,                           /* pixels from the point in which an edge is looked for */
  CTR_SUBPIXEL_PLACES = 2 * CTR_SUBPIXEL_REACH + 1, /* pixels on the axis with derivatives */
  CTR_SUBPIXEL_RADIUS = 14,                         /* of the weights of CTR_SUBPIXEL_MAX_SIGMA */
  CTR_SUBPIXEL_TAPS = CTR_SUBPIXEL_RADIUS + CTR_SUBPIXEL_PLACES + 1, /* with zeros behind */
  CTR_SUBPIXEL_WEIGHT_BITS = 14
};

/* How the points of an image are refined. The same for all images with the same parameters. */
typedef struct {
  uint32_t method;  /* CtrSubpixel */
  int32_t polarity; /* 1: the foreground is brighter than the background; -1: darker, and of edge pixels; 0: either */
  uint32_t radius;  /* EDGE: of the weights */
  int32_t inverse;  /* EDGE: 2^12 / sigma */
  /* EDGE: by distance from the centre, those of a Gaussian, of its first derivative times sigma, which is odd, and of its second
   * derivative times sigma^2. */
  int16_t weights[3][CTR_SUBPIXEL_TAPS];
} CtrSubpixelRule;

/* Sets up RULE for valid parameters. SIGMA 0: CTR_SUBPIXEL_SIGMA. FOREGROUND NULL: for edge pixels. */
void ctr_subpixel_rule_init (CtrSubpixelRule *rule, CtrSubpixel method, double sigma, const CtrForeground *foreground);

/* Is METHOD defined for FOREGROUND, or for edge pixels if that is NULL? */
bool ctr_subpixel_check (CtrSubpixel method, double sigma, const CtrForeground *foreground, CtrError *error);

/* The samples that are compared, with those of the channel of the foreground in place of colours. */
typedef struct {
  const uint8_t *data;
  size_t stride; /* bytes */
  int32_t width, height;
  uint32_t depth; /* bits of a sample: 8 or 16 */
} CtrSubpixelPlane;

/* The channel whose samples are refined. With ranges of channels, none is compared with a level: then it is the luma. */
static inline CtrChannel
ctr_subpixel_channel (const CtrForeground *foreground)
{
  return foreground->ranges ? CTR_CHANNEL_LUMA : foreground->channel;
}

CTR_SUBPIXEL_RULE int32_t
ctr_subpixel_clamp (int32_t i, int32_t count)
{
  return i < 0 ? 0 : i < count ? i : count - 1;
}

CTR_SUBPIXEL_RULE int32_t
ctr_subpixel_load (const CtrSubpixelPlane *plane, const uint8_t *row, int32_t x)
{
  return plane->depth == 8 ? row[x] : ((const uint16_t *) row)[x];
}

CTR_SUBPIXEL_RULE int32_t
ctr_subpixel_sample (const CtrSubpixelPlane *plane, int32_t x, int32_t y)
{
  return ctr_subpixel_load (plane, plane->data + (size_t) ctr_subpixel_clamp (y, plane->height) * plane->stride,
      ctr_subpixel_clamp (x, plane->width));
}

CTR_SUBPIXEL_RULE int32_t
ctr_subpixel_sign (int64_t value)
{
  return (value > 0) - (value < 0);
}

CTR_SUBPIXEL_RULE uint64_t
ctr_subpixel_abs (int64_t value)
{
  return value < 0 ? 0 - (uint64_t) value : (uint64_t) value;
}

/* The number of bits of VALUE, without the leading zeros. */
CTR_SUBPIXEL_RULE int
ctr_subpixel_bits (uint64_t value)
{
#ifdef __CUDA_ARCH__
  return 64 - __clzll ((long long) value);
#else
  return value ? 64 - __builtin_clzll (value) : 0;
#endif
}

/* NUMERATOR / DENOMINATOR, rounded down. Less than 2^16; NUMERATOR, 2 DENOMINATOR < 2^63 */
CTR_SUBPIXEL_RULE uint32_t
ctr_subpixel_quotient (uint64_t numerator, uint64_t denominator)
{
#ifdef __CUDA_ARCH__
  /* Floats come within 1, in a fraction of the time. */
  const uint32_t near = (uint32_t) ((float) numerator / (float) denominator);
  const int64_t rest = (int64_t) (numerator - near * denominator);
  return near + (rest >= (int64_t) denominator) - (rest < 0);
#else
  return (uint32_t) (numerator / denominator);
#endif
}

/* NUMERATOR / DENOMINATOR in 1/256, rounded to the nearest, halves upwards. NUMERATOR <= DENOMINATOR < 2^53 */
CTR_SUBPIXEL_RULE int32_t
ctr_subpixel_fraction (uint64_t numerator, uint64_t denominator)
{
  return (int32_t) ctr_subpixel_quotient ((numerator << 9) + denominator, 2 * denominator);
}

/* The length of a vector, rounded down. */
CTR_SUBPIXEL_RULE uint64_t
ctr_subpixel_length (int64_t x, int64_t y)
{
  return (uint64_t) sqrt ((double) (x * x + y * y));
}

/* The direction of a vector in CTR_SUBPIXEL_NORMAL_UNIT, within 1; 0 for the vector 0. */
CTR_SUBPIXEL_RULE uint16_t
ctr_subpixel_angle (int64_t x, int64_t y)
{
  const uint64_t u = ctr_subpixel_abs (x), v = ctr_subpixel_abs (y), most = u > v ? u : v, least = u > v ? v : u;
  if (most == 0)
    return 0;
  /* The arctangent of a slope in 2^-15, in 1/16 units: Abramowitz and Stegun, 4.4.49. */
  const int32_t z = (int32_t) ctr_subpixel_quotient (least << 15, most), square = (z * z) >> 15;
  int32_t sum = 3477;
  sum = (int32_t) (((int64_t) sum * square) >> 15) - 14208;
  sum = (int32_t) (((int64_t) sum * square) >> 15) + 30063;
  sum = (int32_t) (((int64_t) sum * square) >> 15) - 55122;
  sum = (int32_t) (((int64_t) sum * square) >> 15) + 166864;
  const int32_t octant = ((int32_t) (((int64_t) sum * z) >> 15) + 8) >> 4;
  const int32_t quadrant = u >= v ? octant : 16384 - octant;
  return (uint16_t) (x >= 0 ? (y >= 0 ? quadrant : -quadrant) : (y >= 0 ? 32768 - quadrant : 32768 + quadrant));
}

/* A point as it is, with its normal. */
CTR_SUBPIXEL_RULE CtrSubpixelPoint
ctr_subpixel_keep (CtrPoint point, int32_t nx, int32_t ny, uint16_t flags)
{
  const CtrSubpixelPoint kept = {
      (int32_t) point.x * 256, (int32_t) point.y * 256, 0, ctr_subpixel_angle (nx, ny), flags};
  return kept;
}

CTR_END_DECLS

#endif

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
#define CTR_SUBPIXEL_ROLL _Pragma ("unroll 1")
#else
#define CTR_SUBPIXEL_UNROLL
#define CTR_SUBPIXEL_ROLL
#endif

enum {
  CTR_SUBPIXEL_REACH = 2,                           /* pixels from the point in which an edge is looked for */
  CTR_SUBPIXEL_PLACES = 2 * CTR_SUBPIXEL_REACH + 1, /* pixels on the axis with derivatives */
  CTR_SUBPIXEL_RADIUS = 14,                         /* of the weights of CTR_SUBPIXEL_MAX_SIGMA */
  CTR_SUBPIXEL_TAPS = CTR_SUBPIXEL_RADIUS + CTR_SUBPIXEL_PLACES + 1, /* with zeros behind */
  CTR_SUBPIXEL_WEIGHT_BITS = 14,
  CTR_SUBPIXEL_USUAL_RADIUS = 4, /* of the weights of CTR_SUBPIXEL_SIGMA */
  CTR_SUBPIXEL_PAIRS = (2 * CTR_SUBPIXEL_USUAL_RADIUS + 1 + 1) / 2,
  CTR_SUBPIXEL_BESIDE = 128 /* from a pixel to the middle between it and its neighbour, in 1/256 pixel */
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
  /* With the radius CTR_SUBPIXEL_USUAL_RADIUS the same weights, as subpixel_window.h takes them: two successive ones across an axis
   * in a word, and along it the first derivative, the same against the axis, the Gaussian and the second derivative. */
  uint32_t pairs[3][CTR_SUBPIXEL_PAIRS];
  int32_t along[4][CTR_SUBPIXEL_USUAL_RADIUS + 1];
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

/* NUMERATOR / DENOMINATOR, rounded down: less than 2^16. NUMERATOR < 2^63 */
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

#include "core/results/subpixel_threshold.h"

/* Sums of weighted samples at one place on the axis: the first derivatives times sigma, the second ones times sigma^2, all
 * times 2^28. */
typedef struct {
  int64_t a, b, aa, ab, bb;
} CtrSubpixelSums;

/* Adds up the sums at all places. RADIUS: that of the rule. (AX, AY): the direction of the axis. INSIDE: no sample lies outside
 * the image. */
CTR_SUBPIXEL_RULE void
ctr_subpixel_derive_within (const CtrSubpixelRule *rule, int32_t radius, const CtrSubpixelPlane *plane, CtrPoint point,
    int32_t ax, int32_t ay, bool inside, CtrSubpixelSums sums[CTR_SUBPIXEL_PLACES])
{
  const int32_t reach = radius + CTR_SUBPIXEL_REACH;
  const int32_t bx = ay ? 1 : 0, by = ax ? 1 : 0;
  for (int k = 0; k < CTR_SUBPIXEL_PLACES; k++) {
    const CtrSubpixelSums none = {0, 0, 0, 0, 0};
    sums[k] = none;
  }
  CTR_SUBPIXEL_ROLL
  for (int32_t c = -reach; c <= reach; c++) {
    const int32_t x = point.x + c * ax, y = point.y + c * ay;
    const uint8_t *const at = plane->data + (inside ? (size_t) y * plane->stride : 0);
    /* Sums across the axis. */
    const int32_t centre = inside ? ctr_subpixel_load (plane, at, x) : ctr_subpixel_sample (plane, x, y);
    int32_t smooth = rule->weights[0][0] * centre, slope = 0, bend = rule->weights[2][0] * centre;
    CTR_SUBPIXEL_UNROLL
    for (int32_t j = 1; j <= radius; j++) {
      int32_t ahead, behind;
      if (inside) {
        const ptrdiff_t step = (ptrdiff_t) ((size_t) (j * by) * plane->stride);
        ahead = ctr_subpixel_load (plane, at + step, x + j * bx);
        behind = ctr_subpixel_load (plane, at - step, x - j * bx);
      } else {
        ahead = ctr_subpixel_sample (plane, x + j * bx, y + j * by);
        behind = ctr_subpixel_sample (plane, x - j * bx, y - j * by);
      }
      smooth += rule->weights[0][j] * (ahead + behind);
      slope += rule->weights[1][j] * (ahead - behind);
      bend += rule->weights[2][j] * (ahead + behind);
    }
    CTR_SUBPIXEL_UNROLL
    for (int k = 0; k < CTR_SUBPIXEL_PLACES; k++) {
      const int32_t from = c - (k - CTR_SUBPIXEL_REACH), distance = from < 0 ? -from : from;
      const int64_t g = rule->weights[0][distance], gg = rule->weights[2][distance];
      const int64_t d = from < 0 ? -rule->weights[1][distance] : rule->weights[1][distance];
      sums[k].a += d * smooth;
      sums[k].b += g * slope;
      sums[k].aa += gg * smooth;
      sums[k].ab += d * slope;
      sums[k].bb += g * bend;
    }
  }
}

#include "core/results/subpixel_window.h"

CTR_SUBPIXEL_RULE void
ctr_subpixel_derive (const CtrSubpixelRule *rule, const CtrSubpixelPlane *plane, CtrPoint point, int32_t ax, int32_t ay,
    bool inside, CtrSubpixelSums sums[CTR_SUBPIXEL_PLACES])
{
#ifdef __CUDA_ARCH__
  const int32_t room = CTR_SUBPIXEL_USUAL_RADIUS + CTR_SUBPIXEL_REACH + CTR_SUBPIXEL_ROOM;
  if (inside && rule->radius == CTR_SUBPIXEL_USUAL_RADIUS) {
    if (plane->depth == 16) { /* What is constant lets the compiler unroll the inner loop. */
      CtrSubpixelPlane samples = *plane;
      samples.depth = 16;
      ctr_subpixel_derive_within (rule, CTR_SUBPIXEL_USUAL_RADIUS, &samples, point, ax, ay, true, sums);
      return;
    }
    if (point.x >= room && point.x + room < plane->width && plane->stride % 4 == 0) {
      ctr_subpixel_derive_bytes (rule, plane, point, ax, ay, sums);
      return;
    }
  }
#endif
  ctr_subpixel_derive_within (rule, (int32_t) rule->radius, plane, point, ax, ay, inside, sums);
}

/* How the gradient changes at a place: RISE / RUN is u_nn + u_xx + u_yy, divided by the gradient along the axis, and positive where
 * the gradient grows along the axis. In a Gaussian edge this is linear along the axis. */
typedef struct {
  int32_t sign; /* of the derivative along the axis; 0: there is no edge across the axis here */
  int64_t rise, run;
} CtrSubpixelChange;

CTR_SUBPIXEL_RULE CtrSubpixelChange
ctr_subpixel_change (const CtrSubpixelSums *sums)
{
  enum { BITS = 19 };
  CtrSubpixelChange change = {ctr_subpixel_sign (sums->a), 0, 0};
  const uint64_t all = ctr_subpixel_abs (sums->a) | ctr_subpixel_abs (sums->b) | ctr_subpixel_abs (sums->aa)
                       | ctr_subpixel_abs (sums->ab) | ctr_subpixel_abs (sums->bb);
  const int used = ctr_subpixel_bits (all), shift = used > BITS ? used - BITS : 0;
  const int32_t a = (int32_t) (sums->a >> shift), b = (int32_t) (sums->b >> shift), aa = (int32_t) (sums->aa >> shift),
                ab = (int32_t) (sums->ab >> shift), bb = (int32_t) (sums->bb >> shift);
  const int64_t a2 = (int64_t) a * a, b2 = (int64_t) b * b, square = a2 + b2;
  change.rise = (aa * (square + a2) + 2 * ab * ((int64_t) a * b) + bb * (square + b2)) * change.sign;
  change.run = square * (a < 0 ? -a : a);
  if (change.run == 0)
    change.sign = 0;
  /* So that products of two and 256 times these fit into 64 bits. */
  const int wide = ctr_subpixel_bits (ctr_subpixel_abs (change.rise) | (uint64_t) change.run);
  const int excess = wide > 26 ? wide - 26 : 0;
  change.rise = change.rise < 0 ? -(-change.rise >> excess) : change.rise >> excess;
  change.run >>= excess;
  if (change.run == 0)
    change.run = 1;
  return change;
}

/* A derivative between two places, T / 256 behind the first one. (FROM, TO): at these; (FROM1, TO1): its own derivatives along the
 * axis, times sigma once more. Divided by 2^14. */
CTR_SUBPIXEL_RULE int64_t
ctr_subpixel_between (const CtrSubpixelRule *rule, int32_t t, int64_t from, int64_t to, int64_t from1, int64_t to1)
{
  const int64_t line = ((256 - t) * (from >> 14) + t * (to >> 14)) >> 8;
  return line - ((((to1 >> 14) - (from1 >> 14)) * (t * (256 - t)) * rule->inverse) >> (12 + 17));
}

/* The sums at all places on the axis in the direction (AX, AY) from POINT. */
CTR_SUBPIXEL_RULE void
ctr_subpixel_derive_axis (const CtrSubpixelRule *rule, const CtrSubpixelPlane *plane, CtrPoint point, int32_t ax,
    int32_t ay, CtrSubpixelSums sums[CTR_SUBPIXEL_PLACES])
{
  const int32_t x = point.x, y = point.y, far = (int32_t) rule->radius + CTR_SUBPIXEL_REACH;
  const bool inside = x >= far && y >= far && x + far < plane->width && y + far < plane->height;
  if (inside)
    ctr_subpixel_derive (rule, plane, point, ax, ay, true, sums);
  else
    ctr_subpixel_derive (rule, plane, point, ax, ay, false, sums);
}

/* The nearest edge on an axis. */
typedef struct {
  bool found;
  int32_t at;   /* distance from the point along the axis, in 1/256 pixel */
  int32_t sign; /* of the gradient along the axis */
  int64_t a, b; /* the gradient there */
} CtrSubpixelEdge;

/* Looks for the edge nearest to MIDDLE, in 1/256 pixel along the axis, among the SUMS at COUNT successive places from FIRST on.
 * AHEAD, BEHIND: pixels of the image along the axis and against it. Returns its distance from MIDDLE, or UINT32_MAX. */
CTR_SUBPIXEL_RULE uint32_t
ctr_subpixel_search_places (const CtrSubpixelRule *rule, const CtrSubpixelSums *sums, int count, int32_t first,
    int32_t ahead, int32_t behind, int32_t middle, CtrSubpixelEdge *edge)
{
  CtrSubpixelChange changes[CTR_SUBPIXEL_PLACES], from = {0, 0, 0}, to = from;
  CtrSubpixelSums here = {0, 0, 0, 0, 0}, there = here;
  uint32_t edges = 0; /* a bit for each place with an edge between it and the next one */
  uint32_t nearest = UINT32_MAX;
  int32_t at = 0, best = 0;
  CTR_SUBPIXEL_UNROLL
  for (int k = 0; k < count; k++)
    changes[k] = ctr_subpixel_change (&sums[k]);
  CTR_SUBPIXEL_UNROLL
  for (int k = 0; k + 1 < count; k++) {
    const int32_t place = first + k;
    const bool is_edge = place >= -behind && place + 1 <= ahead && changes[k].sign != 0
                         && changes[k].sign == changes[k + 1].sign && changes[k].rise > 0 && changes[k + 1].rise <= 0
                         && changes[k].sign * rule->polarity <= 0;
    edges |= (uint32_t) is_edge << k;
  }
  /* Mostly there is one. Its values are selected, so that all lanes of a warp look at theirs at the same time. */
  for (; edges; edges &= edges - 1) {
    const int k = ctr_subpixel_bits (edges & (0 - edges)) - 1;
    CTR_SUBPIXEL_UNROLL
    for (int i = 0; i + 1 < count; i++)
      if (i == k) {
        from = changes[i];
        to = changes[i + 1];
      }
    const uint64_t above = (uint64_t) from.rise * (uint64_t) to.run,
                   below = ctr_subpixel_abs (to.rise) * (uint64_t) from.run;
    const int32_t moved = (first + k) * 256 + ctr_subpixel_fraction (above, above + below);
    const uint32_t distance = (uint32_t) ctr_subpixel_abs (moved - middle);
    if (distance >= nearest)
      continue;
    nearest = distance;
    at = moved;
    best = k;
  }
  if (nearest == UINT32_MAX)
    return nearest;
  CTR_SUBPIXEL_UNROLL
  for (int i = 0; i + 1 < count; i++)
    if (i == best) {
      edge->sign = changes[i].sign;
      here = sums[i];
      there = sums[i + 1];
    }
  const int32_t t = at - (first + best) * 256;
  edge->at = at;
  edge->a = ctr_subpixel_between (rule, t, here.a, there.a, here.aa, there.aa);
  edge->b = ctr_subpixel_between (rule, t, here.b, there.b, here.ab, there.ab);
  return nearest;
}

/* Looks for the edge nearest to MIDDLE, CTR_SUBPIXEL_BESIDE or 0, among the SUMS at all places. The places on both sides of MIDDLE come
 * first: an edge between them is nearer than any other one, and mostly there is one. Otherwise all places are searched. */
CTR_SUBPIXEL_RULE CtrSubpixelEdge
ctr_subpixel_search (const CtrSubpixelRule *rule, const CtrSubpixelSums sums[CTR_SUBPIXEL_PLACES], int32_t ahead,
    int32_t behind, int32_t middle)
{
  const int32_t first = middle ? 0 : -1, last = 1;          /* of the places on both sides */
  const uint32_t others = (uint32_t) (last * 256 - middle); /* the least distance of an edge elsewhere */
  CtrSubpixelEdge edge = {false, 0, 0, 0, 0};
  uint32_t distance = ctr_subpixel_search_places (
      rule, sums + CTR_SUBPIXEL_REACH + first, last - first + 1, first, ahead, behind, middle, &edge);
  if (distance >= others)
    distance =
        ctr_subpixel_search_places (rule, sums, CTR_SUBPIXEL_PLACES, -CTR_SUBPIXEL_REACH, ahead, behind, middle, &edge);
  edge.found = distance != UINT32_MAX;
  return edge;
}

/* POINT moved to EDGE on the axis (AX, AY), a row if WIDE. */
CTR_SUBPIXEL_RULE CtrSubpixelPoint
ctr_subpixel_at_edge (
    const CtrSubpixelRule *rule, CtrPoint point, bool wide, int32_t ax, int32_t ay, const CtrSubpixelEdge *edge)
{
  const int64_t gx = wide ? ax * edge->a : edge->b, gy = wide ? edge->b : ay * edge->a;
  const CtrSubpixelPoint refined = {(int32_t) point.x * 256 + edge->at * ax, (int32_t) point.y * 256 + edge->at * ay,
      (uint32_t) ((ctr_subpixel_length (edge->a, edge->b) * (uint64_t) rule->inverse + (1 << 17)) >> 18),
      ctr_subpixel_angle (edge->sign * gx, edge->sign * gy), 0};
  return refined;
}

/* The axis on which an edge is looked for, in its direction: (X, Y). AHEAD, BEHIND: pixels of the image along it and against it. */
typedef struct {
  bool wide; /* a row */
  int32_t x, y, ahead, behind;
} CtrSubpixelWay;

/* (NX, NY): the normal. On a diagonal the axis does not leave the image, otherwise it is that of the greater difference. */
CTR_SUBPIXEL_RULE CtrSubpixelWay
ctr_subpixel_way (const CtrSubpixelPlane *plane, CtrPoint point, int32_t nx, int32_t ny)
{
  const int32_t x = point.x, y = point.y;
  const bool leaves_row = x + ctr_subpixel_sign (nx) < 0 || x + ctr_subpixel_sign (nx) >= plane->width,
             leaves_column = y + ctr_subpixel_sign (ny) < 0 || y + ctr_subpixel_sign (ny) >= plane->height;
  bool wide = nx * nx > ny * ny;
  if ((nx == ny || nx == -ny) && leaves_row != leaves_column) {
    wide = leaves_column;
  } else if (nx == ny || nx == -ny) {
    const int32_t dx = ctr_subpixel_sample (plane, x + 1, y) - ctr_subpixel_sample (plane, x - 1, y),
                  dy = ctr_subpixel_sample (plane, x, y + 1) - ctr_subpixel_sample (plane, x, y - 1);
    wide = ctr_subpixel_abs (dx) >= ctr_subpixel_abs (dy);
  }
  const int32_t ax = wide ? ctr_subpixel_sign (nx) : 0, ay = wide ? 0 : ctr_subpixel_sign (ny);
  const CtrSubpixelWay way = {wide, ax, ay,
      wide ? (ax > 0 ? plane->width - 1 - x : x) : (ay > 0 ? plane->height - 1 - y : y),
      wide ? (ax > 0 ? x : plane->width - 1 - x) : (ay > 0 ? y : plane->height - 1 - y)};
  return way;
}

/* CTR_SUBPIXEL_EDGE. (NX, NY): the normal. */
CTR_SUBPIXEL_RULE CtrSubpixelPoint
ctr_subpixel_edge (const CtrSubpixelRule *rule, const CtrSubpixelPlane *plane, CtrPoint point, int32_t nx, int32_t ny)
{
  const CtrSubpixelWay way = ctr_subpixel_way (plane, point, nx, ny);
  if (way.ahead == 0)
    return ctr_subpixel_keep (point, nx, ny, CTR_SUBPIXEL_FRAME);
  CtrSubpixelSums sums[CTR_SUBPIXEL_PLACES];
  ctr_subpixel_derive_axis (rule, plane, point, way.x, way.y, sums);
  const CtrSubpixelEdge edge = ctr_subpixel_search (rule, sums, way.ahead, way.behind, CTR_SUBPIXEL_BESIDE);
  if (!edge.found)
    return ctr_subpixel_keep (point, nx, ny, CTR_SUBPIXEL_NO_EDGE);
  return ctr_subpixel_at_edge (rule, point, way.wide, way.x, way.y, &edge);
}

/* The normal at POINT between its neighbours in the contour. (0, 0): it has none. */
typedef struct {
  int32_t x, y;
} CtrSubpixelNormal;

CTR_SUBPIXEL_RULE CtrSubpixelNormal
ctr_subpixel_normal (CtrPoint before, CtrPoint point, CtrPoint after)
{
  const int32_t in_x = ctr_subpixel_sign (point.x - before.x), in_y = ctr_subpixel_sign (point.y - before.y),
                out_x = ctr_subpixel_sign (after.x - point.x), out_y = ctr_subpixel_sign (after.y - point.y);
  CtrSubpixelNormal normal = {-(in_y + out_y), in_x + out_x};
  if (normal.x == 0 && normal.y == 0) {
    normal.x = in_x;
    normal.y = in_y;
  }
  return normal;
}

/* Refines POINT. BEFORE and AFTER: its neighbours in the contour, both POINT itself if it is the only one; on the horizontal,
 * vertical and diagonal lines through POINT. METHOD: that of the rule. */
CTR_SUBPIXEL_RULE CtrSubpixelPoint
ctr_subpixel_refine_by (const CtrSubpixelRule *rule, uint32_t method, const CtrSubpixelPlane *plane, uint32_t threshold,
    CtrPoint before, CtrPoint point, CtrPoint after)
{
  const CtrSubpixelNormal normal = ctr_subpixel_normal (before, point, after);
  const int32_t nx = normal.x, ny = normal.y;
  if (nx == 0 && ny == 0)
    return ctr_subpixel_keep (point, 0, 0, CTR_SUBPIXEL_LONE);
  if (method == CTR_SUBPIXEL_THRESHOLD)
    return ctr_subpixel_threshold (rule, plane, threshold, point, nx, ny);
  return ctr_subpixel_edge (rule, plane, point, nx, ny);
}

CTR_SUBPIXEL_RULE CtrSubpixelPoint
ctr_subpixel_refine (const CtrSubpixelRule *rule, const CtrSubpixelPlane *plane, uint32_t threshold, CtrPoint before,
    CtrPoint point, CtrPoint after)
{
  return ctr_subpixel_refine_by (rule, rule->method, plane, threshold, before, point, after);
}

CTR_END_DECLS

#endif

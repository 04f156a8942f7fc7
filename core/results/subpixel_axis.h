/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The search for an edge along an axis (include/contours/subpixel.h): sums of weighted samples across the axis, line by line,
 * from these the derivatives at a few places on it, and between two places the edge. Internal. */
#ifndef CTR_CORE_RESULTS_SUBPIXEL_AXIS_H
#define CTR_CORE_RESULTS_SUBPIXEL_AXIS_H

#include "core/results/subpixel.h"

CTR_BEGIN_DECLS

/* The direction in which an edge is looked for: that of a row or a column. */
typedef struct {
  bool wide; /* a row */
  int32_t x, y;
} CtrSubpixelAxis;

/* Pixels of the image behind a point along an axis, and before it. */
typedef struct {
  int32_t ahead, behind;
} CtrSubpixelRoom;

CTR_SUBPIXEL_RULE CtrSubpixelRoom
ctr_subpixel_room (const CtrSubpixelPlane *plane, CtrPoint point, CtrSubpixelAxis axis)
{
  const int32_t before = axis.wide ? point.x : point.y,
                after = axis.wide ? plane->width - 1 - point.x : plane->height - 1 - point.y;
  const bool forwards = (axis.wide ? axis.x : axis.y) > 0;
  const CtrSubpixelRoom room = {forwards ? after : before, forwards ? before : after};
  return room;
}

/* Sums of weighted samples at one place on the axis: the first derivatives times sigma, the second ones times sigma^2, all
 * times 2^28. */
typedef struct {
  int64_t a, b, aa, ab, bb;
} CtrSubpixelSums;

/* Sums of weighted samples across the axis, at one pixel of it: times 2^14. */
typedef struct {
  int32_t smooth, slope, bend;
} CtrSubpixelLine;

/* The line C pixels from POINT along AXIS. RADIUS: that of the rule. INSIDE: no sample lies outside the image. */
CTR_SUBPIXEL_RULE CtrSubpixelLine
ctr_subpixel_line (const CtrSubpixelRule *rule, int32_t radius, const CtrSubpixelPlane *plane, CtrPoint point,
    CtrSubpixelAxis axis, int32_t c, bool inside)
{
  const int32_t x = point.x + c * axis.x, y = point.y + c * axis.y, bx = axis.wide ? 0 : 1, by = axis.wide ? 1 : 0;
  const uint8_t *const at = plane->data + (inside ? (size_t) y * plane->stride : 0);
  const int32_t centre = inside ? ctr_subpixel_load (plane, at, x) : ctr_subpixel_sample (plane, x, y);
  CtrSubpixelLine line = {rule->weights[0][0] * centre, 0, rule->weights[2][0] * centre};
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
    line.smooth += rule->weights[0][j] * (ahead + behind);
    line.slope += rule->weights[1][j] * (ahead - behind);
    line.bend += rule->weights[2][j] * (ahead + behind);
  }
  return line;
}

/* Adds LINE, FROM pixels along the axis from their place, to SUMS. */
CTR_SUBPIXEL_RULE void
ctr_subpixel_add (const CtrSubpixelRule *rule, int32_t from, const CtrSubpixelLine *line, CtrSubpixelSums *sums)
{
  const int32_t distance = from < 0 ? -from : from;
  const int64_t g = rule->weights[0][distance], gg = rule->weights[2][distance];
  const int64_t d = from < 0 ? -rule->weights[1][distance] : rule->weights[1][distance];
  sums->a += d * line->smooth;
  sums->b += g * line->slope;
  sums->aa += gg * line->smooth;
  sums->ab += d * line->slope;
  sums->bb += g * line->bend;
}

/* Do all samples at and around POINT, that the rule weighs along an axis, lie in the image? */
CTR_SUBPIXEL_RULE bool
ctr_subpixel_inside (const CtrSubpixelRule *rule, const CtrSubpixelPlane *plane, CtrPoint point)
{
  const int32_t x = point.x, y = point.y, far = (int32_t) rule->radius + CTR_SUBPIXEL_REACH;
  return x >= far && y >= far && x + far < plane->width && y + far < plane->height;
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

/* The nearest edge on an axis. */
typedef struct {
  bool found;
  int32_t at;   /* distance from the point along the axis, in 1/256 pixel */
  int32_t sign; /* of the gradient along the axis */
  int64_t a, b; /* the gradient there */
} CtrSubpixelEdge;

/* Where the edge is between two places, in 1/256 pixel behind the first one, PLACE pixels from the point; -1: there is none. FROM,
 * TO: the changes at both. */
CTR_SUBPIXEL_RULE int32_t
ctr_subpixel_edge_between (const CtrSubpixelRule *rule, int32_t place, const CtrSubpixelChange *from,
    const CtrSubpixelChange *to, CtrSubpixelRoom room)
{
  if (place < -room.behind || place + 1 > room.ahead || from->sign == 0 || from->sign != to->sign || from->rise <= 0
      || to->rise > 0 || from->sign * rule->polarity > 0)
    return -1;
  const uint64_t here = (uint64_t) from->rise * (uint64_t) to->run,
                 there = ctr_subpixel_abs (to->rise) * (uint64_t) from->run;
  return ctr_subpixel_fraction (here, here + there);
}

/* The edge T / 256 behind a place, PLACE pixels from the point. SIGN: that of both changes; FROM, TO: the sums at both. */
CTR_SUBPIXEL_RULE CtrSubpixelEdge
ctr_subpixel_edge_at (const CtrSubpixelRule *rule, int32_t place, int32_t t, int32_t sign, const CtrSubpixelSums *from,
    const CtrSubpixelSums *to)
{
  const CtrSubpixelEdge edge = {true, place * 256 + t, sign,
      ctr_subpixel_between (rule, t, from->a, to->a, from->aa, to->aa),
      ctr_subpixel_between (rule, t, from->b, to->b, from->ab, to->ab)};
  return edge;
}

/* A gradient along AXIS and across it, in the image. */
typedef struct {
  int64_t x, y;
} CtrSubpixelGradient;

CTR_SUBPIXEL_RULE CtrSubpixelGradient
ctr_subpixel_gradient (CtrSubpixelAxis axis, int64_t along, int64_t across)
{
  const CtrSubpixelGradient gradient = {axis.wide ? axis.x * along : across, axis.wide ? across : axis.y * along};
  return gradient;
}

/* POINT moved to EDGE on AXIS. */
CTR_SUBPIXEL_RULE CtrSubpixelPoint
ctr_subpixel_at_edge (const CtrSubpixelRule *rule, CtrPoint point, CtrSubpixelAxis axis, const CtrSubpixelEdge *edge)
{
  const CtrSubpixelGradient g = ctr_subpixel_gradient (axis, edge->a, edge->b);
  const CtrSubpixelPoint refined = {(int32_t) point.x * 256 + edge->at * axis.x,
      (int32_t) point.y * 256 + edge->at * axis.y,
      (uint32_t) ((ctr_subpixel_length (edge->a, edge->b) * (uint64_t) rule->inverse + (1 << 17)) >> 18),
      ctr_subpixel_angle (edge->sign * g.x, edge->sign * g.y), 0};
  return refined;
}

CTR_END_DECLS

#endif

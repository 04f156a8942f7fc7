/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* CTR_SUBPIXEL_THRESHOLD: where the sample crosses the level of the threshold. Internal; included by subpixel.h. */
#ifndef CTR_CORE_RESULTS_SUBPIXEL_THRESHOLD_H
#define CTR_CORE_RESULTS_SUBPIXEL_THRESHOLD_H

/* The crossing of a level between a pixel and a neighbour. */
typedef struct {
  bool found, outside; /* The neighbour lies outside the image. */
  int32_t t;           /* distance from the pixel: 256 at the neighbour */
  int64_t gx, gy;      /* the gradient there, in 1/512 */
} CtrSubpixelCrossing;

/* From (X, Y) to the neighbour at (DX, DY). LEVEL2: twice the level. */
CTR_SUBPIXEL_RULE CtrSubpixelCrossing
ctr_subpixel_cross (const CtrSubpixelRule *rule, const CtrSubpixelPlane *plane, int64_t level2, int32_t x, int32_t y,
    int32_t dx, int32_t dy)
{
  CtrSubpixelCrossing crossing = {false, false, 0, 0, 0};
  const int32_t qx = x + dx, qy = y + dy;
  if (qx < 0 || qy < 0 || qx >= plane->width || qy >= plane->height) {
    crossing.outside = true;
    return crossing;
  }
  const int32_t p = ctr_subpixel_sample (plane, x, y), q = ctr_subpixel_sample (plane, qx, qy);
  const int64_t above = (2 * (int64_t) p - level2) * rule->polarity,
                below = (level2 - 2 * (int64_t) q) * rule->polarity;
  if (above <= 0 || below <= 0)
    return crossing;
  const int32_t t = ctr_subpixel_fraction ((uint64_t) above, (uint64_t) (above + below)), norm = dx * dx + dy * dy;
  /* Differences along the line and across, there by central differences at both ends. */
  const int32_t ex = -dy, ey = dx;
  const int64_t along = (int64_t) 512 * (q - p);
  const int64_t across =
      (int64_t) (256 - t) * (ctr_subpixel_sample (plane, x + ex, y + ey) - ctr_subpixel_sample (plane, x - ex, y - ey))
      + (int64_t) t * (ctr_subpixel_sample (plane, qx + ex, qy + ey) - ctr_subpixel_sample (plane, qx - ex, qy - ey));
  crossing.found = true;
  crossing.t = t;
  crossing.gx = (along * dx + across * ex) / norm;
  crossing.gy = (along * dy + across * ey) / norm;
  return crossing;
}

/* A point at its pixel's position plus (DX, DY) in 1/256, with the gradient (GX, GY) in 1/512. */
CTR_SUBPIXEL_RULE CtrSubpixelPoint
ctr_subpixel_at_level (const CtrSubpixelRule *rule, CtrPoint point, int32_t dx, int32_t dy, int64_t gx, int64_t gy)
{
  const CtrSubpixelPoint refined = {(int32_t) point.x * 256 + dx, (int32_t) point.y * 256 + dy,
      (uint32_t) ((ctr_subpixel_length (gx, gy) + 1) / 2),
      ctr_subpixel_angle (-rule->polarity * gx, -rule->polarity * gy), 0};
  return refined;
}

/* Half of V, away from 0. */
CTR_SUBPIXEL_RULE int32_t
ctr_subpixel_half (int32_t v)
{
  return v < 0 ? -((1 - v) / 2) : (v + 1) / 2;
}

/* CTR_SUBPIXEL_THRESHOLD. (NX, NY): the normal. */
CTR_SUBPIXEL_RULE CtrSubpixelPoint
ctr_subpixel_threshold (const CtrSubpixelRule *rule, const CtrSubpixelPlane *plane, uint32_t threshold, CtrPoint point,
    int32_t nx, int32_t ny)
{
  const int64_t level2 = 2 * (int64_t) threshold - 1;
  const int32_t sx = ctr_subpixel_sign (nx), sy = ctr_subpixel_sign (ny);
  const bool diagonal = nx == ny || nx == -ny, wide = nx * nx > ny * ny;
  CtrSubpixelCrossing row = {false, false, 0, 0, 0}, column = row;
  if (sx && (wide || diagonal))
    row = ctr_subpixel_cross (rule, plane, level2, point.x, point.y, sx, 0);
  if (sy && (!wide || diagonal))
    column = ctr_subpixel_cross (rule, plane, level2, point.x, point.y, 0, sy);
  if (row.found && column.found)
    return ctr_subpixel_at_level (rule, point, ctr_subpixel_half (sx * row.t), ctr_subpixel_half (sy * column.t),
        (row.gx + column.gx) / 2, (row.gy + column.gy) / 2);
  if (row.found)
    return ctr_subpixel_at_level (rule, point, sx * row.t, 0, row.gx, row.gy);
  if (column.found)
    return ctr_subpixel_at_level (rule, point, 0, sy * column.t, column.gx, column.gy);
  const bool outside = row.outside || column.outside;
  if (diagonal && !outside) {
    const CtrSubpixelCrossing corner = ctr_subpixel_cross (rule, plane, level2, point.x, point.y, sx, sy);
    if (corner.found)
      return ctr_subpixel_at_level (rule, point, sx * corner.t, sy * corner.t, corner.gx, corner.gy);
  }
  return ctr_subpixel_keep (point, nx, ny, outside ? CTR_SUBPIXEL_FRAME : CTR_SUBPIXEL_NO_EDGE);
}

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Numbers of components in floating point, from exact sums, for both backends: see shape_values.h. Internal. */
#ifndef CTR_CORE_RESULTS_COMPONENT_VALUES_H
#define CTR_CORE_RESULTS_COMPONENT_VALUES_H

#include "core/results/exact.h"

#include <contours/components.h>

CTR_BEGIN_DECLS

/* (n sum_ab - sum_a sum_b) / n^2. The difference is exact in 128 bits; in double it would suffer from cancellation. */
CTR_SHAPE_RULE double
ctr_component_central (uint32_t n, uint64_t sum_ab, uint64_t sum_a, uint64_t sum_b)
{
  const CtrSigned128 exact = (CtrSigned128) n * sum_ab - (CtrSigned128) sum_a * sum_b;
  return ctr_signed128_to_double (exact) / ((double) n * n);
}

/* All of SHAPE but its orientation. */
CTR_SHAPE_RULE void
ctr_component_set_axes (const CtrComponent *component, const CtrComponentMoments *moments, CtrComponentShape *shape)
{
  const uint32_t n = component->area;
  const double a = ctr_component_central (n, moments->sum_xx, component->sum_x, component->sum_x);
  const double b = ctr_component_central (n, moments->sum_xy, component->sum_x, component->sum_y);
  const double c = ctr_component_central (n, moments->sum_yy, component->sum_y, component->sum_y);
  /* Eigenvalues of the covariance [a b; b c]. */
  const double mean = (a + c) / 2, half = (a - c) / 2, spread = sqrt (half * half + b * b);
  const double major = mean + spread, minor = mean > spread ? mean - spread : 0.0;
  shape->mu20 = a;
  shape->mu11 = b;
  shape->mu02 = c;
  shape->orientation = 0;
  shape->major_axis = 4 * sqrt (major);
  shape->minor_axis = 4 * sqrt (minor);
  shape->eccentricity = major > 0 ? sqrt (1 - minor / major) : 0.0;
}

CTR_SHAPE_RULE void
ctr_component_set_grey (const CtrComponent *component, const CtrComponentGrey *grey, double *mean, double *std_dev)
{
  *mean = (double) grey->sum / component->area;
  *std_dev = sqrt (ctr_component_central (component->area, grey->sum_sq, grey->sum, grey->sum));
}

#define CTR_PERCENTILES 5

/* The index, among AREA samples in ascending order, of percentile K of CtrComponentPercentiles. */
CTR_SHAPE_RULE uint32_t
ctr_percentile_index (uint32_t area, uint32_t k)
{
  const uint32_t percent = k == 0 ? 5 : k == CTR_PERCENTILES - 1 ? 95 : 25 * k;
  return (uint32_t) ((uint64_t) (area - 1) * percent / 100);
}

/* Of two pixels of a component, the centre of its inscribed circle is the one with the greater key. DISTANCE_SQ: of pixel number
 * PIXEL in raster order. */
CTR_SHAPE_RULE uint64_t
ctr_inscribed_key (uint32_t distance_sq, uint32_t pixel)
{
  return (uint64_t) distance_sq << 32 | (uint32_t) ~pixel;
}

/* The circle of the pixel with KEY of an image of WIDTH pixels. */
CTR_SHAPE_RULE CtrComponentInscribed
ctr_inscribed_of_key (uint64_t key, uint32_t width)
{
  const uint32_t pixel = ~(uint32_t) key;
  CtrComponentInscribed inscribed;
  inscribed.radius_sq = (uint32_t) (key >> 32);
  inscribed.x = (uint16_t) (pixel % width);
  inscribed.y = (uint16_t) (pixel / width);
  return inscribed;
}

CTR_SHAPE_RULE double
ctr_component_radius (const CtrComponentInscribed *inscribed)
{
  return sqrt ((double) inscribed->radius_sq);
}

/* The square root of DISTANCE_SQ, rounded to the nearest 1/65536, in these. The double of it may be off by one. */
CTR_SHAPE_RULE uint64_t
ctr_skeleton_distance (uint32_t distance_sq)
{
  const uint64_t square = (uint64_t) distance_sq << 32;
  uint64_t root = (uint64_t) (sqrt ((double) distance_sq) * 65536);
  /* It is the nearest one if (root - 1/2)^2 < square < (root + 1/2)^2. Neither side can be whole. */
  while (root > 0 && root * root - root >= square)
    root--;
  while (root * root + root < square)
    root++;
  return root;
}

CTR_SHAPE_RULE double
ctr_component_length (const CtrComponentSkeleton *skeleton)
{
  return (double) skeleton->straight + (double) skeleton->diagonal * sqrt (2.0);
}

CTR_SHAPE_RULE double
ctr_component_breadth (const CtrComponentSkeleton *skeleton)
{
  return (double) skeleton->distance_sum / 32768 / skeleton->pixels;
}

/* Of two components, a pixel is in the ring of the one with the lower key. DISTANCE_SQ: from the pixel to the component. */
CTR_SHAPE_RULE uint64_t
ctr_ring_key (uint32_t distance_sq, uint32_t label)
{
  return (uint64_t) distance_sq << 32 | label;
}

/* GREY: of the component. */
CTR_SHAPE_RULE void
ctr_component_set_contrast (const CtrComponent *component, const CtrComponentGrey *grey,
    const CtrComponentContrast *contrast, double *ring_mean, double *difference)
{
  *ring_mean = contrast->ring_area ? (double) contrast->ring_sum / contrast->ring_area : NAN;
  *difference = (double) grey->sum / component->area - *ring_mean;
}

CTR_END_DECLS

#endif

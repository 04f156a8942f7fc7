/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Limits on numbers (include/contours/select.h): what both backends decide alike. Internal. */
#ifndef CTR_CORE_RESULTS_SELECT_H
#define CTR_CORE_RESULTS_SELECT_H

#include "core/results/component_values.h"
#include "core/results/shape_values.h"

#include <contours/borders.h>
#include <contours/cca.h>
#include <contours/select.h>

CTR_BEGIN_DECLS

/* Valid limits. All bytes are set, for comparisons. */
typedef struct {
  uint32_t count;
  uint32_t features; /* that the numbers need: CtrContourFeatures or CtrFeatures */
  struct {
    double min, max;
    uint32_t at; /* index of the number among the doubles of CtrContourNumbers or CtrComponentNumbers */
    uint32_t reserved;
  } limits[CTR_SELECT_MAX];
} CtrSelectPlan;

/* The first ones, up to shape.circularity, follow from the row alone. */
typedef struct {
  double area, perimeter, x, y, width, height;
  CtrContourShapeValues shape;
} CtrContourNumbers;

enum { CTR_SELECT_ROW_NUMBERS = 7 };

typedef struct {
  double area, x, y, width, height, cx, cy;
  double major_axis, minor_axis, eccentricity;
  double min, max, mean, std, value;
  double p5, p25, median, p75, p95;
  double inscribed_radius, inscribed_x, inscribed_y;
  double ring_mean, contrast;
  double skeleton_length, skeleton_width, skeleton_pixels;
} CtrComponentNumbers;

/* Are these valid? */
bool ctr_contour_select_check (const CtrSelect *select, CtrRetrieval mode, CtrError *error);
bool ctr_component_select_check (const CtrSelect *select, CtrComponentMode mode, CtrError *error);

/* SELECT is valid. */
void ctr_contour_select_plan (const CtrSelect *select, CtrSelectPlan *plan);
void ctr_component_select_plan (const CtrSelect *select, CtrSelectPlan *plan);

/* False and an error if SELECT has limits: those of strips are min-area and the like. */
bool ctr_select_check_strips (const CtrSelect *select, CtrError *error);

/* NUMBERS: the doubles of CtrContourNumbers or CtrComponentNumbers. NaN is within no limits. */
CTR_SHAPE_RULE bool
ctr_select_keeps (const CtrSelectPlan *plan, const double *numbers)
{
  for (uint32_t i = 0; i < plan->count; i++) {
    const double number = numbers[plan->limits[i].at];
    if (!(number >= plan->limits[i].min && number <= plan->limits[i].max))
      return false;
  }
  return true;
}

/* The number at AT < CTR_SELECT_ROW_NUMBERS of a row. */
CTR_SHAPE_RULE double
ctr_select_row_number (const CtrContour *row, uint32_t at)
{
  switch (at) {
    case 0:
      return ctr_shape_area (row);
    case 1:
      return ctr_shape_perimeter (row);
    case 2:
      return row->left;
    case 3:
      return row->top;
    case 4:
      return row->width;
    case 5:
      return row->height;
    default:
      return ctr_shape_circularity (ctr_shape_area (row), ctr_shape_perimeter (row));
  }
}

/* Is the row within those limits that are on such numbers? */
CTR_SHAPE_RULE bool
ctr_select_keeps_row (const CtrSelectPlan *plan, const CtrContour *row)
{
  for (uint32_t i = 0; i < plan->count; i++) {
    if (plan->limits[i].at >= CTR_SELECT_ROW_NUMBERS)
      continue;
    const double number = ctr_select_row_number (row, plan->limits[i].at);
    if (!(number >= plan->limits[i].min && number <= plan->limits[i].max))
      return false;
  }
  return true;
}

/* Are all limits on such numbers? */
CTR_SHAPE_RULE bool
ctr_select_needs_row_alone (const CtrSelectPlan *plan)
{
  for (uint32_t i = 0; i < plan->count; i++)
    if (plan->limits[i].at >= CTR_SELECT_ROW_NUMBERS)
      return false;
  return true;
}

/* SHAPE, SUMS and FITS are there if the plan's features need them. */
CTR_SHAPE_RULE bool
ctr_select_keeps_contour (const CtrSelectPlan *plan, const CtrContour *row, const CtrContourShape *shape,
    const CtrContourSums *sums, const CtrContourFits *fits)
{
  if (!ctr_select_keeps_row (plan, row))
    return false;
  if (ctr_select_needs_row_alone (plan))
    return true;
  /* All numbers only now, as there are many. */
  CtrContourNumbers n;
  n.area = ctr_shape_area (row);
  n.perimeter = ctr_shape_perimeter (row);
  n.x = row->left;
  n.y = row->top;
  n.width = row->width;
  n.height = row->height;
  ctr_shape_set_values (row, shape, sums, fits, plan->features, &n.shape);
  return ctr_select_keeps (plan, &n.area);
}

/* MOMENTS, GREY, PERCENTILES, INSCRIBED, CONTRAST and SKELETON are there if the plan's features need them. */
CTR_SHAPE_RULE bool
ctr_select_keeps_component (const CtrSelectPlan *plan, const CtrComponent *row, const CtrComponentMoments *moments,
    const CtrComponentGrey *grey, const CtrComponentPercentiles *percentiles, const CtrComponentInscribed *inscribed,
    const CtrComponentContrast *contrast, const CtrComponentSkeleton *skeleton)
{
  CtrComponentNumbers n;
  n.area = row->area;
  n.x = row->left;
  n.y = row->top;
  n.width = row->width;
  n.height = row->height;
  n.cx = (double) row->sum_x / row->area;
  n.cy = (double) row->sum_y / row->area;
  n.value = row->value;
  n.major_axis = n.minor_axis = n.eccentricity = n.min = n.max = n.mean = n.std = NAN;
  n.p5 = n.p25 = n.median = n.p75 = n.p95 = NAN;
  n.inscribed_radius = n.inscribed_x = n.inscribed_y = n.ring_mean = n.contrast = NAN;
  n.skeleton_length = n.skeleton_width = n.skeleton_pixels = NAN;
  if (plan->features & CTR_FEATURE_MOMENTS) {
    CtrComponentShape shape;
    ctr_component_set_axes (row, moments, &shape);
    n.major_axis = shape.major_axis;
    n.minor_axis = shape.minor_axis;
    n.eccentricity = shape.eccentricity;
  }
  if (plan->features & CTR_FEATURE_GREY) {
    n.min = grey->min;
    n.max = grey->max;
    ctr_component_set_grey (row, grey, &n.mean, &n.std);
  }
  if (plan->features & CTR_FEATURE_PERCENTILES) {
    n.p5 = percentiles->p5;
    n.p25 = percentiles->p25;
    n.median = percentiles->median;
    n.p75 = percentiles->p75;
    n.p95 = percentiles->p95;
  }
  if (plan->features & CTR_FEATURE_INSCRIBED) {
    n.inscribed_radius = ctr_component_radius (inscribed);
    n.inscribed_x = inscribed->x;
    n.inscribed_y = inscribed->y;
  }
  if (plan->features & CTR_FEATURE_CONTRAST)
    ctr_component_set_contrast (row, grey, contrast, &n.ring_mean, &n.contrast);
  if (plan->features & CTR_FEATURE_SKELETON) {
    n.skeleton_length = ctr_component_length (skeleton);
    n.skeleton_width = ctr_component_breadth (skeleton);
    n.skeleton_pixels = skeleton->pixels;
  }
  return ctr_select_keeps (plan, &n.area);
}

CTR_END_DECLS

#endif

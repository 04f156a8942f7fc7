/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Limits on numbers: their names, what is valid, and the plan. */
#include "core/results/select.h"

#include "core/common/error.h"

#include <stddef.h>
#include <string.h>

typedef struct {
  const char *name;
  uint32_t at, features; /* see CtrSelectPlan */
} Number;

#define CONTOUR(number, name, field, features) \
  [CTR_CONTOUR_NUMBER_##number] = {name, offsetof (CtrContourNumbers, field) / sizeof (double), features}
#define COMPONENT(number, name, field, features) \
  [CTR_COMPONENT_NUMBER_##number] = {name, offsetof (CtrComponentNumbers, field) / sizeof (double), features}

_Static_assert(offsetof (CtrContourNumbers, shape.circularity) == (CTR_SELECT_ROW_NUMBERS - 1) * sizeof (double),
    "the numbers of a row are the first ones");

static const Number contour_numbers[] = {
    CONTOUR (AREA, "area", area, 0),
    CONTOUR (PERIMETER, "perimeter", perimeter, 0),
    CONTOUR (X, "x", x, 0),
    CONTOUR (Y, "y", y, 0),
    CONTOUR (WIDTH, "width", width, 0),
    CONTOUR (HEIGHT, "height", height, 0),
    CONTOUR (CIRCULARITY, "circularity", shape.circularity, 0),
    CONTOUR (HULL_AREA, "hull-area", shape.hull_area, CTR_CONTOUR_FEATURE_HULL),
    CONTOUR (HULL_PERIMETER, "hull-perimeter", shape.hull_perimeter, CTR_CONTOUR_FEATURE_HULL),
    CONTOUR (SOLIDITY, "solidity", shape.solidity, CTR_CONTOUR_FEATURE_HULL),
    CONTOUR (DEFECT_DEPTH, "defect-depth", shape.defect_depth, CTR_CONTOUR_FEATURE_DEFECT),
    CONTOUR (DEFECT_X, "defect-x", shape.defect_x, CTR_CONTOUR_FEATURE_DEFECT),
    CONTOUR (DEFECT_Y, "defect-y", shape.defect_y, CTR_CONTOUR_FEATURE_DEFECT),
    CONTOUR (RECTANGLE_X, "rectangle-x", shape.rectangle_x, CTR_CONTOUR_FEATURE_RECTANGLE),
    CONTOUR (RECTANGLE_Y, "rectangle-y", shape.rectangle_y, CTR_CONTOUR_FEATURE_RECTANGLE),
    CONTOUR (RECTANGLE_WIDTH, "rectangle-width", shape.rectangle_width, CTR_CONTOUR_FEATURE_RECTANGLE),
    CONTOUR (RECTANGLE_HEIGHT, "rectangle-height", shape.rectangle_height, CTR_CONTOUR_FEATURE_RECTANGLE),
    CONTOUR (RECTANGULARITY, "rectangularity", shape.rectangularity, CTR_CONTOUR_FEATURE_RECTANGLE),
    CONTOUR (FERET_MAX, "feret-max", shape.feret_max, CTR_CONTOUR_FEATURE_FERET),
    CONTOUR (FERET_MIN, "feret-min", shape.feret_min, CTR_CONTOUR_FEATURE_FERET),
    CONTOUR (CIRCLE_X, "circle-x", shape.circle_x, CTR_CONTOUR_FEATURE_CIRCLE),
    CONTOUR (CIRCLE_Y, "circle-y", shape.circle_y, CTR_CONTOUR_FEATURE_CIRCLE),
    CONTOUR (CIRCLE_RADIUS, "circle-radius", shape.circle_radius, CTR_CONTOUR_FEATURE_CIRCLE),
    CONTOUR (DISTANCE_MEAN, "distance-mean", shape.distance_mean, CTR_CONTOUR_FEATURE_DISTANCES),
    CONTOUR (DISTANCE_DEVIATION, "distance-deviation", shape.distance_deviation, CTR_CONTOUR_FEATURE_DISTANCES),
    CONTOUR (DISTANCE_MAX, "distance-max", shape.distance_max, CTR_CONTOUR_FEATURE_DISTANCES),
    CONTOUR (ROUNDNESS, "roundness", shape.roundness, CTR_CONTOUR_FEATURE_DISTANCES),
    CONTOUR (RADIAL_CIRCULARITY, "radial-circularity", shape.radial_circularity, CTR_CONTOUR_FEATURE_DISTANCES),
    CONTOUR (HOLES, "holes", shape.holes, CTR_CONTOUR_FEATURE_HOLES),
    CONTOUR (HOLE_AREA, "hole-area", shape.hole_area, CTR_CONTOUR_FEATURE_HOLES),
    CONTOUR (EULER_NUMBER, "euler-number", shape.euler_number, CTR_CONTOUR_FEATURE_HOLES),
    CONTOUR (MAJOR, "major", shape.major, CTR_CONTOUR_FEATURE_MOMENTS),
    CONTOUR (MINOR, "minor", shape.minor, CTR_CONTOUR_FEATURE_MOMENTS),
    CONTOUR (ANISOMETRY, "anisometry", shape.anisometry, CTR_CONTOUR_FEATURE_MOMENTS),
    CONTOUR (BULKINESS, "bulkiness", shape.bulkiness, CTR_CONTOUR_FEATURE_MOMENTS),
    CONTOUR (STRUCTURE_FACTOR, "structure-factor", shape.structure_factor, CTR_CONTOUR_FEATURE_MOMENTS),
    CONTOUR (HU1, "hu1", shape.hu[0], CTR_CONTOUR_FEATURE_MOMENTS),
    CONTOUR (HU2, "hu2", shape.hu[1], CTR_CONTOUR_FEATURE_MOMENTS),
    CONTOUR (HU3, "hu3", shape.hu[2], CTR_CONTOUR_FEATURE_MOMENTS),
    CONTOUR (HU4, "hu4", shape.hu[3], CTR_CONTOUR_FEATURE_MOMENTS),
    CONTOUR (HU5, "hu5", shape.hu[4], CTR_CONTOUR_FEATURE_MOMENTS),
    CONTOUR (HU6, "hu6", shape.hu[5], CTR_CONTOUR_FEATURE_MOMENTS),
    CONTOUR (HU7, "hu7", shape.hu[6], CTR_CONTOUR_FEATURE_MOMENTS),
    CONTOUR (COMPACTNESS, "compactness", shape.compactness, 0),
    CONTOUR (FERET_EXTENT, "feret-extent", shape.feret_extent, CTR_CONTOUR_FEATURE_FERET),
    CONTOUR (LINE_X, "line-x", shape.line_x, CTR_CONTOUR_FEATURE_FITS),
    CONTOUR (LINE_Y, "line-y", shape.line_y, CTR_CONTOUR_FEATURE_FITS),
    CONTOUR (LINE_DEVIATION, "line-deviation", shape.line_deviation, CTR_CONTOUR_FEATURE_FITS),
    CONTOUR (FIT_CIRCLE_X, "fit-circle-x", shape.fit_circle_x, CTR_CONTOUR_FEATURE_FITS),
    CONTOUR (FIT_CIRCLE_Y, "fit-circle-y", shape.fit_circle_y, CTR_CONTOUR_FEATURE_FITS),
    CONTOUR (FIT_CIRCLE_RADIUS, "fit-circle-radius", shape.fit_circle_radius, CTR_CONTOUR_FEATURE_FITS),
    CONTOUR (FIT_CIRCLE_DEVIATION, "fit-circle-deviation", shape.fit_circle_deviation, CTR_CONTOUR_FEATURE_FITS),
    CONTOUR (ELLIPSE_X, "ellipse-x", shape.ellipse_x, CTR_CONTOUR_FEATURE_FITS),
    CONTOUR (ELLIPSE_Y, "ellipse-y", shape.ellipse_y, CTR_CONTOUR_FEATURE_FITS),
    CONTOUR (ELLIPSE_MAJOR, "ellipse-major", shape.ellipse_major, CTR_CONTOUR_FEATURE_FITS),
    CONTOUR (ELLIPSE_MINOR, "ellipse-minor", shape.ellipse_minor, CTR_CONTOUR_FEATURE_FITS),
};

static const Number component_numbers[] = {
    COMPONENT (AREA, "area", area, 0),
    COMPONENT (X, "x", x, 0),
    COMPONENT (Y, "y", y, 0),
    COMPONENT (WIDTH, "width", width, 0),
    COMPONENT (HEIGHT, "height", height, 0),
    COMPONENT (CX, "cx", cx, 0),
    COMPONENT (CY, "cy", cy, 0),
    COMPONENT (MAJOR_AXIS, "major-axis", major_axis, CTR_FEATURE_MOMENTS),
    COMPONENT (MINOR_AXIS, "minor-axis", minor_axis, CTR_FEATURE_MOMENTS),
    COMPONENT (ECCENTRICITY, "eccentricity", eccentricity, CTR_FEATURE_MOMENTS),
    COMPONENT (MIN, "min", min, CTR_FEATURE_GREY),
    COMPONENT (MAX, "max", max, CTR_FEATURE_GREY),
    COMPONENT (MEAN, "mean", mean, CTR_FEATURE_GREY),
    COMPONENT (STD, "std", std, CTR_FEATURE_GREY),
    COMPONENT (VALUE, "value", value, 0),
    COMPONENT (P5, "p5", p5, CTR_FEATURE_PERCENTILES),
    COMPONENT (P25, "p25", p25, CTR_FEATURE_PERCENTILES),
    COMPONENT (MEDIAN, "median", median, CTR_FEATURE_PERCENTILES),
    COMPONENT (P75, "p75", p75, CTR_FEATURE_PERCENTILES),
    COMPONENT (P95, "p95", p95, CTR_FEATURE_PERCENTILES),
    COMPONENT (INSCRIBED_RADIUS, "inscribed-radius", inscribed_radius, CTR_FEATURE_INSCRIBED),
    COMPONENT (INSCRIBED_X, "inscribed-x", inscribed_x, CTR_FEATURE_INSCRIBED),
    COMPONENT (INSCRIBED_Y, "inscribed-y", inscribed_y, CTR_FEATURE_INSCRIBED),
    COMPONENT (RING_MEAN, "ring-mean", ring_mean, CTR_FEATURE_CONTRAST | CTR_FEATURE_GREY),
    COMPONENT (CONTRAST, "contrast", contrast, CTR_FEATURE_CONTRAST | CTR_FEATURE_GREY),
    COMPONENT (SKELETON_LENGTH, "skeleton-length", skeleton_length, CTR_FEATURE_SKELETON),
    COMPONENT (SKELETON_WIDTH, "skeleton-width", skeleton_width, CTR_FEATURE_SKELETON),
    COMPONENT (SKELETON_PIXELS, "skeleton-pixels", skeleton_pixels, CTR_FEATURE_SKELETON),
};

enum {
  CONTOUR_NUMBERS = sizeof contour_numbers / sizeof contour_numbers[0],
  COMPONENT_NUMBERS = sizeof component_numbers / sizeof component_numbers[0]
};

const char *
ctr_contour_number_name (uint32_t number)
{
  return number < CONTOUR_NUMBERS ? contour_numbers[number].name : NULL;
}

const char *
ctr_component_number_name (uint32_t number)
{
  return number < COMPONENT_NUMBERS ? component_numbers[number].name : NULL;
}

static bool
check (const CtrSelect *select, const Number *numbers, uint32_t number_count, CtrError *error)
{
  if (select->count > CTR_SELECT_MAX)
    return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT, "%u limits in select: there can be %d at most", select->count,
        CTR_SELECT_MAX);
  for (uint32_t i = 0; i < select->count; i++) {
    const CtrLimits *limits = select->limits + i;
    if (limits->feature >= number_count)
      return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT,
          "limits on the unknown number %u in select: the last one is %u", limits->feature, number_count - 1);
    const char *name = numbers[limits->feature].name;
    if (!(limits->min <= limits->max))
      return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT,
          "the limits on %s in select are %g and %g: the first one must not be greater than the second one", name,
          limits->min, limits->max);
    for (uint32_t k = 0; k < i; k++)
      if (select->limits[k].feature == limits->feature)
        return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT,
            "%s has limits in select twice: leave one out, or use both ends of one", name);
  }
  return true;
}

bool
ctr_contour_select_check (const CtrSelect *select, CtrRetrieval mode, CtrError *error)
{
  if (!check (select, contour_numbers, CONTOUR_NUMBERS, error))
    return false;
  for (uint32_t i = 0; i < select->count; i++) {
    const Number *number = contour_numbers + select->limits[i].feature;
    if (number->features & CTR_CONTOUR_FEATURE_HOLES && mode < CTR_RETRIEVE_CCOMP)
      return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT,
          "limits on %s in select need the hierarchy of the retrieval modes ccomp or tree: the mode is %s",
          number->name, mode == CTR_RETRIEVE_LIST ? "list" : "external");
  }
  return true;
}

bool
ctr_component_select_check (const CtrSelect *select, CtrComponentMode mode, CtrError *error)
{
  if (!check (select, component_numbers, COMPONENT_NUMBERS, error))
    return false;
  for (uint32_t i = 0; i < select->count; i++)
    if (select->limits[i].feature == CTR_COMPONENT_NUMBER_VALUE && mode != CTR_COMPONENTS_EQUAL)
      return ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT,
          "limits on value in select need components of equal samples: use CTR_COMPONENTS_EQUAL, or mode=eq on "
          "cudacca");
  return true;
}

bool
ctr_select_check_strips (const CtrSelect *select, CtrError *error)
{
  return select->count == 0
         || ctr_fail (error, CTR_ERROR_INVALID_ARGUMENT,
             "%u limits in select: strips of one picture have no others than min-area and the like; leave select "
             "empty, "
             "or the strips",
             select->count);
}

static void
make_plan (const CtrSelect *select, const Number *numbers, CtrSelectPlan *plan)
{
  memset (plan, 0, sizeof *plan);
  plan->count = select->count;
  for (uint32_t i = 0; i < select->count; i++) {
    const CtrLimits *limits = select->limits + i;
    plan->limits[i].min = limits->min;
    plan->limits[i].max = limits->max;
    plan->limits[i].at = numbers[limits->feature].at;
    plan->features |= numbers[limits->feature].features;
  }
}

void
ctr_contour_select_plan (const CtrSelect *select, CtrSelectPlan *plan)
{
  make_plan (select, contour_numbers, plan);
}

void
ctr_component_select_plan (const CtrSelect *select, CtrSelectPlan *plan)
{
  make_plan (select, component_numbers, plan);
}
